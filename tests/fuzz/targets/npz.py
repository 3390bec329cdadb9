"""``.npz`` score files: damaged headers, arrays, and archives."""

from __future__ import annotations

import copy
import io
import json
import zipfile
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import dagscape as ds
from dagscape.scores.formats.npz import write_npz
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from fuzz.harness import Target
from fuzz.mutations import damage_bytes, damage_json
from fuzz.score_use import use_scores

# The members of a file: the header as JSON, and arrays.
Parts = tuple[dict[str, Any], dict[str, np.ndarray]]

_EXTREMES = (0, 1, -1, 2**60, 2**61, -(2**61), 2**62, -(2**62), 3 * 2**61, 2**63 - 1, -(2**63), 1 - 2**63)

_TYPES = ("<f8", ">i8", "<i4", "<u8", "|u1", "<U4", "|b1", "|S8", "<M8[s]", "<c16")


def _scores() -> list[EnumerableScores]:
    rng = np.random.default_rng(3)
    frame = {name: rng.integers(0, 2 + i % 2, 40).astype(str).tolist() for i, name in enumerate("abcd")}
    data = ds.Dataset.from_frame(pd.DataFrame(frame))
    return [
        ds.local_scores(data),
        ds.local_scores(data, max_parents=1, structure_prior="edge-penalty:1.5"),
        ds.local_scores(data, "k2", max_parents=2, structure_prior="per-size", required=[("a", "b")]),
        ds.local_scores(data, "bic", forbidden=[("a", "b"), ("c", "d")], required=[("b", "d")]),
        ds.FamilyTable({"a": {(): -10.0, ("b",): -8.5}, "b": {(): -7.0, ("a",): -5.5}}),
        ds.FamilyTable({"x": {(): -1.25}, "y": {("x",): -0.1, ("x", "z"): -2e3}, "z": {(): 5.0, ("x",): 6.0}}),
    ]


@cache
def _bases() -> list[Parts]:
    found = []
    for scores in _scores():
        stream = io.BytesIO()
        write_npz(scores, stream, None)
        stream.seek(0)
        with np.load(stream) as arrays:
            parts = {name: arrays[name] for name in arrays.files}
        found.append((json.loads(parts.pop("header").tobytes()), parts))
    return found


def make(rng: Random) -> bytes:
    """Return a valid file with one kind of damage, or with none but other scores."""
    header, arrays = copy.deepcopy(rng.choice(_bases()))
    damage = rng.choice(
        (_header, _header, _scores_in_range, _scores_in_range, _extreme_scores, _array_types, _array_header, _members)
    )
    if rng.random() < 0.15:
        return damage_bytes(rng, _packed(rng, header, _as_bytes(arrays)))
    content = damage(rng, header, arrays)
    return damage_bytes(rng, content) if rng.random() < 0.05 else content


def _header(rng: Random, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    if rng.random() < 0.1:
        text = json.dumps(header)
        return _packed(rng, damage_bytes(rng, text.encode()), _as_bytes(arrays))
    return _packed(rng, damage_json(rng, header), _as_bytes(arrays))


def _scores_in_range(rng: Random, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Other scores, near the largest that are allowed, or tied."""
    largest = (2**61 - 1) // len(header["variables"]) // 3
    # Sums have a limit in nats, too.
    header["unit_bits"] = rng.choice((header["unit_bits"], 24, 48))
    numpy_rng = np.random.default_rng(rng.getrandbits(32))
    for name, array in arrays.items():
        if name.startswith(("table", "exact")) and rng.random() < 0.7:
            size = rng.choice((0, 3, 2**40, largest))
            arrays[name] = numpy_rng.integers(-size, size + 1, array.shape)
            if rng.random() < 0.3:
                arrays[name][numpy_rng.random(array.shape) < 0.3] = -(2**63)
    return _packed(rng, header, _as_bytes(arrays))


def _extreme_scores(rng: Random, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 5))):
        array = arrays[rng.choice(list(arrays))]
        if array.size:
            array.flat[rng.randrange(array.size)] = rng.choice(_EXTREMES)
    return _packed(rng, header, _as_bytes(arrays))


def _array_types(rng: Random, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    name = rng.choice(list(arrays))
    array = arrays[name]
    kind = rng.randrange(6)
    if kind == 0:
        arrays[name] = array.reshape(-1).view("i1").repeat(16).view(rng.choice(_TYPES))[: array.size]
    elif kind == 1:
        arrays[name] = np.resize(
            array, rng.choice(((0,), (1,), (), (array.size + 1,), (2, 2), (array.size, 1), (1, 0)))
        )
    elif kind == 2:
        arrays[name] = np.asfortranarray(np.resize(array, (array.size, 2)))
    elif kind == 3:
        arrays[rng.choice(list(arrays))] = array
    elif kind == 4:
        arrays[name] = array.astype(">i8")
    else:
        arrays[name] = array[: rng.randrange(len(array) + 1)]
    return _packed(rng, header, _as_bytes(arrays))


def _array_header(rng: Random, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """An array with a header that is no literal, or declares what is not there."""
    members = _as_bytes(arrays)
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
    return _packed(rng, header, members)


def _members(rng: Random, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Members that are missing, unknown, repeated, compressed, encrypted, overlapping, or of another size."""
    members = _as_bytes(arrays)
    kind = rng.randrange(8)
    if kind == 0:
        del members[rng.choice(list(members))]
    elif kind == 1:
        members[rng.choice(("table9", "other", "../x", "header.npy", ""))] = b"x" * rng.randrange(20)
    packed = bytearray(_packed(rng, header, members, twice=kind == 2))
    if kind == 3:
        # A bomb: an array of zeros, far larger than the file.
        zeros = _npy(np.zeros(rng.choice((10**3, 10**6)), dtype=np.int64))
        members[rng.choice(list(members))] = zeros
        return _packed(rng, header, members, compression=zipfile.ZIP_DEFLATED)
    if kind in (4, 5):
        for place in _entries(packed):
            field, width = rng.choice(((6, 2), (8, 2), (10, 2), (20, 4), (24, 4), (42, 4), (28, 2), (30, 2)))
            if rng.random() < 0.5:
                packed[place + field : place + field + width] = rng.choice(_WORDS)[:width]
    return bytes(packed)


_WORDS = (b"\1\0\0\0", b"\0\0\0\0", b"\x08\0\0\0", b"\x0c\0\0\0", b"\xff\xff\xff\xff", b"\0\0\0\x7f", b"\x63\0\1\0")


def _entries(packed: bytearray) -> list[int]:
    places, at = [], packed.find(b"PK\1\2")
    while at >= 0 and at + 46 < len(packed):
        places.append(at)
        at = packed.find(b"PK\1\2", at + 4)
    return places


def _npy(array: np.ndarray) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=False)
    return stream.getvalue()


def _as_bytes(arrays: dict[str, np.ndarray]) -> dict[str, bytes]:
    return {name: _npy(array) for name, array in arrays.items()}


def _packed(
    rng: Random,
    header: dict[str, Any] | bytes,
    members: dict[str, bytes],
    *,
    twice: bool = False,
    compression: int | None = None,
) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    everything = {**members, "header": _npy(np.frombuffer(text, dtype=np.uint8))}
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


TARGETS = (Target("npz", make, use_scores, ".npz", quick_cases=70),)
