"""``dagscape compare``: compare the structures of two networks."""

from __future__ import annotations

import click

from dagscape.cli.arguments.graph_arguments import NETWORK_HELP, Pair, load_two
from dagscape.cli.arguments.options import output_options, result_output, rows_shown
from dagscape.cli.program.output import Output
from dagscape.core.errors import InvalidOption
from dagscape.ensembles.compared_probabilities import compare_probabilities
from dagscape.ensembles.edge_probabilities import MATRICES
from dagscape.graphs.comparison import LEVELS, compare
from dagscape.graphs.dag import Dag
from dagscape.report.comparison import PAIRS_SHOWN, render_comparison, render_probabilities


@click.command(epilog=NETWORK_HELP)
@click.argument("network")
@click.argument("truth")
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    show_default="classes, or dags for a result whose scores distinguish members of a class",
    help="Compare equivalence classes, or DAGs with the direction of every edge.",
)
@click.option(
    "--feature",
    type=click.Choice(list(MATRICES)),
    show_default="adjacencies",
    help="Of two results with probabilities: compare edges, edges in either direction, directed paths, or compelled "
    "edges.",
)
@rows_shown("Of two results with probabilities: number of pairs to show.", PAIRS_SHOWN)
@result_output
@output_options
def command(
    network: str,
    truth: str,
    level: str | None,
    feature: str | None,
    show: int,
    output: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compare the structure of a network with that of another one, such as the true network.

    By default structures are compared as equivalence classes, so that differences which no observation can reveal do
    not count; but a result of experiments, or of other scores that distinguish members of a class, as DAGs. An edge
    list may leave out variables that have no edges.

    Two saved results of 'posterior', 'sample-dags' or 'bootstrap' are compared by their probabilities: which pairs of
    variables differ, and by how much.
    """
    out = Output(as_json, quiet)
    loaded = load_two(network, truth)
    if not isinstance(loaded, Pair):
        if level is not None:
            raise InvalidOption("--level is for structures, and these are two results with probabilities of edges")
        first, second = loaded
        differences = compare_probabilities(first, second, feature=feature or "adjacencies")
        out.deliver(differences, output, lambda: render_probabilities(differences, show))
        return
    if feature is not None:
        raise InvalidOption("--feature is for two results with probabilities of edges, and these are structures")
    found, known, usual = loaded
    if level is None and usual == "dags" and isinstance(found, Dag) and isinstance(known, Dag):
        level = "dags"
        out.note("comparing DAGs, because the result distinguishes members of a class: see --level")
    result = compare(found, known, level or "classes")
    out.deliver(result, output, lambda: render_comparison(result))
