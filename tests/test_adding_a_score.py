"""The example score in the documentation works with the files of its page alone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from code_pages import files
from score_skeleton import PAGE

TESTS = Path(__file__).parent


def run(*arguments: object, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
    )


@pytest.mark.slow
def test_the_score_passes_its_tests_and_those_of_all_scores(tmp_path):
    (test,) = [path for path in files(PAGE) if "/test_" in path]
    own = tmp_path / Path(test).name
    own.write_text(files(PAGE)[test], encoding="utf-8")
    suite = ["-p", "score_skeleton", "-c", TESTS.parent / "pyproject.toml", own]
    found = run("-m", "pytest", "-q", "-p", "no:cacheprovider", *suite, cwd=tmp_path)
    assert found.returncode == 0, found.stdout + found.stderr
    assert "3 passed" in found.stdout


def test_the_score_is_an_option_of_the_command_line(tmp_path):
    program = (
        "import score_skeleton; score_skeleton.pytest_configure(); from dagscape.cli.program.app import main; "
        "import sys; sys.exit(main(['score', 'builtin:iris', '--discretize', 'quantile', '--score', 'hannan-quinn', "
        "'--price', '2']))"
    )
    found = run("-c", program, cwd=tmp_path)
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith("Hannan–Quinn, price 2, 150 rows")
