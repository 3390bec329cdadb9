"""The picture of posteriors under several settings: which mark a setting has, and what the legend says.

Three options of a grid are told apart by colour, by shape, and by the height in the row; the most influential option
has the colour. The legend names the values of further ones. Settings that the data rule out are faint, and count
neither for ranges nor for their order.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from dagscape.core.wording import plural
from dagscape.drawing.ranges import RangeKey, RangePlot, RangePoint, RangeRow
from dagscape.drawing.text import shown_text

if TYPE_CHECKING:
    from dagscape.studies.sensitivity_result import Sensitivity

_LONGEST_NAME = 24
_THRESHOLD = 0.5


def range_plot(study: Sensitivity, feature: str, rows: int, title: str | None, min_share: float) -> RangePlot:
    """Return the picture of a study.

    Pairs of variables come first whose probability crosses ½ between credible settings, then those that change most.
    """
    kept = study.credible(min_share)
    varied = {
        option: list(dict.fromkeys(setting.value(option) for setting in study.settings))
        for option in study.influence(feature)
    }
    varied = {option: values for option, values in varied.items() if len(values) > 1}
    ends = ["source", "target"]
    # Settings may have the same label, so that the columns of settings are not used.
    every = study.to_frame(feature, min_share=0)[[*ends, "range"]]
    ranges = study.to_frame(feature, min_share=min_share)[[*ends, "lowest", "highest", "range"]]
    ranges["crosses"] = (ranges["lowest"] < _THRESHOLD) & (ranges["highest"] >= _THRESHOLD)
    order = every.merge(ranges[[*ends, "range", "crosses"]], on=ends, suffixes=("_all", ""))
    # Pairs that do not change between credible settings come in the order in which they change between all.
    order = order.sort_values(["crosses", "range", "range_all"], ascending=False, kind="stable").head(rows)
    arrow = "→" if feature == "edges" else "–"
    number = {name: place for place, name in enumerate(study.variables)}
    values = getattr(study, feature)
    return RangePlot(
        title=title or f"Probabilities of {feature} under {plural(len(study.settings), 'setting')}",
        rows=tuple(
            RangeRow(
                f" {arrow} ".join(shown_text(row[end], _LONGEST_NAME) for end in ends),
                tuple(values[:, number[row["source"]], number[row["target"]]].tolist()),
            )
            for row in order.to_dict("records")
        ),
        points=tuple(
            RangePoint(setting.label, *_channels(setting.values, varied), faint=number not in kept)
            for number, setting in enumerate(study.settings)
        ),
        legend=tuple(_legend(varied)),
        marked=study.settings.index(study.best),
        mark=f"highest evidence: {study.best.label}",
        caption=_caption(len(study.settings), len(kept), min_share),
    )


def _channels(values: dict[str, str], varied: dict[str, list[str]]) -> tuple[int, int, float]:
    """Return the colour, the shape and the height of a setting; the first option has the colour, and so on."""
    numbers = [levels.index(values[option]) for option, levels in varied.items()] + [0, 0, 0]
    heights = len(list(varied.values())[2]) if len(varied) > 2 else 1
    return numbers[0], numbers[1], 0.0 if heights == 1 else 1.0 - 2.0 * numbers[2] / (heights - 1)


def _legend(varied: dict[str, list[str]]) -> Iterator[tuple[RangeKey, ...]]:
    levels = list(varied.values())
    if levels:
        yield tuple(RangeKey(value, RangePoint("", colour=number)) for number, value in enumerate(levels[0]))
    if len(levels) > 1:
        yield tuple(RangeKey(value, RangePoint("", None, number)) for number, value in enumerate(levels[1]))
    if len(levels) > 2:
        yield (RangeKey(f"from top to bottom in each row: {', '.join(levels[2])}"),)
    for values in levels[3:]:
        yield (RangeKey(f"not told apart: {', '.join(values)}"),)


def _caption(count: int, kept: int, min_share: float) -> str:
    if kept == count:
        return "line: the range under all settings"
    only = "the only setting" if kept == 1 else f"the {kept} settings"
    return f"line: the range under {only} with a share of at least {100 * min_share:g}%; faint: the others"
