"""Stata files of many types, with damages to anything in them."""

from __future__ import annotations

import io
import warnings
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd

from dagscape.data.discrete.summary import summarize_table
from dagscape.data.reading import read_data, read_table
from fuzz.harness import Target
from fuzz.mutations import damage_bytes
from fuzz.targets.tables import LIMIT, use_data, use_numbers


def _column(rng: Random, rows: int) -> Any:
    makers = [
        lambda: rng.choices(("a", "b", "", "é", "x" * 200), k=rows),
        lambda: np.array(rng.choices((0, 1, 2, 100), k=rows), dtype=rng.choice(("int8", "int16", "int32"))),
        lambda: np.array(rng.choices((0.5, 1.5, np.nan), k=rows), dtype=rng.choice(("float32", "float64"))),
        lambda: pd.Categorical(rng.choices(("lo", "hi", None), k=rows), ["lo", "mid", "hi"], ordered=True),
        lambda: pd.to_datetime(rng.choices(("2020-01-31", "1960-01-01", None), k=rows)),
        lambda: rng.choices((True, False), k=rows),
    ]
    return rng.choice(makers)()


def make(rng: Random) -> bytes:
    """Return a Stata file, usually with damages."""
    rows, width = rng.choice((1, 2, 5, 20, 100)), rng.choice((1, 2, 3, 5))
    frame = pd.DataFrame({f"v{i}": _column(rng, rows) for i in range(width)})
    stream = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        frame.to_stata(stream, write_index=False, version=rng.choice((114, 117, 118)))
    content = stream.getvalue()
    return content if rng.random() < 0.15 else damage_bytes(rng, content)


def use(path: Path) -> None:
    """Read a file and use it as the commands do."""
    rng = Random(path.stat().st_size)
    table = read_table(path, max_memory=LIMIT)
    str(summarize_table(table))
    use_numbers(path, rng)
    missing = rng.choice(("level", "drop", "keep"))
    use_data(read_data(path, missing=missing, columns=list(table.names)[:4], max_memory=LIMIT), rng)


TARGETS = (Target("stata", make, use, ".dta", most_memory=128 << 20),)
