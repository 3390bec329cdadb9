"""``dagscape posterior``: the exact probability of every edge and ancestor relation."""

from __future__ import annotations

import warnings
from typing import Any

import click
from click.core import ParameterSource

from dagscape.cli.options import (
    DATA_HELP,
    Output,
    data_argument,
    data_options,
    output_options,
    output_path,
    report_dropped_rows,
    score_options,
    take_data,
    take_score_options,
    work_options,
)
from dagscape.errors import IncompleteScores, InvalidOption
from dagscape.posterior.summing import SUMS, check_size, posterior
from dagscape.posterior.weights import sum_memory
from dagscape.report.tables import render_posterior
from dagscape.resources import thread_count
from dagscape.scores.formats import SCORE_FILES, read_scores
from dagscape.scores.local_scores import LocalScores
from dagscape.scores.scoring import local_scores
from dagscape.scores.scoring_job import prepare


@click.command(epilog=DATA_HELP + "\n\nIt may also be a score file (.jkl, .jkl.gz or .npz).")
@data_argument
@data_options
@score_options
@click.option(
    "--over",
    type=click.Choice(list(SUMS)),
    default="dags",
    show_default=True,
    help="Sum over DAGs, or over orders of the variables.",
)
@click.option(
    "--threshold",
    type=click.FloatRange(0, 1),
    default=0.05,
    show_default=True,
    help="Show edges with a probability of at least this.",
)
@work_options
@click.option("-o", "--output", metavar="FILE", callback=output_path, help="Write the whole result to a file, as JSON.")
@output_options
def command(
    data: str, over: str, threshold: float, output: str | None, as_json: bool, quiet: bool, **options: Any
) -> None:
    """Compute the exact posterior probability of every edge, and of every ancestor relation."""
    out = Output(as_json, quiet)
    work = {name: options.pop(name) for name in ("threads", "max_memory")}
    with out.progress() as progress, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", IncompleteScores)
        scores = _scores(data, over, options, work | {"progress": progress}, out)
        result = posterior(scores, over, **work, progress=progress)
    for warning in caught:
        out.warn(str(warning.message))
    if output is not None:
        result.save(output)
    if as_json:
        out.show(result)
    else:
        out.show_table(render_posterior(result, threshold))


def _scores(data: str, over: str, options: dict[str, Any], work: dict[str, Any], out: Output) -> LocalScores:
    """The scores of a table, or those in a file."""
    if data.lower().endswith(SCORE_FILES):
        context = click.get_current_context()
        for name in options:
            if context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
                option = next(p.opts[0] for p in context.command.params if p.name == name)
                raise InvalidOption(f"{option} is for tables: {data!r} holds scores, which are taken as they are")
        return read_scores(data)
    dataset = take_data(data, options)
    report_dropped_rows(dataset, out)
    arguments = take_score_options(options, out)
    # Before the scores are computed in vain.
    job = prepare(dataset, **arguments)
    threads = thread_count(work["threads"])
    needed = sum_memory(dataset.n, job.max_parents, over, threads)
    check_size(dataset.n, over, threads, needed, work["max_memory"])
    return local_scores(dataset, **arguments, **work)
