"""XDSL, the XML format of GeNIe and SMILE.

A file has a ``cpt`` for each variable in ``nodes``, with its ``state``, ``parents`` and ``probabilities``, in which the
variable itself varies fastest, then the last parent. A ``deterministic`` node has ``resultingstates`` instead, one for
each state of its parents. Nodes of other kinds, such as noisy gates, decisions and utilities, are refused. The rest, as
colours and places, is skipped.

GeNIe knows only identifiers: a letter, then letters, digits and underscores. If some name or level is none, all are
written as ``n`` and the name, of which other characters, and underscores before an ``x``, become ``_xHH`` for each byte
of their UTF-8 form; a comment ``dagscape-names encoded`` says so. Types and the discretizer are in such comments, too.
"""

from __future__ import annotations

import re
from array import array
from typing import IO, TYPE_CHECKING

from dagscape.networks.bif.names import ENCODED, PREFIX
from dagscape.networks.bif.syntax import Document, Name, Row, Source, shown
from dagscape.networks.xml.blocks import declare, define, numbers
from dagscape.networks.xml.elements import Element, Tree, comment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dagscape.networks.discrete.network import Network

ROOT = "smile"

_IDENTIFIER = re.compile("[A-Za-z][A-Za-z0-9_]*")
_ENCODED_BYTE = re.compile(b"_x([0-9A-F]{2})")
_WRITTEN = "encoded"
_ORDER = f"{PREFIX}order"


def xdsl_blocks(source: Source, tree: Tree) -> Document:
    """Return the blocks of an XDSL file."""
    root, encoded = tree.root, ENCODED[0] in tree.properties
    if root.first("dynamic") is not None:
        raise source.fail(root.offset, "the network is dynamic, and dagscape has no such networks")
    title = root.attributes.get("id", "")
    document = Document("" if title == "unknown" else _restored(title, encoded=encoded), tree.properties)
    nodes = root.first("nodes")
    variables = [] if nodes is None else nodes.children
    for node in variables:
        if node.tag not in ("cpt", "deterministic"):
            raise source.fail(
                node.offset, f"a node is of the kind {shown(node.tag)}; it must be 'cpt' or 'deterministic'"
            )
        states = [_identifier(source, state, encoded=encoded) for state in node.all("state")]
        declare(source, document, _identifier(source, node, encoded=encoded), states)
    for node, block in zip(variables, document.variables, strict=True):
        above = node.first("parents")
        words = [] if above is None else above.text.split()
        parents = [Name(_restored(word, encoded=encoded), node.offset) for word in words]
        table = _table(source, node, block.levels, encoded=encoded)
        define(document, block.name, parents, table, len(block.levels))
    if _ORDER in tree.properties:
        _reorder(source, document, tree.properties[_ORDER])
    return document


def _reorder(source: Source, document: Document, order: Name) -> None:
    """Give the variables the order that they had before parents were written first."""
    places = order.text.split()
    if sorted(places) != sorted(map(str, range(len(document.variables)))):
        raise source.fail(order.offset, f"the property {_ORDER} is damaged: remove it")
    document.variables = [document.variables[int(place)] for place in places]


def _identifier(source: Source, element: Element, *, encoded: bool) -> Name:
    if "id" not in element.attributes:
        raise source.fail(element.offset, f"<{element.tag}> has no id")
    return Name(_restored(element.attributes["id"], encoded=encoded), element.offset)


def _table(source: Source, node: Element, levels: tuple[str, ...], *, encoded: bool) -> Row:
    tag = "probabilities" if node.tag == "cpt" else "resultingstates"
    element = node.first(tag)
    if element is None:
        raise source.fail(node.offset, f"{shown(node.attributes['id'])} has no <{tag}>")
    if node.tag == "cpt":
        return numbers(source, element)
    values = array("d")
    for word in element.text.split():
        level = _restored(word, encoded=encoded)
        if level not in levels:
            raise source.fail(element.offset, f"{shown(level)} is not a level of {shown(node.attributes['id'])}")
        values.extend(float(other == level) for other in levels)
    return Row(element.offset, (), values)


def identifier(text: str) -> str:
    """Write a name as an identifier.

    Examples
    --------
    >>> identifier("high fever"), identifier("7"), identifier("_x")
    ('nhigh_x20fever', 'n7', 'n_x5Fx')
    """
    marked = re.sub(r"_(?=x)|[^A-Za-z0-9_]", lambda found: "".join(f"_x{byte:02X}" for byte in found[0].encode()), text)
    return f"n{marked}"


def _restored(word: str, *, encoded: bool) -> str:
    if not encoded:
        return word
    content = word.removeprefix("n").encode()
    return _ENCODED_BYTE.sub(lambda found: bytes([int(found[1], 16)]), content).decode(errors="replace")


def write_xdsl(network: Network, stream: IO[bytes], properties: Mapping[str, str], remarks: Sequence[str] = ()) -> None:
    """Write a network to a stream, with remarks first."""
    levels = [level for name in network.variables for level in network.levels[name]]
    title = network.name or "unknown"
    # GeNIe reads parents before their children.
    order = network.dag.topological_order()
    place = {name: number for number, name in enumerate(order)}
    if order != network.variables:
        properties = {**properties, _ORDER: " ".join(str(place[name]) for name in network.variables)}
    encoded = network.name == "unknown" or not all(map(_IDENTIFIER.fullmatch, (title, *network.variables, *levels)))

    def written(text: str) -> str:
        return identifier(text) if encoded else text

    stream.write(b'<?xml version="1.0" encoding="UTF-8"?>\n')
    for name, value in {**({ENCODED[0]: _WRITTEN} if encoded else {}), **properties}.items():
        # Two hyphens would end the comment.
        stream.write(f"<!-- {name} {value.replace('-', '%2D')} -->\n".encode())
    for remark in remarks:
        stream.write(f"{comment(remark)}\n".encode())
    head = written(network.name) if network.name else "unknown"
    stream.write(f'<smile version="1.0" id="{head}">\n  <nodes>\n'.encode())
    for name in order:
        states = "".join(f'      <state id="{written(level)}" />\n' for level in network.levels[name])
        above = " ".join(map(written, network.dag.parents(name)))
        parents = f"      <parents>{above}</parents>\n" if above else ""
        table = " ".join(map(repr, network.cpts[name].ravel().tolist()))
        body = f"{states}{parents}      <probabilities>{table}</probabilities>\n"
        stream.write(f'    <cpt id="{written(name)}">\n{body}    </cpt>\n'.encode())
    stream.write(b"  </nodes>\n</smile>\n")
