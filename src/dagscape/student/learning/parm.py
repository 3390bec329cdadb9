"""PARM: pairwise prerequisites by association rules, as a method and as a baseline of COMMAND.

The rules need the probability that each student has mastered each skill. It is estimated with all skills joined, in a
model that can have any distribution of the skills. Without prerequisites, the model would take the skills of a student
as independent: the estimates then hide the very dependence that the rules look for.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from dagscape.core.clock import Clock
from dagscape.core.constraints import check_count
from dagscape.core.progress import Progress, ProgressOption, listening
from dagscape.core.randomness import Seed, random_generator, recorded_seed
from dagscape.core.resources import memory_limit, thread_count
from dagscape.core.wording import plural
from dagscape.graphs.dag import Dag
from dagscape.results.base import Result, check_shape, pair_frame, provenance_of
from dagscape.results.decoding import Count, Probabilities, Share
from dagscape.student.input.long_answers import LongFormat
from dagscape.student.input.q_matrix import matched
from dagscape.student.learning.e_step import Expectation
from dagscape.student.learning.prerequisite_rules import PrerequisiteRules, check_thresholds, parm_rules
from dagscape.student.learning.requirements import DEFAULT_RESTARTS, MasteryStructure, parm_requirements
from dagscape.student.learning.structural_em import (
    StructureSearch,
    best_of,
    checked_limits,
    first_round,
    with_structure,
)
from dagscape.student.model.inference import mastery_probabilities
from dagscape.student.model.parameters import ItemCells

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Parm(Result):
    """Pairs of skills of which one is a prerequisite of the other, each found on its own.

    Attributes
    ----------
    variables : tuple of str
        The skills.
    mastered, lacking : array
        ``[i, j]`` is the probability that the two rules of the pair reach support and confidence: who has mastered
        skill j has mastered i, and who lacks i lacks j.
    confidence : array
        The smaller of the expected confidences of the two rules.
    mastery : array
        The share of students who have mastered each skill, by the model that the rules are based on.
    minsup, minconf, minprob : float
        The thresholds.
    students : int
        The number of students.
    """

    kind: ClassVar[str] = "parm"
    derived: ClassVar[tuple[str, ...]] = ("pairs", "cycle")

    mastered: Probabilities
    lacking: Probabilities
    confidence: Probabilities
    mastery: Probabilities
    minsup: Share
    minconf: Share
    minprob: Share
    students: Count

    @property
    def rules(self) -> PrerequisiteRules:
        """The rules between every two skills."""
        return PrerequisiteRules(
            self.variables, self.mastered, self.lacking, self.confidence, self.minsup, self.minconf, self.minprob
        )

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs (prerequisite, skill). They may form cycles, and need not be transitive."""
        return self.rules.pairs

    @property
    def cycle(self) -> tuple[str, ...]:
        """A cycle of pairs, with its first skill again at the end; empty if there is none."""
        return self.rules.cycle

    def to_dag(self) -> Dag:
        """Return the pairs as a DAG, without the weakest of each cycle."""
        return self.rules.to_dag()

    def to_frame(self) -> pd.DataFrame:
        """Return all ordered pairs of skills, the most probable first."""
        rules = self.rules
        matrices = {
            "probability": rules.probabilities,
            "mastered": self.mastered,
            "lacking": self.lacking,
            "confidence": self.confidence,
        }
        return pair_frame(self.variables, matrices)

    def _check(self) -> None:
        super(Parm, self)._check()
        n = len(self.variables)
        for name in ("mastered", "lacking", "confidence"):
            check_shape(name, getattr(self, name), (n, n))
        check_shape("mastery", self.mastery, (n,))

    def __repr__(self) -> str:
        cyclic = ", cyclic" if self.cycle else ""
        return f"Parm({plural(len(self.variables), 'skill')}, {plural(len(self.pairs), 'pair')}{cyclic})"


def parm(
    responses: Any,
    q_matrix: Any,
    minsup: float = 0.125,
    minconf: float = 0.76,
    minprob: float = 0.9,
    *,
    structure: MasteryStructure = "complete",
    restarts: int = DEFAULT_RESTARTS,
    tolerance: float = 1e-6,
    long: LongFormat | None = None,
    seed: Seed = 0,
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
) -> Parm:
    """Find pairs of skills of which one is a prerequisite of the other, by association rules.

    Parameters
    ----------
    responses, q_matrix
        As for :func:`dagscape.command`.
    minsup, minconf, minprob : float
        The support and the confidence that both rules of a pair must reach, and the probability with which they must.
        The defaults are those of the authors [chen2015]_.
    structure : {"complete", "empty"}
        The model from which the mastery of each student comes: all skills joined, so that any distribution of them is
        possible, or none, so that they are independent. Independent skills hide the dependence that the rules look for.
    restarts, tolerance, seed, threads, max_memory, progress
        As for :func:`dagscape.command`; they concern this model.
    long
        As for :func:`dagscape.command`.

    Returns
    -------
    Parm
        The pairs, which may be cyclic, and the probability of each rule.

    Examples
    --------
    >>> import dagscape as ds
    >>> simulated = ds.simulate_students("a", 500, seed=2)
    >>> found = ds.parm(simulated.answers, simulated.q_matrix, restarts=2)
    >>> found.pairs
    (('S1', 'S2'), ('S1', 'S3'), ('S2', 'S3'))
    """
    clock = Clock()
    check_thresholds(minsup, minconf, minprob)
    check_count(restarts, "restarts")
    limits = checked_limits(tolerance)
    given = matched(responses, q_matrix, long=long)
    answers, needs = given
    count, limit = thread_count(threads), memory_limit(max_memory)
    parm_requirements(given, count, limit, restarts=restarts, structure=structure).check(limit)
    search = StructureSearch(needs.skills, threads=count, max_memory=max_memory)
    expectation = Expectation(answers, ItemCells(needs.masks), len(needs.skills), count, max_memory)
    found = []
    with listening(progress) as listener:
        for number, rng in enumerate(random_generator(seed).spawn(int(restarts))):
            start = first_round(expectation, search.start(), search, rng, limits)
            joined = structure == "complete"
            found.append(with_structure(expectation, start, search.complete(), search, limits) if joined else start)
            if listener is not None:
                listener(Progress("Fitting the mastery of skills", number + 1, int(restarts)))
    best = found[best_of(found)]
    mastery = mastery_probabilities(expectation, best.fitted.parameters)
    rules = parm_rules(mastery, needs.skills, minsup, minconf, minprob)
    parameters = {
        "minsup": minsup, "minconf": minconf, "minprob": minprob, "structure": structure, "restarts": int(restarts),
        "tolerance": tolerance,
    }  # fmt: skip
    used = recorded_seed(seed)
    return Parm(
        variables=needs.skills,
        provenance=provenance_of("parm", parameters, {"learning": clock.seconds}, count, used),
        mastered=rules.mastered,
        lacking=rules.lacking,
        confidence=rules.confidence,
        mastery=mastery.mean(axis=0),
        minsup=float(minsup),
        minconf=float(minconf),
        minprob=float(minprob),
        students=len(answers.students),
    )
