"""Cross-validation of student models: folds, areas, baselines, and independence of what runs it."""

from __future__ import annotations

import dataclasses
from concurrent.futures import Executor, Future, ProcessPoolExecutor

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import dagscape as ds
from dagscape.student.learning.e_step import Expectation
from dagscape.student.learning.structural_em import Limits, StructureSearch, first_round
from dagscape.student.model.comparing import paired_t_test
from dagscape.student.model.evaluation import MODELS, FoldJob, chain_of, evaluate_fold, random_folds
from dagscape.student.model.inference import predicted_answers
from dagscape.student.model.model import Learning
from dagscape.student.model.parameters import ItemCells
from student.samples import answers_of

FOLDS = 3


@pytest.fixture(scope="module")
def simulated():
    return ds.simulate_students("a", 150, seed=4, missing=0.2)


@pytest.fixture(scope="module")
def model(simulated):
    return ds.command(simulated.answers, simulated.q_matrix, restarts=1, threads=1)


@pytest.fixture(scope="module")
def evaluation(model):
    return model.evaluate(cv=FOLDS, seed=3, workers=1)


@pytest.mark.parametrize(("students", "count"), [(10, 3), (11, 11), (100, 7), (2, 2)])
def test_folds_partition_the_students(students, count):
    folds = random_folds(students, count, np.random.default_rng(1))
    sizes = np.bincount(folds, minlength=count)
    assert folds.shape == (students,)
    assert sizes.sum() == students
    assert sizes.max() - sizes.min() <= 1


def test_folds_are_random():
    folds = [random_folds(50, 5, np.random.default_rng(seed)).tolist() for seed in (1, 1, 2)]
    assert folds[0] == folds[1] != folds[2]
    assert folds[0] != sorted(folds[0])


def test_every_answer_is_predicted_once(simulated, evaluation):
    assert evaluation.models == MODELS
    assert evaluation.areas.shape == (FOLDS, len(MODELS))
    assert evaluation.students == 150
    assert evaluation.answers == (simulated.answers.table >= 0).sum()


def test_the_areas_of_a_fold_are_those_of_models_that_did_not_see_it(simulated):
    folds = random_folds(150, FOLDS, np.random.default_rng(8))
    search = StructureSearch(simulated.q_matrix.skills)
    chain = chain_of(search.skills, None)
    job = FoldJob(simulated.answers, simulated.q_matrix, folds, search, Limits(), 1, chain)
    outcome = evaluate_fold(job, 2, np.random.default_rng(5), 0.0)
    training, held_out = simulated.answers.take(folds != 2), simulated.answers.take(folds == 2)
    given = held_out.table >= 0
    correct = held_out.table[given] == 1
    # The majority: shares of correct answers in the other folds.
    shares = np.array([column[column >= 0].mean() for column in training.table.T])
    predicted = np.broadcast_to(shares, given.shape)[given]
    assert outcome.areas[MODELS.index("majority")] == pytest.approx(roc_auc_score(correct, predicted), abs=1e-12)
    # The disconnected model, from the same random numbers.
    cells = ItemCells(simulated.q_matrix.masks)
    [rng] = np.random.default_rng(5).spawn(1)
    fitted = first_round(Expectation(training, cells, 3, 1), search.start(), search, rng, Limits()).fitted
    predicted = predicted_answers(Expectation(held_out, cells, 3, 1), fitted.parameters, held_out)[given]
    assert outcome.areas[MODELS.index("disconnected")] == pytest.approx(roc_auc_score(correct, predicted), abs=1e-12)
    edges = dict(zip(MODELS, outcome.edges, strict=True))
    assert edges["majority"] == edges["disconnected"] == 0
    assert (edges["chain"], edges["full"]) == (2, 3)
    assert outcome.answers == correct.size


def test_models_that_know_the_skills_predict_better_than_shares(evaluation):
    means = dict(zip(MODELS, evaluation.areas.mean(axis=0), strict=True))
    assert means["command"] > means["majority"]
    assert min(means.values()) > 0.5


def test_the_table(evaluation):
    frame = evaluation.to_frame()
    assert frame.model.tolist() == list(MODELS)
    assert frame.auc.to_numpy() == pytest.approx(evaluation.areas.mean(axis=0))
    errors = evaluation.areas.std(axis=0, ddof=1) / np.sqrt(FOLDS)
    assert frame.interval.to_numpy() == pytest.approx(1.96 * errors)
    assert np.isnan(frame.p_value[0])
    for place in range(1, len(MODELS)):
        expected = paired_t_test(evaluation.areas[:, 0], evaluation.areas[:, place])
        assert frame.p_value[place] == expected
    assert frame.prerequisites[5] == 3


class Backwards(Executor):
    """An executor that runs everything at the end, the last first."""

    def __init__(self):
        self.waiting = []

    def submit(self, function, /, *args, **options):
        future = Future()
        self.waiting.append((future, function, args, options))
        if len(self.waiting) == FOLDS:
            for one, call, given, chosen in reversed(self.waiting):
                one.set_result(call(*given, **chosen))
        return future


def test_what_runs_the_folds_does_not_matter(model, evaluation):
    assert model.evaluate(cv=FOLDS, seed=3, executor=Backwards()) == evaluation
    with ProcessPoolExecutor(1) as executor:
        assert model.evaluate(cv=FOLDS, seed=3, executor=executor) == evaluation
    assert model.evaluate(cv=FOLDS, seed=4, workers=1) != evaluation


def test_a_saved_model_is_evaluated_with_responses(simulated, model, evaluation, tmp_path):
    model.save(tmp_path / "model.json")
    loaded = ds.load_result(tmp_path / "model.json")
    assert loaded.evaluate(simulated.answers, cv=FOLDS, seed=3, workers=1) == evaluation
    evaluation.save(tmp_path / "evaluation.json")
    assert ds.load_result(tmp_path / "evaluation.json") == evaluation


def test_the_order_of_the_chain(simulated):
    skills = simulated.q_matrix.skills
    assert chain_of(skills, None).edges == (("S1", "S2"), ("S2", "S3"))
    assert set(chain_of(skills, ["S3", "S1", "S2"]).edges) == {("S3", "S1"), ("S1", "S2")}


def test_the_options_of_the_model_hold_in_folds(simulated):
    options = {"required": [("S3", "S1")], "tiers": [["S3"], ["S1", "S2"]], "max_steps": 3, "restarts": 1, "threads": 1}
    model = ds.command(simulated.answers, simulated.q_matrix, **options)
    few = model.evaluate(cv=2, workers=1)
    assert (few.edges[:, 0] >= 1).all()
    options["max_steps"] = 10_000
    assert ds.command(simulated.answers, simulated.q_matrix, **options).evaluate(cv=2, workers=1) != few


def test_the_provenance_decides_nothing(simulated):
    chosen = {"max_steps": 3, "restarts": 2, "refine": True, "threads": 1}
    model = ds.command(simulated.answers, simulated.q_matrix, **chosen)
    assert model.learning == Learning("optimal", refine=True, limits=Limits(max_steps=3))
    expected = model.evaluate(cv=2, workers=1)
    blank = dataclasses.replace(model, provenance=dataclasses.replace(model.provenance, parameters={}))
    assert blank.evaluate(cv=2, workers=1) == expected


def test_models_of_earlier_versions_keep_how_they_were_learned(model):
    document = model.to_dict()
    # Version 0.1.0 wrote it in the provenance alone.
    del document["learning"]
    old = {"method": "order", "refine": True, "tolerance": 0.5, "min_gain": 0.25, "max_steps": 7, "accelerate": False}
    document["provenance"]["parameters"] = old
    read = ds.StudentModel.from_dict(document)
    assert read.learning == Learning("order", refine=True, limits=Limits(0.5, 0.25, 7, accelerate=False))
    document["provenance"]["parameters"] = {}
    assert ds.StudentModel.from_dict(document).learning == Learning()
    assert ds.StudentModel.from_dict(read.to_dict()) == read


@pytest.mark.parametrize(
    ("learning", "message"),
    [
        ({"method": "greedy"}, "learning.method is 'greedy'; it must be one of 'optimal', 'order'"),
        ({"refine": 1}, "learning.refine is 1"),
        ({"limits": {"tolerance": -1}}, "learning.limits.tolerance is -1; it must be at least 0"),
        ({"limits": {"max_steps": 0}}, "learning.limits.max_steps is 0; it must be between 1 and"),
    ],
)
def test_how_a_model_was_learned_is_checked_when_it_is_read(model, learning, message):
    with pytest.raises(ds.InvalidData, match=message):
        ds.StudentModel.from_dict({**model.to_dict(), "learning": learning})


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": 1}, "cv is 1; it must be an integer from 2 to 150, the number of students"),
        ({"cv": 151}, "cv is 151; it must be an integer from 2 to 150"),
        ({"cv": 2.0}, "cv is 2.0; it must be an integer"),
        ({"chain": ["S1", "S2"]}, "chain is .*; it must name each skill once, in the order of the chain"),
        ({"chain": "S1"}, "chain is 'S1'; it must name each skill once"),
        ({"chain": 5}, "chain is 5; it must name each skill once"),
        ({"restarts": 0}, "restarts is 0; it must be an integer of at least 1"),
        ({"workers": 0}, "workers is 0; it must be an integer of at least 1"),
        ({"seed": "x"}, "seed is 'x'; it must be an integer"),
    ],
)
def test_wrong_options_are_refused(model, options, message):
    with pytest.raises(ds.InvalidOption, match=message):
        model.evaluate(**options)


def test_names_of_one_letter_are_no_chain():
    with pytest.raises(ds.InvalidOption, match="chain is 'ab'"):
        chain_of(("a", "b"), "ab")


def test_folds_without_both_answers_are_refused():
    answers = answers_of([[1, 1, 1], [1, 1, 1], [1, 1, 1], [0, 0, 0]])
    model = ds.command(answers, [[1], [1], [1]], restarts=1)
    with pytest.raises(ds.DagscapeError, match=r"all answers of fold \d are correct: use fewer folds"):
        model.evaluate(cv=4, workers=1)
