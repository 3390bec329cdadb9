"""``.jkl`` score files: Jaakkola's text format, which other programs read and write.

Line 1 has the number of variables; then each variable has a line ``name K`` and K lines ``score p parent_1 ...
parent_p``. Fields are separated by white space, so white space and ``%`` in names are percent-encoded (``%20``). Lines
that begin with ``#`` are comments. Not all programs accept them, so we write none.

**Exact scores.** A score is an integer k in units of 2^-b nats. Its decimal expansion has at most b digits after the
point and is written in full: other programs read the nearest number that they can represent, and we read k. The number
of digits also tells the unit. If the scores of a file have up to b decimals, 20 ≤ b ≤ 48, and all are multiples of
2^-b, they are in units of 2^-b; decimals from elsewhere do not have this property. The first score gets trailing zeros
if the unit would not be evident otherwise.

All other files are read as floating-point numbers, and rounded once to the unit of the new table.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import partial
from typing import IO, TextIO

import numpy as np

from dagscape.core.errors import InvalidData
from dagscape.core.progress import Progress, ProgressListener
from dagscape.core.resources import check_memory, memory_limit
from dagscape.core.version import __version__
from dagscape.core.wording import plural
from dagscape.results.base import Provenance
from dagscape.scores.arithmetic.fixed_point import FINEST_BITS, IMPOSSIBLE, Unit
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.family_table import (
    COARSEST_BITS,
    FAMILY_BYTES,
    PARENT_BYTES,
    FamilyTable,
    largest_rounding,
    unit_of_list,
)
from dagscape.scores.tables.lattice import is_every_set
from dagscape.scores.tables.listed_prior import ExactFamilies

_LINES_AT_ONCE = 1000

# Enough for a family of a million parents.
_LONGEST_LINE = 2**24

_LONGEST_NUMBER = 1000

# The memory of a variable besides its families, in bytes.
_VARIABLE_BYTES = 1500

# Longer numbers are read as floating-point numbers.
_PLAIN_DECIMAL = re.compile(rf"-?[0-9]{{1,19}}(?:\.([0-9]{{1,{FINEST_BITS}}}))?")

_POWERS_OF_5: list[int] = [5**decimals for decimals in range(FINEST_BITS + 1)]

# Scores as read: integers in units of 2^-48 as long as all are multiples of it, otherwise floats.
_ReadFamilies = dict[tuple[int, ...], float]


def write_jkl(scores: EnumerableScores, stream: IO[bytes], progress: ProgressListener | None) -> None:
    """Write all possible families, best first, with exact scores."""
    names = [_escape(name) for name in scores.variables]
    bits = scores.unit.bits
    decimals = 0 if _unit_is_evident(scores) else bits
    lines = [f"{scores.n}\n"]
    for child, name in enumerate(names):
        if progress is not None:
            progress(Progress("Writing scores", child, scores.n))
        families = scores.families(child)
        lines.append(f"{name} {len(families)}\n")
        for i, exact in enumerate(families.exact.tolist()):
            parents = families.members(i)
            lines.append(" ".join([_decimal(exact, bits, decimals), str(len(parents)), *(names[p] for p in parents)]))
            lines.append("\n")
            decimals = 0
            if len(lines) > _LINES_AT_ONCE:
                stream.write("".join(lines).encode())
                lines.clear()
    stream.write("".join(lines).encode())


def _decimal(exact: int, bits: int, decimals: int = 0) -> str:
    """Return an integer number of units as a decimal, in full, with at least the given number of decimals.

    >>> _decimal(-5, 2), _decimal(-5, 2, 4), _decimal(8, 3), _decimal(1, 20)
    ('-1.25', '-1.2500', '1', '0.00000095367431640625')
    """
    sign, units = ("-", -exact) if exact < 0 else ("", exact)
    # The fraction f / 2^b is f 5^b / 10^b.
    fraction = str((units & (1 << bits) - 1) * 5**bits).zfill(bits).rstrip("0").ljust(decimals, "0")
    return f"{sign}{units >> bits}.{fraction}" if fraction else f"{sign}{units >> bits}"


def _unit_is_evident(scores: EnumerableScores) -> bool:
    """Whether :func:`_evident_unit` finds the unit of the scores from their shortest decimals."""
    used, largest = 0, 0
    for child in range(scores.n):
        for sets in scores.family_sets(child):
            exact = scores.exact_scores(child, sets)
            sizes = np.abs(exact[exact != IMPOSSIBLE])
            if (sizes & 1).any():
                # An odd number of units has as many decimals as the unit has bits.
                return True
            used |= int(np.bitwise_or.reduce(sizes))
            largest = max(largest, int(sizes.max(initial=0)))
    unit = scores.unit
    decimals = unit.bits - (used & -used).bit_length() + 1 if used else 0
    return _evident_unit(decimals, unit.to_float(largest), scores.n) == unit


def _evident_unit(decimals: int, largest: float, n: int) -> Unit:
    """Return the unit of exact scores with up to so many decimals and up to ``largest`` nats."""
    finest = Unit.for_scores_up_to(largest, n)
    return Unit(decimals) if COARSEST_BITS <= decimals <= finest.bits else finest


def _escape(name: str) -> str:
    return re.sub(r"[\s%]|^#", lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), name) or "%00"


def _unescape(token: str) -> str:
    """Undo :func:`_escape`; a name with any other ``%`` is returned unchanged."""
    if token == "%00":
        return ""
    packed = re.sub(rb"%([0-9A-F]{2})", lambda match: bytes([int(match[1], 16)]), token.encode())
    try:
        name = packed.decode()
    except UnicodeDecodeError:
        return token
    return name if _escape(name) == token else token


class _Lines:
    """The lines of a score file, without comments, with their numbers for messages, and the memory that they take."""

    def __init__(self, source: str, text: TextIO, limit: int) -> None:
        self.source = source
        self.number = 0
        # Each word of a line takes about 60 bytes.
        self._longest = min(_LONGEST_LINE, max(limit // 64, 1000))
        self._lines = iter(partial(text.readline, self._longest), "")
        self._taken, self._limit = 0, limit

    def next(self, what: str) -> list[str]:
        """Return the words of the next line, which should hold ``what``."""
        if words := self.next_or_none():
            return words
        raise InvalidData(f"{self.source!r} ends after line {self.number}, where {what} is expected")

    def next_or_none(self) -> list[str] | None:
        for line in self._lines:
            self.number += 1
            if len(line) == self._longest and not line.endswith(("\n", "\r")):
                raise self.fail(f"it has more than {self._longest:,} characters")
            words = line.split()
            if words and words[0][0] != "#":
                return words
            # A small gzipped file can have billions of empty lines.
            self.take(FAMILY_BYTES)
        return None

    def take(self, nbytes: int) -> None:
        """Add to the estimate of the memory in use, and refuse to use more than the limit."""
        self._taken += nbytes
        if self._taken > self._limit:
            what = f"the scores in {self.source!r}, up to line {self.number},"
            check_memory(self._taken, self._limit, what, "raise the limit, or list fewer families")

    def fail(self, problem: str) -> InvalidData:
        return InvalidData(f"{self.source!r}, line {self.number}: {problem}")

    def integer(self, word: str, what: str) -> int:
        if not re.fullmatch(r"[0-9]{1,12}", word):
            raise self.fail(f"{what} is expected here, not {word[:40]!r}")
        return int(word)


class _Reader:
    """Reads families. Variables have numbers in the order in which they are first mentioned."""

    def __init__(self, lines: _Lines) -> None:
        self.lines = lines
        self.names: list[str] = []
        self.decimals = 0
        self.exact = True
        self._number_of_name: dict[str, int] = {}
        self._number_of_token: dict[str, int] = {}

    def number(self, token: str) -> int:
        """Return the number of a variable."""
        if token not in self._number_of_token:
            name = _unescape(token)
            self._number_of_token[token] = self._number_of_name.setdefault(name, len(self.names))
            if len(self._number_of_name) > len(self.names):
                self.names.append(name)
        return self._number_of_token[token]

    def families(self, child: int, count: int) -> _ReadFamilies:
        """Read the families of a child."""
        lines, name = self.lines, self.names[child]
        if count < 1:
            raise lines.fail(f"{name!r} has no families")
        listed: _ReadFamilies = {}
        for _ in range(count):
            words = lines.next(f"a family of {name!r}")
            score = self._score(words[0], name)
            size = lines.integer(words[1] if len(words) > 1 else "", "the number of parents")
            if len(words) != size + 2:
                raise lines.fail(f"expected {plural(size, 'parent')}, found {len(words) - 2}")
            parents = tuple(sorted(map(self.number, words[2:])))
            if child in parents or len(set(parents)) < size:
                raise lines.fail(f"a family of {name!r} lists a parent twice, or the child itself")
            if parents in listed:
                raise lines.fail(f"the family of {name!r} with these parents is listed twice")
            lines.take(FAMILY_BYTES + PARENT_BYTES * size)
            listed[parents] = score
        return listed

    def _score(self, word: str, child: str) -> float:
        if self.exact and (plain := _PLAIN_DECIMAL.fullmatch(word)):
            decimals = len(plain[1] or "")
            # The number is an integer divided by 10^d: in units of 2^-48, its 2^(48-d)-fold divided by 5^d.
            units, rest = divmod(int(word.replace(".", "")) << FINEST_BITS - decimals, _POWERS_OF_5[decimals])
            if not rest:
                self.decimals = max(self.decimals, decimals)
                return units
        try:
            score = float(word if len(word) <= _LONGEST_NUMBER else "nan")
        except ValueError:
            score = math.nan
        if math.isnan(score) or score == math.inf:
            raise self.lines.fail(f"the score {word[:40]!r} of a family of {child!r} is not a number")
        self.exact = self.exact and score == -math.inf
        return score


def read_jkl(text: TextIO, source: str, score_equivalent: bool, max_memory: int | str | None = None) -> FamilyTable:
    """Read the families of a file within a limit on memory; ``source`` is its name in error messages."""
    reader = _Reader(lines := _Lines(source, text, memory_limit(max_memory)))
    n = lines.integer(" ".join(lines.next("the number of variables")), "the number of variables")
    if n < 1:
        raise lines.fail("the number of variables must be at least 1")
    listed: dict[int, _ReadFamilies] = {}
    for _ in range(n):
        header = lines.next("a variable and the number of its families")
        if len(header) != 2:
            raise lines.fail("a variable and the number of its families are expected here, and nothing else")
        child = reader.number(header[0])
        if child in listed:
            raise lines.fail(f"the variable {reader.names[child]!r} is listed twice")
        lines.take(_VARIABLE_BYTES)
        listed[child] = reader.families(child, lines.integer(header[1], "the number of families"))
    if lines.next_or_none():
        raise lines.fail("unexpected line after the last family")
    if unknown := set(range(len(reader.names))) - listed.keys():
        raise InvalidData(f"{source!r} has the parent {reader.names[min(unknown)]!r}, which is not a variable")
    max_parents = max(len(parents) for families in listed.values() for parents in families)
    complete = all(is_every_set(len(families), n - 1, max_parents) for families in listed.values())
    variables = [reader.names[child] for child in listed]
    unit, rounding = _unit_and_rounding(listed, reader)
    return FamilyTable.from_exact(
        variables,
        list(_exact_families(listed, unit)),
        unit,
        rounding=rounding,
        complete=complete,
        score_equivalent=score_equivalent,
        provenance=Provenance(__version__, "read_scores", {"format": "jkl"}),
    )


def _unit_and_rounding(listed: dict[int, _ReadFamilies], reader: _Reader) -> tuple[Unit, float]:
    """Return the unit of the scores, and how far the score of a network is rounded in it."""
    finite = (score for families in listed.values() for score in families.values() if score != -math.inf)
    largest = max((abs(_nats(score)) for score in finite), default=1.0)
    unit = unit_of_list(largest, len(listed))
    if reader.exact and reader.decimals <= unit.bits:
        return _evident_unit(reader.decimals, largest, len(listed)), 0.0
    return unit, math.fsum(largest_rounding(map(_nats, families.values()), unit) for families in listed.values())


def _nats(score: float) -> float:
    return math.ldexp(score, -FINEST_BITS) if isinstance(score, int) else score


def _exact_families(listed: dict[int, _ReadFamilies], unit: Unit) -> Iterator[ExactFamilies]:
    """Convert each child's families to units, with variables numbered by their place in the file, and forget them."""
    place = {child: number for number, child in enumerate(listed)}
    coarser = FINEST_BITS - unit.bits
    for child in list(listed):
        families = listed.pop(child)
        yield {
            tuple(sorted([place[parent] for parent in parents])): (
                score >> coarser
                if isinstance(score, int) and not score & (1 << coarser) - 1
                else unit.to_int(_nats(score))
            )
            for parents, score in families.items()
        }
