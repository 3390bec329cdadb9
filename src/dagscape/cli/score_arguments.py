"""Commands that work on local scores: from a table, or from a file of scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import click
from click.core import ParameterSource

from dagscape.cli.options import Output, report_dropped_rows, take_data, take_score_options
from dagscape.data.dataset import Dataset
from dagscape.errors import InvalidOption
from dagscape.methods import ProblemSize, Requirements
from dagscape.resources import memory_limit, thread_count
from dagscape.scores.enumerable_scores import EnumerableScores
from dagscape.scores.formats import SCORE_FILES, read_scores
from dagscape.scores.scoring import local_scores
from dagscape.scores.scoring_job import prepare
from dagscape.scores.search_planning import SearchSize

SCORES_HELP = "\n\nIt may also be a score file (.jkl, .jkl.gz or .npz)."


class Scored(NamedTuple):
    """Scores, and the data that they come from; none where they come from a file."""

    scores: EnumerableScores
    data: Dataset | None


def take_scores(
    data: str,
    options: dict[str, Any],
    work: dict[str, Any],
    out: Output,
    requirements: Sequence[Callable[[ProblemSize, int, int], Requirements]],
    *,
    score_equivalent: bool = False,
) -> Scored:
    """The scores of a table, or those in a file.

    Parameters
    ----------
    data : str
        The command's argument.
    options : dict
        What is left of the command's options: those of data and scores.
    work : dict
        Threads, memory and progress.
    out : Output
        Where warnings go.
    requirements : sequence of callables
        What is needed after scoring, as in :attr:`dagscape.methods.Method.requirements`: a job that cannot be finished
        is refused before its scores are computed.
    score_equivalent : bool
        What the user says about a file of scores.
    """
    if data.lower().endswith(SCORE_FILES):
        context = click.get_current_context()
        for name in options:
            if context.get_parameter_source(name) == ParameterSource.COMMANDLINE:
                option = next(p.opts[0] for p in context.command.params if p.name == name)
                raise InvalidOption(f"{option} is for tables: {data!r} holds scores, which are taken as they are")
        return Scored(read_scores(data, score_equivalent=score_equivalent), None)
    if score_equivalent:
        raise InvalidOption("--score-equivalent is for files of scores; dagscape's own scores are known")
    dataset = take_data(data, options)
    report_dropped_rows(dataset, out)
    arguments = take_score_options(options, out)
    for warning in dataset.describe().warnings:
        out.warn(warning)
    size = SearchSize.complete(dataset.n, prepare(dataset, **arguments).max_parents)
    limit = memory_limit(work["max_memory"])
    for needed in requirements:
        needed(size, thread_count(work["threads"]), limit).check(limit)
    return Scored(local_scores(dataset, **arguments, **work), dataset)
