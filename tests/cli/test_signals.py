"""Signals that end the program: while modules load, while a command runs, and at the very end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from dagscape.cli.program import app, signals
from dagscape.cli.program.signals import RaisedSignals

WAITING = "import sys, time; print('waiting', flush=True); time.sleep(30)"

OUT_OF_MEMORY = "dagscape: out of memory: {} or, if the job is large, set a lower --max-memory or --max-parents\n"


def with_default_signals():
    """Undo what nohup and shells do with the signals of commands in the background."""
    for number in (signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


def started(tmp_path, *arguments, **files):
    """The program, with modules of the given content before all others."""
    for name, content in files.items():
        (tmp_path / f"{name}.py").write_text(content)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "dagscape", *map(str, arguments)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=with_default_signals,
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"])
def test_signals_while_modules_load(tmp_path, name):
    number = getattr(signal, name)
    process = started(tmp_path, "--help", click=WAITING)
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(number)
    out, err = process.communicate(timeout=20)
    said = "interrupted" if number == signal.SIGINT else f"stopped by {name}"
    assert (process.returncode, out, err) == (128 + number, "", f"dagscape: {said}\n")


def test_an_interrupt_at_the_very_end(tmp_path):
    process = started(tmp_path, "--version", sitecustomize=f"import atexit\natexit.register(lambda: exec({WAITING!r}))")
    assert "version" in process.stdout.readline()
    assert process.stdout.readline() == "waiting\n"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, "", "dagscape: interrupted\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limited", "error"),
    [
        (False, "MemoryError"),
        (False, "ImportError('libx.so: failed to map segment from shared object')"),
        (True, "SystemError('error return without exception set')"),
    ],
)
def test_memory_that_is_short_while_modules_load(tmp_path, limited, error):
    limit = "import resource; resource.setrlimit(resource.RLIMIT_AS, (2**45, 2**45))\n" if limited else ""
    process = started(tmp_path, "--help", click=f"{limit}raise {error}")
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out) == (4, "")
    remedy = "raise the limit of this process (ulimit -v)" if limited else "close other programs"
    assert err == OUT_OF_MEMORY.format(remedy)


def test_memory_that_is_short_ends_the_program_at_once(tmp_path):
    # Python would crash when it unloads a module that was loaded in part.
    crash = "import atexit, os\natexit.register(os.abort)\nraise ImportError('x.so: failed to map segment')"
    (tmp_path / "t.csv").write_text("a,b\n1,x\n2,y\n")
    process = started(tmp_path, "describe", tmp_path / "t.csv", rich=crash)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 4
    assert err == OUT_OF_MEMORY.format("close other programs")


def test_signals_that_are_ignored_stay_ignored(tmp_path):
    ignoring = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    showing = "import signal; print(signal.getsignal(signal.SIGHUP).name, flush=True); raise SystemExit(0)"
    process = started(tmp_path, "--help", sitecustomize=ignoring, click=showing)
    assert process.communicate(timeout=20)[0] == "SIG_IGN\n"


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGQUIT])
def test_signals_leave_no_temporary_file(tmp_path, number):
    # The program writes to a folder of its own; writing takes long because the file system seems to be slow.
    folder = tmp_path / "written"
    folder.mkdir()
    slow = f"import os\nfsync = os.fsync\ndef wait(descriptor):\n    {WAITING}\nos.fsync = wait"
    process = started(tmp_path, "draw", "builtin:asia", "-o", folder / "x.svg", sitecustomize=slow)
    assert process.stdout.readline() == "waiting\n"
    assert [path.suffix for path in folder.iterdir()] == [".part"]
    process.send_signal(number)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 128 + number
    assert err == f"dagscape: stopped by {number.name}\n"
    assert not list(folder.iterdir())


def test_an_interrupt_lost_in_a_callback_comes_again(monkeypatch):
    monkeypatch.setattr(signals, "is_program", lambda: True)

    class Callback:
        def __del__(self):
            signal.raise_signal(signal.SIGINT)

    def lose_it():
        with raised:
            Callback()
            time.sleep(5)

    before = signal.getsignal(signal.SIGINT)
    raised = RaisedSignals()
    with pytest.raises(KeyboardInterrupt):
        lose_it()
    assert raised.received == signal.SIGINT
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_is_recognised_behind_another_error(capfd, monkeypatch):
    def run(arguments, start):
        try:
            signal.raise_signal(signal.SIGTERM)
        except KeyboardInterrupt as error:
            raise ImportError("a library hides it") from error

    monkeypatch.setattr(app, "_run", run)
    assert app.main(["--help"]) == 128 + signal.SIGTERM
    assert capfd.readouterr().err == "dagscape: stopped by SIGTERM\n"
