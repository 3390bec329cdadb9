"""Graphs as Graphviz source."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Unpack

from dagscape.drawing.edge_labels import edge_label
from dagscape.drawing.edges import DrawnEdge
from dagscape.drawing.legend import legend_of, remarks_of
from dagscape.drawing.page import Page, page_of
from dagscape.drawing.picture import box_texts
from dagscape.drawing.style import (
    BOX_FILL,
    BOX_LINE,
    FONT_SIZE,
    INK,
    LABEL_SIZE,
    LEGEND_SIZE,
    PLAIN_LINE,
    SHADES,
    WARNING_LINES,
    WARNING_WIDTH,
    line_width,
    shade_of,
    size_shade,
    size_width,
)
from dagscape.drawing.text import filled_lines, shown_text
from dagscape.drawing.view import DrawOptions, View, threshold_of_directions, view_of
from dagscape.results.base import inherited_warnings

if TYPE_CHECKING:
    from dagscape.drawing.edges import Drawable

# A page without a height, in points.
_HIGHEST = 72.0 * 10_000

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n"}
_ESCAPED = re.compile('[\\\\"\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufffe\uffff]')


def to_dot(graph: Drawable, **options: Unpack[DrawOptions]) -> str:
    r"""Write a graph as Graphviz source.

    Parameters
    ----------
    graph : Dag, Cpdag, Network or result
        What to draw.
    **options
        As for :func:`dagscape.draw`. Graphviz reduces the drawing to the size of a page.

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
    view, title, page = view_of(graph, **options), options.get("title"), options.get("page")
    variables = view.content.variables
    weights = options.get("weights")
    remarks = remarks_of(graph, view, weights)
    return "\n".join(
        [
            *(f"// warning: {shown_text(warning)}" for warning in inherited_warnings(graph, weights)),
            "digraph {",
            *([] if page is None else [f"  {_size(page_of(page))};"]),
            *([f"  label={quoted_label(title)}; labelloc=t;"] if title is not None else []),
            f'  node [shape=box, style="rounded,filled", fillcolor="{BOX_FILL}", color="{BOX_LINE}", '
            f'fontcolor="{INK}", fontname="sans-serif", fontsize={FONT_SIZE:g}];',
            f'  edge [color="{PLAIN_LINE}", arrowsize=0.7, fontname="sans-serif", fontsize={LABEL_SIZE:g}];',
            *(
                f"  {_node(*box)};"
                for box in zip(variables, box_texts(view.content, options.get("label_width")), strict=True)
            ),
            *(f"  {_edge(variables, edge, view.labelled)};" for edge in view.edges),
            *(f"  {node};" for node in _legend(view, threshold_of_directions(options), remarks)),
            "}\n",
        ]
    )


def _node(name: str, lines: tuple[str, ...]) -> str:
    # Graphviz shows the identifier by default, but interprets escapes and entities in labels.
    plain = quoted_id(name)
    if plain == f'"{name}"' and "&" not in name and lines == (name,):
        return plain
    return f"{plain} [label={quoted_lines(lines)}]"


def _edge(variables: tuple[str, ...], edge: DrawnEdge, labelled: bool) -> str:
    attributes = list(_attributes(edge, labelled))
    # Graphviz ranks the first end above the second, so an edge that points upwards is written from its head.
    first, second = (edge.head, edge.tail) if edge.upward else (edge.tail, edge.head)
    ends = f"{quoted_id(variables[first])} -> {quoted_id(variables[second])}"
    return f"{ends} [{', '.join(attributes)}]" if attributes else ends


def _attributes(edge: DrawnEdge, labelled: bool) -> Iterator[str]:
    if not edge.directed:
        yield "dir=none"
    if edge.upward:
        yield "dir=back"
    if edge.dashed:
        yield "style=dashed"
    if edge.strength is not None:
        yield f"penwidth={line_width(edge.strength):.3g}"
        yield f'color="{SHADES[shade_of(edge.strength)]}"'
    elif edge.size is not None:
        yield f"penwidth={size_width(edge.size):.3g}"
        yield f'color="{SHADES[size_shade(edge.size)]}"'
    if labelled and (label := edge_label(edge)):
        yield f"label={quoted_lines(label)}"


def _size(page: Page) -> str:
    """Return the attribute of a page; Graphviz takes inches, and enlarges nothing."""
    height = min(page.height, _HIGHEST)
    return f'size="{page.width / 72:.4g},{height / 72:.4g}"'


def _legend(view: View, threshold: float | None, remarks: Sequence[str]) -> Iterator[str]:
    """Return the legend as a node of text, under a name that no variable has."""
    keys = legend_of(view.edges, labels=view.labelled, graph=view.content, threshold=threshold, measure=view.measure)
    lines = [f"{key.name}: {key.meaning}" for key in keys]
    for remark in remarks:
        lines += filled_lines(remark, WARNING_WIDTH, LEGEND_SIZE, WARNING_LINES)
    if lines:
        name = "legend"
        while name in view.content.variables:
            name += "_"
        text = "".join(quoted_label(line)[1:-1] + "\\l" for line in lines)
        yield f'{quoted_id(name)} [shape=plaintext, style="", fontsize={LEGEND_SIZE:g}, label="{text}"]'


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


def quoted_lines(lines: Sequence[str]) -> str:
    r"""Quote a label of several lines.

    >>> print(quoted_lines(["a & b", 'say "hi"']))
    "a &amp; b\nsay \"hi\""
    """
    return '"' + "\\n".join(quoted_label(line)[1:-1] for line in lines) + '"'
