"""What is said of columns of numbers that scores of normal variables take badly."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.data.continuous.suspicious import measured_warnings


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
