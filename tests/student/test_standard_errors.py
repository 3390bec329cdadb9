"""Standard errors against numerical derivatives, and against the spread of estimates from simulated answers."""

from __future__ import annotations

import numpy as np
import pytest

from dagscape.student.learning.em import fit
from dagscape.student.learning.standard_errors import _mastery_derivatives, _scores, standard_errors
from dagscape.student.model.parameters import ItemCells, Parameters, SkillTables
from dagscape.student.model.skill_states import mastered_share
from student.samples import Tiny, answers_of, drawn, identified, tiny


def errors_of(model: Tiny):
    patterns, weights, _ = model.answers.patterns()
    return standard_errors(model.expectation(), model.parameters, patterns, weights)


def fitted(model: Tiny, start: Parameters | None = None) -> Tiny:
    ended = fit(model.expectation(), start or model.parameters, tolerance=1e-6)
    return Tiny(ended.parameters, model.answers)


def shifted(parameters: Parameters, place: int, shift: float) -> Parameters:
    vector = parameters.vector.copy()
    vector[place] += shift
    return Parameters(parameters.cells, parameters.tables, vector)


@pytest.mark.parametrize("seed", range(5))
def test_scores_are_derivatives_of_the_log_likelihoods(seed):
    model = tiny(seed, students=8)
    expectation, step = model.expectation(), 1e-6
    patterns, _, _ = model.answers.patterns()
    found = _scores(expectation, model.parameters, patterns)
    for place in range(len(model.parameters.vector)):
        above, below = (
            expectation.marginals(shifted(model.parameters, place, shift), [1])[1] for shift in (step, -step)
        )
        assert found[:, place] == pytest.approx((above - below) / (2 * step), abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_derivatives_of_shares(seed):
    parameters, step = tiny(seed).parameters, 1e-6
    found = _mastery_derivatives(parameters, 3)
    for place in range(len(parameters.vector)):
        above, below = (mastered_share(3, shifted(parameters, place, shift).prior()) for shift in (step, -step))
        assert found[:, place] == pytest.approx((above - below) / (2 * step), abs=1e-8)


def test_errors_are_near_those_of_the_second_derivatives():
    """The two estimates of the information agree for many students from the model."""
    model = fitted(identified(1, students=20_000))
    expectation, vector, step = model.expectation(), model.parameters.vector, 1e-4
    patterns, weights, _ = model.answers.patterns()
    columns = []
    for place in range(len(vector)):
        gradients = [
            weights @ _scores(expectation, shifted(model.parameters, place, shift), patterns) for shift in (step, -step)
        ]
        columns.append((gradients[1] - gradients[0]) / (2 * step))
    expected = np.sqrt(np.diagonal(np.linalg.inv(np.array(columns))))
    assert errors_of(model).parameters == pytest.approx(expected, rel=0.15)


def test_errors_are_the_spread_of_estimates():
    rng = np.random.default_rng(5)
    cells, tables = ItemCells([1, 1, 1, 2, 2, 2]), SkillTables([0, 1])
    truth = Parameters(cells, tables, np.concatenate([cells.start(rng), [0.6, 0.2, 0.7]]))
    samples = [fitted(Tiny(truth, drawn(truth, 1500, rng, missing=0.05))) for _ in range(60)]
    errors = [errors_of(sample) for sample in samples]
    estimates = np.array([sample.parameters.vector for sample in samples])
    shares = np.array([mastered_share(2, sample.parameters.prior()) for sample in samples])
    # The standard deviation of 60 samples has a standard error of 9 %.
    assert np.mean([one.parameters for one in errors], axis=0) == pytest.approx(estimates.std(axis=0, ddof=1), rel=0.3)
    assert np.mean([one.mastery for one in errors], axis=0) == pytest.approx(shares.std(axis=0, ddof=1), rel=0.3)


def test_certain_probabilities_have_no_error():
    cells, tables = ItemCells([1, 1, 1, 1]), SkillTables([0])
    parameters = Parameters(cells, tables, np.array([1e-10, 0.8, 0.2, 0.9, 0.3, 0.7, 0.1, 0.9, 0.5]))
    found = errors_of(Tiny(parameters, drawn(parameters, 1000, np.random.default_rng(1))))
    assert found.parameters[0] == np.inf
    assert np.isfinite(found.parameters[1:]).all()
    assert 0.01 < found.mastery[0] < 0.05


def test_shares_of_0_and_1_have_no_error():
    parameters = Parameters(ItemCells([1, 1, 2, 2, 2]), SkillTables([0, 0]), np.array([0.2, 0.8] * 5 + [1.0, 0.4]))
    found = errors_of(Tiny(parameters, drawn(parameters, 500, np.random.default_rng(1))))
    assert found.mastery[0] == np.inf
    assert np.isfinite(found.mastery[1])


@pytest.mark.parametrize("parents", [[0, 0], [0, 1], [2, 0]])
@pytest.mark.parametrize("answered", [True, False])
def test_skills_that_the_answers_do_not_determine(parents, answered):
    """The second skill has one item, which nobody may have answered; the first is as sure as ever."""
    cells, tables = ItemCells([1, 1, 1, 1, 1, 2]), SkillTables(parents)
    rng = np.random.default_rng(3)
    mastery = np.array([0.6, 0.4]) if parents == [0, 0] else np.array([0.6, 0.3, 0.5])
    truth = Parameters(cells, tables, np.concatenate([cells.start(rng), mastery]))
    table = drawn(truth, 800, rng).table.copy()
    if not answered:
        table[:, 5] = -1
    found = errors_of(fitted(Tiny(truth, answers_of(table))))
    alone = Parameters(ItemCells([1] * 5), SkillTables([0]), np.append(truth.correct[:10], 0.5))
    expected = errors_of(fitted(Tiny(alone, answers_of(table[:, :5]))))
    assert found.parameters[:10] == pytest.approx(expected.parameters[:10], rel=0.1)
    assert np.isinf(found.parameters[10:12]).all()
    assert found.mastery[0] == pytest.approx(expected.mastery[0], rel=0.1)
    assert found.mastery[1] == np.inf


def test_fewer_students_than_parameters_determine_nothing():
    model = tiny(1, students=4)
    assert not np.isfinite(errors_of(model).parameters).all()


@pytest.mark.parametrize("answer", [0, 1, -1])
@pytest.mark.parametrize("students", [1, 8, 300])
def test_answers_that_say_nothing_have_no_finite_errors(answer, students):
    """All alike or all missing: the scores of the skills are rounding errors of about 1e-16, and not information."""
    for seed in range(12):
        model = tiny(seed, students=students)
        alike = np.full_like(model.answers.table, answer)
        found = errors_of(fitted(Tiny(model.parameters, answers_of(alike))))
        for errors in (found.parameters, found.mastery):
            assert errors[np.isfinite(errors)] == pytest.approx(0, abs=1000)
        if answer == -1:
            assert np.isinf(found.parameters).all()


@pytest.mark.parametrize(("lacking", "determined"), [(0.1, True), (0.01, True), (1e-9, False), (1e-12, False)])
def test_an_error_ends_where_the_likelihood_is_flatter_than_the_tolerance_of_em(lacking, determined):
    """A skill has a probability for the students who lack its prerequisite; hardly any of them may exist."""
    cells, tables = ItemCells([1, 1, 1, 2, 2, 2]), SkillTables([0, 1])
    truth = Parameters(cells, tables, np.array([0.1, 0.9] * 3 + [0.2, 0.8] * 3 + [1 - lacking, 0.5, 0.6]))
    with_all = Parameters(cells, tables, np.array([0.001, 0.999] * 3 + [0.2, 0.8] * 3 + [1.0, 0.5, 0.6]))
    # All students have the prerequisite if hardly any of them lack it.
    answers = drawn(truth if determined else with_all, 2000, np.random.default_rng(7))
    patterns, weights, _ = answers.patterns()
    model = Tiny(truth, answers)
    information = weights @ _scores(model.expectation(), truth, patterns)[:, -2] ** 2
    # To cross the range of the probability costs half of this at most, less than which EM does not see.
    assert (information / 2 > 1e-6) == determined
    assert np.isfinite(errors_of(model).parameters[-2]) == determined
    assert np.isfinite(errors_of(model).parameters[-1])
