"""Monte Carlo errors and diagnostics, compared with their definitions and with chains of known correlation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from dagscape.ensembles.monte_carlo import (
    batch_means,
    batch_starts,
    binomial_errors,
    chain_errors,
    chain_share_errors,
    effective_size,
    independent_errors,
    split_r_hat,
)
from oracles import chains as oracle

VALUES = st.sampled_from([0.0, 0.25, 1.0, 3.0, -7.5])


def chains_of(elements):
    return st.integers(4, 15).flatmap(
        lambda size: st.integers(1, 3).flatmap(lambda count: arrays(np.float64, (count, size), elements=elements))
    )


def two_states(rng, chains, draws, features, up, down):
    """Stationary 0/1 chains that go up and down with these probabilities: chains × draws × features."""
    found = np.empty((draws, chains, features))
    state = (rng.random((chains, features)) < up / (up + down)).astype(float)
    for step in range(draws):
        move = rng.random((chains, features))
        state = np.where(state > 0, move >= down, move < up).astype(float)
        found[step] = state
    return found.swapaxes(0, 1)


def autoregressive(rng, chains, draws, features, memory):
    found = np.empty((draws, chains, features))
    state = rng.normal(size=(chains, features)) / math.sqrt(1 - memory**2)
    for step in range(draws):
        state = memory * state + rng.normal(size=(chains, features))
        found[step] = state
    return found.swapaxes(0, 1)


@pytest.mark.slow
@given(chains_of(VALUES))
def test_r_hat_is_what_its_definition_says(values):
    listed = values.tolist()
    assert split_r_hat(values, ranks=False) == pytest.approx(oracle.plain_r_hat(listed), abs=1e-9)
    assert split_r_hat(values) == pytest.approx(oracle.rank_r_hat(listed), abs=1e-9)


@pytest.mark.slow
@given(chains_of(VALUES))
def test_the_effective_size_is_what_its_definition_says(values):
    assert effective_size(values) == pytest.approx(oracle.effective_size(values.tolist()), rel=1e-6)


@pytest.mark.slow
@given(chains_of(st.sampled_from([0.0, 1.0])))
@settings(max_examples=30)
def test_features_are_treated_one_by_one(values):
    both = np.stack([values, 1 - values, np.zeros_like(values)], axis=2)
    for function in (lambda x: split_r_hat(x, ranks=False), split_r_hat, effective_size):
        found = function(both)
        assert found.shape == (3,)
        assert found[0] == function(values)


@given(st.integers(1, 3), st.integers(0, 1000))
def test_errors_of_batch_means_are_what_their_definition_says(chains, seed):
    values = np.random.default_rng(seed).normal(size=(chains, 40))
    assert chain_errors(batch_means(values))[()] == pytest.approx(oracle.batch_error(values.tolist(), 10))


def test_constant_chains():
    same, stuck = np.ones((3, 20)), np.repeat([[0.0], [1.0]], 20, axis=1)
    for ranks in (True, False):
        assert split_r_hat(same, ranks=ranks) == 1.0
        assert split_r_hat(stuck, ranks=ranks) == math.inf
    assert effective_size(same) == 60
    assert effective_size(stuck) < 4


def test_huge_numbers_do_not_overflow():
    values = np.random.default_rng(1).normal(size=(2, 50))
    assert effective_size(values * 1e300) == pytest.approx(effective_size(values))


@pytest.mark.slow
@pytest.mark.parametrize("memory", [0.0, 0.5, 0.9, -0.5])
def test_effective_sizes_of_autoregressive_chains(memory):
    values = autoregressive(np.random.default_rng(3), 4, 2000, 10, memory)
    expected = 8_000 * (1 - memory) / (1 + memory)
    sizes = effective_size(values)
    assert np.median(sizes) == pytest.approx(expected, rel=0.1)
    assert (abs(sizes / expected - 1) < 0.5).all()
    assert (split_r_hat(values, ranks=False) < 1.02).all()
    shifted = values + np.arange(4)[:, np.newaxis, np.newaxis] * 2
    assert (split_r_hat(shifted) > 1.1).all()
    # Chains of unequal width have equal means, which only distances from the median show.
    wide = values * np.array([1, 1, 1, 6])[:, np.newaxis, np.newaxis]
    assert (split_r_hat(wide, ranks=False) < 1.05).all()
    assert (split_r_hat(wide) > 1.05).all()


@pytest.mark.slow
@pytest.mark.parametrize(("up", "down"), [(0.5, 0.5), (0.1, 0.1), (0.02, 0.08), (0.01, 0.5)])
def test_errors_of_chains_with_known_correlation(up, down):
    share, correlation = up / (up + down), 1 - up - down
    values = two_states(np.random.default_rng(5), 4, 1600, 150, up, down)
    true = math.sqrt(share * (1 - share) / 6_400 * (1 + correlation) / (1 - correlation))
    sizes = effective_size(values)
    assert np.median(sizes) == pytest.approx(share * (1 - share) / true**2, rel=0.15)
    means = values.mean(axis=(0, 1))
    errors = chain_share_errors(batch_means(values), draws=6_400, scores_size=float(np.median(sizes)))
    assert means.std() == pytest.approx(true, rel=0.15)
    assert np.median(errors) == pytest.approx(true, rel=0.2)
    within = abs(means - share) / errors
    assert (within < 3).mean() >= 0.98
    assert (within < 5).all()


def test_errors_of_independent_samples():
    rng = np.random.default_rng(7)
    for share in (0.5, 0.05, 0.001):
        found = rng.binomial(500, share, 4000) / 500
        errors = binomial_errors(found, 500)
        assert (errors > 0).all()
        true = math.sqrt(share * (1 - share) / 500)
        # Smoothing makes those of rare features larger.
        assert 0.99 * true < np.sqrt((errors**2).mean()) < true + 1 / 500
        assert (abs(found - share) <= 5 * errors).all()
    values = rng.normal(size=(400, 3))
    assert independent_errors(values) == pytest.approx(values.std(axis=0, ddof=1) / 20)
    assert independent_errors(values[:1]).tolist() == [0, 0, 0]


@given(arrays(np.float64, (2, 10, 3), elements=st.floats(0, 1)), st.floats(1, 1000))
@settings(max_examples=50)
def test_no_error_of_a_probability_is_zero(batches, size):
    for draws in (None, 200):
        errors = chain_share_errors(batches, draws=draws, scores_size=size)
        assert (errors >= binomial_errors(0.0, size)).all()
        assert (errors >= chain_errors(batches)).all()
        assert np.isfinite(errors).all()


@given(st.integers(1, 5000))
def test_batches_cover_a_chain(draws):
    starts = batch_starts(draws)
    sizes = np.diff(starts)
    assert starts[0] == 0
    assert starts[-1] == draws
    assert sizes.min() >= 1
    assert sizes.max() - sizes.min() <= 1
    assert len(sizes) == min(draws, max(10, math.isqrt(draws)))
