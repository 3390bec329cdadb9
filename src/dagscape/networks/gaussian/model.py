"""A network with measured variables by number: what sampling, likelihood and inference work on.

In the tables, a measured variable counts as one with a single level, so that everything about the discrete variables is
as in a discrete network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from dagscape.core.masks import bits, mask_of
from dagscape.networks.discrete.elimination import Tables
from dagscape.networks.gaussian.regression import Regression

if TYPE_CHECKING:
    from dagscape.networks.gaussian.base import MeasuredNetwork

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_NOTHING = np.ones(1)


@dataclass(frozen=True, slots=True, eq=False)
class Terms:
    """A regression in one state of the discrete parents for each element of an array of states.

    Attributes
    ----------
    intercept, sd : array
        One number for each element.
    coefficients : array
        The same axes, then one for the measured parents, in the order of their numbers.
    """

    intercept: Floats
    coefficients: Floats
    sd: Floats


@dataclass(frozen=True, slots=True, eq=False)
class LinearModel:
    """The distributions of a network, by number of the variable.

    Attributes
    ----------
    parents : sequence of int
        The parents of each variable, as a set of numbers.
    tables : Tables
        The tables of the discrete variables; a measured variable has one level, and no parents.
    regressions : mapping of int to Regression
        Those of the measured variables.
    order : sequence of int
        All variables, parents first.
    """

    parents: Sequence[int]
    tables: Tables
    regressions: Mapping[int, Regression]
    order: Sequence[int]

    @classmethod
    def of(cls, network: MeasuredNetwork) -> LinearModel:
        """Return the distributions of a network."""
        dag = network.dag
        cpts = [network.cpts.get(name, _NOTHING) for name in dag.variables]
        above = [
            mask if name in network.cpts else 0 for name, mask in zip(dag.variables, dag.parent_masks, strict=True)
        ]
        regressions = {dag.number(name): regression for name, regression in network.regressions.items()}
        return cls(dag.parent_masks, Tables(above, cpts), regressions, dag.order_numbers())

    @property
    def measured(self) -> int:
        """The measured variables, as a set."""
        return mask_of(self.regressions)

    @property
    def arities(self) -> list[int]:
        """The number of levels of each variable; 1 for a measured one."""
        return self.tables.arities

    @property
    def constants(self) -> dict[int, float]:
        """The measured variables whose standard deviation is 0, and their values."""
        return {v: float(found.intercept) for v, found in self.regressions.items() if not found.sd.all()}

    def discrete_parents(self, variable: int) -> list[int]:
        """Return the discrete parents of a variable."""
        return list(bits(self.parents[variable] & ~self.measured))

    def measured_parents(self, variable: int) -> list[int]:
        """Return the measured parents of a variable, in the order of its coefficients."""
        return list(bits(self.parents[variable] & self.measured))

    def terms(self, variable: int, codes: Mapping[int, Integers]) -> Terms:
        """Return the regression of a variable in given states of its discrete parents.

        Parameters
        ----------
        variable : int
            The variable.
        codes : mapping of int to array of int
            The codes of each discrete parent; the arrays are broadcast.
        """
        found = self.regressions[variable]
        index = tuple(codes[parent] for parent in self.discrete_parents(variable))
        return Terms(found.intercept[index], found.coefficients[index], found.sd[index])
