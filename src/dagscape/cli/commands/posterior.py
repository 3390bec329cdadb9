"""``dagscape posterior``: the probability of every edge and ancestor relation, exact or from chains."""

from __future__ import annotations

from typing import Any

import click

from dagscape.cli.arguments.compared_cuts import report_cuts
from dagscape.cli.arguments.consensus_file import check_consensus_file, consensus_format, write_consensus
from dagscape.cli.arguments.drawing_options import (
    direction_threshold_option,
    draw_result,
    picture_options,
    posterior_lines,
)
from dagscape.cli.arguments.effects_option import check_effects, effects_blocks, effects_of, effects_options
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import DATA_HELP, missing_rule, run_options, scored_data, settings_option
from dagscape.cli.arguments.score_arguments import SCORES_HELP, take_given
from dagscape.cli.program.output import Output, checked_path
from dagscape.cli.program.processes import launched_backend
from dagscape.cli.program.wording import worded
from dagscape.core.constraints import A_PROBABILITY, Number
from dagscape.core.randomness import SEED
from dagscape.core.resources import Budget
from dagscape.core.wording import format_seconds
from dagscape.data.any_data import AnyData
from dagscape.data.discrete.automatic_cuts import AutomaticCuts
from dagscape.data.discrete.common_cuts import ComparedCuts
from dagscape.drawing.edges import DEFAULT_THRESHOLD
from dagscape.ensembles.sampled_networks import SampledNetworks
from dagscape.posterior.backends import BACKEND_NAMES, BACKENDS, SUMMED_OVER
from dagscape.posterior.running import plan_sum
from dagscape.posterior.setting import CUT_WEIGHTS, EQUAL
from dagscape.report.blocks import Block
from dagscape.report.edges import EDGES_SHOWN, render_posterior
from dagscape.report.paths import Path, render_paths
from dagscape.report.samples import render_samples
from dagscape.running.checkpoints import CHECKPOINT_LOG, DEFAULT_SECONDS, SECONDS_BETWEEN
from dagscape.sampling.chain import CHAINS, DRAWS, SAMPLE
from dagscape.sampling.chain_requirements import DEFAULT_CHAINS, DEFAULT_DRAWS
from dagscape.sampling.compelled import COMPELLED_SAMPLES, DEFAULT_COMPELLED_SAMPLES
from dagscape.sampling.method_choice import (
    METHOD_LOG,
    METHODS,
    chosen_method,
)
from dagscape.scores.definitions.set_functions import ScoredData
from dagscape.scores.search_planning import SearchSize
from dagscape.scores.tables.local_scores import LocalScores
from dagscape.studies.automatic_ways import affordable_ways
from dagscape.studies.posterior import AVERAGE, SETTINGS_OF_DATA, posterior

# Sums with paths over fewer variables take a few seconds at most.
_SURELY_QUICK = 12
_LONG_SECONDS = 30.0

SECONDS = Number(0, low_open=True)

# What each back end is, for the help.
_BACKENDS = "; ".join(dict.fromkeys(f"{record.name}: {record.summary}" for record in BACKENDS.values()))


@click.command(epilog=DATA_HELP + SCORES_HELP)
@missing_rule(SAMPLE, "keep them, and draw them along with networks, by Markov chains")
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
@settings_option(*SETTINGS_OF_DATA)
@click.option(
    "--cut-weights",
    type=click.Choice(CUT_WEIGHTS),
    default=EQUAL,
    show_default=True,
    help="The weights of several ways of cutting numbers (--discretize): equal, or by the evidence for them.",
)
@click.option(
    "--threshold",
    type=within(A_PROBABILITY),
    metavar="P",
    show_default=f"{EDGES_SHOWN} in the table, {DEFAULT_THRESHOLD} in a drawing",
    help="Show pairs that are adjacent with at least this probability.",
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
    "are drawn from the posterior. Drawings have arrowheads where it reaches --direction-threshold.",
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
@direction_threshold_option
@picture_options("the probable edges")
@effects_options
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
    settings: str,
    cut_weights: str,
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
    backend = _chosen_backend(over, backend, out)
    of_sums: dict[str, Any] = {"via": via or None, "via_all": via_all or None, "prior_only": prior_only or None}
    of_sums |= {"compelled_samples": compelled_samples, "backend": backend}
    of_chains = {"draws": draws, "chains": chains, "thin": thin, "max_seconds": max_seconds}
    # Options that do not go together are refused before the table is read.
    chosen_method(method, over, of_sums, {name: value for name, value in of_chains.items() if value is not None})
    if sampled := options.get("missing") == SAMPLE:
        method = "chain" if method == "auto" else method
        options["missing"] = "keep"
    paths = "all" if via_all else list(via) or None
    asked: dict[str, Any] = {"method": method, "via": paths, "ancestors": ancestors, "prior": prior_only}
    asked |= {"compelled": compelled, "compelled_samples": compelled_samples, "seed": seed, "backend": backend}
    asked |= {"checkpoint": checkpoint, "checkpoint_seconds": checkpoint_seconds, **of_chains}
    with out.working() as progress, out.telling(CHECKPOINT_LOG), out.telling(METHOD_LOG):
        given, scoring = take_given(data, options, budget.limit, out)
        whole = given.one if isinstance(given, AutomaticCuts) else given
        table = whole if isinstance(whole, AnyData) else None
        if isinstance(given, AutomaticCuts):
            ways = None
            if settings == AVERAGE and method != "chain" and not (prior_only or checkpoint):
                reach: dict[str, Any] = {"with_paths": paths is not None, "max_seconds": max_seconds}
                ways = affordable_ways(given, scoring, over, budget, **reach)
            given = given.one if ways is None else ways
            report_cuts(given, out)
        check_consensus_file(consensus_file, whole)
        check_effects(whole)
        if isinstance(given, LocalScores):
            asked |= {"settings": AVERAGE}
        else:
            asked |= {"settings": settings, "cut_weights": cut_weights, "missing": SAMPLE if sampled else "error"}
            if cut_weights != EQUAL and not isinstance(given, ComparedCuts):
                out.warn("--cut-weights has no effect: numbers are not cut in several ways")
        if paths is not None:
            _warn_if_slow(given, over, backend, budget, out)
        work: dict[str, Any] = {"threads": budget.given_threads, "max_memory": budget.limit, "progress": progress}
        result = posterior(given, over, **asked, **work, **scoring)
        consensus = None if consensus_file is None else result.consensus()

    effects = effects_of(result, table, threshold=threshold, max_memory=budget.limit)

    def blocks() -> list[Block]:
        shown = EDGES_SHOWN if threshold is None else threshold
        if isinstance(result, SampledNetworks):
            return [*render_samples(result, shown, consensus), *effects_blocks(effects)]
        listed = render_paths(result, () if via_all else via, shown) if paths is not None else []
        return [*render_posterior(result, shown, consensus), *listed, *effects_blocks(effects)]

    out.deliver(result, output, blocks, {"effects": effects})
    if picture is not None:
        draw_result(result, picture, out, threshold=threshold, lines=lines, effects=effects())
    if consensus_file is not None and consensus is not None:
        write_consensus(result, consensus, consensus_file, table, out)
    if result.provenance.parameters.get("interrupted"):
        raise KeyboardInterrupt


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


def _warn_if_slow(
    given: LocalScores | ScoredData | ComparedCuts, over: str, backend: str, budget: Budget, out: Output
) -> None:
    """Say how long paths will take, if that is long."""
    n = given.n
    if n <= _SURELY_QUICK:
        return
    size = SearchSize.complete(n, n - 1)
    seconds = plan_sum(size, over, backend, budget, with_paths=True).plan.seconds()
    if seconds > _LONG_SECONDS:
        out.warn(
            f"paths through a third variable take 4^{n} steps, about {format_seconds(seconds)} here for each setting; "
            f"without --via and --via-all it is 3^{n}, and --columns or --drop leave out variables"
        )
