"""``dagscape draw``: draw a network, or a result."""

from __future__ import annotations

import click

from dagscape.cli.arguments.drawing_options import (
    direction_threshold_option,
    draw_result,
    posterior_lines,
    view_options,
)
from dagscape.cli.arguments.graph_arguments import NETWORK_HELP, load_drawable, load_structure
from dagscape.cli.arguments.numbers import within
from dagscape.cli.program.output import Output, check_format, chosen_format, format_option, output_path, written_file
from dagscape.cli.program.streams import write_document
from dagscape.core.constraints import A_PROBABILITY
from dagscape.core.errors import InvalidOption
from dagscape.drawing.display import Drawn
from dagscape.drawing.draw import DRAWING_FORMATS, drawing_format
from dagscape.drawing.edges import DEFAULT_THRESHOLD, Drawable, ProbableEdges
from dagscape.drawing.own_pictures import OwnPicture
from dagscape.drawing.view import DrawOptions
from dagscape.graphs.dag import Cpdag
from dagscape.planning.loading import load_result
from dagscape.studies.edge_effects_result import EdgeEffects

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
    help="For a posterior: draw pairs that are adjacent with at least this probability.",
)
@direction_threshold_option
@posterior_lines
@view_options
@click.option(
    "--effects",
    "effects_path",
    metavar="FILE",
    help="Show how strongly joined variables go together: a file of 'dagscape posterior DATA --effects-file FILE', or "
    "of best or learn.",
)
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
    effects_path: str | None,
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
        if value is not None and not _has_probabilities(graph):
            raise InvalidOption(f"--{name} is for posteriors, and {network!r} has no probabilities of edges")
    out = Output(as_json=False, quiet=False)
    effects = None if effects_path is None else _effects(effects_path)
    options: DrawOptions = {"effects": effects, "title": title, "threshold": threshold, "lines": lines}
    if output == "-" and chosen_format() is None:
        write_document(str(draw_result(graph, None, out, **options)))
        return
    with written_file(output) as path:
        draw_result(graph, path, out, **options)


def _has_probabilities(graph: Drawable | OwnPicture) -> bool:
    return isinstance(graph, Drawn) and isinstance(graph.drawable, ProbableEdges)


def _effects(path: str) -> EdgeEffects:
    found = load_result(path)
    if not isinstance(found, EdgeEffects):
        raise InvalidOption(f"--effects: {path!r} is a {found.kind!r} result, not one of --effects-file")
    return found
