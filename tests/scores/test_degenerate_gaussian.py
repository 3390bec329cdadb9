"""The degenerate Gaussian scores against 50 digits, other choices of the level left out, and all methods."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

import dagscape as ds
from dagscape.data.mixed.converting import mixed_from_numeric
from dagscape.results.score_info import ScoreInfo
from dagscape.scores.definitions.variable_columns import VariableColumns
from oracles.graphs import all_dags
from oracles.mixed import degenerate_bic, exact_degenerate_bge, exact_degenerate_bic
from oracles.posterior import posterior as summed

SCORES = ("dg", "dg-bge")
both = pytest.mark.parametrize("score", SCORES)


def table(rows: int = 60, seed: int = 1) -> pd.DataFrame:
    """Two discrete and two measured columns, each depending on the one before."""
    rng = np.random.default_rng(seed)
    group = rng.integers(0, 3, rows)
    size = rng.normal(size=rows) + group
    answer = np.where(rng.random(rows) < 0.8, size > 1, rng.random(rows) < 0.5)
    weight = 2.5 * rng.normal(size=rows) + 2 * size - 3 * answer + 40
    return pd.DataFrame(
        {
            "group": np.array(["x", "y", "z"])[group],
            "size": size,
            "answer": np.where(answer, "yes", "no"),
            "weight": weight,
        }
    )


def of(frame: pd.DataFrame, **options) -> ds.MixedData:
    return ds.MixedData.from_frame(frame, **options)


def exact_value(score: str, data: ds.MixedData, members, left_out=None):
    formula = exact_degenerate_bic if score == "dg" else lambda *of, **out: exact_degenerate_bge(*of, 2, 1, **out)
    return formula(data.values, data.level_counts, members, left_out=left_out or {})


def subsets(n: int, without: int):
    others = [u for u in range(n) if u != without]
    return itertools.chain.from_iterable(itertools.combinations(others, k) for k in range(n))


def assert_rounding_holds(score: str, data: ds.MixedData) -> None:
    scores = ds.local_scores(data, score=score)
    every = itertools.chain.from_iterable(itertools.combinations(range(data.n), k) for k in range(data.n + 1))
    exact = {frozenset(members): exact_value(score, data, members) for members in every}
    for child in range(data.n):
        for parents in map(frozenset, subsets(data.n, child)):
            with mp.workdps(50):
                found = mp.mpf(scores.family_exact(child, parents)) / 2**scores.unit.bits
                assert abs(found - (exact[parents | {child}] - exact[parents])) <= scores.rounding
    assert scores.rounding < 1e-3


CASES = {
    "plain": table(),
    "large and tiny units": table().assign(size=table()["size"] * 1e150, weight=table()["weight"] * 1e-150),
    "far from zero": table().assign(size=table()["size"] * 1e-3 + 1e6),
    "rare levels": table().assign(group=["x"] * 29 + ["y"] * 30 + ["z"]),
    "seven rows": table(7, 5),
}


@pytest.mark.slow
@both
@pytest.mark.parametrize("case", CASES)
@pytest.mark.filterwarnings("ignore::dagscape.FewRows")
def test_the_stated_rounding_covers_the_truth(score, case):
    assert_rounding_holds(score, of(CASES[case], numeric=["size", "weight"]))


@pytest.mark.slow
@pytest.mark.parametrize(
    "frame",
    [
        table().assign(copy=table()["group"].str.upper()).drop(columns="answer"),
        table().assign(sum=table()["size"] + table()["weight"]).drop(columns="answer"),
        table().assign(parity=np.where(table()["group"] == "x", "even", "odd")).drop(columns="size"),
    ],
    ids=["copied levels", "collinear numbers", "merged levels"],
)
def test_the_marginal_likelihood_takes_dependent_columns(frame):
    assert_rounding_holds("dg-bge", of(frame))


def test_families_are_those_of_plain_numpy():
    data = of(table(200))
    scores = ds.local_scores(data, score="dg", penalty=2.5)
    for child in range(4):
        for parents in subsets(4, child):
            expected = degenerate_bic(data.values, data.level_counts, [*parents, child], 2.5)
            expected -= degenerate_bic(data.values, data.level_counts, parents, 2.5)
            assert scores.family(child, parents) == pytest.approx(expected, abs=1e-8)


@both
def test_it_does_not_matter_which_level_has_no_column(score, monkeypatch):
    data = of(table(40))
    members, choices = [0, 1, 2], [{0: k, 2: j} for k in range(3) for j in range(2)]
    values = [exact_value(score, data, members, left_out) for left_out in choices]
    assert all(abs(value - values[0]) < 1e-40 for value in values)
    integers = [t.tolist() for t in ds.local_scores(data, score=score).tables]

    for turn in range(1, 3):
        # Other names put the levels in other orders, and other levels first among those that are equally frequent.
        names = dict(zip("xyz", np.roll(["a", "b", "c"], turn).tolist(), strict=True))
        renamed = of(table(40).assign(group=table(40)["group"].map(names)))
        assert [t.tolist() for t in ds.local_scores(renamed, score=score).tables] == integers

    def last_left_out(self, rows=None):
        kept = [i for v in range(self.n) for i in [*self.of_variable(v)][: -1 if self.indicators[v] else None]]
        widths = [len(self.of_variable(v)) - int(self.indicators[v]) for v in range(self.n)]
        return VariableColumns(self.columns.only(kept), (0, *np.cumsum(widths).tolist()), self.indicators)

    monkeypatch.setattr(VariableColumns, "independent", last_left_out)
    assert [t.tolist() for t in ds.local_scores(data, score=score).tables] == integers


@both
def test_units_of_measured_columns_add_a_constant(score):
    frame = table()
    changed = frame.assign(size=1000 * frame["size"] + 5, weight=0.5 * frame["weight"] - 3)
    plain, other = (ds.local_scores(of(each), score=score) for each in (frame, changed))
    shift = {"group": 0.0, "size": 60 * math.log(1000), "answer": 0.0, "weight": 60 * math.log(0.5)}
    for child in range(4):
        for parents in subsets(4, child):
            moved = other.family(child, parents) + shift[plain.variables[child]]
            assert moved == pytest.approx(plain.family(child, parents), abs=1e-8)


def test_a_table_of_measured_columns_has_the_scores_of_bge():
    frame = table()[["size", "weight"]].assign(other=np.random.default_rng(3).normal(size=60))
    numbers = ds.NumericData.from_frame(frame)
    expected, found = ds.local_scores(numbers, score="bge"), ds.local_scores(numbers, score="dg-bge")
    assert [t.tolist() for t in found.tables] == [t.tolist() for t in expected.tables]
    assert found.unit == expected.unit
    dg = ds.local_scores(mixed_from_numeric(numbers), score="dg")
    for size in range(4):
        members = list(range(size))
        covariance = np.cov(numbers.values[:, members].T, bias=True).reshape(size, size)
        value = -30 * np.linalg.slogdet(covariance)[1] - math.log(60) / 2 * size * (size + 1) / 2
        chain = sum(dg.family(v, members[:v]) for v in members)
        assert chain == pytest.approx(value, abs=1e-9)


def test_discrete_data_are_taken():
    frame = table()[["group", "answer"]]
    found, expected = (ds.local_scores(data, score="dg-bge") for data in (ds.Dataset.from_frame(frame), of(frame)))
    assert [t.tolist() for t in found.tables] == [t.tolist() for t in expected.tables]


@pytest.mark.slow
@settings(deadline=None, max_examples=12)
@given(st.integers(0, 2**32), st.integers(20, 40), st.sampled_from(SCORES))
def test_neither_rows_nor_ways_nor_threads_change_an_integer(seed, rows, score):
    frame, rng = table(rows, seed), np.random.default_rng(seed)
    scores = ds.local_scores(of(frame), score=score)
    turned = ds.local_scores(of(frame.sample(frac=1, random_state=seed % 1000)), score=score, threads=2)
    assert [t.tolist() for t in turned.tables] == [t.tolist() for t in scores.tables]
    order = rng.permutation(4)
    moved = ds.local_scores(of(frame.iloc[:, order]), score=score)
    limited = ds.local_scores(of(frame), score=score, max_parents=1)
    demand = ds.family_scores(of(frame), score=score)
    assert demand.unit == scores.unit
    for child in range(4):
        assert demand.additions_exact(child).tolist() == scores.additions_exact(child).tolist()
        for sets in scores.family_sets(child):
            assert demand.exact_scores(child, sets).tolist() == scores.exact_scores(child, sets).tolist()
            for parents in sets.tolist():
                family = scores.variables[child], [scores.variables[p] for p in parents]
                assert moved.family(*family) == scores.family(*family)
                if len(parents) <= 1:
                    assert limited.family(*family) == pytest.approx(scores.family(*family), abs=1e-8)


@both
@pytest.mark.parametrize("seed", [2, 3])
def test_equivalent_networks_are_equal_to_the_last_bit(score, seed):
    scores = ds.local_scores(of(table(40, seed)), score=score)
    assert scores.score_equivalent
    totals: dict[object, set[float]] = {}
    for dag in all_dags(4):
        named = ds.Dag(scores.variables, dag.parent_masks)
        totals.setdefault(named.to_cpdag(), set()).add(scores.network(named))
    assert all(len(found) == 1 for found in totals.values())


@both
def test_alike_columns_tie_exactly(score):
    half = table(40)[["group", "size", "weight"]]
    mirrored = pd.concat([half, half.rename(columns={"size": "weight", "weight": "size"})])
    scores = ds.local_scores(of(mirrored), score=score)
    assert scores.family("group", ["size"]) == scores.family("group", ["weight"])
    assert scores.family("size", ["group"]) == scores.family("weight", ["group"])


@pytest.mark.slow
@both
@pytest.mark.parametrize("over", ["dags", "orders"])
def test_posteriors_are_those_of_all_networks(score, over):
    scores = ds.local_scores(of(table()), score=score)
    found = ds.posterior(scores, over=over)
    log_total, edges, ancestors = summed(scores, over)[:3]
    assert found.log_total == pytest.approx(log_total, abs=1e-7)
    assert np.abs(found.edges - edges).max() < 1e-7
    if over == "dags":
        assert np.abs(found.ancestors - ancestors).max() < 1e-7
    # Edges may lead from a measured variable to a discrete one, and back.
    assert found.edge("size", "answer") > 0.01
    assert found.edge("answer", "size") > 0.01


@pytest.mark.slow
@both
def test_every_method_takes_it(score, tmp_path):
    data = of(table())
    scores = ds.local_scores(data, score=score)
    ranked = sorted((scores.network(ds.Dag(scores.variables, dag.parent_masks)) for dag in all_dags(4)), reverse=True)
    best = ds.k_best(scores, 20, space="dags")
    assert best.scores.tolist() == pytest.approx(ranked[:20], abs=1e-9)
    assert ds.k_best(scores, 3, space="classes").scores[0] == best.scores[0]
    assert ds.modes(scores, 2).scores[0] == best.scores[0]
    for method in ("order", "optimal", "ges", "eq1", "greedy", "tabu"):
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
    study = ds.sensitivity(data, score=score, structure_prior=("uniform", "edge-penalty:3"), max_parents=None)
    assert len(study.settings) == 2
    ds.write_scores(scores, tmp_path / "scores.npz")
    assert ds.read_scores(tmp_path / "scores.npz").info == scores.info
    assert ds.plan(data, "posterior", score=score).fits


@both
def test_priors_are_averaged_over(score):
    found = ds.posterior(table(), score=score)
    assert [setting.structure_prior for setting in found.settings] == [
        "uniform", "edge-penalty:1.5", "edge-penalty:3", "edge-penalty:4.5",
    ]  # fmt: skip
    assert found.score_info.structure_prior == "averaged"
    assert found.score_info.score == score


@both
def test_experiments_leave_out_the_rows_in_which_the_child_was_set(score):
    frame = table().assign(INT=["group" if i % 4 == 0 else "" for i in range(60)])
    data = of(frame, interventions="INT")
    scores = ds.local_scores(data, score=score)
    assert not scores.score_equivalent
    observed = data.values[~data.interventions[:, 0]]
    if score == "dg":
        values = [degenerate_bic(observed, data.level_counts, members) for members in ([0, 1], [1])]
        expected = values[0] - values[1]
        assert scores.family("group", ["size"]) == pytest.approx(expected, abs=1e-8)
    plain = ds.local_scores(of(frame.drop(columns="INT")), score=score)
    assert scores.family("size", ["group"]) == pytest.approx(plain.family("size", ["group"]), abs=1e-8)
    assert scores.family("group", ["size"]) != pytest.approx(plain.family("group", ["size"]), abs=0.1)
    always = ds.local_scores(of(frame.drop(columns="INT"), randomised=["group"]), score=score)
    assert always.family("group") == 0.0
    assert always.family("group", ["size"]) == -np.inf


@both
def test_weights_are_repeated_rows(score):
    frame, weights = table(30), [1, 2, 3, 0, 1, 1, 2, 5, 1, 1] * 3
    weighted = ds.local_scores(of(frame.assign(count=weights), weights="count"), score=score)
    repeated = ds.local_scores(of(frame.loc[np.repeat(np.arange(30), weights)]), score=score)
    assert [t.tolist() for t in weighted.tables] == [t.tolist() for t in repeated.tables]


def test_linear_dependence_is_refused_by_name_when_it_is_met():
    copied = table().assign(copy=table()["group"].str.upper())
    words = r"'group' and 'copy' are linearly dependent in 60 rows, .*: set a lower max_parents, or leave one of them"
    with pytest.raises(ds.InvalidData, match=words):
        ds.local_scores(of(copied), score="dg")
    assert np.isfinite(ds.local_scores(of(copied), score="dg", max_parents=0).family("copy"))
    # Two levels of the other column together are one of the first.
    merged = table().assign(parts=table()["group"] + table()["answer"]).drop(columns=["size", "weight"])
    with pytest.raises(ds.InvalidData, match="'group' and 'parts' are linearly dependent"):
        ds.local_scores(of(merged), score="dg")
    summed = table().assign(sum=table()["size"] + table()["weight"])
    with pytest.raises(ds.InvalidData, match="'size', 'weight' and 'sum' are linearly dependent"):
        ds.local_scores(of(summed), score="dg")
    assert np.isfinite(ds.local_scores(of(summed), score="dg", max_parents=1).family("sum", ["size"]))


@both
def test_a_constant_variable_is_refused_by_name(score):
    kept = of(table().assign(same="k"), keep_constant=True)
    with pytest.raises(ds.InvalidData, match=r"'same' has the same value in all rows: leave it out \(drop\)"):
        ds.local_scores(kept, score=score)


def test_levels_without_rows_have_no_column():
    declared = of(table(), levels={"group": ["x", "y", "z", "never"]})
    for score in SCORES:
        found, plain = ds.local_scores(declared, score=score), ds.local_scores(of(table()), score=score)
        assert [t.tolist() for t in found.tables] == [t.tolist() for t in plain.tables]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"score": "dg", "penalty": 0}, "penalty is 0; it must be "),
        ({"score": "dg", "alpha_mu": 2}, "score 'dg' has no parameter 'alpha_mu'"),
        ({"score": "dg-bge", "alpha_w": 6.0}, "alpha_w is 6; with 5 columns, it must be greater than 6"),
        ({"score": "dg-bge", "scale": "none"}, "score 'dg-bge' has no parameter 'scale'"),
    ],
)
def test_wrong_options_are_refused(options, words):
    with pytest.raises(ds.InvalidOption, match=words):
        ds.local_scores(of(table()), **options)


def test_the_prior_can_be_chosen():
    data = of(table())
    scores = ds.local_scores(data, score="dg-bge", alpha_mu=0.5, alpha_w=9.0)
    values = [exact_degenerate_bge(data.values, data.level_counts, members, 4, 0.5) for members in ([0, 1, 2], [0, 1])]
    assert scores.family("answer", ["group", "size"]) == pytest.approx(float(values[0] - values[1]), abs=1e-9)


def test_an_unrelated_column_changes_no_score():
    few, many = (
        ds.local_scores(of(frame), score="dg-bge")
        for frame in (table(), table().assign(other=np.random.default_rng(5).choice(["p", "q", "r"], 60)))
    )
    assert few.family("weight", ["group", "size"]) == pytest.approx(many.family("weight", ["group", "size"]), abs=1e-9)


@pytest.mark.filterwarnings("ignore::dagscape.FewRows")
def test_sets_of_as_many_columns_as_rows_are_impossible():
    rows = [["x", 0.5, "no", 1.5], ["y", 2.5, "no", -1.0], ["z", 0.0, "yes", 4.5], ["x", 1.5, "yes", 0.5]]
    frame = pd.DataFrame([*rows, ["y", -3.5, "yes", 2.5]], columns=["group", "size", "answer", "weight"])
    scores = ds.local_scores(of(frame, numeric=["size", "weight"]), score="dg")
    assert np.isfinite(scores.family("answer", ["group", "size"]))
    assert scores.family("weight", ["group", "size", "answer"]) == -np.inf
    assert np.isfinite(ds.posterior(scores).edges).all()


def test_curriculum_says_that_it_needs_discrete_data():
    with pytest.raises(ds.InvalidOption, match="needs discrete data, and the score 'dg' takes another kind"):
        ds.learn(of(table()), "curriculum", score="dg")


def test_changed_mechanisms_are_a_second_sample():
    frame = table().assign(INT=["size" if i % 3 == 0 else "" for i in range(60)])
    data = of(frame, interventions="INT")
    was_set = data.interventions[:, data.variables.index("size")]
    found = ds.local_scores(data, score="dg", interventions="mechanism").family("size", ["group"])
    samples = (data.values[was_set], data.values[~was_set])
    parts = [degenerate_bic(rows, data.level_counts, members) for rows in samples for members in ([0, 1], [0])]
    assert found == pytest.approx(parts[0] - parts[1] + parts[2] - parts[3], abs=1e-8)
    # A level that an experiment fixes varies in no row of it.
    fixed = table().assign(group=["x"] * 30 + ["y", "z"] * 15, INT=["group"] * 30 + [""] * 30)
    with pytest.raises(ds.InvalidData, match="'group' has the same value in all rows in which 'group' was set: use"):
        ds.local_scores(of(fixed, interventions="INT"), score="dg", interventions="mechanism")
    scores = ds.local_scores(of(fixed, interventions="INT"), score="dg-bge", interventions="mechanism")
    assert np.isfinite(scores.family("group", ["size"]))


@pytest.mark.parametrize("score", ["dg", "dg-bge"])
def test_levels_are_said_to_count_as_numbers_only_where_there_are_any(score):
    rng = np.random.default_rng(1)
    frame = pd.DataFrame(rng.normal(size=(30, 2)), columns=["a", "b"])
    info = ds.local_scores(frame, score=score).info
    assert (info.rule, info.caution, info.remarks) == ("", "", ())
    info = ds.local_scores(frame.assign(c=list("xyz") * 10), score=score).info
    assert (info.rule, info.ruled_out) == ("", 0)
    assert info.caution.startswith("levels are taken for normal numbers")
    assert info.remarks == (f"With the score {score!r}, {info.caution}",)
    assert ScoreInfo.from_dict(info.to_dict()) == info
    assert ScoreInfo.from_dict(info.to_dict()).caution == info.caution
