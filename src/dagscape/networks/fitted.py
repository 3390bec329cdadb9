"""The network that is fitted to data of any kind, with the prior that scores assume."""

from __future__ import annotations

from numbers import Real
from typing import TYPE_CHECKING, Any

from dagscape.core.errors import InvalidOption
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.mixed.mixed import MixedData
from dagscape.networks.discrete.fitting import fit_options
from dagscape.networks.discrete.network import Network
from dagscape.networks.gaussian.conditional import ConditionalGaussianNetwork
from dagscape.networks.gaussian.gaussian import GaussianNetwork

if TYPE_CHECKING:
    from collections.abc import Mapping

    from dagscape.data.any_data import AnyData
    from dagscape.graphs.dag import Dag
    from dagscape.networks.expectation_maximisation import FitMissing
    from dagscape.networks.gaussian.fitting import Method
    from dagscape.results.score_info import ScoreInfo

# The parameters of scores that are also those of the prior of regressions.
REGRESSION_PRIOR = ("alpha_mu", "alpha_w", "nu", "scale")

# The score whose alpha_w counts columns, with those that stand for the levels of discrete variables.
_SCORE_OF_COLUMNS = "dg-bge"


def network_of(
    dag: Dag, data: AnyData, info: ScoreInfo | None, *, missing: FitMissing = "error"
) -> Network | GaussianNetwork | ConditionalGaussianNetwork:
    """Return a network with the parameters that are expected given the data, under the prior of the scores.

    With ``missing="em"``, they are fitted to incomplete rows by EM.

    Examples
    --------
    >>> import dagscape as ds
    >>> numbers = ds.read_data("builtin:iris", kind="numeric", drop=["class"])
    >>> found = ds.optimal_network(ds.local_scores(numbers, score="bge"))
    >>> network_of(found.network, numbers, found.score_info)
    GaussianNetwork(4 variables, 5 edges, 13 free parameters)
    """
    if isinstance(data, Dataset):
        return Network.fit(dag, data, *fit_options(info), missing=missing)
    if info is None:
        return measured_network_of(dag, data, "posterior-mean", "", {}, missing=missing)
    return measured_network_of(dag, data, "posterior-mean", info.score or "", info.parameters, missing=missing)


def measured_network_of(
    dag: Dag,
    data: AnyData,
    method: Method,
    score: str,
    parameters: Mapping[str, Any],
    *,
    missing: FitMissing = "error",
) -> GaussianNetwork | ConditionalGaussianNetwork:
    """Return a network with measured variables, with the prior that parameters of scores name; others are ignored.

    Parameters
    ----------
    dag : Dag
        The structure.
    data : NumericData or MixedData
        The data.
    method : {"posterior-mean", "ml"}
        How parameters are fitted.
    score : str
        The name of the score. With ``"dg-bge"``, ``alpha_w`` counts columns, of which a discrete variable has one fewer
        than observed levels; regressions have the same degrees of freedom beyond the number of measured variables.
    parameters : mapping
        Parameters of the score, such as ``{"alpha_mu": 0.5}``.
    missing : {"error", "em"}
        Whether incomplete rows are refused, or fitted by EM.
    """
    prior = {name: parameters[name] for name in REGRESSION_PRIOR if name in parameters}
    if score.lower() == _SCORE_OF_COLUMNS and isinstance(data, MixedData) and isinstance(prior.get("alpha_w"), Real):
        prior["alpha_w"] = _without_levels(float(prior["alpha_w"]), data)
    # With discrete variables alone, too, it is a network for mixed data.
    if isinstance(data, Dataset) or (isinstance(data, MixedData) and data.levels):
        return ConditionalGaussianNetwork.fit(
            dag, data, method, ess=parameters.get("ess", 1.0), missing=missing, **prior
        )
    return GaussianNetwork.fit(dag, data, method, missing=missing, **prior)


def _without_levels(alpha_w: float, data: MixedData) -> float:
    """Return the degrees of freedom for measured variables alone, from those for all columns."""
    columns = data.indicator_count + len(data.measured)
    if alpha_w <= columns + 1:
        raise InvalidOption(f"is {alpha_w:g}; with {columns} columns, it must be greater than {columns + 1}", "alpha_w")
    return alpha_w - data.indicator_count
