"""The result of :func:`dagscape.command`: prerequisites of skills, and a model of students."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagscape.best.k_best import k_best
from dagscape.best.result import BestNetworks
from dagscape.checks import check_count, is_whole
from dagscape.decoding import Count, Finite, FiniteArray, Probabilities
from dagscape.drawing.edges import AnnotatedGraph
from dagscape.ensembles.one_network import OneNetwork
from dagscape.errors import InvalidData, InvalidOption
from dagscape.methods import provenance_of
from dagscape.networks.network import Network
from dagscape.posterior.result import Posterior
from dagscape.posterior.summing import posterior
from dagscape.progress import ProgressOption
from dagscape.randomness import Seed, random_generator
from dagscape.results import Provenance, check_known, check_length, check_shape
from dagscape.score_info import ScoreInfo
from dagscape.scores.constraints import edge_constraints
from dagscape.scores.joint_counts import scores_from_joint
from dagscape.scores.lattice_scores import LatticeScores
from dagscape.student.answers import Answers, as_answers
from dagscape.student.e_step import Expectation
from dagscape.student.evaluation import (
    MODELS,
    Evaluation,
    FoldJob,
    chain_of,
    evaluate_models,
    random_folds,
)
from dagscape.student.inference import (
    expected_information,
    mastery_probabilities,
    most_probable_states,
    predicted_answers,
    state_probabilities,
)
from dagscape.student.orientation import Orientation, orient
from dagscape.student.parameters import ItemCells, Parameters, SkillTables
from dagscape.student.q_matrix import QMatrix
from dagscape.student.skill_states import mastered_share, parts
from dagscape.student.standard_errors import standard_errors
from dagscape.student.structural_em import Found, StructureSearch, checked_limits
from dagscape.student.student_network import StudentNetwork
from dagscape.wording import plural

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
            tables[skill] = _table_frame(self.network.parents(skill), "mastered", table, counts, errors)
        for item, skills, table, counts, errors in zip(
            self.items, self.item_skills, self.item_tables, self.item_counts, self.item_errors, strict=True
        ):
            tables[item] = _table_frame(skills, "correct", table, counts, errors)
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
        return _strengths(self._parameters().prior(), len(self.variables))

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
        """Return the prerequisites, one per row: strength, and what decided the direction.

        ``direction`` is ``"class"`` if all members of the equivalence class have the edge; otherwise it is the reason
        of its entry in ``orientations``, which also has the ``ratio``.
        """
        import pandas as pd

        strengths, number = self.strengths, self.network.number
        found = {(one.source, one.target): one for one in self.orientations}
        rows = []
        for source, target in self.network.edges:
            one = found.get((source, target))
            how, ratio = ("class", None) if one is None else (one.reason, one.ratio)
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
        import pandas as pd

        answers, expectation = self._prepared(responses)
        parameters = self._parameters()
        block = max(1, _STATES_AT_ONCE >> len(self.variables))
        states, highest = most_probable_states(expectation, parameters, block)
        frame = pd.DataFrame(
            mastery_probabilities(expectation, parameters),
            index=pd.Index(answers.students, name="student"),
            columns=list(self.variables),
        )
        names = [self.network.names(int(state)) for state in states]
        # Skills may have any name, also these.
        frame.insert(len(frame.columns), "state", names, allow_duplicates=True)
        frame.insert(len(frame.columns), "state_probability", highest, allow_duplicates=True)
        return frame

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
        import pandas as pd

        answers, expectation = self._prepared(responses)
        predicted = predicted_answers(expectation, self._parameters(), answers)
        return pd.DataFrame(predicted, index=pd.Index(answers.students, name="student"), columns=list(self.items))

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
        import pandas as pd

        answers, expectation = self._prepared(responses)
        parameters = self._parameters()
        open_items = answers.table < 0
        information = np.where(open_items, expected_information(expectation, parameters), -1.0)
        chosen = information.argmax(axis=1)
        rows = np.arange(len(chosen))
        left = np.asarray(open_items.any(axis=1))
        correct = predicted_answers(expectation, parameters, answers)[rows, chosen]
        columns = {
            "item": [self.items[item] if some else None for item, some in zip(chosen, left, strict=True)],
            "information": np.where(left, information[rows, chosen] / np.log(2), np.nan),
            "correct": np.where(left, correct, np.nan),
        }
        return pd.DataFrame(columns, index=pd.Index(answers.students, name="student"))

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
        if not is_whole(cv, at_least=2) or cv > len(answers.students):
            limits = f"from 2 to {len(answers.students):,}, the number of students"
            raise InvalidOption(f"is {cv!r}; it must be an integer {limits}", option="cv")
        starts = int(options.get("restarts", 10)) if restarts is None else restarts
        check_count(starts, "restarts")
        search = StructureSearch(
            self.variables,
            "aic" if info.score == "aic" else "bic",
            str(options.get("method", "optimal")),
            info.max_parents,
            info.required,
            info.forbidden,
        )
        rng = random_generator(seed)
        folds = random_folds(len(answers.students), int(cv), rng)
        limits_of_em = checked_limits(**{name: options[name] for name in _LIMITS if name in options})
        job = FoldJob(answers, self.q_matrix, folds, search, limits_of_em, int(starts), chain_of(self.variables, chain))
        outcomes, seconds = evaluate_models(job, int(cv), rng, executor=executor, workers=workers, progress=progress)
        parameters = {
            "cv": int(cv),
            "restarts": int(starts),
            "chain": list(chain or self.variables),
            "model": dict(options),
        }
        used = int(seed) if isinstance(seed, int | np.integer) else None
        return Evaluation(
            variables=self.variables,
            provenance=provenance_of("evaluate", parameters, {"folds": seconds}, 1, used),
            models=MODELS,
            areas=np.array([outcome.areas for outcome in outcomes]),
            edges=np.array([outcome.edges for outcome in outcomes], dtype=np.float64),
            students=len(answers.students),
            answers=sum(outcome.answers for outcome in outcomes),
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

# Probabilities of states that :meth:`StudentModel.mastery` has in memory at the same time.
_STATES_AT_ONCE = 1 << 22


def student_model(
    answers: Answers,
    q_matrix: QMatrix,
    search: StructureSearch,
    expectation: Expectation,
    found: Sequence[Found],
    provenance: Provenance,
) -> StudentModel:
    """Return the model of the best restart, with its reversible edges directed."""
    best = max(found, key=lambda one: one.score)
    fitted, skills = best.fitted, len(search.skills)
    prior = fitted.parameters.prior()
    scores = search.scores(fitted.expected.states)
    most = skills - 1 if search.max_parents is None else search.max_parents
    constraints = edge_constraints(search.skills, most, search.required, search.forbidden, search.tiers)
    dag, orientations = orient(best.dag.to_cpdag(), 1 - mastered_share(skills, prior), constraints)
    tables = SkillTables(dag.parent_masks)
    # Members of a class represent the same distributions, so this changes the tables only.
    parameters = fitted.parameters.with_structure(tables, prior)
    patterns, weights, _ = answers.patterns()
    errors = standard_errors(expectation, parameters, patterns, weights)
    cells = parameters.cells
    item_parts = [cells.of(item) for item in range(len(q_matrix.items))]
    item_errors, skill_errors = np.split(errors.parameters, [cells.count])
    return StudentModel(
        variables=search.skills,
        provenance=provenance,
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
        _answers=answers,
    )


def _restart(found: Found) -> Restart:
    fitted = found.fitted
    return Restart(
        fitted.log_likelihood, found.score, found.dag.edge_count, found.rounds, found.steps, fitted.converged
    )


def _strengths(prior: NDArray[np.float64], skills: int) -> NDArray[np.float64]:
    """Return P(j not mastered | i not mastered) for all pairs of skills."""
    lacking = np.stack([parts(skills, 1 << skill) == 0 for skill in range(skills)]).astype(np.float64)
    both = (lacking * prior) @ lacking.T
    alone = np.diagonal(both)[:, None]
    return np.clip(np.divide(both, alone, out=np.zeros_like(both), where=alone > 0), 0.0, 1.0)


def _table_frame(
    parents: Sequence[str],
    what: str,
    table: NDArray[np.float64],
    counts: NDArray[np.float64],
    errors: NDArray[np.float64],
) -> pd.DataFrame:
    """Return a table as a frame: the states of the parents, the probability, and what is behind it."""
    import pandas as pd

    states = np.arange(len(table))
    frame = pd.DataFrame({name: states >> place & 1 for place, name in enumerate(parents)}, index=states)
    for name, column in ((f"P({what})", table), ("students", counts.sum(axis=0)), ("error", errors)):
        frame.insert(len(frame.columns), name, column, allow_duplicates=True)
    return frame
