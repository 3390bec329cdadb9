"""Drawing graphs as SVG, as PNG or PDF with matplotlib, or as Graphviz source."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from numpy.typing import ArrayLike

from dagscape.core.caveats import issue
from dagscape.core.errors import InvalidOption, type_of
from dagscape.core.files.paths import path_text
from dagscape.core.files.writing import check_writable, replace_file
from dagscape.drawing.dot import to_dot
from dagscape.drawing.edges import Drawable, content_of
from dagscape.drawing.effects import SignedEffects
from dagscape.drawing.figure import require_matplotlib, write_figure
from dagscape.drawing.fitting import fitted
from dagscape.drawing.legend import remarks_of, remarks_on_drawing
from dagscape.drawing.own_pictures import OwnPicture
from dagscape.drawing.page import page_of
from dagscape.drawing.picture import USUAL, Arrangement, Picture, picture
from dagscape.drawing.svg import svg_text
from dagscape.drawing.view import DrawOptions, Page, threshold_of_directions, view_of
from dagscape.results.base import Result

DRAWING_FORMATS = ("svg", "png", "pdf", "dot")
DRAWING_ENDINGS = (".svg", ".png", ".pdf", ".dot", ".gv")

# Larger graphs are not shown in notebooks unless they are drawn.
_MOST_VARIABLES, _MOST_EDGES = 100, 300


class Drawing(str):
    """A drawing as SVG: a string that a notebook shows as a picture."""

    __slots__ = ()

    def _repr_svg_(self) -> str:
        return str(self)


def draw(
    graph: Drawable | OwnPicture,
    path: str | os.PathLike[str] | None = None,
    *,
    weights: ArrayLike | Result | None = None,
    labels: bool | None = None,
    threshold: float | None = None,
    lines: str | None = None,
    direction_threshold: float | None = None,
    title: str | None = None,
    label_width: int | None = None,
    around: str | Sequence[str] | None = None,
    steps: int | None = None,
    isolated: bool | None = None,
    page: Page | None = None,
    effects: SignedEffects | None = None,
) -> Drawing | None:
    """Draw a graph, or the edges that a posterior makes probable, parents above children.

    Parameters
    ----------
    graph : Dag, Cpdag, Network or result
        What to draw. Undirected edges of a Cpdag have no arrowheads. A network with measured variables is drawn with
        standardised coefficients, with wide and dark edges where they are large. A network that was learned, and the
        first of a list, is drawn as its equivalence class, within constraints on edges and experiments; if the scores
        distinguish the members of a class, as the network. A posterior is drawn as the edges that are probable enough,
        a :class:`StudentModel` with the mastery of skills and the strengths of prerequisites. A :class:`Sensitivity` is
        drawn by its own method, with the ranges of probabilities.
    path : path, optional
        The file to write, in the format of its extension: ``.svg``, ``.png`` or ``.pdf`` (these need matplotlib, the
        extra ``plot``), ``.dot`` or ``.gv`` (Graphviz source). Default: return the SVG.
    weights : array of shape (n, n) or result, optional
        ``[u, v]`` is the probability of the edge u → v, as in ``posterior(...).edges``. Probable edges are wide
        and dark. An undirected edge has the sum of both directions. A posterior has its own; those of a
        student model are replaced. A result with edges may take the place of the array: the legend then also has its
        warnings.
    labels : bool, optional
        Whether edges show their probabilities, with two decimals. Default: if there are probabilities and at
        most 100 edges.
    threshold : float, optional
        Hide edges with a lower probability, or strength. Default: 0.5 for a posterior, else 0.
    lines : {"pairs", "edges"}, optional
        What a line of a posterior stands for: a pair of variables, or a single edge with its own probability, so that
        a pair may have two. Default: pairs.
    direction_threshold : float, optional
        Of a posterior: draw an arrowhead where the direction has at least this probability. Default: the threshold.
    title : str, optional
        A title above the drawing.
    label_width : int, optional
        The most characters per line of a name. Names are broken after spaces, underscores and hyphens into at most
        three lines, and shortened if that is not enough. Default: 20, but a single word may have 32.
    around : str or sequence of str, optional
        Draw a neighbourhood only: these variables, those that are few edges away, and the edges among them. Edges
        below the threshold do not count.
    steps : int, optional
        How many edges, in any direction, a variable may be away; with 0, only the variables of ``around`` are drawn.
        Default: 1.
    isolated : bool, optional
        Whether to draw variables without edges. Default: if there are at most 10.
    page : str, number or pair, optional
        The width of a page, ``"17cm"``, ``"6.7in"`` or a number of centimetres, or its width and height,
        ``"17cm x 24cm"`` or ``(17, 24)``. The drawing has at most this size, and is arranged so that no text is smaller
        than 6 points: with smaller names, from left to right, or with wide layers broken into rows.
    effects : EdgeEffects, optional
        The associations of variables, from :func:`edge_effects`: edges show their size and sign.

    Returns
    -------
    str or None
        The SVG, which a notebook shows as a picture; None if a file was written.

    Notes
    -----
    Lines of edges with probabilities are heavy from 0.9, solid from 0.5, and dashed below.

    Of a posterior, a pair of variables is drawn if the probability of an edge in either direction reaches the
    threshold, and the line is heavy, solid or dashed by this probability. It has an arrowhead if the probability that
    its direction is compelled, the same in every member of the equivalence class, reaches ``direction_threshold`` (and
    half of the probability of the pair, if that threshold is lower). The label is the probability of the pair above
    those of compelled directions of at least 0.1: ``0.97`` above ``↓0.55``.

    Where compelled edges were not computed (``posterior(..., compelled=True)``), a line has an arrowhead, and the
    probability of its direction, if one direction reaches ``direction_threshold`` and is at least 3 times as probable
    as the other. These are shares of DAGs, which the prior also decides: the legend says that they are no evidence.

    With ``lines="edges"``, each edge that reaches the threshold is an arrow, heavy, solid or dashed by its own
    probability, also if the other direction is drawn, too.

    The edges may form cycles: the least probable ones then point upwards, and the legend says so. It also says which
    variables were left out, and has the warnings of a result, in short.

    Examples
    --------
    >>> import dagscape as ds
    >>> dag = ds.Dag.from_edges(["rain", "sprinkler", "wet"], [("rain", "wet"), ("sprinkler", "wet")])
    >>> text = ds.draw(dag, weights=[[0, 0.1, 0.9], [0, 0, 0.75], [0.1, 0, 0]], title="Lawn")
    >>> ">0.90<" in text, "probability ≥ 0.9" in text
    (True, True)
    """
    options: DrawOptions = {
        "weights": weights,
        "labels": labels,
        "threshold": threshold,
        "lines": lines,
        "direction_threshold": direction_threshold,
        "title": title,
        "label_width": label_width,
        "around": around,
        "steps": steps,
        "isolated": isolated,
        "page": page,
        "effects": effects,
    }
    if isinstance(graph, OwnPicture):
        _refuse_options_of_graphs(graph, options)
        return graph.draw(path, title=title)
    if path is None:
        return svg(graph, **options)
    ending = drawing_format(path)
    check_writable(path)
    if ending in {".dot", ".gv"}:
        _write_text(to_dot(graph, **options), path)
    elif ending == ".svg":
        _write_text(svg(graph, **options), path)
    else:
        made = _picture(graph, **options)
        with replace_file(path) as stream:
            write_figure(made, stream, ending[1:])
    return None


def _refuse_options_of_graphs(result: OwnPicture, options: DrawOptions) -> None:
    for name, value in options.items():
        if value is not None and name != "title":
            raise InvalidOption(
                f"is for pictures of graphs: the method draw() of {type_of(result)} has its own options", option=name
            )


def drawing_format(path: str | os.PathLike[str]) -> str:
    """Return the extension of a file name, after checking that it is a known format."""
    name = path_text(path)
    ending = Path(name).suffix.lower()
    if ending not in DRAWING_ENDINGS:
        known = ", ".join(DRAWING_ENDINGS)
        raise InvalidOption(f"cannot tell the format of {name!r}: its name must end in one of {known}")
    if ending in {".png", ".pdf"}:
        require_matplotlib(name)
    return ending


def svg(graph: Drawable, **options: Unpack[DrawOptions]) -> Drawing:
    """Draw a graph as SVG.

    Parameters
    ----------
    graph : Dag, Cpdag, Network or result
        What to draw.
    **options
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
    return Drawing(svg_text(_picture(graph, **options)))


def notebook_svg(graph: Drawable) -> str | None:
    """Return the picture that a notebook shows of a graph; None if it would be too large to read."""
    view = view_of(content_of(graph))
    if len(view.content.variables) > _MOST_VARIABLES or len(view.edges) > _MOST_EDGES:
        return None
    return Drawing(svg_text(_picture(graph, on_page=True)))


def _picture(graph: Drawable, *, on_page: bool = False, **options: Unpack[DrawOptions]) -> Picture:
    """Lay out a graph; a page that shows its picture says itself what is not about the drawing."""
    view, page = view_of(graph, **options), options.get("page")
    size = None if page is None else page_of(page)
    remarks = remarks_on_drawing(graph, view) if on_page else remarks_of(graph, view, options.get("weights"))

    def arranged(arrangement: Arrangement) -> Picture:
        return picture(
            view.content,
            view.edges,
            labels=view.labelled,
            title=options.get("title"),
            label_width=options.get("label_width"),
            threshold=threshold_of_directions(options),
            remarks=remarks,
            measure=view.measure,
            arrangement=arrangement,
        )

    if size is None:
        return arranged(USUAL)
    found, warning = fitted(arranged, size)
    issue(warning)
    return found


def _write_text(text: str, path: str | os.PathLike[str]) -> None:
    with replace_file(path) as stream:
        stream.write(text.encode("utf-8"))
