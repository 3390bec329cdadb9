"""Timing and printing for benchmarks."""

from __future__ import annotations

import os
import platform
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

Value = TypeVar("Value")

SHARED = Path(__file__).resolve().parents[2] / "shared" / "data"


def best_of(repeats: int, work: Callable[[], Value]) -> tuple[float, Value]:
    """The shortest of several times, in seconds, and the result."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        value = work()
        times.append(time.perf_counter() - start)
    return min(times), value


def machine() -> str:
    """The processor, and the number of available cores."""
    model = "unknown processor"
    if Path("/proc/cpuinfo").exists():
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
        model = next((line.split(":")[1].strip() for line in lines if line.startswith("model name")), model)
    return f"{model}, {len(os.sched_getaffinity(0))} cores, Python {platform.python_version()}"
