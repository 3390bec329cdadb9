"""A few cases of every fuzzing target, and the harness itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from dagscape.core.errors import InvalidData
from fuzz.harness import Target, run
from fuzz.targets import all_targets

TARGETS = all_targets()


@pytest.fixture(scope="module")
def table():
    """The table that a run of all targets prints, by target, and the findings."""
    # A process of its own, because forking is safe only without threads, and other tests start some.
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1]), "OPENBLAS_NUM_THREADS": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "fuzz"], env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    return {
        row[0]: [int(cell.replace(",", "")) for cell in row[1:5]] for row in rows if row and row[0] in TARGETS
    }, done


@pytest.mark.slow
@pytest.mark.parametrize("name", TARGETS)
def test_hostile_input_is_used_or_refused(table, name):
    rows, done = table
    assert name in rows, done.stdout + done.stderr
    cases, used, refused, findings = rows[name]
    assert findings == 0, done.stdout
    assert cases == TARGETS[name].quick_cases
    assert used > 0, "nothing was accepted: the inputs are too damaged to test what comes after reading"
    assert refused > 0


def use_by_first_byte(path):
    kind = path.read_bytes()[:1]
    if kind == b"r":
        raise InvalidData("refused")
    if kind == b"e":
        raise KeyError("an error")
    if kind == b"c":
        os.abort()
    if kind == b"x":
        os._exit(3)
    if kind == b"m":
        bytearray(os.urandom(1 << 20)) * 40
    if kind == b"t":
        while True:
            time.monotonic()


def run_kinds(kinds: str, monkeypatch):
    """Run one case for each letter, with what would be the name of its random generator in place of the generator."""
    monkeypatch.setattr("fuzz.harness.Random", str)
    monkeypatch.setattr("fuzz.harness.SECONDS", 0.5)

    def make(name):
        return kinds[int(name.split(":")[-1])].encode()

    return run(Target("kinds", make, use_by_first_byte, ".txt", most_memory=20 << 20), len(kinds))


@pytest.mark.slow
def test_every_outcome_is_counted_and_the_run_goes_on(monkeypatch):
    outcome = run_kinds("urecuxmtu", monkeypatch)
    assert (outcome.used, outcome.refused) == (3, 1)
    assert [finding.number for finding in outcome.findings] == [2, 3, 5, 6, 7]
    problems = [finding.problem for finding in outcome.findings]
    assert "KeyError: 'an error'" in problems[0]
    assert problems[1] == "ended the process by SIGABRT"
    assert problems[2] == "ended the process with exit code 3"
    assert re.fullmatch(r"took (3|4)\d MiB; the limit is 20 MiB", problems[3])
    assert problems[4] == "took more than 0.5 s"
