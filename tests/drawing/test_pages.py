"""Drawings on a page: no wider than it, and with text that can be read."""

from __future__ import annotations

import math
import warnings
from itertools import pairwise
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from cli.running import run
from dagscape.drawing.draw import _picture
from dagscape.drawing.fitting import text_size
from dagscape.drawing.layering import layered_graph
from dagscape.drawing.layout import Spacing, layered_layout, sideways_layout
from dagscape.drawing.page import LEAST_TEXT, POINTS_PER_CM, Page, page_of
from dagscape.drawing.rows import narrow_graph


def wide_graph(n=60):
    """One variable with many children: a layer that no page has room for."""
    names = ["root", *(f"child_{i:02}" for i in range(n))]
    return ds.Dag.from_edges(names, [("root", name) for name in names[1:]])


def size_of(svg):
    root = ElementTree.fromstring(svg)
    return [float(root.get(side).removesuffix("pt")) for side in ("width", "height")]


@pytest.mark.parametrize(
    ("page", "width", "height"),
    [
        ("17cm", 17, math.inf),
        (" 170 MM ", 17, math.inf),
        (17, 17, math.inf),
        ("17", 17, math.inf),
        ("10in", 25.4, math.inf),
        ("17cm x 24cm", 17, 24),
        ("17x24cm", 17, 24),
        ("17cm×240mm", 17, 24),
        ((17, "24cm"), 17, 24),
        ([17.0], 17, math.inf),
    ],
)
def test_sizes_of_pages(page, width, height):
    found = page_of(page)
    assert found.width == pytest.approx(width * POINTS_PER_CM)
    assert found.height == pytest.approx(height * POINTS_PER_CM)


@pytest.mark.parametrize("wrong", ["", "wide", "17km", "17cm x", (1, 2, 3), (), True, "17cm 24cm", {"a": 1}, object()])
def test_wrong_pages_are_refused(wrong):
    with pytest.raises(ds.InvalidOption, match=r"page is .*; it must be the width of a page, such as '17cm'"):
        page_of(wrong)


@pytest.mark.parametrize("wrong", ["1cm", 0, 501, (17, 1)])
def test_pages_have_limits(wrong):
    with pytest.raises(ds.InvalidOption, match=r"page has a side of .* cm; it must be between 2 and 500 cm"):
        page_of(wrong)


def test_a_small_drawing_keeps_its_arrangement_and_size():
    dag = ds.load_network("asia").dag
    plain, paged = _picture(dag), _picture(dag, page="17cm")
    assert (paged.nodes, paged.curves, paged.scale) == (plain.nodes, plain.curves, 1.0)
    assert size_of(ds.draw(dag, page="17cm"))[0] == pytest.approx(plain.width, abs=0.01)


def test_a_wide_layer_is_broken_into_rows():
    found = _picture(wide_graph(), page="17cm")
    assert _picture(wide_graph()).width > 4000
    assert found.width * found.scale <= 17 * POINTS_PER_CM + 1e-6
    assert text_size(found) >= LEAST_TEXT - 1e-6
    assert len({node.box.y for node in found.nodes}) > 4
    boxes = [node.box for node in found.nodes]
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


@pytest.mark.parametrize("name", ["alarm", "hepar2", "win95pts", pytest.param("andes", marks=pytest.mark.slow)])
def test_known_networks_can_be_read_on_a_page(name, shared_data):
    network = ds.read_network(shared_data / "networks" / f"{name}.bif.gz")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = _picture(network, page="17cm")
    assert found.width * found.scale <= 17 * POINTS_PER_CM + 1e-6
    assert text_size(found) >= LEAST_TEXT - 1e-6


def test_what_cannot_be_read_is_warned_of():
    n = 40
    full = ds.Dag.from_edges(
        [f"v{i}" for i in range(n)], [(f"v{i}", f"v{j}") for i in range(n) for j in range(i + 1, n)]
    )
    with pytest.warns(ds.UnreadablePicture) as issued:
        ds.draw(full, page="5cm x 5cm")
    message = str(issued[0].message)
    assert message.startswith("on this page, the smallest text of the drawing has ")
    assert "6 points need a width of " in message
    assert "; or draw a part of it with around, or fewer edges with a higher threshold" in message
    assert issued[0].filename == __file__


def test_the_width_that_a_warning_names_is_enough():
    dag = ds.Dag.from_edges(
        [f"v{i}" for i in range(12)], [(f"v{i}", f"v{j}") for i in range(12) for j in range(i)][:40]
    )
    with pytest.warns(ds.UnreadablePicture) as issued:
        ds.draw(dag, page="2cm")
    needed = str(issued[0].message).split("a width of ")[1].split(" cm")[0]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ds.draw(dag, page=f"{needed}cm")


def test_arrows_in_labels_are_those_of_the_page():
    from dagscape.drawing.edges import ProbableEdges
    from dagscape.drawing.picture import Arrangement, edge_label, picture
    from dagscape.drawing.view import view_of

    edges, compelled = np.zeros((2, 2)), np.zeros((2, 2))
    edges[0, 1], edges[1, 0], compelled[0, 1], compelled[1, 0] = 0.5, 0.25, 0.3, 0.2
    view = view_of(ProbableEdges(("a", "b"), edges, compelled))
    drawn = picture(view.content, view.edges, labels=True, arrangement=Arrangement(sideways=True))
    assert drawn.curves[0].label == ("0.75", "→0.30 ←0.20")
    assert edge_label(view.edges[0]) == ("0.75", "↓0.30 ↑0.20")
    assert any(entry.text.startswith("→ ←  probability") for entry in drawn.legend)
    assert drawn.nodes[0].box.x < drawn.nodes[1].box.x
    assert drawn.nodes[0].box.y == drawn.nodes[1].box.y


def test_long_legends_are_broken_on_narrow_pages():
    post = ds.posterior(ds.local_scores(ds.load_dataset("iris")), compelled=True)
    found = _picture(post, page="6cm")
    assert found.width * found.scale <= 6 * POINTS_PER_CM + 1e-6
    assert text_size(found) >= LEAST_TEXT - 1e-6


@pytest.mark.parametrize("ending", ["svg", "png", "pdf", "dot"])
def test_all_formats_have_the_size_of_the_page(ending, tmp_path):
    path = tmp_path / f"wide.{ending}"
    ds.draw(wide_graph(), path, page=(17, 24))
    contents = path.read_bytes()
    if ending == "svg":
        width, height = size_of(contents.decode())
        assert width == pytest.approx(17 * POINTS_PER_CM, rel=0.2)
        assert height <= 24 * POINTS_PER_CM
    elif ending == "png":
        assert int.from_bytes(contents[16:20], "big") <= 17 / 2.54 * 144 + 1
    elif ending == "pdf":
        box = contents.split(b"/MediaBox [")[1].split(b"]")[0].split()
        assert float(box[2]) <= 17 * POINTS_PER_CM + 0.1
    else:
        assert b'  size="6.693,9.449";' in contents


shapes = st.integers(2, 14).flatmap(
    lambda n: st.tuples(
        st.just(n),
        st.lists(
            st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda e: e[0] < e[1]),
            min_size=1,
            max_size=30,
            unique=True,
        ),
    )
)


@settings(max_examples=60)
@given(shapes, st.floats(60, 400))
def test_rows_keep_edges_downwards_and_all_nodes_once(shape, most):
    n, pairs = shape
    # A connected graph: a chain and more.
    edges = sorted({*pairs, *pairwise(range(n))})
    graph = narrow_graph(n, edges, [40.0] * n, most, (10.0, 9.0))
    layer_of = {node: layer for layer, nodes in enumerate(graph.layers) for node in nodes}
    assert sorted(node for node in layer_of if node < n) == list(range(n))
    assert all(layer_of[tail] < layer_of[head] for tail, head in edges)
    assert all(layer_of[b] == layer_of[a] + 1 for chain in graph.chains for a, b in pairwise(chain))
    for nodes in graph.layers:
        real = sum(node < n for node in nodes)
        passing = len(nodes) - real
        assert real <= 1 or 50 * real + 9 * passing <= most or passing * 9 > most / 3 or most < 100


@settings(max_examples=60)
@given(shapes, st.floats(150, 400))
def test_layouts_keep_to_the_width_if_their_rows_do(shape, most):
    n, edges = shape
    spacing = Spacing(most_width=most, box=10.0, edge=9.0)
    layout = layered_layout([(40.0, 20.0)] * n, edges, spacing)
    boxes = layout.boxes
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])
    assert all(layout.boxes[tail].y < layout.boxes[head].y for tail, head in edges)


def test_a_star_fills_the_width():
    layout = layered_layout(
        [(40.0, 20.0)] * 31, [(0, v) for v in range(1, 31)], Spacing(most_width=400.0, box=10.0, edge=6.0)
    )
    assert 300 < layout.width <= 400


def test_without_a_limit_nothing_changes():
    edges = [(0, v) for v in range(1, 9)]
    assert narrow_graph(9, edges, [40.0] * 9, math.inf, (1.0, 1.0)).layers == layered_graph(9, edges).layers
    assert page_of("17cm") == Page(17 * POINTS_PER_CM)


@given(shapes)
def test_sideways_is_the_layout_turned(shape):
    n, edges = shape
    sizes = [(40.0 + v, 20.0) for v in range(n)]
    turned = sideways_layout(sizes, edges)
    assert all(turned.boxes[tail].x < turned.boxes[head].x for tail, head in edges)
    assert [(box.width, box.height) for box in turned.boxes] == sizes


def test_a_page_on_the_command_line(capfd, tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("from,to\n" + "".join(f"root,child_{i}\n" for i in range(40)), encoding="utf-8")
    code, out, err = run(capfd, "draw", path, "--page", "12cm")
    assert (code, err) == (0, "")
    assert size_of(out)[0] == pytest.approx(12 * POINTS_PER_CM, rel=0.2)
    code, out, err = run(capfd, "draw", path, "--page", "2x2cm", "-o", tmp_path / "tiny.svg")
    assert code == 0
    assert err.startswith("dagscape: warning: on this page, the smallest text of the drawing has ")
    assert "or draw a part of it with --around, or fewer edges with a higher --threshold" in err
