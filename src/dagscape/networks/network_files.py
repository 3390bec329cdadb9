"""Network files: BIF, which other programs read, and JSON; plain or gzipped. Both keep everything."""

from __future__ import annotations

import os

from dagscape.errors import InvalidOption, type_of
from dagscape.files.documents import read_text
from dagscape.files.paths import path_text
from dagscape.networks.bif import parse_network
from dagscape.networks.network import Network
from dagscape.networks.network_json import parse_json_network
from dagscape.networks.network_writing import save_network
from dagscape.resources import check_memory

# An upper bound on the memory for one character of a BIF file, such as a short level, while reading.
_BYTES_PER_CHARACTER = 64


def read_network(path: str | os.PathLike[str]) -> Network:
    """Read a network from a BIF or JSON file.

    Parameters
    ----------
    path : path
        The file, plain or gzipped; both formats, and gzip, are recognised by content. ``"-"`` for standard input.

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
    text = read_text(path)
    if text.lstrip().startswith("{"):
        return parse_json_network(text, title)
    check_memory(len(text) * _BYTES_PER_CHARACTER, None, f"the contents of {title!r}", "reduce the file")
    return parse_network(text, title)


def write_network(network: Network, path: str | os.PathLike[str]) -> None:
    """Write a network to a BIF or JSON file: ``.bif``, ``.json``, or gzipped ``.bif.gz``, ``.json.gz``.

    Both keep everything, and numbers are written so that they are read back exactly. BIF is for other programs: names
    that are not plain words are percent-encoded (:mod:`dagscape.networks.bif_names`), and types and the discretizer are
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
