"""States of a job, each in a sealed file: one that was damaged, or that belongs to something else, is never loaded.

A state maps names to arrays of numbers, to random generators, and to values that JSON has. Its file is an archive
(:mod:`dagscape.core.files.archives`). The header has the values, the states of the generators, and the type, shape and
digest of each array; the member ``seal`` is the digest of the header. All digests depend on the key of the job, and the
seal also on the name of the state. Nothing of the header is parsed before it agrees with the seal, and no array is
returned before it agrees with the header.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from typing import IO, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData
from dagscape.core.files.archives import HEADER, Members, write_archive
from dagscape.core.randomness import generator_from_state, generator_state

State = Mapping[str, Any]

DIGEST_BYTES = 32

_SEAL = "seal"


def digest_of(content: Any, key: bytes, purpose: bytes, place: bytes = b"") -> bytes:
    """Return the digest (BLAKE2b) of bytes, or of an array, for a job, a purpose and a place of up to 16 bytes each."""
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES, key=key, person=purpose, salt=place).digest()


def write_state(stream: IO[bytes], state: State, key: bytes, name: str) -> None:
    """Write a state of the job with a key."""
    arrays = {entry: _in_order(value) for entry, value in state.items() if isinstance(value, np.ndarray)}
    generators = {entry: generator_state(value) for entry, value in state.items() if isinstance(value, Generator)}
    header = {
        "values": {entry: state[entry] for entry in state.keys() - arrays.keys() - generators.keys()},
        "generators": generators,
        "arrays": {
            entry: {"type": array.dtype.str, "shape": array.shape, "digest": _array_digest(array, key)}
            for entry, array in arrays.items()
        },
    }
    text = json.dumps(header, sort_keys=True).encode()
    seal = np.frombuffer(_seal_of(text, key, name), dtype=np.uint8)
    write_archive(stream, text, {_SEAL: seal, **{_member(entry): array for entry, array in arrays.items()}})


def read_state(stream: IO[bytes], key: bytes, name: str) -> dict[str, Any]:
    """Read a state of :func:`write_state`; raise :class:`InvalidData` with what is wrong if it is not that state."""
    members = Members(stream)
    # Nothing is compressed: what is declared to be longer than the file would take memory, and then fail.
    if members.nbytes > os.fstat(stream.fileno()).st_size:
        raise InvalidData("its parts are longer than the file")
    if not {HEADER, _SEAL} <= members.names:
        raise InvalidData("it has no header, or no seal")
    text = members.text(HEADER)
    if members.text(_SEAL) != _seal_of(text, key, name):
        raise InvalidData("its contents do not agree with its seal")
    header = json.loads(text)
    if members.names != {HEADER, _SEAL, *map(_member, header["arrays"])}:
        raise InvalidData("it does not have the arrays that its header calls for")
    arrays = {entry: _checked_array(members, entry, said, key) for entry, said in header["arrays"].items()}
    generators = {entry: generator_from_state(said) for entry, said in header["generators"].items()}
    return {**header["values"], **generators, **arrays}


def _in_order(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array with the order of bytes and numbers that files have."""
    return array.astype(array.dtype.newbyteorder("<"), order="C", copy=False)


def _member(entry: str) -> str:
    return f"array-{entry}"


def _seal_of(text: bytes, key: bytes, name: str) -> bytes:
    return digest_of(name.encode() + b"\0" + text, key, b"seal")


def _array_digest(array: NDArray[Any], key: bytes) -> str:
    return digest_of(array.reshape(-1).view(np.uint8), key, b"array").hex()


def _checked_array(members: Members, entry: str, said: Mapping[str, Any], key: bytes) -> NDArray[Any]:
    array = members.array(_member(entry), said["type"], tuple(said["shape"]).__eq__)
    if _array_digest(_in_order(array), key) != said["digest"]:
        raise InvalidData(f"its array {entry!r} does not agree with its digest")
    return array
