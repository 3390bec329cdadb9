"""Posteriors under several settings: the settings with their evidence, and the edges that change."""

from __future__ import annotations

from dagscape.core.wording import plural
from dagscape.report.blocks import Block, Heading, Name, Paragraph, Row, Table, number, table
from dagscape.report.probabilities import probability
from dagscape.results.base import source_of
from dagscape.studies.sensitivity_result import MIN_SHARE, Sensitivity

_ROWS_SHOWN = 10

# Of more settings than this, only those that are compared have a row.
_MANY_SETTINGS = 20

_HEADERS = {"discretize": "cuts", "structure_prior": "prior", "max_parents": "max parents"}


def render_sensitivity(
    found: Sensitivity, rows: int = _ROWS_SHOWN, threshold: float = 0.5, min_share: float = MIN_SHARE
) -> list[Block]:
    """Render the settings, and the edges whose probability crosses a threshold between credible settings."""
    heading = f"Posteriors over {found.over} under {plural(len(found.settings), 'setting')}"
    influence = [f"{_HEADERS.get(name, name)} {change:.3f}" for name, change in found.influence().items() if change > 0]
    average = f"Average change of the probability of an edge: {', '.join(influence)} (over all settings)"
    details = [average] if influence else []
    if "discretize" in found.options:
        details.append("The log evidence is that of the numbers before they were cut; all cuts have the same share")
    elif (source := source_of(found)) is not None and source.cuttings:
        details.append("Numbers are cut in one way; given the table itself, sensitivity compares several ways")
    return [
        Heading(heading, tuple(details)),
        _settings(found, min_share),
        *_changes(found, rows, threshold, min_share),
    ]


def _settings(found: Sensitivity, min_share: float) -> Table:
    headers = (*(_HEADERS.get(option, option) for option in found.options), "log evidence", "share", "parent states")
    every = range(len(found.settings))
    kept = found.credible(min_share) if len(every) > _MANY_SETTINGS else every
    omitted = len(every) - len(kept)
    rows: list[Row] = []
    for setting, share in ((found.settings[i], float(found.shares[i])) for i in kept):
        rows.append(
            (
                *([setting.value("discretize")] if "discretize" in found.options else []),
                *(value if isinstance(value, str) else number(value, "g") for value in setting.parameters.values()),
                setting.structure_prior,
                "no limit" if setting.unlimited else number(setting.max_parents, "d"),
                number(setting.log_evidence, ",.2f"),
                probability(share),
                "" if setting.parent_states is None else number(setting.parent_states, ",.0f"),
            )
        )
    return table(
        headers,
        rows,
        numeric=[i for i, name in enumerate(headers) if name not in ("cuts", "prior")],
        omitted=f"… {omitted:,} more, each with a share below {100 * min_share:g}%" if omitted else "",
    )


def _changes(found: Sensitivity, rows: int, threshold: float, min_share: float) -> list[Block]:
    frame = found.changes(threshold, min_share=min_share)
    summary = found.summary(threshold, min_share=min_share)
    on_defaults = found.on_defaults(threshold, min_share=min_share)
    sentences = [sentence[0].upper() + sentence[1:] for sentence in (summary, on_defaults) if sentence]
    blocks: list[Block] = [Paragraph(sentences[0], tuple(sentences[1:]))]
    if rows and len(frame):
        columns = ["source", "target", "lowest", "highest", "lowest_at", "highest_at"]
        shown = [
            (Name(source), Name(target), probability(low), probability(high), *settings)
            for source, target, low, high, *settings in frame[columns].head(rows).itertuples(index=False, name=None)
        ]
        headers = ["from", "to", "lowest", "highest", "lowest at", "highest at"]
        omitted = f"… {len(frame) - rows:,} more" if len(frame) > rows else ""
        blocks.append(table(headers, shown, numeric=[2, 3], omitted=omitted))
    return blocks
