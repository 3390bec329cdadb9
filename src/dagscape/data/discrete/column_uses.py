"""What the variables of a data set hold, and what the columns of a table as read would become."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagscape.core.errors import InvalidData
from dagscape.core.wording import plural
from dagscape.data.discrete.cut_rules import CUT_RULES
from dagscape.data.discrete.cutting import fit_column
from dagscape.data.discrete.notices import cut_places
from dagscape.data.kinds.decisions import Decision
from dagscape.data.kinds.guessing import Guess, guess_from_profile
from dagscape.data.kinds.profile import Counts, profile_of_levels
from dagscape.data.tables.table import Table

if TYPE_CHECKING:
    from dagscape.data.discrete.dataset import Dataset

# The number of intervals by default.
_INTERVALS = 3


def cuts_of(dataset: Dataset, name: str) -> tuple[float, ...] | None:
    """Return the cuts of a variable; None if it was not cut.

    Examples
    --------
    >>> from dagscape.data.discrete.discretizing import discretize
    >>> cuts_of(discretize("builtin:iris"), "petal_width")
    (0.8, 1.55)
    """
    fitted = {} if dataset.discretizer is None else dataset.discretizer.fitted
    return fitted[name].cuts if name in fitted else None


def guess_variable(dataset: Dataset, name: str, counts: Counts) -> Guess:
    """Guess what a variable holds, given how often each level occurs; what was cut was measured."""
    cuts = cuts_of(dataset, name)
    if cuts:
        return Guess("measured", f"cut at {cut_places(cuts)}")
    return guess_from_profile(profile_of_levels(dataset.levels[name], counts))


def use_of(decision: Decision, name: str, table: Table) -> str:
    """Return what a column of a table would become if its numbers were cut automatically."""
    column = table.column(name)
    if decision.guess.kind == "constant" and column.distinct and column.missing:
        return "set aside, unless missing cells are a level"
    if decision.use == "set aside" or decision.guess.kind == "constant":
        return "set aside"
    if decision.use == "levels":
        return plural(column.distinct, "level")
    try:
        intervals = fit_column(table, name, CUT_RULES["auto"], _INTERVALS, None)
    except InvalidData:
        return "refused: its cells are no numbers"
    cuts = () if intervals is None else intervals.cuts
    return f"{len(cuts) + 1} intervals, cut at {cut_places(cuts)}" if cuts else "set aside"
