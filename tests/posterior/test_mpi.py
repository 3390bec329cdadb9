"""Sums on several ranks: the bits of one processor, the same errors everywhere, and an end whatever happens."""

from __future__ import annotations

import csv
import json
import os
import signal
import time

import numpy as np
import pytest

import dagscape as ds
from dagscape.core.resources import thread_count
from dagscape.posterior.mpi import library
from dagscape.posterior.mpi.order_sum import bytes_sent
from posterior.mpi_runs import PROGRAM, run, start, why_not

pytestmark = [pytest.mark.slow, pytest.mark.skipif(bool(why_not()), reason=why_not() or "there is MPI")]

MISTAKES = {
    "threads": "InvalidOption: threads is 0; it must be between 1 and 1024",
    "over": "InvalidOption: backend is 'mpi'; for sums over dags it must be one of 'auto', 'cpu', 'cuda'",
    "listener": "KeyError: 'stop'",
    "allocation": "MemoryError: nothing is left",
    "interrupt": "KeyboardInterrupt: ",
    "nothing": "InvalidData: every structure has an impossible family: there is nothing to sum",
}


@pytest.mark.parametrize("ranks", [1, 2, 4, 8])
def test_all_ranks_get_the_bits_of_the_cpu_and_the_errors_of_rank_0(ranks):
    code, out, err = run(ranks, PROGRAM, "sums")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert found["wrong"] == []
    assert found["features"]
    assert found["everywhere"]
    assert found["usable"]
    assert found["raised"].pop("memory").startswith("TooLarge: sums over orders of 16 variables need ")
    elsewhere = found["raised"].pop("elsewhere", "")
    assert ranks == 1 or elsewhere.startswith("TooLarge: sums over orders of 16 variables: 1 rank on ")
    assert ranks == 1 or elsewhere.endswith("the limit is 1000 bytes (max_memory): start fewer ranks per machine")
    assert found["raised"] == MISTAKES
    assert found["resumed"]["same"]
    assert found["resumed"]["stops"] > 3
    assert found["resumed"]["left"] == []
    bits, words = ranks.bit_length() - 1, 8 * 2**15 // ranks
    members = [rank.bit_count() for rank in range(ranks)]
    assert [sent[:2] for sent in found["traffic"]] == [[(bits - m) * words, m * words] for m in members]
    assert all(sum(sent[:2]) == bytes_sent(15, ranks) for sent in found["traffic"])
    # A rank adds up the shares of others until the lowest of its bits, and then sends them.
    shares = {(rank & -rank): sent[2] for rank, sent in enumerate(found["traffic"])}
    assert [sent[2] for sent in found["traffic"]] == [shares[rank & -rank] for rank in range(ranks)]
    assert shares.pop(0) == 0
    assert 0 not in shares.values()


@pytest.mark.parametrize(
    ("number", "who"),
    [
        *((number, rank) for number in (signal.SIGKILL, signal.SIGUSR1) for rank in (0, 1)),
        (signal.SIGINT, "launcher"),
        (signal.SIGTERM, "launcher"),
    ],
)
def test_the_end_of_a_rank_ends_the_job(number, who):
    process = start(2, PROGRAM, "waits")
    try:
        processes = json.loads(process.stdout.readline())
        begin = time.monotonic()
        os.kill(process.pid if who == "launcher" else processes[who], number)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert time.monotonic() - begin < 10
    assert process.returncode != 0
    if who != "launcher":
        assert f"rank {who} (process {processes[who]} on " in err


def test_an_error_of_another_rank_ends_the_job_with_its_message():
    code, _, err = run(2, PROGRAM, "fails")
    assert code != 0
    assert "dagscape: rank 1: Traceback" in err
    assert "KeyError: 'a defect'" in err


def test_the_bootstrap_runs_on_the_workers_of_mpi4py():
    code, out, _ = run(3, "-m", "mpi4py.futures", PROGRAM, "bootstrap")
    assert code == 0
    assert json.loads(out) == {"bootstrap": True}


@pytest.fixture(scope="module")
def table(tmp_path_factory):
    path = tmp_path_factory.mktemp("mpi") / "data.csv"
    with path.open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow([f"v{i}" for i in range(12)])
        rows.writerows(np.random.default_rng(1).integers(0, 2, (60, 12)).tolist())
    return path


def test_the_command_reads_prints_and_writes_once(table, tmp_path):
    command = ["-m", "dagscape", "posterior", table, "--over", "orders", "--max-parents", "2", "--settings", "fixed"]
    expected = ds.posterior(ds.local_scores(ds.read_data(table), max_parents=2), "orders", backend="cpu")
    for ranks, backend in ((4, ["--backend", "mpi"]), (2, [])):
        saved = tmp_path / f"{ranks}.json"
        code, out, err = run(ranks, *command, *backend, "-o", saved)
        assert (code, err) == (0, "")
        assert out.count("Posterior over orders") == 1
        found = ds.load_result(saved)
        assert np.array_equal(found.edges, expected.edges)
        assert found.log_total == expected.log_total
        assert found.provenance.backend.startswith("mpi: ")
        assert f", {ranks} ranks, " in found.provenance.backend
        # Ranks of one machine share its processors.
        threads = int(found.provenance.backend.split()[-2])
        assert threads <= max(thread_count(None) // ranks, 1)


@pytest.mark.parametrize(
    ("ranks", "arguments", "code", "message"),
    [
        (2, ["nowhere.csv"], 2, "dagscape: cannot read 'nowhere.csv': No such file or directory\n"),
        (2, ["--bogus"], 2, "Error: No such option '--bogus'"),
        (2, ["TABLE", "--max-memory", "100k"], 4, "dagscape: sums over orders of 12 variables need "),
        (
            3,
            ["TABLE", "--max-parents", "2"],
            2,
            "dagscape: --backend mpi needs a power of two as the number of ranks; there are 3: start 2 (mpirun -n 2)\n",
        ),
        (
            2,
            ["TABLE", "--max-parents", "2", "--drop", "v0", "--drop", "v1"],
            2,
            "dagscape: sums over orders of 10 variables take up to 1 rank; there are 2: start 1 (mpirun -n 1), "
            "or use --backend cpu\n",
        ),
    ],
)
def test_the_command_has_one_message_and_the_usual_exit_code(table, ranks, arguments, code, message):
    given = [table if argument == "TABLE" else argument for argument in arguments]
    found, out, err = run(ranks, "-m", "dagscape", "posterior", *given, "--over", "orders", "--backend", "mpi")
    assert (found, out) == (code, "")
    assert err.count(message) == 1
    assert err.count("rror" if message.startswith("Error") else "dagscape: ") == 1


@pytest.fixture(scope="module")
def large_table(tmp_path_factory):
    """A table whose sum needs 512 MiB."""
    path = tmp_path_factory.mktemp("mpi") / "large.csv"
    with path.open("w", newline="") as stream:
        rows = csv.writer(stream)
        rows.writerow([f"v{i}" for i in range(26)])
        rows.writerows(np.random.default_rng(1).integers(0, 2, (20, 26)).tolist())
    return path


# Hydra, the launcher of MPICH, returns the exit code of the ranks. Others may return another, but never 0.
EXACT = not why_not() and library.describe().startswith("MPICH")


@pytest.mark.parametrize(
    ("number", "who", "code", "told"),
    [
        (signal.SIGTERM, "launcher", 143, "dagscape: stopped by SIGTERM\n"),
        (signal.SIGTERM, 0, 143, "dagscape: stopped by SIGTERM\n"),
        (signal.SIGTERM, 1, 143, "dagscape: rank 1: stopped by SIGTERM\n"),
        (signal.SIGINT, "launcher", 130, "dagscape: interrupted\n"),
        (signal.SIGINT, 0, 130, "dagscape: interrupted\n"),
        (signal.SIGINT, 1, 130, "dagscape: rank 1: interrupted\n"),
        (signal.SIGHUP, 0, 129, "dagscape: stopped by SIGHUP\n"),
    ],
)
def test_signals_end_the_command_with_their_exit_codes(table, number, who, code, told):
    process = start(2, PROGRAM, "endless_command", "posterior", table, "--over", "orders", "--max-parents", 2)
    try:
        processes = json.loads(process.stdout.readline())
        os.kill(process.pid if who == "launcher" else processes[who], number)
        _, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == code if EXACT else process.returncode != 0
    assert err.count(told) == 1


@pytest.mark.parametrize("which", ["0", "1", "all"])
def test_the_command_has_the_exit_code_of_a_lack_of_memory(large_table, which):
    """The limit that is checked before the sum says nothing about that of the system."""
    options = ("--over", "orders", "--max-parents", 2, "--threads", 1, "--max-memory", "8GiB")
    code, out, err = run(2, PROGRAM, "short_command", which, "posterior", large_table, *options)
    assert code == 4 if EXACT else code != 0
    assert "Posterior" not in out
    assert "out of memory" in err


def test_a_command_whose_memory_is_checked_before_has_that_exit_code(large_table):
    options = ("--over", "orders", "--max-parents", 2, "--max-memory", "100MiB")
    code, out, err = run(2, "-m", "dagscape", "posterior", large_table, *options)
    assert (code, out) == (4, "")
    assert err.startswith("dagscape: sums over orders of 26 variables need ")
