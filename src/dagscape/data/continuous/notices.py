"""What a user is told about the columns of a table of numbers: which were set aside."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagscape.data.discrete.notices import notice_of

if TYPE_CHECKING:
    from dagscape.core.errors import AutomaticReading
    from dagscape.data.continuous.numeric import NumericData


def numeric_notice(data: NumericData) -> AutomaticReading | None:
    """Return which columns were set aside without being asked for, and why; None if none were.

    Examples
    --------
    >>> from dagscape.data.continuous.numeric import NumericData
    >>> numeric_notice(NumericData.from_array([[0.5, 1], [1.5, 1]], ["a", "b"])).lasting
    "'b' is set aside: it has the same value, '1', in every row"
    """
    return notice_of([], data.set_aside)
