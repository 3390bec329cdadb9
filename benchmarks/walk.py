"""The way of one command through the package: what is imported, what is called, and what is done more than once.

python -m benchmarks.walk [COMMAND ARGUMENT …]        (default: posterior house_votes_84.csv --missing level)
python -m benchmarks.walk all [COMMAND ARGUMENT …]    (also lists all functions that are called more than once)

The command runs in this process under a profiler. Functions are found by patterns of their names, so that one file
serves versions that keep them in other modules.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import re
import runpy
import sys
import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType

from benchmarks import SHARED

VOTES = SHARED / "sets" / "house_votes_84.csv"

PACKAGE = "dagscape"

# What a command should do once, and the names of the functions that do it.
STEPS = {
    "prepare the scores": r"prepare_sample",
    "find the back end": r"find_backend|choose_backend",
    "probe back ends": r"SumBackend\.(check_device|is_preferred|check_available)|installed|free_memory|.*\bprobe\w*",
    "look for ranks": r"launched(_rank|_size)?|_?many_ranks",
    "ask for free memory": r"available_memory",
    "find the limit of memory": r"memory_limit",
    "count processors": r"thread_count",
    "read the data": r"read_data|read_table",
    "make a data set": r"as_dataset|as_data",
    "hash the data": r".*fingerprint",
    "find the score": r"find_score",
    "number the constraints": r"edge_constraints",
    "estimate what is needed": r"(\w*_)?requirements(_of)?",
    "check what is needed": r"Requirements\.check",
}

HASHES = re.compile(r"(openssl_)?(sha\d+|blake2.|md5)")


class Walk:
    """Counts of calls, while it is the profiler of all threads."""

    def __init__(self) -> None:
        self.imported: Counter[str] = Counter()
        self.called: Counter[str] = Counter()
        self.hashes = 0
        self._importing = 0

    def __call__(self, frame: FrameType, event: str, argument: object) -> None:
        """Count an event of the interpreter."""
        if event == "c_call" and self._is_ours(frame):
            self.hashes += HASHES.fullmatch(getattr(argument, "__name__", "")) is not None
        elif event in ("call", "return") and self._is_ours(frame):
            if frame.f_code.co_name == "<module>":
                self._importing += 1 if event == "call" else -1
            elif event == "call" and _is_function(frame.f_code):
                counter = self.imported if self._importing else self.called
                counter[f"{frame.f_globals['__name__']}:{frame.f_code.co_qualname}"] += 1

    @staticmethod
    def _is_ours(frame: FrameType) -> bool:
        return str(frame.f_globals.get("__name__", "")).partition(".")[0] == PACKAGE

    def matching(self, pattern: str) -> dict[str, int]:
        """The functions with such names, and how often each was called."""
        return {name: n for name, n in self.called.items() if re.fullmatch(pattern, name.partition(":")[2])}


def _is_function(code: CodeType) -> bool:
    """Whether the code is that of a written function, not of a class, a comprehension or a method of a dataclass."""
    return bool(code.co_flags & inspect.CO_OPTIMIZED) and "<" not in code.co_name + code.co_filename


def walked(run: Callable[[], int]) -> tuple[Walk, int]:
    """What was called, and the exit code."""
    walk = Walk()
    threading.setprofile(walk)
    sys.setprofile(walk)
    try:
        code = run()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return walk, code


def main(arguments: list[str], *, every: bool) -> None:
    opened: Counter[str] = Counter()
    sys.addaudithook(lambda event, given: opened.update([str(given[0])]) if event == "open" else None)
    shown = io.StringIO()

    def run() -> int:
        sys.argv = [PACKAGE, *arguments]
        with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
            try:
                runpy.run_module(PACKAGE, run_name="__main__", alter_sys=True)
            except SystemExit as end:
                return int(end.code or 0)
        return 0

    walk, code = walked(run)
    modules = sorted(name for name in sys.modules if name.partition(".")[0] == PACKAGE)
    print(f"dagscape {' '.join(Path(word).name if Path(word).exists() else word for word in arguments)}")
    print(f"exit code {code}, {len(shown.getvalue().splitlines())} lines")
    print(f"modules imported: {len(modules)}")
    print(f"functions called: {len(walk.called)}, and {len(walk.imported)} while modules were imported")
    for word in arguments:
        if Path(word).exists():
            print(f"{Path(word).name} opened: {opened[word]}")
    print(f"hashes begun: {walk.hashes}")
    for step, pattern in STEPS.items():
        found = walk.matching(pattern)
        print(f"{step}: {sum(found.values())}")
        show(found)
    if every:
        print("called more than once:")
        show({name: count for name, count in walk.called.items() if count > 1})


def show(found: dict[str, int]) -> None:
    for name, count in sorted(found.items(), key=lambda item: (-item[1], item[0])):
        print(f"  {count:>4}  {name}")


if __name__ == "__main__":
    every = sys.argv[1:2] == ["all"]
    main(sys.argv[1 + every :] or ["posterior", str(VOTES), "--missing", "level"], every=every)
