"""The file of ``--consensus``: an edge list, a fitted network or a drawing."""

from __future__ import annotations

from pathlib import Path

from dagscape.cli.arguments.drawing_options import draw_result
from dagscape.cli.program.output import Output
from dagscape.core.errors import InvalidOption
from dagscape.data.any_data import AnyData, kind_in_words
from dagscape.data.discrete.common_cuts import ComparedCuts
from dagscape.data.discrete.dataset import Dataset
from dagscape.drawing.draw import DRAWING_ENDINGS, drawing_format
from dagscape.ensembles.sampled_networks import SampledNetworks
from dagscape.graphs.dag import Dag
from dagscape.graphs.edge_lists import EDGE_LISTS, write_graph
from dagscape.networks.discrete.fitting import fit_options
from dagscape.networks.discrete.network import Network
from dagscape.networks.files import write_network
from dagscape.posterior.result import Posterior
from dagscape.studies.bootstrap_result import Bootstrap

_EDGE_LISTS = tuple(f".{ending}" for ending in EDGE_LISTS)
_ENDINGS = (*_EDGE_LISTS, ".bif", *DRAWING_ENDINGS)


def consensus_format(path: str) -> str:
    """Return the extension of a file name, after checking that a consensus can be written to it."""
    ending = Path(path).suffix.lower()
    if ending in DRAWING_ENDINGS:
        return drawing_format(path)
    if ending not in _ENDINGS:
        raise InvalidOption(f"cannot tell the format of {path!r}: its name must end in one of {', '.join(_ENDINGS)}")
    return ending


def check_consensus_file(path: str | None, data: object) -> None:
    """Raise an error if a network must be fitted but there are no discrete data."""
    if isinstance(data, Dataset) or path is None or consensus_format(path) != ".bif":
        return
    found = kind_in_words(data)
    if isinstance(data, ComparedCuts):
        found = "table that is cut in several ways"
    raise InvalidOption(
        f"--consensus needs a table of discrete data for a .bif file: its tables cannot be fitted to a {found}"
    )


def write_consensus(
    found: Posterior | Bootstrap | SampledNetworks,
    dag: Dag,
    path: str,
    data: AnyData | None,
    out: Output,
) -> None:
    """Write the consensus of edge probabilities in the format of the file's extension."""
    ending = consensus_format(path)
    if ending in _EDGE_LISTS:
        write_graph(dag, path)
    elif ending == ".bif" and isinstance(data, Dataset):
        write_network(
            Network.fit(dag, data, *fit_options(found.fitted_as if isinstance(found, Posterior) else found.score_info)),
            path,
            remarks=found.warnings,
        )
    else:
        draw_result(dag, path, out, weights=found)
