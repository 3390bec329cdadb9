"""``dagscape mmpc``: the parents and children of each variable, by tests of independence."""

from __future__ import annotations

from typing import Any

import click

from dagscape.cli.arguments.cutting_arguments import cuts_given
from dagscape.cli.arguments.data_reports import report_data
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import DATA_HELP, data_argument, data_options, run_options, take_kind
from dagscape.cli.program.output import Output
from dagscape.core.constraints import Number
from dagscape.core.randomness import SEED
from dagscape.report.neighbours import render_neighbours
from dagscape.search.independence import MAX_CONDITION, ROWS_PER_CELL
from dagscape.search.independence_kinds import AUTO, INDEPENDENCE_TESTS, TEST_CHOICE, kind_for
from dagscape.search.mmpc import mmpc


@click.command(epilog=DATA_HELP)
@data_argument
@data_options
@click.option(
    "--alpha",
    type=within(Number(0, 1, low_open=True, high_open=True)),
    default=0.05,
    show_default=True,
    metavar="P",
    help="Two variables are dependent if the p-value of the test is at most P.",
)
@click.option(
    "--test",
    type=click.Choice([*TEST_CHOICE.choices]),
    default=AUTO,
    show_default=True,
    help=f"The test. {'; '.join(f'{name}: {test.help}' for name, test in INDEPENDENCE_TESTS.items())}; "
    f"{AUTO}: the one for what the columns hold, or g2 if numbers are to be cut (--discretize).",
)
@click.option(
    "--rows-per-cell",
    type=within(ROWS_PER_CELL),
    default=5,
    show_default=True,
    metavar="N",
    help="A test needs N rows for each cell of its table; fisher-z takes any number.",
)
@click.option(
    "--max-condition",
    type=within(MAX_CONDITION),
    metavar="N",
    show_default="no limit other than the number of rows",
    help="The largest set to condition on.",
)
@click.option(
    "--symmetric/--not-symmetric",
    default=True,
    show_default=True,
    help="Whether two variables are neighbours only if each is found for the other.",
)
@click.option(
    "--seed", type=within(SEED), default=0, show_default=True, metavar="N", help="Decides between equal associations."
)
@run_options
def command(data: str, output: str | None, as_json: bool, quiet: bool, **options: Any) -> None:
    """Find the parents and children of each variable by tests of independence (Max-Min Parents and Children)."""
    out = Output(as_json, quiet)
    names = ("alpha", "rows_per_cell", "max_condition", "symmetric", "seed", "threads", "max_memory")
    asked = {name: options.pop(name) for name in names}
    dataset = take_kind(kind_for(options["test"], cut=cuts_given(options)), data, options, asked["max_memory"])
    report_data(dataset, out)
    with out.working() as progress:
        found = mmpc(dataset, test=options["test"], **asked, progress=progress)
    out.deliver(found, output, lambda: render_neighbours(found))
