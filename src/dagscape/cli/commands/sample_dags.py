"""``dagscape sample-dags``: independent networks from the exact posterior."""

from __future__ import annotations

from typing import Any

import click

from dagscape.cli.arguments.drawing_options import direction_threshold_option, draw_result, picture_options
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import DATA_HELP, run_options, scored_data, settings_option
from dagscape.cli.arguments.score_arguments import SCORES_HELP, take_problem
from dagscape.cli.program.output import Output
from dagscape.core.constraints import A_PROBABILITY
from dagscape.core.randomness import SEED
from dagscape.core.resources import Budget
from dagscape.drawing.edges import DEFAULT_THRESHOLD
from dagscape.posterior.backends import SUMMED_OVER
from dagscape.posterior.evidence import BEST, FIXED
from dagscape.report.edges import EDGES_SHOWN
from dagscape.report.samples import render_samples
from dagscape.sampling.exact import sample_dags
from dagscape.sampling.requirements import DEFAULT_SAMPLES, SAMPLES, sampling_requirements


@click.command(epilog=DATA_HELP + SCORES_HELP)
@scored_data
@settings_option(BEST, FIXED)
@click.option(
    "--over", type=click.Choice(SUMMED_OVER), default="dags", show_default=True,
    help="Draw DAGs, or pairs of an order of the variables and a DAG.",
)  # fmt: skip
@click.option(
    "--samples", type=within(SAMPLES), default=DEFAULT_SAMPLES, show_default=True, metavar="N",
    help="Number of networks to draw.",
)  # fmt: skip
@click.option("--seed", type=within(SEED), default=0, show_default=True, metavar="N", help="Seed of the samples.")
@click.option(
    "--threshold", type=within(A_PROBABILITY), metavar="P",
    show_default=f"{EDGES_SHOWN} in the table, {DEFAULT_THRESHOLD} in a drawing",
    help="Show pairs that are adjacent with at least this probability.",
)  # fmt: skip
@direction_threshold_option
@picture_options("the probable edges")
@run_options
def command(
    data: str,
    over: str,
    samples: int,
    seed: int,
    threshold: float | None,
    picture: str | None,
    output: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Draw independent networks from the exact posterior, and show their edges with Monte Carlo errors."""
    out = Output(as_json, quiet)
    work = {name: options.pop(name) for name in ("threads", "max_memory")}
    budget = Budget.of(work["threads"], work["max_memory"])
    with out.working() as progress:
        problem = take_problem(data, options, budget, out, progress)
        needs = sampling_requirements(problem.size, budget.threads, budget.limit, over=over, samples=samples)
        needs.check(budget.limit)
        found = sample_dags(problem.scores(progress), samples, over, seed=seed, **work, progress=progress)
    out.deliver(found, output, lambda: render_samples(found, EDGES_SHOWN if threshold is None else threshold))
    if picture is not None:
        draw_result(found, picture, out, threshold=threshold)
