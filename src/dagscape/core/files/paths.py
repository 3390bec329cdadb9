"""Paths of files, and the formats that their names select."""

from __future__ import annotations

import os
from collections.abc import Sequence

from dagscape.core.errors import InvalidOption, argument, type_of


def path_text(path: object) -> str:
    """Return the path of a file as a string.

    Examples
    --------
    >>> from pathlib import Path
    >>> path_text(Path("results.json"))
    'results.json'
    >>> path_text(0.3)
    Traceback (most recent call last):
    dagscape.core.errors.InvalidOption: path is a float; it must be the path of a file: a string or a Path
    """
    text = os.fspath(path) if isinstance(path, os.PathLike) else path
    if not isinstance(text, str):
        raise InvalidOption(f"is {type_of(path)}; it must be the path of a file: a string or a Path", option="path")
    return text


def format_by_ending(path: str | os.PathLike[str], formats: Sequence[str], *, option: str | None = None) -> str:
    """Return the format that the ending of a file name selects, such as ``json`` for ``x.json`` or ``x.json.gz``.

    ``option`` is the argument that selects the format in place of the ending, if there is one.

    >>> format_by_ending("x.CSV.gz", ["json", "csv"])
    'csv'
    """
    name = path_text(path)
    for known in formats:
        if name.lower().removesuffix(".gz").endswith(f".{known}"):
            return known
    endings = ", ".join(f".{known}" for known in formats)
    instead = "" if option is None else f"; or choose the format with {argument(option)}"
    raise InvalidOption(
        f"cannot tell the format of {name!r}: its name must end in one of {endings}, "
        f"or these and .gz to compress{instead}"
    )
