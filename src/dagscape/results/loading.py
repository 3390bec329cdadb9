"""Results rebuilt from documents of files, given the class of each kind of result."""

from __future__ import annotations

import io
from collections.abc import Mapping
from typing import Any

from dagscape.core.errors import InvalidData, brief, function
from dagscape.core.files.archives import ARCHIVE_MAGIC
from dagscape.core.files.documents import BYTES_PER_BYTE, text_of
from dagscape.core.files.reading import starts_with
from dagscape.results.base import Result
from dagscape.results.npz import read_document


def read_contents(
    stream: io.BufferedReader[Any],
    source: str,
    *,
    max_memory: int | str | None = None,
    bytes_per_byte: float = BYTES_PER_BYTE,
) -> Any:
    """Return the document of an archive, or the text of a file that is none.

    Parameters
    ----------
    stream : binary stream
        What :func:`~dagscape.core.files.reading.open_binary` returned.
    source : str
        The name of the file, for messages.
    max_memory : int, str or None
        The most memory for reading; None for most of what is available.
    bytes_per_byte : float
        The most memory for one byte of a text that is not JSON, when parsed.
    """
    if starts_with(stream, ARCHIVE_MAGIC, source):
        return read_document(stream, source, max_memory)
    return text_of(stream, source, max_memory=max_memory, bytes_per_byte=bytes_per_byte)


def kind_of(document: Any) -> Any:
    """Return the kind that a parsed JSON document says it is; None if it says none."""
    return document.get("kind") if isinstance(document, dict) else None


def rebuilt(
    document: Any, source: str, classes: Mapping[str, type[Result]], readers: Mapping[str, str] | None = None
) -> Result:
    """Rebuild a result from a parsed JSON document.

    Parameters
    ----------
    document : object
        What the file holds.
    source : str
        The name of the file, for messages.
    classes : mapping
        The class of each kind of result.
    readers : mapping, optional
        The functions that read other kinds of documents, for messages.
    """
    kind = kind_of(document)
    if isinstance(kind, str) and readers and kind in readers:
        raise InvalidData(f"{source!r} is a {kind}, not a result: read it with {function(readers[kind])}")
    if not isinstance(kind, str) or kind not in classes:
        raise InvalidData(f"{source!r} is not a result of dagscape: its kind is none of {', '.join(classes)}")
    schema, known = document.get("schema"), classes[kind].schema
    if type(schema) is not int or not 1 <= schema <= known:
        raise InvalidData(
            f"{source!r} has schema {brief(schema)} of {kind!r}; this version of dagscape reads up to {known}"
        )
    try:
        return classes[kind].from_dict(document)
    except InvalidData as error:
        raise InvalidData(f"{source!r} is not a complete {kind!r} result: {error}") from error
