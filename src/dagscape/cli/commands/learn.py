"""``dagscape learn``: find one good network, for any number of variables."""

from __future__ import annotations

import warnings
from typing import Any

import click
from click.core import ParameterSource

from dagscape.cli.arguments.drawing_options import draw_result, picture_options
from dagscape.cli.arguments.effects_option import check_effects, effects_blocks, effects_of, effects_options
from dagscape.cli.arguments.graph_arguments import NETWORK_HELP, load_known
from dagscape.cli.arguments.method_options import learner_options, take_learner_options
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import (
    DATA_HELP,
    missing_rule,
    rows_shown,
    run_options,
    scored_data,
    settings_option,
)
from dagscape.cli.arguments.score_arguments import (
    SCORES_HELP,
    declared_equivalent,
    is_score_file,
    score_file,
    scored_table,
)
from dagscape.cli.arguments.table_files import file_writer, table_format
from dagscape.cli.program.output import Output, checked_path
from dagscape.cli.program.wording import worded
from dagscape.core.errors import InvalidOption, StoppedEarly, argument
from dagscape.data.any_data import AnyData, kind_in_words
from dagscape.data.discrete.dataset import Dataset
from dagscape.graphs.comparison import LEVELS
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.networks.files import write_network
from dagscape.networks.fitted import network_of
from dagscape.networks.writing import check_network_path
from dagscape.posterior.evidence import BEST, FIXED
from dagscape.report.learning import FAMILIES_SHOWN, render_learned
from dagscape.scores.choice import AUTO_SCORE
from dagscape.scores.expected import EXPECTED_SCORES
from dagscape.scores.tables.local_scores import LocalScores
from dagscape.search.learning import EM, learn
from dagscape.search.registry import LEARNERS
from dagscape.search.structural_em import MAX_ITERATIONS, STARTS, STRUCTURAL_RULES

# How results keep the warning of a search that was ended.
_STOPPED = "stopped early: "


@click.command(epilog=f"{DATA_HELP}{SCORES_HELP}\n\n{NETWORK_HELP}")
@missing_rule(EM, "keep them, and find the network by structural EM, whose score is BIC")
@scored_data
@settings_option(BEST, FIXED)
@click.option(
    "--method",
    type=click.Choice(list(LEARNERS)),
    default="order",
    show_default=True,
    help="The search. " + "; ".join(f"{name}: {learner.summary}" for name, learner in LEARNERS.items()) + ".",
)
@click.option(
    "--seed",
    type=int,
    default=0,
    show_default=True,
    metavar="N",
    help="Decides between equally good moves, and everything else that is random.",
)
@click.option(
    "--max-seconds",
    type=float,
    metavar="S",
    help="End the search after S seconds, with the best network found by then.",
)
@click.option(
    "--starts",
    type=within(STRUCTURAL_RULES["starts"]),
    metavar="N",
    show_default=str(STARTS),
    help="With --missing em: how many starts are tried; the best end counts.",
)
@click.option(
    "--max-iterations",
    type=within(STRUCTURAL_RULES["max_iterations"]),
    metavar="N",
    show_default=str(MAX_ITERATIONS),
    help="With --missing em: the limit on steps of each start.",
)
@click.option(
    "--start", metavar="NETWORK", show_default="the required edges only", help="The network to start the search from."
)
@learner_options
@click.option("--truth", metavar="NETWORK", help="Also compare the network found with this known one.")
@click.option(
    "--level",
    type=click.Choice(LEVELS),
    show_default="dags if the scores distinguish members of a class, as with experiments; else classes",
    help="Compare equivalence classes, or DAGs.",
)
@click.option(
    "--network",
    "fitted",
    metavar="FILE",
    callback=checked_path(check_network_path),
    help="Fit the network to the data and write it to a .json or .bif file; with measured variables, .json.",
)
@rows_shown("Number of families to show.", FAMILIES_SHOWN)
@picture_options("the network")
@effects_options
@click.option(
    "--trace",
    metavar="FILE",
    callback=checked_path(table_format),
    help="Write the steps of the search to a .csv or .tsv file.",
)
@declared_equivalent
@run_options
def command(
    data: str,
    method: str,
    seed: int,
    max_seconds: float | None,
    starts: int | None,
    max_iterations: int | None,
    start: str | None,
    truth: str | None,
    level: str | None,
    fitted: str | None,
    show: int,
    picture: str | None,
    trace: str | None,
    score_equivalent: bool,
    output: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Find one good network, for any number of variables.

    The result depends on the data, the options and the seed only, unless --max-seconds ends the search.
    """
    out = Output(as_json, quiet)
    work = {name: options.pop(name) for name in ("threads", "max_memory")}
    chosen = take_learner_options(options, method) | _take_em(options, starts, max_iterations)
    em = "missing" in chosen
    learned_from, scoring = _source(data, method, options, work, out, score_equivalent=score_equivalent)
    _check_network_file(fitted, learned_from)
    check_effects(None if isinstance(learned_from, LocalScores) else learned_from)
    if em and scoring["score"] not in _given_score():
        # It follows from the kind of data.
        del scoring["score"]
    known = None if truth is None else load_known(truth, learned_from.variables, work["max_memory"])
    first = (
        None if start is None else _dag(load_known(start, learned_from.variables, work["max_memory"], option="start"))
    )
    with out.working() as progress:
        warnings.simplefilter("ignore", StoppedEarly)
        limits: dict[str, Any] = {"seed": seed, "max_seconds": max_seconds, "start": first}
        found = learn(learned_from, method, **limits, **work, progress=progress, **scoring, **chosen)
    if known is not None:
        found = found.with_truth(known, level)
    effects = effects_of(found, learned_from, max_memory=work["max_memory"])
    out.deliver(found, output, lambda: [*render_learned(found, show), *effects_blocks(effects)], {"effects": effects})
    for warning in found.warnings if em else ():
        if not warning.startswith(_STOPPED):
            continue
        out.warn(worded(warning.removeprefix(_STOPPED)))
    if not found.complete and not em:
        out.warn("the search reached --max-seconds: the network is the best found by then")
    if fitted is not None and not isinstance(learned_from, LocalScores):
        network = network_of(found.network, learned_from, found.score_info, missing=EM if em else "error")
        write_network(network, fitted, remarks=found.warnings)
    if picture is not None:
        draw_result(found, picture, out, effects=effects())
    if trace is not None:
        with file_writer(trace) as rows:
            rows.writerow(["step", "move", "score", "seconds"])
            rows.writerows((i, step.text, step.score, f"{step.seconds:.6f}") for i, step in enumerate(found.trace))
    if found.provenance.parameters.get("interrupted"):
        raise KeyboardInterrupt


def _take_em(options: dict[str, Any], starts: int | None, max_iterations: int | None) -> dict[str, Any]:
    """Return the options of structural EM, if it is to be used; the table is then read with its missing cells."""
    given = {"starts": starts, "max_iterations": max_iterations}
    chosen = {name: value for name, value in given.items() if value is not None}
    if options["missing"] != EM:
        for name in chosen:
            raise InvalidOption(f"is for {argument('missing', EM)}", option=name)
        return {}
    options["missing"] = "keep"
    if click.get_current_context().get_parameter_source("score") != ParameterSource.COMMANDLINE:
        options["score"] = EXPECTED_SCORES[Dataset].name
    return {"missing": EM, **chosen}


def _given_score() -> tuple[str, ...]:
    """Return the score that the user named, if there is one."""
    context = click.get_current_context()
    named = context.get_parameter_source("score") == ParameterSource.COMMANDLINE
    score = str(context.params["score"]).lower()
    return (score,) if named and score != AUTO_SCORE else ()


def _check_network_file(path: str | None, source: AnyData | LocalScores) -> None:
    """Refuse a network file for a score file, and one of tables for data with measured variables."""
    if path is None or isinstance(source, Dataset):
        return
    found = kind_in_words(source)
    if isinstance(source, LocalScores):
        raise InvalidOption(f"--network needs a table of data: its tables cannot be fitted to a {found}")
    if check_network_path(path) != ".json":
        raise InvalidOption(f"--network {path!r} must be a .json file: other formats cannot be fitted to a {found}")


def _source(
    data: str, method: str, options: dict[str, Any], work: dict[str, Any], out: Output, *, score_equivalent: bool
) -> tuple[AnyData | LocalScores, dict[str, Any]]:
    """Return the data and how to score them, or the scores of a file."""
    if not is_score_file(data):
        return scored_table(data, options, work["max_memory"], out, score_equivalent=score_equivalent)
    if LEARNERS[method].needs_data:
        raise InvalidOption(f"--method {method} needs a table of data, not a score file")
    return score_file(data, options, work["max_memory"], score_equivalent=score_equivalent), {}


def _dag(graph: Dag | Cpdag) -> Dag:
    return graph.to_dag() if isinstance(graph, Cpdag) else graph
