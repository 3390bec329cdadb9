"""Parquet files of many types and encodings, with damages mainly to the footer and the headers of pages."""

from __future__ import annotations

import datetime
import decimal
import io
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from dagscape.data.discrete.summary import summarize_table
from dagscape.data.reading import read_data, read_table
from fuzz.harness import Target
from fuzz.mutations import ODD_STRINGS, damage_bytes
from fuzz.targets.tables import LIMIT, use_data, use_numbers

_STRINGS = [text for text in ODD_STRINGS if text != "\ud800"] + ["a", "b", "1", "x" * 2000]


def _strings(rng: Random, rows: int) -> list[Any]:
    pool = rng.choices(_STRINGS, k=rng.randrange(1, 4)) + ([None] if rng.random() < 0.3 else [])
    return rng.choices(pool, k=rows)


def _numbers(rng: Random, rows: int) -> list[Any]:
    pool = rng.choice(([0, 1], [0, 1, None], list(range(-50, 50)), [2**62, -(2**63)]))
    return rng.choices(pool, k=rows)


def _floats(rng: Random, rows: int) -> list[Any]:
    return rng.choices(rng.choice(([0.0, 1.0], [0.5, float("nan"), None], [1e308, -0.0, float("inf")])), k=rows)


# Earlier versions of pyarrow do not write views.
_VIEW = pa.string_view() if int(pa.__version__.split(".")[0]) >= 21 else pa.string()


def _column(rng: Random, rows: int) -> Any:
    makers: list[Callable[[], Any]] = [
        lambda: pa.array(_strings(rng, rows), pa.string()),
        lambda: pa.array(_strings(rng, rows), pa.string()).dictionary_encode(),
        lambda: pa.array(_strings(rng, rows), rng.choice((pa.large_string(), _VIEW, pa.string()))),
        lambda: pa.array(_numbers(rng, rows)),
        lambda: pa.array((np.arange(rows) % 3).astype(rng.choice(("int8", "uint16", "uint64", "float16")))),
        lambda: pa.array(_floats(rng, rows), rng.choice((pa.float64(), pa.float32()))),
        lambda: pa.array(rng.choices((True, False, None), k=rows)),
        lambda: pa.array(rng.choices((decimal.Decimal("1.50"), decimal.Decimal("-2.25"), None), k=rows)),
        lambda: pa.nulls(rows),
        lambda: pa.array(rng.choices((b"\xff", b"a", None), k=rows)),
        lambda: pa.array([datetime.date(2020, 1, 1 + i % 20) for i in range(rows)]),
        lambda: pa.array([None] * rows, pa.timestamp("us", tz="UTC")),
        lambda: pa.array([[1, 2], None, []] * (rows // 3 + 1))[:rows],
        lambda: pa.array([{"a": 1, "b": "x"}] * rows),
        # Text that is not UTF-8.
        lambda: pa.Array.from_buffers(pa.string(), rows, pa.array([b"\xff\xfe"] * rows, pa.binary()).buffers()),
    ]
    plain = rng.random() < 0.8
    return makers[rng.randrange(8) if plain else rng.randrange(len(makers))]()


def make(rng: Random) -> bytes:
    """Return a Parquet file, usually with damages."""
    rows = rng.choice((2, 5, 20, 20, 20, 100)) if rng.random() < 0.95 else rng.randrange(2)
    width = rng.choice((1, 2, 2, 3, 3, 5)) if rng.random() < 0.98 else 0
    names = [rng.choice(("a", "b.c", "é", "x", "")) + (str(i) if rng.random() < 0.98 else "") for i in range(width)]
    table = pa.Table.from_arrays([_column(rng, rows) for _ in range(width)], names=names)
    stream = io.BytesIO()
    pq.write_table(
        table,
        stream,
        row_group_size=rng.choice((max(1, rows // 2), 1000)),
        compression=rng.choice(("none", "snappy", "gzip", "zstd", "lz4", "brotli")),
        use_dictionary=rng.random() < 0.7,
        version=rng.choice(("1.0", "2.4", "2.6")),
        data_page_version=rng.choice(("1.0", "2.0")),
        write_statistics=rng.random() < 0.7,
        store_schema=rng.random() < 0.5,
        data_page_size=rng.choice((64, 2**20)),
    )
    content = stream.getvalue()
    if rng.random() < 0.15:
        return content
    # The footer, the pages, or anything.
    length = int.from_bytes(content[-8:-4], "little")
    start = max(len(content) - 8 - length, 0)
    place = rng.random()
    if place < 0.4:
        return content[:start] + _same_length(rng, content[start:-8]) + content[-8:]
    if place < 0.8:
        return content[:4] + _same_length(rng, content[4:start]) + content[start:]
    return damage_bytes(rng, content)


def _same_length(rng: Random, part: bytes) -> bytes:
    """Return bytes with damages that do not move what follows."""
    damaged = bytearray(part)
    for _ in range(rng.randrange(1, 5)):
        if damaged:
            damaged[rng.randrange(len(damaged))] = rng.choice((0, 1, 2, 127, 128, 255, rng.randrange(256)))
    return bytes(damaged)


def use(path: Path) -> None:
    """Read a file and use it as the commands do."""
    rng = Random(path.stat().st_size)
    table = read_table(path, max_memory=LIMIT)
    str(summarize_table(table))
    missing = rng.choice(("level", "drop", "keep"))
    use_numbers(path, rng)
    use_data(read_data(path, missing=missing, columns=list(table.names)[:4], max_memory=LIMIT), rng)


TARGETS = (Target("parquet", make, use, ".parquet", most_memory=128 << 20),)
