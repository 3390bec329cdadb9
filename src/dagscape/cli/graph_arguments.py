"""Arguments of subcommands that name networks."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from dagscape.best.optimal import OptimalNetwork
from dagscape.data.bundled import BUNDLED
from dagscape.drawing.display import Drawn
from dagscape.drawing.edges import Drawable
from dagscape.drawing.own_pictures import OwnPicture
from dagscape.ensembles.ranked_networks import RankedNetworks
from dagscape.errors import InvalidData, InvalidOption, did_you_mean
from dagscape.files.reading import open_text
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.edge_lists import EDGE_LISTS, read_graph, with_variables
from dagscape.networks.bundled import NETWORKS, load_network
from dagscape.networks.network import Network
from dagscape.networks.network_files import read_network
from dagscape.networks.network_json import is_json_network
from dagscape.posterior.result import Posterior
from dagscape.report.loading import RESULTS, load_result
from dagscape.results import Result
from dagscape.score_info import ScoreInfo
from dagscape.scores.equivalence import distinguishes_members

_PREFIX = "builtin:"

NETWORK_HELP = f"""\b
A network is a .bif or .json file (plain or gzipped), - for standard input, a bundled network or,
where only the structure matters, a .json result of 'best' or 'modes' (its first network), or a
.csv or .tsv list of edges with the columns 'from' and 'to'. Bundled networks:
{", ".join(_PREFIX + name for name in NETWORKS)}."""


MODEL_HELP = f"""\b
A network with probabilities is a .bif or .json file (plain or gzipped), such as 'dagscape fit'
writes, - for standard input, or a bundled network:
{", ".join(_PREFIX + name for name in NETWORKS)}."""


def load(source: str) -> Network:
    """Load the network that an argument names, with its probabilities."""
    if is_edge_list(source) or _has_networks(source):
        what = "list of edges" if is_edge_list(source) else "result"
        raise InvalidData(
            f"{source!r} is a {what}, which has no probabilities: run 'dagscape fit DATA --network {source} "
            "-o model.json' first, and give model.json"
        )
    if _names(source, Posterior):
        raise InvalidData(f"{source!r} is a 'posterior' result, not a network: {_advise_consensus('model.bif')}")
    if source.startswith(_PREFIX):
        return _load_bundled(source.removeprefix(_PREFIX))
    return read_network(source)


def _load_bundled(name: str) -> Network:
    if name in BUNDLED:
        source = _PREFIX + name
        raise InvalidOption(
            f"{source!r} is a data set, not a network: find its networks with 'dagscape best {source} -o best.json'"
        )
    if not did_you_mean(name, NETWORKS) and (near := did_you_mean(name, BUNDLED)):
        near = near.replace("you mean", "you mean the data set")
        raise InvalidOption(f"there is no bundled network {name!r}{near}")
    return load_network(name)


def load_drawable(source: str) -> Drawable | OwnPicture:
    """Load what an argument of ``draw`` names: a network, or a result that can be drawn."""
    if not _is_result(source):
        return load_structure(source)
    result = load_result(source)
    if not isinstance(result, Drawn | OwnPicture):
        raise InvalidOption(f"{source!r} is a {result.kind!r} result, which cannot be drawn")
    return result


def _is_result(source: str) -> bool:
    return _is_json(source) and not is_json_network(_start(source))


def _has_networks(source: str) -> bool:
    """Whether an argument names a result that :func:`load_structure` takes."""
    return _names(source, OptimalNetwork, RankedNetworks)


def _names(source: str, *kinds: type[object]) -> bool:
    """Whether an argument names a result of one of these classes, by the first characters of its file."""
    found = re.match(r'\s*\{\s*"kind"\s*:\s*"([^"]*)"', _start(source)) if _is_json(source) else None
    return found is not None and issubclass(RESULTS.get(found[1], Result), kinds)


def _advise_consensus(path: str) -> str:
    return f"write its consensus network with 'dagscape posterior DATA --consensus {path}', and give {path}"


def _is_json(source: str) -> bool:
    return source.lower().removesuffix(".gz").endswith(".json")


def _start(source: str) -> str:
    with open_text(source) as text:
        return text.read(1000)


def is_edge_list(source: str) -> bool:
    """Whether an argument names an edge list."""
    return source.lower().removesuffix(".gz").endswith(tuple(f".{ending}" for ending in EDGE_LISTS))


def load_structure(source: str) -> Dag | Cpdag:
    """Load the structure of the network that an argument names; for a result, of its first network."""
    return load_found(source).graph


class Found(NamedTuple):
    """A structure; if a result found it, also how its networks are compared, and how they were scored.

    Attributes
    ----------
    graph : Dag or Cpdag
        The structure.
    level : str or None
        ``"classes"`` or ``"dags"``.
    score_info : ScoreInfo or None
        What the scores of the result are of.
    """

    graph: Dag | Cpdag
    level: str | None = None
    score_info: ScoreInfo | None = None


def load_found(source: str) -> Found:
    """Load the structure of the network that an argument names, and what a result says of it."""
    if is_edge_list(source):
        return Found(read_graph(source))
    if not _is_result(source):
        return Found(load(source).dag)
    result = load_result(source)
    if isinstance(result, OptimalNetwork):
        level = "dags" if distinguishes_members(result.score_info) else "classes"
        return Found(result.network, level, result.score_info)
    if not isinstance(result, RankedNetworks) or not len(result):
        remedy = f": {_advise_consensus('consensus.csv')}" if isinstance(result, Posterior) else ""
        raise InvalidOption(f"{source!r} is a {result.kind!r} result, which has no networks{remedy}")
    return Found(result.networks[0], result.level, result.score_info)


class Pair(NamedTuple):
    """Two structures on the same variables, and how results among them are compared."""

    first: Dag | Cpdag
    second: Dag | Cpdag
    level: str | None


def load_two(first: str, second: str) -> Pair:
    """Load two structures, at most one of them from standard input; an edge list may leave out variables."""
    if first == second == "-":
        raise InvalidOption("only one of the two networks can come from standard input")
    one, level, _ = load_found(first)
    other, other_level, _ = load_found(second)
    graphs = completed(first, one, other.variables), completed(second, other, one.variables)
    return Pair(*graphs, "dags" if "dags" in (level, other_level) else level or other_level)


def completed(source: str, graph: Dag | Cpdag, variables: Sequence[str]) -> Dag | Cpdag:
    """Add the variables that an edge list leaves out, if it has no others."""
    if is_edge_list(source) and set(graph.variables) < set(variables):
        return with_variables(graph, variables)
    return graph
