"""What is missing where, and together, and whether that depends on other columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import dagscape as ds
from dagscape.data.discrete.summary import DataSummary
from dagscape.data.incomplete.gap_tests import gap_tests, little_test
from dagscape.data.incomplete.missing_cells import missing_cells
from dagscape.report.blocks import Note
from dagscape.report.data import render_data
from oracles.gap_tests import little


def numbers(seed, rows=40, columns=3, share=0.2):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, columns)) @ rng.normal(size=(columns, columns)) + 100
    values[rng.random(values.shape) < share] = np.nan
    values[:3] = np.nan_to_num(values[:3], nan=100.5)
    return values


@settings(max_examples=4)
@given(st.integers(0, 10**6))
def test_littles_test_is_the_oracle(seed):
    values = numbers(seed)
    found = little_test(["a", "b", "c"], values, np.ones(len(values), dtype=np.int64))
    statistic, freedom = little(values)
    assert found.statistic == pytest.approx(statistic, rel=1e-3)
    assert found.freedom == freedom
    assert found.p_value == pytest.approx(stats.chi2.sf(statistic, freedom), rel=1e-2)


def test_weights_are_rows():
    values = numbers(1)
    weights = np.random.default_rng(1).integers(1, 4, len(values))
    columns = dict(zip("abc", values.T, strict=True))
    repeated = dict(zip("abc", np.repeat(values, weights, axis=0).T, strict=True))
    ones = np.ones(int(weights.sum()), dtype=np.int64)
    first, second = missing_cells(columns, ["a", "b"], weights), missing_cells(repeated, ["a", "b"], ones)
    assert first.patterns == second.patterns
    assert first.pairs == second.pairs
    assert first.little.statistic == pytest.approx(second.little.statistic)
    for own, other in zip(first.tests, second.tests, strict=True):
        assert (own.column, own.other) == (other.column, other.other)
        assert own.p_value == pytest.approx(other.p_value)


def test_patterns_and_pairs_are_counted():
    frame = pd.DataFrame(
        {"a": [1, None, None, 2, None], "b": ["x", None, None, "y", "x"], "c": ["u", "v", None, "u", "v"]}
    )
    found = ds.describe(frame).missing_cells
    assert found.complete_rows == 2
    assert [(pattern.columns, pattern.rows) for pattern in found.patterns] == [
        (("a",), 1),
        (("a", "b"), 1),
        (("a", "b", "c"), 1),
    ]
    assert found.to_frame("pairs")[["first", "second", "together"]].values.tolist() == [
        ["a", "b", 2],
        ["a", "c", 1],
        ["b", "c", 1],
    ]
    assert found.to_frame().columns.tolist() == ["columns", "rows"]
    with pytest.raises(ds.InvalidOption, match="part is 'rows'; it must be one of 'patterns', 'pairs', 'tests'"):
        found.to_frame("rows")


def test_columns_that_were_never_observed_are_left_out():
    frame = pd.DataFrame({"a": [1, None, 2, 3], "b": ["x", "y", None, "y"], "never": [None] * 4})
    summary = ds.describe(frame)
    found, without = summary.missing_cells, ds.describe(frame[["a", "b"]]).missing_cells
    assert found.never_observed == ("never",)
    assert found.complete_rows == 2
    assert (found.patterns, found.pairs, found.tests) == (without.patterns, without.pairs, without.tests)
    assert "never: never observed, and left out of what follows." in notes(summary)
    assert DataSummary.from_dict(summary.to_dict()) == summary
    whole = ds.describe(frame[["never"]].assign(a=[1, 2, 1, 2]))
    assert whole.missing_cells is None
    assert "'never' has missing cells only" in whole.warnings[0]
    assert missing_cells({"never": np.full(4, np.nan)}, [], np.ones(4, dtype=np.int64)) is None


def test_tests_of_pairs_are_those_of_scipy():
    rng = np.random.default_rng(3)
    x, level = np.round(np.exp(rng.normal(size=80)), 1), rng.integers(0, 3, 80).astype(float)
    y = rng.normal(size=80)
    y[rng.random(80) < np.where(x > 1, 0.6, 0.1)] = np.nan
    tests = gap_tests({"x": x, "level": level, "y": y}, ["x", "y"], np.ones(80, dtype=np.int64))
    by_other = {test.other: test for test in tests}
    gaps = np.isnan(y)
    ranks = stats.mannwhitneyu(x[gaps], x[~gaps], use_continuity=False, method="asymptotic")
    assert by_other["x"].p_value == pytest.approx(ranks.pvalue)
    assert by_other["x"].statistic == pytest.approx(stats.kruskal(x[gaps], x[~gaps]).statistic)
    assert (by_other["x"].test, by_other["x"].freedom) == ("mann-whitney", 1)
    table = [[np.count_nonzero((level == value) & part) for value in range(3)] for part in (gaps, ~gaps)]
    chi = stats.chi2_contingency(table, correction=False)
    assert by_other["level"].statistic == pytest.approx(chi.statistic)
    assert by_other["level"].p_value == pytest.approx(chi.pvalue)
    assert by_other["x"].rows == by_other["level"].rows == np.count_nonzero(gaps)
    first, second = sorted(tests, key=lambda test: test.p_value)
    assert first.adjusted == pytest.approx(min(1.0, 2 * first.p_value))
    assert second.adjusted == pytest.approx(min(1.0, max(first.adjusted, second.p_value)))


def test_rare_levels_count_as_one():
    rng = np.random.default_rng(5)
    level = rng.choice(6, 200, p=[0.02, 0.03, 0.05, 0.1, 0.3, 0.5]).astype(float)
    y = np.where(rng.random(200) < 0.2, np.nan, 0.0)
    ones = np.ones(200, dtype=np.int64)
    (found,) = gap_tests({"level": level, "y": y}, [], ones)
    gaps = np.isnan(y)
    counts = np.array([[np.count_nonzero((level == value) & part) for value in range(6)] for part in (gaps, ~gaps)])
    table = np.column_stack([counts[:, :4].sum(axis=1), counts[:, 4:]])
    chi = stats.chi2_contingency(table, correction=False)
    assert chi.expected_freq.min() >= 5 > stats.contingency.expected_freq(counts)[:, :4].min(axis=0).max()
    assert (found.statistic, found.freedom) == (pytest.approx(chi.statistic), 2)
    assert gap_tests({"number": np.arange(200.0), "y": y}, [], ones) == []


def test_few_rows_and_constant_groups_are_not_tested():
    # 2 rows with a gap of y show x; with a gap of z, x is 0 in all 6 rows, as it is nearly everywhere.
    x = np.where(np.arange(300) % 20 == 0, 5.0, 0.0)
    y, z, far = np.zeros(300), np.zeros(300), np.arange(300.0)
    y[:2] = z[1:7] = np.nan
    ones = np.ones(300, dtype=np.int64)
    tests = gap_tests({"x": x, "far": far, "y": y, "z": z}, ["x", "far", "y", "z"], ones)
    assert [(test.column, test.other, test.rows) for test in tests] == [("z", "far", 6)]


@pytest.mark.parametrize(("zeros", "gaps"), [(0.95, 3), (0.9, 12), (0.5, 12), (0.8, 30)])
def test_false_alarms_beside_skewed_columns_with_many_zeros_are_rare(zeros, gaps):
    alarms = 0
    for seed in range(100):
        rng = np.random.default_rng(seed)
        cells = np.where(rng.random((300, 4)) < zeros, 0.0, np.exp(2 * rng.normal(size=(300, 4))))
        gappy = np.zeros(300)
        gappy[rng.choice(300, gaps, replace=False)] = np.nan
        columns = {**dict(zip("abcd", cells.T, strict=True)), "gappy": gappy}
        tests = gap_tests(columns, list(columns), np.ones(300, dtype=np.int64))
        alarms += any(test.adjusted < 0.05 for test in tests)
    # More than 11 of 100 have a probability of 0.4 % if 5 % are right.
    assert alarms <= 11


def test_p_values_are_uniform_if_gaps_depend_on_nothing():
    p_values = []
    for seed in range(200):
        values = numbers(seed, rows=150)
        found = little_test(["a", "b", "c"], values, np.ones(len(values), dtype=np.int64))
        p_values.append(found.p_value)
    assert stats.kstest(p_values, "uniform").pvalue > 1e-3


@pytest.mark.parametrize(
    "values",
    [
        np.array([[1.0, 2.0], [2.0, 1.0]]),
        np.array([[1.0, np.nan], [1.0, 2.0], [1.0, 3.0]]),
        np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0], [np.nan, 1.0], [4.0, 8.0]]),
        np.array([[np.nan, np.nan], [1.0, 2.0], [2.0, 1.0], [3.0, 5.0]]),
    ],
    ids=["complete", "constant", "dependent", "one group"],
)
def test_there_may_be_nothing_to_test(values):
    assert little_test(["a", "b"], values, np.ones(len(values), dtype=np.int64)) is None


def notes(summary):
    """The notes about a table, as text."""
    texts = [block.text for block in render_data(summary) if isinstance(block, Note)]
    parts = [[text] if isinstance(text, str) else text for text in texts]
    return "\n".join("".join(part if isinstance(part, str) else part.name for part in text) for text in parts)


def test_littles_test_names_its_columns_and_concludes_about_no_others():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({f"x{i}": rng.normal(size=300) for i in range(10)})
    frame[["x0", "x1"]] = frame[["x0", "x1"]].mask(rng.random((300, 2)) < 0.1)
    text = notes(ds.describe(frame[["x0", "x1"]]))
    assert "Little's test of the numbers of x0, x1 in" in text
    assert ": no sign that gaps of these columns depend on what was observed in them." in text
    assert "of the numbers of x0, x1, x2, x3, x4, x5, x6, x7 and 2 other columns in" in notes(ds.describe(frame))


def test_what_is_told():
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = np.where((x > 0.5) & (rng.random(200) < 0.8), np.nan, x + rng.normal(size=200))
    kind = np.where(rng.random(200) < 0.1, None, np.array(["u", "v"], dtype=object)[rng.integers(0, 2, 200)])
    frame = pd.DataFrame({"x": x, "y": y, "kind": kind})
    summary = ds.describe(frame)
    text = notes(summary)
    assert "Little's test of the numbers of x, y in 2 groups of rows" in text
    assert ": gaps of these columns depend on what was observed in them. It says nothing of other columns." in text
    assert DataSummary.from_dict(summary.to_dict()) == summary
    kept = ds.Dataset.from_frame(frame[["kind"]].assign(other=rng.integers(0, 2, 200)), missing="keep")
    text = notes(kept.describe())
    assert "No sign that gaps depend on another column, by tests of 1 pair (" in text
    assert ds.describe(frame[["x"]]).missing_cells is None
    assert ds.Dataset.from_frame(frame[["kind"]], missing="level").describe().missing_cells is None
