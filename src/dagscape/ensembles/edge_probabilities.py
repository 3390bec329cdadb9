"""What every result with edge probabilities offers: adjacency, labelled matrices, the consensus network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import NDArray

from dagscape.core.caveats import issue
from dagscape.core.checks import check_choice
from dagscape.core.errors import InvalidOption, StoppedEarly, argument
from dagscape.graphs.consensus import LARGEST_EXACT, consensus_dag
from dagscape.graphs.dag import Dag
from dagscape.results.base import matrix_frame

if TYPE_CHECKING:
    import pandas as pd

# The features of pairs of variables, with the names of the two axes of their matrices.
FEATURES = {
    "edges": ("parent", "child"),
    "adjacencies": ("variable", "neighbour"),
    "ancestors": ("ancestor", "descendant"),
}

# Those of which results have matrices. A known structure has compelled edges only with the knowledge about experiments
# and constraints, so that they are not compared with one.
MATRICES = {**FEATURES, "compelled": ("parent", "child")}

# Why a result lacks ancestor relations, or compelled edges.
NO_ANCESTORS = f"sums over orders have ancestor relations only if asked for: use {argument('ancestors', True)}"

NO_COMPELLED = f"compelled edges were not computed: use {argument('compelled', True)}"

# A generous bound on the rounding of sums of weights that add up to 1.
_AVERAGE_ERROR = 1e-12


class HasEdgeProbabilities(Protocol):
    """A result with the probability of every edge."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""

    @property
    def edges(self) -> NDArray[np.float64]:
        """``[u, v]`` is the probability of u → v."""

    @property
    def adjacencies(self) -> NDArray[np.float64]:
        """``[u, v]`` is the probability of an edge between u and v."""

    @property
    def _edge_error(self) -> float: ...

    def _number(self, variable: str) -> int: ...


class EdgeProbabilities:
    """A mixin for results that have ``edges`` and ``ancestors``."""

    __slots__ = ()

    @property
    def _edge_error(self) -> float:
        """How far the probabilities may be off: here the rounding of an average."""
        return _AVERAGE_ERROR

    @property
    def adjacencies(self: HasEdgeProbabilities) -> NDArray[np.float64]:
        """``[u, v]`` is the probability of an edge between u and v: P(u → v) + P(v → u). Symmetric."""
        # Rounding may lift a sum of complementary probabilities a little above 1.
        return np.minimum(self.edges + self.edges.T, 1.0)

    def adjacency(self: HasEdgeProbabilities, first: str, second: str) -> float:
        """Return the probability of an edge between two variables, in either direction."""
        return float(self.adjacencies[self._number(first), self._number(second)])

    def consensus(self: HasEdgeProbabilities) -> Dag:
        """Return the DAG that maximises the sum of P(u → v) - ½ over its edges.

        Of all DAGs it has the smallest expected number of wrong edges. It has all edges above ½, except where those
        form cycles; an excess over ½ that is within the error of the probabilities does not count. It is exact, unless
        the cycles join more than 20 variables: then a warning, :class:`~dagscape.StoppedEarly`, says that a local
        search found the DAG. Ties go to the earlier variables.

        Returns
        -------
        Dag
            The consensus network.

        Examples
        --------
        >>> import dagscape as ds
        >>> post = ds.posterior(ds.local_scores(ds.load_network("asia").sample(500, seed=1)))
        >>> post.consensus().parents("either")
        ('tub', 'lung')
        """
        dag, exact = consensus_dag(self.variables, self.edges, self._edge_error)
        if not exact:
            issue(
                StoppedEarly(
                    f"edges above 1/2 join more than {LARGEST_EXACT} variables in cycles: a local search found the "
                    "consensus network, and a better one may exist"
                )
            )
        return dag


def refuse_narrow_feature(feature: str) -> None:
    """Raise an error if a feature was chosen for a frame that is not a matrix."""
    if feature != "edges":
        raise InvalidOption(
            f"is {feature!r}, which chooses the matrix of a wide frame: use {argument('wide', True)}", option="feature"
        )


def feature_frame(result: HasEdgeProbabilities, feature: str) -> pd.DataFrame:
    """Return one matrix of a result as a data frame with the variables as the labels of both axes."""
    check_choice(feature, MATRICES, "feature")
    matrix = getattr(result, feature)
    if matrix is None:
        why = NO_COMPELLED if feature == "compelled" else NO_ANCESTORS
        raise InvalidOption(f"is {feature!r}, but {why}", option="feature")
    return matrix_frame(result.variables, matrix, *MATRICES[feature])
