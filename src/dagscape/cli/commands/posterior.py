"""``dagscape posterior``: the probability of every edge and ancestor relation, exact or from chains."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from dagscape.cli.arguments.consensus_file import check_consensus_file, consensus_format, write_consensus
from dagscape.cli.arguments.drawing_options import picture_options, posterior_lines
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import DATA_HELP, run_options, scored_data
from dagscape.cli.arguments.score_arguments import SCORES_HELP, Problem, take_problem
from dagscape.cli.program.output import Output, checked_path
from dagscape.cli.program.processes import launched_backend
from dagscape.cli.program.wording import worded
from dagscape.core.constraints import A_PROBABILITY, Number
from dagscape.core.progress import ProgressListener
from dagscape.core.randomness import SEED
from dagscape.core.resources import Budget
from dagscape.core.wording import format_seconds
from dagscape.drawing.draw import draw
from dagscape.drawing.edges import DEFAULT_THRESHOLD
from dagscape.ensembles.sampled_networks import SampledNetworks
from dagscape.posterior.backends import BACKEND_NAMES, BACKENDS, SUMMED_OVER, cost_more
from dagscape.posterior.result import Posterior
from dagscape.posterior.running import PlannedSum, plan_sum
from dagscape.posterior.sum_plan import SumPlan
from dagscape.posterior.summing import planned_posterior, wants_paths
from dagscape.report.blocks import Block
from dagscape.report.edges import EDGES_SHOWN, render_posterior
from dagscape.report.paths import Path, render_paths
from dagscape.report.samples import render_samples
from dagscape.running.checkpoints import CHECKPOINT_LOG, DEFAULT_SECONDS, SECONDS_BETWEEN
from dagscape.sampling.chain import CHAINS, DRAWS, chain
from dagscape.sampling.chain_requirements import DEFAULT_CHAINS, DEFAULT_DRAWS, chain_requirements
from dagscape.sampling.compelled import COMPELLED_SAMPLES, DEFAULT_COMPELLED_SAMPLES, CompelledSampling
from dagscape.sampling.method_choice import (
    METHODS,
    Reason,
    chosen_method,
    explained,
    most_seconds_of_sum,
    sum_or_reason,
)
from dagscape.scores.requirements import scoring_requirements

# Sums with paths over fewer variables take a few seconds at most.
_SURELY_QUICK = 12
_LONG_SECONDS = 30.0

SECONDS = Number(0, low_open=True)

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
    "--method",
    type=click.Choice(METHODS),
    default="auto",
    show_default=True,
    help="Sum exactly, or sample DAGs by Markov chains; auto: chains if the sum does not fit or takes hours.",
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
@click.option(
    "--seed", type=within(SEED), default=0, show_default=True, metavar="N", help="Seed of these DAGs, and of chains."
)
@click.option(
    "--draws",
    type=within(DRAWS),
    metavar="N",
    show_default=f"{DEFAULT_DRAWS}",
    help="With chains: number of networks to keep of each.",
)
@click.option("--chains", type=within(CHAINS), metavar="N", show_default=f"{DEFAULT_CHAINS}", help="Number of chains.")
@click.option(
    "--thin",
    type=within(CHAINS),
    metavar="N",
    show_default="10, or fewer if there are very many families",
    help="With chains: number of sweeps between two networks.",
)
@click.option(
    "--max-seconds",
    type=within(SECONDS),
    metavar="S",
    help="End chains after S seconds, with the networks drawn by then; a sum that would take longer is replaced by "
    "chains.",
)
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
    method: str,
    backend: str,
    threshold: float | None,
    via: tuple[Path, ...],
    via_all: bool,
    ancestors: bool,
    compelled: bool | None,
    compelled_samples: int,
    seed: int,
    draws: int | None,
    chains: int | None,
    thin: int | None,
    max_seconds: float | None,
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
    """Compute the posterior probability of every edge and every ancestor relation.

    Sums that do not fit in memory, or that take more than an hour, are replaced by Markov chains. Ctrl-C ends chains
    with the networks drawn by then.
    """
    out = Output(as_json, quiet)
    budget = Budget.of(options.pop("threads"), options.pop("max_memory"))
    with_paths = via_all or bool(via)
    backend = _chosen_backend(over, backend, out)
    of_sums: dict[str, Any] = {"via": via or None, "via_all": via_all or None, "prior_only": prior_only or None}
    of_sums |= {"compelled_samples": compelled_samples, "backend": backend}
    of_chains = {"draws": draws, "chains": chains, "thin": thin, "max_seconds": max_seconds}
    given = {name: value for name, value in of_chains.items() if value is not None}
    method = chosen_method(method, over, of_sums, given)
    with out.working() as progress, out.telling(CHECKPOINT_LOG):
        problem = take_problem(data, options, budget, out)
        asked: dict[str, Any] = {"with_paths": with_paths, "with_ancestors": cost_more(over, ancestors=ancestors)}
        resumable = checkpoint is not None
        saved: dict[str, Any] = {"checkpoint": checkpoint, "checkpoint_seconds": checkpoint_seconds}

        def planned_sum() -> PlannedSum:
            return plan_sum(problem.size, over, backend, budget, **asked, resumable=resumable)

        planned = (
            planned_sum()
            if method == "exact"
            else _sum_or_reason(method, problem, planned_sum, budget, given, resumable=resumable)
        )
        result: Posterior | SampledNetworks
        if isinstance(planned, Reason):
            if planned:
                out.note(f"running Markov chains, because {planned}")
            check_consensus_file(consensus_file, problem.data)
            result = _by_chains(problem, planned, budget, progress, seed=seed, **given, **saved)
        else:
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
            result = planned_posterior(planned, scores, **asked, prior=prior_only, progress=progress, **saved)
            if compelled:
                result = sampling.added_to(result, scores, budget, progress)
        consensus = None if consensus_file is None else result.consensus()

    def blocks() -> list[Block]:
        shown = EDGES_SHOWN if threshold is None else threshold
        if isinstance(result, SampledNetworks):
            return render_samples(result, shown, consensus)
        paths = render_paths(result, () if via_all else via, shown) if with_paths else []
        return [*render_posterior(result, shown, consensus), *paths]

    out.deliver(result, output, blocks)
    if picture is not None:
        draw(result, picture, threshold=threshold, lines=lines, label_width=label_width)
    if consensus_file is not None and consensus is not None:
        write_consensus(result, consensus, consensus_file, problem.data, label_width)
    if result.provenance.parameters.get("interrupted"):
        raise KeyboardInterrupt


def _sum_or_reason(
    method: str,
    problem: Problem,
    planned_sum: Callable[[], PlannedSum],
    budget: Budget,
    given: Mapping[str, Any],
    *,
    resumable: bool,
) -> PlannedSum | Reason:
    """Return the planned sum over DAGs, with scores that fit, or the reason for chains."""
    if method == "chain":
        return Reason("")
    job = problem.job

    def plan() -> PlannedSum:
        found = planned_sum()
        if job is not None:
            scoring_requirements(job, budget.threads, budget.limit).check(budget.limit)
        return found

    def chains_fit() -> bool:
        asked = {name: given[name] for name in ("chains", "draws") if name in given}
        needs = chain_requirements(job or problem.size, budget.threads, budget.limit, **asked)
        return needs.fits(budget.limit)

    return sum_or_reason(
        problem.size.n, plan, chains_fit, most_seconds_of_sum(given.get("max_seconds"), resumable=resumable)
    )


def _by_chains(
    problem: Problem, reason: Reason, budget: Budget, progress: ProgressListener | None, **options: Any
) -> SampledNetworks:
    """Run chains on the data or on the scores of a file."""
    work: dict[str, Any] = {"threads": budget.threads, "max_memory": budget.limit, "progress": progress}
    given = problem.scores(progress) if problem.data is None else problem.data
    return explained(chain(given, **options, **work, **problem.arguments), reason)


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
