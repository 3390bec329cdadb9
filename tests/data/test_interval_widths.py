"""Widths of intervals and the density of numbers: the definition, units, and what makes no difference."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import dagscape as ds
from dagscape.data.discrete.interval_widths import interval_widths, log_density
from oracles.discretize import log_widths

DECIMALS = st.lists(st.integers(-400, 400).map(lambda k: k / 8), min_size=2, max_size=30)


def cut(values, cuts, **options):
    return ds.discretize(pd.DataFrame({"x": values}), cuts={"x": cuts}, **options)


@given(DECIMALS, st.lists(st.integers(-50, 50).map(float), min_size=1, max_size=5, unique=True))
def test_the_density_is_that_of_the_definition(values, cuts):
    expected = -sum(log_widths(values, sorted(cuts)))
    assert log_density(cut(values, sorted(cuts))) == pytest.approx(expected, rel=1e-12, abs=1e-9)


@given(st.lists(st.integers(-60, 60), min_size=1, max_size=30), st.lists(st.integers(-70, 70), min_size=1, max_size=5))
def test_integers_are_counted(values, cuts):
    cuts = sorted({number + 0.5 for number in cuts})
    widths = interval_widths(np.unique(np.array(values, dtype=float)), cuts)
    bounds = [-math.inf, *cuts, math.inf]
    inside = range(min(values), max(values) + 1)
    expected = [max(sum(low < number <= high for number in inside), 1) for low, high in itertools.pairwise(bounds)]
    assert list(widths) == expected


@pytest.mark.slow
@given(
    DECIMALS,
    st.lists(st.tuples(st.sampled_from(["quantile", "width"]), st.integers(2, 5)), min_size=2, max_size=4),
    st.sampled_from([0.25, 2.0, 1024.0, -4.0]),
    st.sampled_from([0.0, 0.375, -1024.0]),
)
def test_units_add_the_same_constant_for_all_cuts(values, ways, factor, shift):
    """The cuts of a changed column are the changed cuts: those of one grid move together."""
    moved = [factor * value + shift for value in values]
    # Integers have a density of another kind, and cuts are rounded for people.
    assume(len(set(values)) > 1)
    assume(not all(value == int(value) for value in values) and not all(value == int(value) for value in moved))
    differences = []
    for method, bins in ways:
        cuts = ds.discretize(pd.DataFrame({"x": values}), method=method, bins=bins, keep_constant=True, columns=["x"])
        cuts = cuts.discretizer.cuts["x"].tolist()
        if not cuts:
            continue
        # A cut sends equal numbers to the left: mirrored, nothing must equal a cut.
        assume(not set(cuts) & set(values))
        there = sorted(factor * number + shift for number in cuts)
        differences.append(log_density(cut(moved, there)) - log_density(cut(values, cuts)))
    assert differences == pytest.approx([-len(values) * math.log(abs(factor))] * len(differences), abs=1e-9)


def test_intervals_of_the_same_density_may_be_merged():
    """Numbers on a lattice: 8 in a width of 2 and 16 in a width of 4 have the same density as 24 in 6."""
    values = [*np.linspace(0.125, 1.875, 8), *np.linspace(2.125, 5.875, 16)]

    def likelihood(cuts, values=values):
        data = cut(values, cuts, keep_constant=True)
        shares = data.weights / data.m
        return float(data.weights @ np.log(shares)) + log_density(data)

    assert likelihood([2.0, 6.5]) == pytest.approx(likelihood([6.5]), abs=1e-9)
    squares = [value**2 for value in values]
    assert likelihood([4.0, 40.0], squares) > likelihood([40.0], squares)


def test_a_repeated_number_has_no_infinite_density():
    values = [0.0] * 50 + [0.5, 1.25, 3.5]
    assert interval_widths(np.unique(values), [1e-9]) == (pytest.approx(0.5), pytest.approx(3.75))
    assert interval_widths(np.array([2.5]), [1.0, 9.0]) == (1.0, 1.0, 1.0)
    assert math.isfinite(log_density(cut([-1.5e300, 1.5e300, 0.25], [0.0])))


def test_missing_cells_and_levels_have_no_width():
    frame = pd.DataFrame({"x": [0.5, 1.5, None, 4.5], "c": ["u", "v", "u", "v"]})
    expected = log_density(cut([0.5, 1.5, 4.5], [1.0]))
    for missing in ("level", "keep", "drop"):
        data = ds.discretize(frame, cuts={"x": [1.0]}, missing=missing)
        assert log_density(data) == pytest.approx(expected)
    assert log_density(ds.load_dataset("votes")) == 0.0


def test_cells_that_were_set_have_no_width_unless_mechanisms_changed():
    frame = pd.DataFrame({"x": [0.5, 1.5, 3.0, 4.5, 4.5], "c": list("uvuvv"), "n": [2, 1, 3, 1, 2]})
    options = {"cuts": {"x": [1.0]}, "weights": "n", "keep_constant": True}
    data = ds.discretize(frame, interventions=["x", "c", "x;c", "", "x"], **options)
    widths = np.log(data.discretizer.fitted["x"].widths)
    assert log_density(data) == pytest.approx(-2 * widths[1])
    whole = log_density(ds.discretize(frame, **options))
    assert log_density(data, "mechanism") == pytest.approx(whole) == pytest.approx(-2 * widths[0] - 7 * widths[1])
    assert log_density(ds.discretize(frame, randomised=["x"], **options)) == 0.0


def test_discretizers_of_earlier_versions_have_no_widths():
    data = cut([0.5, 1.5, 4.5], [1.0])
    document = data.discretizer.to_dict()
    for column in document["fitted"].values():
        del column["widths"]
    for name in ("cuts", "initial_bins"):
        del document[name]
    old = ds.Discretizer.from_dict(document)
    assert old.cuts["x"].tolist() == [1.0]
    assert log_density(old.apply(pd.DataFrame({"x": [0.5, 1.5]}))) == 0.0
    document["fitted"]["x"]["widths"] = [1.0]
    with pytest.raises(ds.InvalidData, match="the widths of column 'x' are not one more than its cuts"):
        ds.Discretizer.from_dict(document)


def test_widths_are_saved(tmp_path):
    data = cut([0.5, 1.5, 4.5], [1.0])
    data.discretizer.save(tmp_path / "cuts.json")
    again = ds.Discretizer.load(tmp_path / "cuts.json")
    assert again == data.discretizer
    assert again.fitted["x"].widths == data.discretizer.fitted["x"].widths == (1.0, 4.0)
