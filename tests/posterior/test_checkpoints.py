"""Checkpoints of sums: the same bits after any interruption, and a refusal of whatever is damaged."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import dagscape as ds
from dagscape.core.errors import InvalidData
from dagscape.posterior.weights import FamilyWeights
from posterior.mpi_runs import TESTS, run, why_not
from posterior.test_contract import random_data

KILLED = Path(__file__).with_name("killed_program.py")
RANKS = [1, pytest.param(2, marks=pytest.mark.skipif(bool(why_not()), reason=why_not() or "there is MPI"))]


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch):
    """What the processes of this test would lose with the power does not matter."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


class Killed(BaseException):
    """Stands for the end of a process."""


def killed_after(calls):
    """A progress function that ends the work after a number of calls."""
    left = iter(range(calls))

    def progress(_):
        if next(left, None) is None:
            raise Killed

    return progress


def same_bits(found, expected):
    for name in ("edges", "ancestors", "paths"):
        if getattr(expected, name) is not None:
            assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()
    return (found.log_total, found.log_prior_total) == (expected.log_total, expected.log_prior_total)


def test_other_weights_units_or_sums_have_other_digests():
    def weights(*more, max_parents=None):
        return FamilyWeights(np.array([[0, -5, *more], [-3, 0, *more]]), 0, max_parents)

    digests = [weights().digest("cpu dags features 30"), weights(-1).digest("cpu dags features 30")]
    digests += [weights().digest("cpu dags features 31"), weights(max_parents=1).digest("cpu dags features 30")]
    assert len(set(digests)) == 4
    assert weights().digest("cpu dags features 30") == digests[0]


CONSTRAINTS = {"required": [("v0", "v3")], "forbidden": [("v4", "v5")]}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("over", "n", "options", "constraints"),
    [
        ("orders", 14, {}, {}),
        ("orders", 14, {}, CONSTRAINTS),
        ("dags", 12, {}, {}),
        ("dags", 9, {"via": "all"}, CONSTRAINTS),
    ],
)
def test_a_sum_that_is_killed_again_and_again_has_the_same_bits(tmp_path, over, n, options, constraints):
    scores = ds.local_scores(random_data(n, 200, 1), max_parents=2, **constraints)
    expected = ds.posterior(scores, over, **options)
    ends, reached = 0, []

    def progress(report):
        if report.task == f"Summing over {over}":
            reached.append(report.done)
        killed(report)

    while True:
        killed = killed_after(3)
        try:
            found = ds.posterior(scores, over, **options, checkpoint=tmp_path, checkpoint_seconds=0, progress=progress)
            break
        except Killed:
            ends += 1
    assert ends > 5
    assert reached == sorted(reached)
    assert same_bits(found, expected)
    assert list(tmp_path.iterdir()) == []


def test_the_result_of_the_first_of_two_sums_is_kept(tmp_path):
    scores = ds.local_scores(random_data(12, 50, 2), max_parents=2, required=[("v0", "v1")])
    tasks = []

    def note(progress):
        tasks.append(progress.task)
        if progress.task == "Summing without data":
            raise Killed

    options = {"over": "orders", "checkpoint": tmp_path / "saved", "checkpoint_seconds": 0}
    for _ in range(2):
        with pytest.raises(Killed):
            ds.posterior(scores, progress=note, **options)
    assert tasks.count("Summing without data") == 2
    assert "Summing over orders" not in tasks[tasks.index("Summing without data") :]
    assert ds.posterior(scores, **options).edges.tobytes() == ds.posterior(scores, "orders").edges.tobytes()


class KilledAtCall:
    """Ends the process at one of its calls of the functions that put files on the disk, before or after the call."""

    NAMES = ("fsync", "replace", "unlink", "open")

    def __init__(self, monkeypatch, call):
        self._left = call
        for name in self.NAMES:
            monkeypatch.setattr(os, name, self._counted(getattr(os, name)))

    def _counted(self, function):
        def counted(*arguments, **options):
            self._left -= 1
            if self._left == 0:
                raise Killed
            done = function(*arguments, **options)
            self._left -= 1
            if self._left == 0:
                raise Killed
            return done

        return counted

    @property
    def is_over(self):
        return self._left > 0


@pytest.mark.slow
@pytest.mark.parametrize(("over", "n"), [("orders", 11), ("dags", 4)])
def test_a_process_that_ends_at_any_moment_leaves_a_checkpoint_that_can_be_used(tmp_path, monkeypatch, over, n):
    scores = ds.local_scores(random_data(n, 50, 2), max_parents=2, required=[("v0", "v1")])
    expected = ds.posterior(scores, over)
    call, left = 0, []
    while True:
        call += 1
        folder = tmp_path / str(call)
        with monkeypatch.context() as patched:
            killed = KilledAtCall(patched, call)
            try:
                ds.posterior(scores, over, threads=1, checkpoint=folder, checkpoint_seconds=0)
            except Killed:
                left.append(frozenset(path.name.partition(".")[2] for path in folder.glob("sum-*")))
            else:
                break
        assert same_bits(ds.posterior(scores, over, checkpoint=folder), expected), call
        assert list(folder.iterdir()) == []
    assert killed.is_over
    seen = {
        "orders": ({"forward.words"}, {"forward.words", "state.npz"}, {"forward.words", "backward.words", "state.npz"}),
        "dags": ({"state.npz"}, {"state.npz", "result.npz"}),
    }
    assert set(left) >= set(map(frozenset, ({"result.npz"}, set(), *seen[over])))


@pytest.mark.parametrize("seconds", [-1, "often", float("nan"), True])
def test_a_time_between_checkpoints_that_is_none_is_refused(tmp_path, seconds):
    scores = ds.local_scores(random_data(4, 20, 3))
    with pytest.raises(ds.InvalidOption, match="checkpoint_seconds"):
        ds.posterior(scores, checkpoint=tmp_path, checkpoint_seconds=seconds)


@pytest.fixture(scope="module")
def scores():
    return ds.local_scores(random_data(13, 50, 2), max_parents=2)


def stopped_at(share, scores, folder, over="orders"):
    """Leave the checkpoint of a sum that was stopped at a share of its work."""

    def stop(report):
        if report.done > share * report.total:
            raise Killed

    with pytest.raises(Killed):
        ds.posterior(scores, over, threads=1, checkpoint=folder, checkpoint_seconds=0, progress=stop)
    return {path.name.partition(".")[2]: path for path in folder.glob("sum-*")}


def refusal_of(scores, folder, over="orders"):
    """The one sentence that refuses the checkpoint in a folder."""
    with pytest.raises(InvalidData) as refused:
        ds.posterior(scores, over, checkpoint=folder)
    sentence = str(refused.value)
    assert sentence.startswith(f"cannot continue from the checkpoint '{folder}/sum-")
    assert sentence.endswith("; delete these files to start over")
    assert "\n" not in sentence
    return sentence


def flip(content):
    middle = len(content) // 4
    return content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :]


@pytest.mark.parametrize("share", [0.4, 0.8])
@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (flip, r"block \d of 'sum-\w+\.forward\.words' does not agree with its digest"),
        (lambda content: bytes(8192) + content[8192:], "block 0 of"),
        (lambda content: content[8192:16384] + content[:8192] + content[16384:], "block 0 of"),
        (lambda content: content[:-1][:9000], "too short"),
    ],
)
def test_damaged_tables_are_refused(tmp_path, scores, share, damage, reason):
    path = stopped_at(share, scores, tmp_path)["forward.words"]
    path.write_bytes(damage(path.read_bytes()))
    assert re.search(reason, refusal_of(scores, tmp_path))


def test_tables_of_another_stage_are_refused(tmp_path, scores):
    files = stopped_at(0.8, scores, tmp_path)
    forward, backward = (files[f"{name}.words"].read_bytes() for name in ("forward", "backward"))
    files["forward.words"].write_bytes(backward)
    assert "forward.words" in refusal_of(scores, tmp_path)
    files["forward.words"].write_bytes(forward)
    files["backward.words"].write_bytes(forward)
    assert "backward.words" in refusal_of(scores, tmp_path)
    files["backward.words"].unlink()
    assert "backward.words': No such file" in refusal_of(scores, tmp_path)


def test_a_state_that_is_newer_than_the_tables_is_refused_and_an_older_one_is_used(tmp_path, scores):
    early, late = tmp_path / "early", tmp_path / "late"
    old, new = stopped_at(0.2, scores, early), stopped_at(0.4, scores, late)
    contents = {name: path.read_bytes() for name, path in old.items()}
    old["state.npz"].write_bytes(new["state.npz"].read_bytes())
    assert "forward.words" in refusal_of(scores, early)
    new["state.npz"].write_bytes(contents["state.npz"])
    assert same_bits(ds.posterior(scores, "orders", checkpoint=late), ds.posterior(scores, "orders"))


@pytest.mark.parametrize("over", ["orders", "dags"])
def test_the_files_of_another_job_are_refused(tmp_path, scores, over):
    other = ds.local_scores(random_data(13, 50, 3), max_parents=2)
    mine, theirs = stopped_at(0.4, scores, tmp_path / "1", over), stopped_at(0.4, other, tmp_path / "2", over)
    for name, path in mine.items():
        path.write_bytes(theirs[name].read_bytes())
    assert "do not agree with its seal" in refusal_of(scores, tmp_path / "1", over)


@pytest.mark.parametrize("over", ["orders", "dags"])
def test_edited_states_are_refused(tmp_path, scores, over):
    """Values that were changed with NumPy, in a file that is otherwise as it was."""
    path = stopped_at(0.4, scores, tmp_path, over)["state.npz"]
    with np.load(path) as saved:
        arrays = dict(saved)
    header = json.loads(arrays["header"].tobytes())
    counter = "forwards" if over == "orders" else "step"
    header["values"][counter] -= 1
    text = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, **arrays | {"header": text})
    assert "do not agree with its seal" in refusal_of(scores, tmp_path, over)
    np.savez(path, step=np.array(1))
    assert "no header" in refusal_of(scores, tmp_path, over)


@pytest.mark.slow
def test_a_command_that_is_killed_continues_with_the_same_result(tmp_path):
    data = tmp_path / "data.csv"
    random_data(18, 100, 4).to_frame().to_csv(data, index=False)
    saved, found = tmp_path / "saved", tmp_path / "found.json"
    command = [sys.executable, "-m", "dagscape", "posterior", data, "--over", "orders", "--max-parents", "2"]
    command += ["--settings", "fixed", "--quiet"]
    resumable = [*command, "--checkpoint", saved, "--checkpoint-seconds", "0", "-o", found]
    process = subprocess.Popen(resumable)
    while process.poll() is None and not list(saved.glob("*.state.npz")):
        time.sleep(0.001)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    (_,) = saved.glob("*forward.words")
    # The result is saved in any case.
    resumable = [*command[:-1], "--checkpoint", saved, "-o", found]
    again = subprocess.run(resumable, check=True, capture_output=True, text=True)
    assert again.stderr.startswith("dagscape: continuing after the checkpoint of ")
    assert "dagscape: saved a checkpoint in " in again.stderr
    subprocess.run([*command, "-o", tmp_path / "expected.json"], check=True)
    assert ds.load_result(found).edges.tobytes() == ds.load_result(tmp_path / "expected.json").edges.tobytes()


@pytest.mark.slow
@pytest.mark.parametrize("ranks", RANKS)
def test_the_command_refuses_a_damaged_checkpoint_with_one_sentence(tmp_path, ranks):
    data, saved = tmp_path / "data.csv", tmp_path / "saved"
    random_data(13, 100, 4).to_frame().to_csv(data, index=False)
    options = ["--over", "orders", "--max-parents", "2", "--checkpoint", saved, "--checkpoint-seconds", "0"]
    options += ["--settings", "fixed"]
    command = ["-m", "dagscape", "posterior", data, *options]
    code, _, _ = run(ranks, KILLED, *command[2:])
    assert code != 0
    path = sorted(saved.glob("*.forward.words"))[-1]
    path.write_bytes(flip(path.read_bytes()))
    code, out, err = run(ranks, *command)
    assert (code, out) == (3, "")
    refusals = [line for line in err.splitlines() if "cannot continue from the checkpoint" in line]
    assert len(refusals) == 1
    assert refusals[0].startswith("dagscape: cannot continue from the checkpoint ")
    assert "Traceback" not in err


def outcomes(table):
    """The counts of all kinds of damage: same bits, refused, findings."""
    (total,) = (line for line in table.splitlines() if line.startswith("all "))
    return [int(count.replace(",", "")) for count in total.split()[1:]]


@pytest.mark.slow
@pytest.mark.parametrize("ranks", RANKS)
def test_damaged_checkpoints_give_the_same_bits_or_are_refused(ranks):
    code, table, err = run(ranks, "-m", "fuzz.checkpoints", "--cases", 72, cwd=TESTS)
    assert (code, err) == (0, ""), table
    same, refused, findings = outcomes(table)
    assert same + refused == 72
    assert min(same, refused) > 10
    assert findings == 0
