"""``dagscape bootstrap``: networks learned from resampled rows."""

from __future__ import annotations

from typing import Any

import click

from dagscape.cli.arguments.consensus_file import consensus_format, write_consensus
from dagscape.cli.arguments.drawing_options import direction_threshold_option, draw_result, picture_options
from dagscape.cli.arguments.method_options import learner_options, take_learner_options
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import (
    DATA_HELP,
    memory_option,
    output_options,
    result_output,
    scored_data,
    settings_option,
    take_data_with_warnings,
    take_score_options,
)
from dagscape.cli.program.output import Output, checked_path
from dagscape.core.constraints import A_PROBABILITY
from dagscape.core.randomness import SEED
from dagscape.drawing.edges import DEFAULT_THRESHOLD
from dagscape.posterior.evidence import BEST, FIXED
from dagscape.report.edges import EDGES_SHOWN, render_bootstrap
from dagscape.running.repetitions import WORKERS
from dagscape.search.registry import LEARNERS
from dagscape.studies.bootstrap import bootstrap
from dagscape.studies.samples import SAMPLES


@click.command(epilog=DATA_HELP)
@scored_data
@settings_option(BEST, FIXED)
@click.option(
    "--method", type=click.Choice(list(LEARNERS)), default="order", show_default=True,
    help="The method that learns a network.",
)  # fmt: skip
@click.option(
    "--samples", type=within(SAMPLES), default=200, show_default=True, metavar="N",
    help="Number of samples of the rows.",
)  # fmt: skip
@click.option("--seed", type=within(SEED), default=0, show_default=True, metavar="N", help="Seed of the samples.")
@click.option(
    "--workers", type=within(WORKERS), metavar="N", show_default="one for each processor",
    help="Number of worker processes; 1: no other process.",
)  # fmt: skip
@click.option("--max-seconds", type=float, metavar="S", help="Stop after S seconds, with the samples done by then.")
@click.option(
    "--threshold", type=within(A_PROBABILITY), metavar="P",
    show_default=f"{EDGES_SHOWN} in the table, {DEFAULT_THRESHOLD} in a drawing",
    help="Show pairs that are adjacent in at least this share of the samples.",
)  # fmt: skip
@learner_options
@direction_threshold_option
@picture_options("the edges that enough samples have")
@click.option(
    "--consensus", "consensus_file", metavar="FILE", callback=checked_path(consensus_format),
    help="Also find the DAG that maximises the sum of share - 1/2 over its edges, and write it to a .csv "
    "file, a .bif file (fitted to the data) or a drawing.",
)  # fmt: skip
@memory_option
@result_output
@output_options
def command(
    data: str,
    method: str,
    threshold: float | None,
    picture: str | None,
    consensus_file: str | None,
    output: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Learn networks from resampled rows: the share of samples with each edge and each ancestor relation."""
    out = Output(as_json, quiet)
    dataset = take_data_with_warnings(data, options, options["max_memory"], out)
    chosen = take_learner_options(options, method)
    with out.working() as progress:
        found = bootstrap(dataset, method, **take_score_options(options, out), **chosen, progress=progress)
        consensus = None if consensus_file is None else found.consensus()
    out.deliver(
        found, output, lambda: render_bootstrap(found, EDGES_SHOWN if threshold is None else threshold, consensus)
    )
    if picture is not None:
        draw_result(found, picture, out, threshold=threshold)
    if consensus_file is not None and consensus is not None:
        write_consensus(found, consensus, consensus_file, dataset, out)
