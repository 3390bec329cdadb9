"""Files of blocks: each block comes back with its digest, or is refused."""

from __future__ import annotations

import errno
import os
import threading

import numpy as np
import pytest

from dagscape.core.errors import DagscapeError, InvalidData
from dagscape.running.block_files import BlockFile

KEY = b"a job"
SHAPE = (5, 16)


@pytest.fixture
def blocks():
    return np.random.default_rng(0).integers(-(2**62), 2**62, SHAPE)


def block_file(tmp_path, name="forward", key=KEY, shape=SHAPE, threads=2):
    return BlockFile(tmp_path / f"{name}.words", name, key, shape, threads)


def saved(tmp_path, blocks):
    file = block_file(tmp_path)
    digests = file.no_digests()
    file.write(blocks, 0, digests)
    return file, digests


def test_blocks_are_read_where_they_were_written(tmp_path, blocks):
    file = block_file(tmp_path)
    digests = file.no_digests()
    file.write(blocks[2:4], 2, digests)
    file.write(blocks[:1], 0, digests)
    file.write(blocks[:0], 0, digests)
    found = np.zeros(SHAPE, dtype=np.int64)
    file.read(found[2:4], 2, digests)
    file.read(found[:1], 0, digests)
    assert np.array_equal(found[[0, 2, 3]], blocks[[0, 2, 3]])
    with pytest.raises(InvalidData, match=r"block 1 of 'forward\.words' does not agree"):
        file.read(found, 0, digests)


def test_every_flipped_bit_is_refused(tmp_path, blocks):
    file, digests = saved(tmp_path, blocks)
    path = tmp_path / "forward.words"
    content = path.read_bytes()
    for place in range(0, 8 * len(content), 37):
        changed = bytearray(content)
        changed[place // 8] ^= 1 << place % 8
        path.write_bytes(changed)
        with pytest.raises(InvalidData, match=f"block {place // 8 // 128} of"):
            file.read(np.empty(SHAPE, dtype=np.int64), 0, digests)


def test_a_swapped_block_is_refused_even_with_its_digest(tmp_path, blocks):
    file, digests = saved(tmp_path, blocks)
    (tmp_path / "forward.words").write_bytes(blocks[[1, 0, 2, 3, 4]].tobytes())
    with pytest.raises(InvalidData, match="block 0 of"):
        file.read(np.empty(SHAPE, dtype=np.int64), 0, digests[[1, 0, 2, 3, 4]])


@pytest.mark.parametrize("other", [{"key": b"another job"}, {"name": "backward"}])
def test_blocks_of_another_job_or_table_are_refused(tmp_path, blocks, other):
    _, digests = saved(tmp_path, blocks)
    (tmp_path / "backward.words").write_bytes(blocks.tobytes())
    with pytest.raises(InvalidData, match="block 0 of"):
        block_file(tmp_path, **other).read(np.empty(SHAPE, dtype=np.int64), 0, digests)


def test_a_file_that_is_too_short_or_missing_is_refused(tmp_path, blocks):
    file, digests = saved(tmp_path, blocks)
    os.truncate(tmp_path / "forward.words", blocks.nbytes - 1)
    with pytest.raises(InvalidData, match="too short"):
        file.read(np.empty(SHAPE, dtype=np.int64), 0, digests)
    (tmp_path / "forward.words").unlink()
    with pytest.raises(FileNotFoundError):
        file.read(np.empty(SHAPE, dtype=np.int64), 0, digests)


def test_digests_of_other_blocks_are_refused(tmp_path, blocks):
    file, digests = saved(tmp_path, blocks)
    with pytest.raises(InvalidData, match="another number of blocks"):
        file.read(np.empty(SHAPE, dtype=np.int64), 0, digests[1:])


def test_a_full_disk_is_an_error_with_the_name_of_the_file(tmp_path, blocks, monkeypatch):
    def full(descriptor):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(DagscapeError, match=r"forward\.words': No space left"):
        saved(tmp_path, blocks)


def test_digests_are_the_same_where_no_thread_can_be_started(tmp_path, blocks, monkeypatch):
    _, expected = saved(tmp_path, blocks)

    def refuse(self):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refuse)
    _, found = saved(tmp_path, blocks)
    assert np.array_equal(found, expected)
