"""JSON documents and other text files, read whole within a memory limit."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from dagscape.errors import InvalidData
from dagscape.files.paths import path_text
from dagscape.files.reading import open_binary, read_whole
from dagscape.resources import check_memory

# The memory of one byte of a document as bytes and as text, in which every character can take four.
_BYTES_PER_BYTE = 5.0

# The most memory of what these characters introduce in a document: containers, and entries of lists and of objects.
_BYTES_PER_MARK = {"[": 64, "{": 72, ",": 48, ":": 128, '"': 40}

# The escape of half a character beyond the first 65,536; text needs both halves.
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def read_text(path: str | os.PathLike[str]) -> str:
    """Read the text of a file, plain or gzipped, within the default memory limit."""
    with open_binary(path) as stream:
        content = read_whole(stream, path, bytes_per_byte=_BYTES_PER_BYTE)
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        byte = f"0x{content[error.start]:02x}"
        raise InvalidData(f"{path_text(path)!r} is not UTF-8 text (byte {byte}): save it as UTF-8 first") from error


def read_json(path: str | os.PathLike[str]) -> Any:
    """Read a JSON document from a file, plain or gzipped, within the default memory limit."""
    return parse_json(read_text(path), path_text(path))


def decoded_size(text: str) -> int:
    """Return an upper bound on the memory of a document, in bytes: as text and as Python objects.

    >>> decoded_size("[1, 2]")
    142
    """
    return int(len(text) * _BYTES_PER_BYTE) + sum(size * text.count(mark) for mark, size in _BYTES_PER_MARK.items())


def parse_json(text: str, title: str) -> Any:
    r"""Parse a JSON document, within the default memory limit; ``title`` names it in messages.

    >>> parse_json('["\\ud83d\\ude00", 1]', "smile.json")
    ['😀', 1]
    >>> parse_json('["\\ud83d"]', "half.json")
    Traceback (most recent call last):
      ...
    dagscape.errors.InvalidData: 'half.json' is not valid Unicode: it contains a lone surrogate
    """
    check_memory(decoded_size(text), None, f"the contents of {title!r}", "reduce the file")
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
