"""``.npz`` score files: dagscape's own format, NumPy arrays with a JSON header, in which nothing is lost."""

from __future__ import annotations

import dataclasses
import io
import json
import math
import zipfile
import zlib
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.errors import InvalidData
from dagscape.progress import Progress, ProgressListener
from dagscape.results import Provenance, decode_record
from dagscape.score_info import ScoreInfo
from dagscape.scores.constraints import EdgeConstraints
from dagscape.scores.enumerable_scores import EnumerableScores
from dagscape.scores.family_table import ExactFamilies, FamilyTable
from dagscape.scores.fixed_point import Unit
from dagscape.scores.lattice import set_count
from dagscape.scores.lattice_scores import LatticeScores
from dagscape.scores.rounding import unrecorded_rounding

_NPZ_SCHEMA = 1


def write_npz(scores: EnumerableScores, stream: IO[bytes], progress: ProgressListener | None) -> None:
    """Write scores as arrays."""
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


def read_npz(stream: io.BufferedReader[Any], source: str) -> EnumerableScores:
    """Read the scores of :func:`write_npz`."""
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
    exact: list[ExactFamilies] = []
    for child in range(len(variables)):
        sets, scores = arrays[f"parents{child}"], arrays[f"exact{child}"].astype(np.int64, casting="safe").tolist()
        _check_sets(sets, child, len(variables))
        listed = {tuple(p for p in row if p >= 0): s for row, s in zip(sets.tolist(), scores, strict=True)}
        if len(listed) < len(scores):
            raise ValueError(f"it lists a family of {variables[child]!r} twice")
        exact.append(listed)
    return FamilyTable.from_exact(
        variables,
        exact,
        unit,
        # Version 0.1.0 did not record it: each score was rounded by at most half a unit.
        rounding=float(header.get("rounding", math.ldexp(len(variables) / 2, -unit.bits))),
        complete=header["complete"],
        info=_info(header),
        provenance=decode_record(Provenance, header["provenance"]),
    )


def _check_sets(sets: NDArray[np.int64], child: int, n: int) -> None:
    """Check that each row has the numbers of other variables, increasing, and then only -1."""
    if sets.ndim != 2 or sets.dtype.kind != "i":
        raise ValueError("its parent sets are not rows of integers")
    later = sets[:, 1:]
    increasing = (later > sets[:, :-1]) & (sets[:, :-1] >= 0)
    if (sets >= n).any() or (sets < -1).any() or (sets == child).any() or not (increasing | (later == -1)).all():
        raise ValueError("its parent sets are not sets of other variables")
