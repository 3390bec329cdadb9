"""Tables and data sets from files, in the format that the name or the content of the file selects.

Levels are strings, so that one called ``None`` or ``NA`` remains a level; numbers are numbers. CSV and TSV are read by
:mod:`dagscape.data.tables.text`, Parquet by :mod:`dagscape.data.tables.parquet`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypedDict, Unpack, overload

from dagscape.core.checks import check_choice
from dagscape.core.errors import InvalidData, InvalidOption, argument, function
from dagscape.core.files.encodings import check_encoding
from dagscape.core.files.reading import GZIP_MAGIC, decode_text, open_binary, starts_with
from dagscape.core.references import lazily, loaded
from dagscape.data.bundled import PREFIX, bundled_table
from dagscape.data.continuous.measuring import MeasuringOptions
from dagscape.data.continuous.numeric import NumericData, numeric_from_table
from dagscape.data.discrete.dataset import Dataset, encode
from dagscape.data.discrete.encoding import EncodingOptions
from dagscape.data.discrete.levels import LevelsOption
from dagscape.data.kinds.decisions import Wishes
from dagscape.data.mixed.composing import ComposingOptions
from dagscape.data.mixed.mixed import MixedData, told_of_mixed
from dagscape.data.tables.coding import DEFAULT_MISSING_VALUES, check_missing_values
from dagscape.data.tables.decimal_commas import DECIMAL_CHOICES, Decimal
from dagscape.data.tables.duplicate_names import DUPLICATE_CHOICES, DuplicateNames
from dagscape.data.tables.file_names import SPREADSHEETS
from dagscape.data.tables.selection import SelectionOptions, unused_columns
from dagscape.data.tables.table import Table

if TYPE_CHECKING:
    from dagscape.data.discrete.discretizing import Discretizer

# Readers are imported when they are needed: data frames need none of them. Files that are no text have endings.
_Reader = Callable[..., Table]
_read_text_table: _Reader = lazily("data.tables.text:read_text_table")
_read_spreadsheet: _Reader = lazily("data.tables.spreadsheets:read_spreadsheet")
_OTHER_READERS: dict[str, _Reader] = {
    ".parquet": lazily("data.tables.parquet:read_parquet"),
    ".pq": lazily("data.tables.parquet:read_parquet"),
    ".dta": lazily("data.tables.foreign_files:read_stata"),
    ".sav": lazily("data.tables.foreign_files:read_spss"),
    ".zsav": lazily("data.tables.foreign_files:read_spss"),
}

_ENCODING_REMEDY = (
    f"say which encoding it has, such as {argument('encoding', 'latin-1')} or {argument('encoding', 'cp1252')}, "
    "or save it as UTF-8"
)

# The first bytes of zip archives, and so of Excel files.
_ZIP_MAGIC = b"PK\x03\x04"

# How JSON documents with an object begin; no table is likely to.
_JSON_STARTS = (b'{"', b"{\n", b"{\r\n", b"{ ")

# How those of dagscape begin.
_JSON_KIND = re.compile(r'\s*\{\s*"kind"\s*:\s*"([\w-]+)"\s*,\s*"schema"')
_JSON_START_LENGTH = 1000

Source = str | os.PathLike[str]


# The kinds of JSON documents that are networks.
_NETWORKS = {"network", "gaussian-network", "conditional-gaussian-network"}

DataKind = Literal["discrete", "numeric", "mixed"]

DATA_KINDS: tuple[DataKind, ...] = ("discrete", "numeric", "mixed")


# The names of the options of files, and of reading, in the order of the signatures.
FILE_OPTIONS = ("separator", "decimal", "encoding", "sheet", "duplicate_names")
READING_OPTIONS = (*FILE_OPTIONS, "missing_values")


class FileOptions(TypedDict, total=False):
    """What a file is like, as in :func:`read_table`."""

    separator: str | None
    decimal: Decimal
    encoding: str | None
    sheet: str | int | None
    duplicate_names: DuplicateNames


class ReadingOptions(FileOptions, total=False):
    """How a file is read, as in :func:`read_table`."""

    missing_values: Iterable[str]


class _DiscreteOptions(EncodingOptions, ReadingOptions, total=False):
    discretize: str | Discretizer | None
    nominal: Collection[str]
    numeric: Collection[str]
    ignore: Collection[str]


class _NumericOptions(MeasuringOptions, ReadingOptions, total=False):
    ignore: Collection[str]


class _MixedOptions(ComposingOptions, ReadingOptions, total=False):
    nominal: Collection[str]
    numeric: Collection[str]
    ignore: Collection[str]


@overload
def read_data(
    source: Source, *, kind: Literal["discrete"] = "discrete", **options: Unpack[_DiscreteOptions]
) -> Dataset: ...


@overload
def read_data(source: Source, *, kind: Literal["numeric"], **options: Unpack[_NumericOptions]) -> NumericData: ...


@overload
def read_data(source: Source, *, kind: Literal["mixed"], **options: Unpack[_MixedOptions]) -> MixedData: ...


def read_data(
    source: Source,
    *,
    kind: DataKind = "discrete",
    missing: Any = "error",
    levels: LevelsOption | None = None,
    interventions: Any = None,
    weights: Any = None,
    randomised: Collection[str] = (),
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    separator: str | None = None,
    decimal: Decimal = ".",
    encoding: str | None = None,
    sheet: str | int | None = None,
    duplicate_names: DuplicateNames = "error",
    columns: Collection[str] | None = None,
    drop: Collection[str] = (),
    discretize: str | Discretizer | None = None,
    nominal: Collection[str] = (),
    numeric: Collection[str] = (),
    ignore: Collection[str] = (),
    keep_constant: bool = False,
    drop_suspicious: bool = False,
    max_memory: int | str | None = None,
) -> Dataset | NumericData | MixedData:
    r"""Read data from a file.

    Parameters
    ----------
    source : str or path
        A CSV or TSV file with a header, plain or gzipped; a Parquet file (with the extra
        ``dagscape[parquet]``); a Stata file (``.dta``); an SPSS file (``.sav``, with pyreadstat); a spreadsheet
        (``.xlsx`` with openpyxl, ``.xls`` with xlrd, ``.ods`` with odfpy); ``"-"`` for standard input; or
        ``"builtin:NAME"`` for a bundled data set as it was published
        (:func:`~dagscape.data.bundled.load_dataset` has their names).
    kind : {"discrete", "numeric", "mixed"}
        What the variables are: ``"discrete"`` gives a :class:`Dataset`, whose levels are the strings of the cells;
        ``"numeric"`` gives :class:`NumericData`, and all cells must be numbers; ``"mixed"`` gives :class:`MixedData`,
        and tells apart what columns hold, as :meth:`MixedData.from_frame` does.
    missing : {"error", "level", "drop", "keep"}
        How to treat missing cells: raise an error, make them a level of their own, called ``?``, drop their rows, or
        keep them for methods that can use them, such as predictions. Numeric data has no levels, and of mixed
        data, only discrete columns have.
    levels : mapping of str to sequence or int, optional
        Declared levels by variable, in order, possibly unobserved; an integer k means the levels
        ``0``, ``1``, …, ``k - 1``. Unobserved levels change BDeu. Not for numeric data.
    interventions : str, array-like or None
        The variables set in each row, as in :meth:`Dataset.from_frame`.
    weights : str, array-like of int or None
        How many times each row counts, as in :meth:`Dataset.from_frame`.
    randomised : collection of str
        The variables whose value the experimenters assigned in every row, such as the arm of a randomised trial: no
        network has an edge into them.
    missing_values : collection of str
        Strings that mean a missing cell.
    separator : str, optional
        The separator of cells in a text file. Default: a tab in ``.tsv`` and ``.tab`` files, else a comma.
    decimal : {".", ","}
        The decimal sign of numbers in a text file. Thousands signs are not read.
    encoding : str, optional
        The encoding of a text file, such as ``"latin-1"`` or ``"cp1252"``. Default: that of its byte-order mark, which
        comes first in any case, or UTF-8.
    sheet : str or int, optional
        The sheet of a spreadsheet: its name, or its number from 1. Default: the first.
    duplicate_names : {"error", "rename"}
        What to do about columns of the same name: refuse them, unless all of them are left out; or call the second
        column ``x`` ``x.2``, the third ``x.3``, and so on.
    columns, drop, keep_constant, drop_suspicious
        The columns to use, as in :meth:`Dataset.from_frame`.
    discretize : str or Discretizer, optional
        How numbers are cut into intervals: a method of :class:`Discretizer`, with a number of intervals if need be
        (``"quantile:4"``), or a discretizer. ``"auto"`` tells apart what columns hold, cuts what is measured, sets
        aside identifiers, dates and free text, and issues a warning that says so
        (:class:`~dagscape.AutomaticReading`). Default: integers are levels, and decimals are refused.
    nominal, numeric, ignore : collection of str
        Columns whose values are levels, those that are cut, or numbers of mixed data, and those that are set aside,
        whatever they seem to hold.
    max_memory : int or str, optional
        Limit on memory, such as ``"8GiB"``. Default: 80% of what is free. What counts are the distinct strings of the
        columns in use, or their numbers, 8 bytes for each of their cells, and declared levels; not the size of the
        file.

    Returns
    -------
    Dataset, NumericData or MixedData

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "weather.csv")
    ...     _ = path.write_text("rain,street\nno,dry\nyes,wet\n?,wet\n")
    ...     data = read_data(path, missing="drop")
    >>> data, data.dropped
    (Dataset(2 variables, 2 rows, 2 of them distinct), 1)
    >>> read_data("builtin:iris", kind="numeric", drop=["class"])
    NumericData(4 variables, 150 rows)
    >>> read_data("builtin:iris", kind="mixed")
    MixedData(5 variables, 4 of them measured, 150 rows)
    >>> read_data("builtin:iris", discretize="quantile:2", ignore=["class"]).levels["petal_width"]
    ('(-inf,1.35]', '(1.35,inf)')
    """
    check_choice(kind, DATA_KINDS, "kind")
    if kind == "numeric" and levels is not None:
        raise InvalidOption(f"declares levels, which {argument('kind', 'numeric')} does not have", option="levels")
    wishes = Wishes.of(nominal, numeric, ignore)
    _check_wishes(kind, discretize, wishes)
    options: SelectionOptions = {
        "interventions": interventions,
        "weights": weights,
        "randomised": randomised,
        "columns": columns,
        "drop": drop,
        "keep_constant": keep_constant,
        "drop_suspicious": drop_suspicious,
        "max_memory": max_memory,
    }
    others = [name for name in (interventions, weights) if isinstance(name, str)]
    unused = unused_columns(options)
    table = read_table(
        source,
        separator=separator,
        decimal=decimal,
        encoding=encoding,
        sheet=sheet,
        duplicate_names=duplicate_names,
        missing_values=missing_values,
        unused=lambda name: name in wishes.ignore or unused(name),
        numeric=None if kind != "numeric" else lambda name: name not in others,
        max_memory=max_memory,
    )
    if kind == "numeric":
        return numeric_from_table(table, missing=missing, ignore=wishes.ignore, **options)
    chosen: EncodingOptions = {"missing": missing, "levels": levels, **options}
    if kind == "mixed":
        return told_of_mixed(table, wishes, **chosen)
    if discretize is None and not wishes.numeric:
        wishes.check(table)
        return encode(table, nominal=wishes.nominal, ignore=wishes.ignore, **chosen)
    # Loaded when it is needed, because it reads tables itself.
    make: Callable[..., Dataset] = loaded("data.discrete.interpreting:told_of")
    return make(table, chosen, discretize, wishes)


def _check_wishes(kind: DataKind, discretize: object, wishes: Wishes) -> None:
    """Refuse options that say which columns are cut, where none is."""
    if kind == "mixed" and discretize is not None:
        raise InvalidOption(
            f"is for discrete data; {argument('kind', 'mixed')} takes measured columns as they are", "discretize"
        )
    if kind == "numeric" and (discretize is not None or wishes.nominal or wishes.numeric):
        option = "discretize" if discretize is not None else "nominal" if wishes.nominal else "numeric"
        raise InvalidOption(
            f"is for discrete data; {argument('kind', 'numeric')} takes all numbers as they are", option
        )


def read_table(
    source: Source,
    *,
    separator: str | None = None,
    decimal: Decimal = ".",
    encoding: str | None = None,
    sheet: str | int | None = None,
    duplicate_names: DuplicateNames = "error",
    missing_values: Iterable[str] = DEFAULT_MISSING_VALUES,
    unused: Callable[[str], bool] | None = None,
    numeric: Callable[[str], bool] | None = None,
    max_memory: int | str | None = None,
) -> Table:
    """Read a table, without interpreting levels or missing cells.

    White space around names and around the cells of text files is removed. Blank lines are skipped, except in
    a table of one column, where they are missing cells. Parquet, Stata and SPSS files are treated like data frames,
    including categories.

    Parameters
    ----------
    source, separator, decimal, encoding, sheet, duplicate_names, missing_values, max_memory
        As in :func:`read_data`.
    unused : callable, optional
        Tells whether a column is not used; it may then contain anything, and its cells are read as missing.
    numeric : callable, optional
        Tells whether only the numbers of a column are needed. In a text file, it may then not contain anything else.

    Examples
    --------
    >>> read_table("builtin:tic-tac-toe").m
    958
    """
    missing = check_missing_values(missing_values)
    _check_separator(separator)
    check_choice(decimal, DECIMAL_CHOICES, "decimal")
    check_choice(duplicate_names, DUPLICATE_CHOICES, "duplicate_names")
    check_encoding(encoding)
    if not isinstance(source, str | os.PathLike):
        raise InvalidOption(
            f"the source is an object of type {type(source).__qualname__}; it must be the path of a file, "
            "'-' or 'builtin:NAME' (use Dataset.from_frame and Dataset.from_array for other data)"
        )
    path = os.fspath(source)
    if path.startswith(PREFIX):
        return bundled_table(path.removeprefix(PREFIX), missing)
    ending = Path(path).suffix.lower()
    if ending in SPREADSHEETS:
        _check_for_text(path, decimal, encoding)
        return _read_spreadsheet(path, missing, unused, max_memory, duplicate_names, sheet)
    if sheet is not None:
        raise InvalidOption(f"is {sheet!r}, but {path!r} is not a spreadsheet ({', '.join(SPREADSHEETS)})", "sheet")
    if ending in _OTHER_READERS:
        _check_for_text(path, decimal, encoding)
        return _OTHER_READERS[ending](path, missing, unused, max_memory, duplicate_names)
    with open_binary(path) as stream:
        if starts_with(stream, _ZIP_MAGIC, path):
            raise InvalidData(
                f"{path!r} is a zip archive or an Excel file, not text: export the table as CSV, or give an Excel file "
                "its ending .xlsx"
            )
        if starts_with(stream, GZIP_MAGIC, path):
            raise InvalidData(f"{path!r} is gzipped twice: unpack it once")
        is_json = any(starts_with(stream, start, path) for start in _JSON_STARTS)
        with decode_text(stream, path, encoding, _ENCODING_REMEDY) as text:
            if is_json:
                raise _json_problem(text.read(_JSON_START_LENGTH), path)
            return _read_text_table(
                text,
                path,
                separator=separator,
                missing=missing,
                unused=unused,
                numeric=numeric,
                max_memory=max_memory,
                decimal=decimal,
                duplicates=duplicate_names,
            )


def is_text_file(path: str | os.PathLike[str]) -> bool:
    """Whether a file is read as text, by the ending of its name.

    >>> is_text_file("a.csv.gz"), is_text_file("a.xlsx")
    (True, False)
    """
    return Path(path).suffix.lower() not in (*SPREADSHEETS, *_OTHER_READERS)


def _check_for_text(path: str, decimal: Decimal, encoding: str | None) -> None:
    """Refuse options of text files for another file."""
    for option, value in (("decimal", None if decimal == "." else decimal), ("encoding", encoding)):
        if value is not None:
            raise InvalidOption(f"is {value!r}, which is for text files, and {path!r} is none", option=option)


def _check_separator(separator: str | None) -> None:
    if separator is not None and (not isinstance(separator, str) or len(separator) != 1 or separator in '"\r\n'):
        raise InvalidOption(f"is {separator!r}; it must be one character, such as ',' or '\\t'", option="separator")


def _json_problem(start: str, path: str) -> InvalidData:
    """Return what to do with a JSON document, given its start: it may be one that dagscape wrote."""
    found = _JSON_KIND.match(start)
    kind = found and found[1]
    if kind == "discretizer":
        return InvalidData(f"{path!r} is a discretizer, not a table of data: give it as {argument('discretizer')}")
    if kind in _NETWORKS:
        return InvalidData(f"{path!r} is a network, not a table of data: read it with {function('read_network')}")
    if kind is not None:
        return InvalidData(
            f"{path!r} is a {kind!r} result, not a table of data: open it with {function('load_result')}, "
            f"or compare the networks in it with {function('compare')}"
        )
    return InvalidData(f"{path!r} begins with {{ and looks like JSON, not like a table: export the table as CSV")
