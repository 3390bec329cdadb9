from __future__ import annotations

import gzip
import json

import pytest

import dagscape as ds
from dagscape.core.files import reading
from dagscape.core.files.documents import read_json, read_text
from dagscape.data.discrete.discretizing import Discretizer

READERS = [ds.read_network, ds.load_result, ds.read_graph, Discretizer.load]


def packed(tmp_path, content: bytes, name: str = "bomb.json.gz"):
    path = tmp_path / name
    path.write_bytes(gzip.compress(content, 1))
    return path


@pytest.fixture
def pieces(monkeypatch):
    """The sizes of the pieces that were read."""
    found: list[int] = []
    original = reading.check_memory

    def counted(needed, *rest):
        found.append(needed)
        original(needed, *rest)

    monkeypatch.setattr(reading, "check_memory", counted)
    return found


@pytest.mark.parametrize("read", READERS)
def test_zeros_are_refused_in_the_first_piece(tmp_path, read, pieces):
    with pytest.raises(ds.InvalidData, match=r"bomb.json.gz' is not a text file: it contains NUL characters"):
        read(packed(tmp_path, bytes(10**7)))
    assert not pieces


def test_zeros_after_text_are_refused(tmp_path):
    with pytest.raises(ds.InvalidData, match=r"is not a text file"):
        read_json(packed(tmp_path, b" " * 10**6 + bytes(10)))


def test_another_encoding_is_named_as_such(tmp_path):
    path = tmp_path / "utf16.json"
    path.write_bytes('{"kind": "network"}'.encode("utf-16"))
    with pytest.raises(ds.InvalidData, match=r"is not UTF-8 text \(byte 0xff\): save it as UTF-8 first"):
        ds.read_network(path)


@pytest.mark.parametrize(
    ("read", "content", "size"),
    [
        (ds.read_network, b"network x {} ", 64),
        (ds.read_network, b"[", 5 + 64),
        (ds.load_result, b"{", 5 + 72),
        (ds.load_result, b" ", 5),
        (ds.read_graph, b"[", 40),
        (ds.read_graph, b"a,b\n", 40),
    ],
)
def test_reading_stops_when_parsing_would_exceed_the_limit(tmp_path, read, content, size):
    count = 2**18 * 3
    path = packed(tmp_path, content * (2**24 // len(content)))
    with pytest.raises(ds.TooLarge, match=rf"of which {count:,} bytes were read, need .*; the limit is .*max_memory"):
        read(path, max_memory=size * (count - 1))


def test_white_space_does_not_hide_json(tmp_path):
    path = packed(tmp_path, b" " * 2**18 + b"[" * 2**18)
    with pytest.raises(ds.TooLarge, match=r"of which 524,288 bytes were read"):
        read_text(path, max_memory=2**18 * 64)


def test_a_limit_that_suffices_changes_nothing(tmp_path):
    network = ds.load_network("asia")
    for name in ("asia.bif.gz", "asia.json"):
        ds.write_network(network, tmp_path / name)
        assert ds.read_network(tmp_path / name, max_memory="1MiB") == network
    ds.write_graph(network, tmp_path / "asia.csv")
    assert ds.read_graph(tmp_path / "asia.csv", max_memory="1MiB") == network.dag


def test_tables_of_a_default_are_within_the_limit(tmp_path):
    names = [f"x{i}" for i in range(17)]
    blocks = [f"variable {name} {{ type discrete [ 2 ] {{ a, b }}; }}" for name in names]
    blocks += [f"probability ( {name} ) {{ table 0.5, 0.5; }}" for name in names[1:]]
    blocks.append(f"probability ( x0 | {', '.join(names[1:])} ) {{ default 0.5, 0.5; }}")
    path = tmp_path / "default.bif"
    path.write_text("\n".join(blocks))
    assert len(ds.read_network(path, max_memory="8MiB").variables) == 17
    with pytest.raises(ds.InvalidData, match="probabilities; the limit is"):
        ds.read_network(path, max_memory="2MiB")


def test_a_bracket_begins_a_json_document(tmp_path):
    path = tmp_path / "list.json"
    path.write_text(json.dumps([1, 2]))
    with pytest.raises(ds.InvalidData, match="is not a network of dagscape: it has no kind"):
        ds.read_network(path)
