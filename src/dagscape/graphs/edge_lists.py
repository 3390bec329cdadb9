"""Edge lists in CSV: one edge per row, the columns ``from`` and ``to``, and ``type`` for the edges of a class.

A row with an empty ``to`` lists a variable without an edge. Variables are in the order in which the file mentions them
first. If the edges alone would give another order, or leave out a variable, all variables are listed before them.
"""

from __future__ import annotations

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator, Sequence

from dagscape.core.errors import InvalidData, InvalidOption, did_you_mean, type_of
from dagscape.core.files.documents import read_text
from dagscape.core.files.paths import format_by_ending, path_text
from dagscape.core.files.writing import replace_by_ending
from dagscape.graphs.comparison import HasDag
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.validation import check_collection, check_graph_memory

EDGE_LISTS = ("csv", "tsv")

_HEADERS = (("from", "to"), ("source", "target"), ("parent", "child"))
_TYPE_HEADERS = ("type", "kind")
_DIRECTED = {"->", "→", "directed"}
_BACKWARD = {"<-", "←"}
_UNDIRECTED = {"--", "-", "—", "–", "undirected"}

# A table with more columns is an edge list only if its header says so.
_MOST_WITHOUT_HEADER = 3

# An upper bound on the memory for one byte, such as a short name: rows, names and pairs of names.
_BYTES_PER_BYTE = 40

_TYPES = {"", *_DIRECTED, *_BACKWARD, *_UNDIRECTED}

Edge = tuple[str, str]


def read_graph(
    path: str | os.PathLike[str], variables: Sequence[str] | None = None, *, max_memory: int | str | None = None
) -> Dag | Cpdag:
    r"""Read a graph from an edge list: a ``.csv`` or ``.tsv`` file, compressed or not.

    Parameters
    ----------
    path : path
        The file; ``"-"`` is standard input. The first row may be a header: ``from,to``, ``source,target`` or
        ``parent,child``, in any order and among other columns, which are ignored. Without a header there are at most
        three columns, and the first two are the parent and the child. An optional column ``type`` or ``kind``, the
        third one if there is no header, has ``->`` for a directed edge and ``--`` for an undirected one. A row with an
        empty ``to`` lists a variable without an edge.
    variables : sequence of str, optional
        All variables, in order; those that the file does not mention have no edges. Default: those in the file, in the
        order in which it mentions them first.
    max_memory : int, str or None
        The most memory for reading, such as ``"2GiB"``; by default 80% of what is available.

    Returns
    -------
    Dag or Cpdag
        An equivalence class if the file has a column of types, unless all edges are directed and are not those of a
        class; otherwise a DAG.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import dagscape as ds
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = Path(folder, "edges.csv").write_text("from,to\nrain,wet\nsprinkler,wet\nwind,\n")
    ...     ds.read_graph(Path(folder, "edges.csv"))
    Dag(4 variables, 2 edges: rain -> wet, sprinkler -> wet)
    """
    source = path_text(path)
    # Names may contain NUL characters, but a cell has no more characters than the limit of the csv module.
    longest = csv.field_size_limit()
    text = read_text(path, max_memory=max_memory, bytes_per_byte=_BYTES_PER_BYTE, may_be_json=False, most_nuls=longest)
    separator = "\t" if source.lower().removesuffix(".gz").endswith((".tsv", ".tab")) else ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
    try:
        table = _Table(source, rows, separator)
    except csv.Error as error:
        raise InvalidData(f"{source!r} is not a table of edges: {error}") from error
    names = table.mentioned if variables is None else _with_others(table.mentioned, variables, source)
    check_graph_memory(len(names))
    if not names:
        raise InvalidData(f"{source!r} has no edges and no variables")
    try:
        return _graph(names, table.directed, table.undirected, typed=table.typed)
    except InvalidData as error:
        raise InvalidData(f"{source!r}: {error}") from error


def _graph(names: Sequence[str], directed: Sequence[Edge], undirected: Sequence[Edge], *, typed: bool) -> Dag | Cpdag:
    if not typed:
        return Dag.from_edges(names, directed)
    try:
        return Cpdag.from_edges(names, directed, undirected)
    except InvalidData as error:
        if not undirected:
            return Dag.from_edges(names, directed)
        raise InvalidData(
            f"the edges are not the CPDAG of any DAG{_wrong_edge(names, directed, undirected)}: correct the types, or "
            "leave out their column and direct all edges, from parent to child"
        ) from error


def _wrong_edge(names: Sequence[str], directed: Sequence[Edge], undirected: Sequence[Edge]) -> str:
    """Name an edge of another type than in the class of the DAGs that have these edges, if there are such DAGs."""
    try:
        known = Cpdag.from_pattern(names, directed, undirected)
    except InvalidData as error:
        return f", and {error}"
    for u, v in undirected:
        for parent, child in ((u, v), (v, u)):
            if (parent, child) in known.directed_edges:
                return f"; {u!r} -- {v!r} must be {parent!r} -> {child!r}"
    free = {frozenset(edge) for edge in known.undirected_edges}
    wrong = next((edge for edge in directed if frozenset(edge) in free), None)
    return "" if wrong is None else f"; {wrong[0]!r} -> {wrong[1]!r} must be {wrong[0]!r} -- {wrong[1]!r}"


def write_graph(graph: Dag | Cpdag | HasDag, path: str | os.PathLike[str]) -> None:
    """Write the edges of a graph to a ``.csv`` or ``.tsv`` file; ``.gz`` at the end of its name compresses it.

    :func:`dagscape.read_graph` returns the same graph, with its variables in the same order.

    Examples
    --------
    >>> import tempfile
    >>> import dagscape as ds
    >>> dag = ds.load_network("asia").dag
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ds.write_graph(dag, f"{folder}/asia.csv")
    ...     ds.read_graph(f"{folder}/asia.csv") == dag
    True
    """
    structure = graph if isinstance(graph, Dag | Cpdag) else getattr(graph, "dag", None)
    if not isinstance(structure, Dag | Cpdag):
        raise InvalidOption(f"{type_of(graph)} has no edges to write: give a Dag, a Cpdag or a Network")
    if "" in structure.variables:
        raise InvalidOption("a variable with an empty name cannot be in an edge list: rename it")
    separator = "," if format_by_ending(path, EDGE_LISTS) == "csv" else "\t"
    with replace_by_ending(path) as stream:
        for row in _rows(structure):
            stream.write((separator.join(_quoted(cell, separator) for cell in row) + "\n").encode())


def with_variables(graph: Dag | Cpdag, variables: Sequence[str]) -> Dag | Cpdag:
    """Return a graph with more variables, which have no edges; the names of its own must be among them."""
    if isinstance(graph, Dag):
        return Dag.from_edges(variables, graph.edges)
    return Cpdag.from_edges(variables, graph.directed_edges, graph.undirected_edges)


def _rows(graph: Dag | Cpdag) -> Iterator[tuple[str, ...]]:
    """Return the header and the rows of an edge list."""
    edges: list[tuple[str, ...]] = []
    if isinstance(graph, Dag):
        yield ("from", "to")
        edges += graph.edges
    else:
        yield ("from", "to", "type")
        edges += [(*edge, "->") for edge in graph.directed_edges]
        edges += [(*edge, "--") for edge in graph.undirected_edges]
    if tuple(dict.fromkeys(name for edge in edges for name in edge[:2])) != graph.variables:
        yield from ((name, "") if isinstance(graph, Dag) else (name, "", "") for name in graph.variables)
    yield from edges


def _quoted(cell: str, separator: str) -> str:
    if re.search(rf'["\r\n{separator}]', cell) or cell != cell.strip():
        return '"' + cell.replace('"', '""') + '"'
    return cell


def _with_others(mentioned: Sequence[str], variables: Sequence[str], source: str) -> list[str]:
    check_collection(variables, "variables")
    if unknown := [name for name in mentioned if name not in set(variables)]:
        similar = did_you_mean(unknown[0], variables)
        raise InvalidData(f"{source!r} mentions {unknown[0]!r}, which is not a variable{similar}")
    return list(variables)


class _Table:
    """The rows of an edge list: variables in the order of their first mention, and edges by kind."""

    def __init__(self, source: str, rows: Iterable[list[str]], separator: str) -> None:
        self.directed: list[Edge] = []
        self.undirected: list[Edge] = []
        self.typed = False
        self._source = source
        self._mentioned: dict[str, None] = {}
        columns: tuple[int, int, int | None] | None = None
        for number, row in enumerate(rows, start=1):
            if not any(row):
                continue
            if columns is None:
                columns = _columns_of_header(row)
                if columns is not None:
                    self.typed = columns[2] is not None
                    continue
                self._check_first(row, number, separator)
                typed = len(row) > 2 and row[2].strip().lower() in _TYPES
                columns = (0, 1, 2 if typed else None)
                self.typed = typed
            self._add(row, columns, number)

    @property
    def mentioned(self) -> list[str]:
        """The variables of the file."""
        return list(self._mentioned)

    def _check_first(self, row: list[str], number: int, separator: str) -> None:
        """Refuse a table that can hardly be an edge list, given its first row, which is no header."""
        if len(row) > _MOST_WITHOUT_HEADER:
            raise self._fail(number, f"{len(row)} columns need a header that names two of them 'from' and 'to'")
        if len(row) == 1 and any(mark in row[0] for mark in {";", "\t", "->", ","} - {separator}):
            name = "commas" if separator == "," else "tabs"
            raise self._fail(number, f"{row[0]!r} is a single cell: write parent and child in two, separated by {name}")

    def _add(self, row: list[str], columns: tuple[int, int, int | None], number: int) -> None:
        first, second, kind = (row[at] if at is not None and at < len(row) else "" for at in columns)
        if not first:
            raise self._fail(number, "the parent is empty")
        self._mentioned[first] = None
        if not second:
            return
        self._mentioned[second] = None
        if first == second:
            raise self._fail(number, f"an edge leads from {first!r} to itself")
        word = kind.strip().lower()
        if word in _UNDIRECTED:
            self.typed = True
            self.undirected.append((first, second))
        elif word in _DIRECTED or not word:
            self.directed.append((first, second))
        elif word in _BACKWARD:
            self.directed.append((second, first))
        else:
            raise self._fail(number, f"the type of the edge is {kind!r}; it must be '->' or '--'")

    def _fail(self, number: int, problem: str) -> InvalidData:
        return InvalidData(f"{self._source!r}, row {number}: {problem}")


def _columns_of_header(row: list[str]) -> tuple[int, int, int | None] | None:
    """Return the places of the parent, the child and the type; None if the row is not a header."""
    titles = [cell.strip().lower() for cell in row]
    for parent, child in _HEADERS:
        if parent in titles and child in titles:
            kind = next((titles.index(name) for name in _TYPE_HEADERS if name in titles), None)
            return titles.index(parent), titles.index(child), kind
    return None
