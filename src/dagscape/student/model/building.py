"""The student model, from what all restarts of structural EM found and the refinement of the best."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from dagscape.core.caveats import Caveats
from dagscape.results.base import Provenance
from dagscape.scores.constraints import edge_constraints
from dagscape.student.input.answers import Answers
from dagscape.student.input.q_matrix import QMatrix
from dagscape.student.learning.e_step import Expectation
from dagscape.student.learning.orientation import orient
from dagscape.student.learning.standard_errors import standard_errors
from dagscape.student.learning.structural_em import Found, StructureSearch
from dagscape.student.model.cautions import falling_items, few_students, infinite_errors
from dagscape.student.model.fitted_skills import Restart
from dagscape.student.model.model import Learning, StudentModel
from dagscape.student.model.parameters import SkillTables
from dagscape.student.model.skill_states import mastered_share


def student_model(
    answers: Answers,
    q_matrix: QMatrix,
    search: StructureSearch,
    expectation: Expectation,
    found: Sequence[Found],
    best: Found,
    learning: Learning,
    provenance: Provenance,
    caveats: Caveats,
) -> StudentModel:
    """Return the best model, with its reversible edges directed; warn of what is wrong with it.

    The restarts are those of structural EM. They are comparable; the best of them, refined, is not one of them.
    """
    fitted, skills = best.fitted, len(search.skills)
    prior = fitted.parameters.prior()
    scores = search.scores(fitted.expected.states)
    most = skills - 1 if search.max_parents is None else search.max_parents
    constraints = edge_constraints(search.skills, most, search.required, search.forbidden, search.tiers)
    lacking = 1 - mastered_share(skills, prior)
    dag, orientations = orient(best.dag.to_cpdag(), lacking, constraints, learning.orientation)
    tables = SkillTables(dag.parent_masks)
    # Members of a class represent the same distributions, so this changes the tables only.
    parameters = fitted.parameters.with_structure(tables, prior)
    patterns, weights, _ = answers.patterns()
    errors = standard_errors(expectation, parameters, patterns, weights)
    caveats.issue(
        falling_items(parameters, q_matrix),
        few_students(parameters, expectation.students),
        infinite_errors(parameters, errors.parameters, errors.computed),
    )
    cells = parameters.cells
    item_parts = [cells.of(item) for item in range(len(q_matrix.items))]
    item_errors, skill_errors = np.split(errors.parameters, [cells.count])
    return StudentModel(
        variables=search.skills,
        provenance=provenance,
        warnings=caveats.kept,
        score_info=scores.info,
        network=dag,
        score=best.score,
        items=q_matrix.items,
        item_skills=tuple(tuple(dag.names(mask)) for mask in q_matrix.masks),
        students=expectation.students,
        log_likelihood=fitted.log_likelihood,
        skill_tables=tuple(tables.split(parameters.mastery)),
        item_tables=tuple(parameters.correct[part] for part in item_parts),
        skill_counts=tuple(tables.counts(fitted.expected.states)),
        item_counts=tuple(fitted.expected.cells[part].T.copy() for part in item_parts),
        skill_errors=tuple(tables.split(skill_errors)),
        item_errors=tuple(item_errors[part] for part in item_parts),
        mastery_errors=errors.mastery,
        state_counts=fitted.expected.states,
        orientations=orientations,
        restarts=tuple(_restart(one) for one in found),
        refinement=_restart(best) if learning.refine else None,
        learning=learning,
        _answers=answers,
    )


def _restart(found: Found) -> Restart:
    fitted = found.fitted
    return Restart(
        fitted.log_likelihood, found.score, found.dag.edge_count, found.rounds, found.steps, fitted.converged
    )
