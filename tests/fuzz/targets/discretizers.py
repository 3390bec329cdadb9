"""Documents of discretizers."""

from __future__ import annotations

import json
from pathlib import Path
from random import Random

import pandas as pd

import dagscape as ds
from fuzz.harness import Target
from fuzz.mutations import damage_bytes, damage_json

_FRAME = pd.DataFrame(
    {"size": [0.5, 1.5, 2.5, 9.5, 4.0, 8.0], "kind": list("aabbab"), "same": [1] * 6, "id": [1, 2, 3, 4, 5, 6]}
)
_DOCUMENTS = [
    ds.Discretizer(bins=2).fit(_FRAME).to_dict(),
    ds.Discretizer(bins={"size": 3, "id": 2}, columns=["id"]).fit(_FRAME).to_dict(),
    ds.Discretizer(method="mdl", class_column="kind").fit(_FRAME).to_dict(),
    ds.Discretizer(method="width").to_dict(),
]


def _make(rng: Random) -> bytes:
    chosen = rng.choice(_DOCUMENTS)
    content = json.dumps(damage_json(rng, chosen) if rng.random() < 0.85 else chosen).encode()
    return damage_bytes(rng, content) if rng.random() < 0.15 else content


def _use(path: Path) -> None:
    discretizer = ds.Discretizer.load(path)
    repr(discretizer)
    assert ds.Discretizer.from_dict(json.loads(json.dumps(discretizer.to_dict()))) == discretizer
    if not discretizer.fitted:
        discretizer.fit(_FRAME)
        return
    data = discretizer.apply(_FRAME)
    data.describe()
    data.to_frame()
    discretizer.transform(_FRAME)


TARGETS = (Target("discretizers", _make, _use, ".json", quick_cases=60),)
