"""The size and the sign of edges, as a table."""

from __future__ import annotations

from collections.abc import Iterator

from dagscape.core.wording import plural
from dagscape.report.blocks import Block, Cell, Heading, Name, Note, number, table
from dagscape.report.probabilities import probability
from dagscape.studies.edge_effects_result import EdgeEffect, EdgeEffects

EFFECTS_SHOWN = 20

_MEANING = (
    "risk difference and odds ratio: two levels each; Cramér's V: 0 independent, 1 as strong as can be; sign: that of "
    "Kendall's tau-b; associations, not causal effects"
)


def render_edge_effects(found: EdgeEffects, rows: int = EFFECTS_SHOWN) -> list[Block]:
    """Render the strongest associations, with what the signs are about."""
    title = f"Size and sign of {plural(len(found), 'edge')}: {_source(found)}"
    probable = any(effect.probability is not None for effect in found.effects)
    headers = ["from", "to", *(["edge"] if probable else [])]
    headers += ["Cramér's V", "sign", "risk difference", "odds ratio", "compared"]
    shown = [tuple(_cells(effect, probable=probable)) for effect in found.effects[:rows]]
    more = len(found) - len(shown)
    numeric = range(2, len(headers) - 1)
    return [
        Heading(title),
        table(headers, shown, numeric=numeric, omitted=f"… {more:,} more" if more else ""),
        Note(_MEANING),
    ]


def _source(found: EdgeEffects) -> str:
    if found.joint == "data":
        return "shares of the rows"
    if found.networks == 1:
        return "joint distributions under the network"
    rest = "" if found.covered > 0.9999 else f", {found.covered:.1%} of the list"
    return f"joint distributions averaged over {plural(found.networks, 'network')}{rest}"


def _cells(effect: EdgeEffect, *, probable: bool) -> Iterator[Cell]:
    yield Name(effect.source)
    yield Name(effect.target)
    if probable:
        yield "" if effect.probability is None else probability(effect.probability)
    yield number(effect.cramers_v, ".3f")
    yield effect.sign
    yield "" if effect.risk_difference is None else number(effect.risk_difference, "+.3f")
    yield "" if effect.odds_ratio is None else number(effect.odds_ratio, ".3g")
    yield effect.compared_levels
