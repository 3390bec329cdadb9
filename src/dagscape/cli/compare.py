"""``dagscape compare``: compare the structures of two networks."""

from __future__ import annotations

import click

from dagscape.cli.graph_arguments import NETWORK_HELP, load_two
from dagscape.cli.options import Output, output_options
from dagscape.graphs.comparison import compare


@click.command(epilog=NETWORK_HELP)
@click.argument("network")
@click.argument("truth")
@output_options
def command(network: str, truth: str, as_json: bool, quiet: bool) -> None:
    """Compare the structure of a network with that of another one, such as the true network.

    Structures are compared as equivalence classes, so differences that no data can reveal do not count.
    """
    first, second = load_two(network, truth)
    Output(as_json, quiet).show(compare(first, second))
