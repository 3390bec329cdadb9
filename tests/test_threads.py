"""Kernels and progress bars where the system provides no threads, or no memory for them."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import threading
from contextlib import contextmanager

import numpy as np
import pytest

import dagscape as ds

NOBODY = 65534


@contextmanager
def no_threads():
    """Forbid new threads, as for a user who has all that are allowed."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NPROC)
    root = os.geteuid() == 0
    if root:
        # The limit is not for root.
        os.setresuid(NOBODY, NOBODY, 0)
    resource.setrlimit(resource.RLIMIT_NPROC, (0, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NPROC, (soft, hard))
        if root:
            os.setresuid(0, 0, 0)


def test_without_threads():
    data = ds.load_dataset("tic-tac-toe")
    with ds.progress_bar() as progress:
        assert progress is not None
    expected = ds.posterior(ds.local_scores(data, max_parents=2, threads=4), threads=4)
    with no_threads():
        with pytest.raises(RuntimeError, match="can't start new thread"):
            threading.Thread(target=print).start()
        found = ds.posterior(ds.local_scores(data, max_parents=2, threads=4), threads=4)
        with ds.progress_bar() as progress:
            assert progress is None
    assert np.array_equal(found.edges, expected.edges)


@pytest.mark.slow
def test_sums_without_threads_can_be_stopped():
    """A sum of seconds calls its progress function meanwhile, and ends when that fails."""
    columns = np.random.default_rng(1).integers(0, 2, (50, 19))
    scores = ds.local_scores(ds.Dataset.from_array(columns), threads=1)
    seen = []

    def stop(progress: ds.Progress) -> None:
        seen.append(progress)
        raise TimeoutError

    with no_threads(), pytest.raises(TimeoutError):
        ds.posterior(scores, progress=stop)
    assert len(seen) == 1
    assert seen[0].done < seen[0].total


SHORT_OF_MEMORY = """
import os, resource, sys
import dagscape as ds
scores = ds.local_scores(ds.load_dataset("tic-tac-toe"), max_parents=3, threads=1)
for extra in range(8192, 8192 + 600, 12):
    child = os.fork()
    if child == 0:
        used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + extra * 1024,) * 2)
        try:
            ds.posterior(scores, threads=64)
        except MemoryError:
            pass
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status:
        print(extra, os.waitstatus_to_exitcode(status))
"""


@pytest.mark.slow
def test_memory_for_one_thread_but_not_for_its_exceptions():
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1"}
    found = subprocess.run([sys.executable, "-c", SHORT_OF_MEMORY], env=environment, capture_output=True, text=True)
    assert (found.returncode, found.stdout, found.stderr) == (0, "", "")
