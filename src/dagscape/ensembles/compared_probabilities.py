"""Two results with probabilities of edges, pair by pair: where they differ, and by how much.

The same question asked twice, of other rows, under other settings or by another method, has two answers. The largest
difference says whether any conclusion changes, and the mean whether most do; pairs on different sides of ½ are edges
that one result has and the other lacks. A mean over all pairs is small in sparse networks, because most pairs are
near 0 in both.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Protocol, cast, overload, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import check_choice
from dagscape.core.errors import InvalidOption, function, type_of
from dagscape.core.version import __version__
from dagscape.core.wording import plural, visible
from dagscape.ensembles.edge_probabilities import MATRICES, NO_ANCESTORS, NO_COMPELLED
from dagscape.graphs import comparison as structures
from dagscape.graphs.comparison import Comparison, HasDag, check_same_variables
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.results.base import Provenance, Result, check_shape
from dagscape.results.decoding import OneOf, Probabilities

if TYPE_CHECKING:
    import pandas as pd

# Both directions of a pair have the same probability.
_SYMMETRIC = "adjacencies"

_HALF = 0.5


@runtime_checkable
class HasEdges(Protocol):
    """A result with the probability of every edge."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""

    @property
    def edges(self) -> Any:
        """``[u, v]`` is the probability of u → v."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ProbabilityComparison(Result):
    """The differences between two results with probabilities of edges.

    Attributes
    ----------
    feature : {"adjacencies", "edges", "ancestors", "compelled"}
        What has the probabilities: edges in either direction, directed edges, directed paths, or edges that point the
        same way in every member of the class.
    first, second : ndarray
        The probabilities of the two results, with the variables in the order of the first.
    mean_difference, largest_difference : float
        Over all pairs of variables, of the absolute difference.
    """

    kind: ClassVar[str] = "probability-comparison"
    derived: ClassVar[tuple[str, ...]] = ("mean_difference", "largest_difference", "changed")

    feature: Annotated[str, OneOf(tuple(MATRICES))]
    first: Probabilities
    second: Probabilities

    def _check(self) -> None:
        super(ProbabilityComparison, self)._check()
        for name in ("first", "second"):
            check_shape(name, getattr(self, name), (len(self.variables),) * 2)

    @property
    def mean_difference(self) -> float:
        """The mean of the absolute differences over all pairs."""
        found = self._differences()
        return float(found.mean()) if found.size else 0.0

    @property
    def largest_difference(self) -> float:
        """The largest of the absolute differences."""
        return float(self._differences().max(initial=0.0))

    @property
    def changed(self) -> tuple[tuple[str, str], ...]:
        """The pairs whose probability is above ½ in one result, and not in the other."""
        sides = (self.first > _HALF) != (self.second > _HALF)
        return tuple((self.variables[u], self.variables[v]) for u, v in zip(*self._pairs(), strict=True) if sides[u, v])

    def _pairs(self) -> tuple[list[int], list[int]]:
        n = len(self.variables)
        places = np.triu_indices(n, 1) if self.feature == _SYMMETRIC else np.nonzero(~np.eye(n, dtype=np.bool_))
        return places[0].tolist(), places[1].tolist()

    def _differences(self) -> NDArray[np.float64]:
        return np.abs(self.first - self.second)[self._pairs()]

    def to_frame(self) -> pd.DataFrame:
        """Return one row for each pair, the largest difference first; ties are in the order of the variables."""
        import pandas as pd

        above, below = self._pairs()
        names = np.array(self.variables, dtype=object)
        first, second = self.first[above, below], self.second[above, below]
        frame = pd.DataFrame(
            {
                "source": names[above],
                "target": names[below],
                "first": first,
                "second": second,
                "difference": second - first,
            }
        )
        order = np.argsort(-np.abs(second - first), kind="stable")
        return frame.iloc[order].reset_index(drop=True)

    def __repr__(self) -> str:
        sides = f"{plural(len(self.changed), 'pair')} on different sides of 1/2"
        differences = f"mean difference {self.mean_difference:.4f}, largest {self.largest_difference:.4f}"
        return visible(
            f"ProbabilityComparison({self.feature} of {len(self.variables)} variables: {differences}, {sides})"
        )


def compare_probabilities(first: HasEdges, second: HasEdges, *, feature: str = "adjacencies") -> ProbabilityComparison:
    """Compare the probabilities of two results: which pairs differ, and by how much.

    Parameters
    ----------
    first, second : result
        Results with probabilities of edges on the same variables, in any order: posteriors, sampled networks,
        bootstraps or lists of networks.
    feature : {"adjacencies", "edges", "ancestors", "compelled"}
        What to compare: edges in either direction, directed edges, directed paths, or compelled edges. The direction of
        an edge says little by itself, so that adjacencies are the default.

    Returns
    -------
    ProbabilityComparison

    See Also
    --------
    edge_accuracy : probabilities against a known network.

    Examples
    --------
    >>> import dagscape as ds
    >>> data = ds.load_dataset("iris")
    >>> one, ten = (ds.posterior(ds.local_scores(data, ess=ess)) for ess in (1, 10))
    >>> found = ds.compare_probabilities(one, ten)
    >>> round(found.mean_difference, 4), round(found.largest_difference, 4), found.changed[0]
    (0.2847, 0.97, ('sepal_length', 'sepal_width'))
    >>> found.to_frame().head(1)[["source", "target"]].values.tolist()
    [['petal_length', 'petal_width']]
    """
    check_choice(feature, MATRICES, "feature")
    for result in (first, second):
        if not has_probabilities(result):
            raise InvalidOption(
                f"{type_of(result)} has no probabilities of edges: give results of {function('posterior')}, "
                f"{function('sample_dags')}, {function('chain')} or {function('bootstrap')}"
            )
    check_same_variables(first.variables, second.variables, "results")
    one, other = (_matrix(result, feature) for result in (first, second))
    place = {name: number for number, name in enumerate(second.variables)}
    order = [place[name] for name in first.variables]
    return ProbabilityComparison(
        variables=first.variables,
        provenance=Provenance(__version__, "compare_probabilities", {"feature": feature}),
        feature=feature,
        first=one,
        second=other[np.ix_(order, order)],
    )


@overload
def compare(found: Dag | Cpdag | HasDag, truth: Dag | Cpdag | HasDag, level: str = "classes") -> Comparison: ...
@overload
def compare(found: HasEdges, truth: HasEdges) -> ProbabilityComparison: ...


def compare(found: Any, truth: Any, level: str = "classes") -> Comparison | ProbabilityComparison:
    """Compare a structure with another, such as a learned one with the true one; or two posteriors.

    Parameters
    ----------
    found, truth : Dag, Cpdag or Network
        Two structures on the same variables, in any order; or two results with probabilities of edges, such as
        posteriors, which :func:`dagscape.compare_probabilities` compares.
    level : {"classes", "dags"}
        What to compare of structures: equivalence classes, so that differences which no observation can reveal do not
        count, or DAGs as they are, with the direction of every edge. Use ``"dags"`` if directions are known, such as
        from experiments.

    Returns
    -------
    Comparison or ProbabilityComparison

    Examples
    --------
    >>> import dagscape as ds
    >>> truth = ds.Dag.from_edges("abc", [("a", "c"), ("b", "c")])
    >>> found = ds.Dag.from_edges("abc", [("a", "b"), ("b", "c")])
    >>> result = ds.compare(found, truth)
    >>> result["shd"], result["a_plus"], result["a_minus"], result["vs_minus"]
    (3, 1, 1, 1)
    >>> result = ds.compare(found, truth, level="dags")
    >>> result["shd"], result["reversed"], result["recall_orientation"]
    (2, 0, 0.5)
    >>> posteriors = [ds.posterior(ds.local_scores(ds.load_dataset("iris"), ess=ess)) for ess in (1, 10)]
    >>> len(ds.compare(*posteriors).changed)
    3
    """
    have = [has_probabilities(graph) for graph in (found, truth)]
    if all(have):
        return compare_probabilities(found, truth)
    if any(have):
        result, other = (found, truth) if have[0] else (truth, found)
        if isinstance(other, Dag | Cpdag | HasDag):
            raise InvalidOption(
                f"{type_of(result)} has probabilities of edges, and {type_of(other)} one structure: compare them with "
                f"{function('edge_accuracy')}, or the structure with one of consensus() or networks"
            )
    return structures.compare(found, truth, level)


def has_probabilities(result: object) -> bool:
    """Whether an object has a matrix of probabilities of edges, and is not a single structure."""
    if isinstance(result, Dag | Cpdag | HasDag) or not isinstance(result, Result):
        return False
    return np.ndim(getattr(result, "edges", 0.0)) == 2


def _matrix(result: HasEdges, feature: str) -> NDArray[np.float64]:
    matrix = getattr(result, feature, None)
    if matrix is None:
        why = NO_COMPELLED if feature == "compelled" else NO_ANCESTORS
        raise InvalidOption(f"is {feature!r}, but {why}", option="feature")
    return cast("NDArray[np.float64]", np.asarray(matrix))
