"""Columns that look like identifiers, before and after numbers are cut."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from dagscape.data.bundled import BUNDLED
from dagscape.data.discrete.identifiers import numbers_the_rows
from dagscape.data.discrete.summary import identifier_warnings
from dagscape.data.tables.coding import column_from_strings

GENERATOR = np.random.default_rng(5)
FRAME = pd.DataFrame({"id": range(60), "x": GENERATOR.normal(size=60), "y": GENERATOR.integers(0, 2, 60)})
WARNING = (
    "'id' numbers the rows, with a different integer in each, and is cut into intervals: is it an identifier? "
    "Then leave it out"
)


def test_numbers_of_rows_are_recognised_before_they_are_cut(tmp_path):
    FRAME.to_csv(tmp_path / "t.csv", index=False)
    for source in (FRAME, tmp_path / "t.csv"):
        data = ds.discretize(source)
        assert data.variables == ("id", "x", "y")
        assert data.describe().warnings == (WARNING,)
        assert data.select(["id", "y"]).describe().warnings == (WARNING,)
        assert data.discretizer.apply(source).describe().warnings == (WARNING,)
        data = ds.discretize(source, drop_suspicious=True)
        assert data.set_aside == {"id": "has 60 distinct values in 60 rows, as identifiers do"}
        assert data == ds.discretize(FRAME[["x", "y"]])
        assert ds.Discretizer().fit(source, drop_suspicious=True).set_aside == data.set_aside


def test_a_column_that_the_user_asks_to_cut_is_a_measurement():
    for options in ({"columns": ["id"]}, {"bins": {"id": 2, "x": 3}}):
        data = ds.discretize(FRAME, drop_suspicious=True, **options)
        assert data.variables == ("id", "x", "y")
        assert data.describe().warnings == ()


NUMBERED = {
    "from 1": range(1, 31),
    "descending": range(90, 0, -3),
    "customers, sorted": sorted(GENERATOR.choice(10**6, 30, replace=False).tolist()),
    "half a sample, shuffled": GENERATOR.permutation(np.arange(0, 60)[GENERATOR.permutation(60) < 31]).tolist(),
    "large": [2**60 + i for i in range(30)],
}
MEASURED = {
    "one value twice": [*range(30), 0],
    "incomes": GENERATOR.choice(10**5, 30, replace=False).tolist(),
    "decimals": [i + 0.5 for i in range(30)],
    "few rows": range(20),
    "text": [f"p{i}" for i in range(30)],
}


@pytest.mark.parametrize("cells", NUMBERED.values(), ids=NUMBERED)
def test_integers_that_number_the_rows(cells):
    assert numbers_the_rows(column_from_strings(list(map(str, cells))))
    assert numbers_the_rows(column_from_strings(["", *map(str, cells), "?"]))


@pytest.mark.parametrize("cells", MEASURED.values(), ids=MEASURED)
def test_measurements_and_text_do_not(cells):
    assert not numbers_the_rows(column_from_strings(list(map(str, cells))))


@given(st.permutations(range(25)), st.integers(-(10**20), 10**20))
def test_every_permutation_of_consecutive_integers_numbers_the_rows(order, start):
    assert numbers_the_rows(column_from_strings([str(start + number) for number in order]))


def test_measured_integers_of_wine_are_cut():
    data = ds.discretize("builtin:wine", method="mdl", class_column="class", drop_suspicious=True)
    assert {"proline", "magnesium"} <= set(data.variables)
    assert data.describe().warnings == ()


@pytest.mark.parametrize("score", [ds.local_scores, ds.family_scores, ds.sensitivity])
def test_scores_warn_about_identifiers(score):
    cut, as_levels = ds.discretize(FRAME), ds.Dataset.from_frame(FRAME[["id", "y"]])
    for data, words in ((cut, "'id' numbers the rows"), (as_levels, "'id' has 60 distinct values in 60 rows")):
        with pytest.warns(ds.SuspiciousColumns, match=words) as caught:
            score(data)
        assert [warning.filename for warning in caught] == [__file__]
        assert (str(caught[0].message),) == data.describe().warnings
    with pytest.warns(ds.AutomaticReading, match="'id' is set aside: it looks like an identifier"):
        score(FRAME[["id", "y"]])
    score(ds.discretize(FRAME, drop_suspicious=True))


@pytest.mark.parametrize("name", BUNDLED)
def test_no_bundled_data_set_has_identifiers(name):
    assert identifier_warnings(ds.load_dataset(name)) == []
