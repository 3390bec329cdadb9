from __future__ import annotations

import os
import re
import subprocess
import sys
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscape.core.errors import BackendUnavailable, InvalidOption
from dagscape.drawing import draw as drawing
from dagscape.drawing.draw import DRAWING_ENDINGS, draw, svg
from dagscape.drawing.edges import drawn_edges
from dagscape.drawing.picture import picture
from dagscape.drawing.text import shown_text, text_width
from dagscape.graphs.dag import Dag

SVG = "{http://www.w3.org/2000/svg}"
HOSTILE = [
    "",
    " ",
    '"',
    "<b>&amp;</b>",
    "]]>",
    "\\",
    "a\nb\tc",
    "\x00\x1f\x7f",
    "\ufffe",
    "ж中é",
    "$x^2$",
    "x" * 500,
]
names = st.text(st.characters(codec="utf-8"), max_size=8)


@pytest.fixture
def dag():
    return Dag.from_edges(["a", "b", "c", "d"], [("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")])


@pytest.fixture
def weights():
    return np.array([[0, 0.9, 0.25, 0], [0.05, 0, 0, 1.0], [0, 0, 0, 0.5], [0, 0, 0, 0]])


def parsed(text):
    return ElementTree.fromstring(text.encode("utf-8"))


def curves(root):
    return root.findall(f"{SVG}path")


def texts(root):
    return [element.text or "" for element in root.findall(f"{SVG}text")]


def tooltips(root):
    return [path.find(f"{SVG}title").text for path in curves(root)]


def test_every_edge_is_drawn_once_with_a_head(dag):
    root = parsed(svg(dag))
    assert sorted(tooltips(root)) == ["a → b", "a → c", "b → d", "c → d"]
    marker = root.find(f"{SVG}defs/{SVG}marker").get("id")
    assert all(path.get("marker-end") == f"url(#{marker})" for path in curves(root))
    assert texts(root) == ["a", "b", "c", "d"]


def test_undirected_edges_have_no_heads():
    cpdag = Dag.from_edges(["a", "b", "c", "d", "e"], [("a", "c"), ("b", "c"), ("d", "e")]).to_cpdag()
    root = parsed(svg(cpdag))
    heads = {path.find(f"{SVG}title").text: path.get("marker-end") is not None for path in curves(root)}
    assert heads == {"a → c": True, "b → c": True, "d – e": False}


@pytest.mark.slow
@settings(deadline=None)
@given(st.data())
def test_cpdags_of_all_kinds_can_be_drawn(data):
    n = data.draw(st.integers(1, 7))
    masks = tuple(data.draw(st.integers(0, (1 << v) - 1)) for v in range(n))
    cpdag = Dag(tuple(f"v{v}" for v in range(n)), masks).to_cpdag()
    assert len(curves(parsed(svg(cpdag)))) == sum(mask.bit_count() for mask in masks)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_large_graphs_with_layers_at_uneven_distances(seed):
    rng = np.random.default_rng(seed)
    n = 80
    masks = tuple(sum(1 << int(u) for u in set(rng.integers(0, v, size=2).tolist())) if v else 0 for v in range(n))
    dag = Dag(tuple("x" * int(rng.integers(1, 20)) + str(v) for v in range(n)), masks)
    made = picture(dag, drawn_edges(dag))
    assert len(made.curves) == dag.edge_count
    points = np.array([point for curve in made.curves for point in (*curve.points, *curve.head)])
    assert np.isfinite(points).all()
    assert (points >= 0).all()
    assert (points <= [made.width, made.height]).all()


def test_a_network_is_drawn_by_its_dag(dag):
    assert svg(SimpleNamespace(dag=dag)) == svg(dag)


def test_the_notebook_shows_the_same(dag):
    assert dag._repr_svg_() == svg(dag)
    assert dag.to_cpdag()._repr_svg_() == svg(dag.to_cpdag())


@settings(deadline=None)
@given(st.lists(names, min_size=2, max_size=5, unique=True), names)
def test_any_name_gives_well_formed_xml(variables, title):
    dag = Dag.from_edges(variables, [(variables[0], name) for name in variables[1:]])
    root = parsed(svg(dag, title=title))
    assert len(curves(root)) == len(variables) - 1
    expected = [shown_text(title), *map(shown_text, variables)]
    # An XML parser may return None for an empty text.
    assert texts(root) == expected


def test_hostile_names_are_shown_as_they_are_where_they_can_be():
    root = parsed(svg(Dag.from_edges(HOSTILE)))
    assert texts(root)[3] == "<b>&amp;</b>"
    assert texts(root)[6] == "a b c"
    assert texts(root)[7] == "\ufffd\ufffd\ufffd"
    assert texts(root)[-1] == "x" * 21 + "…" + "x" * 10
    assert root.findall(f"{SVG}rect/{SVG}title")[-1].text == "x" * 500


def test_the_empty_graph():
    assert curves(parsed(svg(Dag.from_edges([])))) == []


def test_the_paper_is_white_and_the_frame_fits(dag):
    root = parsed(svg(dag, title="A title that is wider than the graph below it"))
    assert root.get("viewBox") == f"0 0 {root.get('width')} {root.get('height')}"
    paper = root.find(f"{SVG}rect")
    assert (paper.get("fill"), paper.get("width")) == ("#ffffff", root.get("width"))
    assert root.find(f"{SVG}title").text == "A title that is wider than the graph below it"
    assert root.get("font-family") == "sans-serif"


def test_weights_give_widths_shades_and_labels(dag, weights):
    root = parsed(svg(dag, weights=weights))
    assert sorted(text for text in texts(root) if "." in text) == ["0.25", "0.50", "0.90", "1.00"]
    width = {path.find(f"{SVG}title").text.split(":")[0]: float(path.get("stroke-width")) for path in curves(root)}
    assert width["b → d"] > width["a → b"] > width["c → d"] > width["a → c"]
    shade = {path.find(f"{SVG}title").text.split(":")[0]: path.get("stroke") for path in curves(root)}
    assert len(set(shade.values())) == 4
    colours = {marker.get("id"): marker.find(f"{SVG}path").get("fill") for marker in root.iter(f"{SVG}marker")}
    for path in curves(root):
        assert colours[path.get("marker-end")[5:-1]] == path.get("stroke")


def test_an_undirected_edge_has_the_sum_of_both_directions():
    cpdag = Dag.from_edges(["a", "b"], [("a", "b")]).to_cpdag()
    assert "0.80" in texts(parsed(svg(cpdag, weights=[[0, 0.5], [0.3, 0]])))
    with pytest.raises(InvalidOption, match=r"'a' - 'b' the probabilities 0.5 and 0.7, which sum to more than 1"):
        svg(cpdag, weights=[[0, 0.5], [0.7, 0]])


def test_labels_can_be_switched(dag, weights):
    assert not [text for text in texts(parsed(svg(dag, weights=weights, labels=False))) if "." in text]
    with pytest.raises(InvalidOption, match="labels shows the probabilities of edges: it needs weights"):
        svg(dag, labels=True)


@pytest.mark.slow
def test_crowded_graphs_have_labels_only_when_asked():
    n = 20
    dag = Dag(tuple(f"v{v}" for v in range(n)), tuple((1 << v) - 1 for v in range(n)))
    weights = np.full((n, n), 0.5)
    assert "0.50" not in svg(dag, weights=weights)
    assert svg(dag, weights=weights, labels=True).count(">0.50<") == 190


def test_labels_stay_apart_from_boxes_and_from_each_other(dag, weights):
    made = picture(dag, drawn_edges(dag, weights), labels=True)
    places = [curve.label_box for curve in made.curves]
    others = [*places, *(node.box for node in made.nodes)]
    assert not any(a.overlaps(b) for i, a in enumerate(others) for b in others[:i])
    assert all(box.x >= box.width / 2 and box.x + box.width / 2 <= made.width for box in places)


def test_the_threshold_leaves_edges_out(dag, weights):
    assert len(curves(parsed(svg(dag, weights=weights, threshold=0.5)))) == 3
    with pytest.raises(InvalidOption, match="threshold hides edges by their probabilities: it needs weights"):
        svg(dag, threshold=0.5)
    for wrong in (1.5, float("nan"), "0.5"):
        with pytest.raises(InvalidOption, match=f"threshold is {wrong!r}; it must be a probability, from 0 to 1"):
            svg(dag, weights=weights, threshold=wrong)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (np.zeros((3, 3)), r"weights has shape \(3, 3\); the graph has 4 variables, so it must be \(4, 4\)"),
        (np.full((4, 4), 1.1), r"weights is 1.1 at \[0, 0\]; it must be between 0 and 1"),
        (np.full((4, 4), -1e-6), r"weights is -1e-06 at \[0, 0\]; it must be between 0 and 1"),
        (np.full((4, 4), np.nan), r"weights is nan at \[0, 0\]; it must be between 0 and 1"),
        ("many", "weights is not an array of numbers"),
    ],
)
def test_wrong_weights_are_refused(dag, wrong, message):
    with pytest.raises(InvalidOption, match=message):
        svg(dag, weights=wrong)


def test_rounding_errors_of_weights_are_forgiven(dag):
    assert svg(dag, weights=np.full((4, 4), 1 + 5e-10)) == svg(dag, weights=np.ones((4, 4)))


def test_what_is_no_graph_is_refused():
    with pytest.raises(InvalidOption, match="graph is a list; it must be a Dag, a Cpdag or a Network"):
        svg([])


def test_heads_touch_the_boxes(dag):
    made = picture(dag, drawn_edges(dag))
    bottoms = {round(node.box.y + node.box.height / 2, 6) for node in made.nodes}
    tops = {round(node.box.y - node.box.height / 2, 6) for node in made.nodes}
    for curve in made.curves:
        assert round(curve.points[0][1], 6) in bottoms
        assert round(curve.head[0][1], 6) in tops
        middle = np.mean(curve.head[1:], axis=0)
        assert np.allclose(middle, curve.points[-1])


@pytest.mark.slow
def test_drawings_do_not_depend_on_the_process():
    program = (
        "from dagscape.graphs.dag import Dag; from dagscape.drawing.draw import svg\n"
        "names = [f'v{i}' for i in range(30)]\n"
        "print(svg(Dag.from_edges(names, [(names[i], names[j]) for i in range(30) for j in range(i + 1, 30, 7)])))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, check=True, env={**os.environ, "PYTHONHASHSEED": seed}
        ).stdout
        for seed in ("1", "2")
    ]
    assert runs[0] == runs[1]


def test_markers_of_different_drawings_have_different_names(dag):
    other = dag.without_edge("a", "b")
    mark = [parsed(svg(graph)).find(f"{SVG}defs/{SVG}marker").get("id") for graph in (dag, other, dag)]
    assert mark[0] == mark[2] != mark[1]


def test_files_by_their_endings(dag, tmp_path):
    assert draw(dag, tmp_path / "net.SVG", title="net") is None
    assert (tmp_path / "net.SVG").read_text(encoding="utf-8") == draw(dag, title="net")
    draw(dag, tmp_path / "net.gv")
    assert (tmp_path / "net.gv").read_text(encoding="utf-8").startswith("digraph")
    with pytest.raises(InvalidOption, match=r"cannot tell the format of .*net.bmp': its name must end in one of .svg"):
        draw(dag, tmp_path / "net.bmp")


@pytest.mark.parametrize("ending", DRAWING_ENDINGS)
def test_a_failure_leaves_the_old_file(dag, tmp_path, monkeypatch, ending):
    if ending in {".png", ".pdf"}:
        pytest.importorskip("matplotlib")
    path = tmp_path / f"net{ending}"
    path.write_text("old")

    def fail(*args, **options):
        raise KeyboardInterrupt

    for name in ("svg_text", "to_dot", "write_figure"):
        monkeypatch.setattr(drawing, name, fail)
    with pytest.raises(KeyboardInterrupt):
        draw(dag, path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == [path.name]


def test_widths_are_the_same_with_every_version_of_python():
    # sum() of floats depends on their order, and has been more exact since Python 3.12.
    text = "number_of_cigarettes_smoked_per_day, mjQ 1.0"
    letters = sorted(text)
    assert text_width(text, 1) == text_width("".join(letters), 1) == text_width("".join(reversed(letters)), 1)


def test_a_missing_folder_is_said_at_once(dag, tmp_path):
    with pytest.raises(InvalidOption, match="there is no folder"):
        draw(dag, tmp_path / "none" / "net.svg")


@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_without_matplotlib_the_remedy_is_said(dag, tmp_path, monkeypatch, ending):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(BackendUnavailable, match=r"needs matplotlib, .*pip install matplotlib"):
        draw(dag, tmp_path / f"net.{ending}")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize(("ending", "start"), [("png", b"\x89PNG"), ("pdf", b"%PDF")])
def test_pages_are_written_and_the_same_each_time(dag, weights, tmp_path, ending, start):
    pytest.importorskip("matplotlib")
    for name in ("one", "two"):
        draw(dag, tmp_path / f"{name}.{ending}", weights=weights, title="$a_b$")
    content = (tmp_path / f"one.{ending}").read_bytes()
    assert content.startswith(start)
    assert content == (tmp_path / f"two.{ending}").read_bytes()


def test_texts_fit_their_boxes():
    pytest.importorskip("matplotlib")
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    prop = FontProperties(family="DejaVu Sans")
    for text in ("ANAPHYLAXIS", "smoke", "WWWW", "lllll", "x_1 (mean)", "Größe", "%@#", "0.25"):
        extents = TextPath((0, 0), text, size=13, prop=prop).get_extents()
        assert extents.width <= text_width(text, 13) + 2 < 1.25 * extents.width + 12


@pytest.mark.parametrize(
    ("width", "height", "fewer"), [(400, 300, False), (20_000, 20_000, True), (1_000_000, 10, True)]
)
def test_huge_pictures_are_written_with_fewer_dots(width, height, fewer):
    from dagscape.drawing.figure import _resolution

    dots = _resolution(width, height)
    assert (dots < 144) == fewer
    assert max(width, height) / 72 * dots <= 30_001
    assert width * height / 72**2 * dots**2 <= 6.1e7


def test_numbers_are_short(dag):
    assert not re.search(r"\d\.\d{3}|-0[^.\d]|e-\d", re.sub(r'<svg[^>]*>|id="[^"]*"|url\([^)]*\)', "", svg(dag)))
