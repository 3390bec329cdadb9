"""``dagscape draw``: draw a network, or a result."""

from __future__ import annotations

import click

from dagscape.cli.arguments.drawing_options import label_width, posterior_lines
from dagscape.cli.arguments.graph_arguments import NETWORK_HELP, load_drawable, load_structure
from dagscape.cli.arguments.numbers import within
from dagscape.cli.program.output import check_format, chosen_format, format_option, output_path, written_file
from dagscape.cli.program.streams import write_document
from dagscape.core.constraints import A_PROBABILITY
from dagscape.core.errors import InvalidOption
from dagscape.drawing.draw import DRAWING_FORMATS, DrawOptions, draw, drawing_format
from dagscape.drawing.edges import DEFAULT_THRESHOLD, Drawable
from dagscape.drawing.own_pictures import OwnPicture
from dagscape.graphs.dag import Cpdag
from dagscape.posterior.result import Posterior

_RESULT_HELP = """

\b
A network in a JSON result is drawn as its equivalence class, within constraints and experiments.
A posterior is drawn as its probable edges, a sensitivity analysis as ranges."""


def _drawing_path(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    path = "-" if path is None else path
    check_format(drawing_format, path)
    return path if path == "-" else output_path(context, parameter, path)


@click.command(epilog=NETWORK_HELP + _RESULT_HELP)
@click.argument("network")
@click.option(
    "--class", "as_class", is_flag=True, help="Draw the equivalence class; its reversible edges are undirected."
)
@click.option("--dag", "as_dag", is_flag=True, help="Draw the network of a result, not its class.")
@click.option("--title", help="A title above the drawing.")
@click.option(
    "--threshold",
    type=within(A_PROBABILITY),
    metavar="P",
    show_default=str(DEFAULT_THRESHOLD),
    help="For a posterior: draw edges with at least this probability.",
)
@posterior_lines
@label_width
@format_option(DRAWING_FORMATS, "svg")
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    callback=_drawing_path,
    show_default="standard output",
    help="A .svg, .dot or .gv file or, with matplotlib, a .png or .pdf file.",
)
def command(
    network: str,
    as_class: bool,
    as_dag: bool,
    title: str | None,
    threshold: float | None,
    lines: str | None,
    label_width: int | None,
    output: str,
) -> None:
    """Draw the structure of a network, or a result."""
    if as_class and as_dag:
        raise InvalidOption("--class and --dag exclude each other")
    graph: Drawable | OwnPicture
    if as_class or as_dag:
        loaded = load_structure(network)
        dag = loaded.to_dag() if isinstance(loaded, Cpdag) else loaded
        graph = dag.to_cpdag() if as_class else dag
    else:
        graph = load_drawable(network)
    for name, value in (("threshold", threshold), ("lines", lines)):
        if value is not None and not isinstance(graph, Posterior):
            raise InvalidOption(f"--{name} is for posteriors, and {network!r} has no probabilities of edges")
    options: DrawOptions = {"title": title, "threshold": threshold, "lines": lines, "label_width": label_width}
    if output == "-" and chosen_format() is None:
        write_document(str(draw(graph, **options)))
        return
    with written_file(output) as path:
        draw(graph, path, **options)
