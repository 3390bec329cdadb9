"""The text of a drawing: names on one or more lines, and how wide they are."""

from __future__ import annotations

import math
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence

from dagscape.core.constraints import OrNone, Whole

# Characters per line of a name, unless the user chooses; a single word may be longer.
LINE_LENGTH, WORD_LENGTH = 20, 32
LABEL_WIDTH = Whole(4)
MOST_LINES = 3
_SHORTEST_WORD = 4

# Widths in a wide sans-serif font (DejaVu Sans), in hundredths of the font size, so that text fits in other fonts too.
_NARROW = {29: "'ijlIJ", 34: " ,./:;\\|f-", 41: "()[]t!r", 52: '"*_`sz?', 56: "cL", 70: "KAVBRXZC", 79: "UHNDG&OQ"}
_WIDE = {84: "#+<=>^~wM→←↑↓≥", 100: "%mW@…"}
_WIDTH = {char: width / 100 for width, chars in (_NARROW | _WIDE).items() for char in chars}
# Characters that XML forbids, control characters also of the direction of text, and a mark that no font has.
_UNSHOWN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufff9-\ufffb\ufffe\uffff]"
)
# A word with the separators after it: a line may end there.
_PIECE = re.compile(r"[^\s_./:-]*[\s_./:-]+|[^\s_./:-]+")


def shown_text(name: str, longest: int | None = None) -> str:
    r"""Return a name on one line, with a replacement for characters without a glyph, shortened if it is long.

    >>> shown_text("two\nlines"), shown_text("\x00"), shown_text("abcdef", 4)
    ('two lines', '�', 'ab…f')
    """
    text = _UNSHOWN.sub("\ufffd", " ".join(re.split("[\t\n\r\x85\u2028\u2029]", name)))
    if longest is None or len(text) <= longest:
        return text
    # Keep the end, since names often differ there.
    tail = (longest - 1) // 3
    return text[: longest - 1 - tail] + "…" + text[len(text) - tail :]


def label_lines(name: str, width: int | None = None, usual: int = LINE_LENGTH) -> tuple[str, ...]:
    """Break a name into lines after spaces, underscores, hyphens and the like.

    Parameters
    ----------
    name : str
        The name.
    width : int, optional
        The most characters per line. Default: ``usual``, but a single word may have 32.
    usual : int
        The default.

    Returns
    -------
    tuple of str
        At most three lines, about equally long. A word that does not fit into a line, or a name that does not fit into
        three, is shortened in the middle.

    Examples
    --------
    >>> label_lines("smoke"), label_lines("systolic_blood_pressure"), label_lines("Donaudampfschiff", 8)
    (('smoke',), ('systolic_', 'blood_pressure'), ('Donau…ff',))
    """
    OrNone(LABEL_WIDTH).check(width, "label_width")
    line, word = (usual, WORD_LENGTH) if width is None else (width, width)
    text = shown_text(name)
    lines = _wrapped(text, line, word)
    length = min(len(text), MOST_LINES * line + 1)
    while len(lines) > MOST_LINES:
        length -= 1
        text = shown_text(shown_text(name), length)
        lines = _wrapped(text, line, word)
    # The same number of lines, as narrow as possible.
    for narrower in range(len(text) // max(len(lines), 1), line):
        found = _wrapped(text, narrower, word)
        if len(found) == len(lines):
            return tuple(found)
    return tuple(lines)


def _wrapped(text: str, line: int, word: int) -> list[str]:
    """Fill lines one after the other; a piece that is longer than a line has a line of its own."""
    if len(text) <= line:
        return [text]
    lines: list[str] = []
    for piece in _PIECE.findall(text):
        if lines and len((lines[-1] + piece).rstrip()) <= line:
            lines[-1] += piece
        else:
            lines.append(shown_text(piece, word) if len(piece.rstrip()) > word else piece)
    return [filled.rstrip() for filled in lines]


def filled_lines(text: str, width: float, size: float, most: int) -> tuple[str, ...]:
    """Break a text between words into lines of at most a given width.

    What does not fit into ``most`` lines is left out, and so is the middle of a word that does not fit into one.

    >>> filled_lines("the quick brown fox jumps", 60, 10, 2), filled_lines("Donaudampfschiff", 60, 10, 2)
    (('the quick', 'brown…'), ('Donaud…iff',))
    """
    lines = [""]
    for word in shown_text(text).split():
        lengths = range(_SHORTEST_WORD, len(word) + 1)
        too_long = bisect_right(lengths, width, key=lambda length: text_width(shown_text(word, length), size))
        shown = shown_text(word, max(_SHORTEST_WORD, _SHORTEST_WORD + too_long - 1))
        if lines[-1] and text_width(f"{lines[-1]} {shown}", size) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {shown}".lstrip()
    if len(lines) <= most:
        return tuple(lines)
    last = lines[most - 1]
    while text_width(f"{last}…", size) > width and " " in last:
        last = last.rpartition(" ")[0]
    return (*lines[: most - 1], f"{last}…")


def text_width(text: str, size: float) -> float:
    """Estimate the width of a text, generously for common sans-serif fonts.

    >>> text_width("mm", 10) > text_width("ii", 10)
    True
    """
    return size * math.fsum(map(_char_width, text))


def lines_size(lines: Sequence[str], size: float) -> tuple[float, float]:
    """Return the width and the height of several lines."""
    return max((text_width(line, size) for line in lines), default=0.0), size * (1 + 1.25 * (len(lines) - 1))


def line_offsets(count: int, size: float) -> list[float]:
    """Return where the baselines of lines are, relative to the centre of their box.

    >>> line_offsets(1, 10), line_offsets(2, 10)
    ([3.5], [-2.75, 9.75])
    """
    return [0.35 * size + 1.25 * size * (index - (count - 1) / 2) for index in range(count)]


def _char_width(char: str) -> float:
    if char in _WIDTH:
        return _WIDTH[char]
    if unicodedata.combining(char):
        return 0.0
    if unicodedata.east_asian_width(char) in "WF":
        return 1.0
    return 0.64 if char.isascii() or char.islower() else 0.8
