"""Directions that hold in a whole class: arrows that all members have, within what is known of them.

A DAG is one member of its equivalence class, and data say nothing about which. An edge is *compelled* if it points the
same way in every member. Knowledge rules out members, and so compels more edges:

- An edge that is required, or whose reverse is forbidden, points the same way in all that are left. Tiers are forbidden
  edges.
- An experiment that set one end of an edge but not the other tells its direction [hauser2012]_: rows in which *v* was
  set do not enter the families of *v*, so that *u* and *v* are scored on different rows, and reversing the edge between
  them changes the score. Experiments that set both, or neither, say nothing about it.

Directing these edges of the CPDAG and applying Meek's four rules [meek1995]_ directs all that follow, and no others.
All members that are left have the same score, if the score is score-equivalent: reversals of single edges lead from one
to any other without leaving the class or turning an edge on which the two agree [chickering1995]_.

Two cases need care:

- A variable that was set in *every* row has no scored parents: a DAG with an edge into it and one without fit the data
  alike. Only required edges into it are compelled. The others are no part of the class, and make no v-structures.
- Where experiments change a mechanism rather than set a variable (``interventions="mechanism"``), the rows in which a
  variable was disturbed, and the others, are two samples of its families; which of them is called disturbed does not
  matter. An edge is directed if its ends divide the rows differently. A variable disturbed in all rows is like one that
  never was.

The kernel is ``native/include/dagscape/sets/directions.hpp``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dagscape.core import kernels
from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.core.masks import bits, mask_of, transposed
from dagscape.graphs.dag import Dag
from dagscape.graphs.equivalence import cpdags
from dagscape.graphs.words import Words, checked_graphs, pack, unpack
from dagscape.results.score_info import NamedEdge, ScoreInfo


@dataclass(frozen=True)
class MemberLimits:
    """What is known about the members of classes: edges that are required or forbidden, and experiments.

    Sets of variables are integers: bit *i* stands for variable *i*.

    Attributes
    ----------
    required, forbidden : tuple of int
        For each variable the parents that it must have, and those that it must not have.
    alike : tuple of int
        For each variable those that experiments do not tell from it: their families are scored on the same rows.
    unscored : int
        The variables that were set in every row, whose parents no row tells.

    Examples
    --------
    >>> limits = MemberLimits.of_names(["a", "b", "c"], forbidden=[("b", "a")], targets=[(), ("c",)])
    >>> limits.forbidden, limits.alike, limits.unscored
    ((2, 0, 0), (3, 3, 4), 0)
    """

    required: tuple[int, ...]
    forbidden: tuple[int, ...]
    alike: tuple[int, ...]
    unscored: int = 0

    @classmethod
    def of_names(
        cls,
        variables: Sequence[str],
        required: Iterable[NamedEdge] = (),
        forbidden: Iterable[NamedEdge] = (),
        targets: Iterable[Iterable[str]] = (),
        interventions: str = "perfect",
    ) -> MemberLimits:
        """Return the limits by the names of edges and of variables.

        Parameters
        ----------
        variables : sequence of str
            The names of the variables, in the order of their numbers.
        required, forbidden : iterable of (parent, child)
            Edges that every member must have, or must not have.
        targets : iterable of collections of str
            The sets of variables that were set together in some rows, each at least once; the empty set if there are
            rows without experiments. None at all: no experiments.
        interventions : {"perfect", "mechanism"}
            What an experiment did, as in :func:`dagscape.local_scores`.
        """
        number = {name: place for place, name in enumerate(variables)}
        must, may_not = [0] * len(number), [0] * len(number)
        for edges, masks in ((required, must), (forbidden, may_not)):
            for parent, child in edges:
                masks[_place(number, child)] |= 1 << _place(number, parent)
        families = [mask_of(_place(number, name) for name in target) for target in targets]
        alike, unscored = _experiments(len(number), families, interventions)
        return cls(tuple(must), tuple(may_not), alike, unscored)

    @classmethod
    def of_scores(cls, variables: Sequence[str], info: ScoreInfo | None) -> MemberLimits | None:
        """Return the limits under which scores were computed; None if there are none, or if none are known.

        Examples
        --------
        >>> import dagscape as ds
        >>> data = ds.load_dataset("iris")
        >>> MemberLimits.of_scores(data.variables, ds.local_scores(data).info) is None
        True
        >>> info = ds.local_scores(data, tiers=[["class"], data.variables[:4]]).info
        >>> MemberLimits.of_scores(data.variables, info).forbidden
        (0, 0, 0, 0, 15)
        """
        if info is None or not (info.required or info.forbidden or info.targets):
            return None
        return cls.of_names(variables, info.required, info.forbidden, info.targets, info.interventions)

    @cached_property
    def arrays(self) -> tuple[Words, Words]:
        """The limits as the kernel takes them: the edges that cannot be reversed, by child, and unscored variables."""
        n = len(self.required)
        every = (1 << n) - 1
        barred = transposed(self.forbidden)
        fixed = [
            # Experiments direct no edge between an unscored variable and its parents, which are not in the class.
            self.required[v] if self.unscored >> v & 1 else self.required[v] | barred[v] | every & ~self.alike[v]
            for v in range(n)
        ]
        unscored = pack([[self.unscored] + [0] * (n - 1)], n)[0, 0]
        return np.ascontiguousarray(pack([fixed], n)[0]), np.ascontiguousarray(unscored)


def _place(number: dict[str, int], name: str) -> int:
    if name not in number:
        raise InvalidOption(f"there is no variable {name!r}")
    return number[name]


def _experiments(n: int, targets: Sequence[int], interventions: str) -> tuple[tuple[int, ...], int]:
    """Return, for each variable, those that the experiments do not tell from it; and those that are never scored."""
    distinct = sorted(set(targets))
    every = (1 << len(distinct)) - 1
    # By variable: the experiments that set it.
    marks = [mask_of(i for i, target in enumerate(distinct) if target >> v & 1) for v in range(n)]
    if interventions == "mechanism":
        # Two samples: which of them is called disturbed makes no difference.
        marks = [min(mark, every & ~mark) for mark in marks]
    groups: dict[int, int] = {}
    for v, mark in enumerate(marks):
        groups[mark] = groups.get(mark, 0) | 1 << v
    always = interventions != "mechanism" and every
    return tuple(groups[mark] for mark in marks), groups.get(every, 0) if always else 0


def limited_classes(parents: Words, limits: MemberLimits | None = None) -> tuple[Words, Words]:
    """Return the classes of many DAGs, each without the members that violate the limits.

    Parameters
    ----------
    parents : array of uint64, graphs × variables × words
        The parents of each variable in each graph, as in ``DagList.parents``; up to 64 variables need no third axis.
        The graphs must satisfy the limits.
    limits : MemberLimits, optional
        What is known about members. Default: nothing, so that the classes are CPDAGs.

    Returns
    -------
    directed, undirected : array of uint64
        The parents on which all members agree, and the neighbours by other edges, as sets, in the shape of the parents.

    Examples
    --------
    >>> chain = np.array([[0b000, 0b001, 0b010]])
    >>> directed, undirected = limited_classes(chain)
    >>> directed.tolist(), undirected.tolist()
    ([[0, 0, 0]], [[2, 5, 2]])
    >>> directed, undirected = limited_classes(chain, MemberLimits.of_names("abc", required=[("a", "b")]))
    >>> directed.tolist(), undirected.tolist()
    ([[0, 1, 2]], [[0, 0, 0]])
    """
    if limits is None:
        return cpdags(parents)
    graphs = checked_graphs(parents)
    if graphs.shape[1] != len(limits.required):
        raise InvalidData(f"the graphs have {graphs.shape[1]} variables, and the limits are for {len(limits.required)}")
    directed, undirected = np.empty_like(graphs), np.empty_like(graphs)
    cyclic = kernels.limited_classes(graphs, *limits.arrays, directed, undirected)
    if cyclic >= 0:
        raise InvalidData(f"graph {cyclic} has a directed cycle")
    shape = np.shape(parents)
    return directed.reshape(shape), undirected.reshape(shape)


def compelled_words(parents: Words, limits: MemberLimits | None = None) -> Words:
    """Return the parents whose edge holds in every member of the class, for many DAGs.

    Parameters
    ----------
    parents, limits
        As for :func:`limited_classes`.

    Returns
    -------
    array of uint64
        For each variable of each graph a set of parents, in the shape of the parents.

    Examples
    --------
    >>> chain, collider = [0b000, 0b001, 0b010], [0b000, 0b101, 0b000]
    >>> compelled_words(np.array([chain, collider])).tolist()
    [[0, 0, 0], [0, 5, 0]]
    """
    return limited_classes(parents, limits)[0]


@dataclass(frozen=True, slots=True, repr=False)
class LimitedClass:
    """The members of an equivalence class that satisfy limits: directed where all of them agree.

    Without limits it has the edges of the :class:`~dagscape.Cpdag`.

    Attributes
    ----------
    variables : tuple of str
        The names of the variables.
    directed : tuple of int
        For each variable the parents on which all members agree, as a set.
    undirected : tuple of int
        For each variable the neighbours by edges that can be reversed, as a set.

    Examples
    --------
    >>> import dagscape as ds
    >>> chain = ds.Dag.from_edges(["a", "b", "c"], [("a", "b"), ("b", "c")])
    >>> LimitedClass.of(chain)
    LimitedClass(a - b, b - c)
    >>> LimitedClass.of(chain, MemberLimits.of_names(chain.variables, targets=[(), ("b",)]))
    LimitedClass(a -> b, b -> c)
    """

    variables: tuple[str, ...]
    directed: tuple[int, ...]
    undirected: tuple[int, ...]

    @classmethod
    def of(cls, dag: Dag, limits: MemberLimits | None = None) -> LimitedClass:
        """Return the class of a DAG that satisfies the limits."""
        directed, undirected = limited_classes(pack([dag.parent_masks], dag.n), limits)
        return cls(dag.variables, unpack(directed[0]), unpack(undirected[0]))

    @property
    def compelled_edges(self) -> tuple[NamedEdge, ...]:
        """The edges (parent, child) that all members have, by child, then by parent."""
        return tuple(
            (self.variables[parent], child)
            for child, above in zip(self.variables, self.directed, strict=True)
            for parent in bits(above)
        )

    @property
    def reversible_edges(self) -> tuple[NamedEdge, ...]:
        """The other edges, each once, the earlier variable first."""
        return tuple(
            (name, self.variables[other])
            for number, name in enumerate(self.variables)
            for other in bits(self.undirected[number] >> (number + 1) << (number + 1))
        )

    def __repr__(self) -> str:
        edges = [f"{u} -> {v}" for u, v in self.compelled_edges] + [f"{u} - {v}" for u, v in self.reversible_edges]
        return f"LimitedClass({', '.join(edges)})"
