"""The findings on lists of diverse networks name every case in which modes are no better than the k best."""

from __future__ import annotations

from pathlib import Path

import pytest

from dagscape.studies.papers.chen2019 import figure_3, figure_4

PAGE = Path(__file__).parents[3] / "docs/papers/chen2019.md"
LENGTH = "20"


def rows(figure, after):
    """The cells of the table rows under a heading whose caption starts with given words."""
    text = PAGE.read_text(encoding="utf-8").partition(f"## {figure}:")[2].partition(f"\n{after}\n")[2]
    lines = text.lstrip().split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def exceptions(cells):
    """The values with δ = 1, 3 and 5 that are not lower than that of the k best."""
    best, _, *modes = cells
    return [value for value in modes if float(value) >= float(best)]


@pytest.mark.parametrize(
    ("item", "figure", "caption", "first"),
    [
        (figure_3.ITEM, "Figure 3", "Least SHD to the truth among the first networks.", 3),
        (figure_4.ITEM, "Figure 4", "Least SHD to the truth among the first classes.", 1),
    ],
)
def test_findings_name_the_exceptions(item, figure, caption, first):
    said = " ".join(item.findings)
    table = [cells for cells in rows(figure, caption) if cells[first - 1] == LENGTH]
    assert table
    for cells in table:
        # No δ > 0 is better on Survey, which is said in words.
        if cells[0] != "Survey":
            assert [value for value in exceptions(cells[first:]) if value not in said] == []
        else:
            assert len(exceptions(cells[first:])) == 3
