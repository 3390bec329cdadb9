"""Models in which more mastery never means worse answers."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dagscape as ds
from dagscape.student.learning.em import fit
from dagscape.student.learning.standard_errors import standard_errors
from dagscape.student.model.parameters import ItemCells, Parameters
from oracles.isotonic import isotonic_by_formula
from student.samples import Tiny, tiny


def monotone(model: Tiny) -> Tiny:
    """The same model, made monotone."""
    cells = ItemCells(model.parameters.cells.masks, monotone=True)
    parameters = Parameters(cells, model.parameters.tables, model.parameters.vector)
    return Tiny(parameters.moved(parameters.vector), model.answers)


def falling(model: ds.StudentModel) -> int:
    """The number of steps to one more skill by which a probability falls."""
    count = 0
    for table in model.item_tables:
        for place in range(len(table).bit_length() - 1):
            halves = table.reshape(-1, 2, 1 << place)
            count += int((halves[:, 1] < halves[:, 0]).sum())
    return count


@pytest.mark.parametrize("seed", range(5))
def test_the_m_step_is_the_best_table_that_does_not_fall(seed):
    model = monotone(tiny(seed))
    expected = model.expectation().expect(model.parameters)
    then = model.parameters.maximized(expected.states, expected.cells)
    answered = expected.cells.sum(axis=1)
    for item in range(len(then.cells.masks)):
        part = then.cells.of(item)
        shares = (expected.cells[part, 1] / answered[part]).tolist()
        assert then.correct[part] == pytest.approx(isotonic_by_formula(shares, answered[part].tolist()), abs=1e-9)


@pytest.mark.parametrize("accelerate", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_likelihood_never_falls_and_ends_below_that_without_the_constraint(seed, accelerate):
    free = tiny(seed, skills=2, items=6, students=40)
    bound = monotone(free)
    seen: list[float] = []
    found = fit(bound.expectation(), bound.parameters, accelerate=accelerate, watch=seen.append)
    assert all(after >= before - 1e-9 for before, after in itertools.pairwise(seen))
    _, below, above = found.parameters.cells.steps
    assert (found.parameters.correct[above] >= found.parameters.correct[below]).all()
    more = fit(free.expectation(), found.parameters.moved(found.parameters.vector), accelerate=accelerate)
    assert found.log_likelihood <= more.log_likelihood + 1e-6


def test_a_model_without_falls_is_the_same():
    data = ds.simulate_students("a", 400, seed=3)
    free = ds.command(data.answers, data.q_matrix, restarts=2)
    assert falling(free) == 0
    bound = ds.command(data.answers, data.q_matrix, restarts=2, monotone=True)
    assert bound.log_likelihood == pytest.approx(free.log_likelihood, abs=1e-5)
    assert bound.network == free.network
    assert bound.learning.monotone
    assert bound.provenance.parameters["monotone"] is True


def test_equal_probabilities_have_one_error():
    """The error is that of an item with one cell for both."""
    rng = np.random.default_rng(1)
    table = rng.integers(0, 2, (300, 6))
    model = ds.command(table, [[1, 0]] * 3 + [[0, 1]] * 2 + [[1, 1]], restarts=1, monotone=True, seed=2)
    parameters = model._parameters()
    cells = ItemCells(parameters.cells.masks, monotone=True)
    groups = cells.equal_neighbours(parameters.correct)
    assert len(np.unique(groups)) < cells.count
    _, expectation = model._prepared(None)
    patterns, weights, _ = model._answers.patterns()
    bound = Parameters(cells, parameters.tables, parameters.vector)
    errors = standard_errors(expectation, bound, patterns, weights).parameters[: cells.count]
    for group in np.unique(groups):
        assert len(set(errors[groups == group].tolist())) == 1


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::dagscape.core.errors.UnidentifiedSkills")
def test_the_fraction_data_have_no_falls_left(shared_data):
    folder = shared_data / "student"
    files = folder / "fraction15_items.csv", folder / "fraction15_qmatrix.csv"
    free = ds.command(*files, restarts=1, refine=False)
    bound = ds.command(*files, restarts=1, refine=False, monotone=True)
    assert falling(free) > 50
    assert falling(bound) == 0
    assert bound.log_likelihood < free.log_likelihood


@pytest.mark.slow
def test_folds_are_monotone_too():
    data = ds.simulate_students("b", 200, skills_per_item=(1, 3), seed=1)
    options = {"restarts": 1, "refine": False}
    free, bound = (ds.command(data.answers, data.q_matrix, monotone=flag, **options) for flag in (False, True))
    apart, together = (model.evaluate(cv=2, workers=1) for model in (free, bound))
    assert not np.array_equal(apart.areas[:, 0], together.areas[:, 0])
    assert together.provenance.parameters["monotone"] is True


def test_items_of_many_skills_are_refused():
    answers, needs = np.eye(6, dtype=int)[:, :3], np.ones((3, 6), dtype=int)
    with pytest.raises(ds.InvalidOption, match=r"monotone needs items of at most 5 skills, and .* has 6: merge skills"):
        ds.command(answers, needs, monotone=True)
    with pytest.raises(ds.InvalidOption, match="monotone is 1; it must be True or False"):
        ds.command(answers, needs, monotone=1)
