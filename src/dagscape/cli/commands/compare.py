"""``dagscape compare``: compare the structures of two networks."""

from __future__ import annotations

import click

from dagscape.cli.arguments.graph_arguments import NETWORK_HELP, load_two
from dagscape.cli.arguments.options import output_options, result_output
from dagscape.cli.program.output import Output
from dagscape.graphs.comparison import LEVELS, compare
from dagscape.graphs.dag import Dag
from dagscape.report.comparison import render_comparison


@click.command(epilog=NETWORK_HELP)
@click.argument("network")
@click.argument("truth")
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    show_default="classes, or dags for a result whose scores distinguish members of a class",
    help="Compare equivalence classes, or DAGs with the direction of every edge.",
)
@result_output
@output_options
def command(network: str, truth: str, level: str | None, output: str | None, as_json: bool, quiet: bool) -> None:
    """Compare the structure of a network with that of another one, such as the true network.

    By default structures are compared as equivalence classes, so that differences which no observation can reveal do
    not count; but a result of experiments, or of other scores that distinguish members of a class, as DAGs. An edge
    list may leave out variables that have no edges.
    """
    out = Output(as_json, quiet)
    found, known, usual = load_two(network, truth)
    if level is None and usual == "dags" and isinstance(found, Dag) and isinstance(known, Dag):
        level = "dags"
        out.note("comparing DAGs, because the result distinguishes members of a class: see --level")
    result = compare(found, known, level or "classes")
    out.deliver(result, output, lambda: render_comparison(result))
