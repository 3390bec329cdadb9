"""``dagscape sample``: rows drawn from a network."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import click
import numpy as np

from dagscape.cli.arguments.graph_arguments import MODEL_HELP, load
from dagscape.cli.arguments.numbers import within
from dagscape.cli.arguments.table_files import table_output, table_writer
from dagscape.core.randomness import SEED
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.dataset import Dataset
from dagscape.networks.discrete.sampling import ROWS

if TYPE_CHECKING:
    from _csv import Writer

    from numpy.typing import NDArray

    from dagscape.data.any_data import AnyData

# Rows are converted to strings in blocks: strings of all rows could take many times the memory of the data.
_BLOCK_ROWS = 10_000


@click.command(epilog=MODEL_HELP)
@click.argument("network")
@click.option(
    "-n", "--rows", type=within(ROWS), default=1000, metavar="N", show_default=True, help="Number of rows to draw."
)
@click.option("--seed", type=within(SEED), metavar="N", show_default="random", help="Seed for reproducible rows.")
@table_output
def command(network: str, rows: int, seed: int | None, output: str | None) -> None:
    """Draw random rows from a network.

    A file of rows lacks levels that were not drawn: read it with --levels NETWORK.bif to declare all levels.
    """
    data = load(network).sample(rows, seed=seed)
    with table_writer(output) as writer:
        _write_rows(data, seed, writer)


def _write_rows(data: AnyData, seed: int | None, writer: Writer) -> None:
    """Write all rows in random order; data are sorted, as no random sample is."""
    # A stream of random numbers of its own, independent of the one that drew the rows.
    shuffle = np.random.default_rng(None if seed is None else [seed, 1])
    if isinstance(data, Dataset):
        cells: NDArray[Any] = data.codes
        order = shuffle.permutation(np.repeat(np.arange(len(data.weights), dtype=np.int64), data.weights))
    else:
        cells, order = data.values, shuffle.permutation(data.m)
    levels: Mapping[str, tuple[str, ...]] = {} if isinstance(data, NumericData) else data.levels
    strings = [np.array(levels[name], dtype=object) if name in levels else None for name in data.variables]
    writer.writerow(data.variables)
    for start in range(0, len(order), _BLOCK_ROWS):
        block = cells[order[start : start + _BLOCK_ROWS]]
        columns = [
            block[:, i].tolist() if names is None else names[block[:, i].astype(np.int64)]
            for i, names in enumerate(strings)
        ]
        writer.writerows(zip(*columns, strict=True))
