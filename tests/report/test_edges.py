"""The table of edges: its order, and what it says of arrows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.report.blocks import Note, Table
from dagscape.report.edges import render_bootstrap, render_posterior, shown_pairs
from dagscape.report.samples import render_samples
from dagscape.report.tables import render


def table_of(blocks):
    return next(block for block in blocks if isinstance(block, Table))


def test_rows_are_in_the_order_of_adjacencies_and_pairs_stay_together():
    post = ds.posterior(ds.load_network("asia").sample(300, seed=1))
    names = [[row[0].name, row[1].name] for row in table_of(render_posterior(post, 0.0)).rows]
    assert len(names) == 8 * 7
    adjacencies = np.array([post.adjacency(*pair) for pair in names]).round(6)
    assert (np.diff(adjacencies) <= 0).all()
    assert all({*names[i]} == {*names[i + 1]} for i in range(0, len(names), 2))
    assert all(post.edge(*names[i]) >= post.edge(*names[i + 1]) for i in range(0, len(names), 2))
    # The direction that is more often drawn does not decide which pair comes first.
    assert names != post.to_frame()[["source", "target"]].to_numpy().tolist()


def test_tables_of_posteriors_and_samples_say_that_arrows_are_no_causes():
    data = ds.load_network("asia").sample(300, seed=1)
    said = "an arrow is no cause without design or order in time: --randomised, --tiers (see From arrows to causes)"
    for found in (ds.posterior(data), ds.posterior(data, compelled=True), ds.sample_dags(data, 10)):
        assert Note(said) in render(found)


def test_a_pair_is_shown_if_it_is_adjacent_with_the_threshold():
    rows = np.random.default_rng(1).normal(size=(60, 2))
    frame = pd.DataFrame({"a": rows[:, 0], "b": rows[:, 0] + 0.1 * rows[:, 1], "c": rows[:, 1] ** 3})
    post = ds.posterior(frame, score="bge", settings="fixed")
    # Either direction has a half of a probability of nearly 1.
    assert post.edge("a", "b") < 0.9 < post.adjacency("a", "b")
    blocks = render_posterior(post, 0.9)
    shown = [{row[0].name, row[1].name} for row in table_of(blocks).rows]
    assert shown.count({"a", "b"}) == 2
    assert all(post.adjacency(*pair) >= 0.9 for pair in shown)
    hidden = 3 - len(shown) // 2
    said = f"{hidden} pair{'s' * (hidden != 1)} with 'adjacent' below 0.9 not shown"
    assert (Note(said) in blocks) == (hidden > 0)


def test_a_direction_that_is_impossible_is_left_out_unless_all_is_shown():
    frame = pd.DataFrame({"a": [0, 1] * 20, "b": [0, 1] * 20})
    with pytest.warns(ds.RelatedColumns):
        post = ds.posterior(frame, forbidden=[("b", "a")], settings="fixed")
    assert [[row[0].name, row[1].name] for row in table_of(render_posterior(post, 0.5)).rows] == [["a", "b"]]
    assert len(table_of(render_posterior(post, 0.0)).rows) == 2


@pytest.mark.parametrize(
    ("edges", "threshold", "shown"),
    [
        ((0.97, 0.02), 0.9, ["ab"]),
        ((0.90, 0.08), 0.9, ["ab", "ba"]),
        ((0.04, 0.02), 0.05, ["ab"]),
        ((0.03, 0.03), 0.05, ["ab", "ba"]),
        ((0.02, 0.02), 0.05, []),
        ((0.97, 0.02), 0.01, ["ab", "ba"]),
    ],
)
def test_the_less_probable_direction_is_left_out_below_both_thresholds(edges, threshold, shown):
    frame = pd.DataFrame({"source": ["a", "b"], "target": ["b", "a"], "edge": edges, "adjacent": [sum(edges)] * 2})
    assert shown_pairs(frame, threshold)[["source", "target"]].sum(axis=1).tolist() == shown


def test_samples_and_bootstraps_show_the_same_pairs():
    data = ds.load_network("asia").sample(300, seed=1)
    for found, show in (
        (ds.sample_dags(data, 50, seed=1), render_samples),
        (ds.bootstrap(data, samples=5, seed=1), render_bootstrap),
    ):
        frame = found.to_frame()
        pairs = {frozenset(row[1:3]) for row in frame[frame["adjacent"] >= 0.7].itertuples()}
        assert {frozenset((row[0].name, row[1].name)) for row in table_of(show(found, 0.7)).rows} == pairs
