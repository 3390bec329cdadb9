"""Run the same program with both builds of the kernels."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

_BEFORE = "import hashlib, numpy as np, dagscape as ds; from dagscape.core import kernels\n"
_AFTER = "print(kernels.name, hashlib.sha256(b''.join(parts)).hexdigest())"

_BASELINE, _FASTER = "baseline", "x86-64-v3"


def assert_same_bits(program: str) -> None:
    """Run a program that stores bytes in ``parts`` with both builds, and compare them."""
    built, digest = _run(program, "")
    if built == _BASELINE:
        pytest.skip(f"this processor or platform runs no build but {_BASELINE!r}: there is nothing to compare")
    assert built == _FASTER
    assert _run(program, _BASELINE) == [_BASELINE, digest]


def _run(program: str, build: str) -> list[str]:
    """Return the name of the build that ran, and the digest of the stored bytes."""
    command = [sys.executable, "-c", _BEFORE + program + _AFTER]
    environment = os.environ | {"DAGSCAPE_CPU": build}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return run.stdout.split()
