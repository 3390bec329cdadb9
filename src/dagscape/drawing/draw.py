"""Drawing graphs as SVG, as PNG or PDF with matplotlib, or as Graphviz source."""

from __future__ import annotations

import os
from pathlib import Path

from numpy.typing import ArrayLike

from dagscape.drawing.dot import to_dot
from dagscape.drawing.figure import require_matplotlib, write_figure
from dagscape.drawing.picture import Drawable, Picture, drawn_edges, picture, structure_of, wants_labels
from dagscape.drawing.svg import svg_text
from dagscape.errors import InvalidOption
from dagscape.files import check_writable, replace_file

DRAWING_ENDINGS = (".svg", ".png", ".pdf", ".dot", ".gv")


def draw(
    graph: Drawable,
    path: str | os.PathLike[str] | None = None,
    *,
    weights: ArrayLike | None = None,
    labels: bool | None = None,
    threshold: float | None = None,
    title: str | None = None,
) -> str | None:
    """Draw a graph, parents above children.

    Parameters
    ----------
    graph : Dag, Cpdag or Network
        The graph. Undirected edges of a Cpdag have no arrowheads.
    path : path, optional
        The file to write, in the format of its extension: ``.svg``, ``.png`` or ``.pdf`` (these need matplotlib, the
        extra ``plot``), ``.dot`` or ``.gv`` (Graphviz source). Default: return the SVG.
    weights : array of shape (n, n), optional
        ``[u, v]`` is the probability of the edge u → v, as in ``posterior(...).edges``. Probable edges are wide
        and dark. An undirected edge has the sum of both directions.
    labels : bool, optional
        Whether edges show their probabilities, with two decimals. Default: if there are weights and at
        most 100 edges.
    threshold : float, optional
        Hide edges with a lower probability.
    title : str, optional
        A title above the drawing.

    Returns
    -------
    str or None
        The SVG; None if a file was written.

    Examples
    --------
    >>> import dagscape as ds
    >>> dag = ds.Dag.from_edges(["rain", "sprinkler", "wet"], [("rain", "wet"), ("sprinkler", "wet")])
    >>> text = ds.draw(dag, weights=[[0, 0.1, 0.9], [0, 0, 0.75], [0.1, 0, 0]], title="Lawn")
    >>> text.count("<path d="), ">0.90<" in text
    (3, True)
    """
    if path is None:
        return svg(graph, weights=weights, labels=labels, threshold=threshold, title=title)
    ending = drawing_format(path)
    check_writable(path)
    if ending in {".dot", ".gv"}:
        _write_text(to_dot(graph, weights, labels=labels, threshold=threshold, title=title), path)
    elif ending == ".svg":
        _write_text(svg(graph, weights=weights, labels=labels, threshold=threshold, title=title), path)
    else:
        made = _picture(graph, weights, labels, threshold, title)
        with replace_file(path) as stream:
            write_figure(made, stream, ending[1:])
    return None


def drawing_format(path: str | os.PathLike[str]) -> str:
    """Return the extension of a file name, after checking that it is a known format."""
    ending = Path(path).suffix.lower()
    if ending not in DRAWING_ENDINGS:
        known = ", ".join(DRAWING_ENDINGS)
        raise InvalidOption(f"cannot tell the format of {os.fspath(path)!r}: its name must end in one of {known}")
    if ending in {".png", ".pdf"}:
        require_matplotlib(os.fspath(path))
    return ending


def svg(
    graph: Drawable,
    *,
    weights: ArrayLike | None = None,
    labels: bool | None = None,
    threshold: float | None = None,
    title: str | None = None,
) -> str:
    """Draw a graph as SVG.

    Parameters
    ----------
    graph : Dag, Cpdag or Network
        The graph.
    weights, labels, threshold, title
        As for :func:`draw`.

    Returns
    -------
    str
        A complete document, which can also be embedded in HTML.

    Examples
    --------
    >>> from dagscape.graphs.dag import Dag
    >>> print(svg(Dag.from_edges(["a", "b"], [("a", "b")]))[:60])
    <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 68 132"
    """
    return svg_text(_picture(graph, weights, labels, threshold, title))


def _picture(
    graph: Drawable,
    weights: ArrayLike | None,
    labels: bool | None,
    threshold: float | None,
    title: str | None,
) -> Picture:
    structure = structure_of(graph)
    edges = drawn_edges(structure, weights, threshold)
    return picture(structure, edges, labels=wants_labels(labels, weights, len(edges)), title=title)


def _write_text(text: str, path: str | os.PathLike[str]) -> None:
    with replace_file(path) as stream:
        stream.write(text.encode("utf-8"))
