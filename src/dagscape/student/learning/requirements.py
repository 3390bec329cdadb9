"""Memory of learning a student model: E-steps over patterns of answers and 2^K states of skills, and the structure."""

from __future__ import annotations

from typing import Literal, get_args

import numpy as np

from dagscape.best.requirements import best_requirements
from dagscape.core import kernels
from dagscape.core.checks import check_choice
from dagscape.core.constraints import COUNT, FLAG, OneOf, Whole, check_count
from dagscape.core.errors import InvalidOption
from dagscape.core.requirements import Requirements, TaskOption
from dagscape.core.wording import plural
from dagscape.scores.scoring_job import parent_limit
from dagscape.scores.search_planning import SearchSize
from dagscape.scores.tables.joint_counts import joint_memory
from dagscape.student.input.q_matrix import MatchedAnswers, QMatrix
from dagscape.student.learning.structural_em import MOST_EXACT, SkillMethod
from dagscape.student.model.isotonic import MOST_SKILLS

DEFAULT_RESTARTS = 10

# The structure of the skills under which the rules of PARM estimate who has mastered them.
MasteryStructure = Literal["complete", "empty"]

# Arrays with a number for each state, in parameters and expected counts.
_STATE_ARRAYS = 8

MODEL_OPTIONS = {
    "restarts": TaskOption("The number of random starts.", COUNT, str(DEFAULT_RESTARTS)),
    "method": TaskOption(
        "How the structure of the skills is found.", OneOf(get_args(SkillMethod)), f"optimal up to {MOST_EXACT} skills"
    ),
    "max_parents": TaskOption("The limit on the number of prerequisites.", Whole(0), "no limit"),
    "monotone": TaskOption("Whether more mastery must never mean worse answers.", FLAG, "no"),
}
PARM_OPTIONS = {
    "restarts": MODEL_OPTIONS["restarts"],
    "structure": TaskOption(
        "Whether mastery is estimated with all skills joined, or with none.",
        OneOf(get_args(MasteryStructure)),
        "complete",
    ),
}


def model_requirements(
    given: MatchedAnswers,
    threads: int,
    limit: int,
    *,
    restarts: int = DEFAULT_RESTARTS,
    method: SkillMethod | None = None,
    max_parents: int | None = None,
    monotone: bool = False,
) -> Requirements:
    """Return what :func:`dagscape.command` needs."""
    check_monotone(monotone, given.q_matrix)
    skills = len(given.q_matrix.skills)
    most = parent_limit(skills, max_parents)
    search = joint_memory(skills, most + 1, threads)
    if chosen_search(method, skills) == "optimal":
        search += best_requirements(SearchSize.complete(skills, most), threads, limit).memory
    return _requirements(given, threads, restarts, search, "student model")


def parm_requirements(
    given: MatchedAnswers,
    threads: int,
    limit: int,  # noqa: ARG001 (as all tasks take it)
    *,
    restarts: int = DEFAULT_RESTARTS,
    structure: MasteryStructure = "complete",
) -> Requirements:
    """Return what :func:`dagscape.parm` needs."""
    check_choice(structure, get_args(MasteryStructure), "structure")
    skills = len(given.q_matrix.skills)
    # For each state and skill: where its probability is, and the state itself.
    places = 3 * 8 * skills << skills
    return _requirements(given, threads, restarts, places, "mastery of skills")


def chosen_search(method: SkillMethod | None, skills: int) -> SkillMethod:
    """Return how the structure of the skills is found: as chosen, or exactly if they are not too many."""
    if method is None:
        return "optimal" if skills <= MOST_EXACT else "order"
    check_choice(method, get_args(SkillMethod), "method")
    return method


def check_monotone(monotone: bool, q_matrix: QMatrix) -> None:
    """Refuse items with too many skills for probabilities that must not fall."""
    FLAG.check(monotone, "monotone")
    item, mask = max(zip(q_matrix.items, q_matrix.masks, strict=True), key=lambda one: one[1].bit_count())
    if monotone and mask.bit_count() > MOST_SKILLS:
        raise InvalidOption(
            f"needs items of at most {MOST_SKILLS} skills, and {item!r} has {mask.bit_count()}: merge skills of the "
            "item, or leave it out",
            option="monotone",
        )


def _requirements(given: MatchedAnswers, threads: int, restarts: int, search: int, step: str) -> Requirements:
    check_count(restarts, "restarts")
    patterns, weights, _ = given.answers.patterns()
    masks, skills = np.array(given.q_matrix.masks, dtype=np.uint32), len(given.q_matrix.skills)
    steps = kernels.StudentStates(masks, skills, patterns, weights.astype(np.float64)).bytes(threads)
    states = 8 * _STATE_ARRAYS << skills
    # For each pattern, the probabilities of the parts of states that items see.
    marginals = 8 * len(patterns) * sum(1 << int(mask).bit_count() for mask in masks)
    counted = f"{plural(len(patterns), 'pattern')} of answers"
    return Requirements(
        step=step,
        work=f"{plural(int(restarts), 'start')} of EM over {counted} and 2^{skills} states",
        memory=steps + states + max(search, marginals),
        subject=f"student models of {counted} and {plural(skills, 'skill')}",
        remedy="raise the limit, or merge or drop skills",
    )
