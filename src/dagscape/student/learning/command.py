"""COMMAND: the prerequisites of skills, and a student model, from answers to items."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, get_args

from dagscape.core.caveats import Caveats
from dagscape.core.checks import check_choice
from dagscape.core.clock import Clock
from dagscape.core.constraints import FLAG, check_count
from dagscape.core.errors import UnidentifiedSkills
from dagscape.core.progress import Progress, ProgressListener, ProgressOption, listening
from dagscape.core.randomness import Seed, random_generator, recorded_seed
from dagscape.core.resources import memory_limit, thread_count
from dagscape.results.base import provenance_of
from dagscape.scores.constraints import Edge, edge_constraints
from dagscape.scores.scoring_job import parent_limit
from dagscape.student.input.answers import Answers
from dagscape.student.input.long_answers import LongFormat
from dagscape.student.input.q_matrix import QMatrix, matched
from dagscape.student.learning.e_step import Expectation
from dagscape.student.learning.orientation import OrientationRule
from dagscape.student.learning.refinement import refined
from dagscape.student.learning.requirements import (
    DEFAULT_RESTARTS,
    check_monotone,
    chosen_search,
    model_requirements,
)
from dagscape.student.learning.structural_em import (
    AfterRound,
    SkillMethod,
    SkillScore,
    StructureSearch,
    best_of,
    checked_limits,
    first_round,
    structural_em,
)
from dagscape.student.model.building import student_model
from dagscape.student.model.model import Learning, StudentModel
from dagscape.student.model.parameters import ItemCells


def command(
    responses: Any,
    q_matrix: Any,
    *,
    required: Iterable[Edge] = (),
    forbidden: Iterable[Edge] = (),
    tiers: Sequence[Iterable[str]] | None = None,
    max_parents: int | None = None,
    score: SkillScore = "bic",
    method: SkillMethod | None = None,
    restarts: int = DEFAULT_RESTARTS,
    tolerance: float = 1e-6,
    min_gain: float = 1e-3,
    max_steps: int = 10_000,
    accelerate: bool = True,
    refine: bool = True,
    monotone: bool = False,
    orientation: OrientationRule = "ratio",
    long: LongFormat | None = None,
    seed: Seed = 0,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
) -> StudentModel:
    """Learn which skills are prerequisites of which, and a student model, from answers to items.

    Parameters
    ----------
    responses : data frame, array or path
        Students × items: 1 for a correct answer, 0 for a wrong one; missing answers are left out.
    q_matrix : data frame, array or path
        Items × skills: 1 if an item needs a skill. Items are matched by name, or by position if it has no names.
    required, forbidden : iterable of (prerequisite, skill)
        Prerequisites that must hold, and that must not.
    tiers : sequence of iterables of names, optional
        Skills of a later tier are no prerequisites of those of an earlier one.
    max_parents : int, optional
        The limit on the number of prerequisites of a skill. Default: none.
    score : {"bic", "aic"}
        What decides between structures.
    method : {"optimal", "order"}, optional
        How the best structure is found from expected counts: exactly, or by a search over orders. Default:
        ``"optimal"`` up to 15 skills.
    restarts : int
        The number of random starts; the best of them is kept, and all are reported.
    tolerance : float
        EM ends when a step gains less log-likelihood than this.
    min_gain : float
        A restart ends when a new structure gains less than this in score.
    max_steps : int
        The limit on the number of E-steps of each round.
    accelerate : bool
        Extrapolate the steps of EM; False takes plain steps, many more of them, to the same point.
    refine : bool
        Improve the best restart further: fit structures that differ in one pair of skills to the answers. Structural EM
        alone often keeps an edge too many, above all if items need several skills. With ten restarts, this takes about
        as long as they do.
    monotone : bool
        Require that mastering more skills of an item never makes a correct answer less likely. Items may have up to 5
        skills. Where items of 4 or 5 skills fall otherwise, this takes 10 to 20 times as long. Default: the answers
        decide, and the result warns of items that masters solve less often.
    orientation : {"ratio", "global"}
        What directs the edges that the answers leave open: the ratio of each, one by one, as in [chen2016]_; or all
        together, with the fewest students expected who have mastered a skill and lack a prerequisite of it.
    long : sequence of str, optional
        For answers in long format, a row for each student and item: the names of the columns with the students, the
        items and the answers, such as ``("student", "item", "answer")``. A pair without a row was not asked.
    seed : int, numpy.random.Generator or None
        Decides the random starts.
    threads, max_memory, progress
        As in :func:`dagscape.local_scores`. The result does not depend on the number of threads.

    Returns
    -------
    StudentModel
        The prerequisites, the probabilities of skills and answers, and what they say of students.

    Examples
    --------
    >>> import dagscape as ds
    >>> simulated = ds.simulate_students("a", 1000, seed=1)
    >>> model = ds.command(simulated.answers, simulated.q_matrix, restarts=3)
    >>> model.network.edges
    (('S1', 'S2'), ('S2', 'S3'))
    """
    clock = Clock()
    given = matched(responses, q_matrix, long=long)
    answers, skills_of_items = given
    limits = checked_limits(tolerance, min_gain, max_steps, accelerate)
    FLAG.check(refine, "refine")
    check_monotone(monotone, skills_of_items)
    check_choice(orientation, get_args(OrientationRule), "orientation")
    check_count(restarts, "restarts")
    search = _search(
        skills_of_items,
        score=score,
        method=method,
        max_parents=max_parents,
        required=required,
        forbidden=forbidden,
        tiers=tiers,
        threads=thread_count(threads),
        max_memory=max_memory,
    )
    caveats = Caveats()
    caveats.issue(unidentified_skills(skills_of_items))
    rngs = random_generator(seed).spawn(int(restarts))
    limit = memory_limit(max_memory)
    needs = model_requirements(given, search.threads, limit, restarts=restarts, method=method, max_parents=max_parents)
    needs.check(limit)
    expectation = expectation_of(answers, skills_of_items, search, monotone)
    found = []
    with listening(progress) as listener:
        for number, rng in enumerate(rngs):
            first = first_round(expectation, search.start(), search, rng, limits)
            report = _reporting(listener, number, len(rngs))
            found.append(structural_em(expectation, search, first, rng, limits, report))
        place = best_of(found)
        best = found[place]
        if refine:
            report = _reporting(listener, place, len(rngs))
            best = refined(expectation, search, best, rngs[place], limits, report)
    parameters = {
        "score": score, "method": search.method, "restarts": int(restarts), "max_parents": max_parents,
        "required": search.required, "forbidden": search.forbidden, "tiers": search.tiers,
        "tolerance": tolerance, "min_gain": min_gain, "max_steps": max_steps, "accelerate": accelerate,
        "refine": bool(refine), "monotone": bool(monotone), "orientation": orientation,
    }  # fmt: skip
    seed_used = recorded_seed(seed)
    provenance = provenance_of("command", parameters, {"learning": clock.seconds}, search.threads, seed_used)
    learning = Learning(search.method, bool(refine), limits, bool(monotone), orientation)
    return student_model(answers, skills_of_items, search, expectation, found, best, learning, provenance, caveats)


def expectation_of(answers: Answers, q_matrix: QMatrix, search: StructureSearch, monotone: bool = False) -> Expectation:
    """Return the answers, ready for E-steps."""
    cells = ItemCells(q_matrix.masks, bool(monotone))
    return Expectation(answers, cells, len(q_matrix.skills), search.threads, search.max_memory)


def unidentified_skills(q_matrix: QMatrix) -> UnidentifiedSkills | None:
    """Return a warning about skills without an item that needs only them."""
    unidentified = q_matrix.unidentified()
    if not unidentified:
        return None
    names = ", ".join(map(repr, unidentified))
    have = "has no item that needs it alone" if len(unidentified) == 1 else "have no items that need them alone"
    message = f"{names} {have}: the answers may not determine {'it' if len(unidentified) == 1 else 'them'}"
    return UnidentifiedSkills(message)


def _search(
    q_matrix: QMatrix,
    *,
    score: SkillScore,
    method: SkillMethod | None,
    max_parents: int | None,
    required: Iterable[Edge],
    forbidden: Iterable[Edge],
    tiers: Sequence[Iterable[str]] | None,
    threads: int,
    max_memory: int | str | None,
) -> StructureSearch:
    skills = q_matrix.skills
    check_choice(score, ("bic", "aic"), "score")
    method = chosen_search(method, len(skills))
    # They are read more than once, and may be iterators. What is neither is refused with the other wrong constraints.
    edges, banned = _kept(required), _kept(forbidden)
    kept = None if tiers is None else _kept(tiers)
    if isinstance(kept, tuple):
        kept = tuple(_kept(tier) for tier in kept)
    edge_constraints(skills, parent_limit(len(skills), max_parents), edges, banned, kept)
    return StructureSearch(skills, score, method, max_parents, edges, banned, kept, threads, max_memory)


def _kept(given: Any) -> Any:
    """Return what can be iterated over as a tuple, and anything else as it is."""
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else given


def _reporting(listener: ProgressListener | None, number: int, restarts: int) -> AfterRound | None:
    if listener is None:
        return None
    return lambda found: listener(
        Progress(f"Start {number + 1} of {restarts}, round {found.rounds + 1}", number, restarts)
    )
