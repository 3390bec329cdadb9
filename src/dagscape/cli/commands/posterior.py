"""``dagscape posterior``: the exact probability of every edge and ancestor relation."""

from __future__ import annotations

from typing import Any

import click

from dagscape.cli.arguments.consensus_file import check_consensus_file, consensus_format, write_consensus
from dagscape.cli.arguments.drawing_options import picture_options, posterior_lines
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import DATA_HELP, run_options, scored_data
from dagscape.cli.arguments.score_arguments import SCORES_HELP, take_problem
from dagscape.cli.program.output import Output, checked_path
from dagscape.cli.program.processes import launched_backend
from dagscape.cli.program.wording import worded
from dagscape.core.constraints import A_PROBABILITY
from dagscape.core.randomness import SEED
from dagscape.core.resources import Budget
from dagscape.core.wording import format_seconds
from dagscape.drawing.draw import draw
from dagscape.drawing.edges import DEFAULT_THRESHOLD
from dagscape.posterior.backends import BACKEND_NAMES, BACKENDS, SUMMED_OVER, cost_more
from dagscape.posterior.running import plan_sum
from dagscape.posterior.sum_plan import SumPlan
from dagscape.posterior.summing import planned_posterior, wants_paths
from dagscape.report.blocks import Block
from dagscape.report.edges import EDGES_SHOWN, render_posterior
from dagscape.report.paths import Path, render_paths
from dagscape.running.checkpoints import CHECKPOINT_LOG, DEFAULT_SECONDS, SECONDS_BETWEEN
from dagscape.sampling.compelled import COMPELLED_SAMPLES, DEFAULT_COMPELLED_SAMPLES, CompelledSampling

# Sums with paths over fewer variables take a few seconds at most.
_SURELY_QUICK = 12
_LONG_SECONDS = 30.0

# What each back end is, for the help.
_BACKENDS = "; ".join(dict.fromkeys(f"{record.name}: {record.summary}" for record in BACKENDS.values()))


@click.command(epilog=DATA_HELP + SCORES_HELP)
@scored_data
@click.option(
    "--over",
    type=click.Choice(SUMMED_OVER),
    default="dags",
    show_default=True,
    help="Sum over DAGs or over orders of the variables.",
)
@click.option(
    "--backend",
    type=click.Choice(BACKEND_NAMES),
    default="auto",
    show_default=True,
    help=f"What does the sum; {_BACKENDS}.",
)
@click.option(
    "--threshold",
    type=within(A_PROBABILITY),
    metavar="P",
    show_default=f"{EDGES_SHOWN} in the table, {DEFAULT_THRESHOLD} in a drawing",
    help="Show edges with at least this probability.",
)
@click.option(
    "--via",
    nargs=3,
    multiple=True,
    metavar="SOURCE MIDDLE TARGET",
    help="Also compute the probability of a directed path from SOURCE through MIDDLE to TARGET; may be repeated. "
    "This takes 4^n steps for n variables instead of 3^n, however many paths there are.",
)
@click.option(
    "--via-all",
    is_flag=True,
    help="Also compute the probabilities of all paths through a third variable; as slow as one --via.",
)
@click.option(
    "--ancestors",
    is_flag=True,
    help="With --over orders, also compute the probabilities of ancestor relations. This takes n(n-1) 3^(n-2) "
    "steps for n variables instead of n² 2^n; sums over DAGs always have them.",
)
@click.option(
    "--compelled/--no-compelled",
    default=None,
    show_default="if it takes half a minute, or no longer than the sum",
    help="Also estimate the probability that an edge holds in every member of its equivalence class, from DAGs that "
    "are drawn from the posterior. Drawings have arrowheads where it reaches the threshold.",
)
@click.option(
    "--compelled-samples",
    type=within(COMPELLED_SAMPLES),
    default=DEFAULT_COMPELLED_SAMPLES,
    show_default=True,
    metavar="N",
    help="Number of DAGs to draw for --compelled.",
)
@click.option("--seed", type=within(SEED), default=0, show_default=True, metavar="N", help="Seed of these DAGs.")
@click.option(
    "--prior-only", is_flag=True, help="Ignore the data: show the probabilities under the structure prior alone."
)
@click.option(
    "--checkpoint",
    metavar="FOLDER",
    help="Save the work of a long sum in FOLDER from time to time; the same command continues after an interruption.",
)
@click.option(
    "--checkpoint-seconds",
    type=within(SECONDS_BETWEEN),
    metavar="SECONDS",
    default=DEFAULT_SECONDS,
    show_default=True,
    help="The least time between two checkpoints.",
)
@picture_options("the probable edges")
@posterior_lines
@click.option(
    "--consensus",
    "consensus_file",
    metavar="FILE",
    callback=checked_path(consensus_format),
    help="Also find the DAG that maximises the sum of P(edge) - 1/2 over its edges, and write it to a .csv file, "
    "a .bif file (fitted to the data) or a drawing.",
)
@run_options
def command(
    data: str,
    over: str,
    backend: str,
    threshold: float | None,
    via: tuple[Path, ...],
    via_all: bool,
    ancestors: bool,
    compelled: bool | None,
    compelled_samples: int,
    seed: int,
    prior_only: bool,
    checkpoint: str | None,
    checkpoint_seconds: float,
    picture: str | None,
    lines: str | None,
    label_width: int | None,
    consensus_file: str | None,
    output: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Compute the exact posterior probability of every edge and every ancestor relation."""
    out = Output(as_json, quiet)
    budget = Budget.of(options.pop("threads"), options.pop("max_memory"))
    with_paths = via_all or bool(via)
    backend = _chosen_backend(over, backend, out)
    with out.working() as progress, out.telling(CHECKPOINT_LOG):
        problem = take_problem(data, options, budget, out)
        asked = {"with_paths": with_paths, "with_ancestors": cost_more(over, ancestors=ancestors)}
        planned = plan_sum(problem.size, over, backend, budget, **asked, resumable=checkpoint is not None)
        sampling = CompelledSampling(compelled_samples, seed)
        if compelled is None:
            compelled = sampling.affordable(problem.size, planned.plan, over, budget)
        elif compelled:
            sampling.requirements(problem.size, over, budget).check(budget.limit)
        scores = problem.scores(progress)
        check_consensus_file(consensus_file, problem.data)
        if with_paths:
            wants_paths("all" if via_all else via, scores.variables)
            _warn_if_slow(scores.n, planned.plan, out)
        result = planned_posterior(
            planned,
            scores,
            **asked,
            prior=prior_only,
            progress=progress,
            checkpoint=checkpoint,
            checkpoint_seconds=checkpoint_seconds,
        )
        if compelled:
            result = sampling.added_to(result, scores, budget, progress)
        consensus = None if consensus_file is None else result.consensus()

    def blocks() -> list[Block]:
        shown = EDGES_SHOWN if threshold is None else threshold
        paths = render_paths(result, () if via_all else via, shown) if with_paths else []
        return [*render_posterior(result, shown, consensus), *paths]

    out.deliver(result, output, blocks)
    if picture is not None:
        draw(result, picture, threshold=threshold, lines=lines, label_width=label_width)
    if consensus_file is not None and consensus is not None:
        write_consensus(result, consensus, consensus_file, problem.data, label_width)


def _chosen_backend(over: str, backend: str, out: Output) -> str:
    """Return the back end of a sum: by default, that of the processes that a launcher has started."""
    launched = launched_backend()
    if launched is None or launched.processes is None:
        return backend
    if backend == "auto" and over == launched.over:
        return launched.name
    if backend != launched.name:
        out.warn(worded(launched.processes.unused))
    return backend


def _warn_if_slow(n: int, plan: SumPlan, out: Output) -> None:
    """Say how long paths will take, if that is long."""
    if n > _SURELY_QUICK and (seconds := plan.seconds()) > _LONG_SECONDS:
        out.warn(
            f"paths through a third variable take 4^{n} steps, about {format_seconds(seconds)} here; without --via "
            f"and --via-all it is 3^{n}, and --columns or --drop leave out variables"
        )
