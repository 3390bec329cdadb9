"""Arguments of subcommands that name networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dagscape.best.optimal import OptimalNetwork
from dagscape.core.errors import InvalidData, InvalidOption, did_you_mean
from dagscape.core.files.documents import decode_json, is_json
from dagscape.core.files.reading import open_binary
from dagscape.data.bundled import BUNDLED
from dagscape.drawing.display import Drawn
from dagscape.drawing.edges import Drawable
from dagscape.drawing.own_pictures import OwnPicture
from dagscape.ensembles.ranked_networks import RankedNetworks
from dagscape.ensembles.sampled_networks import SampledNetworks
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.edge_lists import EDGE_LISTS, read_graph, with_variables
from dagscape.graphs.validation import check_variables
from dagscape.networks.bundled import NETWORKS, load_network
from dagscape.networks.discrete.network import Network
from dagscape.networks.files import BIF_BYTES_PER_BYTE, network_of_text
from dagscape.networks.gaussian.conditional import ConditionalGaussianNetwork
from dagscape.networks.gaussian.gaussian import GaussianNetwork
from dagscape.networks.json_documents import network_of_document
from dagscape.networks.writing import NETWORK_KINDS
from dagscape.planning.loading import RESULTS, result_of_document
from dagscape.posterior.result import Posterior
from dagscape.results.base import Result
from dagscape.results.loading import kind_of, read_contents
from dagscape.results.score_info import ScoreInfo
from dagscape.scores.equivalence import distinguishes_members
from dagscape.search.result import Learned
from dagscape.student.model.model import StudentModel
from dagscape.studies.bootstrap_result import Bootstrap

_PREFIX = "builtin:"

# Results with probabilities of edges, and without a network of their own.
Probable = Posterior | SampledNetworks | Bootstrap

_STANDARD_INPUT = {"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"}

NETWORK_HELP = f"""\b
A network is a .json, .bif, .xmlbif or .xdsl file (plain or gzipped), - for standard input, a bundled network or,
where only the structure matters, a saved result of 'learn', 'best' or 'modes' (its first network)
or 'student' (the prerequisites), or a .csv or .tsv list of edges with the columns 'from' and 'to'. Bundled networks:
{", ".join(_PREFIX + name for name in NETWORKS)}."""


MODEL_HELP = f"""\b
A network with probabilities is a .json, .bif, .xmlbif or .xdsl file (plain or gzipped), such as 'dagscape fit'
or 'dagscape student' writes, - for standard input, or a bundled network:
{", ".join(_PREFIX + name for name in NETWORKS)}."""


AnyNetwork = Network | GaussianNetwork | ConditionalGaussianNetwork


def load(source: str, max_memory: str | None = None) -> AnyNetwork:
    """Load the network that an argument names, with its probabilities or regressions."""
    if is_edge_list(source):
        raise _no_probabilities(source, "list of edges")
    if source.startswith(_PREFIX):
        return _load_bundled(source.removeprefix(_PREFIX))
    document = _read(source, max_memory)
    if isinstance(document, str):
        return network_of_text(document, source, max_memory=max_memory)
    result = _result_class(document)
    if result is not None and issubclass(result, Learned | OptimalNetwork | RankedNetworks):
        raise _no_probabilities(source, "result")
    loaded = result_of_document(document, source) if result is StudentModel else None
    if isinstance(loaded, StudentModel):
        return loaded.to_network()
    if result is Posterior:
        raise InvalidData(f"{source!r} is a 'posterior' result, not a network: {_advise_consensus('model.bif')}")
    return network_of_document(document, source)


def _read(source: str, max_memory: str | None) -> Any:
    """Read the file of a network or of a result; return the text of a BIF file, or the document of another.

    A file is opened once, because standard input cannot be read again.
    """
    with open_binary(source) as stream:
        found = read_contents(stream, source, max_memory=max_memory, bytes_per_byte=BIF_BYTES_PER_BYTE)
    return decode_json(found, source) if isinstance(found, str) and is_json(found) else found


def _no_probabilities(source: str, what: str) -> InvalidData:
    return InvalidData(
        f"{source!r} is a {what}, which has no probabilities: run 'dagscape fit DATA --network {source} "
        "-o model.json' first, and give model.json"
    )


def _result_class(document: Any) -> type[Result] | None:
    kind = kind_of(document)
    return RESULTS.get(kind) if isinstance(kind, str) else None


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
    loaded = _load_thing(source, None)
    if not isinstance(loaded, Result):
        return loaded.dag if isinstance(loaded, Network) else loaded
    if not isinstance(loaded, Drawn | OwnPicture):
        raise InvalidOption(f"{source!r} is a {loaded.kind!r} result, which cannot be drawn")
    return loaded


def _load_any(source: str, max_memory: str | None) -> Dag | Cpdag | Result:
    """Load the structure of a network, or a result."""
    loaded = _load_thing(source, max_memory)
    return loaded.dag if isinstance(loaded, AnyNetwork) else loaded


def _load_thing(source: str, max_memory: str | None) -> AnyNetwork | Dag | Cpdag | Result:
    """Load a network, a structure or a result; the kind in a JSON document says which, whatever its name."""
    if is_edge_list(source):
        return read_graph(source, max_memory=max_memory)
    if source.startswith(_PREFIX):
        return _load_bundled(source.removeprefix(_PREFIX))
    document = _read(source, max_memory)
    if isinstance(document, str):
        return network_of_text(document, source, max_memory=max_memory)
    if kind_of(document) in NETWORK_KINDS:
        return network_of_document(document, source)
    return result_of_document(document, source)


def _advise_consensus(path: str) -> str:
    return f"write its consensus network with 'dagscape posterior DATA --consensus {path}', and give {path}"


def is_edge_list(source: str) -> bool:
    """Whether an argument names an edge list."""
    return source.lower().removesuffix(".gz").endswith(tuple(f".{ending}" for ending in EDGE_LISTS))


def load_structure(source: str, max_memory: str | None = None) -> Dag | Cpdag:
    """Load the structure of the network that an argument names; for a result, of its first network."""
    return load_found(source, max_memory).graph


def load_edge_probabilities(source: str) -> Dag | Result:
    """Load a result with probabilities of edges, or the DAG of a network, whose probabilities are 0 and 1."""
    loaded = _load_any(source, None)
    if isinstance(loaded, Learned | OptimalNetwork | StudentModel):
        return loaded.network
    edges = getattr(loaded, "edges", 0.0)
    if isinstance(loaded, Cpdag) or (isinstance(loaded, Result) and np.ndim(edges) != 2):
        kind = "an equivalence class" if isinstance(loaded, Cpdag) else f"a {loaded.kind!r} result"
        raise InvalidOption(
            f"{source!r} is {kind}, which has no probabilities of edges: give a result of 'posterior', 'best', "
            "'modes', 'bootstrap' or 'learn', or a network"
        )
    return loaded


def load_networks(source: str) -> RankedNetworks | SampledNetworks | Bootstrap:
    """Load a saved result that has a list of networks."""
    loaded = _load_any(source, None)
    if not isinstance(loaded, RankedNetworks | SampledNetworks | Bootstrap):
        kind = f"a {loaded.kind!r} result" if isinstance(loaded, Result) else "a network"
        raise InvalidOption(
            f"{source!r} is {kind}, not a list of networks: give a saved result of 'best', 'modes', 'sample-dags' "
            "or 'bootstrap'"
        )
    return loaded


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


def load_found(source: str, max_memory: str | None = None) -> Found:
    """Load the structure of the network that an argument names, and what a result says of it."""
    return _found(source, _load_any(source, max_memory))


def _found(source: str, result: Dag | Cpdag | Result) -> Found:
    if not isinstance(result, Result):
        return Found(result)
    if isinstance(result, Learned | OptimalNetwork):
        level = "dags" if distinguishes_members(result.score_info) else "classes"
        return Found(result.network, level, result.score_info)
    if isinstance(result, StudentModel):
        # The directions of its edges are part of what it says.
        return Found(result.network, "dags", result.score_info)
    if not isinstance(result, RankedNetworks) or not len(result):
        remedy = f": {_advise_consensus('consensus.csv')}" if isinstance(result, Posterior) else ""
        raise InvalidOption(f"{source!r} is a {result.kind!r} result, which has no networks{remedy}")
    return Found(result.networks[0], result.level, result.score_info)


class Pair(NamedTuple):
    """Two structures on the same variables, and how results among them are compared."""

    first: Dag | Cpdag
    second: Dag | Cpdag
    level: str | None


def load_known(
    source: str, variables: Sequence[str], max_memory: str | None = None, *, option: str = "truth", owner: str = "DATA"
) -> Dag | Cpdag:
    """Load a structure on the variables of its owner, which an option names; an edge list may leave out variables."""
    known = completed(source, load_structure(source, max_memory), variables)
    check_variables(known.variables, variables, owner, option=option)
    return known


def load_two(first: str, second: str) -> Pair | tuple[Probable, Probable]:
    """Load two structures, or two results with probabilities of edges; at most one of them from standard input.

    An edge list may leave out variables.
    """
    if {first, second} <= _STANDARD_INPUT:
        raise InvalidOption("only one of the two networks can come from standard input")
    one, other = _load_any(first, None), _load_any(second, None)
    if isinstance(one, Probable) and isinstance(other, Probable):
        return one, other
    return _structures(first, _found(first, one), second, _found(second, other))


def _structures(first: str, found: Found, second: str, known: Found) -> Pair:
    (one, level, _), (other, other_level, _) = found, known
    graphs = completed(first, one, other.variables), completed(second, other, one.variables)
    return Pair(*graphs, "dags" if "dags" in (level, other_level) else level or other_level)


def completed(source: str, graph: Dag | Cpdag, variables: Sequence[str]) -> Dag | Cpdag:
    """Add the variables that an edge list leaves out, if it has no others."""
    if is_edge_list(source) and set(graph.variables) < set(variables):
        return with_variables(graph, variables)
    return graph
