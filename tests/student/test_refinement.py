"""Refinement: the score of the answers themselves decides, not that of expected counts."""

from __future__ import annotations

import itertools
from contextlib import suppress
from dataclasses import replace

import numpy as np
import pytest

import dagscape as ds
from dagscape.report.students import render_student_model
from dagscape.student.input.q_matrix import as_q_matrix
from dagscape.student.learning.command import command
from dagscape.student.learning.refinement import candidates
from dagscape.student.learning.structural_em import StructureSearch
from dagscape.student.model.network import Simulated
from dagscape.student.model.simulate import STRUCTURES, draw_model
from oracles.classes import all_classes


def stuck_students() -> Simulated:
    """Students of S1 → S2 → S3 on whom structural EM ends at the complete graph."""
    return draw_model("a", seed=2).sample(2000, seed=1002)


def score_of(data: Simulated, dag: ds.Dag) -> float:
    """The score of a structure, from a fit of its own."""
    others = [pair for pair in itertools.permutations(dag.variables, 2) if pair not in set(dag.edges)]
    return command(data.answers, data.q_matrix, required=dag.edges, forbidden=others, restarts=2, refine=False).score


@pytest.mark.slow
def test_finds_the_best_of_all_classes() -> None:
    data = stuck_students()
    plain = command(data.answers, data.q_matrix, restarts=3, refine=False)
    found = command(data.answers, data.q_matrix, restarts=3)
    scores = [score_of(data, renamed(members[0], plain.variables)) for members in all_classes(3).values()]
    assert plain.network.edge_count == 3
    assert plain.score < max(scores) - 4
    assert found.network == STRUCTURES["a"]
    assert found.score == pytest.approx(max(scores), abs=1e-3)


def renamed(dag: ds.Dag, names: tuple[str, ...]) -> ds.Dag:
    return ds.Dag(names, dag.parent_masks)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_never_lowers_the_score(seed: int) -> None:
    data = draw_model("b", skills_per_item=(1, 3), seed=seed).sample(300, seed=seed)
    options = {"restarts": 2, "seed": seed, "forbidden": [("S1", "S3")], "max_parents": 2}
    plain = command(data.answers, data.q_matrix, **options, refine=False)
    found = command(data.answers, data.q_matrix, **options)
    assert found.score >= plain.score
    assert ("S1", "S3") not in found.network.edges
    assert max(len(found.network.parents(skill)) for skill in found.variables) <= 2
    # The other restart, and what both of them had done before, is as it was.
    assert sum(one != other for one, other in zip(plain.restarts, found.restarts, strict=True)) <= 1
    assert found.provenance.parameters["refine"] is True


def test_candidates_differ_and_meet_the_constraints() -> None:
    counts = np.random.default_rng(1).uniform(1, 100, 16)
    skills = ("a", "b", "c", "d")
    search = StructureSearch(skills, required=(("a", "b"),), forbidden=(("d", "c"),))
    best = search.best(counts, np.random.default_rng(0))
    others = candidates(search, counts, best, np.random.default_rng(0))
    classes = [dag.to_cpdag() for dag in others]
    assert len(set(classes)) == len(classes)
    assert best.to_cpdag() not in classes
    for dag in others:
        assert ("a", "b") in dag.edges
        assert ("d", "c") not in dag.edges
    scores = search.scores(counts)
    values = [scores.network(dag) for dag in others]
    assert values == sorted(values, reverse=True)
    # All pairs but the required one are adjacent in one of them, and not in another.
    for u, v in itertools.combinations(skills, 2):
        adjacent = {{(u, v), (v, u)}.isdisjoint(dag.edges) for dag in (*others, best)}
        assert adjacent == ({False} if (u, v) == ("a", "b") else {True, False})


@pytest.mark.parametrize("seed", range(3))
def test_exchanges_are_the_best_structures_that_meet_one_more_constraint(seed: int) -> None:
    """Those that the best structure of all meets are not searched for again, and scores are computed once."""
    counts, skills = np.random.default_rng(seed).uniform(1, 100, 16), ("a", "b", "c", "d")
    search = StructureSearch(skills, max_parents=2, tiers=(("a", "b"), ("c",)))
    best = search.best(counts, np.random.default_rng(0))
    expected = set()
    for u, v in itertools.combinations(skills, 2):
        for more in ({"required": ((u, v),)}, {"required": ((v, u),)}, {"forbidden": ((u, v), (v, u))}):
            # What contradicts the constraints is no candidate.
            with suppress(ds.InvalidOption):
                expected.add(replace(search, **more).best(counts, np.random.default_rng(0)).to_cpdag())
    found = candidates(search, counts, best, np.random.default_rng(0))
    assert {dag.to_cpdag() for dag in found} == expected - {best.to_cpdag()}


def test_ecpe_is_a_chain(shared_data) -> None:
    folder = shared_data / "student"
    found = command(folder / "ecpe_items.csv.gz", folder / "ecpe_qmatrix.csv", restarts=1)
    assert set(found.network.edges) == {("lexical", "cohesive"), ("cohesive", "morphosyntactic")}
    assert found.log_likelihood == pytest.approx(-42740.707, abs=0.01)
    assert found.score == pytest.approx(-43055.918, abs=0.01)


def test_refine_must_be_a_flag() -> None:
    with pytest.raises(ds.InvalidOption, match="refine is 'yes'; it must be True or False"):
        command([[1], [0]], as_q_matrix([[1]]), refine="yes")


@pytest.mark.slow
def test_folds_are_refined_too() -> None:
    data = draw_model("b", skills_per_item=(1, 3), seed=1).sample(300, seed=1001)
    plain = command(data.answers, data.q_matrix, restarts=1, refine=False)
    found = command(data.answers, data.q_matrix, restarts=1)
    apart, together = (model.evaluate(cv=2, workers=1) for model in (plain, found))
    assert np.array_equal(apart.areas[:, 1:], together.areas[:, 1:])
    assert not np.array_equal(apart.areas[:, 0], together.areas[:, 0])


def test_random_starts_are_compared_before_refinement() -> None:
    """The starts of a model are those of the same model without refinement."""
    data = stuck_students()
    plain = ds.command(data.answers, data.q_matrix, restarts=3, refine=False)
    model = ds.command(data.answers, data.q_matrix, restarts=3)
    assert model.restarts == plain.restarts
    assert plain.refinement is None
    assert model.refinement.score == model.score > plain.score + 0.1
    told, without = render_student_model(model)[-1], render_student_model(plain)[-1]
    assert told.text == f"{without.text}; refinement gained {model.score - plain.score:,.2f}"
