"""Structural EM: the best structure for expected counts, and rounds that improve the score."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core.masks import bits
from dagscape.student.learning.em import fit
from dagscape.student.learning.structural_em import (
    Found,
    Limits,
    StructureSearch,
    first_round,
    structural_em,
    with_structure,
)
from dagscape.student.model.parameters import SkillTables
from oracles.graphs import all_dags
from oracles.student import expected_score
from student.samples import Tiny, identified, relabelled

NAMES = ("a", "b", "c", "d")
SEEDS = st.integers(0, 2**32 - 1)
PRICES = {"bic": lambda total: math.log(total) / 2, "aic": lambda total: 1.0}


def random_counts(seed: int, skills: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.gamma(0.5, size=1 << skills) * rng.choice([3.0, 30.0, 300.0])


def score_of(parent_masks, counts, score):
    return expected_score(counts.tolist(), [list(bits(mask)) for mask in parent_masks], PRICES[score](counts.sum()))


@pytest.mark.slow
@settings(max_examples=25)
@given(SEEDS, st.integers(1, 4), st.sampled_from(["bic", "aic"]))
def test_the_structure_is_the_best_of_all(seed, skills, score):
    counts = random_counts(seed, skills)
    search = StructureSearch(NAMES[:skills], score)
    found = search.best(counts, np.random.default_rng(0))
    best = max(score_of(dag.parent_masks, counts, score) for dag in all_dags(skills))
    assert score_of(found.parent_masks, counts, score) == pytest.approx(best, abs=1e-8)


@settings(max_examples=20)
@given(SEEDS, st.integers(0, 2))
def test_the_structure_is_the_best_within_constraints(seed, max_parents):
    counts = random_counts(seed, 3)
    required, forbidden, tiers = (("c", "a"),) if max_parents else (), (("a", "b"),), (("b", "c"), ("a",))
    search = StructureSearch(NAMES[:3], "bic", "optimal", max_parents, required, forbidden, tiers)
    found = search.best(counts, np.random.default_rng(0))

    def allowed(dag):
        edges = set(dag.edges)
        above = {(u, v) for u, v in edges if (u, v) in {("a", "b"), ("a", "c")}}
        return not above and set(required) <= edges and max(m.bit_count() for m in dag.parent_masks) <= max_parents

    named = [ds.Dag(NAMES[:3], dag.parent_masks) for dag in all_dags(3)]
    best = max(score_of(dag.parent_masks, counts, "bic") for dag in named if allowed(dag))
    assert allowed(found)
    assert score_of(found.parent_masks, counts, "bic") == pytest.approx(best, abs=1e-8)


def test_the_search_over_orders_finds_the_same_structure():
    for seed in range(5):
        counts = random_counts(seed, 4)
        found = [
            StructureSearch(NAMES, method=way).best(counts, np.random.default_rng(1)) for way in ("optimal", "order")
        ]
        assert score_of(found[0].parent_masks, counts, "bic") == pytest.approx(
            score_of(found[1].parent_masks, counts, "bic"), abs=1e-8
        )


@pytest.mark.parametrize("seed", range(4))
def test_rounds_improve_the_score_at_least_as_much_as_expected(seed):
    model = identified(seed, students=500, missing=0.2)
    expectation, search, rng = model.expectation(), StructureSearch(NAMES[:3]), np.random.default_rng(seed)
    seen = []
    first = first_round(expectation, search.start(), search, rng, Limits())
    ended = structural_em(expectation, search, first, rng, Limits(), seen.append)
    assert [found.rounds for found in seen] == list(range(1, len(seen) + 1))
    assert len(seen) > 1
    for before, after in itertools.pairwise(seen):
        counts = before.fitted.expected.states
        expected = [score_of(one.dag.parent_masks, counts, "bic") for one in (before, after)]
        # EM ends a little below the maximum for the structure before.
        assert after.score - before.score >= expected[1] - expected[0] - 1e-4
        assert after.steps > before.steps
    assert ended.score == seen[-1].score
    last = ended.fitted.expected.states
    best = max(score_of(dag.parent_masks, last, "bic") for dag in all_dags(3))
    assert score_of(ended.dag.parent_masks, last, "bic") == pytest.approx(best, abs=1e-3)


def test_scores_subtract_a_penalty_for_each_parameter():
    model = identified(1, students=200)
    expectation, rng = model.expectation(), np.random.default_rng(1)
    for score, price in (("bic", math.log(200) / 2), ("aic", 1.0)):
        search = StructureSearch(NAMES[:3], score)
        found = first_round(expectation, search.start(), search, rng, Limits())
        # Nine items of one skill, one of two, and three skills.
        assert found.score == pytest.approx(found.fitted.log_likelihood - price * (9 * 2 + 4 + 3))


def test_required_edges_are_there_from_the_start():
    search = StructureSearch(NAMES[:3], required=(("c", "a"),))
    assert search.start().edges == (("c", "a"),)


def learned_from(model: Tiny) -> Found:
    """Structural EM from a start that has the probabilities of answers of a model."""
    expectation, search, limits = model.expectation(), StructureSearch(NAMES[:3]), Limits(tolerance=1e-9)
    start = model.parameters.with_structure(SkillTables([0, 0, 0]), np.ones(8))
    fitted = fit(expectation, start, tolerance=limits.tolerance)
    score = fitted.log_likelihood - search.penalty(len(start.vector), expectation.students)
    first = Found(search.start(), fitted, score, 1, fitted.steps)
    return structural_em(expectation, search, first, np.random.default_rng(0), limits)


@pytest.mark.parametrize("seed", range(5))
def test_relabelling_changes_names_only(seed):
    rng = np.random.default_rng(seed)
    model = identified(seed, students=300, missing=0.1)
    skills, items, students = (rng.permutation(size).tolist() for size in (3, 10, 300))
    found, other = learned_from(model), learned_from(relabelled(model, skills, items, students))
    assert other.score == pytest.approx(found.score, abs=1e-6)
    assert other.rounds == found.rounds
    edges = [(NAMES[skills[NAMES.index(u)]], NAMES[skills[NAMES.index(v)]]) for u, v in found.dag.edges]
    assert other.dag.to_cpdag() == ds.Dag.from_edges(NAMES[:3], edges).to_cpdag()
    moved = np.array([sum((state >> k & 1) << skills[k] for k in range(3)) for state in range(8)])
    assert other.fitted.expected.states[moved] == pytest.approx(found.fitted.expected.states, abs=0.05)


def test_other_structures_start_where_the_last_ended():
    model = identified(4, students=300)
    expectation, search, rng = model.expectation(), StructureSearch(NAMES[:3]), np.random.default_rng(4)
    empty = first_round(expectation, search.start(), search, rng, Limits())
    chain = ds.Dag.from_edges(NAMES[:3], [("a", "b"), ("b", "c")])
    full = ds.Dag.from_edges(NAMES[:3], [("a", "b"), ("b", "c"), ("a", "c")])
    steps = [empty, with_structure(expectation, empty, chain, search, Limits())]
    steps.append(with_structure(expectation, steps[1], full, search, Limits()))
    # Each contains the one before, so that its likelihood is at least as large.
    assert steps[0].fitted.log_likelihood < steps[1].fitted.log_likelihood
    assert steps[1].fitted.log_likelihood <= steps[2].fitted.log_likelihood + 1e-6
    assert [one.rounds for one in steps] == [1, 2, 3]
