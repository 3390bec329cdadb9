"""What a user does with scores that were read: shows them, searches and sums over them, and writes them again."""

from __future__ import annotations

import contextlib
from pathlib import Path

import dagscape as ds
from dagscape.report.tables import RENDERERS
from dagscape.results import document
from dagscape.scores.enumerable_scores import EnumerableScores

MEMORY = "32MiB"
_MOST_SEARCHED = 10
_MOST_SUMMED = 6
_WORK = {"threads": 1, "max_memory": MEMORY}


def use_scores(path: Path) -> None:
    """Read a score file and use it; the integers in it survive being written."""
    scores = ds.read_scores(path, max_memory=MEMORY)
    summary = ds.summarize_scores(scores, top=2)
    repr(scores)
    document(summary, "json")
    RENDERERS[summary.kind](summary)
    if scores.n > _MOST_SEARCHED:
        return
    again = path.with_name("again.npz" if len(scores.variables[0]) % 2 else "again.jkl")
    ds.write_scores(scores, again)
    back = ds.read_scores(again, max_memory=MEMORY)
    assert (back.variables, back.unit) == (scores.variables, scores.unit)
    # What cannot be computed is refused in one sentence.
    with contextlib.suppress(ds.DagscapeError):
        _search(scores)
    if scores.n <= _MOST_SUMMED:
        over = "dags" if scores.family_exact(0, scores.constraints.required[0]) % 2 else "orders"
        with contextlib.suppress(ds.DagscapeError):
            document(ds.posterior(scores, over=over, **_WORK), "json")


def _search(scores: EnumerableScores) -> None:
    best = ds.k_best(scores, k=3, space="classes" if scores.score_equivalent else "dags", **_WORK)
    document(best, "json")
    found = [scores.network_exact(network) for network in best.networks]
    assert found == sorted(found, reverse=True)
    peaks = ds.modes(scores, k=2, delta=2, max_seconds=1.0, **_WORK)
    assert not len(peaks) or peaks.scores[0] == best.scores[0]
