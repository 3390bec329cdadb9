"""What the benchmarks of samples and chains rest on: draws from the prior, intervals, and the estimates of a peer."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest


@pytest.mark.slow
def test_networks_of_the_prior_are_uniform(import_benchmark):
    """There are 443 DAGs on 4 variables with at most two parents each."""
    prior, rng = import_benchmark("prior_draws"), np.random.default_rng(1)
    counts = Counter(frozenset(prior.bounded_dag(4, 2, rng).edges) for _ in range(10_000))
    assert len(counts) == 443
    expected = 10_000 / 443
    statistic = sum((count - expected) ** 2 / expected for count in counts.values())
    # The 99.9 % quantile of chi-square with 442 degrees of freedom.
    assert statistic < 538


def test_rows_of_the_prior_have_all_columns(import_benchmark):
    prior = import_benchmark("prior_draws")
    found = prior.drawn(9, 50, 3, 1.0, np.random.default_rng(2))
    assert found.data.n == 9
    assert found.data.m == 50
    assert max(len(found.network.dag.parents(name)) for name in found.data.variables) <= 3
    assert found.data.variables == found.network.variables


def test_shares_have_wider_intervals_where_pairs_depend_on_each_other(import_benchmark):
    calibration = import_benchmark("calibration")
    stated = np.full(10, 0.5)
    alone = [(stated, np.arange(10) % 2.0) for _ in range(20)]
    together = [(stated, np.full(10, number % 2.0)) for number in range(20)]
    (narrow,), (wide,) = (list(filter(None, calibration.reliability(given))) for given in (alone, together))
    assert narrow.pairs == wide.pairs == 200
    assert narrow.there == wide.there == 0.5
    assert narrow.interval == pytest.approx(calibration.wilson(0.5, 200))
    # Ten pairs that are all there or all missing count as one.
    assert wide.interval == pytest.approx(calibration.wilson(0.5, 20))
    assert not wide.outside


def test_any_burn_in_can_be_left_out_of_averages(import_benchmark):
    gibby = import_benchmark("gibby")
    states = np.random.default_rng(3).integers(0, 2, (100, 3, 3))
    counts = np.arange(5, 101, 5)
    means = np.array([states[:count].mean(axis=0) for count in counts])
    found = gibby._without_burn_in(counts, means)
    for count, one in zip(counts.tolist(), found, strict=True):
        assert one == pytest.approx(states[count // 10 // 5 * 5 : count].mean(axis=0))


def test_times_to_an_error_follow_the_curve(import_benchmark):
    chains = import_benchmark("chains")
    curve = [chains.Point(1.0, 0.1), chains.Point(4.0, 0.05), chains.Point(16.0, 0.03)]
    assert chains.seconds_to(curve, 0.05) == pytest.approx(4.0)
    assert chains.seconds_to(curve, 0.1 / np.sqrt(2)) == pytest.approx(2.0)
    assert chains.seconds_to(curve, 0.02) == np.inf
    assert chains.seconds_to(curve, 0.2) == 1.0


def test_the_share_that_is_expected_within_three_errors(import_benchmark):
    sampling, rng = import_benchmark("sampling"), np.random.default_rng(5)
    exact = np.array([0.0, 0.0004, 0.01, 0.3, 0.5, 1.0])
    drawn = rng.binomial(1000, exact, size=(20_000, len(exact))) / 1000
    seen = (sampling.deviations(drawn, exact, 1000) < 3).mean()
    assert sampling.expected_share(exact, 1000) == pytest.approx(seen, abs=1e-3)


def test_edges_of_all_seeds_count_together(import_benchmark):
    checks = import_benchmark("chain_checks")
    near, far = np.full(4, 0.01), np.full(4, 0.07)
    runs = [checks.Distances(gaps, gaps * 50, gaps is near, 2.0) for gaps in (near, far)]
    assert checks.counted(runs) == ["0.05000", 8, 4, 0, "50.0 %", pytest.approx(3.5), "1 of 2", 2.0]
