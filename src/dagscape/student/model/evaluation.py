"""How well a student model predicts answers: cross-validation against five baselines [chen2016]_, section 6.4.2.2.

For each student of a held-out fold and each item, the answer is predicted from the student's other answers. Structure
and parameters are learned again from the other folds. The area under the ROC curve is that of all pairs of a student
and an item in the fold that have an answer.

All models start from the same fits without prerequisites, one for each random start, and keep the best.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagscape.core.clock import Clock
from dagscape.core.constraints import Whole, check_count
from dagscape.core.errors import InvalidData, InvalidOption, brief
from dagscape.core.progress import ProgressOption, listening
from dagscape.core.randomness import Seed, random_generator, recorded_seed
from dagscape.core.wording import plural, visible
from dagscape.graphs.dag import Dag
from dagscape.results.base import Result, check_shape, provenance_of
from dagscape.results.decoding import Count, FiniteArray, Probabilities
from dagscape.running.repetitions import Repetitions, worker_count
from dagscape.student.input.answers import Answers
from dagscape.student.input.q_matrix import QMatrix
from dagscape.student.learning.e_step import Expectation
from dagscape.student.learning.prerequisite_rules import parm_rules
from dagscape.student.learning.refinement import refined
from dagscape.student.learning.structural_em import (
    Found,
    Limits,
    StructureSearch,
    best_of,
    first_round,
    structural_em,
    with_structure,
)
from dagscape.student.model.comparing import area_under_curve, paired_t_test
from dagscape.student.model.inference import mastery_probabilities, predicted_answers
from dagscape.student.model.parameters import ItemCells

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas as pd

# The first is the model itself.
MODELS = ("command", "majority", "disconnected", "chain", "parm", "full")

# At most one for each student.
FOLDS = Whole(2)

# Half the width of a 95 % interval, in standard errors.
_INTERVAL = 1.96


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Evaluation(Result):
    """How well models predict the answers of students that they have not seen.

    Attributes
    ----------
    variables : tuple of str
        The skills.
    models : tuple of str
        ``command``, the model itself, and the baselines: ``majority`` predicts the share of correct answers to the item
        among the students of the other folds; ``disconnected`` has no prerequisites; ``chain`` has each skill as the
        prerequisite of the next; ``parm`` has the rules of :func:`dagscape.parm`, without the weakest edges of cycles;
        ``full`` has all.
    areas : array of shape (folds, models)
        The area under the ROC curve.
    edges : array of shape (folds, models)
        The number of prerequisites.
    students, answers : int
        The number of students, and of answers that were predicted.
    """

    kind: ClassVar[str] = "student-evaluation"

    models: tuple[str, ...]
    areas: Probabilities
    edges: FiniteArray
    students: Count
    answers: Count

    @property
    def p_values(self) -> NDArray[np.float64]:
        """The two-sided p-values of paired t-tests of each model against the first; not a number for itself."""
        tests = [paired_t_test(self.areas[:, 0], other) for other in self.areas.T[1:]]
        return np.array([np.nan, *tests])

    @property
    def errors(self) -> NDArray[np.float64]:
        """The standard error of each mean area."""
        spread: NDArray[np.float64] = self.areas.std(axis=0, ddof=1) / np.sqrt(len(self.areas))
        return spread

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each model: mean area, half the width of its 95 % interval, and p-value."""
        import pandas as pd

        columns = {
            "model": self.models,
            "auc": self.areas.mean(axis=0),
            "interval": _INTERVAL * self.errors,
            "p_value": self.p_values,
            "prerequisites": self.edges.mean(axis=0),
        }
        return pd.DataFrame(columns)

    def _check(self) -> None:
        super(Evaluation, self)._check()
        shape = (len(self.areas), len(self.models))
        check_shape("areas", self.areas, shape)
        check_shape("edges", self.edges, shape)
        if len(self.areas) < 2 or not self.models:
            raise InvalidData("an evaluation must have a model and at least two folds")

    def __repr__(self) -> str:
        means = ", ".join(f"{name} {area:.4f}" for name, area in zip(self.models, self.areas.mean(axis=0), strict=True))
        return visible(f"Evaluation({plural(len(self.areas), 'fold')}: {means})")


@dataclass(frozen=True, slots=True)
class FoldJob:
    """What all folds have in common.

    Attributes
    ----------
    answers : Answers
        The answers of all students.
    q_matrix : QMatrix
        The skills of the items.
    folds : array
        The fold of each student.
    search : StructureSearch
        How structures are found.
    limits : Limits
        When EM ends.
    restarts : int
        The number of random starts.
    chain : Dag
        The baseline in which each skill is the prerequisite of the next.
    refine : bool
        Whether the best restart is improved further.
    monotone : bool
        Whether probabilities of correct answers must not fall as skills are added.
    """

    answers: Answers
    q_matrix: QMatrix
    folds: NDArray[np.int64]
    search: StructureSearch
    limits: Limits
    restarts: int
    chain: Dag
    refine: bool = False
    monotone: bool = False


@dataclass(frozen=True, slots=True)
class FoldOutcome:
    """The area under the curve, and the number of prerequisites, of each model in one fold."""

    areas: tuple[float, ...]
    edges: tuple[int, ...]
    answers: int


def cross_validate(
    answers: Answers,
    q_matrix: QMatrix,
    search: StructureSearch,
    limits: Limits,
    restarts: int,
    *,
    folds: int,
    chain: Sequence[str] | None,
    refine: bool,
    monotone: bool,
    seed: Seed,
    executor: Executor | None,
    workers: int | None,
    progress: ProgressOption,
) -> Evaluation:
    """Learn all models in each fold, and return how well they predict.

    Parameters
    ----------
    answers, q_matrix
        The answers of all students, and the skills of the items.
    search, limits, restarts
        How models are learned.
    folds : int
        The number of folds.
    refine : bool
        Whether the best restart is improved further.
    monotone : bool
        Whether probabilities of correct answers must not fall as skills are added.
    chain, seed, executor, workers, progress
        As for :meth:`dagscape.StudentModel.evaluate`.
    """
    students = len(answers.students)
    most = f"from {FOLDS.low} to {students:,}, the number of students"
    Whole(FOLDS.low, students, said=f"an integer {most}").check(folds, "cv")
    check_count(restarts, "restarts")
    clock, count, rng = Clock(), worker_count(executor, workers), random_generator(seed)
    own = random_folds(students, int(folds), rng)
    job = FoldJob(
        answers, q_matrix, own, search, limits, int(restarts), chain_of(search.skills, chain), refine, monotone
    )
    with listening(progress) as listener:
        study = Repetitions(
            evaluate_fold,
            job,
            list(enumerate(rng.spawn(int(folds)))),
            clock,
            listener,
            name="fold",
            doing="Learning from folds",
        )
        study.run(executor, count)
    outcomes = study.outcomes
    order = list(chain or search.skills)
    parameters = {
        "cv": int(folds),
        "restarts": int(restarts),
        "chain": order,
        "score": search.score,
        "refine": refine,
        "monotone": monotone,
    }
    used = recorded_seed(seed)
    return Evaluation(
        variables=search.skills,
        provenance=provenance_of("evaluate", parameters, {"folds": clock.seconds}, 1, used),
        models=MODELS,
        areas=np.array([outcome.areas for outcome in outcomes]),
        edges=np.array([outcome.edges for outcome in outcomes], dtype=np.float64),
        students=students,
        answers=sum(outcome.answers for outcome in outcomes),
    )


def chain_of(skills: Sequence[str], order: Sequence[str] | None) -> Dag:
    """Return the structure in which each skill is the prerequisite of the next, in an order of all skills."""
    listed = isinstance(order, Sequence) and not isinstance(order, str)
    if order is not None and not (listed and sorted(map(str, order)) == sorted(skills)):
        raise InvalidOption(
            f"is {brief(order)}; it must name each skill once, in the order of the chain", option="chain"
        )
    return Dag.from_edges(tuple(skills), itertools.pairwise(skills if order is None else order))


def random_folds(students: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return a fold for each student, at random; the sizes of folds differ by at most one.

    >>> np.bincount(random_folds(10, 3, np.random.default_rng(1))).tolist()
    [4, 3, 3]
    """
    return rng.permutation(np.arange(students) % count)


def evaluate_fold(job: FoldJob, fold: int, rng: np.random.Generator, seconds: float) -> FoldOutcome:  # noqa: ARG001 (folds have no time limit)
    """Learn all models from the other folds, and predict the answers of this one."""
    training, held_out = job.answers.take(job.folds != fold), job.answers.take(job.folds == fold)
    learned = _learned(job, training, rng.spawn(job.restarts))
    cells = ItemCells(job.q_matrix.masks)
    expectation = Expectation(held_out, cells, len(job.search.skills), job.search.threads, job.search.max_memory)
    given = held_out.table >= 0
    correct = held_out.table[given] == 1
    if correct.all() or not correct.any():
        kind = "correct" if correct.all() else "wrong"
        raise InvalidData(f"all answers of fold {fold + 1} are {kind}: use fewer folds")
    areas, edges = [], []
    for name in MODELS:
        if name == "majority":
            predicted = np.broadcast_to(_shares(training), given.shape)
        else:
            predicted = predicted_answers(expectation, learned[name].fitted.parameters, held_out)
        areas.append(area_under_curve(predicted[given], correct))
        edges.append(0 if name == "majority" else learned[name].dag.edge_count)
    return FoldOutcome(tuple(areas), tuple(edges), correct.size)


def _learned(job: FoldJob, training: Answers, rngs: Sequence[np.random.Generator]) -> dict[str, Found]:
    """Return each model with the best of its restarts."""
    search, limits = job.search, job.limits
    skills = search.skills
    cells = ItemCells(job.q_matrix.masks, job.monotone)
    expectation = Expectation(training, cells, len(skills), search.threads, search.max_memory)
    empty = Dag.from_edges(skills)
    starts = [first_round(expectation, empty, search, rng, limits) for rng in rngs]
    best = starts[best_of(starts)]

    def fitted(dag: Dag) -> Found:
        found = [with_structure(expectation, start, dag, search, limits) for start in starts]
        return found[best_of(found)]

    full = fitted(search.complete())
    rules = parm_rules(mastery_probabilities(expectation, full.fitted.parameters), skills)
    learned = {"disconnected": best, "full": full, "chain": fitted(job.chain), "parm": fitted(rules.to_dag())}
    found = []
    for start, rng in zip(starts, rngs, strict=True):
        first = start if not search.required else with_structure(expectation, start, search.start(), search, limits)
        found.append(structural_em(expectation, search, first, rng, limits))
    place = best_of(found)
    command = found[place]
    if job.refine:
        command = refined(expectation, search, command, rngs[place], limits)
    return learned | {"command": command}


def _shares(training: Answers) -> NDArray[np.float64]:
    """Return the share of correct answers to each item; one half for an item that nobody answered."""
    answered = (training.table >= 0).sum(axis=0)
    shares = np.full(len(answered), 0.5)
    np.divide((training.table == 1).sum(axis=0), answered, out=shares, where=answered > 0)
    return shares
