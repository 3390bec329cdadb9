"""``dagscape classify``: fit a classifier to a table, and measure how well it does on other rows."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from dagscape.cli.arguments.classified_tables import classified_options, take_classified
from dagscape.cli.arguments.method_options import learner_options, take_learner_options
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.options import (
    DATA_HELP,
    data_argument,
    output_options,
    result_output,
    table_options,
    work_options,
)
from dagscape.cli.program.output import Output, checked_path
from dagscape.core.constraints import Whole
from dagscape.core.errors import InvalidOption
from dagscape.core.randomness import SEED
from dagscape.data.discrete.cut_rules import CUT_RULES
from dagscape.networks.files import write_network
from dagscape.networks.writing import check_network_path
from dagscape.report.classification import render_classification
from dagscape.search.classifiers import STRUCTURES
from dagscape.studies.classifying import DEFAULT_FOLDS, FOLDS, classify_rows, fit_classifier


@click.command(epilog=DATA_HELP)
@data_argument
@click.option("--target", required=True, metavar="COLUMN", help="The class.")
@table_options
@classified_options
@click.option(
    "--method",
    type=click.Choice(STRUCTURES),
    default="order",
    show_default=True,
    help="The structure: naive Bayes, tree-augmented naive Bayes (tan), or a method of 'learn'.",
)
@click.option(
    "--cv", type=within(FOLDS), default=DEFAULT_FOLDS, show_default=True, metavar="N", help="The number of folds."
)
@click.option("--test", metavar="FILE", help="Classify the rows of this table instead of folds.")
@click.option(
    "--discretize",
    "discretizer",
    type=click.Choice(list(CUT_RULES)),
    default="mdl",
    show_default=True,
    help="How numbers are cut, by the rows of training.",
)
@click.option(
    "--bins", type=within(Whole(2)), default=3, show_default=True, metavar="N", help="The number of intervals."
)
@click.option("--seed", type=within(SEED), default=0, show_default=True, metavar="N", help="Seed of folds and search.")
@click.option(
    "--network",
    "fitted",
    metavar="FILE",
    callback=checked_path(check_network_path),
    help="Also fit the classifier to all rows, and write it to a .json or .bif file, for 'predict'.",
)
@learner_options
@work_options
@result_output
@output_options
def command(
    data: str,
    target: str,
    method: str,
    cv: int,
    test: str | None,
    fitted: str | None,
    max_memory: str | None,
    output: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Fit Bayesian networks that classify rows, and measure how well they do on rows that they were not fitted to.

    The default is cross-validation: where numbers are cut, the structure and the probabilities come from the other
    folds.
    """
    out = Output(as_json, quiet)
    _check_options(test, options["discretizer"])
    names = ("discretizer", "bins", "seed", "threads")
    asked = {name: options.pop(name) for name in names}
    asked |= take_learner_options(options, method)
    table, others = take_classified(data, test, target, options, max_memory, out)
    with out.working() as progress:
        found = classify_rows(table, target, method, cv=cv, test=others, **asked, progress=progress)
        network = None if fitted is None else fit_classifier(table, target, method, **asked)
    out.deliver(found, output, lambda: render_classification(found))
    if fitted is not None and network is not None:
        write_network(network, fitted)


def _check_options(test: str | None, discretizer: str) -> None:
    """Refuse options that have no effect beside others."""
    context = click.get_current_context()
    beside = {"cv": test is not None and "--test", "bins": discretizer == "mdl" and "--discretize mdl"}
    for name, other in beside.items():
        if other and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise InvalidOption(f"--{name} has no effect with {other}: leave it out")
