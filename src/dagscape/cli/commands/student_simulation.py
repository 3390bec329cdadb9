"""``dagscape student --simulate``: answers and a Q-matrix of simulated students."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, TypeVar

import click

from dagscape.cli.arguments.graph_arguments import load_structure
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.student_files import write_frame
from dagscape.cli.program.output import Output, output_path
from dagscape.cli.program.streams import write_json
from dagscape.core.errors import InvalidOption
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.networks.files import write_network
from dagscape.report.students import render_simulated
from dagscape.student.model.network import MISSING_SHARE, STUDENTS
from dagscape.student.model.simulate import ITEMS_PER_SKILL, SKILLS_PER_ITEM, STRUCTURES, simulate_students

Command = TypeVar("Command", bound=Callable[..., Any])

_OPTIONS = [
    click.option("--students", type=within(STUDENTS), default=1000, show_default=True, metavar="N",
                 help="With --simulate: number of students."),
    click.option("--items-per-skill", type=within(ITEMS_PER_SKILL), default=6, show_default=True, metavar="N",
                 help="With --simulate: number of items that need a skill."),
    click.option("--skills-per-item", type=within(SKILLS_PER_ITEM), default=1, show_default=True, metavar="N",
                 help="With --simulate: items need 1 to N skills."),
    click.option("--ability", is_flag=True,
                 help="With --simulate: answers also depend on the ability of the student, which is no skill."),
    click.option("--missing", type=within(MISSING_SHARE), default=0.0, show_default=True, metavar="P",
                 help="With --simulate: probability that an answer is missing."),
]  # fmt: skip


def simulation_options(command: Command) -> Command:
    """Add the options of simulated students."""
    for option in reversed(_OPTIONS):
        command = option(command)
    structure = click.option(
        "--simulate",
        "structure",
        metavar="STRUCTURE",
        is_eager=True,
        help="Instead, write answers of simulated students, with these prerequisites.",
    )
    return structure(command)


def simulated_paths(context: click.Context, parameter: click.Parameter, prefix: str | None) -> str:
    """Return the start of the names of the files that a simulation writes, after checking that it can write them."""
    if prefix is None or prefix == "-":
        raise InvalidOption("--simulate needs -o PREFIX: it writes PREFIX-answers.csv and PREFIX-q-matrix.csv")
    for path in _paths(prefix):
        output_path(context, parameter, path)
        if os.path.realpath(path) == os.path.realpath(context.params["structure"]):
            raise InvalidOption(f"cannot write {path!r}: --simulate reads it; choose another value of -o")
    return prefix


def _paths(prefix: str) -> tuple[str, str]:
    return f"{prefix}-answers.csv", f"{prefix}-q-matrix.csv"


def simulate(structure: str, options: dict[str, Any], out: Output) -> None:
    """Simulate students, and write their answers and the Q-matrix."""
    chosen = {name: options[name] for name in ("items_per_skill", "ability", "missing", "seed")}
    found = simulate_students(
        _structure(structure), options["students"], skills_per_item=(1, options["skills_per_item"]), **chosen
    )
    answers, q_matrix = _paths(options["output"])
    write_frame(found.answers.to_frame(), answers)
    write_frame(found.q_matrix.to_frame(), q_matrix)
    if options["fitted"] is not None:
        write_network(found.network, options["fitted"])
    if out.as_json:
        document = {
            "variables": found.dag.variables,
            "network": found.dag.edges,
            "strengths": list(found.model.strengths().values()),
            "students": len(found.answers.students),
            "items": found.answers.items,
            "files": [answers, q_matrix],
        }
        write_json(document)
    else:
        out.show_blocks(render_simulated(found, (answers, q_matrix)))


def _structure(source: str) -> Dag | str:
    """Return the prerequisites that an argument names."""
    if source in STRUCTURES:
        return source
    loaded = load_structure(source)
    return loaded.to_dag() if isinstance(loaded, Cpdag) else loaded
