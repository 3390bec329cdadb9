"""Names and levels in BIF files as words that other programs read.

pgmpy and pyAgrum do not read quoted names, and of the characters besides ASCII letters and digits they agree on a few
only. Names that are not plain words are therefore percent-encoded, as in URLs:

- a plain word is an ASCII letter or an underscore, then letters, digits and ``_ - .``, and not a keyword of BIF; a
  level may also be an integer;
- any other character is written as ``%`` and two hexadecimal digits for each byte of its UTF-8 form, and so is what
  could begin a number (a digit, ``-``, ``.``, ``e`` or ``E``) after ``table`` or ``default``, where pgmpy reads one;
- a word that begins with anything but a letter then, or that is a keyword, gets a leading underscore.

Reading removes one leading underscore and decodes the rest, ``urllib.parse.unquote(word.removeprefix("_"))``. A file
in which a name is encoded has the line ``property dagscape-names percent-encoded;`` in its network block, and all names
in it follow the rule; a file without that line is taken literally.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote_to_bytes

KEYWORDS = frozenset({"network", "variable", "probability", "property", "type", "discrete", "table", "default"})

# How the names of our properties begin, and the property of a file whose names are encoded.
PREFIX = "dagscape-"
ENCODED = (f"{PREFIX}names", "percent-encoded")
# What BIF has no place for: an encoded JSON document each.
TYPES = f"{PREFIX}types"
DISCRETIZER = f"{PREFIX}discretizer"

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")
_NUMBER_AFTER_KEYWORD = re.compile(r"(?<=table)[0-9eE.-]|(?<=default)[0-9eE.-]")
_INTEGER = re.compile(r"[+-]?[0-9]+")


def is_plain(text: str, *, level: bool = False) -> bool:
    """Whether a name can be written as it is.

    Examples
    --------
    >>> is_plain("x_1"), is_plain("high fever"), is_plain("table"), is_plain("7"), is_plain("7", level=True)
    (True, False, False, False, True)
    """
    if level and _INTEGER.fullmatch(text):
        return True
    return bool(_PLAIN.fullmatch(text)) and text not in KEYWORDS and not _NUMBER_AFTER_KEYWORD.search(text)


def encode_name(text: str, *, level: bool = False) -> str:
    """Write a name as a word.

    Examples
    --------
    >>> encode_name("high fever"), encode_name("(-inf,2.45]"), encode_name("?"), encode_name("table"), encode_name("")
    ('high%20fever', '_%28-inf%2C2.45%5D', '_%3F', '_table', '_')
    >>> encode_name("7"), encode_name("7", level=True), encode_name("_x")
    ('_7', '7', '__x')
    """
    if level and _INTEGER.fullmatch(text):
        return text
    word = quote(text, safe="").replace("~", "%7E")
    word = _NUMBER_AFTER_KEYWORD.sub(lambda found: f"%{ord(found[0]):02X}", word)
    return word if re.match("[A-Za-z]", word) and text not in KEYWORDS else f"_{word}"


def decode_name(word: str) -> str:
    """Undo :func:`encode_name`; raises UnicodeDecodeError if the bytes are not UTF-8.

    Examples
    --------
    >>> decode_name("_%28-inf%2C2.45%5D"), decode_name("__x"), decode_name("7"), decode_name("_")
    ('(-inf,2.45]', '_x', '7', '')
    """
    return unquote_to_bytes(word.removeprefix("_")).decode()
