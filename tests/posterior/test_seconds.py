"""The estimated times of sums: what is tried, and what follows from it."""

from __future__ import annotations

import numpy as np
import pytest

from dagscape.posterior import timing
from dagscape.posterior.backends import BACKENDS
from dagscape.posterior.contract import Job
from dagscape.posterior.cpu import seconds as cpu_seconds
from dagscape.posterior.cuda import device
from dagscape.posterior.cuda import seconds as cuda_seconds
from dagscape.posterior.cuda.dag_sum import dag_sum_steps
from dagscape.posterior.cuda.order_sum import order_sum_steps
from dagscape.posterior.sum_plan import SumSize
from dagscape.posterior.weights import FamilyWeights
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.tables.lattice import set_count

# Seconds of sums over orders on an NVIDIA H200 with 132 multiprocessors, by variables and parents, without the time to
# list the families: benchmarks/results/gpu.md.
MEASURED = {(21, 4): 0.052, (25, 4): 0.086, (25, 6): 0.17, (29, 4): 0.37, (31, 4): 1.38, (33, 4): 6.05, (34, 4): 12.1}
DAGS_MEASURED = {20: 0.047, 23: 0.443, 25: 3.54, 28: 94.6}


@pytest.fixture
def tried(monkeypatch):
    """The sums that are tried, each of which takes a second."""
    found = []

    def trial(run, n, max_parents, job):
        found.append((n, max_parents))
        return 1.0

    monkeypatch.setattr(cpu_seconds, "_trial_seconds", trial)
    return found


@pytest.mark.parametrize(
    ("over", "n", "max_parents", "trial"),
    [
        ("dags", 9, 8, (9, None)),
        ("dags", 16, 4, (16, None)),
        ("dags", 17, 4, (13, None)),
        ("dags", 25, 4, (16, None)),
        ("orders", 17, 16, (13, None)),
        ("orders", 24, 23, (17, None)),
        ("orders", 16, 4, (16, 4)),
        ("orders", 20, 4, (16, 4)),
        ("orders", 31, 4, (19, 4)),
        # Fewer variables if there are many families.
        ("orders", 31, 8, (16, 8)),
    ],
)
def test_trials_are_small_sums_of_the_same_kind(tried, over, n, max_parents, trial):
    estimate = cpu_seconds.dag_seconds if over == "dags" else cpu_seconds.order_seconds
    seconds = estimate(SumSize(n, max_parents, 1), BACKENDS[over, "cpu"].run)
    # A second one tells what does not grow.
    assert tried == ([trial] if n == trial[0] else [trial, (trial[0] - 3, trial[1])])
    more = n - trial[0]
    assert 0.1 * 2**more <= seconds < 3 ** (more + 1) * (n / trial[0]) ** 2


def test_a_trial_is_made_once_in_a_process(monkeypatch):
    calls = []
    monkeypatch.setattr(cpu_seconds, "run_seconds", lambda run, weights, job: calls.append(weights.n) or 1.0)

    def run(weights, job):
        raise AssertionError

    sizes = (SumSize(30, 4, 1), SumSize(31, 4, 1), SumSize(30, 4, 2))
    found = [cpu_seconds.order_seconds(size, run) for size in sizes]
    # Other threads are another trial.
    assert calls == [19, 16, 19, 16]
    assert found[1] > 1.9 * found[0] > 0


@pytest.mark.parametrize("start", [0.0, 0.02])
def test_the_start_of_threads_does_not_grow(monkeypatch, start):
    def took(run, n, max_parents, job):
        return start + 1e-8 * n * 2.0**n

    monkeypatch.setattr(cpu_seconds, "_trial_seconds", took)
    monkeypatch.setattr(cpu_seconds, "_PREPARATION_SECONDS", 0.0)
    for n in (16, 20, 25, 31):
        assert cpu_seconds.order_seconds(SumSize(n, 4, 16), None) == pytest.approx(took(None, n, 4, None))


@pytest.mark.parametrize("smaller", [0.0, 0.5, 2.0])
def test_noise_of_the_smaller_trial_is_limited(monkeypatch, smaller):
    monkeypatch.setattr(cpu_seconds, "_trial_seconds", lambda run, n, *_: 1.0 if n == 19 else smaller)
    grown = 2.0**12 * 31 / 19
    assert 0.1 * grown < cpu_seconds.order_seconds(SumSize(31, 4, 2), None) < 1.1 * grown


@pytest.mark.parametrize("max_parents", [None, 2])
def test_the_weights_of_trials_are_those_of_real_sums(max_parents):
    weights = timing.random_weights(11, max_parents)
    columns = 1 << 10 if max_parents is None else set_count(11, 2)
    assert weights.values.shape == (11, columns)
    possible = weights.values != IMPOSSIBLE
    for child in range(11):
        own = weights.sets(child) >> np.uint64(child) & np.uint64(1) == 1
        np.testing.assert_array_equal(possible[child], ~own)
    found = BACKENDS["orders", "cpu"].run(weights, Job(timing.TRIAL_BITS, 1))
    assert 0 <= found.edges.min() <= found.edges.max() <= 1


def test_the_time_of_arranging_grows_with_the_number_of_weights(monkeypatch):
    monkeypatch.setattr(timing, "best_seconds", lambda work: work() or 3.0)

    def arrange(scores, n, prior_only, threads, limit):
        return FamilyWeights(np.zeros((3, 5), dtype=np.int64), 0, None)

    assert timing.arranging_seconds(arrange, 30) == pytest.approx(6.0)


@pytest.mark.parametrize(("seconds", "runs"), [(1.0, 2), (0.011, 2), (0.006, 4), (0.0, 8)])
def test_short_trials_are_repeated(monkeypatch, seconds, runs):
    now = [100.0]
    monkeypatch.setattr(timing.time, "perf_counter", lambda: now[0])
    calls = []

    def work():
        calls.append(None)
        # The first time takes longer.
        now[0] += seconds * (1.1 if len(calls) == 1 else 1)

    assert timing.best_seconds(work) == pytest.approx(seconds)
    assert len(calls) == runs


def test_steps_on_a_gpu_predict_measured_times():
    """One rate, taken from a sum as small as that of a trial, predicts much larger sums within a factor of two."""
    start = 0.045
    rate = (MEASURED[21, 4] - start) / order_sum_steps(21, 4, 132) * 2
    for (n, max_parents), seconds in MEASURED.items():
        assert 0.5 < (start + rate * order_sum_steps(n, max_parents, 132)) / seconds < 2, (n, max_parents)
    per_step = DAGS_MEASURED[23] / dag_sum_steps(23, 132)
    for n, seconds in DAGS_MEASURED.items():
        assert 0.5 < (0.02 + per_step * dag_sum_steps(n, 132)) / seconds < 2, n


def test_a_gpu_with_more_processors_takes_fewer_steps_until_it_is_not_full():
    assert order_sum_steps(30, 4, 64) > 1.9 * order_sum_steps(30, 4, 128)
    assert dag_sum_steps(24, 64) > 1.9 * dag_sum_steps(24, 128)
    # With few variables, there are not enough blocks for all.
    assert dag_sum_steps(12, 64) == dag_sum_steps(12, 128)
    assert order_sum_steps(18, 4, 64) < 1.01 * order_sum_steps(18, 4, 128)


@pytest.mark.parametrize(("over", "per_step"), [("dags", 4e-6), ("orders", 5e-11)])
def test_two_trials_calibrate_the_gpu_that_is_here(monkeypatch, over, per_step):
    monkeypatch.setattr(device, "processor_count", lambda: 80)
    tried = []

    def trial(n, max_parents, run):
        tried.append(n)
        return 0.003 + per_step * cuda_seconds._steps(over, n, max_parents)

    monkeypatch.setattr(cuda_seconds, "_trial_seconds", trial)

    def run(weights, job):
        raise AssertionError

    for n, max_parents in ((17, 16), (24, 4), (29, 6)):
        expected = 0.003 + per_step * cuda_seconds._steps(over, n, max_parents)
        assert cuda_seconds.seconds_here(n, max_parents, over, run) == pytest.approx(expected)
    # Once in a process.
    assert len(tried) == 2


def test_noise_does_not_make_large_sums_free(monkeypatch):
    monkeypatch.setattr(device, "processor_count", lambda: 80)
    monkeypatch.setattr(cuda_seconds, "_trial_seconds", lambda n, *_: 0.05 if n < 15 else 0.04)
    assert cuda_seconds.seconds_here(34, 4, "orders", lambda weights, job: None) > 1
    assert cuda_seconds.seconds_here(2000, 4, "dags", lambda weights, job: None) > 1e100
