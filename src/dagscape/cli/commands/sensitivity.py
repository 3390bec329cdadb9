"""``dagscape sensitivity``: posteriors under a grid of settings."""

from __future__ import annotations

from typing import Any, cast

import click

from dagscape.cli.arguments.compared_cuts import take_compared, takes_usual_ways
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import (
    DATA_HELP,
    constraint_options,
    data_argument,
    data_options,
    intervention_option,
    prior_edges_option,
    rows_shown,
    run_options,
    score_option,
    take_data_with_warnings,
    take_intervention_kind,
)
from dagscape.cli.arguments.score_parameters import listed, parameter_lists, shown, take_parameters
from dagscape.cli.program.output import Output, checked_path
from dagscape.core.constraints import A_PROBABILITY
from dagscape.core.errors import InvalidOption
from dagscape.drawing.ranges import range_format
from dagscape.posterior.backends import SUMMED_OVER
from dagscape.posterior.grids import AVERAGED_PRIORS, BY_ROWS, DEFAULT_MAX_PARENTS
from dagscape.report.missing_rules import render_missing_rules
from dagscape.report.sensitivity import render_sensitivity
from dagscape.studies.missing_rules import compare_missing
from dagscape.studies.sensitivity import sensitivity
from dagscape.studies.sensitivity_result import MIN_SHARE, Sensitivity

# Options that the grid varies: here they take several values.
_VARIED = ("max_parents", "structure_prior")


def _limit(text: str) -> int | str | None:
    return None if text == "none" else text if text == BY_ROWS else int(text)


def _rules(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(rule.strip() for rule in text.split(","))


@click.command(epilog=DATA_HELP)
@data_argument
@data_options
@parameter_lists
@click.option(
    "--prior", "structure_prior", callback=listed(str, "priors"), metavar="LIST", show_default=shown(AVERAGED_PRIORS),
    help="Structure priors, separated by commas.",
)  # fmt: skip
@click.option(
    "--max-parents", callback=listed(_limit, "integers, 'rows' or 'none'"), metavar="LIST",
    show_default=shown(DEFAULT_MAX_PARENTS),
    help="Limits on the number of parents, separated by commas; 'rows' is the one by the number of rows, "
    "'none' is no limit.",
)  # fmt: skip
@prior_edges_option
@score_option
@constraint_options
@intervention_option
@click.option(
    "--over", type=click.Choice(SUMMED_OVER), default="dags", show_default=True,
    help="Sum over DAGs or over orders of the variables.",
)  # fmt: skip
@click.option(
    "--threshold", type=within(A_PROBABILITY), default=0.5, show_default=True, metavar="P",
    help="Show edges that cross this probability: below it in one setting, and not in another.",
)  # fmt: skip
@click.option(
    "--min-share", type=within(A_PROBABILITY), default=MIN_SHARE, show_default=True, metavar="P",
    help="Compare settings whose share of the probability is at least this; 0 compares all.",
)  # fmt: skip
@click.option(
    "--missing-rules", callback=_rules, metavar="LIST",
    help="Compare rules for missing cells in place of settings, separated by commas: drop, level, sample (drawn along "
    "with networks, by Markov chains), em and pnal.",
)  # fmt: skip
@rows_shown("Number of edges to show.")
@click.option(
    "--draw", "picture", metavar="FILE", callback=checked_path(range_format),
    help="Draw the ranges of probabilities to a .svg, .png or .pdf file.",
)  # fmt: skip
@run_options
def command(
    data: str,
    over: str,
    threshold: float,
    min_share: float,
    show: int,
    picture: str | None,
    missing_rules: tuple[str, ...] | None,
    output: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Compare posteriors under a grid of settings: the evidence of each, and the edges that change."""
    out = Output(as_json, quiet)
    if missing_rules is not None:
        _compare_rules(data, missing_rules, threshold, show, picture, options, output, out)
        return
    read = take_compared if takes_usual_ways(options) else take_data_with_warnings
    dataset = read(data, options, options["max_memory"], out)
    varied = {name: value for name in _VARIED if (value := options.pop(name)) is not None}
    varied |= take_parameters(options, out) | take_intervention_kind(options)
    if (edges := options.pop("prior_edges")) is not None:
        varied["structure_prior"] = [[prior, edges] for prior in varied.get("structure_prior", AVERAGED_PRIORS)]
    with out.working() as progress:
        found = cast("Sensitivity", sensitivity(dataset, over=over, **varied, **options, progress=progress))
    out.deliver(found, output, lambda: render_sensitivity(found, show, threshold, min_share))
    if picture is not None:
        found.draw(picture, min_share=min_share)


def _compare_rules(
    data: str,
    rules: tuple[str, ...],
    threshold: float,
    show: int,
    picture: str | None,
    options: dict[str, Any],
    output: str | None,
    out: Output,
) -> None:
    """Compare rules for missing cells, under one setting."""
    if picture is not None:
        raise InvalidOption("draws settings, not rules for missing cells", option="draw")
    if options["missing"] is not None:
        raise InvalidOption("is not taken with --missing-rules, which names the rules", option="missing")
    options["missing"] = "keep"
    dataset = take_data_with_warnings(data, options, options["max_memory"], out)
    varied = {name: value for name in _VARIED if (value := options.pop(name)) is not None}
    varied |= take_parameters(options, out) | take_intervention_kind(options)
    if options.pop("prior_edges") is not None:
        raise InvalidOption("is not taken with --missing-rules", option="prior_edges")
    varied.pop("interventions", None)
    for name, values in varied.items():
        if len(values) > 1:
            raise InvalidOption("has several values; rules for missing cells are compared under one", option=name)
    single = {name: values[0] for name, values in varied.items()}
    with out.working() as progress:
        found = compare_missing(dataset, rules, **single, **options, progress=progress)
    out.deliver(found, output, lambda: render_missing_rules(found, show, threshold))
