from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagscape.core.errors import InvalidOption, TooLarge
from dagscape.graphs.dag import Dag
from dagscape.networks.bundled import NETWORKS, load_network
from dagscape.networks.discrete import families
from dagscape.networks.discrete.network import Network
from dagscape.networks.discrete.sampling import draw_levels, thresholds
from dagscape.networks.files import read_network
from oracles import networks as oracle


@pytest.mark.parametrize("name", NETWORKS)
def test_frequencies_converge_to_the_tables(name):
    network = load_network(name)
    statistic, mean, deviation = oracle.pearson(network, network.sample(50_000, seed=11))
    assert abs(statistic - mean) < 5 * deviation


@pytest.mark.slow
@pytest.mark.parametrize("name", ["alarm", "child", "insurance", "carstarts"])
def test_frequencies_of_published_networks_converge(shared_data, name):
    network = read_network(shared_data / "networks" / f"{name}.bif.gz")
    statistic, mean, deviation = oracle.pearson(network, network.sample(20_000, seed=5))
    assert abs(statistic - mean) < 5 * deviation


@pytest.mark.parametrize("name", ["cancer", "earthquake", "sprinkler", "survey"])
def test_rows_have_their_joint_probabilities(name):
    network = load_network(name)
    rows = 200_000
    seen = {tuple(row.values()): weight for row, _, weight in oracle.rows_of(network.sample(rows, seed=3))}
    possible = {row: p for row, p in oracle.joint(network).items() if p > 0}
    assert set(seen) <= set(possible)
    k = len(possible)
    statistic = sum((seen.get(row, 0) - rows * p) ** 2 / (rows * p) for row, p in possible.items())
    variance = 2 * (k - 1) + (sum(1 / p for p in possible.values()) - k * k - 2 * k + 2) / rows
    assert abs(statistic - (k - 1)) < 5 * math.sqrt(variance)


def test_a_seed_always_gives_the_same_data():
    network = load_network("asia")
    data = network.sample(1000, seed=7)
    assert data == network.sample(1000, seed=7)
    assert data == network.sample(np.int64(1000), seed=np.random.default_rng(7))
    assert data != network.sample(1000, seed=8)
    assert network.sample(1000) != network.sample(1000)


def test_a_generator_goes_on_where_it_was():
    network, generator = load_network("asia"), np.random.default_rng(7)
    assert network.sample(1000, generator) != network.sample(1000, generator)


def test_one_uniform_number_is_drawn_for_each_row_and_variable_in_topological_order():
    dag = Dag.from_edges(["wet", "rain"], [("rain", "wet")])
    levels = {"wet": ("no", "yes"), "rain": ("no", "yes")}
    network = Network(dag, levels, {"rain": [0.6, 0.4], "wet": [[0.9, 0.1], [0.2, 0.8]]})
    first, second = np.random.default_rng(1).random((2, 500))
    rain = first >= 0.6
    wet = second >= np.where(rain, 0.2, 0.9)
    data = network.sample(500, seed=1)
    expected = [[int(np.sum((wet == w) & (rain == r))) for r in (0, 1)] for w in (0, 1)]
    assert dict(zip(map(tuple, data.codes.tolist()), data.weights.tolist(), strict=True)) == {
        (w, r): expected[w][r] for w in (0, 1) for r in (0, 1) if expected[w][r]
    }


def test_all_levels_are_declared():
    network = Network(Dag.from_edges(["a", "b"]), {"a": ("x", "y"), "b": ("z",)}, {"a": [0.0, 1.0], "b": [1.0]})
    data = network.sample(3, seed=0)
    assert dict(data.levels) == {"a": ("x", "y"), "b": ("z",)}
    assert (data.codes.tolist(), data.weights.tolist()) == ([[1, 0]], [3])


def test_more_than_256_levels_are_sampled():
    levels = tuple(map(str, range(1000)))
    network = Network(Dag.from_edges(["a"]), {"a": levels}, {"a": np.full(1000, 1e-3)})
    data = network.sample(50_000, seed=0)
    assert data.codes.dtype == np.uint32
    assert data.weights.size == 1000


@given(
    st.lists(st.floats(0, 1).map(lambda x: x if x > 1e-3 else 0.0), min_size=1, max_size=70).filter(any),
    st.sampled_from([0.0, 5e-324, 0.5, 1 - 2**-53]) | st.floats(0, 1, exclude_max=True),
    st.sampled_from([1.0, 1 + 9e-7, 1 - 9e-7]),
)
def test_a_level_of_probability_zero_is_never_drawn(weights, uniform, total):
    row = np.array(weights) / math.fsum(weights) * total
    level = int(draw_levels(thresholds(row), np.zeros(1, dtype=np.int64), np.array([uniform]))[0])
    assert row[level] > 0
    assert row[:level].sum() / row.sum() <= uniform + 1e-12
    assert uniform <= row[: level + 1].sum() / row.sum() + 1e-12


@pytest.mark.parametrize("rows", [0, -1, 2**32, 1.5, "10", None, True])
def test_wrong_numbers_of_rows_are_refused(rows):
    with pytest.raises(InvalidOption, match=r"rows is .*; it must be an integer between 1 and 4294967295"):
        load_network("asia").sample(rows)


@pytest.mark.parametrize("seed", [-1, "one", 0.5])
def test_wrong_seeds_are_refused(seed):
    with pytest.raises(InvalidOption, match=r"seed is .*; it must be an integer of at least 0"):
        load_network("asia").sample(10, seed)


def test_too_many_rows_are_refused_before_they_are_drawn(monkeypatch):
    monkeypatch.setattr(families, "memory_limit", lambda _: 2**20)
    with pytest.raises(TooLarge, match=r"1,000,000 rows need .* MiB; the limit is 1.0 MiB: draw fewer rows"):
        load_network("asia").sample(1_000_000)


def test_a_hundred_thousand_rows_of_alarm(shared_data):
    network = read_network(shared_data / "networks" / "alarm.bif.gz")
    assert network.sample(100_000, seed=1).m == 100_000
