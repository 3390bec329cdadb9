"""The header of an ``.npz`` score file: JSON, in which every field is checked once, here.

Nothing that reads the scores later has to expect a name that is not a string, a number that is not finite, or an index
that is out of range.
"""

from __future__ import annotations

import dataclasses
import json
import math
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dagscape.checks import is_between, is_whole
from dagscape.documents import decode_record
from dagscape.errors import InvalidData, InvalidOption
from dagscape.results import Provenance
from dagscape.score_info import ScoreInfo
from dagscape.scores.constraints import EdgeConstraints, edge_constraints
from dagscape.scores.fixed_point import FINEST_BITS, Unit

SCHEMA = 1

# Local scores of more variables cannot be computed.
MOST_VARIABLES = 2**15

# Free-form parts of a header are shown and written again by recursive functions.
_DEEPEST = 20

_SURROGATE = re.compile("[\ud800-\udfff]")

# Integers of a header can be converted to floats.
_LARGEST_INTEGER = 2**1000

# Numbers of rows and levels; doubles represent them exactly.
_LARGEST_COUNT = 2**53


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_count(value: object) -> bool:
    return is_whole(value, at_least=0) and is_between(value, 0, _LARGEST_COUNT)


def _is_flag(value: object) -> bool:
    return isinstance(value, bool)


def _is_finite(value: object) -> bool:
    return is_between(value, -math.inf, math.inf)


def _or_none(check: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or check(value)


def _list_of(check: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(map(check, value))


def _object_of(check: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


def _is_edge(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_text, value))


_Checks = dict[str, Callable[[object], bool]]

# The fields of ScoreInfo; all may be missing.
_INFO: _Checks = {
    "score": _or_none(_is_text),
    "ess": _or_none(lambda value: is_between(value, 1e-300, 1e300)),
    "max_parents": _or_none(_is_count),
    "structure_prior": _is_text,
    "required": _list_of(_is_edge),
    "forbidden": _list_of(_is_edge),
    "data": _or_none(_is_text),
    "rows": _or_none(_is_count),
    "dropped_rows": _or_none(_is_count),
    "experimental_rows": _or_none(_is_count),
    "score_equivalent": _is_flag,
    "level_counts": _or_none(_list_of(lambda value: _is_count(value) and value != 0)),
}

# The fields of Provenance.
_PROVENANCE: _Checks = {
    "version": _is_text,
    "method": _is_text,
    "parameters": lambda value: isinstance(value, dict),
    "seed": _or_none(lambda value: is_whole(value, at_least=0)),
    "seconds": _object_of(_is_finite),
    "backend": _is_text,
}

_COMMON: _Checks = {
    "kind": lambda value: value in ("lattice", "families"),
    "variables": lambda value: _list_of(_is_text)(value) and value != [],
    "max_parents": _is_count,
    "complete": _or_none(_is_flag),
    "unit_bits": lambda value: is_whole(value, at_least=0) and is_between(value, 0, FINEST_BITS),
    "provenance": lambda value: isinstance(value, dict),
}

# Missing in files of version 0.1.0.
_LATER: _Checks = {
    "rounding": lambda value: is_between(value, 0, 1e300),
    "info": lambda value: isinstance(value, dict),
    "score_equivalent": _is_flag,
}

_LATTICE: _Checks = {
    "joint_table": _list_of(_is_count),
    "base_table": _list_of(_is_count),
    "required": _list_of(_list_of(_is_count)),
    "forbidden": _list_of(_list_of(_is_count)),
}


@dataclass(frozen=True, slots=True)
class Header:
    """The checked header of a file.

    Attributes
    ----------
    variables, max_parents, complete, unit, info, provenance
        As in :class:`~dagscape.LocalScores`.
    rounding : float or None
        As in :class:`~dagscape.LocalScores`; None if it is not recorded.
    joint_table, base_table, constraints
        As in :class:`~dagscape.LatticeScores`; None if the file has a list of families.
    """

    variables: tuple[str, ...]
    max_parents: int
    complete: bool | None
    unit: Unit
    rounding: float | None
    info: ScoreInfo
    provenance: Provenance
    joint_table: tuple[int, ...] | None = None
    base_table: tuple[int, ...] | None = None
    constraints: EdgeConstraints | None = None


def parse_header(text: bytes) -> Header:
    """Return the header of a file; raise :class:`InvalidData` with what is wrong in it."""
    document = _plain(text)
    if document.get("schema") != SCHEMA:
        raise InvalidData(f"another version of dagscape wrote it (schema {document.get('schema')!r:.40})")
    _check(document, _COMMON | _LATER, "the header", required=_COMMON)
    variables = tuple(document["variables"])
    n = len(variables)
    if len(set(variables)) < n:
        raise InvalidData("two variables have the same name")
    if document["max_parents"] >= n:
        raise InvalidData(f"its families have up to {document['max_parents']} parents, but it has {n} variables")
    rounding = document.get("rounding")
    header = Header(
        variables=variables,
        max_parents=document["max_parents"],
        complete=document["complete"],
        unit=Unit(document["unit_bits"]),
        rounding=None if rounding is None else float(rounding),
        info=_info(document, n),
        provenance=_provenance(document["provenance"]),
    )
    return header if document["kind"] == "families" else _with_lattice(header, document)


def _plain(text: bytes) -> dict[str, Any]:
    """Parse JSON and check that all strings can be encoded, all numbers are finite, and nothing is nested deeply."""
    try:
        document = json.loads(text.decode())
    except (ValueError, RecursionError) as error:
        raise InvalidData("its header is not JSON") from error
    if not isinstance(document, dict):
        raise InvalidData("its header is not an object of JSON")
    inner: list[dict[str, Any] | list[Any]] = [document]
    for _ in range(_DEEPEST):
        values = [value for part in inner for value in (part.values() if isinstance(part, dict) else part)]
        texts = [value for value in values if isinstance(value, str)]
        texts += [key for part in inner if isinstance(part, dict) for key in part]
        if any(map(_SURROGATE.search, texts)):
            raise InvalidData("its header has text that is not Unicode (lone surrogates)")
        if not all(is_between(value, -_LARGEST_INTEGER, _LARGEST_INTEGER) for value in values if _is_number(value)):
            raise InvalidData("its header has a number that is not finite, or too large")
        inner = [value for value in values if isinstance(value, dict | list)]
    if inner:
        raise InvalidData(f"its header is nested more than {_DEEPEST} levels deep")
    return document


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check(document: dict[str, Any], checks: _Checks, what: str, required: _Checks) -> None:
    for name, check in checks.items():
        if name not in document and name in required:
            raise InvalidData(f"{what} lacks {name!r}")
        if name in document and not check(document[name]):
            raise InvalidData(f"{name!r} of {what} has the wrong type or value: {document[name]!r:.40}")


def _info(document: dict[str, Any], n: int) -> ScoreInfo:
    """Return the description of the scores, which version 0.1.0 stored in the provenance."""
    recorded = document.get("info")
    if recorded is None:
        parameters = document["provenance"].get("parameters")
        equivalent = document.get("score_equivalent", False)
        recorded = {**(parameters if isinstance(parameters, dict) else {}), "score_equivalent": equivalent}
    _check(recorded, _INFO, "the description of the scores", required={})
    info = ScoreInfo.from_dict(recorded)
    if info.level_counts is not None and len(info.level_counts) != n:
        raise InvalidData(f"it has the numbers of levels of {len(info.level_counts)} variables, but {n} variables")
    return info


def _provenance(document: dict[str, Any]) -> Provenance:
    known = {entry.name for entry in dataclasses.fields(Provenance)}
    needed = {name: check for name, check in _PROVENANCE.items() if name in ("version", "method")}
    _check(document, _PROVENANCE, "the provenance", required=needed)
    return decode_record(Provenance, {name: value for name, value in document.items() if name in known})


def _with_lattice(header: Header, document: dict[str, Any]) -> Header:
    _check(document, _LATTICE, "the header", required=_LATTICE)
    variables, n = header.variables, len(header.variables)
    if n > MOST_VARIABLES:
        raise InvalidData(f"it has {n} variables; the limit is {MOST_VARIABLES}")
    if any(len(document[name]) != n for name in _LATTICE):
        raise InvalidData("its lists do not have an entry for each variable")
    # Each variable has at most two tables of its own.
    if max(*document["joint_table"], *document["base_table"]) >= 2 * n:
        raise InvalidData("it refers to tables that it cannot have")
    edges: dict[str, list[tuple[str, str]]] = {"required": [], "forbidden": []}
    for kind, named in edges.items():
        for child, parents in enumerate(document[kind]):
            if any(parent >= n for parent in parents):
                raise InvalidData(f"its {kind} edges name a variable that it does not have")
            named += [(variables[parent], variables[child]) for parent in parents]
    try:
        constraints = edge_constraints(variables, header.max_parents, edges["required"], edges["forbidden"])
    except InvalidOption as error:
        raise InvalidData(f"its constraints cannot be met: {error}") from error
    return dataclasses.replace(
        header,
        joint_table=tuple(document["joint_table"]),
        base_table=tuple(document["base_table"]),
        constraints=constraints,
    )
