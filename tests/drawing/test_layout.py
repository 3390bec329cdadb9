from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscape.drawing.label_places import label_places
from dagscape.drawing.layering import MAX_DUMMIES, compact_layers, crossings, layered_graph
from dagscape.drawing.layout import Box, layered_layout


@st.composite
def acyclic(draw, most=12, connected=False):
    """The number of nodes and the edges of an acyclic graph with shuffled indices."""
    n = draw(st.integers(1, most))
    order = draw(st.permutations(range(n)))
    pairs = [(order[i], order[j]) for i in range(n) for j in range(i + 1, n)]
    edges = set(draw(st.lists(st.sampled_from(pairs), max_size=3 * n))) if pairs else set()
    if connected:
        edges |= {(order[draw(st.integers(0, j - 1))], order[j]) for j in range(1, n)}
    return n, sorted(edges)


def random_graph(n, edge_count, seed=0):
    rng = np.random.default_rng(seed)
    order = rng.permutation(n).tolist()
    edges = set()
    while len(edges) < edge_count:
        i, j = sorted(rng.choice(n, size=2, replace=False).tolist())
        edges.add((order[i], order[j]))
    return sorted(edges)


def along(route, steps=24):
    """Points on a chain of Bézier curves, as arrays of x and of y."""
    t = np.linspace(0, 1, steps + 1)[:, None]
    pieces = [np.array(route[start : start + 4]) for start in range(0, len(route) - 1, 3)]
    return np.vstack(
        [(1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d for a, b, c, d in pieces]
    ).T


def inside(box, x, y):
    return (abs(x - box.x) < box.width / 2 - 1e-6) & (abs(y - box.y) < box.height / 2 - 1e-6)


@given(acyclic(), st.data())
def test_boxes_keep_their_sizes_and_do_not_overlap(graph, data):
    n, edges = graph
    sizes = [data.draw(st.tuples(st.integers(10, 200), st.integers(10, 60))) for _ in range(n)]
    layout = layered_layout(sizes, edges)
    assert [(box.width, box.height) for box in layout.boxes] == sizes
    assert not any(a.overlaps(b) for a, b in itertools.combinations(layout.boxes, 2))
    for box in layout.boxes:
        assert box.width / 2 - 1e-6 <= box.x <= layout.width - box.width / 2 + 1e-6
        assert box.height / 2 - 1e-6 <= box.y <= layout.height - box.height / 2 + 1e-6


@settings(deadline=None)
@given(acyclic(), st.data())
def test_edges_run_down_from_border_to_border_and_meet_no_other_box(graph, data):
    n, edges = graph
    sizes = [data.draw(st.tuples(st.integers(20, 150), st.integers(10, 60))) for _ in range(n)]
    layout = layered_layout(sizes, edges)
    assert len(layout.routes) == len(edges)
    for (tail, head), route in zip(edges, layout.routes, strict=True):
        above, below = layout.boxes[tail], layout.boxes[head]
        (x0, y0), (x1, y1) = route[0], route[-1]
        assert y0 == pytest.approx(above.y + above.height / 2)
        assert y1 == pytest.approx(below.y - below.height / 2)
        assert abs(x0 - above.x) < above.width / 2
        assert abs(x1 - below.x) < below.width / 2
        x, y = along(route)
        assert np.diff(y).min() > -1e-6
        assert x.min() >= -1e-6
        assert x.max() <= layout.width + 1e-6
        assert not any(inside(box, x, y).any() for box in layout.boxes)


@given(acyclic())
def test_edges_that_share_a_box_begin_and_end_apart(graph):
    n, edges = graph
    layout = layered_layout([(60, 20)] * n, edges)
    for side in (0, 1):
        ends = [(edge[side], round(route[-side][0], 6)) for edge, route in zip(edges, layout.routes, strict=True)]
        assert len(set(ends)) == len(ends)


@given(acyclic())
def test_the_same_graph_gives_the_same_layout(graph):
    n, edges = graph
    sizes = [(30 + 7 * (v % 5), 20) for v in range(n)]
    assert layered_layout(sizes, edges) == layered_layout(sizes, edges)


@settings(deadline=None, max_examples=40)
@given(acyclic(most=5, connected=True))
def test_layers_make_the_edges_as_short_as_can_be(graph):
    n, edges = graph
    layers = compact_layers(n, edges)
    assert min(layers) == 0
    assert all(layers[tail] < layers[head] for tail, head in edges)
    shortest = min(
        sum(choice[head] - choice[tail] for tail, head in edges)
        for choice in itertools.product(range(n), repeat=n)
        if all(choice[tail] < choice[head] for tail, head in edges)
    )
    assert sum(layers[head] - layers[tail] for tail, head in edges) == shortest


@pytest.mark.slow
@given(acyclic(most=8, connected=True))
def test_crossings_are_counted_as_pairs_of_edges(graph):
    layered = layered_graph(*graph)
    place = {node: index for nodes in layered.layers for index, node in enumerate(nodes)}
    count = 0
    for nodes in layered.layers:
        steps = [(place[node], place[other]) for node in nodes for other in layered.below[node]]
        count += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in itertools.combinations(steps, 2))
    assert crossings(layered, layered.layers) == count


@given(acyclic(connected=True))
def test_every_edge_passes_every_layer_between_its_ends_once(graph):
    n, edges = graph
    layered = layered_graph(n, edges)
    layer_of = {node: layer for layer, nodes in enumerate(layered.layers) for node in nodes}
    assert sorted(layer_of) == list(range(len(layered.above)))
    for (tail, head), chain in zip(edges, layered.chains, strict=True):
        assert (chain[0], chain[-1]) == (tail, head)
        assert [layer_of[node] for node in chain] == list(range(layer_of[tail], layer_of[head] + 1))
        assert all(map(layered.dummy, chain[1:-1]))


def test_a_tree_has_no_crossings():
    edges = [((v - 1) // 3, v) for v in range(1, 60)]
    layered = layered_graph(60, edges)
    assert crossings(layered, layered.layers) == 0


def test_crossings_that_can_be_avoided_are():
    # Complete bipartite graphs in crossed order: two swaps untangle them.
    layered = layered_graph(8, [(0, 7), (1, 6), (2, 5), (3, 4), (0, 6), (1, 5), (2, 4)])
    assert crossings(layered, layered.layers) == 0


def test_a_chain_is_straight():
    layout = layered_layout([(40, 20), (90, 20), (40, 20)], [(0, 1), (1, 2)])
    assert len({box.x for box in layout.boxes}) == 1
    assert all(len({round(x, 9) for x, _ in route}) == 1 for route in layout.routes)


def test_components_stand_side_by_side():
    layout = layered_layout([(40, 20)] * 6, [(0, 1), (2, 3), (4, 5)])
    assert len({layout.boxes[v].y for v in (0, 2, 4)}) == 1
    assert layout.boxes[0].x < layout.boxes[2].x < layout.boxes[4].x


def test_many_components_fill_a_page_and_not_a_line():
    layout = layered_layout([(60, 28)] * 200, [])
    assert 0.5 < layout.width / layout.height < 4


def test_nothing_and_one_node():
    assert layered_layout([], []).boxes == ()
    assert layered_layout([(40, 20)], []).boxes == (Box(20.0, 10.0, 40.0, 20.0),)


@pytest.mark.slow
def test_dense_graphs_give_up_dummies_and_not_the_drawing():
    n = 50
    edges = [(u, v) for v in range(n) for u in range(v)]
    assert len(layered_graph(n, edges).above) <= n + MAX_DUMMIES
    layout = layered_layout([(40, 20)] * n, edges)
    assert len(layout.routes) == len(edges)
    assert not any(a.overlaps(b) for a, b in itertools.combinations(layout.boxes, 2))


def test_hundreds_of_nodes():
    edges = random_graph(223, 338)
    layout = layered_layout([(80, 28)] * 223, edges)
    assert not any(a.overlaps(b) for a, b in itertools.combinations(layout.boxes, 2))


def test_a_label_lies_beside_its_edge_if_it_would_cover_another():
    """Two parallel lines, closer than a label is wide: each label is on the outer side, and on its own line."""
    lines = [[(x, 0.0), (x, 40.0), (x, 80.0), (x, 120.0)] for x in (0.0, 20.0)]
    left, right = label_places([], lines, [(60.0, 20.0)] * 2)
    assert left.x + left.width / 2 < 20.0
    assert right.x - right.width / 2 > 0.0
    for place, x in ((left, 0.0), (right, 20.0)):
        assert abs(place.x - x) < place.width / 2
        assert abs(place.y - 60.0) < 5.0


def test_labels_leave_arrowheads_free():
    """An edge that ends in the middle of another: the label of the other one makes room for its tip."""
    lines = [
        [(0.0, 0.0), (0.0, 40.0), (0.0, 80.0), (0.0, 120.0)],
        [(80.0, 0.0), (50.0, 20.0), (30.0, 40.0), (6.0, 60.0)],
    ]
    long, _ = label_places([], lines, [(40.0, 20.0)] * 2)
    tip = Box(6.0, 60.0, 18.0, 18.0)
    assert not long.overlaps(tip)
