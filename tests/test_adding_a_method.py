"""The example method in the documentation satisfies the contract of all methods."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from code_pages import files
from skeleton import PAGE

TESTS = Path(__file__).parent


@pytest.mark.slow
def test_the_skeleton_is_a_whole_method(tmp_path):
    (test,) = [path for path in files(PAGE) if "/test_" in path]
    own = tmp_path / Path(test).name
    own.write_text(files(PAGE)[test], encoding="utf-8")
    # The two tests of plans that do not fit are for methods whose memory grows exponentially; this one's does not.
    chosen = "single and not nothing_fits and not does_not_fit_names"
    suite = ["-p", "skeleton", "-c", TESTS.parent / "pyproject.toml", "-k", chosen, TESTS / "test_tasks.py", own]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *suite],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    passed = int(run.stdout.split(" passed")[0].split()[-1])
    assert passed > 40


@pytest.mark.slow
def test_the_skeleton_has_an_example_that_runs():
    program = (
        "import skeleton, sys; skeleton.pytest_configure(); import doctest; "
        "from dagscape.posterior import single_edges; "
        "found = doctest.testmod(single_edges); print(found.attempted); sys.exit(found.failed)"
    )
    environment = os.environ | {"PYTHONPATH": str(TESTS)}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    assert int(run.stdout) > 0
