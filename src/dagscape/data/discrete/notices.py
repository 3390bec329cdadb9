"""What a user is told about columns that were cut, or set aside, by what they seem to hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dagscape.core.errors import AutomaticReading, argument
from dagscape.data.kinds.decisions import IGNORED, is_unasked

if TYPE_CHECKING:
    from dagscape.data.discrete.dataset import Dataset

# Of more columns than this, only so many are named.
_NAMED = 12


def automatic_notice(data: Dataset) -> AutomaticReading | None:
    """Return what was decided about the columns of a data set without being asked for; None if nothing was.

    That is where columns were cut automatically, and which were set aside, by what they seem to hold or because they
    are constant.

    Examples
    --------
    >>> import numpy as np
    >>> from dagscape.data.discrete.discretizing import Discretizer
    >>> from dagscape.data.tables.frames import table_from_array
    >>> rows = np.stack([np.arange(90) / 8, np.arange(90) % 2], axis=1)
    >>> data = Discretizer(method="auto").learn(table_from_array(rows), {})
    >>> automatic_notice(data).lasting
    "'X0' is measured, and cut at 3.69 and 7.44"
    """
    return notice_of(cut_sentences(data), data.set_aside)


def notice_of_choices(data: Dataset) -> AutomaticReading | None:
    """Return the same, but None if columns are constant and nothing else was decided.

    Whoever makes a data set has it, and what was set aside; who gives a table to a method does not.

    Examples
    --------
    >>> from dagscape.data.discrete.dataset import Dataset
    >>> notice_of_choices(Dataset.from_array([[0, 1], [1, 1]])) is None
    True
    """
    chosen = cut_sentences(data) or any(map(is_unasked, data.set_aside.values()))
    return automatic_notice(data) if chosen else None


def notice_of(decided: Sequence[str], set_aside: Mapping[str, str]) -> AutomaticReading | None:
    """Return a warning of what was decided about columns, in sentences, and of those that were set aside; None of none.

    Examples
    --------
    >>> str(notice_of([], {"day": "looks like a date: it is one"}))
    "'day' is set aside: it looks like a date: it is one (nominal, numeric and ignore overrule this)"
    >>> str(notice_of([], {"unit": "has the same value, '1', in every row"}))
    "'unit' is set aside: it has the same value, '1', in every row"
    """
    parts = [*decided, *sentences_aside(set_aside)]
    if not parts:
        return None
    # What is constant stays so.
    overruled = bool(decided) or any(map(is_unasked, set_aside.values()))
    remedies = f"{argument('nominal')}, {argument('numeric')} and {argument('ignore')}"
    return AutomaticReading("; ".join(parts), f" ({remedies} overrule this)" if overruled else "")


def cut_sentences(data: Dataset) -> list[str]:
    """Return what was cut automatically, and where, for each column that is still a variable."""
    discretizer = data.discretizer
    if discretizer is None or discretizer.method != "auto":
        return []
    fitted = {name: discretizer.fitted[name].cuts for name in data.variables if name in discretizer.fitted}
    cut = [f"{name!r} is measured, and cut at {cut_places(cuts)}" for name, cuts in fitted.items() if cuts]
    return some_sentences(cut, "cut")


def sentences_aside(set_aside: Mapping[str, str]) -> list[str]:
    """Return what was set aside, and why, unless the user said so.

    >>> sentences_aside({"day": "looks like a date: it is one", "note": "is to be ignored"})
    ["'day' is set aside: it looks like a date: it is one"]
    """
    aside = {name: reason for name, reason in set_aside.items() if reason != IGNORED}
    return some_sentences([f"{name!r} is set aside: it {reason}" for name, reason in aside.items()], "set aside")


def cut_places(cuts: Sequence[float]) -> str:
    """Return the places of cuts in words.

    >>> cut_places([0.5, 2.0]), cut_places([1.25])
    ('0.5 and 2', '1.25')
    """
    places = [repr(cut).removesuffix(".0") for cut in cuts]
    return places[0] if len(places) == 1 else f"{', '.join(places[:-1])} and {places[-1]}"


def some_sentences(sentences: Sequence[str], what: str) -> list[str]:
    """Return the first sentences about columns, and of how many more the same is true.

    >>> some_sentences([f"x{i} is cut" for i in range(15)], "cut")[-2:]
    ['x11 is cut', '3 more are cut']
    """
    more = len(sentences) - _NAMED
    verb = "is" if more == 1 else "are"
    return [*sentences[:_NAMED], *([f"{more} more {verb} {what}"] if more > 0 else [])]
