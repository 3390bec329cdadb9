"""Neighbourhoods and isolated variables: what drawings show of large graphs, and what legends say of the rest."""

from __future__ import annotations

from xml.etree import ElementTree

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from cli.running import run
from dagscape.drawing.dot import to_dot
from dagscape.drawing.edges import AnnotatedGraph, ProbableEdges
from dagscape.drawing.view import MOST_ISOLATED, view_of

NAMES = [f"v{i}" for i in range(8)]
CHAIN = ds.Dag.from_edges(NAMES, [(f"v{i}", f"v{i + 1}") for i in range(7)])


def sparse_posterior(n=40, probability=0.8):
    """Edge probabilities of many variables, of which only the first four have edges."""
    edges = np.zeros((n, n))
    edges[0, 1], edges[1, 2], edges[3, 0] = probability, 0.6, 0.4
    return ProbableEdges(tuple(f"x{i}" for i in range(n)), edges)


def legend(svg):
    found = ElementTree.fromstring(svg).find("{*}g[@class='legend']")
    return [] if found is None else [text.text for text in found.iter("{http://www.w3.org/2000/svg}text")]


def boxes(svg):
    root = ElementTree.fromstring(svg)
    return [title.text for title in root.findall("{*}rect/{*}title")]


graphs = st.integers(1, 9).flatmap(
    lambda n: st.tuples(
        st.just(n), st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda e: e[0] < e[1]))
    )
)


@given(graphs, st.data())
def test_a_neighbourhood_is_what_so_many_edges_reach(graph, data):
    n, pairs = graph
    names = [f"n{i}" for i in range(n)]
    dag = ds.Dag.from_edges(names, [(names[u], names[v]) for u, v in set(pairs)])
    centres = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=3))
    steps = data.draw(st.integers(0, n))
    known = dag.to_networkx().to_undirected()
    expected = set().union(*(nx.ego_graph(known, centre, steps).nodes for centre in centres))
    view = view_of(dag, around=centres, steps=steps)
    assert set(view.content.variables) == expected
    shown = {(view.content.variables[edge.tail], view.content.variables[edge.head]) for edge in view.edges}
    assert shown == {(u, v) for u, v in dag.edges if u in expected and v in expected}
    assert dag.n == len(expected) or view.remarks[0].startswith(f"{len(expected)} of {dag.n} variable")


def test_one_step_is_the_default():
    svg = ds.draw(CHAIN, around="v3")
    assert boxes(svg) == ["v2", "v3", "v4"]
    assert legend(svg) == ["3 of 8 variables: within 1 step of v3"]
    assert boxes(ds.draw(CHAIN, around=["v0", "v7"], steps=2)) == ["v0", "v1", "v2", "v5", "v6", "v7"]
    assert legend(ds.draw(CHAIN, around=["v0", "v7"], steps=2)) == ["6 of 8 variables: within 2 steps of v0 or v7"]
    assert legend(ds.draw(CHAIN, around=["v0", "v2"], steps=0)) == ["2 of 8 variables: v0 or v2"]


def test_edges_below_the_threshold_lead_nowhere():
    post = sparse_posterior()
    assert view_of(post, around="x0").content.variables == ("x0", "x1")
    assert view_of(post, around="x0", threshold=0.4).content.variables == ("x0", "x1", "x3")
    assert view_of(post, around="x3", steps=9).content.variables == ("x3",)


def test_edges_of_a_class_without_directions_count():
    assert boxes(ds.draw(CHAIN.to_cpdag(), around="v0")) == ["v0", "v1"]


def test_the_legend_of_graphviz_says_the_same():
    source = to_dot(CHAIN, around="v0", steps=2)
    assert '"v2"' in source
    assert '"v3"' not in source
    assert "3 of 8 variables: within 2 steps of v0" in source


def test_names_are_data():
    dag = ds.Dag.from_edges(["<b>&", 'a"\\', "c"], [("<b>&", 'a"\\')])
    assert legend(ds.draw(dag, around="<b>&")) == ["2 of 3 variables: within 1 step of <b>&"]
    assert "<b>&amp;" in to_dot(dag, around="<b>&")
    long = ds.Dag.from_edges(["x" * 500, "y"], [("x" * 500, "y")])
    assert len(legend(ds.draw(long, around="x" * 500, isolated=True))[0]) < 100


def test_many_names_are_counted():
    dag = ds.Dag.from_edges([f"v{i}" for i in range(9)])
    assert view_of(dag, around=[f"v{i}" for i in range(6)]).remarks == (
        "6 of 9 variables: within 1 step of v0, v1, v2 and 3 others",
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"around": "v33"}, r"around has 'v33', which is not a variable of the graph; did you mean 'v3'\?"),
        ({"around": ["v1", 3]}, "around has 3, which is not a variable of the graph"),
        ({"around": []}, "around is empty; it must have at least one variable"),
        ({"around": 3}, "around is an int; it must be a variable, or a list of them"),
        ({"around": "v1", "steps": -1}, "steps is -1; it must be an integer of at least 0"),
        ({"steps": 2}, "steps is the size of a neighbourhood: it needs around"),
        ({"isolated": "no"}, "isolated is 'no'; it must be True or False"),
    ],
)
def test_wrong_neighbourhoods_are_refused(options, message):
    with pytest.raises(ds.InvalidOption, match=f"^{message}$"):
        ds.draw(CHAIN, **options)


def test_many_isolated_variables_are_left_out_and_counted():
    svg = ds.draw(sparse_posterior())
    assert boxes(svg) == ["x0", "x1", "x2"]
    assert legend(svg)[-1] == "37 of 40 variables have no edge with a probability of at least 0.5 and are not shown"
    assert len(boxes(ds.draw(sparse_posterior(), isolated=True))) == 40
    few = sparse_posterior(3 + MOST_ISOLATED)
    assert len(boxes(ds.draw(few))) == 3 + MOST_ISOLATED
    assert boxes(ds.draw(few, isolated=False)) == ["x0", "x1", "x2"]
    dag = ds.Dag.from_edges(["a", "b", "c"], [("a", "b")])
    assert legend(ds.draw(dag, isolated=False)) == ["1 of 3 variables has no edge and is not shown"]


def test_a_posterior_without_edges_says_so_and_a_graph_is_shown():
    svg = ds.draw(sparse_posterior(probability=0.0), threshold=0.9)
    assert boxes(svg) == []
    assert legend(svg)[:1] == ["40 of 40 variables have no edge with a probability of at least 0.9"]
    empty = ds.Dag.from_edges([f"v{i}" for i in range(20)])
    assert len(boxes(ds.draw(empty))) == 20
    assert boxes(ds.draw(empty, isolated=False)) == []


def test_named_variables_are_shown_even_if_they_are_isolated():
    assert boxes(ds.draw(sparse_posterior(), around="x9", isolated=False)) == ["x9"]


def test_notes_and_numbers_stay_with_their_variables():
    weights = np.zeros((8, 8))
    weights[2, 3] = 0.7
    graph = AnnotatedGraph(CHAIN, tuple(f"note {i}" for i in range(8)), weights, "strength", "how strong")
    view = view_of(graph, around="v3", steps=0, labels=True)
    assert view.content.notes == ("note 3",)
    view = view_of(graph, around=["v2", "v3"], steps=0)
    assert view.content.weights.tolist() == [[0, 0.7], [0, 0]]
    assert [edge.weight for edge in view.edges] == [0.7]


def test_a_notebook_shows_a_wide_posterior_with_few_edges():
    scores = ds.local_scores(ds.load_dataset("iris"))
    post = ds.posterior(scores)
    assert "<svg" in post._repr_html_()
    from dagscape.drawing.draw import notebook_svg

    assert boxes(notebook_svg(sparse_posterior(150))) == ["x0", "x1", "x2"]
    assert notebook_svg(ds.Dag.from_edges([f"v{i}" for i in range(150)])) is None


# The command line


def test_a_neighbourhood_on_the_command_line(capfd, tmp_path):
    path = tmp_path / "part.svg"
    assert run(capfd, "draw", "builtin:asia", "--around", "lung", "--steps", 2, "-o", path)[0] == 0
    assert boxes(path.read_text(encoding="utf-8")) == boxes(ds.draw(ds.load_network("asia"), around="lung", steps=2))
    code, out, _ = run(capfd, "draw", "builtin:asia", "--around", "asia", "--around", "smoke")
    assert (code, boxes(out)) == (0, boxes(ds.draw(ds.load_network("asia"), around=["asia", "smoke"])))


@pytest.mark.parametrize(
    "command",
    [
        ["posterior"],
        ["best", "-k", 2],
        ["learn"],
        ["sample-dags", "--samples", 20],
        ["bootstrap", "--samples", 2, "--workers", 1],
    ],
)
def test_pictures_of_results_can_be_parts(capfd, tmp_path, command):
    path = tmp_path / "part.svg"
    options = ["--draw", path, "--around", "Class", "--steps", 0, "--page", "8cm", "--quiet"]
    assert run(capfd, command[0], "builtin:tic-tac-toe", *command[1:], *options)[0] == 0
    text = path.read_text(encoding="utf-8")
    assert boxes(text) == ["Class"]
    assert "1 of 10 variables: Class" in text


def test_isolated_variables_on_the_command_line(capfd, tmp_path):
    (tmp_path / "graph.csv").write_text("from,to\na,b\nc,\n", encoding="utf-8")
    assert boxes(run(capfd, "draw", tmp_path / "graph.csv")[1]) == ["a", "b", "c"]
    assert boxes(run(capfd, "draw", tmp_path / "graph.csv", "--hide-isolated")[1]) == ["a", "b"]
    assert boxes(run(capfd, "draw", tmp_path / "graph.csv", "--show-isolated")[1]) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--around", "lungs"], "--around has 'lungs', which is not a variable of the graph; did you mean 'lung'?"),
        (["--steps", 2], "--steps is the size of a neighbourhood: it needs --around"),
        (["--page", "5km"], "--page is '5km'; it must be the width of a page"),
        (["--page", "1cm"], "--page has a side of 1 cm; it must be between 2 and 500 cm"),
    ],
)
def test_wrong_views_on_the_command_line(capfd, options, message):
    code, out, err = run(capfd, "draw", "builtin:asia", *options)
    assert (code, out) == (2, "")
    assert message in err


def test_the_threshold_is_for_all_results_with_probabilities(capfd, tmp_path):
    ds.bootstrap(ds.load_dataset("iris"), samples=3, workers=1).save(tmp_path / "boot.json")
    shown = ("draw", tmp_path / "boot.json", "--threshold", 0.9)
    assert run(capfd, *shown, "-o", tmp_path / "boot.svg")[0] == 0
    code, out, err = run(capfd, *shown, "--direction-threshold", 1)
    assert (code, err) == (0, "")
    assert "compelled with share of bootstrap samples ≥ 1" in out
    code, out, err = run(capfd, *shown, "--direction-threshold", 1, "--lines", "edges")
    assert (code, out) == (2, "")
    assert "--direction-threshold is for lines that are pairs: with --lines edges all are arrows" in err
    code, out, err = run(capfd, "draw", "builtin:asia", "--direction-threshold", 1)
    assert (code, out) == (2, "")
    assert "--direction-threshold is for results with edge probabilities" in err
