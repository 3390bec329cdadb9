"""Tables whose numbers are cut in several ways, for the commands that compare ways or average over them."""

from __future__ import annotations

from typing import Any

from dagscape.cli.arguments.cutting_arguments import CUTTING_NAMES, compares_ways, is_given, take_way, take_ways
from dagscape.cli.arguments.data_arguments import encoding_options, take_wishes
from dagscape.cli.arguments.data_reports import overruling, report_data
from dagscape.cli.arguments.options import take_table
from dagscape.cli.program.output import Output
from dagscape.core.errors import InvalidOption
from dagscape.data.discrete.automatic_cuts import AutomaticCuts, automatic_cuts, sentence_of_ways
from dagscape.data.discrete.common_cuts import AUTO, COMPARED_CUTS, ComparedCuts, cut_table_in_ways, measured_columns
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.interpreting import interpreted
from dagscape.scores.choice import AUTO_SCORE, DISCRETE_SCORE, ChosenScore
from dagscape.scores.registry import SCORES


def take_compared(
    data: str, options: dict[str, Any], max_memory: int | str | None, out: Output
) -> Dataset | ComparedCuts:
    """Read a table as the options say, cut in all ways that they name, or in the usual ones; and warn about it.

    Parameters
    ----------
    data : str
        The command's argument.
    options : dict
        The command's options for data; they are removed.
    max_memory : int, str or None
        The limit on memory.
    out : Output
        Where warnings go.
    """
    for name in ("discretizer", "save_discretizer"):
        if options.pop(name) is not None:
            raise InvalidOption(f"--{name.replace('_', '-')} is for one way of cutting: give --discretize once")
    if options["score"] == AUTO_SCORE:
        options["score"] = ChosenScore(DISCRETE_SCORE, "numbers are cut into intervals")
    table = take_table(data, options, max_memory)
    wishes = take_wishes(options, table)
    encoding = encoding_options(table, options, max_memory)
    usual = COMPARED_CUTS if measured_columns(table, wishes) else (AUTO,)
    ways = take_ways(options, default=usual)
    if [way.method for way in ways] == [AUTO]:
        found: Dataset | ComparedCuts = interpreted(table, encoding, ways[0], wishes, asked=False)
    else:
        found = cut_table_in_ways(table, ways, wishes, **encoding).only_one()
    report_data(found.datasets[0] if isinstance(found, ComparedCuts) else found, out)
    return found


def take_automatic(data: str, options: dict[str, Any], max_memory: int | str | None) -> Dataset | AutomaticCuts:
    """Read a table as the options say, of which nothing says how numbers are cut; nothing is told yet.

    Parameters
    ----------
    data, options, max_memory
        As in :func:`take_compared`.
    """
    del options["discretizer"], options["save_discretizer"]
    table = take_table(data, options, max_memory)
    wishes = take_wishes(options, table)
    encoding = encoding_options(table, options, max_memory)
    return automatic_cuts(table, wishes, discretizer=take_way(options), **encoding)


def report_cuts(data: Dataset | ComparedCuts, out: Output) -> None:
    """Say how a table was cut, and warn about columns that look wrong."""
    if isinstance(data, Dataset):
        report_data(data, out)
        return
    out.note(f"{sentence_of_ways(data)} ({overruling(cut=True)})")
    report_data(data.datasets[0], out)


def takes_usual_ways(options: dict[str, Any]) -> bool:
    """Whether a study should compare ways of cutting: several are given, or none and the score takes levels."""
    if compares_ways(options):
        return True
    files = options["discretizer"] is not None or options["save_discretizer"] is not None
    score = options["score"]
    discrete = score != AUTO_SCORE and SCORES[score].data_type is Dataset
    return discrete and not files and not any(is_given(name) for name in CUTTING_NAMES if name != "cuts")
