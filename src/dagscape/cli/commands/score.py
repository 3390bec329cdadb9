"""``dagscape score``: compute the local scores of all families."""

from __future__ import annotations

from typing import Any

import click

from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import (
    DATA_HELP,
    output_options,
    scored_data,
    take_data_with_warnings,
    take_score_options,
    work_options,
)
from dagscape.cli.program.output import (
    Output,
    check_format,
    check_format_used,
    format_option,
    output_path,
    written_file,
)
from dagscape.core.errors import InvalidOption
from dagscape.report.scores import render_scores
from dagscape.scores.formats.files import SCORE_FORMATS, score_format, write_scores
from dagscape.scores.scoring import local_scores
from dagscape.scores.summary import summarize_scores
from dagscape.scores.tables.enumerable_scores import TOP


def _scores_path(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    if path == "-":
        raise InvalidOption("-o is '-', but scores cannot go to standard output: give a .jkl, .jkl.gz or .npz file")
    check_format_used(path)
    if path is not None:
        check_format(score_format, path)
    return output_path(context, parameter, path)


@click.command(epilog=DATA_HELP)
@scored_data
@work_options
@click.option(
    "--top", type=within(TOP), default=3, show_default=True, help="Number of families to show for each variable."
)
@format_option(SCORE_FORMATS)
@click.option(
    "-o",
    "--output",
    metavar="FILE",
    callback=_scores_path,
    help="Write all scores to a .jkl, .jkl.gz (Jaakkola's format, read by GOBNILP and others) or .npz file.",
)
@output_options
def command(data: str, top: int, output: str | None, as_json: bool, quiet: bool, **options: Any) -> None:
    """Compute the local scores of all families, and show the best families of each variable.

    Scores are natural logarithms; higher is better.
    """
    out = Output(as_json, quiet)
    dataset = take_data_with_warnings(data, options, options["max_memory"], out)
    arguments = take_score_options(options, out)
    with out.working() as progress:
        scores = local_scores(dataset, **arguments, progress=progress)
        summary = summarize_scores(scores, top)
        if output is not None:
            with written_file(output) as path:
                write_scores(scores, path, progress=progress)
    out.deliver(summary, None, lambda: render_scores(summary))
