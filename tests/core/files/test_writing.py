"""Where files can be written, with which permissions, and what a killed process leaves behind."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from dagscape.core.errors import DagscapeError, InvalidOption
from dagscape.core.files.writing import check_writable, replace_file

NOBODY = 65534


@contextmanager
def nobody_in_a_folder():
    """Give a new folder to a user who is not root, and work as that user."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        if os.geteuid() != 0:
            yield folder
            return
        os.chown(folder, NOBODY, NOBODY)
        os.setresuid(NOBODY, NOBODY, 0)
        try:
            yield folder
        finally:
            os.setresuid(0, 0, 0)


def write(path, content=b"new"):
    with replace_file(path) as stream:
        stream.write(content)


def refusal(path):
    with pytest.raises(InvalidOption) as caught:
        check_writable(path)
    return str(caught.value)


def test_devices_for_users_who_are_not_root():
    with nobody_in_a_folder():
        check_writable("/dev/null")
        write("/dev/null")


def test_open_descriptors_are_written_where_they_stand(tmp_path):
    log = tmp_path / "log"
    log.write_text("before\n")
    with open(log, "ab") as stream:
        write(f"/dev/fd/{stream.fileno()}")
        write(f"/proc/self/fd/{stream.fileno()}", b"er")
    assert log.read_text() == "before\nnewer"
    with open(log, "rb") as stream:
        assert "open for reading only" in refusal(f"/dev/fd/{stream.fileno()}")
    assert "Bad file descriptor" in refusal("/dev/fd/987")


def test_a_named_pipe_is_written_in_place(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with nobody_in_a_folder() as folder:
        other = folder / "pipe"
        os.mkfifo(other)
        folder.chmod(0o500)
        check_writable(other)
    found = []
    reader = threading.Thread(target=lambda: found.append(pipe.read_bytes()))
    reader.start()
    write(pipe)
    reader.join()
    assert found == [b"new"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


def test_an_error_names_the_device():
    with pytest.raises(DagscapeError, match=r"^cannot write '/dev/full': No space left on device$"):
        write("/dev/full")


def test_the_longest_names(tmp_path):
    for name in ("x" * 255, "é" * 127):
        write(tmp_path / name)
        assert (tmp_path / name).read_bytes() == b"new"
    assert refusal(tmp_path / ("x" * 256)).endswith("File name too long")
    assert refusal("../" * 2000 + "x").endswith("File name too long")


def test_links(tmp_path):
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "new").symlink_to("made")
    (tmp_path / "far").symlink_to("absent/made")
    assert refusal(tmp_path / "loop").endswith("Too many levels of symbolic links")
    assert refusal(tmp_path / "loop" / "x").endswith("Too many levels of symbolic links")
    assert refusal(tmp_path / "far").endswith(f"there is no folder '{tmp_path / 'absent'}'")
    write(tmp_path / "new")
    assert (tmp_path / "made").read_bytes() == b"new"
    assert (tmp_path / "new").is_symlink()


def test_names_that_cannot_be(tmp_path):
    assert refusal("a\0b") == r"cannot write 'a\x00b': this is not a possible name of a file"
    assert refusal("a\ud800") == r"cannot write 'a\ud800': this is not a possible name of a file"
    assert refusal("") == "cannot write '': the name of the file is empty"
    assert refusal(f"{tmp_path}/absent/").endswith("this is the name of a folder")
    write(tmp_path / "not UTF-8: \udcff")
    assert os.listdir(os.fsencode(tmp_path)) == [b"not UTF-8: \xff"]


def test_folders_without_permission():
    with nobody_in_a_folder() as folder:
        (folder / "old").write_text("old")
        folder.chmod(0o500)
        denied = f"permission denied to create files in '{folder}'"
        assert refusal(folder / "new") == f"cannot write '{folder}/new': {denied}"
        assert refusal(folder / "old") == f"cannot write '{folder}/old': {denied}"
        folder.chmod(0o600)
        assert refusal(folder / "new") == f"cannot write '{folder}/new': Permission denied"
        folder.chmod(0o700)
        (folder / "old").chmod(0o400)
        assert refusal(folder / "old") == f"cannot write '{folder}/old': permission denied"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a file of somebody else")
def test_files_of_others_in_a_common_folder():
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        folder.chmod(0o1777)
        (folder / "theirs").touch()
        (folder / "theirs").chmod(0o666)
        os.setresuid(NOBODY, NOBODY, 0)
        try:
            assert refusal(folder / "theirs").endswith(f"in the folder '{folder}', only its owner can replace it")
            write(folder / "ours")
        finally:
            os.setresuid(0, 0, 0)


def test_the_umask_is_never_changed(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("the umask belongs to all threads"))
    write(tmp_path / "x")


def test_a_secret_is_never_readable(tmp_path):
    path = tmp_path / "secret"
    path.touch(0o600)
    with replace_file(path) as stream:
        assert stat.S_IMODE(os.fstat(stream.fileno()).st_mode) == 0o600


KILLED = """
import os, signal, sys
from dagscape.core.files.writing import replace_file
with replace_file(sys.argv[1]) as stream:
    stream.write(b"half")
    stream.flush()
    print("writing", flush=True)
    sys.stdin.readline()
"""


@pytest.mark.slow
def test_files_of_killed_processes_are_removed_and_those_of_others_are_not(tmp_path):
    started = [
        subprocess.Popen(
            [sys.executable, "-c", KILLED, str(tmp_path / name)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        for name in ("killed", "alive")
    ]
    for process in started:
        assert process.stdout.readline() == b"writing\n"
    killed, alive = started
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    assert len(list(tmp_path.glob(".dagscape-*.part"))) == 2
    (tmp_path / ".dagscape-other-host.part").touch()
    write(tmp_path / "other")
    assert len(list(tmp_path.glob(".dagscape-*.part"))) == 2
    alive.communicate(b"\n")
    assert alive.returncode == 0
    assert (tmp_path / "alive").read_bytes() == b"half"
    assert sorted(p.name for p in tmp_path.iterdir()) == [".dagscape-other-host.part", "alive", "other"]
