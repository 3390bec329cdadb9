"""``dagscape compare``: compare the structures of two networks."""

from __future__ import annotations

import click

from dagscape.cli.graph_arguments import NETWORK_HELP, load_two
from dagscape.cli.options import output_options, result_output
from dagscape.cli.output import Output
from dagscape.graphs.comparison import LEVELS, compare
from dagscape.report.tables import render


@click.command(epilog=NETWORK_HELP)
@click.argument("network")
@click.argument("truth")
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    default="classes",
    show_default=True,
    help="Compare equivalence classes, or DAGs with the direction of every edge.",
)
@result_output
@output_options
def command(network: str, truth: str, level: str, output: str | None, as_json: bool, quiet: bool) -> None:
    """Compare the structure of a network with that of another one, such as the true network.

    By default structures are compared as equivalence classes, so that differences which no observation can reveal do
    not count. An edge list may leave out variables that have no edges.
    """
    result = compare(*load_two(network, truth), level)
    Output(as_json, quiet).deliver(result, output, lambda: render(result))
