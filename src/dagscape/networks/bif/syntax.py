r"""The syntax of BIF, the Interchange Format for Bayesian networks: parsing text into blocks.

A file is a sequence of blocks::

    network NAME { property …; }
    variable NAME { type discrete [ 2 ] { LEVEL, LEVEL }; property …; }
    probability ( CHILD | PARENT, PARENT ) { (LEVEL, LEVEL) 0.1, 0.9; table 0.1, 0.9; default 0.5, 0.5; property …; }

Comments are as in C++. A name is a word without white space, ``{}()[],;|`` and quotation marks, or a quoted string with
the escapes ``\"``, ``\\``, ``\n``, ``\r``, ``\t`` and ``\u`` with four hexadecimal digits, as in C. If the
network block says so, words are decoded (:mod:`dagscape.networks.bif.names`). Commas and the bar are optional, as in
files of older versions. Properties are skipped, except those of dagscape in the network block.

The scanner reads forwards, on demand; nothing is allocated for what a file only declares. Blocks keep their
offsets in the text, from which errors compute line numbers.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from dagscape.core.errors import InvalidData
from dagscape.networks.bif.names import ENCODED, PREFIX, decode_name

# Real networks are far smaller; larger graphs would take too long to process.
MAX_VARIABLES = 2**14
# The limit for one list: the levels of a variable, or its parents.
MAX_NAMES = 2**16

# Every text is scanned once: no part of these patterns can match the same characters in two ways, so that a failure
# costs no more than a success. Possessive quantifiers would say so, but Python 3.11.2 compiles some wrongly.
_QUOTED = r'"[^"\\]*(?:\\(?s:.)[^"\\]*)*"'
_LETTER, _SLASH = r'[^\s{}()\[\],;|"/]', r"/(?![/*])"
_WORD = rf"(?:{_LETTER}|{_SLASH}){_LETTER}*(?:{_SLASH}{_LETTER}*)*"
_BLANK = re.compile(r"\s*")
_TOKEN = re.compile(rf"\s*(?:(?P<mark>[{{}}()\[\],;|])|(?P<quoted>{_QUOTED})|(?P<word>{_WORD}))")
_PROPERTY = re.compile(rf'[^;"{{}}]*(?:{_QUOTED}[^;"{{}}]*)*;')
_PLAIN_NUMBERS = re.compile(r"[0-9eE+\-.,\s]*;")
_ENTRY = re.compile(r"[^\s,]+")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_ESCAPE = re.compile(r'\\(["\\nrt]|u[0-9a-fA-F]{4})')
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\"}


class Token(NamedTuple):
    """A token: its kind, text and offset."""

    kind: Literal["mark", "quoted", "word", "end"]
    text: str
    offset: int

    @property
    def is_name(self) -> bool:
        """Whether the token can be a name."""
        return self.kind in {"quoted", "word"}


class Name(NamedTuple):
    """A name and its offset."""

    text: str
    offset: int


@dataclass(frozen=True, slots=True)
class Row:
    """A list of probabilities: its offset, the levels of the parents, and the numbers."""

    offset: int
    states: tuple[str, ...]
    values: array[float]


@dataclass(frozen=True, slots=True)
class VariableBlock:
    """A declared variable and its levels."""

    name: Name
    levels: tuple[str, ...]


@dataclass(slots=True)
class ProbabilityBlock:
    """The probabilities of a variable: rows by states of the parents, or one flat table, or a default."""

    child: Name
    parents: tuple[Name, ...]
    rows: list[Row] = field(default_factory=list)
    table: Row | None = None
    default: Row | None = None


@dataclass(slots=True)
class Document:
    """All blocks of a file, and the properties of dagscape in its network block, by name."""

    name: str = ""
    properties: dict[str, Name] = field(default_factory=dict)
    variables: list[VariableBlock] = field(default_factory=list)
    probabilities: list[ProbabilityBlock] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Source:
    """A text, its name in messages, its format, and how the probabilities of a flat table are ordered."""

    title: str
    text: str = field(repr=False)
    kind: str = "BIF"
    hint: str = "; in a 'table' the first level comes first, for all states of the parents"

    def fail(self, offset: int, problem: str) -> InvalidData:
        """Return the error for a problem at an offset of the text."""
        return InvalidData(f"{self.title!r}, line {self.text.count(chr(10), 0, offset) + 1}: {problem}")


def shown(text: str, limit: int = 60) -> str:
    """Quote a name for a message; long names are shortened.

    Examples
    --------
    >>> shown("rain"), shown("x" * 100, limit=5)
    ("'rain'", "'xxxxx…'")
    """
    return repr(text if len(text) <= limit else text[:limit] + "…")


def unquote(text: str) -> str:
    r"""Return the content of a quoted string; backslashes that escape nothing are kept.

    Examples
    --------
    >>> unquote(r'"5\" <b>"'), unquote(r'"50\%"')
    ('5" <b>', '50\\%')
    """
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1]) or chr(int(match[1][1:], 16)), text[1:-1])


class _Scanner:
    """Reads tokens, numbers and properties from a text."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.position = 0
        self.encoded = False

    def next(self) -> Token:
        text = self.source.text
        while (match := _TOKEN.match(text, self.position)) is None:
            start = self._skip_blanks()
            if start == len(text):
                return Token("end", "", start)
            self.position = self._end_of_comment(start)
        self.position = match.end()
        kind = match.lastgroup
        # Every match has one of the named groups, and their names are the kinds; types do not know it.
        return Token(kind, match[kind], match.start(kind))  # type: ignore[arg-type, index]

    def _skip_blanks(self) -> int:
        match = _BLANK.match(self.source.text, self.position)
        return self.position if match is None else match.end()

    def _end_of_comment(self, start: int) -> int:
        """Return where the comment that starts here ends; what is no token and no comment is an unclosed quote."""
        text = self.source.text
        if text.startswith("//", start):
            end = text.find("\n", start)
            return len(text) if end < 0 else end
        is_comment = text.startswith("/*", start)
        end = text.find("*/", start + 2) if is_comment else -1
        if end < 0:
            what = "comment" if is_comment else "quote"
            raise self.source.fail(start, f"a {what} is opened here and never closed")
        return end + 2

    def fail(self, token: Token, expected: str) -> InvalidData:
        if token.kind == "end":
            return self.source.fail(token.offset, f"the file ends where {expected} should follow")
        return self.source.fail(token.offset, f"found {shown(token.text)}; expected {expected}")

    def mark(self, mark: str) -> Token:
        token = self.next()
        if token.kind != "mark" or token.text != mark:
            raise self.fail(token, repr(mark))
        return token

    def word(self, word: str) -> Token:
        token = self.next()
        if token.kind != "word" or token.text != word:
            raise self.fail(token, repr(word))
        return token

    def name(self, what: str) -> Name:
        token = self.next()
        if not token.is_name:
            raise self.fail(token, what)
        return self.name_of(token)

    def name_of(self, token: Token) -> Name:
        """Return the name in a token."""
        if token.kind == "quoted":
            return Name(unquote(token.text), token.offset)
        if not self.encoded:
            return Name(token.text, token.offset)
        try:
            return Name(decode_name(token.text), token.offset)
        except UnicodeDecodeError:
            problem = f"{shown(token.text)} is not percent-encoded UTF-8, as the property {ENCODED[0]} says"
            raise self.source.fail(token.offset, problem) from None

    def names(self, closing: str, what: str) -> list[Name]:
        """Read the names up to a closing mark; commas between them are optional."""
        found: list[Name] = []
        while True:
            token = self.next()
            if token.is_name:
                if len(found) == MAX_NAMES:
                    raise self.source.fail(
                        token.offset, f"the list has more than {MAX_NAMES} names, which is the limit"
                    )
                found.append(self.name_of(token))
            elif token.text == closing:
                return found
            elif token.text != ",":
                raise self.fail(token, f"{what} or {closing!r}")

    def property(self) -> str:
        """Read a property up to its semicolon, and return its text."""
        match = _PROPERTY.match(self.source.text, self.position)
        if match is None:
            raise self.source.fail(self.position, "this property is not closed by ';'")
        self.position = match.end()
        return match[0][:-1]

    def numbers(self) -> array[float]:
        """Read the numbers up to a semicolon; commas between them are optional."""
        text = self.source.text
        values = array("d")
        plain = _PLAIN_NUMBERS.match(text, self.position)
        if plain is not None:
            try:
                values.extend(float(entry[0]) for entry in _ENTRY.finditer(text, self.position, plain.end() - 1))
            except ValueError:
                # Read token by token, below, to locate the wrong one.
                del values[:]
            else:
                self.position = plain.end()
                return values
        while (token := self.next()).text != ";" or token.kind != "mark":
            if token.kind == "word" and _NUMBER.fullmatch(token.text):
                values.append(float(token.text))
            elif token.kind != "mark" or token.text != ",":
                raise self.fail(token, "a probability or ';'")
        return values


def parse(source: Source) -> Document:
    """Parse a text into blocks, without checking names.

    Examples
    --------
    >>> text = "variable rain { type discrete [ 2 ] { no, yes }; } probability ( rain ) { table 0.8, 0.2; }"
    >>> document = parse(Source("rain.bif", text))
    >>> document.variables[0].levels, document.probabilities[0].table.values.tolist()
    (('no', 'yes'), [0.8, 0.2])
    """
    scanner = _Scanner(source)
    document = Document()
    networks = 0
    while (token := scanner.next()).kind != "end":
        if token.kind == "word" and token.text == "network" and not networks:
            _parse_network(scanner, document)
            networks += 1
        elif token.kind == "word" and token.text == "variable":
            if len(document.variables) == MAX_VARIABLES:
                raise source.fail(token.offset, f"the file has more than {MAX_VARIABLES} variables, which is the limit")
            document.variables.append(_parse_variable(scanner))
        elif token.kind == "word" and token.text == "probability":
            document.probabilities.append(_parse_probability(scanner))
        else:
            others = "'variable' or 'probability'" if networks else "'network', 'variable' or 'probability'"
            raise scanner.fail(token, others)
    return document


def _parse_network(scanner: _Scanner, document: Document) -> None:
    title = token = scanner.next()
    if token.is_name:
        token = scanner.next()
    if token.kind != "mark" or token.text != "{":
        raise scanner.fail(token, "'{'")
    while (token := scanner.next()).kind == "word" and token.text == "property":
        name, _, value = scanner.property().strip().partition(" ")
        if name.startswith(PREFIX):
            document.properties[name] = Name(value.strip(), token.offset)
    if token.text != "}":
        raise scanner.fail(token, "'property' or '}'")
    # From here on: the name comes before the property, but follows the same rule.
    scanner.encoded = ENCODED[0] in document.properties and document.properties[ENCODED[0]].text == ENCODED[1]
    # Programs write 'unknown' for a network without a name; as a name, it is encoded.
    document.name = scanner.name_of(title).text if title.is_name and title.text != "unknown" else ""


def _parse_variable(scanner: _Scanner) -> VariableBlock:
    name = scanner.name("the name of a variable")
    scanner.mark("{")
    levels: tuple[str, ...] | None = None
    while (token := scanner.next()).kind == "word":
        if token.text == "property":
            scanner.property()
        elif token.text == "type" and levels is None:
            levels = _parse_levels(scanner, name)
        else:
            break
    if token.kind != "mark" or token.text != "}":
        raise scanner.fail(token, "'type', 'property' or '}'" if levels is None else "'property' or '}'")
    if levels is None:
        raise scanner.source.fail(name.offset, f"the variable {shown(name.text)} has no 'type'")
    return VariableBlock(name, levels)


def _parse_levels(scanner: _Scanner, variable: Name) -> tuple[str, ...]:
    scanner.word("discrete")
    scanner.mark("[")
    token = scanner.next()
    if token.kind != "word" or not re.fullmatch("[0-9]+", token.text):
        raise scanner.fail(token, "the number of levels")
    scanner.mark("]")
    scanner.mark("{")
    levels = scanner.names("}", "a level")
    scanner.mark(";")
    owner = shown(variable.text)
    # Compared as strings: the number may have any length.
    if token.text.lstrip("0") != str(len(levels)):
        listed = f"the number of levels declared for {owner} is {shown(token.text, 20)[1:-1]}, not {len(levels)}"
        raise scanner.source.fail(token.offset, listed)
    seen: set[str] = set()
    for level in levels:
        if level.text in seen:
            raise scanner.source.fail(level.offset, f"the level {shown(level.text)} of {owner} is listed twice")
        seen.add(level.text)
    return tuple(level.text for level in levels)


def _parse_probability(scanner: _Scanner) -> ProbabilityBlock:
    scanner.mark("(")
    child = scanner.name("the name of a variable")
    bar = scanner.next()
    if bar.text != "|" or bar.kind != "mark":
        scanner.position = bar.offset
    block = ProbabilityBlock(child, tuple(scanner.names(")", "the name of a parent")))
    scanner.mark("{")
    while (token := scanner.next()).text != "}" or token.kind != "mark":
        if token.kind == "word" and token.text == "property":
            scanner.property()
        elif token.kind == "word" and token.text == "table" and block.table is None:
            block.table = Row(token.offset, (), scanner.numbers())
        elif token.kind == "word" and token.text == "default" and block.default is None:
            block.default = Row(token.offset, (), scanner.numbers())
        elif token.kind == "mark" and token.text == "(":
            states = tuple(name.text for name in scanner.names(")", "a level"))
            block.rows.append(Row(token.offset, states, scanner.numbers()))
        elif token.kind == "word" and token.text in {"table", "default"}:
            raise scanner.source.fail(token.offset, f"{shown(child.text)} has more than one {token.text!r}")
        else:
            raise scanner.fail(token, "'(', 'table', 'default' or '}'")
    return block
