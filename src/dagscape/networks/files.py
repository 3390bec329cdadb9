"""Network files: BIF, which other programs read, and JSON; plain or gzipped. Both keep everything."""

from __future__ import annotations

import os

from dagscape.core.errors import InvalidOption, type_of
from dagscape.core.files.documents import decode_json, is_json, read_text
from dagscape.core.files.paths import path_text
from dagscape.networks.bif.reading import parse_network
from dagscape.networks.discrete.network import Network
from dagscape.networks.json_documents import network_of_document
from dagscape.networks.writing import save_network

# An upper bound on the memory for one byte of a BIF file, such as a short level, while reading.
BIF_BYTES_PER_BYTE = 64.0


def read_network(path: str | os.PathLike[str], *, max_memory: int | str | None = None) -> Network:
    """Read a network from a BIF or JSON file.

    Parameters
    ----------
    path : path
        The file, plain or gzipped; both formats, and gzip, are recognised by content. ``"-"`` for standard input.
    max_memory : int, str or None
        The most memory for reading, such as ``"2GiB"``; by default 80% of what is available.

    Returns
    -------
    Network
        The network, with the variables in the order of the file.

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
    return parse_network(text, title, max_memory=max_memory)


def write_network(network: Network, path: str | os.PathLike[str]) -> None:
    """Write a network to a BIF or JSON file: ``.bif``, ``.json``, or gzipped ``.bif.gz``, ``.json.gz``.

    Both keep everything, and numbers are written so that they are read back exactly. BIF is for other programs: names
    that are not plain words are percent-encoded (:mod:`dagscape.networks.bif.names`), and types and the discretizer are
    properties of the network. If writing fails, an existing file remains unchanged.

    Parameters
    ----------
    network : Network
        The network.
    path : path
        The file to write.

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
    if not isinstance(network, Network):
        raise InvalidOption(f"is {type_of(network)}; it must be a Network", option="network")
    save_network(network, path)
