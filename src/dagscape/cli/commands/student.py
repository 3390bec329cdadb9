"""``dagscape student``: prerequisites of skills and student models, from answers to items."""

from __future__ import annotations

from typing import Any, get_args

import click

from dagscape.cli.arguments.drawing_options import draw_result, picture_options
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import (
    constraint_options,
    output_options,
    result_path,
    rows_shown,
    table_options,
    take_reading,
    work_options,
)
from dagscape.cli.arguments.student_files import (
    ANSWERS_HELP,
    check_standard_input,
    long_option,
    student_tables,
    write_student_tables,
)
from dagscape.cli.commands.student_simulation import simulate, simulated_paths, simulation_options
from dagscape.cli.program.output import Output, checked_path, format_option
from dagscape.cli.program.streams import write_json
from dagscape.cli.program.wording import worded
from dagscape.core.constraints import COUNT
from dagscape.core.errors import InvalidOption
from dagscape.core.randomness import SEED
from dagscape.data.reading import READING_OPTIONS
from dagscape.networks.files import write_network
from dagscape.networks.writing import check_network_path
from dagscape.planning.loading import load_result
from dagscape.report.students import STUDENTS_SHOWN, render_evaluation, render_student_model, render_students
from dagscape.report.tables import cautions
from dagscape.results.base import RESULT_FORMATS
from dagscape.running.repetitions import WORKERS
from dagscape.scores.scoring_job import MAX_PARENTS
from dagscape.student.input.answers import Answers, as_answers
from dagscape.student.input.q_matrix import matched
from dagscape.student.learning.command import command as learn_model
from dagscape.student.learning.orientation import OrientationRule
from dagscape.student.learning.structural_em import TOLERANCE
from dagscape.student.model.evaluation import FOLDS
from dagscape.student.model.model import StudentModel

_HELP = f"""{ANSWERS_HELP}

\b
A STRUCTURE is a network of prerequisites, such as a .csv list of edges with the columns 'from' and
'to', or one of three examples: a (S1 -> S2 -> S3), b (S1 -> S3 <- S2, S3 -> S4, S3 -> S5) and
c (S1 -> S2 -> ... -> S7, S1 -> S3, S2 -> S4, S4 -> S6)."""

# The options that belong to each of the four things that the command does; others are refused there.
_LEARNING = {
    "required", "forbidden", "tiers", "max_parents", "score", "method", "tolerance", "restarts", "refine", "monotone",
    "orientation",
}  # fmt: skip
_STUDENTS = {"mastery", "predictions", "next_item"}
_READING = {*READING_OPTIONS, "long"}
_SIMULATING = {"students", "items_per_skill", "skills_per_item", "ability", "missing"}
_VIEW = {"around", "steps", "isolated", "page", "label_width"}
_COMMON = {"as_json", "quiet", "max_memory"}
_ALLOWED = {
    "": {*_LEARNING, *_STUDENTS, *_READING, *_COMMON, "answers", "q_matrix", "seed", "threads", "output", "format",
         "fitted", "picture", *_VIEW},
    "--model": {*_STUDENTS, *_READING, *_COMMON, "answers", "model", "fitted", "picture", *_VIEW, "show"},
    "--evaluate": {*_LEARNING, *_READING, *_COMMON, "answers", "q_matrix", "seed", "output", "format", "evaluate",
                   "folds", "workers"},
    "--simulate": {*_SIMULATING, *_COMMON, "structure", "seed", "output", "fitted"},
}  # fmt: skip


def _output_path(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    """Check what will be written: a result or, with --simulate, the files of a simulation."""
    check = result_path if context.params.get("structure") is None else simulated_paths
    return check(context, parameter, path)


@click.command(epilog=_HELP)
@click.argument("answers", metavar="ANSWERS", required=False)
@click.option("--q-matrix", metavar="FILE", help="The .csv or .tsv file that says which skills each item needs.")
@click.option("--model", metavar="FILE", help="Apply a model that was saved with -o, instead of learning one.")
@table_options
@long_option
@constraint_options
@click.option(
    "--max-parents", type=within(MAX_PARENTS), metavar="N", show_default="no limit",
    help="Largest number of prerequisites of a skill.",
)  # fmt: skip
@click.option(
    "--score", type=click.Choice(["bic", "aic"]), default="bic", show_default=True,
    help="What decides between structures; aic keeps more prerequisites.",
)  # fmt: skip
@click.option(
    "--method", type=click.Choice(["optimal", "order"]), show_default="optimal up to 15 skills",
    help="How the best structure is found in each round: exactly, or by a search over orders.",
)  # fmt: skip
@click.option(
    "--restarts", type=within(COUNT), default=10, show_default=True, metavar="N",
    help="Number of random starts; the best is kept.",
)  # fmt: skip
@click.option(
    "--refine/--no-refine", default=True, show_default=True,
    help="Improve the best start further: compare structures that differ in one pair of skills on the answers.",
)  # fmt: skip
@click.option(
    "--monotone", is_flag=True,
    help="Require that mastering more skills of an item never makes a correct answer less likely.",
)  # fmt: skip
@click.option(
    "--orientation", type=click.Choice(get_args(OrientationRule)), default="ratio", show_default=True,
    help="What directs edges that the answers leave open: their ratios, one by one, or a measure of all together.",
)  # fmt: skip
@click.option(
    "--tolerance", type=within(TOLERANCE), default=1e-6, show_default=True, metavar="X",
    help="EM ends when a step gains less log-likelihood.",
)  # fmt: skip
@click.option(
    "--seed", type=within(SEED), default=0, show_default=True, metavar="N", help="Seed of all that is random."
)
@student_tables
@click.option(
    "--network", "fitted", metavar="FILE", callback=checked_path(check_network_path),
    help="Write skills and items with their probabilities as one network, to a .bif or .json file.",
)  # fmt: skip
@picture_options("the prerequisites, with mastery and strengths,")
@rows_shown("With --model: number of students to show.", STUDENTS_SHOWN)
@click.option("--evaluate", is_flag=True, help="Instead, measure by cross-validation how well answers are predicted.")
@click.option(
    "--folds", type=within(FOLDS), default=10, show_default=True, metavar="N",
    help="With --evaluate: number of folds of the students.",
)  # fmt: skip
@click.option(
    "--workers", type=within(WORKERS), metavar="N", show_default="one for each processor",
    help="With --evaluate: number of worker processes; 1: no other process.",
)  # fmt: skip
@simulation_options
@work_options
@format_option(RESULT_FORMATS, "json")
@click.option(
    "-o", "--output", metavar="FILE", callback=_output_path,
    help="Write the model, or the evaluation, to a .json or .npz file, or its table to a .csv or .tsv file; "
    ".gz compresses. "
    "-: to standard output, in place of tables.",
)  # fmt: skip
@output_options
def command(
    answers: str | None,
    model: str | None,
    structure: str | None,
    evaluate: bool,
    **options: Any,
) -> None:
    """Learn prerequisites of skills, and a student model, from answers to items.

    With --model, say what a saved model knows of other students. With --evaluate, measure how well models predict
    answers. With --simulate, write answers and a Q-matrix of simulated students to PREFIX-answers.csv and
    PREFIX-q-matrix.csv, where PREFIX is the value of -o.
    """
    chosen = {"--model": model is not None, "--evaluate": evaluate, "--simulate": structure is not None}
    _check_options(click.get_current_context(), [name for name, given in chosen.items() if given])
    out = Output(options.pop("as_json"), options.pop("quiet"))
    if structure is not None:
        simulate(structure, options, out)
        return
    if answers is None:
        raise InvalidOption("ANSWERS is missing: give the file with the answers of the students, or --simulate")
    reading = {"long": options.pop("long"), "max_memory": options["max_memory"], **take_reading(options)}
    if model is not None:
        _apply(answers, model, reading, options, out)
    elif evaluate:
        _evaluate(answers, reading, options, out)
    else:
        _learn(answers, reading, options, out)


def _check_options(context: click.Context, actions: list[str]) -> None:
    """Refuse options that do not belong to what the command is asked to do."""
    if len(actions) > 1:
        raise InvalidOption(f"{actions[0]} and {actions[1]} exclude each other")
    action = actions[0] if actions else ""
    given = click.core.ParameterSource.COMMANDLINE
    for parameter in context.command.params:
        name = parameter.name or ""
        if name not in _ALLOWED[action] and context.get_parameter_source(name) is given:
            shown = parameter.opts[0] if isinstance(parameter, click.Option) else name.upper()
            raise InvalidOption(f"{shown} has no effect {_where(name, action)}: leave it out")


def _where(name: str, action: str) -> str:
    """Say where an option has no effect."""
    return f"with {action}" if action else f"without {_needs(name)}"


def _needs(name: str) -> str:
    """Return the option that another one needs."""
    return next(action for action, allowed in _ALLOWED.items() if action and name in allowed)


def _learned(answers: str, reading: dict[str, Any], options: dict[str, Any], **more: Any) -> StudentModel:
    if options["q_matrix"] is None:
        raise InvalidOption("--q-matrix is missing: give the file that says which skills each item needs, or --model")
    check_standard_input(answers, "--q-matrix", options["q_matrix"])
    chosen = {name: options[name] for name in (*_LEARNING, "seed", "threads", "max_memory")}
    return learn_model(*matched(answers, options["q_matrix"], **reading), **chosen | more)


def _learn(answers: str, reading: dict[str, Any], options: dict[str, Any], out: Output) -> None:
    with out.working() as progress:
        model = _learned(answers, reading, options, progress=progress)
        limits = {name: options[name] for name in ("threads", "max_memory")}
        sure = None if out.as_json or options["output"] == "-" else model.posterior(**limits, progress=progress)
    out.deliver(model, options["output"], lambda: render_student_model(model, sure))
    _write_files(model, None, options, out)


def _apply(answers: str, source: str, reading: dict[str, Any], options: dict[str, Any], out: Output) -> None:
    check_standard_input(answers, "--model", source)
    model = load_result(source, max_memory=options["max_memory"])
    if not isinstance(model, StudentModel):
        raise InvalidOption(f"--model {source!r} is a {model.kind!r} result, not a student model")
    given = as_answers(answers, model.items, partial=True, **reading)
    mastery = model.mastery(given)
    if out.as_json:
        skills = len(model.variables)
        document = {
            "variables": model.variables,
            "students": given.students,
            "mastery": mastery.iloc[:, :skills].to_numpy().tolist(),
            "states": mastery.iloc[:, skills].tolist(),
            "state_probabilities": mastery.iloc[:, skills + 1].tolist(),
        }
        write_json(document)
    else:
        # The model is read from a file, so that nothing has been said of its warnings yet.
        out.show_blocks([*render_students(model, mastery, options["show"]), *cautions(model.warnings)])
    _write_files(model, given, options, out)


def _evaluate(answers: str, reading: dict[str, Any], options: dict[str, Any], out: Output) -> None:
    with out.working() as progress:
        # The folds are learned with all restarts; this only checks what is given.
        model = _learned(answers, reading, options, restarts=1)
        chosen = {name: options[name] for name in ("seed", "restarts", "workers")}
        try:
            found = model.evaluate(cv=options["folds"], **chosen, progress=progress)
        except InvalidOption as error:
            # Elsewhere, folds are --cv.
            raise InvalidOption(worded(error, cv="--folds")) from None
    out.deliver(found, options["output"], lambda: render_evaluation(found))


def _write_files(model: StudentModel, answers: Answers | None, options: dict[str, Any], out: Output) -> None:
    if options["fitted"] is not None:
        write_network(model.to_network(), options["fitted"])
    if options["picture"] is not None:
        draw_result(model, options["picture"], out)
    write_student_tables(model, answers, options)
