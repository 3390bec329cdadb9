"""Tables in text files: CSV and TSV, plain, gzipped, and gzipped with damages."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from contextlib import suppress
from pathlib import Path
from random import Random

import pandas as pd

from dagscape.core.errors import DagscapeError
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.summary import summarize_table
from dagscape.data.kinds.decisions import Wishes
from dagscape.data.mixed.mixed import mixed_from_table
from dagscape.data.reading import read_data, read_table
from dagscape.data.tables.frames import table_from_frame
from dagscape.scores.scoring import local_scores
from fuzz.harness import Target
from fuzz.mutations import ODD_STRINGS, damage_bytes, damage_text

LIMIT = 32 << 20

_NAMES = ("a", "b", "rain", "sex ", "x,y", 'the "it"', "größe", "n\nl", "1", "INT", "weight", "?")

_VALUES = ("0", "1", "2", "01", "1.0", "-0", "1e3", "0.5", "yes", "no", "?", "", " a", "True", "é", 'q"q', "1_0", "٣")

_WORDS = (",", "\t", ";", '"', '""', "\r", "\r\n", "\n", "\0", "sep=;", "sep=,", "\ufeff", "{", "PK\x03\x04", "'", "\\")

# Options with which a table may be read that is refused otherwise, or the other way round.
_READING = (
    {"decimal": ",", "separator": ";"},
    {"encoding": "latin-1"},
    {"encoding": "utf-16-le"},
    {"duplicate_names": "rename"},
    {"weights": "weight1"},
)

_ENCODINGS = (*["utf-8"] * 12, "utf-8-sig", "utf-8-sig", "latin-1", "utf-16", "utf-32", "cp1252", "utf-7")


def text_table(rng: Random) -> str:
    """Return a table that can be read, unless its names or values prevent it."""
    width = rng.choice((1, 2, 3, 3, 4, 8, 60))
    height = rng.choice((0, 2, 5, 20, 20, 50 if width < 10 else 3))
    names = [rng.choice(_NAMES) + (str(i) if rng.random() < 0.99 else "") for i in range(width)]
    pools = [rng.choices(_VALUES, k=rng.randrange(1, 5)) for _ in range(width)]
    if rng.random() < 0.1:
        pools[0] = [rng.choice((*ODD_STRINGS, "x" * rng.choice((10, 1000, 1000, 140_000)))) for _ in range(3)]
    text = io.StringIO()
    writer = csv.writer(
        text,
        delimiter=rng.choice(",,,,,,,,,,\t;| "),
        quoting=rng.choice((csv.QUOTE_MINIMAL, csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
        lineterminator=rng.choice(("\n", "\n", "\r\n", "\r")),
    )
    writer.writerow(names)
    writer.writerows([rng.choice(pool) for pool in pools] for _ in range(height))
    return text.getvalue()


def make_text(rng: Random) -> bytes:
    """Return a table, usually with damages to its text or to its bytes."""
    kind = rng.random()
    if kind < 0.01:
        return _extreme(rng)
    text = text_table(rng)
    if kind < 0.4:
        text = damage_text(rng, text, _WORDS)
    content = text.encode(rng.choice(_ENCODINGS), errors="replace")
    return damage_bytes(rng, content) if kind > 0.85 else content


def _extreme(rng: Random) -> bytes:
    """Return a table with a long line, many columns, many rows or a long row of many lines."""
    count = rng.choice((1_000, 20_000, 20_000, 300_000))
    unit = rng.choice((b",", b"a,", b"ab,", b'"\n",', b"\n", b"a", b" ", b'"', b"\xc3\xa9,", b"\t", b"1\n", b"1,0\n"))
    start = rng.choice((b"", b"a,b\n", b"a\n", b"a,b\n1,0\n", b'a,b\n"'))
    return start + unit * count + rng.choice((b"", b"\n", b"0\n"))


def make_gzip(rng: Random) -> bytes:
    """Return a gzipped table, perhaps damaged, in several parts, or larger than it seems."""
    kind = rng.randrange(1, 9) if rng.random() < 0.98 else 0
    if kind == 0:
        header = rng.choice((b"", b"a,b\n", b"a\n"))
        bomb = header + rng.choice((b",", b"a", b"1,0\n", b"\n", b'"\n",', b"\0")) * rng.choice((10**4, 2 * 10**5))
        return gzip.compress(bomb, 1)
    packed = gzip.compress(make_text(rng), 1)
    if kind == 1:
        return damage_bytes(rng, packed)
    if kind == 2:
        return gzip.compress(packed, 1) if rng.random() < 0.3 else packed + packed
    if kind == 4:
        return packed + gzip.compress(make_text(rng), 1)
    if kind == 5:
        return packed + rng.choice((b"\0" * 9, b"garbage", b"\x1f\x8b", rng.randbytes(20)))
    if kind == 6:
        return packed[:10] + zlib.compress(make_text(rng))
    return packed


def use_table(path: Path) -> None:
    """Read a table and use it as the commands do."""
    rng = Random(path.stat().st_size)
    refused: DagscapeError | None = None
    try:
        str(summarize_table(read_table(path, max_memory=LIMIT)))
    except DagscapeError as error:
        refused = error
        str(error)
    options = rng.choice(
        ({}, {}, {}, {"separator": ";"}, *_READING, {"drop_suspicious": True}, {"interventions": "INT0"})
    )
    use_numbers(path, rng)
    use_mixed(path)
    missing = rng.choice(("level", "level", "drop", "keep", "error"))
    data = read_data(path, missing=missing, max_memory=LIMIT, **options)
    assert refused is None or "separator" in options or options in _READING, f"refused before: {refused}"
    use_data(data, rng)


def use_numbers(path: Path, rng: Random) -> None:
    """Read a table as numbers, if it consists of numbers; those of a few columns may be."""
    with suppress(DagscapeError):
        names = read_table(path, max_memory=LIMIT).names
        columns = rng.choices(names, k=2)
        numbers = read_data(
            path, kind="numeric", missing="keep", columns=list(dict.fromkeys(columns)), max_memory=LIMIT
        )
        repr(numbers)
        assert NumericData.from_frame(numbers.to_frame(), missing="keep", keep_constant=True) == numbers


def use_mixed(path: Path) -> None:
    """Read a table as a mixed one, and read its frame again."""
    with suppress(DagscapeError):
        data = mixed_from_table(read_table(path, max_memory=LIMIT), missing="keep", max_memory=LIMIT)
        repr(data)
        wishes = Wishes(numeric=data.measured)
        again = table_from_frame(data.to_frame(), missing_values=())
        assert mixed_from_table(again, wishes, missing="keep", keep_constant=True) == data
        if data.n <= 8 and max(data.level_counts) < 50 and not data.has_missing:
            local_scores(data, score="dg-bge", max_parents=1, threads=1)


def use_data(data: Dataset, rng: Random) -> None:
    """Show a data set; now and then also convert it, and compute its scores if it is small."""
    repr(data)
    str(data.describe())
    if rng.random() < 0.7:
        return
    assert isinstance(data.describe().to_frame(), pd.DataFrame)
    again = Dataset.from_frame(data.to_frame(), keep_constant=True, missing_values=(), missing="keep")
    assert again.levels == data.levels
    if data.n <= 8 and data.arities.max() < 1000 and not data.has_missing:
        local_scores(data, max_parents=1, threads=1)


TARGETS = (
    Target("tables", make_text, use_table, ".csv", most_memory=128 << 20),
    Target("gzipped", make_gzip, use_table, ".csv.gz", most_memory=128 << 20),
)
