"""The memory of a search, besides the data and the work on them."""

from __future__ import annotations

from dataclasses import dataclass

from dagscape.scores.scoring_job import ScoringJob

# Bytes of a value in the cache of scores on demand.
_CACHED_BYTES = 40


@dataclass(frozen=True, slots=True)
class SearchMemory:
    """How many bytes a search takes.

    Attributes
    ----------
    least : int
        What it cannot do without.
    likely : int
        What it usually takes besides, if there is room for it: above all, the cache of scores.
    remedy : str
        What else to do if there is not enough, as the end of a message.
    """

    least: int
    likely: int = 0
    remedy: str = ""


def no_memory(job: ScoringJob, threads: int, limit: int, **options: object) -> SearchMemory:  # noqa: ARG001
    """Return the memory of a search that stores nothing."""
    return SearchMemory(0)


def cached_bytes(n: int, per_pair: float) -> int:
    """Return the bytes of a cache of so many values for each pair of variables."""
    return int(per_pair * n * n * _CACHED_BYTES)
