"""Damaged archives of arrays with a JSON header, shared by the targets that read such files."""

from __future__ import annotations

import io
import json
import zipfile
from random import Random
from typing import Any

import numpy as np

from fuzz.mutations import damage_bytes, damage_json

# The members of a file: the header as JSON, and arrays.
Parts = tuple[dict[str, Any], dict[str, np.ndarray]]

_TYPES = ("<f8", ">i8", "<i4", "<u8", "|u1", "<U4", "|b1", "|S8", "<M8[s]", "<c16")


def parts_of(content: bytes) -> Parts:
    """Return the header and the arrays of a valid archive."""
    with np.load(io.BytesIO(content)) as arrays:
        parts = {name: arrays[name] for name in arrays.files}
    return json.loads(parts.pop("header").tobytes()), parts


def other_header(rng: Random, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """A header with other values, or one that is no JSON."""
    if rng.random() < 0.1:
        text = json.dumps(header)
        return packed(rng, damage_bytes(rng, text.encode()), as_bytes(arrays))
    return packed(rng, damage_json(rng, header), as_bytes(arrays))


def array_types(rng: Random, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """An array of another type, shape or order, or in another's place."""
    name = rng.choice(list(arrays))
    array = arrays[name]
    kind = rng.randrange(6)
    if kind == 0:
        octets = np.ascontiguousarray(array).reshape(-1).view("i1")
        arrays[name] = octets.repeat(16).view(rng.choice(_TYPES))[: array.size]
    elif kind == 1:
        arrays[name] = np.resize(
            array, rng.choice(((0,), (1,), (), (array.size + 1,), (2, 2), (array.size, 1), (1, 0)))
        )
    elif kind == 2:
        arrays[name] = np.asfortranarray(np.resize(array, (array.size, 2)))
    elif kind == 3:
        arrays[rng.choice(list(arrays))] = array
    elif kind == 4:
        arrays[name] = array.astype(array.dtype.newbyteorder())
    else:
        arrays[name] = array[: rng.randrange(len(array) + 1)]
    return packed(rng, header, as_bytes(arrays))


def array_headers(rng: Random, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """An array with a header that is no literal, or declares what is not there."""
    members = as_bytes(arrays)
    name = rng.choice(list(members))
    start, body = members[name][:10], members[name][10:]
    text, body = body[: int.from_bytes(start[8:], "little")], body[int.from_bytes(start[8:], "little") :]
    declared = rng.choice(
        (
            damage_bytes(rng, text),
            b"{'descr': '<i8', 'fortran_order': False, 'shape': (%d,), }\n" % 10 ** rng.choice((3, 9, 15, 30)),
            b"{'descr': '<i8', 'fortran_order': True, 'shape': (%d, 0), }\n" % 10 ** rng.choice((3, 9, 15)),
            b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n",
            b"(" * rng.choice((10, 5000)),
            b"9" * 6000,
            b"{'descr': [('a', '<i8')], 'fortran_order': False, 'shape': (1,), }\n",
            b"{'descr': '<i8', 'fortran_order': 0, 'shape': (-1,), }\n",
        )
    )
    magic = rng.choice((start[:8], start[:8], start[:8], b"\x93NUMPY\x02\x00", b"\x93NUMPY\x09\x00", b"notmagic"))
    members[name] = magic + len(declared).to_bytes(4, "little")[:2] + declared + body
    return packed(rng, header, members)


def other_members(rng: Random, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Members that are missing, unknown, repeated, compressed, encrypted, overlapping, or of another size."""
    members = as_bytes(arrays)
    kind = rng.randrange(8)
    if kind == 0:
        del members[rng.choice(list(members))]
    elif kind == 1:
        members[rng.choice(("table9", "other", "../x", "header.npy", ""))] = b"x" * rng.randrange(20)
    archive = bytearray(packed(rng, header, members, twice=kind == 2))
    if kind == 3:
        # A bomb: an array of zeros, far larger than the file.
        zeros = npy(np.zeros(rng.choice((10**3, 10**6)), dtype=np.int64))
        members[rng.choice(list(members))] = zeros
        return packed(rng, header, members, compression=zipfile.ZIP_DEFLATED)
    if kind in (4, 5):
        for place in _entries(archive):
            field, width = rng.choice(((6, 2), (8, 2), (10, 2), (20, 4), (24, 4), (42, 4), (28, 2), (30, 2)))
            if rng.random() < 0.5:
                archive[place + field : place + field + width] = rng.choice(_WORDS)[:width]
    return bytes(archive)


_WORDS = (b"\1\0\0\0", b"\0\0\0\0", b"\x08\0\0\0", b"\x0c\0\0\0", b"\xff\xff\xff\xff", b"\0\0\0\x7f", b"\x63\0\1\0")


def _entries(archive: bytearray) -> list[int]:
    places, at = [], archive.find(b"PK\1\2")
    while at >= 0 and at + 46 < len(archive):
        places.append(at)
        at = archive.find(b"PK\1\2", at + 4)
    return places


def npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def as_bytes(arrays: dict[str, np.ndarray]) -> dict[str, bytes]:
    return {name: npy(array) for name, array in arrays.items()}


def packed(
    rng: Random,
    header: dict[str, Any] | bytes,
    members: dict[str, bytes],
    *,
    twice: bool = False,
    compression: int | None = None,
) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    everything = {**members, "header": npy(np.frombuffer(text, dtype=np.uint8))}
    if compression is None:
        compression = rng.choice((zipfile.ZIP_STORED,) * 8 + (zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", compression) as archive:
        for name, content in everything.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), content, compression)
        if twice:
            name, content = rng.choice(list(everything.items()))
            archive.filelist.append(archive.getinfo(f"{name}.npy"))
    return stream.getvalue()
