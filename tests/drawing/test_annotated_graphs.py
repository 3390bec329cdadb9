"""Graphs with notes on their variables and numbers of their own on their edges."""

from __future__ import annotations

import numpy as np
import pytest

import dagscape as ds
from dagscape.drawing.dot import to_dot
from dagscape.drawing.edges import AnnotatedGraph

DAG = ds.Dag.from_edges(["add", "carry", "round"], [("add", "carry"), ("add", "round")])
WEIGHTS = np.array([[0, 0.96, 0.4], [0, 0, 0], [0, 0, 0]])
GRAPH = AnnotatedGraph(DAG, ("easy", "<hard>", "a & b"), WEIGHTS, "strength", "how strong it is")


def test_boxes_have_notes_and_edges_their_numbers():
    text = ds.draw(GRAPH)
    for shown in (">easy<", ">&lt;hard&gt;<", ">a &amp; b<", ">0.96<", ">0.40<"):
        assert shown in text
    assert "strength ≥ 0.9" in text
    assert "strength &lt; 0.5" in text
    assert "strength  how strong it is" in text
    assert "probability" not in text


def test_boxes_grow_with_their_notes():
    heights = [float(ds.draw(graph).split('height="')[1].split('"')[0]) for graph in (DAG, GRAPH)]
    assert heights[1] > heights[0]


def test_graphviz_shows_the_same():
    text = to_dot(GRAPH)
    assert '"carry" [label="carry\\n<hard>"];' in text
    assert 'label="0.96"' in text
    assert "heavy line: strength ≥ 0.9\\ldashed line: strength < 0.5\\lstrength: how strong it is\\l" in text


def test_weak_edges_can_be_hidden():
    text = ds.draw(GRAPH, threshold=0.5)
    assert ">0.96<" in text
    assert ">0.40<" not in text


def test_numbers_can_be_hidden():
    assert ">0.96<" not in ds.draw(GRAPH, labels=False)


def test_probabilities_take_the_place_of_the_numbers():
    text = ds.draw(GRAPH, weights=WEIGHTS / 2)
    assert ">easy<" in text
    assert ">0.48<" in text
    assert "probability &lt; 0.5" in text
    assert "strength" not in text
    assert "strength" not in to_dot(GRAPH, weights=WEIGHTS / 2)


def test_without_edges_there_is_no_legend():
    alone = AnnotatedGraph(ds.Dag.from_edges(["add"]), ("easy",), np.zeros((1, 1)), "strength", "how strong it is")
    assert "strength" not in ds.draw(alone)


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["png", "pdf"])
def test_it_is_drawn_with_matplotlib(ending, tmp_path):
    ds.draw(GRAPH, tmp_path / f"graph.{ending}")
    assert (tmp_path / f"graph.{ending}").stat().st_size > 1000
