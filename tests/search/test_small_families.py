"""Useful families of few parents: against all subsets by hand, in the same unit, and never too many."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core.clock import Clock
from dagscape.graphs.dag import Dag
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.requirements import nominal_seconds
from dagscape.scores.scoring_job import prepare, with_fewer_parents
from dagscape.scores.tables.on_demand import on_demand_scores
from dagscape.search import small_families as subject
from dagscape.search.family_pool import FamilyPool
from dagscape.search.job import SearchJob
from dagscape.search.trace import TraceRecorder
from oracles.orders import useful_families


def search_job(data, max_seconds=None, **options):
    job, clock = prepare(data, **options), Clock(max_seconds)
    scores = on_demand_scores(job, threads=1)
    return SearchJob(
        scores=scores,
        scoring=job,
        start=Dag.from_edges(scores.variables, []),
        rng=np.random.default_rng(0),
        clock=clock,
        trace=TraceRecorder(scores.unit, clock),
        threads=1,
    )


def listed(blocks):
    return [
        {tuple(row): score for sets, exact in child for row, score in zip(sets.tolist(), exact.tolist(), strict=True)}
        for child in blocks
    ]


@given(st.integers(2, 6), st.sampled_from(["bdeu", "bic", "k2"]), st.booleans(), st.integers(0, 2**32 - 1))
@settings(max_examples=40)
def test_the_useful_families_are_those_found_by_hand(n, score, constrained, seed):
    rng = np.random.default_rng(seed)
    data = ds.Dataset.from_array(rng.integers(0, 3, (60, n)), keep_constant=True)
    names = data.variables
    options = {"required": [names[:2]], "forbidden": [names[-2:]]} if constrained and n > 2 else {}
    job = search_job(data, score=score, **options)
    found = listed(subject.small_families(job))
    most = min(3, n - 1)
    assert found == useful_families(job.scores, most) if most >= 2 else not any(found)


@pytest.mark.parametrize("interventions", ["perfect", "mechanism"])
def test_scores_are_those_of_the_search_whatever_its_limit_on_parents(interventions):
    """Fewer parents would allow a finer unit, but the scores must be comparable."""
    rng = np.random.default_rng(4)
    names = list("abcdef")
    marks = rng.random((300, 6)) < 0.1
    data = ds.Dataset.from_array(rng.integers(0, 3, (300, 6)), names, interventions=marks)
    job = search_job(data, interventions=interventions)
    # It decides how sums are rounded.
    assert with_fewer_parents(job.scoring, 2).functions.bound == job.scoring.functions.bound
    for child, families in enumerate(listed(subject.small_families(job))):
        for parents, score in families.items():
            assert job.scores.exact_scores(child, np.array([parents], dtype=np.int64).reshape(1, -1))[0] == score


def test_of_three_parents_only_the_best_families_are_listed(monkeypatch):
    data = ds.Dataset.from_array(np.random.default_rng(3).integers(0, 2, (40, 9)))
    every = listed(subject.small_families(search_job(data, score="loglik")))
    monkeypatch.setattr(subject, "_MOST_LISTED", 2)
    fewer = listed(subject.small_families(search_job(data, score="loglik")))
    assert any(len([p for p in child if len(p) == 3]) > 2 for child in every)
    for all_of, some_of in zip(every, fewer, strict=True):
        by_size = [{p: s for p, s in all_of.items() if len(p) == size} for size in range(4)]
        best = sorted(by_size[3].values(), reverse=True)[:2]
        assert {p: s for p, s in some_of.items() if len(p) < 3} == by_size[0] | by_size[1] | by_size[2]
        assert sorted((s for p, s in some_of.items() if len(p) == 3), reverse=True) == best


def test_no_more_parents_than_time_and_memory_allow(monkeypatch):
    data = ds.Dataset.from_array(np.random.default_rng(1).integers(0, 3, (300, 12)))

    def most_parents(**options):
        return max(
            (sets.shape[1] for child in subject.small_families(search_job(data, **options)) for sets, _ in child),
            default=0,
        )

    assert most_parents() == 3
    assert most_parents(max_parents=2) == 2
    assert most_parents(max_parents=1) == 0
    assert most_parents(max_seconds=1e-6) == 0
    monkeypatch.setattr(subject, "_MOST_SETS", 500)
    assert most_parents() == 2
    monkeypatch.setattr(subject, "_MOST_SETS", 50)
    assert most_parents() == 0


def test_the_nominal_time_is_the_same_every_time_and_grows_with_the_work():
    data = ds.load_network("asia").sample(2000, seed=1)
    few, more = (prepare(data, max_parents=k) for k in (2, 5))
    assert nominal_seconds(few) == nominal_seconds(few)
    assert 0 < nominal_seconds(few) < nominal_seconds(more) < 1
    assert nominal_seconds(prepare(ds.Dataset.from_array(np.eye(80, dtype=int)))) == np.inf


def test_the_best_families_are_expanded():
    job = search_job(ds.load_network("asia").sample(500, seed=1))
    pool = FamilyPool(job.scores, job.start, subject.small_families(job), job.rng, lambda: False)
    assert pool.expand_best()
    while pool.expand_best():
        pass
    families = listed(pool._blocks)
    for child in range(job.scores.n):
        best = max(families[child], key=families[child].get)
        additions = job.scores.additions_exact(child, best)
        better = {tuple(sorted((*best, v))) for v, exact in enumerate(additions) if exact > families[child][best]}
        assert better == set()
        for parents in sorted(families[child], key=families[child].get, reverse=True)[:5]:
            for v, exact in enumerate(job.scores.additions_exact(child, parents).tolist()):
                if exact != IMPOSSIBLE and exact > families[child][parents]:
                    assert families[child][tuple(sorted((*parents, v)))] == exact


@pytest.mark.parametrize("n", [2, 3, 5])
def test_places_of_smaller_sets(n):
    layers = subject.set_layers(n, n)
    for size, (sets, without) in enumerate(layers):
        assert sorted(map(tuple, sets.tolist())) == sorted(itertools.combinations(range(n), size))
        for left_out, places in enumerate(without):
            smaller = layers[size - 1].sets[places]
            assert smaller.tolist() == np.delete(sets, left_out, axis=1).tolist()
