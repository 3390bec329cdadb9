"""How well probabilities of edges agree with a known structure: ROC curves and calibration.

The problem: a method gives each edge, adjacency or ancestor relation a probability, and the truth is known, as in
simulations. Two questions follow.

- *Do true edges come first?* All pairs with a probability of at least t are predicted. As t falls, the share of the
  true edges among them (true positive rate) rises, and so does that of the other pairs (false positive rate). The area
  under this ROC curve is the probability that a true edge has a higher probability than another pair, where ties count
  one half.
- *Are the probabilities right?* Of the pairs with probabilities near p, a share p should be true. The Brier score and
  the log loss are averages of (p - y)² and of -ln P(y), where y is 1 for true edges and 0 for others.

Probabilities that differ by no more than their error tie: an edge and its reverse often have the same probability, and
rounding must not decide which comes first. An adjacency is a sum of two probabilities, so that its error is twice that
of an edge. Of a group that ties, all are within the error of the highest: if neighbours were joined without end, many
close probabilities would tie with others that are far away.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import check_choice
from dagscape.core.constraints import Whole
from dagscape.core.errors import InvalidOption, type_of
from dagscape.core.version import __version__
from dagscape.ensembles.edge_accuracy_result import EdgeAccuracy
from dagscape.ensembles.edge_probabilities import FEATURES, NO_ANCESTORS
from dagscape.graphs.comparison import HasDag
from dagscape.graphs.conversion import adjacency_of
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.validation import check_variables
from dagscape.results.base import Provenance, inherited_warnings

BINS = Whole(1, 1000)
DEFAULT_BINS = 10

# Matrices do not say how exact they are.
_ROUNDING = 1e-12


def edge_accuracy(
    found: Any, truth: Dag | Cpdag | HasDag, *, feature: str = "edges", bins: int = DEFAULT_BINS
) -> EdgeAccuracy:
    """Compare probabilities of edges with a known structure: the ROC curve, its area, and calibration.

    Parameters
    ----------
    found : result, matrix, Dag or Network
        What has the probabilities: a result with ``edges``, such as a posterior, a bootstrap or a list of networks; a
        matrix in the order of the variables of the truth, or a data frame with their names as labels; or a single
        network, whose probabilities are 0 and 1. A matrix has the probabilities of the ``feature``: ``[u, v]`` is that
        of u → v, of an edge between u and v, or of a directed path from u to v. One of adjacencies must be symmetric;
        if ``P`` has those of edges, it is ``P + P.T``.
    truth : Dag, Cpdag or Network
        The known structure, on the same variables. Directions that a Cpdag leaves open do not count for edges.
    feature : {"edges", "adjacencies", "ancestors"}
        Directed edges, edges in either direction, or directed paths.
    bins : int
        The number of bins of equal width for calibration. ``calibration_error`` depends on it, so compare only those of
        the same number.

    Returns
    -------
    EdgeAccuracy

    Examples
    --------
    >>> import dagscape as ds
    >>> asia = ds.load_network("asia")
    >>> post = ds.posterior(ds.local_scores(asia.sample(500, seed=1)))
    >>> ds.edge_accuracy(post, asia)
    EdgeAccuracy(edges: auc 0.958, brier 0.0542, 8 of 56 pairs true)
    >>> ds.edge_accuracy(post, asia, feature="adjacencies")
    EdgeAccuracy(adjacencies: auc 0.963, brier 0.0765, 8 of 28 pairs true)
    """
    check_choice(feature, FEATURES, "feature")
    BINS.check(bins, "bins")
    known = truth if isinstance(truth, Dag | Cpdag) else getattr(truth, "dag", None)
    if not isinstance(known, Dag | Cpdag):
        raise InvalidOption(
            f"is {type_of(truth)}, not a structure: give a Dag, a Cpdag or a Network; Dag.from_networkx() converts "
            "graphs of networkx, and load_network() and read_graph() load networks and lists of edges",
            option="truth",
        )
    probabilities, error = _probabilities(found, known.variables, feature)
    if feature == "adjacencies":
        # They are sums of two probabilities.
        error *= 2
        _check_symmetric(probabilities, known.variables, error)
    counted = _counted_pairs(known, feature)
    values, true = probabilities[counted], _indicators(known, feature)[counted]
    thresholds, true_positives, false_positives = _curve(values, true, error)
    counts, positives, means = _binned(values, true, bins)
    return EdgeAccuracy(
        variables=known.variables,
        provenance=Provenance(__version__, "edge_accuracy", {"feature": feature, "bins": bins}),
        warnings=inherited_warnings(found),
        feature=feature,
        pairs=len(values),
        positives=int(true.sum()),
        left_out=int(_all_pairs(known.n, feature).sum()) - len(values),
        thresholds=thresholds,
        true_positives=true_positives,
        false_positives=false_positives,
        bin_counts=counts,
        bin_positives=positives,
        bin_means=means,
        brier=float(np.square(values - true).mean()) if len(values) else 0.0,
        log_loss=_log_loss(values, true),
    )


def _probabilities(found: Any, variables: Sequence[str], feature: str) -> tuple[NDArray[np.float64], float]:
    """Return the probabilities of a feature, in the order of the variables, and their error."""
    structure = getattr(found, "dag", found)
    if isinstance(structure, Dag):
        return _in_order(_indicators(structure, feature), structure.variables, variables), 0.0
    if hasattr(found, "edges") and hasattr(found, "variables"):
        matrix = getattr(found, feature, None)
        if matrix is None:
            raise InvalidOption(f"is {feature!r}, but {NO_ANCESTORS}", option="feature")
        return _in_order(matrix, found.variables, variables), getattr(found, "_edge_error", _ROUNDING)
    if hasattr(found, "columns") and hasattr(found, "index"):
        names = list(map(str, found.columns))
        if names != list(map(str, found.index)):
            raise InvalidOption("is a data frame whose rows and columns do not have the same labels", option="found")
        return _in_order(found, names, variables), _ROUNDING
    if isinstance(found, np.ndarray | list | tuple):
        return _in_order(found, variables, variables), _ROUNDING
    raise InvalidOption(
        f"is {type_of(found)}; it must be a result with edge probabilities, a matrix of them, or a DAG", option="found"
    )


def _in_order(matrix: Any, names: Sequence[str], variables: Sequence[str]) -> NDArray[np.float64]:
    """Return a matrix whose axes have names in the order of the variables."""
    check_variables(names, variables, "the known structure", option="found")
    numbers = _as_matrix(matrix, len(names))
    place = [list(names).index(name) for name in variables]
    return numbers[np.ix_(place, place)]


def _as_matrix(matrix: Any, n: int) -> NDArray[np.float64]:
    """Return a matrix of probabilities, with the diagonal 0."""
    try:
        numbers = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidOption("is not a matrix of numbers", option="found") from error
    if numbers.shape != (n, n):
        raise InvalidOption(f"has the shape {numbers.shape}; it must be {(n, n)}", option="found")
    np.fill_diagonal(numbers, 0.0)
    if not ((numbers >= 0) & (numbers <= 1)).all():
        raise InvalidOption("has entries that are not probabilities, from 0 to 1", option="found")
    return numbers


def _check_symmetric(matrix: NDArray[np.float64], variables: Sequence[str], error: float) -> None:
    """Raise an error if a matrix cannot have the probabilities of adjacencies, which have no direction."""
    differing = np.argwhere(np.abs(matrix - matrix.T) > error)
    if len(differing):
        u, v = differing[0]
        raise InvalidOption(
            f"has {matrix[u, v]:.6g} for {variables[u]!r} and {variables[v]!r}, but {matrix[v, u]:.6g} for "
            f"{variables[v]!r} and {variables[u]!r}, and an adjacency has no direction: for a matrix P of edges, give "
            "P + P.T",
            option="found",
        )


def _indicators(graph: Dag | Cpdag, feature: str) -> NDArray[np.bool_]:
    """Return which pairs of variables have a feature in a structure."""
    if feature == "adjacencies":
        return adjacency_of(graph.skeleton_masks())
    if feature == "edges":
        return adjacency_of(graph.directed)
    if any(graph.undirected):
        raise InvalidOption(
            "is 'ancestors', but the known equivalence class leaves directions open: give a member of it, to_dag()",
            option="feature",
        )
    return adjacency_of(Dag.trusted(graph.variables, graph.directed).ancestor_masks())


def _all_pairs(n: int, feature: str) -> NDArray[np.bool_]:
    ordered = ~np.eye(n, dtype=bool)
    return np.triu(ordered) if feature == "adjacencies" else ordered


def _counted_pairs(known: Dag | Cpdag, feature: str) -> NDArray[np.bool_]:
    """Return the pairs of which the truth is known: all, but for directions that a class leaves open."""
    every = _all_pairs(known.n, feature)
    if feature != "edges" or isinstance(known, Dag):
        return every
    return every & ~adjacency_of(known.undirected)


def _curve(
    values: NDArray[np.float64], true: NDArray[np.bool_], error: float
) -> tuple[NDArray[np.float64], tuple[int, ...], tuple[int, ...]]:
    """Return the different probabilities, highest first, and how many true and other pairs have at least these."""
    order = np.argsort(-values, kind="stable")
    falling, hits = values[order], true[order]
    # The lowest of probabilities that tie, so that all of them are at least the threshold.
    ends = np.array(_ends_of_ties(falling, error), dtype=np.int64)
    positives, every = np.cumsum(hits)[ends], ends + 1
    return falling[ends], tuple(positives.tolist()), tuple((every - positives).tolist())


def _ends_of_ties(falling: NDArray[np.float64], error: float) -> list[int]:
    """Return the place of the last of each group of falling numbers that are within an error of its first."""
    numbers: list[float] = falling.tolist()
    ends, first = [], math.inf
    for place, number in enumerate(numbers):
        if first - number > error:
            first = number
            ends.append(place - 1)
    return [*ends[1:], len(numbers) - 1] if numbers else []


def _binned(
    values: NDArray[np.float64], true: NDArray[np.bool_], bins: int
) -> tuple[tuple[int, ...], tuple[int, ...], NDArray[np.float64]]:
    """Return for each bin its pairs, its true pairs and its average probability."""
    number = np.minimum((values * bins).astype(int), bins - 1)
    counts, positives, sums = (np.bincount(number, weights, bins) for weights in (None, true, values))
    middles = (np.arange(bins) + 0.5) / bins
    means = np.divide(sums, counts, out=middles, where=counts > 0)
    return tuple(counts.tolist()), tuple(positives.astype(int).tolist()), np.clip(means, 0.0, 1.0)


def _log_loss(values: NDArray[np.float64], true: NDArray[np.bool_]) -> float:
    given = np.where(true, values, 1.0 - values)
    if not len(given):
        return 0.0
    return math.inf if (given == 0).any() else float(-np.log(given).mean())
