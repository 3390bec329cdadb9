"""``dagscape best``: the best networks or equivalence classes, and what they agree on."""

from __future__ import annotations

import warnings
from typing import Any

import click

from dagscape.best.enumeration import SPACES, usual_space, why_not_classes
from dagscape.best.k_best import DEFAULT_K, k_best
from dagscape.best.requirements import best_requirements
from dagscape.best.result import BestNetworks
from dagscape.cli.arguments.drawing_options import draw_result, picture_options
from dagscape.cli.arguments.effects_option import check_effects, effects_blocks, effects_of, effects_options
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import DATA_HELP, rows_shown, run_options, scored_data, settings_option
from dagscape.cli.arguments.score_arguments import SCORES_HELP, declared_equivalent, take_scores
from dagscape.cli.program.output import Output, checked_path
from dagscape.core.constraints import COUNT
from dagscape.core.errors import DagscapeError, InvalidOption, SparseFamilies
from dagscape.core.resources import memory_limit, thread_count
from dagscape.networks.discrete.fitting import fit_options
from dagscape.networks.discrete.network import Network
from dagscape.networks.files import write_network
from dagscape.networks.writing import check_network_path
from dagscape.posterior.evidence import BEST, FIXED
from dagscape.posterior.requirements import sum_requirements, sum_seconds
from dagscape.report.best import render_best
from dagscape.sampling.exact_posterior import exact_posterior
from dagscape.scores.tables.enumerable_scores import EnumerableScores

# A sum over DAGs of this many variables takes about a second at most.
_SURELY_QUICK = 18
_FEW_SECONDS = 3.0


@click.command(epilog=DATA_HELP + SCORES_HELP)
@scored_data
@settings_option(BEST, FIXED)
@click.option(
    "-k", type=within(COUNT), metavar="N", show_default=f"{DEFAULT_K}, or all with --within", help="Number to find."
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
    show_default="classes, or dags if the scores distinguish members of a class, as with experiments",
    help="Rank equivalence classes or DAGs.",
)
@rows_shown("Number of rows to show of each table.")
@picture_options("the best one")
@effects_options
@click.option(
    "--network",
    "fitted",
    metavar="FILE",
    callback=checked_path(check_network_path),
    help="Fit the best network to the data and write it to a .json or .bif file.",
)
@click.option(
    "--coverage/--no-coverage",
    default=None,
    show_default="if the sum over all DAGs takes a few seconds at most",
    help="Whether to compute what share of the posterior probability the list covers.",
)
@declared_equivalent
@run_options
def command(
    data: str,
    k: int | None,
    within: float | None,
    space: str | None,
    show: int,
    picture: str | None,
    fitted: str | None,
    score_equivalent: bool,
    coverage: bool | None,
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
    with out.working() as progress:
        scores, dataset = take_scores(
            data, options, work | {"progress": progress}, out, needs, score_equivalent=score_equivalent
        )
        if fitted is not None and dataset is None:
            raise InvalidOption("--network needs a table of data: a network cannot be fitted to a score file")
        check_effects(dataset)
        best = k_best(scores, k, space or _usual_space(scores, out), within, **work, progress=progress)
        if coverage or (coverage is None and _affordable(scores, **work)):
            best = _with_total(best, scores, work | {"progress": progress}, forced=bool(coverage))
    found = effects_of(best, dataset, max_memory=work["max_memory"])
    out.deliver(best, output, lambda: [*render_best(best, show), *effects_blocks(found)], {"effects": found})
    if picture is not None:
        draw_result(best, picture, out, effects=found())
    if fitted is not None and dataset is not None:
        write_network(Network.fit(best.networks[0], dataset, *fit_options(scores.info)), fitted, remarks=best.warnings)


def _usual_space(scores: EnumerableScores, out: Output) -> str:
    """Return what is ranked by default, and say so if it is not classes."""
    space = usual_space(scores)
    if space == "dags":
        out.note(f"ranking DAGs, not equivalence classes: {why_not_classes(scores)}")
    return space


def _affordable(scores: EnumerableScores, threads: int | None, max_memory: int | str | None) -> bool:
    """Whether the sum over all DAGs is correct, fits in memory, and takes a few seconds at most."""
    used, limit = thread_count(threads), memory_limit(max_memory)
    if scores.complete is not True or not sum_requirements(scores, used, limit).fits(limit):
        return False
    return scores.n <= _SURELY_QUICK or sum_seconds(scores, used) <= _FEW_SECONDS


def _with_total(best: BestNetworks, scores: EnumerableScores, work: dict[str, Any], *, forced: bool) -> BestNetworks:
    """Add the total weight of all DAGs to a list. If it cannot be computed, that is an error only if it is forced."""
    try:
        with warnings.catch_warnings():
            # The search has warned of the families of the best network already.
            warnings.simplefilter("ignore", SparseFamilies)
            return best.with_total(exact_posterior(scores, **work))
    except DagscapeError:
        if forced:
            raise
        return best
