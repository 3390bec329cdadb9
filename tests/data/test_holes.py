"""Missing cells that are kept: who can use them does, and who cannot refuses them with the remedy."""

from __future__ import annotations

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from dagscape.cli.program.app import main
from dagscape.data.continuous.numeric import numeric_from_dataset
from dagscape.data.resampling import resampled

FRAME = pd.DataFrame(
    {
        "rain": ["no", "yes", None, "yes", "no", None],
        "wet": [0, 1, 1, None, 0, 1],
        "mud": ["a", "b", "b", "b", "a", None],
    }
)
CELLS = st.sampled_from(["a", "b", "c", None])


def tables(cells=CELLS):
    return st.integers(1, 3).flatmap(lambda n: st.lists(st.tuples(*[cells] * n), min_size=1, max_size=12))


def kept(frame=FRAME, **options):
    return ds.Dataset.from_frame(frame, missing="keep", **options)


def rows_of(data):
    """The rows of a data set as strings, None for a missing cell, with their weights."""
    return {
        (tuple(None if hole else data.levels[name][code] for name, code, hole in cells), marks): weight
        for cells, marks, weight in (
            (
                zip(data.variables, codes, holes, strict=True),
                tuple(marks),
                weight,
            )
            for codes, holes, marks, weight in zip(
                data.codes.tolist(),
                np.zeros(data.codes.shape, bool).tolist() if data.holes is None else data.holes.tolist(),
                np.zeros(data.codes.shape, bool).tolist()
                if data.interventions is None
                else data.interventions.tolist(),
                data.weights.tolist(),
                strict=True,
            )
        )
    }


@pytest.mark.slow
@given(tables(), st.data())
def test_rows_are_merged_with_their_holes(rows, draw):
    marks = draw.draw(st.lists(st.booleans(), min_size=len(rows), max_size=len(rows)))
    frame = pd.DataFrame(rows, columns=[f"X{i}" for i in range(len(rows[0]))], dtype=object)
    options = {"levels": {name: ["a", "b", "c"] for name in frame.columns}}
    flags = np.zeros(frame.shape, dtype=bool)
    # A cell that was set has a value.
    flags[:, 0] = [mark and row[0] is not None for mark, row in zip(marks, rows, strict=True)]
    data = ds.Dataset.from_frame(frame, missing="keep", interventions=flags, **options)
    expected = {}
    for row, mark in zip(rows, flags.tolist(), strict=True):
        expected[tuple(row), tuple(mark)] = expected.get((tuple(row), tuple(mark)), 0) + 1
    assert rows_of(data) == expected
    assert data.has_missing == any(None in row for row in rows)
    assert list(data.missing.values()) == [sum(row[i] is None for row in rows) for i in range(len(rows[0]))]
    order = draw.draw(st.permutations(range(len(rows))))
    shuffled = ds.Dataset.from_frame(
        frame.iloc[list(order)], missing="keep", interventions=flags[list(order)], **options
    )
    assert shuffled == data
    # A frame of the data is the data again.
    again = ds.Dataset.from_frame(data.to_frame(), missing="keep")
    assert again == ds.Dataset.from_frame(frame, missing="keep", **options)
    assert pickle.loads(pickle.dumps(data)) == data
    chosen = list(frame.columns[:1])
    assert data.select(chosen) == ds.Dataset.from_frame(
        frame[chosen], missing="keep", interventions=flags[:, :1], levels={"X0": ["a", "b", "c"]}
    )


def test_holes_count_in_equality():
    data = kept()
    first = ds.Dataset.from_frame(FRAME.fillna({"rain": "no", "wet": 0, "mud": "a"}))
    assert data != first
    assert data.levels == first.levels
    marked = ds.Dataset.from_codes([[0, 0], [1, 1]], {"a": 2, "b": 2}, interventions=[[True, False], [False, False]])
    holed = ds.Dataset.from_codes([[0, 0], [1, 1]], {"a": 2, "b": 2}, holes=[[True, False], [False, False]])
    assert marked != holed
    assert ds.Dataset.from_codes([[0], [1]], {"a": 2}, holes=[[False], [False]]).holes is None
    with pytest.raises(ds.InvalidData, match="the holes must be a boolean array"):
        ds.Dataset.from_codes([[0], [1]], {"a": 2}, holes=[[0], [1]])
    with pytest.raises(ValueError, match="read-only"):
        data.holes[0] = False


def test_the_code_of_a_missing_cell_means_nothing():
    data = ds.Dataset.from_codes([[-1], [1], [0]], {"a": ["x", "y"]}, holes=[[True], [False], [False]])
    assert data.to_frame()["a"].astype(object).where(lambda cell: cell.notna(), None).tolist().count(None) == 1
    assert data.describe().columns[0].counts == (1, 1)


def test_representation_and_frame():
    data = kept()
    assert repr(data) == "Dataset(3 variables, 6 rows, 5 of them distinct, 4 missing cells)"
    frame = data.to_frame()
    assert frame.isna().sum().to_dict() == {"rain": 2, "wet": 1, "mud": 1}
    assert frame["wet"].dropna().tolist() == [0, 0, 1, 1, 1]
    assert "<table" in data._repr_html_()


def test_summary_counts_what_is_there(tmp_path):
    summary = kept().describe()
    assert [column.counts for column in summary.columns] == [(2, 2), (2, 3), (2, 3)]
    assert [column.missing for column in summary.columns] == [2, 1, 1]
    assert summary.rows == 6
    summary.save(tmp_path / "s.json")
    assert ds.load_result(tmp_path / "s.json").columns == summary.columns


def test_constant_columns_and_empty_ones():
    frame = FRAME.assign(k=["z", None, "z", "z", "z", "z"], e=[None] * 6)
    data = kept(frame)
    assert data.set_aside == {"k": "has the same value, 'z', in every row", "e": "has missing cells only"}
    with pytest.raises(ds.InvalidData, match=r"missing cells only in column 'e': leave it out with drop=\['e'\]"):
        kept(frame, keep_constant=True)
    assert kept(frame, keep_constant=True, levels={"e": 2}).levels["e"] == ("0", "1")


def test_types_and_files(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,x\n?,y\n3,\n")
    data = ds.read_data(path, missing="keep", levels={"b": ["x", "y", "z"]})
    assert data.types == {"a": "integer", "b": "text"}
    assert data.levels == {"a": ("1", "3"), "b": ("x", "y", "z")}
    assert data.missing == {"a": 1, "b": 1}


def test_discretising_keeps_holes():
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"x": rng.normal(size=60), "y": rng.integers(0, 2, 60)})
    frame.loc[[3, 7], "x"] = None
    data = ds.discretize(frame, bins=2, missing="keep")
    assert data.to_frame()["x"].isna().sum() == 2
    assert data.discretizer.cuts["x"] == ds.discretize(frame, bins=2, missing="level").discretizer.cuts["x"]
    assert data.levels["x"] == ds.discretize(frame.dropna(), bins=2).levels["x"]
    assert data.discretizer.apply(frame, missing="keep") == data


def test_numbers_of_holes():
    data = numeric_from_dataset(kept(pd.DataFrame({"a": [1, None, 2], "b": [0.0, 1.0, None]})))
    assert np.array_equal(data.values, [[1, 0], [2, np.nan], [np.nan, 1]], equal_nan=True)


def test_resampling_keeps_holes():
    data = kept()
    sample = resampled(data, np.random.default_rng(2))
    assert sample.m == data.m
    assert set(rows_of(sample)) <= set(rows_of(data))


DATA = kept()
DAG = ds.Dag.from_edges(["rain", "wet", "mud"], [("rain", "wet")])
NUMERIC = ds.NumericData.from_array([[0.5, 1.0], [None, 2.0], [3.0, 1.5]], missing="keep")


@pytest.mark.parametrize(
    "use",
    [
        pytest.param(lambda: ds.local_scores(DATA), id="local_scores"),
        pytest.param(lambda: ds.family_scores(DATA), id="family_scores"),
        pytest.param(lambda: ds.posterior(ds.local_scores(DATA, score="bic")), id="posterior"),
        pytest.param(lambda: ds.learn(DATA, "order"), id="learn"),
        pytest.param(lambda: ds.learn(DATA, "curriculum"), id="curriculum"),
        pytest.param(lambda: ds.learn(DATA, "mmhc"), id="mmhc"),
        pytest.param(lambda: ds.mmpc(DATA), id="mmpc"),
        pytest.param(lambda: ds.bootstrap(DATA, "greedy", samples=2), id="bootstrap"),
        pytest.param(lambda: ds.sensitivity(DATA), id="sensitivity"),
        pytest.param(lambda: ds.Network.fit(DAG, DATA), id="fit"),
        pytest.param(lambda: FITTED.log_likelihood(DATA), id="log_likelihood"),
        pytest.param(lambda: BEST.log_predictive(TRAIN, DATA), id="log_predictive"),
        pytest.param(lambda: ds.plan(DATA), id="plan"),
    ],
)
def test_what_cannot_use_holes_says_how_to_do_without(use):
    with pytest.raises(ds.InvalidData, match=r"missing cells, which .* cannot use: .*missing='level'.*missing='drop'"):
        use()


def test_scores_of_numbers_refuse_holes():
    with pytest.raises(ds.InvalidData, match=r"missing cells, which the score 'bic-g' cannot use: .*missing='drop'"):
        ds.local_scores(NUMERIC, score="bic-g")


def test_errors_name_what_uses_incomplete_rows():
    learners = r"learn\(\) with missing='em', chain\(\) with missing='sample' and score='pnal' use incomplete rows"
    for data, score in ((DATA, "bdeu"), (NUMERIC, "bge")):
        with pytest.raises(ds.InvalidData, match=learners):
            ds.local_scores(data, score=score)
    fitting = r"Network.fit\(\) with missing='em' uses incomplete rows"
    with pytest.raises(ds.InvalidData, match=fitting):
        ds.Network.fit(DAG, DATA)
    with pytest.raises(ds.InvalidData, match=fitting):
        ds.GaussianNetwork.fit(ds.Dag(["X0", "X1"]), NUMERIC)


TRAIN = ds.Dataset.from_frame(
    pd.DataFrame({"rain": ["no", "yes", "no", "yes"], "wet": [0, 1, 1, 1], "mud": ["a", "b", "a", "a"]})
)
FITTED = ds.Network.fit(DAG, TRAIN)
BEST = ds.k_best(ds.local_scores(TRAIN), k=3)


@pytest.mark.parametrize("predict", [FITTED.predict, lambda rows, target: BEST.predict(TRAIN, rows, target)])
def test_predictions_use_holes_as_those_of_frames(predict):
    data = kept()
    found = predict(data, "mud").to_numpy()
    assert np.array_equal(found, predict(data.to_frame(expand=False), "mud").to_numpy())
    # A row without any observation is predicted as the variable alone.
    assert np.allclose(found.sum(axis=1), 1)


def test_a_hole_is_the_level_of_missing_cells_in_training():
    train = ds.Dataset.from_frame(FRAME, missing="level")
    network = ds.Network.fit(DAG, train)
    data = kept()
    expected = network.predict(data.to_frame(expand=False), "wet")
    assert np.array_equal(network.predict(data, "wet").to_numpy(), expected.to_numpy())


def test_a_hole_does_not_count_as_a_level_that_the_network_lacks():
    data = ds.Dataset.from_codes(
        [[0, 1], [1, 0]], {"rain": ["never seen", "yes"], "wet": ["0", "1"]}, holes=[[True, False], [False, False]]
    )
    assert len(FITTED.predict(data, "mud")) == 2


def test_command_line(tmp_path, capsys):
    path = tmp_path / "t.csv"
    FRAME.to_csv(path, index=False)
    assert main(["describe", str(path), "--missing", "keep"]) == 0
    assert "2" in capsys.readouterr().out
    assert main(["score", str(path), "--missing", "keep", "-o", str(tmp_path / "s.npz")]) == 3
    assert "--missing level" in capsys.readouterr().err


@pytest.mark.parametrize("make", [ds.Dataset.from_frame, ds.NumericData.from_frame])
def test_a_cell_that_was_set_has_a_value(make):
    frame = pd.DataFrame({"a": [0, 1, 0, 1], "b": [1, None, 0, 1]})
    with pytest.raises(ds.InvalidData, match=r"has no value of 'b' in row 2, where an experiment set it: fill in"):
        make(frame, missing="keep", interventions=[[], ["b"], [], []])
    assert make(frame, missing="keep", interventions=[[], ["a"], [], []]).has_missing
