"""``.jkl`` score files: damaged text, hostile numbers and counts, and gzip."""

from __future__ import annotations

import gzip
import io
from functools import cache
from random import Random

import numpy as np
import pandas as pd

import dagscape as ds
from dagscape.scores.formats.jkl import write_jkl
from fuzz.harness import Target
from fuzz.mutations import damage_bytes, damage_text
from fuzz.score_use import use_scores

_NUMBERS = (
    "0",
    "-0.0",
    "1e400",
    "-1e400",
    "1e308",
    "-1e-320",
    "1e15",
    "-98765.4321",
    "4096",
    "nan",
    "inf",
    "-inf",
    "-Infinity",
    "0x10",
    "1_000",
    "١٢",
    "9" * 19,
    "-" + "9" * 18 + "." + "5" * 48,
    "9" * 400,
    "7" * 5000,
    "0." + "0" * 30 + "1",
    "-0.00000095367431640625",
    "99999999999",
    "1000000000000",
    "-1",
    "+3",
    "",
)

_WORDS = (
    *_NUMBERS,
    "a",
    "b",
    "%00",
    "%20",
    "%FF",
    "a%20b",
    "#",
    "\ufeff",
    "\u2028",
    "\x1b[2J",
    "\0",
    "é",
    "\r",
    "\x85",
)


@cache
def _bases() -> list[str]:
    rng = np.random.default_rng(4)
    frame = {name: rng.integers(0, 2, 30).astype(str).tolist() for name in ("a", "b c", "d%", "#e")}
    data = ds.Dataset.from_frame(pd.DataFrame(frame))
    texts = [
        "2\na 2\n-10 0\n-8.5 1 b\nb 2\n-7 0\n-5.5 1 a\n",
        "# by hand\n3\nx 1\n-1.25 0\n\ny 2\n-0.1 1 x\n-2e3 2 z x\n# more\nz 2\n5 0\n6 1 x\n",
        "1\na 1\n-3.5 0\n",
        "4\na 3\n-414.9766 0\n-400.25 1 b\n-399 2 c d\nb 1\n-1e2 0\nc 2\n-7 0\n-7 1 a\nd 1\n-9 0\n",
    ]
    for scores in (ds.local_scores(data, max_parents=1), ds.local_scores(data, "k2", required=[("a", "#e")])):
        stream = io.BytesIO()
        write_jkl(scores, stream, None)
        texts.append(stream.getvalue().decode())
    return texts


def make(rng: Random) -> bytes:
    """Return a damaged file, sometimes gzipped."""
    kind = rng.randrange(10)
    if kind == 0:
        content = _wide(rng)
    elif kind == 1:
        content = damage_bytes(rng, rng.choice(_bases()).encode())
    elif kind < 5:
        content = _other_numbers(rng, rng.choice(_bases())).encode("utf-8", "surrogatepass")
    else:
        content = damage_text(rng, rng.choice(_bases()), _WORDS).encode("utf-8", "surrogatepass")
    if rng.random() < 0.2:
        content = gzip.compress(content, 1)
        if rng.random() < 0.5:
            content = damage_bytes(rng, content)
    return content


def _other_numbers(rng: Random, text: str) -> str:
    """Replace some of the first words of lines, or the second ones."""
    lines = [line.split(" ") for line in text.splitlines()]
    for words in lines:
        if rng.random() < 0.12:
            words[rng.choice((0, 0, 0, min(1, len(words) - 1)))] = rng.choice(_NUMBERS)
    return "\n".join(map(" ".join, lines)) + "\n"


def _wide(rng: Random) -> bytes:
    """Many variables, families of many parents, long lines and long names: text that is small when compressed."""
    n, parents = rng.choice((1, 3, 20, 100, 100, 2_000)), rng.choice((0, 1, 15, 50, 1_500))
    name = "v" * rng.choice((1, 1, 40))
    lines = [str(rng.choice((n, n, n, n + 1, 10**11)))]
    for child in range(n):
        lines.append(f"{name}{child} 1")
        if child:
            lines.append("-1 0")
        else:
            lines.append(" ".join(["-1", str(parents), *(f"{name}{1 + parent}" for parent in range(parents))]))
    if rng.random() < 0.2:
        lines.insert(rng.randrange(len(lines)), rng.choice(("#", "", " ", "1 ")) * rng.choice((10, 100_000, 2_000_000)))
    return "\n".join(lines).encode()


TARGETS = (Target("jkl", make, use_scores, ".jkl", quick_cases=70),)
