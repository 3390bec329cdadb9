"""``dagscape plan``: its exit code, and what it says about jobs that do not fit."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dagscape as ds
from cli.running import run

JOB = ("plan", "builtin:tic-tac-toe", "--task", "posterior")


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["20KiB", "2GiB"])
def test_the_exit_code_says_whether_it_fits(capfd, limit):
    fits = limit == "2GiB"
    code, out, err = run(capfd, *JOB, "--max-memory", limit)
    assert (code, err) == (0 if fits else 4, "")
    assert ("It fits" in out) == fits
    assert ("Advice: " in out) != fits
    code, out, err = run(capfd, *JOB, "--max-memory", limit, "--json")
    assert (code, err) == (0 if fits else 4, "")
    document = json.loads(out)
    assert document["fits"] == fits
    assert document["memory"] == max(step["memory"] for step in document["steps"])
    assert document["seconds"] == pytest.approx(sum(step["seconds"] for step in document["steps"]))
    assert document["refusal"] == ""


@pytest.fixture(scope="module")
def wide():
    return ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (50, 80)))


def test_a_plan_that_takes_too_long_is_saved(wide, tmp_path):
    planned = ds.plan(wide, "posterior")
    assert planned.seconds == np.inf
    planned.save(tmp_path / "plan.json")
    read = ds.load_result(tmp_path / "plan.json")
    assert read == planned
    assert read.seconds == np.inf
    assert repr(read) == repr(planned)
    assert "too long to estimate; exact sums over dags support up to 40 variables; there are 80" in repr(read)
    assert "inf" not in repr(read)


def test_a_plan_says_why_it_is_refused(wide):
    planned = ds.plan(wide, "modes", max_parents=2, max_memory="2GiB")
    assert repr(planned).endswith("; modes() takes up to 63 variables; there are 80)")
