"""Ways to damage bytes, text and JSON documents, shared by all targets."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from random import Random
from typing import Any

_WORD_EXTREMES = (
    0,
    1,
    2**7,
    2**8 - 1,
    2**15,
    2**16 - 1,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
)

ODD_STRINGS = (
    "",
    " ",
    "\0",
    "\x1b[2J",
    "\ud800",
    "\ufeff",
    "\u202e",
    "a\nb",
    "é" * 300,
    "nan",
    "-inf",
    "1e400",
    "../x",
    "\\",
    '"',
    "{",
    "%s",
)

ODD_NUMBERS = (
    0,
    -1,
    1,
    0.5,
    -0.0,
    1e308,
    -1e308,
    5e-324,
    2**31,
    2**53 + 1,
    2**63 - 1,
    -(2**63),
    2**64,
    10**30,
    math.inf,
    -math.inf,
    math.nan,
)


_DEEPEST_PLACE = 50

_OTHER_INTEGERS = (0, 1, 2, 3, 5, 1000, 2**31, 2**53 + 1, 2**63, 10**30, 10**299, 10**3999)
_OTHER_FLOATS = (0.0, -0.0, 5e-324, 1e-300, 0.25, 0.5, 1.0, 2.0, -1.0, 1e9, 1e299, -1e299, "inf", "-inf")


def odd_value(rng: Random) -> Any:
    """Return a value that a careless program does not expect."""
    kind = rng.randrange(6)
    if kind == 0:
        return rng.choice(ODD_STRINGS)
    if kind == 1:
        return rng.choice(ODD_NUMBERS)
    if kind == 2:
        return rng.choice((None, True, False, [], {}, [[]], {"": None}))
    if kind == 3:
        return [rng.choice(ODD_NUMBERS) for _ in range(rng.randrange(5))]
    if kind == 4:
        return 10 ** rng.choice((20, 400))
    deep: Any = []
    for _ in range(rng.choice((3, 50, 500))):
        deep = [deep]
    return deep


def damage_bytes(rng: Random, data: bytes) -> bytes:
    """Return the data with one to a few damages."""
    damaged = bytearray(data)
    for _ in range(_damages(rng)):
        place = rng.randrange(len(damaged) + 1)
        end = min(len(damaged), place + 1 + int(rng.expovariate(0.1)))
        kind = rng.randrange(7)
        if kind == 0 and damaged:
            damaged[place % len(damaged)] ^= 1 << rng.randrange(8)
        elif kind == 1 and damaged:
            damaged[place % len(damaged)] = rng.choice((0, 1, 127, 128, 255, 10, 34, 44))
        elif kind == 2:
            del damaged[place:end]
        elif kind == 3:
            damaged[place:place] = damaged[place:end]
        elif kind == 4:
            damaged[place:place] = rng.randbytes(end - place + 1)
        elif kind == 5:
            width = rng.choice((1, 2, 4, 8))
            word = rng.choice(_WORD_EXTREMES) % 2 ** (8 * width)
            damaged[place : place + width] = word.to_bytes(width, rng.choice(("little", "big")))
        elif rng.random() < 0.3:
            del damaged[place:]
    return bytes(damaged)


def damage_text(rng: Random, text: str, words: Sequence[str] = ()) -> str:
    """Return the text with one to a few lines or words lost, repeated, moved or replaced."""
    for _ in range(_damages(rng)):
        unit = rng.choice(("\n", " ", ",", ""))
        parts = text.split(unit) if unit else list(text)
        if not parts:
            parts = [""]
        place, other = rng.randrange(len(parts)), rng.randrange(len(parts))
        kind = rng.randrange(5)
        if kind == 0:
            del parts[place]
        elif kind == 1:
            parts.insert(place, parts[other])
        elif kind == 2:
            parts[place], parts[other] = parts[other], parts[place]
        elif kind == 3:
            parts[place] = rng.choice((*words, *ODD_STRINGS, *map(str, ODD_NUMBERS)))
        else:
            parts.insert(place, rng.choice((*words, *ODD_STRINGS)))
        text = unit.join(parts)
    return text


def damage_json(rng: Random, document: Any) -> Any:
    """Return a copy of a document of lists and dictionaries, with one to a few parts lost, repeated or replaced."""
    document = {"": _copied(document)}
    for _ in range(_damages(rng)):
        places = list(_places(document))
        container, key = rng.choice(places)
        kind = rng.randrange(5)
        if kind == 0 and container is not document:
            del container[key]
        elif kind == 1 and isinstance(container, list):
            container.insert(rng.randrange(len(container) + 1), container[key])
        elif kind == 2:
            giver, given = rng.choice(places)
            container[key] = _copied(giver[given])
        elif kind == 3 and isinstance(container, dict) and container is not document:
            container[rng.choice((key.upper(), "", "kind", *ODD_STRINGS))] = container.pop(key)
        else:
            container[key] = odd_value(rng)
    return document[""]


def _damages(rng: Random) -> int:
    return 1 + min(int(rng.expovariate(0.9)), 8)


def rename_json(rng: Random, document: Any, names: Sequence[str]) -> Any:
    """Return a copy of a document with an odd string in place of one of some names, wherever it occurs."""
    old, new = rng.choice(names), rng.choice(ODD_STRINGS)

    def renamed(value: Any) -> Any:
        if isinstance(value, list):
            return [renamed(item) for item in value]
        if isinstance(value, dict):
            return {new if key == old else key: renamed(item) for key, item in value.items()}
        return new if value == old else value

    return renamed(document)


def retune_json(rng: Random, document: Any) -> Any:
    """Return a copy of a document with other numbers of the same type in one to a few places."""
    document = _copied(document)
    places = [place for place in _places(document) if type(place[0][place[1]]) in (int, float)]
    for container, key in rng.choices(places, k=_damages(rng)) if places else ():
        container[key] = rng.choice(_OTHER_INTEGERS if type(container[key]) is int else _OTHER_FLOATS)
    return document


def _copied(document: Any) -> Any:
    """Return a copy; ``copy.deepcopy`` needs too many frames for deep documents."""
    return json.loads(json.dumps(document))


def _places(container: Any, depth: int = 0) -> Any:
    """Iterate over the places of the values in a document that are not too deep, as (container, key or index)."""
    pairs = container.items() if isinstance(container, dict) else enumerate(container)
    for key, value in pairs:
        yield container, key
        if isinstance(value, list | dict) and depth < _DEEPEST_PLACE:
            yield from _places(value, depth + 1)
