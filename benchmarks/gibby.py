"""The program Gibby, a peer of the chains: its data files, its options, and its estimates by processor time.

The environment variable ``GIBBY`` has the path of the program, or it is on the ``PATH`` as ``gibby``. It is run
without burn-in and writes the averages of its edges every few iterations, while its processor time is watched. From two
averages follows the one of the iterations between them, so that any burn-in can be left out afterwards.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import dagscape as ds

# The share of the iterations that Gibby discards by default.
BURN_IN = 0.1

# Between two looks at the program, in seconds.
_PAUSE = 0.004


@dataclass(frozen=True)
class Moves:
    """What one iteration consists of: single-edge moves, reversals and resamplings of Markov blankets."""

    single: int = 10_000
    reversals: int = 200
    blankets: int = 100

    @property
    def options(self) -> list[str]:
        """The options of the program."""
        return ["-FBM", str(self.single), "-REV", str(self.reversals), "-MBR", str(self.blankets)]


THIN = Moves(1000, 20, 10)


@dataclass(frozen=True)
class Course:
    """How an estimate of all edges developed.

    Attributes
    ----------
    scoring : float
        Processor seconds before the first step.
    seconds : array of shape (k,)
        Processor seconds since the first step.
    edges : array of shape (k, n, n)
        The estimate after each of them; rows are parents.
    """

    scoring: float
    seconds: NDArray[np.float64]
    edges: NDArray[np.float64]

    def until(self, seconds: float) -> NDArray[np.float64] | None:
        """The last estimate that took no more than so many seconds."""
        taken = int(np.searchsorted(self.seconds, seconds, side="right"))
        return self.edges[taken - 1] if taken else None


def program() -> str | None:
    """The path of the program, if it is there."""
    return os.environ.get("GIBBY") or shutil.which("gibby")


def read(path: Path) -> ds.Dataset:
    """Read a data file: names, numbers of levels, then rows of codes."""
    names, sizes, *rows = (line.split() for line in path.read_text(encoding="ascii").splitlines() if line.strip())
    levels = {f"v{name}": [str(k) for k in range(int(size))] for name, size in zip(names, sizes, strict=True)}
    return ds.Dataset.from_codes(np.array(rows, dtype=np.int64), levels)


def run(path: Path, max_parents: int, seed: int, iterations: int, every: int, moves: Moves = THIN) -> Course:
    """Run the program under the uniform prior and BDeu with an equivalent sample size of 1, with its other defaults."""
    given = ["-d", str(max_parents), "-p", "0", "-e", "1", "-R", str(seed), "-burnin", "0", *moves.options]
    given += ["-iter", str(iterations), "-iPPE", str(every)]
    with tempfile.TemporaryDirectory() as folder:
        scoring, clock = _watched([str(program()), str(path.resolve()), *given], Path(folder))
        (averages,) = Path(folder, "results").glob("*_iPPE_*")
        text = averages.read_text(encoding="ascii")
    n = len(path.read_text(encoding="ascii").split("\n", 1)[0].split())
    means = np.array(text.split(), dtype=np.float64).reshape(-1, n, n)
    counts = every * np.arange(1, len(means) + 1)
    return Course(scoring, np.interp(counts, *clock), _without_burn_in(counts, means))


def seconds_per_iteration(path: Path, max_parents: int, moves: Moves = THIN, iterations: int = 200) -> float:
    """The processor seconds of an iteration, from a short run."""
    return float(run(path, max_parents, 1, iterations, iterations, moves).seconds[-1]) / iterations


def _without_burn_in(counts: NDArray[np.int64], means: NDArray[np.float64]) -> NDArray[np.float64]:
    """The averages without the first tenth of the iterations until then, rounded down to what was written."""
    total = counts[:, None, None] * means
    first = np.searchsorted(counts, BURN_IN * counts, side="right")
    before = np.concatenate([np.zeros((1, *means.shape[1:])), total])[first]
    left = counts - np.concatenate([[0], counts])[first]
    return (total - before) / left[:, None, None]


Clock = tuple[list[float], list[float]]


def _watched(command: list[str], folder: Path) -> tuple[float, Clock]:
    """Run the program; return the processor seconds of its scores, and those since then by the number of iterations."""
    (folder / "results").mkdir()
    with (folder / "out").open("wb") as out:
        process = subprocess.Popen(command, cwd=folder, stdout=out, stderr=subprocess.DEVNULL)
    used, scoring, lines = 0.0, None, 0
    clock: Clock = ([0.0], [0.0])
    scores = None
    while process.poll() is None:
        time.sleep(_PAUSE)
        used = _processor_seconds(process.pid) or used
        if scores is None:
            scores = next((folder / "results").glob("*_s_*"), None)
            scoring = used if scores is not None else None
            file = scores.open("rb") if scores is not None else None
        if file is not None and scoring is not None:
            lines += file.read().count(b"\n")
            clock[0].append(lines)
            clock[1].append(used - scoring)
    if process.returncode or scoring is None or file is None:
        raise SystemExit(f"Gibby failed: {' '.join(command)}")
    file.close()
    return scoring, clock


def _processor_seconds(process: int) -> float:
    """The processor time of a running process, as Linux counts it in nanoseconds."""
    try:
        return int(Path(f"/proc/{process}/schedstat").read_text(encoding="ascii").split()[0]) / 1e9
    except (OSError, IndexError):
        return 0.0
