"""Guesses of what columns hold: those that an analyst would make of real tables, and of columns with traps."""

import random
from datetime import date, timedelta

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from dagscape.data.kinds.dates import are_dates
from dagscape.data.kinds.decisions import Wishes, decide, plan_columns, with_levels
from dagscape.data.kinds.guessing import COLUMN_KINDS, guess_kind
from dagscape.data.kinds.profile import profile_of_levels
from dagscape.data.reading import read_table
from dagscape.data.tables.coding import column_from_strings
from dagscape.data.tables.frames import table_from_array

R = random.Random(1)
DAYS = [date(2019, 1, 1) + timedelta(days=R.randrange(700)) for _ in range(300)]
WORDS = ["the", "cat", "sat", "on", "a", "mat", "while", "dogs", "ran", "far", "away", "from", "here"]


def times(count, make):
    return [str(make()) for _ in range(count)]


MEASURED = {
    "age": times(1470, lambda: R.randint(18, 60)),
    "age in 12 rows": ["61", "23", "45", "38", "29", "52", "44", "36", "57", "33", "41", "28"],
    "hourly rate": times(1470, lambda: f"{R.uniform(10, 60):.2f}"),
    "income, all different": times(200, lambda: R.randrange(20000, 90000)),
    "income, sorted": sorted(times(200, lambda: R.randrange(20000, 90000)), key=int),
    "population, sorted": sorted(times(50, lambda: int(10 ** R.uniform(4, 7))), key=int),
    "count with zeros": times(500, lambda: 0 if R.random() < 0.7 else int(R.expovariate(0.05))),
    "year": times(500, lambda: R.randint(1950, 2010)),
    "percentage": times(300, lambda: f"{R.uniform(0, 100):.1f}%"),
    "money": times(300, lambda: f"${R.randrange(100000):,}"),
    "with a word for missing": times(
        200, lambda: R.choice(["unknown", f"{R.uniform(0, 9):.2f}", f"{R.uniform(0, 9):.2f}"])
    ),
    "decimal comma": times(100, lambda: f"{R.uniform(0, 10):.2f}".replace(".", ",")),
}
ORDERED = {
    "points": times(500, lambda: R.randint(1, 10)),
    "answers": times(300, lambda: R.randint(1, 5)),
    "months": times(300, lambda: R.randint(1, 12)),
    "grades": times(300, lambda: R.choice(["Low", "Medium", "High"])),
    "agreement": times(300, lambda: R.choice(["Strongly agree", "Agree", "Disagree"])),
    "age groups": times(300, lambda: R.choice(["18-29", "30-44", "45-59", "60+"])),
    "intervals": times(300, lambda: R.choice(["(-inf,5]", "(5,9]", "(9,inf)"])),
    "doses": ["0.5", "1.0", "2.0"] * 20,
    "three waves": ["2019-01-01", "2020-01-01", "2021-01-01"] * 20,
}
NOMINAL = {
    "codes": times(100, lambda: R.randint(0, 1)),
    "names": times(100, lambda: R.choice(["red", "green", "blue"])),
    "postcodes": times(500, lambda: f"0{R.randrange(1000, 1040)}"),
    "scores of games": times(300, lambda: f"{R.randrange(5)}-{R.randrange(5)}"),
    "booleans": times(50, lambda: R.random() < 0.5),
}
IDENTIFIERS = {
    "row numbers": times(100, iter(range(1, 101)).__next__),
    "row numbers in 12 rows": times(12, iter(range(1, 13)).__next__),
    "row numbers in any order": R.sample(times(20, iter(range(1, 21)).__next__), 20),
    "numbers with gaps": times(400, iter(range(10000, 20000, 7)).__next__),
    "patients": [f"p{i:02d}" for i in range(1, 13)],
    "people in 10 rows": ["anna", "bob", "carl", "dora", "eve", "fred", "gus", "hal", "ida", "joe"],
    "hashes": times(300, lambda: f"{R.getrandbits(64):016x}"),
    "telephones": times(300, lambda: R.randrange(2 * 10**9, 10**10)),
    "telephones in text": times(300, lambda: f"{R.randrange(200, 999)}-{R.randrange(1000, 9999)}"),
    "all postcodes": times(500, lambda: f"{R.randrange(100000):05d}"),
    "huge integers": times(50, lambda: R.randrange(10**18, 10**19)),
    "subjects of a panel": [str(1 + i // 4) for i in range(400)],
}
FORMATS = ["%Y-%m-%d", "%d/%m/%Y", "%m/%d/%y", "%d.%m.%Y", "%Y/%m/%d", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%SZ"]
FORMATS += ["%d-%b-%Y", "%B %d, %Y", "%Y%m%d", "%Y-%m", "%b %Y", "%a, %d %b %Y %H:%M:%S GMT"]
DATES = {form: [day.strftime(form) for day in DAYS] for form in FORMATS}
DATES["times of the day"] = times(300, lambda: f"{R.randrange(24):02d}:{R.randrange(60):02d}")
DATES["a year in each row"] = times(50, iter(range(1960, 2010)).__next__)
TEXTS = {
    "remarks": times(300, lambda: " ".join(R.choices(WORDS, k=8))),
    "job titles": times(1470, lambda: " ".join(R.choices(WORDS, k=3))),
}
EXPECTED = {
    "measured": MEASURED, "ordered": ORDERED, "nominal": NOMINAL, "identifier": IDENTIFIERS, "date": DATES,
    "free text": TEXTS, "constant": {"one value": ["a"] * 9, "no value": [""] * 9},
}  # fmt: skip


@pytest.mark.parametrize(("kind", "name"), [(kind, name) for kind in EXPECTED for name in EXPECTED[kind]])
def test_guesses(kind, name):
    guess = guess_kind(column_from_strings(EXPECTED[kind][name]))
    assert guess.kind == kind, guess.reason
    assert guess.kind in COLUMN_KINDS


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("age", "43 different integers from 18 to 60"),
        ("count with zeros", "different integers from 0 to"),
        ("hourly rate", "different values in 1,470 rows, decimals"),
        ("percentage", "percentages"),
        ("money", "amounts in $"),
    ],
)
def test_reasons_of_measurements(name, reason):
    assert reason in guess_kind(column_from_strings(MEASURED[name])).reason


def test_what_cannot_be_read_as_numbers_is_said():
    found = {name: guess_kind(column_from_strings(cells)).unreadable for name, cells in MEASURED.items()}
    assert found["with a word for missing"] == "mixes numbers with 'unknown'"
    assert found["decimal comma"].startswith("holds numbers with a decimal comma such as '")
    assert not any(text for name, text in found.items() if name not in ("with a word for missing", "decimal comma"))


# What an analyst says of the columns of real tables that nobody has prepared.
REAL = {
    "BEPS": {"identifier": ["rownames"], "measured": ["age"], "ordered": ["Blair", "Europe"], "nominal": ["vote"]},
    "CES11": {"identifier": ["rownames", "id"], "measured": ["weight"], "nominal": ["province", "gender"]},
    "Chile": {"identifier": ["rownames"], "measured": ["age", "statusquo"], "nominal": ["region", "vote"]},
    "WVS": {"identifier": ["rownames"], "measured": ["age"], "ordered": ["poverty"], "nominal": ["country"]},
    "wa_churn": {"measured": ["tenure", "monthly_charges", "total_charges"], "nominal": ["female", "contract"]},
    "stackoverflow": {"measured": ["Salary", "YearsCodedJob"], "ordered": ["CareerSatisfaction"], "nominal": ["Hobby"]},
}


@pytest.mark.parametrize("name", REAL)
def test_real_tables(shared_data, name):
    path = shared_data / "raw" / f"{name}.csv.gz"
    if not path.exists():
        pytest.skip("there is no such table here")
    table = read_table(path)
    for kind, columns in REAL[name].items():
        assert [guess_kind(table.column(column)).kind for column in columns] == [kind] * len(columns)


@given(st.lists(st.floats(-1e6, 1e6).map(lambda x: round(x, 3)), min_size=40, max_size=80, unique=True))
def test_decimals_are_never_identifiers(cells):
    if any(not cell.is_integer() for cell in cells):
        assert guess_kind(column_from_strings(list(map(str, cells)))).kind == "measured"


@given(st.lists(st.text(max_size=8), min_size=1, max_size=40))
def test_every_column_is_of_some_kind(cells):
    column = column_from_strings(cells)
    assert guess_kind(column).kind in COLUMN_KINDS
    assert decide(column).use in ("intervals", "levels", "set aside")


@given(st.lists(st.sampled_from("abc"), min_size=3, max_size=40), st.randoms())
def test_the_order_of_rows_does_not_change_the_kind_of_labels(cells, rng):
    shuffled = rng.sample(cells, len(cells))
    assert guess_kind(column_from_strings(cells)).kind == guess_kind(column_from_strings(shuffled)).kind


def test_a_few_other_cells_do_not_hide_dates():
    assert are_dates([*DATES["%Y-%m-%d"], "unknown"])
    assert not are_dates(["1.2.3", "4.5.6"])


def test_levels_have_the_kind_of_their_cells():
    assert profile_of_levels(["1", "2", "9"], np.array([3, 0, 4])).numbers.tolist() == [1.0, 9.0]


def test_levels_that_are_too_rare_are_set_aside():
    rows = [[f"n{i % 437}", "ab"[i % 2]] for i in range(1470)]
    plan = plan_columns(table_from_array(rows), Wishes())
    assert plan.aside == {"X0": "has levels that are too rare: 437 different values in 1,470 rows"}
    assert plan_columns(table_from_array(rows), Wishes(nominal=("X0",))).kept == ("X0", "X1")


def test_wishes_that_contradict_each_other():
    with pytest.raises(ds.InvalidOption, match="ignore holds 'a', which is also in nominal"):
        Wishes.of(nominal=["a"], ignore=["a"])
    with pytest.raises(ds.InvalidOption, match="numeric is 'a'; it must be a collection of names"):
        Wishes.of(numeric="a")


def test_decimals_as_levels_are_sorted_as_numbers():
    table = with_levels(table_from_array([["10.5"], ["9.5"], ["?"], ["9.5"]]), ["X0"])
    assert table.column("X0").values == ("9.5", "10.5")
    assert table.column("X0").codes.tolist() == [1, 0, -1, 0]
