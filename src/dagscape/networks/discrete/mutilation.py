"""Tables after an intervention: the variables that were set have their levels, and no parents [pearl2009]_.

The joint distribution is then the product of the other families, with these values entered: the truncated
factorisation.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidOption, did_you_mean, type_of
from dagscape.graphs.dag import Dag
from dagscape.networks.discrete.evidence import level_code

if TYPE_CHECKING:
    from dagscape.networks.discrete.network import Network


def cut_off(dag: Dag, values: object) -> Dag:
    """Return the structure without the edges into variables that were set, after checking that these are known.

    Examples
    --------
    >>> cut_off(Dag(["x", "y"], [("x", "y")]), {"y": 1}).edges
    ()
    """
    if not isinstance(values, Mapping):
        raise InvalidOption(f"is {type_of(values)}; it must map variables to values", option="do")
    masks = list(dag.parent_masks)
    for name in values:
        if name not in dag.variables:
            known = did_you_mean(name, dag.variables)
            raise InvalidOption(f"has {name!r}, which is not a variable{known}", option="do")
        masks[dag.number(name)] = 0
    return Dag(dag.variables, masks)


def check_apart(do: Mapping[str, Any] | None, evidence: object, targets: Collection[str]) -> None:
    """Refuse variables that are set although they are in question, or observed.

    Examples
    --------
    >>> check_apart({"x": 1}, {"y": 2}, ["z"])
    """
    for name in do or ():
        if name in targets:
            raise InvalidOption(f"has {name!r}, which is the target", option="do")
        if isinstance(evidence, Mapping) and name in evidence:
            raise InvalidOption(f"has {name!r}, which is also in the evidence", option="do")


def mutilated_tables(network: Network, values: Mapping[str, Any]) -> tuple[Dag, dict[str, NDArray[np.float64]]]:
    """Return the structure and the tables after variables were set; the work of :meth:`dagscape.Network.do`."""
    dag = cut_off(network.dag, values)
    cpts = dict(network.cpts)
    for name, value in values.items():
        levels = network.levels[name]
        cpts[name] = np.eye(len(levels))[level_code(name, value, levels, network.discretizer, option="do")]
    return dag, cpts
