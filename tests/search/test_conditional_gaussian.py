"""Likelihood-ratio tests of mixed tables against least squares, row by row."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pandas as pd
import pytest
from scipy import special, stats

import dagscape as ds
from dagscape.search import mixed_cells
from dagscape.search.conditional_gaussian import ConditionalGaussianTests
from dagscape.search.max_min import INDEPENDENT, NOT_TESTED
from oracles.measured_tests import mixed_test

ALL = 1 - 1e-9
DISCRETE = ["d", "a", "c"]


def table(m, seed):
    """Three discrete and three measured columns, all of which depend on each other."""
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, m)
    b = (a + rng.integers(0, 3, m)) % 3
    u = rng.normal(size=m) + a
    v = u / 2 + 0.4 * b + rng.normal(size=m) * (1 + a)
    w = rng.normal(size=m) - v
    c = u + rng.normal(size=m) > 0
    columns = {"d": b, "u": 1e6 + u, "a": a, "v": 1e-5 * v, "w": w, "c": c.astype(int)}
    return pd.DataFrame(
        {name: column if name in "uvw" else [f"l{i}" for i in column] for name, column in columns.items()}
    )


def mixed(frame, discrete):
    return ds.MixedData.from_frame(frame, nominal=discrete, numeric=[name for name in frame if name not in discrete])


def statistic(tests, first, second, given=()):
    value, freedom = tests.statistics(first, np.array([second]), given)
    return float(value[0]), float(freedom[0])


@pytest.mark.slow
@pytest.mark.parametrize(("m", "rows_per_cell"), [(60, 1), (60, 5), (150, 5), (250, 2)])
def test_statistics_are_those_of_least_squares(m, rows_per_cell):
    frame = table(m, 1)
    discrete = [name not in "uvw" for name in frame]
    columns = [[*frame[name]] if label else frame[name].to_numpy() for name, label in zip(frame, discrete, strict=True)]
    tests = ConditionalGaussianTests(mixed(frame, DISCRETE), ALL, rows_per_cell)
    made = set()
    for first, size in itertools.product(range(6), range(4)):
        for given in itertools.combinations([v for v in range(6) if v != first], size):
            others = [v for v in range(6) if v != first and v not in given]
            found = tests.statistics(first, np.array(others), given)
            associations = tests.associations(first, np.array(others), np.array([given], dtype=np.intp))[0]
            for other, value, freedom, association in zip(others, *found, associations, strict=True):
                expected = mixed_test(columns, discrete, first, other, given, rows_per_cell)
                made.add((discrete[first] + discrete[other], expected is not None))
                if expected is None:
                    assert math.isnan(freedom)
                    assert association == NOT_TESTED
                    continue
                assert (value, freedom) == (pytest.approx(expected[0], abs=1e-6), expected[1])
                log_p = stats.chi2.logsf(value, freedom) if value > 0 and freedom else 0.0
                assert association == pytest.approx(max(-log_p, 0), rel=1e-9, abs=1e-9)
    assert {(kind, True) for kind in range(3)} <= made


def test_tests_are_symmetric():
    tests = ConditionalGaussianTests(mixed(table(300, 2), DISCRETE), ALL, 2)
    for first, second in itertools.combinations(range(6), 2):
        for given in itertools.combinations([v for v in range(6) if v not in (first, second)], 2):
            forth, back = (statistic(tests, *pair, given) for pair in ((first, second), (second, first)))
            assert forth == pytest.approx(back, rel=1e-9, abs=1e-9, nan_ok=True)


def test_without_measured_columns_they_are_g2_tests():
    data = ds.load_network("asia").sample(2000, seed=1)
    found, expected = ds.mmpc(data, test="mi-cg"), ds.mmpc(data)
    assert found.strengths == pytest.approx(expected.strengths, rel=1e-9)
    assert (found.tests, found.test, expected.test) == (expected.tests, "mi-cg", "g2")


def test_rows_and_columns_in_any_order_give_the_same_bits():
    frame, rng = table(200, 3), np.random.default_rng(3)
    shuffled = frame.iloc[rng.permutation(200), rng.permutation(6)]
    found, other = (ds.mmpc(mixed(f, DISCRETE), 0.5) for f in (frame, shuffled))
    assert found.pair_count > 5
    places = [other.variables.index(name) for name in found.variables]
    assert found.strengths.tolist() == other.strengths[np.ix_(places, places)].tolist()


def test_cells_that_are_forgotten_are_computed_again(monkeypatch):
    data = mixed(table(200, 4), DISCRETE)
    expected = ds.mmpc(data, 0.5)
    monkeypatch.setattr(mixed_cells, "KEPT_BYTES", 1)
    assert ds.mmpc(data, 0.5) == expected


def draw(rng, kinds, given):
    """Columns of which the first two are independent given some of the others: Z with two levels, and W."""
    m = 600
    z = rng.integers(0, 2, m)
    w = rng.normal(size=m) * (1 + z) + z if 3 in given else rng.normal(size=m)
    of_w = 1 - 2 * z if 3 in given else 0
    pair = [
        rng.random(m) < 0.3 + 0.4 * z if kind == "d" else rng.normal(size=m) * (2 - z) + w * of_w + z for kind in kinds
    ]
    return np.column_stack([*pair, z, w])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kinds", "given"), [("mm", (2, 3)), ("dm", (2, 3)), ("dm", (2,)), ("dd", (2,)), ("dd", (2, 3))]
)
def test_p_values_of_independent_columns_are_uniform(kinds, given):
    rng = np.random.default_rng(5)
    names = ("x", "y", "z", "w")
    levels = {name: ("0", "1") for name, kind in zip(names, [*kinds, "d", "m"], strict=True) if kind == "d"}
    p_values = []
    for _ in range(200):
        data = ds.MixedData(names, draw(rng, kinds, given), levels)
        tests = ConditionalGaussianTests(data, ALL, 5)
        p_values.append(math.exp(-tests.associations(0, np.array([1]), np.array([given]))[0, 0]))
    assert max(p_values) <= 1
    assert stats.kstest(p_values, "uniform").pvalue > 0.01


@pytest.mark.slow
@pytest.mark.parametrize("m", [25, 50, 100])
@pytest.mark.parametrize("kind", ["mm", "mm given a state", "dm"])
def test_the_size_is_nominal_with_few_rows(m, kind):
    """Given X and Z, p-values of independent columns Y are independent: a table has many."""
    rng, columns, tables = np.random.default_rng(m), 100, 16
    sizes = []
    for _ in range(tables):
        z, a = rng.normal(size=(m, 2)), np.arange(m) % 2
        x = a if kind == "dm" else z.sum(axis=1) + rng.normal(size=m)
        y = z @ rng.normal(size=(2, columns)) + rng.normal(size=(m, columns))
        state = np.zeros(m) if kind == "mm" else a
        names = ("x", "u", "v", "s", *(f"y{i}" for i in range(columns)))
        levels = dict.fromkeys(("x", "s") if kind == "dm" else ("s",), ("0", "1"))
        tests = ConditionalGaussianTests(ds.MixedData(names, np.column_stack([x, z, state, y]), levels), ALL, 1)
        given = [1, 2, 3] if kind == "mm given a state" else [1, 2]
        found = tests.associations(0, np.arange(4, 4 + columns), np.array([given]))[0]
        sizes.append((found >= -math.log(0.05)).mean())
    # Three standard errors.
    assert np.mean(sizes) == pytest.approx(0.05, abs=3 * math.sqrt(0.05 * 0.95 / (columns * tables)))


def expected_log(n):
    """The mean of -n ln(RSS / n) without regressors."""
    return -n * (special.digamma((n - 1) / 2) + math.log(2 / n))


def test_what_a_set_determines_is_independent():
    rng = np.random.default_rng(6)
    x, y = rng.normal(size=(2, 120))
    a = rng.integers(0, 2, 120)
    frame = pd.DataFrame({"x": x, "y": y, "s": x + y, "a": a, "copy": a, "f": np.where(a, 3.0, -1.0), "g": x + 2 * a})
    tests = ConditionalGaussianTests(mixed(frame, ["a", "copy"]), ALL, 1)
    names = [*frame]

    def freedom(first, second, *given):
        return statistic(tests, names.index(first), names.index(second), [names.index(name) for name in given])[1]

    assert freedom("s", "a", "x", "y") == freedom("a", "s", "x", "y") == 0
    assert freedom("s", "g", "x", "y") == freedom("f", "x", "a") == freedom("g", "y", "a", "x") == 0
    assert freedom("copy", "y", "a") == freedom("x", "copy", "a") == 0
    assert tests.associations(0, np.array([2]), np.array([[1, 0]]))[0, 0] == INDEPENDENT
    # What is determined only by all levels together is as dependent as can be, which is a number.
    value, degrees = statistic(tests, names.index("f"), names.index("a"))
    counts = np.bincount(a)
    mean = sum(expected_log(n) for n in counts) - expected_log(120)
    assert (value, degrees) == (pytest.approx(-120 * math.log(1e-8) * 2 / mean, rel=1e-9), 2)


@pytest.mark.parametrize(("first", "second"), [("y", "z"), ("a", "y"), ("a", "b")])
def test_a_member_that_others_determine_adds_nothing(first, second):
    rng = np.random.default_rng(8)
    x, y, z, w = rng.normal(size=(4, 200))
    a, b = rng.integers(0, 2, (2, 200))
    frame = pd.DataFrame({"x": x + a + b, "y": x + y + a, "z": x + z, "w": w, "a": a, "b": b})
    frame["x+w"] = 3 * frame["x"] + w - 5
    tests = ConditionalGaussianTests(mixed(frame, ["a", "b"]), ALL, 1)
    places = {name: place for place, name in enumerate(frame)}
    with_it, without = (
        statistic(tests, places[first], places[second], [places[name] for name in given])
        for given in (("w", "x", "x+w"), ("w", "x"))
    )
    assert with_it == (pytest.approx(without[0], rel=1e-6), without[1])
    assert without[1] > 0


def test_rare_levels_are_left_out():
    rng = np.random.default_rng(7)
    m = 300
    a = np.where(np.arange(m) < 4, 2, rng.integers(0, 2, m))
    x = rng.normal(size=m) + a
    frame = pd.DataFrame({"a": [f"l{i}" for i in a], "x": x, "y": x + rng.normal(size=m)})
    all_rows = ConditionalGaussianTests(mixed(frame, ["a"]), ALL, 5)
    common = ConditionalGaussianTests(mixed(frame[a < 2], ["a"]), ALL, 5)
    for first, second, given in ((0, 1, ()), (0, 1, (2,)), (1, 2, (0,))):
        assert statistic(all_rows, first, second, given) == pytest.approx(statistic(common, first, second, given))
    # Only one level is common.
    frame["a"] = np.where(np.arange(m) < 4, "rare", "common")
    tests = ConditionalGaussianTests(mixed(frame, ["a"]), ALL, 5)
    assert tests.associations(0, np.array([1]), np.empty((1, 0), dtype=np.intp))[0, 0] == NOT_TESTED
    assert math.isnan(statistic(tests, 0, 1)[1])


def test_a_test_of_which_nothing_is_left_is_not_made():
    """With one state of Z, X has one level; with the other, one of its levels is rare."""
    rng = np.random.default_rng(9)
    z = np.arange(400) % 2
    x = ((np.arange(400) < 8) & (z == 1)).astype(int)
    frame = pd.DataFrame({"x": x, "y": rng.integers(0, 2, 400), "z": z, "w": rng.normal(size=400)})
    tests = ConditionalGaussianTests(mixed(frame, ["x", "y", "z"]), ALL, 5)
    assert math.isnan(statistic(tests, 0, 1, (2, 3))[1])
    assert math.isnan(statistic(tests, 0, 3, (2,))[1])
    # Without measured columns, rows on average are enough.
    assert statistic(tests, 0, 1, (2,))[1] == 1
    # With fewer rows for each state, the rare level counts.
    few = ConditionalGaussianTests(mixed(frame, ["x", "y", "z"]), ALL, 1)
    assert statistic(few, 0, 3, (2,))[1] == 2
