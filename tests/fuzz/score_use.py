"""What a user does with scores that were read: shows them, writes them again, and searches or sums over them."""

from __future__ import annotations

import contextlib
import io
from pathlib import Path

import dagscape as ds
from dagscape.report.tables import render
from dagscape.results.base import document
from dagscape.scores.formats.jkl import read_jkl, write_jkl
from dagscape.scores.formats.npz import read_npz, write_npz
from dagscape.scores.tables.enumerable_scores import EnumerableScores

MEMORY = "32MiB"
_MOST_SHOWN = 100
_MOST_SEARCHED = 10
_MOST_SUMMED = 6
_WORK = {"threads": 1, "max_memory": MEMORY}


def use_scores(path: Path) -> None:
    """Read a score file and use it."""
    scores = ds.read_scores(path, max_memory=MEMORY)
    repr(scores)
    if scores.n > _MOST_SHOWN:
        return
    summary = ds.summarize_scores(scores, top=2)
    document(summary, "json")
    render(summary)
    if scores.n > _MOST_SEARCHED:
        return
    # One after the other would take too long.
    turn = path.stat().st_size
    _write_again(scores, npz=turn % 2 == 0)
    # What cannot be computed is refused in one sentence.
    with contextlib.suppress(ds.DagscapeError):
        (_search, _find_modes, _sum)[turn % 3](scores)


def _write_again(scores: EnumerableScores, *, npz: bool) -> None:
    """Write scores and read them: the integers survive."""
    stream = io.BytesIO()
    (write_npz if npz else write_jkl)(scores, stream, None)
    stream.seek(0)
    if npz:
        back = read_npz(io.BufferedReader(stream), "again", MEMORY)
    else:
        back = read_jkl(io.TextIOWrapper(stream, encoding="utf-8"), "again", scores.score_equivalent, MEMORY)
    assert back.variables == scores.variables
    # Units that dagscape would not choose are not evident from the decimals of a .jkl file.
    assert back.unit == scores.unit or not npz
    if back.unit == scores.unit:
        assert back.families(0).exact.tolist() == scores.families(0).exact.tolist()


def _search(scores: EnumerableScores) -> None:
    best = ds.k_best(scores, k=3, space="classes" if scores.score_equivalent else "dags", **_WORK)
    document(best, "json")
    found = [scores.network_exact(network) for network in best.networks]
    assert found == sorted(found, reverse=True)


def _find_modes(scores: EnumerableScores) -> None:
    peaks = ds.modes(scores, k=2, delta=2, max_seconds=1.0, **_WORK)
    document(peaks, "json")
    assert not len(peaks) or peaks.scores[0] == ds.optimal_network(scores, **_WORK).score


def _sum(scores: EnumerableScores) -> None:
    if scores.n <= _MOST_SUMMED:
        over = "dags" if len(scores.families(0)) % 2 else "orders"
        document(ds.posterior(scores, over=over, **_WORK), "json")
