"""Tables 4.1 and 4.2 and figures 4.10 and 4.11 of [chen2016]: times, speed-up and efficiency by processors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from dagscape.studies.papers.chen2016.chapter_4.printed import SECONDS_BY_PARENTS, SECONDS_BY_VARIABLES
from dagscape.studies.papers.chen2016.chapter_4.runs import (
    DID,
    DIFFERS,
    DOES,
    LIMITS,
    PAPER,
    PROCESSORS,
    STUDY,
    VARIABLES,
    busy_times,
    predicted,
    seconds_on,
)
from dagscape.studies.papers.item import Item, PaperPlot, PaperTable, Part

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

# Which sums a table or a figure has: the words of each, its variables and parents.
Sums = dict[str, tuple[int, int]]
Printed = Mapping[int, tuple[float | None, ...]]

_BY_PARENTS: Sums = {f"{limit} parents": (25, limit) for limit in LIMITS}
_BY_VARIABLES: Sums = {f"n = {n}": (n, 4) for n in VARIABLES}


def _table(sums: Sums, printed: Printed, caption: str) -> Callable[[pd.DataFrame], Iterator[Part]]:
    def show(frame: pd.DataFrame) -> Iterator[Part]:
        times = busy_times(frame)
        rows: list[tuple[object, ...]] = []
        for processors in PROCESSORS:
            here = [seconds_on(times, n, limit, processors) for n, limit in sums.values()]
            pairs = zip(here, printed[processors], strict=True)
            rows.append(("serial" if processors == 1 else processors, *(cell for pair in pairs for cell in pair)))
        headers = [f"{words}{whose}" for words in sums for whose in (", s", ": paper")]
        yield PaperTable.of(caption, ("processors", *headers), rows)

    return show


def _figure(sums: Sums, printed: Printed) -> Callable[[pd.DataFrame], Iterator[Part]]:
    def show(frame: pd.DataFrame) -> Iterator[Part]:
        times = busy_times(frame)

        def draw(figure: Figure) -> None:
            speed, efficiency = figure.subplots(1, 2)
            for number, (words, size) in enumerate(sums.items()):
                lines = [("--", f"{words}, paper", _serially_printed(printed, number)), *_lines(words, times, *size)]
                for style, label, seconds in (line for line in lines if line[2]):
                    for axes, share in ((speed, False), (efficiency, True)):
                        points = _ratios(seconds, share=share)
                        axes.plot(*points, style, color=f"C{number}", markersize=3, linewidth=1, label=label or None)
            speed.plot(PROCESSORS, PROCESSORS, color="red", linewidth=1)
            speed.set(xscale="log", yscale="log", xlabel="processors", ylabel="speed-up")
            efficiency.set(xscale="log", xlabel="processors", ylabel="efficiency")
            efficiency.set_ylim(bottom=0)
            speed.legend(fontsize=6, loc="upper left")

        caption = (
            "Speed-up and efficiency, by the time on one processor: lines are predicted, dots measured, broken lines "
            "the paper's (over REBEL); the red line is the ideal."
        )
        yield PaperPlot("", caption, draw, width=9.0)

    return show


def _serially_printed(printed: Printed, column: int) -> dict[int, float]:
    """Return the paper's times of a sum; none if it has no serial time."""
    seconds = {p: printed[p][column] for p in PROCESSORS}
    return {} if seconds[1] is None else {p: s for p, s in seconds.items() if s is not None}


def _lines(
    words: str, times: dict[tuple[int, int], dict[int, float]], n: int, limit: int
) -> Iterator[tuple[str, str, dict[int, float]]]:
    """Iterate over what is plotted of a sum: the model's times as a line, and the measured ones as dots."""
    if (model := predicted(times, n, limit)) is not None:
        seconds = {p: model.seconds(p) for p in PROCESSORS}
        yield "-", words, {p: s for p, s in seconds.items() if s is not None}
    yield "o", "", times.get((n, limit), {})


def _ratios(seconds: Mapping[int, float], *, share: bool) -> tuple[list[int], list[float]]:
    processors = sorted(p for p in seconds if p > 1)
    return processors, [seconds[1] / seconds[p] / (p if share else 1) for p in processors]


TABLE_4_1 = Item(
    PAPER,
    "Table 4.1",
    "Times by processors and parents, 25 variables",
    DID + " 25 variables, at most 2, 4, 6 and 8 parents.",
    DOES,
    DIFFERS,
    STUDY,
    _table(_BY_PARENTS, SECONDS_BY_PARENTS, "Seconds with 25 variables."),
    (
        "One rank here takes 0.63, 0.94 and 2.7 seconds with 2, 4 and 6 parents, where the paper's 2048 processors, "
        "which are ten years older, take 1.5, 2.1 and 6.7. Other programs ran beside it, and such times vary: another "
        "run took 0.82, 1.7 and 3.9 seconds. More parents cost more in both.",
    ),
)
TABLE_4_2 = Item(
    PAPER,
    "Table 4.2",
    "Times by processors and variables, 4 parents",
    DID + " 21 to 33 variables, at most 4 parents.",
    DOES,
    DIFFERS,
    STUDY,
    _table(_BY_VARIABLES, SECONDS_BY_VARIABLES, "Seconds with at most 4 parents; the paper's gaps are lack of memory."),
    (
        "As in the paper, times grow with 2ⁿ, and more variables gain more from more processors. 29 variables fit into "
        "one rank here, with 4.1 GB; the paper needs 64 processors.",
    ),
)
FIGURE_4_10 = Item(
    PAPER,
    "Figure 4.10",
    "Speed-up and efficiency by parents",
    "Speed-up over the serial program REBEL, and its share of the ideal, of table 4.1.",
    DOES,
    DIFFERS,
    STUDY,
    _figure(_BY_PARENTS, SECONDS_BY_PARENTS),
    (
        "With 8 ranks the efficiency is 0.63 to 0.64, by the processor's time (with 2 ranks and 2 parents 1.07: times "
        "vary by so much). Beyond them the model predicts little gain for 25 variables: 2048 ranks take 0.06, 0.15 and "
        "0.78 seconds with 2, 4 and 6 parents, where 8 took 0.13, 0.18 and 0.53. Messages, and the families that every "
        "rank lists, take longer than its share of the sets.",
    ),
)
FIGURE_4_11 = Item(
    PAPER,
    "Figure 4.11",
    "Speed-up and efficiency by variables",
    "The same of table 4.2, for 21, 23 and 25 variables.",
    DOES,
    DIFFERS,
    STUDY,
    _figure(_BY_VARIABLES, SECONDS_BY_VARIABLES),
    (
        "With 8 ranks and more, the efficiency grows with the number of variables here; in the paper it does with 256 "
        "and more, and with 8 it falls, from 0.70 with 21 variables to 0.48 with 25. With more processors it falls "
        "earlier here, because the sums of a rank take less time beside the same messages.",
    ),
)
