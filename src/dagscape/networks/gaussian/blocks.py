r"""Blocks of measured variables: the density of what is observed, and the distribution of a variable that is not.

In a given state of the discrete variables, the measured ones are jointly normal. Those whose families share a variable
that is not observed form a *block*. With the values of observed parents entered, each variable of a block is

.. math:: x_i = a_i + \sum_{j\ hidden} b_{ij} x_j + s_i z_i

with independent standard normal errors *z*, so that :math:`x = μ + A z`, where, parents first, μ and the rows of *A*
follow from those of the parents: *A* is a square root of the covariance matrix. With the rows of the observed variables
*E*, and :math:`A_E^T = Q R`,

.. math:: \ln p(x_E) = -\frac{|w|^2}{2} - \sum_i \ln |R_{ii}| - \frac{|E|}{2} \ln 2π, \qquad R^T w = x_E - μ_E,

and a hidden variable *t* is normal with the mean :math:`μ_t + A_t Q w` and the variance
:math:`|A_t - A_t Q Q^T|^2`. No covariance matrix is formed or inverted, so that variables which nearly determine each
other cost few digits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dagscape.core.masks import bits
from dagscape.networks.discrete.elimination import Factor
from dagscape.networks.gaussian.model import Floats, Integers, LinearModel

_LOG_ROOT = 0.5 * math.log(2 * math.pi)


class Block(NamedTuple):
    """Families of measured variables that share hidden ones.

    Attributes
    ----------
    families : tuple of int
        The variables, parents first.
    interface : int
        The discrete parents that are not observed, as a set.
    """

    families: tuple[int, ...]
    interface: int


class Prediction(NamedTuple):
    """The distribution of a hidden variable, for each row and each state of the interface.

    Attributes
    ----------
    mean, sd : array, rows × one axis for each variable of the interface
        Of the normal distribution in this state.
    """

    mean: Floats
    sd: Floats


def blocks_of(model: LinearModel, families: Sequence[int], known: int) -> list[Block]:
    """Return the blocks of the measured variables among some families.

    Parameters
    ----------
    model : LinearModel
        The network.
    families : sequence of int
        The families that matter.
    known : int
        The variables whose value is known, as a set.
    """
    hidden = model.measured & ~known
    groups: list[tuple[int, int]] = []
    for v in families:
        if v not in model.regressions:
            continue
        members, shared = 1 << v, (model.parents[v] | 1 << v) & hidden
        apart = []
        for others, theirs in groups:
            if theirs & shared:
                members, shared = members | others, shared | theirs
            else:
                apart.append((others, theirs))
        groups = [*apart, (members, shared)]
    place = {v: number for number, v in enumerate(model.order)}
    discrete = ~(model.measured | known)
    return [
        Block(
            tuple(sorted(bits(members), key=place.__getitem__)),
            sum(1 << d for d in bits(_parents_of(model, members) & discrete)),
        )
        for members, _ in groups
    ]


def _parents_of(model: LinearModel, members: int) -> int:
    union = 0
    for v in bits(members):
        union |= model.parents[v]
    return union


def interface_shape(model: LinearModel, interface: int) -> tuple[int, ...]:
    """Return the number of levels of each variable of an interface."""
    return tuple(model.arities[d] for d in bits(interface))


def observed_factor(model: LinearModel, block: Block, codes: Integers, values: Floats) -> Factor:
    """Return the log-density of an observed variable whose measured parents are all observed, by row and state.

    Parameters
    ----------
    model : LinearModel
        The network.
    block : Block
        A single family.
    codes, values : array, rows × variables
        What is known.
    """
    (variable,) = block.families
    shape = interface_shape(model, block.interface)
    terms = model.terms(variable, _states(model, block, codes))
    # Rows, then a single axis for the states of the interface.
    mean = terms.intercept + _products(terms.coefficients, values[:, model.measured_parents(variable)])
    error = (values[:, variable, np.newaxis] - mean) / terms.sd
    logs = -0.5 * error * error - np.log(terms.sd) - _LOG_ROOT
    return Factor(block.interface, np.broadcast_to(logs, (len(codes), math.prod(shape))).reshape(len(codes), *shape))


def _products(coefficients: Floats, values: Floats) -> Floats:
    """Return the sum of coefficients (rows or 1 × states × parents) times the values of the parents, by row."""
    total = np.zeros(coefficients.shape[:-1])
    for place in range(coefficients.shape[-1]):
        total = total + coefficients[..., place] * values[:, place, np.newaxis]
    return total


def _states(model: LinearModel, block: Block, codes: Integers) -> dict[int, Integers]:
    """Return the codes of the discrete parents of a block: rows × 1 if known, and 1 × states if not."""
    shape = interface_shape(model, block.interface)
    hidden = list(bits(block.interface))
    grid = np.indices(shape).reshape(len(hidden), 1, math.prod(shape))
    found: dict[int, Integers] = dict(zip(hidden, grid, strict=True))
    for v in block.families:
        for parent in model.discrete_parents(v):
            if parent not in found:
                found[parent] = codes[:, parent, np.newaxis]
    return found


@dataclass(frozen=True, slots=True, eq=False)
class BlockSystem:
    """The linear system of a block in one state of the known discrete parents, for each state of the interface."""

    model: LinearModel
    block: Block
    known: int
    terms: Mapping[int, tuple[Floats, Floats, Floats]]

    @classmethod
    def of(cls, model: LinearModel, block: Block, known: int, codes: Integers) -> BlockSystem:
        """Return the system of a block; ``codes`` is one row of what is known."""
        states = _states(model, block, codes[np.newaxis])
        count = math.prod(interface_shape(model, block.interface))
        terms = {}
        for v in block.families:
            found = model.terms(v, states)
            width = found.coefficients.shape[-1]
            terms[v] = (
                np.broadcast_to(found.intercept, (1, count))[0],
                np.broadcast_to(found.coefficients, (1, count, width))[0],
                np.broadcast_to(found.sd, (1, count))[0],
            )
        return cls(model, block, known, terms)

    def solve(self, values: Floats, target: int | None) -> tuple[Floats, Prediction | None]:
        """Return the log-density of what is observed, rows × states, and the distribution of a hidden target."""
        families = self.block.families
        place = {v: number for number, v in enumerate(families)}
        means = self._means(values, place)
        root = self._root(place)
        seen = [v for v in families if self.known >> v & 1]
        rows, count = len(values), root.shape[0]
        if not seen:
            logs = np.zeros((rows, count))
            found = None if target is None else Prediction(means[place[target]], _norm(root[:, place[target]]))
            return logs, _spread(found, rows)
        q, r = np.linalg.qr(root[:, [place[v] for v in seen]].transpose(0, 2, 1))
        errors = np.stack([values[:, v, np.newaxis] - means[place[v]] for v in seen])
        w = np.linalg.solve(r.transpose(0, 2, 1), errors.transpose(2, 0, 1))
        size = np.log(np.abs(np.diagonal(r, axis1=1, axis2=2))).sum(axis=1)
        logs = -0.5 * (w * w).sum(axis=1).T - size - len(seen) * _LOG_ROOT
        if target is None:
            return logs, None
        of_target = root[:, place[target]]
        along = np.einsum("sk,ske->se", of_target, q)
        mean = means[place[target]] + np.einsum("se,ser->rs", along, w)
        left = of_target - np.einsum("se,ske->sk", along, q)
        return logs, _spread(Prediction(mean, _norm(left)), rows)

    def _means(self, values: Floats, place: Mapping[int, int]) -> list[Floats]:
        """Return the mean of each variable, rows × states, given the values of observed parents."""
        means: list[Floats] = []
        for v in place:
            intercept, coefficients, _ = self.terms[v]
            mean = np.broadcast_to(intercept, (len(values), len(intercept)))
            for column, parent in enumerate(self.model.measured_parents(v)):
                given = values[:, parent, np.newaxis] if self.known >> parent & 1 else means[place[parent]]
                mean = mean + coefficients[:, column] * given
            means.append(mean)
        return means

    def _root(self, place: Mapping[int, int]) -> Floats:
        """Return the square root *A* of the covariance matrix, for each state."""
        size = len(place)
        root = np.zeros((len(self.terms[next(iter(place))][0]), size, size))
        for v, row in place.items():
            _, coefficients, sd = self.terms[v]
            for column, parent in enumerate(self.model.measured_parents(v)):
                if not self.known >> parent & 1:
                    root[:, row] += coefficients[:, column, np.newaxis] * root[:, place[parent]]
            root[:, row, row] += sd
        return root


def _norm(rows: Floats) -> Floats:
    return np.asarray(np.sqrt((rows * rows).sum(axis=-1)))


def _spread(found: Prediction | None, rows: int) -> Prediction | None:
    """Return a prediction whose standard deviations have an axis for the rows."""
    return None if found is None else Prediction(found.mean, np.broadcast_to(found.sd, (rows, len(found.sd))))


def grouped(codes: Integers, columns: Sequence[int]) -> Iterator[NDArray[np.intp]]:
    """Iterate over the rows that agree in some columns."""
    if not columns:
        yield np.arange(len(codes))
        return
    _, places = np.unique(codes[:, list(columns)], axis=0, return_inverse=True)
    order = np.argsort(places.ravel(), kind="stable")
    starts = np.flatnonzero(np.diff(places.ravel()[order])) + 1
    yield from np.split(order, starts)
