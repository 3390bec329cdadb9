"""Structures of classifiers in which the class is a parent of all other variables.

*Naive Bayes* has no other edges. *Tree-augmented naive Bayes* [friedman1997]_ gives each attribute one more parent, so
that the attributes form a tree: of all such networks, the one with the highest likelihood. Its tree maximises

    Σ over its edges of I(A_i; A_j | C),

the conditional mutual information in the data, so it is a maximum spanning tree [chow1968]_. The root does not change
the likelihood.

With m rows, m I(A_i; A_j | C) is the gain in log-likelihood of A_i from A_j as another parent next to C. As the
difference of two exact scores it is an exact integer, the same for both directions; equal trees are a choice by the
random numbers, not by the order of the columns.

Cost: one pass over the data for each pair of attributes, and n² steps for the tree [prim1957]_.

Notation: the paper's class C is ``target``, its attributes A_1 … A_n are all other variables.
"""

from __future__ import annotations

import numpy as np

from dagscape.data.any_data import AnyData
from dagscape.data.discrete.dataset import Dataset
from dagscape.graphs.dag import Dag
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.tables.on_demand import family_scores


def naive_bayes_dag(data: AnyData, target: str) -> Dag:
    """Return the structure of naive Bayes.

    Examples
    --------
    >>> import dagscape as ds
    >>> naive_bayes_dag(ds.load_dataset("iris"), "class").parents("petal_width")
    ('class',)
    """
    return Dag.from_parents({name: () if name == target else (target,) for name in data.variables})


def tree_augmented_dag(data: Dataset, target: str, rng: np.random.Generator, threads: int | None = None) -> Dag:
    """Return the structure of tree-augmented naive Bayes.

    Parameters
    ----------
    data : Dataset
        The data.
    target : str
        The class.
    rng : numpy.random.Generator
        Decides on the root, and between equal trees.
    threads : int, optional
        The number of threads. The structure does not depend on it.

    Examples
    --------
    >>> import dagscape as ds
    >>> dag = tree_augmented_dag(ds.load_dataset("iris"), "class", np.random.default_rng(0))
    >>> sorted(len(dag.parents(name)) for name in dag.variables)
    [0, 1, 2, 2, 2]
    """
    scores = family_scores(data, score="loglik", max_parents=2, threads=threads)
    names = list(data.variables)
    place = names.index(target)
    # The first attribute is the root; of equal edges the one with the larger random number is better.
    attributes = rng.permutation([number for number in range(data.n) if number != place]).tolist()
    ties = rng.random((data.n, data.n))
    ties += ties.T
    parents: dict[int, tuple[int, ...]] = {place: ()}
    # For each attribute outside the tree, the best edge to it: its gain, its random number, and where it comes from.
    # Rounding may leave a gain just below 0, and every edge is better than none.
    edges: dict[int, tuple[int, float, int]] = dict.fromkeys(attributes, (IMPOSSIBLE, 0.0, -1))
    while edges:
        added = max(edges, key=edges.__getitem__)
        source = edges.pop(added)[2]
        parents[added] = (place,) if source < 0 else (place, source)
        with_class = scores.family_exact(added, [place])
        joined = scores.additions_exact(added, [place])
        for number, best in edges.items():
            edges[number] = max(best, (int(joined[number]) - with_class, float(ties[added, number]), added))
    return Dag.from_parents({names[child]: [names[parent] for parent in parents[child]] for child in range(data.n)})
