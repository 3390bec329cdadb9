"""The DATA argument of commands that work on local scores: a table or a score file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from dagscape.cli.arguments.options import take_data_with_warnings, take_score_options
from dagscape.cli.program.output import Output
from dagscape.core.errors import InvalidOption
from dagscape.core.requirements import ProblemSize, Requirements
from dagscape.core.resources import memory_limit, thread_count
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.dataset import Dataset
from dagscape.scores.formats.files import SCORE_FILES, read_scores
from dagscape.scores.scoring import local_scores
from dagscape.scores.scoring_job import prepare
from dagscape.scores.search_planning import SearchSize
from dagscape.scores.tables.enumerable_scores import EnumerableScores

SCORES_HELP = "\n\nDATA may also be a score file (.jkl, .jkl.gz or .npz)."

# The option that declares the scores in a score file score-equivalent.
declared_equivalent = click.option(
    "--score-equivalent",
    is_flag=True,
    help="Declare the scores in a score file score-equivalent, as BDeu and BIC are.",
)


class Scored(NamedTuple):
    """Scores, and the data that they were computed from; None if they come from a file."""

    scores: EnumerableScores
    data: Dataset | NumericData | None


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
    data : str
        The command's argument.
    options : dict
        The command's options for data and scores.
    work : dict
        Threads, memory and progress.
    out : Output
        Where warnings go.
    requirements : sequence of callables
        What is needed after scoring, as in :attr:`dagscape.planning.task.Task.requirements`. They are checked
        before scores are computed, so that a job that cannot finish does not start.
    score_equivalent : bool
        Whether the user declares the scores of a file score-equivalent.
    """
    if is_score_file(data):
        return Scored(score_file(data, options, work, score_equivalent=score_equivalent), None)
    dataset, arguments = scored_table(data, options, work, out, score_equivalent=score_equivalent)
    size = SearchSize.complete(dataset.n, prepare(dataset, **arguments).max_parents)
    limit = memory_limit(work["max_memory"])
    for needed in requirements:
        needed(size, thread_count(work["threads"]), limit).check(limit)
    return Scored(local_scores(dataset, **arguments, **work), dataset)


def is_score_file(data: str) -> bool:
    """Whether an argument names a score file."""
    return data.lower().endswith(SCORE_FILES)


def score_file(
    data: str, options: Iterable[str], work: dict[str, Any], *, score_equivalent: bool = False
) -> EnumerableScores:
    """Read a score file; refuse the options for data and scores."""
    context = click.get_current_context()
    for name in options:
        if context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
            option = next(p.opts[0] for p in context.command.params if p.name == name)
            raise InvalidOption(f"{option} needs a table of data: the scores in {data!r} are used as they are")
    return read_scores(data, score_equivalent=score_equivalent, max_memory=work["max_memory"])


def scored_table(
    data: str, options: dict[str, Any], work: dict[str, Any], out: Output, *, score_equivalent: bool = False
) -> tuple[Dataset | NumericData, dict[str, Any]]:
    """Read a table, and return it with the arguments of ``local_scores``."""
    if score_equivalent:
        raise InvalidOption("--score-equivalent is for score files; dagscape knows which of its own scores are")
    dataset = take_data_with_warnings(data, options, work["max_memory"], out)
    return dataset, take_score_options(options, out)
