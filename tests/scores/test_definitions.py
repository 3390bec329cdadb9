"""A score for another type of data needs only a definition: no other module depends on the type of the data."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass, field

import numpy as np
import pytest

import dagscape as ds
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.set_functions import SetFunctions
from dagscape.scores.registry import SCORES
from dagscape.scores.tables.lattice import SetIndex


@dataclass(frozen=True)
class Measurements:
    """Continuous columns."""

    values: np.ndarray
    dropped: int = 0
    experimental_rows: int = 0
    interventions: None = None
    fingerprint: str = "measured"
    set_aside: dict = field(default_factory=dict)
    weighted_by: None = None

    @property
    def variables(self):
        return tuple(f"x{i}" for i in range(self.n))

    @property
    def n(self):
        return self.values.shape[1]

    @property
    def m(self):
        return len(self.values)


class LogDeterminants(SetFunctions):
    """The maximised Gaussian log-likelihood: -m/2 times the log determinant of the correlations of a set."""

    def __init__(self, data, facts):
        self.count = 1
        self.joint = self.base = (0,) * data.n
        self.bound = 100.0 * data.m
        self._data, self._max_size = data, facts.max_size
        self._correlations = np.corrcoef(data.values, rowvar=False)

    def value(self, members):
        return -self._data.m / 2 * math.log(np.linalg.det(self._correlations[np.ix_(members, members)]))

    def rounding(self, unit):
        return 2 * self._data.n * math.ldexp(0.5, -unit.bits)

    def lattice_kernel(self, function, unit):
        return LatticeOf(self, unit, self._data.n, self._max_size)

    def lattice_memory(self, sets, threads):
        return 0

    def family_kernel(self, unit, threads, most_bytes):
        return FamiliesOf(self, unit)

    def family_memory(self, threads):
        return self._data.values.nbytes


class LatticeOf:
    def __init__(self, functions, unit, n, max_size):
        self._functions, self._unit, self._n, self._max_size = functions, unit, n, max_size

    def run(self, out, threads, progress):
        index = SetIndex(self._n, self._max_size)
        for size in range(self._max_size + 1):
            for members in itertools.combinations(range(self._n), size):
                place = index.rank(np.array([members], dtype=np.int64).reshape(1, -1))[0]
                out[place] = self._unit.to_int(self._functions.value(list(members)))


class FamiliesOf:
    bytes = cached_sets = 0

    def __init__(self, functions, unit):
        self._functions, self._unit = functions, unit

    def _score(self, child, parents):
        joint, base = (
            self._unit.to_int(self._functions.value(s)) for s in (sorted([*parents, child]), sorted(parents))
        )
        return joint - base

    def scores(self, child, sets, out, progress):
        out[:] = [self._score(child, row) for row in sets.tolist()]

    def additions(self, child, parents, candidates, out, progress):
        out[:] = [self._score(child, [*parents.tolist(), candidate]) for candidate in candidates.tolist()]


@pytest.fixture
def measured(monkeypatch):
    definition = ScoreDefinition(
        name="gauss",
        title="Gaussian log-likelihood",
        citation="",
        score_equivalent=True,
        functions=LogDeterminants,
        data_type=Measurements,
    )
    monkeypatch.setitem(SCORES, "gauss", definition)
    rng = np.random.default_rng(0)
    values = rng.normal(size=(200, 4))
    values[:, 3] += values[:, 0] + values[:, 1]
    return Measurements(values)


def test_a_score_of_continuous_data_serves_every_method(measured):
    scores = ds.local_scores(measured, "gauss", structure_prior="edge-penalty:3")
    assert isinstance(scores, ds.LatticeScores)
    assert scores.score_equivalent
    best = ds.optimal_network(scores)
    assert {(a, b) for a, b in best.network.edges if b == "x3"} == {("x0", "x3"), ("x1", "x3")}
    assert ds.posterior(scores).edges[2].max() < 0.5


def test_a_score_of_continuous_data_works_on_demand(measured):
    options = {"score": "gauss", "structure_prior": "per-size", "forbidden": [("x2", "x3")]}
    lattice, demand = ds.local_scores(measured, **options), ds.family_scores(measured, **options)
    for child in range(4):
        assert demand.additions_exact(child).tolist() == lattice.additions_exact(child).tolist()
        for sets in lattice.family_sets(child):
            assert demand.exact_scores(child, sets).tolist() == lattice.exact_scores(child, sets).tolist()


def test_data_of_the_wrong_type_are_refused(measured):
    with pytest.raises(ds.InvalidOption, match="data is a Dataset; it must be a Measurements"):
        ds.local_scores(ds.load_dataset("tic-tac-toe"), "gauss")
    with pytest.raises(ds.InvalidOption, match="data is a Measurements; it must be a Dataset: use read_data"):
        ds.local_scores(measured)
