"""Sealed states: everything comes back as it was, and nothing that was changed comes back at all."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest

from dagscape.core.errors import InvalidData
from dagscape.running.sealed_states import read_state, write_state

KEY = b"a job"

STATE = {
    "step": 3,
    "name": "é😀",
    "limits": [1.5, float("-inf"), 2**80, None, True],
    "table": np.arange(12.0).reshape(3, 4)[:, ::2],
    "words": np.array([-(2**63), 2**63 - 1]),
    "sets": np.array([[2**64 - 1]], dtype=np.uint64),
    "flags": np.frombuffer(b"\0\1\2", dtype=np.uint8),
    "scalar": np.array(2.5),
    "nothing": np.empty((0, 3)),
    # A name that NumPy's own writer does not take.
    "file": np.array([1, 2]),
}


def written(state=STATE, key=KEY, name="state"):
    stream = io.BytesIO()
    write_state(stream, state, key, name)
    return stream.getvalue()


def read(content, tmp_path, key=KEY, name="state"):
    path = tmp_path / "state.npz"
    path.write_bytes(content)
    with open(path, "rb") as stream:
        return read_state(stream, key, name)


def test_everything_comes_back_as_it_was(tmp_path):
    found = read(written(), tmp_path)
    assert found.keys() == STATE.keys()
    for name, value in STATE.items():
        if isinstance(value, np.ndarray):
            assert found[name].dtype == value.dtype
            assert found[name].shape == value.shape
            assert found[name].tobytes() == value.tobytes()
            assert found[name].flags.writeable
        else:
            assert found[name] == value


def test_the_same_state_gives_the_same_file():
    assert written() == written()


def test_another_key_or_name_is_refused(tmp_path):
    for other in ({"key": b"another job"}, {"name": "result"}):
        with pytest.raises(InvalidData, match="do not agree with its seal"):
            read(written(), tmp_path, **other)


@pytest.mark.slow
def test_every_byte_matters_or_makes_no_difference(tmp_path):
    """Each byte of a small file, changed in turn: the state is refused, or it is the same as before."""
    state = {"step": 3, "table": np.array([1.5, 2.5])}
    content = written(state)
    refused = 0
    for place in range(len(content)):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        try:
            found = read(bytes(changed), tmp_path)
        except InvalidData:
            refused += 1
        else:
            assert found["step"] == 3
            assert found["table"].tobytes() == state["table"].tobytes()
    # What remains are dates, versions and padding.
    assert refused > 0.6 * len(content)


def test_every_shorter_file_is_refused(tmp_path):
    content = written({"step": 3, "table": np.array([1.5, 2.5])})
    for length in range(len(content)):
        with pytest.raises(InvalidData):
            read(content[:length], tmp_path)


def repacked(content, change, **options):
    """An archive with other members: valid, with right checksums."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as given, zipfile.ZipFile(stream, "w", **options) as made:
        members = {info.filename: given.read(info) for info in given.infolist()}
        for name, member in change(members).items():
            made.writestr(zipfile.ZipInfo(name), member, options.get("compression"))
    return stream.getvalue()


def array_member(array):
    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def with_header(members, change):
    text = np.load(io.BytesIO(members["header.npy"])).tobytes()
    header = json.loads(text)
    change(header)
    return members | {"header.npy": array_member(np.frombuffer(json.dumps(header).encode(), dtype=np.uint8))}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda m: with_header(m, lambda h: h["values"].update(step=4)), "seal"),
        (lambda m: with_header(m, lambda h: h["arrays"]["table"].update(shape=[6])), "seal"),
        (lambda m: m | {"seal.npy": array_member(np.zeros(32, dtype=np.uint8))}, "seal"),
        (lambda m: m | {"array-table.npy": array_member(np.zeros((3, 2)))}, "'table' does not agree with its digest"),
        (lambda m: m | {"array-table.npy": array_member(np.zeros(6))}, "shape"),
        (lambda m: m | {"array-table.npy": array_member(np.zeros((3, 2), dtype=np.int64))}, "type"),
        (lambda m: m | {"array-table.npy": m["array-words.npy"]}, "type"),
        (lambda m: m | {"array-more.npy": m["array-table.npy"]}, "does not have the arrays"),
        (lambda m: {name: m[name] for name in m if name != "array-table.npy"}, "does not have the arrays"),
        (lambda m: {name: m[name] for name in m if name != "seal.npy"}, "no seal"),
        (lambda m: {}, "no header"),
    ],
)
def test_edited_states_are_refused(tmp_path, change, reason):
    with pytest.raises(InvalidData, match=reason):
        read(repacked(written(), change), tmp_path)


def test_an_array_that_takes_more_memory_than_the_file_is_refused(tmp_path):
    zeros = array_member(np.zeros(10**6))
    bomb = repacked(written(), lambda m: m | {"array-table.npy": zeros}, compression=zipfile.ZIP_DEFLATED)
    with pytest.raises(InvalidData, match="longer than the file"):
        read(bomb, tmp_path)


def test_arrays_of_objects_cannot_be_saved():
    with pytest.raises((TypeError, ValueError)):
        written({"table": np.array([{}])})
