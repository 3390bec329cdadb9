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


def test_tests_of_pairs_are_those_of_scipy():
    rng = np.random.default_rng(3)
    x, level = rng.normal(size=80), rng.integers(0, 3, 80).astype(float)
    y = rng.normal(size=80)
    y[rng.random(80) < np.where(x > 0, 0.6, 0.1)] = np.nan
    tests = gap_tests({"x": x, "level": level, "y": y}, ["x", "y"], np.ones(80, dtype=np.int64))
    by_other = {test.other: test for test in tests}
    gaps = np.isnan(y)
    welch = stats.ttest_ind(x[gaps], x[~gaps], equal_var=False)
    assert by_other["x"].statistic == pytest.approx(abs(welch.statistic))
    assert by_other["x"].p_value == pytest.approx(welch.pvalue)
    assert by_other["x"].freedom == pytest.approx(welch.df)
    table = [[np.count_nonzero((level == value) & part) for value in range(3)] for part in (gaps, ~gaps)]
    chi = stats.chi2_contingency(table, correction=False)
    assert by_other["level"].statistic == pytest.approx(chi.statistic)
    assert by_other["level"].p_value == pytest.approx(chi.pvalue)
    first, second = sorted(tests, key=lambda test: test.p_value)
    assert first.adjusted == pytest.approx(min(1.0, 2 * first.p_value))
    assert second.adjusted == pytest.approx(min(1.0, max(first.adjusted, second.p_value)))


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


def test_what_is_told(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=200)
    y = np.where((x > 0.5) & (rng.random(200) < 0.8), np.nan, x + rng.normal(size=200))
    kind = np.where(rng.random(200) < 0.1, None, np.array(["u", "v"], dtype=object)[rng.integers(0, 2, 200)])
    frame = pd.DataFrame({"x": x, "y": y, "kind": kind})
    summary = ds.describe(frame)
    text = "\n".join(map(str, render_data(summary)))
    assert "Little's test of 2 columns of numbers in 2 groups of rows" in text
    assert "gaps depend on what was observed" in text
    assert DataSummary.from_dict(summary.to_dict()) == summary
    kept = ds.Dataset.from_frame(frame[["kind"]].assign(other=rng.integers(0, 2, 200)), missing="keep")
    text = "\n".join(map(str, render_data(kept.describe())))
    assert "None of 1 pair of columns shows that gaps of one depend on the other" in text
    assert ds.describe(frame[["x"]]).missing_cells is None
    assert ds.Dataset.from_frame(frame[["kind"]], missing="level").describe().missing_cells is None
