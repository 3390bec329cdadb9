"""The probabilities of a student model: layout, log priors, the M-step, and exchanged states."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscape.student.model.parameters import LEAST, ItemCells, Parameters, SkillTables
from dagscape.student.model.skill_states import flipped_states, mastered_share, parts
from oracles.student import substate
from student.samples import oracle_of, random_parameters, random_parents, tiny

SEEDS = st.integers(0, 2**32 - 1)


@settings(max_examples=30)
@given(SEEDS, st.integers(1, 4))
def test_the_prior_is_the_product_of_the_tables(seed, skills):
    rng = np.random.default_rng(seed)
    parameters = random_parameters(rng, [1], random_parents(rng, skills))
    assert parameters.log_prior() == pytest.approx(oracle_of(parameters).log_prior, abs=1e-12)
    assert parameters.prior().sum() == pytest.approx(1, abs=1e-12)


def test_impossible_states_have_no_probability():
    parameters = Parameters(ItemCells([1]), SkillTables([0, 1]), np.array([0.2, 0.9, 0.5, 0.0, 1.0]))
    # The second skill is mastered by those who have mastered the first, and by nobody else.
    assert parameters.prior().tolist() == [0.5, 0.0, 0.0, 0.5]


@settings(max_examples=30)
@given(SEEDS, st.integers(1, 4))
def test_parts_of_states(seed, skills):
    members = int(np.random.default_rng(seed).integers(0, 1 << skills))
    inside = [skill for skill in range(skills) if members >> skill & 1]
    expected = [substate(tuple(state >> k & 1 for k in range(skills)), inside) for state in range(1 << skills)]
    assert parts(skills, members).tolist() == expected


@settings(max_examples=30)
@given(SEEDS)
def test_shares_of_mastered_skills_are_marginals(seed):
    model = tiny(seed)
    oracle = model.oracle()
    expected = [oracle.marginal(np.exp(oracle.log_prior).tolist(), [skill])[1] for skill in range(3)]
    assert mastered_share(3, model.parameters.prior()) == pytest.approx(expected, abs=1e-12)


@settings(max_examples=25)
@given(SEEDS)
def test_the_m_step_maximises_the_expected_log_likelihood(seed):
    """No other probability of any cell or table explains the expected counts better."""
    model = tiny(seed)
    expected = model.expectation().expect(model.parameters)
    best = model.parameters.maximized(expected.states, expected.cells)

    def explained(parameters):
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.stack([np.log1p(-parameters.correct), np.log(parameters.correct)], axis=1)
            return np.nansum(expected.cells * logs) + np.nansum(expected.states * parameters.log_prior())

    at_best = explained(best)
    for place in range(len(best.vector)):
        for shift in (-0.03, -1e-4, 1e-4, 0.03):
            other = best.vector.copy()
            other[place] += shift
            assert explained(best.moved(other)) <= at_best + 1e-9


def test_the_m_step_divides_counts():
    parameters = Parameters(ItemCells([0b01, 0b11]), SkillTables([0, 1]), np.full(9, 0.25))
    states = np.array([10.0, 20.0, 30.0, 40.0])
    cells = np.array([[30.0, 10.0], [0.0, 60.0], [10.0, 0.0], [5.0, 15.0], [0.0, 0.0], [10.0, 30.0]])
    found = parameters.maximized(states, cells).vector
    # Answers are never impossible; what nobody answers, as in the fifth cell, keeps its probability.
    assert found[:6].tolist() == [0.25, 1 - LEAST, LEAST, 0.75, 0.25, 0.75]
    assert found[6:] == pytest.approx([0.6, 0.75, 40 / 60])


def test_parts_that_never_occur_keep_their_probability():
    tables = SkillTables([0, 1])
    fitted = tables.fitted(np.array([10.0, 0.0, 30.0, 0.0]), np.array([0.5, 0.3, 0.4]))
    assert fitted.tolist() == [0.0, 0.75, 0.4]


@settings(max_examples=30)
@given(SEEDS, st.integers(0, 7))
def test_exchanged_cells_are_those_of_exchanged_states(seed, flipped):
    cells = tiny(seed).parameters.cells
    places = cells.flipped(flipped)
    assert places[places].tolist() == list(range(cells.count))
    for item, mask in enumerate(cells.masks):
        own = cells.offsets[item] + parts(3, mask)
        assert places[own].tolist() == own[flipped_states(3, flipped)].tolist()


@settings(max_examples=30)
@given(SEEDS)
def test_starts_increase_with_the_number_of_mastered_skills(seed):
    rng = np.random.default_rng(seed)
    cells = ItemCells([0b1, 0b11, 0b101])
    parameters = Parameters.start(cells, SkillTables([0, 1, 0]), rng)
    assert cells.lowering(3, parameters.correct) == 0
    assert ((parameters.vector > 0) & (parameters.vector < 1)).all()
    assert np.abs(parameters.mastery - 0.5).max() <= 0.1
    assert parameters.correct[3 + 2] - parameters.correct[2] > 0.3


def test_which_skills_make_correct_answers_less_likely():
    cells = ItemCells([0b01, 0b01, 0b11])
    # The first skill changes the probabilities of the items by -0.1, 0.2 and -0.25, on average over the second skill;
    # the second changes that of the last item by -0.05.
    correct = np.array([0.5, 0.4, 0.2, 0.4, 0.9, 0.5, 0.7, 0.6])
    assert cells.lowering(2, correct) == 0b11
    correct[3] = 0.6
    assert cells.lowering(2, correct) == 0b10


@settings(max_examples=30)
@given(SEEDS, st.integers(1, 4))
def test_other_members_of_a_class_represent_the_same_distribution(seed, skills):
    """Complete graphs in all orders: the tables change, the prior does not."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(skills).tolist()
    complete = [sum(1 << above for above in order[: order.index(skill)]) for skill in range(skills)]
    parameters = random_parameters(rng, [1], random_parents(rng, skills))
    same = parameters.with_structure(SkillTables(complete), parameters.prior())
    assert same.log_prior() == pytest.approx(parameters.log_prior(), abs=1e-10)
