"""The base of all results: plain data, provenance, and JSON that can be read back.

A result is a frozen dataclass that derives from :class:`Result`. It never needs the data or the scores again. Its
fields may be numbers, strings, tuples, mappings, NumPy arrays and other dataclasses; :mod:`dagscape.results.decoding`
decodes them from JSON by their annotations, and ``_check`` refuses fields that contradict each other.
``docs/results.md`` has the schema.
"""

from __future__ import annotations

import contextlib
import dataclasses
import html
import json
import os
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.checks import check_names
from dagscape.core.errors import InvalidData, InvalidOption, argument, did_you_mean
from dagscape.core.files.paths import format_by_ending
from dagscape.core.files.writing import replace_by_ending
from dagscape.core.version import __version__
from dagscape.core.wording import plural, visible, visible_json
from dagscape.results.data_source import DataSource
from dagscape.results.decoding import NotNegative, decode_fields
from dagscape.results.encoding import encode
from dagscape.results.npz import write_document
from dagscape.results.score_info import ScoreInfo

if TYPE_CHECKING:
    import pandas as pd

# The formats in which a result can be written; the first two can be read back. All but archives are text.
ARCHIVE = "npz"
RESULT_FORMATS = ("json", ARCHIVE, "csv", "tsv")

# Rows of the table that a notebook shows.
_ROWS_SHOWN = 10

# Fields that do not count when results are compared.
_ABOUT = ("provenance", "warnings")


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a result comes from.

    Attributes
    ----------
    version : str
        The version of dagscape.
    method : str
        The public name of what was computed.
    parameters : mapping
        The arguments that determine the result, including defaults.
    seed : int or None
        The seed, if anything was random.
    seconds : mapping
        Wall-clock seconds by phase.
    backend : str
        The back end, the kernels that ran, and the number of threads.
    source : DataSource or None
        Where the data come from, for results without a :class:`~dagscape.results.score_info.ScoreInfo`, which says it
        otherwise; None if that is unknown.
    call : str
        The command line; empty if a function was called, whose name and arguments are ``method`` and ``parameters``.
    """

    version: str
    method: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    seconds: Mapping[str, NotNegative] = field(default_factory=dict)
    backend: str = ""
    # Earlier files lack these.
    source: DataSource | None = None
    call: str = ""


def provenance_of(
    method: str,
    parameters: Mapping[str, Any],
    seconds: Mapping[str, float],
    threads: int,
    seed: int | None = None,
    *,
    backend: str = "cpu",
    engine: str | None = None,
    source: DataSource | None = None,
) -> Provenance:
    """Return the record of how a result was made, with this version, this back end and this engine."""
    used = f"{backend}: {engine or kernels.name}, {plural(threads, 'thread')}"
    return Provenance(__version__, method, parameters, seed, seconds, used, source)


@dataclass(frozen=True, slots=True, eq=False)
class Result(ABC):
    """Base class of all results.

    Two results are equal if all their fields are, except ``provenance`` and ``warnings``, which are about them.

    Attributes
    ----------
    kind : str
        The name of the kind of result in JSON documents.
    schema : int
        The version of this kind of JSON document. It increases when older versions of dagscape cannot read it any more.
    variables : tuple of str
        The names of the variables, in the order of the axes of arrays.
    provenance : Provenance
        How the result was made.
    warnings : tuple of str
        The warnings that were issued when it was made, each with its kind: ``"sparse families: the likely parents of
        …"``. Tables and pictures of the result show them.
    """

    kind: ClassVar[str]
    schema: ClassVar[int] = 1
    # Properties that documents also have, for readers other than dagscape; they are computed again when read back.
    derived: ClassVar[tuple[str, ...]] = ()

    variables: tuple[str, ...]
    provenance: Provenance
    # Earlier files lack them.
    warnings: tuple[str, ...] = field(default=(), kw_only=True)

    def _number(self, variable: str) -> int:
        """Return the index of a variable on the axes of arrays."""
        if variable not in self.variables:
            raise InvalidOption(f"{variable!r} is not a variable{did_you_mean(variable, self.variables)}")
        return self.variables.index(variable)

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        compared = (f.name for f in _stored_fields(self) if f.name not in _ABOUT)
        return all(_same(getattr(self, name), getattr(other, name)) for name in compared)

    def __hash__(self) -> int:
        return hash((self.kind, self.variables))

    @abstractmethod
    def to_frame(self) -> pd.DataFrame:
        """Return the result as a pandas data frame."""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the data rule out, in sentences that tables and notebooks show."""
        return ()

    def _picture(self) -> str | None:
        """Return an SVG of the result, if it has a graph that is not too large to show."""
        return None

    def _repr_html_(self) -> str:
        """Return what a notebook shows: the short form, the warnings, the first rows of the frame, and a picture."""
        source = source_of(self)
        lines = {"Data": "" if source is None else source.line(), "Settings": settings_of(self)}
        parts = [f"<p>{name}: {html.escape(said)}</p>" for name, said in lines.items() if said]
        parts += [f"<p><strong>Warning:</strong> {html.escape(warning)}</p>" for warning in self.warnings]
        parts += [f"<p>{html.escape(sentence)}</p>" for sentence in self.remarks]
        for show in (self._table_html, self._picture):
            # The rest is worth showing, even if one part cannot be.
            with contextlib.suppress(Exception):
                parts.append(show() or "")
        return notebook_html(self, *parts)

    def _table_html(self) -> str:
        return frame_html(self.to_frame())

    def _file_frame(self) -> pd.DataFrame:
        """Return what a CSV file holds."""
        return self.to_frame()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as a JSON document: dictionaries, lists, strings and numbers only.

        A network is the list of its edges, pairs (parent, child).
        """
        stored = {name: encode(value) for name, value in self._document().items()}
        return stored | {name: encode(getattr(self, name)) for name in self.derived}

    def _document(self) -> dict[str, Any]:
        """Return what a file must hold to rebuild the result, before it is encoded.

        Classes with fields that are neither plain data nor arrays say here what stands for them.
        """
        stored = {entry.name: getattr(self, entry.name) for entry in _stored_fields(self)}
        return {"kind": self.kind, "schema": self.schema, **stored}

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild a result from a document of :meth:`to_dict`.

        Missing fields get their defaults, if they have one; unknown fields are ignored.
        """
        found = cls(**decode_fields(cls, document))
        found._check()
        return found

    def _check(self) -> None:
        """Raise :class:`InvalidData` if the fields of a result that was read contradict each other.

        Whatever passes can be shown, drawn, compared and saved again.
        """
        check_names(self.variables)

    def save(self, path: str | os.PathLike[str], *, file_format: str | None = None) -> None:
        """Write the result to a file.

        Parameters
        ----------
        path : path
            The file. It is compressed if its name ends in ``.gz``.
        file_format : {"json", "npz", "csv", "tsv"}, optional
            JSON and NPZ have everything, and :func:`dagscape.load_result` reads them back. NPZ, NumPy arrays with a
            JSON header, is smaller and quicker for lists of many networks. CSV and TSV have the table of
            :meth:`to_frame`, for other programs; lists in its cells are JSON. Default: by the ending of the name,
            ``.json``, ``.npz``, ``.csv`` or ``.tsv``.

        Examples
        --------
        >>> import tempfile
        >>> import dagscape as ds
        >>> best = ds.k_best(ds.local_scores(ds.load_dataset("iris")), k=2)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     best.save(f"{folder}/best.csv")
        ...     best.save(f"{folder}/best.json.gz")
        ...     best.save(f"{folder}/best.npz")
        ...     [ds.load_result(f"{folder}/{name}") == best for name in ("best.json.gz", "best.npz")]
        [True, True]
        """
        file_format = file_format or result_format(path)
        if file_format == ARCHIVE:
            with replace_by_ending(path) as stream:
                write_document(stream, self._document())
            return
        text = document(self, file_format)
        with replace_by_ending(path) as stream:
            stream.write(text.encode())


def source_of(result: Result) -> DataSource | None:
    """Return where the data of a result come from; None if it does not say."""
    info = result.score_info if isinstance(result, ScoredResult) else None
    return result.provenance.source if info is None else info.source or result.provenance.source


def settings_of(result: Result) -> str:
    """Return the settings that were chosen for a result, and how; empty if none were."""
    info = result.score_info if isinstance(result, ScoredResult) else None
    return "" if info is None else info.settings_line


def inherited_warnings(*sources: object) -> tuple[str, ...]:
    """Return the warnings of the results among some objects, each once: what is computed from them keeps these."""
    found = (warning for source in sources if isinstance(source, Result) for warning in source.warnings)
    return tuple(dict.fromkeys(found))


def picture_of(result: Result) -> str | None:
    """Return an SVG of a result, as a notebook shows it; None if it has no picture, or one too large to read."""
    return result._picture()


def result_format(path: str | os.PathLike[str]) -> str:
    """Return the format of a result that a file name selects."""
    return format_by_ending(path, RESULT_FORMATS, option="file_format")


def notebook_html(shown: object, *parts: str) -> str:
    """Return what a notebook shows of an object: its short form, and parts in HTML, without control characters."""
    return visible("\n".join([f"<p><code>{html.escape(repr(shown))}</code></p>", *parts]), keep="\n")


def frame_html(frame: pd.DataFrame) -> str:
    """Return the first rows of a data frame as HTML, and how many more there are."""
    table = frame.head(_ROWS_SHOWN).to_html()
    more = len(frame) - _ROWS_SHOWN
    return table + (f"\n<p>… {more:,} more {'row' if more == 1 else 'rows'}</p>" if more > 0 else "")


def document(result: Result, file_format: str) -> str:
    """Return a result as the text of a file, in one of the formats of :meth:`Result.save` that are text."""
    if file_format not in RESULT_FORMATS:
        known = ", ".join(RESULT_FORMATS) + did_you_mean(file_format, RESULT_FORMATS)
        raise InvalidOption(f"is {file_format!r}; it must be one of {known}", option="file_format")
    if file_format == "json":
        return visible_json(json.dumps(result.to_dict(), ensure_ascii=False, allow_nan=False, indent=1)) + "\n"
    frame = result._file_frame().map(
        lambda cell: json.dumps(cell, ensure_ascii=False) if isinstance(cell, tuple | list) else cell
    )
    text: str = frame.to_csv(index=False, sep="," if file_format == "csv" else "\t", lineterminator="\n")
    return text


@dataclass(frozen=True, slots=True, eq=False)
class ScoredResult(Result):
    """Base class of results computed from local scores.

    Attributes
    ----------
    score_info : ScoreInfo or None
        What the scores were computed from; None if a file does not say.
    """

    score_info: ScoreInfo | None = field(default=None, kw_only=True)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What the data rule out, in sentences that tables and notebooks show."""
        return () if self.score_info is None else self.score_info.remarks

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Rebuild a result from a document of :meth:`to_dict`."""
        if "score_info" not in document:
            # Version 0.1.0 kept these facts in the provenance.
            recorded = recorded_parameters(document)
            document = {**document, "score_info": recorded if "score" in recorded else recorded.get("scores")}
        return super(ScoredResult, cls).from_dict(document)

    def _check(self) -> None:
        super(ScoredResult, self)._check()
        if self.score_info is not None:
            edges = (*self.score_info.required, *self.score_info.forbidden)
            check_known("score_info", chain.from_iterable(edges), self.variables)
            check_length("score_info.level_counts", self.score_info.level_counts, "variables", len(self.variables))


def recorded_parameters(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the parameters in the provenance of a document, where earlier versions kept what results now have."""
    provenance = document.get("provenance")
    recorded = provenance.get("parameters") if isinstance(provenance, Mapping) else None
    return recorded if isinstance(recorded, Mapping) else {}


def check_same_scores(first: ScoredResult, second: ScoredResult) -> None:
    """Raise an error if two results are known to come from different scores."""
    if first.variables != second.variables:
        raise InvalidOption("the two results do not have the same variables")
    known = first.score_info is not None and second.score_info is not None
    if known and first.score_info != second.score_info:
        message = "the two results come from different data, or from different scores"
        infos = (first.score_info, second.score_info)
        if any(info is not None and info.structure_prior == "averaged" for info in infos):
            message += f": one of them averages over settings, and {argument('settings', 'best')} does not"
        raise InvalidOption(message)


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, tuple) and isinstance(b, tuple):
        return len(a) == len(b) and all(map(_same, a, b))
    return bool(a == b)


def pair_frame(variables: Sequence[str], matrices: Mapping[str, NDArray[np.float64]]) -> pd.DataFrame:
    """Return matrices as a data frame: one ordered pair of variables per row, largest values first."""
    import pandas as pd

    sources, targets = np.nonzero(~np.eye(len(variables), dtype=np.bool_))
    names = np.array(variables, dtype=object)
    columns: dict[str, Any] = {"source": names[sources].tolist(), "target": names[targets].tolist()}
    columns |= {name: matrix[sources, targets] for name, matrix in matrices.items()}
    return pd.DataFrame(columns).sort_values(list(matrices), ascending=False, kind="stable", ignore_index=True)


def matrix_frame(variables: Sequence[str], matrix: NDArray[np.float64], rows: str, columns: str) -> pd.DataFrame:
    """Return a matrix as a data frame, with the variables as the labels of both axes."""
    import pandas as pd

    return pd.DataFrame(matrix, index=pd.Index(variables, name=rows), columns=pd.Index(variables, name=columns))


def check_shape(name: str, array: NDArray[np.float64] | None, shape: tuple[int, ...]) -> None:
    """Raise an error if an array of a result, if it has it, does not have this shape."""
    if array is not None and array.shape != shape:
        raise InvalidData(f"{name} has the shape {array.shape}; it must be {shape}")


def check_known(name: str, mentioned: Iterable[str], variables: Sequence[str]) -> None:
    """Raise an error if a part of a result mentions a variable that the result does not have."""
    if unknown := set(mentioned).difference(variables):
        wrong = min(unknown)
        raise InvalidData(f"{name} mentions {wrong!r}, which is not a variable{did_you_mean(wrong, variables)}")


def check_length(name: str, values: Sequence[object] | None, of: str, length: int) -> None:
    """Raise an error if a list of a result, if it has it, is not as long as another."""
    if values is not None and len(values) != length:
        raise InvalidData(f"{name} and {of} do not match: their lengths are {len(values):,} and {length:,}")


def _stored_fields(result: Result | type[Result]) -> list[dataclasses.Field[Any]]:
    """Return the fields that are part of a result; those with an underscore are caches."""
    return [entry for entry in dataclasses.fields(result) if not entry.name.startswith("_")]
