"""The parts of a structure prior that name variables: log-odds of edges, and log weights of families.

Users give them as arrays, data frames, mappings or callables. They are checked here, once, and numbered.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidOption, argument, brief
from dagscape.data.values import Frame
from dagscape.scores.constraints import VariableNumbers, variable_number
from dagscape.scores.tables.lattice import parent_sets

OPTION = "structure_prior"

# The largest log-odds of an edge, as of an edge penalty, and the largest log weight that a callable may return. The
# second coarsens the unit of scores, because it is not known before all families are weighed.
LARGEST_ODDS = 1e6
LARGEST_WEIGHT = 1e4

# The families whose weights make the digest of a callable, and the weights that it remembers.
_PROBES = 2048
_PROBED = 12
_REMEMBERED = 1 << 16

# (child, parents): numbers, parents increasing.
Family = tuple[int, tuple[int, ...]]


class OddsOption(dict[tuple[str, str], float]):
    """Log-odds by (parent, child) that were given by an option of their own, which messages name."""

    option = "prior_edges"


def edge_odds(given: Any, number: VariableNumbers) -> NDArray[np.float64]:
    """Return checked log-odds [parent, child] from an array, a data frame or a mapping; the diagonal is 0."""
    option = given.option if isinstance(given, OddsOption) else OPTION
    odds = pair_matrix(given, number, option, "log-odds of edges", "parents", "children")
    names = list(number)
    wrong = np.isnan(odds) | (odds == np.inf) | (np.isfinite(odds) & (np.abs(odds) > LARGEST_ODDS))
    for parent, child in np.argwhere(wrong).tolist():
        edge = f"gives the edge {names[parent]!r} -> {names[child]!r} the log-odds {odds[parent, child]:g}"
        if odds[parent, child] == np.inf:
            raise InvalidOption(
                f"{edge}; for an edge that every network has, use {argument('required')}", option=option
            )
        raise InvalidOption(
            f"{edge}; log-odds must be numbers between {-LARGEST_ODDS:g} and {LARGEST_ODDS:g}, "
            "or -inf for edges that no network has",
            option=option,
        )
    return odds


def pair_matrix(
    given: Any, number: VariableNumbers, option: str, what: str, rows: str, columns: str
) -> NDArray[np.float64]:
    """Return numbers for ordered pairs of variables as a matrix with the diagonal 0.

    Parameters
    ----------
    given : array, data frame or mapping
        A matrix, a pandas data frame with names as index and columns, or a mapping from pairs of names. Pairs that a
        frame or a mapping lacks have 0.
    number : VariableNumbers
        The numbers of the variables.
    option, what, rows, columns : str
        The argument, what the numbers are, and what its rows and columns are, in messages.
    """
    n = len(number)
    if isinstance(given, Mapping):
        matrix = np.zeros((n, n))
        for (first, second), value in given.items():
            if first == second:
                raise InvalidOption(f"has the pair of {first!r} and itself", option=option)
            cell = variable_number(number, first, option), variable_number(number, second, option)
            matrix[cell] = as_number(value, f"the pair ({first!r}, {second!r})", option)
        return matrix
    if isinstance(given, np.ndarray):
        cells, places = given, [list(range(n))] * 2
        right = given.shape == (n, n)
    else:
        cells, places = _frame_cells(given, number, option, what)
        right = True
    if not right or cells.dtype.kind not in "fiub":
        raise InvalidOption(
            f"is an array of shape {cells.shape} and type {cells.dtype}; a matrix of {what} must have {n} rows "
            f"({rows}) and {n} columns ({columns}) of numbers",
            option=option,
        )
    matrix = np.zeros((n, n))
    matrix[np.ix_(*places)] = cells
    np.fill_diagonal(matrix, 0.0)
    return matrix


def _frame_cells(frame: Frame, number: VariableNumbers, option: str, what: str) -> tuple[NDArray[Any], list[list[int]]]:
    """Return the cells of a data frame, and the numbers of the variables of its rows and columns."""
    if not hasattr(frame, "index") or not hasattr(frame, "to_numpy"):
        raise InvalidOption(
            f"is a data frame without an index; {what} need one of pandas, with names of variables as index and "
            "columns, or a mapping from pairs of names",
            option=option,
        )
    places = []
    for side, labels in (("index", list(frame.index)), ("columns", list(frame.columns))):
        if len(set(labels)) < len(labels):
            raise InvalidOption(f"is a data frame whose {side} names a variable twice", option=option)
        places.append([variable_number(number, label, option) for label in labels])
    return frame.to_numpy(), places


def as_number(value: Any, what: str, option: str = OPTION) -> float:
    """Return a number given by a user for something."""
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InvalidOption(f"gives {what} {brief(value)}, which is not a number", option=option) from None


class FamilyWeights:
    """The log weights of families, by a table or a function of a user.

    Parameters
    ----------
    names : sequence of str
        The names of the variables.
    function : callable
        ``function(child, parents)``: the log weight of a family, from the names of its child and, in the order of the
        variables, of its parents.
    max_parents : int
        The largest number of parents of a family.
    """

    __slots__ = ("_function", "_known", "_names", "name")

    def __init__(
        self, names: Iterable[str], function: Callable[[str, tuple[str, ...]], float], max_parents: int
    ) -> None:
        self._names = tuple(names)
        self._function = function
        self._known: dict[Family, float] = {}
        called = getattr(function, "__qualname__", type(function).__qualname__)
        self.name = f"family weights {called.rpartition('.')[2]} (sha {self._digest(max_parents)})"

    @property
    def bound(self) -> float:
        """A bound on the absolute values of finite weights."""
        return LARGEST_WEIGHT

    def of(self, child: int, parents: tuple[int, ...]) -> float:
        """Return the checked log weight of a family; it is evaluated again only if many others were since."""
        family = child, parents
        weight = self._known.get(family)
        if weight is None:
            weight = self._evaluated(child, parents)
            # Chains ask from several threads, so another may have removed the same ones.
            if len(self._known) >= _REMEMBERED:
                for oldest in list(islice(self._known, _REMEMBERED // 2)):
                    self._known.pop(oldest, None)
            self._known[family] = weight
        return weight

    def of_sets(self, child: int, sets: NDArray[np.int64]) -> list[float]:
        """Return the log weights of many families of a child, whose parents are rows of increasing numbers."""
        return [self.of(child, tuple(row)) for row in sets.tolist()]

    def _evaluated(self, child: int, parents: tuple[int, ...]) -> float:
        names = self._names[child], tuple(self._names[parent] for parent in parents)
        given = self._function(*names)
        weight = as_number(given, f"the family of {names[0]!r} with parents {list(names[1])}")
        check_weight(weight, *names)
        return weight

    def _digest(self, max_parents: int) -> str:
        """Return a digest of the weights of the first families, smallest first: of all, if there are few."""
        digest, left, n = hashlib.sha256(), _PROBES, len(self._names)
        for size in range(max_parents + 1):
            for child in range(n):
                if not left:
                    break
                # Among the first variables: there may be millions of sets of all.
                rows = parent_sets(min(n, max(child + 1, _PROBED)), child, size)[:left]
                digest.update(repr(self.of_sets(child, rows)).encode())
                left -= len(rows)
        return digest.hexdigest()[:8]


class ListedWeights(FamilyWeights):
    """The log weights of listed families; those of all others are 0.

    Parameters
    ----------
    number : VariableNumbers
        The numbers of the variables.
    given : mapping
        The log weights by (child, parents).
    """

    __slots__ = ("listed",)

    def __init__(self, number: VariableNumbers, given: Mapping[Any, Any]) -> None:
        self.listed: dict[Family, float] = {}
        for (child, parents), value in given.items():
            key = variable_number(number, child, OPTION), _numbered(number, child, parents)
            if key in self.listed:
                raise InvalidOption(
                    f"weighs the family of {child!r} with parents {sorted(parents)} twice", option=OPTION
                )
            weight = as_number(value, f"the family of {child!r} with parents {list(parents)}")
            check_weight(weight, child, parents)
            self.listed[key] = weight
        digest = hashlib.sha256(repr(sorted(self.listed.items())).encode()).hexdigest()[:8]
        self.name = f"family weights (sha {digest})"

    @property
    def bound(self) -> float:
        """The largest absolute value of a finite weight."""
        return max((abs(weight) for weight in self.listed.values() if weight != -math.inf), default=0.0)

    def of(self, child: int, parents: tuple[int, ...]) -> float:
        """Return the log weight of a family."""
        return self.listed.get((child, parents), 0.0)


def _numbered(number: VariableNumbers, child: Any, parents: Collection[Any]) -> tuple[int, ...]:
    key = tuple(sorted(variable_number(number, parent, OPTION) for parent in parents))
    if number[child] in key or len(set(key)) < len(key):
        raise InvalidOption(f"lists a parent of {child!r} twice, or the child itself", option=OPTION)
    return key


def check_weight(weight: float, child: str, parents: Collection[str]) -> None:
    """Refuse a log weight of a family that is no number, or too large."""
    if not (weight == -math.inf or abs(weight) <= LARGEST_WEIGHT):
        raise InvalidOption(
            f"gives the family of {child!r} with parents {list(parents)} the log weight {weight:g}; log weights must "
            f"be numbers between {-LARGEST_WEIGHT:g} and {LARGEST_WEIGHT:g}, or -inf for impossible families",
            option=OPTION,
        )
