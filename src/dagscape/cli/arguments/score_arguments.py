"""The DATA argument of commands that work on local scores: a table or a score file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from dagscape.cli.arguments.compared_cuts import take_automatic, take_compared, takes_usual_ways
from dagscape.cli.arguments.cutting_arguments import compares_ways
from dagscape.cli.arguments.data_reports import report_data
from dagscape.cli.arguments.options import take_data_with_warnings, take_score_options
from dagscape.cli.program.output import Output
from dagscape.core.errors import InvalidOption
from dagscape.core.progress import ProgressOption
from dagscape.core.requirements import ProblemSize, Requirements
from dagscape.core.resources import Budget
from dagscape.data.any_data import AnyData
from dagscape.data.discrete.automatic_cuts import AutomaticCuts
from dagscape.data.discrete.common_cuts import ComparedCuts
from dagscape.data.discrete.dataset import Dataset
from dagscape.posterior.evidence import FIXED, job_of_best
from dagscape.scores.choice import AUTO_SCORE
from dagscape.scores.formats.files import SCORE_FILES, read_scores
from dagscape.scores.registry import SCORES
from dagscape.scores.scoring import score_job
from dagscape.scores.scoring_job import ScoringJob
from dagscape.scores.search_planning import SearchSize
from dagscape.scores.tables.enumerable_scores import EnumerableScores

SCORES_HELP = "\n\nDATA may also be a score file (.jkl, .jkl.gz or .npz)."

# The option that declares the scores in a score file score-equivalent.
declared_equivalent = click.option(
    "--score-equivalent",
    is_flag=True,
    help="Declare the scores in a score file score-equivalent, as BDeu and BIC are.",
)


@dataclass(frozen=True, slots=True)
class Problem:
    """The scores that a command works on, before they are computed.

    Attributes
    ----------
    size : ProblemSize
        Their size, by which a method tells what it needs.
    data : Dataset, NumericData or None
        The data; None if the scores were read from a file.
    scores : callable
        ``scores(progress)``: computes them, or returns those of the file.
    job : ScoringJob or None
        How the data are scored; None if the scores were read from a file.
    arguments : mapping
        The same as arguments of ``local_scores``.
    """

    size: ProblemSize
    data: AnyData | None
    scores: Callable[[ProgressOption], EnumerableScores]
    job: ScoringJob | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict)


class Scored(NamedTuple):
    """Scores, and the data that they were computed from; None if they come from a file."""

    scores: EnumerableScores
    data: AnyData | None


def take_problem(
    data: str,
    options: dict[str, Any],
    budget: Budget,
    out: Output,
    progress: ProgressOption = None,
    *,
    score_equivalent: bool = False,
) -> Problem:
    """Read a table or a score file, and prepare the scores.

    Parameters
    ----------
    data : str
        The command's argument.
    options : dict
        The command's options for data and scores.
    budget : Budget
        The threads and the memory that may be used.
    out : Output
        Where warnings go.
    progress : bool or callable, optional
        Hears of the choice of settings.
    score_equivalent : bool
        Whether the user declares the scores of a file score-equivalent.
    """
    if is_score_file(data):
        found = score_file(data, options, budget.limit, score_equivalent=score_equivalent)
        return Problem(found, None, lambda _progress: found)
    dataset, arguments = scored_table(data, options, budget.limit, out, score_equivalent=score_equivalent)
    settings = arguments.pop("settings", FIXED)
    job = job_of_best(dataset, arguments, budget, settings, progress)
    size = SearchSize.complete(dataset.n, job.max_parents)
    return Problem(size, dataset, lambda progress: score_job(job, budget, progress=progress), job, arguments)


def take_given(
    data: str, options: dict[str, Any], max_memory: int | str | None, out: Output
) -> tuple[EnumerableScores | AnyData | ComparedCuts | AutomaticCuts, dict[str, Any]]:
    """Read a score file, or a table, cut in all ways that the options name; with the arguments of ``local_scores``.

    If they name none, nothing is told yet of the columns of a table that are measured.
    """
    if is_score_file(data):
        return score_file(data, [*options, "settings", "cut_weights"], max_memory), {}
    if compares_ways(options):
        return take_compared(data, options, max_memory, out), take_score_options(options, out)
    if takes_usual_ways(options):
        found = take_automatic(data, options, max_memory)
        if isinstance(found, Dataset):
            report_data(found, out)
        return found, take_score_options(options, out)
    return scored_table(data, options, max_memory, out)


def take_scores(
    data: str,
    options: dict[str, Any],
    work: dict[str, Any],
    out: Output,
    requirements: Sequence[Callable[[ProblemSize, int, int], Requirements]],
    *,
    score_equivalent: bool = False,
) -> Scored:
    """Compute the scores of a table, or read those in a file.

    Parameters
    ----------
    data, options, out, score_equivalent
        As in :func:`take_problem`.
    work : dict
        Threads, memory and progress.
    requirements : sequence of callables
        What is needed after scoring, as in :attr:`dagscape.planning.task.Task.requirements`. They are checked
        before scores are computed, so that a job that cannot finish does not start.
    """
    budget = Budget.of(work["threads"], work["max_memory"])
    problem = take_problem(data, options, budget, out, work["progress"], score_equivalent=score_equivalent)
    if problem.data is not None:
        for needed in requirements:
            needed(problem.size, budget.threads, budget.limit).check(budget.limit)
    return Scored(problem.scores(work["progress"]), problem.data)


def is_score_file(data: str) -> bool:
    """Whether an argument names a score file."""
    return data.lower().endswith(SCORE_FILES)


def score_file(
    data: str, options: Iterable[str], max_memory: int | str | None, *, score_equivalent: bool = False
) -> EnumerableScores:
    """Read a score file; refuse the options for data and scores."""
    context = click.get_current_context()
    for name in options:
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            option = next(p.opts[0] for p in context.command.params if p.name == name)
            raise InvalidOption(f"{option} needs a table of data: the scores in {data!r} are used as they are")
    return read_scores(data, score_equivalent=score_equivalent, max_memory=max_memory)


def scored_table(
    data: str,
    options: dict[str, Any],
    max_memory: int | str | None,
    out: Output,
    *,
    score_equivalent: bool = False,
) -> tuple[AnyData, dict[str, Any]]:
    """Read a table, and return it with the arguments of ``local_scores``."""
    if score_equivalent:
        raise InvalidOption("--score-equivalent is for score files; dagscape knows which of its own scores are")
    if options["missing"] is None and options["score"] != AUTO_SCORE and SCORES[options["score"]].takes_missing:
        options["missing"] = "keep"
    dataset = take_data_with_warnings(data, options, max_memory, out)
    return dataset, take_score_options(options, out)
