"""``dagscape draw``: draw a network."""

from __future__ import annotations

import click

from dagscape.cli.graph_arguments import NETWORK_HELP, load_structure
from dagscape.cli.options import output_path
from dagscape.drawing.draw import draw
from dagscape.graphs.dag import Dag


@click.command(epilog=NETWORK_HELP)
@click.argument("network")
@click.option(
    "--class", "as_class", is_flag=True, help="Draw the equivalence class; its reversible edges are undirected."
)
@click.option("--title", help="A title above the drawing.")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    callback=output_path,
    show_default="SVG on standard output",
    help="A .svg, .dot or .gv file or, with matplotlib, a .png or .pdf file.",
)
def command(network: str, as_class: bool, title: str | None, output: str | None) -> None:
    """Draw the structure of a network."""
    dag = load_structure(network)
    graph = dag.to_cpdag() if as_class and isinstance(dag, Dag) else dag
    text = draw(graph, output, title=title)
    if text is not None:
        click.echo(text, nl=not text.endswith("\n"))
