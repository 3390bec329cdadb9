"""Elements of XML formats as the blocks that BIF files consist of, which are checked in one place.

In XML formats, the probabilities of the levels of a variable follow each other, for each state of its parents, of which
the last varies fastest. In a flat table of BIF, the variable itself varies slowest.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence

import numpy as np

from dagscape.networks.bif.syntax import (
    MAX_NAMES,
    MAX_VARIABLES,
    Document,
    Name,
    ProbabilityBlock,
    Row,
    Source,
    VariableBlock,
    shown,
)
from dagscape.networks.xml.elements import Element

# Without what float() would also accept, such as 1_0.
_NUMBERS = re.compile(r"[0-9eE+\-.,\s]*")


def declare(source: Source, document: Document, name: Name, levels: Sequence[Name]) -> None:
    """Add a variable and its levels to a document."""
    if len(document.variables) == MAX_VARIABLES:
        raise source.fail(name.offset, f"the file has more than {MAX_VARIABLES} variables, which is the limit")
    if len(levels) > MAX_NAMES:
        raise source.fail(name.offset, f"the list has more than {MAX_NAMES} names, which is the limit")
    seen: set[str] = set()
    for level in levels:
        if level.text in seen:
            raise source.fail(level.offset, f"the level {shown(level.text)} of {shown(name.text)} is listed twice")
        seen.add(level.text)
    document.variables.append(VariableBlock(name, tuple(level.text for level in levels)))


def define(document: Document, child: Name, parents: Sequence[Name], table: Row, arity: int) -> None:
    """Add the probabilities of a variable, with its levels next to each other."""
    values = np.frombuffer(table.values, dtype=np.float64)
    if arity and len(values) % arity == 0:
        # What does not fit is refused with the number of probabilities that there are.
        values = values.reshape(-1, arity).T.ravel()
    block = ProbabilityBlock(child, tuple(parents), table=Row(table.offset, (), array("d", values.tobytes())))
    document.probabilities.append(block)


def numbers(source: Source, element: Element) -> Row:
    """Return the probabilities in the text of an element."""
    text = element.text
    try:
        if not _NUMBERS.fullmatch(text):
            raise ValueError
        values = array("d", map(float, text.replace(",", " ").split()))
    except ValueError:
        wrong = next((word for word in re.split(r"[\s,]+", text) if not _is_number(word)), text)
        raise source.fail(element.offset, f"found {shown(wrong)} in <{element.tag}>; expected a probability") from None
    return Row(element.offset, (), values)


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return _NUMBERS.fullmatch(word) is not None
