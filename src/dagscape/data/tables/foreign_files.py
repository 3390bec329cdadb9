"""Files of other programs, which pandas reads: Stata, SPSS and spreadsheets.

What pandas does with them is what happens here, with two exceptions that keep the rules of all tables. Nothing but an
empty cell is missing because of how it is written: a cell ``None`` or ``NA`` of a spreadsheet is a level. And value
labels become levels, in the order of their values, only if every value that occurs has one: labels of single values,
such as "98 or older", annotate a column of numbers, which stays one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from dagscape.core.errors import BackendUnavailable, DagscapeError, InvalidData, TooLarge
from dagscape.core.files.reading import open_binary
from dagscape.core.resources import check_memory, memory_limit
from dagscape.data.tables.duplicate_names import DuplicateNames
from dagscape.data.tables.frames import table_from_frame
from dagscape.data.tables.table import Table

if TYPE_CHECKING:
    import pandas as pd

# What a byte of a file takes in memory, at most: strings of a few characters are Python objects, twice.
_BYTES_PER_BYTE = 12


def read_stata(
    path: str,
    missing: frozenset[str],
    unused: Callable[[str], bool] | None,
    max_memory: int | str | None,
    duplicates: DuplicateNames = "error",
) -> Table:
    """Read a table from a Stata file, as in :func:`dagscape.data.reading.read_table`."""
    import pandas as pd

    check_size(path, max_memory)
    with clear_errors(path, "a Stata file"):
        frame = pd.read_stata(path)
        labelled = [name for name in frame.columns if isinstance(frame[name].dtype, pd.CategoricalDtype)]
        some = [name for name in labelled if not all(isinstance(label, str) for label in frame[name].cat.categories)]
        if some:
            numbers = pd.read_stata(path, columns=some, convert_categoricals=False)
            frame = frame.assign(**{name: numbers[name] for name in some})
    return frame_table(frame, path, missing, unused, duplicates)


def read_spss(
    path: str,
    missing: frozenset[str],
    unused: Callable[[str], bool] | None,
    max_memory: int | str | None,
    duplicates: DuplicateNames = "error",
) -> Table:
    """Read a table from an SPSS file, as in :func:`dagscape.data.reading.read_table`."""
    try:
        import pyreadstat
    except ImportError as error:
        raise lacking(path, "pyreadstat") from error
    check_size(path, max_memory)
    with clear_errors(path, "an SPSS file"):
        # Values that the file declares as missing are missing.
        frame, about = pyreadstat.read_sav(path)
        columns = {name: labelled(frame[name], labels) for name, labels in about.variable_value_labels.items()}
        frame = frame.assign(**columns)
    return frame_table(frame, path, missing, unused, duplicates)


def labelled(column: pd.Series[Any], labels: dict[Any, str]) -> pd.Series[Any]:
    """Return a column with labels in place of its values, if each value has one that differs from the others.

    Examples
    --------
    >>> import pandas as pd
    >>> labelled(pd.Series([2.0, 1.0, None]), {1: "no", 2: "yes", 9: "refused"}).cat.categories.tolist()
    ['no', 'yes']
    >>> labelled(pd.Series([97.0, 98.0]), {98: "98 or older"}).tolist()
    [97.0, 98.0]
    """
    import pandas as pd

    observed = sorted(column.dropna().unique().tolist())
    texts = [labels.get(value) for value in observed]
    known = [text for text in texts if text is not None]
    if not observed or len(set(known)) < len(texts):
        return column
    place = {value: code for code, value in enumerate(observed)}
    codes = [place.get(value, -1) for value in column.tolist()]
    return pd.Series(pd.Categorical.from_codes(codes, pd.Index(known, dtype=object), ordered=True), index=column.index)


def frame_table(
    frame: pd.DataFrame,
    path: str,
    missing: frozenset[str],
    unused: Callable[[str], bool] | None,
    duplicates: DuplicateNames,
) -> Table:
    """Return the table of a frame that was read from a file; dates are text, as they would be in a text file."""
    import pandas as pd

    dates = {
        name: dates_as_text(frame[name]) for name in frame.columns if pd.api.types.is_datetime64_any_dtype(frame[name])
    }
    return table_from_frame(
        frame.assign(**dates), missing_values=missing, source=repr(path), unused=unused, duplicate_names=duplicates
    )


def dates_as_text(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return dates as text, without times of day if all of them are midnight.

    >>> import pandas as pd
    >>> dates_as_text(pd.to_datetime(pd.Series(["2021-03-04", None]))).tolist()
    ['2021-03-04', None]
    """
    present = column.dropna()
    plain = bool((present == present.dt.normalize()).all())
    texts = present.dt.strftime("%Y-%m-%d" if plain else "%Y-%m-%d %H:%M:%S")
    found: pd.Series[Any] = texts.astype(object).reindex(column.index)
    return found.where(column.notna(), None)


def lacking(path: str, package: str) -> BackendUnavailable:
    """Return the error about a package that is needed to read a file."""
    return BackendUnavailable(
        f"reading {path!r} needs {package}, which is not installed: pip install {package}, or export the table as CSV"
    )


def check_size(path: str, max_memory: int | str | None) -> None:
    """Check that a file exists, and that its contents fit into memory."""
    with open_binary(path) as stream:
        if not stream.seekable():
            raise InvalidData(f"{path!r} is not a plain file: copy it into one first")
        size = stream.seek(0, 2)
    needed = size * _BYTES_PER_BYTE
    check_memory(needed, memory_limit(max_memory), f"the {size:,} bytes of {path!r}", "raise it, or export fewer rows")


@contextmanager
def clear_errors(path: str, what: str) -> Iterator[None]:
    """Turn whatever a reader of files raises about a damaged one into one sentence."""
    try:
        with warnings.catch_warnings():
            # What readers say about encodings and versions is in the words of another program.
            warnings.simplefilter("ignore")
            yield
    except (DagscapeError, KeyboardInterrupt):
        raise
    except MemoryError as error:
        raise TooLarge(f"{path!r} needs more memory than there is") from error
    # Readers raise errors of many kinds about files that are damaged: of keys, of indices, of structures, of XML.
    except Exception as error:
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise InvalidData(
            f"{path!r} cannot be read as {what}: {reason}; if it is undamaged, export it as CSV"
        ) from error
