from __future__ import annotations

from collections import Counter

import pytest

from dagscape.data.bundled import BUNDLED, load_dataset
from dagscape.data.reading import read_data
from dagscape.errors import InvalidOption


def test_tic_tac_toe_is_the_published_set(shared_data):
    published = read_data(shared_data / "sets" / "tic_tac_toe.csv")
    data = load_dataset("tic-tac-toe")
    assert data == published
    rows = Counter(data.to_frame().itertuples(index=False, name=None))
    assert rows == Counter(published.to_frame().itertuples(index=False, name=None))


def test_tic_tac_toe_has_the_known_counts():
    data = load_dataset("tic-tac-toe")
    assert (data.n, data.m, data.arities.tolist()) == (10, 958, [3] * 9 + [2])
    assert data.levels["Class"] == ("negative", "positive")
    assert data.describe().columns[-1].counts == (332, 626)


@pytest.mark.parametrize("name", BUNDLED)
def test_every_bundled_set_loads_twice_the_same(name):
    assert load_dataset(name) == load_dataset(name)


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(InvalidOption, match="no bundled data set 'go': there are 'tic-tac-toe'"):
        load_dataset("go")
