"""What a notebook shows: tables and pictures of results, pictures of graphs."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from IPython.core.formatters import DisplayFormatter

import dagscape as ds
from dagscape.drawing.draw import Drawing


@pytest.fixture(scope="module")
def scores():
    return ds.local_scores(ds.load_network("asia").sample(200, seed=1))


@pytest.fixture(scope="module")
def results(scores):
    return {
        "posterior": ds.posterior(scores),
        "classes": ds.k_best(scores, 5),
        "dags": ds.k_best(scores, 5, space="dags"),
        "modes": ds.modes(scores, 3),
        "mode classes": ds.modes(scores, 3, distinct="class"),
        "optimal": ds.optimal_network(scores),
    }


def test_results_with_a_graph_show_a_table_and_a_picture(results):
    for result in results.values():
        shown = result._repr_html_()
        assert "<table" in shown
        assert result.draw() in shown
        assert type(result).__name__ in shown


def test_chosen_settings_are_said_once():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.integers(0, 2, (60, 3)), columns=["a", "b", "<i>c & d</i>"])
    found = ds.learn(frame, structure_prior="edge-penalty:1", method="greedy")
    said = f"ess {found.score_info.ess:g}, edge-penalty:1 (the highest evidence of 4 settings, with a share of "
    shown = found._repr_html_()
    assert shown.count(f"<p>Settings: {said}") == shown.count("highest evidence") == 1
    assert "<i>c" not in shown
    legend = " ".join(re.findall(r"<text[^>]*>([^<]*)</text>", ds.draw(found)))
    assert legend.count(f"settings: {said}") == legend.count("highest evidence") == 1
    # Names and descriptions of priors are data.
    info = replace(found.score_info, structure_prior="<b>", choice="chosen & <i>")
    odd = replace(found, score_info=info)
    assert "Settings: ess" in odd._repr_html_()
    for text in (odd._repr_html_(), ds.draw(odd)):
        assert "&lt;b&gt; (chosen &amp; &lt;i&gt;)" in text
        assert "<b>" not in text
    fixed = ds.learn(frame, method="greedy", settings="fixed")
    assert "ettings" not in fixed._repr_html_() + ds.draw(fixed)


def test_other_results_show_a_table(scores):
    data = ds.load_dataset("tic-tac-toe")
    comparison = ds.compare(ds.load_network("asia"), ds.optimal_network(scores))
    for result in (data.describe(), ds.plan(data), ds.summarize_scores(scores), comparison):
        shown = result._repr_html_()
        assert "<table" in shown
        assert "<svg" not in shown


def test_long_tables_say_how_many_rows_are_left_out(results):
    shown = results["posterior"]._repr_html_()
    assert shown.count("<tr") == 11
    assert "… 46 more rows" in shown
    assert "more row" not in results["classes"]._repr_html_()


def test_names_are_escaped():
    post = ds.posterior(ds.FamilyTable({"<script>": {(): 0.0, ("&b",): 1.0}, "&b": {(): 0.0, ("<script>",): 1.0}}))
    shown = post._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert not re.search("&b", shown)


def test_networks_are_drawn_as_their_classes(results):
    for name in ("classes", "dags", "modes", "mode classes"):
        # With a sentence about the others of the list.
        drawn = ds.draw(results[name].cpdags[0])
        assert all(line in ds.draw(results[name]) for line in re.findall("<title>.*?</title>", drawn))
    assert ds.draw(results["optimal"]) == ds.draw(results["optimal"].cpdag)
    assert ds.draw(results["posterior"]) == ds.draw(results["posterior"], threshold=0.5)


def test_a_drawing_is_a_string_that_displays_itself(results):
    drawing = ds.draw(results["posterior"])
    assert isinstance(drawing, str)
    assert isinstance(drawing, Drawing)
    assert type(drawing._repr_svg_()) is str
    assert drawing._repr_svg_() == drawing
    assert drawing.startswith("<svg")


def test_markers_of_two_pictures_on_a_page_do_not_clash(results):
    pictures = [results["posterior"].draw(threshold=0.2)]
    pictures += [results["classes"]._repr_html_(), results["dags"].networks[0]._repr_svg_()]
    marks = [set(re.findall('id="([^"]*)"', picture)) for picture in pictures]
    assert all(marks)
    assert sum(map(len, marks)) == len(set.union(*marks))


def test_a_failure_to_draw_leaves_the_table(results, monkeypatch):
    def fail(self):
        raise ZeroDivisionError

    monkeypatch.setattr(ds.Posterior, "_picture", fail)
    shown = results["posterior"]._repr_html_()
    assert "<table" in shown
    assert "<svg" not in shown


def test_large_graphs_are_not_drawn_unasked():
    names = [f"v{i}" for i in range(101)]
    assert ds.Dag.from_edges(names)._repr_svg_() is None
    assert ds.Dag.from_edges(names[:100])._repr_svg_().startswith("<svg")
    assert ds.draw(ds.Dag.from_edges(names)).startswith("<svg")
    full = ds.Dag(tuple(names[:26]), tuple((1 << v) - 1 for v in range(26)))
    assert (full.edge_count, full._repr_svg_()) == (325, None)
    assert full.to_cpdag()._repr_svg_() is None


def test_networks_are_shown_by_their_graphs():
    asia = ds.load_network("asia")
    assert asia._repr_svg_() == ds.draw(asia) == ds.draw(asia.dag)


def test_lists_without_networks_cannot_be_drawn(results):
    empty = ds.Modes.from_dict(results["modes"].to_dict() | {"networks": [], "scores": [], "orders": []})
    with pytest.raises(ds.InvalidOption, match="there are no networks to draw"):
        ds.draw(empty)
    assert "<svg" not in empty._repr_html_()


def test_jupyter_formats_results(results):
    found, _ = DisplayFormatter().format(results["posterior"])
    assert "<svg" in found["text/html"]
    drawing, _ = DisplayFormatter().format(ds.draw(results["posterior"]))
    assert drawing["image/svg+xml"].startswith("<svg")


def test_weights_of_a_consensus_are_shown(results):
    post = results["posterior"]
    text = ds.draw(post.consensus(), weights=post.to_frame(wide=True))
    assert all(f">{post.edge(u, v):.2f}<" in text for u, v in post.consensus().edges)
    assert np.allclose(post.to_frame(wide=True), post.edges)
