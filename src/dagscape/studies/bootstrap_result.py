"""The networks learned from resampled rows, and how often each edge is in them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData
from dagscape.core.wording import plural, visible
from dagscape.drawing.display import Drawn
from dagscape.drawing.edges import SHARE_OF_SAMPLES, ProbableEdges
from dagscape.ensembles import averaging
from dagscape.ensembles.agreement import agreement_frame, set_counts
from dagscape.ensembles.edge_probabilities import EdgeProbabilities, feature_frame, refuse_narrow_feature
from dagscape.ensembles.listed_networks import decoded_networks, packed_networks
from dagscape.graphs.dag import Dag
from dagscape.graphs.directions import MemberLimits, limited_classes
from dagscape.graphs.lists import DagList
from dagscape.graphs.validation import check_graph_memory
from dagscape.graphs.words import Words
from dagscape.results.base import ScoredResult, check_length, check_shape, pair_frame
from dagscape.results.decoding import Count, FiniteArray, Probabilities, decode
from dagscape.scores.equivalence import distinguishes_members

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Bootstrap(Drawn, EdgeProbabilities, ScoredResult):
    """The share of bootstrap samples whose network has an edge, or an ancestor relation.

    Data cannot tell the members of an equivalence class apart, and which of them a method returns is arbitrary. Each
    network therefore counts as its whole class: if a third of the members have an edge, the network counts a third.
    Where the scores distinguish members (``level`` is ``"dags"``), it counts as it is.

    Attributes
    ----------
    method : str
        The method that learned the networks.
    samples : int
        The number of samples requested; there may be fewer networks if the time limit ended the study, or samples
        were left out.
    networks : sequence of Dag
        The network learned from each sample.
    scores : array of float
        Their scores, each on its own sample.
    edges : array of shape (n, n)
        ``[u, v]`` is the share of samples with u → v.
    ancestors : array of shape (n, n)
        ``[s, t]`` is the share of samples with a directed path from s to t.
    left_out : int
        The number of samples that were left out, because measured variables are constant or linearly dependent in
        them, so that the score has no value. Shares are those of the other samples.
    chooses_members : bool
        Whether the method chooses among the members of a class by a rule of its own, as :func:`dagscape.command` does.
    """

    kind: ClassVar[str] = "bootstrap"

    method: str
    samples: Count
    networks: DagList
    scores: FiniteArray
    edges: Probabilities
    ancestors: Probabilities
    chooses_members: bool = False
    left_out: Count = 0

    def __len__(self) -> int:
        return len(self.networks)

    @property
    def complete(self) -> bool:
        """Whether all samples requested were drawn; false if the time limit ended the study."""
        return len(self) + self.left_out == self.samples

    @property
    def level(self) -> str:
        """What a network counts as: ``"classes"``, its equivalence class, or ``"dags"``, itself.

        It is the latter if the scores are not score-equivalent, if rows come from experiments, or if edges are required
        or forbidden, or if the method chooses members by a rule.
        """
        return "dags" if self.chooses_members or distinguishes_members(self.score_info) else "classes"

    @property
    def compelled(self) -> NDArray[np.float64]:
        """``[u, v]`` is the share of networks for which u → v holds in every member of the class.

        Members that violate constraints on edges, or that experiments tell apart, do not count
        (:class:`~dagscape.graphs.directions.MemberLimits`).
        """
        return set_counts(self._classes[0]) / len(self)

    @property
    def reversible(self) -> NDArray[np.float64]:
        """``[u, v]`` is the share of networks of whose class some members have u → v and others v → u. Symmetric."""
        return set_counts(self._classes[1]) / len(self)

    @property
    def _classes(self) -> tuple[Words, Words]:
        return limited_classes(self.networks.parents, MemberLimits.of_scores(self.variables, self.score_info))

    @property
    def edge_errors(self) -> NDArray[np.float64]:
        """The standard errors of ``edges`` because of the number of samples, √(p (1 - p) / samples) or less."""
        return _standard_errors(self.edges, len(self))

    @property
    def ancestor_errors(self) -> NDArray[np.float64]:
        """The standard errors of ``ancestors``, as those of :attr:`edge_errors`."""
        return _standard_errors(self.ancestors, len(self))

    @property
    def drawable(self) -> ProbableEdges:
        """What a drawing shows: the edges that enough samples have."""
        if self.chooses_members:
            return ProbableEdges(
                self.variables,
                self.edges,
                caution="chosen by a rule of the method within a class",
                measure=SHARE_OF_SAMPLES,
            )
        return ProbableEdges(self.variables, self.edges, self.compelled, measure=SHARE_OF_SAMPLES)

    def edge(self, parent: str, child: str) -> float:
        """Return the share of samples with parent → child."""
        return float(self.edges[self._number(parent), self._number(child)])

    def ancestor(self, source: str, target: str) -> float:
        """Return the share of samples with a directed path from source to target."""
        return float(self.ancestors[self._number(source), self._number(target)])

    def average(self, function: Callable[[Dag], Any], *, invariant: bool = False) -> Any:
        """Return the average of a function of a DAG over the networks.

        Parameters
        ----------
        function : callable
            Takes a :class:`~dagscape.Dag`; returns a number, a bool or an array.
        invariant : bool
            Whether the function has the same value for all members of a class; it is then called for one of them only.

        Examples
        --------
        >>> import dagscape as ds
        >>> boot = ds.bootstrap(ds.load_dataset("iris"), samples=20)
        >>> round(boot.average(lambda dag: dag.edge_count, invariant=True), 2)
        4.4
        """
        members = self.level == "classes" and not invariant
        return averaging.function_average(self.networks, self._shares, function, members=members)

    def blanket_probabilities(self) -> NDArray[np.float64]:
        """Return the share ``[u, v]`` of samples in which u is in the Markov blanket of v."""
        return np.minimum(averaging.blanket_average(self.networks, self._shares), 1.0)

    def v_structure_probabilities(self) -> dict[tuple[str, str, str], float]:
        """Return the share of samples with each v-structure (a, child, b), highest first."""
        return averaging.v_structure_average(self.networks, self._shares)

    def agreement(self, level: str | None = None) -> pd.DataFrame:
        """Return how many networks have an edge between each pair of variables, and in which direction.

        Parameters
        ----------
        level : {"classes", "dags"}, optional
            Whose edges to count: those of the CPDAGs or of the DAGs. Default: ``self.level``.

        Returns
        -------
        DataFrame
            As from :meth:`dagscape.BestNetworks.agreement`.
        """
        return agreement_frame(self.networks, self.level if level is None else level)

    def to_frame(self, *, wide: bool = False, feature: str = "edges") -> pd.DataFrame:
        """Return the shares of samples as a data frame.

        Parameters
        ----------
        wide : bool
            False: one row per ordered pair of variables, with the columns ``edge``, ``ancestor``, ``adjacent``,
            ``compelled`` and ``reversible`` (shares of classes) and ``error`` (the standard error of ``edge``); the
            surest edges come first. True: one matrix, labelled with the variables.
        feature : {"edges", "adjacencies", "ancestors", "compelled"}
            The matrix of a wide frame; only for those.
        """
        if wide:
            return feature_frame(self, feature)
        refuse_narrow_feature(feature)
        matrices = {"edge": self.edges, "ancestor": self.ancestors, "adjacent": self.adjacencies}
        more = {"compelled": self.compelled, "reversible": self.reversible, "error": self.edge_errors}
        return pair_frame(self.variables, matrices | more)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a JSON document, with what its networks agree on."""
        derived = {name: getattr(self, name).tolist() for name in ("adjacencies", "compelled", "reversible")}
        own = {"level": self.level, "complete": self.complete}
        return super(Bootstrap, self).to_dict() | own | derived

    def _document(self) -> dict[str, Any]:
        return super(Bootstrap, self)._document() | {"networks": packed_networks(self.networks)}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild a result from a document of :meth:`to_dict`."""
        names = decode(tuple[str, ...], document.get("variables"), "variables")
        check_graph_memory(len(names))
        networks = decoded_networks(names, document.get("networks"))
        return super(Bootstrap, cls).from_dict({**document, "networks": networks})

    def _check(self) -> None:
        super(Bootstrap, self)._check()
        n = len(self.variables)
        check_shape("edges", self.edges, (n, n))
        check_shape("ancestors", self.ancestors, (n, n))
        if self.scores.ndim != 1:
            raise InvalidData("scores is not a list of numbers")
        check_length("scores", self.scores.tolist(), "networks", len(self.networks))
        if not 1 <= len(self.networks) <= self.samples:
            raise InvalidData(f"there are {len(self.networks):,} networks of {plural(self.samples, 'sample')}")
        if len(self.networks) + self.left_out > self.samples:
            raise InvalidData(f"left_out is {self.left_out:,}; all samples but {len(self.networks):,} are fewer")

    @property
    def _shares(self) -> NDArray[np.float64]:
        return np.full(len(self), 1 / len(self))

    def __repr__(self) -> str:
        sure = int((self.edges > 0.5).sum())
        done = "" if len(self) == self.samples else f"{len(self)} of "
        return visible(
            f"Bootstrap({self.method}, {plural(len(self.variables), 'variable')}, "
            f"{done}{plural(self.samples, 'sample')}, {plural(sure, 'edge')} above 0.5)"
        )


def _standard_errors(shares: NDArray[np.float64], samples: int) -> NDArray[np.float64]:
    errors: NDArray[np.float64] = np.sqrt(shares * (1 - shares) / samples)
    return errors
