from __future__ import annotations

import os
import pty
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager

import pandas as pd
import pytest

import dagscape as ds
from dagscape.core.errors import DagscapeError, InvalidData, InvalidOption, type_of
from dagscape.core.files.reading import decode_text, open_binary
from dagscape.core.files.writing import check_writable, replace_file

NETWORK = ds.load_network("sprinkler")


@contextmanager
def open_text(path):
    with open_binary(path) as binary, decode_text(binary, path) as text:
        yield text


def test_a_file_appears_when_it_is_whole(tmp_path):
    path = tmp_path / "out.txt"
    with replace_file(path) as stream:
        stream.write(b"new")
        assert not path.exists()
    assert path.read_bytes() == b"new"
    assert [p.name for p in tmp_path.iterdir()] == ["out.txt"]


@pytest.mark.parametrize("error", [KeyboardInterrupt, ValueError])
def test_a_failure_leaves_what_was_there(tmp_path, error):
    path = tmp_path / "out.txt"
    path.write_text("old")

    def fail():
        with replace_file(path) as stream:
            stream.write(b"half")
            raise error

    with pytest.raises(error):
        fail()
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_full_disk_is_one_sentence(tmp_path):
    def fail():
        with replace_file(tmp_path / "x"):
            raise OSError(28, "No space left on device")

    with pytest.raises(DagscapeError, match=r"cannot write .*No space left on device"):
        fail()
    assert not list(tmp_path.iterdir())


def test_links_and_modes_are_kept(tmp_path):
    target = tmp_path / "target"
    target.write_text("old")
    target.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to(target)
    with replace_file(link) as stream:
        stream.write(b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_new_files_get_the_usual_mode(tmp_path):
    old = os.umask(0o027)
    try:
        with replace_file(tmp_path / "x"):
            pass
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "x").stat().st_mode) == 0o640


def test_paths_that_cannot_be_written(tmp_path):
    with pytest.raises(InvalidOption, match="it is a folder"):
        check_writable(tmp_path)
    with pytest.raises(InvalidOption, match="there is no folder"):
        check_writable(tmp_path / "a" / "b")
    check_writable(tmp_path / "fine")
    check_writable(os.devnull)


def test_devices_are_written_in_place():
    with replace_file(os.devnull) as stream:
        assert stream.write(b"gone") == 4
    assert not os.path.isfile(os.devnull)
    assert os.path.exists(os.devnull)


def test_a_pipe_can_be_read(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=("from a pipe",))
    writer.start()
    with open_text(pipe) as text:
        assert text.read() == "from a pipe"
    writer.join()


@pytest.mark.parametrize("device", ["/dev/zero", "/dev/full", "/dev/urandom"])
def test_endless_devices_are_refused(device):
    with pytest.raises(InvalidData, match=f"'{device}' is a device without an end"), open_text(device):
        pass


def test_an_endless_standard_input_is_refused():
    with open("/dev/zero", "rb") as zeros:
        done = subprocess.run(
            [sys.executable, "-m", "dagscape", "describe", "-"], stdin=zeros, capture_output=True, text=True
        )
    assert done.returncode == 3
    assert "'-' is a device without an end" in done.stderr


def test_the_null_device_and_terminals_can_be_read():
    with open_text(os.devnull) as text:
        assert text.read() == ""
    ours, theirs = pty.openpty()
    os.write(ours, b"typed\n\x04")
    with open_text(os.ttyname(theirs)) as text:
        assert text.read() == "typed\n"
    os.close(ours)
    os.close(theirs)


def test_folders_and_missing_files(tmp_path):
    for path in (tmp_path, tmp_path / "absent"):
        with pytest.raises(InvalidOption, match="cannot read"), open_text(path):
            pass


def test_other_encodings(tmp_path):
    (tmp_path / "latin").write_bytes("größe".encode("latin-1"))
    with pytest.raises(InvalidData, match="not UTF-8 text"), open_text(tmp_path / "latin") as text:
        text.read()
    (tmp_path / "bom").write_bytes(b"\xef\xbb\xbfa")
    with open_text(tmp_path / "bom") as text:
        assert text.read() == "a"


@pytest.mark.parametrize(
    "use",
    [
        lambda path: ds.write_network(NETWORK, path),
        lambda path: ds.write_graph(NETWORK.dag, path),
        lambda path: ds.write_scores(ds.local_scores(NETWORK.sample(20, seed=1)), path),
        lambda path: ds.draw(NETWORK, path),
        lambda path: NETWORK.save(path),
        lambda path: ds.compare(NETWORK, NETWORK).save(path),
        lambda path: ds.Discretizer(bins=2).fit(pd.DataFrame({"x": [0.5, 1.5]})).save(path),
        ds.read_network,
        ds.read_graph,
        ds.read_scores,
        ds.load_result,
        ds.Discretizer.load,
    ],
)
@pytest.mark.parametrize("path", [0.3, 3, b"x.json", ds.load_network("asia")], ids=lambda path: type(path).__name__)
def test_what_is_not_a_path_is_refused(use, path):
    with pytest.raises(InvalidOption) as caught:
        use(path)
    assert caught.value.option == "path"
    assert str(caught.value) == f"path is {type_of(path)}; it must be the path of a file: a string or a Path"


def test_swapped_arguments_are_named(tmp_path):
    path = str(tmp_path / "x.json")
    for swapped, name in [
        (lambda: ds.write_network(path, NETWORK), "network is a str; it must be a Network"),
        (lambda: ds.write_network(NETWORK.dag, path), "network is a Dag; it must be a Network"),
        (lambda: ds.draw(path, NETWORK), "path is a Network; it must be the path of a file"),
        (lambda: ds.write_scores(path, NETWORK), "scores is a str"),
        (lambda: ds.write_graph(path, NETWORK), "a str has no edges to write"),
    ]:
        with pytest.raises(InvalidOption, match=name):
            swapped()
    assert not list(tmp_path.iterdir())
