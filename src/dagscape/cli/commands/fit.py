"""``dagscape fit``: fit the probabilities of a network to data."""

from __future__ import annotations

from typing import Any

import click

from dagscape.best.optimal import optimal_network
from dagscape.best.requirements import optimal_requirements
from dagscape.cli.arguments.data_reports import report_decisions, report_dropped_rows, report_set_aside
from dagscape.cli.arguments.graph_arguments import NETWORK_HELP, AnyNetwork, completed, load_found
from dagscape.cli.arguments.options import (
    DATA_HELP,
    missing_rule,
    output_options,
    scored_data,
    take_data,
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
from dagscape.data.any_data import AnyData
from dagscape.data.discrete.dataset import Dataset
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.networks.discrete.fitting import FIT_PRIORS, FitPrior
from dagscape.networks.discrete.network import Network
from dagscape.networks.expectation_maximisation import FitMissing
from dagscape.networks.files import write_network
from dagscape.networks.fitted import REGRESSION_PRIOR, measured_network_of
from dagscape.networks.gaussian.fitting import Method
from dagscape.networks.writing import NETWORK_FORMATS, check_network_path, document_of
from dagscape.report.measured_networks import render_measured_network
from dagscape.report.networks import render_network
from dagscape.scores.choice import CONDITIONAL_SCORE, ChosenScore


def _network_path(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    check_format_used(path)
    if path is None or path == "-":
        return path
    check_format(check_network_path, path)
    return output_path(context, parameter, path)


@click.command(epilog=f"{DATA_HELP}\n\n{NETWORK_HELP}")
@missing_rule("em", "keep them, and fit the network by EM, which needs --network")
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
    help="The pseudocounts of each table: --ess divided by its size, 1, or none, which is maximum likelihood, also of "
    "regressions; without it, these have the prior of --score bge.",
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
@click.option("--cpts", is_flag=True, help="Show the probabilities and the coefficients, too.")
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
    writes is a MODEL for 'dagscape query' and 'dagscape predict'; it remembers how numbers were cut. A score of numbers
    or of mixed tables, such as --score bge or --score cg, leaves them as they are: measured variables then have
    linear regressions on their parents, and the network needs a .json file. --score auto is cg for a mixed table,
    because discrete variables must then have discrete parents only.
    """
    out = Output(as_json, quiet)
    missing = _take_em(options, structure)
    work = {name: options.pop(name) for name in ("threads", "max_memory")}
    options["mixed_score"] = CONDITIONAL_SCORE
    numbers = {name: options[name] for name in ("ess", *REGRESSION_PRIOR) if options.get(name) is not None}
    if structure is None:
        dag, dataset = _learned(data, options, work, out)
        title = f"An optimal network under {options['score']}, {_fitted_to(dataset)}"
    else:
        dataset = take_data(data, options, work["max_memory"])
        report_dropped_rows(dataset, out)
        report_decisions(dataset, out)
        report_set_aside(dataset, out)
        dag, dataset = _matched(structure, dataset, work["max_memory"], out)
        title = f"The structure of {structure!r}, {_fitted_to(dataset)}"
    network = _fitted(dag, dataset, parameters, options["score"], numbers, missing)
    if output is not None and (output != "-" or chosen_format() is not None):
        with written_file(output) as path:
            write_network(network, path)
        if output == "-":
            return
    if as_json or output == "-":
        write_json(document_of(network))
    elif isinstance(network, Network):
        out.show_blocks(render_network(network, title, cpts=cpts))
    else:
        out.show_blocks(render_measured_network(network, title, parameters=cpts))


def _take_em(options: dict[str, Any], structure: str | None) -> FitMissing:
    """Return whether EM fits the network; the table is then read with its missing cells."""
    if options["missing"] != "em":
        return "error"
    if structure is None:
        raise InvalidOption(
            "--missing em needs --network: a network, or what 'dagscape learn --missing em -o FILE' found"
        )
    options["missing"] = "keep"
    return "em"


def _fitted(
    dag: Dag,
    data: AnyData,
    parameters: FitPrior | None,
    score: str,
    numbers: dict[str, float],
    missing: FitMissing,
) -> AnyNetwork:
    """Return the network of a structure, of the kind that the data need."""
    if isinstance(data, Dataset):
        prior: FitPrior = parameters or ("k2" if score == "k2" else "bdeu")
        return Network.fit(dag, data, numbers.get("ess", 1.0), prior, missing=missing)
    if parameters == "k2":
        raise InvalidOption("--parameter-prior k2 is for discrete data: leave it out, or use none for least squares")
    method: Method = "ml" if parameters == "none" else "posterior-mean"
    return measured_network_of(dag, data, method, score, numbers, missing=missing)


def _learned(data: str, options: dict[str, Any], work: dict[str, Any], out: Output) -> tuple[Dag, AnyData]:
    """Return an optimal network of the data, and the data."""
    with out.working() as progress:
        scores, dataset = take_scores(data, options, work | {"progress": progress}, out, [optimal_requirements])
        if dataset is None:
            raise InvalidOption("a network cannot be fitted to a score file: give a table of data")
        found = optimal_network(scores, **work, progress=progress).network
    score = options["score"]
    if isinstance(score, ChosenScore) and score == CONDITIONAL_SCORE:
        out.note(
            f"the score is '{score}', because {score.why}: in networks with regressions, discrete variables have "
            "discrete parents only"
        )
    return found, dataset


def _fitted_to(dataset: AnyData) -> str:
    experiments = f", {dataset.experimental_rows:,} of them from experiments" if dataset.experimental_rows else ""
    return f"fitted to {plural(dataset.m, 'row')}{experiments}"


def _matched(structure: str, dataset: AnyData, max_memory: str | None, out: Output) -> tuple[Dag, AnyData]:
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
