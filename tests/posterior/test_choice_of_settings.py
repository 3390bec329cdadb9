"""The choice of settings: what users give, limits by rows, time limits, progress, ways of cutting, and orders."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.core.clock import Clock
from dagscape.core.resources import Budget
from dagscape.posterior.evidence import AVERAGED_PRIORS, AVERAGED_SIZES, averaged_grids, best_of, job_of_best
from dagscape.posterior.grids import limit_by_rows
from dagscape.posterior.weighing import weighed_settings
from oracles.graphs import all_dags
from oracles.local_scores import bdeu

BUDGET = Budget.of(1, None)
REQUIRED = [("v0", "v4"), ("v1", "v4"), ("v2", "v4")]


def few_rows() -> ds.Dataset:
    """Twenty-five rows of five coins: at most two parents by the number of rows."""
    return ds.Dataset.from_array(np.random.default_rng(1).integers(0, 2, (25, 5)), [f"v{i}" for i in range(5)])


def wide() -> ds.Dataset:
    return ds.Dataset.from_array(np.random.default_rng(2).integers(0, 2, (200, 20)), [f"v{i}" for i in range(20)])


def log_evidence(data, ess, penalty, allowed):
    """The log evidence for a setting, from the DAGs that are allowed, one by one."""
    rows = [tuple(int(cell) for cell in row) for row in data.to_frame().itertuples(index=False)]
    names = data.variables
    logs, priors = [], []
    for dag in all_dags(data.n):
        families = [tuple(dag.variables.index(parent) for parent in dag.parents(name)) for name in dag.variables]
        if not allowed({(names[u], names[v]) for v, family in enumerate(families) for u in family}):
            continue
        priors.append(-penalty * sum(map(len, families)))
        scores = [bdeu(rows, data.arities.tolist(), v, family, ess) for v, family in enumerate(families)]
        logs.append(priors[-1] + sum(scores))
    return np.logaddexp.reduce(logs) - np.logaddexp.reduce(priors)


def test_the_evidence_is_that_of_the_networks_that_constraints_and_priors_allow():
    data = ds.Dataset.from_array(np.random.default_rng(3).integers(0, 2, (40, 4)), ["a", "b", "c", "d"])
    options = {"required": [("a", "b")], "forbidden": [("c", "d")], "max_parents": 2}
    [grid] = averaged_grids(data, {**options, "ess": 2.0})

    def allowed(edges):
        most = max(sum(child == name for _, child in edges) for name in data.variables)
        return ("a", "b") in edges and ("c", "d") not in edges and most <= 2

    found = [setting.log_evidence for setting in weighed_settings([grid], "dags", BUDGET, None)]
    penalties = [0.0, *(float(name.partition(":")[2]) for name in AVERAGED_PRIORS[1:])]
    assert found == pytest.approx([log_evidence(data, 2.0, penalty, allowed) for penalty in penalties], abs=1e-9)
    # A prior that gives edges no probability does the same as forbidding them.
    odds = {("c", "d"): -np.inf}
    one = ds.posterior(data, structure_prior=odds, ess=2.0, max_parents=None)
    assert one.log_evidence == pytest.approx(
        log_evidence(data, 2.0, 0.0, lambda edges: ("c", "d") not in edges), abs=1e-9
    )


def test_evidence_leaves_out_rows_that_set_a_variable():
    data = ds.Dataset.from_array(np.random.default_rng(4).integers(0, 2, (60, 3)), ["a", "b", "c"])
    targets = ["a" if row < 20 else "" for row in range(60)]
    frame = data.to_frame().astype(str).assign(target=targets)
    trial = ds.Dataset.from_frame(frame, interventions="target")
    post = ds.posterior(trial)
    alone = [
        ds.posterior(ds.local_scores(trial, ess=ess, structure_prior=prior, max_parents=setting.max_parents))
        for setting, (ess, prior) in zip(post.settings, itertools.product(AVERAGED_SIZES, AVERAGED_PRIORS), strict=True)
    ]
    logs = np.array([each.log_evidence for each in alone])
    assert [setting.log_evidence for setting in post.settings] == pytest.approx(logs, abs=1e-9)
    shares = np.exp(logs - np.logaddexp.reduce(logs))
    assert post.edges == pytest.approx(sum(s * each.edges for s, each in zip(shares, alone, strict=True)), abs=1e-9)
    assert not post.score_info.score_equivalent


def test_required_edges_raise_the_limit_by_rows():
    data = few_rows()
    assert limit_by_rows(data) == {"max_parents": 2}
    assert limit_by_rows(data, REQUIRED) == {"max_parents": 3}
    assert limit_by_rows(data, [*REQUIRED, ("v3", "v4")]) == {}
    assert limit_by_rows(data, [1, 2]) == {"max_parents": 2}
    assert ds.learn(data, required=REQUIRED).score_info.max_parents == 3
    assert ds.posterior(data, required=REQUIRED).settings[0].max_parents == 3
    assert ds.optimal_network(data, required=REQUIRED).score_info.max_parents == 3
    study = ds.sensitivity(data, ess=1.0, structure_prior="uniform", required=REQUIRED)
    assert [setting.max_parents for setting in study.settings] == [3, 4]
    with pytest.raises(ds.InvalidOption, match="'v4' has 3 required parents, but max_parents is 2"):
        ds.learn(data, required=REQUIRED, max_parents=2)


def test_a_start_raises_the_limit_by_rows():
    data = few_rows()
    start = ds.Dag.from_edges(data.variables, REQUIRED)
    assert ds.learn(data, start=start).score_info.max_parents == 3
    assert ds.chain(data, draws=1000, start=start).score_info.max_parents == 3
    assert ds.bootstrap(data, samples=2, workers=1, start=start).score_info.max_parents == 3
    with pytest.raises(ds.InvalidOption, match="start has 3 parents of 'v4', but max_parents is 2"):
        ds.learn(data, start=start, max_parents=2)


@pytest.mark.parametrize("function", [ds.learn, ds.posterior, ds.k_best, ds.optimal_network, ds.bootstrap])
def test_constraints_may_be_iterators(function):
    more = {"samples": 2, "workers": 1} if function is ds.bootstrap else {}
    given = {"required": iter(REQUIRED), "forbidden": iter([("v0", "v1")]), "tiers": iter([iter(["v2"]), ["v3"]])}
    found = function(few_rows(), **given, **more)
    assert set(found.score_info.required) == set(REQUIRED)
    assert {("v0", "v1"), ("v3", "v2")} <= set(found.score_info.forbidden)


def test_none_is_not_given():
    data = few_rows()
    expected = ds.posterior(data)
    assert np.array_equal(ds.posterior(data, ess=None, structure_prior=None).edges, expected.edges)
    assert ds.posterior(data, max_parents=None).settings[0].max_parents == 4


def test_randomised_variables_of_wide_tables():
    found = ds.learn(wide(), randomised=["v3"])
    assert found.score_info.randomised == ("v3",)
    assert "in 6 parts of the columns" in found.score_info.choice
    assert not found.network.parents("v3")


def test_a_time_limit_ends_the_choice_after_one_part():
    with pytest.warns(ds.StoppedEarly):
        found = ds.learn(wide(), max_seconds=1e-9)
    assert "in 1 of 6 parts of the columns, for lack of time" in found.score_info.choice
    assert "for lack of time" not in best_of(wide(), {}, BUDGET, clock=Clock(1e9)).words
    job = job_of_best(few_rows(), {}, BUDGET, clock=Clock(1e-9))
    assert job.choice.startswith("the highest evidence of 16 settings, with a share of ")


@pytest.mark.parametrize(
    "work",
    [
        lambda listener: ds.learn(wide(), progress=listener),
        lambda listener: ds.posterior(few_rows(), forbidden=[("v0", "v1")], compelled=True, progress=listener),
        lambda listener: ds.posterior(few_rows(), via="all", progress=listener),
        lambda listener: ds.sensitivity(few_rows(), forbidden=[("v0", "v1")], progress=listener),
        lambda listener: ds.k_best(few_rows(), 2, forbidden=[("v0", "v1")], progress=listener),
    ],
)
def test_progress_never_falls(work):
    heard: dict[str, list[ds.Progress]] = {}
    work(lambda progress: heard.setdefault(progress.task, []).append(progress))
    for reports in heard.values():
        done = [report.done for report in reports]
        assert done == sorted(done)
        assert len({report.total for report in reports}) == 1
        assert done[-1] == reports[-1].total or "Searching" in reports[-1].task


def test_chains_that_are_asked_for_need_no_reason(caplog):
    caplog.set_level("INFO", logger="dagscape.method")
    ds.posterior(few_rows(), method="chain", draws=1000)
    ds.posterior(ds.local_scores(few_rows()), method="chain", draws=1000)
    assert not caplog.messages


def test_what_does_not_fit_is_refused_before_settings_are_chosen():
    seen: list[ds.Progress] = []
    with pytest.raises(ds.TooLarge):
        ds.k_best(wide(), 3, max_memory="1MiB", max_parents=None, progress=seen.append)
    assert not seen


def test_ways_of_cutting_keep_fixed_settings_and_the_words_of_the_choice():
    rng = np.random.default_rng(5)
    dose = rng.normal(size=150)
    frame = pd.DataFrame({"dose": dose, "effect": dose + rng.normal(size=150), "age": rng.normal(size=150)})
    ways = ["quantile:2", "quantile:4"]
    for weights in ("equal", "evidence"):
        fixed = ds.posterior(frame, discretize=ways, cut_weights=weights, settings="fixed")
        assert fixed.score_info.parameters == {"ess": 1.0}
        assert fixed.score_info.structure_prior == "uniform"
        assert fixed.score_info.choice == ""
        best = ds.posterior(frame, discretize=ways, cut_weights=weights, settings="best")
        count = 32 if weights == "evidence" else 16
        assert best.score_info.choice.startswith(f"the highest evidence of {count} settings, with a share of ")
    drawn = ds.posterior(frame, discretize=ways, method="chain", draws=1000)
    assert drawn.score_info.choice.startswith("the highest evidence of 16 settings")


@pytest.mark.parametrize("over", ["dags", "orders"])
def test_the_evidence_is_that_of_the_sum(over):
    data = few_rows()
    limit = limit_by_rows(data)
    grid = [{"ess": ess, "structure_prior": prior} for ess in AVERAGED_SIZES for prior in AVERAGED_PRIORS]
    logs = [ds.posterior(ds.local_scores(data, **setting, **limit), over).log_evidence for setting in grid]
    best = grid[int(np.argmax(logs))]
    for found in (ds.posterior(data, over, settings="best"), ds.sample_dags(data, 5, over=over)):
        assert found.score_info.parameters == {"ess": best["ess"]}
        assert found.score_info.structure_prior == best["structure_prior"]
        share = np.exp(max(logs) - np.logaddexp.reduce(logs))
        assert f"with a share of {share:.2f}" in found.score_info.choice


def test_each_way_of_cutting_has_its_own_limit_by_rows():
    rng = np.random.default_rng(6)
    frame = pd.DataFrame(rng.normal(size=(100, 6)), columns=list("abcdef"))
    post = ds.posterior(frame, discretize=["quantile:5", "quantile:2"])
    assert {(setting.discretize, setting.max_parents) for setting in post.settings} == {
        ("quantile:5", 2),
        ("quantile:2", 4),
    }
    best = ds.posterior(frame, discretize=["quantile:5", "quantile:2"], cut_weights="evidence", settings="best")
    assert best.score_info.max_parents == (2 if 5 in best.score_info.level_counts else 4)
    assert best.score_info.choice.startswith("the highest evidence of 32 settings")


@pytest.mark.parametrize(("score", "columns"), [("bge", 24), ("cg", 23), ("dg-bge", 25)])
def test_degrees_of_freedom_are_those_of_the_same_prior_in_parts(score, columns):
    rng = np.random.default_rng(1)
    values = rng.normal(size=(30, 24))
    values[:, 1:] += 0.9 * values[:, :-1]
    frame = pd.DataFrame(values, columns=[f"v{i}" for i in range(24)])
    if score != "bge":
        frame["v0"] = np.array(["a", "b", "c"])[np.digitize(values[:, 0], [-0.4, 0.4])]
    given = [ds.learn(frame, "greedy", score=score, max_parents=2, alpha_w=alpha) for alpha in ("n+2", columns + 2.0)]
    assert given[0].score_info.structure_prior == given[1].score_info.structure_prior
    assert given[0].network == given[1].network
