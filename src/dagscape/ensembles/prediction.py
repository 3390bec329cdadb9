"""Prediction of new rows by a list of networks: checks of the data, the order of rows, and the prior.

The averages are computed by :mod:`dagscape.ensembles.mixtures`; for rows in which some variables are not observed, by
:mod:`dagscape.ensembles.partial_rows`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidOption, argument
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.tables.frames import is_empty_frame
from dagscape.data.values import as_dataset, encode_frame
from dagscape.ensembles import mixtures, partial_rows
from dagscape.ensembles.mixtures import Mixture, level_shares, log_predictive
from dagscape.graphs.lists import DagList
from dagscape.networks.discrete.evidence import UNOBSERVED, as_rows, observed_rows
from dagscape.networks.discrete.fitting import FamilyFitter, FitPrior, fit_options
from dagscape.networks.discrete.queries import probability_frame, typed_index
from dagscape.results.score_info import ScoreInfo

if TYPE_CHECKING:
    import pandas as pd


def log_predictive_rows(
    networks: DagList,
    info: ScoreInfo | None,
    log_weights: NDArray[np.float64],
    train: Any,
    rows: Any,
    ess: float | None,
    prior: FitPrior | None,
    *,
    classes: bool,
) -> NDArray[np.float64]:
    """Return log-probabilities of rows, in their order. With ``classes``, each network represents its class."""
    known = _checked_train(info, train)
    rows = as_rows(rows)
    if is_empty_frame(rows):
        return np.empty(0)
    data, places = _encoded(networks.variables, known, rows)
    fit = _fit_options(info, classes, ess, prior)
    return log_predictive(networks.variables, networks.parents, log_weights, known, data, *fit)[places]


def predict_rows(
    networks: DagList,
    info: ScoreInfo | None,
    log_weights: NDArray[np.float64],
    train: Any,
    rows: Any,
    target: str,
    ess: float | None,
    prior: FitPrior | None,
    *,
    classes: bool,
) -> pd.DataFrame:
    """Return the probabilities of a target's levels in each row; ``classes`` as in :func:`log_predictive_rows`."""
    known = _checked_train(info, train)
    number = networks.variables.index(target)
    observed = observed_rows(networks.variables, known.levels, known.discretizer, rows, target)
    fitter = FamilyFitter.of(networks.variables, known, *_fit_options(info, classes, ess, prior))
    mixture = Mixture.of(networks.variables, networks.parents, log_weights)
    complete = (np.delete(observed.codes, number, axis=1) != UNOBSERVED).all(axis=1)
    joint = np.empty((len(complete), fitter.arities[number]))
    if complete.any():
        codes, chosen = (np.delete(cells[complete], number, axis=1) for cells in (observed.codes, observed.chosen))
        joint[complete] = mixtures.log_joint(mixture, fitter, number, codes, chosen if chosen.any() else None)
    if not complete.all():
        joint[~complete] = partial_rows.log_joint(mixture, fitter, number, observed.take(~complete))
    levels = typed_index(target, known.levels[target], known.types[target])
    return probability_frame(level_shares(joint)[observed.places], observed.index, levels)


def _checked_train(info: ScoreInfo | None, train: Any) -> Dataset:
    data = as_dataset(train, "train")
    scored = None if info is None else info.data
    if scored is not None and data.fingerprint != scored:
        raise InvalidOption("is not the data that the scores come from", option="train")
    return data


def _encoded(variables: tuple[str, ...], train: Dataset, rows: Any) -> tuple[Dataset, NDArray[np.intp]]:
    """Return new rows as a data set, and the index of each in it."""
    if isinstance(rows, Dataset):
        return rows, np.arange(len(rows.codes))
    return encode_frame(rows, {name: train.levels[name] for name in variables}, train.discretizer, "rows")


def _fit_options(
    info: ScoreInfo | None, classes: bool, ess: float | None, prior: FitPrior | None
) -> tuple[float, FitPrior]:
    """Return the requested options of the fit; they default to those of the scores."""
    scored_ess, scored_prior = fit_options(info)
    prior = scored_prior if prior is None else prior
    if prior == "k2" and classes:
        raise InvalidOption(
            f"is 'k2', which differs between members of a class: use a list of DAGs, or {argument('prior', 'bdeu')}",
            option="prior",
        )
    return scored_ess if ess is None else ess, prior
