"""Posteriors under several settings as tables: the settings with their evidence, and the edges that change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group

from dagscape.core.wording import plural
from dagscape.report.layout import Name, plain, table_of
from dagscape.studies.sensitivity_result import MIN_SHARE, Sensitivity

if TYPE_CHECKING:
    from rich.console import RenderableType

_ROWS_SHOWN = 10

_HEADERS = {"structure_prior": "prior", "max_parents": "max parents"}


def render_sensitivity(
    found: Sensitivity, rows: int = _ROWS_SHOWN, threshold: float = 0.5, min_share: float = MIN_SHARE
) -> RenderableType:
    """Render the settings, and the edges whose probability crosses a threshold between credible settings."""
    influence = {name: change for name, change in found.influence().items() if change > 0}
    heading = f"Posteriors over {found.over} under {plural(len(found.settings), 'setting')}"
    parts: list[RenderableType] = [plain(heading)]
    if influence:
        listed = ", ".join(f"{_HEADERS.get(name, name)} {change:.3f}" for name, change in influence.items())
        parts.append(plain(f"Average change of the probability of an edge: {listed} (over all settings)"))
    parts += [plain(), _settings(found), plain()]
    return Group(*parts, *_changes(found, rows, threshold, min_share))


def _settings(found: Sensitivity) -> RenderableType:
    headers = (*(_HEADERS.get(option, option) for option in found.options), "log evidence", "share", "parent states")
    table = table_of(*headers, right=[i for i, name in enumerate(headers) if name != "prior"])
    for setting, share in zip(found.settings, found.shares, strict=True):
        limit = "no limit" if setting.unlimited else str(setting.max_parents)
        cells = [value if isinstance(value, str) else f"{value:g}" for value in setting.parameters.values()]
        numbers = (f"{setting.log_evidence:,.2f}", f"{share:.4f}", f"{setting.parent_states:,.0f}")
        table.add_row(*cells, setting.structure_prior, limit, *numbers)
    return table


def _changes(found: Sensitivity, rows: int, threshold: float, min_share: float) -> list[RenderableType]:
    frame = found.changes(threshold, min_share=min_share)
    summary = found.summary(threshold, min_share=min_share)
    sentences = [summary, *filter(None, [found.on_defaults(threshold, min_share=min_share)])]
    parts: list[RenderableType] = [plain(sentence[0].upper() + sentence[1:]) for sentence in sentences]
    if rows and len(frame):
        table = table_of("from", "to", "lowest", "highest", "lowest at", "highest at", right=(2, 3))
        columns = ["source", "target", "lowest", "highest", "lowest_at", "highest_at"]
        for source, target, low, high, *settings in frame[columns].head(rows).itertuples(index=False):
            table.add_row(Name(source), Name(target), f"{low:.4f}", f"{high:.4f}", *settings)
        parts += [plain(), table]
        if len(frame) > rows:
            parts.append(plain(f"… {len(frame) - rows:,} more"))
    return parts
