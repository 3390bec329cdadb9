"""``dagscape modes``: the best networks of mode orderings."""

from __future__ import annotations

import warnings
from typing import Any

import click

from dagscape.cli.arguments.graph_arguments import completed, load_structure
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import DATA_HELP, rows_shown, run_options, scored_data, settings_option
from dagscape.cli.arguments.score_arguments import SCORES_HELP, take_scores
from dagscape.cli.program.output import Output
from dagscape.core.constraints import COUNT
from dagscape.core.errors import DagscapeError, StoppedEarly
from dagscape.graphs.comparison import LEVELS
from dagscape.graphs.validation import check_variables
from dagscape.modes.bounds import BOUNDS, GROUPINGS
from dagscape.modes.mode_orderings import DELTA, DISTINCT, modes
from dagscape.modes.requirements import modes_requirements
from dagscape.posterior.evidence import BEST, FIXED
from dagscape.report.modes import render_modes


def _described(choices: dict[str, str]) -> str:
    return "; ".join(f"{name}: {meaning}" for name, meaning in choices.items()) + "."


@click.command(epilog=DATA_HELP + SCORES_HELP)
@scored_data
@settings_option(BEST, FIXED)
@click.option("-k", type=within(COUNT), default=10, show_default=True, metavar="N", help="Number of modes to find.")
@click.option(
    "--delta",
    type=within(DELTA),
    default=3,
    show_default=True,
    metavar="N",
    help="A mode is the best ordering within Kendall distance N.",
)
@click.option(
    "--distinct", type=click.Choice(list(DISTINCT)), default="network", show_default=True, help=_described(DISTINCT)
)
@click.option("--bound", type=click.Choice(list(BOUNDS)), default="auto", show_default=True, help=_described(BOUNDS))
@click.option("--groups", type=within(COUNT), metavar="N", help="Number of groups for pattern databases.")
@click.option(
    "--grouping",
    type=click.Choice(list(GROUPINGS)),
    default="dependence",
    show_default=True,
    help=_described(GROUPINGS),
)
@click.option("--seed", type=int, default=0, show_default=True, metavar="N", help="Seed for random groups.")
@click.option("--max-seconds", type=float, metavar="S", help="Stop after S seconds, with the modes proved by then.")
@click.option(
    "--truth",
    metavar="NETWORK",
    help="Also show distances to this known network: a .bif file, a .csv list of edges, or builtin:NAME.",
)
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    show_default="dags if the scores distinguish members of a class, as with experiments; else classes",
    help="Show distances and agreement of equivalence classes, or of DAGs.",
)
@rows_shown("Number of pairs of variables to show on which modes differ.")
@run_options
def command(
    data: str,
    truth: str | None,
    level: str | None,
    show: int,
    output: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Find the best networks of mode orderings: peaks of the landscape that differ from each other."""
    out = Output(as_json, quiet)
    work = {name: options.pop(name) for name in ("threads", "max_memory")}
    known = None if truth is None else load_structure(truth, work["max_memory"])
    names = ("k", "delta", "distinct", "bound", "groups", "grouping", "seed", "max_seconds")
    asked = {name: options.pop(name) for name in names}
    with out.working() as progress:
        warnings.simplefilter("ignore", StoppedEarly)
        scores, _ = take_scores(data, options, work | {"progress": progress}, out, [modes_requirements])
        if truth is not None and known is not None:
            known = completed(truth, known, scores.variables)
            check_variables(known.variables, scores.variables, "DATA", option="truth")
        found = modes(scores, **asked, **work, progress=progress)
    if known is not None:
        found = found.with_truth(known, level)
    out.deliver(found, output, lambda: render_modes(found, show, "--distinct class", level) if len(found) else [])
    if not len(found):
        raise DagscapeError(f"the search ran out of {found.stopped} before it proved any mode")
    if not found.complete:
        out.warn(f"the search ran out of {found.stopped}: other modes may score up to {found.bound:,.4f}")
