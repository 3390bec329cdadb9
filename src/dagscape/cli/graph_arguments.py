"""Arguments of subcommands that name networks."""

from __future__ import annotations

from dagscape.best.optimal import OptimalNetwork
from dagscape.ensembles.ranked_networks import RankedNetworks
from dagscape.errors import InvalidOption
from dagscape.graphs.dag import Dag
from dagscape.networks.bif import read_network
from dagscape.networks.bundled import NETWORKS, load_network
from dagscape.networks.network import Network
from dagscape.report.loading import load_result

_PREFIX = "builtin:"

NETWORK_HELP = f"""\b
A network is a .bif file (plain or gzipped), - for standard input, a .json result of 'best' or
'modes' (its first network), or a bundled network:
{", ".join(_PREFIX + name for name in NETWORKS)}."""


def load(source: str) -> Network:
    """Load the network that an argument names."""
    if source.startswith(_PREFIX):
        return load_network(source.removeprefix(_PREFIX))
    return read_network(source)


def load_structure(source: str) -> Dag:
    """Load the structure of the network that an argument names; for a result, of its first network."""
    if not source.lower().removesuffix(".gz").endswith(".json"):
        return load(source).dag
    result = load_result(source)
    if isinstance(result, OptimalNetwork):
        return result.network
    if not isinstance(result, RankedNetworks) or not len(result):
        raise InvalidOption(f"{source!r} is a {result.kind!r} result, which has no networks")
    return result.networks[0]


def load_two(first: str, second: str) -> tuple[Dag, Dag]:
    """Load two structures, at most one of them from standard input."""
    if first == second == "-":
        raise InvalidOption("only one of the two networks can come from standard input")
    return load_structure(first), load_structure(second)
