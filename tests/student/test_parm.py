"""PARM on answers: the mastery of students from a model with all skills joined, and the rules between them."""

from __future__ import annotations

import numpy as np
import pytest

import dagscape as ds
from dagscape.student.learning.e_step import Expectation
from dagscape.student.learning.prerequisite_rules import parm_rules
from dagscape.student.learning.structural_em import Limits, StructureSearch, first_round, with_structure
from dagscape.student.model.inference import mastery_probabilities
from dagscape.student.model.parameters import ItemCells


@pytest.fixture(scope="module")
def simulated():
    return ds.simulate_students("a", 250, seed=2, missing=0.1)


@pytest.fixture(scope="module")
def found(simulated):
    return ds.parm(simulated.answers, simulated.q_matrix, restarts=2, seed=7)


def rules_of_the_best_fit(simulated, *, joined):
    """The rules, and the mastery that they are based on, from fits of their own."""
    q = simulated.q_matrix
    expectation = Expectation(simulated.answers, ItemCells(q.masks), 3, 1)
    search = StructureSearch(q.skills)
    fits = [first_round(expectation, search.start(), search, r, Limits()) for r in np.random.default_rng(7).spawn(2)]
    if joined:
        full = ds.Dag.from_edges(q.skills, [("S1", "S2"), ("S1", "S3"), ("S2", "S3")])
        fits = [with_structure(expectation, one, full, search, Limits()) for one in fits]
    best = max(fits, key=lambda one: one.fitted.log_likelihood)
    mastery = mastery_probabilities(expectation, best.fitted.parameters)
    return parm_rules(mastery, q.skills), mastery


@pytest.mark.parametrize("structure", ["complete", "empty"])
def test_the_rules_are_those_of_the_best_model_with_all_skills_joined_or_none(simulated, found, structure):
    rules, mastery = rules_of_the_best_fit(simulated, joined=structure == "complete")
    if structure == "empty":
        found = ds.parm(simulated.answers, simulated.q_matrix, restarts=2, seed=7, structure="empty")
    assert (found.mastered == rules.mastered).all()
    assert (found.lacking == rules.lacking).all()
    assert (found.confidence == rules.confidence).all()
    assert found.mastery.tolist() == mastery.mean(axis=0).tolist()
    assert (found.pairs, found.cycle) == (rules.pairs, rules.cycle)
    assert found.to_dag() == rules.to_dag()
    assert found.provenance.parameters["structure"] == structure


def test_ecpe_has_exactly_the_three_relations_of_the_paper(shared_data):
    folder = shared_data / "student"
    files = folder / "ecpe_items.csv.gz", folder / "ecpe_qmatrix.csv"
    three = {("lexical", "cohesive"), ("lexical", "morphosyntactic"), ("cohesive", "morphosyntactic")}
    assert set(ds.parm(*files, restarts=1).pairs) == three
    # Independent skills hide the dependence.
    assert ds.parm(*files, restarts=1, structure="empty").pairs == ()


def test_lower_thresholds_keep_all_pairs(simulated, found):
    for options in ({"minprob": 0.01}, {"minconf": 0.3}, {"minsup": 0.0, "minconf": 0.0}):
        other = ds.parm(simulated.answers, simulated.q_matrix, restarts=2, seed=7, **options)
        assert set(other.pairs) >= set(found.pairs)
    # Without any limit, every pair of skills follows from each other.
    assert len(other.pairs) == 6
    assert other.cycle
    assert repr(other) == "Parm(3 skills, 6 pairs, cyclic)"
    assert other.to_dag().edge_count == 3


def test_it_is_saved_and_read(found, tmp_path):
    found.save(tmp_path / "parm.json")
    assert ds.load_result(tmp_path / "parm.json") == found


def test_the_number_of_threads_and_the_order_of_students_change_nothing(simulated, found):
    assert ds.parm(simulated.answers, simulated.q_matrix, restarts=2, seed=7, threads=3) == found
    order = np.random.default_rng(1).permutation(250)
    other = ds.parm(simulated.answers.take(order), simulated.q_matrix, restarts=2, seed=7)
    assert other.mastered == pytest.approx(found.mastered, abs=1e-9)


def test_the_table_has_all_ordered_pairs(found):
    frame = found.to_frame()
    assert len(frame) == 6
    assert frame.probability.is_monotonic_decreasing
    assert (frame.probability <= frame.mastered).all()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"minsup": 1.5}, "minsup is 1.5; it must be a number between 0 and 1"),
        ({"minconf": "x"}, "minconf is 'x'; it must be a number between 0 and 1"),
        ({"minprob": float("nan")}, "minprob is nan; it must be a number between 0 and 1"),
        ({"structure": "chain"}, "structure is 'chain'; it must be one of 'complete', 'empty'"),
        ({"restarts": 0}, "restarts is 0; it must be an integer of at least 1"),
        ({"tolerance": "x"}, "tolerance is 'x'; it must be a number of at least 0"),
        ({"tolerance": -1}, "tolerance is -1; it must be a number of at least 0"),
        ({"seed": -1}, "seed is -1; it must be"),
        ({"threads": 0}, "threads is 0; it must be between 1 and 1024"),
    ],
)
def test_wrong_options_are_refused(simulated, options, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.parm(simulated.answers, simulated.q_matrix, **options)
