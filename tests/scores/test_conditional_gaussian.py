"""Conditional Gaussian scores against 50 digits, published values, predictions row by row, and in all methods."""

from __future__ import annotations

import hashlib
import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

import dagscape as ds
from dagscape.core import kernels
from dagscape.scores.definitions.conditional_kernels import OpenSets
from dagscape.scores.scoring_job import prepare
from oracles.conditional_gaussian import (
    conditional_bic,
    conditional_gaussian,
    exact_conditional_bic,
    exact_mean,
    exact_variance,
)
from oracles.gaussian import student_predictions
from oracles.graphs import all_dags
from oracles.posterior import posterior as summed

both = pytest.mark.parametrize("score", ["cg", "bic-cg"])


def table(rows: int = 60, seed: int = 1) -> pd.DataFrame:
    """Two discrete and two measured columns, each depending on the one before."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, rows)
    answer = np.where(rng.random(rows) < 0.8, group == 1, rng.random(rows) < 0.5)
    size = rng.normal(size=rows) + group
    weight = 2.5 * rng.normal(size=rows) + 2 * size * answer - 3 * answer + 40
    names = {"group": np.array(["x", "y", "z"])[group], "answer": np.where(answer, "yes", "no")}
    return pd.DataFrame({"group": names["group"], "size": size, "answer": names["answer"], "weight": weight})


def of(frame: pd.DataFrame, **options) -> ds.MixedData:
    return ds.MixedData.from_frame(frame, nominal=["group", "answer"], numeric=["size", "weight"], **options)


def subsets(members):
    return itertools.chain.from_iterable(itertools.combinations(members, k) for k in range(len(members) + 1))


def families(data: ds.MixedData):
    """All families without a measured parent of a discrete variable."""
    for child in range(data.n):
        for parents in subsets([u for u in range(data.n) if u != child]):
            if not data.level_counts[child] or all(data.level_counts[u] for u in parents):
                yield child, list(parents)


def ruled_dags(data: ds.MixedData) -> list[ds.Dag]:
    """All networks without an edge from a measured to a discrete variable."""
    measured = sum(1 << v for v, levels in enumerate(data.level_counts) if not levels)
    discrete = [v for v, levels in enumerate(data.level_counts) if levels]
    masks = (dag.parent_masks for dag in all_dags(data.n))
    return [ds.Dag(data.variables, of) for of in masks if not any(of[v] & measured for v in discrete)]


def test_values_of_bnlearn(shared_data):
    """As bnlearn 4.9.4 prints them: the conditional Gaussian BIC of a network of 45 parameters."""
    frame = pd.read_csv(shared_data / "continuous" / "clgaussian_300.csv")
    data = ds.MixedData.from_frame(frame, nominal=["A", "B", "C", "F"])
    network = {"A": "", "C": "", "H": "", "D": "AH", "F": "C", "B": "F", "E": "BD", "G": "ADEF"}
    scores = ds.local_scores(data, score="bic-cg")
    found = sum(scores.family(child, list(parents)) for child, parents in network.items())
    assert found == pytest.approx(-1315.55821231, abs=6e-9)
    assert found + 45 * math.log(300) / 2 == pytest.approx(-1187.22310663, abs=6e-9)


CASES = {
    "plain": table(),
    "large and tiny units": table().assign(size=table()["size"] * 1e150, weight=table()["weight"] * 1e-150),
    "far from zero": table().assign(size=table()["size"] * 1e-3 + 1e6),
    "collinear": table().assign(weight=3 - 2 * table()["size"]),
    "constant in a cell": table().assign(size=np.where(table()["group"] == "x", 5.0, table()["size"])),
    "whole numbers": table().round(),
    "seven rows": table(7, 5),
}


def assert_rounding_holds(data: ds.MixedData, **options) -> None:
    scores = ds.local_scores(data, score="cg", **options)
    values = {members: conditional_gaussian(data, list(members), **options) for members in subsets(range(data.n))}
    for child, parents in families(data):
        with mp.workdps(50):
            found = mp.mpf(scores.family_exact(child, frozenset(parents))) / 2**scores.unit.bits
            exact = values[tuple(sorted([*parents, child]))] - values[tuple(parents)]
            assert abs(found - exact) <= scores.rounding
    assert scores.rounding < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore::dagscape.FewRows")
def test_the_stated_rounding_covers_the_truth(case):
    assert_rounding_holds(of(CASES[case]))


def test_the_prior_can_be_chosen():
    data = of(table(30))
    assert_rounding_holds(data, ess=3.5, nu=0.5)
    plain = conditional_gaussian(data, [0, 1, 3], ess=2.0, alpha_mu=0.5, freedom=4, scale="none")
    plain -= conditional_gaussian(data, [0, 3], ess=2.0, alpha_mu=0.5, freedom=4, scale="none")
    scores = ds.local_scores(data, score="cg", ess=2.0, alpha_mu=0.5, alpha_w=6.0, scale="none")
    assert scores.family("size", ["group", "weight"]) == pytest.approx(float(plain), abs=1e-9)


def test_a_complete_network_predicts_row_by_row():
    """In each cell, a product of Student t distributions; the counts of the cells have a Dirichlet distribution."""
    data = of(table(25))
    scores = ds.local_scores(data, score="cg")
    network = {"group": [], "answer": ["group"], "size": ["group", "answer"], "weight": ["group", "answer", "size"]}
    found = sum(scores.family(child, parents) for child, parents in network.items())
    measured, codes = data.values[:, [1, 3]], data.values[:, [0, 2]]
    prior, nu = measured.var(axis=0, ddof=1) / 2, measured.mean(axis=0)
    seen: dict[tuple[float, ...], int] = {}
    expected = 0.0
    for place, state in enumerate(map(tuple, codes)):
        seen[state] = seen.get(state, 0) + 1
        expected += math.log((seen[state] - 1 + 1 / 6) / (place + 1))
    for state in seen:
        expected += student_predictions(measured[(codes == state).all(axis=1)], prior, 2, 1, nu)
    assert found == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("rows", [12, 40, 200])
def test_the_bic_is_that_of_regressions_in_cells(rows):
    data = of(table(rows, 4))
    scores = ds.local_scores(data, score="bic-cg")
    found = [scores.family(child, parents) for child, parents in families(data)]
    expected = [conditional_bic(data, child, parents) for child, parents in families(data)]
    assert found == pytest.approx(expected, abs=1e-8)
    assert math.isinf(min(found)) == (rows < 200)


@pytest.mark.parametrize("scale", [1.0, 2.0**400, 2.0**-400])
def test_the_stated_rounding_of_the_bic_covers_the_truth(scale):
    """Numbers of few binary digits are not rounded before they are scored."""
    frame = table(200)
    frame["size"] = np.round(frame["size"] * 16) / 16 * scale
    frame["weight"] = np.round(frame["weight"] * 2**20) / 2**20 + 2.0**12
    data = of(frame)
    scores = ds.local_scores(data, score="bic-cg")
    values = {members: exact_conditional_bic(data, list(members)) for members in subsets(range(4))}
    for child, parents in families(data):
        with mp.workdps(50):
            found = mp.mpf(scores.family_exact(child, frozenset(parents))) / 2**scores.unit.bits
            assert abs(found - (values[tuple(sorted([*parents, child]))] - values[tuple(parents)])) <= scores.rounding
    assert scores.rounding < 1e-8


@pytest.mark.parametrize(("score", "digest"), [("cg", "143c774d1b12f729"), ("bic-cg", "3d2d756011800cf3")])
def test_the_integers_are_the_same_on_every_platform(score, digest):
    scores = ds.local_scores(ds.read_data("builtin:iris", kind="mixed"), score=score)
    assert hashlib.sha256(scores.tables[0].astype("<i8").tobytes()).hexdigest()[:16] == digest


def test_the_bic_has_no_limit_where_columns_depend_on_each_other_in_a_cell():
    """Such families are impossible, and others are not."""
    collinear = table(200)
    collinear["weight"] = np.where(collinear["group"] == "x", 3 - 2 * collinear["size"], collinear["weight"])
    scores = ds.local_scores(of(collinear), score="bic-cg")
    assert scores.family("weight", ["group", "size"]) == -np.inf
    assert scores.family("weight", ["group", "size", "answer"]) == -np.inf
    assert np.isfinite(scores.family("weight", ["size"]))
    assert np.isfinite(scores.family("weight", ["group"]))
    constant = table(200).assign(size=lambda frame: np.where(frame["answer"] == "no", 5.0, frame["size"]))
    scores = ds.local_scores(of(constant), score="bic-cg")
    assert scores.family("size", ["answer"]) == -np.inf
    assert scores.family("weight", ["answer", "size"]) == -np.inf
    assert np.isfinite(scores.family("weight", ["size"]))
    demand = ds.family_scores(of(constant), score="bic-cg")
    assert demand.additions_exact("size").tolist() == scores.additions_exact("size").tolist()
    assert np.isfinite(ds.posterior(scores).edges).all()
    assert ds.learn(of(constant), "greedy", score="bic-cg", settings="fixed").score > -np.inf


def test_the_bic_of_tables_in_which_cells_are_small_has_only_smaller_families():
    frame = table(40).assign(serial=np.arange(40) // 2)
    data = ds.MixedData.from_frame(frame, nominal=["group", "answer", "serial"], numeric=["size", "weight"])
    scores = ds.local_scores(data, score="bic-cg")
    assert np.isfinite(scores.family("size", ["serial"]))
    assert scores.family("weight", ["serial", "size"]) == -np.inf
    assert scores.family("size", ["serial", "answer"]) == -np.inf
    assert ds.optimal_network(scores).score > -np.inf


def test_states_without_rows_pay_for_their_parameters_under_the_bic_only():
    declared = of(table(200), levels={"group": ["x", "y", "z", "never"]})
    plain, more = (ds.local_scores(data, score="bic-cg") for data in (of(table(200)), declared))
    charged = plain.family("weight", ["group", "size"]) - more.family("weight", ["group", "size"])
    assert charged == pytest.approx(3 * math.log(200) / 2, abs=1e-8)
    plain, more = (ds.local_scores(data, score="cg") for data in (of(table(200)), declared))
    assert plain.family("weight", ["group", "size"]) == pytest.approx(
        more.family("weight", ["group", "size"]), abs=1e-9
    )


def test_measured_data_have_the_scores_of_bge_and_bic_g():
    numbers = ds.NumericData.from_frame(table()[["size", "weight"]].assign(other=np.arange(60) % 7))
    for mixed, measured in (("cg", "bge"), ("bic-cg", "bic-g")):
        found, expected = ds.local_scores(numbers, score=mixed), ds.local_scores(numbers, score=measured)
        assert found.unit == expected.unit
        assert [t.tolist() for t in found.tables] == [t.tolist() for t in expected.tables]
        assert found.info.rule == ""


def test_discrete_data_have_the_scores_of_bdeu_and_bic():
    levels = ds.Dataset.from_frame(table()[["group", "answer"]])
    for mixed, discrete in (("cg", "bdeu"), ("bic-cg", "bic")):
        found, expected = ds.local_scores(levels, score=mixed), ds.local_scores(levels, score=discrete)
        assert found.unit == expected.unit
        assert [t.tolist() for t in found.tables] == [t.tolist() for t in expected.tables]
    assert ds.local_scores(levels, score="cg", ess=5).family("group") == pytest.approx(
        ds.local_scores(levels, ess=5).family("group"), abs=1e-9
    )


def test_a_variable_of_one_level_makes_no_difference():
    """One cell of all rows has the value of BGe."""
    frame = table().assign(group="x").drop(columns="answer")
    data = ds.MixedData.from_frame(frame, nominal=["group"], keep_constant=True)
    numbers = ds.NumericData.from_frame(frame[["size", "weight"]])
    found, expected = ds.local_scores(data, score="cg"), ds.local_scores(numbers, score="bge")
    for parents in ([], ["size"]):
        value = expected.family("weight", parents)
        assert found.family("weight", parents) == pytest.approx(value, abs=found.rounding + expected.rounding)
        assert found.family("weight", ["group", *parents]) == found.family("weight", parents)


def random_table(seed: int, rows: int, discrete: int, measured: int) -> ds.MixedData:
    """Variables that depend on those before, in a random order."""
    rng = np.random.default_rng(seed)
    columns: dict[str, np.ndarray] = {}
    for i in range(discrete):
        columns[f"d{i}"] = rng.integers(0, 2 + i % 2, rows)
    for i in range(measured):
        shift = sum(columns[name] * rng.normal() for name in columns)
        columns[f"x{i}"] = np.round(rng.normal(size=rows) + shift, int(rng.integers(0, 6)))
    names = rng.permutation(list(columns)).tolist()
    frame = pd.DataFrame({name: columns[name] for name in names})
    options = {"nominal": [v for v in names if v[0] == "d"], "numeric": [v for v in names if v[0] == "x"]}
    return ds.MixedData.from_frame(frame, keep_constant=True, **options)


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(
    st.integers(0, 2**32), st.integers(8, 60), st.integers(1, 3), st.integers(1, 3), st.sampled_from(["cg", "bic-cg"])
)
@pytest.mark.filterwarnings("ignore::dagscape.FewRows")
def test_neither_columns_nor_ways_nor_threads_change_an_integer(seed, rows, discrete, measured, score):
    data, rng = random_table(seed, rows, discrete, measured), np.random.default_rng(seed)
    if any(len(np.unique(data.values[:, v])) < 3 for v in range(data.n) if not data.level_counts[v]):
        return
    scores = ds.local_scores(data, score=score)
    threads = ds.local_scores(data, score=score, threads=3)
    assert [t.tolist() for t in threads.tables] == [t.tolist() for t in scores.tables]
    moved = ds.local_scores(data.select(rng.permutation(data.variables).tolist()), score=score)
    limited = ds.local_scores(data, score=score, max_parents=max(1, data.n - 2))
    demand = ds.family_scores(data, score=score)
    assert demand.unit == scores.unit == moved.unit
    for child in range(data.n):
        assert demand.additions_exact(child).tolist() == scores.additions_exact(child).tolist()
        for sets in scores.family_sets(child):
            assert demand.exact_scores(child, sets).tolist() == scores.exact_scores(child, sets).tolist()
            for parents in sets.tolist():
                family = data.variables[child], [data.variables[p] for p in parents]
                assert moved.family(*family) == scores.family(*family)
                added = [*demand.additions_exact(child, frozenset(parents)).tolist()]
                assert added == scores.additions_exact(child, frozenset(parents)).tolist()
                if len(parents) <= limited.max_parents:
                    assert limited.family(*family) == pytest.approx(scores.family(*family), abs=1e-7)


def assert_equivalent_networks_tie(data: ds.MixedData, score: str) -> None:
    scores = ds.local_scores(data, score=score)
    totals: dict[object, set[float]] = {}
    for dag in ruled_dags(data):
        totals.setdefault(dag.to_cpdag(), set()).add(scores.network(dag))
    assert all(len(found) == 1 for found in totals.values())
    assert len(totals) > 1


@pytest.mark.slow
@settings(deadline=None, max_examples=8)
@given(st.integers(0, 2**32), st.integers(1, 3), st.sampled_from(["cg", "bic-cg"]))
def test_equivalent_networks_under_the_rule_are_equal_to_the_last_bit(seed, discrete, score):
    assert_equivalent_networks_tie(random_table(seed, 150, discrete, 4 - discrete), score)


@pytest.mark.slow
@both
def test_equivalent_networks_of_five_variables_tie(score):
    assert_equivalent_networks_tie(random_table(7, 150, 3, 2), score)


def test_families_on_demand_are_those_of_the_table_without_the_rule():
    data = of(table())
    for score in ("cg", "bic-cg"):
        scores = ds.local_scores(data, score=score).without_constraints()
        demand = ds.family_scores(data, score=score).without_constraints()
        assert np.isfinite(scores.family("group", ["size"]))
        for child in range(4):
            assert demand.additions_exact(child).tolist() == scores.additions_exact(child).tolist()
            for sets in scores.family_sets(child):
                assert demand.exact_scores(child, sets).tolist() == scores.exact_scores(child, sets).tolist()


def test_many_variables_are_scored_on_demand():
    data = random_table(3, 60, 20, 40)
    demand = ds.family_scores(data, score="cg", max_parents=3)
    chosen = data.select(["d0", "x3", "d5", "x7"])
    scores = ds.local_scores(chosen, score="cg")
    found = demand.family("x7", ["d0", "x3", "d5"])
    assert found == pytest.approx(scores.family("x7", ["d0", "x3", "d5"]), abs=1e-7)
    assert demand.cached_sets > 0
    assert demand.nbytes > 0
    assert ds.learn(data, "greedy", score="cg", max_parents=2, settings="fixed").score < 0


@both
def test_open_values_are_computed_with_integers(score):
    """With integers alone, all values are those of the kernel."""
    data = of(table(40))
    job = prepare(data, score=score)
    functions, tables = job.functions, ds.local_scores(data, score=score).tables
    families = functions.kernel_families(job.unit, 1, 0)
    fine = functions.fine_unit(job.unit)
    plain = OpenSets(functions, job.unit, families)

    class Undecided:
        """A kernel that leaves all cells open."""

        constant = staticmethod(families.constant)

        @staticmethod
        def parts(number, chosen):
            discrete = [v for v in chosen if functions.is_discrete[v]]
            first = np.unique(data.values[:, discrete], axis=0, return_index=True)[1]
            rows = first.tolist() if len(discrete) else [0]
            total, _, impossible = families.parts(number, discrete)
            measured = len(chosen) - len(discrete)
            price = functions.cells.price(data.m)
            count = math.prod(data.level_counts[v] for v in discrete) * measured * (measured + 3) // 2
            with mp.workdps(40):
                total -= int(mp.floor(mp.mpf(price) * count * 2**fine.of_cells + mp.mpf("0.5")))
            return total, rows if measured else [], impossible

    undecided = OpenSets(functions, job.unit, Undecided)
    compared = 0
    for chosen in map(list, subsets(range(4))):
        assert undecided.value(0, chosen) == plain.value(0, chosen)
        discrete = [v for v in chosen if functions.is_discrete[v]]
        own, without = (tables[0][sum(1 << v for v in group)] for group in (chosen, discrete))
        if own != kernels.IMPOSSIBLE:
            assert own - without == plain.value(0, chosen)
            compared += 1
    assert compared > 8


def test_sets_that_a_kernel_leaves_open_are_filled_in(monkeypatch):
    data = of(table(40))
    expected = [t.tolist() for t in ds.local_scores(data, score="cg").tables]
    real = kernels.ConditionalLattice

    class Leaving:
        """A kernel that leaves some sets open."""

        def __init__(self, *arguments):
            self.kernel = real(*arguments)

        def run(self, of_discrete, out, threads, progress):
            assert self.kernel.run(of_discrete, out, threads, progress) == []
            left = [[0, 1], [1, 3], [0, 1, 2, 3]]
            for members in left:
                out[sum(1 << v for v in members)] = kernels.OPEN
            return left

        bytes = staticmethod(real.bytes)

    monkeypatch.setattr(kernels, "ConditionalLattice", Leaving)
    assert [t.tolist() for t in ds.local_scores(data, score="cg").tables] == expected


@pytest.mark.slow
@both
def test_posteriors_are_those_of_all_networks_under_the_rule(score):
    scores = ds.local_scores(of(table(150)), score=score)
    for over in ("dags", "orders"):
        found = ds.posterior(scores, over=over)
        log_total, edges, ancestors = summed(scores, over)[:3]
        assert found.log_total == pytest.approx(log_total, abs=1e-7)
        assert np.abs(found.edges - edges).max() < 1e-7
        if over == "dags":
            assert np.abs(found.ancestors - ancestors).max() < 1e-7
        assert found.edge("size", "group") == 0
        assert found.edge("group", "size") > 0.5


@pytest.mark.slow
@both
def test_every_method_takes_it(score, tmp_path):
    data = of(table(150))
    scores = ds.local_scores(data, score=score)
    ranked = sorted((scores.network(dag) for dag in ruled_dags(data)), reverse=True)
    best = ds.k_best(scores, 20, space="dags")
    assert best.scores.tolist() == pytest.approx(ranked[:20], abs=1e-9)
    assert ds.modes(scores, 2).scores[0] == best.scores[0]
    for method in ("order", "optimal", "greedy", "tabu"):
        found = ds.learn(data, method, score=score, settings="fixed")
        assert found.score == pytest.approx(scores.network(found.network), abs=1e-9)
        assert found.score == pytest.approx(ranked[0], abs=1e-9 if method in ("order", "optimal") else 10)
    exact = ds.posterior(scores)
    drawn = ds.sample_dags(scores, 2000, seed=1)
    assert np.abs(drawn.edges - exact.edges).max() < 0.06
    walked = ds.chain(data, score=score, seed=1, draws=500)
    assert np.abs(walked.edges - exact.edges).max() < 0.2
    boot = ds.bootstrap(data, samples=5, score=score, workers=1, settings="fixed")
    assert 0.5 < boot.edges.max() <= 1
    samples = {"ess": [1.0, 4.0]} if score == "cg" else {}
    study = ds.sensitivity(data, score=score, structure_prior=("uniform", "edge-penalty:3"), **samples)
    assert len(study.settings) == (4 if samples else 2)
    ds.write_scores(scores, tmp_path / "scores.npz")
    assert ds.read_scores(tmp_path / "scores.npz").info == scores.info
    assert ds.plan(data, "posterior", score=score).fits


@both
def test_results_state_the_rule(score):
    info = ds.local_scores(of(table()), score=score).info
    assert info.rule == "no measured variable is a parent of a discrete one"
    assert info.ruled_out == 4
    with pytest.raises(ds.InvalidOption, match="holds the edge 'size' -> 'group', but with the score"):
        ds.local_scores(of(table()), score=score, required=[("size", "group")])


def test_experiments_leave_out_the_rows_in_which_the_child_was_set():
    marks = [["size"] if i % 4 == 0 else ["group"] if i % 4 == 1 else [] for i in range(60)]
    data = of(table().assign(INT=["+".join(mark) for mark in marks]), interventions="INT")
    scores, demand = ds.local_scores(data, score="cg"), ds.family_scores(data, score="cg")
    for child, parents in families(data):
        rows = ~data.interventions[:, child]
        exact = conditional_gaussian(data, sorted([*parents, child]), rows=rows)
        exact -= conditional_gaussian(data, parents, rows=rows)
        assert scores.family(child, parents) == pytest.approx(float(exact), abs=1e-9)
        assert demand.family(child, parents) == scores.family(child, parents)
    always = ds.local_scores(of(table(), randomised=["size"]), score="cg")
    assert always.family("size") == 0.0
    once = ds.local_scores(of(table(), randomised=["size"]), score="bic-cg")
    assert once.family("size") == 0.0


@both
def test_changed_mechanisms_are_a_second_sample(score):
    frame = table(200).assign(INT=["size" if i % 2 else "" for i in range(200)])
    data = of(frame, interventions="INT")
    scores = ds.local_scores(data, score=score, interventions="mechanism")
    demand = ds.family_scores(data, score=score, interventions="mechanism")
    assert demand.family("size", ["group", "weight"]) == scores.family("size", ["group", "weight"])
    plain = ds.local_scores(of(frame.drop(columns="INT")), score=score)
    assert scores.family("weight", ["size"]) == pytest.approx(plain.family("weight", ["size"]), abs=1e-7)
    assert scores.family("size", ["weight"]) != pytest.approx(plain.family("size", ["weight"]), abs=0.1)


@both
def test_weights_are_repeated_rows(score):
    frame, weights = table(30), [1, 2, 3, 0, 1, 1, 2, 5, 1, 1] * 3
    weighted = ds.local_scores(of(frame.assign(count=weights), weights="count"), score=score)
    repeated = ds.local_scores(of(frame.loc[np.repeat(np.arange(30), weights)]), score=score)
    assert [t.tolist() for t in weighted.tables] == [t.tolist() for t in repeated.tables]


def test_an_unrelated_column_changes_no_score():
    few, many = (
        ds.local_scores(of(frame), score="cg")
        for frame in (table(), table().assign(other=np.random.default_rng(5).choice(["p", "q", "r"], 60)))
    )
    for child, parents in (("weight", ["group", "size"]), ("group", ["answer"])):
        assert few.family(child, parents) == pytest.approx(many.family(child, parents), abs=1e-8)


def test_structure_priors_and_constraints_are_those_of_other_scores():
    data = of(table())
    plain = ds.local_scores(data, score="cg")
    priced = ds.local_scores(data, score="cg", structure_prior="edge-penalty:2", forbidden=[("group", "size")])
    assert priced.family("weight", ["group", "size"]) == pytest.approx(
        plain.family("weight", ["group", "size"]) - 4, abs=1e-7
    )
    assert priced.family("size", ["group"]) == -np.inf


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"score": "cg", "ess": 0}, "ess is 0; it must be "),
        ({"score": "cg", "alpha_w": 3.0}, "alpha_w is 3; with 2 variables, it must be greater than 3"),
        ({"score": "bic-cg", "alpha_mu": 2}, "score 'bic-cg' has no parameter 'alpha_mu'"),
    ],
)
def test_wrong_options_are_refused(options, words):
    with pytest.raises(ds.InvalidOption, match=words):
        ds.local_scores(of(table()), **options)


@both
def test_a_constant_column_is_refused_by_name(score):
    kept = ds.MixedData.from_frame(table().assign(same=2.5), numeric=["size", "weight", "same"], keep_constant=True)
    with pytest.raises(ds.InvalidData, match="'same' has the same value in all rows: "):
        ds.local_scores(kept, score=score)


def test_columns_that_the_prior_cannot_tell_apart_are_refused():
    frame = table().assign(size=lambda f: f["size"] * 1e60, weight=lambda f: f["size"])
    with pytest.raises(ds.InvalidData, match="measured variables are linearly dependent, and the prior is too weak"):
        ds.local_scores(of(frame), score="cg", scale="none")


def test_the_time_of_a_set_is_estimated():
    job = prepare(of(table()), score="cg")
    kernel = job.functions.lattice_kernel(0, job.unit)
    assert kernel.seconds_per_set(0.01) > 0
    assert kernel.visits_per_set(8) >= 70
    assert job.memory(2) > job.memory(1) > 8 * job.sets


def test_means_and_variances_have_the_digits_of_the_oracle():
    column = np.array([1.0, 2.0, 4.5])
    assert float(exact_mean(column)) == 2.5
    assert float(exact_variance(column)) == pytest.approx(3.25)


def test_parameters_of_variables_that_are_not_there_have_no_settings():
    numbers = ds.NumericData.from_frame(table()[["size", "weight"]].assign(other=np.arange(60) % 7))
    post, bge = ds.posterior(numbers, score="cg"), ds.posterior(numbers, score="bge")
    assert "ess" not in post.score_info.parameters
    assert len(post.settings) == len(bge.settings)
    assert not any("ess" in setting.parameters for setting in post.settings)
    np.testing.assert_allclose(post.edges, bge.edges)
    levels = table()[["group", "answer"]]
    post = ds.posterior(levels, score="cg")
    assert {*post.settings[0].parameters} == {"ess"}
    assert len({setting.parameters["ess"] for setting in post.settings}) > 1
    both = ds.local_scores(of(table()), score="cg").info
    assert {*both.parameters} == {"ess", "alpha_mu", "alpha_w", "nu", "scale"}
