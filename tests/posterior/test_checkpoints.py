"""Checkpoints: what is saved, when, and what a killed process leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import dagscape as ds
from dagscape.core.errors import DagscapeError, InvalidData, InvalidOption, TooLarge
from dagscape.posterior.checkpoints import Checkpoint, Checkpoints
from dagscape.posterior.weights import FamilyWeights
from posterior.test_contract import random_data


def weights(*more):
    return FamilyWeights(np.array([[0, -5, *more], [-3, 0, *more]]), 0, None)


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_a_state_is_loaded_as_it_was_saved(tmp_path):
    checkpoint = Checkpoint(tmp_path / "sum", 10.0)
    assert checkpoint.load() is None
    checkpoint.save({"layer": np.array(3), "values": np.array([0.5, -0.0, np.inf])})
    checkpoint.save({"layer": np.array(4), "values": np.array([0.25, -0.0, np.inf])})
    found = Checkpoint(tmp_path / "sum", 10.0).load()
    assert found["layer"] == 4
    assert found["values"].tobytes() == np.array([0.25, -0.0, np.inf]).tobytes()


def test_it_is_due_after_the_given_time_and_not_before(tmp_path):
    clock = Clock()
    checkpoint = Checkpoint(tmp_path / "sum", 10.0, clock)
    clock.now += 9
    assert not checkpoint.is_due
    clock.now += 1
    assert checkpoint.is_due
    checkpoint.save({})
    assert not checkpoint.is_due


def test_words_are_read_where_they_were_written(tmp_path):
    file = Checkpoint(tmp_path / "sum", 10.0).words("forward", 8)
    file.write(np.array([5, -6]), 2)
    file.write(np.array([7]), 0)
    found = np.empty(3, dtype=np.int64)
    file.read(found, 1)
    assert found.tolist() == [0, 5, -6]
    with pytest.raises(InvalidData, match="too short"):
        file.read(np.empty(9, dtype=np.int64), 0)
    with pytest.raises(DagscapeError, match="backward"):
        Checkpoint(tmp_path / "sum", 10.0).words("backward", 8).read(found, 0)


def test_ranks_do_not_share_files(tmp_path):
    whole = Checkpoint(tmp_path / "sum", 10.0)
    for rank in range(2):
        whole.of_rank(rank, 2).save({"rank": np.array(rank)})
    assert [int(whole.of_rank(rank, 2).load()["rank"]) for rank in range(2)] == [0, 1]
    assert whole.of_rank(0, 4).load() is None
    whole.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_broken_state_is_named(tmp_path):
    checkpoint = Checkpoint(tmp_path / "sum", 10.0)
    (tmp_path / "sum.state.npz").write_bytes(b"nonsense")
    with pytest.raises(InvalidData, match=r"sum\.\*'.*; remove these files"):
        checkpoint.load()


@pytest.mark.parametrize("over", ["orders", "dags"])
def test_a_state_of_something_else_is_named(tmp_path, over):
    scores = ds.local_scores(random_data(12, 50, 2), max_parents=2)
    options = {"checkpoint": tmp_path, "checkpoint_seconds": 0}
    with pytest.raises(Killed):
        ds.posterior(scores, over, progress=killed_after(5), **options)
    (state,) = tmp_path.glob("*.state.npz")
    np.savez(state, step=np.array(1))
    with pytest.raises(InvalidData, match="remove these files"):
        ds.posterior(scores, over, **options)
    for path in tmp_path.iterdir():
        path.unlink()
    assert ds.posterior(scores, over, **options) == ds.posterior(scores, over)


def test_other_weights_units_or_sums_have_other_checkpoints(tmp_path):
    with Checkpoints(tmp_path, 10.0).in_use() as checkpoints:
        checkpoints.of_sum(weights(), 30, "dags").save({})
        assert checkpoints.of_sum(weights(), 30, "dags").load() is not None
        assert checkpoints.of_sum(weights(-1), 30, "dags").load() is None
        assert checkpoints.of_sum(weights(), 31, "dags").load() is None
        assert checkpoints.of_sum(weights(), 30, "orders").load() is None


def interrupted_after_a_checkpoint(folder):
    with Checkpoints(folder, 10.0).in_use() as checkpoints:
        checkpoints.of_sum(weights(), 30, "dags").save({})
        raise KeyboardInterrupt


def test_they_are_removed_at_the_end_but_not_after_an_error(tmp_path):
    folder = tmp_path / "a" / "b"
    with pytest.raises(KeyboardInterrupt):
        interrupted_after_a_checkpoint(folder)
    assert len(list(folder.iterdir())) == 1
    (folder / "other").touch()
    with Checkpoints(folder, 10.0).in_use() as checkpoints:
        assert checkpoints.of_sum(weights(), 30, "dags").load() == {}
    assert [path.name for path in folder.iterdir()] == ["other"]


def test_a_folder_is_used_by_one_process_at_a_time(tmp_path):
    with (
        Checkpoints(tmp_path, 10.0).in_use(),
        pytest.raises(InvalidOption, match="another process"),
        Checkpoints(tmp_path, 10.0).in_use(),
    ):
        pass


def test_a_folder_that_cannot_be_used_is_refused(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(InvalidOption, match="checkpoint"), Checkpoints(tmp_path / "file" / "x", 10.0).in_use():
        pass
    with pytest.raises(InvalidOption, match="is a file"), Checkpoints(tmp_path / "file", 10.0).in_use():
        pass
    with pytest.raises(InvalidOption, match="checkpoint is empty"):
        Checkpoints("", 10.0)


def test_more_than_fits_on_the_disk_is_refused(tmp_path):
    with Checkpoints(tmp_path, 10.0).in_use() as checkpoints:
        checkpoints.check_space(1000)
        free = os.statvfs(tmp_path).f_bavail * os.statvfs(tmp_path).f_frsize
        with pytest.raises(TooLarge, match="checkpoint"):
            checkpoints.check_space(2 * free)


class Killed(Exception):
    """Stands for the end of a process."""


def killed_after(calls):
    """A progress function that ends the work after a number of calls."""
    left = iter(range(calls))

    def progress(_):
        if next(left, None) is None:
            raise Killed

    return progress


CONSTRAINTS = {"required": [("v0", "v3")], "forbidden": [("v4", "v5")]}


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
    for name in ("edges", "ancestors", "paths"):
        if getattr(expected, name) is not None:
            assert getattr(found, name).tobytes() == getattr(expected, name).tobytes()
    assert (found.log_total, found.log_prior_total) == (expected.log_total, expected.log_prior_total)
    assert list(tmp_path.iterdir()) == []


def test_the_result_of_the_first_of_two_sums_is_kept(tmp_path, monkeypatch):
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


@pytest.mark.parametrize("seconds", [-1, "often", float("nan"), True])
def test_a_time_between_checkpoints_that_is_none_is_refused(tmp_path, seconds):
    scores = ds.local_scores(random_data(4, 20, 3))
    with pytest.raises(ds.InvalidOption, match="checkpoint_seconds"):
        ds.posterior(scores, checkpoint=tmp_path, checkpoint_seconds=seconds)


def test_a_command_that_is_killed_continues_with_the_same_result(tmp_path):
    data = tmp_path / "data.csv"
    random_data(18, 100, 4).to_frame().to_csv(data, index=False)
    saved, found = tmp_path / "saved", tmp_path / "found.json"
    command = [sys.executable, "-m", "dagscape", "posterior", data, "--over", "orders", "--max-parents", "2", "--quiet"]
    resumable = [*command, "--checkpoint", saved, "--checkpoint-seconds", "0", "-o", found]
    process = subprocess.Popen(resumable)
    while process.poll() is None and not list(saved.glob("*.state.npz")):
        time.sleep(0.001)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert list(saved.glob("*.words"))
    again = subprocess.run(
        [part for part in resumable if part != "--quiet"], check=True, capture_output=True, text=True
    )
    assert again.stderr.startswith("dagscape: continuing after the checkpoint of ")
    assert "dagscape: saved a checkpoint in " in again.stderr
    subprocess.run([*command, "-o", tmp_path / "expected.json"], check=True)
    assert ds.load_result(found).edges.tobytes() == ds.load_result(tmp_path / "expected.json").edges.tobytes()
