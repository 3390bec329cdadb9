"""Pages of results: every benchmark prints its tables, and with ``--write`` puts them into its page.

A page is a Markdown file of ``benchmarks/results``. A benchmark writes what stands between the markers of a section, ::

    <!-- begin sums: python -m benchmarks.posterior -->
    <!-- end sums -->

and everything else is written by hand: headings, and what the numbers mean. Each section says on which machine and with
which version it was measured. What a page does not show is only printed (:func:`show`).
"""

from __future__ import annotations

import itertools
import math
import os
import re
import sys
import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import dagscape as ds
from benchmarks.timing import machine

RESULTS = Path(__file__).parent / "results"

# Pictures that no page shows; the folder is not part of the repository.
FIGURES = Path(__file__).resolve().parents[1] / "build" / "figures"

WRITE = "--write"

Cells = Sequence[object]

_NUMBER = re.compile(r"(over )?[-+−±]?\d.*|inf.*|")


def words() -> list[str]:
    """The arguments of the program, but for the option of pages."""
    return [word for word in sys.argv[1:] if word != WRITE]


@dataclass(frozen=True)
class Page:
    """A page, by the name of its file without the ending."""

    name: str

    @property
    def path(self) -> Path:
        """The file of the page."""
        return RESULTS / f"{self.name}.md"

    def table(self, section: str, caption: str, headers: Sequence[str], rows: Iterable[Cells]) -> None:
        """Print a table, and write it into its section if the program was asked to."""
        content = f"{textwrap.fill(caption, 120)}\n\n{markdown(headers, rows)}"
        print(f"\n{content}", flush=True)
        if WRITE in sys.argv[1:]:
            self.write(section, f"{content}\n\n*{measured_on()}*", _command())

    def write(self, section: str, content: str, command: str) -> None:
        """Replace the content of a section, or add the section at the end of the page."""
        text = self.path.read_text(encoding="utf-8") if self.path.exists() else f"# {self.name.capitalize()}\n"
        begin, end = f"<!-- begin {section}: ", f"<!-- end {section} -->"
        new = f"{begin}{command} -->\n\n{content}\n\n{end}"
        start = text.find(begin)
        if start < 0:
            text = f"{text.rstrip()}\n\n{new}\n"
        else:
            text = text[:start] + new + text[text.index(end, start) + len(end) :]
        self.path.parent.mkdir(exist_ok=True)
        self.path.write_text(text, encoding="utf-8")

    def rows(self, section: str) -> list[dict[str, str]]:
        """The rows of the table in a section, by their headers."""
        text = self.path.read_text(encoding="utf-8")
        inside = text.partition(f"<!-- begin {section}: ")[2].partition(f"<!-- end {section} -->")[0]
        lines = [line for line in inside.splitlines() if line.startswith("|")]
        headers, _, *cells = ([cell.strip() for cell in line.strip("|").split("|")] for line in lines)
        return [dict(zip(headers, row, strict=True)) for row in cells]


# More work than there are cores, before this program began.
_BUSY = os.getloadavg()[0] > len(os.sched_getaffinity(0)) + 0.5


def measured_on() -> str:
    """The version and the machine, and whether other programs took part of it."""
    return f"dagscape {ds.__version__}; {machine()}{'; other programs were running' if _BUSY else ''}"


def _command() -> str:
    """The command that runs this benchmark, up to its options."""
    spec = sys.modules["__main__"].__spec__
    program = Path(sys.argv[0]).name if spec is None else f"python -m {spec.name}"
    return " ".join([program, *itertools.takewhile(lambda word: not word.startswith("-"), words())])


def show(caption: str, headers: Sequence[str], rows: Iterable[Cells]) -> None:
    """Print a table that no page shows."""
    print(f"\n{caption}\n\n{markdown(headers, rows)}", flush=True)


def markdown(headers: Sequence[str], rows: Iterable[Cells]) -> str:
    """A table; columns of numbers are aligned on the right."""
    cells = [[_cell(cell) for cell in row] for row in rows]
    right = [all(_NUMBER.fullmatch(row[i]) for row in cells) for i in range(len(headers))]
    rule = ["---:" if number else "---" for number in right]
    lines = [list(headers), rule, *cells]
    widths = [max(len(line[i]) for line in lines) for i in range(len(headers))]

    def padded(line: Sequence[str]) -> str:
        parts = zip(line, widths, right, strict=True)
        return f"| {' | '.join(cell.rjust(width) if number else cell.ljust(width) for cell, width, number in parts)} |"

    return "\n".join(padded(line) for line in lines)


def _cell(value: object) -> str:
    """A cell: nothing for None and NaN, three significant digits for other floats, commas in large integers."""
    match value:
        case None:
            return ""
        case float():
            return "" if math.isnan(value) else f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
        case int() if not isinstance(value, bool):
            return f"{value:,}"
        case _:
            return str(value)
