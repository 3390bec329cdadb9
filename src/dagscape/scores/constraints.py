"""Hard constraints on edges: required, forbidden, and tiers.

They are stored, for each child, as a set of parents that it must have and a set that it must not have. A family that
violates either is impossible. User input is checked here, once, for unknown names, contradictions and cycles of
required edges.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidOption, argument, brief, did_you_mean
from dagscape.scores.tables.lattice import Members

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class EdgeConstraints:
    """For each child, the parents that it must have and must not have, as sets of variable numbers."""

    required: tuple[frozenset[int], ...]
    forbidden: tuple[frozenset[int], ...]

    @classmethod
    def none(cls, n: int) -> Self:
        """Return empty constraints for ``n`` variables."""
        return cls((frozenset(),) * n, (frozenset(),) * n)

    @property
    def empty(self) -> bool:
        """Whether there are no constraints."""
        return not any(self.required) and not any(self.forbidden)

    @property
    def forbidden_edges(self) -> int:
        """The number of forbidden edges."""
        return sum(map(len, self.forbidden))

    def ruling_out(self, variables: Sequence[str], edges: Iterable[Edge], why: str) -> Self:
        """Return the constraints with more forbidden edges; none of them may be required.

        Parameters
        ----------
        variables : sequence of str
            The names of the variables.
        edges : iterable of (parent, child)
            The edges.
        why : str
            What forbids them, as a clause.

        Examples
        --------
        >>> EdgeConstraints.none(2).ruling_out(["a", "b"], [("a", "b")], "with this score, 'a' has no children")
        EdgeConstraints(required=(frozenset(), frozenset()), forbidden=(frozenset(), frozenset({0})))
        """
        number = {name: place for place, name in enumerate(variables)}
        forbidden = list(map(set, self.forbidden))
        for parent, child in edges:
            if number[parent] in self.required[number[child]]:
                raise InvalidOption(
                    f"holds the edge {parent!r} -> {child!r}, but {why}: leave it out, or use another score",
                    option="required",
                )
            forbidden[number[child]].add(number[parent])
        return type(self)(self.required, tuple(map(frozenset, forbidden)))

    def allowed(self, child: int, sets: Members) -> NDArray[np.bool_]:
        """Return which sets of parents, one per row, the child may have."""
        allowed = np.ones(len(sets), dtype=np.bool_)
        if forbidden := self.forbidden[child]:
            allowed &= ~np.isin(sets, list(forbidden)).any(axis=1)
        if required := self.required[child]:
            allowed &= np.isin(sets, list(required)).sum(axis=1) == len(required)
        return allowed


def edge_constraints(
    variables: Sequence[str],
    max_parents: int,
    required: Iterable[Edge] = (),
    forbidden: Iterable[Edge] = (),
    tiers: Sequence[Iterable[str]] | None = None,
    set_aside: Mapping[str, str] | None = None,
    impossible: Iterable[tuple[int, int]] = (),
    randomised: Collection[str] = (),
) -> EdgeConstraints:
    """Check the user's constraints and group them by child.

    Parameters
    ----------
    variables : sequence of str
        The names of the variables.
    max_parents : int
        The limit on the number of parents of a variable.
    required, forbidden : iterable of (parent, child)
        Edges that every network must have, and edges that no network may have.
    tiers : sequence of iterables of names, optional
        Edges must not lead from a later tier to an earlier one. Variables in no tier are unconstrained.
    set_aside : mapping of str to str, optional
        Columns that are no variables, and why; for messages.
    impossible : iterable of (parent, child)
        Edges, by numbers, to which the structure prior gives no probability: they are forbidden as well.
    randomised : collection of str
        Variables that were set in every row: edges into them are forbidden as well.
    """
    number = VariableNumbers(variables, set_aside or {})
    must = _by_child(number, required, "required")
    may_not = _by_child(number, forbidden, "forbidden")
    tier_of = _tiers(number, () if tiers is None else tiers)
    for child, child_tier in tier_of.items():
        may_not[child] |= {parent for parent, tier in tier_of.items() if tier > child_tier}
    for above, below in impossible:
        may_not[below].add(above)
    for name in randomised:
        child = number[name]
        if must[child]:
            raise InvalidOption(
                f"holds the edge {variables[min(must[child])]!r} -> {name!r}, but {name!r} was set in every "
                "row, so that no variable caused it: leave the edge out",
                option="required",
            )
        may_not[child] = {parent for parent in range(len(variables)) if parent != child}
    for child, name in enumerate(variables):
        if clash := must[child] & may_not[child]:
            parent = variables[min(clash)]
            raise InvalidOption(
                f"the edge {parent!r} -> {name!r} is both required and forbidden: change {argument('required')}, "
                f"{argument('forbidden')}, {argument('tiers')} or {argument('structure_prior')}"
            )
        if len(must[child]) > max_parents:
            raise InvalidOption(
                f"{name!r} has {len(must[child])} required parents, but {argument('max_parents')} is {max_parents}"
            )
    _check_acyclic(variables, must)
    return EdgeConstraints(tuple(map(frozenset, must)), tuple(map(frozenset, may_not)))


def named_edges(variables: Sequence[str], by_child: Sequence[Iterable[int]]) -> tuple[Edge, ...]:
    """Return edges by name, from the numbers of the parents of each child.

    >>> named_edges(["rain", "snow", "street"], [set(), set(), {1, 0}])
    (('rain', 'street'), ('snow', 'street'))
    """
    return tuple(
        (variables[parent], variables[child]) for child, above in enumerate(by_child) for parent in sorted(above)
    )


class VariableNumbers(dict[str, int]):
    """The number of each variable, and why other columns are no variables."""

    def __init__(self, variables: Sequence[str], set_aside: Mapping[str, str]) -> None:
        super().__init__((name, i) for i, name in enumerate(variables))
        self.set_aside = set_aside


def variable_number(number: VariableNumbers, name: object, option: str) -> int:
    """Return the number of a variable; raise an error that says why a name is none."""
    if isinstance(name, str) and name in number.set_aside:
        raise InvalidOption(f"names {name!r}, which was set aside, because it {number.set_aside[name]}", option=option)
    if not isinstance(name, str) or name not in number:
        raise InvalidOption(f"names {brief(name)}, which is not a variable{did_you_mean(name, number)}", option=option)
    return number[name]


def _by_child(number: VariableNumbers, edges: object, option: str) -> list[set[int]]:
    gathered: list[set[int]] = [set() for _ in number]
    if isinstance(edges, str) or not isinstance(edges, Iterable):
        raise InvalidOption(
            f"is {brief(edges)}; it must be a list of edges, each a pair (parent, child)", option=option
        )
    for edge in edges:
        if isinstance(edge, str) or not isinstance(edge, Sequence) or len(edge) != 2:
            raise InvalidOption(f"holds {brief(edge)}; an edge must be a pair (parent, child)", option=option)
        parent, child = (variable_number(number, name, option) for name in edge)
        if parent == child:
            raise InvalidOption(f"holds the edge {edge[0]!r} -> {edge[1]!r}, from a variable to itself", option=option)
        gathered[child].add(parent)
    return gathered


def _tiers(number: VariableNumbers, tiers: Sequence[Iterable[str]]) -> dict[int, int]:
    tier_of: dict[int, int] = {}
    if isinstance(tiers, str) or not isinstance(tiers, Sequence):
        raise InvalidOption(f"is {brief(tiers)}; it must be a sequence of collections of variables", option="tiers")
    for rank, tier in enumerate(tiers):
        if isinstance(tier, str) or not isinstance(tier, Iterable):
            raise InvalidOption(f"holds {brief(tier)}; each tier must be a collection of variables", option="tiers")
        for name in tier:
            variable = variable_number(number, name, "tiers")
            if variable in tier_of:
                raise InvalidOption(f"names {name!r} twice", option="tiers")
            tier_of[variable] = rank
    return tier_of


def _check_acyclic(variables: Sequence[str], parents: list[set[int]]) -> None:
    children: list[list[int]] = [[] for _ in variables]
    for child, required in enumerate(parents):
        for parent in required:
            children[parent].append(child)
    waiting = [len(required) for required in parents]
    placed = [v for v, count in enumerate(waiting) if not count]
    for parent in placed:
        for child in children[parent]:
            waiting[child] -= 1
            if not waiting[child]:
                placed.append(child)
    if left := ", ".join(repr(name) for name, count in zip(variables, waiting, strict=True) if count):
        raise InvalidOption(f"the required edges form a cycle among {left}")
