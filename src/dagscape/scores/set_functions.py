r"""What every score is computed from: functions of sets of variables.

.. math:: local\_score(i, G) = J_i(G ∪ \{i\}) - J_i'(G) + c(|G|)

A score definition makes :class:`SetFunctions` from data of its own kind. They know the kernels that compute them, over
the whole lattice or family by family, a bound on their values, and the memory that this takes; nothing else has to know
what the data are. ``cell_sums.py`` has those of discrete data.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from numpy.typing import NDArray

from dagscape.scores.fixed_point import Unit

KernelProgress = Callable[[int, int], None] | None


class ScoredData(Protocol):
    """What is asked of data of any kind."""

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
        """Rows left out because of missing cells."""

    @property
    def experimental_rows(self) -> int:
        """Rows in which some variable was set by an experiment."""

    @property
    def fingerprint(self) -> str:
        """A digest of the data."""


class LatticeKernel(Protocol):
    """Computes a set function for every set of up to some size."""

    def run(self, out: NDArray[Any], threads: int, progress: KernelProgress) -> None:
        """Fill ``out``, one value for each set as :class:`~dagscape.scores.lattice.SetIndex` numbers them."""

    def seconds_per_set(self, budget: float) -> float:
        """Seconds that a set takes on one thread, from a trial of about ``budget`` seconds."""


class FamilyKernel(Protocol):
    """Computes J(G ∪ {i}) − J'(G) for families on demand."""

    @property
    def bytes(self) -> int:
        """The memory that it takes now."""

    @property
    def cached_sets(self) -> int:
        """How many values it keeps."""

    def scores(self, child: int, sets: NDArray[Any], out: NDArray[Any], progress: KernelProgress) -> None:
        """Score a child with sets of parents of one size, rows of increasing numbers of 16 bits."""

    def additions(
        self,
        child: int,
        parents: NDArray[Any],
        candidates: NDArray[Any],
        out: NDArray[Any],
        progress: KernelProgress,
    ) -> None:
        """Score a child with each candidate added to its parents, which are in increasing order."""


@dataclass(frozen=True, slots=True)
class ScoreFacts:
    """What set functions may depend on, besides the data.

    Attributes
    ----------
    ess : float
        The equivalent sample size.
    max_size : int
        The size of the largest set, a child and its parents.
    required : tuple of frozenset of int
        For each child, the parents that it must have.
    """

    ess: float
    max_size: int
    required: tuple[frozenset[int], ...]


class SetFunctions(ABC):
    """The functions that a score needs on some data.

    Attributes
    ----------
    count : int
        How many different functions there are.
    joint, base : tuple of int
        For each child, which function measures its families, and which their parents.
    bound : float
        A bound on the absolute values, in nats, over all sets of up to ``max_size`` variables.
    """

    count: int
    joint: tuple[int, ...]
    base: tuple[int, ...]
    bound: float

    @abstractmethod
    def rounding(self, unit: Unit) -> float:
        """A bound on the error, in nats, of the functions of all children together, each at its worst set."""

    @abstractmethod
    def lattice_kernel(self, function: int, unit: Unit) -> LatticeKernel:
        """The kernel that computes one of the functions for all sets."""

    @abstractmethod
    def lattice_memory(self, sets: int, threads: int) -> int:
        """Bytes that the work on all of ``sets`` sets takes, besides the values themselves."""

    @abstractmethod
    def family_kernel(self, unit: Unit, threads: int, most_bytes: int) -> FamilyKernel:
        """The kernel that scores families on demand; it keeps values within ``most_bytes``."""

    @abstractmethod
    def family_memory(self, threads: int) -> int:
        """Bytes that scoring on demand takes, besides the values that it keeps."""
