r"""Exact inference for many rows at once that each observe other variables: bucket trees [dechter1999]_ [koller2009]_.

Variable elimination (:mod:`dagscape.networks.discrete.elimination`) answers one question about one set of observed
variables. Expected counts ask for the distribution of every family, in rows with holes in different places. A bucket
tree answers it all with two passes:

1. *Collect.* Variables are eliminated in some order. The *bucket* of a variable multiplies the factors and messages
   that contain it, a product over its *scope*; summed over the variable, the product is the message to the bucket of
   the scope's next variable. The scope without the variable is the *separator*.
2. *Distribute.* In reverse order, the *belief* of a bucket, the distribution of its scope given all that the row shows,
   is the belief of the separator, which the receiver of the message has, times the product divided by its sum: the
   distribution of the bucket's variable given the separator.

In place of the second pass, variables can be drawn in reverse order, each given its separator: exact samples of all
holes together. What a row observes enters as an indicator, 1 for the observed level and 0 for the others, so that rows
with different holes share the tree, and every step is one operation on the arrays of all rows.

*Accuracy.* Products are rescaled in each row, so that any number of observations is fine. A state that is far behind
others may still win by what other buckets say. So if an entry of any row underflows, the rows are computed again with
logarithms, as in :mod:`dagscape.networks.discrete.elimination`.

*Cost.* Time and memory are the rows times the cells of all products, which are known from the scopes alone.

*Notation*: sets are bit masks; the axes of a factor are the rows, then its variables in the order of their numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagscape.core.masks import bits
from dagscape.networks.discrete.elimination import LOGARITHMS, Arithmetic, Factor, aligned, without_underflow
from dagscape.networks.discrete.elimination_order import cells_of, elimination_order
from dagscape.networks.relevance import union_of

Floats = NDArray[np.float64]

# The factors that are multiplied before entries are rescaled: a product of so many hardly ever underflows.
_BETWEEN_RESCALES = 6


@dataclass(frozen=True, slots=True)
class BucketTree:
    """The buckets of some factors.

    Attributes
    ----------
    order : tuple of int
        The variables, in the order of their elimination.
    scopes : tuple of int
        The scope of each bucket, as a set.
    receivers : tuple of int
        The bucket that gets the message; -1 for none.
    homes : tuple of int
        The bucket of each factor.
    arities : tuple of int
        The number of levels of every variable.

    Examples
    --------
    >>> tree = BucketTree.of([0b001, 0b011, 0b110], [2, 2, 2])
    >>> tree.order, tree.scopes, tree.receivers, tree.cells
    ((0, 1, 2), (3, 6, 4), (1, 2, -1), 10)
    """

    order: tuple[int, ...]
    scopes: tuple[int, ...]
    receivers: tuple[int, ...]
    homes: tuple[int, ...]
    arities: tuple[int, ...]

    @classmethod
    def of(cls, scopes: Sequence[int], arities: Sequence[int]) -> BucketTree:
        """Return the tree of factors with these scopes, none of them empty."""
        order, _ = elimination_order(scopes, union_of(scopes), arities)
        place = {variable: number for number, variable in enumerate(order)}
        homes = tuple(min(place[v] for v in bits(scope)) for scope in scopes)
        joined, receivers = [1 << v for v in order], []
        for scope, home in zip(scopes, homes, strict=True):
            joined[home] |= scope
        for number, variable in enumerate(order):
            separator = joined[number] & ~(1 << variable)
            receivers.append(min((place[v] for v in bits(separator)), default=-1))
            if separator:
                joined[receivers[-1]] |= separator
        return cls(tuple(order), tuple(joined), tuple(receivers), homes, tuple(arities))

    @property
    def sizes(self) -> list[int]:
        """The number of cells of each product."""
        return [cells_of(scope, self.arities) for scope in self.scopes]

    @property
    def cells(self) -> int:
        """The number of cells of all products."""
        return sum(self.sizes)

    def collect(self, factors: Sequence[Factor], rows: int) -> Collected:
        """Multiply factors, in the order of the scopes that the tree was made of, for some rows.

        Each bucket multiplies its factors in that order. If those come first that rule out states, fewer underflow.
        """

        def compute(arithmetic: Arithmetic) -> Collected:
            represented = [Factor(scope, arithmetic.represent(values)) for scope, values in factors]
            return self._collected(represented, rows, arithmetic)

        return without_underflow(compute)

    def _collected(self, factors: Sequence[Factor], rows: int, arithmetic: Arithmetic) -> Collected:
        """Multiply factors whose entries are represented as the arithmetic says."""
        waiting: list[list[Factor]] = [[] for _ in self.order]
        for factor, home in zip(factors, self.homes, strict=True):
            waiting[home].append(factor)
        conditionals, log_scale = [], np.zeros(rows)
        for number, variable in enumerate(self.order):
            scope = self.scopes[number]
            product = arithmetic.represent(np.ones((1, *[1] * scope.bit_count())))
            for count, factor in enumerate(waiting[number], 1):
                product = arithmetic.multiply(product, aligned(factor.scope, factor.values, scope, self.arities))
                if count % _BETWEEN_RESCALES == 0:
                    product, shift = arithmetic.rescale(product)
                    log_scale += 0.0 if shift is None else shift
            full = tuple(self.arities[v] for v in bits(scope))
            product = np.broadcast_to(product, (len(product), *full))
            axis = _axis(scope, variable)
            total = arithmetic.add(product, axis)
            conditionals.append(_divided(product, np.expand_dims(total, axis), arithmetic))
            message, shift = arithmetic.rescale(total)
            log_scale += 0.0 if shift is None else shift
            if self.receivers[number] >= 0:
                waiting[self.receivers[number]].append(Factor(scope & ~(1 << variable), message))
            else:
                log_scale += message if arithmetic is LOGARITHMS else np.log(message)
        return Collected(self, tuple(conditionals), log_scale)


class Collected(NamedTuple):
    """What the first pass leaves.

    Attributes
    ----------
    tree : BucketTree
        The buckets.
    conditionals : tuple of array
        For each bucket, the distribution of its variable given the separator and what the buckets before it show, over
        its scope; of one row, if all rows have the same. Zeros where that is impossible.
    log_probabilities : array
        The logarithm of the sum of all products, by row: the probability of what the row shows.
    """

    tree: BucketTree
    conditionals: tuple[Floats, ...]
    log_probabilities: Floats

    def beliefs(self) -> list[Floats]:
        """Return the distribution of each bucket's scope given what each row shows; of impossible rows, zeros."""
        tree = self.tree
        possible = np.isfinite(self.log_probabilities).astype(np.float64)
        found: list[Floats] = [np.empty(0)] * len(tree.order)
        for number in reversed(range(len(tree.order))):
            scope, receiver = tree.scopes[number], tree.receivers[number]
            separator = scope & ~(1 << tree.order[number])
            above = possible if receiver < 0 else summed_to(tree.scopes[receiver], found[receiver], separator)
            found[number] = self.conditionals[number] * np.expand_dims(above, _axis(scope, tree.order[number]))
        return found

    def draw(self, uniforms: Floats) -> NDArray[np.int64]:
        """Return a draw of all variables of the tree for each row, given what the row shows.

        Parameters
        ----------
        uniforms : array, rows × variables of the tree, in the order of elimination
            Uniform random numbers.

        Returns
        -------
        array of int, rows × all variables
            The codes; of variables that the tree lacks, 0.
        """
        tree, rows = self.tree, np.arange(len(uniforms))
        codes = np.zeros((len(uniforms), len(tree.arities)), dtype=np.int64)
        for number in reversed(range(len(tree.order))):
            variable, scope = tree.order[number], tree.scopes[number]
            conditional = np.moveaxis(self.conditionals[number], _axis(scope, variable), -1)
            given = tuple(codes[:, v] for v in bits(scope & ~(1 << variable)))
            weights = conditional[(rows if len(conditional) > 1 else np.zeros_like(rows), *given)]
            cumulative = np.cumsum(weights, axis=1)
            # The last sum times a number below 1 may round to that sum; levels of probability 0 are never drawn.
            threshold = np.minimum(uniforms[:, number] * cumulative[:, -1], np.nextafter(cumulative[:, -1], 0))
            codes[:, variable] = (cumulative <= threshold[:, np.newaxis]).sum(axis=1)
        return codes


def summed_to(scope: int, values: Floats, kept: int) -> Floats:
    """Return a factor over a set of variables, summed over those that are not kept.

    >>> summed_to(0b11, np.arange(4.0).reshape(1, 2, 2), 0b10).tolist()
    [[2.0, 4.0]]
    """
    axes = tuple(1 + place for place, v in enumerate(bits(scope)) if not kept >> v & 1)
    return np.asarray(values.sum(axis=axes)) if axes else values


def _axis(scope: int, variable: int) -> int:
    """Return the axis of a variable in a factor."""
    return 1 + (scope & ((1 << variable) - 1)).bit_count()


def _divided(product: Floats, total: Floats, arithmetic: Arithmetic) -> Floats:
    """Return the quotients of represented numbers as probabilities; 0 where nothing is divided by nothing."""
    # What underflows here is negligible: it is compared with nothing but the other states of the same variable.
    with np.errstate(under="ignore"):
        if arithmetic is LOGARITHMS:
            return np.exp(product - np.where(np.isfinite(total), total, 0.0))
        return np.divide(product, total, out=np.zeros(product.shape), where=total > 0)
