"""What a user is told about the columns of a mixed table: few numbers that are levels, and what was set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagscape.data.discrete.notices import notice_of
from dagscape.data.kinds.decisions import is_unasked
from dagscape.data.tables.table import listing

if TYPE_CHECKING:
    from dagscape.core.errors import AutomaticReading
    from dagscape.data.mixed.mixed import MixedData

# Of more columns than this, only so many are named.
_NAMED = 12


def mixed_notice(data: MixedData) -> AutomaticReading | None:
    """Return what was decided about the columns of mixed data; None if nothing was.

    Examples
    --------
    >>> from dagscape.data.mixed.mixed import mixed_from_table
    >>> from dagscape.data.tables.frames import table_from_array
    >>> mixed_notice(mixed_from_table(table_from_array([[i / 8, i % 3] for i in range(90)]))).lasting
    "the numbers of 'X1' are levels"
    """
    return notice_of(level_sentences(data), data.set_aside)


def mixed_choices(data: MixedData) -> AutomaticReading | None:
    """Return the same, but None if columns are constant and nothing else was decided."""
    return mixed_notice(data) if data.guessed or any(map(is_unasked, data.set_aside.values())) else None


def level_sentences(data: MixedData) -> list[str]:
    """Return of which columns the numbers are levels, because they are few, as one sentence or none."""
    return [f"the numbers of {listing(data.guessed, _NAMED)} are levels"] if data.guessed else []
