"""Prerequisites learned from resampled students."""

from __future__ import annotations

import numpy as np
import pytest

import dagscape as ds
from dagscape.running import repetitions
from dagscape.studies.skill_bootstrap import StudentResampling, learn_resampled

SAMPLES = 6


@pytest.fixture(scope="module")
def simulated():
    return ds.simulate_students("a", 300, seed=1)


@pytest.fixture(scope="module")
def found(simulated):
    return ds.bootstrap_skills(simulated.answers, simulated.q_matrix, SAMPLES, restarts=1, workers=1)


def test_confidences_are_shares_of_the_networks(found):
    assert found.level == "dags"
    assert len(found) == SAMPLES
    assert np.array_equal(found.edges, np.mean([dag.to_adjacency() for dag in found.networks], axis=0))
    above = [
        [[child in dag.descendants(name) for child in dag.variables] for name in dag.variables]
        for dag in found.networks
    ]
    assert np.allclose(found.ancestors, np.mean(above, axis=0))
    assert found.adjacency("S1", "S2") > 0.5


@pytest.mark.slow
def test_the_result_does_not_depend_on_workers(simulated, found, monkeypatch):
    monkeypatch.setattr(repetitions, "_WORTH_WORKERS", 0.0)
    given = simulated.answers, simulated.q_matrix, SAMPLES
    assert ds.bootstrap_skills(*given, restarts=1, workers=2) == found
    assert ds.bootstrap_skills(*given, restarts=1, workers=1, seed=1) != found


def test_a_sample_has_as_many_students(simulated):
    job = StudentResampling(simulated.answers, simulated.q_matrix, {"restarts": 1})
    sample, info = learn_resampled(job, np.random.default_rng(1), np.inf)
    again, _ = learn_resampled(job, np.random.default_rng(1), np.inf)
    assert info.rows == 300
    assert sample == again


def test_constraints_hold_in_every_sample(simulated):
    constraints = {"required": [("S3", "S1")], "forbidden": [("S1", "S2")]}
    boot = ds.bootstrap_skills(simulated.answers, simulated.q_matrix, 4, restarts=1, workers=1, **constraints)
    assert boot.edge("S3", "S1") == 1
    assert boot.edge("S1", "S2") == 0


def test_it_survives_a_file(found, tmp_path):
    found.save(tmp_path / "boot.json")
    loaded = ds.load_result(tmp_path / "boot.json")
    assert loaded == found
    assert loaded.level == "dags"


@pytest.mark.slow
def test_it_ends_after_some_time(simulated):
    with pytest.warns(ds.StoppedEarly, match="the study reached max_seconds after"):
        ds.bootstrap_skills(simulated.answers, simulated.q_matrix, 5000, restarts=1, workers=1, max_seconds=1)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"samples": 0}, "samples is 0; it must be an integer of at least 1"),
        ({"threads": 2}, "threads is not an option here: choose the number of workers"),
        ({"workers": 0}, "workers is 0; it must be an integer of at least 1"),
        ({"restarts": 0}, "restarts is 0"),
        ({"max_seconds": 0}, "max_seconds is 0"),
    ],
)
def test_wrong_options(simulated, options, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.bootstrap_skills(simulated.answers, simulated.q_matrix, **{"workers": 1, **options})


def test_an_item_that_few_answered(simulated):
    """A sample in which nobody answered it is learned without it."""
    table = simulated.answers.table.copy()
    table[1:, 0] = -1
    answers = ds.Answers(simulated.answers.students, simulated.answers.items, table)
    boot = ds.bootstrap_skills(answers, simulated.q_matrix, 4, restarts=1, workers=1)
    assert len(boot) == 4
