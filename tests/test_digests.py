"""The digests that compare the results of two versions."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dagscape as ds


@pytest.fixture
def digests(import_benchmark):
    return import_benchmark("digests")


def test_digests_are_of_values(digests):
    first = ds.Dag.from_edges(["a", "b", "c"], [("a", "c"), ("b", "c")])
    again = ds.Dag.from_edges(["a", "b", "c"], [("b", "c"), ("a", "c")])
    array = np.array([[1.0, 2.0], [3.0, 4.0]])
    for one, other in (
        (first, again),
        (array, np.asfortranarray(array)),
        ({"a": 1}, [("a", 1)]),
        (pd.Series([1.5, 2.5], index=["x", "y"]), pd.Series([1.5, 2.5], index=["x", "y"], name="other")),
    ):
        assert digests.digest(one) == digests.digest(other)


def test_digests_see_every_difference(digests):
    array = np.array([0.1, 0.2])
    values = [
        array, np.nextafter(array, 1), array.reshape(1, 2), array.astype(np.float32), -0.0, 0.0, 0, False, None, "0",
        ["ab", "c"], ["a", "bc"], [["a"], "bc"], ds.Dag.from_edges(["a", "b"], [("a", "b")]),
        ds.Dag.from_edges(["a", "b"], [("b", "a")]), ds.Dag.from_edges(["a", "b"]), pd.DataFrame({"a": [1]}),
        pd.DataFrame({"a": [1]}, index=["x"]), pd.DataFrame({"b": [1]}),
    ]  # fmt: skip
    assert len({digests.digest(value) for value in values}) == len(values)


def test_what_has_no_digest_is_refused(digests):
    with pytest.raises(TypeError, match="object has no digest"):
        digests.digest([object()])
    with pytest.raises(TypeError, match="array of object"):
        digests.digest(np.array([None]))


def test_comparison(digests, monkeypatch, tmp_path, capsys):
    before = tmp_path / "before.txt"
    before.write_text("11  iris: fit\n22  iris: query\n33  zoo: fit\n", encoding="utf-8")
    monkeypatch.setattr(digests, "lines", lambda: iter(["11  iris: fit", "22  iris: query", "33  zoo: fit"]))
    assert digests.compare(before) == 0
    assert capsys.readouterr().out == "3 of 3 digests are the same\n"
    monkeypatch.setattr(digests, "lines", lambda: iter(["11  iris: fit", "23  iris: query", "44  wine: fit"]))
    assert digests.compare(before) == 1
    shown = capsys.readouterr().out
    assert shown == (
        "1 differ:\n  iris: query\n1 are only in the file:\n  zoo: fit\n1 are not in the file:\n  wine: fit\n"
        "1 of 3 digests are the same\n"
    )
