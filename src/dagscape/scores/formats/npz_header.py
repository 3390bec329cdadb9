"""The header of an ``.npz`` score file: JSON, in which every field is checked once, here.

Nothing that reads the scores later has to expect a name that is not a string, a number that is not finite, or an index
that is out of range.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from dagscape.core.checks import check_names
from dagscape.core.errors import InvalidData, InvalidOption, function
from dagscape.core.files.documents import parse_json
from dagscape.results.base import Provenance, check_known, check_length, recorded_parameters
from dagscape.results.decoding import Between, Count, decode_record
from dagscape.results.score_info import ScoreInfo
from dagscape.scores.arithmetic.fixed_point import FINEST_BITS, Unit
from dagscape.scores.arithmetic.rounding import unrecorded_rounding
from dagscape.scores.constraints import Edge, EdgeConstraints, edge_constraints

SCHEMA = 1

# Local scores of more variables cannot be computed.
_MOST_VARIABLES = 2**15

Table = tuple[Count, ...]


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a file; its fields are those of the scores, as JSON.

    Attributes
    ----------
    kind : {"lattice", "families"}
        Whether the file has :class:`~dagscape.LatticeScores` or a :class:`~dagscape.FamilyTable`.
    variables, max_parents, complete, info, provenance
        As in :class:`~dagscape.EnumerableScores`; version 0.1.0 stored the description of the scores in the provenance.
    unit_bits : int
        The unit is 2^-unit_bits nats.
    rounding : float or None
        As in :class:`~dagscape.LocalScores`; version 0.1.0 did not record it.
    joint_table, base_table : tuple of int
        As in :class:`~dagscape.LatticeScores`; empty for a list of families, as what follows.
    required, forbidden : tuple of tuples of int
        For each variable, its required and forbidden parents.
    family_rounding : float
        As the rounding of :class:`~dagscape.scores.tables.family_terms.FamilyTerms`, if there are such terms.
    """

    kind: Literal["lattice", "families"]
    variables: tuple[str, ...]
    max_parents: Count
    complete: bool | None
    unit_bits: Annotated[int, Between(0, FINEST_BITS)]
    provenance: Provenance
    info: ScoreInfo
    rounding: Annotated[float, Between(0, 1e300)] | None = None
    joint_table: Table = ()
    base_table: Table = ()
    required: tuple[Table, ...] = ()
    forbidden: tuple[Table, ...] = ()
    family_rounding: Annotated[float, Between(0, 1e300)] = 0.0

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.variables)

    @property
    def unit(self) -> Unit:
        """The unit of the scores."""
        return Unit(self.unit_bits)

    @property
    def network_rounding(self) -> float:
        """A bound on the rounding error of the score of a network, in nats."""
        if self.rounding is not None:
            return self.rounding
        # In version 0.1.0, each score of a list was rounded by at most half a unit.
        return (
            unrecorded_rounding(self.unit, self.n)
            if self.kind == "lattice"
            else math.ldexp(self.n / 2, -self.unit_bits)
        )

    @property
    def tables(self) -> list[str]:
        """The names of the tables of a lattice."""
        return [f"table{i}" for i in range(1 + max(*self.joint_table, *self.base_table))]

    def constraints(self) -> EdgeConstraints:
        """Return the constraints of a lattice."""
        try:
            return edge_constraints(
                self.variables, self.max_parents, self._edges(self.required), self._edges(self.forbidden)
            )
        except InvalidOption as error:
            raise InvalidData(f"its constraints cannot be met: {error}") from error

    def _edges(self, by_child: Sequence[Table]) -> list[Edge]:
        names = self.variables
        return [(names[parent], names[child]) for child, parents in enumerate(by_child) for parent in parents]

    def check(self) -> None:
        """Refuse fields that contradict each other."""
        check_names(self.variables)
        if self.max_parents >= self.n:
            raise InvalidData(f"max_parents is {self.max_parents}; with {self.n} variables it must be less")
        check_length("info.level_counts", self.info.level_counts, "variables", self.n)
        for edges in (self.info.required, self.info.forbidden):
            check_known("info", (name for edge in edges for name in edge), self.variables)
        if self.kind == "families":
            return
        if self.n > _MOST_VARIABLES:
            raise InvalidData(f"it has {self.n:,} variables; the limit is {_MOST_VARIABLES:,}")
        for name in ("joint_table", "base_table", "required", "forbidden"):
            check_length(name, getattr(self, name), "variables", self.n)
        # Each variable has at most two tables of its own.
        if max(*self.joint_table, *self.base_table) >= 2 * self.n:
            raise InvalidData("it refers to tables that it cannot have")
        if any(parent >= self.n for parents in (*self.required, *self.forbidden) for parent in parents):
            raise InvalidData("its constraints mention a variable that it does not have")


def parse_header(text: bytes) -> Header:
    """Return the header of a file; raise :class:`InvalidData` with what is wrong in it."""
    try:
        document = parse_json(text.decode(), "header")
    except UnicodeDecodeError as error:
        raise InvalidData("its header is not UTF-8 text") from error
    if isinstance(document, dict) and "document" in document:
        raise InvalidData(f"it has a result; read it with {function('load_result')}")
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        schema = document.get("schema") if isinstance(document, dict) else None
        raise InvalidData(f"its header has schema {schema!r:.40}; this version of dagscape reads {SCHEMA}")
    header = decode_record(Header, {**document, "info": _info(document)}, "header")
    header.check()
    return header


def _info(document: Mapping[str, Any]) -> object:
    """Return the description of the scores as JSON."""
    if "info" in document:
        return document["info"]
    return {**recorded_parameters(document), "score_equivalent": document.get("score_equivalent", False)}
