"""Results as ``.npz`` archives: small and quick to read for lists of many networks, and for large arrays.

The header is a JSON object: ``format``, the version of this layout; ``document``, the document of the result without
what can be computed again; and ``arrays``, which says for each of the other members its type, and its place in the
document, where None stands for it. The names of members are those of the fields, so that other programs find them.
Reading puts the arrays in their places, and what follows is as strict as for JSON (:mod:`dagscape.results.decoding`).
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, function
from dagscape.core.files.archives import HEADER, Members, bounded_members, write_archive
from dagscape.core.files.documents import decode_json, decoded_size
from dagscape.results.decoding import Between, decode_record
from dagscape.results.encoding import Place, encode

_FORMAT = 1


@dataclass(frozen=True, slots=True)
class _Array:
    """What the header says about an array."""

    type: Literal["float64", "uint64"]
    place: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class _Header:
    """The header of an archive."""

    format: Annotated[int, Between(1, _FORMAT)]
    document: Mapping[str, Any]
    arrays: Mapping[str, _Array]


def write_document(stream: IO[bytes], document: Mapping[str, Any]) -> None:
    """Write a document as an archive; its values may be whatever :func:`~dagscape.results.encoding.encode` takes."""
    arrays: dict[str, NDArray[Any]] = {}
    said: dict[str, Any] = {}

    def keep(array: NDArray[Any], place: Place) -> None:
        name = ".".join(map(str, place))
        arrays[name] = array
        said[name] = {"type": array.dtype.name, "place": place}

    plain = {name: encode(value, keep, (name,)) for name, value in document.items()}
    write_archive(stream, {"format": _FORMAT, "document": plain, "arrays": said}, arrays)


def read_document(stream: io.BufferedReader[Any], source: str, max_memory: int | str | None = None) -> Any:
    """Read a document of :func:`write_document`, with arrays in it, within a limit on memory."""
    try:
        members, check = bounded_members(stream, source, max_memory, "the arrays", "raise it, or reduce the file")
        return _with_arrays(_header(members, check), members)
    except InvalidData as error:
        raise InvalidData(f"{source!r} is not a valid result: {error}") from error


def _header(members: Members, check: Any) -> _Header:
    if HEADER not in members.names:
        raise InvalidData("it has no header")
    check(members.nbytes)
    try:
        text = members.text(HEADER).decode()
    except UnicodeDecodeError as error:
        raise InvalidData("its header is not UTF-8 text") from error
    check(members.nbytes + decoded_size(text))
    found = decode_json(text, HEADER)
    if isinstance(found, dict) and "document" not in found:
        raise InvalidData(f"it has no document; if it is a score file, read it with {function('read_scores')}")
    return decode_record(_Header, found, HEADER)


def _with_arrays(header: _Header, members: Members) -> Mapping[str, Any]:
    """Return the document with the arrays of the archive in their places."""
    if members.names != {HEADER, *header.arrays}:
        raise InvalidData("it does not have the arrays that its header calls for")
    for name, said in header.arrays.items():
        container, key = _located(header.document, said.place, name)
        container[key] = members.array(name, np.dtype(said.type), lambda shape: True)
    return header.document


def _located(document: Any, place: Sequence[Any], name: str) -> tuple[Any, Any]:
    """Return the container and the key at which an array belongs: there must be None in its place."""
    container, value = None, document
    for key in place:
        container = value
        is_there = (
            (type(value) is dict and type(key) is str and key in value)
            or (type(value) is list and type(key) is int and 0 <= key < len(value))
        )  # fmt: skip
        if not is_there:
            raise InvalidData(f"the place of its array {name!r} is not in its document")
        value = value[key]
    if container is None or value is not None:
        raise InvalidData(f"the place of its array {name!r} is taken")
    return container, place[-1]
