r"""Set functions, from which every score is computed.

.. math:: local\_score(i, G) = J_i(G ∪ \{i\}) - J_i'(G) + c(|G|)

A score definition creates :class:`SetFunctions` from data of its own type. They provide the kernels that compute them,
over the whole lattice or family by family, a bound on their values, and the memory needed. No other module depends on
the type of the data. The set functions for discrete data are in ``cell_sums.py``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dagscape.data.tables.interventions import Marks
from dagscape.scores.arithmetic.fixed_point import Unit

KernelProgress = Callable[[int, int], None] | None


class ScoredData(Protocol):
    """The properties that data of any type must have."""

    @property
    def variables(self) -> tuple[str, ...]:
        """The names of the variables."""

    @property
    def n(self) -> int:
        """The number of variables."""

    @property
    def m(self) -> int:
        """The number of rows."""

    @property
    def dropped(self) -> int:
        """The number of rows dropped because of missing cells."""

    @property
    def experimental_rows(self) -> int:
        """The number of rows in which an experiment set some variable."""

    @property
    def interventions(self) -> Marks | None:
        """Rows or distinct rows × variables: whether an experiment set the variable; None without experiments."""

    @property
    def fingerprint(self) -> str:
        """A digest of the data."""

    @property
    def set_aside(self) -> Mapping[str, str]:
        """Columns of the table that are no variables, with the reason."""

    @property
    def weighted_by(self) -> str | None:
        """The column of the table that said how many times each row counts."""

    def select(self, variables: Sequence[str]) -> ScoredData:
        """Return the data of some of the variables."""


class LatticeKernel(Protocol):
    """Computes a set function for every set up to a given size."""

    def run(self, out: NDArray[Any], threads: int, progress: KernelProgress) -> None:
        """Fill ``out``, one value for each set as :class:`~dagscape.scores.tables.lattice.SetIndex` numbers them."""

    def seconds_per_set(self, budget: float) -> float:
        """Return the seconds per set on one thread, from a trial of about ``budget`` seconds."""

    def visits_per_set(self, samples: int) -> float:
        """Return the work per set in visits of a row, from parts of the lattice: the same on every machine."""


class FamilyKernel(Protocol):
    """Computes J(G ∪ {i}) − J'(G) for families on demand."""

    @property
    def bytes(self) -> int:
        """The memory in use, in bytes."""

    @property
    def cached_sets(self) -> int:
        """The number of cached values."""

    def scores(self, child: int, sets: NDArray[Any], out: NDArray[Any], progress: KernelProgress) -> None:
        """Score a child with parent sets of one size, given as rows of increasing 16-bit numbers."""

    def additions(
        self,
        child: int,
        parents: NDArray[Any],
        candidates: NDArray[Any],
        out: NDArray[Any],
        progress: KernelProgress,
    ) -> None:
        """Score a child with each candidate added to its parents, given in increasing order."""


@dataclass(frozen=True, slots=True)
class ScoreFacts:
    """Facts on which set functions may depend, in addition to the data.

    Attributes
    ----------
    parameters : mapping of str to float or str
        The values of the score's parameters.
    max_size : int
        The size of the largest set: a child with its parents.
    required : tuple of frozenset of int
        For each child, its required parents.
    segments : array of int or None
        For each distinct row, the number of its segment. Each segment is scored as if it were a data set of its own,
        with the same structure, and the scores are added up. None: all rows are one data set.
    of_set_rows : bool
        Whether the families of a child are fitted to the rows in which an experiment set it, in place of the others.
    bounded_size : int or None
        The size of the largest set that ``bound`` covers, if it is to cover larger sets than are scored: values are
        rounded with its help, and must be the same integers as in a table of larger sets. Default: ``max_size``.
    prior_data : data of the same type or None
        The data from which a prior takes means and scales: those that a sample of rows was drawn from. None: the data
        that are scored.
    """

    parameters: Mapping[str, Any]
    max_size: int
    required: tuple[frozenset[int], ...]
    segments: NDArray[np.uint32] | None = None
    of_set_rows: bool = False
    bounded_size: int | None = None
    prior_data: Any = None

    def fitted_rows(self, marks: Marks | None, rows: int, child: int) -> NDArray[np.bool_]:
        """Return which rows of the data, or which distinct rows, the families of a child are fitted to.

        Parameters
        ----------
        marks : array of bool or None
            Rows × variables: whether an experiment set the variable; None if there are no experiments.
        rows : int
            The number of rows.
        child : int
            The number of the child.
        """
        was_set = np.zeros(rows, dtype=np.bool_) if marks is None else marks[:, child]
        return was_set if self.of_set_rows else ~was_set


class SetFunctions(ABC):
    """The set functions of a score on a data set.

    Attributes
    ----------
    count : int
        The number of distinct functions.
    joint, base : tuple of int
        For each child, the indices of its functions J and J'.
    bound : float
        A bound on the absolute values over all sets of up to ``max_size`` variables, in nats.
    """

    count: int
    joint: tuple[int, ...]
    base: tuple[int, ...]
    bound: float

    @abstractmethod
    def rounding(self, unit: Unit) -> float:
        """Return a bound on the total error of the functions of all children, each at its worst set, in nats."""

    @abstractmethod
    def lattice_kernel(self, function: int, unit: Unit) -> LatticeKernel:
        """Return the kernel that computes one of the functions for all sets."""

    @abstractmethod
    def lattice_memory(self, sets: int, threads: int) -> int:
        """Return how many bytes the work on ``sets`` sets needs in addition to the values."""

    @abstractmethod
    def family_kernel(self, unit: Unit, threads: int, most_bytes: int) -> FamilyKernel:
        """Return the kernel that scores families on demand and caches values within ``most_bytes``."""

    @abstractmethod
    def family_memory(self, threads: int) -> int:
        """Return how many bytes scoring on demand needs in addition to the cached values."""
