"""Values that no option takes: each is refused with a sentence, or means something; no binding complains by itself."""

from __future__ import annotations

import contextlib
import inspect

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.core.resources import memory_limit, parse_bytes

ASIA = ds.load_network("asia")
DATA = ASIA.sample(60, seed=1).select(["asia", "tub", "smoke", "lung"])
SCORES = ds.local_scores(DATA)

# Functions, what they are called with, and the options to try.
FUNCTIONS = {
    ds.local_scores: ((DATA,), ["score", "ess", "max_parents", "structure_prior", "threads", "max_memory"]),
    ds.family_scores: ((DATA,), ["score", "ess", "max_parents", "structure_prior", "threads", "max_memory"]),
    ds.scores_from_joint: (
        (["a", "b"], [1.5, 2.5, 0.5, 4.0]),
        ["score", "max_parents", "required", "forbidden", "tiers", "rows", "threads", "max_memory"],
    ),
    ds.posterior: ((SCORES,), ["over", "via", "prior", "backend", "threads", "max_memory"]),
    ds.feature_probability: ((SCORES,), ["over", "backend", "threads", "max_memory"]),
    ds.optimal_network: ((SCORES,), ["ties", "threads", "max_memory"]),
    ds.k_best: ((SCORES,), ["k", "space", "within", "threads", "max_memory"]),
    ds.iter_best: ((SCORES,), ["space", "threads", "max_memory"]),
    ds.modes: (
        (SCORES,),
        ["k", "delta", "distinct", "bound", "groups", "grouping", "seed", "max_seconds", "threads", "max_memory"],
    ),
    ds.plan: ((DATA,), ["task", "score", "ess", "max_parents", "threads", "max_memory"]),
    ds.summarize_scores: ((SCORES,), ["top"]),
    ds.random_dag: ((5,), ["expected_parents", "max_parents", "seed"]),
    ds.uniform_dag: ((5,), ["seed"]),
    ds.discretize: ((pd.DataFrame({"x": [0.5, 1.5, 2.5, 3.5]}),), ["method", "bins", "class_column", "missing"]),
    ASIA.sample: ((), ["rows"]),
    ds.Network.sample: ((ASIA, 5), ["seed"]),
}

VALUES = [
    10**20,
    10**400,
    2**63,
    2**64,
    -1,
    0,
    2.0,
    1.5,
    float("nan"),
    float("inf"),
    True,
    None,
    "",
    "x",
    "1e3",
    "99999999999999TiB",
    b"1",
    [1],
    (),
    np.int64(2),
    np.uint8(1),
    np.float64(2),
    np.bool_(True),
    np.array([1, 2]),
    np.array(["a", "b"]),
]


@pytest.mark.parametrize(
    ("function", "option"),
    [(function, option) for function, (_, options) in FUNCTIONS.items() for option in options],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_no_binding_complains(monkeypatch, function, option):
    # Plans time short trials, which are not of interest here.
    monkeypatch.setattr("dagscape.scores.requirements.scoring_seconds", lambda job, threads, limit: 0.0)
    given, _ = FUNCTIONS[function]
    for value in VALUES:
        # Any other error is one that nobody has worded for users.
        with contextlib.suppress(ds.DagscapeError, ds.StoppedEarly):
            found = function(*given, **{option: value})
            if inspect.isgenerator(found):
                next(found)


@pytest.mark.parametrize("function", [f for f, (_, options) in FUNCTIONS.items() if "max_memory" in options])
def test_more_memory_than_there_is_means_no_limit(monkeypatch, function):
    monkeypatch.setattr("dagscape.scores.requirements.scoring_seconds", lambda job, threads, limit: 0.0)
    given, _ = FUNCTIONS[function]
    for size in (10**20, "99999999999999TiB", 10**400):
        assert function(*given, max_memory=size) is not None


def test_sizes_are_exact():
    assert parse_bytes(2**61 + 1) == 2**61 + 1
    assert memory_limit(10**30) == memory_limit("1" + "0" * 400) == 2**62
    for wrong in (0, "0GiB", "0.0", -1, True, float("nan"), float("inf"), "1e9", [1]):
        with pytest.raises(ds.InvalidOption, match="max_memory is"):
            memory_limit(wrong)


def test_a_structure_prior_is_not_a_flag():
    """Otherwise the name of a prior would make the sum ignore the data."""
    with pytest.raises(ds.InvalidOption, match="prior is 'uniform'; it must be True or False"):
        ds.posterior(SCORES, prior="uniform")
