"""Averages of one feature over a list of networks, as a list of probabilities.

The features are directed edges, adjacencies, ancestor relations, Markov blankets and v-structures. Each network of a
list has its posterior weight (:mod:`dagscape.ensembles.averaging`); samples, and networks from resampled rows, have all
the same. Averages of samples have Monte Carlo errors.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np

from dagscape.core.checks import check_choice
from dagscape.core.errors import InvalidData, InvalidOption, type_of
from dagscape.core.estimates import Probability
from dagscape.core.version import __version__
from dagscape.core.wording import plural, visible
from dagscape.ensembles.averaging import WEIGHTS
from dagscape.ensembles.sampled_networks import SampledNetworks
from dagscape.results.base import Provenance, Result, check_known, check_shape
from dagscape.results.decoding import OneOf, Probabilities

if TYPE_CHECKING:
    import pandas as pd

# Each feature with the names of its columns; where the variables can be exchanged, it is listed once.
LIST_FEATURES: dict[str, tuple[str, ...]] = {
    "edges": ("parent", "child"),
    "adjacencies": ("variable", "neighbour"),
    "ancestors": ("ancestor", "descendant"),
    "blankets": ("variable", "in_blanket_of"),
    "v-structures": ("first", "child", "second"),
}
_SYMMETRIC = ("adjacencies", "blankets")
_SAMPLED_ENTRIES: dict[str, Callable[[SampledNetworks, str, str], Probability]] = {
    "edges": SampledNetworks.edge,
    "adjacencies": SampledNetworks.adjacent,
    "ancestors": SampledNetworks.ancestor,
    "blankets": SampledNetworks.in_blanket,
}


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class FeatureAverages(Result):
    """The probabilities of one feature, averaged over a list of networks, highest first.

    Attributes
    ----------
    feature : str
        ``"edges"``, ``"adjacencies"``, ``"ancestors"``, ``"blankets"`` or ``"v-structures"``.
    weights : str
        Whether a class counts for each of its ``"dags"``, or once (``"classes"``).
    entries : tuple of tuple of str
        The variables of each: two, or the three of a v-structure (first, child, second).
    probabilities : array of float
        Their probabilities, which are above 0.
    errors : array of float or None
        Their Monte Carlo errors; None for lists that are not samples.
    """

    kind: ClassVar[str] = "feature-averages"

    feature: Annotated[str, OneOf(tuple(LIST_FEATURES))]
    weights: Annotated[str, OneOf(WEIGHTS)]
    entries: tuple[tuple[str, ...], ...]
    probabilities: Probabilities
    errors: Probabilities | None = None

    def to_frame(self) -> pd.DataFrame:
        """Return one entry per row: its variables, its probability, and of samples the error of that."""
        import pandas as pd

        names = LIST_FEATURES[self.feature]
        columns: dict[str, Any] = {name: [entry[i] for entry in self.entries] for i, name in enumerate(names)}
        columns["probability"] = self.probabilities
        return pd.DataFrame(columns if self.errors is None else columns | {"error": self.errors})

    def _check(self) -> None:
        super(FeatureAverages, self)._check()
        check_known("entries", itertools.chain.from_iterable(self.entries), self.variables)
        length = len(LIST_FEATURES[self.feature])
        if self.probabilities.shape != (len(self.entries),) or any(len(entry) != length for entry in self.entries):
            raise InvalidData(f"entries must be lists of {length} variables, each with a probability")
        check_shape("errors", self.errors, self.probabilities.shape)

    def __repr__(self) -> str:
        first = "" if not len(self.entries) else f", highest {self.probabilities[0]:.4f}: {' '.join(self.entries[0])}"
        return visible(f"FeatureAverages({plural(len(self.entries), 'entry', 'entries')} of {self.feature}{first})")


def feature_averages(networks: Any, feature: str = "edges", weights: str = "dags") -> FeatureAverages:
    """Return the probabilities of one feature, averaged over a list of networks, highest first.

    Parameters
    ----------
    networks : BestNetworks, Modes, SampledNetworks or Bootstrap
        The list.
    feature : {"edges", "adjacencies", "ancestors", "blankets", "v-structures"}
        Directed edges, edges in either direction, directed paths, Markov blankets, or v-structures.
    weights : {"dags", "classes"}
        Whether an equivalence class in the list counts for each of its DAGs, or once. It matters only in lists of
        classes; samples of networks, and networks from resampled rows, all count alike.

    Returns
    -------
    FeatureAverages
        All entries with a probability above 0.

    Examples
    --------
    >>> import dagscape as ds
    >>> best = ds.k_best(ds.local_scores(ds.load_network("asia").sample(500, seed=1)), k=50)
    >>> found = ds.feature_averages(best, "v-structures")
    >>> found.entries[0], float(found.probabilities[0].round(4))
    (('tub', 'either', 'lung'), 0.74)
    """
    check_choice(feature, LIST_FEATURES, "feature")
    check_choice(weights, WEIGHTS, "weights")
    if not hasattr(networks, "v_structure_probabilities"):
        raise InvalidOption(
            f"is {type_of(networks)}; it must be a list of networks: the result of k_best(), modes(), "
            "sample_dags() or bootstrap()",
            option="networks",
        )
    if weights == "classes" and not hasattr(networks, "weights"):
        raise InvalidOption("is 'classes', but these networks all count alike: leave it out", "weights")
    # Samples, and networks from resampled rows, have no other weights.
    chosen = (weights,) if hasattr(networks, "weights") else ()
    listed = _v_structures if feature == "v-structures" else _pairs(feature)
    # What rounding puts above 1 ties with 1.
    found = sorted(listed(networks, chosen), key=lambda each: -min(each[1], 1.0))
    # Averages of samples have errors, those of other lists are plain numbers.
    errors = [each.error for _, each in found if isinstance(each, Probability)]
    return FeatureAverages(
        variables=networks.variables,
        provenance=Provenance(__version__, "feature_averages", {"feature": feature, "weights": weights}),
        warnings=networks.warnings,
        feature=feature,
        weights=weights,
        entries=tuple(entry for entry, _ in found),
        probabilities=np.array([min(float(probability), 1.0) for _, probability in found], dtype=np.float64),
        errors=np.array(errors, dtype=np.float64) if isinstance(networks, SampledNetworks) else None,
    )


_Listed = list[tuple[tuple[str, ...], float]]


def _v_structures(networks: Any, weights: tuple[str, ...]) -> _Listed:
    return list(networks.v_structure_probabilities(*weights).items())


def _pairs(feature: str) -> Callable[[Any, tuple[str, ...]], _Listed]:
    def listed(networks: Any, weights: tuple[str, ...]) -> _Listed:
        names = networks.variables
        choose = itertools.combinations if feature in _SYMMETRIC else itertools.permutations
        matrix, pairs = _matrix(networks, feature, weights), choose(range(len(names)), 2)
        found: _Listed = [((names[u], names[v]), float(matrix[u, v])) for u, v in pairs if matrix[u, v] > 0]
        if not isinstance(networks, SampledNetworks):
            return found
        entry = _SAMPLED_ENTRIES[feature]
        return [((u, v), entry(networks, u, v)) for (u, v), _ in found]

    return listed


def _matrix(networks: Any, feature: str, weights: tuple[str, ...]) -> Any:
    if feature == "blankets":
        return networks.blanket_probabilities(*weights)
    if not weights:
        return getattr(networks, feature)
    if feature == "ancestors":
        return networks.ancestor_probabilities(*weights)
    edges = networks.edge_probabilities(*weights)
    return np.minimum(edges + edges.T, 1.0) if feature == "adjacencies" else edges
