"""Columns that copy or determine each other."""

import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from cli.running import run
from dagscape.data.kinds import relations
from dagscape.data.kinds.relations import MOST_COLUMNS, Relations, find_relations
from oracles.relations import copies, determines, near_copies, one_hot, varies

RNG = np.random.default_rng(3)
ROWS = 400


def found_in(columns):
    rows = np.column_stack(columns)
    return find_relations(rows, np.ones(len(rows), dtype=np.int64))


def column(levels):
    return RNG.integers(0, levels, ROWS)


@given(st.lists(st.lists(st.integers(0, 2), min_size=5, max_size=5), min_size=20, max_size=60), st.integers(0, 4))
def test_what_is_found_holds_in_every_row(rows, copied):
    rows = [[*row, 2 - row[copied]] for row in rows]
    cells = np.array(rows)
    relations = find_relations(cells, np.ones(len(cells), dtype=np.int64))
    columns = [i for i in range(6) if varies(rows, i)]
    assert set(relations.copies) <= set(copies(rows, columns))
    for i, others in relations.determined.items():
        assert all(determines(rows, i, j) and not determines(rows, j, i) for j in others)
    single = [i for i in columns if all(i not in group[1:] for group in copies(rows, columns))]
    if all({0, 1} >= set(cells[:, i]) for i in columns):
        assert set(relations.one_hot) == set(one_hot(rows, single))


def test_copies_up_to_the_names_of_levels():
    x, y = column(3), column(4)
    assert found_in([x, y, (x + 1) % 3, x * 7]) == Relations(copies=((0, 2, 3),))


def test_a_column_that_another_determines():
    arm, other = column(5), column(3)
    assert found_in([other, arm, arm // 2, arm > 2]).determined == {1: (2, 3)}


def test_one_hot_codes():
    arm, other = column(3), column(2)
    relations = found_in([arm == 0, other, arm == 1, arm == 2])
    assert (relations.one_hot, relations.copies, relations.determined) == (((0, 2, 3),), (), {})


def test_columns_that_nearly_agree():
    x = column(2)
    y = x.copy()
    y[:2] = 1 - y[:2]
    assert found_in([x, column(2), 1 - y]).near_copies == ((0, 2, 0.995),)
    y[:8] = 1 - x[:8]
    assert found_in([x, y]).near_copies == ()
    # Rare levels agree in nearly all rows by chance.
    rare, other = np.zeros(ROWS, dtype=int), np.zeros(ROWS, dtype=int)
    rare[:2] = other[1:3] = 1
    assert found_in([rare, other]) == Relations()


@pytest.mark.parametrize("levels", [2, 3, 40, 70])
def test_near_copies_are_those_of_all_pairs(levels, monkeypatch):
    """Few levels are looked at together, in blocks of columns, and many one pair after the other."""
    monkeypatch.setattr(relations, "_MOST_PAIRS_OF_LEVELS", 4 * levels**2)
    rng = np.random.default_rng(levels)
    x = np.arange(2000) % levels
    columns = [rng.integers(0, levels, 2000), x]
    for wrong in (3, 15, 19, 22, 60):
        y = x.copy()
        y[rng.choice(2000, wrong, replace=False)] = rng.integers(0, levels, wrong)
        columns.append((y * 7 + 1) % levels if levels % 7 else levels - 1 - y)
    found = found_in(columns).near_copies
    expected = near_copies(np.column_stack(columns).tolist(), range(len(columns)))
    assert [pair[:2] for pair in found] == [pair[:2] for pair in expected]
    assert [pair[2] for pair in found] == pytest.approx([float(pair[2]) for pair in expected])
    assert len(found) >= 3


def test_columns_of_very_many_levels_are_compared_in_bounded_memory():
    x = np.arange(60_000) % 20_000
    y = x.copy()
    y[1], y[2] = 2, 1
    assert found_in([x, y]).near_copies == ((0, 1, pytest.approx(1 - 2 / 60_000)),)


def test_weights_count_as_rows():
    rows = np.array([[0, 1], [1, 0]])
    assert find_relations(rows, np.array([1, 1])) == Relations()
    assert find_relations(rows, np.array([30, 20])).copies == ((0, 1),)


def test_chance_is_no_relation():
    unique = np.arange(ROWS)
    assert found_in([unique, column(2), column(3)]) == Relations()
    # A column with two rows for each value determines a rare one by chance.
    rare = np.zeros(ROWS, dtype=int)
    rare[:2] = 1
    assert found_in([unique // 2, rare]) == Relations()


def test_nothing_is_looked_for_among_very_many_columns():
    x = column(2)
    assert found_in([x] * MOST_COLUMNS).copies
    assert found_in([x] * (MOST_COLUMNS + 1)) == Relations()


def test_copies_are_named_where_data_are_scored():
    frame = pd.DataFrame({"dose": column(3), "sex": column(2)})
    data = ds.Dataset.from_frame(frame.assign(arm=frame["dose"].map({0: "a", 1: "b", 2: "c"})))
    said = (
        "'dose' and 'arm' say the same in every row: leave out all but one, because copies take edges from each other"
    )
    assert data.describe().warnings == (said,)
    assert data.variables == ("dose", "sex", "arm")
    with pytest.warns(ds.SuspiciousColumns, match=said):
        scores = ds.local_scores(data)
    assert scores.info.warnings == (f"related columns: {said}",)
    ds.local_scores(data.drop(["arm"]))


DOSES = np.array([0.5, 1.25, 2.5, 5.75, 7.5, 9.25])
SAID = "'dose' determines 'arm': leave out 'dose' or what it determines, unless that is what you ask about"


def trial():
    """A dose that determines the arm, and no longer when it is cut."""
    dose = RNG.choice(DOSES, ROWS)
    arm = np.where(np.isin(dose, DOSES[::2]), "a", "b")
    return pd.DataFrame({"dose": dose, "arm": arm, "age": RNG.normal(40, 9, ROWS).round(1)})


@pytest.mark.filterwarnings("ignore::dagscape.AutomaticReading")
@pytest.mark.parametrize(
    "make",
    [
        lambda frame: ds.discretize(frame, method="auto"),
        lambda frame: ds.discretize(frame, method="width", bins=2),
        lambda frame: ds.discretize(frame, method="auto").drop(["age"]),
        lambda frame: ds.discretize(frame.assign(n=1), weights="n").select(["arm", "dose"]),
    ],
)
def test_what_columns_determine_before_they_are_cut_is_told(make):
    data = make(trial())
    assert data.describe().warnings == (SAID,)
    with pytest.warns(ds.RelatedColumns, match=SAID):
        scores = ds.local_scores(data)
    assert f"related columns: {SAID}" in scores.info.warnings
    assert data.drop(["arm"]).describe().warnings == ()
    assert pickle.loads(pickle.dumps(data)).findings == data.findings


@pytest.mark.filterwarnings("ignore::dagscape.AutomaticReading")
@pytest.mark.parametrize("study", [ds.posterior, lambda data, **_: ds.sensitivity(data, ess=1), ds.learn, ds.k_best])
def test_results_of_cut_tables_keep_it(study):
    with pytest.warns(ds.RelatedColumns, match=SAID):
        found = study(trial(), randomised=["arm"])
    assert f"related columns: {SAID}" in found.warnings


def test_copies_are_named_once_although_they_are_cut_alike():
    x = RNG.normal(size=ROWS)
    with pytest.warns(ds.AutomaticReading):
        data = ds.discretize(pd.DataFrame({"x": x, "y": 2 * x, "z": RNG.normal(size=ROWS)}), method="auto")
    (said,) = data.describe().warnings
    assert said.startswith("after cutting, 'x' and 'y' say the same in every row")


def test_a_copy_takes_half_of_an_edge():
    rng = np.random.default_rng(5)
    x = rng.choice([*"abc"], ROWS)
    y = np.where(rng.random(ROWS) < 0.35, x, rng.choice([*"abc"], ROWS))
    frame = pd.DataFrame({"x": x, "y": y, "z": rng.choice([*"uv"], ROWS)})
    assert ds.posterior(frame).adjacency("x", "y") > 0.999
    with pytest.warns(ds.RelatedColumns, match="'x' and 'copy' say the same in every row"):
        post = ds.posterior(frame.assign(copy=x))
    assert post.adjacency("x", "copy") > 0.999
    assert post.adjacency("x", "y") == pytest.approx(post.adjacency("copy", "y")) == pytest.approx(0.5, abs=0.01)


def test_one_hot_codes_are_named_from_the_file_to_the_result(capfd, tmp_path):
    rng = np.random.default_rng(6)
    arm = rng.choice([*"abc"], ROWS)
    frame = pd.get_dummies(pd.Series(arm), prefix="arm").astype(int).assign(sex=rng.choice(["f", "m"], ROWS))
    frame.to_csv(tmp_path / "trial.csv", index=False)
    said = (
        "exactly one of 'arm_a', 'arm_b' and 'arm_c' is set in every row: make one column of them, because each is "
        "known from the others"
    )
    assert ds.describe(tmp_path / "trial.csv").warnings == (said,)
    with pytest.warns(ds.RelatedColumns, match=said):
        found = ds.learn(tmp_path / "trial.csv", "greedy")
    assert found.warnings == (f"related columns: {said}",)
    code, out, err = run(capfd, "posterior", tmp_path / "trial.csv", "--no-compelled")
    assert (code, err.count(said), " ".join(out.split()).count(said)) == (0, 1, 1)


def test_what_only_the_intervals_show_is_said_to_hold_after_cutting(tmp_path):
    rows = np.arange(90)
    weight = rows // 3 + 0.5
    # The two order the thirds of the rows alike, and within a third they go apart.
    other = rows // 30 * 10 + 7 * rows % 10 + 0.5
    pd.DataFrame({"weight": weight, "other": other, "pounds": 2 * weight}).to_csv(tmp_path / "t.csv", index=False)
    with pytest.warns(ds.AutomaticReading):
        data = ds.read_data(tmp_path / "t.csv", discretize="auto")
    rest = "leave out all but one, because copies take edges from each other"
    assert list(data.describe().warnings) == [
        f"'weight' and 'pounds' say the same in every row: {rest}",
        f"after cutting, 'weight', 'other' and 'pounds' say the same in every row: {rest}",
    ]


def test_a_handful_of_relations_is_shown():
    columns = [column(2) for _ in range(8)]
    data = ds.Dataset.from_array(np.column_stack([*columns, *columns]))
    assert data.describe().warnings[5:] == ("3 more relations between columns like these",)


def test_missing_cells_that_are_kept_are_a_value_of_their_own():
    x = [None if i % 5 == 0 else str(i % 3) for i in range(60)]
    data = ds.Dataset.from_frame(pd.DataFrame({"x": x, "y": x, "z": [str(i % 3) for i in range(60)]}), missing="keep")
    assert data.describe().warnings == (
        "'x' and 'y' say the same in every row: leave out all but one, because copies take edges from each other",
    )


@pytest.mark.parametrize("name", ["votes", "tic-tac-toe", "wine", "iris"])
def test_bundled_data_have_no_relations(name):
    assert find_relations(ds.load_dataset(name).codes, ds.load_dataset(name).weights) == Relations()
