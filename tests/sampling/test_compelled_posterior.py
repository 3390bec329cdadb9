"""Compelled edges of posteriors: estimates from samples, against all DAGs."""

from __future__ import annotations

import numpy as np
import pytest

import dagscape as ds
from compelled_cases import CASES, NAMES, expected_compelled, rows
from dagscape.drawing.edges import drawn_edges


@pytest.mark.parametrize("case", CASES)
def test_estimates_are_within_their_errors(case):
    reading, scoring, families = CASES[case]
    scores = ds.local_scores(rows(**reading), **scoring)
    expected = expected_compelled(scores, families)
    post = ds.posterior(scores, compelled=True, compelled_samples=20_000, seed=3)
    misses = abs(post.compelled - expected) / np.maximum(post.compelled_errors, 1e-12)
    off_diagonal = ~np.eye(4, dtype=bool)
    assert misses[off_diagonal].max() < 4.5
    assert post.compelled_errors.max() < 0.5 / np.sqrt(20_000) + 1e-6
    assert (post.compelled <= post.edges).all()
    assert (post.compelled_samples, post.compelled_seed, post.provenance.seed) == (20_000, 3, 3)
    assert post.provenance.seconds["compelled"] > 0
    # The rest is that of the sum alone.
    plain = ds.posterior(scores)
    assert plain.compelled is None
    assert (plain.edges == post.edges).all()


def test_over_orders_and_of_the_prior_alone():
    scores = ds.local_scores(rows())
    orders = ds.posterior(scores, "orders", compelled=True)
    assert (orders.compelled <= orders.edges).all()
    prior = ds.posterior(scores, prior=True, compelled=True, compelled_samples=5000)
    exact = expected_compelled(ds.FamilyTable(_equal_families(), complete=True), [()])
    assert abs(prior.compelled - exact).max() < 5 * 0.5 / np.sqrt(5000)


def _equal_families():
    table = {}
    for child in NAMES:
        others = [name for name in NAMES if name != child]
        table[child] = {tuple(n for i, n in enumerate(others) if mask >> i & 1): 0.0 for mask in range(8)}
    return table


def test_results_are_saved_with_compelled_edges(tmp_path):
    post = ds.posterior(ds.local_scores(rows()), compelled=True, compelled_samples=100)
    for ending in ("json", "npz"):
        post.save(tmp_path / f"post.{ending}")
        again = ds.load_result(tmp_path / f"post.{ending}")
        assert (again.compelled == post.compelled).all()
        assert (again.compelled_errors == post.compelled_errors).all()
        assert (again.compelled_samples, again.compelled_seed) == (100, 0)
    document = post.to_dict()
    for name in ("compelled", "compelled_errors", "compelled_samples", "compelled_seed"):
        del document[name]
    older = type(post).from_dict(document)
    assert older.compelled is None
    with pytest.raises(ds.InvalidData, match="must be given together"):
        type(post).from_dict({**document, "compelled": post.compelled.tolist()})
    with pytest.raises(ds.InvalidOption, match="compelled edges were not computed: use compelled=True"):
        older.to_frame(wide=True, feature="compelled")
    assert post.to_frame(wide=True, feature="compelled").loc["v0", "v1"] == post.compelled[0, 1]


def test_bad_options_are_named():
    scores = ds.local_scores(rows())
    with pytest.raises(ds.InvalidOption, match="compelled is 2"):
        ds.posterior(scores, compelled=2)
    with pytest.raises(ds.InvalidOption, match="compelled_samples is 0"):
        ds.posterior(scores, compelled=True, compelled_samples=0)
    with pytest.raises(ds.InvalidOption, match="seed is 'x'"):
        ds.posterior(scores, compelled=True, seed="x")
    with pytest.raises(ds.TooLarge, match="for compelled edges"):
        ds.posterior(scores, compelled=True, compelled_samples=10**9, max_memory="50MiB")


def test_generators_are_not_recorded():
    scores = ds.local_scores(rows())
    post = ds.posterior(scores, compelled=True, compelled_samples=10, seed=np.random.default_rng(1))
    assert post.compelled_seed is None


@pytest.mark.slow
def test_the_star_has_no_direction():
    rng = np.random.default_rng(1)
    cause = rng.random(500) < 0.5
    hub = cause ^ (rng.random(500) < 0.25)
    effects = [hub ^ (rng.random(500) < 0.25) for _ in range(10)]
    data = ds.Dataset.from_array(np.stack([cause, hub, *effects], axis=1).astype(int))
    post = ds.posterior(ds.local_scores(data), compelled=True)
    assert post.edges[1, 0] == pytest.approx(0.915, abs=0.001)
    assert post.compelled.max() < 0.01
    assert not any(edge.directed for edge in drawn_edges(post.drawable))
