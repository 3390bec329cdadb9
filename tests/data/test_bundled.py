from __future__ import annotations

import hashlib
from collections import Counter

import numpy as np
import pytest

from dagscape.data.bundled import BUNDLED, SETS, load_dataset
from dagscape.data.discretizing import discretize
from dagscape.data.reading import read_data, read_table
from dagscape.errors import InvalidData, InvalidOption


def rows(data):
    """The rows of a data set, in no order."""
    return Counter(data.to_frame().itertuples(index=False, name=None))


def codes(data, variables):
    """The level codes of some variables, row by row, sorted."""
    columns = data.codes[:, [data.variables.index(name) for name in variables]]
    return sorted(map(tuple, np.repeat(columns, data.weights, axis=0).tolist()))


@pytest.mark.parametrize(
    ("name", "file"),
    [("tic-tac-toe", "tic_tac_toe.csv"), ("votes", "house_votes_84.csv"), ("zoo", "zoo.csv")],
)
def test_discrete_sets_are_the_published_ones(shared_data, name, file):
    published = read_data(shared_data / "sets" / file, missing="level")
    data = load_dataset(name)
    assert data == published
    assert rows(data) == rows(published)


@pytest.mark.parametrize("name", ["wine", "iris"])
def test_measurements_are_the_published_ones(shared_data, name):
    published = discretize(shared_data / "sets" / f"{name}.csv", method="mdl", class_column="class")
    assert discretize(f"builtin:{name}", method="mdl", class_column="class") == published


@pytest.mark.parametrize(("name", "class_first"), [("wine", True), ("iris", False)])
def test_cuts_are_those_of_published_experiments(shared_data, name, class_first):
    data = load_dataset(name)
    published = read_data(shared_data / "sets" / "ebnsl" / f"{name}.csv.gz")
    variables = data.variables[-1:] + data.variables[:-1] if class_first else data.variables
    assert codes(data, variables) == codes(published, published.variables)


def test_tic_tac_toe_has_the_known_rows():
    """The digest is that of the published file's rows, sorted; no file is needed to know that these are they."""
    lines = sorted(",".join(row) for row in load_dataset("tic-tac-toe").to_frame().itertuples(index=False, name=None))
    digest = hashlib.sha256("\n".join(lines).encode()).hexdigest()
    assert digest == "e0095fbcd6454e1548734bea07ab1b3404674ea1158f565ad51d6f0ef3569f78"


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


def test_texts_that_mean_missing_can_be_changed():
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
    with pytest.raises(InvalidOption, match="no bundled data set 'go': there are 'tic-tac-toe', 'votes', 'zoo'"):
        load_dataset("go")
