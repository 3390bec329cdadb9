"""``dagscape accuracy``: probabilities of edges against a known network."""

from __future__ import annotations

import click

from dagscape.cli.arguments.graph_arguments import NETWORK_HELP, load_edge_probabilities, load_known
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import output_options, result_output
from dagscape.cli.program.output import Output, checked_path
from dagscape.cli.program.wording import worded
from dagscape.core.errors import InvalidOption
from dagscape.drawing.curves import curve_format
from dagscape.ensembles.edge_accuracy import BINS, DEFAULT_BINS, edge_accuracy
from dagscape.ensembles.edge_probabilities import FEATURES
from dagscape.report.edge_accuracy import render_edge_accuracy


@click.command(epilog=NETWORK_HELP)
@click.argument("result")
@click.argument("truth")
@click.option(
    "--feature",
    type=click.Choice(list(FEATURES)),
    default="edges",
    show_default=True,
    help="Directed edges, edges in either direction, or directed paths.",
)
@click.option(
    "--bins",
    type=within(BINS),
    default=DEFAULT_BINS,
    show_default=True,
    metavar="N",
    help="Number of bins of probabilities, for calibration.",
)
@click.option(
    "--plot",
    metavar="FILE",
    callback=checked_path(curve_format),
    help="Also draw the ROC curve and the calibration to a .svg, .png or .pdf file; needs matplotlib.",
)
@result_output
@output_options
def command(
    result: str,
    truth: str,
    feature: str,
    bins: int,
    plot: str | None,
    output: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Compare the probabilities of edges in a result with a known network.

    RESULT is a saved result of 'posterior', 'best', 'modes' or 'bootstrap', with probabilities of edges; or of 'learn'
    or 'student', or a network, with probabilities of 0 and 1. TRUTH is the known network. Do true edges have higher
    probabilities than others (the ROC curve and its area), and are the
    probabilities right (calibration)?
    """
    out = Output(as_json, quiet)
    loaded = load_edge_probabilities(result)
    if feature == "ancestors" and getattr(loaded, "ancestors", loaded) is None:
        raise InvalidOption(
            f"{result!r} has no ancestor relations: sums over orders have them only if asked for, with 'dagscape "
            "posterior DATA --over orders --ancestors'"
        )
    try:
        known = load_known(truth, loaded.variables, owner=f"RESULT {result!r}")
        found = edge_accuracy(loaded, known, feature=feature, bins=bins)
    except InvalidOption as error:
        # They are arguments here.
        raise InvalidOption(worded(error, truth="TRUTH", found="RESULT")) from None
    if plot is not None:
        found.plot(plot)
    out.deliver(found, output, lambda: render_edge_accuracy(found))
