"""What the command line says of data that it has read: dropped rows, decisions about columns, and what looks wrong."""

from __future__ import annotations

import click

from dagscape.cli.program.output import Output
from dagscape.cli.program.wording import worded
from dagscape.core.errors import SuspiciousColumns
from dagscape.data.any_data import AnyData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.notices import cut_sentences
from dagscape.data.discrete.summary import set_aside_warnings
from dagscape.data.kinds.decisions import is_unasked
from dagscape.data.mixed.mixed import MixedData
from dagscape.data.mixed.notices import level_sentences
from dagscape.data.notices import data_warnings
from dagscape.scores.choice import AUTO_SCORE


def report_data(dataset: AnyData, out: Output) -> None:
    """Warn about dropped rows and about columns that look wrong."""
    report_dropped_rows(dataset, out)
    report_decisions(dataset, out)
    if isinstance(dataset, Dataset):
        found = list(dataset.describe().warnings)
    else:
        wrong = [warning for warning in data_warnings(dataset) if isinstance(warning, SuspiciousColumns)]
        found = [*set_aside_warnings(dataset), *map(worded, wrong)]
    for sentence in found:
        out.warn(sentence)


def report_dropped_rows(data: AnyData, out: Output) -> None:
    """Warn about dropped rows, if any."""
    if data.dropped:
        out.warn(f"{data.dropped:,} of {data.dropped + data.m:,} rows have missing cells and were dropped")


def report_decisions(data: AnyData, out: Output) -> None:
    """Say which columns were cut, have numbers as levels, or are set aside, by what they seem to hold."""
    sentences = level_sentences(data) if isinstance(data, MixedData) else []
    if isinstance(data, Dataset):
        sentences = cut_sentences(data)
    if not (sentences or any(map(is_unasked, data.set_aside.values()))):
        return
    what = "; ".join(sentences) or "columns are set aside by what they seem to hold"
    out.note(f"{what} ({overruling(cut=isinstance(data, Dataset) and bool(sentences))})")


def overruling(*, cut: bool) -> str:
    """Return which options overrule what was decided about columns and, if numbers were cut, what does without cuts."""
    uncut = f"; --score {AUTO_SCORE} takes numbers as they are, without cuts"
    scored = "score" in click.get_current_context().params
    return f"--nominal, --numeric and --ignore overrule this{uncut if cut and scored else ''}"


def report_set_aside(data: AnyData, out: Output) -> None:
    """Warn about columns that were set aside, if any."""
    for warning in set_aside_warnings(data):
        out.warn(warning)
