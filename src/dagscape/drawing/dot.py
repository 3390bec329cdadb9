"""Graphs as Graphviz source."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from dagscape.drawing.picture import (
    BOX_FILL,
    BOX_LINE,
    FONT_SIZE,
    INK,
    LABEL_SIZE,
    PLAIN_LINE,
    SHADES,
    DrawnEdge,
    drawn_edges,
    line_width,
    shade_of,
    shown_text,
    structure_of,
    wants_labels,
)

if TYPE_CHECKING:
    from dagscape.drawing.picture import Drawable

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n"}
_ESCAPED = re.compile('[\\\\"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]')


def to_dot(
    graph: Drawable,
    weights: ArrayLike | None = None,
    *,
    labels: bool | None = None,
    threshold: float | None = None,
    title: str | None = None,
) -> str:
    r"""Write a graph as Graphviz source.

    Parameters
    ----------
    graph : Dag, Cpdag or Network
        The graph.
    weights, labels, threshold, title
        As for :func:`dagscape.draw`.

    Returns
    -------
    str
        A ``digraph``. Nodes are identified by their names; undirected edges have ``dir=none``.

    Examples
    --------
    >>> from dagscape.graphs.dag import Dag
    >>> dag = Dag.from_edges(["rain", "wet \"grass\""], [("rain", "wet \"grass\"")])
    >>> print(*to_dot(dag).splitlines()[-4:], sep="\n")
      "rain";
      "wet \"grass\"" [label="wet \"grass\""];
      "rain" -> "wet \"grass\"";
    }
    """
    structure = structure_of(graph)
    edges = drawn_edges(structure, weights, threshold)
    labelled = wants_labels(labels, weights, len(edges))
    return "\n".join(
        [
            "digraph {",
            *([f"  label={quoted_label(title)}; labelloc=t;"] if title is not None else []),
            f'  node [shape=box, style="rounded,filled", fillcolor="{BOX_FILL}", color="{BOX_LINE}", '
            f'fontcolor="{INK}", fontname="sans-serif", fontsize={FONT_SIZE:g}];',
            f'  edge [color="{PLAIN_LINE}", arrowsize=0.7, fontname="sans-serif", fontsize={LABEL_SIZE:g}];',
            *(f"  {_node(name)};" for name in structure.variables),
            *(f"  {_edge(structure.variables, edge, labelled)};" for edge in edges),
            "}\n",
        ]
    )


def _node(name: str) -> str:
    # Graphviz shows the identifier by default, but interprets escapes and entities in labels.
    plain = quoted_id(name)
    return plain if plain == f'"{name}"' and "&" not in name else f"{plain} [label={quoted_label(name)}]"


def _edge(variables: tuple[str, ...], edge: DrawnEdge, labelled: bool) -> str:
    attributes = list(_attributes(edge, labelled))
    ends = f"{quoted_id(variables[edge.tail])} -> {quoted_id(variables[edge.head])}"
    return f"{ends} [{', '.join(attributes)}]" if attributes else ends


def _attributes(edge: DrawnEdge, labelled: bool) -> Iterator[str]:
    if not edge.directed:
        yield "dir=none"
    if edge.weight is not None:
        yield f"penwidth={line_width(edge.weight):.3g}"
        yield f'color="{SHADES[shade_of(edge.weight)]}"'
        if labelled:
            yield f'label="{edge.weight:.2f}"'


def quoted_id(name: str) -> str:
    r"""Quote a name as an identifier; distinct names remain distinct.

    >>> print(quoted_id('say "hi"'), quoted_id("a\\b"), quoted_id("a\nb"), quoted_id("\x00"), quoted_id(""))
    "say \"hi\"" "a\\b" "a\nb" "\x00" ""
    """
    return '"' + _ESCAPED.sub(lambda found: _ESCAPES.get(found[0], f"\\x{ord(found[0]):02x}"), name) + '"'


def quoted_label(text: str) -> str:
    r"""Quote a label; Graphviz would interpret backslashes as escapes and ``&`` as the start of an entity.

    >>> print(quoted_label("a & b"), quoted_label("two\nlines"), quoted_label("<b>"))
    "a &amp; b" "two lines" "<b>"
    """
    return '"' + shown_text(text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"') + '"'
