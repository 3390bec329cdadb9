"""The result of :func:`dagscape.learn`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Self

from dagscape.core.errors import InvalidData
from dagscape.core.wording import plural, visible
from dagscape.ensembles.one_network import OneNetwork
from dagscape.graphs.comparison import Comparison, HasDag, compare
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.results.base import check_known
from dagscape.results.decoding import decode
from dagscape.scores.equivalence import distinguishes_members
from dagscape.search.trace import Step

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Learned(OneNetwork):
    """A network found by a search.

    Attributes
    ----------
    method : str
        The method that found it.
    network : Dag
        The network.
    score : float
        Its score.
    complete : bool
        Whether the search ended by itself; false if a limit or Ctrl-C ended it.
    trace : tuple of Step
        The steps of the search; :meth:`trace_frame` has them as a table.
    details : mapping
        Facts that are particular to the method.
    comparison : Comparison or None
        The comparison with a known structure; None unless :meth:`with_truth` was used.
    """

    kind: ClassVar[str] = "learned-network"
    derived: ClassVar[tuple[str, ...]] = ("compelled_edges", "reversible_edges")

    method: str
    complete: bool = True
    trace: tuple[Step, ...] = ()
    details: Mapping[str, Any] = field(default_factory=dict)
    comparison: Comparison | None = None

    def with_truth(self, truth: Dag | Cpdag | HasDag, level: str | None = None) -> Learned:
        """Return the same result with a comparison of its network with a known structure, as ``comparison``.

        Parameters
        ----------
        truth : Dag, Cpdag or Network
            The known structure.
        level : {"classes", "dags"}, optional
            What to compare, as in :func:`dagscape.compare`. Default: ``"classes"``, or ``"dags"`` if the scores
            distinguish members of a class.

        Examples
        --------
        >>> import dagscape as ds
        >>> asia = ds.load_network("asia")
        >>> found = ds.learn(asia.sample(1000, seed=1), "optimal").with_truth(asia)
        >>> found.comparison["shd"]
        5
        """
        if level is None:
            level = "dags" if distinguishes_members(self.score_info) else "classes"
        return replace(self, comparison=compare(self.network, truth, level))

    def _document(self) -> dict[str, Any]:
        compared = None if self.comparison is None else self.comparison.to_dict()
        return super(Learned, self)._document() | {"comparison": compared}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild a result from a document of :meth:`to_dict`."""
        compared = decode(Mapping[str, Any] | None, document.get("comparison"), "comparison")
        comparison = None if compared is None else Comparison.from_dict(compared)
        return super(Learned, cls).from_dict({**document, "comparison": comparison})

    def _check(self) -> None:
        super(Learned, self)._check()
        for number, step in enumerate(self.trace):
            if not step.move:
                raise InvalidData(f"trace[{number}].move is empty")
            check_known("trace", (name for edge in step.network or () for name in edge), self.variables)

    def trace_frame(self) -> pd.DataFrame:
        """Return the steps of the search, one per row: move, score and seconds."""
        import pandas as pd

        rows = [(number, step.text, step.score, step.seconds) for number, step in enumerate(self.trace)]
        return pd.DataFrame(rows, columns=["step", "move", "score", "seconds"])

    @property
    def stopped_by(self) -> str:
        """What ended the search before its own end: ``"the time limit"``, ``"Ctrl-C"`` and so on; empty if nothing."""
        return "" if self.complete else str(self.details.get("stopped_by", "the time limit"))

    def __repr__(self) -> str:
        size = f"{plural(self.network.n, 'variable')}, {plural(self.network.edge_count, 'edge')}"
        end = "" if self.complete else f", stopped by {self.stopped_by}"
        return visible(f"Learned({self.method}: {size}, score {self.score:.4f}{end})")
