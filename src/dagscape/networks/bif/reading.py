"""Reading BIF, the Interchange Format for Bayesian networks.

:mod:`dagscape.networks.bif.syntax` parses the syntax; this module turns blocks into a network.
:mod:`dagscape.networks.writing` writes the format.

A variable with parents has one row of probabilities for each state of the parents, in any order. A ``default`` applies
to all rows that are not given. Instead of rows there may be one flat ``table``, ordered as in JavaBayes: the variable
itself varies slowest, then the first parent, and the last parent fastest, so that the table begins with the
probabilities of the first level in every state of the parents.

Numbers are kept as written; rows must sum to 1 within 1e-6. Properties are skipped, except our own: how names are
encoded (:mod:`dagscape.networks.bif.names`), and types and the discretizer, as encoded JSON.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import count
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.errors import InvalidData
from dagscape.core.files.documents import parse_json
from dagscape.core.masks import mask_of
from dagscape.core.resources import memory_limit
from dagscape.core.wording import plural
from dagscape.data.discrete.discretizing import Discretizer
from dagscape.data.tables.value_types import ValueType
from dagscape.graphs.dag import Dag
from dagscape.networks.bif.names import DISCRETIZER, TYPES, decode_name
from dagscape.networks.bif.syntax import Document, Name, ProbabilityBlock, Row, Source, parse, shown
from dagscape.networks.discrete.checks import invalid_row
from dagscape.networks.discrete.families import MAX_PARENTS
from dagscape.networks.discrete.network import Network
from dagscape.results.decoding import decode

# A 'default' declares a table of any size in a few words; a written table has at most one cell per character.
MAX_DEFAULT_CELLS = 2**26

# An upper bound on the memory for one cell of a table, while reading.
_BYTES_PER_CELL = 32


def parse_network(text: str, title: str = "text", *, max_memory: int | str | None = None) -> Network:
    """Parse a network from BIF text.

    Parameters
    ----------
    text : str
        The content of a BIF file.
    title : str
        The name of the file in messages.
    max_memory : int, str or None
        The most memory for the tables; None for most of what is available.

    Examples
    --------
    >>> text = "variable rain { type discrete [ 2 ] { no, yes }; } probability ( rain ) { table 0.8, 0.2; }"
    >>> parse_network(text).cpts["rain"].tolist()
    [0.8, 0.2]
    """
    source = Source(title, text)
    if not text.strip():
        raise InvalidData(f"{title!r} is empty")
    return network_of_blocks(source, parse(source), max_memory)


def network_of_blocks(source: Source, document: Document, max_memory: int | str | None = None) -> Network:
    """Return the network that the blocks of a file describe, after checking them."""
    levels = _declared_levels(source, document)
    blocks = _blocks_by_child(source, document, levels)
    number = {name: index for index, name in enumerate(levels)}
    parents = [[number[parent.text] for parent in blocks[name].parents] for name in levels]
    cycle = [blocks[document.variables[v].name.text].child for v in find_cycle(parents)]
    if cycle:
        strings = [shown(name.text) for name in cycle]
        path = " -> ".join(strings if len(strings) <= 9 else [*strings[:7], "…", strings[-1]])
        raise source.fail(cycle[-1].offset, f"the parents of the variables form a cycle: {path}")
    dag = Dag(tuple(levels), tuple(mask_of(above) for above in parents))
    cpts = dict(_tables(source, blocks, levels, parents, max_memory))
    types = _read_property(source, document, TYPES, partial(decode, Mapping[str, ValueType], place="types"))
    discretizer = _read_property(source, document, DISCRETIZER, Discretizer.from_dict)
    return Network(dag, levels, cpts, document.name, types=types or {}, discretizer=discretizer)


def find_cycle(parents: Sequence[Sequence[int]]) -> list[int]:
    """Return a directed cycle, from parents to children, with its first variable repeated at the end; empty if none.

    Examples
    --------
    >>> find_cycle([[], [0, 2], [1]]), find_cycle([[], [0]])
    ([1, 2, 1], [])
    """
    unseen, open_, done = 0, 1, 2
    status = [unseen] * len(parents)
    for root in range(len(parents)):
        path = [root] if status[root] == unseen else []
        waiting = [iter(parents[root])] if path else []
        while path:
            status[path[-1]] = open_
            parent = next(waiting[-1], None)
            if parent is None:
                status[path.pop()] = done
                waiting.pop()
            elif status[parent] == open_:
                # The path runs from children to parents.
                return [parent, *reversed(path[path.index(parent) :])]
            elif status[parent] == unseen:
                path.append(parent)
                waiting.append(iter(parents[parent]))
    return []


def _read_property(source: Source, document: Document, name: str, decoded: Callable[[Any], Any]) -> Any:
    """Return what a property of dagscape holds as encoded JSON; None if the file lacks it."""
    if name not in document.properties:
        return None
    word, offset = document.properties[name]
    try:
        return decoded(parse_json(decode_name(word), name))
    except (ValueError, TypeError) as error:
        raise source.fail(offset, f"the property {name} is damaged ({error}): remove it") from error


def _declared_levels(source: Source, document: Document) -> dict[str, tuple[str, ...]]:
    levels: dict[str, tuple[str, ...]] = {}
    for block in document.variables:
        if not block.name.text:
            raise source.fail(block.name.offset, "a variable has an empty name")
        if block.name.text in levels:
            raise source.fail(block.name.offset, f"the variable {shown(block.name.text)} is declared twice")
        if not block.levels:
            raise source.fail(block.name.offset, f"the variable {shown(block.name.text)} has no levels")
        levels[block.name.text] = block.levels
    if not levels:
        raise InvalidData(f"{source.title!r} declares no variables: is it a {source.kind} file?")
    return levels


def _blocks_by_child(
    source: Source, document: Document, levels: Mapping[str, tuple[str, ...]]
) -> dict[str, ProbabilityBlock]:
    """Return the block of every variable, after checking all names."""
    blocks: dict[str, ProbabilityBlock] = {}
    for block in document.probabilities:
        seen: set[str] = set()
        for name in (block.child, *block.parents):
            if name.text not in levels:
                raise source.fail(name.offset, f"the variable {shown(name.text)} is not declared")
            if name.text in seen:
                raise source.fail(name.offset, f"the variable {shown(name.text)} is named twice here")
            seen.add(name.text)
        if block.child.text in blocks:
            raise source.fail(block.child.offset, f"{shown(block.child.text)} has more than one 'probability' block")
        if len(block.parents) > MAX_PARENTS:
            problem = f"{shown(block.child.text)} has {len(block.parents)} parents; the limit is {MAX_PARENTS}"
            raise source.fail(block.child.offset, problem)
        blocks[block.child.text] = block
    for variable in document.variables:
        if variable.name.text not in blocks:
            raise source.fail(variable.name.offset, f"{shown(variable.name.text)} has no 'probability' block")
    return blocks


def _tables(
    source: Source,
    blocks: Mapping[str, ProbabilityBlock],
    levels: Mapping[str, tuple[str, ...]],
    parents: Sequence[Sequence[int]],
    max_memory: int | str | None,
) -> Iterator[tuple[str, NDArray[np.float64]]]:
    """Iterate over the variables and their tables, with axes in the order of the variables."""
    codes = {name: {level: code for code, level in enumerate(strings)} for name, strings in levels.items()}
    limit = min(max(MAX_DEFAULT_CELLS, len(source.text)), memory_limit(max_memory) // _BYTES_PER_CELL)
    cells = 0
    for name, above in zip(levels, parents, strict=True):
        block = blocks[name]
        shape = (*(len(levels[parent.text]) for parent in block.parents), len(levels[name]))
        cells += math.prod(shape)
        if cells > limit:
            problem = f"the tables up to that of {shown(name)} have {cells} probabilities; the limit is {limit}"
            raise source.fail(block.child.offset, problem)
        table = _table(source, block, shape, [codes[parent.text] for parent in block.parents])
        order = sorted(range(len(above)), key=above.__getitem__)
        yield name, table.reshape(shape).transpose([*order, len(above)])


def _table(
    source: Source, block: ProbabilityBlock, shape: Sequence[int], codes: Sequence[Mapping[str, int]]
) -> NDArray[np.float64]:
    """Return the table of a block: states of the parents × levels, the last parent fastest."""
    child = shown(block.child.text)
    rows: dict[int, Row] = {}
    if block.table is not None:
        table = _flat_table(source, block, block.table, shape)
    else:
        rows = _rows_by_state(source, block, shape[-1], codes)
        table = _row_table(source, block, rows, shape, codes)
    wrong = invalid_row(table)
    if wrong is not None:
        state, problem = wrong
        row = rows.get(state) or block.table or block.default
        given = f" given {_state_text(state, codes)}" if codes else ""
        hint = source.hint if block.table and codes else ""
        offset = block.child.offset if row is None else row.offset
        raise source.fail(offset, f"the probabilities of {child}{given} {problem}{hint}")
    return table


def _flat_table(source: Source, block: ProbabilityBlock, flat: Row, shape: Sequence[int]) -> NDArray[np.float64]:
    if block.rows or block.default is not None:
        raise source.fail(flat.offset, f"{shown(block.child.text)} has both a 'table' and other probabilities")
    _check_count(source, flat, math.prod(shape), block.child)
    return np.frombuffer(flat.values, dtype=np.float64).reshape(shape[-1], -1).T


def _row_table(
    source: Source,
    block: ProbabilityBlock,
    rows: Mapping[int, Row],
    shape: Sequence[int],
    codes: Sequence[Mapping[str, int]],
) -> NDArray[np.float64]:
    states = math.prod(shape[:-1])
    if block.default is not None:
        _check_count(source, block.default, shape[-1], block.child)
    elif len(rows) < states:
        # Before the table is allocated: a file that lacks most of its rows should not take memory for them.
        missing = next(state for state in count() if state not in rows)
        given = f" given {_state_text(missing, codes)}" if codes else ""
        raise source.fail(block.child.offset, f"there are no probabilities of {shown(block.child.text)}{given}")
    table = np.empty((states, shape[-1]))
    if block.default is not None:
        table[:] = block.default.values
    for state, row in rows.items():
        table[state] = row.values
    return table


def _rows_by_state(
    source: Source, block: ProbabilityBlock, arity: int, codes: Sequence[Mapping[str, int]]
) -> dict[int, Row]:
    """Return the rows of a block by the index of the parents' state."""
    rows: dict[int, Row] = {}
    for row in block.rows:
        if len(row.states) != len(codes):
            parents = f"{plural(len(codes), 'parent')} of {shown(block.child.text)}"
            problem = f"{plural(len(row.states), 'level')} given for the {parents}"
            raise source.fail(row.offset, problem)
        state = 0
        for level, numbers, parent in zip(row.states, codes, block.parents, strict=True):
            if level not in numbers:
                raise source.fail(row.offset, f"{shown(level)} is not a level of {shown(parent.text)}")
            state = state * len(numbers) + numbers[level]
        if state in rows:
            given = _state_text(state, codes)
            raise source.fail(
                row.offset, f"the probabilities of {shown(block.child.text)} given {given} are given twice"
            )
        _check_count(source, row, arity, block.child)
        rows[state] = row
    return rows


def _check_count(source: Source, row: Row, expected: int, child: Name) -> None:
    if len(row.values) != expected:
        problem = f"{shown(child.text)} has {len(row.values)} probabilities here; it must have {expected}"
        raise source.fail(row.offset, problem)


def _state_text(state: int, codes: Sequence[Mapping[str, int]]) -> str:
    """Return the levels of the parents in a state, for a message."""
    strings: list[str] = []
    for numbers in reversed(codes):
        state, code = divmod(state, len(numbers))
        strings.append(shown(next(level for level, number in numbers.items() if number == code)))
    return f"({', '.join(reversed(strings))})"
