"""The accuracy of posteriors, and their reported errors."""

from __future__ import annotations

import numpy as np
import pytest

import dagscape as ds
from oracles.high_precision import posterior_in_50_digits


def near_copies(variables, rows, seed):
    """Return data in which each variable is a noisy copy of an earlier one: scores span tens of thousands of nats."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, rows)]
    for _ in range(variables - 1):
        source = columns[rng.integers(len(columns))]
        columns.append(np.where(rng.random(rows) < 0.01, 1 - source, source))
    return ds.Dataset.from_array(np.column_stack(columns))


DATA = {
    "independent": lambda: ds.Dataset.from_array(np.random.default_rng(2).integers(0, 2, (60, 7))),
    "one row": lambda: ds.Dataset.from_array(np.zeros((1, 6), dtype=int), keep_constant=True),
    "near copies": lambda: near_copies(8, 200_000, 3),
    "asia": lambda: ds.load_network("asia").sample(300, seed=1),
}


@pytest.mark.parametrize("name", DATA)
def test_agrees_with_50_digits_and_the_error_bounds_the_difference(name):
    scores = ds.local_scores(DATA[name]())
    found = ds.posterior(scores)
    log_total, edges, ancestors = posterior_in_50_digits(scores)
    differences = [float(abs(found.log_total - log_total)) / max(1.0, abs(found.log_total))]
    for matrix, exact in ((found.edges, edges), (found.ancestors, ancestors)):
        differences += [float(abs(matrix[u, v] - exact[u][v])) for u in range(scores.n) for v in range(scores.n)]
    assert max(differences) < 1e-10
    assert max(differences) <= found.error


@pytest.mark.parametrize("over", ["dags", "orders"])
def test_near_copies_with_many_rows(over):
    """Scores span tens of thousands of nats: nothing underflows, and near copies are adjacent."""
    scores = ds.local_scores(near_copies(12, 200_000, 1), max_parents=4)
    families = scores.families(1)
    assert families.scores.max() - families.scores.min() > 20_000
    found = ds.posterior(scores, over)
    assert np.isfinite(found.log_total)
    assert np.isfinite(found.edges).all()
    assert found.error < 1e-9
    joined = found.edges + found.edges.T
    assert joined[0, 1] == pytest.approx(1.0, abs=1e-9)
    if over == "dags":
        assert np.all(found.ancestors >= found.edges - 1e-9)


def test_cytometry(shared_data):
    """The expected values are those of an independent program."""
    data = ds.read_data(shared_data / "sets/sachs_interventional.csv.gz", interventions="INT")
    found = ds.posterior(ds.local_scores(data))
    assert found.log_total == pytest.approx(-31696.915944, abs=1e-5)
    assert int((found.ancestors > 0.95).sum()) == 45
    assert not ((found.ancestors > 0.03) & (found.ancestors < 0.95)).any()
    changed = ds.posterior(ds.local_scores(data, interventions="mechanism"))
    assert int((changed.ancestors > 0.95).sum()) == 44
