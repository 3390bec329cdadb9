"""Pictures of edge probabilities: which pairs are drawn, how, and with which legend."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core.errors import InvalidOption
from dagscape.drawing.dot import to_dot
from dagscape.drawing.draw import draw, svg
from dagscape.drawing.edges import SHARES_ALONE, ProbableEdges, drawn_edges
from dagscape.drawing.picture import picture
from dagscape.drawing.text import label_lines, shown_text

SVG = "{http://www.w3.org/2000/svg}"


def probable(n, **cells):
    """Probabilities by cells such as a_b=0.5 for P(a → b)."""
    names = "abcdefghij"[:n]
    matrix = np.zeros((n, n))
    for pair, probability in cells.items():
        u, v = pair.split("_")
        matrix[names.index(u), names.index(v)] = probability
    return ProbableEdges(tuple(names), matrix)


def lines(text):
    """The tooltip of every edge, with whether it is dashed and whether it has a head."""
    root = ElementTree.fromstring(text)
    return {
        path.find(f"{SVG}title").text: (path.get("stroke-dasharray") is not None, path.get("marker-end") is not None)
        for path in root.findall(f"{SVG}path")
    }


def labels(text):
    root = ElementTree.fromstring(text)
    spans = ["".join(f"{span.text}|" for span in element.iter(f"{SVG}tspan")) for element in root.findall(f"{SVG}text")]
    plain = [element.text for element in root.findall(f"{SVG}text") if element.text]
    return sorted(label for label in [*spans, *plain] if any(char.isdigit() for char in label))


def legend(text):
    return [element.text for element in ElementTree.fromstring(text).findall(f"{SVG}g/{SVG}text")]


def test_clear_directions_are_arrows_by_probability():
    text = svg(probable(4, a_b=0.95, b_a=0.01, b_c=0.6, c_b=0.1, a_d=0.3), threshold=0.2)
    assert lines(text) == {"a → b: 0.95": (False, True), "b → c: 0.6": (False, True), "a → d: 0.3": (True, True)}
    assert legend(text) == [
        "probability of an edge, in either direction, ≥ 0.9",
        "probability of an edge, in either direction, ≥ 0.5",
        "probability of an edge, in either direction, < 0.5",
        "most DAGs have this direction; the number is their share",
        f"directions  {SHARES_ALONE}",
    ]
    widths = [float(p.get("stroke-width")) for p in ElementTree.fromstring(text).findall(f"{SVG}path")]
    assert widths == sorted(widths)


def test_unclear_directions_are_one_line_with_three_numbers():
    text = svg(probable(2, a_b=0.55, b_a=0.42))
    assert lines(text) == {"a – b: 0.97 (a → b: 0.55, b → a: 0.42)": (False, False)}
    assert labels(text) == ["0.97|↓0.55 ↑0.42|"]
    assert legend(text) == [
        "probability of an edge, in either direction, ≥ 0.9",
        "neither direction prevails; the number is the probability of an edge, in either direction",
        "↓ ↑  share of the DAGs with each direction",
    ]
    assert legend(svg(probable(2, a_b=0.55, b_a=0.42), labels=False))[1:] == ["neither direction prevails"]


def with_compelled(content, **cells):
    """The same pairs, with the probabilities of compelled edges."""
    return replace(content, compelled=probable(len(content.variables), **cells).edges)


def test_arrowheads_are_those_of_compelled_edges():
    """The share of DAGs with a direction decides nothing: b → a is compelled, c - d is not."""
    content = with_compelled(probable(4, a_b=0.5, b_a=0.48, c_d=0.92, d_c=0.08), b_a=0.7, a_b=0.2, c_d=0.04)
    text = svg(content)
    assert lines(text) == {
        "b → a: 0.98 (compelled b → a: 0.7, a → b: 0.2)": (False, True),
        "c – d: 1": (False, False),
    }
    assert labels(text) == ["0.98|↓0.70 ↑0.20|", "1.00"]
    assert legend(text) == [
        "probability of an edge, in either direction, ≥ 0.9",
        "direction compelled: the same in the whole equivalence class, with probability ≥ 0.5",
        "direction open: neither alone is compelled with probability ≥ 0.5",
        "↓ ↑  probability that the direction is compelled, if ≥ 0.1 and not that of the edge",
    ]
    assert not lines(svg(content, threshold=0.8))["a – b: 0.98 (compelled a → b: 0.2, b → a: 0.7)"][1]
    assert "≥ 0.6" in legend(svg(content, threshold=0.6))[1]
    assert 'label="0.98\\n↓0.70 ↑0.20"' in to_dot(content)
    assert "direction open: neither alone is compelled with probability ≥ 0.5" in to_dot(content)
    assert legend(svg(content, threshold=0.3))[2].endswith("probability ≥ 0.3 and ≥ half of that of the edge")


def test_an_arrow_as_sure_as_its_edge_has_one_number():
    content = with_compelled(probable(3, a_b=0.9, b_c=0.9), a_b=0.9, b_c=0.88)
    assert labels(svg(content)) == ["0.90", "0.90|↓0.88|"]
    assert legend(svg(content))[-1].startswith("↓ ↑  ")


def test_numbers_that_no_edge_shows_are_not_explained():
    content = with_compelled(probable(4, a_b=0.9, c_d=0.5, d_c=0.45), a_b=0.9, c_d=0.05)
    assert labels(svg(content)) == ["0.90", "0.95"]
    assert not any("↓" in line for line in legend(svg(content)))


@pytest.mark.parametrize(
    ("threshold", "compelled", "directed"),
    [(0.5, 0.5, True), (0.5, 0.49, False), (0.1, 0.2, False), (0.1, 0.45, True), (0.0, 0.0, False), (0.9, 0.7, False)],
)
def test_a_direction_must_reach_the_threshold_and_half_of_the_edge(threshold, compelled, directed):
    content = with_compelled(probable(2, a_b=0.8, b_a=0.1), a_b=compelled)
    (edge,) = drawn_edges(content, threshold=threshold)
    assert edge.directed is directed
    assert edge.weight == edge.strength == pytest.approx(0.9)


@pytest.mark.parametrize(("sure", "directed"), [(None, True), (0.65, True), (0.75, False), (0.0, True)])
def test_directions_can_have_a_threshold_of_their_own(sure, directed):
    content = with_compelled(probable(3, a_b=0.9, b_c=0.55), a_b=0.7, b_c=0.2)
    edges = drawn_edges(content, threshold=0.5, direction_threshold=sure)
    assert [edge.directed for edge in edges] == [directed, False]
    assert [edge.weight for edge in edges] == [0.9, 0.55]
    text, source = (make(content, threshold=0.5, direction_threshold=sure) for make in (svg, to_dot))
    assert text.count('marker-end="') - (1 if directed else 0) == int(directed)
    enough = f"compelled with probability ≥ {0.5 if sure is None else sure:g}"
    assert enough in " ".join(legend(text))
    assert enough in source
    # Shares of DAGs, too.
    (edge,) = drawn_edges(probable(2, a_b=0.7), direction_threshold=sure)
    assert edge.directed is directed


def test_only_lines_of_pairs_have_directions_to_be_sure_of():
    content = probable(2, a_b=0.9)
    for wrong, message in (
        ({"direction_threshold": 2}, "direction_threshold is 2; it must be a probability"),
        (
            {"direction_threshold": 0.9, "lines": "edges"},
            "direction_threshold is for lines that are pairs: with lines=",
        ),
    ):
        with pytest.raises(InvalidOption, match=message):
            svg(content, **wrong)
    with pytest.raises(InvalidOption, match="direction_threshold is for results with edge probabilities"):
        svg(ds.Dag.from_edges("ab", [("a", "b")]), direction_threshold=0.9)


def test_a_compelled_direction_that_points_up_the_page_has_its_arrow_up():
    cycle = with_compelled(probable(3, a_b=0.9, b_c=0.9, c_a=0.9), a_b=0.8, b_c=0.7, c_a=0.6)
    made = picture(cycle, drawn_edges(cycle), labels=True)
    assert sorted(curve.label[1] for curve in made.curves) == ["↑0.60", "↓0.70", "↓0.80"]


@given(st.integers(0, 10**6))
def test_no_arrowhead_without_a_compelled_direction(seed):
    rng = np.random.default_rng(seed)
    halves = rng.dirichlet([1, 1, 1], size=(5, 5))
    edges = np.triu(halves[:, :, 0], 1) + np.triu(halves[:, :, 1], 1).T
    compelled = edges * rng.random((5, 5))
    content = ProbableEdges(tuple("abcde"), edges, compelled)
    threshold = float(rng.random())
    for edge in drawn_edges(content, threshold=threshold):
        assert edge.weight >= threshold
        assert not edge.directed or compelled[edge.tail, edge.head] >= threshold


def test_a_sure_edge_is_heavy_even_if_its_direction_is_less_sure():
    """Lines with and without arrowhead show the same probability: that of an edge in either direction."""
    content = probable(4, a_b=0.8, b_a=0.2, c_d=0.5, d_c=0.46)
    arrow, line = drawn_edges(content)
    assert (arrow.directed, arrow.weight, arrow.strength) == (True, 0.8, 1.0)
    assert (line.directed, line.weight, line.strength) == (False, 0.96, 0.96)
    widths = {curve.name: curve.width for curve in picture(content, [arrow, line]).curves}
    assert widths["a → b: 0.8"] > widths["c – d: 0.96 (c → d: 0.5, d → c: 0.46)"] > 2.5
    assert labels(svg(content)) == ["0.80", "0.96|↓0.50 ↑0.46|"]
    assert 'penwidth=3, color="#303c4d", label="0.80"' in to_dot(content)


def test_the_legend_has_a_dashed_line_without_arrowhead():
    content = probable(2, a_b=0.2, b_a=0.2)
    assert legend(svg(content, threshold=0.3))[0] == "probability of an edge, in either direction, < 0.5"
    sample = picture(content, drawn_edges(content, threshold=0.3)).legend[0].sample
    assert (sample.dashed, sample.head) == (True, None)


def test_a_pair_is_drawn_if_neither_direction_reaches_the_threshold_but_their_sum_does():
    text = svg(probable(2, a_b=0.1, b_a=0.45))
    assert lines(text) == {"b – a: 0.55 (b → a: 0.45, a → b: 0.1)": (False, False)}
    assert not lines(svg(probable(2, a_b=0.1, b_a=0.35)))


def test_the_other_direction_is_shown_if_it_reaches_the_threshold_too():
    text = svg(probable(2, a_b=0.8, b_a=0.15), threshold=0.1)
    assert lines(text) == {"a → b: 0.8 (b → a: 0.15)": (False, True)}
    assert labels(text) == ["0.80|↑0.15|"]


def test_arrows_in_labels_are_those_of_the_page():
    """Whichever variable is drawn above, ↓ belongs to the edge that leads downwards."""
    for content in (probable(2, a_b=0.55, b_a=0.42), probable(2, a_b=0.42, b_a=0.55)):
        made = picture(content, drawn_edges(content), labels=True)
        upper = min(made.nodes, key=lambda node: node.box.y).name
        assert made.curves[0].label == ("0.97", "↓0.55 ↑0.42")
        assert made.curves[0].name.startswith(f"{upper} – ")


def test_a_cycle_is_drawn_with_its_directions():
    cycle = probable(3, a_b=0.6, b_c=0.6, c_a=0.6)
    assert set(lines(svg(cycle))) == {"a → b: 0.6", "b → c: 0.6", "c → a: 0.6"}
    made = picture(cycle, drawn_edges(cycle))
    height = {node.name: node.box for node in made.nodes}
    upward = 0
    for curve in made.curves:
        tail, head = curve.name.split(":")[0].split(" → ")
        down = height[tail].y < height[head].y
        upward += not down
        # The head touches the box that it points to, from the side of the tail.
        edge = height[head].y - height[head].height / 2 if down else height[head].y + height[head].height / 2
        assert curve.head[0][1] == pytest.approx(edge)
    assert upward == 1


def test_the_least_probable_edge_of_a_cycle_points_upwards():
    cycle = probable(3, a_b=0.6, b_c=0.9, c_a=0.8)
    assert [edge.upward for edge in drawn_edges(cycle)] == [True, False, False]


def test_each_edge_is_an_arrow_by_its_own_probability_if_requested():
    content = probable(4, a_b=0.95, b_a=0.04, b_c=0.5, c_b=0.4, a_d=0.05, d_a=0.1)
    text = svg(content, threshold=0.1, lines="edges")
    assert lines(text) == {
        "a → b: 0.95": (False, True),
        "b → c: 0.5": (False, True),
        "c → b: 0.4": (True, True),
        "d → a: 0.1": (True, True),
    }
    assert legend(text) == [
        "probability ≥ 0.9",
        "probability ≥ 0.5",
        "probability < 0.5",
        f"directions  {SHARES_ALONE}",
        "↑  an arrow that points upwards closes a cycle",
    ]
    widths = {curve.name: curve.width for curve in picture(content, drawn_edges(content, None, 0.1, "edges")).curves}
    assert widths["a → b: 0.95"] > 2.5 > widths["b → c: 0.5"] > widths["c → b: 0.4"] > widths["d → a: 0.1"]
    # The two arrows of a pair run side by side.
    curves = {curve.name: curve for curve in picture(content, drawn_edges(content, None, 0.1, "edges")).curves}
    down, up = curves["b → c: 0.5"], curves["c → b: 0.4"]
    assert abs(down.points[0][0] - up.head[0][0]) > 5
    source = to_dot(content, threshold=0.1, lines="edges")
    assert source.count(" -> ") == 4
    assert "↑: an arrow that points upwards closes a cycle\\l" in source


@pytest.mark.parametrize(
    ("probability", "label"),
    [
        (0.0951, "0.095"),
        (0.09999, "0.099"),
        (0.1, "0.10"),
        (0.494, "0.49"),
        (0.4951, "0.495"),
        (np.nextafter(0.5, 0), "0.499"),
        (0.5, "0.50"),
        (0.8949, "0.89"),
        (0.8996, "0.899"),
        (np.nextafter(0.9, 0), "0.899"),
        (0.9, "0.90"),
        (0.9049, "0.90"),
        (0.9999, "1.00"),
    ],
)
def test_a_label_and_its_line_are_on_the_same_side_of_every_limit(probability, label):
    content = probable(2, a_b=probability)
    text = svg(content, threshold=0.0, lines="edges")
    assert f">{label}<" in text
    key, _ = legend(text)
    assert key == f"probability {'≥ 0.9' if float(label) >= 0.9 else '≥ 0.5' if float(label) >= 0.5 else '< 0.5'}"
    assert f'label="{label}"' in to_dot(content, threshold=0.0, lines="edges")


def test_pairs_are_the_default():
    content = probable(3, a_b=0.6, b_a=0.3, b_c=0.5)
    assert svg(content, lines="pairs") == svg(content)
    assert not any("cycle" in key for key in legend(svg(content)))


def test_lines_are_for_edge_probabilities():
    with pytest.raises(InvalidOption, match=r"^lines is for results with edge probabilities"):
        svg(ds.Dag.from_edges("ab", [("a", "b")]), lines="edges")
    with pytest.raises(InvalidOption, match=r"^lines is 'arrows'; it must be one of 'pairs', 'edges'$"):
        svg(probable(2, a_b=0.6), lines="arrows")


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(1, 7), st.integers(0, 2**32), st.sampled_from([0.0, 0.1, 0.5]))
def test_every_likely_edge_is_drawn_once_and_cycles_are_said(n, seed, threshold):
    rng = np.random.default_rng(seed)
    there = np.triu(rng.random((n, n)) ** 2, 1)
    content = ProbableEdges(tuple(f"v{i}" for i in range(n)), there + np.triu(rng.random((n, n)) * (1 - there), 1).T)
    edges = drawn_edges(content, None, threshold, "edges")
    assert {(edge.tail, edge.head): edge.weight for edge in edges} == {
        (u, v): content.edges[u, v] for u, v in np.argwhere((content.edges >= threshold) & (content.edges > 0)).tolist()
    }
    text = svg(content, threshold=threshold, lines="edges")
    assert len(lines(text)) == len(edges)
    # A cycle shows in the powers of the matrix, and has an arrow that points upwards.
    cyclic = np.trace(np.linalg.matrix_power(np.eye(n) + (content.edges >= threshold) * (content.edges > 0), n)) > n
    assert any(edge.upward for edge in edges) == cyclic
    assert any("cycle" in key for key in legend(text)) == cyclic


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(st.integers(1, 7), st.integers(0, 2**32), st.sampled_from([0.0, 0.1, 0.3, 0.5, 0.9, 1.0]))
def test_no_threshold_fails_and_every_likely_pair_is_drawn_once(n, seed, threshold):
    rng = np.random.default_rng(seed)
    there = np.triu(rng.random((n, n)) ** 2, 1)
    back = np.triu(rng.random((n, n)) * (1 - there), 1).T
    content = ProbableEdges(tuple(f"v{i}" for i in range(n)), there + back)
    both = np.minimum(content.edges + content.edges.T, 1)
    pairs = {(u, v) for u in range(n) for v in range(u) if both[u, v] >= threshold}
    edges = drawn_edges(content, threshold=threshold)
    assert {(max(edge.tail, edge.head), min(edge.tail, edge.head)) for edge in edges} == pairs
    assert len(edges) == len(pairs)
    for edge in edges:
        shown, other = content.edges[edge.tail, edge.head], content.edges[edge.head, edge.tail]
        if edge.directed:
            assert edge.weight == shown >= 3 * other
        else:
            assert edge.directions == (shown, other)
    assert len(lines(svg(content, threshold=threshold))) == len(pairs)
    to_dot(content, threshold=threshold)


@pytest.mark.slow
def test_all_formats_are_written_and_dot_shows_the_same(tmp_path):
    pytest.importorskip("matplotlib")
    content = probable(4, a_b=0.55, b_a=0.42, b_c=0.6, c_d=0.6, d_b=0.6, a_d=0.2)
    for ending in ("svg", "png", "pdf", "dot"):
        draw(content, tmp_path / f"p.{ending}", threshold=0.1)
        assert (tmp_path / f"p.{ending}").stat().st_size > 300
    source = (tmp_path / "p.dot").read_text(encoding="utf-8")
    assert 'dir=none, penwidth=2.93, color="#303c4d", label="0.97\\n↓0.55 ↑0.42"' in source
    assert source.count("style=dashed") == 1
    # Graphviz ranks from the first end to the second, so the cycle is written without one.
    assert source.count("dir=back") == 1
    assert '"legend" [shape=plaintext' in source
    assert "dashed line: probability of an edge, in either direction, < 0.5\\l" in source


def test_the_legend_of_dot_has_a_name_that_no_variable_has():
    cpdag = ds.Dag.from_edges(["legend", "legend_"], [("legend", "legend_")]).to_cpdag()
    assert '"legend__" [shape=plaintext' in to_dot(cpdag)


def test_a_class_with_undirected_edges_has_a_legend_and_a_dag_has_none():
    dag = ds.Dag.from_edges("abc", [("a", "b"), ("b", "c")])
    assert legend(svg(dag.to_cpdag())) == ["both directions occur in the class"]
    assert legend(svg(dag)) == []
    assert legend(svg(ds.Dag.from_edges("abc", [("a", "b"), ("c", "b")]).to_cpdag())) == []
    assert legend(svg(dag, weights=np.full((3, 3), 0.6))) == ["probability ≥ 0.5"]


def test_labels_and_legend_are_inside_the_picture():
    post = ds.posterior(ds.local_scores(ds.load_dataset("tic-tac-toe")))
    made = picture(post.drawable, drawn_edges(post.drawable), labels=True)
    places = [curve.label_box for curve in made.curves]
    assert len(places) > 15
    for box in (*places, *(node.box for node in made.nodes)):
        assert box.x - box.width / 2 > 8
        assert box.x + box.width / 2 < made.width - 8
    lowest = max(node.box.y + node.box.height / 2 for node in made.nodes)
    assert all(lowest < entry.y < made.height - 8 for entry in made.legend)


def test_wrong_options_of_posteriors_are_refused():
    post = ds.posterior(ds.FamilyTable({"a": {(): 0.0}, "b": {(): 0.0}}))
    with pytest.raises(InvalidOption, match="weights is for graphs: a posterior has its own probabilities"):
        ds.draw(post, weights=post.edges)
    with pytest.raises(InvalidOption, match="threshold is 2; it must be a probability"):
        post.draw(threshold=2)
    with pytest.raises(InvalidOption, match="label_width is 3; it must be an integer of at least 4"):
        post.draw(label_width=3)


@pytest.mark.parametrize(
    ("name", "width", "expected"),
    [
        ("smoke", None, ("smoke",)),
        ("x" * 40, None, ("x" * 21 + "…" + "x" * 10,)),
        ("x" * 32, None, ("x" * 32,)),
        ("export-administration-act-south-africa", None, ("export-", "administration-", "act-south-africa")),
        ("number of cigarettes smoked per day", 12, ("number of", "cigarettes", "s…ed per day")),
        ("a b", 4, ("a b",)),
        ("", None, ("",)),
        ("__", 4, ("__",)),
        ("two\nlines", 5, ("two", "lines")),
    ],
)
def test_long_names_wrap(name, width, expected):
    assert label_lines(name, width) == expected


@settings(max_examples=40)
@given(st.text(max_size=60), st.one_of(st.none(), st.integers(4, 40)))
def test_lines_fit_and_keep_short_names_whole(name, width):
    found = label_lines(name, width)
    assert 1 <= len(found) <= 3
    assert all(len(line) <= (width or 32) for line in found)
    if len(name) <= (width or 20):
        assert found == (shown_text(name),)


def test_wrapped_names_are_escaped_and_fit_their_boxes():
    name = '<b> & one_long_name "of" a variable'
    root = ElementTree.fromstring(svg(ds.Dag.from_edges([name])))
    spans = [span.text for span in root.iter(f"{SVG}tspan")]
    assert " ".join(spans).replace("_ ", "_") == name
    assert root.find(f"{SVG}rect/{SVG}title").text == name
    narrow, wide = (picture(ds.Dag.from_edges([name]), [], label_width=width).nodes[0].box for width in (10, 40))
    assert narrow.width < wide.width
    assert narrow.height > wide.height
    assert "\\n" in to_dot(ds.Dag.from_edges([name]), label_width=10)
