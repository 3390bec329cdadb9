"""The encodings of text files: by name, or by the byte-order mark at their beginning."""

from __future__ import annotations

import codecs
import io
from typing import Any

from dagscape.core.errors import InvalidOption, brief, did_you_mean

# Encodings that files of tables often have, for messages.
USUAL_ENCODINGS = (
    "utf-8", "utf-16", "latin-1", "cp1252", "cp1250", "cp1251", "cp437", "mac-roman", "shift-jis", "gb18030", "big5",
    "euc-kr",
)  # fmt: skip

# Encodings of Python source, of names of hosts, and others that no file has.
_NOT_OF_FILES = frozenset({"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"})

# The longest first, because the mark of UTF-32 begins with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


def check_encoding(encoding: str | None) -> None:
    """Refuse the name of an encoding that is unknown or is not one of text.

    >>> check_encoding("latin-1")
    """
    if encoding is None:
        return
    try:
        if not isinstance(encoding, str) or codecs.lookup(encoding).name.replace("_", "-") in _NOT_OF_FILES:
            raise LookupError
        io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    # Names with a NUL character or half of a surrogate pair are errors of value.
    except (LookupError, ValueError):
        near = did_you_mean(encoding, USUAL_ENCODINGS)
        raise InvalidOption(
            f"is {brief(encoding)}, which is no known encoding of text; usual ones are "
            f"{', '.join(USUAL_ENCODINGS)}{near}",
            option="encoding",
        ) from None


def encoding_of(start: bytes, encoding: str | None) -> str:
    """Return the encoding of a file, given its first bytes: that of its byte-order mark, or as given, or UTF-8.

    >>> encoding_of(b"a,b", None), encoding_of(b"a,b", "latin-1"), encoding_of(codecs.BOM_UTF16_LE, None)
    ('utf-8', 'latin-1', 'utf-16')
    """
    marked = next((name for mark, name in _MARKS if start.startswith(mark)), None)
    return marked or encoding or "utf-8"


class LineCounter(io.BufferedIOBase):
    """A stream of bytes that counts the lines it hands out, so that an error of decoding can name the line."""

    def __init__(self, stream: io.BufferedReader[Any]) -> None:
        self._stream = stream
        self._lines = 0

    def readable(self) -> bool:
        """Whether it can be read, which it can."""
        return True

    def read(self, size: int | None = -1, /) -> bytes:
        """Read bytes."""
        return self._counted(self._stream.read(size))

    def read1(self, size: int = -1, /) -> bytes:
        """Read bytes with at most one call of the system."""
        return self._counted(self._stream.read1(size))

    def _counted(self, piece: bytes) -> bytes:
        self._lines += piece.count(b"\n")
        return piece

    def line_of(self, error: UnicodeDecodeError) -> int:
        """Return the line of an error in the last bytes that were handed out."""
        return 1 + self._lines - error.object.count(b"\n", error.start)
