"""Network files: JSON, and BIF, XMLBIF and XDSL, which other programs read; plain or gzipped. All keep everything."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from dagscape.core.errors import InvalidData, InvalidOption, type_of
from dagscape.core.files.documents import decode_json, is_json, read_text
from dagscape.core.files.paths import path_text
from dagscape.networks.bif.reading import network_of_blocks, parse_network
from dagscape.networks.bif.syntax import Document, Source
from dagscape.networks.discrete.network import Network
from dagscape.networks.gaussian.base import MeasuredNetwork
from dagscape.networks.gaussian.conditional import ConditionalGaussianNetwork
from dagscape.networks.gaussian.gaussian import GaussianNetwork
from dagscape.networks.json_documents import network_of_document
from dagscape.networks.writing import save_network
from dagscape.networks.xml import xdsl, xmlbif
from dagscape.networks.xml.elements import Tree, is_xml, parse_elements

# An upper bound on the memory for one byte of a BIF file, such as a short level, while reading.
BIF_BYTES_PER_BYTE = 64.0


def read_network(
    path: str | os.PathLike[str], *, max_memory: int | str | None = None
) -> Network | GaussianNetwork | ConditionalGaussianNetwork:
    """Read a network from a BIF, XMLBIF, XDSL or JSON file.

    Parameters
    ----------
    path : path
        The file, plain or gzipped; the format, and gzip, are recognised by content. ``"-"`` for standard input.
    max_memory : int, str or None
        The most memory for reading, such as ``"2GiB"``; by default 80% of what is available.

    Returns
    -------
    Network, GaussianNetwork or ConditionalGaussianNetwork
        The network, with the variables in the order of the file. Only JSON files have networks with measured variables.

    Examples
    --------
    >>> import tempfile
    >>> from dagscape.networks.bundled import load_network
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_network(load_network("asia"), f"{folder}/asia.bif.gz")
    ...     read_network(f"{folder}/asia.bif.gz")
    Network('asia': 8 variables, 8 edges, 18 free parameters)
    """
    title = path_text(path)
    text = read_text(path, max_memory=max_memory, bytes_per_byte=BIF_BYTES_PER_BYTE)
    if is_json(text):
        return network_of_document(decode_json(text, title), title)
    return network_of_text(text, title, max_memory=max_memory)


# What reads each format, by the root of its documents, and the name of the format.
_XML: dict[str, tuple[Callable[[Source, Tree], Document], str]] = {
    xmlbif.ROOT: (xmlbif.xmlbif_blocks, "XMLBIF"),
    xdsl.ROOT: (xdsl.xdsl_blocks, "XDSL"),
}
_HINT = "; the probabilities of all its levels follow each other, for each state of the parents"


def network_of_text(text: str, title: str, *, max_memory: int | str | None = None) -> Network:
    """Return the network in the text of a BIF, XMLBIF or XDSL file.

    Examples
    --------
    >>> text = "<smile><nodes><cpt id='x'><state id='a'/><probabilities>1</probabilities></cpt></nodes></smile>"
    >>> network_of_text(text, "x.xdsl").levels["x"]
    ('a',)
    """
    if not is_xml(text):
        return parse_network(text, title, max_memory=max_memory)
    tree = parse_elements(Source(title, text), max_memory)
    if tree.root.tag not in _XML:
        raise InvalidData(
            f"{title!r} is XML, but its element <{tree.root.tag}> is neither <BIF> (XMLBIF) nor <smile> (XDSL of GeNIe)"
        )
    blocks, kind = _XML[tree.root.tag]
    source = Source(title, text, kind, _HINT)
    return network_of_blocks(source, blocks(source, tree), max_memory)


def write_network(
    network: Network | GaussianNetwork | ConditionalGaussianNetwork,
    path: str | os.PathLike[str],
    *,
    remarks: Sequence[str] = (),
) -> None:
    """Write a network to a file: ``.json``, ``.bif``, ``.xmlbif`` (also ``.xml``) or ``.xdsl``; ``.gz`` compresses it.

    All keep everything, and numbers are written so that they are read back exactly. The others are for other programs:
    in BIF, names that are not plain words are percent-encoded (:mod:`dagscape.networks.bif.names`), and in XDSL, which
    GeNIe reads, those that are not identifiers (:mod:`dagscape.networks.xml.xdsl`); types and the discretizer are
    properties of the network. If writing fails, an existing file remains unchanged.

    Parameters
    ----------
    network : Network, GaussianNetwork or ConditionalGaussianNetwork
        The network; one with measured variables needs JSON.
    path : path
        The file to write.
    remarks : sequence of str
        Sentences for people who read the file, such as the warnings of the result that the network is from: comments at
        the beginning of the file, an entry of a JSON file. They are not read back.

    Examples
    --------
    >>> import tempfile
    >>> from dagscape.networks.bundled import load_network
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_network(load_network("asia"), f"{folder}/asia.bif")
    ...     with open(f"{folder}/asia.bif") as stream:
    ...         print(stream.read(86))
    network asia {
    }
    variable asia {
      type discrete [ 2 ] { yes, no };
    }
    variable tub {
    """
    if not isinstance(network, Network | MeasuredNetwork):
        raise InvalidOption(f"is {type_of(network)}; it must be a Network", option="network")
    save_network(network, path, remarks)
