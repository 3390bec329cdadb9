"""A summary of scores: the best families of each variable."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from dagscape.core.wording import plural
from dagscape.results.base import ScoredResult, check_known
from dagscape.results.decoding import Count
from dagscape.scores.tables.enumerable_scores import EnumerableScores, check_scores
from dagscape.scores.tables.families import Family

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, eq=False)
class ScoreSummary(ScoredResult):
    """The best families of each variable.

    Attributes
    ----------
    max_parents : int
        The largest number of parents of a family.
    complete : bool or None
        Whether every family of up to ``max_parents`` parents was scored (``None``: unknown).
    score_equivalent : bool
        Whether Markov-equivalent networks have identical scores.
    family_count : int
        The number of families.
    memory : int
        The memory of the scores, in bytes.
    families : tuple of Family
        The best families of each variable in turn, best first.
    """

    kind: ClassVar[str] = "score-summary"

    max_parents: Count
    complete: bool | None
    score_equivalent: bool
    family_count: Count
    memory: Count
    families: tuple[Family, ...]

    def _check(self) -> None:
        super(ScoreSummary, self)._check()
        for family in self.families:
            check_known("families", (family.child, *family.parents), self.variables)

    def to_frame(self) -> pd.DataFrame:
        """Return a data frame with one row per family."""
        import pandas as pd

        return pd.DataFrame(
            {
                "child": [family.child for family in self.families],
                "parents": [family.parents for family in self.families],
                "score": [family.score for family in self.families],
            }
        )

    def __repr__(self) -> str:
        families = plural(self.family_count, "family", "families")
        return f"ScoreSummary({plural(len(self.variables), 'variable')}, {families})"


def summarize_scores(scores: EnumerableScores, top: int = 3) -> ScoreSummary:
    """Find the best families of each variable.

    Parameters
    ----------
    scores : EnumerableScores
        The scores.
    top : int
        How many families of each variable to list.

    Examples
    --------
    >>> import dagscape as ds
    >>> summary = ds.summarize_scores(ds.local_scores(ds.load_dataset("tic-tac-toe")), top=1)
    >>> summary.families[4].parents
    ('top-right-square', 'bottom-left-square', 'Class')
    """
    check_scores(scores)
    families = (family for name in scores.variables for family in scores.families(name, top))
    return ScoreSummary(
        variables=scores.variables,
        provenance=scores.provenance,
        warnings=scores.info.warnings,
        score_info=scores.info,
        max_parents=scores.max_parents,
        complete=scores.complete,
        score_equivalent=scores.score_equivalent,
        family_count=scores.family_count,
        memory=scores.nbytes,
        families=tuple(families),
    )
