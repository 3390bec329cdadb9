"""Mixed tables: which columns are numbers and which have levels, missing cells, weights, experiments, and order."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.data.kinds.decisions import Wishes
from dagscape.data.mixed.converting import (
    dataset_from_mixed,
    mixed_from_dataset,
    mixed_from_numeric,
    numeric_from_mixed,
)
from dagscape.data.mixed.mixed import MixedData, mixed_from_table
from dagscape.data.resampling import resampled
from dagscape.data.tables.frames import table_from_frame
from dagscape.scores.randomised import randomised_data

FRAME = pd.DataFrame({"height": [1.5, 2.5, 0.5, 3.5], "colour": ["red", "blue", "red", "green"], "b": [1.0, 4, 2, 3.5]})

SURVEY = pd.DataFrame(
    {
        "id": np.arange(60),
        "age": 20 + np.arange(60) * 7 % 47,
        "children": np.arange(60) % 4,
        "sex": ["f", "m"] * 30,
        "note": [f"the person number {i} said nothing" for i in range(60)],
        "joined": pd.date_range("2020-01-01", periods=60, freq="17D"),
        "site": ["main"] * 60,
    }
)


def of_frame(frame, **options):
    return mixed_from_table(table_from_frame(frame, dates=True), **options)


def test_a_table_has_numbers_and_levels():
    data = MixedData.from_frame(FRAME)
    assert data.variables == ("height", "colour", "b")
    assert (data.n, data.m) == (3, 4)
    assert data.discrete == ("colour",)
    assert data.measured == ("height", "b")
    assert data.is_discrete.tolist() == [False, True, False]
    assert data.level_counts == (0, 3, 0)
    assert dict(data.levels) == {"colour": ("blue", "green", "red")}
    assert dict(data.types) == {"colour": "text"}
    assert data.values.tolist() == [[0.5, 2.0, 2.0], [1.5, 2.0, 1.0], [2.5, 0.0, 4.0], [3.5, 1.0, 3.5]]
    assert not data.has_missing
    assert data.interventions is None


def test_columns_are_told_apart_by_what_they_hold():
    with pytest.warns(ds.AutomaticReading) as issued:
        data = MixedData.from_frame(SURVEY)
    assert data.measured == ("age",)
    assert dict(data.levels) == {"children": ("0", "1", "2", "3"), "sex": ("f", "m")}
    assert data.types["children"] == "integer"
    assert data.guessed == ("children",)
    assert data.set_aside.keys() == {"id", "note", "joined", "site"}
    (said,) = (str(warning.message) for warning in issued)
    assert said.startswith("the numbers of 'children' are levels; 'id' is set aside: it looks like an identifier: ")
    assert "'note' is set aside: it looks like free text" in said
    assert "'joined' is set aside: it looks like a date" in said
    assert said.endswith(" (nominal, numeric and ignore overrule this)")


def test_what_is_said_of_the_data_is_kept_with_scores():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = ds.local_scores(MixedData.from_frame(SURVEY), score="dg-bge").info
    assert found.warnings[0].startswith("automatic reading: the numbers of 'children' are levels; ")


def test_the_user_overrules():
    wished = {"nominal": ["id"], "numeric": ["children"], "ignore": ["note", "joined"]}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = MixedData.from_frame(SURVEY, **wished)
    assert data.measured == ("age", "children")
    assert data.discrete == ("id", "sex")
    assert len(data.levels["id"]) == 60
    assert data.set_aside["note"] == "is to be ignored"
    assert data.set_aside["site"] == "has the same value, 'main', in every row"
    assert data.guessed == ()


def test_decimals_may_be_levels_in_ascending_order():
    frame = pd.DataFrame({"dose": [10.5, 2.0, 2.0, 10.5, 0.5], "x": [1.5, 2.5, 3.5, 4.5, 0.5]})
    data = MixedData.from_frame(frame, nominal=["dose"])
    assert data.levels["dose"] == ("0.5", "2.0", "10.5")
    assert data.values[:, 0].tolist() == [0.0, 1.0, 1.0, 2.0, 2.0]
    assert data.guessed == ()


def test_a_few_decimals_are_levels_unless_somebody_knows_better():
    frame = pd.DataFrame({"dose": [0.5, 1.0, 2.0] * 20, "x": np.arange(60) / 7})
    assert of_frame(frame).levels["dose"] == ("0.5", "1.0", "2.0")
    assert of_frame(frame).guessed == ("dose",)
    assert of_frame(frame, wishes=Wishes(numeric=("dose",))).measured == ("dose", "x")


def test_declared_levels_and_categories_are_discrete():
    frame = pd.DataFrame(
        {"x": [0.5, 1.5, 2.5], "k": [1, 2, 1], "grade": pd.Categorical(["b", "a", "b"], ["c", "b", "a"])}
    )
    data = MixedData.from_frame(frame, levels={"k": [1, 2, 3]})
    assert dict(data.levels) == {"k": ("1", "2", "3"), "grade": ("c", "b", "a")}
    with pytest.raises(ds.InvalidData, match="has categories in column 'grade', not numbers"):
        MixedData.from_frame(frame, numeric=["grade"])


def test_percentages_are_measured():
    frame = pd.DataFrame({"share": [f"{i * 3 % 31}.5%" for i in range(40)], "group": ["a", "b"] * 20})
    data = MixedData.from_frame(frame)
    assert data.measured == ("share",)
    assert data.values[:, 0].min() == 0.5


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"nominal": ["x"], "numeric": ["x"]}, ds.InvalidOption, "numeric holds 'x', which is also in nominal"),
        ({"nominal": ["z"]}, ds.InvalidOption, "has no column 'z'"),
        ({"numeric": ["colour"]}, ds.InvalidData, "has 'red' in column 'colour' .*, which is not a number"),
        ({"missing": "zero"}, ds.InvalidOption, "missing is 'zero'; it must be"),
        ({"columns": ["colour"], "levels": {"x": 2}}, ds.InvalidOption, "declares 'x', which is not a variable"),
        ({"drop": ["height", "colour", "b"]}, ds.InvalidOption, "drop leaves no column"),
    ],
)
def test_wrong_options_are_refused(options, error, words):
    with pytest.raises(error, match=words):
        MixedData.from_frame(FRAME, **options)


def test_a_table_without_a_possible_variable_is_refused():
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(30)]})
    with pytest.raises(
        ds.InvalidData, match=r"no column that could be a variable: .*, or numeric, whose cells are numbers"
    ):
        MixedData.from_frame(frame)
    with pytest.raises(ds.InvalidData, match="constant columns only"):
        MixedData.from_frame(pd.DataFrame({"a": [1.5, 1.5], "b": ["x", "x"]}))
    kept = MixedData.from_frame(pd.DataFrame({"a": [1.5, 1.5], "b": ["x", "x"]}), numeric=["a"], keep_constant=True)
    assert kept.level_counts == (0, 1)


HOLES = pd.DataFrame(
    {"height": [1.5, None, 0.5, 3.5, 9.5], "colour": ["red", "blue", None, "green", "red"], "b": [1.5, 4, 2, 3.5, None]}
)


def test_missing_cells_are_an_error_that_says_what_to_do():
    with pytest.raises(ds.InvalidData, match=r"3 missing cells.*use missing='keep' to .*or missing='drop'"):
        MixedData.from_frame(HOLES)
    discrete = pd.DataFrame({"colour": ["red", None, "blue", "red"], "b": [0.5, 1.5, 2.5, 3.5]})
    with pytest.raises(ds.InvalidData, match="use missing='level' to make it a level of its own"):
        MixedData.from_frame(discrete)
    assert MixedData.from_frame(discrete, missing="level").levels["colour"] == ("blue", "red", "?")
    words = r"has 2 missing cells in the measured columns 'height', 'b', which have no levels: use missing='drop'"
    with pytest.raises(ds.InvalidData, match=words):
        MixedData.from_frame(HOLES, missing="level")


def test_rows_with_missing_cells_are_dropped_or_kept():
    dropped = MixedData.from_frame(HOLES, missing="drop")
    assert (dropped.m, dropped.dropped) == (2, 3)
    assert dict(dropped.missing) == {"height": 1, "colour": 1, "b": 1}
    # The level of dropped rows is gone.
    assert dropped.levels["colour"] == ("green", "red")
    kept = MixedData.from_frame(HOLES, missing="keep")
    assert kept.has_missing
    assert kept.levels["colour"] == ("blue", "green", "red")
    assert np.isnan(kept.values).sum() == 3
    assert repr(kept) == "MixedData(3 variables, 2 of them measured, 5 rows, 3 missing cells)"
    with pytest.raises(ds.InvalidData, match="missing cells, which the score 'dg' cannot use"):
        ds.local_scores(kept, score="dg")


def test_a_column_that_is_set_aside_costs_no_rows():
    frame = FRAME.assign(empty=[None] * 4, same=["x", None, "x", "x"], one=[2.5, None, 2.5, 2.5])
    data = MixedData.from_frame(frame, missing="drop", numeric=["one"])
    assert (data.m, data.dropped) == (4, 0)
    assert data.set_aside == {
        "empty": "has missing cells only",
        "same": "has the same value, 'x', in every row",
        "one": "has the same value, '2.5', in every row",
    }


def test_weights_repeat_rows():
    frame = FRAME.assign(count=[2, 0, 1, 3])
    data = MixedData.from_frame(frame, weights="count")
    assert (data.m, data.weighted_by) == (6, "count")
    assert data.level_counts == (0, 2, 0)
    repeated = MixedData.from_frame(FRAME.loc[np.repeat(np.arange(4), [2, 0, 1, 3])])
    assert data == repeated


def test_experiments_mark_cells():
    frame = FRAME.assign(INT=["", "colour", "height;b", ""])
    data = MixedData.from_frame(frame, interventions="INT")
    marks = {tuple(row): mark for row, mark in zip(data.values.tolist(), data.interventions.tolist(), strict=True)}
    assert marks[(2.5, 0.0, 4.0)] == [False, True, False]
    assert marks[(0.5, 2.0, 2.0)] == [True, False, True]
    assert data.experimental_rows == 2
    assert MixedData.from_frame(FRAME, randomised=["colour"]).interventions[:, 1].all()
    randomised = randomised_data(data, ["b"])
    assert randomised.interventions[:, 2].all()
    assert sorted(map(tuple, randomised.values.tolist())) == sorted(map(tuple, data.values.tolist()))
    holes = frame.assign(colour=["red", None, "red", "green"])
    with pytest.raises(ds.InvalidData, match="has no value of 'colour' in row 2, where an experiment set it"):
        MixedData.from_frame(holes, interventions="INT", missing="keep")


cells = st.tuples(
    st.sampled_from([0.5, 1.5, -2.0, 7.25]), st.sampled_from(["a", "b", "c"]), st.sampled_from([3.5, 4.5])
)


@settings(max_examples=40)
@given(st.lists(cells, min_size=2, max_size=8), st.randoms(use_true_random=False))
def test_any_order_of_rows_gives_the_same_data(rows, random):
    shuffled = list(rows)
    random.shuffle(shuffled)
    options = {"wishes": Wishes(numeric=("x", "z")), "keep_constant": True}
    first, second = (of_frame(pd.DataFrame(table, columns=["x", "y", "z"]), **options) for table in (rows, shuffled))
    assert first == second
    assert hash(first) == hash(second)
    assert first.values.tobytes() == second.values.tobytes()
    names = dict(enumerate(first.levels["y"]))
    assert sorted((x, names[y], z) for x, y, z in first.values.tolist()) == sorted(rows)


def test_what_differs_is_not_equal():
    data = MixedData.from_frame(FRAME)
    assert data != MixedData.from_frame(FRAME.replace({"colour": {"red": "rot"}}))
    assert data != MixedData.from_frame(FRAME, randomised=["b"])
    assert data != MixedData.from_frame(FRAME, levels={"colour": ["blue", "green", "red", "white"]})
    assert data != 3
    numeric = ds.NumericData.from_frame(FRAME, columns=["height", "b"])
    assert mixed_from_numeric(numeric) != numeric


def test_variables_can_be_selected_and_dropped():
    data = MixedData.from_frame(FRAME.assign(INT=["", "colour", "b", ""]), interventions="INT")
    part = data.select(["colour", "height"])
    assert part.variables == ("colour", "height")
    assert part.values.tolist() == [[0.0, 2.5], [1.0, 3.5], [2.0, 0.5], [2.0, 1.5]]
    assert part.interventions.tolist() == [[True, False], [False, False], [False, False], [False, False]]
    assert data.drop(["b"]) == data.select(["height", "colour"])
    with pytest.raises(ds.InvalidOption, match="there is no variable 'heigth'; did you mean 'height'"):
        data.select(["heigth"])
    with pytest.raises(ds.InvalidOption, match="variables is empty"):
        data.select([])
    with pytest.raises(ds.InvalidOption, match="variables is the string 'b'"):
        data.drop("b")


def test_frames_and_pickles_give_the_data_back():
    data = MixedData.from_frame(HOLES.assign(k=[1, 2, 2, 1, 1]), missing="keep")
    frame = data.to_frame()
    assert frame["height"].dtype == np.float64
    assert frame["k"].cat.categories.tolist() == [1, 2]
    assert MixedData.from_frame(frame, missing="keep") == data
    copied = pickle.loads(pickle.dumps(data))
    assert copied == data
    assert (copied.missing, copied.types) == (data.missing, data.types)
    assert not data.values.flags.writeable
    with pytest.raises(ds.InvalidOption, match=r"MixedData\(\) does not take a DataFrame"):
        MixedData(FRAME)


def test_data_of_other_kinds_become_mixed_and_return():
    discrete = ds.load_dataset("iris")
    assert dataset_from_mixed(mixed_from_dataset(discrete)) == discrete
    numeric = ds.NumericData.from_frame(FRAME, columns=["height", "b"])
    assert numeric_from_mixed(mixed_from_numeric(numeric)) == numeric
    marked = ds.Dataset.from_array([[0, 1, ""], [1, 0, "X0"], [1, 0, ""]], interventions="X2")
    assert dataset_from_mixed(mixed_from_dataset(marked)) == marked
    holes = ds.Dataset.from_array([["a", "x"], [None, "y"], ["b", "x"]], missing="keep")
    assert dataset_from_mixed(mixed_from_dataset(holes)) == holes
    with pytest.raises(ds.InvalidData, match="'colour' has levels, not numbers: leave it out with drop"):
        ds.local_scores(MixedData.from_frame(FRAME), score="bge")
    with pytest.raises(
        ds.InvalidOption, match=r"is a MixedData; it must be discrete: .*, or use a score of mixed tables"
    ):
        ds.local_scores(MixedData.from_frame(FRAME))
    with pytest.raises(ds.InvalidOption, match="must be a MixedData: use read_data"):
        ds.local_scores([[1.0]], score="dg")


def test_a_file_is_read_as_a_mixed_table(tmp_path):
    path = tmp_path / "survey.csv"
    SURVEY.to_csv(path, index=False)
    with pytest.warns(ds.AutomaticReading):
        read = ds.read_data(path, kind="mixed", drop=["joined"])
    assert read == of_frame(SURVEY.drop(columns="joined"))
    assert read.source == "survey.csv"
    with pytest.raises(ds.InvalidOption, match="discretize is for discrete data; kind='mixed' takes measured columns"):
        ds.read_data(path, kind="mixed", discretize="auto")
    assert ds.read_data("builtin:iris", kind="mixed").discrete == ("class",)


def test_text_that_mixes_numbers_and_words_is_set_aside_with_the_reason():
    frame = pd.DataFrame({"size": [*(f"{i}.5" for i in range(40)), "unknown"], "x": np.arange(41) / 8})
    with pytest.warns(
        ds.AutomaticReading, match="'size' is set aside: it is no column of numbers: it mixes numbers with"
    ):
        MixedData.from_frame(frame)


def test_resampled_rows_are_rows_of_the_data():
    data = MixedData.from_frame(SURVEY[["age", "sex"]])
    sample = resampled(data, np.random.default_rng(1))
    assert (sample.m, sample.levels) == (data.m, data.levels)
    assert {tuple(row) for row in sample.values.tolist()} < {tuple(row) for row in data.values.tolist()}
    assert sample.values.tolist() == sorted(sample.values.tolist())


def test_real_tables(shared_data):
    """The numbers of the codebook are levels; nothing is cut."""
    folder = shared_data / "continuous"
    with pytest.warns(ds.AutomaticReading, match="the numbers of 'cylinders', 'origin' are levels"):
        cars = ds.read_data(folder / "mixed_auto_mpg.txt.gz", kind="mixed", separator="\t")
    assert (cars.m, cars.n, cars.discrete) == (392, 8, ("cylinders", "origin"))
    assert cars.levels["cylinders"] == ("3", "4", "5", "6", "8")
    with pytest.warns(ds.AutomaticReading, match=r"'A2' is set aside: it is no column of numbers: .* with '\*'"):
        ds.read_data(folder / "mixed_credit_approval.txt.gz", kind="mixed", separator="\t")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ds.AutomaticReading)
        options = {"separator": "\t", "missing": "drop", "missing_values": ["*"]}
        credit = ds.read_data(folder / "mixed_credit_approval.txt.gz", kind="mixed", **options)
    assert (credit.m, credit.dropped) == (653, 37)
    assert credit.measured == ("A2", "A3", "A8", "A11", "A14", "A15")
