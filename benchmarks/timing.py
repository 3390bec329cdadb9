"""Times of benchmarks, and the machine that they are of."""

from __future__ import annotations

import importlib.util
import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

Value = TypeVar("Value")


class Times(NamedTuple):
    """Seconds by the clock, and seconds of the processors."""

    wall: float
    cpu: float


def timed(work: Callable[[], Value]) -> tuple[Times, Value]:
    """The times of one call, and its result."""
    wall, cpu = time.perf_counter(), time.process_time()
    value = work()
    return Times(time.perf_counter() - wall, time.process_time() - cpu), value


def best_times(repeats: int, work: Callable[[], Value]) -> tuple[Times, Value]:
    """The shortest of several times by each clock, and the last result."""
    runs = [timed(work) for _ in range(repeats)]
    return Times(*(min(column) for column in zip(*(times for times, _ in runs), strict=True))), runs[-1][1]


def best_of(repeats: int, work: Callable[[], Value]) -> tuple[float, Value]:
    """The shortest of several times, in seconds, and the last result."""
    times, value = best_times(repeats, work)
    return times.wall, value


def is_installed(peer: str) -> bool:
    """Whether a package to compare with is there; the extra ``bench`` has them."""
    return importlib.util.find_spec(peer) is not None


def machine() -> str:
    """The processor, and the number of available cores."""
    model = "unknown processor"
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), model)
    return f"{model}, {len(os.sched_getaffinity(0))} cores, Python {platform.python_version()}"
