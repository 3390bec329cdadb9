"""Questions to a network: probabilities given evidence, and predictions of rows.

The probabilities are computed by :mod:`dagscape.networks.discrete.elimination`; this module checks the questions, and
labels the answers with values of the columns' own types. Rows that observe the same variables are answered together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, InvalidOption, did_you_mean, type_of
from dagscape.data.discrete.rows import distinct_rows
from dagscape.data.tables.value_types import own_values
from dagscape.networks.discrete.elimination import Joint, Tables
from dagscape.networks.discrete.evidence import observed_codes, observed_rows
from dagscape.networks.discrete.explaining import explain

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.networks.discrete.evidence import Evidence
    from dagscape.networks.discrete.network import Network


def query(
    network: Network, target: str | Sequence[str], evidence: Evidence | None, max_memory: int | str | None
) -> pd.Series[float]:
    """Return the probabilities of targets; the work of :meth:`dagscape.networks.discrete.network.Network.query`."""
    import pandas as pd

    targets = _checked_targets(network, target)
    codes = observed_codes(network.levels, network.discretizer, evidence, targets)
    for name in targets:
        if name in codes:
            raise InvalidOption(f"is {name!r}, which is also in the evidence", option="target")
    joint = _joint(network, targets, codes, max_memory)
    total = float(joint.totals[0])
    if not total:
        raise InvalidData(f"the evidence {_shown(network, codes)} has probability 0 in the network")
    labels = [level_index(network, name) for name in targets]
    index = labels[0] if isinstance(target, str) else pd.MultiIndex.from_product(labels, names=targets)
    return pd.Series(joint.values[0].ravel() / total, index=index, name="probability")


def most_probable_levels(network: Network, evidence: Evidence | None, max_memory: int | str | None) -> pd.Series[Any]:
    """Return the most probable explanation; the work of :meth:`dagscape.Network.most_probable`."""
    import pandas as pd

    observed = observed_codes(network.levels, network.discretizer, evidence)
    number = {name: index for index, name in enumerate(network.variables)}
    codes = explain(network_tables(network), {number[name]: code for name, code in observed.items()}, max_memory)
    if codes is None:
        raise InvalidData(f"the evidence {_shown(network, observed)} has probability 0 in the network")
    levels = [level_index(network, name)[codes[number[name]]] for name in network.variables]
    return pd.Series(levels, index=pd.Index(network.variables, name="variable"), name="level", dtype=object)


def log_probability(network: Network, evidence: Evidence, max_memory: int | str | None) -> float:
    """Return ln P(evidence); the work of :meth:`dagscape.networks.discrete.network.Network.log_probability`."""
    joint = _joint(network, [], observed_codes(network.levels, network.discretizer, evidence), max_memory)
    total = float(joint.totals[0])
    return math.log(total) + float(joint.log_scale[0]) if total else -math.inf


def predict(network: Network, rows: Any, target: str, max_memory: int | str | None) -> pd.DataFrame:
    """Return the probabilities of a target's levels; the work of :meth:`dagscape.Network.predict`."""
    check_one_target(target)
    (name,) = _checked_targets(network, target)
    number = network.variables.index(name)
    observed = observed_rows(network.variables, network.levels, network.discretizer, rows, name)
    tables = network_tables(network)
    found = np.empty((len(observed.codes), len(network.levels[name])))
    # Rows that agree in what is relevant to the target are one question.
    questions: dict[tuple[tuple[int, ...], tuple[int, ...]], list[NDArray[np.intp]]] = {}
    for variables, chosen, part in observed.patterns():
        families = tables.relevant_families([number], variables, chosen, connected=True)
        questions.setdefault((families, tables.needed(families, variables)), []).append(part)
    for (families, needed), parts in questions.items():
        part = np.concatenate(parts)
        codes = observed.codes[part][:, needed]
        first, places = distinct_rows(codes, [len(network.levels[network.variables[v]]) for v in needed])
        joint = tables.joint([number], needed, codes[first], families=families, max_memory=max_memory)
        found[part] = shares(joint.values, joint.totals)[places]
    return probability_frame(found[observed.places], observed.index, level_index(network, name))


def shares(values: NDArray[np.float64], totals: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide each row by its total; the shares of a row without a total are equal.

    Examples
    --------
    >>> shares(np.array([[1.0, 3.0], [0.0, 0.0]]), np.array([4.0, 0.0])).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """
    found = np.full(values.shape, 1 / values.shape[1])
    return np.asarray(np.divide(values, totals[:, np.newaxis], out=found, where=totals[:, np.newaxis] > 0))


def probability_frame(found: NDArray[np.float64], index: Any, levels: pd.Index[Any]) -> pd.DataFrame:
    """Return the probabilities of levels as a frame, one column for each level."""
    import pandas as pd

    return pd.DataFrame(found, index=index, columns=levels)


def most_probable(probabilities: pd.DataFrame) -> pd.Series[Any]:
    """Return the most probable level in each row, the first of several, with the type of the levels.

    Examples
    --------
    >>> import pandas as pd
    >>> most_probable(pd.DataFrame([[0.5, 0.5], [0.1, 0.9]], columns=pd.Index([7, 8], name="x"))).tolist()
    [7, 8]
    """
    import pandas as pd

    levels = probabilities.columns
    return pd.Series(levels.take(probabilities.to_numpy().argmax(axis=1)), index=probabilities.index, name=levels.name)


def level_index(network: Network, variable: str) -> pd.Index[Any]:
    """Return the levels of a variable in their own type."""
    return typed_index(variable, network.levels[variable], network.types[variable])


def typed_index(name: str, levels: Sequence[str], kind: str) -> pd.Index[Any]:
    """Return levels in their own type, as labels.

    Examples
    --------
    >>> typed_index("dose", ("0", "1"), "integer").tolist()
    [0, 1]
    """
    import pandas as pd

    index: pd.Index[Any] = pd.Index(own_values(levels, kind), name=name)
    return index


def network_tables(network: Network) -> Tables:
    """Return the tables of a network by number of the variable."""
    return Tables(network.dag.parent_masks, [network.cpts[name] for name in network.variables])


def _joint(network: Network, targets: list[str], codes: Mapping[str, int], max_memory: int | str | None) -> Joint:
    number = {name: index for index, name in enumerate(network.variables)}
    observed = [number[name] for name in codes]
    evidence = np.array([list(codes.values())], dtype=np.int64).reshape(1, len(codes))
    return network_tables(network).joint([number[name] for name in targets], observed, evidence, max_memory=max_memory)


def check_one_target(target: object) -> None:
    """Refuse a target of predictions that is not a name.

    Examples
    --------
    >>> check_one_target(["lung", "bronc"])
    Traceback (most recent call last):
    dagscape.core.errors.InvalidOption: target is a list; it must be the name of one variable
    """
    if not isinstance(target, str):
        raise InvalidOption(f"is {type_of(target)}; it must be the name of one variable", option="target")


def _checked_targets(network: Network, target: object) -> list[str]:
    names = [target] if isinstance(target, str) else target
    if not isinstance(names, Sequence) or not names:
        raise InvalidOption(f"is {type_of(target)}; it must be a variable or a list of variables", option="target")
    for name in names:
        if not isinstance(name, str) or name not in network.levels:
            known = did_you_mean(name, network.variables)
            raise InvalidOption(f"is {name!r}, which is not a variable{known}", option="target")
    if len(set(names)) < len(names):
        raise InvalidOption(f"names a variable twice: {', '.join(map(repr, names))}", option="target")
    return list(names)


def _shown(network: Network, codes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} = {network.levels[name][code]}" for name, code in codes.items())
