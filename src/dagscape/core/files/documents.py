"""JSON documents and other text files, read whole within a memory limit."""

from __future__ import annotations

import codecs
import io
import json
import os
import re
from typing import Any

from dagscape.core.errors import InvalidData
from dagscape.core.files.paths import path_text
from dagscape.core.files.reading import open_binary, read_whole
from dagscape.core.resources import check_memory

# The memory of one byte of a document as bytes and as text, in which every character can take four.
BYTES_PER_BYTE = 5.0

# The most memory of what these characters introduce in JSON: containers, and entries of lists and of objects.
_BYTES_PER_MARK = {"[": 64, "{": 72, ",": 48, ":": 128, '"': 40}
_MARKS = {mark.encode(): size for mark, size in _BYTES_PER_MARK.items()}

# The escape of half a character beyond the first 65,536; text needs both halves.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


class _Text:
    """The memory of a text and of what is parsed from it, piece by piece."""

    def __init__(self, path: str | os.PathLike[str], bytes_per_byte: float, may_be_json: bool, most_nuls: int) -> None:
        self._path = path
        self._bytes_per_byte = bytes_per_byte
        self._most_nuls = most_nuls
        # None until the first character that is not white space.
        self._is_json = None if may_be_json else False
        self._is_first = True

    def memory_of(self, piece: bytes) -> int:
        """Return the memory for a piece; refuse one that is not text."""
        if b"\0" in piece and b"\0" * (self._most_nuls + 1) in piece:
            if self._is_first:
                # Another encoding is the better explanation, if bytes before the NUL show it.
                _decode(piece[: piece.index(b"\0")], self._path)
            raise InvalidData(f"{path_text(self._path)!r} is not a text file: it contains NUL characters")
        self._is_first = False
        if self._is_json is None and (start := piece.removeprefix(codecs.BOM_UTF8).lstrip()[:1]):
            self._is_json = is_json(start)
        if not self._is_json:
            return int(len(piece) * self._bytes_per_byte)
        return int(len(piece) * BYTES_PER_BYTE) + sum(size * piece.count(mark) for mark, size in _MARKS.items())


def read_text(
    path: str | os.PathLike[str],
    *,
    max_memory: int | str | None = None,
    bytes_per_byte: float = BYTES_PER_BYTE,
    may_be_json: bool = True,
    most_nuls: int = 0,
) -> str:
    """Read the text of a file, plain or gzipped; stop as soon as it or what is parsed from it exceeds the memory limit.

    Parameters
    ----------
    path : path
        The file; ``"-"`` for standard input.
    max_memory : int, str or None
        The limit; None for most of what is available.
    bytes_per_byte : float
        The most memory for one byte of a text that is not JSON, when parsed.
    may_be_json : bool
        Whether a text that begins with a bracket is JSON, whose memory depends on its contents.
    most_nuls : int
        The most NUL characters in a row; a file with more is not a text file.
    """
    with open_binary(path) as stream:
        return text_of(
            stream,
            path,
            max_memory=max_memory,
            bytes_per_byte=bytes_per_byte,
            may_be_json=may_be_json,
            most_nuls=most_nuls,
        )


def text_of(
    stream: io.BufferedReader[Any],
    path: str | os.PathLike[str],
    *,
    max_memory: int | str | None = None,
    bytes_per_byte: float = BYTES_PER_BYTE,
    may_be_json: bool = True,
    most_nuls: int = 0,
) -> str:
    """Read the text of an open file, as :func:`read_text` does; ``path`` names it in messages."""
    text = _Text(path, bytes_per_byte, may_be_json, most_nuls)
    return _decode(read_whole(stream, path, max_memory=max_memory, memory_of=text.memory_of), path)


def is_json(start: str | bytes) -> bool:
    """Whether a text begins as a JSON document does: with a bracket.

    >>> is_json(' {"kind": "network"}'), is_json("network asia {")
    (True, False)
    """
    return start.lstrip()[:1] in ("{", "[", b"{", b"[")


def _decode(content: bytes, path: str | os.PathLike[str]) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = f"0x{content[error.start]:02x}"
        raise InvalidData(f"{path_text(path)!r} is not UTF-8 text (byte {byte}): save it as UTF-8 first") from error


def read_json(path: str | os.PathLike[str], *, max_memory: int | str | None = None) -> Any:
    """Read a JSON document from a file, plain or gzipped, within a memory limit."""
    return decode_json(read_text(path, max_memory=max_memory), path_text(path))


def decoded_size(text: str) -> int:
    """Return an upper bound on the memory of a document, in bytes: as text and as Python objects.

    >>> decoded_size("[1, 2]")
    142
    """
    return int(len(text) * BYTES_PER_BYTE) + sum(size * text.count(mark) for mark, size in _BYTES_PER_MARK.items())


def parse_json(text: str, title: str) -> Any:
    r"""Parse a JSON document, within the default memory limit; ``title`` names it in messages.

    >>> parse_json('["\\ud83d\\ude00", 1]', "smile.json")
    ['😀', 1]
    >>> parse_json('["\\ud83d"]', "half.json")
    Traceback (most recent call last):
      ...
    dagscape.core.errors.InvalidData: 'half.json' is not valid Unicode: it contains a lone surrogate
    """
    check_memory(decoded_size(text), None, f"the contents of {title!r}", "reduce the file")
    return decode_json(text, title)


def decode_json(text: str, title: str) -> Any:
    """Parse a JSON document that :func:`read_text` read, which has checked the memory."""
    try:
        document = json.loads(text)
        if _SURROGATE.search(text):
            json.dumps(document, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise InvalidData(f"{title!r} is not valid Unicode: it contains a lone surrogate") from error
    except RecursionError as error:
        raise InvalidData(f"{title!r} is nested too deeply") from error
    except ValueError as error:
        # Also raised for integers of more digits than Python converts.
        raise InvalidData(f"{title!r} is not JSON: {error}") from error
    return document
