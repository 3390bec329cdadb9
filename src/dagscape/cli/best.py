"""``dagscape best``: the best networks or equivalence classes, and what they agree on."""

from __future__ import annotations

import warnings
from typing import Any

import click

from dagscape.best.enumeration import SPACES
from dagscape.best.k_best import DEFAULT_K, k_best
from dagscape.best.requirements import best_requirements
from dagscape.cli.drawing_options import picture_options
from dagscape.cli.options import DATA_HELP, Output, output_path, rows_shown, run_options, scored_data
from dagscape.cli.score_arguments import SCORES_HELP, take_scores
from dagscape.cli.wording import worded
from dagscape.drawing.draw import draw
from dagscape.errors import IncompleteScores, InvalidOption, SparseFamilies, StoppedEarly
from dagscape.networks.fitting import fit_options
from dagscape.networks.network import Network
from dagscape.networks.network_files import write_network
from dagscape.posterior.requirements import sum_requirements
from dagscape.posterior.summing import posterior
from dagscape.report.best import render_best


@click.command(epilog=DATA_HELP + SCORES_HELP)
@scored_data
@click.option(
    "-k", type=click.IntRange(1), metavar="N", show_default=f"{DEFAULT_K}, or all with --within", help="Number to find."
)
@click.option(
    "--within",
    type=float,
    metavar="FACTOR",
    help="A Bayes factor: find all that are at most FACTOR times less probable than the best.",
)
@click.option(
    "--space",
    type=click.Choice(list(SPACES)),
    default="classes",
    show_default=True,
    help="Rank equivalence classes or DAGs.",
)
@rows_shown("Number of rows to show of each table.")
@picture_options("the best one")
@click.option(
    "--network",
    "fitted",
    metavar="FILE",
    callback=output_path,
    help="Fit the best network to the data and write it to a .bif file.",
)
@click.option("--coverage", is_flag=True, help="Also compute what share of the posterior probability the list covers.")
@click.option(
    "--score-equivalent",
    is_flag=True,
    help="Declare the scores in a score file score-equivalent, as BDeu and BIC are.",
)
@run_options
def command(
    data: str,
    k: int | None,
    within: float | None,
    space: str,
    show: int,
    picture: str | None,
    label_width: int | None,
    fitted: str | None,
    score_equivalent: bool,
    coverage: bool,
    output: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Find the best networks or equivalence classes, exactly, and show what they agree on.

    The column "times less" shows how many times less probable an entry is than the best, and "share of list" its
    probability among those listed; a class counts once for each of its DAGs.
    """
    out = Output(as_json, quiet)
    work = {name: options.pop(name) for name in ("threads", "max_memory")}
    needs = [best_requirements, sum_requirements] if coverage else [best_requirements]
    with out.progress() as progress, warnings.catch_warnings(record=True) as caught:
        for kind in (IncompleteScores, SparseFamilies, StoppedEarly):
            warnings.simplefilter("always", kind)
        scores, dataset = take_scores(
            data, options, work | {"progress": progress}, out, needs, score_equivalent=score_equivalent
        )
        if fitted is not None and dataset is None:
            raise InvalidOption("--network needs a table of data: a network cannot be fitted to a score file")
        best = k_best(scores, k, space, within, **work, progress=progress)
        share = best.coverage(posterior(scores, **work, progress=progress)) if coverage else None
    for message in dict.fromkeys(worded(warning.message) for warning in caught):
        out.warn(message)
    out.deliver(best, output, lambda: render_best(best, show, share))
    if picture is not None:
        draw(best, picture, label_width=label_width)
    if fitted is not None and dataset is not None:
        write_network(Network.fit(best.networks[0], dataset, *fit_options(scores.info)), fitted)
