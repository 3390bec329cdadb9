"""The table of edges: its order, and what it says of arrows."""

from __future__ import annotations

import numpy as np

import dagscape as ds
from dagscape.report.blocks import Note, Table
from dagscape.report.edges import render_posterior
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
