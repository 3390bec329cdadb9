"""Warnings about fitted student models, issued and kept by the result."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import dagscape as ds
from dagscape.student.model.cautions import infinite_errors
from dagscape.student.model.parameters import ItemCells, Parameters, SkillTables


def learned(answers, q_matrix, **options):
    """The model, and the warnings that were issued."""
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        model = ds.command(answers, q_matrix, restarts=1, **options)
    return model, [one.message for one in issued if isinstance(one.message, ds.DagscapeWarning)]


def test_a_good_model_has_no_warnings():
    data = ds.simulate_students("a", 500, seed=2)
    model, issued = learned(data.answers, data.q_matrix)
    assert (model.warnings, issued) == ((), [])


def test_an_item_that_masters_solve_less_often_is_named():
    data = ds.simulate_students("a", 500, seed=2)
    # The answer key of one item is wrong.
    table = data.answers.table.copy()
    table[:, 4] = 1 - table[:, 4]
    answers = ds.Answers(data.answers.students, data.answers.items, table)
    model, issued = learned(answers, data.q_matrix)
    fall = -np.diff(model.item_tables[4])[0]
    (message,) = (one for one in issued if isinstance(one, ds.FallingItems))
    assert str(message) == (
        "1 item of 18 is solved less often by students who master one more of the skills, by up to "
        f"{fall:.2f}: 'item5'; check the answer key and the Q-matrix, or use monotone=True"
    )
    # Whoever reads the model later cannot learn it again.
    assert f"falling items: {message}".removesuffix(", or use monotone=True") in model.warnings
    bound, issued = learned(answers, data.q_matrix, monotone=True)
    assert not any(isinstance(one, ds.FallingItems) for one in issued)
    assert np.ptp(bound.item_tables[4]) == 0


def test_fewer_students_than_parameters():
    data = ds.simulate_students("b", 60, seed=1)
    model, issued = learned(data.answers, data.q_matrix)
    assert model.students < model.parameter_count
    (message,) = (one for one in issued if isinstance(one, ds.FewStudents))
    assert str(message).startswith(f"60 students determine {model.parameter_count} parameters poorly")


def test_infinite_errors_are_counted():
    data = ds.simulate_students("a", 30, items_per_skill=3, seed=4)
    model, issued = learned(data.answers, data.q_matrix)
    (message,) = (one for one in issued if isinstance(one, ds.InfiniteErrors))
    tables = np.concatenate([*model.item_tables, *model.skill_tables])
    infinite = ~np.isfinite(np.concatenate([*model.item_errors, *model.skill_errors]))
    limit = (tables < 1e-5) | (tables > 1 - 1e-5)
    infinite[sum(map(len, model.item_tables)) :] &= ~limit[sum(map(len, model.item_tables)) :]
    counts = int((infinite & limit).sum()), int((infinite & ~limit).sum())
    told = f"{sum(counts)} probabilities of {len(tables)} have no standard error"
    assert str(message).startswith(told)
    for count, reason in zip(counts, ("0 or 1", "the answers do not determine"), strict=True):
        assert (reason in str(message)) == (count > 0)


@pytest.mark.parametrize(
    ("zeros", "open_ones", "told"),
    [
        (1, 0, "1 probability of 11 has no standard error because it is 0 or 1"),
        (0, 2, "2 probabilities of 11 have no standard error because the answers do not determine them"),
        (2, 1, "3 probabilities of 11 have no standard error: 2 because they are 0 or 1 and "
               "1 because the answers do not determine it"),
    ],
)  # fmt: skip
def test_missing_errors_are_explained(zeros, open_ones, told):
    vector, errors = np.full(11, 0.5), np.full(11, 0.1)
    vector[:zeros] = 0
    errors[: zeros + open_ones] = np.inf
    parameters = Parameters(ItemCells([1, 1, 2, 2]), SkillTables([0, 1]), vector)
    assert str(infinite_errors(parameters, errors)) == told


@pytest.mark.parametrize("limit", ["_MOST_PARAMETERS", "_MOST_SCORES"])
def test_a_model_too_large_for_errors_says_so(limit, monkeypatch):
    monkeypatch.setattr(f"dagscape.student.learning.standard_errors.{limit}", 10)
    data = ds.simulate_students("a", 500, seed=2)
    model, (message,) = learned(data.answers, data.q_matrix)
    assert np.isinf(model.mastery_errors).all()
    assert str(message) == (
        f"standard errors were not computed: the model is too large for them, with {model.parameter_count} "
        "probabilities"
    )


def test_a_strict_prerequisite_is_no_reason_for_a_warning():
    """Nobody masters the second skill without the first: the probability is 0, without an error."""
    cells, tables = ItemCells([1, 1, 2, 2]), SkillTables([0, 1])
    correct = [0.2, 0.8] * 4
    strict = Parameters(cells, tables, np.array([*correct, 0.6, 0.0, 0.5]))
    errors = np.array([0.1] * 9 + [np.inf, 0.1])
    assert infinite_errors(strict, errors) is None
    # One that is not at the limit, and an item that is.
    assert "do not determine it" in str(infinite_errors(strict.moved(strict.vector + 0.1), errors))
    sure = Parameters(cells, tables, np.array([0.0, *correct[1:], 0.6, 0.0, 0.5]))
    assert "1 probability of 11 has" in str(infinite_errors(sure, np.array([np.inf, *errors[1:]])))


@pytest.mark.parametrize("kind", ["falling items", "few students", "infinite errors"])
def test_loaded_models_keep_them(kind, tmp_path):
    rng = np.random.default_rng(3)
    model, _ = learned(rng.integers(0, 2, (20, 8)), rng.permutation([[1, 1, 0], [0, 1, 1]] * 4))
    model.save(tmp_path / "model.json")
    assert any(one.startswith(kind) for one in ds.load_result(tmp_path / "model.json").warnings)
