"""The result of comparing probabilities of edges with a known structure."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.core.wording import plural
from dagscape.drawing.curves import Line, Panel, draw_panels
from dagscape.drawing.cut_lines import cut_lines
from dagscape.drawing.legend import warnings_of
from dagscape.ensembles.edge_probabilities import FEATURES
from dagscape.results.base import Result, check_length, check_shape
from dagscape.results.decoding import Count, NotNegative, OneOf, Probabilities, Share

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class EdgeAccuracy(Result):
    """Probabilities of edges against a known structure.

    Attributes
    ----------
    feature : str
        ``"edges"``, ``"adjacencies"`` or ``"ancestors"``: what has the probabilities.
    pairs, positives : int
        The number of pairs of variables, and of those that are true. Pairs are ordered, but not for adjacencies.
    left_out : int
        The number of pairs whose direction the known equivalence class leaves open.
    thresholds : array of float
        The different probabilities, highest first.
    true_positives, false_positives : tuple of int
        The number of true and of other pairs with at least these probabilities.
    bin_counts, bin_positives : tuple of int
        For bins of equal width from 0 to 1: the number of pairs with a probability in the bin, and of true ones. The
        last bin includes 1.
    bin_means : array of float
        The average probability in each bin; the middle of the bin if it is empty.
    brier : float
        The average of (p - y)².
    log_loss : float
        The average of -ln P(y); infinite if a pair had the probability 0 but is true, or 1 and is not.
    """

    kind: ClassVar[str] = "edge-accuracy"
    derived: ClassVar[tuple[str, ...]] = ("auc", "average_precision", "calibration_error")

    feature: Annotated[str, OneOf(tuple(FEATURES))]
    pairs: Count
    positives: Count
    left_out: Count
    thresholds: Probabilities
    true_positives: tuple[Count, ...]
    false_positives: tuple[Count, ...]
    bin_counts: tuple[Count, ...]
    bin_positives: tuple[Count, ...]
    bin_means: Probabilities
    brier: Share
    log_loss: NotNegative

    @property
    def true_positive_rates(self) -> NDArray[np.float64]:
        """The share of the true pairs that each threshold predicts, after 0 for none; NaN if no pair is true."""
        return _rates(self.true_positives, self.positives)

    @property
    def false_positive_rates(self) -> NDArray[np.float64]:
        """The share of the other pairs that each threshold predicts, after 0 for none; NaN if all pairs are true."""
        return _rates(self.false_positives, self.pairs - self.positives)

    @property
    def auc(self) -> float | None:
        """The area under the ROC curve; None if all pairs are true, or none is."""
        if not 0 < self.positives < self.pairs:
            return None
        x, y = self.false_positive_rates, self.true_positive_rates
        return float((np.diff(x) * (y[1:] + y[:-1]) / 2).sum())

    @property
    def average_precision(self) -> float | None:
        """The precision at each threshold, averaged over the true pairs that it adds; None if no pair is true."""
        if not self.positives:
            return None
        true, false = (np.array(counts, dtype=np.float64) for counts in (self.true_positives, self.false_positives))
        return float((np.diff(true, prepend=0.0) * true / (true + false)).sum() / self.positives)

    @property
    def calibration_error(self) -> float:
        """The distance between average probability and share of true pairs, averaged over the pairs of all bins.

        It depends on the number of bins: compare only those of the same number.
        """
        bins = zip(self.bin_counts, self.bin_positives, self.bin_means.tolist(), strict=True)
        return math.fsum(abs(mean * count - true) for count, true, mean in bins if count) / max(self.pairs, 1)

    def true_positives_at(self, false_positive_rates: ArrayLike) -> NDArray[np.float64]:
        """Return the true positive rates at some false positive rates, so that several curves can be averaged.

        Where the curve is vertical, it is the upper end.
        """
        asked = np.asarray(false_positive_rates, dtype=np.float64)
        if not ((asked >= 0) & (asked <= 1)).all():
            raise InvalidOption("holds a rate that is not from 0 to 1", option="false_positive_rates")
        x, y = self.false_positive_rates, self.true_positive_rates
        last = np.searchsorted(x, asked, side="right") - 1
        following = np.minimum(last + 1, len(x) - 1)
        width = x[following] - x[last]
        part = np.divide(asked - x[last], width, out=np.zeros_like(asked), where=width > 0)
        return np.asarray(y[last] + part * (y[following] - y[last]))

    def to_frame(self) -> pd.DataFrame:
        """Return the ROC curve: for each threshold the pairs predicted, true and not, the two rates and precision."""
        import pandas as pd

        true, false = np.array(self.true_positives, dtype=int), np.array(self.false_positives, dtype=int)
        return pd.DataFrame(
            {
                "threshold": self.thresholds,
                "true_positives": true,
                "false_positives": false,
                "true_positive_rate": self.true_positive_rates[1:],
                "false_positive_rate": self.false_positive_rates[1:],
                "precision": true / (true + false),
            }
        )

    def calibration_frame(self) -> pd.DataFrame:
        """Return the bins: their limits, pairs, average probabilities and shares of true pairs (NaN without pairs)."""
        import pandas as pd

        limits = np.linspace(0, 1, len(self.bin_counts) + 1)
        counts, positives = np.array(self.bin_counts), np.array(self.bin_positives)
        share = np.divide(positives, counts, out=np.full(len(counts), np.nan), where=counts > 0)
        return pd.DataFrame(
            {
                "from": limits[:-1],
                "to": limits[1:],
                "pairs": counts,
                "probability": np.where(counts > 0, self.bin_means, np.nan),
                "share_true": share,
            }
        )

    def plot(self, path: str | os.PathLike[str]) -> None:
        """Draw the ROC curve, and beside it the shares of true pairs by probability.

        Parameters
        ----------
        path : path
            The file to write; its suffix is the format: ``.svg``, ``.png`` or ``.pdf``.
        """
        bins = self.calibration_frame().dropna()
        area = "" if self.auc is None else f", area {self.auc:.3f}"
        draw_panels(
            path,
            [
                Panel(
                    f"ROC curve of {self.feature}{area}",
                    "false positive rate",
                    [Line("", self.false_positive_rates, self.true_positive_rates), Line("chance", [0, 1], [0, 1])],
                ),
                Panel(
                    f"calibration, Brier score {self.brier:.3f}",
                    "probability",
                    [
                        Line("share that is true", bins["probability"], bins["share_true"], marker="o"),
                        Line("calibrated", [0, 1], [0, 1]),
                    ],
                ),
            ],
            [*cut_lines(self), *warnings_of(self)],
        )

    def _check(self) -> None:
        super(EdgeAccuracy, self)._check()
        check_length("true_positives", self.true_positives, "thresholds", len(self.thresholds))
        check_length("false_positives", self.false_positives, "thresholds", len(self.thresholds))
        check_length("bin_positives", self.bin_positives, "bin_counts", len(self.bin_counts))
        check_shape("bin_means", self.bin_means, (len(self.bin_counts),))
        check_shape("thresholds", self.thresholds, (len(self.true_positives),))
        true, false = ((0, *counts) for counts in (self.true_positives, self.false_positives))
        every = [sum(counts) for counts in zip(true, false, strict=True)]
        possible = (
            len(self.bin_counts) > 0
            and sorted(set(every)) == every
            and all(list(counts) == sorted(counts) for counts in (true, false))
            and (true[-1], every[-1]) == (self.positives, self.pairs)
            and (sum(self.bin_positives), sum(self.bin_counts)) == (self.positives, self.pairs)
            and all(part <= whole for part, whole in zip(self.bin_positives, self.bin_counts, strict=True))
        )
        if not possible:
            raise InvalidData("the counts of pairs contradict each other")

    def __repr__(self) -> str:
        area = "" if self.auc is None else f"auc {self.auc:.3f}, "
        counted = f"{self.positives} of {plural(self.pairs, 'pair')} true"
        return f"EdgeAccuracy({self.feature}: {area}brier {self.brier:.4f}, {counted})"


def _rates(counts: Sequence[int], every: int) -> NDArray[np.float64]:
    rates = np.array([0, *counts], dtype=np.float64)
    return rates / every if every else np.full(len(rates), np.nan)
