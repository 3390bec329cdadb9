from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.data.bundled import SETS
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.reading import read_data
from oracles.tables import merge

TEXTS = st.sampled_from(["a", "b", "10", "9", "c"])


def tables(cells=TEXTS, max_columns=4):
    widths = st.integers(1, max_columns)
    return widths.flatmap(lambda n: st.lists(st.tuples(*[cells] * n), min_size=1, max_size=20))


def labels(data):
    """The distinct rows of a data set as strings, with their weights."""
    rows = [
        tuple(data.levels[name][code] for name, code in zip(data.variables, row, strict=True))
        for row in data.codes.tolist()
    ]
    return sorted(zip(rows, data.weights.tolist(), strict=True))


def frame(**columns):
    return pd.DataFrame(columns)


@given(tables())
def test_rows_are_merged(rows):
    data = Dataset.from_array(np.array(rows, dtype=object), keep_constant=True)
    assert labels(data) == merge(rows)
    assert data.codes.tolist() == sorted(data.codes.tolist())
    assert (data.m, data.n) == (len(rows), len(rows[0]))


@pytest.mark.slow
@given(tables(st.sampled_from(["a", "b", None])), st.data())
def test_any_order_of_rows_gives_the_same_data_set(rows, data):
    marked = [(row, data.draw(st.sampled_from([0, 1, "X0", None, ["X0"]]))) for row in rows]
    shuffled = data.draw(st.permutations(marked))
    first, second = (
        Dataset.from_array(
            np.array([row for row, _ in pairs], dtype=object),
            missing="level",
            interventions=[mark for _, mark in pairs],
            keep_constant=True,
        )
        for pairs in (marked, shuffled)
    )
    assert first == second
    assert hash(first) == hash(second)
    assert first.fingerprint == second.fingerprint
    assert np.array_equal(first.codes, second.codes)
    assert np.array_equal(first.weights, second.weights)


def test_different_data_sets_differ():
    base = Dataset.from_array([["a", "x"], ["b", "y"]])
    others = [
        Dataset.from_array([["a", "x"], ["b", "x"]]),
        Dataset.from_array([["a", "x"], ["b", "y"]], ["p", "q"]),
        Dataset.from_array([["a", "x"], ["b", "y"]], levels={"X0": ["b", "a"]}),
        Dataset.from_array([["a", "x"], ["b", "y"]], levels={"X0": ["a", "b", "c"]}),
        Dataset.from_array([["a", "x"], ["b", "y"], ["b", "y"]]),
        Dataset.from_array([["a", "x"], ["b", "y"]], interventions=[1, 0]),
        Dataset.from_array([["a", "x"], ["b", "y"]], interventions=[0, 1]),
    ]
    assert len({base, *others}) == len(others) + 1
    assert base != "a text"


def test_arrays_cannot_be_changed():
    data = Dataset.from_array([[0, 1], [1, 1]], interventions=[1, 0])
    for array in (data.codes, data.weights, data.interventions):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    with pytest.raises(TypeError):
        data.levels["X0"] = ("z",)
    with pytest.raises(AttributeError):
        data.dropped = 3


def test_arrays_are_contiguous_and_of_the_right_type():
    data = Dataset.from_array(np.arange(256).reshape(-1, 1))
    assert (data.codes.dtype, data.weights.dtype, data.arities.dtype) == (np.uint8, np.int64, np.int64)
    assert Dataset.from_array(np.arange(257).reshape(-1, 1)).codes.dtype == np.uint32
    zeros = Dataset.from_array(np.zeros((5, 3), dtype=int), keep_constant=True)
    assert zeros.select(["X2", "X0"]).codes.flags.c_contiguous


def test_given_arrays_are_not_kept():
    codes, weights, marks = (
        np.array([[0], [1]], dtype=np.uint8),
        np.array([1, 2]),
        np.array([[True], [False]]),
    )
    data = Dataset.from_codes(codes, {"a": ["x", "y"]}, weights=weights, interventions=marks)
    codes[:], weights[:], marks[:] = 0, 9, False
    assert (data.codes.tolist(), data.weights.tolist(), data.interventions.tolist()) == (
        [[0], [1]],
        [1, 2],
        [[True], [False]],
    )


def test_pickling():
    data = Dataset.from_array([[0, None], [1, 1]], missing="level", interventions=[1, 0])
    again = pickle.loads(pickle.dumps(data))
    assert again == data
    assert again.missing == data.missing
    assert not again.codes.flags.writeable


@pytest.mark.parametrize(
    ("cells", "expected"),
    [
        (["10", "9", "-1"], ("-1", "9", "10")),
        (["2", "1.0", "1", "1e1"], ("1", "1.0", "2", "1e1")),
        (["10", "9", "x"], ("10", "9", "x")),
        (["b", "B", "a"], ("B", "a", "b")),
        ([str(2**60 + 1), str(2**60)], (str(2**60), str(2**60 + 1))),
        (["only", "only"], ("only",)),
    ],
)
def test_observed_levels(cells, expected):
    assert Dataset.from_frame(frame(x=cells), keep_constant=True).levels["x"] == expected


def test_one_row_is_enough():
    assert Dataset.from_array([[1, 2]], keep_constant=True).m == 1


def test_declared_levels_keep_their_order_and_may_be_unobserved():
    data = Dataset.from_frame(frame(x=["b", "a"], y=[1.0, 2.0]), levels={"x": ["c", "b", "a"], "y": [2, 1]})
    assert dict(data.levels) == {"x": ("c", "b", "a"), "y": ("2", "1")}
    assert data.codes.tolist() == [[1, 1], [2, 0]]


def test_a_number_of_levels():
    data = Dataset.from_frame(frame(x=["1.0", "0"], y=[2, 0]), levels={"x": 2, "y": np.int64(4)})
    assert dict(data.levels) == {"x": ("0", "1"), "y": ("0", "1", "2", "3")}
    assert data.codes.tolist() == [[0, 0], [1, 2]]


def test_declared_levels_may_name_the_missing_cells():
    data = Dataset.from_frame(frame(x=["y", "?", "n"]), missing="level", levels={"x": ["?", "n", "y"]})
    assert data.levels["x"] == ("?", "n", "y")
    assert data.weights.tolist() == [1, 1, 1]


def test_declared_levels_may_be_decimals():
    assert Dataset.from_frame(frame(x=[0.5, 1.5]), levels={"x": ["0.5", "1.5"]}).levels["x"] == ("0.5", "1.5")


@pytest.mark.parametrize(
    ("levels", "error", "message"),
    [
        (
            {"x": ["a"]},
            InvalidData,
            r"has 'b' in column 'x' at row 1 \(counted from 0\), which is not among .* 'a'",
        ),
        ({"x": 3}, InvalidData, "has 'a' in column 'x'"),
        ({"y": 2}, InvalidData, r"has '2' in column 'y' at row 1 .*declared levels '0', '1'"),
        ({"x": ["a", "b", "a"]}, InvalidOption, "declares 'a' more than once for 'x'"),
        ({"y": [2, 2.0]}, InvalidOption, "declares '2' more than once"),
        ({"z": ["a"]}, InvalidOption, "levels declares 'z', which is not a variable"),
        ({"x": []}, InvalidOption, "no level for 'x'"),
        ({"x": 0}, InvalidOption, "levels has 0 for 'x'"),
        ({"x": "ab"}, InvalidOption, "levels has 'ab' for 'x'"),
        ({"x": True}, InvalidOption, "levels has True for 'x'"),
        ({"x": 1.5}, InvalidOption, "levels has 1.5 for 'x'"),
    ],
)
def test_bad_levels(levels, error, message):
    with pytest.raises(error, match=message):
        Dataset.from_frame(frame(x=["a", "b"], y=[0, 2]), levels=levels)


def test_declared_arities_of_real_data(shared_data):
    declared = json.loads((shared_data / "sets" / "gobnilp_water_1000.arities.json").read_text())
    path = shared_data / "sets" / "gobnilp_water_1000.csv.gz"
    data = read_data(path, levels=declared)
    assert data.arities.tolist() == list(declared.values())
    assert sum(data.arities != read_data(path, keep_constant=True).arities) == 22


def test_decimals_must_be_discretised():
    with pytest.raises(InvalidData, match=r"decimals in column 'x' \(such as '1.5' at row 1 .*: use discretize\(\)"):
        Dataset.from_frame(frame(x=[1.0, 1.5]))


MISSING = frame(a=["x", None, "y", "x"], b=["?", "1", "2", "1"])


def test_missing_cells_are_an_error_by_default():
    message = r"has 2 missing cells, the first in column 'b' at row 0 .*missing='level'.*missing='drop'"
    with pytest.raises(InvalidData, match=message):
        Dataset.from_frame(MISSING)


def test_missing_cells_as_a_level():
    data = Dataset.from_frame(MISSING, missing="level")
    assert dict(data.levels) == {"a": ("x", "y", "?"), "b": ("1", "2", "?")}
    assert dict(data.missing) == {"a": 1, "b": 1}
    assert (data.m, data.dropped) == (4, 0)


def test_the_level_of_missing_cells_gets_a_name_of_its_own():
    cells = ["?", "(missing)", "NA"]
    data = Dataset.from_frame(frame(x=[*cells[:1], "NA"]), missing="level", missing_values=["NA"])
    assert data.levels["x"] == ("?", "(missing)")
    data = Dataset.from_frame(frame(x=cells), missing="level", missing_values=["NA"])
    assert data.levels["x"] == ("(missing)", "?", "(missing 2)")


def test_rows_with_missing_cells_can_be_dropped():
    data = Dataset.from_frame(MISSING, missing="drop", interventions=["b", "a", "a", 0])
    assert (data.m, data.dropped, dict(data.missing)) == (2, 2, {"a": 1, "b": 1})
    assert labels(data) == [(("x", "1"), 1), (("y", "2"), 1)]
    assert data.interventions.tolist() == [[False, False], [True, False]]


def test_dropped_rows_leave_no_levels_behind():
    data = Dataset.from_frame(frame(a=["1.5", "2", "3"], b=[None, "x", "y"]), missing="drop")
    assert data.levels["a"] == ("2", "3")


def test_dropping_every_row_is_an_error():
    with pytest.raises(InvalidData, match="a missing cell in every row"):
        Dataset.from_frame(frame(a=["x", None, "z", None], b=[None, "y", None, "w"]), missing="drop")


def test_missing_must_be_a_known_choice():
    with pytest.raises(InvalidOption, match="missing is 'ignore'; it must be 'error', 'level', 'drop' or 'keep'"):
        Dataset.from_frame(frame(a=["x"]), missing="ignore")


def test_votes():
    path = SETS / "votes.csv"
    with pytest.raises(InvalidData, match=r"has 392 missing cells, the first in column '.*' at line 2"):
        read_data(path)
    dropped = read_data(path, missing="drop")
    assert (dropped.m, dropped.dropped) == (232, 203)
    assert read_data(path, missing="level").arities.tolist() == [3] * 16 + [2]


THREE = frame(a=["x", "y", "x", "y"], b=["0", "1", "1", "0"], c=["u", "u", "v", "v"])


@pytest.mark.parametrize(
    "entries",
    [
        [0, "a", "a;c", 3],
        ["", "1", " a ; c ", "3.0"],
        [None, 1, ("a", "c"), "c"],
        ["none", 1.0, {"c", "a"}, ["c"]],
        ["-", np.int64(1), frozenset({"a", "c"}), "c;"],
        [(), ["a"], ["a", "c"], {"c"}],
        pd.Series([None, "a", "a;c", "c"]),
        np.array([[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]], dtype=bool),
        [[False, False, False], [True, False, False], [True, False, True], [False, False, True]],
    ],
)
def test_interventions(entries):
    data = Dataset.from_frame(THREE, interventions=entries)
    marks = {tuple(row): mark for row, mark in zip(data.codes.tolist(), data.interventions.tolist(), strict=True)}
    assert marks == {
        (0, 0, 0): [False, False, False],
        (1, 1, 0): [True, False, False],
        (0, 1, 1): [True, False, True],
        (1, 0, 1): [False, False, True],
    }


def test_interventions_in_an_array_of_numbers():
    data = Dataset.from_array([["x", "u"], ["y", "v"], ["z", "w"]], interventions=np.array([0, 2, 1]))
    assert data.interventions.tolist() == [[False, False], [False, True], [True, False]]


def test_a_column_of_interventions_is_no_variable():
    data = Dataset.from_frame(THREE.assign(INT=[None, 1, "b", "0"])[["INT", "a", "b", "c"]], interventions="INT")
    assert data.variables == ("a", "b", "c")
    assert sum(data.missing.values()) == 0
    assert data.interventions.sum(axis=0).tolist() == [1, 1, 0]


def test_a_name_comes_before_whatever_else_an_entry_may_mean():
    odd = pd.DataFrame([["x"] * 4, ["y"] * 4], columns=["2", "a;b", "none", "0"])
    for entry, column in [("2", 0), ("a;b", 1), ("none", 2), ("0", 3), ("none;2", 2)]:
        marks = Dataset.from_frame(odd, interventions=[entry, "-"]).interventions
        assert marks[0, column]
        assert marks[1].tolist() == [False] * 4


def test_rows_are_merged_only_within_the_same_interventions():
    data = Dataset.from_array([["x"], ["x"], ["x"]], interventions=[0, 1, 1], keep_constant=True)
    assert data.weights.tolist() == [1, 2]
    assert data.interventions.tolist() == [[False], [True]]


def test_interventions_that_set_nothing_are_none():
    assert Dataset.from_array([["x"], ["y"]], interventions=[0, None]).interventions is None


@pytest.mark.parametrize(
    ("entries", "error", "message"),
    [
        (["a", "d", 0, 0], InvalidData, r"has 'd' as an intervention at row 1 \(counted from 0\)"),
        ([0, 0, "a;e", 0], InvalidData, "has 'e' as an intervention at row 2"),
        ([0, 0, 0, 4], InvalidData, "has '4' as an intervention at row 3.* its number from 1 to 3"),
        ([0, 0, 0, -1], InvalidData, "has '-1'"),
        ([0, 0, 0, 1.5], InvalidData, "has '1.5'"),
        ([True, False, True, True], InvalidData, "has 'True'"),
        ([0, 0], InvalidOption, "of length 2; .* each of the 4 rows"),
        (7, InvalidOption, "interventions is 7"),
        ("INT", InvalidOption, "'INT', which is not a column"),
        (np.zeros((4, 2), dtype=bool), InvalidOption, r"shape \(4, 2\)"),
        (np.zeros((4, 3), dtype=int), InvalidOption, "type int64"),
    ],
)
def test_bad_interventions(entries, error, message):
    with pytest.raises(error, match=message):
        Dataset.from_frame(THREE, interventions=entries)


def test_the_only_column_cannot_be_the_interventions():
    with pytest.raises(InvalidData, match="no columns"):
        Dataset.from_frame(frame(INT=[0, 0]), interventions="INT")


def test_sachs(shared_data):
    data = read_data(shared_data / "sets" / "sachs_interventional.csv.gz", interventions="INT")
    assert (data.n, data.m, data.arities.tolist()) == (11, 5400, [3] * 11)
    counts = dict(zip(data.variables, (data.weights @ data.interventions).tolist(), strict=True))
    assert {name: count for name, count in counts.items() if count} == {
        "Mek": 600,
        "PIP2": 600,
        "Akt": 600,
        "PKA": 600,
        "PKC": 1200,
    }
    assert data.weights[~data.interventions.any(axis=1)].sum() == 1800


@given(tables(), st.data())
def test_selecting_variables(rows, data):
    names = [f"v{i}" for i in range(len(rows[0]))]
    marks = [1] + [0] * (len(rows) - 1)
    whole = Dataset.from_array(np.array(rows, dtype=object), names, interventions=marks, keep_constant=True)
    chosen = data.draw(st.lists(st.sampled_from(names), unique=True, min_size=1))
    part = whole.select(chosen)
    indices = [names.index(name) for name in chosen]
    assert part.variables == tuple(chosen)
    assert part.m == whole.m
    merged = {}
    for row, weight in labels(part):
        merged[row] = merged.get(row, 0) + weight
    assert sorted(merged.items()) == merge([[row[i] for i in indices] for row in rows])
    assert (part.interventions is not None) == ("v0" in chosen)


def test_bad_selections():
    data = Dataset.from_array([[1, 2], [2, 1]], ["a", "b"])
    with pytest.raises(InvalidOption, match="no variable 'c'"):
        data.select(["a", "c"])
    with pytest.raises(InvalidOption, match="more than once"):
        data.select(["a", "a"])
    with pytest.raises(InvalidData, match="no columns"):
        data.select([])


@pytest.mark.slow
@given(tables())
def test_frames_and_back(rows):
    data = Dataset.from_array(np.array(rows, dtype=object), levels={"X0": ["c", "b", "a", "9", "10", "unseen"]})
    assert Dataset.from_frame(data.to_frame()) == data
    short = data.to_frame(expand=False)
    assert short["weight"].tolist() == data.weights.tolist()
    assert short.shape == (len(set(rows)), data.n + 1)


def test_the_weight_column_gets_out_of_the_way():
    data = Dataset.from_array([[1, 2], [2, 1]], ["weight", "weight_"])
    assert data.to_frame(expand=False).columns.tolist() == ["weight", "weight_", "weight__"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"codes": [[2]]}, "the codes of 'a' run from 2 to 2; it has 2 levels"),
        ({"codes": [[-1]]}, "run from -1"),
        ({"codes": [[0.5]]}, "array of integers with 1 column"),
        ({"codes": [[0, 1]]}, "array of integers with 1 column"),
        ({"codes": np.zeros((0, 1), dtype=int)}, "no rows"),
        ({"levels": {"a": ["x", "x"]}}, "levels of 'a' are not distinct"),
        ({"levels": {}, "codes": [[]]}, "no columns"),
        ({"weights": [0]}, "1 positive integers"),
        ({"weights": [1, 1]}, "1 positive integers"),
        ({"weights": [2**32]}, "4294967296 rows; the limit is 4294967295"),
        ({"interventions": [[1]]}, "boolean array of the same shape"),
    ],
)
def test_bad_codes(options, message):
    arguments = {"codes": [[1]], "levels": {"a": ["x", "y"]}, **options}
    with pytest.raises(InvalidData, match=message):
        Dataset.from_codes(**arguments)


def test_as_many_rows_as_the_limit_allows():
    assert Dataset.from_codes([[0]], {"a": ["x"]}, weights=[2**32 - 1]).m == 2**32 - 1


@pytest.mark.slow
def test_a_million_levels():
    cells = np.random.default_rng(0).permutation(1_000_000).reshape(-1, 1)
    data = Dataset.from_array(cells)
    assert data.codes.dtype == np.uint32
    assert data.levels["X0"][123_456] == "123456"
    assert np.array_equal(data.codes[:, 0], np.arange(1_000_000))


def test_repr_is_short():
    data = Dataset.from_array([[0, 1], [0, 1]], keep_constant=True)
    assert repr(data) == "Dataset(2 variables, 2 rows, 1 of them distinct)"


def test_notebooks_show_a_summary_of_the_variables():
    rng = np.random.default_rng(1)
    data = Dataset.from_array(rng.integers(0, 2, (40, 30)), ["<a>", *(f"v{i}" for i in range(29))])
    page = data._repr_html_()
    assert page.startswith("<p><code>Dataset(30 variables, 40 rows, 40 of them distinct)</code></p>")
    assert "&lt;a&gt;" in page
    assert "<a>" not in page
    assert "more rows</p>" in page
