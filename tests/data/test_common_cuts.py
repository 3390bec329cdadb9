"""The same table cut in several ways."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.data.discrete.common_cuts import AVERAGED_CUTS, cut_in_ways, ways_of

FRAME = pd.DataFrame({"x": [0.0] * 7 + [1.5, 2.5, 9.5], "y": np.arange(10) + 0.25, "c": list("ababababab")})


def test_ways_are_read():
    ways = ways_of(["quantile:2", "width", ds.Discretizer(method="width"), "hartemink:4"])
    assert [way.way for way in ways] == ["quantile:2", "width:3", "hartemink:4"]
    assert [way.way for way in ways_of("average")] == list(AVERAGED_CUTS)
    assert ds.Discretizer(bins={"x": 2}).way == "quantile"
    assert ds.Discretizer(method="mdl", class_column="c").way == "mdl"
    assert ds.Discretizer(cuts={"x": [1]}).way == "quantile:3 and given cuts"
    both = ways_of(["mdl", "hartemink", "quantile"], class_column="c", initial_bins=9)
    assert [(way.class_column, way.initial_bins) for way in both] == [("c", None), (None, 9), (None, None)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("quantile:1", "discretize is 'quantile:1'; it must be METHOD or METHOD:BINS, with at least 2 bins"),
        ("quantile:", "discretize is 'quantile:'; it must be METHOD or METHOD:BINS"),
        ("kmeans:3", "method is 'kmeans'; it must be one of 'auto', 'quantile', 'width', 'mdl', 'hartemink'"),
        ([], "discretize is empty; it must be a way of cutting such as 'quantile:3'"),
        (3, "discretize is an int; it must be a way of cutting such as 'quantile:3', a Discretizer, or several"),
    ],
)
def test_bad_ways(given, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ways_of(given)


def test_all_ways_have_the_same_variables():
    """Two quantiles do not cut x, seven of whose ten numbers are 0; ten do."""
    frame = FRAME.assign(x=[0.0] * 9 + [1.5])
    cut = cut_in_ways(frame, ways_of(["width:2", "quantile:2"]), levels={"c": ["a", "b"]})
    assert [data.variables for data in cut.datasets] == [("x", "y", "c")] * 2
    one_level = pd.DataFrame({"x": [1.5] * 10, "y": FRAME["y"], "c": FRAME["c"]})
    assert cut_in_ways(one_level, ways_of("average")).variables == ("y", "c")


def test_ways_have_different_names():
    own = [ds.Discretizer(bins=2, cuts={"x": cuts}) for cuts in ([1], [2], [3, 4])]
    name = "quantile:2 and given cuts"
    assert cut_in_ways(FRAME, own).ways == [name, f"{name} (2)", f"{name} (3)"]
    post = ds.posterior(FRAME, discretize=own, ess=1, structure_prior="uniform")
    assert post.setting_shares.tolist() == pytest.approx([1 / 3] * 3)


def test_tables_without_numbers_are_one_data_set():
    frame = FRAME[["c"]].assign(d=list("uuvvuuvvuu"))
    assert cut_in_ways(frame, ways_of("average")).only_one() == ds.Dataset.from_frame(frame)
    assert cut_in_ways(FRAME, ways_of("width:2")).only_one() == ds.discretize(FRAME, method="width", bins=2)
