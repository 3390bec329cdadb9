"""Predictions of new rows, averaged over sampled networks, each of which counts once for every time it was drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.ensembles.listed_networks import ListedNetworks
from dagscape.ensembles.prediction import log_predictive_rows, predict_rows
from dagscape.graphs.lists import DagList
from dagscape.networks.discrete.fitting import FitPrior
from dagscape.networks.discrete.queries import check_one_target, most_probable

if TYPE_CHECKING:
    import pandas as pd


class PredictingSamples(ListedNetworks):
    """A list of sampled networks that predicts new rows."""

    __slots__ = ()

    def log_predictive(
        self, train: Any, rows: Any, *, ess: float | None = None, prior: FitPrior | None = None
    ) -> NDArray[np.float64]:
        """Return the log-probability of new rows given the data of the scores, averaged over the networks.

        Parameters
        ----------
        train : Dataset or data frame
            The data that the scores were computed from.
        rows : Dataset, data frame or path
            New rows of the same variables.
        ess, prior
            How tables are fitted, as in :meth:`dagscape.Network.fit`. Default: as the scores assume.

        Returns
        -------
        array of float
            As from :meth:`dagscape.BestNetworks.log_predictive`.
        """
        networks, logs = self._weighted
        return log_predictive_rows(networks, self.score_info, logs, train, rows, ess, prior, classes=False)

    def predict(
        self, train: Any, rows: Any, target: str, *, ess: float | None = None, prior: FitPrior | None = None
    ) -> pd.DataFrame:
        """Return the probability of each level of a variable given the others, averaged over the networks.

        Parameters
        ----------
        train, ess, prior
            As in :meth:`log_predictive`.
        rows : Dataset, data frame or path
            New rows; they may lack columns and cells, as for :meth:`dagscape.BestNetworks.predict`.
        target : str
            The variable to predict.

        Returns
        -------
        DataFrame
            A column for each level of the target, as from :meth:`dagscape.BestNetworks.predict`.
        """
        check_one_target(target)
        self._number(target)
        networks, logs = self._weighted
        return predict_rows(networks, self.score_info, logs, train, rows, target, ess, prior, classes=False)

    def classify(
        self, train: Any, rows: Any, target: str, *, ess: float | None = None, prior: FitPrior | None = None
    ) -> pd.Series[Any]:
        """Return the most probable level of a variable in each row, in its own type; the first of several.

        Parameters
        ----------
        train, rows, target, ess, prior
            As in :meth:`predict`.
        """
        return most_probable(self.predict(train, rows, target, ess=ess, prior=prior))

    @property
    def _weighted(self) -> tuple[DagList, NDArray[np.float64]]:
        """The different networks, and the logarithm of how often each was drawn."""
        first, places = self.networks.distinct()
        return DagList(self.variables, self.networks.parents[first]), np.log(np.bincount(places))
