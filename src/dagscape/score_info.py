"""What local scores are: facts that methods act on, carried from the scores into every result made from them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

NamedEdge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class ScoreInfo:
    """What local scores are scores of.

    Attributes
    ----------
    score : str or None
        The name of the score, such as ``"bdeu"``; None where the scores come from elsewhere.
    ess : float or None
        The equivalent sample size; None where the score has none.
    max_parents : int or None
        The limit on the number of parents.
    structure_prior : str
        The structure prior.
    required, forbidden : tuple of (parent, child)
        Edges that every network has, or that none has; tiers count as forbidden edges.
    data : str or None
        The digest of the data (:attr:`dagscape.Dataset.fingerprint`); None where it is unknown.
    rows, dropped_rows, experimental_rows : int or None
        Rows of the data, rows left out for missing cells, and rows in which some variable was set.
    score_equivalent : bool
        Whether Markov-equivalent networks have identical scores.

    Examples
    --------
    >>> import dagscape as ds
    >>> info = ds.local_scores(ds.load_dataset("tic-tac-toe")).info
    >>> info.score, info.ess, info.score_equivalent
    ('bdeu', 1.0, True)
    """

    score: str | None = None
    ess: float | None = None
    max_parents: int | None = None
    structure_prior: str = "uniform"
    required: tuple[NamedEdge, ...] = ()
    forbidden: tuple[NamedEdge, ...] = ()
    data: str | None = None
    rows: int | None = None
    dropped_rows: int | None = None
    experimental_rows: int | None = None
    # It follows from the rest, and files of version 0.1.0 do not say it.
    score_equivalent: bool = field(default=False, compare=False)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild it from :meth:`to_dict`; what the document lacks has its default, what it has besides is ignored."""
        known = {entry.name: document[entry.name] for entry in fields(cls) if entry.name in document}
        for option in ("required", "forbidden"):
            known[option] = tuple((parent, child) for parent, child in known.get(option, ()))
        return cls(**known)

    def to_dict(self) -> dict[str, Any]:
        """The facts as JSON has them: lists in place of tuples."""
        edges = {option: [list(edge) for edge in getattr(self, option)] for option in ("required", "forbidden")}
        return asdict(self) | edges
