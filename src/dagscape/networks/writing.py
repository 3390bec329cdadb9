"""Networks written to files: JSON, and BIF, XMLBIF and XDSL, which other programs read; plain or gzipped."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast

from dagscape.core.errors import InvalidOption
from dagscape.core.files.paths import path_text
from dagscape.core.files.writing import replace_by_ending
from dagscape.core.masks import bits
from dagscape.core.version import __version__
from dagscape.core.wording import visible
from dagscape.data.tables.value_types import type_of_text
from dagscape.networks.bif.names import DISCRETIZER, ENCODED, TYPES, encode_name, is_plain
from dagscape.networks.xml.xdsl import write_xdsl
from dagscape.networks.xml.xmlbif import write_xmlbif

if TYPE_CHECKING:
    from dagscape.networks.discrete.network import Network
    from dagscape.networks.gaussian.base import MeasuredNetwork
    from dagscape.networks.gaussian.regression import Regression

    AnyNetwork: TypeAlias = Network | MeasuredNetwork

KIND, GAUSSIAN, CONDITIONAL_GAUSSIAN = "network", "gaussian-network", "conditional-gaussian-network"
NETWORK_KINDS = (KIND, GAUSSIAN, CONDITIONAL_GAUSSIAN)

REGRESSION_FIELDS = ("intercept", "coefficients", "sd", "standard_errors", "freedom")

NETWORK_FORMATS = ("json", "bif", "xmlbif", "xdsl")

# The version of the document. It increases when older versions of dagscape cannot read it any more.
SCHEMA = 1


def save_network(network: AnyNetwork, path: str | os.PathLike[str], remarks: Sequence[str] = ()) -> None:
    """Write a network; the work of :func:`dagscape.write_network` and :meth:`Network.save`."""
    ending = check_network_path(path)
    regressions = getattr(network, "regressions", None)
    if regressions is not None and ending != ".json":
        name = next(iter(regressions), "")
        raise InvalidOption(
            f"{path_text(path)!r} is for discrete networks; this one has measured variables, such as {name!r}: "
            "its name must end in .json or .json.gz"
        )
    writer = cast("_AnyWriter", _WRITERS[ending])
    with replace_by_ending(path) as stream:
        writer(network, stream, remarks)


def check_network_path(path: str | os.PathLike[str]) -> str:
    """Return the format of a network file, by its ending.

    Examples
    --------
    >>> check_network_path("model.json.gz")
    '.json'
    """
    name = path_text(path)
    ending = os.path.splitext(name.lower().removesuffix(".gz"))[1]
    if ending not in _WRITERS:
        endings = f"its name must end in {', '.join(_WRITERS)}, or one of them and .gz"
        raise InvalidOption(f"cannot tell the format of {name!r}: {endings}")
    return ending


def write_bif(network: Network, stream: IO[bytes], remarks: Sequence[str] = ()) -> None:
    """Write a network to a stream, with its names as words (:mod:`dagscape.networks.bif.names`) and remarks first."""
    for remark in remarks:
        stream.write(f"// {visible(remark)}\n".encode())
    title, names, levels, properties = _words(network)
    stream.write(f"network {title} {{\n".encode())
    for name, value in properties.items():
        stream.write(f"  property {name} {value};\n".encode())
    stream.write(b"}\n")
    for written, strings in zip(names, levels, strict=True):
        block = f"variable {written} {{\n  type discrete [ {len(strings)} ] {{ {', '.join(strings)} }};\n}}\n"
        stream.write(block.encode())
    for variable, mask in enumerate(network.dag.parent_masks):
        parents = list(bits(mask))
        given = f" | {', '.join(names[parent] for parent in parents)}" if parents else ""
        stream.write(f"probability ( {names[variable]}{given} ) {{\n".encode())
        rows = network.cpts[network.variables[variable]].reshape(-1, len(levels[variable]))
        for state, row in zip(product(*(levels[parent] for parent in parents)), rows, strict=True):
            key = f"({', '.join(state)})" if parents else "table"
            stream.write(f"  {key} {', '.join(map(repr, row.tolist()))};\n".encode())
        stream.write(b"}\n")


def _words(network: Network) -> tuple[str, list[str], list[list[str]], dict[str, str]]:
    """Return words for the network, its variables and their levels, and our properties."""
    levels = [list(network.levels[variable]) for variable in network.variables]
    properties = dict(_properties(network))
    plain = all(map(is_plain, network.variables))
    plain = plain and all(is_plain(level, level=True) for strings in levels for level in strings)
    # The word 'unknown' stands for no name.
    if plain and network.name != "unknown" and (not network.name or is_plain(network.name)):
        return network.name or "unknown", list(network.variables), levels, properties
    title = "_unknown" if network.name == "unknown" else encode_name(network.name) if network.name else "unknown"
    names = list(map(encode_name, network.variables))
    words = [[encode_name(level, level=True) for level in strings] for strings in levels]
    return title, names, words, dict([ENCODED]) | properties


def _properties(network: Network) -> Iterator[tuple[str, str]]:
    """Iterate over what BIF has no place for: types that differ from those of the levels, and the discretizer."""
    types = {name: kind for name, kind in network.types.items() if kind != type_of_text(network.levels[name])}
    if types:
        yield TYPES, encode_name(json.dumps(types))
    if network.discretizer is not None:
        yield DISCRETIZER, encode_name(json.dumps(network.discretizer.to_dict()))


def network_to_dict(network: Network) -> dict[str, Any]:
    """Return a network as a JSON document.

    Examples
    --------
    >>> from dagscape.networks.bundled import load_network
    >>> document = network_to_dict(load_network("asia"))
    >>> document["parents"]["either"], document["levels"]["tub"], document["cpts"]["tub"]
    (['tub', 'lung'], ['yes', 'no'], [[0.05, 0.95], [0.01, 0.99]])
    """
    return {
        "kind": KIND,
        "schema": SCHEMA,
        "version": __version__,
        "name": network.name,
        "variables": list(network.variables),
        "levels": {name: list(network.levels[name]) for name in network.variables},
        "types": dict(network.types),
        "parents": {name: list(network.dag.parents(name)) for name in network.variables},
        "cpts": {name: network.cpts[name].tolist() for name in network.variables},
        "discretizer": None if network.discretizer is None else network.discretizer.to_dict(),
    }


def measured_network_to_dict(network: MeasuredNetwork) -> dict[str, Any]:
    """Return a network with measured variables as a JSON document.

    Examples
    --------
    >>> import dagscape as ds
    >>> network = ds.GaussianNetwork(ds.Dag(["x"]), {"x": ds.Regression(2.0, [], 0.5)})
    >>> measured_network_to_dict(network)["regressions"]["x"]["sd"]
    0.5
    """
    return {
        "kind": network.kind,
        "schema": SCHEMA,
        "version": __version__,
        "name": network.name,
        "variables": list(network.variables),
        "levels": {name: list(levels) for name, levels in network.levels.items()},
        "types": dict(network.types),
        "parents": {name: list(network.dag.parents(name)) for name in network.variables},
        "cpts": {name: cpt.tolist() for name, cpt in network.cpts.items()},
        "regressions": {name: _regression(found) for name, found in network.regressions.items()},
    }


def _regression(found: Regression) -> dict[str, Any]:
    numbers = (found.intercept, found.coefficients, found.sd, found.standard_errors, found.freedom)
    return {
        name: None if array is None else array.tolist() for name, array in zip(REGRESSION_FIELDS, numbers, strict=True)
    }


def document_of(network: AnyNetwork) -> dict[str, Any]:
    """Return any network as a JSON document."""
    # The classes of networks use this module.
    if hasattr(network, "regressions"):
        return measured_network_to_dict(cast("MeasuredNetwork", network))
    return network_to_dict(network)


def write_json(network: AnyNetwork, stream: IO[bytes], remarks: Sequence[str] = ()) -> None:
    """Write a network to a stream, one variable per line, with remarks for readers."""
    document = document_of(network) | ({"remarks": list(remarks)} if remarks else {})
    stream.write(b"{\n")
    for number, (key, value) in enumerate(document.items(), start=1):
        end = ",\n" if number < len(document) else "\n}\n"
        if isinstance(value, dict) and value and key in {"levels", "types", "parents", "cpts", "regressions"}:
            lines = [f"  {_text(name)}: {_text(entry)}" for name, entry in value.items()]
            written = "{\n" + ",\n".join(lines) + "\n }"
        else:
            written = _text(value)
        stream.write(f" {_text(key)}: {written}{end}".encode())


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


_Writer = Callable[["Network", IO[bytes], Sequence[str]], None]
_AnyWriter = Callable[["AnyNetwork", IO[bytes], Sequence[str]], None]


def _as_xml(writer: Callable[[Network, IO[bytes], Mapping[str, str], Sequence[str]], None]) -> _Writer:
    return lambda network, stream, remarks: writer(network, stream, dict(_properties(network)), remarks)


_WRITERS: dict[str, _Writer] = {
    ".bif": write_bif,
    ".json": write_json,
    ".xdsl": _as_xml(write_xdsl),
    ".xmlbif": _as_xml(write_xmlbif),
    ".xml": _as_xml(write_xmlbif),
    ".bifxml": _as_xml(write_xmlbif),
}
