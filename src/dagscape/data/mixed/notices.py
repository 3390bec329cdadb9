"""What a user is told about the columns of a mixed table: few numbers that are levels, and what was set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagscape.core.errors import AutomaticReading, argument
from dagscape.data.discrete.notices import sentences_aside
from dagscape.data.kinds.decisions import is_guessed
from dagscape.data.tables.table import listing

if TYPE_CHECKING:
    from dagscape.data.mixed.mixed import MixedData

# Of more columns than this, only so many are named.
_NAMED = 12


def mixed_notice(data: MixedData) -> AutomaticReading | None:
    """Return what was decided about the columns of mixed data; None if nothing was that may well be wrong.

    Examples
    --------
    >>> from dagscape.data.mixed.mixed import mixed_from_table
    >>> from dagscape.data.tables.frames import table_from_array
    >>> mixed_notice(mixed_from_table(table_from_array([[i / 8, i % 3] for i in range(90)]))).lasting
    "the numbers of 'X1' are levels"
    """
    if not (data.guessed or any(map(is_guessed, data.set_aside.values()))):
        return None
    remedies = f"{argument('nominal')}, {argument('numeric')} and {argument('ignore')}"
    parts = [*level_sentences(data), *sentences_aside(data.set_aside)]
    return AutomaticReading("; ".join(parts), f" ({remedies} overrule this)")


def level_sentences(data: MixedData) -> list[str]:
    """Return of which columns the numbers are levels, because they are few, as one sentence or none."""
    return [f"the numbers of {listing(data.guessed, _NAMED)} are levels"] if data.guessed else []
