"""The result of :func:`dagscape.command`: prerequisites of skills, and a model of students."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidOption
from dagscape.core.progress import ProgressOption
from dagscape.core.randomness import Seed
from dagscape.core.wording import plural
from dagscape.results.base import recorded_parameters
from dagscape.results.score_info import ScoreInfo
from dagscape.student.input.answers import Answers, as_answers
from dagscape.student.input.long_answers import LongFormat
from dagscape.student.learning.e_step import Expectation
from dagscape.student.learning.orientation import OrientationRule
from dagscape.student.learning.structural_em import Limits, SkillMethod, StructureSearch
from dagscape.student.model.evaluation import Evaluation, cross_validate
from dagscape.student.model.fitted_skills import FittedSkills, Restart
from dagscape.student.model.frames import mastery_frame, next_item_frame, prediction_frame
from dagscape.student.model.inference import state_probabilities
from dagscape.student.model.parameters import ItemCells

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas as pd


@dataclass(frozen=True, slots=True)
class Learning:
    """How a model was learned, and is learned again when it is evaluated.

    Attributes
    ----------
    method : {"optimal", "order"}
        How the best structure was found in each round.
    refine : bool
        Whether the best start was improved further.
    limits : Limits
        When EM and the rounds ended.
    monotone : bool
        Whether mastering more skills of an item could not make a correct answer less likely.
    orientation : {"ratio", "global"}
        What directed the edges that the answers leave open.
    """

    method: SkillMethod = "optimal"
    refine: bool = False
    limits: Limits = field(default_factory=Limits)
    monotone: bool = False
    orientation: OrientationRule = "ratio"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StudentModel(FittedSkills):
    """Prerequisites of skills, and the probabilities of skills and answers.

    Methods that take ``responses`` apply the model to any students; without them, to those that it was learned from. A
    model that was read from a file has no students of its own.

    Attributes
    ----------
    variables : tuple of str
        The skills.
    network : Dag
        The prerequisites: an edge leads from a prerequisite to the skill that needs it.
    score : float
        The score of the model, BIC unless another was chosen.
    items : tuple of str
        The items.
    item_skills : tuple of tuple of str
        The skills of each item.
    students : int
        The number of students that the model was learned from.
    log_likelihood : float
        The log-likelihood of their answers.
    skill_tables, item_tables : tuple of array
        For each skill, the probability that it is mastered, in each state of its prerequisites; for each item, the
        probability of a correct answer, in each state of its skills. States are numbered as
        :attr:`cpts` shows them.
    skill_counts, item_counts : tuple of array
        The expected numbers of students behind them, in two rows: not mastered and mastered, or wrong and correct.
    skill_errors, item_errors, mastery_errors : arrays
        Standard errors of the tables, and of the shares in :attr:`mastery_shares`. They are infinite for probabilities
        of 0 and 1, for those that the answers do not determine, and for all of a model that is too large: they are
        computed for up to 2000 probabilities, and 2^27 products of probabilities and different rows of answers.
    state_counts : array
        The expected number of students in each of the 2^K states: bit k of the number of a state is skill k.
    orientations : tuple of Orientation
        The reversible edges of the equivalence class, and how each was directed.
    restarts : tuple of Restart
        All random starts, in their order, before the refinement of the best one.
    refinement : Restart or None
        The best start after its refinement, which the model is; None without refinement.
    learning : Learning
        How it was learned.
    """

    kind: ClassVar[str] = "student-model"

    refinement: Restart | None = field(default=None, kw_only=True)
    learning: Learning = field(default_factory=Learning, kw_only=True)
    _answers: Answers | None = field(default=None, repr=False, compare=False)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild a model from a document of :meth:`to_dict`."""
        if "learning" not in document:
            # Version 0.1.0 kept these facts in the provenance.
            recorded = recorded_parameters(document)
            limits = {entry.name: recorded[entry.name] for entry in fields(Limits) if entry.name in recorded}
            own = {name: recorded[name] for name in ("method", "refine") if name in recorded}
            document = {**document, "learning": {**own, "limits": limits}}
        return super(StudentModel, cls).from_dict(document)

    def mastery(self, responses: Any = None, *, long: LongFormat | None = None) -> pd.DataFrame:
        """Return, for each student, the probability that each skill is mastered, and the most probable state.

        Parameters
        ----------
        responses : data frame, array or path, optional
            Students × items, as for :func:`dagscape.command`; items without a column count as not answered. Default:
            the students that the model was learned from.
        long : sequence of str, optional
            For answers in long format, as for :func:`dagscape.command`.

        Returns
        -------
        pandas.DataFrame
            A column for each skill; ``state``, the mastered skills of the most probable state; and
            ``state_probability``.
        """
        return mastery_frame(self.network, self._parameters(), *self._prepared(responses, long))

    def states(self, responses: Any = None, *, long: LongFormat | None = None) -> NDArray[np.float64]:
        """Return, for each student, the probability of each of the 2^K states of the skills.

        Parameters
        ----------
        responses : data frame, array or path, optional
            As for :meth:`mastery`.
        long : sequence of str, optional
            Likewise.

        Returns
        -------
        array of shape (students, 2^K)
            Bit k of the number of a state is set if skill k is mastered.
        """
        _, expectation = self._prepared(responses, long)
        return state_probabilities(expectation, self._parameters())

    def predict(self, responses: Any = None, *, long: LongFormat | None = None) -> pd.DataFrame:
        """Return, for each student and item, the probability of a correct answer given the student's other answers.

        Parameters
        ----------
        responses : data frame, array or path, optional
            As for :meth:`mastery`.
        long : sequence of str, optional
            Likewise.
        """
        return prediction_frame(self._parameters(), *self._prepared(responses, long))

    def next_item(self, responses: Any = None, *, long: LongFormat | None = None) -> pd.DataFrame:
        """Return, for each student, the unanswered item whose answer tells most about the skills.

        Parameters
        ----------
        responses : data frame, array or path, optional
            As for :meth:`mastery`.
        long : sequence of str, optional
            Likewise.

        Returns
        -------
        pandas.DataFrame
            ``item``, None if the student has answered all; ``information``, the mutual information between its answer
            and the skills given the answers so far, in bits; and ``correct``, the probability of a correct answer.
        """
        return next_item_frame(self._parameters(), *self._prepared(responses, long))

    def evaluate(
        self,
        responses: Any = None,
        cv: int = 10,
        *,
        seed: Seed = 0,
        chain: Sequence[str] | None = None,
        restarts: int | None = None,
        long: LongFormat | None = None,
        executor: Executor | None = None,
        workers: int | None = None,
        progress: ProgressOption = None,
    ) -> Evaluation:
        """Return how well such models predict answers of students that they have not seen, and five baselines.

        In each of ``cv`` folds, structure and parameters are learned again from the other students, with the options of
        this model. Each answer is predicted from the student's other answers.

        Parameters
        ----------
        responses : data frame, array or path, optional
            Students × items, as for :func:`dagscape.command`. Default: those that the model was learned from.
        cv : int
            The number of folds.
        seed : int, numpy.random.Generator or None
            Decides the folds and the random starts.
        chain : sequence of str, optional
            The order of the skills in the baseline in which each is the prerequisite of the next. Default: that of the
            Q-matrix.
        restarts : int, optional
            The number of random starts in each fold. Default: as many as the model had.
        long : sequence of str, optional
            For answers in long format, as for :func:`dagscape.command`.
        executor, workers, progress
            As for :func:`dagscape.bootstrap`.

        Examples
        --------
        >>> import dagscape as ds
        >>> simulated = ds.simulate_students("a", 200, seed=1)
        >>> model = ds.command(simulated.answers, simulated.q_matrix, restarts=1)
        >>> model.evaluate(cv=3).to_frame().model.tolist()
        ['command', 'majority', 'disconnected', 'chain', 'parm', 'full']
        """
        answers, _ = self._prepared(responses, long)
        info, learning = self.score_info or ScoreInfo(), self.learning
        search = StructureSearch(
            self.variables,
            "aic" if info.score == "aic" else "bic",
            learning.method,
            info.max_parents,
            info.required,
            info.forbidden,
        )
        return cross_validate(
            answers,
            self.q_matrix,
            search,
            learning.limits,
            len(self.restarts) if restarts is None else restarts,
            folds=cv,
            chain=chain,
            refine=learning.refine,
            monotone=learning.monotone,
            seed=seed,
            executor=executor,
            workers=workers,
            progress=progress,
        )

    def _prepared(self, responses: Any, long: LongFormat | None = None) -> tuple[Answers, Expectation]:
        """Return the answers to the items of the model, and the same ready for E-steps."""
        if responses is None:
            if self._answers is None:
                raise InvalidOption(
                    "are needed: a model that was read from a file has no students of its own", option="responses"
                )
            answers = self._answers
        else:
            answers = as_answers(responses, self.items, partial=True, long=long)
        return answers, Expectation(answers, ItemCells(self.q_matrix.masks), len(self.variables), 1)

    def __repr__(self) -> str:
        size = f"{plural(len(self.variables), 'skill')}, {plural(len(self.items), 'item')}"
        edges = plural(self.network.edge_count, "prerequisite")
        return f"StudentModel({size}, {edges}, log-likelihood {self.log_likelihood:.3f})"
