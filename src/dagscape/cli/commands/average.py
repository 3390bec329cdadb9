"""``dagscape average``: averages of one feature over a list of networks."""

from __future__ import annotations

import click

from dagscape.cli.arguments.graph_arguments import load_networks
from dagscape.cli.arguments.options import output_options, result_output, rows_shown
from dagscape.cli.program.output import Output
from dagscape.ensembles.averaging import WEIGHTS
from dagscape.ensembles.feature_averages import LIST_FEATURES, feature_averages
from dagscape.report.feature_averages import render_feature_averages


@click.command()
@click.argument("networks", metavar="LIST")
@click.option(
    "--feature",
    type=click.Choice(list(LIST_FEATURES)),
    default="edges",
    show_default=True,
    help="Directed edges, edges in either direction, directed paths, Markov blankets or v-structures.",
)
@click.option(
    "--weights",
    type=click.Choice(WEIGHTS),
    default="dags",
    show_default=True,
    help="Whether an equivalence class in the list counts for each of its DAGs, or once.",
)
@rows_shown("Number of entries to show.", 20)
@result_output
@output_options
def command(
    networks: str, feature: str, weights: str, show: int, output: str | None, as_json: bool, quiet: bool
) -> None:
    """Average a feature over the networks of a list: edges, ancestors, Markov blankets, v-structures.

    LIST is a saved result of 'best', 'modes', 'sample-dags' or 'bootstrap'. The best networks and modes have their
    posterior weights; samples, and networks of resampled rows, have all the same. Averages of samples have errors.
    """
    found = feature_averages(load_networks(networks), feature, weights)
    Output(as_json, quiet).deliver(found, output, lambda: render_feature_averages(found, show))
