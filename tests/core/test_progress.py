"""Progress as lines, for output that is not a terminal."""

from __future__ import annotations

import io
import sys

import pytest

from dagscape.cli.program import output
from dagscape.cli.program.output import Output
from dagscape.core import progress
from dagscape.core.progress import Progress, ProgressLines
from dagscape.posterior.backends import BACKENDS


class Work:
    """Tasks that progress evenly, on a clock of their own."""

    def __init__(self, monkeypatch, listener):
        self.now = 1000.0
        self.listener = listener
        monkeypatch.setattr(progress.time, "monotonic", lambda: self.now)

    def do(self, task, seconds, done=0, total=1000):
        start, first = self.now, done
        for done in range(first, total + 1):
            self.now = start + seconds * (done - first) / (total - first)
            self.listener(Progress(task, done, total))


@pytest.fixture
def lines():
    return []


@pytest.fixture
def work(monkeypatch, lines):
    return Work(monkeypatch, ProgressLines(lines.append))


def shares(lines):
    return [int(line.partition(": ")[2].partition("%")[0]) for line in lines]


def test_short_tasks_write_nothing(work, lines):
    for task in ("Scoring", "Summing", "Scoring"):
        work.do(task, 9.9)
    assert lines == []


def test_lines_tell_the_share_and_the_time_that_is_left(work, lines):
    work.do("Summing over orders", 25)
    assert lines == ["Summing over orders: 40%, about 15 s left", "Summing over orders: 80%, about 5 s left"]


def test_a_line_for_each_tenth_of_the_work(work, lines):
    work.do("Summing", 100)
    assert shares(lines) == list(range(10, 100, 10))


def test_long_tasks_tell_early_how_long_they_take_and_then_rarely(work, lines):
    work.do("Summing", 864_000, total=100_000)
    assert lines[0].endswith("0%, about 10 days left")
    assert len(lines) < 30
    assert shares(lines)[-1] >= 90


def test_work_that_was_done_before_took_no_time(work, lines):
    work.do("Summing", 25, done=500)
    assert lines == ["Summing: 70%, about 15 s left", "Summing: 90%, about 5 s left"]


def test_tasks_without_work_and_those_that_stand_still_write_nothing(work, lines):
    for now in (0.0, 50.0, 100.0):
        work.now = now
        work.listener(Progress("Summing", 7, 100))
    work.listener(Progress("Nothing", 0, 0))
    work.now = 200.0
    work.listener(Progress("Nothing", 0, 0))
    assert lines == []


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(
    ("launched", "quiet", "stream", "shown"),
    [
        (True, False, io.StringIO, "lines"),
        (True, True, io.StringIO, None),
        (False, False, io.StringIO, None),
        (True, False, Terminal, "bar"),
        (False, True, Terminal, None),
    ],
)
def test_commands_of_several_processes_write_lines_without_a_terminal(monkeypatch, launched, quiet, stream, shown):
    monkeypatch.setattr(output, "launched_backend", lambda: BACKENDS["orders", "mpi"] if launched else None)
    monkeypatch.setattr(sys, "stderr", stream())
    with Output(as_json=False, quiet=quiet).working() as listener:
        found = "lines" if isinstance(listener, ProgressLines) else None if listener is None else "bar"
        assert found == shown
        if found == "lines":
            Work(monkeypatch, listener).do("Summing over orders", 15)
            assert sys.stderr.getvalue() == "dagscape: Summing over orders: 67%, about 5 s left\n"
