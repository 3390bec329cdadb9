"""Results read back from files: the class of each kind is that of the task that makes it."""

from __future__ import annotations

import os
from typing import Any

from dagscape.core.files.documents import decode_json
from dagscape.core.files.paths import path_text
from dagscape.core.files.reading import open_binary
from dagscape.networks.writing import NETWORK_KINDS
from dagscape.planning.registry import TASKS
from dagscape.results.base import Result
from dagscape.results.loading import read_contents, rebuilt

RESULTS: dict[str, type[Result]] = {
    task.result.kind: task.result for task in TASKS.values() if issubclass(task.result, Result)
}

# What reads the other kinds of JSON documents.
_READERS = {**dict.fromkeys(NETWORK_KINDS, "read_network"), "discretizer": "Discretizer.load"}


def load_result(path: str | os.PathLike[str], *, max_memory: int | str | None = None) -> Result:
    """Read a result that was written as JSON or NPZ by its ``save`` method or by the command line, compressed or not.

    Parameters
    ----------
    path : path
        The file; ``"-"`` for standard input. The format is recognised by content, not by name.
    max_memory : int, str or None
        The most memory for reading, such as ``"2GiB"``; by default 80% of what is available.
    """
    source = path_text(path)
    with open_binary(source) as stream:
        contents = read_contents(stream, source, max_memory=max_memory)
    return result_of_document(decode_json(contents, source) if isinstance(contents, str) else contents, source)


def result_of_document(document: Any, source: str) -> Result:
    """Rebuild a result from a parsed JSON document; ``source`` names it in messages."""
    return rebuilt(document, source, RESULTS, _READERS)
