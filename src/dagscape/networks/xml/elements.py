"""XML as a tree of elements, from text that nobody vouches for.

A few lines of XML can expand to gigabytes, through entities that stand for others, or read other files. Networks need
no entities: declarations of any are refused, and nothing outside the text is read. A document type declaration is
skipped, as those of XMLBIF files are. Depth is limited, and memory is checked before anything is parsed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate
from xml.parsers import expat

from dagscape.core.resources import check_memory
from dagscape.core.wording import visible
from dagscape.networks.bif.names import PREFIX
from dagscape.networks.bif.syntax import Name, Source, shown

# Files of networks are about ten deep.
MAX_DEPTH = 100

# A bound on the memory of an element and its attributes, besides that of the text.
_BYTES_PER_MARK = 800
_BYTES_PER_CHARACTER = 8


def comment(text: str) -> str:
    """Return an XML comment; two hyphens, which would end it, and characters that XML does not have are spelled.

    >>> comment("a -> b -- c")
    '<!-- a -> b - - c -->'
    """
    return f"<!-- {visible(text).replace('--', '- -').rstrip('-')} -->"


@dataclass(slots=True)
class Element:
    """An element: its tag in lower case, attributes, children, text, and the offset of its line."""

    tag: str
    attributes: dict[str, str]
    offset: int
    children: list[Element] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """The text of the element itself, without white space around it."""
        return "".join(self.pieces).strip()

    def all(self, *tags: str) -> Iterator[Element]:
        """Iterate over the children with one of these tags."""
        return (child for child in self.children if child.tag in tags)

    def first(self, *tags: str) -> Element | None:
        """Return the first child with one of these tags."""
        return next(self.all(*tags), None)


@dataclass(slots=True)
class Tree:
    """A parsed document: its root, and our own properties in comments, by name."""

    root: Element
    properties: dict[str, Name]


def is_xml(start: str) -> bool:
    """Whether a text begins as an XML document does.

    >>> is_xml(" <?xml version='1.0'?><smile/>"), is_xml("network asia {")
    (True, False)
    """
    return start.lstrip()[:1] == "<"


def parse_elements(source: Source, max_memory: int | str | None = None) -> Tree:
    """Parse a text.

    Examples
    --------
    >>> tree = parse_elements(Source("rain.xdsl", "<smile><nodes><cpt id='rain'/></nodes></smile>"))
    >>> [node.attributes["id"] for node in tree.root.first("nodes").all("cpt")]
    ['rain']
    """
    text = source.text.lstrip()
    needed = _BYTES_PER_CHARACTER * len(text) + _BYTES_PER_MARK * text.count("<")
    check_memory(needed, max_memory, f"the contents of {source.title!r}", "reduce the file")
    return _Builder(source).parsed()


class _Builder:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.skipped = len(source.text) - len(source.text.lstrip())
        starts = accumulate(len(line) + 1 for line in source.text[self.skipped :].split("\n"))
        self.line_starts = [self.skipped, *(self.skipped + start for start in starts)]
        self.open: list[Element] = []
        self.root: Element | None = None
        self.properties: dict[str, Name] = {}
        self.parser = expat.ParserCreate()
        self.parser.buffer_text = True
        self.parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_NEVER)
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._characters
        self.parser.CommentHandler = self._comment
        self.parser.EntityDeclHandler = self._entity

    def parsed(self) -> Tree:
        try:
            self.parser.Parse(self.source.text[self.skipped :], True)
        except expat.ExpatError as error:
            problem = expat.errors.messages[error.code]
            raise self.source.fail(self._line(error.lineno), f"this is not well-formed XML ({problem})") from error
        assert self.root is not None, "a well-formed document has an element"
        return Tree(self.root, self.properties)

    def _line(self, number: int) -> int:
        return self.line_starts[min(number, len(self.line_starts)) - 1]

    @property
    def _here(self) -> int:
        return self._line(self.parser.CurrentLineNumber)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if len(self.open) == MAX_DEPTH:
            raise self.source.fail(self._here, f"elements are nested more than {MAX_DEPTH} deep, which is the limit")
        element = Element(tag.rpartition(":")[2].lower(), attributes, self._here)
        if self.open:
            self.open[-1].children.append(element)
        else:
            self.root = element
        self.open.append(element)

    def _end(self, _: str) -> None:
        self.open.pop()

    def _characters(self, text: str) -> None:
        if self.open:
            self.open[-1].pieces.append(text)

    def _comment(self, text: str) -> None:
        name, _, value = text.strip().partition(" ")
        if name.startswith(PREFIX):
            self.properties[name] = Name(value.strip(), self._here)

    def _entity(self, name: str, *_: object) -> None:
        problem = f"the entity {shown(name)} is declared, which could make the file expand without limit"
        raise self.source.fail(self._here, f"{problem}: remove the declaration")
