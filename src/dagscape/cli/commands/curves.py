"""``dagscape curves``: how diverse lists of networks are, and how close to a known network."""

from __future__ import annotations

from pathlib import Path

import click

from dagscape.cli.arguments.graph_arguments import NETWORK_HELP, load_known, load_networks
from dagscape.cli.arguments.options import output_options, result_output
from dagscape.cli.program.output import Output, checked_path
from dagscape.drawing.curves import curve_format
from dagscape.ensembles.list_curves import list_curves
from dagscape.graphs.comparison import LEVELS
from dagscape.report.list_curves import render_list_curves


@click.command(epilog=NETWORK_HELP)
@click.argument("lists", nargs=-1, required=True, metavar="LIST...")
@click.option(
    "--truth",
    metavar="NETWORK",
    help="Also show the least distance to this known network: a .bif file, a .csv list of edges, or builtin:NAME.",
)
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    show_default="classes, or dags for a result whose scores distinguish members of a class",
    help="Measure distances between equivalence classes, or between DAGs.",
)
@click.option(
    "--plot",
    metavar="FILE",
    callback=checked_path(curve_format),
    help="Also draw the curves to a .svg, .png or .pdf file; needs matplotlib.",
)
@result_output
@output_options
def command(
    lists: tuple[str, ...],
    truth: str | None,
    level: str | None,
    plot: str | None,
    output: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Show how diverse lists of networks are, and how close they come to a known network, by their length.

    Each LIST is a saved result of 'best', 'modes', 'sample-dags' or 'bootstrap', and is called by the name of its file.
    Diversity is the average distance between two of the first networks; the distance to the known network is the least
    of any of them.
    """
    out = Output(as_json, quiet)
    named = {name: load_networks(source) for name, source in zip(_names(lists), lists, strict=True)}
    first = next(iter(named.values()))
    known = None if truth is None else load_known(truth, first.variables)
    found = list_curves(named, known, level=level)
    if plot is not None:
        found.plot(plot)
    out.deliver(found, output, lambda: render_list_curves(found))


def _names(sources: tuple[str, ...]) -> list[str]:
    """Return short names of files if they differ, else their whole names, numbered if these are the same, too."""
    short = [Path(source).name.partition(".")[0] or source for source in sources]
    if len(set(short)) == len(short):
        return short
    return [source if sources.count(source) == 1 else f"{source} ({i + 1})" for i, source in enumerate(sources)]
