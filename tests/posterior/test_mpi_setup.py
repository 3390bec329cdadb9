"""What sums on several ranks need to start: a library, ranks of the right number, and memory."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import types
from importlib.util import find_spec

import numpy as np
import pytest

import dagscape as ds
from dagscape.cli.commands import posterior as command
from dagscape.cli.program import processes
from dagscape.core import kernels
from dagscape.core.errors import InvalidOption
from dagscape.posterior import backends
from dagscape.posterior.backends import BACKENDS, on_all_processes, processes_named
from dagscape.posterior.mpi import commands, guard, guarding, library, memory, order_sum, team
from dagscape.posterior.mpi import ending as mpi_ending
from dagscape.posterior.mpi.signals import DelayedSignals
from dagscape.scores.search_planning import SearchSize

VARIABLES = (*library._RANK_VARIABLES, *library._SIZE_VARIABLES, "PMI_FD")


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Without remembered answers, and without a launcher."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    missing = library.missing
    missing.cache_clear()
    yield
    missing.cache_clear()


def test_reasons_why_there_is_no_mpi(monkeypatch):
    monkeypatch.setattr(library.importlib.util, "find_spec", lambda name: None if name == "mpi4py" else find_spec(name))
    assert library.missing().startswith('the package mpi4py is not installed: pip install "dagscape[mpi]", and an MPI')
    scores = ds.FamilyTable({"a": {(): -1.5}}, complete=True)
    with pytest.raises(ds.BackendUnavailable, match=r"^backend='mpi' cannot be used: the package mpi4py is not"):
        ds.posterior(scores, "orders", backend="mpi")
    assert processes_named("mpi", usable=True) is None
    assert processes_named("mpi") is BACKENDS["orders", "mpi"].processes


@pytest.mark.parametrize(
    ("trial", "reason"),
    [
        (
            "raise RuntimeError('cannot load MPI library\\nlibmpi.so: no such file\\nmore')",
            "cannot load MPI library; lib",
        ),
        ("import sys; sys.exit('MPI_Init failed')", "MPI_Init failed"),
        ("import os; os._exit(3)", "exit code 3"),
    ],
)
def test_a_library_that_does_not_start_is_tried_in_another_process(monkeypatch, trial, reason):
    monkeypatch.setattr(library.importlib.util, "find_spec", lambda name: object())
    monkeypatch.delitem(sys.modules, "mpi4py.MPI", raising=False)
    monkeypatch.setattr(library, "_TRIAL", trial)
    assert library.missing().startswith(f"MPI does not start ({reason}")
    assert "pip install" in library.missing()
    assert "more" not in library.missing()


def test_a_library_must_be_running(monkeypatch):
    states = {"Is_initialized": lambda: True, "Is_finalized": lambda: True}
    monkeypatch.setattr(library.importlib.util, "find_spec", lambda name: object())
    monkeypatch.setitem(sys.modules, "mpi4py.MPI", types.SimpleNamespace(**states))
    monkeypatch.setattr(library, "load", lambda: sys.modules["mpi4py.MPI"])
    assert "MPI is not running in this process" in library.missing()


@pytest.mark.parametrize(
    ("variables", "rank", "size"),
    [
        ({}, None, 1),
        ({"PMI_RANK": "3", "PMI_SIZE": "4"}, 3, 4),
        ({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}, 0, 2),
        ({"PMIX_RANK": "1"}, 1, 1),
        ({"PMI_RANK": "x"}, None, 1),
        # A program that a rank has started, without the file to the launcher.
        ({"PMI_RANK": "3", "PMI_SIZE": "4", "PMI_FD": "987"}, None, 1),
    ],
)
def test_launchers_give_ranks_by_variables(monkeypatch, variables, rank, size):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert library.launched() == (None if rank is None else (rank, size))


@pytest.mark.parametrize("count", [3, 6, 12, 4095])
def test_other_numbers_than_powers_of_two_name_the_next_lower_one(count):
    lower = 1 << (count.bit_length() - 1)
    with pytest.raises(
        InvalidOption,
        match=rf"power of two as the number of ranks; there are {count}: start {lower} \(mpirun -n {lower}\)$",
    ):
        team.check_ranks(count)
    team.check_ranks(lower)


def test_each_rank_needs_ten_variables():
    assert order_sum.too_many_ranks(14, 16) == ""
    assert order_sum.too_many_ranks(14, 32) == "sums over orders of 14 variables take up to 16 ranks; there are 32"


def test_blocks_are_messages_of_a_mebibyte_or_more():
    for n in range(10, 41):
        assert order_sum.block_bits_of(n, 1) == n
        for bits in range(1, min(n - 9, 13)):
            size = order_sum.block_bits_of(n, 1 << bits)
            blocks = 1 << (n - bits - size)
            # A rank that has less sends all at once; one that has more can fill the pipeline.
            assert 17 <= size <= 20 if blocks > 1 else size == n - bits <= 17
            assert blocks >= 32 * (bits + 1) or size <= 17
    assert 8 << order_sum.block_bits_of(25, 8) == 2**20
    assert order_sum.block_bits_of(31, 2) == 20


def test_the_words_of_a_rank_halve_with_each_doubling_of_ranks():
    for count in (1, 2, 4, 8):
        words = 8 * 2**28 // count
        assert words < memory.rank_memory(28, 4, 1, count) < words + 2**29


def test_commands_that_ranks_run_as_one(monkeypatch):
    together = BACKENDS["orders", "mpi"].processes.run_command

    def start(*arguments):
        found = processes.start_of(arguments)
        return found.run is together, found.launched and found.launched.name

    assert start() == (False, None)
    assert start("learn", "x.csv", "--backend", "mpi") == (False, None)
    assert start("posterior", "x.csv", "--backend", "mpi") == (True, None)
    assert start("posterior", "x.csv", "--backend=cpu", "--backend=mpi") == (True, None)
    assert start("posterior", "x.csv", "--backend") == (False, None)
    assert start("posterior", "x.csv", "--over", "orders") == (False, None)
    monkeypatch.setenv("PMI_RANK", "0")
    monkeypatch.setenv("PMI_SIZE", "2")
    monkeypatch.setattr(library, "installed", lambda: True)
    assert start("posterior", "x.csv", "--over", "orders") == (True, "mpi")
    assert start("posterior", "x.csv", "--over", "orders", "--backend", "cpu") == (True, "mpi")
    assert start("plan", "x.csv") == (False, None)
    monkeypatch.setattr(library, "installed", lambda: False)
    assert start("posterior", "x.csv", "--over", "orders") == (False, None)


def test_auto_is_the_back_end_of_the_processes_that_a_launcher_has_started(monkeypatch):
    said = []
    out = types.SimpleNamespace(warn=said.append)
    monkeypatch.setattr(command, "launched_backend", lambda: None)
    assert command._chosen_backend("orders", "auto", out) == "auto"
    monkeypatch.setattr(command, "launched_backend", lambda: BACKENDS["orders", "mpi"])
    assert command._chosen_backend("orders", "auto", out) == "mpi"
    assert command._chosen_backend("orders", "mpi", out) == "mpi"
    assert said == []
    assert command._chosen_backend("dags", "auto", out) == "auto"
    assert command._chosen_backend("orders", "cpu", out) == "cpu"
    alone = "rank 0 does this sum alone: use --over orders, and no --backend but mpi, for a sum on all ranks"
    assert said == [alone, alone]


def test_without_mpi_the_command_of_one_rank_says_so(monkeypatch):
    monkeypatch.setattr(library, "missing", lambda: "-")
    assert commands.run_command(lambda: 7) == 7
    monkeypatch.setenv("PMI_RANK", "0")
    assert commands.run_command(lambda: 7) == 7
    monkeypatch.setenv("PMI_RANK", "1")
    assert commands.run_command(lambda: 7) == 4


def test_importing_dagscape_does_not_start_mpi():
    program = "import sys, dagscape; assert not [name for name in sys.modules if name.startswith('mpi4py')]"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_signals_end_a_process_that_waits_for_other_ranks_to_start():
    program = """
import os, signal, time
from dagscape.posterior.mpi.signals import signals_end_process

def handle(number, frame):
    print("handled", number, flush=True)

signal.signal(signal.SIGTERM, handle)
signal.signal(signal.SIGHUP, signal.SIG_IGN)
with signals_end_process():
    os.kill(os.getpid(), signal.SIGHUP)
    inside = signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
os.kill(os.getpid(), signal.SIGTERM)
print(inside, flush=True)
with signals_end_process():
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(10)
"""
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert ended.returncode == -signal.SIGTERM
    assert ended.stdout == f"handled {int(signal.SIGTERM)}\nTrue\n"


def test_signals_wait_until_they_are_delivered():
    before = signal.getsignal(signal.SIGINT)
    with DelayedSignals() as delayed:
        assert delayed.waiting_seconds == 0
        os.kill(os.getpid(), signal.SIGINT)
        assert delayed.received == signal.SIGINT
        assert delayed.waiting_seconds > 0
        with pytest.raises(KeyboardInterrupt):
            delayed.deliver()
        delayed.deliver()
    assert signal.getsignal(signal.SIGINT) is before

    def leave_with_a_signal():
        with DelayedSignals():
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        leave_with_a_signal()


def test_signals_that_come_while_an_error_leaves_are_delivered_after_it():
    before, done = signal.getsignal(signal.SIGINT), []

    def fail():
        with DelayedSignals():
            try:
                raise KeyError("stop")
            finally:
                os.kill(os.getpid(), signal.SIGINT)
                done.append("clean-up")

    with pytest.raises(KeyboardInterrupt) as raised:
        fail()
    assert repr(raised.value.__context__) == "KeyError('stop')"
    assert done == ["clean-up"]
    assert signal.getsignal(signal.SIGINT) is before


def test_handlers_that_raise_nothing_leave_the_error():
    calls = []
    before = signal.signal(signal.SIGTERM, lambda number, frame: calls.append(number))

    def fail():
        # As in a sum that sends commands: the outer one takes what the inner one delivers.
        with DelayedSignals() as outer:
            with DelayedSignals():
                os.kill(os.getpid(), signal.SIGTERM)
            assert (outer.received, calls) == (signal.SIGTERM, [])
            raise KeyError("stop")

    try:
        with pytest.raises(KeyError, match="stop"):
            fail()
    finally:
        signal.signal(signal.SIGTERM, before)
    assert calls == [signal.SIGTERM]


@pytest.mark.parametrize(
    ("error", "told", "code"),
    [
        (KeyError("a defect"), "KeyError: 'a defect'", 1),
        (MemoryError("no room"), "out of memory: no room", 4),
        (ds.InvalidData("a checkpoint is damaged"), "a checkpoint is damaged", 3),
        (None, "interrupted", 130),
    ],
)
def test_a_rank_that_fails_tells_why_in_spite_of_a_signal(error, told, code):
    messages, codes = [], []

    def abort(message, code):
        messages.append(message)
        codes.append(code)
        raise SystemExit(code)

    def obey():
        os.kill(os.getpid(), signal.SIGINT)
        if error is not None:
            raise error
        return team._Finished(1)

    rank = object.__new__(team.Team)
    rank.mpi = types.SimpleNamespace(Exception=ConnectionError)
    rank._expect = rank._leave = lambda: None
    rank._obey, rank.abort = obey, abort
    with pytest.raises(SystemExit):
        rank._follow()
    # The first message ends the process.
    assert messages[0].endswith(told)
    assert codes[0] == code


def test_functions_of_sums_run_where_the_ranks_of_their_back_end_work(monkeypatch):
    asked = []

    def work(task):
        asked.append("work")
        return task()

    here = types.SimpleNamespace(work=work)
    monkeypatch.setattr(backends, "processes_named", lambda name, **_: here if name == "mpi" else None)

    @on_all_processes
    def add(first, second=2, *, backend="auto"):
        """Add."""
        return first + second

    assert (add(1), add(1, second=3, backend="cpu"), asked) == (3, 4, [])
    assert (add(1, 4, backend="mpi"), asked) == (5, ["work"])
    assert add.__doc__ == "Add."
    scores = ds.FamilyTable({"a": {(): -1.5}}, complete=True)
    for function in (ds.posterior, ds.feature_probability):
        asked.clear()
        function(scores, over="orders", backend="cpu")
        assert asked == []
        with pytest.raises(InvalidOption, match="threads is 0"):
            function(scores, over="orders", backend="mpi", threads=0)
        assert asked == ["work"]


needs_linux = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="only Linux has files for processes")


@needs_linux
@pytest.mark.parametrize(("orders", "told"), [(b"1", True), (b"0", False), (b"10", False), (b"01", True)])
def test_guards_tell_of_ranks_that_end_while_they_work(orders, told):
    watched = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    arguments = ["here", "0", str(os.getpid()), "5", str(watched.pid)]
    process = subprocess.Popen(
        [sys.executable, "-I", "-S", guard.__file__, *arguments], stdin=subprocess.PIPE, stderr=subprocess.PIPE
    )
    process.stdin.write(orders)
    process.stdin.flush()
    # The guard may start after the end of a process, so it must have begun.
    while not os.path.exists(f"/proc/{process.pid}/fd/4"):
        assert process.poll() is None
    watched.communicate(b"\n")
    if told:
        process.wait(timeout=20)
    err = process.communicate()[1].decode()
    expected = f"dagscape: rank 5 (process {watched.pid} on here) ended unexpectedly: the job ends, too\n"
    assert err == (expected if told else "")


@needs_linux
def test_guards_kill_ranks_that_outlive_the_first_and_the_launcher_overlooks():
    stays, ends = (subprocess.Popen(["sleep", seconds]) for seconds in ("60", "0.1"))
    files = [os.pidfd_open(process.pid) for process in (stays, ends)]
    guard.kill_late(files, 0.5)
    assert (stays.wait(), ends.wait()) == (-signal.SIGKILL, 0)
    guard.kill_late(files, 0.0)
    for file in files:
        os.close(file)


def test_messages_are_waited_for_until_they_are_read():
    reading, writing = os.pipe()
    os.write(writing, b"message")
    begin = time.monotonic()
    mpi_ending.wait_for_reader(writing, 0.1)
    assert time.monotonic() - begin >= 0.1
    reader = threading.Timer(0.1, os.read, (reading, 100))
    reader.start()
    mpi_ending.wait_for_reader(writing, 60.0)
    assert not mpi_ending._unread(writing)
    reader.join()
    os.close(reading)
    os.close(writing)
    # What is no pipe, or is closed, has no reader to wait for.
    mpi_ending.wait_for_reader(writing, 60.0)
    with open(os.devnull, "wb") as nothing:
        mpi_ending.wait_for_reader(nothing.fileno(), 60.0)


def test_a_process_without_mpi_ends_alone():
    program = "from dagscape.posterior.mpi.ending import end_job; end_job(7)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 7


@needs_linux
def test_guards_end_with_the_rank_that_has_started_them():
    started = guarding.Guard("here", {0: guarding.this_process()})
    started.tell(working=True)
    assert not started.has_reported
    started.tell(working=False)
    started._end()
    assert started._process.returncode == 0
    # Processes of another container cannot be watched.
    assert guarding.Guard("here", {0: (os.getpid(), -1)})._process is None


def test_errors_that_cannot_be_sent_are_described():
    class Local(Exception):
        pass

    kept = KeyError("x")
    assert team._portable(kept) is kept
    assert str(team._portable(Local("so"))) == "Local: so"
    assert team._told(ds.TooLarge("much too large")) == "much too large"
    assert team._told(MemoryError()) == "out of memory"
    assert team._told(KeyboardInterrupt()) == "interrupted"


def test_sums_that_are_not_tiled_need_the_memory_of_one_process():
    record, size = BACKENDS["orders", "mpi"], SearchSize.complete(9, 8)
    assert record.plan(size, 2, assumed=4).memory == BACKENDS["orders", "cpu"].plan(size, 2).memory
    assert kernels.LEAST_TILED == 10
    assert np.isfinite(record.widest)


def test_systems_that_cannot_watch_processes_have_no_guard(monkeypatch):
    def refuse(process):
        raise OSError(38, "Function not implemented")

    monkeypatch.setattr(os, "pidfd_open", refuse, raising=False)
    assert guarding.Guard("here", {0: guarding.this_process()})._process is None
