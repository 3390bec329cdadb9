"""``dagscape members``: the size and the members of an equivalence class."""

from __future__ import annotations

import click

from dagscape.cli.arguments.graph_arguments import NETWORK_HELP, load_structure
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import output_options, result_output
from dagscape.cli.program.output import Output
from dagscape.ensembles.class_members import DEFAULT_LIMIT, LIMIT, class_members
from dagscape.report.class_members import render_class_members


@click.command(epilog=NETWORK_HELP)
@click.argument("network")
@click.option(
    "--limit",
    type=within(LIMIT),
    default=DEFAULT_LIMIT,
    show_default=True,
    metavar="N",
    help="List up to N members; 0: only count them.",
)
@result_output
@output_options
def command(network: str, limit: int, output: str | None, as_json: bool, quiet: bool) -> None:
    """Show how many networks are equivalent to one, and list them.

    No observation distinguishes the members of an equivalence class: they have the same adjacencies and v-structures.
    A list of edges may have undirected ones, and is then the class itself.
    """
    found = class_members(load_structure(network), limit)
    Output(as_json, quiet).deliver(found, output, lambda: render_class_members(found))
