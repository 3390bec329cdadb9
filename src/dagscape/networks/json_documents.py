"""Networks as JSON documents, which keep everything: structure, levels, probabilities, types and discretizer.

``docs/formats.md`` has the fields. A document is checked as it is read; what is wrong with it is one
:class:`~dagscape.core.errors.InvalidData`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, InvalidOption, brief, function, type_of
from dagscape.data.discrete.discretizing import Discretizer
from dagscape.data.tables.value_types import ValueType
from dagscape.graphs.dag import Dag
from dagscape.graphs.validation import check_graph_memory
from dagscape.networks.discrete.families import MAX_PARENTS
from dagscape.networks.discrete.network import Network
from dagscape.networks.gaussian.conditional import ConditionalGaussianNetwork, check_parents
from dagscape.networks.gaussian.gaussian import GaussianNetwork
from dagscape.networks.gaussian.regression import Regression
from dagscape.networks.writing import CONDITIONAL_GAUSSIAN, GAUSSIAN, KIND, NETWORK_KINDS, REGRESSION_FIELDS, SCHEMA
from dagscape.results.decoding import decode, place_in

_OPTIONAL = ("standard_errors", "freedom")


def network_of_document(document: Any, title: str) -> Network | GaussianNetwork | ConditionalGaussianNetwork:
    """Rebuild a network from a parsed JSON document, after checking that it is one; ``title`` names it in messages."""
    if not isinstance(document, dict) or document.get("kind") not in NETWORK_KINDS:
        kind = document.get("kind") if isinstance(document, dict) else None
        found = f"its kind is {kind!r:.60}" if isinstance(kind, str) else "it has no kind"
        raise InvalidData(f"{title!r} is not a network of dagscape: {found}, not {KIND!r}{_remedy(kind, document)}")
    kind = document["kind"]
    if document.get("schema") != SCHEMA:
        schema = document.get("schema")
        raise InvalidData(f"{title!r} has schema {brief(schema)} of {kind!r}; this version of dagscape reads {SCHEMA}")
    try:
        return network_from_dict(document) if kind == KIND else measured_network_from_dict(document)
    except (InvalidData, InvalidOption) as error:
        raise InvalidData(f"{title!r} cannot be used: {error}") from error


def network_from_dict(document: Mapping[str, Any]) -> Network:
    """Rebuild a network from a document of :func:`~dagscape.networks.writing.network_to_dict`.

    Examples
    --------
    >>> from dagscape.networks.bundled import load_network
    >>> from dagscape.networks.writing import network_to_dict
    >>> network_from_dict(network_to_dict(load_network("asia"))) == load_network("asia")
    True
    """
    names = _strings(document.get("variables"), "variables")
    levels = {name: _levels(document, name) for name in names}
    parents, dag = _structure(document, names)
    cpts = {name: _table(name, _entry(document, "cpts", name), parents[name], dag) for name in names}
    types = decode(Mapping[str, ValueType], document.get("types", {}), "types")
    title, discretizer = decode(str, document.get("name", ""), "name"), document.get("discretizer")
    cut = None if discretizer is None else Discretizer.from_dict(discretizer)
    return Network(dag, levels, cpts, title, types=types, discretizer=cut)


def measured_network_from_dict(document: Mapping[str, Any]) -> GaussianNetwork | ConditionalGaussianNetwork:
    """Rebuild a network from a document of :func:`~dagscape.networks.writing.measured_network_to_dict`.

    Examples
    --------
    >>> import dagscape as ds
    >>> from dagscape.networks.writing import measured_network_to_dict
    >>> network = ds.GaussianNetwork(ds.Dag(["x"]), {"x": ds.Regression(2.0, [], 0.5)})
    >>> measured_network_from_dict(measured_network_to_dict(network)) == network
    True
    """
    names = _strings(document.get("variables"), "variables")
    parents, dag = _structure(document, names)
    title = decode(str, document.get("name", ""), "name")
    given = document.get("levels", {})
    discrete = [name for name in names if isinstance(given, dict) and name in given]
    for name in discrete:
        check_parents(name, parents[name], given)
    regressions = {
        name: _regression(name, _entry(document, "regressions", name), parents[name], discrete, dag)
        for name in names
        if name not in discrete
    }
    if document["kind"] == GAUSSIAN:
        if discrete:
            raise InvalidData(f"it has levels of {discrete[0]!r}; its kind would be {CONDITIONAL_GAUSSIAN!r}")
        return GaussianNetwork(dag, regressions, title)
    levels = {name: _levels(document, name) for name in discrete}
    cpts = {name: _table(name, _entry(document, "cpts", name), parents[name], dag) for name in discrete}
    types = decode(Mapping[str, ValueType], document.get("types", {}), "types")
    return ConditionalGaussianNetwork(dag, levels, cpts, regressions, title, types=types)


def _structure(document: Mapping[str, Any], names: list[str]) -> tuple[dict[str, list[str]], Dag]:
    """Return the parents of each variable in the order of the document, and the DAG."""
    parents = {name: _strings(_entry(document, "parents", name), place_in("parents", name)) for name in names}
    for name, above in parents.items():
        if len(above) > MAX_PARENTS:
            raise InvalidData(f"{name!r} has {len(above)} parents; the limit is {MAX_PARENTS}")
    check_graph_memory(len(names))
    return parents, Dag.from_parents(parents)


def _levels(document: Mapping[str, Any], name: str) -> tuple[str, ...]:
    return tuple(_strings(_entry(document, "levels", name), place_in("levels", name)))


def _remedy(kind: Any, document: Any) -> str:
    """Return what to do with a document of another kind; nothing if it is not a result."""
    if not isinstance(kind, str) or kind == "discretizer" or "schema" not in document:
        return ""
    fit = function("Network.fit")
    return f"; open the result with {function('load_result')}, or fit its structure to data with {fit}"


def _entry(document: Mapping[str, Any], field: str, name: str) -> Any:
    """Return the entry of a variable in one of the objects of a document."""
    entries = document.get(field)
    if not isinstance(entries, dict):
        raise InvalidData(f"{field!r} is {type_of(entries)}; it must be an object with an entry for each variable")
    if name not in entries:
        raise InvalidData(f"{field!r} has no entry for {name!r}")
    return entries[name]


def _strings(value: Any, what: str) -> list[str]:
    found: list[str] = list(decode(tuple[str, ...], value, what))
    if len(set(found)) < len(found):
        raise InvalidData(f"{what} must be different from each other")
    return found


def _regression(name: str, entry: Any, parents: list[str], discrete: list[str], dag: Dag) -> Regression:
    """Return a regression with its axes in the order of the DAG's parents; the network checks its shape."""
    place = place_in("regressions", name)
    if not isinstance(entry, dict):
        raise InvalidData(f"{place} is {type_of(entry)}; it must be an object")
    arrays = {}
    for field in REGRESSION_FIELDS:
        if field not in entry and field not in _OPTIONAL:
            raise InvalidData(f"{place} lacks {field!r}")
        if entry.get(field) is None and field in _OPTIONAL:
            continue
        given = entry[field]
        kind = NDArray[np.float64] if isinstance(given, list) else float
        arrays[field] = np.asarray(decode(kind, given, place_in(place, field)))
    states = [parent for parent in parents if parent in discrete]
    measured = [parent for parent in parents if parent not in discrete]
    ordered = dag.parents(name)
    axes = [states.index(parent) for parent in ordered if parent in states]
    columns = [measured.index(parent) for parent in ordered if parent in measured]
    for field, array in arrays.items():
        terms = {"coefficients": columns, "standard_errors": [0, *(1 + column for column in columns)]}.get(field)
        ndim = len(axes) + (terms is not None)
        if array.ndim != ndim:
            raise InvalidData(f"{place_in(place, field)} has {array.ndim} axes; it must be {ndim}")
        if terms is not None and array.shape[-1] != len(terms):
            raise InvalidData(
                f"{place_in(place, field)} has rows of {array.shape[-1]} numbers; it must be {len(terms)}"
            )
        turned = array.transpose([*axes, *range(len(axes), ndim)])
        arrays[field] = turned if terms is None else turned[..., terms]
    return Regression(**arrays)


def _table(name: str, nested: Any, parents: list[str], dag: Dag) -> NDArray[np.float64]:
    """Return a table with its axes in the order of the DAG's parents; the network checks its shape and its rows."""
    table: NDArray[np.float64] = decode(NDArray[np.float64], nested, place_in("cpts", name))
    if table.ndim != len(parents) + 1:
        raise InvalidData(f"the probabilities of {name!r} have {table.ndim} axes; it must be {len(parents) + 1}")
    order = [parents.index(parent) for parent in dag.parents(name)]
    return table.transpose([*order, len(parents)])
