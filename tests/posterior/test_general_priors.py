"""Posteriors, best networks and searches under general structure priors, against sums over all DAGs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from oracles.priors import posterior_of, weighted_dags

NAMES = tuple("abcd")
CODES = np.random.default_rng(8).integers(0, 2, (25, 4))
CODES[:, 1] |= CODES[:, 3]
DATA = ds.Dataset.from_codes(CODES, dict.fromkeys(NAMES, "01"))
PLAIN = ds.local_scores(DATA)


class Weights:
    """Random weights of families, some of which are impossible; a class, so that workers can read it."""

    def __init__(self, seed, impossible=0.2):
        self.seed, self.impossible, self.known = seed, impossible, {}

    def __call__(self, *family):
        if family not in self.known:
            child, parents = family
            rng = np.random.default_rng([self.seed, ord(child), *map(ord, parents)])
            impossible = parents and rng.random() < self.impossible
            self.known[family] = -math.inf if impossible else float(rng.normal(0, 2))
        return self.known[family]


def random_odds(seed, forbidden=0.1):
    rng = np.random.default_rng(seed)
    return np.where(rng.random((4, 4)) < forbidden, -math.inf, rng.normal(0, 2, (4, 4)))


def log_of_size(n, parents):
    return -math.log(math.comb(n - 1, parents))


CASES = {
    "odds": ([random_odds(1)], {"odds": random_odds(1)}),
    "weights": ([Weights(2)], {"weight": Weights(2)}),
    "all": (
        ["per-size", random_odds(3), Weights(4)],
        {"odds": random_odds(3), "weight": Weights(4), "size": log_of_size},
    ),
}


@pytest.mark.parametrize("over", ["dags", "orders"])
@pytest.mark.parametrize("most", [2, 3])
@pytest.mark.parametrize("case", CASES)
def test_posterior(case, most, over):
    given_prior, by_hand = CASES[case]
    plain = ds.local_scores(DATA, max_parents=most)
    post = ds.posterior(ds.local_scores(DATA, structure_prior=given_prior, max_parents=most), over, ancestors=True)
    total, edges, ancestors = posterior_of(weighted_dags(plain, **by_hand), over)
    bare, prior_edges, _ = posterior_of(weighted_dags(plain, data=False, **by_hand), over)
    assert post.log_total == pytest.approx(total, abs=1e-9)
    assert post.log_prior_total == pytest.approx(bare, abs=1e-9)
    assert post.log_evidence == pytest.approx(total - bare, abs=1e-9)
    assert np.abs(post.edges - edges).max() < 1e-11
    assert np.abs(post.ancestors - ancestors).max() < 1e-11
    alone = ds.posterior(ds.local_scores(DATA, structure_prior=given_prior, max_parents=most), over, prior=True)
    assert np.abs(alone.edges - prior_edges).max() < 1e-11
    assert alone.log_total == pytest.approx(bare, abs=1e-9)
    assert post.score_info.structure_prior == alone.score_info.structure_prior != "uniform"


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), scale=st.sampled_from([0.0, 0.3, 3.0, 30.0]))
def test_random_odds(seed, scale):
    odds = scale * np.random.default_rng(seed).normal(size=(4, 4))
    post = ds.posterior(ds.local_scores(DATA, structure_prior=odds))
    total, edges, _ = posterior_of(weighted_dags(PLAIN, odds=odds))
    assert post.log_total == pytest.approx(total, abs=1e-9)
    assert np.abs(post.edges - edges).max() < 1e-9


def test_a_posterior_from_a_table():
    scores = ds.local_scores(DATA, structure_prior=CASES["all"][0])
    families = {name: {tuple(f.parents): f.score for f in PLAIN.families(name)} for name in NAMES}
    table = ds.FamilyTable(families, structure_prior=CASES["all"][0])
    for options in ({}, {"over": "orders"}, {"prior": True}):
        one, other = ds.posterior(scores, **options), ds.posterior(table, **options)
        assert np.abs(one.edges - other.edges).max() < 1e-11
        assert one.log_prior_total == pytest.approx(other.log_prior_total, abs=1e-9)


def test_tiles_and_all_sets_agree():
    """A limit on parents makes a sum over orders by tiles; the same limit as part of the prior makes a dense one."""
    n, weights = 8, Weights(9)
    data = ds.Dataset.from_codes(np.random.default_rng(4).integers(0, 2, (30, n)), dict.fromkeys("abcdefgh", "01"))
    odds = np.random.default_rng(5).normal(size=(n, n))

    def few(child, parents):
        return weights(child, parents) if len(parents) <= 2 else -math.inf

    limited = ds.local_scores(data, structure_prior=[odds, weights], max_parents=2)
    dense = ds.local_scores(data, structure_prior=[odds, few])
    for options in ({"over": "orders"}, {"over": "orders", "prior": True}, {"over": "dags"}):
        one, other = ds.posterior(limited, **options), ds.posterior(dense, **options)
        assert np.abs(one.edges - other.edges).max() < 1e-9
        assert one.log_total == pytest.approx(other.log_total, abs=1e-8)
        assert one.log_prior_total == pytest.approx(other.log_prior_total, abs=1e-8)


@pytest.mark.parametrize("case", CASES)
def test_features(case):
    given_prior, by_hand = CASES[case]
    scores = ds.local_scores(DATA, structure_prior=given_prior)
    listed = [(dag, log) for dag, log, _ in weighted_dags(PLAIN, **by_hand)]
    highest = max(log for _, log in listed)
    total = sum(math.exp(log - highest) for _, log in listed)
    have = sum(math.exp(log - highest) for dag, log in listed if ("b", "a") in dag.edges)
    assert ds.feature_probability(scores, required=[("b", "a")]) == pytest.approx(have / total, abs=1e-10)


@pytest.mark.parametrize("case", CASES)
def test_the_best_networks(case):
    given_prior, by_hand = CASES[case]
    scores = ds.local_scores(DATA, structure_prior=given_prior)
    ranked = sorted((log for _, log, _ in weighted_dags(PLAIN, **by_hand)), reverse=True)
    best = ds.k_best(scores, 20, space="dags")
    assert np.allclose(best.scores, ranked[:20], atol=1e-9)
    assert ds.optimal_network(scores).score == pytest.approx(ranked[0], abs=1e-9)
    assert ds.modes(scores, k=1).scores[0] == pytest.approx(ranked[0], abs=1e-9)


@pytest.mark.parametrize("case", CASES)
def test_every_learner(case):
    given_prior, by_hand = CASES[case]
    every = {dag.parent_masks: log for dag, log, _ in weighted_dags(PLAIN, **by_hand)}
    for method in ("optimal", "order", "greedy", "tabu", "mmhc", "curriculum"):
        found = ds.learn(DATA, method, structure_prior=given_prior, settings="fixed")
        assert found.score == pytest.approx(every[found.network.parent_masks], abs=1e-9)
        if method in ("optimal", "order"):
            assert found.score == pytest.approx(max(every.values()), abs=1e-9)


def test_searches_of_classes_take_symmetric_odds():
    odds = random_odds(5, forbidden=0)
    for method in ("ges", "eq1"):
        found = ds.learn(DATA, method, structure_prior=odds + odds.T, settings="fixed")
        assert found.score == pytest.approx(
            ds.local_scores(DATA, structure_prior=odds + odds.T).network(found.network), abs=1e-9
        )


def test_searches_of_classes_take_impossible_edges():
    """What remains of log-odds with an impossible direction is the same for all members that are possible."""
    odds = {("d", "b"): -math.inf, ("b", "d"): 1.5, ("a", "c"): -1.0, ("c", "a"): -1.0}
    found = ds.learn(DATA, "ges", structure_prior=odds, settings="fixed")
    assert found.score == pytest.approx(ds.local_scores(DATA, structure_prior=odds).network(found.network), abs=1e-9)
    assert ("b", "d") in found.network.edges
    with pytest.raises(ds.InvalidOption, match="the structure prior distinguishes members"):
        ds.learn(DATA, "ges", structure_prior={("b", "d"): 1.5}, settings="fixed")


def test_a_strong_prior_decides_a_direction():
    pair = ds.Dataset.from_codes([[0, 0], [1, 1]] * 20, {"x": "01", "y": "01"})
    scores = ds.local_scores(pair, structure_prior={("x", "y"): 3.0})
    post = ds.posterior(scores)
    assert post.edge("x", "y") / post.edge("y", "x") == pytest.approx(math.exp(3.0))


def test_results_say_which_prior_they_used(tmp_path):
    boot = ds.bootstrap(DATA, samples=3, structure_prior=CASES["all"][0], workers=1)
    name = boot.score_info.structure_prior
    assert name.startswith("per-size + edge log-odds (sha ")
    boot.save(tmp_path / "boot.json")
    assert ds.load_result(tmp_path / "boot.json").score_info.structure_prior == name
    assert boot.provenance.parameters["scores"]["structure_prior"] == name


def test_workers_must_be_able_to_import_a_function():
    def local(child, parents):
        return -0.5 * len(parents)

    alone = ds.bootstrap(DATA, samples=2, structure_prior=local)
    assert ds.bootstrap(DATA, samples=2, structure_prior=["uniform", local], workers=1) == alone
    with pytest.raises(ds.InvalidOption, match="cannot import: define it in a module, or use workers=1"):
        ds.bootstrap(DATA, samples=2, structure_prior=["uniform", local], workers=2)
    assert ds.bootstrap(DATA, samples=2, structure_prior=Weights(1), workers=2).samples == 2


def test_a_study_compares_general_priors():
    odds = random_odds(6, forbidden=0)
    study = ds.sensitivity(DATA, ess=1, max_parents=None, structure_prior=["uniform", odds, ["per-size", odds]])
    for setting, prior in zip(study.settings, ["uniform", odds, ["per-size", odds]], strict=True):
        post = ds.posterior(ds.local_scores(DATA, structure_prior=prior))
        assert setting.log_evidence == pytest.approx(post.log_evidence, abs=1e-9)
        assert setting.structure_prior == post.score_info.structure_prior
    assert not study.score_info.equivalent_prior
    assert len(ds.sensitivity(DATA, ess=1, max_parents=None, structure_prior=odds).settings) == 1


def test_plans_take_general_priors():
    plan = ds.plan(DATA, structure_prior=["per-size", Weights(4)])
    assert plan.provenance.parameters["structure_prior"].startswith("per-size + family weights Weights")


def test_checkpoints_tell_priors_apart(tmp_path):
    for odds in (random_odds(1), random_odds(2)):
        scores = ds.local_scores(DATA, structure_prior=odds)
        saved = ds.posterior(scores, checkpoint=tmp_path, checkpoint_seconds=0)
        assert saved == ds.posterior(scores)
