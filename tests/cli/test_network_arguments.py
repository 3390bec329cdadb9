"""Networks and results that commands read, whatever the name of the file."""

from __future__ import annotations

import gzip
import shlex
import shutil
import subprocess
import sys

import pytest

import dagscape as ds
from cli.running import run


@pytest.fixture
def best(tmp_path):
    path = tmp_path / "best.json"
    ds.k_best(ds.local_scores(ds.load_network("asia").sample(200, seed=1)), 3).save(path)
    return path


@pytest.fixture
def expected(capfd, best):
    """What commands print for the result under its usual name."""
    drawn, compared = run(capfd, "draw", best)[1], run(capfd, "compare", best, "builtin:asia")[1]
    assert "<svg" in drawn
    return drawn, compared


@pytest.mark.parametrize("name", ["best.data", "best", "best.bif", "best.data.gz"])
def test_a_result_is_recognised_under_any_name(capfd, best, expected, name):
    other = best.with_name(name)
    other.write_bytes(gzip.compress(best.read_bytes()) if name.endswith(".gz") else best.read_bytes())
    assert run(capfd, "draw", other)[:2] == (0, expected[0])
    assert run(capfd, "compare", other, "builtin:asia")[:2] == (0, expected[1])
    code, _, err = run(capfd, "query", other, "asia")
    assert code == 3
    assert "is a result, which has no probabilities: run 'dagscape fit DATA --network " in err


def test_a_result_comes_from_standard_input(capfd, monkeypatch, best, expected):
    for arguments, printed in ((("draw", "-"), expected[0]), (("compare", "-", "builtin:asia"), expected[1])):
        with best.open() as stream:
            monkeypatch.setattr("sys.stdin", stream)
            assert run(capfd, *arguments)[:2] == (0, printed)


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs a shell for the pipe")
@pytest.mark.parametrize("source", ["-", "/dev/stdin"])
def test_a_pipe_is_read_once(tmp_path, source):
    program = f"{shlex.quote(sys.executable)} -m dagscape"
    ds.load_network("asia").sample(50, seed=1).to_frame().to_csv(tmp_path / "data.csv", index=False)
    command = f"set -o pipefail; {program} best data.csv --quiet -o - | {program} draw {source}"
    done = subprocess.run(["bash", "-c", command], cwd=tmp_path, capture_output=True, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"<svg")


@pytest.mark.parametrize("other", ["-", "/dev/stdin"])
def test_only_one_network_comes_from_standard_input(capfd, other):
    code, _, err = run(capfd, "compare", "-", other)
    assert code == 2
    assert "only one of the two networks can come from standard input" in err


@pytest.mark.parametrize("arguments", [["query", "BOMB", "x"], ["predict", "BOMB", "data.csv", "--target", "x"]])
@pytest.mark.parametrize("content", [b" ", b"["])
def test_the_memory_option_bounds_the_reading_of_models(capfd, tmp_path, arguments, content):
    bomb = tmp_path / "bomb.json"
    bomb.write_bytes(gzip.compress(content * 10**7, 1))
    given = [bomb if argument == "BOMB" else argument for argument in arguments]
    code, _, err = run(capfd, *given, "--max-memory", "8MiB")
    assert code == 4
    assert "bytes were read, need" in err
    assert "the limit is 8.0 MiB (--max-memory)" in err


def test_the_memory_option_bounds_the_reading_of_structures(capfd, tmp_path):
    data, bomb = tmp_path / "data.csv", tmp_path / "bomb.csv"
    data.write_text("a,b\n" + "0,1\n1,0\n" * 10)
    bomb.write_bytes(gzip.compress(b"a,b\n" * 10**6, 1))
    for arguments in (["fit", data, "--network", bomb], ["modes", data, "--truth", bomb]):
        code, _, err = run(capfd, *arguments, "--max-memory", "8MiB")
        assert code == 4
        assert "of which 262,144 bytes were read, need 10.0 MiB" in err


@pytest.mark.parametrize("name", ["bomb.json", "bomb.bif", "bomb.csv"])
def test_zeros_are_not_drawn(capfd, tmp_path, name):
    bomb = tmp_path / name
    bomb.write_bytes(gzip.compress(bytes(10**7), 1))
    code, _, err = run(capfd, "draw", bomb)
    assert code == 3
    assert "is not a text file: it contains NUL characters" in err
