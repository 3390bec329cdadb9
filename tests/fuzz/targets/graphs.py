"""Edge lists of graphs, with commas and with tabs."""

from __future__ import annotations

import zlib
from pathlib import Path
from random import Random

import dagscape as ds
from dagscape.graphs.edge_lists import with_variables
from dagscape.report.tables import render
from dagscape.report.terminal import terminal_text
from fuzz.harness import Target
from fuzz.mutations import damage_bytes, damage_text

_TRUTH = ds.Dag.from_edges("abcd", [("a", "b"), ("c", "b"), ("b", "d")])

_LISTS = (
    "from,to\na,b\nc,b\nd,\n",
    "a,b\nb,c\n",
    'parent,child,note\n"a, x",b,1\n"b ""y""",c,2\n',
    "from,to,type\na,b,->\nc,b,->\nb,d,->\n",
    "from,to,type\na,b,--\nb,c,--\nd,,\n",
    "a,b,<-\nc,b,--\n",
    "target,kind,source\nb,directed,a\n",
)
_WORDS = ("from", "to", "type", "->", "<-", "--", "a", "b", "c", ",", "\t", '"', '""', "\n", "\r\n", "\r", "undirected")


def _make(separator: str, rng: Random) -> bytes:
    text = rng.choice(_LISTS).replace(",", separator)
    if rng.random() < 0.3:
        names = rng.choices([*"abcdefghij", "é", "x y", "\0", "\x1b[2J"], k=rng.randrange(1, 40))
        text += "".join(f"{u}{separator}{v}\n" for u, v in zip(names[::2], names[1::2], strict=False))
    if rng.random() < 0.85:
        text = damage_text(rng, text, _WORDS)
    content = text.encode("utf-8", "surrogatepass")
    return damage_bytes(rng, content) if rng.random() < 0.15 else content


def _make_commas(rng: Random) -> bytes:
    return _make(",", rng)


def _make_tabs(rng: Random) -> bytes:
    return _make("\t", rng)


def _use(path: Path) -> None:
    graph = ds.read_graph(path)
    share = zlib.crc32(path.read_bytes()) % 4
    repr(graph)
    if set(graph.variables) <= set(_TRUTH.variables):
        result = ds.compare(with_variables(graph, _TRUTH.variables), _TRUTH)
        terminal_text(render(result), 100)
    if share == 0:
        ds.draw(graph)
    elif share == 1:
        ds.draw(graph, path.with_name("graph.dot"))
    elif share == 2:
        copy = path.with_name(f"copy{path.suffix}")
        ds.write_graph(graph, copy)
        assert ds.read_graph(copy) == graph
    elif share == 3 and isinstance(graph, ds.Dag):
        graph.to_cpdag().to_dag()


TARGETS = (
    Target("edges-csv", _make_commas, _use, ".csv", quick_cases=60),
    Target("edges-tsv", _make_tabs, _use, ".tsv", quick_cases=40),
)
