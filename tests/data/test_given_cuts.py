"""Cuts that users give, and Hartemink's method, in data sets and discretizers."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest

import dagscape as ds

AGES = pd.DataFrame({"age": [18, 30, 31, 50, 51, 70], "pay": [0.5, 1.5, 2.5, 3.5, 4.5, 5.5], "sex": list("fmfmfm")})


def chained(m=400, seed=0):
    """A chain of numbers: x and y depend on each other, z is alone; `kind` follows x."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=m)
    y = x + rng.normal(size=m) / 2
    return pd.DataFrame({"x": x, "y": y, "z": rng.normal(size=m), "kind": np.where(x > 1, "high", "low")})


def test_given_cuts_overrule_the_method():
    data = ds.discretize(AGES, bins=2, cuts={"age": [30, 50]})
    assert data.levels["age"] == ("(-inf,30]", "(30,50]", "(50,inf)")
    assert data.levels["pay"] == ("(-inf,3]", "(3,inf)")
    assert data.to_frame()["age"].value_counts().tolist() == [2, 2, 2]
    assert data.discretizer.given == ("age",)


def test_columns_of_levels_can_be_cut():
    data = ds.discretize(pd.DataFrame({"grade": [1, 2, 3, 4], "x": list("abab")}), cuts={"grade": [2.5]})
    assert data.levels["grade"] == ("(-inf,2.5]", "(2.5,inf)")


def test_intervals_without_rows_are_levels():
    data = ds.discretize(AGES, cuts={"age": [10, 30, 99]}, columns=["pay"])
    assert data.levels["age"] == ("(-inf,10]", "(10,30]", "(30,99]", "(99,inf)")
    assert ds.discretize(AGES[["age", "sex"]], cuts={"age": (99,)}).levels["age"] == ("(-inf,99]", "(99,inf)")


def test_a_fitted_discretizer_keeps_given_cuts(tmp_path):
    fitted = ds.Discretizer(bins=2, cuts={"age": np.array([30, 50])}).fit(AGES)
    assert {name: cuts.tolist() for name, cuts in fitted.cuts.items()} == {"age": [30.0, 50.0], "pay": [3.0]}
    other = AGES.assign(age=[1, 2, 3, 4, 5, 99], pay=AGES["pay"] * 2.5)
    assert fitted.apply(other).levels["age"] == ("(-inf,30]", "(30,50]", "(50,inf)")
    again = fitted.fit(other)
    assert {name: cuts.tolist() for name, cuts in again.cuts.items()} == {"age": [30.0, 50.0], "pay": [7.5]}
    fitted.save(tmp_path / "d.json")
    loaded = ds.Discretizer.load(tmp_path / "d.json")
    assert loaded == fitted == pickle.loads(pickle.dumps(fitted))
    assert loaded.given == ("age",)
    assert loaded.fit(other) == again
    unfitted = ds.Discretizer(cuts={"age": [30]})
    assert ds.Discretizer.from_dict(unfitted.to_dict()) == unfitted
    assert unfitted.cuts["age"].tolist() == [30.0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cuts": [30]}, r"cuts is a list; it must be a mapping of columns to cuts, such as {'age': \[30, 50\]}"),
        ({"cuts": {"age": [50, 30]}}, r"cuts has \[50, 30\] for column 'age'; it must be numbers in ascending order"),
        ({"cuts": {"age": [30, 30]}}, r"cuts has \[30, 30\] for column 'age'"),
        ({"cuts": {"age": []}}, r"cuts has \[\] for column 'age'"),
        ({"cuts": {"age": "30"}}, "cuts has '30' for column 'age'"),
        ({"cuts": {"age": [float("nan")]}}, r"cuts has \[nan\] for column 'age'"),
        ({"cuts": {"age": [float("inf")]}}, r"cuts has \[inf\] for column 'age'"),
        ({"cuts": {"wage": [3]}}, "has no variable 'wage' to use in discretising; did you mean 'age'"),
        ({"cuts": {"age": [30]}, "levels": {"age": 100}}, "'age' is to be discretised, but levels declares levels"),
        ({"cuts": {"age": [30]}, "bins": {"age": 2, "pay": 2}}, "bins gives a number for column 'age', which is not"),
        ({"initial_bins": 30}, "initial_bins is 30, but the method 'quantile' has no initial intervals"),
        (
            {"method": "hartemink", "bins": 5, "initial_bins": 4},
            "initial_bins is 4; it must be an integer from 5 to 100000, at least as large as bins",
        ),
        ({"method": "hartemink", "initial_bins": 2.5}, "initial_bins is 2.5; it must be an integer"),
    ],
)
def test_bad_cuts(options, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.discretize(AGES, **options)


def test_cuts_of_text_are_refused():
    with pytest.raises(ds.InvalidData, match=r"has 'f' in column 'sex' at row 0 .*is not a finite number"):
        ds.discretize(AGES, cuts={"sex": [1]})


def test_hartemink_keeps_what_columns_say_of_each_other():
    frame = chained()
    frame["step"] = np.where(frame["z"] > 1.3, "above", "below")
    data = ds.discretize(frame, method="hartemink", bins=2)
    # The step is at the 90th percentile, between the 18th and the 19th of 20 initial intervals.
    assert data.discretizer.cuts["z"][0] == pytest.approx(np.quantile(frame["z"], 0.9), abs=0.1)
    assert {name: len(data.levels[name]) for name in "xyz"} == {"x": 2, "y": 2, "z": 2}
    assert data.levels["kind"] == ("high", "low")


def test_hartemink_does_not_depend_on_the_order_of_rows():
    frame = chained(150, 3)
    first = ds.discretize(frame, method="hartemink", bins=3)
    again = ds.discretize(frame.sample(frac=1, random_state=1), method="hartemink", bins=3)
    assert first == again
    assert first.discretizer == again.discretizer


def test_hartemink_with_options():
    frame = chained(60)
    few = ds.discretize(frame, method="hartemink", bins=3, initial_bins=3)
    quantiles = ds.discretize(frame, method="quantile", bins=3)
    assert few == quantiles
    assert ds.discretize(frame, method="hartemink", bins=25).arities.tolist()[:3] == [25, 25, 25]
    given = ds.discretize(frame, method="hartemink", bins={"y": 2, "z": 3}, cuts={"x": [-1, 0, 1]})
    assert given.arities.tolist() == [4, 2, 3, 2]
    alone = ds.discretize(frame[["x"]], method="hartemink", bins=2)
    # Nothing to tell, so that the merged interval has as few rows as possible: 3 · 20, 6 · 10, 12 · 5, 24 + 12 · 3, ….
    assert alone.weights.tolist() == [24, 36]


def test_hartemink_with_missing_cells_and_identifiers():
    frame = chained(100)
    frame["id"] = [f"p{i}" for i in range(100)]
    frame.loc[::10, "x"] = None
    data = ds.discretize(frame, method="hartemink", bins=3, missing="level")
    assert data.levels["x"][-1] == "?"
    assert len(data.levels["x"]) == 4
    without = ds.discretize(frame.drop(columns="id"), method="hartemink", bins=3, missing="level")
    assert without.levels["x"] == data.levels["x"]
    assert ds.discretize(frame, method="hartemink", bins=3, missing="drop", drop=["id"]).dropped == 10


def test_hartemink_needs_memory():
    with pytest.raises(
        ds.TooLarge,
        match=r"joint counts of 62 levels of all columns need .*; the limit is 1\.0 KiB .*a lower initial_bins",
    ):
        ds.discretize(chained(), method="hartemink", max_memory="1KiB")
