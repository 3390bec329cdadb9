"""Features of sampled networks: pairs of variables, parent sets, v-structures and classes, with their errors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from dagscape.core.estimates import Probability
from dagscape.core.masks import bits
from dagscape.ensembles.monte_carlo import Floats
from dagscape.ensembles.sample_averages import (
    Draws,
    Indices,
    MeansAndErrors,
    batched_shares,
    label_shares,
    set_shares,
)
from dagscape.graphs.directions import MemberLimits, compelled_words
from dagscape.graphs.lists import DagList
from dagscape.graphs.parent_sets import v_structures
from dagscape.graphs.relations import ancestor_sets, blanket_sets
from dagscape.graphs.words import Words, distinct, holds, singletons, transposed, unpack

if TYPE_CHECKING:
    import pandas as pd

Label = TypeVar("Label")


# What each feature of pairs is: for each graph and each variable v, the set of all u with the feature [u, v].
_SETS: dict[str, Callable[[Words], Words]] = {
    "edges": lambda parents: parents,
    "ancestors": ancestor_sets,
    "adjacencies": lambda parents: parents | transposed(parents),
    "blankets": blanket_sets,
}

# Features that others include: an edge is a path, and neighbours are in the Markov blanket.
INCLUDED = {"ancestors": "edges", "blankets": "adjacencies"}


def feature_shares(
    feature: str, parents: Words, places: Indices, draws: Draws, limits: MemberLimits | None = None
) -> MeansAndErrors:
    """Return the probabilities of a feature of pairs of variables as a matrix, and their errors.

    Parameters
    ----------
    feature : {"edges", "ancestors", "adjacencies", "compelled", "blankets"}
        The feature.
    parents : array of uint64, graphs × variables × words
        The different graphs.
    places : array of int
        The graph of each sample.
    draws : Draws
        How samples were drawn.
    limits : MemberLimits, optional
        What is known about the members of classes; for compelled edges.
    """
    sets = compelled_words(parents, limits) if feature == "compelled" else _SETS[feature](parents)
    return set_shares(sets, places, draws)


def all_step_shares(
    feature: str, means: Floats, batches: Floats | None, of_draws: Callable[[], MeansAndErrors], draws: Draws
) -> MeansAndErrors:
    """Return the probabilities of edges or adjacencies from averages over all steps of chains, and their errors.

    Parameters
    ----------
    feature : {"edges", "adjacencies"}
        The feature.
    means, batches : array
        The averages of edges, and their batch means, if known.
    of_draws : callable
        Returns probabilities and errors from networks; the errors serve if there are no batch means.
    draws : Draws
        How samples were drawn.
    """
    if feature == "adjacencies":
        means = np.minimum(means + means.swapaxes(-1, -2), 1.0)
        batches = None if batches is None else np.minimum(batches + batches.swapaxes(-1, -2), 1.0)
    if batches is not None:
        return batched_shares(means, batches, draws)
    errors = of_draws()[1]
    if draws.chains > 1:
        errors = np.maximum(errors, np.sqrt(means.var(axis=0, ddof=1) / draws.chains))
    return means.mean(axis=0), errors


def shares_beyond(
    feature: str, parents: Words, places: Indices, draws: Draws, included: MeansAndErrors
) -> MeansAndErrors:
    """Return the probabilities of a feature, and their errors, from better ones of the feature that it includes.

    A path is an edge, or a path without an edge. So its probability can be estimated by the share of samples with a
    path, or by the probability of the edge and the share of samples with a path but no edge: whichever has the smaller
    error. (The sum of two errors covers that of a sum, however the two depend on each other.) It is never less than
    that of the edge.

    Parameters
    ----------
    feature : {"ancestors", "blankets"}
        The feature.
    parents, places, draws
        As in :func:`feature_shares`.
    included : (array, array)
        The probabilities and errors of ``INCLUDED[feature]``.
    """
    whole = _SETS[feature](parents)
    shares, errors = set_shares(whole, places, draws)
    more, more_errors = set_shares(whole & ~_SETS[INCLUDED[feature]](parents), places, draws)
    by_parts = included[1] + more_errors < errors
    estimates = np.where(by_parts, included[0] + more, shares)
    return np.clip(estimates, included[0], 1.0), np.where(by_parts, included[1] + more_errors, errors)


def compelled_given_edges(
    parents: Words, places: Indices, draws: Draws, edges: MeansAndErrors, limits: MemberLimits | None
) -> MeansAndErrors:
    """Return the probabilities of compelled edges, and their errors, from better ones of edges.

    Samples estimate them in two ways: by the share of those with such an edge, or by the probability of the edge minus
    the share of those in which it can be reversed. The one with the smaller error is taken.

    Parameters
    ----------
    parents, places, draws, limits
        As in :func:`feature_shares`.
    edges : (array, array)
        The probabilities and errors of edges.
    """
    directed = compelled_words(parents, limits)
    compelled, errors = set_shares(directed, places, draws)
    reversible, other_errors = set_shares(parents & ~directed, places, draws)
    by_edges = edges[1] + other_errors < errors
    estimates = np.where(by_edges, edges[0] - reversible, compelled)
    return np.clip(estimates, 0.0, edges[0]), np.where(by_edges, edges[1] + other_errors, errors)


def blankets_of(parents: Words, variable: int) -> Words:
    """Return the Markov blanket of one variable in each graph, as sets: graphs × words."""
    n = parents.shape[1]
    itself = singletons(n)
    blanket = parents[:, variable].copy()
    for child in range(n):
        family = parents[:, child] | itself[child]
        blanket |= np.where(holds(parents[:, child], variable)[:, np.newaxis], family, np.uint64(0))
    found: Words = blanket & ~itself[variable]
    return found


def sets_with_shares(
    variables: Sequence[str], sets: Words, places: Indices, draws: Draws
) -> dict[tuple[str, ...], Probability]:
    """Return the probability of each different set of variables, one for each graph; most probable first."""
    masks, labels = distinct(sets)
    names = [tuple(variables[member] for member in bits(mask)) for mask in masks]
    return _falling(names, *label_shares(np.arange(draws.total), labels[places], len(names), draws))


def v_structure_shares(
    variables: Sequence[str], parents: Words, places: Indices, draws: Draws
) -> dict[tuple[str, str, str], Probability]:
    """Return the probability of each v-structure (a, child, b) that some graph has, most probable first."""
    numbers: dict[tuple[int, int, int], int] = {}
    lists = [[numbers.setdefault(triple, len(numbers)) for triple in v_structures(unpack(graph))] for graph in parents]
    lengths = np.array([len(each) for each in lists])
    ends = np.cumsum(lengths)
    every = np.array([number for each in lists for number in each], dtype=np.intp)
    samples = np.repeat(np.arange(draws.total), lengths[places])
    # The labels of a sample are those of its graph, from the first to the last.
    before = np.repeat(np.cumsum(lengths[places]) - ends[places], lengths[places])
    labels = every[np.arange(len(samples)) - before]
    names = [(variables[a], variables[child], variables[b]) for a, child, b in numbers]
    return _falling(names, *label_shares(samples, labels, len(names), draws))


def share_frame(networks: DagList, scores: Floats, labels: Indices, draws: Draws) -> pd.DataFrame:
    """Return how often each label occurs as a data frame, most frequent first.

    Parameters
    ----------
    networks, scores
        The samples, and the score of each.
    labels : array of int
        The label of each sample, from 0 on.
    draws : Draws
        How samples were drawn.
    """
    import pandas as pd

    count = int(labels.max()) + 1
    shares, errors = label_shares(np.arange(draws.total), labels, count, draws)
    # The best sample of each label, the first of several: it comes last in the order by label and score.
    order = np.lexsort((-np.arange(draws.total), scores, labels))
    counts = np.bincount(labels, minlength=count)
    best = order[np.cumsum(counts) - 1]
    ranked = np.lexsort((np.arange(count), -scores[best], -counts))
    return pd.DataFrame(
        {
            "share": shares[ranked],
            "error": errors[ranked],
            "cumulative": np.minimum(np.cumsum(counts[ranked]) / draws.total, 1.0),
            "samples": counts[ranked],
            "score": scores[best][ranked],
            "network": pd.Series([networks[index] for index in best[ranked].tolist()], dtype=object),
        }
    )


def class_labels(networks: DagList, first: Indices, places: Indices) -> Indices:
    """Return the number of the equivalence class of each sample, given the different networks and their places."""
    keys = DagList(networks.variables, networks.parents[first]).class_keys()
    _, labels = np.unique(keys, axis=0, return_inverse=True)
    found: Indices = labels.reshape(-1)[places]
    return found


def _falling(labels: Sequence[Label], shares: Floats, errors: Floats) -> dict[Label, Probability]:
    """Return labels with their probabilities, most probable first; of equal ones the first."""
    order = np.argsort(-shares, kind="stable").tolist()
    return {labels[at]: Probability(float(shares[at]), float(errors[at])) for at in order}
