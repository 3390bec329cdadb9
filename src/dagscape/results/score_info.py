"""Facts about local scores that methods act on, carried from the scores into every result computed from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Annotated, Any, Self

from dagscape.results.decoding import Between, Count, Finite, decode_record

NamedEdge = tuple[str, str]

# Doubles represent these numbers exactly.
RowCount = Annotated[int, Between(0, 2**53)]
LevelCount = Annotated[int, Between(1, 2**53)]


@dataclass(frozen=True, slots=True)
class ScoreInfo:
    """What local scores were computed from.

    Attributes
    ----------
    score : str or None
        The name of the score, such as ``"bdeu"``; None if the scores come from elsewhere.
    ess : float or None
        The equivalent sample size; None if the score has none.
    max_parents : int or None
        The largest number of parents of a variable.
    structure_prior : str
        The structure prior.
    required, forbidden : tuple of (parent, child)
        Edges that every network must have, or must not have; tiers count as forbidden edges.
    data : str or None
        The digest of the data (:attr:`dagscape.Dataset.fingerprint`); None if unknown.
    rows, dropped_rows, experimental_rows : int or None
        The number of rows, of rows dropped because of missing cells, and of rows with an intervention.
    score_equivalent : bool
        Whether Markov-equivalent networks have identical scores.
    level_counts : tuple of int or None
        The number of levels of each variable; None if unknown, or if the data are not discrete.

    Examples
    --------
    >>> import dagscape as ds
    >>> info = ds.local_scores(ds.load_dataset("tic-tac-toe")).info
    >>> info.score, info.ess, info.score_equivalent
    ('bdeu', 1.0, True)
    """

    score: str | None = None
    ess: Finite | None = None
    max_parents: Count | None = None
    structure_prior: str = "uniform"
    required: tuple[NamedEdge, ...] = ()
    forbidden: tuple[NamedEdge, ...] = ()
    data: str | None = None
    rows: RowCount | None = None
    dropped_rows: RowCount | None = None
    experimental_rows: RowCount | None = None
    # It follows from the other fields, and files of version 0.1.0 lack it.
    score_equivalent: bool = field(default=False, compare=False)
    # It follows from the data, and earlier files lack it.
    level_counts: tuple[LevelCount, ...] | None = field(default=None, compare=False)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild it from :meth:`to_dict`; missing fields get their defaults, unknown ones are ignored."""
        return decode_record(cls, document, "score_info")

    def to_dict(self) -> dict[str, Any]:
        """Return the facts as JSON values, with lists in place of tuples."""
        lists = {option: [list(edge) for edge in getattr(self, option)] for option in ("required", "forbidden")}
        counts = None if self.level_counts is None else list(self.level_counts)
        return asdict(self) | lists | {"level_counts": counts}
