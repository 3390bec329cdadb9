"""What every back end promises: the results of the CPU within the stated errors, the same bits each time."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dagscape as ds
from dagscape.posterior.backends import BACKENDS

# The CPU is compared with slow versions and with high precision elsewhere.
OTHERS = [key for key in BACKENDS if key[1] != "cpu"]


@pytest.fixture(params=OTHERS, ids="-".join)
def backend(request):
    record = BACKENDS[request.param]
    if missing := record.missing():
        pytest.skip(missing)
    return record


def random_data(n, rows, seed, arity=3):
    """Rows in which each variable copies an earlier one most of the time."""
    random = np.random.default_rng(seed)
    codes = random.integers(0, arity, (rows, n))
    for v in range(1, n):
        copied = random.random(rows) < 0.7
        codes[copied, v] = codes[copied, random.integers(v)]
    return ds.Dataset.from_array(codes, [f"v{i}" for i in range(n)])


def random_scores(n, span, seed, impossible=0.0):
    """A table of scores that span many nats; some families are impossible, but never all of a variable."""
    random = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(n)]
    families = {}
    for v, name in enumerate(names):
        others = names[:v] + names[v + 1 :]
        pairs = [(a, b) for i, a in enumerate(others) for b in others[i + 1 :]]
        sets = [(), *((other,) for other in others), *pairs]
        kept = [parents for parents in sets if random.random() >= impossible] or [()]
        families[name] = {parents: -span * random.random() for parents in kept}
    return ds.FamilyTable(families, complete=True)


PROBLEMS = {
    "fewer variables than a tile": lambda: ds.local_scores(random_data(3, 30, 1)),
    "one variable": lambda: ds.FamilyTable({"a": {(): -1.5}}, complete=True),
    "all parents": lambda: ds.local_scores(random_data(11, 60, 2)),
    "few parents": lambda: ds.local_scores(random_data(13, 100, 3), max_parents=3),
    "no parents": lambda: ds.local_scores(random_data(11, 50, 4), max_parents=0),
    "many rows": lambda: ds.local_scores(random_data(12, 20_000, 5), max_parents=3),
    "constraints": lambda: ds.local_scores(
        random_data(12, 500, 6), max_parents=3, required=[("v0", "v3"), ("v10", "v11")], forbidden=[("v1", "v2")]
    ),
    "narrow scores": lambda: random_scores(12, 5.0, 7),
    "wide scores": lambda: random_scores(12, 5000.0, 8),
    "impossible families": lambda: random_scores(11, 300.0, 9, impossible=0.5),
    "real data": lambda: ds.local_scores(ds.load_dataset("tic-tac-toe")),
    "more than one choice of the top variables": lambda: ds.local_scores(random_data(18, 40, 10, 2), max_parents=2),
}  # fmt: skip


@pytest.mark.parametrize("problem", PROBLEMS)
def test_results_are_those_of_the_cpu(backend, problem):
    scores = PROBLEMS[problem]()
    found = ds.posterior(scores, backend.over, backend=backend.name)
    expected = ds.posterior(scores, backend.over, backend="cpu")
    tolerance = found.error + expected.error
    assert tolerance < 1e-9
    assert found.log_total == pytest.approx(expected.log_total, abs=tolerance, rel=1e-12)
    assert found.log_prior_total == pytest.approx(expected.log_prior_total, abs=1e-9, rel=1e-12)
    np.testing.assert_allclose(found.edges, expected.edges, atol=tolerance, rtol=0)
    if backend.ancestors:
        np.testing.assert_allclose(found.ancestors, expected.ancestors, atol=tolerance, rtol=0)
    assert found.provenance.backend.startswith(f"{backend.name}: {backend.engine()}")


def test_results_are_the_same_bits_each_time(backend):
    scores = ds.local_scores(random_data(17, 80, 11, 2), max_parents=3)
    found = [ds.posterior(scores, backend.over, backend=backend.name, threads=threads) for threads in (1, 2)]
    assert np.array_equal(found[0].edges, found[1].edges)
    assert found[0].log_total == found[1].log_total


def test_the_prior_alone(backend):
    scores = ds.local_scores(random_data(11, 60, 12))
    found = ds.posterior(scores, backend.over, prior=True, backend=backend.name)
    expected = ds.posterior(scores, backend.over, prior=True, backend="cpu")
    np.testing.assert_allclose(found.edges, expected.edges, atol=found.error + expected.error, rtol=0)


def test_features(backend):
    scores = ds.local_scores(random_data(11, 60, 13))
    feature = {"required": [("v0", "v1")], "forbidden": [("v2", "v3")], "parents": {"v4": []}, "over": backend.over}
    found = ds.feature_probability(scores, **feature, backend=backend.name)
    expected = ds.feature_probability(scores, **feature, backend="cpu")
    assert found == pytest.approx(expected, abs=found.error + expected.error)
    never = ds.feature_probability(
        scores, required=[("v0", "v1"), ("v1", "v0")], over=backend.over, backend=backend.name
    )
    assert never == 0


def test_totals_without_a_backward_pass(backend):
    scores = ds.local_scores(random_data(17, 50, 15, 2), max_parents=2)
    seen = {}
    feature = {"required": [("v0", "v1")], "forbidden": [("v2", "v16")], "over": backend.over}
    found = ds.feature_probability(
        scores, **feature, backend=backend.name, progress=lambda report: seen.update({report.task: report})
    )
    expected = ds.feature_probability(scores, **feature, backend="cpu")
    assert found == pytest.approx(expected, abs=found.error + expected.error)
    assert 0 < found.error < 1e-6
    assert len(seen) == 2
    assert all(report.done == report.total for report in seen.values())


def test_nothing_to_sum_is_an_error(backend):
    cycle = ds.FamilyTable({"a": {("b",): 0.0}, "b": {("a",): 0.0}}, complete=True)
    with pytest.raises(ds.InvalidData, match="nothing to sum"):
        ds.posterior(cycle, backend.over, backend=backend.name)


def test_progress_rises_to_its_total_and_can_stop_the_sum(backend):
    scores = ds.local_scores(random_data(17, 50, 14, 2), max_parents=2)
    seen = []
    ds.posterior(scores, backend.over, backend=backend.name, progress=lambda report: seen.append(report))
    done = [report.done for report in seen if report.task == f"Summing over {backend.over}"]
    assert done == sorted(done)
    assert done[-1] == seen[0].total
    assert len(done) > 1

    def stop(report):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ds.posterior(scores, backend.over, backend=backend.name, progress=stop)
    # The device is usable afterwards.
    assert math.isfinite(ds.posterior(scores, backend.over, backend=backend.name).log_total)
