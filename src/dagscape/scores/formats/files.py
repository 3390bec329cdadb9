"""Score files: ``.jkl``, a text format that other programs share, and ``.npz``, dagscape's own.

Both keep scores exactly. The modules ``jkl`` and ``npz`` describe the formats.
"""

from __future__ import annotations

import os

from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.core.files.archives import ARCHIVE_MAGIC
from dagscape.core.files.paths import path_text
from dagscape.core.files.reading import decode_text, open_binary, starts_with
from dagscape.core.files.writing import replace_by_ending
from dagscape.core.progress import ProgressListener
from dagscape.scores.formats.jkl import read_jkl, write_jkl
from dagscape.scores.formats.npz import read_npz, write_npz
from dagscape.scores.tables.enumerable_scores import EnumerableScores, check_scores

SCORE_FORMATS = ("jkl", "npz")
SCORE_FILES = (".jkl", ".jkl.gz", ".npz")


def read_scores(
    path: str | os.PathLike[str], *, score_equivalent: bool = False, max_memory: int | str | None = None
) -> EnumerableScores:
    """Read local scores from a ``.jkl`` or ``.npz`` file.

    Scores that :func:`dagscape.write_scores` wrote come back as the same integers in the same unit, so that ties
    remain ties. The scores of other programs are rounded once to the unit of the new table.

    Parameters
    ----------
    path : path
        The file; ``"-"`` is standard input. The format is recognised by content, not by name.
    score_equivalent : bool
        Whether the scores of a ``.jkl`` file are score-equivalent, such as BDeu and BIC. Only then can equivalence
        classes be ranked. An ``.npz`` file records it, and this argument has no effect.
    max_memory : int or str, optional
        The limit on memory, such as ``"8GiB"``; larger files are refused before they take more. Default: 80% of what is
        available.

    Returns
    -------
    EnumerableScores
        The scores. For a ``.jkl`` file, ``complete`` is true if every family of up to ``max_parents`` parents is
        listed, and false if families are missing, because such files are often pruned.
    """
    source = path_text(path)
    with open_binary(path) as stream:
        if starts_with(stream, ARCHIVE_MAGIC, source):
            return read_npz(stream, source, max_memory)
        if source.lower().endswith(".npz"):
            raise InvalidData(f"{source!r} is not an .npz file: it does not begin like a zip archive")
        with decode_text(stream, source) as text:
            return read_jkl(text, source, score_equivalent, max_memory)


def write_scores(
    scores: EnumerableScores, path: str | os.PathLike[str], *, progress: ProgressListener | None = None
) -> None:
    """Write local scores to a ``.jkl``, ``.jkl.gz`` or ``.npz`` file; the extension selects the format.

    Both formats keep scores exactly. The file appears under its name only when it is complete. A ``.jkl`` file omits
    impossible families.
    """
    check_scores(scores)
    ending = score_format(path)
    write = write_npz if ending == ".npz" else write_jkl
    with replace_by_ending(path) as stream:
        write(scores, stream, progress)


def score_format(path: str | os.PathLike[str]) -> str:
    """Return the format that a file name selects: ``.jkl``, ``.jkl.gz`` or ``.npz``."""
    name = path_text(path)
    for ending in SCORE_FILES:
        if name.lower().endswith(ending):
            return ending
    raise InvalidOption(f"cannot tell the format of {name!r}: end it in .jkl, .jkl.gz or .npz")
