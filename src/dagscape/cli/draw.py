"""``dagscape draw``: a network as a picture."""

from __future__ import annotations

import click

from dagscape.cli.graph_arguments import NETWORK_HELP, load_structure
from dagscape.cli.options import output_path
from dagscape.drawing.draw import draw


@click.command(epilog=NETWORK_HELP)
@click.argument("network")
@click.option(
    "--class", "as_class", is_flag=True, help="Draw the equivalence class: undirected where data cannot tell."
)
@click.option("--title", help="A heading.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    callback=output_path,
    help="Where to write: .svg, .dot, .gv, or (with matplotlib) .png or .pdf. SVG on standard output if not said.",
)
def command(network: str, as_class: bool, title: str | None, output: str | None) -> None:
    """Draw the structure of a network."""
    dag = load_structure(network)
    graph = dag.to_cpdag() if as_class else dag
    text = draw(graph, output, title=title)
    if text is not None:
        click.echo(text, nl=not text.endswith("\n"))
