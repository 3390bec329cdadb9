"""What every result has in common: plain data, provenance, and JSON that can be read back.

A result is a frozen dataclass that derives from :class:`Result`. Nothing in it needs the data or the scores again.
Its fields may be numbers, texts, tuples, mappings, NumPy arrays and other dataclasses; arrays become nested lists in
JSON, and the infinities, which JSON lacks, the texts ``"inf"`` and ``"-inf"``. ``docs/results.md`` has the schema.
"""

from __future__ import annotations

import dataclasses
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from dagscape.errors import InvalidData, InvalidOption, did_you_mean
from dagscape.files import replace_file
from dagscape.score_info import ScoreInfo

if TYPE_CHECKING:
    import pandas as pd

Record = TypeVar("Record")


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a result comes from.

    Attributes
    ----------
    version : str
        The version of dagscape.
    method : str
        What was computed, by its public name.
    parameters : mapping
        The arguments that shape the result, defaults filled in.
    seed : int or None
        The seed, where anything was random.
    seconds : mapping
        Wall-clock seconds by phase.
    backend : str
        The back end, the kernels that ran, and the number of threads.
    """

    version: str
    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    seconds: Mapping[str, float] = field(default_factory=dict)
    backend: str = ""


def array_field(dtype: Any = np.float64) -> Any:
    """Declare a dataclass field that holds an array, so that it is read back as one."""
    return field(metadata={"decode": lambda value: np.array(_decode_floats(value), dtype=dtype)})


def decoded_field(decode: Callable[[Any], Any]) -> Any:
    """Declare a dataclass field with a function that rebuilds its value from JSON."""
    return field(metadata={"decode": decode})


def records_field(record: type) -> Any:
    """Declare a dataclass field that holds a tuple of small dataclasses."""
    return decoded_field(lambda documents: tuple(decode_record(record, document) for document in documents))


def decode_record(record: type[Record], document: Mapping[str, Any]) -> Record:
    """Rebuild a dataclass from JSON; absent fields have their defaults, and unknown ones are ignored."""
    if not isinstance(document, Mapping):
        raise TypeError(f"a {record.__name__} should be an object, not {document!r:.40}")
    values = {
        entry.name: entry.metadata.get("decode", _decoder(entry))(document[entry.name])
        for entry in dataclasses.fields(cast("Any", record))
        if entry.name in document
    }
    return record(**values)


@dataclass(frozen=True, slots=True, eq=False)
class Result(ABC):
    """Base of all results.

    Two results are equal if they say the same: how they were made, which is in ``provenance``, does not count.

    Attributes
    ----------
    kind : str
        The kind of result, as JSON documents name it.
    schema : int
        The version of the kind's JSON document. It grows when older versions of dagscape can no longer read it.
    variables : tuple of str
        The names of the variables, in the order of every array's axes.
    provenance : Provenance
        How the result was made.
    """

    kind: ClassVar[str]
    schema: ClassVar[int] = 1

    variables: tuple[str, ...]
    provenance: Provenance

    def _number(self, variable: str) -> int:
        """The number of a variable: its place on the axes of arrays."""
        if variable not in self.variables:
            raise InvalidOption(f"{variable!r} is not a variable{did_you_mean(variable, self.variables)}")
        return self.variables.index(variable)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        said = (f.name for f in _stored_fields(self) if f.name != "provenance")
        return all(_same(getattr(self, name), getattr(other, name)) for name in said)

    def __hash__(self) -> int:
        return hash((self.kind, self.variables))

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """The result as a pandas data frame."""

    def to_dict(self) -> dict[str, Any]:
        """The result as a JSON document: dictionaries, lists, texts and numbers only."""
        document: dict[str, Any] = {"kind": self.kind, "schema": self.schema}
        for entry in _stored_fields(self):
            document[entry.name] = _encode(getattr(self, entry.name))
        return document

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild a result from :meth:`to_dict`'s document.

        What the document has besides is ignored; what it lacks has its default, if there is one.
        """
        values: dict[str, Any] = {}
        for entry in _stored_fields(cls):
            if entry.name in document:
                values[entry.name] = entry.metadata.get("decode", _decoder(entry))(document[entry.name])
            elif entry.default is dataclasses.MISSING and entry.default_factory is dataclasses.MISSING:
                raise InvalidData(f"the {cls.kind!r} document lacks {entry.name!r}")
        return cls(**values)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the result as JSON; :func:`dagscape.load_result` reads it back."""
        text = json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)
        with replace_file(path) as stream:
            stream.write(text.encode() + b"\n")


@dataclass(frozen=True, slots=True, eq=False)
class ScoredResult(Result):
    """Base of results made from local scores.

    Attributes
    ----------
    score_info : ScoreInfo or None
        What the scores are scores of; None where a file does not say.
    """

    score_info: ScoreInfo | None = field(
        default=None,
        kw_only=True,
        metadata={"decode": lambda value: None if value is None else ScoreInfo.from_dict(value)},
    )

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild a result from :meth:`to_dict`'s document."""
        if "score_info" not in document:
            # Version 0.1.0 kept these facts in the provenance.
            recorded = document.get("provenance", {}).get("parameters", {})
            document = {**document, "score_info": recorded if "score" in recorded else recorded.get("scores")}
        return super(ScoredResult, cls).from_dict(document)


def check_same_scores(first: ScoredResult, second: ScoredResult) -> None:
    """Refuse to compare two results that are known to come from different scores."""
    if first.variables != second.variables:
        raise InvalidOption("the two results do not have the same variables")
    known = first.score_info is not None and second.score_info is not None
    if known and first.score_info != second.score_info:
        raise InvalidOption("the two results are of different data, or of different scores")


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return bool(a == b)


def pair_frame(variables: Sequence[str], matrices: Mapping[str, NDArray[np.float64]]) -> pd.DataFrame:
    """A data frame of matrices over pairs of variables: one ordered pair in a row, the largest values first."""
    import pandas as pd

    pairs = [(u, v) for u in range(len(variables)) for v in range(len(variables)) if u != v]
    columns: dict[str, Any] = {
        "source": [variables[u] for u, _ in pairs],
        "target": [variables[v] for _, v in pairs],
    }
    columns |= {name: [matrix[pair] for pair in pairs] for name, matrix in matrices.items()}
    return pd.DataFrame(columns).sort_values(list(matrices), ascending=False, kind="stable", ignore_index=True)


def check_lengths(document: Mapping[str, Any], names: Sequence[str]) -> None:
    """Refuse a document whose lists should have an entry for each of the same things, and do not."""
    lengths = {len(value) if isinstance(value := document.get(name), list) else None for name in names}
    if len(lengths) > 1 or None in lengths:
        raise InvalidData(f"the lists {', '.join(names)} of the {document.get('kind')!r} document do not match")


def _stored_fields(result: Result | type[Result]) -> list[dataclasses.Field[Any]]:
    """The fields that are part of a result; those with an underscore only keep what was computed from them."""
    return [entry for entry in dataclasses.fields(result) if not entry.name.startswith("_")]


def _encode(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {entry.name: _encode(getattr(value, entry.name)) for entry in dataclasses.fields(value)}
    if isinstance(value, np.ndarray):
        return _encode(value.tolist())
    if isinstance(value, np.generic):
        return _encode(value.item())
    if isinstance(value, Mapping):
        return {str(key): _encode(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_encode(item) for item in value]
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def _decode_floats(value: Any) -> Any:
    if isinstance(value, list):
        return [_decode_floats(item) for item in value]
    return float(value) if isinstance(value, str) else value


def _decoder(entry: dataclasses.Field[Any]) -> Callable[[Any], Any]:
    """How a field without a function of its own is read: JSON has no infinities, and lists stand for tuples."""
    if entry.type in ("Provenance", Provenance):
        return lambda document: decode_record(Provenance, document)
    return float if entry.type in ("float", float) else _as_tuple


def _as_tuple(value: Any) -> Any:
    return tuple(_as_tuple(item) for item in value) if isinstance(value, list) else value
