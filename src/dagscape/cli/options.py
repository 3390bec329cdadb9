"""Options that several subcommands share, and what they stand for."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from dagscape.data.bundled import BUNDLED
from dagscape.data.dataset import MISSING_CHOICES, Dataset, encode
from dagscape.data.discretizing import DISCRETIZERS, discretize
from dagscape.data.reading import read_table
from dagscape.errors import InvalidOption
from dagscape.files import check_writable, open_text
from dagscape.networks.bif import read_network
from dagscape.progress import progress_bar
from dagscape.report.tables import render
from dagscape.results import Result
from dagscape.scores.formats import SCORE_FILES
from dagscape.scores.priors import PRIORS
from dagscape.scores.registry import SCORES

if TYPE_CHECKING:
    from rich.console import RenderableType

_WIDTH_OF_FILES = 120

Command = TypeVar("Command", bound=Callable[..., Any])


def _apply(decorators: Iterable[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    listed = list(decorators)

    def decorate(command: Command) -> Command:
        for decorator in reversed(listed):
            command = decorator(command)
        return command

    return decorate


def _read_json(context: click.Context, parameter: click.Parameter, path: str | None) -> Any:  # noqa: ARG001
    if path is None:
        return None
    with open_text(path) as text:
        try:
            return json.load(text)
        except json.JSONDecodeError as error:
            raise InvalidOption(f"{parameter.opts[0]} {path!r} is not JSON: {error}") from error


def _read_levels(context: click.Context, parameter: click.Parameter, path: str | None) -> Any:
    if path is not None and path.lower().removesuffix(".gz").endswith(".bif"):
        return read_network(path).levels
    return _read_json(context, parameter, path)


data_argument = click.argument("data", metavar="DATA")

DATA_HELP = f"""\b
DATA is a .csv or .tsv file (plain or gzipped), a .parquet file, - for standard input,
or a data set that comes with dagscape: {", ".join(f"builtin:{name}" for name in BUNDLED)}."""


def _separator(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:  # noqa: ARG001
    return {"tab": "\t", "\\t": "\t"}.get(text, text) if text is not None else None


table_options = _apply(
    [
        click.option(
            "--separator",
            metavar="CHAR",
            callback=_separator,
            help="What separates cells (tab for a tabulator); by default by the file's ending.",
        ),
        click.option(
            "--missing-values",
            metavar="TEXT",
            multiple=True,
            default=("", "?"),
            help="A cell that means missing; may be repeated. By default an empty cell and '?'.",
        ),
    ]
)

data_options = _apply(
    [
        table_options,
        click.option(
            "--missing",
            type=click.Choice(MISSING_CHOICES),
            help="Missing cells: refuse them (error, the default), make them a level, or leave out (drop) their rows.",
        ),
        click.option(
            "--levels",
            metavar="FILE",
            callback=_read_levels,
            help='JSON with the levels, or their number, of some variables: {"x": ["a", "b"], "y": 3}; or a .bif file.',
        ),
        click.option(
            "--interventions",
            metavar="COLUMN",
            help="The name of the column that says which variable was set by experiment in each row.",
        ),
        click.option(
            "--discretize",
            metavar="METHOD[:BINS]",
            help=f"Cut numbers into levels: {', '.join(DISCRETIZERS)}; 3 bins if not said.",
        ),
        click.option("--class-column", metavar="COLUMN", help="The class that --discretize mdl keeps apart."),
        click.option(
            "--discretize-columns",
            metavar="COLUMN",
            multiple=True,
            help="A column to discretise besides all with decimals or many whole numbers; may be repeated.",
        ),
    ]
)

score_options = _apply(
    [
        click.option(
            "--score",
            type=click.Choice(list(SCORES), case_sensitive=False),
            default="bdeu",
            show_default=True,
        ),
        click.option("--ess", type=float, help="Equivalent sample size of BDeu; 1 if not said."),
        click.option(
            "--max-parents",
            type=int,
            metavar="N",
            help="The most parents of a variable; no limit if not said.",
        ),
        click.option(
            "--prior",
            "structure_prior",
            metavar="PRIOR",
            default="uniform",
            show_default=True,
            help="; ".join(f"{name}: {meaning}" for name, meaning in PRIORS.items()) + ".",
        ),
        click.option(
            "--require",
            "required",
            nargs=2,
            multiple=True,
            metavar="PARENT CHILD",
            help="An edge that must be there; may be repeated.",
        ),
        click.option(
            "--forbid",
            "forbidden",
            nargs=2,
            multiple=True,
            metavar="PARENT CHILD",
            help="An edge that may not be there; may be repeated.",
        ),
        click.option(
            "--tiers",
            metavar="FILE",
            callback=_read_json,
            help="JSON list of lists of variables; no edge may lead from a later list to an earlier one.",
        ),
    ]
)

work_options = _apply(
    [
        click.option("--threads", type=int, metavar="N", help="How many threads; all processors if not said."),
        click.option("--max-memory", metavar="SIZE", help="The most memory to take, such as 8GiB."),
    ]
)

output_options = _apply(
    [
        click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of tables."),
        click.option("-q", "--quiet", is_flag=True, help="No progress and no warnings."),
    ]
)


@dataclass(frozen=True, slots=True)
class Output:
    """Where a subcommand's results, progress and warnings go."""

    as_json: bool
    quiet: bool

    def show(self, result: Result) -> None:
        """Print a result on standard output: as tables, or as one JSON document."""
        if self.as_json:
            click.echo(json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False))
            return
        self.show_table(render(result))

    def show_table(self, table: RenderableType) -> None:
        """Print something that rich can show on standard output."""
        from rich.console import Console

        # A file or a pipe has no width of its own: leave room for long names.
        fits_terminal = sys.stdout.isatty() or "COLUMNS" in os.environ
        console = Console(highlight=False, width=None if fits_terminal else _WIDTH_OF_FILES)
        # rich would end the program by itself if the reader has gone away.
        with console.capture() as captured:
            console.print(table)
        click.echo(captured.get(), nl=False)

    def warn(self, message: str) -> None:
        """Say something on standard error that the user should know."""
        if not self.quiet:
            click.echo(f"dagscape: warning: {message}", err=True)

    def progress(self) -> Any:
        """A progress bar on standard error, if that is a terminal."""
        return progress_bar(enabled=not self.quiet and sys.stderr.isatty())


def take_data(data: str, options: dict[str, Any]) -> Dataset:
    """Read the data that a subcommand's options describe, and take those options out."""
    if data.lower().endswith(SCORE_FILES):
        raise InvalidOption(f"{data!r} is a file of scores, not a table of data")
    cutting = options.pop("discretize")
    columns = options.pop("discretize_columns")
    class_column = options.pop("class_column")
    if cutting is None and (columns or class_column is not None):
        raise InvalidOption("--discretize-columns and --class-column need --discretize")
    table = read_table(data, separator=options.pop("separator"), missing_values=options.pop("missing_values"))
    encoding: dict[str, Any] = {name: options.pop(name) for name in ("missing", "levels", "interventions")}
    encoding["missing"] = encoding["missing"] or "error"
    if cutting is None:
        return encode(table, **encoding)
    method, _, bins = cutting.partition(":")
    if bins and not (bins.isdecimal() and int(bins) >= 2):
        raise InvalidOption(f"--discretize is {cutting!r}; after the colon must stand a whole number, 2 or more")
    count: dict[str, Any] = {"bins": int(bins)} if bins else {}
    return discretize(table, method=method, columns=columns or None, class_column=class_column, **count, **encoding)


def take_score_options(options: dict[str, Any], out: Output) -> dict[str, Any]:
    """The arguments of ``local_scores`` among a subcommand's options, with a word about those that change nothing."""
    if options["ess"] is None:
        options["ess"] = 1.0
    elif not SCORES[options["score"]].uses_ess:
        out.warn(f"--ess does not matter for --score {options['score']}")
    return options


def report_dropped_rows(data: Dataset, out: Output) -> None:
    """Say how many rows were left out, if any were."""
    if data.dropped:
        out.warn(f"{data.dropped:,} of {data.dropped + data.m:,} rows have missing cells and were left out")


def output_path(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:  # noqa: ARG001
    """Refuse an output file that cannot be written before any work is done for it."""
    if path is not None:
        check_writable(path)
    return path
