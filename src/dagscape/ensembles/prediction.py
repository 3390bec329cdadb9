"""Prediction of new rows by a list of networks: checks of the data, the order of rows, and the prior.

The averages are computed by :mod:`dagscape.ensembles.mixtures`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.data.dataset import Dataset, encode_rows
from dagscape.data.frames import table_from_frame
from dagscape.data.values import Frame, as_dataset
from dagscape.ensembles.mixtures import log_predictive, predict
from dagscape.ensembles.ranked_networks import RankedNetworks
from dagscape.errors import InvalidOption, argument
from dagscape.networks.fitting import FitPrior, fit_options


def predict_rows(
    networks: RankedNetworks,
    log_weights: NDArray[np.float64],
    train: Dataset,
    rows: Any,
    target: str | None,
    ess: float | None,
    prior: FitPrior | None,
    *,
    classes: bool,
) -> NDArray[np.float64]:
    """Return log-probabilities of rows, or the probabilities of a target's levels, in the order of the rows.

    With ``classes``, each network represents its equivalence class.
    """
    train = _checked_train(networks, train)
    data, places = _encoded(networks.variables, train, rows, target)
    fit = _fit_options(networks, classes, ess, prior)
    weighted = (networks.variables, networks.networks.parents, log_weights, train, data)
    found = log_predictive(*weighted, *fit) if target is None else predict(*weighted, target, *fit)
    return found[places]


def _checked_train(networks: RankedNetworks, given: Dataset | Frame) -> Dataset:
    train = as_dataset(given, "train")
    scored = None if networks.score_info is None else networks.score_info.data
    if scored is not None and train.fingerprint != scored:
        raise InvalidOption("is not the data that the scores come from", option="train")
    return train


def _encoded(
    variables: tuple[str, ...], train: Dataset, rows: Any, target: str | None
) -> tuple[Dataset, NDArray[np.int64]]:
    """Return new rows as a data set, and the index of each in it."""
    if isinstance(rows, Dataset):
        return rows, np.arange(len(rows.codes))
    table = table_from_frame(rows, source="rows")
    wanted = [name for name in table.names if name in variables and name != target]
    return encode_rows(table.only(wanted), levels={name: train.levels[name] for name in wanted})


def _fit_options(
    networks: RankedNetworks, classes: bool, ess: float | None, prior: FitPrior | None
) -> tuple[float, FitPrior]:
    """Return the requested options of the fit; they default to those of the scores."""
    scored_ess, scored_prior = fit_options(networks.score_info)
    prior = scored_prior if prior is None else prior
    if prior == "k2" and classes:
        raise InvalidOption(
            f"is 'k2', which differs between members of a class: use a list of DAGs, or {argument('prior', 'bdeu')}",
            option="prior",
        )
    return scored_ess if ess is None else ess, prior
