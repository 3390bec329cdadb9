"""Rows that count as often as a column says: the data are those of the table in which each is repeated."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from dagscape.data.discrete.cut_rules import _LARGEST_TABLE, cut_by_mdl
from dagscape.data.tables.frames import table_from_frame
from dagscape.data.tables.weights import weighted

# Admissions to the graduate school of Berkeley in 1973, as in R (UCBAdmissions): departments A and B.
ADMISSIONS = pd.DataFrame(
    {
        "Admit": ["Admitted", "Rejected"] * 4,
        "Gender": ["Male", "Male", "Female", "Female"] * 2,
        "Dept": ["A"] * 4 + ["B"] * 4,
        "Freq": [512, 313, 89, 19, 353, 207, 17, 8],
    }
)


# The whole table: its counts are so many that they are cut.
COUNTS = [512, 313, 89, 19, 353, 207, 17, 8, 120, 205, 202, 391, 138, 279, 131, 244, 53, 138, 94, 299, 22, 351, 24, 317]
WHOLE = pd.DataFrame(
    {
        "Admit": ["Admitted", "Rejected"] * 12,
        "Gender": ["Male", "Male", "Female", "Female"] * 6,
        "Dept": np.repeat([*"ABCDEF"], 4),
        "Freq": COUNTS,
    }
)


def repeated(frame, counts):
    return frame.loc[frame.index.repeat(counts)].reset_index(drop=True)


@st.composite
def weighted_frames(draw):
    rows = draw(st.integers(1, 12))
    cell = st.sampled_from(["a", "b", "c", None])
    counts = draw(st.lists(st.integers(0, 4), min_size=rows, max_size=rows).filter(any))
    frame = pd.DataFrame(
        {
            "x": draw(st.lists(cell, min_size=rows, max_size=rows)),
            "y": draw(st.lists(st.sampled_from([0.5, 1.5, 2.25, 4.75]), min_size=rows, max_size=rows)),
            "k": draw(st.lists(st.sampled_from(["u", "v"]), min_size=rows, max_size=rows)),
            "set": draw(st.lists(st.sampled_from(["", "k"]), min_size=rows, max_size=rows)),
        },
        dtype=object,
    ).astype({"y": float})
    return frame, counts


@pytest.mark.filterwarnings("ignore:'k' was set in every row:dagscape.core.errors.SuspiciousColumns")
@given(
    weighted_frames(),
    st.sampled_from(["level", "drop", "keep"]),
    st.sampled_from(["quantile", "width", "mdl", "hartemink"]),
)
def test_weights_mean_repeated_rows(case, missing, method):
    """So do missing cells, interventions, cuts, and all that is known of the data."""
    frame, counts = case
    options = {"missing": missing, "interventions": "set", "method": method, "keep_constant": True}
    options |= {"class_column": "k"} if method == "mdl" else {}

    def made(table, **more):
        try:
            return ds.discretize(table, **options, **more)
        except ds.InvalidData as error:
            return str(error).split(": ")[0].split(", so")[0]

    expected, found = made(repeated(frame, counts)), made(frame.assign(n=counts), weights="n")
    assert found == expected == made(frame, weights=counts)
    if isinstance(expected, ds.Dataset):
        assert (found.missing, found.dropped, found.set_aside) == (
            expected.missing,
            expected.dropped,
            expected.set_aside,
        )
        assert found.discretizer.fitted == expected.discretizer.fitted
        assert found.describe() == ds.discretize(repeated(frame, counts), **options).describe() or found.weighted_by


@given(
    st.lists(st.tuples(*[st.integers(0, 6)] * 3, st.integers(0, 3)), min_size=4, max_size=14).filter(
        lambda rows: any(row[3] for row in rows)
    )
)
def test_intervals_are_merged_as_in_repeated_rows(rows):
    frame = pd.DataFrame([row[:3] for row in rows], columns=["x", "y", "z"])
    counts = [row[3] for row in rows]
    options = {"method": "hartemink", "bins": 2, "columns": ["x", "y"], "keep_constant": True}
    expected = ds.discretize(repeated(frame, counts), **options)
    found = ds.discretize(frame, weights=counts, **options)
    assert found.discretizer.fitted == expected.discretizer.fitted
    assert found == expected


def test_weights_decide_which_intervals_are_merged():
    """A column whose rows are nearly unique, but not if counted, is no identifier for the merging either."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=40).round(2)
    frame = pd.DataFrame({"x": x, "y": (x + rng.normal(size=40)).round(2), "k": [f"k{i % 25}" for i in range(40)]})
    counts = rng.integers(1, 30, 40)
    options = {"method": "hartemink", "bins": 3, "columns": ["x", "y"]}
    expected = ds.discretize(repeated(frame, counts), **options)
    assert ds.discretize(frame, weights=counts, **options) == expected
    assert ds.discretize(frame, **options).discretizer.cuts["x"].tolist() != expected.discretizer.cuts["x"].tolist()


@given(weighted_frames())
def test_numbers_are_repeated(case):
    frame, counts = case
    numbers = frame[["y"]].assign(z=np.arange(len(frame)) % 3)
    expected = ds.NumericData.from_frame(repeated(numbers, counts), keep_constant=True)
    found = ds.NumericData.from_frame(numbers.assign(n=counts), weights="n", keep_constant=True)
    assert found == expected
    assert found.weighted_by == "n"
    assert found.select(["y"]).weighted_by == "n"


def test_a_contingency_table(tmp_path):
    data = ds.Dataset.from_frame(ADMISSIONS, weights="Freq")
    assert data.variables == ("Admit", "Gender", "Dept")
    assert (data.m, data.weights.size, data.weighted_by) == (1518, 8, "Freq")
    assert data == ds.Dataset.from_frame(repeated(ADMISSIONS, ADMISSIONS["Freq"]), drop=["Freq"])
    path = tmp_path / "admissions.csv"
    ADMISSIONS.to_csv(path, index=False)
    assert (
        ds.read_data(path, weights="Freq") == data == ds.Dataset.from_frame(pl.from_pandas(ADMISSIONS), weights="Freq")
    )
    assert ds.discretize(path, weights="Freq") == data
    kept = pickle.loads(pickle.dumps(data))
    assert (kept, kept.weighted_by, kept.select(["Dept"]).weighted_by) == (data, "Freq", "Freq")
    fitted = ds.Discretizer().fit(ADMISSIONS, weights="Freq")
    assert fitted.apply(ADMISSIONS, weights="Freq") == data


def test_results_say_what_was_counted(tmp_path):
    scores = ds.local_scores(ds.Dataset.from_frame(ADMISSIONS, weights="Freq"))
    assert (scores.info.weighted_by, scores.info.rows) == ("Freq", 1518)
    found = ds.posterior(scores)
    found.save(tmp_path / "found.json")
    assert ds.load_result(tmp_path / "found.json").score_info.weighted_by == "Freq"
    assert ds.local_scores(ds.Dataset.from_frame(ADMISSIONS, drop=["Freq"])).info.weighted_by is None
    summary = ds.Dataset.from_frame(ADMISSIONS, weights="Freq").describe()
    assert (summary.weighted_by, summary.rows, summary.columns[0].counts) == ("Freq", 1518, (971, 547))
    assert ds.DataSummary.from_dict(summary.to_dict()).weighted_by == "Freq" if hasattr(ds, "DataSummary") else True


def test_rows_that_do_not_count_leave():
    frame = pd.DataFrame({"a": ["x", "y", "z", None], "b": ["u", "v", "u", "v"], "n": [2, 1, 0, 0]})
    data = ds.Dataset.from_frame(frame, weights="n")
    assert data.levels["a"] == ("x", "y")
    assert (data.m, data.missing["a"]) == (3, 0)


def test_integers_that_number_weighted_rows_are_no_identifiers():
    frame = pd.DataFrame({"id": range(30), "k": [0, 1] * 15, "n": [1] * 30})
    assert "id" in ds.Dataset.from_frame(frame, weights="n", drop_suspicious=True).set_aside
    frame["n"] = 3
    assert not ds.Dataset.from_frame(frame, weights="n", drop_suspicious=True).set_aside
    data = ds.discretize(frame, weights="n", drop_suspicious=True)
    assert not data.set_aside
    assert not data.discretizer.fitted["id"].numbering


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (
            [1, -2, 3],
            r"has the weight '-2' in column 'n' at row 1 .*; a weight must be a count: 0 or a positive integer",
        ),
        ([1, None, 3], "has no weight in column 'n' at row 1 .*: fill it in, with 0 if the row should not count"),
        (["1", "many", "2"], "has the weight 'many' in column 'n' at row 1"),
        ([1.0, 2.0, float("inf")], "has the weight 'inf' in column 'n' at row 2"),
        ([0, 0, 0], "all weights of the data frame are 0: some row must count"),
        ([2**31, 2**31, 1], "the weights of the data frame count 4294967297 rows; the limit is 4294967295"),
        (
            [1, 0.83, 1.2],
            r"has the weight '0.83' in column 'n' at row 1 .*, which is not a count: survey weights say how many "
            r"people a row stands for, .* leave the column out with drop=\['n'\], and the answer is about the sample",
        ),
    ],
)
def test_cells_that_are_no_counts_are_refused(cells, message):
    frame = pd.DataFrame({"a": ["x", "y", "x"], "n": cells})
    with pytest.raises(ds.InvalidData, match=message):
        ds.Dataset.from_frame(frame, weights="n")
    if len({type(cell) for cell in cells}) == 1:
        with pytest.raises(ds.InvalidData, match=message.split(" in column")[0]):
            ds.Dataset.from_frame(frame[["a"]], weights=cells, keep_constant=True)


def test_wrong_options_are_refused(tmp_path):
    frame = pd.DataFrame({"a": ["x", "y"], "count": [1, 2]})
    with pytest.raises(ds.InvalidOption, match="weights is 'counts', which is not a column of the data frame; did you"):
        ds.Dataset.from_frame(frame, weights="counts")
    with pytest.raises(ds.InvalidOption, match="drop holds 'count', the column of weights, which is no variable"):
        ds.Dataset.from_frame(frame, weights="count", drop=["count"])
    with pytest.raises(ds.InvalidOption, match=r"weights is of length 3; it must be .* a count for each of the 2 rows"):
        ds.Dataset.from_frame(frame, weights=[1, 2, 3])
    with pytest.raises(ds.InvalidOption, match="weights is a dict"):
        ds.Dataset.from_frame(frame, weights={"a": 1})
    with pytest.raises(ds.InvalidData, match="has no column besides that of the weights, 'count'"):
        ds.Dataset.from_frame(frame[["count"]], weights="count")
    with pytest.raises(ds.TooLarge, match="rows that the weights of the data frame count, as numbers,"):
        ds.NumericData.from_frame(pd.DataFrame({"a": [1.5, 2], "n": [2**30, 1]}), weights="n", max_memory="1GiB")


def test_a_file_names_the_line(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,n\n5,1\n\n6,-3\n")
    for kind in ("discrete", "numeric"):
        with pytest.raises(ds.InvalidData, match="has the weight '-3' in column 'n' at line 4"):
            ds.read_data(path, kind=kind, weights="n")


def test_tables_are_repeated_row_by_row(tmp_path):
    frame = pd.DataFrame({"a": ["x", "y", "z"], "b": [0.5, None, 2.5], "n": [2, 1, 3]})
    table = weighted(table_from_frame(frame), "n")
    long = table.repeated()
    assert (long.m, long.total, table.m, table.total) == (6, 6, 3, 6)
    assert [long.column("b").gaps.tolist(), long.rows.tolist()] == [
        [False] * 2 + [True] + [False] * 3,
        [0, 0, 1, 2, 2, 2],
    ]
    assert long.column("a").counts().tolist() == [2, 1, 3]
    assert long.repeated() is long
    # Columns of many numbers in text files keep how these were written.
    rows = 5000
    path = tmp_path / "many.csv"
    path.write_text("x,n\n" + "".join(f"{i}.50,{1 + i % 2}\n" for i in range(rows)))
    data = weighted(ds.data.reading.read_table(path), "n").repeated()
    assert [data.column("x").cell(row) for row in (0, 1, 2, 3)] == ["0.50", "1.50", "1.50", "2.50"]
    assert data.column("x").distinct == rows


def test_cuts_of_very_many_rows_need_no_table_of_logarithms():
    values = np.arange(6.0)
    counts = np.array([[3, 0]] * 3 + [[0, 3]] * 3)
    many = counts * (_LARGEST_TABLE // 6)
    assert cut_by_mdl(values, many, 2).tolist() == cut_by_mdl(values, counts, 2).tolist() == [2.5]


def test_numbers_of_interventions_do_not_count_the_column_of_weights():
    frame = pd.DataFrame({"n": [3, 4, 1], "a": ["x", "y", "x"], "b": ["u", "v", "v"], "set": [0, 2, 1]})
    data = ds.Dataset.from_frame(frame, weights="n", interventions="set")
    assert data.experimental_rows == 5
    assert data == ds.Dataset.from_frame(frame.drop(columns="n"), weights=[3, 4, 1], interventions="set")
    assert [column.set_rows for column in data.describe().columns] == [1, 4]


@pytest.mark.filterwarnings("ignore::dagscape.AutomaticReading")
def test_counts_are_noticed_although_they_are_cut():
    said = "'Freq' looks like counts: if it says how many times each row counts, use --weights Freq"
    for task in (ds.posterior, ds.learn, ds.k_best, lambda data: ds.sensitivity(data, ess=1)):
        with pytest.warns(ds.SuspiciousColumns, match=said):
            found = task(WHOLE)
        assert any(warning.startswith(f"suspicious columns: {said}") for warning in found.warnings)
    data = ds.discretize(WHOLE, method="auto")
    assert any(warning.startswith(said) for warning in data.describe().warnings)
    counted = ds.discretize(WHOLE, method="auto", weights="Freq")
    assert (counted.m, counted.findings, counted.describe().warnings) == (sum(COUNTS), (), ())
    # The textbook answer: departments explain admissions, and gender does not.
    post = ds.posterior(counted)
    assert post.adjacency("Dept", "Admit") > 0.99 > 0.2 > post.adjacency("Gender", "Admit")
