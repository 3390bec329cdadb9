"""Table 4.3 of [chen2016]: memory by processors and variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dagscape.posterior.mpi.memory import rank_memory
from dagscape.studies.papers.chen2016.chapter_4.printed import MEMORY, MEMORY_VARIABLES
from dagscape.studies.papers.chen2016.chapter_4.runs import DID, DIFFERS, PAPER, STUDY
from dagscape.studies.papers.item import Item, PaperTable, Part
from dagscape.studies.papers.measuring import records

if TYPE_CHECKING:
    import pandas as pd

_PARENTS = 4
_GIBI, _MEBI = 2**30, 2**20


def show(frame: pd.DataFrame) -> Iterator[Part]:
    """Return the planned and measured memory, and that of the paper in bytes for each set."""
    rows: list[tuple[object, ...]] = []
    for processors, printed in MEMORY.items():
        cells: list[object] = []
        for n, theirs in zip(MEMORY_VARIABLES, printed, strict=True):
            planned = rank_memory(n, _PARENTS, 1, processors)
            cells += [_pair(processors * planned / _GIBI, planned / _MEBI), None if theirs is None else _pair(*theirs)]
        rows.append((processors, *cells))
    headers = [f"n = {n}{whose}" for n in MEMORY_VARIABLES for whose in ("", ": paper")]
    caption = "Memory in GB, and in MB for each processor, as planned, with at most 4 parents."
    yield PaperTable.of(caption, ("processors", *headers), rows)
    smallest = {n: next(cells[i] for cells in MEMORY.values() if cells[i]) for i, n in enumerate(MEMORY_VARIABLES)}
    per_set = [
        (n, rank_memory(n, _PARENTS, 1, 1) / 2.0**n, total[0] * _GIBI / 2.0**n, 8 * (n + 7))
        for n, total in smallest.items()
        if total is not None
    ]
    headers = ["n", "here, one rank", "paper, fewest processors", "8 (n + 7)"]
    yield PaperTable.of("Bytes for each of the 2ⁿ sets.", headers, per_set)
    measured = [
        (run["n"], run["ranks"], run["peak"] / _MEBI, rank_memory(run["n"], _PARENTS, 1, run["ranks"]) / _MEBI)
        for run in records(frame[frame["peak"].notna() & (frame["max_parents"] == _PARENTS)])
    ]
    if measured:
        headers = ["n", "ranks", "measured", "planned"]
        yield PaperTable.of("Measured peaks of the largest rank beside the plans, in MB.", headers, measured)


def _pair(total: float, each: float) -> str:
    return f"{total:.3g} ({each:.0f})"


ITEM = Item(
    PAPER,
    "Table 4.3",
    "Memory by processors and variables",
    DID + " 23 to 33 variables, at most 4 parents.",
    "The memory that plans state for each rank, and measured peaks of 1 to 8 ranks.",
    (
        *DIFFERS[:2],
        "GB and MB are powers of two, as they must be in the paper: 8.00 GB are 256 bytes for each of 2²⁵ sets.",
    ),
    STUDY,
    show,
    (
        "The paper's total is 8 (n + 7) bytes for each set, up to n = 29 and with few processors: Aᵢ of all variables "
        "and a few functions more. Here it is 8 bytes and a rest that matters less the more variables there are (14.1 "
        "bytes in all with 23, 8.06 with 33), because F and R share one table and Aᵢ is computed where it is needed.",
    ),
)
