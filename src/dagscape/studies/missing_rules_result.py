"""Probabilities of edges under several rules for missing cells, and the edges that change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import check_choice
from dagscape.core.constraints import A_PROBABILITY
from dagscape.core.errors import InvalidData
from dagscape.core.wording import plural
from dagscape.results.base import ScoredResult, check_shape
from dagscape.results.decoding import Count, Probabilities

if TYPE_CHECKING:
    import pandas as pd

# Rules that find one network, which has no probabilities.
OF_ONE_NETWORK = ("em", "pnal")

_FEATURES = ("adjacencies", "edges")
_NAMES = {"adjacencies": ("adjacency crosses", "adjacencies cross"), "edges": ("edge crosses", "edges cross")}


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MissingRules(ScoredResult):
    """The same table under several rules for missing cells.

    Attributes
    ----------
    rules : tuple of str
        The rules.
    rows : tuple of int
        The number of rows that count under each.
    edges : ndarray
        Rules × variables × variables: ``[i, u, v]`` is P(u → v | D) under rule i.
    errors : ndarray
        The Monte Carlo errors of :attr:`edges`; 0 where they are exact, or those of one network.
    verdict : str
        What the chains of ``sample`` say about themselves; empty without chains.
    """

    kind: ClassVar[str] = "missing-rules"
    derived: ClassVar[tuple[str, ...]] = ("adjacencies",)

    rules: tuple[str, ...]
    rows: tuple[Count, ...]
    edges: Probabilities
    errors: NDArray[np.float64]
    verdict: str = ""

    @property
    def adjacencies(self) -> NDArray[np.float64]:
        """``[i, u, v]`` is the probability of an edge between u and v, in either direction, under rule i."""
        return np.minimum(self.edges + self.edges.transpose(0, 2, 1), 1.0)

    def to_frame(self, feature: str = "adjacencies") -> pd.DataFrame:
        """Return a data frame with one row per pair of variables, those that change most first.

        Parameters
        ----------
        feature : {"adjacencies", "edges"}
            The probability of an edge in either direction, or of one from source to target.

        Returns
        -------
        DataFrame
            ``source``, ``target``, the ``lowest`` and ``highest`` probability and their difference ``range``, and a
            column for each rule.
        """
        import pandas as pd

        check_choice(feature, _FEATURES, "feature")
        values: NDArray[np.float64] = getattr(self, feature)
        n = len(self.variables)
        pairs = [(u, v) for u in range(n) for v in range(n) if u != v and (feature == "edges" or u < v)]
        found = np.array([values[:, u, v] for u, v in pairs], dtype=np.float64).reshape(len(pairs), len(self.rules))
        columns: dict[str, object] = {
            "source": [self.variables[u] for u, _ in pairs],
            "target": [self.variables[v] for _, v in pairs],
            "lowest": found.min(axis=1),
            "highest": found.max(axis=1),
            "range": np.ptp(found, axis=1),
        }
        columns |= dict(zip(self.rules, found.T, strict=True))
        return pd.DataFrame(columns).sort_values(
            ["range", "highest"], ascending=False, kind="stable", ignore_index=True
        )

    def changes(self, threshold: float = 0.5, feature: str = "adjacencies") -> pd.DataFrame:
        """Return the rows of :meth:`to_frame` that cross a threshold: below it under one rule, and not under another.

        Parameters
        ----------
        threshold : float
            A probability.
        feature : {"adjacencies", "edges"}
            As in :meth:`to_frame`.
        """
        A_PROBABILITY.check(threshold, "threshold")
        frame = self.to_frame(feature)
        crossing = (frame["lowest"] < threshold) & (frame["highest"] >= threshold)
        return frame[crossing].reset_index(drop=True)

    def summary(self, threshold: float = 0.5, feature: str = "adjacencies") -> str:
        """Return one sentence on how many edges cross a threshold.

        Parameters
        ----------
        threshold, feature
            As in :meth:`changes`.
        """
        if len(self.rules) == 1:
            return f"{self.rules[0]} is the only rule, so that there is nothing to compare it with"
        return f"between {self._named}, {self._crossing(threshold, feature)} {threshold:g}"

    @property
    def _named(self) -> str:
        *others, last = self.rules
        return f"{', '.join(others)} and {last}" if others else last

    def _crossing(self, threshold: float, feature: str = "adjacencies") -> str:
        one, many = _NAMES[feature]
        count = len(self.changes(threshold, feature))
        return f"1 {one}" if count == 1 else f"{count:,} {many}"

    def _check(self) -> None:
        super(MissingRules, self)._check()
        if not self.rules:
            raise InvalidData("there are no rules; there must be at least one")
        if len(self.rows) != len(self.rules):
            raise InvalidData(f"there are {len(self.rows)} numbers of rows for {plural(len(self.rules), 'rule')}")
        n = len(self.variables)
        for name in ("edges", "errors"):
            check_shape(name, getattr(self, name), (len(self.rules), n, n))

    def __repr__(self) -> str:
        variables = plural(len(self.variables), "variable")
        crossing = f", {self._crossing(0.5)} 0.5" if len(self.rules) > 1 else ""
        return f"MissingRules({self._named}, {variables}{crossing})"
