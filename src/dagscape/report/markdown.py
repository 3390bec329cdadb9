"""Blocks written as Markdown, for pages of documentation.

Names and levels are data: characters that Markdown or HTML would interpret are escaped. Pictures of results are left
out; those in files are linked.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from dagscape.core.wording import visible
from dagscape.report.blocks import (
    Block,
    Caution,
    Cell,
    Heading,
    Inline,
    Name,
    Number,
    Picture,
    PictureFile,
    Problem,
    Table,
    Text,
)

_SPECIAL = re.compile(r"([\\`*_\[\]<>|#~$])")


def markdown_text(blocks: Iterable[Block], level: int = 2) -> str:
    r"""Return blocks as Markdown; headings have the given level.

    Examples
    --------
    >>> from dagscape.report.blocks import Note, number, table
    >>> grades = table(["name", "mark"], [(Name("a|b"), number(2))], numeric=[1])
    >>> print(markdown_text([Heading("Marks"), grades, Note("*all*")]), end="")
    ## Marks
    <BLANKLINE>
    | name | mark |
    | --- | ---: |
    | a\|b | 2 |
    <BLANKLINE>
    \*all\*
    """
    written = ("\n".join(_lines(block, level)) for block in blocks if not isinstance(block, Picture))
    return "\n\n".join(written) + "\n"


def _lines(block: Block, level: int) -> Iterator[str]:
    match block:
        case Table():
            yield from _table(block)
        case Heading():
            yield f"{'#' * level} {_text(block.text)}"
            for detail in block.details:
                yield ""
                yield _text(detail)
        case Caution():
            yield f"**Warning:** {_text(block.text)}"
        case PictureFile():
            yield f"![{_text(block.text)}]({block.path})"
        case Picture():
            pass
        case _:
            yield _text(block.text)
            yield from (f"- {_text(detail)}" for detail in getattr(block, "details", ()))


def _table(block: Table) -> Iterator[str]:
    yield _row(_cell(column.header) for column in block.columns)
    yield _row("---:" if column.numeric else "---" for column in block.columns)
    for row in block.rows:
        yield _row(map(_cell, row))
    if block.omitted:
        yield ""
        yield _text(block.omitted)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell) -> str:
    if isinstance(cell, Name):
        return _escaped(cell.name)
    return _text(cell.text if isinstance(cell, Number) else cell)


def _text(text: Text) -> str:
    return _inline(text) if isinstance(text, str) else "".join(map(_inline, text))


def _inline(part: Inline) -> str:
    match part:
        case Name():
            return _escaped(part.name)
        case Problem():
            return f"**{_escaped(part.text)}**"
        case _:
            return _escaped(part)


def _escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", visible(text))
