"""The result of :func:`dagscape.command`: prerequisites of skills, and a model of students."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagscape.best.k_best import k_best
from dagscape.best.result import BestNetworks
from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.core.progress import ProgressOption
from dagscape.core.randomness import Seed
from dagscape.core.wording import plural
from dagscape.drawing.edges import AnnotatedGraph
from dagscape.ensembles.one_network import OneNetwork
from dagscape.networks.discrete.network import Network
from dagscape.posterior.result import Posterior
from dagscape.posterior.summing import posterior
from dagscape.results.base import check_known, check_length, check_shape
from dagscape.results.decoding import Count, Finite, FiniteArray, Probabilities
from dagscape.results.score_info import ScoreInfo
from dagscape.scores.tables.joint_counts import scores_from_joint
from dagscape.scores.tables.lattice_scores import LatticeScores
from dagscape.student.input.answers import Answers, as_answers
from dagscape.student.input.q_matrix import QMatrix
from dagscape.student.learning.e_step import Expectation
from dagscape.student.learning.orientation import Orientation, ratio_of
from dagscape.student.learning.structural_em import StructureSearch, checked_limits
from dagscape.student.model.evaluation import Evaluation, cross_validate
from dagscape.student.model.frames import mastery_frame, next_item_frame, prediction_frame, table_frame
from dagscape.student.model.inference import (
    state_probabilities,
)
from dagscape.student.model.network import StudentNetwork
from dagscape.student.model.parameters import ItemCells, Parameters, SkillTables
from dagscape.student.model.skill_states import mastered_share, prerequisite_strengths

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas as pd

Errors = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Restart:
    """What one random start led to.

    Attributes
    ----------
    log_likelihood, score : float
        The log-likelihood of the answers, and the score of the model.
    edges : int
        The number of prerequisites.
    rounds, steps : int
        The number of structures tried, and of E-steps.
    converged : bool
        Whether EM ended by itself in the last round.
    """

    log_likelihood: Finite
    score: Finite
    edges: Count
    rounds: Count
    steps: Count
    converged: bool


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StudentModel(OneNetwork):
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
        of 0 and 1, and for those that the answers do not determine.
    state_counts : array
        The expected number of students in each of the 2^K states: bit k of the number of a state is skill k.
    orientations : tuple of Orientation
        The reversible edges of the equivalence class, and how each was directed.
    restarts : tuple of Restart
        All random starts, in their order.
    """

    kind: ClassVar[str] = "student-model"

    items: tuple[str, ...]
    item_skills: tuple[tuple[str, ...], ...]
    students: Count
    log_likelihood: Finite
    skill_tables: tuple[Probabilities, ...]
    item_tables: tuple[Probabilities, ...]
    skill_counts: tuple[FiniteArray, ...]
    item_counts: tuple[FiniteArray, ...]
    skill_errors: tuple[Errors, ...]
    item_errors: tuple[Errors, ...]
    mastery_errors: Errors
    state_counts: FiniteArray
    orientations: tuple[Orientation, ...]
    restarts: tuple[Restart, ...]
    _answers: Answers | None = field(default=None, repr=False, compare=False)

    # The structure.

    @property
    def parameter_count(self) -> int:
        """The number of probabilities."""
        return sum(len(table) for table in (*self.skill_tables, *self.item_tables))

    @property
    def q_matrix(self) -> QMatrix:
        """The skills of each item."""
        table = np.array([[skill in needed for skill in self.variables] for needed in self.item_skills])
        return QMatrix(self.items, self.variables, table)

    @property
    def cpts(self) -> dict[str, pd.DataFrame]:
        """The tables of all skills and items: a row for each state, with its probability, counts and standard error."""
        tables = {}
        for skill, table, counts, errors in zip(
            self.variables, self.skill_tables, self.skill_counts, self.skill_errors, strict=True
        ):
            tables[skill] = table_frame(self.network.parents(skill), "mastered", table, counts, errors)
        for item, skills, table, counts, errors in zip(
            self.items, self.item_skills, self.item_tables, self.item_counts, self.item_errors, strict=True
        ):
            tables[item] = table_frame(skills, "correct", table, counts, errors)
        return tables

    @property
    def mastery_shares(self) -> NDArray[np.float64]:
        """The share of students who have mastered each skill, by the model."""
        return mastered_share(len(self.variables), self._parameters().prior())

    @property
    def strengths(self) -> NDArray[np.float64]:
        """``[i, j]`` is P(skill j is not mastered | skill i is not mastered): the strength of i as a prerequisite of j.

        It is 1 for a prerequisite without which nobody masters the skill, and 0 where nobody lacks skill i.
        """
        return prerequisite_strengths(len(self.variables), self._parameters().prior())

    @property
    def drawable(self) -> AnnotatedGraph:
        """What a drawing shows: the prerequisites with their strengths, and the share of masters of each skill."""
        notes = tuple(f"mastered: {share:.2f}" for share in self.mastery_shares)
        meaning = "P(skill not mastered | prerequisite not mastered)"
        return AnnotatedGraph(self.network, notes, self.strengths, "strength", meaning)

    def to_network(self) -> Network:
        """Return skills and items as one Bayesian network; 1 is mastered, or correct."""
        return StudentNetwork(self.network, self.q_matrix, self.skill_tables, self.item_tables).network

    def to_frame(self) -> pd.DataFrame:
        """Return the prerequisites, one per row: strength, what decided the direction, and the ratio of the rule.

        ``direction`` is ``"class"`` if all members of the equivalence class have the edge; otherwise it is the reason
        of its entry in ``orientations``. ``ratio`` is P(skill not mastered) / P(prerequisite not mastered); below 1,
        the prerequisite is the harder of the two.
        """
        import pandas as pd

        strengths, number = self.strengths, self.network.number
        lacking = 1 - self.mastery_shares
        found = {(one.source, one.target): one for one in self.orientations}
        rows = []
        for source, target in self.network.edges:
            one = found.get((source, target))
            how = "class" if one is None else one.reason
            ratio = ratio_of(lacking[number(target)], lacking[number(source)])
            rows.append((source, target, strengths[number(source), number(target)], how, ratio))
        return pd.DataFrame(rows, columns=["source", "target", "strength", "direction", "ratio"])

    def skills_frame(self) -> pd.DataFrame:
        """Return the skills, one per row: share of masters, its standard error, prerequisites and number of items."""
        import pandas as pd

        needed = [sum(skill in skills for skills in self.item_skills) for skill in self.variables]
        alone = [sum(skills == (skill,) for skills in self.item_skills) for skill in self.variables]
        columns = {
            "skill": self.variables,
            "mastered": self.mastery_shares,
            "error": self.mastery_errors,
            "prerequisites": [self.network.parents(skill) for skill in self.variables],
            "items": needed,
            "items_alone": alone,
        }
        return pd.DataFrame(columns)

    def restarts_frame(self) -> pd.DataFrame:
        """Return the random starts, one per row, the best first."""
        import pandas as pd

        names = ("log_likelihood", "score", "edges", "rounds", "steps", "converged")
        rows = [[number + 1, *(getattr(one, name) for name in names)] for number, one in enumerate(self.restarts)]
        frame = pd.DataFrame(rows, columns=["restart", *names])
        return frame.sort_values("score", ascending=False, kind="stable", ignore_index=True)

    # How sure one can be of the structure.

    def scores(self) -> LatticeScores:
        """Return the local scores of all families of skills, from the expected counts of the fitted model."""
        info = self.score_info
        if info is None:
            raise InvalidData("the model does not say which score and constraints it was learned with")
        return scores_from_joint(
            self.variables,
            self.state_counts,
            info.score or "bic",
            max_parents=info.max_parents,
            required=info.required,
            forbidden=info.forbidden,
        )

    def posterior(self, **options: Any) -> Posterior:
        """Return the exact probability of every prerequisite and ancestor relation, *given the fitted item model*.

        The sum is over all structures of the skills, on the expected counts of the model. It does not include that the
        probabilities of answers, and so the skills of the students, are estimated: the bootstrap does
        (:func:`dagscape.bootstrap_skills`).

        Parameters
        ----------
        **options
            As for :func:`dagscape.posterior`.
        """
        return posterior(self.scores(), **options)

    def k_best(self, k: int = 10, **options: Any) -> BestNetworks:
        """Return the k best equivalence classes of skill structures, given the fitted item model.

        Parameters
        ----------
        k : int
            The number of classes.
        **options
            As for :func:`dagscape.k_best`.
        """
        return k_best(self.scores(), k, **options)

    # What the model says of students.

    def mastery(self, responses: Any = None) -> pd.DataFrame:
        """Return, for each student, the probability that each skill is mastered, and the most probable state.

        Parameters
        ----------
        responses : data frame, array or path, optional
            Students × items, as for :func:`dagscape.command`; items without a column count as not answered. Default:
            the students that the model was learned from.

        Returns
        -------
        pandas.DataFrame
            A column for each skill; ``state``, the mastered skills of the most probable state; and
            ``state_probability``.
        """
        return mastery_frame(self.network, self._parameters(), *self._prepared(responses))

    def states(self, responses: Any = None) -> NDArray[np.float64]:
        """Return, for each student, the probability of each of the 2^K states of the skills.

        Parameters
        ----------
        responses : data frame, array or path, optional
            As for :meth:`mastery`.

        Returns
        -------
        array of shape (students, 2^K)
            Bit k of the number of a state is set if skill k is mastered.
        """
        _, expectation = self._prepared(responses)
        return state_probabilities(expectation, self._parameters())

    def predict(self, responses: Any = None) -> pd.DataFrame:
        """Return, for each student and item, the probability of a correct answer given the student's other answers.

        Parameters
        ----------
        responses : data frame, array or path, optional
            As for :meth:`mastery`.
        """
        return prediction_frame(self._parameters(), *self._prepared(responses))

    def next_item(self, responses: Any = None) -> pd.DataFrame:
        """Return, for each student, the unanswered item whose answer tells most about the skills.

        Parameters
        ----------
        responses : data frame, array or path, optional
            As for :meth:`mastery`.

        Returns
        -------
        pandas.DataFrame
            ``item``, None if the student has answered all; ``information``, the mutual information between its answer
            and the skills given the answers so far, in bits; and ``correct``, the probability of a correct answer.
        """
        return next_item_frame(self._parameters(), *self._prepared(responses))

    def evaluate(
        self,
        responses: Any = None,
        cv: int = 10,
        *,
        seed: Seed = 0,
        chain: Sequence[str] | None = None,
        restarts: int | None = None,
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
        answers, _ = self._prepared(responses)
        info, options = self.score_info or ScoreInfo(), self.provenance.parameters
        search = StructureSearch(
            self.variables,
            "aic" if info.score == "aic" else "bic",
            str(options.get("method", "optimal")),
            info.max_parents,
            info.required,
            info.forbidden,
        )
        limits = checked_limits(**{name: options[name] for name in _LIMITS if name in options})
        return cross_validate(
            answers,
            self.q_matrix,
            search,
            limits,
            int(options.get("restarts", 10)) if restarts is None else restarts,
            folds=cv,
            chain=chain,
            refine=bool(options.get("refine", False)),
            seed=seed,
            executor=executor,
            workers=workers,
            progress=progress,
        )

    # Inside.

    def _parameters(self) -> Parameters:
        cells = ItemCells(self.q_matrix.masks)
        vector = np.concatenate([*self.item_tables, *self.skill_tables])
        return Parameters(cells, SkillTables(self.network.parent_masks), vector)

    def _prepared(self, responses: Any) -> tuple[Answers, Expectation]:
        """Return the answers to the items of the model, and the same ready for E-steps."""
        if responses is None:
            if self._answers is None:
                raise InvalidOption(
                    "are needed: a model that was read from a file has no students of its own", option="responses"
                )
            answers = self._answers
        else:
            answers = as_answers(responses, self.items, partial=True)
        return answers, Expectation(answers, ItemCells(self.q_matrix.masks), len(self.variables), 1)

    def _check(self) -> None:
        super(StudentModel, self)._check()
        check_length("item_skills", self.item_skills, "items", len(self.items))
        check_known("item_skills", [skill for skills in self.item_skills for skill in skills], self.variables)
        if not {(one.source, one.target) for one in self.orientations} <= set(self.network.edges):
            raise InvalidData("orientations has an edge that the network does not have")
        if not self.restarts:
            raise InvalidData("there are no restarts")
        q_matrix = self.q_matrix
        skills = [mask.bit_count() for mask in self.network.parent_masks]
        for name, sizes in (("skill", skills), ("item", [mask.bit_count() for mask in q_matrix.masks])):
            for kind, rows in (("tables", ()), ("counts", (2,)), ("errors", ())):
                arrays = getattr(self, f"{name}_{kind}")
                check_length(f"{name}_{kind}", arrays, f"{name}s", len(sizes))
                for place, (array, size) in enumerate(zip(arrays, sizes, strict=True)):
                    check_shape(f"{name}_{kind}[{place}]", array, (*rows, 1 << size))
        if any(((table <= 0) | (table >= 1)).any() for table in self.item_tables):
            raise InvalidData("item_tables has a probability of 0 or 1, with which some answers are impossible")
        check_shape("state_counts", self.state_counts, (1 << len(self.variables),))
        check_shape("mastery_errors", self.mastery_errors, (len(self.variables),))

    def __repr__(self) -> str:
        size = f"{plural(len(self.variables), 'skill')}, {plural(len(self.items), 'item')}"
        edges = plural(self.network.edge_count, "prerequisite")
        return f"StudentModel({size}, {edges}, log-likelihood {self.log_likelihood:.3f})"


# Options of :func:`dagscape.command` that :meth:`StudentModel.evaluate` also uses.
_LIMITS = ("tolerance", "min_gain", "max_steps", "accelerate")
