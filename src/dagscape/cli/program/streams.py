"""Standard output and standard error: text for people, documents for programs, and what each may contain.

Text for people has no control characters. On terminals that lack a character, it is replaced. Documents (JSON, CSV,
SVG, DOT) are UTF-8 on every terminal, as they are in files.
"""

from __future__ import annotations

import codecs
import io
import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO

import click

from dagscape.core.errors import DagscapeError
from dagscape.core.wording import visible, visible_json

_REPLACED = {"→": "->", "←": "<-", "…": "...", "≥": ">=", "≤": "<=", "−": "-", "–": "-", "—": "-", "×": "x", "≈": "~"}
_ERRORS = "dagscape.replace"


def replace_what_terminals_lack() -> None:
    """Let the streams of this process replace characters that their encoding lacks."""
    codecs.register_error(_ERRORS, _replacement)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ERRORS)


def _replacement(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    parts = (_REPLACED.get(char) or char.encode("ascii", "backslashreplace").decode("ascii") for char in lacking)
    return "".join(parts), error.end


def say(message: str) -> None:
    """Show a message on standard error; it is lost if nobody can read it."""
    with suppress(OSError, ValueError):
        click.echo(visible(message, keep="\n\t"), err=True)


def show(text: str) -> None:
    """Show text that has no control characters of its own on standard output."""
    with _standard_output() as stream:
        stream.write(text)


def outputs_meet() -> bool:
    """Whether standard output and standard error lead to the same place, such as one terminal or one file."""
    try:
        return os.path.sameopenfile(sys.stdout.fileno(), sys.stderr.fileno())
    except (AttributeError, OSError, ValueError):
        return False


def write_document(text: str) -> None:
    """Write a document to standard output, exactly."""
    with document_stream() as stream:
        stream.write(text if text.endswith("\n") else text + "\n")


def write_json(document: Any) -> None:
    """Write a JSON document on one line to standard output."""
    write_document(visible_json(json.dumps(document, ensure_ascii=False, allow_nan=False)))


@contextmanager
def document_stream() -> Iterator[TextIO]:
    """Yield standard output as UTF-8, without translation of newlines."""
    with _standard_output() as stream:
        stream.flush()
        if not hasattr(stream, "buffer"):
            yield stream
            return
        text = io.TextIOWrapper(stream.buffer, encoding="utf-8", newline="")
        try:
            yield text
            text.flush()
        finally:
            # The wrapper must not close the stream that it wraps; what is still in it is lost with the error.
            with suppress(OSError, UnicodeError):
                text.detach()


@contextmanager
def _standard_output() -> Iterator[TextIO]:
    """Yield standard output; say so if it cannot be written."""
    if sys.stdout is None:
        raise DagscapeError("cannot write to standard output: it is closed")
    try:
        yield sys.stdout
        sys.stdout.flush()
    except OSError as error:
        raise unwritable_output(error) from error


def unwritable_output(error: OSError) -> DagscapeError:
    """Return the error that says why standard output cannot be written, and discard what is still to be written."""
    discard_output()
    return DagscapeError(f"cannot write to standard output: {error.strerror or error}")


def discard_output() -> None:
    """Let what is still to be written vanish: Python would report the same error again when it flushes at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
