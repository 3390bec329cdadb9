"""Checkpoints of any job: what is saved, when, and whose it is."""

from __future__ import annotations

import errno
import os

import numpy as np
import pytest

from dagscape.core.errors import InvalidData, InvalidOption, TooLarge
from dagscape.running.checkpoints import Checkpoint, Checkpoints

KEY = b"a job"


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def test_a_state_is_loaded_as_it_was_saved(tmp_path):
    checkpoint = Checkpoint(tmp_path / "sum", KEY, 10.0)
    assert checkpoint.load() is None
    checkpoint.save({"layer": 3, "values": np.array([0.5, -0.0, np.inf])})
    checkpoint.save({"layer": 4, "values": np.array([0.25, -0.0, np.inf])})
    found = Checkpoint(tmp_path / "sum", KEY, 10.0).load()
    assert found["layer"] == 4
    assert found["values"].tobytes() == np.array([0.25, -0.0, np.inf]).tobytes()


def test_it_is_due_after_the_given_time_and_not_before(tmp_path):
    clock = Clock()
    checkpoint = Checkpoint(tmp_path / "sum", KEY, 10.0, clock)
    clock.now += 9
    assert not checkpoint.is_due
    clock.now += 1
    assert checkpoint.is_due
    checkpoint.save({})
    assert not checkpoint.is_due


def test_ranks_do_not_share_files(tmp_path):
    whole = Checkpoint(tmp_path / "sum", KEY, 10.0)
    for rank in range(2):
        whole.of_rank(rank, 2).save({"rank": rank})
    assert [whole.of_rank(rank, 2).load()["rank"] for rank in range(2)] == [0, 1]
    assert whole.of_rank(0, 4).load() is None
    (tmp_path / "sum-rank-1-of-2.state.npz").write_bytes((tmp_path / "sum-rank-0-of-2.state.npz").read_bytes())
    with pytest.raises(InvalidData, match="seal"):
        whole.of_rank(1, 2).load()
    whole.remove()
    assert list(tmp_path.iterdir()) == []


def test_a_broken_state_is_named_with_the_remedy(tmp_path):
    checkpoint = Checkpoint(tmp_path / "sum", KEY, 10.0)
    (tmp_path / "sum.state.npz").write_bytes(b"nonsense")
    with pytest.raises(InvalidData) as refusal:
        checkpoint.load()
    assert str(refusal.value) == (
        f"cannot continue from the checkpoint '{tmp_path}/sum.*': 'sum.state.npz' is damaged (the archive is damaged "
        "(File is not a zip file)); delete these files to start over"
    )


def test_a_state_that_cannot_be_opened_is_refused(tmp_path):
    (tmp_path / "sum.state.npz").mkdir()
    with pytest.raises(InvalidData, match=r"sum\.state\.npz': Is a directory; delete these files"):
        Checkpoint(tmp_path / "sum", KEY, 10.0).load()


def test_a_disk_that_fails_is_a_refusal(tmp_path):
    checkpoint = Checkpoint(tmp_path / "sum", KEY, 10.0)
    with pytest.raises(InvalidData, match=r"sum\.\*': Input/output error; delete these files"), checkpoint.reading():
        raise OSError(errno.EIO, os.strerror(errno.EIO))


@pytest.mark.parametrize("error", [KeyError("x"), IndexError, TypeError, ValueError, OverflowError, AttributeError])
def test_contents_that_do_not_suit_the_job_are_refused_in_a_sentence(tmp_path, error):
    checkpoint = Checkpoint(tmp_path / "sum", KEY, 10.0)
    with pytest.raises(InvalidData, match="are not those of such a job; delete these files"), checkpoint.reading():
        raise error


def test_each_job_has_its_own_checkpoint(tmp_path):
    with Checkpoints(tmp_path, 10.0).in_use() as checkpoints:
        checkpoints.of_job("sum", "a digest").save({"whose": "mine"})
        assert checkpoints.of_job("sum", b"a digest").load() == {"whose": "mine"}
        assert checkpoints.of_job("sum", "another").load() is None
        assert checkpoints.of_job("chain", "a digest").load() is None
        assert [path.name[:4] for path in tmp_path.iterdir()] == ["sum-"]


def test_the_state_of_another_job_is_refused_under_any_name(tmp_path):
    with Checkpoints(tmp_path, 10.0).in_use() as checkpoints:
        mine, other = checkpoints.of_job("sum", "mine"), checkpoints.of_job("sum", "other")
        mine.save({"step": 1})
        (own,) = tmp_path.iterdir()
        mine.remove()
        other.save({"step": 1})
        next(tmp_path.iterdir()).rename(own)
        with pytest.raises(InvalidData, match="do not agree with its seal"):
            mine.load()


def test_a_state_under_the_name_of_the_result_is_refused(tmp_path):
    checkpoint = Checkpoint(tmp_path / "sum", KEY, 10.0)
    checkpoint.save({"step": 1})
    (tmp_path / "sum.state.npz").rename(tmp_path / "sum.result.npz")
    with pytest.raises(InvalidData, match=r"'sum\.result\.npz' is damaged"):
        checkpoint.load("result")


def interrupted_after_a_checkpoint(folder):
    with Checkpoints(folder, 10.0).in_use() as checkpoints:
        checkpoints.of_job("sum", "a digest").save({})
        raise KeyboardInterrupt


def test_they_are_removed_at_the_end_but_not_after_an_error(tmp_path):
    folder = tmp_path / "a" / "b"
    with pytest.raises(KeyboardInterrupt):
        interrupted_after_a_checkpoint(folder)
    assert len(list(folder.iterdir())) == 1
    (folder / "other").touch()
    with Checkpoints(folder, 10.0).in_use() as checkpoints:
        assert checkpoints.of_job("sum", "a digest").load() == {}
    assert [path.name for path in folder.iterdir()] == ["other"]


def test_what_cannot_be_removed_does_not_lose_the_result(tmp_path):
    checkpoint = Checkpoint(tmp_path / "sum", KEY, 10.0)
    (tmp_path / "sum.state.npz").mkdir()
    checkpoint.finish({"total": 1.5})
    assert checkpoint.load("result") == {"total": 1.5}


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
        checkpoints.check_space("sum", 1000)
        free = os.statvfs(tmp_path).f_bavail * os.statvfs(tmp_path).f_frsize
        with pytest.raises(TooLarge, match="checkpoint"):
            checkpoints.check_space("sum", 2 * free)


class Walk:
    """A random walk, as a search or a chain is: its state is an array, a number, a list, and a generator."""

    def __init__(self, checkpoint):
        self._checkpoint = checkpoint
        state = checkpoint.load() or {
            "step": 0,
            "place": np.zeros(3),
            "trace": [],
            "generator": np.random.default_rng(11),
        }
        self.step, self.place, self.trace = state["step"], state["place"], state["trace"]
        self._generator = state["generator"]

    def run(self, steps):
        for _ in range(steps):
            self.place += self._generator.normal(size=3)
            self.place = self._generator.spawn(1)[0].permutation(self.place)
            self.trace.append([self.step, float(self.place.sum())])
            self.step += 1
        self._checkpoint.save(
            {"step": self.step, "place": self.place, "trace": self.trace, "generator": self._generator}
        )


def test_a_random_search_that_is_stopped_goes_on_with_the_same_numbers(tmp_path):
    whole = Walk(Checkpoint(tmp_path / "whole", KEY, 0.0))
    whole.run(20)
    for steps in (1, 7, 12):
        Walk(Checkpoint(tmp_path / "parts", KEY, 0.0)).run(steps)
    parts = Walk(Checkpoint(tmp_path / "parts", KEY, 0.0))
    assert parts.step == 20
    assert parts.place.tobytes() == whole.place.tobytes()
    assert parts.trace == whole.trace
