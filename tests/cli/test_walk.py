"""The way of a command through the package: nothing is prepared, probed or hashed twice."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# What is done once for each step of the work: scores, the sum, and the samples of compelled edges. Whether samples
# can be afforded is estimated, and not checked. An estimate of a sum is two functions.
ONCE_EACH = {"estimate what is needed": 6, "check what is needed": 2}

# The command reads data, which the function takes, and both make them of the kind that the score asks for. A reader
# turns the limit that it is given into bytes.
OTHERS = {
    "make a data set": 4,
    "find the score": 3,
    "find the limit of memory": 3,
    "count processors": 2,
}


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / "benchmarks").exists(), reason="source distributions have no benchmarks")
def test_a_posterior_does_everything_once(tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("a,b,c\nx,y,x\ny,y,x\nx,x,y\ny,x,x\n")
    walk = [sys.executable, "-m", "benchmarks.walk", "posterior", str(table), "--settings", "fixed"]
    out = subprocess.run(walk, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    counts = {name: int(count) for name, count in re.findall(r"^([a-z ]+): (\d+)$", out, re.MULTILINE)}
    assert "exit code 0, " in out
    assert "table.csv opened: 1\n" in out
    assert counts.pop("modules imported") > 100
    # So few variables are not worth a look at other back ends.
    assert counts.pop("probe back ends") == 0
    assert counts == {name: (ONCE_EACH | OTHERS).get(name, 1) for name in counts}
    assert {"prepare the scores", "find the back end", "look for ranks", "hash the data", "hashes begun"} <= set(counts)
