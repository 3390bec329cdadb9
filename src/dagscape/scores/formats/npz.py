"""``.npz`` score files: dagscape's own format, NumPy arrays with a JSON header, in which nothing is lost."""

from __future__ import annotations

import dataclasses
import io
from collections.abc import Callable, Iterator
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData, argument
from dagscape.core.files.archives import HEADER, Members, bounded_members, write_archive
from dagscape.core.progress import Progress, ProgressListener
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.formats.npz_header import SCHEMA, Header, parse_header
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.family_table import FAMILY_BYTES, PARENT_BYTES, FamilyTable
from dagscape.scores.tables.family_terms import FamilyTerms
from dagscape.scores.tables.lattice import is_every_set, set_count
from dagscape.scores.tables.lattice_scores import LatticeScores
from dagscape.scores.tables.listed_prior import ExactFamilies, PriorOfFamilies

# The memory of a header as JSON, relative to its text: at worst, a list of empty lists.
_HEADER_FACTOR = 40


def write_npz(scores: EnumerableScores, stream: IO[bytes], progress: ProgressListener | None) -> None:
    """Write scores as arrays."""
    header: dict[str, Any] = {
        "schema": SCHEMA,
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
        if scores.family_terms is not None:
            header["family_rounding"] = scores.family_terms.rounding
            arrays["edge_terms"] = scores.family_terms.edges
            if scores.family_terms.listed is not None:
                arrays["family_terms"] = scores.family_terms.listed
    else:
        for child in range(scores.n):
            if progress is not None:
                progress(Progress("Writing scores", child, scores.n))
            blocks = list(scores.family_sets(child))
            arrays[f"parents{child}"] = _padded(blocks)
            arrays[f"exact{child}"] = np.concatenate([scores.exact_scores(child, block) for block in blocks])
            if scores.family_terms is not None:
                header["family_rounding"] = scores.family_terms.rounding
                arrays[f"prior{child}"] = np.concatenate([scores.prior_of_sets(child, block) for block in blocks])
    write_archive(stream, header, arrays)


def _padded(blocks: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Return parent sets as rows of one array, with -1 after the last parent of each."""
    width = max(block.shape[1] for block in blocks)
    return np.concatenate(
        [np.pad(block, ((0, 0), (0, width - block.shape[1])), constant_values=-1) for block in blocks]
    )


def read_npz(stream: io.BufferedReader[Any], source: str, max_memory: int | str | None = None) -> EnumerableScores:
    """Read the scores of :func:`write_npz`, within a limit on memory."""
    remedy = f"raise the limit, or score with a lower {argument('max_parents')}"
    try:
        return _scores(*bounded_members(stream, source, max_memory, "the scores", remedy))
    except InvalidData as error:
        raise InvalidData(f"{source!r} is not a valid score file: {error}") from error


def _scores(members: Members, check: Callable[[int], None]) -> EnumerableScores:
    """Read scores; ``check`` refuses a number of bytes that is too large."""
    if HEADER not in members.names:
        raise InvalidData("it has no header")
    needed = members.nbytes + _HEADER_FACTOR * members.size(HEADER)
    check(needed)
    header = parse_header(members.text(HEADER))
    if header.kind == "lattice":
        return _lattice(header, members)
    check(needed + sum(_family_bytes(members, child) for child in range(_checked_count(header, members))))
    return _families(header, members)


def _lattice(header: Header, members: Members) -> LatticeScores:
    n, sizes = header.n, header.max_parents + 1
    named = {"edge_terms", "family_terms"} & members.names
    _check_names(members, {*header.tables, "size_terms", "prior_terms", *named})
    arrays = [
        members.integers(name, lambda shape: len(shape) == 1 and is_every_set(shape[0], n, sizes))
        for name in header.tables
    ]
    terms = [members.integers(name, lambda shape: shape == (sizes,)) for name in ("size_terms", "prior_terms")]
    if any(IMPOSSIBLE in array for array in terms):
        raise InvalidData("a number of parents has an impossible term")
    family_terms = _family_terms(header, members)
    scores = LatticeScores(
        variables=header.variables,
        max_parents=header.max_parents,
        unit=header.unit,
        rounding=header.network_rounding,
        tables=arrays,
        joint_table=header.joint_table,
        base_table=header.base_table,
        size_terms=terms[0],
        prior_terms=terms[1],
        constraints=header.constraints(),
        info=header.info,
        provenance=header.provenance,
        family_terms=family_terms,
    )
    # Constraints alone leave every variable a family.
    if any(array.min() == IMPOSSIBLE for array in arrays) or (family_terms is not None and not scores.unconstrained):
        _check_possible(scores)
    return scores


def _family_terms(header: Header, members: Members) -> FamilyTerms | None:
    """Read the part of the structure prior that depends on who the parents are, if there is one."""
    n = header.n
    if "edge_terms" not in members.names:
        return None
    edges = members.integers("edge_terms", (n, n).__eq__)
    if IMPOSSIBLE in edges:
        raise InvalidData("an edge has an impossible term")
    listed = None
    if "family_terms" in members.names:
        sets = set_count(n, header.max_parents)
        listed = members.integers("family_terms", (n, sets).__eq__)
    return FamilyTerms(edges, listed, None, header.family_rounding)


def _check_possible(scores: LatticeScores) -> None:
    for child, name in enumerate(scores.variables):
        if not any((scores.exact_scores(child, sets) != IMPOSSIBLE).any() for sets in scores.family_sets(child)):
            raise InvalidData(f"{name!r} has no possible family")


def _check_names(members: Members, expected: set[str]) -> None:
    if members.names != expected | {HEADER}:
        raise InvalidData("it does not have the arrays that its header calls for")


def _checked_count(header: Header, members: Members) -> int:
    """Return the number of variables, if the file has the families of each."""
    n = header.n
    kinds = ("parents", "exact", "prior") if "prior0" in members.names else ("parents", "exact")
    if len(members.names) != len(kinds) * n + 1:
        raise InvalidData(f"it does not have {'three' if len(kinds) > 2 else 'two'} arrays for each of {n} variables")
    _check_names(members, {f"{kind}{child}" for kind in kinds for child in range(n)})
    return n


def _family_bytes(members: Members, child: int) -> int:
    """Return a bound on the memory of the families of a child in a table."""
    return FAMILY_BYTES * members.size(f"exact{child}") // 8 + PARENT_BYTES * members.size(f"parents{child}") // 8


def _families(header: Header, members: Members) -> FamilyTable:
    return FamilyTable.from_exact(
        header.variables,
        list(_listed(header, members)),
        header.unit,
        rounding=header.network_rounding,
        complete=header.complete,
        info=header.info,
        provenance=header.provenance,
        prior=_prior_of_families(header, members),
    )


def _prior_of_families(header: Header, members: Members) -> PriorOfFamilies | None:
    if "prior0" not in members.names:
        return None
    return PriorOfFamilies(tuple(_listed(header, members, "prior")), header.family_rounding)


def _listed(header: Header, members: Members, kind: str = "exact") -> Iterator[ExactFamilies]:
    """Iterate over the families of each child, with their scores or their priors."""
    for child, name in enumerate(header.variables):
        sets = members.integers(f"parents{child}", lambda shape: len(shape) == 2 and shape[1] < header.n)
        exact = members.integers(f"{kind}{child}", (len(sets),).__eq__)
        _check_sets(sets, child, header.n)
        pairs = zip(sets.tolist(), exact.tolist(), strict=True)
        listed = {tuple(p for p in row if p >= 0): score for row, score in pairs}
        if len(listed) < len(exact):
            raise InvalidData(f"it lists a family of {name!r} twice")
        yield listed


def _check_sets(sets: NDArray[np.int64], child: int, n: int) -> None:
    """Check that each row has the numbers of other variables, increasing, and then only -1."""
    later = sets[:, 1:]
    increasing = (later > sets[:, :-1]) & (sets[:, :-1] >= 0)
    if (sets >= n).any() or (sets < -1).any() or (sets == child).any() or not (increasing | (later == -1)).all():
        raise InvalidData("its parent sets are not sets of other variables")
