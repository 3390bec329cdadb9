"""``dagscape predict``: predict a variable in each row of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from dagscape.cli.arguments.data_arguments import weights_option
from dagscape.cli.arguments.graph_arguments import MODEL_HELP, AnyNetwork, load
from dagscape.cli.arguments.options import (
    DATA_HELP,
    check_table,
    data_argument,
    memory_option,
    output_options,
    table_options,
    take_reading,
)
from dagscape.cli.arguments.table_files import table_output, table_writer
from dagscape.cli.program.output import Output
from dagscape.cli.program.streams import say, write_json
from dagscape.cli.program.wording import worded
from dagscape.core.errors import InvalidData, InvalidOption, did_you_mean
from dagscape.core.wording import plural
from dagscape.data.mixed.composing import measured_numbers
from dagscape.data.reading import read_table
from dagscape.data.tables.table import listing
from dagscape.data.tables.weights import weighted
from dagscape.networks.discrete.evidence import UNOBSERVED, column_codes
from dagscape.networks.discrete.network import Network

if TYPE_CHECKING:
    from _csv import Writer

    import pandas as pd

    from dagscape.data.tables.table import Table


@click.command(epilog=f"{MODEL_HELP}\n\n{DATA_HELP}")
@click.argument("model")
@data_argument
@click.option("--target", required=True, metavar="VARIABLE", help="The variable to predict.")
@table_options
@weights_option("How many times each row counts in accuracy and log-loss: the column that says so.")
@table_output
@memory_option
@output_options
def command(
    model: str,
    data: str,
    target: str,
    weights: str | None,
    output: str | None,
    max_memory: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> None:
    """Predict a variable in each row of a table, given what the row shows of the others.

    MODEL is a network, such as the file that 'dagscape fit' writes. For each row of DATA the output has the most
    probable level and the probability of each level; of a measured variable, mean, standard deviation and quantiles.
    Columns may be absent and cells missing: such values are unknown. Numbers are cut as in the data that the network
    was fitted to. If DATA has the target, accuracy and mean log-loss, or mean errors, go to standard error.
    """
    if model == data == "-":
        raise InvalidOption("only one of MODEL and DATA can come from standard input")
    network = load(model, max_memory)
    check_table(data)
    used = {*network.variables, weights}
    reading = take_reading(options)
    table = read_table(data, **reading, unused=lambda name: name not in used, max_memory=max_memory)
    table = weighted(table, weights)
    out = Output(as_json, quiet)
    _check_names(network, table, data, target, out)
    found = network.predict(table, target, max_memory=max_memory)
    if not isinstance(network, Network) and target in network.regressions:
        _numbers(table, target, found, output, out)
        return
    quality = _quality(network, table, target, found, out)
    if as_json:
        document = {
            "target": target,
            "levels": found.columns.tolist(),
            "predicted": _most_probable(found),
            "probabilities": found.to_numpy().tolist(),
            **quality,
        }
        write_json(document)
    else:
        _report(quality, quiet)
    if output is not None or not as_json:
        with table_writer(output) as writer:
            _write(found, network.levels[target], writer)


def _check_names(network: AnyNetwork, table: Table, source: str, target: str, out: Output) -> None:
    """Warn if the table has columns that the network lacks in place of some of its own; refuse it if all are such."""
    own, others = [name for name in network.variables if name != target], set(table.names) - {target}
    absent = [name for name in own if name not in others]
    extra = [name for name in table.names if name not in network.variables]
    if target in network.variables and own and len(absent) == len(own):
        raise InvalidData(
            f"{source!r} has none of the variables of the model ({listing(own)}); its columns are "
            f"{listing(list(table.names))}"
        )
    if absent and extra:
        near = next((hint for name in extra if (hint := did_you_mean(name, absent))), "")
        out.warn(f"the table lacks {listing(absent)}; not in the model: {listing(extra)}{near}")


def _most_probable(found: pd.DataFrame) -> list[Any]:
    levels = found.columns.tolist()
    return [levels[code] for code in found.to_numpy().argmax(axis=1).tolist()]


def _write(found: pd.DataFrame, levels: Sequence[str], writer: Writer) -> None:
    """Write predictions with the levels as they are in the data, which may have other words for True and False."""
    writer.writerow(["predicted", *(f"P({level})" for level in levels)])
    for code, probabilities in zip(found.to_numpy().argmax(axis=1).tolist(), found.to_numpy().tolist(), strict=True):
        writer.writerow([levels[code], *probabilities])


def _numbers(table: Table, target: str, found: pd.DataFrame, output: str | None, out: Output) -> None:
    """Write predictions of a measured variable, and how far they are off where it is given."""
    quality = _errors(table, target, found, out)
    if out.as_json:
        document = {"target": target, **{name: found[name].tolist() for name in found.columns}, **quality}
        write_json(document)
    elif quality and not out.quiet:
        rows = plural(quality["rows"], "row")
        say(f"root mean squared error {quality['rmse']:.6g}, mean absolute error {quality['mae']:.6g} in {rows}")
    if output is not None or not out.as_json:
        with table_writer(output) as writer:
            writer.writerow(found.columns)
            writer.writerows(found.to_numpy().tolist())


def _errors(table: Table, target: str, found: pd.DataFrame, out: Output) -> dict[str, Any]:
    """Return how far means are off over the rows in which the target is given; empty if there are none."""
    if target not in table.names:
        return {}
    try:
        values = measured_numbers(table, target)
    except InvalidData as error:
        out.warn(f"errors are not computed: {worded(error)}")
        return {}
    known = ~np.isnan(values) if table.counts is None else ~np.isnan(values) & (table.counts > 0)
    if not known.any():
        return {}
    apart = found["mean"].to_numpy()[known] - values[known]
    counts = None if table.counts is None else table.counts[known]
    return {
        "rows": table.count(known),
        "rmse": float(np.sqrt(np.average(apart * apart, weights=counts))),
        "mae": float(np.average(np.abs(apart), weights=counts)),
    }


def _quality(network: AnyNetwork, table: Table, target: str, found: pd.DataFrame, out: Output) -> dict[str, Any]:
    """Return accuracy and mean log-loss over the rows in which the target is given; empty if there are none."""
    if target not in table.names:
        return {}
    try:
        discretizer = network.discretizer if isinstance(network, Network) else None
        codes = column_codes(table, target, network.levels[target], discretizer)
    except InvalidData as error:
        out.warn(f"accuracy is not computed: {worded(error)}")
        return {}
    known = codes != UNOBSERVED if table.counts is None else (codes != UNOBSERVED) & (table.counts > 0)
    if not known.any():
        return {}
    probabilities = found.to_numpy()[known]
    codes = codes[known]
    counts = None if table.counts is None else table.counts[known]
    with np.errstate(divide="ignore"):
        losses = -np.log(probabilities[np.arange(len(codes)), codes])
    loss = float(np.average(losses, weights=counts))
    return {
        "rows": table.count(known),
        "accuracy": float(np.average(probabilities.argmax(axis=1) == codes, weights=counts)),
        "log_loss": loss if np.isfinite(loss) else str(loss),
    }


def _report(quality: dict[str, Any], quiet: bool) -> None:
    if quality and not quiet:
        accuracy, loss = quality["accuracy"], float(quality["log_loss"])
        rows = plural(quality["rows"], "row")
        say(f"accuracy {accuracy:.4f}, mean log-loss {loss:.4f} in {rows}")
