"""What a user is told about columns that were cut, or set aside, by what they seem to hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from dagscape.core.errors import AutomaticReading, argument
from dagscape.data.kinds.decisions import IGNORED, is_guessed

if TYPE_CHECKING:
    from dagscape.data.discrete.dataset import Dataset

# Of more columns than this, only so many are named.
_NAMED = 12


def automatic_notice(data: Dataset) -> AutomaticReading | None:
    """Return what was decided about the columns of a data set that was read automatically; None if nothing was.

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
    cut = cut_sentences(data)
    if not (cut or any(map(is_guessed, data.set_aside.values()))):
        return None
    parts = [*cut, *aside_sentences(data)]
    if not parts:
        return None
    remedies = f"{argument('nominal')}, {argument('numeric')} and {argument('ignore')}"
    return AutomaticReading("; ".join(parts), f" ({remedies} overrule this)")


def cut_sentences(data: Dataset) -> list[str]:
    """Return what was cut automatically, and where, for each column that is still a variable."""
    discretizer = data.discretizer
    if discretizer is None or discretizer.method != "auto":
        return []
    fitted = {name: discretizer.fitted[name].cuts for name in data.variables if name in discretizer.fitted}
    cut = [f"{name!r} is measured, and cut at {cut_places(cuts)}" for name, cuts in fitted.items() if cuts]
    return _some(cut, "cut")


def aside_sentences(data: Dataset) -> list[str]:
    """Return what was set aside, and why, if the data set was read automatically."""
    if data.discretizer is None or data.discretizer.method != "auto":
        return []
    return sentences_aside(data.set_aside)


def sentences_aside(set_aside: Mapping[str, str]) -> list[str]:
    """Return what was set aside, and why, unless the user said so.

    >>> sentences_aside({"day": "looks like a date: it is one", "note": "is to be ignored"})
    ["'day' is set aside: it looks like a date: it is one"]
    """
    aside = {name: reason for name, reason in set_aside.items() if reason != IGNORED}
    return _some([f"{name!r} is set aside: it {reason}" for name, reason in aside.items()], "set aside")


def cut_places(cuts: Sequence[float]) -> str:
    """Return the places of cuts in words.

    >>> cut_places([0.5, 2.0]), cut_places([1.25])
    ('0.5 and 2', '1.25')
    """
    places = [repr(cut).removesuffix(".0") for cut in cuts]
    return places[0] if len(places) == 1 else f"{', '.join(places[:-1])} and {places[-1]}"


def _some(sentences: Sequence[str], what: str) -> list[str]:
    """Return the first sentences, and how many more there are."""
    more = len(sentences) - _NAMED
    verb = "is" if more == 1 else "are"
    return [*sentences[:_NAMED], *([f"{more} more {verb} {what}"] if more > 0 else [])]
