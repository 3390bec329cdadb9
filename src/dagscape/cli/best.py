"""``dagscape best``: the best networks or equivalence classes, and what they agree on."""

from __future__ import annotations

import warnings
from typing import Any

import click

from dagscape.best.enumeration import SPACES
from dagscape.best.k_best import DEFAULT_K, k_best
from dagscape.best.requirements import best_requirements
from dagscape.cli.options import (
    DATA_HELP,
    Output,
    data_argument,
    data_options,
    output_options,
    output_path,
    score_options,
    work_options,
)
from dagscape.cli.score_arguments import SCORES_HELP, take_scores
from dagscape.cli.wording import worded
from dagscape.drawing.draw import draw, drawing_format
from dagscape.errors import IncompleteScores, InvalidOption, StoppedEarly
from dagscape.networks.bif import write_network
from dagscape.networks.fitting import fit_options
from dagscape.networks.network import Network
from dagscape.posterior.requirements import sum_requirements
from dagscape.posterior.summing import posterior
from dagscape.report.best import render_best


def _picture(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    if path is not None:
        drawing_format(path)
    return output_path(context, parameter, path)


@click.command(epilog=DATA_HELP + SCORES_HELP)
@data_argument
@data_options
@score_options
@click.option("-k", type=click.IntRange(1), metavar="N", help=f"How many to find; {DEFAULT_K} if nothing is said.")
@click.option(
    "--within",
    type=float,
    metavar="FACTOR",
    help="Find all that are at most so many times less probable than the best.",
)
@click.option("--space", type=click.Choice(list(SPACES)), default="classes", show_default=True, help="What to rank.")
@click.option(
    "--show",
    type=click.IntRange(0),
    default=10,
    show_default=True,
    metavar="N",
    help="How many rows of each table to show.",
)
@click.option(
    "--draw", "picture", metavar="FILE", callback=_picture, help="Draw the best one: .svg, .png, .pdf or .dot."
)
@click.option(
    "--network", "fitted", metavar="FILE", callback=output_path, help="Write the best network, fitted, as a .bif file."
)
@click.option(
    "--coverage", is_flag=True, help="Also sum over all DAGs, to say what share of the probability the list has."
)
@click.option(
    "--score-equivalent",
    is_flag=True,
    help="The scores in a .jkl file are the same for equivalent networks, as those of BDeu and BIC are.",
)
@work_options
@click.option("-o", "--output", metavar="FILE", callback=output_path, help="Write the whole result to a file, as JSON.")
@output_options
def command(
    data: str,
    k: int | None,
    within: float | None,
    space: str,
    show: int,
    picture: str | None,
    fitted: str | None,
    score_equivalent: bool,
    coverage: bool,
    output: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Find the best networks or equivalence classes, exactly, and say what they agree on.

    "Times less" is how many times less probable one is than the best, and "share of list" its probability among those
    listed, a class counting for each of its DAGs.
    """
    out = Output(as_json, quiet)
    work = {name: options.pop(name) for name in ("threads", "max_memory")}
    needs = [best_requirements, sum_requirements] if coverage else [best_requirements]
    with out.progress() as progress, warnings.catch_warnings(record=True) as caught:
        for kind in (IncompleteScores, StoppedEarly):
            warnings.simplefilter("always", kind)
        scores, dataset = take_scores(
            data, options, work | {"progress": progress}, out, needs, score_equivalent=score_equivalent
        )
        if fitted is not None and dataset is None:
            raise InvalidOption("--network is for tables: a network cannot be fitted to a file of scores")
        best = k_best(scores, k, space, within, **work, progress=progress)
        share = best.coverage(posterior(scores, **work, progress=progress)) if coverage else None
    for message in dict.fromkeys(worded(warning.message) for warning in caught):
        out.warn(message)
    if output is not None:
        best.save(output)
    if picture is not None:
        draw(best.cpdags[0] if space == "classes" else best.networks[0], picture)
    if fitted is not None and dataset is not None:
        write_network(Network.fit(best.networks[0], dataset, *fit_options(scores.info)), fitted)
    if as_json:
        out.show(best)
    else:
        out.show_table(render_best(best, show, share))
