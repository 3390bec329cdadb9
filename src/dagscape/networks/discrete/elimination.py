r"""Exact inference by variable elimination [zhang1994]_ [koller2009]_.

The probability of some variables, the *targets*, together with observed values of others is a sum of products,

    P(t, e) = Σ_h Π_v P(x_v | x_pa(v)),

over the values h of all other variables. Summing over one variable at a time, in some order, and multiplying only the
factors that contain it, replaces the sum over all values by sums over small tables:

1. *Barren nodes are pruned*: a variable that is neither a target nor observed, and has no such descendant, sums to 1.
   What remains are the targets, the observed variables and their ancestors.
2. *Evidence is entered*: each table is restricted to the observed values. Variables with a single level count as
   observed.
3. *Variables are eliminated* one at a time: the factors that contain the variable are multiplied, and the product is
   summed over it, in the order of :mod:`dagscape.networks.discrete.elimination_order`.
4. The factors that remain contain targets only; their product is P(t, e).

Many rows of evidence on the same variables are processed together: a factor has a first axis for the rows, of length 1
if it does not depend on the evidence. A value that was set by an intervention is observed, but its own table is left
out, which cuts the edges from its parents [cooper1999]_.

*Accuracy.* Small factors are multiplied by a power of two in each row, whose logarithm is kept, so that any number of
observations is fine. If a product underflows all the same, which NumPy reports, the rows are computed again with
logarithms, which cannot underflow.

*Cost.* Time and memory grow with the largest product, which is exponential in the treewidth of the network. Its size is
known before anything is allocated.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dagscape.core.masks import bits, mask_of
from dagscape.core.resources import check_memory
from dagscape.networks.discrete.elimination_order import cells_of, elimination_order
from dagscape.networks.relevance import relevant_families, union_of

Floats = NDArray[np.float64]
Found = TypeVar("Found")

# Cells of the largest product of a block of rows: enough to amortise the calls, few enough for the cache.
BLOCK_CELLS = 2**18

# A product, the factors that enter it, and their shifted logarithms exist at the same time.
_BYTES_PER_CELL = 32

# Entries are rescaled where the largest of a row leaves this range: often enough, and seldom enough to cost little.
_SMALL, _LARGE = 2.0**-64, 2.0**64
# The factors that are multiplied before entries are rescaled: the product of so many is far from an underflow, mostly.
_BETWEEN_RESCALES = 8


class Joint(NamedTuple):
    """Probabilities of targets and evidence: ``values * exp(log_scale)``, the scale by row.

    Attributes
    ----------
    values : array, rows × one axis for each target
        Proportional to P(t, e) within each row; all zero if the evidence is impossible.
    log_scale : array, rows
        The logarithm of the factor of each row.
    """

    values: Floats
    log_scale: Floats

    @property
    def totals(self) -> Floats:
        """The sum of the values of each row; zero if the evidence is impossible."""
        return np.asarray(self.values.sum(axis=tuple(range(1, self.values.ndim))))

    def log_values(self) -> Floats:
        """Return ln P(t, e)."""
        shape = (-1, *[1] * (self.values.ndim - 1))
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.values) + self.log_scale.reshape(shape))


@dataclass(frozen=True, slots=True, eq=False)
class Tables:
    """The tables of a network, by number of the variable.

    Attributes
    ----------
    parents : sequence of int
        The parents of each variable, as a set of numbers.
    cpts : sequence of array
        The table of each variable: one axis for each parent, then one for the variable itself.

    Examples
    --------
    >>> wet = Tables([0, 0b01], [np.array([0.8, 0.2]), np.array([[0.9, 0.1], [0.0, 1.0]])])
    >>> joint = wet.joint([0], [1], np.array([[1], [0]]))
    >>> (joint.values / joint.totals[:, np.newaxis]).round(3).tolist()
    [[0.286, 0.714], [1.0, 0.0]]
    >>> np.exp(joint.log_values()).round(3).tolist()
    [[0.08, 0.2], [0.72, 0.0]]
    """

    parents: Sequence[int]
    cpts: Sequence[Floats]

    @property
    def arities(self) -> list[int]:
        """The number of levels of each variable."""
        return [cpt.shape[-1] for cpt in self.cpts]

    def joint(
        self,
        targets: Sequence[int],
        observed: Sequence[int],
        codes: NDArray[Any],
        chosen: int = 0,
        *,
        families: Sequence[int] | None = None,
        max_memory: int | str | None = None,
    ) -> Joint:
        """Return the joint probability of targets and evidence, for each row of evidence.

        Parameters
        ----------
        targets : sequence of int
            Distinct variables.
        observed : sequence of int
            Other variables.
        codes : array of int, rows × observed
            Their codes.
        chosen : int
            The observed variables that were set by an intervention, as a set.
        families : sequence of int, optional
            The tables to use, as :meth:`relevant_families` returns them. Default: all that are relevant.
        max_memory : int or str, optional
            The memory limit, such as ``"8GiB"``. Default: most of the available memory.
        """
        arities = self.arities
        families = self.relevant_families(targets, observed, chosen) if families is None else families
        fixed = self._fixed(observed)
        free = [target for target in targets if arities[target] > 1]
        scopes = [self._scope(v) & ~fixed for v in families]
        order, sizes = elimination_order(scopes, union_of(scopes) & ~mask_of(free), arities)
        cells = max([1, *sizes, cells_of(mask_of(free), arities)])
        if cells > BLOCK_CELLS or max_memory is not None:
            check_size(cells, max_memory)
        evidence = np.zeros((len(codes), len(arities)), dtype=np.intp)
        evidence[:, list(observed)] = codes
        block = max(1, BLOCK_CELLS // cells)
        found = [
            self._eliminated(families, fixed, order, free, evidence[start : start + block])
            for start in range(0, len(evidence), block)
        ]
        shape = (len(evidence), *(arities[target] for target in targets))
        values = np.concatenate([part.values for part in found]) if found else np.empty(shape)
        scales = np.concatenate([part.log_scale for part in found]) if found else np.empty(0)
        return Joint(values.reshape(shape), scales)

    def relevant_families(
        self, targets: Sequence[int], observed: Sequence[int], chosen: int, *, connected: bool = False
    ) -> tuple[int, ...]:
        """Return the variables whose tables enter the answer: those that are not barren, and were not set.

        With ``connected``, only those whose tables are connected to a target through variables that are not observed.
        The others give a factor that does not depend on the targets.

        Examples
        --------
        >>> half = np.full((2, 2), 0.5)
        >>> chain = Tables([0, 0b001, 0b010, 0b100], [half[0], half, half, half])
        >>> chain.relevant_families([1], [2, 0], 0), chain.relevant_families([2], [0, 1], 0, connected=True)
        ((0, 1, 2), (2,))
        """
        single = mask_of(v for v, arity in enumerate(self.arities) if arity == 1)
        asked, seen = mask_of(targets), mask_of(observed)
        return relevant_families(self.parents, asked, seen, chosen, single if connected else None)

    def needed(self, families: Sequence[int], observed: Sequence[int]) -> tuple[int, ...]:
        """Return the observed variables in some tables."""
        scope = union_of(map(self._scope, families))
        return tuple(v for v in observed if scope >> v & 1)

    def _scope(self, variable: int) -> int:
        return self.parents[variable] | 1 << variable

    def _fixed(self, observed: Sequence[int]) -> int:
        """Return the variables whose value is known: observed, or with a single level."""
        return mask_of(observed) | mask_of(v for v, arity in enumerate(self.arities) if arity == 1)

    def _eliminated(
        self, families: Sequence[int], fixed: int, order: list[int], targets: list[int], evidence: NDArray[np.intp]
    ) -> Joint:
        """Enter the evidence and eliminate variables, with probabilities or, if they underflow, with logarithms."""
        arities = self.arities
        factors = [self.restricted(variable, fixed, evidence) for variable in families]

        def compute(arithmetic: Arithmetic) -> Joint:
            represented = [Factor(scope, arithmetic.represent(values)) for scope, values in factors]
            return eliminated(represented, order, targets, arities, len(evidence), arithmetic)

        return without_underflow(compute)

    def restricted(self, variable: int, fixed: int, evidence: NDArray[np.intp]) -> Factor:
        """Return the table of a variable given the evidence, with its other variables in the order of their numbers."""
        scope = [*bits(self.parents[variable]), variable]
        known = [axis for axis, v in enumerate(scope) if fixed >> v & 1]
        rest = sorted((axis for axis, v in enumerate(scope) if not fixed >> v & 1), key=scope.__getitem__)
        axes = [*known, *rest]
        table = self.cpts[variable]
        if axes != sorted(axes):
            table = table.transpose(axes)
        if not known:
            values = table[np.newaxis]
        elif len(evidence) == 1:
            values = table[(np.newaxis, *(evidence[0, scope[axis]] for axis in known))]
        else:
            values = table[tuple(evidence[:, scope[axis]] for axis in known)]
        return Factor(mask_of(scope[axis] for axis in rest), values)


class Factor(NamedTuple):
    """A table over a set of variables: an axis for the rows, then one for each variable, in the order of numbers."""

    scope: int
    values: Floats


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """How entries are represented: entry, product, sum over an axis, and splitting off the scale of each row."""

    represent: Callable[[Floats], Floats]
    multiply: Callable[[Floats, Floats], Floats]
    add: Callable[[Floats, int], Floats]
    rescale: Callable[[Floats], tuple[Floats, Floats | None]]


def eliminated(
    factors: Sequence[Factor],
    order: list[int],
    targets: list[int],
    arities: Sequence[int],
    rows: int,
    arithmetic: Arithmetic,
) -> Joint:
    """Eliminate variables in the given order, and multiply the factors that remain.

    The entries of the factors are represented as the arithmetic says: for :data:`LOGARITHMS`, by their logarithms.
    """
    # Each factor waits for the first of its variables to be eliminated; the last bucket has those of targets only.
    places = {variable: place for place, variable in enumerate(order)}
    buckets: list[list[Factor]] = [[] for _ in range(len(order) + 1)]

    def put(factor: Factor) -> None:
        buckets[min((places[v] for v in bits(factor.scope) if v in places), default=len(order))].append(factor)

    for factor in factors:
        put(factor)
    log_scale = np.zeros(rows)
    for variable, used in zip(order, buckets, strict=False):
        scope, values, scales = _product(used, arities, arithmetic)
        if scales is not None:
            log_scale += scales
        axis = 1 + (scope & ((1 << variable) - 1)).bit_count()
        put(Factor(scope & ~(1 << variable), arithmetic.add(values, axis)))
    scope, values, scales = _product(buckets[-1], arities, arithmetic)
    if scales is not None:
        log_scale += scales
    shape = (rows, *(arities[v] if scope >> v & 1 else 1 for v in sorted(targets)))
    full = (rows, *(arities[v] for v in sorted(targets)))
    values = np.broadcast_to(np.broadcast_to(values, (rows, *values.shape[1:])).reshape(shape), full)
    values = values.transpose([0, *(1 + sorted(targets).index(target) for target in targets)])
    # The scales of the last product are split off, so that its logarithms are at most 0.
    return Joint(np.exp(values) if arithmetic is LOGARITHMS else values, log_scale)


def _product(
    factors: list[Factor], arities: Sequence[int], arithmetic: Arithmetic
) -> tuple[int, Floats, Floats | None]:
    """Return the scope of a product, its entries divided by a scale for each row, and the logarithm of that scale."""
    if not factors:
        return 0, arithmetic.represent(np.ones(1)), None
    # Small factors first, so that little is multiplied more than once.
    (scope, values), *others = sorted(factors, key=lambda factor: factor.values[0].size)
    log_scale: Floats | None = None
    for count, factor in enumerate(others, 1):
        union = scope | factor.scope
        left, right = aligned(scope, values, union, arities), aligned(factor.scope, factor.values, union, arities)
        scope, values = union, arithmetic.multiply(left, right)
        if count % _BETWEEN_RESCALES == 0:
            values, shift = arithmetic.rescale(values)
            log_scale = _sum(log_scale, shift)
    values, shift = arithmetic.rescale(values)
    return scope, values, _sum(log_scale, shift)


def _sum(log_scale: Floats | None, shift: Floats | None) -> Floats | None:
    """Return the sum of two scales; None is no scale."""
    return log_scale if shift is None else shift if log_scale is None else log_scale + shift


def aligned(scope: int, values: Floats, union: int, arities: Sequence[int]) -> Floats:
    """Return a factor with an axis of length 1 for each variable of a larger set that it lacks.

    >>> aligned(0b10, np.ones((1, 3)), 0b11, [2, 3]).shape
    (1, 1, 3)
    """
    if scope == union:
        return values
    return values.reshape(len(values), *(arities[v] if scope >> v & 1 else 1 for v in bits(union)))


def _largest(values: Floats) -> Floats:
    return np.asarray(values.max(axis=tuple(range(1, values.ndim)), keepdims=True))


def _rescale_probabilities(values: Floats) -> tuple[Floats, Floats | None]:
    if len(values) == 1 and _SMALL < values.max() < _LARGE:
        return values, None
    top = _largest(values)
    if top.min() > _SMALL and top.max() < _LARGE:
        return values, None
    # By a power of two, so that nothing is rounded. An impossible row stays zero.
    exponent = np.maximum(np.frexp(top)[1], -1000)
    return values * np.ldexp(1.0, -exponent), exponent.reshape(len(values)) * math.log(2)


def _rescale_logarithms(values: Floats) -> tuple[Floats, Floats]:
    top = _largest(values)
    top = np.where(np.isfinite(top), top, 0.0)
    return values - top, top.reshape(len(values))


def _add_logarithms(values: Floats, axis: int) -> Floats:
    top = values.max(axis=axis, keepdims=True)
    top = np.where(np.isfinite(top), top, 0.0)
    return np.asarray(np.log(np.exp(values - top).sum(axis=axis)) + top.squeeze(axis))


_PROBABILITIES = Arithmetic(
    lambda values: values, np.multiply, lambda values, axis: values.sum(axis=axis), _rescale_probabilities
)
LOGARITHMS = Arithmetic(np.log, np.add, _add_logarithms, _rescale_logarithms)


def without_underflow(compute: Callable[[Arithmetic], Found]) -> Found:
    """Return what is computed with probabilities or, if one of them underflows, with logarithms."""
    with suppress(FloatingPointError), np.errstate(under="raise", divide="ignore"):
        return compute(_PROBABILITIES)
    with np.errstate(under="ignore", divide="ignore"):
        return compute(LOGARITHMS)


def check_size(cells: int, max_memory: int | str | None) -> None:
    """Raise :class:`TooLarge` if products of so many cells need more memory than there may be."""
    what = f"the tables of exact inference, of up to {cells:.3g} probabilities,"
    remedy = "give the values of more variables, or use a network with fewer parents"
    check_memory(_BYTES_PER_CELL * cells, max_memory, what, remedy)
