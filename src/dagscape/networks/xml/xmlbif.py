"""XMLBIF 0.3, the Interchange Format in XML, which JavaBayes, SamIam, WEKA, pyAgrum and pgmpy read and write.

A file has a NETWORK, with a VARIABLE for each variable (NAME, and an OUTCOME for each level), and a DEFINITION for each
(FOR, a GIVEN for each parent, and a TABLE of probabilities, in which the variable itself varies fastest, then the last
parent). Older files call them VALUE and PROBABILITY. Tags are read in upper and lower case. Properties are skipped,
except those of dagscape, which are as in BIF: ``dagscape-types = …``.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING
from xml.sax.saxutils import escape

from dagscape.core.errors import InvalidOption
from dagscape.networks.bif.names import PREFIX
from dagscape.networks.bif.syntax import Document, Name, Source, shown
from dagscape.networks.xml.blocks import declare, define, numbers
from dagscape.networks.xml.elements import Element, Tree, comment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dagscape.networks.discrete.network import Network

ROOT = "bif"


def xmlbif_blocks(source: Source, tree: Tree) -> Document:
    """Return the blocks of an XMLBIF file."""
    network = tree.root.first("network")
    if network is None:
        raise source.fail(tree.root.offset, "<BIF> has no <NETWORK>")
    name = network.first("name")
    # As in BIF, 'unknown' is no name.
    title = "" if name is None or name.text == "unknown" else name.text
    document = Document(title, _properties(network))
    for variable in network.all("variable"):
        kind = variable.attributes.get("TYPE", variable.attributes.get("type", "nature"))
        found = _name(source, variable, "name")
        if kind.lower() not in ("nature", "discrete"):
            raise source.fail(variable.offset, f"{shown(found.text)} is of type {shown(kind)}; it must be 'nature'")
        levels = [Name(level.text, level.offset) for level in variable.all("outcome", "value")]
        declare(source, document, found, levels)
    arities = {block.name.text: len(block.levels) for block in document.variables}
    for definition in network.all("definition", "probability"):
        child = _name(source, definition, "for")
        parents = [Name(parent.text, parent.offset) for parent in definition.all("given")]
        table = definition.first("table")
        if table is None:
            raise source.fail(definition.offset, f"the <DEFINITION> of {shown(child.text)} has no <TABLE>")
        define(document, child, parents, numbers(source, table), arities.get(child.text, 0))
    return document


def _properties(network: Element) -> dict[str, Name]:
    found = {}
    for entry in network.all("property"):
        name, _, value = entry.text.partition("=")
        if name.strip().startswith(PREFIX):
            found[name.strip()] = Name(value.strip(), entry.offset)
    return found


def _name(source: Source, owner: Element, tag: str) -> Name:
    named = list(owner.all(tag))
    if len(named) != 1:
        raise source.fail(
            owner.offset, f"<{owner.tag.upper()}> has {len(named)} elements <{tag.upper()}>; it must have 1"
        )
    return Name(named[0].text, named[0].offset)


def write_xmlbif(
    network: Network, stream: IO[bytes], properties: Mapping[str, str], remarks: Sequence[str] = ()
) -> None:
    """Write a network to a stream, with remarks first."""
    check_plain_text(network)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', *map(comment, remarks), '<BIF VERSION="0.3">', "<NETWORK>"]
    lines.append(f"<NAME>{escape(network.name or 'unknown')}</NAME>")
    lines += [f"<PROPERTY>{name} = {escape(value)}</PROPERTY>" for name, value in properties.items()]
    stream.write("\n".join([*lines, ""]).encode())
    for name in network.variables:
        outcomes = "".join(f"  <OUTCOME>{escape(level)}</OUTCOME>\n" for level in network.levels[name])
        block = f'<VARIABLE TYPE="nature">\n  <NAME>{escape(name)}</NAME>\n{outcomes}</VARIABLE>\n'
        stream.write(block.encode())
    for name in network.variables:
        given = "".join(f"  <GIVEN>{escape(parent)}</GIVEN>\n" for parent in network.dag.parents(name))
        table = " ".join(map(repr, network.cpts[name].ravel().tolist()))
        head = f"<DEFINITION>\n  <FOR>{escape(name)}</FOR>\n{given}  <TABLE>{table}</TABLE>\n</DEFINITION>\n"
        stream.write(head.encode())
    stream.write(b"</NETWORK>\n</BIF>\n")


def check_plain_text(network: Network) -> None:
    """Refuse names that XML has no way to write, or that its readers trim."""
    levels = (level for name in network.variables for level in network.levels[name])
    for text in (network.name, *network.variables, *levels):
        if text != text.strip() or any(ord(mark) < ord(" ") or ord(mark) in (0xFFFE, 0xFFFF) for mark in text):
            raise InvalidOption(
                f"XMLBIF cannot hold the name {text!r}, because of its white space or control characters: "
                "write a .json or .bif file"
            )
    if network.name == "unknown" or "" in network.variables:
        raise InvalidOption("XMLBIF takes the name 'unknown' for no name: write a .json or .bif file")
