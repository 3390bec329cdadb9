"""New rows, predicted by a list of networks: whose data, which rows in which order, and which prior.

The averages themselves are those of :mod:`dagscape.ensembles.mixtures`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.data.dataset import Dataset, encode_rows
from dagscape.data.frames import table_from_frame
from dagscape.ensembles.mixtures import log_predictive, predict
from dagscape.ensembles.ranked_networks import RankedNetworks
from dagscape.errors import InvalidOption
from dagscape.networks.fitting import FitPrior


def predict_rows(
    networks: RankedNetworks,
    log_weights: NDArray[np.float64],
    train: Dataset,
    rows: Any,
    target: str | None,
    ess: float | None,
    prior: FitPrior | None,
) -> NDArray[np.float64]:
    """Log-probabilities of rows, or the probabilities of a target's levels, in the order of the rows."""
    _check_train(networks, train)
    data, places = _encoded(networks.variables, train, rows, target)
    fit = _fit_options(networks, ess, prior)
    weighed = (networks.variables, networks.networks.parents, log_weights, train, data)
    found = log_predictive(*weighed, *fit) if target is None else predict(*weighed, target, *fit)
    return found[places]


def _check_train(networks: RankedNetworks, train: Dataset) -> None:
    scored = networks.provenance.parameters.get("scores", {}).get("data")
    if not isinstance(train, Dataset):
        raise InvalidOption(f"train is a {type(train).__name__}; it must be the Dataset that was scored")
    if scored is not None and train.fingerprint != scored:
        raise InvalidOption("train is not the data that the scores come from")


def _encoded(
    variables: tuple[str, ...], train: Dataset, rows: Any, target: str | None
) -> tuple[Dataset, NDArray[np.int64]]:
    """New rows as a data set, and which of its rows each of them is."""
    if isinstance(rows, Dataset):
        return rows, np.arange(len(rows.codes))
    table = table_from_frame(rows, source="rows")
    wanted = [name for name in table.names if name in variables and name != target]
    return encode_rows(table.only(wanted), levels={name: train.levels[name] for name in wanted})


def _fit_options(networks: RankedNetworks, ess: float | None, prior: FitPrior | None) -> tuple[float, FitPrior]:
    """How tables are fitted: as the user says, or else as the scores do."""
    scored = networks.provenance.parameters.get("scores", {})
    if prior is None:
        prior = "k2" if scored.get("score") == "k2" else "bdeu"
    if prior == "k2" and networks.provenance.parameters.get("space") == "classes":
        raise InvalidOption("prior 'k2' differs between members of a class: use a list of DAGs, or prior='bdeu'")
    return (scored.get("ess") or 1.0) if ess is None else ess, prior
