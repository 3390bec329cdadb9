"""``dagscape parm``: pairs of prerequisites of skills by association rules, from answers to items."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import run_options, table_options, take_reading
from dagscape.cli.arguments.student_files import ANSWERS_HELP, check_standard_input, long_option
from dagscape.cli.program.output import Output
from dagscape.core.constraints import COUNT
from dagscape.core.randomness import SEED
from dagscape.report.students import render_parm
from dagscape.student.input.q_matrix import matched
from dagscape.student.learning.parm import parm
from dagscape.student.learning.prerequisite_rules import THRESHOLD
from dagscape.student.learning.requirements import PARM_OPTIONS
from dagscape.student.learning.structural_em import TOLERANCE

Command = TypeVar("Command", bound=Callable[..., Any])


def _threshold(name: str, default: float, meaning: str) -> Callable[[Command], Command]:
    return click.option(
        f"--{name}", type=within(THRESHOLD), default=default, show_default=True, metavar="P", help=meaning
    )


@click.command(epilog=ANSWERS_HELP)
@click.argument("answers", metavar="ANSWERS")
@click.option(
    "--q-matrix", metavar="FILE", required=True, help="The .csv or .tsv file that says which skills each item needs."
)
@table_options
@long_option
@_threshold("minsup", 0.125, "Support that both rules of a pair must reach.")
@_threshold("minconf", 0.76, "Confidence that both rules must reach.")
@_threshold("minprob", 0.9, "Probability with which they must.")
@click.option(
    "--structure", type=click.Choice(PARM_OPTIONS["structure"].values), default="complete", show_default=True,
    help="Estimate who has mastered what with all skills joined, or with none (independent skills).",
)  # fmt: skip
@click.option(
    "--restarts", type=within(COUNT), default=10, show_default=True, metavar="N",
    help="Number of random starts; the best is kept.",
)  # fmt: skip
@click.option(
    "--tolerance", type=within(TOLERANCE), default=1e-6, show_default=True, metavar="X",
    help="EM ends when a step gains less log-likelihood.",
)  # fmt: skip
@click.option("--seed", type=within(SEED), default=0, show_default=True, metavar="N", help="Seed of the random starts.")
@run_options
def command(answers: str, q_matrix: str, output: str | None, as_json: bool, quiet: bool, **options: Any) -> None:
    """Find pairs of skills of which one is a prerequisite of the other, by association rules (PARM).

    Each pair is found on its own: pairs say nothing of what is direct, and may form cycles. The command student learns
    a structure of all skills.
    """
    out = Output(as_json, quiet)
    check_standard_input(answers, "--q-matrix", q_matrix)
    reading = take_reading(options)
    with out.working() as progress:
        given = matched(answers, q_matrix, long=options.pop("long"), **reading, max_memory=options["max_memory"])
        found = parm(*given, **options, progress=progress)
    out.deliver(found, output, lambda: render_parm(found))
