"""Tables that are read automatically: what is cut, what is set aside, what is told, and what overrules it."""

import json
import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from dagscape.data.discrete.cut_rules import cut_automatically
from dagscape.data.discrete.notices import automatic_notice

RNG = np.random.default_rng(5)
ROWS = 200
SURVEY = pd.DataFrame(
    {
        "person": [f"p{i}" for i in range(ROWS)],
        "age": RNG.integers(18, 61, ROWS),
        "rate": RNG.uniform(10, 60, ROWS).round(2),
        "visits": np.where(RNG.random(ROWS) < 0.6, 0, RNG.integers(1, 60, ROWS)),
        "joined": [
            str(day.date()) for day in pd.Timestamp("2020-01-01") + pd.to_timedelta(RNG.integers(0, 690, ROWS), "D")
        ],
        "remark": [" ".join(RNG.choice(["one", "two", "three", "four", "five"], 6)) for _ in range(ROWS)],
        "answer": RNG.integers(1, 6, ROWS),
        "sex": RNG.choice(["f", "m"], ROWS),
    }
)
VARIABLES = ("age", "rate", "visits", "answer", "sex")


def read(**options):
    with pytest.warns(ds.AutomaticReading):
        return ds.discretize(SURVEY, method="auto", **options)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("survey") / "survey.csv"
    SURVEY.to_csv(path, index=False)
    return path


def test_what_is_measured_is_cut_and_what_has_no_levels_is_set_aside():
    data = read()
    assert data.variables == VARIABLES
    assert [*data.discretizer.cuts] == ["age", "rate", "visits"]
    assert data.arities.tolist() == [3, 3, 3, 5, 2]
    assert [*data.set_aside] == ["person", "joined", "remark"]
    assert data.set_aside["person"] == ("looks like an identifier: a different value in each of 200 rows, such as 'p0'")
    assert data.set_aside["joined"].startswith("looks like a date: ")
    assert data.set_aside["remark"].startswith("looks like free text: ")


def test_zeros_of_a_count_have_an_interval_of_their_own():
    data = read()
    low, middle, _ = data.levels["visits"]
    assert (low, middle.split(",")[0]) == ("(-inf,0.5]", "(0.5")
    assert data.describe().columns[2].counts[0] == (SURVEY["visits"] == 0).sum()


def test_the_notice_says_what_was_decided_and_travels(path, tmp_path):
    with pytest.warns(ds.AutomaticReading) as caught:
        scores = ds.local_scores(path, max_parents=1)
    (notice,) = (str(warning.message) for warning in caught)
    assert caught[0].filename == __file__
    assert notice.startswith("'age' is measured, and cut at ")
    assert "'person' is set aside: it looks like an identifier: " in notice
    assert notice.endswith(" (nominal, numeric and ignore overrule this)")
    (kept,) = scores.info.warnings
    assert kept == f"automatic reading: {notice.removesuffix(' (nominal, numeric and ignore overrule this)')}"
    with warnings.catch_warnings():
        # What the user decides needs no notice.
        warnings.simplefilter("error")
        data = ds.read_data(path, discretize="quantile", ignore=["person", "joined", "remark"])
        assert ds.local_scores(data, max_parents=1).info.warnings == ()
    with pytest.warns(ds.AutomaticReading):
        found = ds.learn(path, "greedy")
    found.save(tmp_path / "found.json")
    assert ds.load_result(tmp_path / "found.json").warnings == found.warnings == (kept,)
    assert "automatic reading" in ds.draw(found)


@pytest.mark.parametrize(
    "task",
    [
        ds.local_scores,
        ds.family_scores,
        lambda data: ds.learn(data, "greedy"),
        lambda data: ds.bootstrap(data, "greedy", samples=2),
        lambda data: ds.posterior(data, settings="best", max_parents=2),
        lambda data: ds.chain(data, draws=10, chains=1, max_parents=1),
        lambda data: ds.plan(data, "learn"),
        lambda data: ds.mmpc(data, test="g2"),
        lambda data: ds.Network.fit(ds.Dag.from_edges(VARIABLES, [("age", "rate")]), data),
    ],
)
@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains", "ignore::dagscape.SparseFamilies")
def test_a_path_a_frame_and_data_are_alike(task, path):
    def found(data):
        result = task(data)
        if hasattr(result, "score_info"):
            return result.score_info.data, result.warnings
        return getattr(result, "variables", None), getattr(result, "warnings", None)

    expected = found(read())
    for same in (SURVEY, path, str(path)):
        with pytest.warns(ds.AutomaticReading) as caught:
            assert found(same) == expected
        assert len([warning for warning in caught if warning.category is ds.AutomaticReading]) == 1


def test_everything_can_be_overruled(path):
    options = {"nominal": ["person", "rate"], "numeric": ["answer"], "ignore": ["sex"]}
    with pytest.warns(ds.AutomaticReading):
        data = ds.read_data(path, discretize="auto", **options)
    assert data == read(**options)
    assert data.variables == ("person", "age", "rate", "visits", "answer")
    assert len(data.levels["person"]) == ROWS
    assert [*map(float, data.levels["rate"])] == sorted(set(SURVEY["rate"]))
    assert data.levels["answer"][0] == "(-inf,2.5]"
    assert data.set_aside["sex"] == "is to be ignored"
    assert "sex" in data.discretizer.set_aside
    reread = ds.Discretizer.from_dict(json.loads(json.dumps(data.discretizer.to_dict())))
    assert reread == data.discretizer
    assert reread.apply(path) == data


def test_strict_reading_takes_nominal_and_ignored_columns(path):
    data = ds.read_data(path, nominal=["rate"], ignore=["person", "remark"])
    assert data == ds.Dataset.from_frame(SURVEY, nominal=["rate"], ignore=["person", "remark"])
    assert dict(data.set_aside) == {"person": "is to be ignored", "remark": "is to be ignored"}
    assert data.discretizer is None
    # What was asked for needs no warning.
    assert not any("ignored" in warning for warning in data.describe().warnings)
    numbers = ds.read_data(path, kind="numeric", ignore=["person", "joined", "remark", "sex"])
    assert numbers.variables == ("age", "rate", "visits", "answer")
    assert numbers.set_aside["sex"] == "is to be ignored"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"numeric": ["age"]}, "numeric names columns to cut, which needs discretize='auto'"),
        ({"discretize": "magic"}, "method is 'magic'; it must be one of 'auto'"),
        ({"discretize": "quantile:1"}, "discretize is 'quantile:1'; it must be METHOD or METHOD:BINS"),
        ({"discretize": 3}, "discretize is an int; it must be the name of a method, or a Discretizer"),
        ({"discretize": "auto", "nominal": ["agee"]}, "has no column 'agee'; did you mean 'age'?"),
        ({"ignore": ["agee"]}, "has no column 'agee'; did you mean 'age'?"),
        (
            {"kind": "numeric", "discretize": "auto"},
            "discretize is for discrete data; kind='numeric' takes all numbers",
        ),
        ({"kind": "numeric", "nominal": ["age"]}, "nominal is for discrete data"),
    ],
)
def test_wrong_options(path, options, message):
    with pytest.raises(ds.InvalidOption, match=message.replace("?", "[?]")):
        ds.read_data(path, **options)


def test_a_table_without_variables_says_what_to_do():
    frame = SURVEY[["person", "joined"]]
    with pytest.raises(ds.InvalidData, match="no column that could be a variable: 'person' looks like an identifier: "):
        ds.discretize(frame, method="auto")


def test_a_frame_about_which_nothing_is_decided_is_the_same_data():
    frame = SURVEY[["answer", "sex"]]
    scores = ds.local_scores(frame)
    data = ds.Dataset.from_frame(frame)
    assert (scores.info.data, scores.info.warnings) == (data.fingerprint, ())
    network = ds.Network.fit(ds.Dag.from_edges(["answer", "sex"], []), frame)
    assert network.discretizer is None


@given(
    st.integers(1, 12).flatmap(
        lambda levels: st.lists(
            st.tuples(st.integers(0, levels), st.sampled_from(["low", "high", "none"])), min_size=1, max_size=5
        )
    )
)
def test_small_tables_of_levels_are_read_as_before(rows):
    frame = pd.DataFrame(rows, columns=["count", "grade"])
    try:
        expected = ds.Dataset.from_frame(frame)
    except ds.InvalidData:
        return
    assert ds.discretize(frame, method="auto") == expected


def test_missing_cells_need_a_decision():
    frame = SURVEY.assign(age=SURVEY["age"].where(SURVEY.index % 10 > 0), sex=SURVEY["sex"].where(SURVEY.index % 4 > 0))
    said = r"70 missing cells, .*, in 60 of 200 rows \('sex' in 50, 'age' in 20\): use missing='level'"
    with pytest.raises(ds.InvalidData, match=said):
        ds.local_scores(frame)


@pytest.mark.parametrize("as_objects", [False, True])
def test_dates_of_frames_are_set_aside(as_objects):
    days = pd.to_datetime(SURVEY["joined"])
    frame = SURVEY[["answer", "sex"]].assign(joined=days.dt.date if as_objects else days)
    with pytest.raises(ds.InvalidData, match="date objects" if as_objects else "cells of type Datetime"):
        ds.Dataset.from_frame(frame)
    with pytest.warns(ds.AutomaticReading, match="'joined' is set aside: it looks like a date"):
        assert ds.local_scores(frame).variables == ("answer", "sex")
    with pytest.warns(ds.AutomaticReading):
        assert ds.discretize(frame, method="auto").variables == ("answer", "sex")


def test_percentages_are_cut_and_new_rows_at_the_same_places():
    frame = pd.DataFrame({"share": [f"{i}%" for i in range(90)], "sex": ["f", "m", "m"] * 30})
    with pytest.warns(ds.AutomaticReading, match="'share' is measured, and cut at 29.5 and 59.5"):
        data = ds.discretize(frame, method="auto")
    assert data.discretizer.apply(pd.DataFrame({"share": ["12%", "99%"]})).codes.tolist() == [[0], [2]]


def test_numbers_that_cannot_be_read_are_set_aside_with_the_reason():
    frame = pd.DataFrame({"size": [f"{i}.5" for i in range(89)] + ["unknown"], "sex": ["f", "m", "m"] * 30})
    with pytest.warns(
        ds.AutomaticReading, match="'size' is set aside: it is no column of numbers: it mixes numbers with 'unknown'"
    ):
        ds.discretize(frame, method="auto")


def test_data_that_were_not_read_automatically_have_no_notice():
    assert automatic_notice(ds.Dataset.from_array([[0, 1], [1, 0]])) is None
    assert automatic_notice(ds.discretize(SURVEY[["age", "sex"]])) is None


VALUES = st.dictionaries(st.integers(-50, 50), st.integers(1, 40), min_size=2, max_size=30)


@given(VALUES, st.integers(2, 6))
def test_automatic_cuts_leave_no_frequent_value_with_another(counted, bins):
    values = np.array(sorted(counted), dtype=np.float64)
    counts = np.array([[counted[int(value)]] for value in values])
    cuts = cut_automatically(values, counts, bins)
    assert np.all(np.diff(cuts) > 0)
    assert cuts.size
    total = counts.sum()
    used = max(2, min(bins, total // 10))
    bounds = [-np.inf, *cuts, np.inf]
    for low, high in pairwise(bounds):
        inside = (values > low) & (values <= high)
        assert inside.any()
        frequent = inside & (counts[:, 0] * used > total)
        # Only neighbours that hold hardly any rows may share its interval.
        rest = counts[inside & ~frequent, 0].sum()
        assert not frequent.any() or rest < 0.04 * total


SKEWED = st.dictionaries(st.integers(-50, 50), st.one_of(st.integers(1, 3), st.integers(1, 400)), min_size=2)


@given(st.one_of(VALUES, SKEWED), st.integers(2, 40))
def test_automatic_intervals_are_not_tiny(counted, bins):
    values = np.array(sorted(counted), dtype=np.float64)
    counts = np.array([[counted[int(value)]] for value in values])
    cuts = cut_automatically(values, counts, bins)
    sizes = np.bincount(np.searchsorted(cuts, values), counts[:, 0])
    total = sizes.sum()
    used = max(2, min(bins, total // 10))
    assert sizes.size == cuts.size + 1
    assert sizes.size >= 2
    # Of many intervals, an equal share is hardly more than 2%.
    assert sizes.size == 2 or sizes.min() >= min(0.02, 1 / (2 * used)) * total - 1e-9
    frequent = counts[:, 0] * used > total
    assert sizes.size <= max(used, 2 * frequent.sum() + 1)


@pytest.mark.parametrize(
    ("counts", "bins", "sizes"),
    [
        # What is too small for an interval stays with the frequent value, and the spare interval goes to the others.
        ([10, 600, *[10] * 39], 3, [610, 190, 200]),
        ([600, *[10] * 40], 3, [600, 200, 200]),
        ([400, 1, 2], 3, [400, 3]),
        ([1, 400, 2], 3, [401, 2]),
        # Ties put two cuts beside each other.
        ([9, 20, 1, 20, 17, 17, 16], 5, [30, 37, 17, 16]),
    ],
)
def test_automatic_intervals_of_skewed_numbers(counts, bins, sizes):
    values = np.arange(len(counts), dtype=np.float64)
    cuts = cut_automatically(values, np.array(counts)[:, np.newaxis], bins)
    assert np.bincount(np.searchsorted(cuts, values), counts).tolist() == sizes


def test_automatic_cuts_are_quantiles_where_no_value_is_frequent():
    values = np.arange(90.0)
    assert cut_automatically(values, np.ones((90, 1), dtype=np.int64), 3).tolist() == [29.5, 59.5]
    assert cut_automatically(values[:20], np.ones((20, 1), dtype=np.int64), 3).tolist() == [9.5]


def test_ages_of_employees_go_with_their_working_years():
    """Integers of 43 values, taken as levels, hide what everybody knows."""
    rng = np.random.default_rng(11)
    age = rng.integers(18, 61, 400)
    years = np.clip((0.5 * (age - 18) + rng.normal(0, 5, 400)).round(), 0, 40).astype(int)
    frame = pd.DataFrame({"Age": age, "TotalWorkingYears": years, "Overtime": rng.choice(["Yes", "No"], 400)})
    assert ds.posterior(ds.Dataset.from_frame(frame)).adjacency("Age", "TotalWorkingYears") < 1e-4
    with pytest.warns(ds.AutomaticReading, match="'Age', 'TotalWorkingYears' are measured"):
        assert ds.posterior(frame).adjacency("Age", "TotalWorkingYears") > 0.9999
