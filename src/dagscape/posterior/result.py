"""The result of a sum over structures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, InvalidOption, argument, function
from dagscape.core.wording import plural
from dagscape.drawing.display import Drawn
from dagscape.drawing.edges import ProbableEdges
from dagscape.ensembles.edge_probabilities import NO_ANCESTORS, EdgeProbabilities, feature_frame, refuse_narrow_feature
from dagscape.posterior.setting import CUT_WEIGHTS, EQUAL, Setting, setting_shares, settings_frame
from dagscape.results.base import ScoredResult, check_shape, pair_frame, recorded_parameters
from dagscape.results.decoding import Between, NotNegative, OneOf, Probabilities

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.results.score_info import ScoreInfo


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Posterior(Drawn, EdgeProbabilities, ScoredResult):
    """Exact posterior probabilities of structural features.

    Attributes
    ----------
    over : str
        ``"dags"``: each DAG has the weight of its prior. ``"orders"``: each DAG counts once for each order of the
        variables that is consistent with it.
    edges : array of shape (n, n)
        ``[u, v]`` is P(u → v | D).
    ancestors : array of shape (n, n) or None
        ``[s, t]`` is P(s ⇝ t | D), the probability of a directed path; None for sums over orders, unless requested with
        ``ancestors``.
    paths : array of shape (n, n, n) or None
        ``[s, p, t]`` is P(s ⇝ p ⇝ t | D); None unless requested with ``via``.
    log_total : float
        The natural log of the sum of prior × likelihood over all structures, with unnormalised prior weights.
    log_prior_total : float
        The same sum without the data. Under the uniform prior, it is the log of the number of DAGs (or of pairs of an
        order and a consistent DAG).
    error : float
        The error estimate, which holds for every probability. It includes the rounding of the scores, with a proved
        bound, and the rounding of the sum. For sums over orders, where nothing cancels, the latter is also a proved
        bound. For sums over DAGs it is an estimate, from the disagreement of independent computations of the total and
        from the cancellation in it.
    prior : bool
        Whether the data were ignored, so that these are probabilities of the structure prior alone.
    compelled : array of shape (n, n) or None
        ``[u, v]`` is the probability that u → v holds in every member of the equivalence class, within constraints and
        experiments, estimated from sampled DAGs; None unless requested with ``compelled``.
    compelled_errors : array of shape (n, n) or None
        The standard errors of ``compelled`` because of the number of samples.
    compelled_samples, compelled_seed : int or None
        The number of sampled DAGs, and the seed of their random numbers.
    settings : tuple of Setting
        The settings that were averaged over, with the evidence for each; empty if there was one only. The prior of
        settings and structures together is then normalised: ``log_prior_total`` is 0.
    cut_weights : str
        If these settings have several ways of cutting numbers: whether all ways have the same weight, ``"equal"``, or
        weights by the evidence for them, ``"evidence"``.
    """

    kind: ClassVar[str] = "posterior"
    derived: ClassVar[tuple[str, ...]] = ("log_evidence", "method")

    over: Annotated[str, OneOf(("dags", "orders"))]
    log_total: float
    log_prior_total: float
    error: NotNegative
    edges: Probabilities
    ancestors: Probabilities | None
    paths: Probabilities | None
    prior: bool = False
    compelled: Probabilities | None = None
    compelled_errors: Probabilities | None = None
    compelled_samples: Annotated[int, Between(1, 2**53)] | None = None
    compelled_seed: Annotated[int, Between(0, 2**128)] | None = None
    settings: tuple[Setting, ...] = ()
    cut_weights: Annotated[str, OneOf(CUT_WEIGHTS)] = EQUAL

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild a result from a document of :meth:`to_dict`."""
        # Earlier files say only in their provenance whether the data were ignored.
        ignored = bool(recorded_parameters(document).get("prior", False))
        return super(Posterior, cls).from_dict({"prior": ignored, **document})

    def _check(self) -> None:
        super(Posterior, self)._check()
        n = len(self.variables)
        check_shape("edges", self.edges, (n, n))
        check_shape("ancestors", self.ancestors, (n, n))
        check_shape("paths", self.paths, (n, n, n))
        check_shape("compelled", self.compelled, (n, n))
        check_shape("compelled_errors", self.compelled_errors, (n, n))
        if len({self.compelled is None, self.compelled_errors is None, self.compelled_samples is None}) != 1:
            raise InvalidData("compelled, compelled_errors and compelled_samples must be given together")

    @property
    def log_evidence(self) -> float:
        """The natural log of P(D), with a normalised prior."""
        return self.log_total - self.log_prior_total

    @property
    def setting_shares(self) -> NDArray[np.float64]:
        """The weight of each of :attr:`settings`: its posterior probability, if all are equally probable before."""
        return setting_shares(self.settings, self.cut_weights) if self.settings else np.empty(0)

    @property
    def fitted_as(self) -> ScoreInfo | None:
        """What networks are fitted by: the scores, and of an average, those of the most probable setting."""
        if not self.settings or self.score_info is None:
            return self.score_info
        best = self.settings[int(np.argmax(self.setting_shares))]
        return replace(self.score_info, parameters=best.parameters)

    def settings_frame(self) -> pd.DataFrame:
        """Return the settings that were averaged over, most probable first, with their evidence and their share."""
        return settings_frame(self.settings, self.cut_weights)

    @property
    def average_line(self) -> str:
        """Over what it is averaged, in words; empty if there is one setting only."""
        if not self.settings:
            return ""
        ways = len({setting.discretize for setting in self.settings}) if self.cut_weights == EQUAL else 1
        cuts = f"{plural(ways, 'way')} of cutting with equal weights, the others " if ways > 1 else ""
        return f"averaged over {plural(len(self.settings), 'setting')}, {cuts}by the evidence for each"

    @property
    def legend_remarks(self) -> tuple[str, ...]:
        """What only the legend of a drawing says, because tables have it above the edges."""
        return (self.average_line,) if self.settings else ()

    @property
    def method(self) -> str:
        """``"exact"``, unlike that of sampled networks from chains."""
        return "exact"

    @property
    def drawable(self) -> ProbableEdges:
        """What a drawing shows: the edges that are probable enough."""
        return ProbableEdges(self.variables, self.edges, self.compelled)

    @property
    def _edge_error(self) -> float:
        return self.error

    def edge(self, parent: str, child: str) -> float:
        """Return P(parent → child | D)."""
        return float(self.edges[self._number(parent), self._number(child)])

    def ancestor(self, source: str, target: str) -> float:
        """Return P(source ⇝ target | D), the probability of a directed path."""
        if self.ancestors is None:
            raise InvalidOption(NO_ANCESTORS)
        return float(self.ancestors[self._number(source), self._number(target)])

    def via(self, source: str, middle: str, target: str) -> float:
        """Return P(source ⇝ middle ⇝ target | D), the probability of a directed path through ``middle``."""
        if self.paths is None:
            raise InvalidOption(
                f"path relations were not computed: use {function('posterior')} with {argument('via', 'all')}"
            )
        return float(self.paths[self._number(source), self._number(middle), self._number(target)])

    def to_frame(self, *, wide: bool = False, feature: str = "edges") -> pd.DataFrame:
        """Return the probabilities as a data frame.

        Parameters
        ----------
        wide : bool
            False: one row per ordered pair of variables, with the columns ``edge``, ``ancestor``, ``adjacent`` and
            ``compelled``, those that were computed; the most probable edges come first, where tables on a terminal are
            in the order of adjacencies. True: one matrix, labelled with the variables.
        feature : {"edges", "adjacencies", "ancestors", "compelled"}
            The matrix of a wide frame; only for those.

        Returns
        -------
        DataFrame
            The probabilities; in a wide frame of edges, the index has the parents and the columns have the children.
        """
        if wide:
            return feature_frame(self, feature)
        refuse_narrow_feature(feature)
        matrices = {"edge": self.edges}
        if self.ancestors is not None:
            matrices["ancestor"] = self.ancestors
        matrices["adjacent"] = self.adjacencies
        if self.compelled is not None:
            matrices["compelled"] = self.compelled
        return pair_frame(self.variables, matrices)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a JSON document, with the derived matrix ``adjacencies``."""
        return super(Posterior, self).to_dict() | {"adjacencies": self.adjacencies.tolist()}

    def __repr__(self) -> str:
        probable = int((self.edges > 0.5).sum())
        averaged = f"averaged over {plural(len(self.settings), 'setting')}, " if self.settings else ""
        return (
            f"Posterior(over {self.over}, {plural(len(self.variables), 'variable')}, {averaged}"
            f"{plural(probable, 'edge')} above 0.5, log_evidence {self.log_evidence:.4f})"
        )
