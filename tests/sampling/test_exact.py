"""Exact and independent samples of networks."""

from __future__ import annotations

import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core import kernels
from dagscape.posterior.accuracy import SampleLoss, dag_sample_error
from dagscape.posterior.weights import dense_weights
from dagscape.sampling import exact
from oracles.high_precision import forward_in_50_digits
from oracles.samples import chi_square_deviate, dag_probabilities, deviations

# A right sampler exceeds this deviate in one of 4000 cases; seeds are fixed.
FAR_OFF = 3.5

OVER = pytest.mark.parametrize("over", ["dags", "orders"])


def related(n: int, rows: int, seed: int = 0) -> ds.Dataset:
    """Each column depends on those before it."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, rows)]
    for _ in range(n - 1):
        source = columns[rng.integers(len(columns))]
        columns.append(np.where(rng.random(rows) < 0.3, rng.integers(0, 3, rows), source))
    return ds.Dataset.from_array(np.column_stack(columns), [f"v{i}" for i in range(n)], keep_constant=True)


def experiments(n: int) -> ds.Dataset:
    """The first two variables were set in some rows, which tells the direction between them."""
    rng = np.random.default_rng(5)
    table, marks = rng.integers(0, 2, (60, n)), np.zeros((60, n), dtype=bool)
    marks[:40, 0], marks[40:, 1] = rng.random(40) < 0.5, rng.random(20) < 0.5
    follows = ~marks[:, 1] & (rng.random(60) < 0.6)
    table[follows, 1] = table[follows, 0]
    return ds.Dataset.from_array(table, interventions=marks)


def near_copies(n: int, rows: int) -> ds.Dataset:
    """Columns that are functions of others, up to a few rows."""
    rng = np.random.default_rng(3)
    table = rng.integers(0, 2, (rows, n))
    for i in range(1, n):
        wrong = rng.random(rows) < 1e-4
        if i % 3 == 0:
            table[:, i] = (table[:, i - 1] & table[:, i - 2]) ^ wrong
        elif i % 3 == 1:
            table[:, i] = table[:, i - 1] ^ wrong
    return ds.Dataset.from_array(table)


SCORES = {
    "BDeu": lambda n: ds.local_scores(related(n, 30)),
    "few rows": lambda n: ds.local_scores(related(n, 4)),
    "one row, all DAGs alike": lambda n: ds.local_scores(related(n, 1)),
    "at most one parent": lambda n: ds.local_scores(related(n, 30), max_parents=1),
    "required": lambda n: ds.local_scores(related(n, 30), required=[("v1", "v0")]),
    "forbidden": lambda n: ds.local_scores(related(n, 30), forbidden=[("v0", "v1"), ("v2", "v1")]),
    "tiers": lambda n: ds.local_scores(related(n, 30), tiers=[["v1"], ["v0", *(f"v{i}" for i in range(2, n))]]),
    "per size": lambda n: ds.local_scores(related(n, 30), structure_prior="per-size"),
    "edge penalty": lambda n: ds.local_scores(related(n, 30), structure_prior="edge-penalty:0.7"),
    "K2": lambda n: ds.local_scores(related(n, 30), score="k2"),
    "likelihood": lambda n: ds.local_scores(related(n, 10), score="aic"),
}


@pytest.mark.slow
@OVER
@pytest.mark.parametrize("name", SCORES)
def test_every_dag_on_three_variables_is_as_frequent_as_it_should(name, over):
    scores = SCORES[name](3)
    drawn = ds.sample_dags(scores, 40_000, over, seed=1, threads=1)
    assert chi_square_deviate(drawn, dag_probabilities(scores, over)) < FAR_OFF


@pytest.mark.slow
@OVER
@pytest.mark.parametrize("name", SCORES)
def test_every_dag_on_four_variables_is_as_frequent_as_it_should(name, over):
    scores = SCORES[name](4)
    drawn = ds.sample_dags(scores, 40_000, over, seed=2)
    assert chi_square_deviate(drawn, dag_probabilities(scores, over)) < FAR_OFF


@pytest.mark.slow
@OVER
def test_networks_from_experiments(over):
    scores = ds.local_scores(experiments(3))
    drawn = ds.sample_dags(scores, 40_000, over, seed=4, threads=1)
    assert chi_square_deviate(drawn, dag_probabilities(scores, over)) < FAR_OFF


def test_weights_of_any_kind():
    """Families at random, some impossible, whose weights differ by hundreds of nats."""
    rng = np.random.default_rng(8)
    names = ("a", "b", "c")
    for spread in (1.0, 800.0):
        table = {}
        for child in names:
            others = [name for name in names if name != child]
            sets = [(), (others[0],), (others[1],), tuple(others)]
            table[child] = {
                parents: float(-spread * rng.random()) for parents in sets if rng.random() < 0.8 or not parents
            }
        scores = ds.FamilyTable(table, complete=True)
        for over in ("dags", "orders"):
            drawn = ds.sample_dags(scores, 20_000, over, seed=3, threads=1)
            assert chi_square_deviate(drawn, dag_probabilities(scores, over)) < FAR_OFF


def path_shares(drawn: ds.SampledNetworks) -> np.ndarray:
    """The share of the samples with a path from one variable through a second to a third."""
    n = len(drawn.variables)
    shares = np.zeros((n, n, n))
    for dag in drawn:
        above = np.array([[mask >> s & 1 for mask in dag.ancestor_masks()] for s in range(n)])
        shares += above[:, :, None] * above[None, :, :]
    return shares / len(drawn)


def agrees(drawn: ds.SampledNetworks, post: ds.Posterior) -> None:
    """99 % of all features are within 3 Monte Carlo errors of the exact posterior, and all within 5."""
    found = [deviations(drawn.edges, post.edges, len(drawn))]
    if post.ancestors is not None:
        found.append(deviations(drawn.ancestors, post.ancestors, len(drawn)))
    if post.paths is not None:
        found.append(deviations(path_shares(drawn), post.paths, len(drawn)))
    for off in found:
        assert np.mean(off < 3) >= 0.99
        assert np.all(off < 5)


@pytest.mark.slow
def test_features_of_tic_tac_toe():
    scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    agrees(ds.sample_dags(scores, 10_000, seed=5), ds.posterior(scores))
    agrees(ds.sample_dags(scores, 10_000, "orders", seed=5), ds.posterior(scores, "orders", ancestors=True))


@pytest.mark.slow
def test_paths():
    scores = ds.local_scores(ds.load_network("asia").sample(300, seed=1))
    agrees(ds.sample_dags(scores, 2000, seed=6), ds.posterior(scores, via="all"))


@pytest.mark.slow
def test_nearly_deterministic_data():
    """Weights span tens of thousands of nats, and 10^5 rows make most families hopeless."""
    scores = ds.local_scores(near_copies(11, 100_000))
    drawn = ds.sample_dags(scores, 4000, seed=7)
    assert drawn.error < 1e-6
    agrees(drawn, ds.posterior(scores))
    agrees(ds.sample_dags(scores, 4000, "orders", seed=7), ds.posterior(scores, "orders"))


@pytest.mark.slow
@pytest.mark.parametrize("score", ["bdeu", "aic"])
def test_few_rows_of_many_variables(score):
    """Dense networks of few rows: many variables are known to be no sinks, and families have many parents."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ds.DagscapeWarning)
        scores = ds.local_scores(related(13, 12), score=score)
        agrees(ds.sample_dags(scores, 4000, seed=8), ds.posterior(scores))
        agrees(ds.sample_dags(scores, 4000, "orders", seed=8), ds.posterior(scores, "orders"))


@pytest.mark.slow
@pytest.mark.parametrize("rows", [20, 2000])
def test_orders_with_few_parents_come_from_lists(rows):
    scores = ds.local_scores(related(14, rows), max_parents=2, forbidden=[("v3", "v5")], required=[("v2", "v9")])
    drawn = ds.sample_dags(scores, 4000, "orders", seed=10)
    agrees(drawn, ds.posterior(scores, "orders"))
    assert all(len(dag.parents("v9")) <= 2 and "v2" in dag.parents("v9") for dag in drawn.networks[:100])


@pytest.mark.slow
@OVER
@given(st.integers(1, 7), st.integers(0, 10**6))
@settings(max_examples=25)
def test_scores_are_those_of_the_networks(over, n, seed):
    scores = ds.local_scores(related(n, 20, seed))
    drawn = ds.sample_dags(scores, 5, over, seed=seed, threads=1)
    assert drawn.scores.tolist() == [pytest.approx(scores.network(dag), abs=1e-6) for dag in drawn]
    assert ds.SampledNetworks.from_dict(drawn.to_dict()) == drawn


@pytest.mark.parametrize(("over", "limit"), [("dags", None), ("orders", None), ("orders", 2)])
def test_samples_depend_on_their_seed_alone(over, limit):
    scores = ds.local_scores(related(11, 25), max_parents=limit)
    first = ds.sample_dags(scores, 100, over, seed=3, threads=1)
    for threads, count, memory in ((3, 100, None), (2, 40, None), (1, 100, "60MiB")):
        other = ds.sample_dags(scores, count, over, seed=3, threads=threads, max_memory=memory)
        assert other.networks.parents.tolist() == first.networks.parents[:count].tolist()
        assert other.scores.tolist() == first.scores[:count].tolist()
    assert ds.sample_dags(scores, 100, over, seed=4).networks.parents.tolist() != first.networks.parents.tolist()
    assert first.provenance.seed == 3
    assert [*first.provenance.seconds] == ["sums", "samples"]


def test_a_generator_gives_other_samples_each_time():
    scores, rng = ds.local_scores(related(4, 20)), np.random.default_rng(1)
    one, two = (ds.sample_dags(scores, 50, seed=rng) for _ in range(2))
    assert one.networks.parents.tolist() != two.networks.parents.tolist()
    assert one.provenance.seed is None


def test_missing_families_and_too_many_states_are_warned_of():
    incomplete = ds.FamilyTable({"a": {(): -1.0}, "b": {(): -1.0}}, complete=False)
    with pytest.warns(ds.IncompleteScores, match="probabilities are relative to the remaining structures"):
        assert ds.sample_dags(incomplete, 3).warnings
    copies = np.repeat(np.random.default_rng(0).integers(0, 5, (6, 1)), 5, axis=1)
    required = [(f"X{i}", "X4") for i in range(4)]
    sparse = ds.local_scores(ds.Dataset.from_array(copies), required=required)
    with pytest.warns(ds.SparseFamilies):
        ds.sample_dags(sparse, 50)


def test_lost_digits_are_warned_of(monkeypatch):
    monkeypatch.setattr(exact, "LARGE_ERROR", 0.0)
    with pytest.warns(ds.LostPrecision, match=r"drawn have an error of about .*: use over='orders', where nothing"):
        ds.sample_dags(ds.local_scores(related(4, 20)), 5)


def test_wrong_arguments_are_named():
    scores = ds.local_scores(related(3, 20))
    with pytest.raises(ds.InvalidOption, match="samples is 0; it must be an integer of at least 1"):
        ds.sample_dags(scores, 0)
    with pytest.raises(ds.InvalidOption, match="over is 'dag'; it must be one of 'dags', 'orders'; did you mean"):
        ds.sample_dags(scores, over="dag")
    with pytest.raises(ds.TooLarge, match=r"samples of networks of 3 variables need .*; the limit is 1\.0 KiB"):
        ds.sample_dags(scores, max_memory="1KiB")


def table_error(data: ds.Dataset) -> tuple[float, float]:
    """The largest relative error of H, and the error that is assumed for it."""
    scores = ds.local_scores(data)
    weights = dense_weights(scores, scores.n, False)
    dags = kernels.DagSum(weights.values, scores.unit.bits, 1)
    dags.run_until(dags.forward_steps)
    table = np.empty((2, 1 << scores.n))
    dags.copy_forward(table)
    exact_table = forward_in_50_digits(weights.values, scores.unit.bits)
    with mpmath.workdps(50):
        found = max(
            float(abs(mpmath.ldexp(mantissa, int(exponent)) / true - 1))
            for mantissa, exponent, true in zip(*table, exact_table, strict=True)
        )
    return found, dag_sample_error(scores.n, SampleLoss(1.0, 0.0, 0.0), 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [1, 40, 3000])
def test_the_assumed_error_of_the_table_is_larger_than_the_true_one(rows):
    found, assumed = table_error(related(8, rows))
    assert found <= assumed / 4
