"""``dagscape plan``: estimate the memory and time of a job."""

from __future__ import annotations

import warnings
from typing import Any

import click

from dagscape.cli.arguments.compared_cuts import take_automatic, takes_usual_ways
from dagscape.cli.arguments.cutting_arguments import cuts_given
from dagscape.cli.arguments.data_reports import report_decisions, report_set_aside
from dagscape.cli.arguments.options import (
    DATA_HELP,
    data_argument,
    data_options,
    output_options,
    score_options,
    take_data,
    take_kind,
    take_reading,
    take_score_options,
    work_options,
)
from dagscape.cli.arguments.student_files import long_option
from dagscape.cli.arguments.task_options import PLANNED, take_task_options, task_options
from dagscape.cli.program.output import Output
from dagscape.cli.program.wording import spelling
from dagscape.core.errors import AutomaticReading, InvalidOption
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.reading import READING_OPTIONS
from dagscape.planning.plan import AVERAGED, Plan, spelled_plan
from dagscape.planning.registry import TASKS
from dagscape.scores.scoring_job import scoring_options
from dagscape.search.independence_kinds import AUTO, kind_for
from dagscape.student.input.q_matrix import matched

_OF_STUDENTS = [name for name in PLANNED if "answers" in TASKS[name].takes]

_HELP = f"""{DATA_HELP}

\b
With --task {", ".join(_OF_STUDENTS)}, DATA are answers of students,
as for 'dagscape student', and --q-matrix says which skills each item needs."""

# The options that all tasks have, and how a table of answers is read.
_WORK = ("threads", "max_memory")
# The options of scores by their names here; `interventions` and `randomised` are of the data.
_OF_SCORES = {*scoring_options(), "intervention_kind", "prior_edges"} - {"interventions", "randomised"}


@click.command(epilog=_HELP)
@data_argument
@data_options
@score_options
@click.option("--task", type=click.Choice(PLANNED), default="scores", show_default=True, help="What the job computes.")
@task_options
@click.option("--q-matrix", metavar="FILE", help="The .csv or .tsv file that says which skills each item needs.")
@long_option
@work_options
@output_options
def command(
    data: str,
    task: str,
    q_matrix: str | None,
    long: tuple[str, str, str] | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Estimate the memory and time that a job will need, from short trials on this machine.

    A posterior is planned as an average over settings and ways of cutting numbers, what else takes scores under one
    setting. Where it would run chains in place of the sum, the plan says what they need. The exit code is 4 if the job
    does not fit within the memory limit.
    """
    out = Output(as_json, quiet)
    if task in _OF_STUDENTS:
        planned = _of_answers(data, task, q_matrix, long, options)
    elif q_matrix is not None or long is not None:
        option = "--long" if q_matrix is None else "--q-matrix"
        raise InvalidOption(f"{option} is for --task {', '.join(_OF_STUDENTS)}")
    else:
        planned = _of_data(data, task, options, out)
    out.show(planned)
    if not planned.fits:
        raise click.exceptions.Exit(4)


def _of_answers(
    data: str, task: str, q_matrix: str | None, long: tuple[str, str, str] | None, options: dict[str, Any]
) -> Plan:
    """Plan a task on answers of students."""
    if q_matrix is None:
        raise InvalidOption(f"--q-matrix is missing: --task {task} needs the skills of each item")
    if data == q_matrix == "-":
        raise InvalidOption("only one of DATA and --q-matrix can come from standard input")
    take_task_options(options, task, without=options.keys() - {*READING_OPTIONS, *_WORK})
    given = matched(data, q_matrix, long=long, **take_reading(options), max_memory=options["max_memory"])
    return spelled_plan(given.answers, task, spelling, q_matrix=given.q_matrix, **options)


def _of_data(data: str, task: str, options: dict[str, Any], out: Output) -> Plan:
    """Plan a task on a table: on its rows as they are, or with the options of scores."""
    if "data" in TASKS[task].takes:
        take_task_options(options, task, without=_OF_SCORES)
        kind = kind_for(options.get("test", AUTO), cut=cuts_given(options))
        rows = take_kind(kind, data, options, options["max_memory"])
        report_set_aside(rows, out)
        report_decisions(rows, out)
        return spelled_plan(rows, task, spelling, **options)
    take_task_options(options, task)
    if task == AVERAGED and takes_usual_ways(options):
        found = take_automatic(data, options, options["max_memory"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AutomaticReading)
            planned = spelled_plan(found, task, spelling, **take_score_options(options, out))
        one = found if isinstance(found, Dataset) else found.one
        report_set_aside(one, out)
        report_decisions(one, out)
        return planned
    dataset = take_data(data, options, options["max_memory"])
    report_set_aside(dataset, out)
    report_decisions(dataset, out)
    return spelled_plan(dataset, task, spelling, **take_score_options(options, out))
