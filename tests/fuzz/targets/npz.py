"""``.npz`` score files: damaged headers, arrays, and archives."""

from __future__ import annotations

import copy
import io
from functools import cache
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import dagscape as ds
from dagscape.scores.formats.npz import write_npz
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from fuzz.archives import Parts, array_headers, array_types, as_bytes, other_header, other_members, packed, parts_of
from fuzz.harness import Target
from fuzz.mutations import damage_bytes
from fuzz.score_use import use_scores

_EXTREMES = (0, 1, -1, 2**60, 2**61, -(2**61), 2**62, -(2**62), 3 * 2**61, 2**63 - 1, -(2**63), 1 - 2**63)


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
        found.append(parts_of(stream.getvalue()))
    return found


def make(rng: Random) -> bytes:
    """Return a valid file with one kind of damage, or with none but other scores."""
    header, arrays = copy.deepcopy(rng.choice(_bases()))
    damage = rng.choice(
        (
            other_header,
            other_header,
            _scores_in_range,
            _scores_in_range,
            _extreme_scores,
            array_types,
            array_headers,
            other_members,
        )
    )
    if rng.random() < 0.15:
        return damage_bytes(rng, packed(rng, header, as_bytes(arrays)))
    content = damage(rng, header, arrays)
    return damage_bytes(rng, content) if rng.random() < 0.05 else content


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
    return packed(rng, header, as_bytes(arrays))


def _extreme_scores(rng: Random, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    for _ in range(rng.choice((1, 1, 2, 5))):
        array = arrays[rng.choice(list(arrays))]
        if array.size:
            array.flat[rng.randrange(array.size)] = rng.choice(_EXTREMES)
    return packed(rng, header, as_bytes(arrays))


TARGETS = (Target("npz", make, use_scores, ".npz", quick_cases=70),)
