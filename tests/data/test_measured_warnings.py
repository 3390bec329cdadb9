"""What is said of columns of numbers that scores of normal variables take badly."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.data.continuous.suspicious import few_rows, measured_warnings


def table(rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(rows, 3)), columns=["a", "b", "c"])
    return frame.assign(c=np.exp(4 * frame["c"]), d=100 - 2 * frame["a"])


def test_skewed_columns_and_copies_are_named_once():
    skewed, copies = measured_warnings(list(table()), table().to_numpy())
    assert len(skewed) == len(copies) == 1
    assert skewed[0].startswith("'c' is very skewed")
    assert copies[0].startswith("'a', 'd' are copies of each other")


@pytest.mark.parametrize("factor", [1e-290, 1.0, 1e290])
def test_units_do_not_matter(factor):
    plain = table().drop(columns="d").to_numpy()
    assert measured_warnings("abc", plain * factor / abs(plain).max(axis=0)) == measured_warnings("abc", plain)


def test_ordinary_constant_short_and_missing_columns_are_left_alone():
    rng = np.random.default_rng(4)
    values = rng.normal(size=(200, 3))
    values[:, 1] = 7.0
    assert measured_warnings("abc", values) == ([], [])
    assert measured_warnings("a", np.exp(5 * rng.normal(size=(20, 1)))) == ([], [])
    values[3, 0] = np.nan
    assert measured_warnings("abc", values) == ([], [])
    assert measured_warnings("abc", values[:2]) == ([], [])


def test_results_keep_what_is_said():
    with pytest.warns(ds.SuspiciousColumns, match="'c' is very skewed"):
        post = ds.posterior(table(), score="bge")
    assert any("very skewed" in warning for warning in post.warnings)
    assert any("are copies" in warning for warning in post.warnings)
    frame = table().assign(group=["x", "y"] * 30)
    with pytest.warns(ds.SuspiciousColumns, match="'c' is very skewed"):
        mixed = ds.posterior(frame, score="dg-bge")
    assert any("are copies" in warning for warning in mixed.warnings)


def measured(rows: int = 40, **others: object) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    return pd.DataFrame(rng.normal(size=(rows, 2)), columns=["a", "b"]).assign(**others)


@pytest.mark.parametrize("score", ["bge", "bic-g", "dg-bge", "cg", "auto"])
def test_constant_columns_of_numbers_are_named_and_kept(score):
    said = "'c' is set aside: it has the same value, '7', in every row"
    with pytest.warns(ds.AutomaticReading, match=f"^{said}$"):
        post = ds.posterior(measured(c=7.0), score=score)
    assert post.variables == ("a", "b")
    assert post.warnings == (f"automatic reading: {said}",)


def test_constant_columns_of_files_and_of_data_with_levels(tmp_path):
    measured(c=7).to_csv(tmp_path / "t.csv", index=False)
    with pytest.warns(ds.AutomaticReading, match="'c' is set aside"):
        assert "'c' is set aside" in ds.learn(tmp_path / "t.csv", score="bge").warnings[0]
    levels = ds.Dataset.from_frame(pd.DataFrame({"a": [0, 1, 2] * 5, "b": [0, 1, 1] * 5, "c": 7}), keep_constant=True)
    with pytest.warns(ds.AutomaticReading, match="'c' is set aside"):
        ds.local_scores(levels, score="bic-g")


def test_who_makes_numeric_data_is_not_told_what_is_constant():
    data = ds.NumericData.from_frame(measured(c=7.0, note=3.5), drop=["note"])
    assert data.set_aside == {"c": "has the same value, '7', in every row"}
    # The result is told all the same, because its readers do not have the data.
    assert len(ds.posterior(data, score="bge").warnings) == 1


@pytest.mark.parametrize(("rows", "said"), [(2, "a correlation of 1 or -1"), (3, "beyond 0.997"), (9, "beyond 0.666")])
@pytest.mark.parametrize("score", ["bge", "dg-bge"])
def test_very_few_rows_say_next_to_nothing(rows, said, score):
    with pytest.warns(ds.FewRows, match=f"there are only {rows} rows, .*{said}"):
        post = ds.posterior(measured(rows), score=score)
    assert sum(warning.startswith("few rows: ") for warning in post.warnings) == 1


def test_ten_rows_are_no_longer_very_few():
    assert ds.posterior(measured(10), score="bge").warnings == ()
    assert few_rows(9) is not None
    assert few_rows(10) is None


@pytest.mark.parametrize("rows", [3, 5, 9])
def test_the_correlation_of_few_rows_is_that_of_unrelated_columns(rows):
    stated = float(re.search(r"beyond (\d\.\d\d)", str(few_rows(rows)))[1])
    x, y = np.random.default_rng(5).normal(size=(2, 40_000, rows))
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    found = np.abs((x * y).sum(axis=1)) / np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    assert np.quantile(found, 0.95) == pytest.approx(stated, abs=0.01)


@pytest.mark.parametrize("score", ["bdeu", "bge", "dg-bge"])
def test_zeros_that_may_be_missing_cells_are_told_of_in_results(score):
    rng = np.random.default_rng(2)
    pressure = np.where(np.arange(90) < 9, 0, rng.integers(60, 120, 90))
    frame = pd.DataFrame({"pressure": pressure, "mass": rng.normal(70, 9, 90)})
    said = "'pressure' is 0 in 9 rows and at least 6"
    assert any(warning.startswith(said) for warning in ds.describe(frame).warnings)
    with pytest.warns(ds.DagscapeWarning) as issued:
        post, learned = ds.posterior(frame, score=score), ds.learn(frame, score=score)
    assert sum(said in str(warning.message) for warning in issued) == 2
    for result in (post, learned):
        assert sum(warning.startswith(f"suspicious columns: {said}") for warning in result.warnings) == 1
