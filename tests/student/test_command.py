"""COMMAND as a whole: structures, constraints, equal results, published numbers, and wrong options."""

from __future__ import annotations

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from oracles.graphs import all_dags

SKILLS = ("S1", "S2", "S3")


@pytest.fixture(scope="module")
def simulated():
    return ds.simulate_students("a", 500, seed=1, missing=0.1)


def learn(simulated, **options):
    return ds.command(simulated.answers, simulated.q_matrix, **({"restarts": 1} | options))


def test_prerequisites_of_simulated_students(simulated):
    model = learn(simulated, restarts=2)
    assert model.network.edges == (("S1", "S2"), ("S2", "S3"))
    assert model.students == 500
    assert len(model.restarts) == 2
    assert model.score == max(one.score for one in model.restarts)
    assert all(one.converged for one in model.restarts)


@pytest.mark.parametrize("options", [{}, {"method": "order"}])
def test_any_number_of_threads_gives_the_same_bits(simulated, options):
    models = [learn(simulated, threads=threads, **options) for threads in (1, 2, 3)]
    assert models[0] == models[1] == models[2]


def test_the_order_of_the_students_changes_no_bit(simulated):
    model = learn(simulated)
    order = np.random.default_rng(3).permutation(500)
    other = ds.command(simulated.answers.take(order), simulated.q_matrix, restarts=1)
    assert other == model
    assert other.mastery().loc[list(simulated.answers.students)].equals(model.mastery())


def test_names_change_nothing(simulated):
    model = learn(simulated)
    q = simulated.q_matrix
    renamed = ds.QMatrix(tuple(f"question {item}" for item in q.items), ("x", "y", "z"), q.table)
    other = ds.command(simulated.answers.renamed(renamed.items), renamed, restarts=1)
    assert other.network.parent_masks == model.network.parent_masks
    assert other.log_likelihood == model.log_likelihood
    assert all((a == b).all() for a, b in zip(other.item_tables, model.item_tables, strict=True))


def test_items_in_another_order_lead_to_the_same_maximum(simulated):
    model = learn(simulated, tolerance=1e-8)
    q, order = simulated.q_matrix, np.random.default_rng(2).permutation(18)
    frame = simulated.answers.to_frame().iloc[:, order]
    other = ds.command(frame, q, restarts=1, tolerance=1e-8)
    assert other.items == tuple(frame.columns)
    assert other.network == model.network
    assert other.log_likelihood == pytest.approx(model.log_likelihood, abs=1e-4)
    assert other.mastery_shares == pytest.approx(model.mastery_shares, abs=1e-3)


def test_plain_steps_reach_the_same_point(simulated):
    models = [learn(simulated, accelerate=accelerate, tolerance=1e-9) for accelerate in (True, False)]
    assert models[0].network == models[1].network
    assert models[0].log_likelihood == pytest.approx(models[1].log_likelihood, abs=1e-5)
    assert models[0].mastery_shares == pytest.approx(models[1].mastery_shares, abs=1e-3)
    assert models[0].restarts[0].steps < models[1].restarts[0].steps


@pytest.mark.slow
@settings(max_examples=12)
@given(st.integers(0, 2**32 - 1))
def test_constraints_hold(seed):
    """Constraints that some DAG meets, whatever the answers say."""
    rng = np.random.default_rng(seed)
    simulated = ds.simulate_students("a", 120, seed=3)
    kept = all_dags(3)[rng.integers(25)]
    truth = {(SKILLS[u], SKILLS[v]) for v in range(3) for u in range(3) if kept.parent_masks[v] >> u & 1}
    required = {edge for edge in truth if rng.random() < 0.4}
    others = set(itertools.permutations(SKILLS, 2)) - truth
    forbidden = {edge for edge in others if rng.random() < 0.4}
    limit = max(mask.bit_count() for mask in kept.parent_masks)
    model = learn(simulated, required=required, forbidden=sorted(forbidden), max_parents=limit, max_steps=50)
    assert required <= set(model.network.edges)
    assert not forbidden & set(model.network.edges)
    assert max(mask.bit_count() for mask in model.network.parent_masks) <= limit


def test_tiers_hold(simulated):
    model = learn(simulated, tiers=[["S3"], ["S2"], ["S1"]])
    assert set(model.network.edges) <= {("S3", "S2"), ("S2", "S1"), ("S3", "S1")}
    assert model.network.edge_count >= 2
    assert any(one.reason == "constraints" for one in model.orientations)


def test_no_prerequisites_are_allowed(simulated):
    model = learn(simulated, max_parents=0)
    assert model.network.edge_count == 0
    assert model.log_likelihood < learn(simulated).log_likelihood


def test_constraints_may_be_iterators(simulated):
    listed = learn(simulated, required=[("S3", "S1")], tiers=[["S3"], ["S1", "S2"]])
    assert learn(simulated, required=iter([("S3", "S1")]), tiers=[iter(["S3"]), {"S1": 0, "S2": 0}]) == listed


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"required": [("S1", "S2")], "forbidden": [("S1", "S2")]}, "'S1' -> 'S2' is both required and forbidden"),
        ({"required": [("S1", "S2")], "tiers": [["S2"], ["S1"]]}, "'S1' -> 'S2' is both required and forbidden"),
        ({"required": [("S1", "S2"), ("S2", "S1")]}, "the required edges form a cycle among 'S1', 'S2'"),
        ({"required": [("S1", "S2")], "max_parents": 0}, "'S2' has 1 required parents, but max_parents is 0"),
        ({"required": 5}, "required is 5; it must be a list of edges"),
        ({"required": [("S1", "S4")]}, "required names 'S4', which is not a variable"),
        ({"forbidden": "S1"}, "forbidden is 'S1'; it must be a list of edges"),
        ({"tiers": 5}, "tiers is 5; it must be a sequence of collections"),
        ({"tiers": [5]}, "tiers holds 5; each tier must be a collection"),
        ({"max_parents": "x"}, "max_parents is 'x'; it must be an integer of at least 0"),
        ({"max_parents": -1}, "max_parents is -1; it must be an integer of at least 0"),
        ({"score": "bdeu"}, "score is 'bdeu'; it must be one of 'bic', 'aic'"),
        ({"method": "ges"}, "method is 'ges'; it must be one of 'optimal', 'order'"),
        ({"restarts": 0}, "restarts is 0; it must be an integer of at least 1"),
        ({"tolerance": -1e-9}, "tolerance is -1e-09; it must be a number of at least 0"),
        ({"tolerance": float("inf")}, "tolerance is inf; it must be a number of at least 0"),
        ({"min_gain": "x"}, "min_gain is 'x'; it must be a number of at least 0"),
        ({"max_steps": 0}, "max_steps is 0; it must be an integer of at least 1"),
        ({"accelerate": "no"}, "accelerate is 'no'; it must be True or False"),
        ({"seed": -1}, "seed is -1; it must be"),
        ({"threads": 0}, "threads is 0; it must be between 1 and 1024"),
        ({"progress": 3}, "progress is 3; it must be"),
    ],
)
def test_wrong_options_are_refused_in_one_sentence(simulated, options, message):
    with pytest.raises(ds.InvalidOption) as raised:
        learn(simulated, **options)
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_too_little_memory_is_refused(simulated):
    with pytest.raises(
        ds.TooLarge, match=r"student models of 500 patterns of answers and 3 skills need .* merge or drop skills"
    ):
        learn(simulated, max_memory="1KiB")


def test_skills_without_an_item_of_their_own_are_mentioned():
    rng = np.random.default_rng(1)
    answers = rng.integers(0, 2, (60, 4))
    with pytest.warns(ds.UnidentifiedSkills, match="'skill2' has no item that needs it alone: the answers may not"):
        ds.command(answers, [[1, 0], [1, 0], [1, 1], [1, 1]], restarts=1)
    with pytest.warns(ds.UnidentifiedSkills, match="'skill1', 'skill2' have no items that need them alone"):
        ds.command(answers, [[1, 1], [1, 1], [1, 1], [1, 1]], restarts=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ds.UnidentifiedSkills)
        ds.command(answers, [[1, 0], [0, 1], [1, 1], [1, 1]], restarts=1)


@pytest.mark.slow
def test_seeds_decide(simulated):
    assert learn(simulated, seed=1) == learn(simulated, seed=1)
    assert learn(simulated, seed=np.random.default_rng(1)) == learn(simulated, seed=1)
    assert learn(simulated, seed=1, max_steps=3) != learn(simulated, seed=2, max_steps=3)
    assert learn(simulated, seed=1).provenance.seed == 1


def test_the_first_restarts_do_not_depend_on_their_number(simulated):
    few, many = learn(simulated, restarts=1), learn(simulated, restarts=3)
    assert many.restarts[0] == few.restarts[0]


def test_rounds_are_reported(simulated):
    seen = []
    learn(simulated, restarts=2, progress=seen.append)
    assert seen[0].task == "Start 1 of 2, round 2"
    assert {report.total for report in seen} == {2}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_ecpe(shared_data, seed):
    """Without refinement, as in figure 6.11 of the dissertation: a complete graph, lexical rules first."""
    folder = shared_data / "student"
    files = folder / "ecpe_items.csv.gz", folder / "ecpe_qmatrix.csv"
    model = ds.command(*files, restarts=1, seed=seed, refine=False)
    assert model.log_likelihood == pytest.approx(-42738.560, abs=0.01)
    assert model.score == pytest.approx(-43061.75, abs=0.01)
    assert model.parameter_count == 81
    assert model.mastery_shares == pytest.approx([0.380, 0.560, 0.670], abs=1e-3)
    morphosyntactic, cohesive, lexical = model.variables
    expected = {(lexical, cohesive), (cohesive, morphosyntactic), (lexical, morphosyntactic)}
    assert set(model.network.edges) == expected
    # The probability of mastery grows with each prerequisite.
    assert model.skill_tables[1][0] < model.skill_tables[1][1]
    neither, one, other, both = model.skill_tables[0]
    assert max(neither, one, other) < both
    assert neither <= min(one, other)
    assert np.isfinite(model.mastery_errors).all()
    assert model.mastery_errors.max() < 0.05
