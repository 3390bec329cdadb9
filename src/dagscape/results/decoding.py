"""JSON documents decoded strictly, by type.

The annotations of a dataclass say what its document may hold, and :func:`decode_record` accepts nothing else: a field
``rows: Count`` is an integer of at least 0, ``edges: Probabilities`` are nested lists of equal length with numbers from
0 to 1. ``Annotated`` adds a condition to a type. What a document with valid fields may still contradict, such as the
shape of an array, is for the class itself to check. A failure is one :class:`~dagscape.core.errors.InvalidData` that
names the place: ``steps[3].memory is 'x'; it must be an integer``.

In JSON, arrays are nested lists, and infinities, which JSON lacks, are the strings ``"inf"`` and ``"-inf"``.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, type_of

Record = TypeVar("Record")
Decoder = Callable[[Any], Any]

# Python converts integers of up to 4300 digits to text: sums of these, too.
MOST_BITS = 14_000

# Larger numbers are not probabilities, logs of such, times or sizes; sums and differences of these do not overflow.
LARGEST = 1e300

# As many as NumPy has.
_MOST_AXES = 64

# Real parameters are a few levels deep; what is deeper could not be written again.
_DEEPEST = 32

# Characters of a value in a message.
_LONGEST_SHOWN = 60

_NOT_FINITE = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}


@dataclass(frozen=True, slots=True)
class Between:
    """A condition on numbers and arrays: at least ``low`` and at most ``high``; NaN is not."""

    low: float
    high: float = math.inf

    def holds(self, value: Any) -> bool:
        """Whether a number, or every number of an array, is in the range."""
        within = (self.low <= value) & (value <= self.high)
        return within if isinstance(within, bool) else bool(within.all())

    def __str__(self) -> str:
        if self.high == math.inf:
            return f"at least {self.low:g}"
        return f"between {self.low:g} and {self.high:g}"


@dataclass(frozen=True, slots=True)
class OneOf:
    """A condition on strings: one of some."""

    choices: tuple[str, ...]

    def holds(self, value: Any) -> bool:
        """Whether a string is one of the choices."""
        return value in self.choices

    def __str__(self) -> str:
        return f"one of {', '.join(map(repr, self.choices))}"


Count = Annotated[int, Between(0)]
Share = Annotated[float, Between(0, 1)]
NotNegative = Annotated[float, Between(0)]
Positive = Annotated[float, Between(5e-324, LARGEST)]
Finite = Annotated[float, Between(-LARGEST, LARGEST)]
FiniteArray = Annotated[NDArray[np.float64], Between(-LARGEST, LARGEST)]
Probabilities = Annotated[NDArray[np.float64], Between(0, 1)]


def decode_record(record: type[Record], document: object, place: str = "the document") -> Record:
    """Rebuild a dataclass from JSON; missing fields get their defaults, unknown ones are ignored.

    Examples
    --------
    >>> @dataclass
    ... class Step:
    ...     name: str
    ...     memory: Count = 0
    >>> decode_record(Step, {"name": "sum", "colour": "red"})
    Step(name='sum', memory=0)
    >>> decode_record(Step, {"name": "sum", "memory": -1})
    Traceback (most recent call last):
      ...
    dagscape.core.errors.InvalidData: memory is -1; it must be at least 0
    """
    try:
        return record(**_field_values(record, document))
    except _MisfitError as misfit:
        raise InvalidData(misfit.sentence(place)) from None


def decode_fields(record: type, document: object, place: str = "the document") -> dict[str, Any]:
    """Return the decoded fields of a dataclass that a document has, for its constructor."""
    try:
        return _field_values(record, document)
    except _MisfitError as misfit:
        raise InvalidData(misfit.sentence(place)) from None


def decode(annotation: Any, value: object, place: str) -> Any:
    """Return a value decoded as a type; ``place`` names it in messages.

    >>> decode(tuple[str, ...], ["a", "b"], "variables")
    ('a', 'b')
    """
    try:
        return _decoder(annotation)(value)
    except _MisfitError as misfit:
        raise InvalidData(misfit.sentence(place)) from None


def place_in(place: str, key: str | int) -> str:
    """Return the place of an entry of a list or an object, for messages; keys that are no plain names are quoted.

    >>> place_in("steps", 3), place_in("levels", "rain"), place_in("levels", "high fever")
    ('steps[3]', 'levels.rain', "levels['high fever']")
    """
    if isinstance(key, str) and key.isidentifier() and len(key) <= _LONGEST_SHOWN:
        return f"{place}.{key}"
    return f"{place}[{_shortened(repr(key))}]"


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_SHOWN else text[:_LONGEST_SHOWN] + "…"


class _MisfitError(Exception):
    """A value does not fit its type. Containers add their keys on the way up."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.path: list[str | int] = []

    def within(self, key: str | int) -> _MisfitError:
        self.path.append(key)
        return self

    def sentence(self, place: str) -> str:
        for key in reversed(self.path):
            place = place_in(place, key)
        return f"{place.removeprefix('the document.')} {self.problem}"


def _misfit(value: object, expected: object) -> _MisfitError:
    shown = repr(value) if isinstance(value, str | int | float | NoneType) else type_of(value)
    return _MisfitError(f"is {_shortened(shown)}; it must be {expected}")


def _field_values(record: type, document: object) -> dict[str, Any]:
    if not isinstance(document, Mapping):
        raise _misfit(document, "an object")
    # Documents of earlier versions may have other fields.
    known: Mapping[str, Any] = record.upgraded(document) if hasattr(record, "upgraded") else document
    values = {}
    for name, decoder, required in _decoders(record):
        if name in known:
            try:
                values[name] = decoder(known[name])
            except _MisfitError as misfit:
                raise misfit.within(name) from None
        elif required:
            raise _MisfitError(f"lacks {name!r}")
    return values


@cache
def _decoders(record: type) -> tuple[tuple[str, Decoder, bool], ...]:
    """Return the name and the decoder of each field of a dataclass, and whether it has no default."""
    hints = get_type_hints(record, include_extras=True)
    return tuple(
        (
            entry.name,
            _decoder(hints[entry.name]),
            entry.default is dataclasses.MISSING and entry.default_factory is dataclasses.MISSING,
        )
        for entry in dataclasses.fields(record)
        if entry.init and not entry.name.startswith("_")
    )


@cache
def _decoder(annotation: Any) -> Decoder:
    """Return the function that decodes values of a type."""
    if annotation in _SIMPLE:
        return _SIMPLE[annotation]
    origin, given = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _conditional(_decoder(given[0]), given[1:])
    if origin in (Union, UnionType):
        kinds = [_decoder(other) for other in given if other is not NoneType]
        decoder = kinds[0] if len(kinds) == 1 else _first_of(kinds)
        return _optional(decoder) if NoneType in given else decoder
    if origin is Literal:
        return _conditional(_decode_string, (OneOf(given),))
    if origin is tuple:
        return _list_of(_decoder(given[0])) if given[1:] == (...,) else _row_of(tuple(map(_decoder, given)))
    if origin is np.ndarray:
        return _decode_array
    if hasattr(origin, "__value__"):
        # A generic alias by the statement `type`, as NDArray is in NumPy 2.5 and later.
        return _decoder(origin.__value__[given])
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping_of(_decoder(given[1]))
    if dataclasses.is_dataclass(annotation):
        return _record_of(cast("type", annotation))
    # Anything else is decoded by its owner, before.
    return lambda value: value


def _first_of(decoders: Sequence[Decoder]) -> Decoder:
    """Return the decoder of a type that is one of several: the first that fits counts."""

    def decode(value: object) -> Any:
        for decoder in decoders[:-1]:
            with suppress(_MisfitError):
                return decoder(value)
        return decoders[-1](value)

    return decode


def _decode_string(value: object) -> str:
    if type(value) is not str:
        raise _misfit(value, "a string")
    return value


def _decode_bool(value: object) -> bool:
    if type(value) is not bool:
        raise _misfit(value, "true or false")
    return value


def _decode_int(value: object) -> int:
    if type(value) is not int:
        raise _misfit(value, "an integer")
    if value.bit_length() > MOST_BITS:
        raise _MisfitError(f"is an integer of {value.bit_length():,} bits; the limit is {MOST_BITS:,}")
    return value


def _decode_float(value: object) -> float:
    if isinstance(value, str):
        value = _NOT_FINITE.get(value, value)
    if type(value) not in (int, float):
        raise _misfit(value, "a number")
    number = cast("float", value)
    # False for NaN, and for integers that exceed all floats.
    if not abs(number) <= LARGEST and number not in (math.inf, -math.inf):
        raise _misfit(value, f"a number of at most {LARGEST:g}, or 'inf' or '-inf'")
    return float(number)


def _decode_any(value: Any, depth: int = 0) -> Any:
    if depth > _DEEPEST:
        raise _MisfitError(f"is nested more than {_DEEPEST} deep")
    if isinstance(value, list):
        return [_decode_any(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {key: _decode_any(item, depth + 1) for key, item in value.items()}
    return value


def _decode_array(value: Any) -> NDArray[np.float64]:
    """Return nested lists of equal length as an array; an array of an archive is one already."""
    if isinstance(value, np.ndarray):
        if value.dtype != np.float64 or not value.ndim:
            what = f"an array of {value.dtype.name}" if value.ndim else "a number"
            raise _MisfitError(f"is {what}; it must be an array of float64")
        return value
    shape: list[int] = []
    entries: list[Any] = [value]
    while entries and type(entries[0]) is list:
        if len(shape) == _MOST_AXES or set(map(type, entries)) != {list} or len(set(map(len, entries))) > 1:
            raise _MisfitError("is not an array: its lists must have equal lengths")
        shape.append(len(entries[0]))
        entries = list(chain.from_iterable(entries))
    if not shape:
        raise _misfit(value, "a list")
    kinds = set(map(type, entries))
    if str in kinds:
        entries = [_NOT_FINITE.get(entry, entry) if type(entry) is str else entry for entry in entries]
        kinds = set(map(type, entries))
    if not kinds <= {int, float}:
        wrong = next(entry for entry in entries if type(entry) not in (int, float))
        raise _misfit(wrong, "an array of numbers") if type(wrong) is not list else _MisfitError("is not an array")
    try:
        return np.array(entries, dtype=np.float64).reshape(shape)
    except OverflowError:
        raise _MisfitError("has an integer that is too large for an array") from None


_SIMPLE: Mapping[Any, Decoder] = {
    str: _decode_string,
    bool: _decode_bool,
    int: _decode_int,
    float: _decode_float,
    Any: _decode_any,
}


def _conditional(decoder: Decoder, conditions: tuple[Any, ...]) -> Decoder:
    def decoded(value: object) -> Any:
        found = decoder(value)
        for condition in conditions:
            if not condition.holds(found):
                raise (
                    _MisfitError(f"has a number that is not {condition}")
                    if isinstance(value, list | np.ndarray)
                    else _misfit(value, condition)
                )
        return found

    return decoded


def _optional(decoder: Decoder) -> Decoder:
    return lambda value: None if value is None else decoder(value)


def _list_of(decoder: Decoder) -> Decoder:
    def decoded(value: Any) -> tuple[Any, ...]:
        if type(value) is not list:
            raise _misfit(value, "a list")
        found: list[Any] = []
        try:
            # On failure, it has the items before the wrong one.
            found.extend(map(decoder, value))
        except _MisfitError as misfit:
            raise misfit.within(len(found)) from None
        return tuple(found)

    return decoded


def _row_of(decoders: tuple[Decoder, ...]) -> Decoder:
    def decoded(value: Any) -> tuple[Any, ...]:
        if type(value) is not list or len(value) != len(decoders):
            raise _MisfitError(f"must be a list of {len(decoders)} values")
        return tuple(decoder(item) for decoder, item in zip(decoders, value, strict=True))

    return decoded


def _mapping_of(decoder: Decoder) -> Decoder:
    def decoded(value: Any) -> dict[str, Any]:
        if type(value) is not dict:
            raise _misfit(value, "an object")
        found = {}
        for key, item in value.items():
            try:
                found[key] = decoder(item)
            except _MisfitError as misfit:
                raise misfit.within(key) from None
        return found

    return decoded


def _record_of(record: type) -> Decoder:
    def decoded(value: Any) -> Any:
        # Its owner may have decoded it before.
        return value if isinstance(value, record) else record(**_field_values(record, value))

    return decoded
