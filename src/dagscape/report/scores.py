"""Local scores: the best families of each variable."""

from __future__ import annotations

from collections.abc import Iterator

from dagscape.core.resources import format_bytes
from dagscape.core.wording import plural
from dagscape.report.blocks import Block, Cell, Heading, Name, Row, names, number, table
from dagscape.results.score_info import words_of
from dagscape.scores.registry import SCORES
from dagscape.scores.summary import ScoreSummary


def render_scores(summary: ScoreSummary) -> list[Block]:
    """Render the best families of each variable."""
    families = plural(summary.family_count, "family", "families")
    parents = plural(summary.max_parents, "parent")
    heading = f"{_score_name(summary)}: {families} of up to {parents}, {format_bytes(summary.memory)}"
    several = len(summary.families) > len(summary.variables)
    headers = ["variable", "best parents", "local score", *(["behind best"] if several else [])]
    return [Heading(heading), table(headers, _families(summary, several=several), numeric=[2, 3])]


def _families(summary: ScoreSummary, *, several: bool) -> Iterator[Row]:
    """Iterate over the rows of families; those after the first of a variable say how far they are behind it."""
    previous, best = "", 0.0
    for family in summary.families:
        first = family.child != previous
        if first:
            previous, best = family.child, family.score
        behind: list[Cell] = ["" if first else number(best - family.score, ",.4f")]
        yield (
            Name(family.child) if first else "",
            names(family.parents) or "(none)",
            number(family.score, ",.4f"),
            *(behind if several else []),
        )


def _score_name(summary: ScoreSummary) -> str:
    """Return the name of the score, and all options that are not defaults."""
    info = summary.score_info
    if info is None or info.score is None:
        return "Scores"
    parts = [SCORES[info.score].title if info.score in SCORES else info.score]
    if info.parameters:
        parts.append(words_of(info.parameters))
    if info.structure_prior != "uniform":
        parts.append(f"prior {info.structure_prior}")
    for kind, count in (("required", len(info.required)), ("forbidden", len(info.forbidden) - info.ruled_out)):
        if count:
            parts.append(plural(count, f"{kind} edge"))
    parts += filter(None, (info.rule, info.caution))
    parts.append(plural(info.rows or 0, "row"))
    if info.experimental_rows:
        changed = " that changed mechanisms" if info.interventions == "mechanism" else ""
        parts.append(f"{info.experimental_rows:,} of them from experiments{changed}")
    return ", ".join(parts)
