r"""Experiments that change the mechanism of a variable: two samples, with parameters of their own.

An experiment that *sets* a variable (a perfect intervention) says nothing about its causes: rows in which the variable
was set are left out of its families. An experiment may instead *disturb* it, as an inhibitor does that leaves a protein
under the influence of others: the parents stay the same, and their effects change. Then the rows in which the variable
was disturbed are a second sample of the same family [tian2001]_:

.. math:: local\_score(i, G) = local\_score(i, G; D_{free}) + local\_score(i, G; D_{disturbed})

Every score of this package is a difference of set functions, so that the sum is one, too: :math:`J_i(S) = J_i(S;
D_{free}) + J_i(S; D_{disturbed})`. The costs of a structure (its prior, and the code length of the parents in MDL)
count once; penalties of parameters count once for each sample, with its own number of rows. A variable that was never
disturbed, or always, has one sample.

The paper takes each change, such as an experimental condition, as a sample of its own. Here all rows in which a
variable was disturbed are one sample, because the data say which variables were disturbed, but not by what: rows in
which one condition inhibits it and another activates it share their parameters.

Cost: another table of all sets for each variable that was disturbed.

Notation: the changed variables, *F* in the paper, are the marks of the data.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE, Unit
from dagscape.scores.definitions.definition import ScoreDefinition
from dagscape.scores.definitions.set_functions import (
    FamilyKernel,
    KernelProgress,
    LatticeKernel,
    ScoreFacts,
    SetFunctions,
)

# What rows in which a variable was set by an experiment say about its families: nothing, or what a second sample does.
INTERVENTION_KINDS = ("perfect", "mechanism")

# The functions that make up a sum: the number of a sample, and of its function.
_Parts = tuple[tuple[int, int], ...]


def set_functions(definition: ScoreDefinition, data: Any, facts: ScoreFacts, interventions: str) -> SetFunctions:
    """Return the set functions of a score on a data set, by what interventions do."""
    if interventions == "perfect":
        return definition.functions(data, facts)
    return ChangedMechanisms(definition, data, facts)


class ChangedMechanisms(SetFunctions):
    """The set functions of the rows in which a child was free, plus those of the rows in which it was disturbed."""

    def __init__(self, definition: ScoreDefinition, data: Any, facts: ScoreFacts) -> None:
        """Pair the functions of both samples; a sample without rows counts for nothing."""
        self._samples = tuple(definition.functions(data, replace(facts, of_set_rows=given)) for given in (False, True))
        marks = data.interventions
        used = zip((~marks).any(axis=0).tolist(), marks.any(axis=0).tolist(), strict=True)
        # By child: the numbers of the samples that have rows.
        self._used = tuple(tuple(number for number, has_rows in enumerate(both) if has_rows) for both in used)
        functions: dict[_Parts, int] = {}
        self.joint = self._numbered(functions, [sample.joint for sample in self._samples])
        self.base = self._numbered(functions, [sample.base for sample in self._samples])
        self._functions = tuple(functions)
        self.count = len(functions)
        self.bound = sum(sample.bound for sample in self._samples)

    def _numbered(self, functions: dict[_Parts, int], parts: Sequence[Sequence[int]]) -> tuple[int, ...]:
        """Return the function of each child, by its number; new ones are added to ``functions``."""
        summed = (tuple((sample, parts[sample][child]) for sample in used) for child, used in enumerate(self._used))
        return tuple(functions.setdefault(each, len(functions)) for each in summed)

    def rounding(self, unit: Unit) -> float:
        """Return a bound on the total error of the functions of all children, each at its worst set, in nats."""
        return sum(sample.rounding(unit) for sample in self._samples)

    def lattice_kernel(self, function: int, unit: Unit) -> LatticeKernel:
        """Return the kernel that computes one of the functions for all sets."""
        kernels = [self._samples[sample].lattice_kernel(part, unit) for sample, part in self._functions[function]]
        return kernels[0] if len(kernels) == 1 else _LatticeSum(*kernels)

    def lattice_memory(self, sets: int, threads: int) -> int:
        """Return how many bytes the work on ``sets`` sets needs in addition to the values."""
        work = max(sample.lattice_memory(sets, threads) for sample in self._samples)
        # The values of the second function, and marks of those that are impossible.
        return work + (8 + 3) * sets

    def family_kernel(self, unit: Unit, threads: int, most_bytes: int) -> FamilyKernel:
        """Return the kernel that scores families on demand and caches values within ``most_bytes``."""
        for_caches = most_bytes - self.family_memory(threads)
        kernels = tuple(
            sample.family_kernel(unit, threads, sample.family_memory(threads) + for_caches // len(self._samples))
            for sample in self._samples
        )
        return _FamilySum(kernels, self._used)

    def family_memory(self, threads: int) -> int:
        """Return how many bytes scoring on demand needs in addition to the cached values."""
        return sum(sample.family_memory(threads) for sample in self._samples)


@dataclass(frozen=True, slots=True)
class _LatticeSum:
    """Computes the sum of two set functions for every set."""

    first: LatticeKernel
    second: LatticeKernel

    def run(self, out: NDArray[np.int64], threads: int, progress: KernelProgress) -> None:
        """Fill ``out``, one value for each set."""
        self.first.run(out, threads, _half(progress, second=False))
        other = np.empty_like(out)
        self.second.run(other, threads, _half(progress, second=True))
        _add(out, other)

    def seconds_per_set(self, budget: float) -> float:
        """Return the seconds per set on one thread, from a trial of about ``budget`` seconds."""
        return self.first.seconds_per_set(budget / 2) + self.second.seconds_per_set(budget / 2)

    def visits_per_set(self, samples: int) -> float:
        """Return the work per set in visits of a row, from parts of the lattice."""
        return self.first.visits_per_set(samples) + self.second.visits_per_set(samples)


@dataclass(frozen=True, slots=True)
class _FamilySum:
    """Computes J(G ∪ {i}) − J'(G) for families on demand, over the samples that have rows for a child."""

    samples: tuple[FamilyKernel, ...]
    used: tuple[tuple[int, ...], ...]

    @property
    def bytes(self) -> int:
        """The memory in use, in bytes."""
        return sum(sample.bytes for sample in self.samples)

    @property
    def cached_sets(self) -> int:
        """The number of cached values."""
        return sum(sample.cached_sets for sample in self.samples)

    def scores(self, child: int, sets: NDArray[Any], out: NDArray[Any], progress: KernelProgress) -> None:
        """Score a child with parent sets of one size, given as rows of increasing 16-bit numbers."""
        self._sum(child, out, lambda sample, part: sample.scores(child, sets, part, progress))

    def additions(
        self,
        child: int,
        parents: NDArray[Any],
        candidates: NDArray[Any],
        out: NDArray[Any],
        progress: KernelProgress,
    ) -> None:
        """Score a child with each candidate added to its parents, given in increasing order."""
        self._sum(child, out, lambda sample, part: sample.additions(child, parents, candidates, part, progress))

    def _sum(self, child: int, out: NDArray[Any], score: Callable[[FamilyKernel, NDArray[Any]], None]) -> None:
        first, *others = self.used[child]
        score(self.samples[first], out)
        for other in others:
            part = np.empty_like(out)
            score(self.samples[other], part)
            _add(out, part)


def _add(out: NDArray[np.int64], other: NDArray[np.int64]) -> None:
    """Add values in units to others; what is impossible in one sample is impossible."""
    impossible = (out == IMPOSSIBLE) | (other == IMPOSSIBLE)
    out += other
    out[impossible] = IMPOSSIBLE


def _half(progress: KernelProgress, *, second: bool) -> KernelProgress:
    """Return a callback for one of two passes of equal length."""
    if progress is None:
        return None
    return lambda done, total: progress((total + done if second else done) // 2, total)
