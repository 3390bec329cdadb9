"""Options that several subcommands share, and how they are read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

import click

from dagscape.cli.arguments.data_arguments import (
    COLUMN_OPTIONS,
    CUTTING_OPTIONS,
    encoded_table,
    measured_table,
    mixed_table,
    needed_columns,
    weights_option,
)
from dagscape.cli.arguments.data_reports import report_data
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.score_parameters import parameter_options, take_parameters
from dagscape.cli.program.output import Output, check_format_used, chosen_format, format_option, output_path
from dagscape.core.constraints import Whole
from dagscape.core.errors import InvalidOption
from dagscape.core.files.reading import open_binary, read_whole
from dagscape.data.any_data import AnyData
from dagscape.data.bundled import BUNDLED
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.encoding import MISSING_CHOICES
from dagscape.data.mixed.mixed import MixedData
from dagscape.data.reading import READING_OPTIONS, ReadingOptions, read_table
from dagscape.data.tables.decimal_commas import DECIMAL_CHOICES
from dagscape.data.tables.duplicate_names import DUPLICATE_CHOICES
from dagscape.data.tables.selection import unused_columns
from dagscape.data.tables.table import Table
from dagscape.networks.bundled import NETWORKS
from dagscape.networks.files import read_network
from dagscape.posterior.evidence import BEST, FIXED
from dagscape.results.base import RESULT_FORMATS, result_format
from dagscape.scores.choice import AUTO_SCORE, MIXED_SCORE, with_score
from dagscape.scores.definitions.changed_mechanisms import INTERVENTION_KINDS
from dagscape.scores.formats.files import SCORE_FILES
from dagscape.scores.formats.prior_edges import read_prior_edges
from dagscape.scores.prior_parts import OddsOption
from dagscape.scores.priors import PRIORS
from dagscape.scores.registry import SCORES
from dagscape.studies.posterior import AVERAGE

Command = TypeVar("Command", bound=Callable[..., Any])

# What a JSON document takes for each of its bytes, at most.
_JSON_BYTES_PER_BYTE = 30


def _apply(decorators: Iterable[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    listed = list(decorators)

    def decorate(command: Command) -> Command:
        for decorator in reversed(listed):
            command = decorator(command)
        return command

    return decorate


def _read_json(context: click.Context, parameter: click.Parameter, path: str | None) -> Any:
    if path is None:
        return None
    with open_binary(path) as stream:
        limit = context.params.get("max_memory")
        content = read_whole(stream, path, max_memory=limit, bytes_per_byte=_JSON_BYTES_PER_BYTE)
    try:
        return json.loads(content)
    except (ValueError, RecursionError) as error:
        raise InvalidOption(f"{parameter.opts[0]} {path!r} is not JSON: {_json_problem(error)}") from error


def _json_problem(error: Exception) -> str:
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, UnicodeDecodeError):
        return "it is not UTF-8 text"
    return str(error) if isinstance(error, json.JSONDecodeError) else "it has a number of too many digits"


def _read_levels(context: click.Context, parameter: click.Parameter, path: str | None) -> Any:
    if path is not None and path.lower().removesuffix(".gz").endswith((".bif", ".xmlbif", ".xml", ".bifxml", ".xdsl")):
        return read_network(path, max_memory=context.params.get("max_memory")).levels
    return _read_json(context, parameter, path)


_PREFIX = "builtin:"

data_argument = click.argument("data", metavar="DATA")

DATA_HELP = f"""\b
DATA is a .csv or .tsv file (plain or gzipped), a .parquet, .dta, .sav, .xlsx, .xls or .ods file,
- for standard input, or a bundled data set: {", ".join(f"builtin:{name}" for name in BUNDLED)}."""


def _separator(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    return {"tab": "\t", "\\t": "\t", "space": " "}.get(text, text) if text is not None else None


table_options = _apply(
    [
        click.option(
            "--separator",
            metavar="CHAR",
            callback=_separator,
            show_default="tab for .tsv and .tab files, else comma",
            help="The separator of cells; 'tab' for a tab, 'space' for a space.",
        ),
        click.option(
            "--decimal",
            type=click.Choice(DECIMAL_CHOICES),
            default=".",
            show_default=True,
            help="The decimal sign of numbers in a text file; thousands signs are not read.",
        ),
        click.option(
            "--encoding",
            metavar="NAME",
            show_default="that of its byte-order mark, or utf-8",
            help="The encoding of a text file, such as latin-1 or cp1252.",
        ),
        click.option(
            "--sheet",
            metavar="SHEET",
            show_default="the first",
            help="The sheet of a spreadsheet: its name, or its number.",
        ),
        click.option(
            "--duplicate-names",
            type=click.Choice(DUPLICATE_CHOICES),
            default="error",
            show_default=True,
            help="Columns of the same name: refuse them, unless all of them are left out; or call the second column "
            "x x.2, the third x.3, and so on.",
        ),
        click.option(
            "--missing-values",
            metavar="STRING",
            multiple=True,
            default=("", "?"),
            show_default="an empty cell and '?'",
            help="A cell that means a missing value; may be repeated.",
        ),
    ]
)

data_options = _apply(
    [
        table_options,
        click.option(
            "--missing",
            type=click.Choice(MISSING_CHOICES),
            show_default="error",
            help="Missing cells: refuse them, make them a level, drop their rows, or keep them, for methods that use "
            "incomplete rows.",
        ),
        click.option(
            "--levels",
            metavar="FILE",
            callback=_read_levels,
            help='A JSON file with levels, or their number, by variable: {"x": ["a", "b"], "y": 3}; or a network file.',
        ),
        click.option(
            "--interventions",
            metavar="COLUMN",
            help="The column that names the variables set by intervention in each row: names or numbers from 1, "
            "separated by ';', or 0 or an empty cell for none.",
        ),
        weights_option("How many times each row counts: the column that says so, which is then no variable."),
        click.option(
            "--randomised",
            metavar="COLUMN",
            multiple=True,
            help="A column whose values experimenters assigned in every row, or several separated by commas: no edge "
            "leads into it; may be repeated.",
        ),
        *COLUMN_OPTIONS,
        *CUTTING_OPTIONS,
    ]
)


def missing_rule(rule: str, meaning: str) -> Callable[[Command], Command]:
    """Return what gives the option ``--missing`` of a command one more rule, which the command applies itself.

    It stands above the options of the data.
    """

    def extend(function: Command) -> Command:
        parameters: list[click.Parameter] = function.__click_params__  # type: ignore[attr-defined]  # as click does
        (option,) = (parameter for parameter in parameters if parameter.name == "missing")
        assert isinstance(option, click.Option)
        assert isinstance(option.type, click.Choice)
        option.type = click.Choice([*option.type.choices, rule])
        option.help = f"{option.help} {rule}: {meaning}."
        return function

    return extend


score_option = click.option(
    "--score",
    type=click.Choice([*SCORES, AUTO_SCORE], case_sensitive=False),
    default="bdeu",
    show_default=True,
    help=f"The scoring function; {AUTO_SCORE}: the one that suits what the columns hold.",
)


def _read_prior_edges(context: click.Context, _: click.Parameter, path: str | None) -> Any:
    return None if path is None else OddsOption(read_prior_edges(path, max_memory=context.params.get("max_memory")))


prior_edges_option = click.option(
    "--prior-edges",
    metavar="FILE",
    callback=_read_prior_edges,
    help="A .csv file with the columns parent, child, and log_odds or probability: prior knowledge of edges, which is "
    "added to --prior. A probability p means the log-odds ln(p / (1 - p)); 0 forbids the edge.",
)

constraint_options = _apply(
    [
        click.option(
            "--require",
            "required",
            nargs=2,
            multiple=True,
            metavar="PARENT CHILD",
            help="An edge that every network must have; may be repeated.",
        ),
        click.option(
            "--forbid",
            "forbidden",
            nargs=2,
            multiple=True,
            metavar="PARENT CHILD",
            help="An edge that no network may have; may be repeated.",
        ),
        click.option(
            "--tiers",
            metavar="FILE",
            callback=_read_json,
            help="A JSON file with a list of lists of variables: no edge may lead from a later list to an earlier one.",
        ),
    ]
)

intervention_option = click.option(
    "--intervention-kind",
    type=click.Choice(INTERVENTION_KINDS),
    default=INTERVENTION_KINDS[0],
    show_default=True,
    help="What interventions did. perfect: they cut a variable off from its parents, so that these rows are left out "
    "of its families; mechanism: they changed what its parents do, so that these rows have parameters of their own.",
)

score_options = _apply(
    [
        score_option,
        parameter_options,
        click.option(
            "--max-parents",
            type=int,
            metavar="N",
            show_default="no limit, unless --settings chooses one",
            help="Largest number of parents of a variable.",
        ),
        click.option(
            "--prior",
            "structure_prior",
            metavar="PRIOR",
            show_default="uniform, unless --settings chooses it",
            help="; ".join(f"{name}: {meaning}" for name, meaning in PRIORS.items()) + ".",
        ),
        prior_edges_option,
        constraint_options,
        intervention_option,
    ]
)

# Read before other options, because it limits what they read.
memory_option = click.option(
    "--max-memory",
    metavar="SIZE",
    is_eager=True,
    show_default="80% of what is free",
    help="Limit on memory, such as 8GiB.",
)

work_options = _apply(
    [
        click.option("--threads", type=int, metavar="N", show_default="all processors", help="Number of threads."),
        memory_option,
    ]
)

output_options = _apply(
    [
        click.option("--json", "as_json", is_flag=True, help="Print one JSON document instead of tables."),
        click.option("-q", "--quiet", is_flag=True, help="Show no progress and no warnings."),
    ]
)


_SETTINGS = {
    AVERAGE: "average over them, by the evidence for each",
    BEST: "those with the highest evidence",
    FIXED: "the defaults",
}


def settings_option(*choices: str) -> Callable[[Command], Command]:
    """Return the option that says what is done about settings that are not given; the first choice is the default."""
    return click.option(
        "--settings",
        type=click.Choice(choices),
        default=choices[0],
        show_default=True,
        help="What to do about the settings that are not given (--ess, --prior, --max-parents): "
        + "; ".join(f"{name}: {_SETTINGS[name]}" for name in choices)
        + f". Unless {FIXED}, the number of rows limits the number of parents.",
    )


# What a command on data and its scores takes, and how a method runs and where its result goes.
scored_data = _apply([data_argument, data_options, score_options])


def result_path(context: click.Context, parameter: click.Parameter, path: str | None) -> str | None:
    """Check an output file for a result: its ending, and that it can be written."""
    check_format_used(path)
    if path is None or path == "-":
        return path
    if chosen_format() is None:
        result_format(path)
    return output_path(context, parameter, path)


result_output = _apply(
    [
        format_option(RESULT_FORMATS, "json"),
        click.option(
            "-o",
            "--output",
            metavar="FILE",
            callback=result_path,
            help="Write the full result to a .json or .npz file, or its table to a .csv or .tsv file; .gz compresses. "
            "-: to standard output, in place of tables.",
        ),
    ]
)

run_options = _apply([work_options, result_output, output_options])


def rows_shown(text: str, default: int = 10) -> Callable[[Command], Command]:
    """Return the option that limits a table, with its help."""
    return click.option("--show", type=within(Whole(0)), default=default, show_default=True, metavar="N", help=text)


def check_table(data: str) -> None:
    """Refuse a score file, or a bundled network, where a table is expected."""
    if data.lower().endswith(SCORE_FILES):
        raise InvalidOption(f"{data!r} is a score file, not a table of data")
    if data.startswith(_PREFIX) and data.removeprefix(_PREFIX) in NETWORKS:
        raise InvalidOption(
            f"{data!r} is a network, not a table of data: draw rows with 'dagscape sample {data} -o rows.csv'"
        )


# How a table becomes data of each kind.
_MAKERS: dict[type, Callable[[Table, dict[str, Any], int | str | None], AnyData]] = {
    Dataset: encoded_table,
    NumericData: measured_table,
    MixedData: mixed_table,
}


def take_kind(kind: type, data: str, options: dict[str, Any], max_memory: int | str | None) -> AnyData:
    """Read data of some kind as a subcommand's options say, and remove those options."""
    table = take_table(data, options, max_memory, numeric=kind is NumericData)
    return _MAKERS[kind](table, options, max_memory)


def take_discrete(data: str, options: dict[str, Any], max_memory: int | str | None) -> Dataset:
    """Read discrete data as a subcommand's options say, and remove those options."""
    return encoded_table(take_table(data, options, max_memory), options, max_memory)


def take_data(data: str, options: dict[str, Any], max_memory: int | str | None) -> AnyData:
    """Read data of the kind that ``--score`` asks for, as a subcommand's options say, and remove those options.

    If the data decide about the score, it is the option from here on. A command may have an option ``mixed_score`` of
    its own: the score of mixed data, if they decide.
    """
    mixed_score = options.pop("mixed_score", MIXED_SCORE)
    kind = MixedData if options["score"] == AUTO_SCORE else SCORES[options["score"]].data_type
    table = take_table(data, options, max_memory, numeric=kind is NumericData)
    found, options["score"] = with_score(_MAKERS[kind](table, options, max_memory), options["score"], mixed_score)
    return cast("AnyData", found)


def take_data_with_warnings(data: str, options: dict[str, Any], max_memory: int | str | None, out: Output) -> AnyData:
    """Read the data as by :func:`take_data`, and warn about dropped rows and about columns that look wrong."""
    dataset = take_data(data, options, max_memory)
    report_data(dataset, out)
    return dataset


def take_reading(options: dict[str, Any]) -> ReadingOptions:
    """Remove the options of reading from a subcommand's options, and return them as arguments."""
    return cast("ReadingOptions", {name: options.pop(name) for name in READING_OPTIONS})


def take_table(data: str, options: dict[str, Any], max_memory: int | str | None, *, numeric: bool = False) -> Table:
    """Read a table as a subcommand's options say, and remove the options of reading; of numbers only, if asked to."""
    check_table(data)
    reading = take_reading(options)
    unused = unused_columns(
        {
            "columns": needed_columns(options["columns"]) or None,
            "drop": list(dict.fromkeys([*options["drop"], *options["ignore"]])),
            "interventions": options["interventions"],
            "weights": options["weights"],
        }
    )
    other = {
        *needed_columns([*options["drop"], *options["ignore"]]),
        options["interventions"],
        options["weights"],
    }
    of_numbers = (lambda name: name not in other) if numeric else None
    return read_table(data, **reading, unused=unused, numeric=of_numbers, max_memory=max_memory)


def take_score_options(options: dict[str, Any], out: Output) -> dict[str, Any]:
    """Return the arguments of ``local_scores`` among a subcommand's options; warn about those that have no effect."""
    given = take_parameters(options, out) | take_intervention_kind(options)
    # Some tasks do not have them.
    for name in ("structure_prior", "max_parents"):
        if name in options and options[name] is None:
            del options[name]
    if (edges := options.pop("prior_edges")) is not None:
        given["structure_prior"] = [options.get("structure_prior", "uniform"), edges]
    return options | given


def take_intervention_kind(options: dict[str, Any]) -> dict[str, Any]:
    """Remove ``--intervention-kind`` from a subcommand's options, and return it as the argument that it is."""
    kind = options.pop("intervention_kind")
    if kind != INTERVENTION_KINDS[0] and click.get_current_context().params["interventions"] is None:
        raise InvalidOption(
            f"--intervention-kind {kind} needs the column that names the variables set in each row: --interventions"
        )
    return {"interventions": kind}
