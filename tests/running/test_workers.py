"""Worker processes: time limits and signals. That none is left behind is tested with a study."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from dagscape.running.workers import Workers, _without_signals
from worker_tasks import sleep


def test_a_time_limit_holds_for_all_workers_together():
    with Workers(3, None) as workers:
        # They have started when each has done a task.
        assert len(list(workers.run(sleep, [(0.0,)] * 3, lambda: float("inf")))) == 3
        start = time.monotonic()
        done = list(workers.run(sleep, [(60.0,)] * 3, lambda: 1.0))
        assert not done
        assert 1.0 <= time.monotonic() - start < 2.9


@pytest.fixture
def interruptible():
    """Ctrl-C raises KeyboardInterrupt, even if the tests were started to ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_signals_wait_while_workers_start():
    passed = False

    def interrupted():
        # The system may give a signal of the process to any thread that does not block it.
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        signal.raise_signal(signal.SIGINT)

    def start():
        nonlocal passed
        with _without_signals():
            thread = threading.Thread(target=interrupted)
            thread.start()
            thread.join()
            time.sleep(0.01)
            passed = True

    with pytest.raises(KeyboardInterrupt):
        start()
    assert passed
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not signal.pthread_sigmask(signal.SIG_BLOCK, []) & {signal.SIGINT}
