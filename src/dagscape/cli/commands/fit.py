"""``dagscape fit``: fit the probabilities of a network to data."""

from __future__ import annotations

from typing import Any

import click

from dagscape.best.optimal import optimal_network
from dagscape.best.requirements import optimal_requirements
from dagscape.cli.arguments.graph_arguments import NETWORK_HELP, completed, load_found
from dagscape.cli.arguments.options import (
    DATA_HELP,
    output_options,
    report_decisions,
    report_dropped_rows,
    report_set_aside,
    scored_data,
    take_discrete,
    work_options,
)
from dagscape.cli.arguments.score_arguments import take_scores
from dagscape.cli.program.output import (
    Output,
    check_format,
    check_format_used,
    chosen_format,
    format_option,
    output_path,
    written_file,
)
from dagscape.cli.program.streams import write_json
from dagscape.core.errors import InvalidOption
from dagscape.core.wording import plural
from dagscape.data.any_data import kind_in_words
from dagscape.data.discrete.dataset import Dataset
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.networks.discrete.fitting import FIT_PRIORS, FitPrior
from dagscape.networks.discrete.network import Network
from dagscape.networks.files import write_network
from dagscape.networks.writing import NETWORK_FORMATS, check_network_path, network_to_dict
from dagscape.report.networks import render_network


def _network_path(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    check_format_used(path)
    if path is None or path == "-":
        return path
    check_format(check_network_path, path)
    return output_path(context, parameter, path)


@click.command(epilog=f"{DATA_HELP}\n\n{NETWORK_HELP}")
@scored_data
@click.option(
    "--network",
    "structure",
    metavar="NETWORK",
    show_default="an optimal network of DATA under the score",
    help="The structure to fit: a network, a result of 'learn', 'best' or 'modes', or a list of edges.",
)
@click.option(
    "--parameter-prior",
    "parameters",
    type=click.Choice(list(FIT_PRIORS)),
    show_default="as the score assumes: k2 or bdeu",
    help="The pseudocounts of each table: --ess divided by its size, 1, or none, which is maximum likelihood.",
)
@format_option(NETWORK_FORMATS, "json")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    callback=_network_path,
    help="Write the network to a .json, .bif, .xmlbif or .xdsl file; .gz compresses. "
    "-: to standard output, in place of tables.",
)
@click.option("--cpts", is_flag=True, help="Show the probabilities, too.")
@work_options
@output_options
def command(
    data: str,
    structure: str | None,
    parameters: FitPrior | None,
    output: str | None,
    cpts: bool,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Fit the probabilities of a network to data.

    The structure is that of --network or, by default, an optimal network of the data under the score. The file that -o
    writes is a MODEL for 'dagscape query' and 'dagscape predict'; it remembers how numbers were cut.
    """
    out = Output(as_json, quiet)
    work = {name: options.pop(name) for name in ("threads", "max_memory")}
    ess = options["ess"] or 1.0
    if structure is None:
        dag, dataset = _learned(data, options, work, out)
        title = f"An optimal network under {options['score']}, {_fitted_to(dataset)}"
    else:
        dataset = take_discrete(data, options, work["max_memory"])
        report_dropped_rows(dataset, out)
        report_decisions(dataset, out)
        report_set_aside(dataset, out)
        dag, dataset = _matched(structure, dataset, work["max_memory"], out)
        title = f"The structure of {structure!r}, {_fitted_to(dataset)}"
    prior: FitPrior = parameters or ("k2" if options["score"] == "k2" else "bdeu")
    network = Network.fit(dag, dataset, ess, prior)
    if output is not None and (output != "-" or chosen_format() is not None):
        with written_file(output) as path:
            write_network(network, path)
        if output == "-":
            return
    if as_json or output == "-":
        write_json(network_to_dict(network))
    else:
        out.show_blocks(render_network(network, title, cpts=cpts))


def _learned(data: str, options: dict[str, Any], work: dict[str, Any], out: Output) -> tuple[Dag, Dataset]:
    """Return an optimal network of the data, and the data."""
    with out.working() as progress:
        scores, dataset = take_scores(data, options, work | {"progress": progress}, out, [optimal_requirements])
        if dataset is None:
            raise InvalidOption("a network cannot be fitted to a score file: give a table of data")
        if not isinstance(dataset, Dataset):
            what = f"a {kind_in_words(dataset)}, which --score {options['score']} takes"
            raise InvalidOption(f"a network with tables cannot be fitted to {what}")
        return optimal_network(scores, **work, progress=progress).network, dataset


def _fitted_to(dataset: Dataset) -> str:
    experiments = f", {dataset.experimental_rows:,} of them from experiments" if dataset.experimental_rows else ""
    return f"fitted to {plural(dataset.m, 'row')}{experiments}"


def _matched(structure: str, dataset: Dataset, max_memory: str | None, out: Output) -> tuple[Dag, Dataset]:
    """Return the structure that an argument names, and the columns of the data that it has."""
    found = load_found(structure, max_memory)
    if found.score_info is not None and found.score_info.experimental_rows and not dataset.experimental_rows:
        out.warn(
            f"{structure!r} comes from data with {plural(found.score_info.experimental_rows, 'row')} from experiments, "
            "but no row counts as one here: name the column of interventions with --interventions"
        )
    graph = completed(structure, found.graph, dataset.variables)
    dag = graph.to_dag() if isinstance(graph, Cpdag) else graph
    if set(dag.variables) < set(dataset.variables):
        dataset = dataset.select(dag.variables)
    return dag, dataset
