"""Local scores supplied as a list of families, by a user or by a file."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Self

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import check_names
from dagscape.core.errors import InvalidData
from dagscape.core.version import __version__
from dagscape.results.base import Provenance
from dagscape.results.score_info import ScoreInfo
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE, Unit, check_range
from dagscape.scores.constraints import EdgeConstraints
from dagscape.scores.priors import PriorOption, find_prior
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.family_terms import FamilyTerms
from dagscape.scores.tables.lattice import Members, is_every_set
from dagscape.scores.tables.listed_prior import (
    ExactFamilies,
    PriorOfFamilies,
    prior_bound,
    prior_of_families,
    sum_of,
)

# Scores must be distinguishable to a millionth of a nat.
COARSEST_BITS = 20

# Bounds on the memory of a family in a table while the table is made, and of each of its parents, in bytes.
FAMILY_BYTES = 400
PARENT_BYTES = 56


class FamilyTable(EnumerableScores):
    """Local scores of listed families; all other families are impossible.

    Scores are rounded once, here, to the unit of the table, with an error of a few parts in 10^13 of a typical score.

    Parameters
    ----------
    families : mapping
        For each variable, a mapping from sets of parents (any collection of names) to the local score of the family
        (natural log).
    variables : sequence of str, optional
        The order of the variables. Default: the order of ``families``.
    complete : bool, optional
        Whether families that are not listed are truly impossible. Default: true if every family of up to
        ``max_parents`` parents is listed, otherwise unknown.
    score_equivalent : bool
        Whether the score is score-equivalent, which cannot be inferred from the numbers.
    info : ScoreInfo, optional
        The score, options and data behind the scores, if known. It replaces ``score_equivalent``.
    structure_prior : str, array, data frame, mapping, callable, or list of these
        A prior, as in :func:`dagscape.local_scores`, whose log weights are added to the scores.

    Examples
    --------
    >>> import dagscape as ds
    >>> scores = ds.FamilyTable({"a": {(): -10.0, ("b",): -8.5}, "b": {(): -7.0, ("a",): -5.5}})
    >>> scores.family("a", ["b"])
    -8.5
    >>> scores.complete
    True
    """

    def __init__(
        self,
        families: Mapping[str, Mapping[Collection[str], float]],
        variables: Sequence[str] | None = None,
        *,
        complete: bool | None = None,
        score_equivalent: bool = False,
        info: ScoreInfo | None = None,
        provenance: Provenance | None = None,
        structure_prior: PriorOption = "uniform",
    ) -> None:
        self.variables = tuple(families if variables is None else variables)
        if set(self.variables) != set(families) or len(set(self.variables)) != len(self.variables):
            raise InvalidData("the variables and the children of the families must have the same names, each once")
        if not self.variables:
            raise InvalidData("there are no variables")
        finite = [abs(score) for listed in families.values() for score in listed.values() if score != -math.inf]
        if not all(map(math.isfinite, finite)):
            raise InvalidData("a local score is not finite: scores must be finite, or -inf for impossible families")
        most = max((len(parents) for listed in families.values() for parents in listed), default=0)
        prior = find_prior(structure_prior, self.variables, min(most, self.n - 1))
        self.unit = unit_of_list(max(finite, default=1.0) + prior_bound(prior, self.n, min(most, self.n - 1)), self.n)
        number = {name: i for i, name in enumerate(self.variables)}
        exact = [self._numbered(number, child, families[child]) for child in self.variables]
        self.rounding = math.fsum(largest_rounding(listed.values(), self.unit) for listed in families.values())
        terms = prior_of_families(prior, exact, self.unit, most)
        if terms is not None:
            self.rounding += terms.rounding
            both = zip(exact, terms.exact, strict=True)
            exact = [{key: sum_of(score, term[key]) for key, score in listed.items()} for listed, term in both]
        self._store(exact, complete, info, provenance, score_equivalent=score_equivalent, prior=terms)
        if terms is not None:
            self.info = replace(
                self.info,
                structure_prior=prior.name,
                equivalent_prior=prior.equivalent,
                score_equivalent=self.info.score_equivalent and prior.equivalent,
            )

    @classmethod
    def from_exact(
        cls,
        variables: Sequence[str],
        exact: Sequence[ExactFamilies],
        unit: Unit,
        *,
        rounding: float = 0.0,
        complete: bool | None = None,
        score_equivalent: bool = False,
        info: ScoreInfo | None = None,
        provenance: Provenance | None = None,
        prior: PriorOfFamilies | None = None,
    ) -> Self:
        """Return a table of scores in units, for variables in order; nothing is rounded.

        Parameters
        ----------
        variables : sequence of str
            The names of the variables, without duplicates.
        exact : sequence of dict
            For each variable, the scores of its families, by the numbers of the parents, increasing.
        unit : Unit
            The unit; sums of scores must not overflow in it.
        rounding : float
            A bound on the error of the score of a network that its families already have.
        complete, score_equivalent, info, provenance
            As in the constructor.
        prior : PriorOfFamilies, optional
            The structure prior that is part of the scores.
        """
        table = cls.__new__(cls)
        table.variables = tuple(variables)
        table.unit = unit
        table.rounding = rounding
        table._store(exact, complete, info, provenance, score_equivalent=score_equivalent, prior=prior)
        return table

    def _store(
        self,
        exact: Sequence[ExactFamilies],
        complete: bool | None,
        info: ScoreInfo | None,
        provenance: Provenance | None,
        *,
        score_equivalent: bool,
        prior: PriorOfFamilies | None,
    ) -> None:
        check_names(self.variables)
        for child, listed in zip(self.variables, exact, strict=True):
            if all(score == IMPOSSIBLE for score in listed.values()):
                raise InvalidData(f"{child!r} has no possible family")
        largest = max(abs(score) for listed in exact for score in listed.values() if score != IMPOSSIBLE)
        check_range(largest, self.n, self.unit)
        self._exact = tuple(exact)
        self._prior = prior
        self.max_parents = max((len(parents) for listed in self._exact for parents in listed), default=0)
        if complete is None and self._lists_every_family():
            complete = True
        self.complete = complete
        self.constraints = EdgeConstraints.none(self.n)
        self.info = info or ScoreInfo(max_parents=self.max_parents, score_equivalent=score_equivalent)
        self.provenance = provenance or Provenance(__version__, "family_table")

    def _numbered(
        self, number: Mapping[str, int], child: str, listed: Mapping[Collection[str], float]
    ) -> ExactFamilies:
        exact: ExactFamilies = {}
        for parents, score in listed.items():
            names = (parents,) if isinstance(parents, str) else tuple(parents)
            unknown = [name for name in names if name not in number]
            if unknown:
                raise InvalidData(f"a family of {child!r} has the parent {unknown[0]!r}, which is not a variable")
            key = tuple(sorted(number[name] for name in names))
            if number[child] in key or len(set(key)) < len(key):
                raise InvalidData(f"a family of {child!r} lists a parent twice, or the child itself")
            if key in exact:
                raise InvalidData(f"the family of {child!r} with parents {sorted(names)} is listed twice")
            exact[key] = self.unit.to_int(score)
        return exact

    @property
    def unconstrained(self) -> bool:
        """Whether every family of up to ``max_parents`` parents is listed as possible."""
        return self._lists_every_family() and all(IMPOSSIBLE not in listed.values() for listed in self._exact)

    def _lists_every_family(self) -> bool:
        return all(is_every_set(len(listed), self.n - 1, self.max_parents) for listed in self._exact)

    @property
    def family_terms(self) -> FamilyTerms | None:
        """The structure prior of listed families; None if the table was given no prior."""
        if self._prior is None:
            return None
        return FamilyTerms(np.zeros((self.n, self.n), np.int64), None, self._prior.of_sets, self._prior.rounding)

    @property
    def nbytes(self) -> int:
        """The approximate memory of the scores, in bytes."""
        return sum(200 + 8 * len(parents) for listed in self._exact for parents in listed)

    @property
    def family_count(self) -> int:
        """The number of listed families."""
        return sum(map(len, self._exact))

    def exact_scores(self, child: int, sets: Members) -> NDArray[np.int64]:
        """Return the scores, in units, of a child with parent sets of one size; ``IMPOSSIBLE`` if not listed."""
        listed = self._exact[child]
        return np.array([listed.get(tuple(row), IMPOSSIBLE) for row in sets.tolist()], dtype=np.int64)

    def family_sets(self, child: int) -> Iterator[Members]:
        """Iterate over the child's listed parent sets: one array per size, smallest first."""
        by_size: dict[int, list[tuple[int, ...]]] = {}
        for parents in self._exact[child]:
            by_size.setdefault(len(parents), []).append(parents)
        for size in sorted(by_size):
            # In order of masks, as everywhere: compare the largest members first.
            rows = sorted(by_size[size], key=lambda parents: parents[::-1])
            yield np.array(rows, dtype=np.int64).reshape(len(rows), size)


def unit_of_list(largest: float, n: int) -> Unit:
    """Return the unit of a list of families with scores of up to ``largest`` nats; refuse one that is too coarse."""
    unit = Unit.for_scores_up_to(largest, n)
    if unit.bits < COARSEST_BITS:
        raise InvalidData(
            f"a local score has the absolute value {largest:g}, and rounding would make smaller ones "
            "indistinguishable: write -inf for impossible families"
        )
    return unit


def largest_rounding(scores: Iterable[float], unit: Unit) -> float:
    """Return the largest error of scores rounded to a unit, an exact difference of doubles."""
    scaled = (math.ldexp(score, unit.bits) for score in scores if score != -math.inf)
    return math.ldexp(max((abs(units - round(units)) for units in scaled), default=0.0), -unit.bits)
