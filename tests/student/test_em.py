"""Parametric EM: expected counts, a likelihood that never falls, and where it ends."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscape.student.learning.em import Fitted, fit
from dagscape.student.learning.structural_em import upright
from dagscape.student.model.parameters import ItemCells, Parameters, SkillTables
from student.samples import Tiny, answers_of, identified, oracle_of, random_parents, relabelled, tiny

SEEDS = st.integers(0, 2**32 - 1)
SKILLS = st.integers(1, 3)
ITEMS = st.integers(1, 5)


@settings(max_examples=50)
@given(SEEDS, SKILLS, ITEMS, st.integers(1, 20))
def test_expected_counts_and_likelihood_are_those_of_brute_force(seed, skills, items, students):
    model = tiny(seed, skills, items, students)
    oracle, rows, ones = model.oracle(), model.rows, model.ones
    found = model.expectation().expect(model.parameters)
    assert found.log_likelihood == pytest.approx(oracle.log_likelihood(rows, ones), rel=1e-10)
    assert found.states == pytest.approx(oracle.state_counts(rows, ones), abs=1e-10)
    assert found.cells == pytest.approx(oracle.cell_counts(rows, ones), abs=1e-10)
    assert found.states.sum() == pytest.approx(students)
    assert found.cells.sum() == pytest.approx((model.answers.table >= 0).sum())


@settings(max_examples=50)
@given(SEEDS, SKILLS, ITEMS, st.integers(1, 30), st.booleans())
def test_the_likelihood_never_falls(seed, skills, items, students, accelerate):
    model = tiny(seed, skills, items, students)
    seen = []
    ended = fit(model.expectation(), model.parameters, accelerate=accelerate, max_steps=300, watch=seen.append)
    # Equal likelihoods may differ by rounding errors.
    assert np.diff(seen).min() >= -1e-10 * students
    assert seen[-1] == ended.log_likelihood
    assert ended.log_likelihood == pytest.approx(
        oracle_of(ended.parameters).log_likelihood(model.rows, model.ones), rel=1e-10
    )


@settings(max_examples=25)
@given(SEEDS, st.integers(1, 3))
def test_a_step_is_that_of_brute_force(seed, skills):
    model = tiny(seed, skills)
    # The limit on E-steps ends this after one step of EM.
    ended = fit(model.expectation(), model.parameters, tolerance=0, max_steps=1)
    oracle = model.oracle()
    states, cells = oracle.state_counts(model.rows, model.ones), oracle.cell_counts(model.rows, model.ones)
    expected = model.parameters.maximized(states, cells)
    assert ended.parameters.vector == pytest.approx(expected.vector, abs=1e-10)
    assert ended.steps == 2


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_accelerated_and_plain_steps_reach_the_same_point(seed, missing):
    model = identified(seed, missing=missing)
    start = Parameters.start(model.parameters.cells, model.parameters.tables, np.random.default_rng(seed))
    ends = [
        fit(model.expectation(), start, tolerance=1e-11, max_steps=100_000, accelerate=accelerate)
        for accelerate in (True, False)
    ]
    assert ends[0].converged
    assert ends[1].converged
    assert ends[0].log_likelihood == pytest.approx(ends[1].log_likelihood, abs=1e-7)
    assert ends[0].parameters.vector == pytest.approx(ends[1].parameters.vector, abs=3e-4)
    assert ends[0].steps < ends[1].steps / 2


@pytest.mark.parametrize("seed", range(4))
def test_ends_are_stationary(seed):
    model = identified(seed, students=300)
    ended = fit(model.expectation(), model.parameters, tolerance=1e-12, max_steps=100_000)
    again = ended.parameters.maximized(ended.expected.states, ended.expected.cells)
    assert again.vector == pytest.approx(ended.parameters.vector, abs=1e-5)


def inward_gain(model: Tiny, parameters: Parameters) -> float:
    """The steepest ascent from probabilities at a limit of their range to the inside."""
    expectation = model.expectation()
    at_end, step, steepest = expectation.expect(parameters).log_likelihood, 1e-6, -np.inf
    for place, value in enumerate(parameters.vector.tolist()):
        if min(value, 1 - value) < 1e-8:
            other = parameters.vector.copy()
            other[place] += step if value < 0.5 else -step
            inside = dataclasses.replace(parameters, vector=other)
            steepest = max(steepest, (expectation.expect(inside).log_likelihood - at_end) / step)
    return steepest


@pytest.mark.parametrize("seed", [68, 182, 215, 282])
def test_extrapolations_do_not_end_at_limits_where_the_likelihood_grows_inwards(seed):
    """EM cannot leave probabilities of 0 and 1. In these models, extrapolations lead beyond them on the way."""
    rng = np.random.default_rng(seed)
    skills = int(rng.integers(1, 4))
    masks = [1 << k for k in range(skills)] * 2
    masks += [int(rng.integers(1, 1 << skills)) for _ in range(max(5, 3 * skills) - len(masks))]
    cells, tables = ItemCells(masks), SkillTables([0, *(int(rng.integers(0, 1 << k)) for k in range(1, skills))])
    students = int(rng.choice([30, 100, 300]))
    correct = np.clip(cells.start(rng) + rng.uniform(-0.2, 0.2, cells.count), 0.01, 0.99)
    truth = Parameters(cells, tables, np.concatenate([correct, rng.uniform(0.02, 0.98, tables.count)]))
    states = rng.choice(1 << skills, students, p=truth.prior() / truth.prior().sum())
    table = np.empty((students, len(masks)), np.int8)
    for item, mask in enumerate(masks):
        place = sum((states >> k & 1) << p for p, k in enumerate(k for k in range(skills) if mask >> k & 1))
        table[:, item] = rng.random(students) < truth.correct[cells.of(item)][place]
    model = Tiny(Parameters.start(cells, tables, rng), answers_of(table))
    ended = fit(model.expectation(), model.parameters, tolerance=1e-9)
    assert inward_gain(model, ended.parameters) < 1e-2


@settings(max_examples=10)
@given(SEEDS)
def test_relabelling_changes_names_only(seed):
    rng = np.random.default_rng(seed)
    model = identified(seed % 5, students=120, missing=0.2)
    skills, items, students = rng.permutation(3).tolist(), rng.permutation(10).tolist(), rng.permutation(120).tolist()
    other = relabelled(model, skills, items, students)
    ends = [fit(one.expectation(), one.parameters, max_steps=60) for one in (model, other)]
    back = relabelled(
        Tiny(ends[1].parameters, other.answers), np.argsort(skills).tolist(), np.argsort(items).tolist(), range(120)
    )
    assert ends[1].log_likelihood == pytest.approx(ends[0].log_likelihood, rel=1e-12)
    assert back.parameters.cells.masks == model.parameters.cells.masks
    assert back.parameters.vector == pytest.approx(ends[0].parameters.vector, abs=1e-7)


def test_the_order_of_the_students_changes_no_bit():
    model = identified(2, students=150, missing=0.2)
    order = np.random.default_rng(1).permutation(150)
    other = Tiny(model.parameters, answers_of(model.answers.table[order]))
    ends = [fit(one.expectation(), one.parameters) for one in (model, other)]
    assert ends[0].parameters.vector.tobytes() == ends[1].parameters.vector.tobytes()
    assert ends[0].log_likelihood == ends[1].log_likelihood


def test_any_number_of_threads_gives_the_same_bits():
    model = identified(3, students=400, missing=0.3)
    ends = [fit(model.expectation(threads), model.parameters) for threads in (1, 2, 3)]
    for other in ends[1:]:
        assert other.parameters.vector.tobytes() == ends[0].parameters.vector.tobytes()
        assert other.expected.states.tobytes() == ends[0].expected.states.tobytes()
        assert (other.log_likelihood, other.steps) == (ends[0].log_likelihood, ends[0].steps)


@settings(max_examples=25)
@given(SEEDS, SKILLS, ITEMS)
def test_exchanging_states_changes_no_probability_of_answers(seed, skills, items):
    model = tiny(seed, skills, items)
    before = fit(model.expectation(), model.parameters, max_steps=20)
    after = upright(before, skills)
    assert after.parameters.cells.lowering(skills, after.parameters.correct) == 0
    oracles = [oracle_of(one.parameters) for one in (before, after)]
    for row in model.rows:
        assert oracles[0].log_likelihood_of(row) == pytest.approx(oracles[1].log_likelihood_of(row), abs=1e-9)
    again = model.expectation().expect(after.parameters)
    assert after.expected.states == pytest.approx(again.states, abs=1e-9)
    assert after.expected.cells == pytest.approx(again.cells, abs=1e-9)


@settings(max_examples=20)
@given(SEEDS, st.integers(0, 7))
def test_exchanged_states_are_put_upright_again(seed, flipped):
    """A model whose skills all help, with the states of some of them exchanged."""
    rng = np.random.default_rng(seed)
    cells, tables = ItemCells([1, 2, 4, 3, 6]), SkillTables(random_parents(rng, 3))
    start = Parameters.start(cells, tables, rng)
    model = Tiny(start, tiny(seed).answers)
    states = np.arange(8) ^ flipped
    turned = start.with_structure(SkillTables([0, 1, 3]), start.prior()[states])
    turned = dataclasses.replace(turned, vector=np.concatenate([start.correct[cells.flipped(flipped)], turned.mastery]))
    exchanged = Fitted(turned, model.expectation().expect(turned), 1, converged=True)
    assert cells.lowering(3, turned.correct) == flipped
    back = upright(exchanged, 3)
    assert back.parameters.correct == pytest.approx(start.correct)
    assert back.parameters.prior() == pytest.approx(start.prior(), abs=1e-12)


def test_limits_on_steps_are_kept_and_reported():
    model = identified(1)
    few = fit(model.expectation(), model.parameters, max_steps=10)
    assert not few.converged
    assert 10 <= few.steps <= 12
    enough = fit(model.expectation(), model.parameters)
    assert enough.converged
    assert enough.log_likelihood > few.log_likelihood


def test_a_tolerance_of_zero_ends():
    model = tiny(5, 1, 3, 10, missing=0.0)
    ended = fit(model.expectation(), model.parameters, tolerance=0, max_steps=1_000_000)
    assert ended.converged
