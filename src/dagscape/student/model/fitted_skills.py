"""Prerequisites of skills with the probabilities of skills and answers, as they were fitted."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.best.k_best import k_best
from dagscape.best.result import BestNetworks
from dagscape.core.errors import InvalidData
from dagscape.drawing.edges import AnnotatedGraph
from dagscape.ensembles.one_network import OneNetwork
from dagscape.networks.discrete.network import Network
from dagscape.posterior.result import Posterior
from dagscape.results.base import check_known, check_length, check_shape
from dagscape.results.decoding import Count, Finite, FiniteArray, Probabilities
from dagscape.sampling.exact_posterior import exact_posterior
from dagscape.scores.tables.joint_counts import scores_from_joint
from dagscape.scores.tables.lattice_scores import LatticeScores
from dagscape.student.input.q_matrix import QMatrix
from dagscape.student.learning.orientation import Orientation, ratio_of
from dagscape.student.model.frames import table_frame
from dagscape.student.model.network import StudentNetwork
from dagscape.student.model.parameters import ItemCells, Parameters, SkillTables
from dagscape.student.model.skill_states import mastered_share, prerequisite_strengths

if TYPE_CHECKING:
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
class FittedSkills(OneNetwork):
    """The structure of the skills, the tables of skills and items, and how sure one can be of them.

    The base class of :class:`~dagscape.StudentModel`, which describes the fields.
    """

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

    @property
    def parameter_count(self) -> int:
        """The number of probabilities."""
        return sum(len(table) for table in (*self.skill_tables, *self.item_tables))

    @property
    def bic(self) -> float:
        """The BIC of the model, whatever the score it was learned with; higher is better."""
        return self.log_likelihood - self.parameter_count * math.log(self.students) / 2

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
    def violations(self) -> float:
        """The number of prerequisites that a student is expected to lack although the skill is mastered.

        It is the sum of P(prerequisite not mastered, skill mastered) over the edges; ``orientation="global"`` chooses
        the member of the class for which it is the least.
        """
        strengths, lacking = self.strengths, 1 - self.mastery_shares
        edges = [(self.network.number(source), self.network.number(target)) for source, target in self.network.edges]
        return float(sum(lacking[source] * (1 - strengths[source, target]) for source, target in edges))

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
        """Return the random starts, one per row, the best first, as they were before the refinement of the best."""
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
        scores = scores_from_joint(
            self.variables,
            self.state_counts,
            info.score or "bic",
            max_parents=info.max_parents,
            required=info.required,
            forbidden=info.forbidden,
        )
        # What is computed from the model inherits its warnings.
        scores.info = replace(scores.info, warnings=self.warnings)
        return scores

    def posterior(self, **options: Any) -> Posterior:
        """Return the exact probability of every prerequisite and ancestor relation, *given the fitted item model*.

        The sum is over all structures of the skills, on the expected counts of the model. It does not include that the
        probabilities of answers, and so the skills of the students, are estimated: the bootstrap does
        (:func:`dagscape.bootstrap_skills`).

        Parameters
        ----------
        **options
            As for :func:`dagscape.posterior` with exact sums.
        """
        return exact_posterior(self.scores(), **options)

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

    def _parameters(self) -> Parameters:
        cells = ItemCells(self.q_matrix.masks)
        vector = np.concatenate([*self.item_tables, *self.skill_tables])
        return Parameters(cells, SkillTables(self.network.parent_masks), vector)

    def _check(self) -> None:
        super(FittedSkills, self)._check()
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
