"""Score files.

``.jkl`` is Jaakkola's format, which GOBNILP and pygobnilp also read and write. Line 1 has the number of variables; then
each variable has a line ``name K`` and K lines ``score p parent_1 ... parent_p``. Fields are separated by white space,
so white space and ``%`` in names are percent-encoded (``%20``). Lines that begin with ``#`` before the first number are
comments.

``.npz`` is dagscape's own format: NumPy arrays with a JSON header. It loses nothing: scores are exact, and the header
records whether they are complete and score-equivalent.

Both may be gzipped (``.jkl.gz``).
"""

from __future__ import annotations

import dataclasses
import gzip
import io
import json
import math
import os
import re
import zipfile
import zlib
from collections.abc import Collection, Iterator
from typing import IO, Any, TextIO, cast

import numpy as np

from dagscape.errors import InvalidData, InvalidOption
from dagscape.files import decode_text, open_binary, replace_file, starts_with
from dagscape.progress import Progress, ProgressListener
from dagscape.results import Provenance, decode_record
from dagscape.score_info import ScoreInfo
from dagscape.scores.constraints import EdgeConstraints
from dagscape.scores.enumerable_scores import EnumerableScores, check_scores
from dagscape.scores.family_table import FamilyTable
from dagscape.scores.fixed_point import Unit
from dagscape.scores.lattice import set_count
from dagscape.scores.lattice_scores import LatticeScores
from dagscape.scores.rounding import unrecorded_rounding
from dagscape.version import __version__
from dagscape.wording import plural

_NPZ_SCHEMA = 1

SCORE_FILES = (".jkl", ".jkl.gz", ".npz")


def read_scores(path: str | os.PathLike[str], *, score_equivalent: bool = False) -> EnumerableScores:
    """Read local scores from a ``.jkl`` or ``.npz`` file.

    Parameters
    ----------
    path : path
        The file; ``"-"`` is standard input. The format is recognised by content, not by name.
    score_equivalent : bool
        Whether the scores of a ``.jkl`` file are score-equivalent, such as BDeu and BIC. Only then can equivalence
        classes be ranked. An ``.npz`` file records it, and this argument has no effect.

    Returns
    -------
    EnumerableScores
        The scores. For a ``.jkl`` file, ``complete`` is true if every family of up to ``max_parents`` parents is
        listed, and false if families are missing, because such files are often pruned.
    """
    source = os.fspath(path)
    with open_binary(path) as stream:
        if starts_with(stream, b"PK\x03\x04", source):
            return _read_npz(stream, source)
        with decode_text(stream, source) as text:
            return _read_jkl(text, source, score_equivalent)


def write_scores(
    scores: EnumerableScores, path: str | os.PathLike[str], *, progress: ProgressListener | None = None
) -> None:
    """Write local scores to a ``.jkl``, ``.jkl.gz`` or ``.npz`` file; the extension selects the format.

    The file appears under its name only when it is complete. A ``.jkl`` file omits impossible families.
    """
    check_scores(scores)
    ending = score_format(path)
    with replace_file(path) as stream:
        if ending == ".npz":
            _write_npz(scores, stream, progress)
        elif ending == ".jkl":
            _write_jkl(scores, stream, progress)
        else:
            with gzip.GzipFile(filename="", fileobj=stream, mode="wb", mtime=0) as packed:
                _write_jkl(scores, cast("IO[bytes]", packed), progress)


def score_format(path: str | os.PathLike[str]) -> str:
    """Return the format that a file name selects: ``.jkl``, ``.jkl.gz`` or ``.npz``."""
    for ending in SCORE_FILES:
        if os.fspath(path).lower().endswith(ending):
            return ending
    raise InvalidOption(f"cannot tell the format of {os.fspath(path)!r}: end it in .jkl, .jkl.gz or .npz")


def _write_jkl(scores: EnumerableScores, stream: IO[bytes], progress: ProgressListener | None) -> None:
    names = [_escape(name) for name in scores.variables]
    stream.write(f"{scores.n}\n".encode())
    for child, name in enumerate(names):
        if progress is not None:
            progress(Progress("Writing scores", child, scores.n))
        families = scores.families(child)
        stream.write(f"{name} {len(families)}\n".encode())
        for i, score in enumerate(families.scores.tolist()):
            parents = families.members(i)
            stream.write(" ".join([repr(score), str(len(parents)), *(names[p] for p in parents)]).encode() + b"\n")


def _escape(name: str) -> str:
    return re.sub(r"[\s%]|^#", lambda match: "".join(f"%{byte:02X}" for byte in match[0].encode()), name) or "%00"


def _unescape(token: str) -> str:
    """Undo :func:`_escape`; a name with any other ``%`` is returned unchanged."""
    if token == "%00":
        return ""
    packed = re.sub(rb"%([0-9A-F]{2})", lambda match: bytes([int(match[1], 16)]), token.encode())
    try:
        name = packed.decode()
    except UnicodeDecodeError:
        return token
    return name if _escape(name) == token else token


class _Lines:
    """The lines of a score file, with their numbers for error messages."""

    def __init__(self, source: str, lines: Iterator[str]) -> None:
        self.source = source
        self.number = 0
        self._lines = lines

    def next(self, what: str) -> list[str]:
        for line in self._lines:
            self.number += 1
            if line.strip():
                return line.split()
        raise InvalidData(f"{self.source!r} ends after line {self.number}, where {what} is expected")

    def fail(self, problem: str) -> InvalidData:
        return InvalidData(f"{self.source!r}, line {self.number}: {problem}")


def _read_jkl(text: TextIO, source: str, score_equivalent: bool) -> FamilyTable:
    lines = _Lines(source, iter(text))
    first = lines.next("the number of variables")
    while first[0].startswith("#"):
        first = lines.next("the number of variables")
    n = _integer(lines, " ".join(first), "the number of variables")
    if n < 1:
        raise lines.fail("the number of variables must be at least 1")
    families: dict[str, dict[Collection[str], float]] = {}
    for _ in range(n):
        header = lines.next("a variable and the number of its families")
        if len(header) != 2:
            raise lines.fail("a variable and the number of its families are expected here, and nothing else")
        child = _unescape(header[0])
        if child in families:
            raise lines.fail(f"the variable {child!r} is listed twice")
        families[child] = _read_families(lines, child, _integer(lines, header[1], "the number of families"))
    for line in text:
        lines.number += 1
        if line.strip():
            raise lines.fail("unexpected line after the last family")
    n_families = set_count(n - 1, max(len(parents) for listed in families.values() for parents in listed))
    return FamilyTable(
        families,
        complete=all(len(listed) == n_families for listed in families.values()),
        score_equivalent=score_equivalent,
        provenance=Provenance(__version__, "read_scores", {"format": "jkl"}),
    )


def _read_families(lines: _Lines, child: str, count: int) -> dict[Collection[str], float]:
    if count < 1:
        raise lines.fail(f"{child!r} has no families")
    listed: dict[Collection[str], float] = {}
    for _ in range(count):
        words = lines.next(f"a family of {child!r}")
        try:
            score = float(words[0])
        except ValueError:
            score = math.nan
        if math.isnan(score) or score == math.inf:
            raise lines.fail(f"the score {words[0]!r} of a family of {child!r} is not a number")
        size = _integer(lines, words[1] if len(words) > 1 else "", "the number of parents")
        if len(words) != size + 2:
            raise lines.fail(f"expected {plural(size, 'parent')}, found {len(words) - 2}")
        parents = tuple(sorted(_unescape(word) for word in words[2:]))
        if parents in listed:
            raise lines.fail(f"the family of {child!r} with these parents is listed twice")
        listed[parents] = score
    return listed


def _integer(lines: _Lines, word: str, what: str) -> int:
    if not re.fullmatch(r"[0-9]{1,12}", word):
        raise lines.fail(f"{what} is expected here, not {word[:40]!r}")
    return int(word)


def _write_npz(scores: EnumerableScores, stream: IO[bytes], progress: ProgressListener | None) -> None:
    header: dict[str, Any] = {
        "schema": _NPZ_SCHEMA,
        "kind": "lattice" if isinstance(scores, LatticeScores) else "families",
        "variables": scores.variables,
        "max_parents": scores.max_parents,
        "complete": scores.complete,
        "unit_bits": scores.unit.bits,
        "rounding": scores.rounding,
        "info": scores.info.to_dict(),
        "provenance": dataclasses.asdict(scores.provenance),
    }
    arrays: dict[str, Any] = {}
    if isinstance(scores, LatticeScores):
        header["joint_table"] = scores.joint_table
        header["base_table"] = scores.base_table
        header["required"] = [sorted(parents) for parents in scores.constraints.required]
        header["forbidden"] = [sorted(parents) for parents in scores.constraints.forbidden]
        arrays = {f"table{i}": table for i, table in enumerate(scores.tables)}
        arrays["size_terms"] = scores.size_terms
        arrays["prior_terms"] = scores.prior_terms
    else:
        for child in range(scores.n):
            if progress is not None:
                progress(Progress("Writing scores", child, scores.n))
            blocks = list(scores.family_sets(child))
            padding = ((0, 0), (0, scores.max_parents))
            padded = [np.pad(block, padding, constant_values=-1)[:, : scores.max_parents] for block in blocks]
            arrays[f"parents{child}"] = np.concatenate(padded)
            arrays[f"exact{child}"] = np.concatenate([scores.exact_scores(child, block) for block in blocks])
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(stream, **arrays)


def _read_npz(stream: io.BufferedReader[Any], source: str) -> EnumerableScores:
    try:
        with np.load(io.BytesIO(stream.read()), allow_pickle=False) as arrays:
            header = json.loads(arrays["header"].tobytes())
            if header["schema"] != _NPZ_SCHEMA:
                raise InvalidData(f"{source!r} was written by another version of dagscape (schema {header['schema']})")
            return _lattice(header, arrays) if header["kind"] == "lattice" else _families(header, arrays)
    except (
        KeyError,
        ValueError,
        TypeError,
        IndexError,
        EOFError,
        OSError,
        zlib.error,
        zipfile.BadZipFile,
    ) as error:
        if isinstance(error, InvalidData):
            raise
        raise InvalidData(f"{source!r} is not a complete score file: {error}") from error


def _lattice(header: dict[str, Any], arrays: Any) -> LatticeScores:
    variables = tuple(header["variables"])
    n, max_parents = len(variables), int(header["max_parents"])
    count = 1 + max(*header["joint_table"], *header["base_table"])
    tables = [np.asarray(arrays[f"table{i}"], dtype=np.int64) for i in range(count)]
    sets = set_count(n, max_parents + 1)
    per_child = [header[key] for key in ("joint_table", "base_table", "required", "forbidden")]
    if any(table.shape != (sets,) for table in tables) or any(len(listed) != n for listed in per_child):
        raise ValueError("its arrays do not match its header")
    unit = Unit(int(header["unit_bits"]))
    return LatticeScores(
        variables=variables,
        max_parents=max_parents,
        unit=unit,
        rounding=float(header.get("rounding", unrecorded_rounding(unit, n))),
        tables=tables,
        joint_table=header["joint_table"],
        base_table=header["base_table"],
        size_terms=np.array(arrays["size_terms"], dtype=np.int64),
        prior_terms=np.array(arrays["prior_terms"], dtype=np.int64),
        constraints=EdgeConstraints(
            tuple(map(frozenset, header["required"])), tuple(map(frozenset, header["forbidden"]))
        ),
        info=_info(header),
        provenance=decode_record(Provenance, header["provenance"]),
    )


def _info(header: dict[str, Any]) -> ScoreInfo:
    """Return the description of the scores, which version 0.1.0 stored in the provenance."""
    recorded = {**header["provenance"]["parameters"], "score_equivalent": header.get("score_equivalent", False)}
    return ScoreInfo.from_dict(header.get("info", recorded))


def _families(header: dict[str, Any], arrays: Any) -> FamilyTable:
    variables = tuple(header["variables"])
    unit = Unit(int(header["unit_bits"]))
    families: dict[str, dict[Collection[str], float]] = {}
    for child, name in enumerate(variables):
        parents, exact = arrays[f"parents{child}"], arrays[f"exact{child}"]
        listed = zip(parents.tolist(), unit.to_floats(exact).tolist(), strict=True)
        families[name] = {tuple(variables[p] for p in row if p >= 0): score for row, score in listed}
    table = FamilyTable(
        families,
        variables,
        complete=header["complete"],
        info=_info(header),
        provenance=decode_record(Provenance, header["provenance"]),
    )
    # The scores were rounded by at most half a unit when the table was first created.
    table.rounding += float(header.get("rounding", math.ldexp(len(variables) / 2, -unit.bits)))
    return table
