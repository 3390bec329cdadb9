"""Running the same program on both builds of the kernels."""

from __future__ import annotations

import os
import subprocess
import sys

_BEFORE = "import hashlib, numpy as np, dagscape as ds; from dagscape import kernels\n"
_AFTER = "print(kernels.name, hashlib.sha256(b''.join(parts)).hexdigest())"


def assert_same_bits(program: str) -> None:
    """Run a program that leaves bytes in ``parts`` on both builds, and compare what it leaves."""
    outputs = []
    for build in ("", "baseline"):
        environment = os.environ | {"DAGSCAPE_CPU": build}
        command = [sys.executable, "-c", _BEFORE + program + _AFTER]
        run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        outputs.append(run.stdout.split())
    assert outputs[1][0] == "baseline"
    assert outputs[0][1] == outputs[1][1]
