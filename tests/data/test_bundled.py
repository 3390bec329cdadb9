from __future__ import annotations

import hashlib

import numpy as np
import pytest

from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.data.bundled import BUNDLED, SETS, load_dataset
from dagscape.data.discrete.discretizing import discretize
from dagscape.data.reading import read_data, read_table

# Digests of the sorted rows of the published files, so that the files are not needed for the comparison.
PUBLISHED = {
    "tic-tac-toe": "e0095fbcd6454e1548734bea07ab1b3404674ea1158f565ad51d6f0ef3569f78",
    "votes": "80b5b6b97e5c07d019adaf5062eb6252b18575326befcb4084ba98e6de6479f2",
    "zoo": "d3fbc22bdfb73bb8b45d2e8299c5cbc4b03fa26f900dc4b844e46d94ebd338ce",
    "wine": "68f846b4e7307cb15f1ccaf6eb4a86c02580e5a4dd4c9da897d54dd05ed04fe6",
    "iris": "7eb81409d3e18478cc04fb7714e0a29f280d4e64547ff2caa53fa80d924435ec",
}

# The same for the integer codes of the discretised files of [liao2019], with the class in the last column.
PUBLISHED_CODES = {
    "wine": "f381d7b0910c33da301900bdd3b97de3223f19b645434879592d49cdfbf207c4",
    "iris": "b56d96b47151c32972803e3c56ef154b003cb1cda8c6deacd971e4ffd13b2877",
}


def digest(rows):
    lines = sorted(",".join(map(str, row)) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def test_bundled_sets_are_the_published_ones():
    assert {name: digest(bundled.rows()[1:]) for name, bundled in BUNDLED.items()} == PUBLISHED


@pytest.mark.parametrize("name", PUBLISHED_CODES)
def test_cuts_are_those_of_published_experiments(name):
    data = load_dataset(name)
    assert digest(np.repeat(data.codes, data.weights, axis=0).tolist()) == PUBLISHED_CODES[name]


def test_tic_tac_toe_has_the_known_counts():
    data = load_dataset("tic-tac-toe")
    assert (data.n, data.m, data.arities.tolist()) == (10, 958, [3] * 9 + [2])
    assert data.levels["Class"] == ("negative", "positive")
    assert data.describe().columns[-1].counts == (332, 626)


def test_votes_keep_missing_votes_as_a_level():
    data = load_dataset("votes")
    assert (data.n, data.m, data.arities.tolist()) == (17, 435, [3] * 16 + [2])
    assert sum(data.missing.values()) == 392
    assert all(data.levels[name] == ("n", "y", "?") for name in data.variables[:-1])
    assert read_data("builtin:votes", missing="drop").m == 232


def test_strings_that_mean_missing_can_be_changed():
    assert sum(column.missing for column in read_table("builtin:votes").columns) == 392
    assert sum(column.missing for column in read_table("builtin:votes", missing_values=()).columns) == 0


def test_zoo_has_the_known_counts():
    data = load_dataset("zoo")
    assert (data.n, data.m, data.arities.tolist()) == (17, 101, [2] * 12 + [6, 2, 2, 2, 7])


def test_iris_is_cut_into_thirds():
    assert load_dataset("iris") == discretize("builtin:iris", method="width", bins=3)


@pytest.mark.parametrize("name", ["wine", "iris"])
def test_measurements_can_be_had_as_they_were_published(name):
    table = read_table(f"builtin:{name}")
    assert set(table.names) - set(BUNDLED[name].cuts) == {"class"}
    with pytest.raises(InvalidData, match=f"'builtin:{name}' has decimals in column"):
        read_data(f"builtin:{name}")


@pytest.mark.parametrize("name", BUNDLED)
def test_every_bundled_set_loads_twice_the_same(name):
    assert load_dataset(name) == load_dataset(name)


def test_every_stored_set_has_its_source_and_licence():
    notice = (SETS / "README.md").read_text(encoding="utf-8")
    assert "CC BY 4.0" in notice
    stored = {path.name for path in SETS.glob("*.csv")}
    assert stored == {f"{name}.csv" for name in BUNDLED if name != "tic-tac-toe"}
    for file in stored:
        (line,) = [line for line in notice.splitlines() if line.startswith(f"| `{file}` |")]
        assert "https://doi.org/10.24432/" in line
        table = read_table(SETS / file)
        assert f"| {table.m} × {len(table.names)} |" in line


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(InvalidOption, match="no bundled data set 'go'; there are 'tic-tac-toe', 'votes', 'zoo'"):
        load_dataset("go")


@pytest.mark.parametrize("name", ["votes", "zoo", "tic-tac-toe"])
def test_the_published_table_becomes_the_prepared_one(name):
    assert read_data(f"builtin:{name}", missing="level") == load_dataset(name)
