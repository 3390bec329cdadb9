from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dagscape.core.errors import AutomaticReading, InvalidData, InvalidOption
from dagscape.data.bundled import SETS
from dagscape.data.discrete.cut_rules import CUT_RULES, cut_by_mdl, cut_by_quantile, cut_by_width
from dagscape.data.discrete.discretizing import discretize
from oracles.discretize import mdl_cuts, quantile_cuts

NUMBERS = st.one_of(st.integers(-5, 5).map(float), st.floats(-1e6, 1e6).map(lambda x: round(x, 3)))


def counted(values, classes=None):
    """Distinct values in order and their counts by class: the arguments of the methods."""
    labels = sorted(set(classes)) if classes is not None else [0]
    distinct = sorted(set(values))
    counts = np.zeros((len(distinct), len(labels)), dtype=np.int64)
    for value, label in zip(values, classes if classes is not None else [0] * len(values), strict=True):
        counts[distinct.index(value), labels.index(label)] += 1
    return np.array(distinct), counts


def intervals(values, data):
    """The level of each value of the column `x`; the column `row` makes rows distinct."""
    by_row = dict(data.to_frame()[["row", "x"]].itertuples(index=False, name=None))
    return [by_row[f"r{row}"] for row in range(len(values))]


def contains(label, value):
    low, high = label[1:-1].split(",")
    return float(low) < value and (value <= float(high) if label.endswith("]") else value < float(high))


@given(st.lists(st.tuples(st.integers(0, 12).map(float), st.integers(0, 3)), min_size=1, max_size=40))
@example([(0.0, 0), (1.0, 1)])
@example([(float(i), i % 2) for i in range(12)])
@example([(float(i), int(i > 5)) for i in range(12)])
def test_mdl_is_the_oracle(cells):
    values, classes = zip(*cells, strict=True)
    assert cut_by_mdl(*counted(values, classes), 3).tolist() == mdl_cuts(values, classes)


@given(st.integers(0, 2**32 - 1), st.integers(2, 4), st.integers(20, 120))
def test_mdl_is_the_oracle_on_separable_data(seed, k, m):
    rng = np.random.default_rng(seed)
    classes = rng.integers(0, k, m)
    values = np.round(classes * rng.choice([0.5, 2.0, 5.0]) + rng.normal(size=m), 1)
    found = cut_by_mdl(*counted(values.tolist(), classes.tolist()), 3)
    assert found.tolist() == pytest.approx(mdl_cuts(values.tolist(), classes.tolist()))


@pytest.mark.slow
def test_mdl_with_very_many_classes():
    # 3^k overflows a float here.
    values, classes = list(range(1400)), [i // 2 for i in range(1400)]
    assert cut_by_mdl(*counted(values, classes), 3).size == len(mdl_cuts(values, classes))


IRIS = {
    "sepal_length": ("(-inf,5.55]", "(5.55,6.15]", "(6.15,inf)"),
    "sepal_width": ("(-inf,2.95]", "(2.95,3.35]", "(3.35,inf)"),
    "petal_length": ("(-inf,2.45]", "(2.45,4.75]", "(4.75,inf)"),
    "petal_width": ("(-inf,0.8]", "(0.8,1.75]", "(1.75,inf)"),
}


def test_iris_has_the_published_cuts():
    path = SETS / "iris.csv"
    data = discretize("builtin:iris", method="mdl", class_column="class")
    assert {name: data.levels[name] for name in IRIS} == IRIS
    assert data.levels["class"] == ("setosa", "versicolor", "virginica")
    assert discretize(path, method="mdl", class_column="class") == data
    assert discretize(pl.read_csv(path), method="mdl", class_column="class") == data


def assert_mdl_is_the_oracle(path, target):
    frame = pd.read_csv(path)
    for column in frame.columns.drop(target):
        values, classes = frame[column].tolist(), frame[target].tolist()
        assert cut_by_mdl(*counted(values, classes), 3).tolist() == mdl_cuts(values, classes)


def test_wine_agrees_with_the_oracle():
    assert_mdl_is_the_oracle(SETS / "wine.csv", "class")


def test_diabetes_agrees_with_the_oracle(shared_data):
    assert_mdl_is_the_oracle(shared_data / "sets" / "keel_pima.csv", "Class")


@given(st.lists(NUMBERS, min_size=1, max_size=40), st.integers(2, 8))
@example([0.0] * 9 + [1.0], 3)
@example([0.0, 1.0, 2.0, 3.0], 2)
def test_quantile_is_the_oracle(values, bins):
    assert cut_by_quantile(*counted(values), bins).tolist() == pytest.approx(quantile_cuts(values, bins))


def test_quantile_without_ties_gives_equal_frequencies():
    values = np.random.default_rng(0).permutation(300) + 0.5
    data = discretize(values.reshape(-1, 1), bins=6)
    assert data.weights.tolist() == [50] * 6
    assert data.levels["X0"][0] == "(-inf,50]"


def test_width():
    data = discretize(pd.DataFrame({"x": [0.0, 1.0, 2.0, 2.5, 3.0]}), method="width", bins=3)
    assert data.levels["x"] == ("(-inf,1]", "(1,2]", "(2,inf)")
    assert data.weights.tolist() == [2, 1, 2]


def test_width_drops_empty_intervals():
    data = discretize(pd.DataFrame({"x": [0.0, 0.5, 9.0]}), method="width", bins=3)
    assert data.levels["x"] == ("(-inf,4.5]", "(4.5,inf)")


def test_width_of_extreme_ranges():
    largest = np.finfo(float).max
    assert cut_by_width(np.array([-largest, largest]), np.ones((2, 1), dtype=np.int64), 2).tolist() == [0.0]
    tiny = np.array([1.0, np.nextafter(1.0, 2.0)])
    assert cut_by_width(tiny, np.ones((2, 1), dtype=np.int64), 5).tolist() == [1.0]


@pytest.mark.slow
@given(
    st.lists(NUMBERS, min_size=1, max_size=30),
    st.integers(2, 6),
    st.sampled_from(["width", "quantile", "mdl"]),
)
@example([1.0, float(np.nextafter(1.0, 2.0))], 2, "quantile")
@example([5e-324, 1e-323], 2, "quantile")
@example([-1.5e308, 1.5e308], 2, "width")
def test_every_value_lies_in_its_interval(values, bins, method):
    frame = pd.DataFrame(
        {"x": values, "row": [f"r{i}" for i in range(len(values))], "c": [i % 2 for i in range(len(values))]}
    )
    options = {"class_column": "c"} if method == "mdl" else {}
    data = discretize(frame, method=method, bins=bins, columns=["x"], keep_constant=True, **options)
    found = intervals(values, data)
    assert all(contains(label, value) for label, value in zip(found, values, strict=True))
    assert set(found) == set(data.levels["x"])
    assert list(data.levels["x"]) == sorted(set(found), key=lambda label: float(label[1:].split(",")[0]))
    if method != "mdl":
        assert len(data.levels["x"]) <= bins


@pytest.mark.parametrize("method", sorted(CUT_RULES.keys() - {"auto"}))
def test_constant_columns_have_one_interval(method):
    options = {"class_column": "c"} if CUT_RULES[method].needs_class else {}
    frame = pd.DataFrame({"x": [0.5, 0.5, 0.5], "c": ["u", "v", "u"]})
    assert discretize(frame, method=method, keep_constant=True, **options).levels["x"] == ("(-inf,inf)",)
    data = discretize(frame, method=method, **options)
    assert data.variables == ("c",)
    assert data.set_aside == {"x": "has the same value, '0.5', in every row"}


def test_mdl_without_an_acceptable_cut_has_one_interval():
    frame = pd.DataFrame({"x": [0.5, 1.5, 2.5, 3.5], "c": ["u", "v", "u", "v"]})
    data = discretize(frame, method="mdl", class_column="c", keep_constant=True)
    assert data.levels["x"] == ("(-inf,inf)",)
    with pytest.warns(AutomaticReading, match="'x' is set aside: it is not cut: all its numbers are in one interval"):
        data = discretize(frame, method="mdl", class_column="c")
    assert list(data.set_aside) == ["x"]


def test_only_decimals_are_discretised_by_default():
    frame = pd.DataFrame({"x": [0.5, 1.5, 2.5], "i": [1, 2, 3], "s": ["a", "b", "c"], "d": ["0.5", "1.5", "1.5"]})
    data = discretize(frame, bins=2, levels={"d": ["0.5", "1.5"]})
    assert data.levels["x"] == ("(-inf,1]", "(1,inf)")
    assert data.levels["i"] == ("1", "2", "3")
    assert data.levels["d"] == ("0.5", "1.5")
    assert discretize(frame, bins=2, columns=["x", "i", "d"]).levels["i"] == ("(-inf,1.5]", "(1.5,inf)")


def test_strings_of_the_same_number_stay_together():
    data = discretize(pd.DataFrame({"x": ["1.5", "1.50", "2.5", "15e-1"]}), bins=4)
    assert data.levels["x"] == ("(-inf,2]", "(2,inf)")
    assert data.weights.tolist() == [3, 1]


def test_categories_can_be_discretised():
    frame = pd.DataFrame({"x": pd.Categorical([1.5, 2.5, 1.5], [9.5, 1.5, 2.5])})
    assert discretize(frame).levels["x"] == ("9.5", "1.5", "2.5")
    assert discretize(frame, columns=["x"]).levels["x"] == ("(-inf,2]", "(2,inf)")


def test_labels_show_as_few_digits_as_will_do():
    frame = pd.DataFrame({"x": [1234.56, 1234.57, 9876.5], "y": [0.1, 0.2, 5e9 + 0.5]})
    data = discretize(frame, bins=3)
    assert data.levels["x"] == ("(-inf,1234.565]", "(1234.565,5560]", "(5560,inf)")
    assert data.levels["y"] == ("(-inf,0.15]", "(0.15,2500000000]", "(2500000000,inf)")


MISSING = pd.DataFrame({"x": [0.5, None, 2.5, 3.5], "c": ["u", "u", None, "v"]})


def test_missing_cells_stay_missing():
    with pytest.raises(InvalidData, match="2 missing cells"):
        discretize(MISSING)
    data = discretize(MISSING, bins=3, missing="level")
    assert data.levels["x"] == ("(-inf,1.5]", "(1.5,3]", "(3,inf)", "?")
    assert data.missing["x"] == 1


def test_rows_are_dropped_before_cuts_are_sought():
    data = discretize(MISSING, bins=3, missing="drop")
    assert data.levels["x"] == ("(-inf,2]", "(2,inf)")
    assert data.dropped == 2


def test_rows_without_a_class_do_not_count():
    frame = pd.DataFrame({"x": [0.5, 1.5, 2.5, 3.5, 9.5], "c": ["u", "u", "v", "v", None]})
    data = discretize(frame, method="mdl", class_column="c", missing="level")
    assert data.levels["x"] == ("(-inf,2]", "(2,inf)")
    nobody = frame.assign(c=None)
    data = discretize(nobody, method="mdl", class_column="c", missing="level", keep_constant=True)
    assert data.levels["x"] == ("(-inf,inf)",)


def test_interventions_go_along():
    frame = pd.DataFrame({"x": [0.5, 1.5, 2.5], "INT": [0, 1, 0]})
    data = discretize(frame, bins=3, interventions="INT")
    assert data.variables == ("x",)
    assert data.interventions.tolist() == [[False], [True], [False]]


def test_sources(tmp_path):
    frame = pd.DataFrame({"X0": [0.5, 1.5, 2.5, 7.25]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    made = [discretize(source) for source in (frame, frame.to_numpy(), tmp_path / "t.csv", str(tmp_path / "t.csv"))]
    assert len(set(made)) == 1


GOOD = pd.DataFrame({"x": [0.5, 1.5], "y": [1, 2], "c": ["u", "v"], "z": [0.1, 0.2]})


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"method": "kmeans"},
            InvalidOption,
            "method is 'kmeans'; it must be one of 'auto', 'quantile', 'width', 'mdl', 'hartemink'",
        ),
        ({"method": "mdl"}, InvalidOption, "method='mdl' needs class_column"),
        ({"method": "mdl", "class_column": "q"}, InvalidOption, "no variable 'q'"),
        ({"method": "mdl", "class_column": "x"}, InvalidData, "decimals in the class column 'x'"),
        (
            {"method": "mdl", "class_column": "c", "columns": ["c"]},
            InvalidOption,
            "class_column is 'c', which is also a column to discretise",
        ),
        ({"class_column": "c"}, InvalidOption, "method='quantile' does not use a class"),
        ({"columns": ["q"]}, InvalidOption, "no variable 'q'"),
        ({"columns": "x"}, InvalidOption, "collection of names"),
        ({"columns": ["c"]}, InvalidData, r"has 'u' in column 'c' at row 0 .*not a finite number"),
        (
            {"columns": ["x", "z"], "levels": {"x": ["0.5", "1.5"]}},
            InvalidOption,
            "'x' is to be discretised, but",
        ),
        ({"bins": 1}, InvalidOption, "bins is 1; it must be an integer from 2 to 100000"),
        ({"bins": 2.5}, InvalidOption, "bins is 2.5"),
        ({"bins": 10**9}, InvalidOption, "bins is 1000000000"),
        ({"bins": True}, InvalidOption, "bins is True"),
        ({"bins": {"x": 2}}, InvalidOption, "bins gives no number for column 'z'"),
        ({"bins": {"x": 2, "z": 0}}, InvalidOption, "bins is 0 for 'z'"),
        ({"bins": {"x": 2, "z": 2, "y": 2}}, InvalidOption, "column 'y', which is not discretised"),
        ({"bins": {"x": 2, "z": 2, "q": 2}}, InvalidOption, "column 'q', which does not exist"),
    ],
)
def test_bad_options(options, error, message):
    with pytest.raises(error, match=message):
        discretize(GOOD, **options)


def test_bins_by_column():
    frame = pd.DataFrame({"x": np.arange(12) + 0.5, "z": np.arange(12) + 0.5})
    assert discretize(frame, bins={"x": 2, "z": 4}).arities.tolist() == [2, 4]


@pytest.mark.parametrize("text", ["nan", "inf", "-Infinity", "1e999"])
def test_numbers_must_be_finite(tmp_path, text):
    path = tmp_path / "t.csv"
    path.write_text(f"x\n0.5\n{text}\n")
    with pytest.raises(InvalidData, match=f"has '{text}' in column 'x' at line 3, which is not a finite number"):
        discretize(path)
    assert discretize(path, missing="drop", missing_values=[text], keep_constant=True).m == 1


def test_infinite_floats_are_refused_and_nan_is_missing():
    with pytest.raises(InvalidData, match=r"has 'inf' in column 'x' at row 1 \(counted from 0\)"):
        discretize(pd.DataFrame({"x": [0.5, np.inf]}))
    assert discretize(pd.DataFrame({"x": [0.5, np.nan]}), missing="drop", keep_constant=True).m == 1


def test_many_whole_numbers_are_measurements():
    frame = pd.DataFrame({"age": range(30), "size": [1.5, 2.5] * 15, "grade": [1, 2, 3] * 10, "label": ["a", "b"] * 15})
    data = discretize(frame, method="width", bins=3)
    assert data.arities.tolist() == [3, 2, 3, 2]
    assert data.levels["grade"] == ("1", "2", "3")
    both = discretize(frame, method="width", bins=2, columns=["grade"])
    assert both.levels["grade"] == ("(-inf,2]", "(2,inf)")
    kept = discretize(frame, method="width", bins=3, levels={"age": 30})
    assert len(kept.levels["age"]) == 30
