r"""Exact inference in networks with measured variables [lauritzen1992]_.

In a given state of the discrete variables, the measured ones are jointly normal. The answer about a discrete variable
is therefore a sum over states, and that about a measured one a mixture of normal distributions:

1. Barren families are pruned, and those that say nothing about the target (:mod:`dagscape.networks.relevance`).
2. The measured variables fall into blocks that share hidden ones (:mod:`dagscape.networks.gaussian.blocks`). Hidden
   variables are integrated out exactly, which makes of each block a table: the density of its observed variables, for
   each state of its discrete parents that are not observed, its *interface*. The block of a measured target also gives
   the mean and the variance of the target in each state.
3. These tables and those of the discrete variables are multiplied, and the discrete variables that nobody asked for
   are summed out, by variable elimination (:mod:`dagscape.networks.discrete.elimination`), with logarithms throughout.

So only the states of one interface at a time are enumerated, not those of all discrete variables. With complete rows,
every block is a single variable, and no covariance matrix is needed.

*Cost.* For each pattern of observed variables, and each state of the observed discrete parents of a block, one QR
decomposition for each state of its interface. The number of these states, and the largest product of tables, are known
before anything is allocated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dagscape.core.masks import bits, mask_of
from dagscape.core.resources import check_memory
from dagscape.core.wording import plural
from dagscape.networks.discrete.elimination import (
    BLOCK_CELLS,
    LOGARITHMS,
    Factor,
    Joint,
    check_size,
    eliminated,
)
from dagscape.networks.discrete.elimination_order import cells_of, elimination_order
from dagscape.networks.gaussian.blocks import (
    Block,
    BlockSystem,
    Prediction,
    blocks_of,
    grouped,
    interface_shape,
    observed_factor,
)
from dagscape.networks.gaussian.model import Floats, Integers, LinearModel
from dagscape.networks.relevance import relevant_families, union_of


@dataclass(frozen=True, slots=True, eq=False)
class Mixed:
    """A mixture of normal distributions for each row: rows × components.

    Attributes
    ----------
    weights, means, sds : array
        The share of each component, its mean and its standard deviation.
    """

    weights: Floats
    means: Floats
    sds: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Question:
    """A question about rows in which the same variables are known.

    Parameters
    ----------
    model : LinearModel
        The network.
    target : int or None
        The variable in question; None for the density of what is known.
    known : int
        The variables whose value is known, as a set.
    chosen : int
        Those of them that were set, which says nothing about their parents.
    max_memory : int, str or None
        The limit of memory.
    """

    model: LinearModel
    target: int | None
    known: int
    chosen: int
    max_memory: int | str | None = None

    def families(self) -> tuple[int, ...]:
        """Return the variables whose families enter the answer."""
        if self.target is None:
            return relevant_families(self.model.parents, 0, self.known, self.chosen)
        single = mask_of(v for v, arity in enumerate(self.model.arities) if arity == 1) & ~self.model.measured
        return relevant_families(self.model.parents, 1 << self.target, self.known, self.chosen, single)

    def needed(self) -> int:
        """Return the known variables that the answer depends on, as a set."""
        scopes = [self.model.parents[v] | 1 << v for v in self.families()]
        return union_of(scopes) & self.known

    def log_density(self, codes: Integers, values: Floats) -> Floats:
        """Return the logarithm of the density of what is known, by row: minus infinity if it is impossible."""
        joint, _ = self._answer(codes, values)
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(joint.values) + joint.log_scale)

    def shares(self, codes: Integers, values: Floats) -> tuple[Floats, NDArray[np.bool_]]:
        """Return the probability of each level of a discrete target, rows × levels, and which rows are possible.

        In an impossible row, the levels are equally probable.
        """
        joint, _ = self._answer(codes, values)
        return _normalised(joint)

    def mixture(self, codes: Integers, values: Floats) -> tuple[Mixed, NDArray[np.bool_]]:
        """Return the distribution of a measured target, and which rows are possible."""
        joint, found = self._answer(codes, values)
        assert found is not None
        weights, possible = _normalised(joint)
        return Mixed(weights, *(part.reshape(len(codes), -1) for part in found)), possible

    def _answer(self, codes: Integers, values: Floats) -> tuple[Joint, Prediction | None]:
        """Return the joint density of the known values and the states in question, and the target in each of them."""
        families = self.families()
        blocks = blocks_of(self.model, families, self.known)
        measured = self.target is not None and self.target in self.model.regressions
        own = next((block for block in blocks if measured and self.target in block.families), None)
        asked = own.interface if own is not None else 0 if self.target is None else 1 << self.target
        plan = _Plan.of(self, families, blocks, asked)
        found = [
            plan.run(codes[start : start + plan.rows], values[start : start + plan.rows], own)
            for start in range(0, max(1, len(codes)), plan.rows)
        ]
        joint = Joint(*(np.concatenate(parts) for parts in zip(*(part for part, _ in found), strict=True)))
        if own is None:
            return joint, None
        predictions = [prediction for _, prediction in found if prediction is not None]
        return joint, Prediction(*(np.concatenate(parts) for parts in zip(*predictions, strict=True)))


@dataclass(frozen=True, slots=True, eq=False)
class _Plan:
    """What is multiplied and summed out for a question, and how many rows at a time.

    Attributes
    ----------
    question : Question
        The question.
    discrete : tuple of int
        The discrete variables whose tables enter.
    blocks : sequence of Block
        Those of the measured variables.
    order, asked : list of int
        The discrete variables to sum out, and those to keep.
    rows : int
        How many rows are answered together.
    """

    question: Question
    discrete: tuple[int, ...]
    blocks: Sequence[Block]
    order: list[int]
    asked: list[int]
    rows: int

    @classmethod
    def of(cls, question: Question, families: Sequence[int], blocks: Sequence[Block], asked: int) -> _Plan:
        model = question.model
        single = mask_of(v for v, arity in enumerate(model.arities) if arity == 1)
        discrete = tuple(v for v in families if v not in model.regressions)
        scopes = [(model.parents[v] | 1 << v) & ~question.known & ~single for v in discrete]
        scopes += [block.interface & ~single for block in blocks]
        free = asked & ~single
        widest = max((_check_block(model, block, question.max_memory) for block in blocks), default=1)
        order, sizes = elimination_order(scopes, union_of(scopes) & ~free, model.arities)
        cells = max([1, *sizes, cells_of(free, model.arities)])
        if cells > BLOCK_CELLS or question.max_memory is not None:
            check_size(cells, question.max_memory)
        cells = max(cells, widest)
        return cls(question, discrete, blocks, order, list(bits(free)), max(1, BLOCK_CELLS // cells))

    def run(self, codes: Integers, values: Floats, own: Block | None) -> tuple[Joint, Prediction | None]:
        """Answer some rows."""
        question, model = self.question, self.question.model
        arities = model.arities
        single = mask_of(v for v, arity in enumerate(arities) if arity == 1)
        # A variable with a single level has that one.
        evidence = np.where(codes < 0, 0, codes)
        prediction = None
        factors = []
        for v in self.discrete:
            scope, table = model.tables.restricted(v, question.known | single, evidence)
            with np.errstate(divide="ignore"):
                factors.append(Factor(scope, np.log(table)))
        for block in self.blocks:
            target = question.target if block is own else None
            # The square of a number that is far from all that is expected may overflow: its density is 0.
            with np.errstate(over="ignore"):
                (scope, logs), found = _block_factor(model, block, question.known, evidence, values, target)
            prediction = found or prediction
            # An axis of length 1 is none to the elimination.
            shape = interface_shape(model, scope & ~single)
            factors.append(Factor(scope & ~single, logs.reshape(len(logs), *shape)))
        with np.errstate(divide="ignore"):
            joint = eliminated(factors, self.order, self.asked, arities, len(codes), LOGARITHMS)
        shape = (len(codes),) if question.target is None else (len(codes), -1)
        return Joint(joint.values.reshape(shape), joint.log_scale), prediction


def _check_block(model: LinearModel, block: Block, max_memory: int | str | None) -> int:
    """Refuse a block whose states need too much memory; return how many numbers a row needs."""
    states, size = math.prod(interface_shape(model, block.interface)), len(block.families)
    if states * size > BLOCK_CELLS or max_memory is not None:
        variables = plural(size, "measured variable")
        what = f"{variables} in each of the {states:,} states of the discrete variables that they depend on"
        # Four square matrices, and as many vectors.
        check_memory(32 * states * size * (size + 1), max_memory, what, _REMEDY)
    return states * size


_REMEDY = "give the values of some of these discrete variables, or use a network in which they have fewer children"


def _block_factor(
    model: LinearModel, block: Block, known: int, codes: Integers, values: Floats, target: int | None
) -> tuple[Factor, Prediction | None]:
    """Return the log-density of the observed variables of a block, and the distribution of a target in it."""
    hidden = model.measured & ~known
    (first, *more) = block.families
    if not more and not (model.parents[first] | 1 << first) & hidden:
        return observed_factor(model, block, codes, values), None
    shape = interface_shape(model, block.interface)
    count = math.prod(shape)
    logs = np.zeros((len(codes), count))
    means, sds = np.zeros((2, len(codes), count))
    parents = union_of(model.parents[v] for v in block.families) & ~model.measured & ~block.interface
    for rows in grouped(codes, list(bits(parents))):
        system = BlockSystem.of(model, block, known, codes[rows[0]] if len(rows) else codes[:0].sum(axis=0))
        logs[rows], found = system.solve(values[rows], target)
        if found is not None:
            means[rows], sds[rows] = found
    factor = Factor(block.interface, logs.reshape(len(codes), *shape))
    return factor, None if target is None else Prediction(means, sds)


def _normalised(joint: Joint) -> tuple[Floats, NDArray[np.bool_]]:
    """Return shares that sum to 1 in each row, and whether the row is possible; equal shares if it is not."""
    totals = joint.values.sum(axis=1, keepdims=True)
    equal = np.full(joint.values.shape, 1 / joint.values.shape[1])
    shares = np.divide(joint.values, totals, out=equal, where=totals > 0)
    return np.asarray(shares), totals[:, 0] > 0
