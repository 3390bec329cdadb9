"""The network that is fitted to data of any kind, with the prior that scores assume."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
    from dagscape.networks.gaussian.fitting import Method
    from dagscape.results.score_info import ScoreInfo

# The parameters of scores that are also those of the prior of regressions.
REGRESSION_PRIOR = ("alpha_mu", "alpha_w", "nu", "scale")


def network_of(
    dag: Dag, data: AnyData, info: ScoreInfo | None
) -> Network | GaussianNetwork | ConditionalGaussianNetwork:
    """Return a network with the parameters that are expected given the data, under the prior of the scores.

    Examples
    --------
    >>> import dagscape as ds
    >>> numbers = ds.read_data("builtin:iris", kind="numeric", drop=["class"])
    >>> found = ds.optimal_network(ds.local_scores(numbers, score="bge"))
    >>> network_of(found.network, numbers, found.score_info)
    GaussianNetwork(4 variables, 5 edges, 13 free parameters)
    """
    if isinstance(data, Dataset):
        return Network.fit(dag, data, *fit_options(info))
    return measured_network_of(dag, data, "posterior-mean", {} if info is None else info.parameters)


def measured_network_of(
    dag: Dag, data: AnyData, method: Method, parameters: Mapping[str, Any]
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
    parameters : mapping
        Parameters of a score, such as ``{"alpha_mu": 0.5}``.
    """
    prior = {name: parameters[name] for name in REGRESSION_PRIOR if name in parameters}
    # With discrete variables alone, too, it is a network for mixed data.
    if isinstance(data, Dataset) or (isinstance(data, MixedData) and data.levels):
        return ConditionalGaussianNetwork.fit(dag, data, method, ess=parameters.get("ess", 1.0), **prior)
    return GaussianNetwork.fit(dag, data, method, **prior)
