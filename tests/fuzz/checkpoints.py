"""``python -m fuzz.checkpoints --cases N``: resume from damaged checkpoints, here or on the ranks of ``mpiexec``.

A case is determined by its number. It passes if the resumed sum has the bits of an uninterrupted one, or if the
checkpoint is refused by a :class:`~dagscape.core.errors.DagscapeError`, on all ranks alike. Anything else is a finding:
other bits, another exception or warning, and of course the end of the process.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

import dagscape as ds
from dagscape.core.errors import DagscapeError, DagscapeWarning
from dagscape.posterior.mpi import library, order_sum
from fuzz.folders import KINDS, Folder, Scene

# Enough to have copies of all stages.
_COPIES = 60


@dataclass(frozen=True)
class Problem:
    """A sum, small enough to be repeated thousands of times, and its options."""

    name: str
    over: str
    variables: int
    options: dict[str, Any]

    def scores(self, seed: int) -> ds.LocalScores:
        """Return the scores of random data; another seed is another job."""
        rows = np.random.default_rng(seed).integers(0, 2, (60, self.variables))
        constraints = {"required": [("v0", "v1")]} if self.options.get("constrained") else {}
        data = ds.Dataset.from_array(rows, [f"v{i}" for i in range(self.variables)])
        return ds.local_scores(data, max_parents=2, **constraints)

    def posterior(self, scores: ds.LocalScores | None, folder: Path, **more: Any) -> ds.Posterior:
        """Return the sum, with its checkpoints in a folder."""
        options = {name: value for name, value in self.options.items() if name != "constrained"}
        return ds.posterior(scores, self.over, threads=1, checkpoint=folder, **options, **more)


HERE = (
    Problem("orders", "orders", 13, {"backend": "cpu"}),
    Problem("orders with constraints", "orders", 13, {"backend": "cpu", "constrained": True}),
    Problem("orders without a limit on parents", "orders", 8, {"backend": "cpu", "constrained": True}),
    Problem("DAGs", "dags", 9, {"backend": "cpu"}),
    Problem("DAGs with paths", "dags", 8, {"backend": "cpu", "via": "all", "constrained": True}),
)
ON_RANKS = (
    Problem("orders", "orders", 14, {"backend": "mpi"}),
    Problem("orders with constraints", "orders", 13, {"backend": "mpi", "constrained": True}),
)


class Ranks:
    """This process alone, or all ranks: what rank 0 knows is told to the others."""

    def __init__(self) -> None:
        launched = library.launched()
        self._world = library.load().COMM_WORLD if launched is not None and launched.size > 1 else None
        self.rank = self._world.rank if self._world is not None else 0
        self.size = self._world.size if self._world is not None else 1

    def tell(self, value: Callable[[], Any]) -> Any:
        """Return what a function returns on rank 0, on all ranks."""
        found = value() if self.rank == 0 else None
        return found if self._world is None else self._world.bcast(found)

    def gather(self, value: Any) -> list[Any]:
        """Return the values of all ranks, on all ranks."""
        return [value] if self._world is None else self._world.allgather(value)


@dataclass
class Bench:
    """A problem on all ranks: its bits, and its folder at several stages."""

    ranks: Ranks
    problem: Problem
    folder: Path
    expected: bytes = field(init=False)
    scene: Scene = field(init=False)

    def __post_init__(self) -> None:
        self.scores = self.ranks.tell(lambda: self.problem.scores(1))
        self.expected = self._bits(self.problem.posterior(self.scores, self.folder))
        stages = self._stages(1)
        others = [stage for seed in (2, 3) for stage in self._stages(seed)]
        self.scene = Scene(stages, others, self._copies())

    def case(self, kind: str, number: int) -> tuple[bool, str]:
        """Run one case: return whether it has been resumed with the same bits; and the problem, if there is one."""
        damaged = KINDS[kind](Random(f"{self.problem.name}:{kind}:{number}"), self.scene)
        self._fill(damaged)
        outcomes = self.ranks.gather(self._outcome())
        if len(set(outcomes)) > 1:
            return False, f"ranks differ: {outcomes}"
        return outcomes[0]

    def _outcome(self) -> tuple[bool, str]:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                warnings.simplefilter("ignore", DagscapeWarning)
                found = self._bits(self.problem.posterior(self.scores, self.folder))
        except DagscapeError:
            return False, ""
        except BaseException:
            return False, traceback.format_exc(limit=-6)
        return (True, "") if found == self.expected else (False, "other bits")

    def _fill(self, contents: Folder) -> None:
        """Replace the contents of the folder, before any rank goes on."""
        if self.ranks.rank == 0:
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir()
            for name, content in contents.items():
                (self.folder / name).write_bytes(content)
        self.ranks.gather(None)

    @staticmethod
    def _bits(found: ds.Posterior) -> bytes:
        arrays = [array for array in (found.edges, found.ancestors, found.paths) if array is not None]
        numbers = np.array([found.log_total, found.log_prior_total, found.error])
        return b"".join(array.tobytes() for array in (*arrays, numbers))

    def _stages(self, seed: int) -> list[Folder]:
        """Return the folder at different moments of a sum, in order."""
        scores = self.ranks.tell(lambda: self.problem.scores(seed))
        seen: list[Folder] = []

        def look(report: object) -> None:
            if (now := _contents(self.folder)) and (not seen or now != seen[-1]):
                seen.append(now)

        self._fill({})
        self.problem.posterior(scores, self.folder, checkpoint_seconds=0, progress=look)
        return self.ranks.tell(lambda: seen[:: max(1, len(seen) // 24)])

    def _copies(self) -> list[Folder]:
        """Return copies of the folder that another thread makes while the sum is running."""
        copies: list[Folder] = []
        while self.ranks.tell(lambda: len(copies) < _COPIES):
            self._fill({})
            ended = threading.Event()
            copier = threading.Thread(target=_copy_until, args=(ended, self.folder, copies))
            if self.ranks.rank == 0:
                copier.start()
            self.problem.posterior(self.scores, self.folder, checkpoint_seconds=0)
            ended.set()
            if self.ranks.rank == 0:
                copier.join()
        return self.ranks.tell(lambda: copies)


def _copy_until(ended: threading.Event, folder: Path, copies: list[Folder]) -> None:
    """Copy a folder again and again, each file in pieces and with pauses, as slow programs do."""
    rng = Random(len(copies))
    while not ended.is_set():
        copy: Folder = {}
        names = [path.name for path in _files(folder)]
        rng.shuffle(names)
        for name in names:
            with contextlib.suppress(FileNotFoundError), open(folder / name, "rb") as stream:
                half = stream.read(rng.choice((100, 20_000)))
                time.sleep(rng.choice((0, 0.001, 0.01)))
                copy[name] = half + stream.read()
        if copy:
            copies.append(copy)


def _files(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if not path.name.startswith("."))


def _contents(folder: Path) -> Folder:
    with contextlib.suppress(FileNotFoundError):
        return {path.name: path.read_bytes() for path in _files(folder)}
    return {}


@contextlib.contextmanager
def benches(ranks: Ranks) -> Iterator[list[Bench]]:
    """Yield the problems, on this machine or on ranks."""
    # Several blocks even for few variables.
    order_sum._BLOCK_BITS = range(10, 12)
    # Memory is as good as a disk for damaged files, and much faster.
    place = "/dev/shm" if Path("/dev/shm").is_dir() else None
    made = ranks.tell(lambda: tempfile.mkdtemp(prefix="checkpoints-", dir=place))
    try:
        problems = HERE if ranks.size == 1 else ON_RANKS
        yield [Bench(ranks, problem, Path(made, f"{number}")) for number, problem in enumerate(problems)]
    finally:
        if ranks.rank == 0:
            shutil.rmtree(made, ignore_errors=True)


def main() -> int:
    """Run the cases and print a table by kind of damage; return 1 if there are findings."""
    parser = argparse.ArgumentParser(prog="fuzz.checkpoints", description=__doc__)
    parser.add_argument("--cases", type=int, default=60)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    given = parser.parse_args()
    ranks = Ranks()
    same: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    findings: list[tuple[str, str]] = []
    with benches(ranks) as all_benches:
        for number in range(given.first, given.first + given.cases):
            kind = list(KINDS)[number % len(KINDS)]
            bench = all_benches[number // len(KINDS) % len(all_benches)]
            resumed, problem = bench.case(kind, number)
            if problem:
                findings.append((kind, f"case {number} ({bench.problem.name}, {kind}): {problem}"))
            else:
                (same if resumed else refused)[kind] += 1
    if ranks.rank == 0:
        _tell(same, refused, findings)
    return int(bool(findings))


def _tell(same: Counter[str], refused: Counter[str], findings: list[tuple[str, str]]) -> None:
    print(f"{'damage':<24}{'same bits':>12}{'refused':>12}{'findings':>12}")
    found = Counter(kind for kind, _ in findings)
    for kind in KINDS:
        print(f"{kind:<24}{same[kind]:>12,}{refused[kind]:>12,}{found[kind]:>12,}")
    print(f"{'all':<24}{same.total():>12,}{refused.total():>12,}{len(findings):>12,}")
    for _, finding in findings[:20]:
        print(finding)


if __name__ == "__main__":
    sys.exit(main())
