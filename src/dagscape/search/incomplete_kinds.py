"""What structural EM does with each kind of data: fit parameters, complete rows, and make networks to start from.

- *Discrete*: tables of largest likelihood; rows completed in all likely ways
  (:mod:`dagscape.networks.discrete.completing`).
- *Numbers*: regressions of largest likelihood; a table of as many rows that has exactly the expected means and
  covariances of the incomplete one. With the columns of an orthonormal basis that are orthogonal to 1 (cosines) as *Q*,
  these are :math:`1 μ^T + Q L^T`, for the expected scatter matrix :math:`L L^T`.
- *Mixed*: posterior means, because the likelihood has no maximum where a state has few rows; each row is drawn
  :data:`MIXED_DRAWS` times.

The first network is a tree: from a variable, always the strongest dependence between one inside and one outside, taken
from the rows that have both. A tree says something about every hole, and its tables need few rows.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from dagscape.core.clock import Clock
from dagscape.core.errors import InvalidData, argument
from dagscape.core.wording import plural
from dagscape.data.any_data import AnyData
from dagscape.data.continuous.numeric import NumericData, sorted_data
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.mixed.converting import mixed_from_numeric
from dagscape.data.mixed.mixed import MixedData
from dagscape.data.tables.interventions import set_in_every_row
from dagscape.data.tables.row_order import row_order
from dagscape.graphs.dag import Dag
from dagscape.networks.discrete.completing import completed_rows
from dagscape.networks.discrete.fitting import FamilyFitter, expected_table
from dagscape.networks.discrete.incomplete_fitting import IncompleteFitter
from dagscape.networks.gaussian.fitting import Method
from dagscape.networks.gaussian.incomplete_fitting import IncompleteMeasuredFitter
from dagscape.networks.gaussian.model import LinearModel
from dagscape.networks.gaussian.priors import RegressionPrior
from dagscape.networks.gaussian.rows import rows_to_fit
from dagscape.scores.definitions.log_likelihood import half_log

Floats = NDArray[np.float64]
Parameters = TypeVar("Parameters")
Data = TypeVar("Data", bound=AnyData)

# How many times each row of a mixed table is drawn.
MIXED_DRAWS = 10

# EM for the parameters of a structure ends when so little is left to gain, in nats.
_TOLERANCE = 0.01
_MAX_ITERATIONS = 500

# The standard deviation of the logarithms of the random numbers of trees.
_TREE_NOISE = 0.5

# The pseudocount of tables that EM begins with: it cannot leave a probability of 0.
_PSEUDOCOUNT = 0.1


@dataclass(frozen=True, slots=True, eq=False)
class Fitted(Generic[Parameters]):
    """A structure with the parameters that fit the observed cells.

    Attributes
    ----------
    dag : Dag
        The structure.
    parameters : object
        Its parameters.
    log_likelihood : float
        The log-likelihood of the observed cells.
    fitter : object
        What fitted it, which knows its rows.
    """

    dag: Dag
    parameters: Parameters
    log_likelihood: float
    fitter: Any


class Completed(NamedTuple):
    """Whole rows, each of which is there so many times, in different ways."""

    data: AnyData
    copies: int


class IncompleteKind(ABC, Generic[Data, Parameters]):
    """A kind of incomplete data.

    Parameters
    ----------
    data : Dataset, NumericData or MixedData
        The data.
    """

    def __init__(self, data: Data) -> None:
        self.data = data

    @abstractmethod
    def fit(self, dag: Dag, clock: Clock, completed: Completed | None = None) -> Fitted[Parameters]:
        """Fit the parameters of a structure; completed rows, if there are any, say where to begin."""

    @abstractmethod
    def complete(self, fitted: Fitted[Parameters], rng: np.random.Generator) -> Completed:
        """Complete the rows under a network."""

    @abstractmethod
    def dependences(self) -> Floats:
        """Return how much each pair of variables depend on each other, in nats, in the rows that have both."""

    @abstractmethod
    def parameter_count(self, child: int, parents: Sequence[int]) -> int:
        """Return the number of parameters of a family."""

    @property
    def first(self) -> int:
        """How many variables come first in trees: none of them has a parent among the others."""
        return 0

    def penalty(self, dag: Dag) -> float:
        """Return half the log of the number of rows for each parameter, of the rows in which the child was not set."""
        marks, total = self.data.interventions, 0.0
        weights = self.data.weights if isinstance(self.data, Dataset) else None
        for child, name in enumerate(self.data.variables):
            rows = self.data.m
            if marks is not None:
                free = ~marks[:, child]
                rows = int(free.sum() if weights is None else weights[free].sum())
            parents = [self.data.variables.index(parent) for parent in dag.parents(name)]
            total += half_log(rows) * self.parameter_count(child, parents)
        return total

    def tree(self, rng: np.random.Generator | None) -> Dag:
        """Return a tree of strong dependences; with random numbers, of dependences times such numbers near 1."""
        strength = self.dependences()
        if rng is not None:
            noise = np.exp(_TREE_NOISE * rng.standard_normal(strength.shape))
            strength = strength * np.maximum(noise, noise.T)
        names, order = self.data.variables, self._order_of_kinds()
        inside, edges = [order[0]], []
        for stage in (order[: self.first], order):
            left = [v for v in stage if v not in inside]
            while left:
                part = strength[np.ix_(inside, left)]
                row, column = divmod(int(part.argmax()), len(left))
                edges.append((names[inside[row]], names[left[column]]))
                inside.append(left.pop(column))
        # Nothing depends on the parents of a variable that was set in every row.
        was_set = set_in_every_row(names, self.data.interventions)
        return Dag.from_edges(names, [edge for edge in edges if edge[1] not in was_set])

    def _order_of_kinds(self) -> list[int]:
        return list(range(self.data.n))


class IncompleteLevels(IncompleteKind[Dataset, list[Floats]]):
    """Discrete data."""

    def fit(self, dag: Dag, clock: Clock, completed: Completed | None = None) -> Fitted[list[Floats]]:
        """Fit tables by maximum likelihood."""
        fitter = IncompleteFitter(dag, self.data, 1.0, "none")
        first = None if completed is None else _tables_of(dag, completed)
        ended = fitter.fit(clock=clock, first=first, tolerance=_TOLERANCE, max_iterations=_MAX_ITERATIONS)
        return Fitted(dag, ended.parameters, ended.fit.log_likelihood, fitter)

    def complete(self, fitted: Fitted[list[Floats]], rng: np.random.Generator) -> Completed:
        """Complete the rows in all likely ways."""
        rows = completed_rows(fitted.fitter.counter, fitted.parameters, rng)
        place = [fitted.dag.variables.index(name) for name in self.data.variables]
        data = Dataset.from_codes(
            rows.codes[:, place],
            {name: self.data.levels[name] for name in self.data.variables},
            weights=rows.weights,
            interventions=None if rows.chosen is None else rows.chosen[:, place],
            types=self.data.types,
            set_aside=self.data.set_aside,
        )
        return Completed(data, rows.copies)

    def dependences(self) -> Floats:
        """Return the number of rows times the mutual information, of each pair."""
        arities, n = self.data.arities.tolist(), self.data.n
        codes, weights = self.data.codes.astype(np.int64), self.data.weights
        shown = np.ones(codes.shape, dtype=np.bool_) if self.data.holes is None else ~self.data.holes
        found = np.zeros((n, n))
        for v in range(n):
            for u in range(v):
                both = shown[:, u] & shown[:, v]
                cells = codes[both, u] * arities[v] + codes[both, v]
                counts = np.bincount(cells, weights=weights[both], minlength=arities[u] * arities[v])
                found[u, v] = found[v, u] = _information(counts.reshape(arities[u], arities[v]).astype(np.float64))
        return found

    def parameter_count(self, child: int, parents: Sequence[int]) -> int:
        """Return one less than the number of levels, for each state of the parents."""
        arities: list[int] = self.data.arities.tolist()
        states: int = math.prod(arities[parent] for parent in parents)
        return (arities[child] - 1) * states


def _tables_of(dag: Dag, completed: Completed) -> list[Floats]:
    """Return the tables of completed rows, with a small pseudocount."""
    fitter = FamilyFitter.of(dag.variables, completed.data, 1.0, "none")  # type: ignore[arg-type]  # discrete data
    counts = (fitter.counts(v, parents) for v, parents in enumerate(dag.parent_masks))
    return [expected_table(count / completed.copies, _PSEUDOCOUNT) for count in counts]


def _information(counts: Floats) -> float:
    """Return the number of rows times the mutual information of a table of counts."""
    total = counts.sum()
    if not total:
        return 0.0
    apart = counts.sum(axis=1, keepdims=True) * counts.sum(axis=0) / total
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(counts > 0, counts * np.log(counts / apart), 0.0)
    return float(terms.sum())


class _IncompleteNumbers(IncompleteKind[Data, LinearModel]):
    """Data with measured variables."""

    method: Method

    @abstractmethod
    def _mixed(self) -> MixedData: ...

    def fit(self, dag: Dag, clock: Clock, completed: Completed | None = None) -> Fitted[LinearModel]:
        """Fit regressions and tables."""
        data = self._mixed()
        rows = rows_to_fit(dag.variables, data, incomplete=True)
        fitter = IncompleteMeasuredFitter(dag, rows, data.levels, self.method, 1.0, RegressionPrior())
        first = None if completed is None else fitter.begun(_whole_rows(dag, completed))
        ended = fitter.fit(clock=clock, first=first, tolerance=_TOLERANCE, max_iterations=_MAX_ITERATIONS)
        return Fitted(dag, ended.parameters, ended.fit.log_likelihood, fitter)

    def dependences(self) -> Floats:
        """Return the gain of the log-likelihood, of each pair."""
        data = self._mixed()
        n, values = data.n, data.values
        found = np.zeros((n, n))
        for v in range(n):
            for u in range(v):
                both = ~np.isnan(values[:, [u, v]]).any(axis=1)
                found[u, v] = found[v, u] = _gain(data, values[both], u, v) if both.any() else 0.0
        return found


def _whole_rows(dag: Dag, completed: Completed) -> Floats:
    data = completed.data
    mixed = mixed_from_numeric(data) if isinstance(data, NumericData) else data
    assert isinstance(mixed, MixedData)
    return rows_to_fit(dag.variables, mixed).values


def _gain(data: MixedData, values: Floats, u: int, v: int) -> float:
    """Return the gain of the log-likelihood if one variable depends on the other, in complete rows."""
    discrete = data.is_discrete
    if discrete[u] and discrete[v]:
        counts = np.zeros((int(values[:, u].max()) + 1, int(values[:, v].max()) + 1))
        np.add.at(counts, (values[:, u].astype(np.int64), values[:, v].astype(np.int64)), 1.0)
        return _information(counts)
    if discrete[v] or discrete[u]:
        level, number = (u, v) if discrete[u] else (v, u)
        codes, x = values[:, level].astype(np.int64), values[:, number]
        rows = np.maximum(np.bincount(codes), 1)
        within = float(((x - (np.bincount(codes, x) / rows)[codes]) ** 2).sum())
        total = float(((x - x.mean()) ** 2).sum())
        return len(x) / 2 * math.log(total / within) if within > 0 else 0.0
    with np.errstate(invalid="ignore", divide="ignore"):
        r = float(np.corrcoef(values[:, u], values[:, v])[0, 1]) if len(values) > 2 else 0.0
    return 0.0 if math.isnan(r) else -len(values) / 2 * math.log1p(-min(r * r, 1 - 1e-12))


class IncompleteColumns(_IncompleteNumbers[NumericData]):
    """Numbers."""

    method = "ml"

    def _mixed(self) -> MixedData:
        return mixed_from_numeric(self.data)

    def complete(self, fitted: Fitted[LinearModel], rng: np.random.Generator) -> Completed:  # noqa: ARG002 (as others)
        """Return a table with the expected means and covariances of the rows."""
        fitter, n = fitted.fitter, self.data.n
        place = [fitted.dag.variables.index(name) for name in self.data.variables]
        values, marks = [], []
        for mark, moments in fitter.expectation.totals(fitted.parameters):
            rows = round(float(moments.rows))
            if rows <= n:
                where = " in which the same variables were set" if mark.any() else ""
                raise InvalidData(
                    f"the data have {plural(rows, 'row')}{where}; "
                    f"the expected covariances of {plural(n, 'variable')} with missing cells need {n + 1}: use fewer "
                    f"variables ({argument('columns')}), or complete rows ({argument('missing', 'drop')})"
                )
            values.append(_with_moments(rows, moments.sums / rows, moments.products))
            marks.append(np.tile(mark, (rows, 1)))
        units = np.concatenate(values) * fitter.sds + fitter.means
        data = sorted_data(self.data.variables, units[:, place], np.concatenate(marks)[:, place], {}, 0, {})
        return Completed(replace(data, set_aside=self.data.set_aside), 1)

    def parameter_count(self, child: int, parents: Sequence[int]) -> int:  # noqa: ARG002 (as others)
        """Return the number of coefficients, with the intercept, and a variance."""
        return len(parents) + 2


def _with_moments(rows: int, mean: Floats, products: Floats) -> Floats:
    """Return so many rows with given means and sums of products.

    >>> found = _with_moments(5, np.array([1.0, 2.0]), np.array([[9.0, 11.0], [11.0, 24.0]]))
    >>> found.mean(axis=0).round(9).tolist(), (found.T @ found).round(9).tolist()
    ([1.0, 2.0], [[9.0, 11.0], [11.0, 24.0]])
    """
    values, vectors = np.linalg.eigh(products - rows * np.outer(mean, mean))
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    angles = np.pi / rows * np.outer(np.arange(rows) + 0.5, np.arange(1, len(mean) + 1))
    return np.asarray(mean + math.sqrt(2 / rows) * np.cos(angles) @ root.T)


class IncompleteMixed(_IncompleteNumbers[MixedData]):
    """Mixed tables."""

    method = "posterior-mean"

    def _mixed(self) -> MixedData:
        return self.data

    def complete(self, fitted: Fitted[LinearModel], rng: np.random.Generator) -> Completed:
        """Draw each row several times."""
        fitter = fitted.fitter
        place = [fitted.dag.variables.index(name) for name in self.data.variables]
        drawn = [fitter.expectation.draw(fitted.parameters, rng) for _ in range(MIXED_DRAWS)]
        values = (np.concatenate(drawn) * fitter.sds + fitter.means)[:, place]
        chosen = fitter.rows.chosen
        marks = None if chosen is None else np.tile(chosen, (MIXED_DRAWS, 1))[:, place]
        order = row_order(values, marks)
        data = MixedData(
            variables=self.data.variables,
            values=values[order],
            levels=self.data.levels,
            interventions=None if marks is None else marks[order],
            types=self.data.types,
            set_aside=self.data.set_aside,
        )
        return Completed(data, MIXED_DRAWS)

    def parameter_count(self, child: int, parents: Sequence[int]) -> int:
        """Return the parameters of a table, or of a regression in each state of the discrete parents."""
        discrete, levels = self.data.is_discrete, self.data.level_counts
        states = math.prod(levels[parent] for parent in parents if discrete[parent])
        if discrete[child]:
            return (levels[child] - 1) * states
        return states * (sum(not discrete[parent] for parent in parents) + 2)

    @property
    def first(self) -> int:
        """The number of discrete variables."""
        return len(self.data.discrete)

    def _order_of_kinds(self) -> list[int]:
        names = [*self.data.discrete, *self.data.measured]
        return [self.data.variables.index(name) for name in names]


INCOMPLETE_KINDS: dict[type, type[IncompleteKind[Any, Any]]] = {
    Dataset: IncompleteLevels,
    NumericData: IncompleteColumns,
    MixedData: IncompleteMixed,
}
