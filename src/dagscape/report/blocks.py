"""What a page about a result consists of: blocks of plain data.

Renderers say what there is to see, and writers how it looks: :mod:`dagscape.report.terminal` on a terminal. Strings are
data and never markup, so that each writer escapes them for its own format. Names are marked as such (:class:`Name`),
because a writer with little room shortens them, and numbers keep their values (:class:`Number`) beside their digits.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass

from dagscape.results.base import Result, picture_of

# math.exp overflows a little above this.
_LARGEST_LOG = 700.0


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a variable, a level, a student and the like, in full; ``listed`` if a comma may follow."""

    name: str
    listed: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """Words that say what stands in the way; they stand out."""

    text: str


Inline = str | Name | Problem

# Words, or several parts in a row: ``("parents of ", Name("rain"))``.
Text = str | tuple[Inline, ...]


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a cell: its value, and the digits that are shown."""

    value: float
    text: str


# A name alone is the whole content of a cell; in a tuple, it is part of a text.
Cell = Text | Name | Number
Row = tuple[Cell, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """What the blocks below are about, with more about it on lines of their own."""

    text: Text
    details: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence, and those that belong to it on lines of their own."""

    text: Text
    details: tuple[Text, ...] = ()


@dataclass(frozen=True, slots=True)
class Note:
    """A remark on what is above it: what is not shown, or how to read it."""

    text: Text


@dataclass(frozen=True, slots=True)
class Caution:
    """A warning about the result."""

    text: Text


@dataclass(frozen=True, slots=True)
class Column:
    """The header of a column, and whether its cells are numbers, which are aligned on the right."""

    header: Text | Name
    numeric: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table. ``omitted`` says which rows are missing at its end; empty if none are."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    omitted: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """The picture of a result. It is drawn only if a writer can show it."""

    result: Result

    def svg(self) -> str | None:
        """Draw the picture; None if it would be too large to read."""
        return picture_of(self.result)


@dataclass(frozen=True, slots=True)
class PictureFile:
    """A picture that is already in a file; ``text`` says what it shows."""

    path: str
    text: str


Block = Heading | Paragraph | Note | Caution | Table | Picture | PictureFile


def table(
    headers: Iterable[Text | Name], rows: Iterable[Row], *, numeric: Collection[int] = (), omitted: str = ""
) -> Table:
    """Return a table; the columns whose indices are in ``numeric`` are those of numbers.

    >>> table(["variable", "levels"], [(Name("rain"), Number(2, "2"))], numeric=[1]).columns[1]
    Column(header='levels', numeric=True)
    """
    columns = tuple(Column(header, index in numeric) for index, header in enumerate(headers))
    return Table(columns, tuple(rows), omitted)


def number(value: float, form: str = ",") -> Number:
    """Return a number with its digits in a format of Python.

    >>> number(0.25, ".4f").text, number(1234).text
    ('0.2500', '1,234')
    """
    return Number(value, format(value, form))


def factor(log_times: float) -> Number:
    """Return a factor, given its natural logarithm.

    >>> factor(0.8561).text, factor(18.63).text, factor(2980.0).text
    ('2.35', '1.23e+08', '10^1294')
    """
    if log_times > _LARGEST_LOG:
        return Number(math.inf, f"10^{log_times / math.log(10):.0f}")
    times = math.exp(log_times)
    return number(times, ",.2f" if times < 1e5 else ".2e")


def names(variables: Iterable[str]) -> tuple[Inline, ...]:
    """Return names as a text, separated by commas.

    >>> names(["rain", "wet"])
    (Name(name='rain', listed=True), ', ', Name(name='wet', listed=True))
    """
    return joined([(Name(name, listed=True),) for name in variables])


def joined(parts: Iterable[tuple[Inline, ...]], separator: str = ", ") -> tuple[Inline, ...]:
    """Return several texts as one."""

    def every() -> Iterator[Inline]:
        for number, part in enumerate(parts):
            if number:
                yield separator
            yield from part

    return tuple(every())


def arrow(source: str, target: str, line: str = "→") -> tuple[Inline, ...]:
    """Return an edge as a text."""
    return Name(source, listed=True), f" {line} ", Name(target, listed=True)
