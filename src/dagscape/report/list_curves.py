"""Curves over the length of lists of networks, at a few lengths."""

from __future__ import annotations

from dagscape.ensembles.list_curves import ListCurves
from dagscape.report.blocks import Block, Heading, Name, Row, number, table

# The lengths that a table shows, and the last.
_LENGTHS = (1, 2, 3, 5, 10, 20, 50, 100, 200, 500, 1000)


def render_list_curves(found: ListCurves) -> list[Block]:
    """Render the curves of each list at a few lengths."""
    frame = found.to_frame()
    lasts = frame.groupby("list")["length"].transform("max")
    shown = frame[frame["length"].isin(_LENGTHS) | (frame["length"] == lasts)]
    formats = {"length": "d", "diversity": ".2f", "classes": "d", "distance": "d"}
    names = [name for name in frame.columns if name != "list"]
    rows: list[Row] = [
        (Name(row["list"]), *(number(row[name], formats[name]) for name in names)) for row in shown.to_dict("records")
    ]
    heading = f"Distances between {found.level} among the first networks"
    headers = {"distance": "least to truth"}
    return [
        Heading(heading),
        table(["list", *(headers.get(name, name) for name in names)], rows, numeric=range(1, len(names) + 1)),
    ]
