"""Networks as arguments of subcommands."""

from __future__ import annotations

from dagscape.errors import InvalidOption
from dagscape.graphs.bif import read_network
from dagscape.graphs.bundled import NETWORKS, load_network
from dagscape.graphs.network import Network

_PREFIX = "builtin:"

NETWORK_HELP = f"""\b
A network is a .bif file (plain or gzipped), - for standard input,
or one that comes with dagscape: {", ".join(_PREFIX + name for name in NETWORKS)}."""


def load(source: str) -> Network:
    """The network that an argument stands for."""
    if source.startswith(_PREFIX):
        return load_network(source.removeprefix(_PREFIX))
    return read_network(source)


def load_two(first: str, second: str) -> tuple[Network, Network]:
    """Two networks, at most one of them from standard input."""
    if first == second == "-":
        raise InvalidOption("only one of the two networks can come from standard input")
    return load(first), load(second)
