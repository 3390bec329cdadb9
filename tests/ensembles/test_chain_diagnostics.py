"""The verdict on Markov chains: those that mix are trusted, those that are stuck or short are not."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import dagscape as ds
from dagscape.ensembles.chain_diagnostics import diagnose
from dagscape.ensembles.monte_carlo import effective_size, split_r_hat
from dagscape.graphs.lists import DagList
from oracles.graphs import all_dags

DAGS = all_dags(3)
EDGES = np.array([dag.to_adjacency() for dag in DAGS])


def drawn(states):
    """The networks of chains of states, each a number of a DAG."""
    return DagList.from_dags([DAGS[state] for state in states.reshape(-1).tolist()])


def test_independent_draws_are_trusted():
    rng = np.random.default_rng(1)
    states = rng.integers(0, len(DAGS), (4, 1000))
    scores = rng.normal(size=states.shape)
    found = diagnose(scores, drawn(states), burn_in=10, steps=1000)
    assert found.converged
    # Of 36 differences, the largest is beyond two errors.
    assert re.match(
        r"The chains differ no more than by chance: the largest of 36 differences between two is 0\.0\d+ "
        r"\(± 0\.0\d+\), in the edge \w+ → \w+, as chance gives among so many\.$",
        found.verdict,
    )
    values = EDGES[states]
    off = ~np.eye(3, dtype=bool)
    assert found.r_hat_edges == pytest.approx(split_r_hat(values, ranks=False)[off].max())
    assert found.ess_edges == pytest.approx(effective_size(values)[off].min())
    assert found.r_hat_score == split_r_hat(scores)
    assert found.ess_score == effective_size(scores)
    means = values.mean(axis=1)
    assert found.largest_disagreement == pytest.approx((means.max(axis=0) - means.min(axis=0)).max())
    u, v = (DAGS[0].variables.index(name) for name in found.disagreement_edge)
    assert means[:, u, v].max() - means[:, u, v].min() == found.largest_disagreement
    assert 0.01 < found.disagreement_error < 0.05
    assert (found.burn_in, found.steps) == (10, 1000)


@pytest.mark.parametrize(
    ("apart", "said"),
    [
        (1.5, "The chains agree within their errors: the largest difference between two is "),
        (2.6, "The chains differ no more than by chance: the largest of 6 differences between two is "),
        (4.0, "The chains differ somewhat more than by chance: the largest of 6 differences between two is "),
    ],
)
def test_the_sentence_goes_by_errors_and_the_number_of_differences(apart, said):
    rng = np.random.default_rng(7)
    states = rng.integers(0, len(DAGS), (2, 500))
    noise = rng.normal(size=(2, 100, 3, 3))
    noise -= noise.mean(axis=1, keepdims=True)
    batches = 0.5 + 0.2 * noise / noise.std(axis=1, ddof=1, keepdims=True)
    # The errors of two averages of 100 batches combine to 0.2 * sqrt(2 / 100).
    error = 0.2 * math.sqrt(2 / 100)
    batches[:, :, ~np.eye(3, dtype=bool)] += 1e-6 * np.arange(2)[:, np.newaxis, np.newaxis]
    batches[1, :, 2, 0] += apart * error
    batches[:, :, np.eye(3, dtype=bool)] = 0
    scores = rng.normal(size=states.shape)
    found = diagnose(scores, drawn(states), edge_means=batches.mean(axis=1), edge_batches=batches)
    assert found.converged
    assert found.largest_disagreement / found.disagreement_error == pytest.approx(apart, rel=0.1)
    assert found.verdict.startswith(said)


def test_chains_in_different_modes_are_not_trusted():
    rng = np.random.default_rng(2)
    # Each chain explores half of the DAGs only, with the same scores: only the edges tell.
    with_edge = np.flatnonzero(EDGES[:, 0, 1])
    without = np.flatnonzero(~EDGES[:, 0, 1])
    states = np.stack([rng.choice(part, 500) for part in (with_edge, without, with_edge, without)])
    found = diagnose(rng.normal(size=states.shape), drawn(states))
    assert not found.converged
    assert found.disagreement_edge == DAGS[0].variables[:2]
    assert found.largest_disagreement == 1
    assert found.r_hat_edges == math.inf
    assert found.verdict.startswith("Do not rely on these probabilities: two chains differ by 1 (± 0.0")
    assert found.verdict.endswith("run the chains longer, with fewer parents or from another seed.")


def test_slow_chains_are_not_trusted():
    rng = np.random.default_rng(3)
    scores = rng.normal(size=(2, 400)).cumsum(axis=1)
    states = np.repeat(rng.integers(0, len(DAGS), (2, 8)), 50, axis=1)
    found = diagnose(scores, drawn(states))
    assert not found.converged
    assert found.ess_edges < 100
    assert "R-hat of the scores is" in found.verdict


def test_few_effective_draws_are_named():
    rng = np.random.default_rng(4)
    states = np.repeat(rng.integers(0, len(DAGS), (4, 15)), 4, axis=1)
    found = diagnose(np.zeros(states.shape), drawn(states))
    assert not found.converged
    assert found.verdict.startswith("Do not rely on these probabilities: ")


def test_halves_of_one_chain_are_compared():
    rng = np.random.default_rng(5)
    states = rng.integers(0, len(DAGS), (1, 2000))
    found = diagnose(rng.normal(size=states.shape), drawn(states))
    assert found.converged
    assert found.verdict.startswith("One chain cannot show what it has missed, but its halves agree")
    moved = [rng.choice(np.flatnonzero(EDGES[:, 0, 1] == there), 1000) for there in (True, False)]
    found = diagnose(rng.normal(size=states.shape), drawn(np.concatenate(moved)))
    assert not found.converged
    assert "the halves of the chain differ" in found.verdict


def test_too_few_draws():
    found = diagnose(np.zeros((2, 3)), drawn(np.zeros((2, 3), dtype=int)))
    assert not found.converged
    assert "3 draws of each chain are too few to judge them" in found.verdict
    assert found.r_hat_score == math.inf


def test_nothing_to_disagree_about():
    found = diagnose(np.zeros((2, 200)), drawn(np.zeros((2, 200), dtype=int)))
    assert found.converged
    assert found.verdict == "The chains agree in every edge."
    assert found.disagreement_edge is None
    with pytest.raises(ds.InvalidOption, match="400 networks for 2 × 100 scores"):
        diagnose(np.zeros((2, 100)), drawn(np.zeros((2, 200), dtype=int)))


def test_averages_over_all_steps_are_compared():
    rng = np.random.default_rng(6)
    states = rng.integers(0, len(DAGS), (2, 500))
    scores, networks = rng.normal(size=states.shape), drawn(states)
    batches = np.full((2, 20, 3, 3), 0.5) + rng.normal(0, 0.01, (2, 20, 3, 3))
    means = batches.mean(axis=1)
    assert diagnose(scores, networks, edge_means=means, edge_batches=batches).largest_disagreement < 0.02
    batches[1, :, 2, 0] -= 0.3
    found = diagnose(scores, networks, edge_means=batches.mean(axis=1), edge_batches=batches)
    assert not found.converged
    assert found.disagreement_edge == (DAGS[0].variables[2], DAGS[0].variables[0])
    assert found.largest_disagreement == pytest.approx(0.3, abs=0.02)
    without = diagnose(scores, networks, edge_means=batches.mean(axis=1))
    assert without.largest_disagreement == found.largest_disagreement
