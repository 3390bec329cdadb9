"""Posteriors under several settings: their evidence, and the edges that change."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import check_choice
from dagscape.core.constraints import A_PROBABILITY, Whole
from dagscape.core.errors import InvalidData
from dagscape.core.wording import plural, visible
from dagscape.drawing.cut_lines import cut_lines
from dagscape.drawing.draw import Drawing
from dagscape.drawing.legend import warnings_of
from dagscape.drawing.own_pictures import OwnPicture
from dagscape.drawing.ranges import draw_ranges
from dagscape.posterior.setting import Setting, options_of, setting_shares
from dagscape.results.base import ScoredResult, check_shape, frame_html
from dagscape.results.decoding import OneOf, Probabilities
from dagscape.scores.registry import SCORES
from dagscape.studies.sensitivity_picture import range_plot

if TYPE_CHECKING:
    import pandas as pd

FEATURES = ("edges", "adjacencies")

# Settings with a lower share of the probability are ruled out by the data.
MIN_SHARE = 0.01

_ROWS_DRAWN = 25
# The columns of a frame before those of each setting.
_CHANGE_COLUMNS = 7


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Sensitivity(OwnPicture, ScoredResult):
    """Posteriors of the same data under several settings.

    Attributes
    ----------
    over : str
        ``"dags"`` or ``"orders"``, as in :class:`~dagscape.Posterior`.
    settings : tuple of Setting
        The settings, each with its evidence.
    edges : ndarray
        Settings × variables × variables: ``[i, u, v]`` is P(u → v | D) under setting i.
    """

    kind: ClassVar[str] = "sensitivity"
    derived: ClassVar[tuple[str, ...]] = ("adjacencies", "shares")

    over: Annotated[str, OneOf(("dags", "orders"))]
    settings: tuple[Setting, ...]
    edges: Probabilities

    @property
    def options(self) -> tuple[str, ...]:
        """The options of the grid, in the order in which settings vary: cuts, parameters of the score, prior, limit."""
        return options_of(self.settings)

    @property
    def adjacencies(self) -> NDArray[np.float64]:
        """``[i, u, v]`` is the probability of an edge between u and v, in either direction, under setting i."""
        return np.minimum(self.edges + self.edges.transpose(0, 2, 1), 1.0)

    @property
    def shares(self) -> NDArray[np.float64]:
        """The posterior probability of each setting, if all are equally probable before the data are seen.

        If ways of cutting numbers are compared, each of them has the same share, and its settings share that by their
        evidence: which way is right is a matter of what one wants to find, more than of the evidence.

        This holds for the Bayesian scores, BDeu and K2. For BIC and MDL it is an approximation. The exponentials of AIC
        and of the log-likelihood are not probabilities of the data, so that the shares only compare scores.
        """
        return setting_shares(self.settings)

    @property
    def best(self) -> Setting:
        """The setting with the highest evidence; the first of them if several have it."""
        return self.settings[self._best]

    @property
    def _best(self) -> int:
        return int(np.argmax([setting.log_evidence for setting in self.settings]))

    def credible(self, min_share: float = MIN_SHARE) -> tuple[int, ...]:
        """Return the numbers of the settings whose share of the probability is high enough.

        Parameters
        ----------
        min_share : float
            The lowest share. The setting with the highest evidence is always among them.
        """
        A_PROBABILITY.check(min_share, "min_share")
        kept = self.shares >= min_share
        kept[self._best] = True
        return tuple(np.flatnonzero(kept).tolist())

    def _features(self, feature: str) -> NDArray[np.float64]:
        check_choice(feature, FEATURES, "feature")
        found: NDArray[np.float64] = getattr(self, feature)
        return found

    def influence(self, feature: str = "edges") -> dict[str, float]:
        """Return how much each option of the grid changes probabilities, largest first, over all settings.

        It is the largest difference that changing this option alone makes, averaged over all pairs of variables; that
        is, over their settings of the other options too.

        Parameters
        ----------
        feature : {"edges", "adjacencies"}
            Whether pairs are ordered, or not.
        """
        values = self._features(feature)
        found = {}
        for option in self.options:
            groups: dict[tuple[object, ...], list[int]] = {}
            for i, setting in enumerate(self.settings):
                others = tuple(setting.raw(other) for other in self.options if other != option)
                groups.setdefault(others, []).append(i)
            changes = [np.ptp(values[group], axis=0) for group in groups.values()]
            n = len(self.variables)
            found[option] = float(np.mean(changes)) * (n / (n - 1) if n > 1 else 1.0)
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def to_frame(self, feature: str = "edges", *, min_share: float = MIN_SHARE) -> pd.DataFrame:
        """Return a data frame with one row per pair of variables, those that change most first.

        Parameters
        ----------
        feature : {"edges", "adjacencies"}
            The probability of an edge from source to target, or of one in either direction.
        min_share : float
            Leave out settings whose share of the probability is lower; that with the highest evidence always stays.
            Zero keeps all settings.

        Returns
        -------
        DataFrame
            ``source``, ``target``, the ``lowest`` and ``highest`` probability and their difference ``range``, the
            settings ``lowest_at`` and ``highest_at`` where they occur, and a column for each setting.
        """
        import pandas as pd

        kept = self.credible(min_share)
        values = self._features(feature)[list(kept)]
        n = len(self.variables)
        pairs = [(u, v) for u in range(n) for v in range(n) if u != v and (feature == "edges" or u < v)]
        labels = [self.settings[i].label for i in kept]
        rows = []
        for u, v in pairs:
            here = values[:, u, v]
            low, high = int(here.argmin()), int(here.argmax())
            ends = (float(here[low]), float(here[high]))
            rows.append((self.variables[u], self.variables[v], *ends, ends[1] - ends[0], labels[low], labels[high]))
        header = ["source", "target", "lowest", "highest", "range", "lowest_at", "highest_at"]
        frame = pd.DataFrame(rows, columns=header)
        each = pd.DataFrame([values[:, u, v] for u, v in pairs], columns=labels, dtype=np.float64)
        return pd.concat([frame, each], axis=1).sort_values("range", ascending=False, kind="stable", ignore_index=True)

    def changes(self, threshold: float = 0.5, feature: str = "edges", *, min_share: float = MIN_SHARE) -> pd.DataFrame:
        """Return the rows of :meth:`to_frame` that cross a threshold: below it in one setting, and not in another.

        Parameters
        ----------
        threshold : float
            A probability.
        feature, min_share
            As in :meth:`to_frame`.
        """
        A_PROBABILITY.check(threshold, "threshold")
        frame = self.to_frame(feature, min_share=min_share)
        crossing = (frame["lowest"] < threshold) & (frame["highest"] >= threshold)
        return frame[crossing].reset_index(drop=True)

    def settings_frame(self) -> pd.DataFrame:
        """Return all settings, one per row, with their evidence and their share of the probability.

        Returns
        -------
        DataFrame
            ``setting`` (its label), ``discretize`` if numbers were cut in several ways, the parameters of the score
            (``ess``), ``structure_prior``, ``max_parents``, ``log_evidence``, ``share``, ``parent_states``, ``error``
            and ``seconds``.
        """
        import pandas as pd

        columns: dict[str, Any] = {"setting": [setting.label for setting in self.settings]}
        columns |= {option: [s.raw(option) for s in self.settings] for option in self.options}
        columns |= {"log_evidence": [s.log_evidence for s in self.settings], "share": self.shares}
        columns |= {name: [getattr(s, name) for s in self.settings] for name in ("parent_states", "error", "seconds")}
        return pd.DataFrame(columns)

    def draw(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        feature: str = "edges",
        rows: int = _ROWS_DRAWN,
        title: str | None = None,
        min_share: float = MIN_SHARE,
    ) -> Drawing | None:
        """Draw the range of each probability: a mark for each setting.

        Probabilities that cross 0.5 come first, then those that change most.

        Parameters
        ----------
        path : path, optional
            The file to write: ``.svg``, or ``.png`` or ``.pdf`` with matplotlib. Default: return the SVG.
        feature : {"edges", "adjacencies"}
            As in :meth:`to_frame`.
        rows : int
            The most rows to draw.
        title : str, optional
            A title. Default: what is drawn.
        min_share : float
            Settings whose share of the probability is lower are faint, and count neither for the ranges nor for their
            order.
        """
        Whole(1).check(rows, "rows")
        plot = range_plot(self, feature, rows, title, min_share)
        return draw_ranges(replace(plot, warnings=(*cut_lines(self), *warnings_of(self))), path)

    def _picture(self) -> str | None:
        return draw_ranges(range_plot(self, "edges", _ROWS_DRAWN, None, MIN_SHARE))

    def _table_html(self) -> str:
        settings = self.settings_frame().drop(columns=["error", "seconds"])
        changes = self.changes().iloc[:, :_CHANGE_COLUMNS]
        most = settings.sort_values("share", ascending=False, kind="stable")
        sentences = [self.summary(), *filter(None, [self.on_defaults()])]
        said = "\n".join(f"<p>{html.escape(sentence)}</p>" for sentence in sentences)
        return f"{frame_html(most)}\n{said}\n{frame_html(changes)}"

    def _file_frame(self) -> pd.DataFrame:
        return self.to_frame(min_share=0.0)

    def summary(self, threshold: float = 0.5, *, min_share: float = MIN_SHARE) -> str:
        """Return one sentence on how many edges cross a threshold.

        Parameters
        ----------
        threshold, min_share
            As in :meth:`changes`.
        """
        count, kept = len(self.settings), len(self.credible(min_share))
        crossing = self._crossing(threshold, min_share)
        edges = _edges_cross(crossing)
        if kept == count:
            return f"between all settings, {edges} {threshold:g}"
        share, every = f"a share of at least {100 * min_share:g}%", plural(self._crossing(threshold, 0.0), "edge")
        compared = (
            f"only {self.best.label} has {share}, so {edges}"
            if kept == 1
            else f"{kept} settings have {share}: between them {edges}"
        )
        return f"{compared} {threshold:g} (between all {count} settings: {every})"

    def on_defaults(self, threshold: float = 0.5, *, min_share: float = MIN_SHARE) -> str | None:
        """Return a sentence on the defaults of scores, if they are in the grid and the data rule them out; else None.

        They are those of :func:`dagscape.local_scores`. Posteriors of data average over settings.

        Parameters
        ----------
        threshold, min_share
            As in :meth:`changes`.
        """
        score = SCORES.get((self.score_info.score if self.score_info else None) or "bdeu")
        defaults = {} if score is None else {parameter.name: parameter.default for parameter in score.parameters}
        default = next((i for i, setting in enumerate(self.settings) if setting.is_default(defaults)), None)
        if default is None or default in self.credible(min_share):
            return None
        above = self.edges[[default, self._best]] >= threshold
        differ = int((above[0] != above[1]).sum())
        return (
            f"the defaults of scores ({self.settings[default].label}) have a share of {self.shares[default]:.1g}: "
            f"{_edges_cross(differ)} {threshold:g} between them and those with the highest evidence ({self.best.label})"
        )

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild a result from a document of :meth:`to_dict`."""
        settings, variables = document.get("settings"), document.get("variables")
        if isinstance(settings, list) and isinstance(variables, list):
            most = len(variables) - 1
            # Earlier files do not say which settings have no limit on the number of parents.
            complete = [
                {"unlimited": entry.get("max_parents") == most, **entry} if isinstance(entry, Mapping) else entry
                for entry in settings
            ]
            document = {**document, "settings": complete}
        return super(Sensitivity, cls).from_dict(document)

    def _check(self) -> None:
        super(Sensitivity, self)._check()
        if not self.settings:
            raise InvalidData("there are no settings; there must be at least one")
        if len({tuple(setting.parameters) for setting in self.settings}) > 1:
            raise InvalidData("the settings do not all have the same parameters of the score, such as ess")
        n = len(self.variables)
        check_shape("edges", self.edges, (len(self.settings), n, n))

    def _crossing(self, threshold: float, min_share: float) -> int:
        """Return the number of edges that cross a threshold, without the frame of :meth:`changes`."""
        values = self.edges[list(self.credible(min_share))]
        return int(((values.min(axis=0) < threshold) & (values.max(axis=0) >= threshold)).sum())

    def __repr__(self) -> str:
        kept = len(self.credible())
        crossing = self._crossing(0.5, MIN_SHARE)
        return visible(
            f"Sensitivity(over {self.over}, {plural(len(self.variables), 'variable')}, "
            f"{plural(len(self.settings), 'setting')}, {kept} with a share of at least {100 * MIN_SHARE:g}%, "
            f"{plural(crossing, 'edge')} {'crosses' if crossing == 1 else 'cross'} 0.5 between these, "
            f"highest evidence: {self.best.label})"
        )


def _edges_cross(count: int) -> str:
    return {0: "no edge crosses", 1: "1 edge crosses"}.get(count, f"{count:,} edges cross")
