from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest

import dagscape as ds
from dagscape.report.loading import RESULTS
from dagscape.results import Provenance, Result, array_field


@dataclass(frozen=True, slots=True)
class Example(Result):
    kind: ClassVar[str] = "example"
    matrix: np.ndarray = array_field()
    count: int = 0

    def to_frame(self):
        raise AssertionError


def example_results():
    data = ds.load_dataset("tic-tac-toe")
    return [
        data.describe(),
        ds.plan(data, max_parents=1),
        ds.compare(ds.Dag.from_edges("ab", [("a", "b")]), ds.Dag.from_edges("ab")),
        ds.posterior(ds.local_scores(data.select(data.variables[:4]))),
        ds.optimal_network(ds.local_scores(data, max_parents=1)),
        ds.modes(ds.local_scores(data, max_parents=2), k=3),
        ds.k_best(ds.local_scores(data, max_parents=2), k=5),
        ds.summarize_scores(ds.local_scores(data, forbidden=[(data.variables[0], data.variables[1])])),
    ]


def test_every_kind_of_result_survives_saving(tmp_path):
    results = example_results()
    assert {type(result) for result in results} == set(RESULTS.values())
    for result in results:
        path = tmp_path / "result.json"
        result.save(path)
        back = ds.load_result(path)
        assert type(back) is type(result)
        assert back.to_dict() == result.to_dict()
        assert back.provenance.version == ds.__version__
        assert len(result.to_frame())
        assert len(repr(result)) < 200


def test_arrays_and_infinities(tmp_path):
    result = Example(("a", "b"), Provenance("0", "x"), np.array([[1.5, -math.inf], [math.nan, 0.0]]), 10**30)
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert document["matrix"][0] == [1.5, "-inf"]
    back = Example.from_dict(document)
    np.testing.assert_array_equal(back.matrix, result.matrix)
    assert back.count == 10**30


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not JSON"),
        ("[1, 2]", "is not a result of dagscape"),
        ('{"kind": "novel", "schema": 1}', "is not a result of dagscape"),
        ('{"kind": "plan", "schema": 99}', "has schema 99"),
        ('{"kind": "plan", "schema": 1}', "lacks"),
        (
            '{"kind": "plan", "schema": 1, "variables": [], "provenance": 3, "steps": [4], "memory_limit": 1}',
            "not a whole",
        ),
    ],
)
def test_broken_documents(tmp_path, content, message):
    path = tmp_path / "broken.json"
    path.write_text(content)
    with pytest.raises(ds.InvalidData, match=message):
        ds.load_result(path)
