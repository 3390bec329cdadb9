"""The data of the papers' experiments: found, read, and compared with their digests."""

from __future__ import annotations

import gzip
import hashlib
from pathlib import Path

import pytest

import dagscape as ds
from dagscape.studies.papers.catalogue import SOURCES
from dagscape.studies.papers.sources import Sources, network_source, table_source

SHARED = Path(__file__).resolve().parents[4] / "shared" / "data"

needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="the shared data are not beside the checkout")


@needs_shared
def test_digests_are_those_of_the_files():
    here = Sources(SHARED)
    found = [name for name in SOURCES if here.has(name)]
    assert len(found) > 40
    assert [name for name in found if here.differs(name)] == []


def test_entries_are_complete():
    for name, source in SOURCES.items():
        assert source.name == name
        assert name.split("/")[0] in {"networks", "sets", "student"}
        assert len(bytes.fromhex(source.sha256)) == hashlib.sha256().digest_size
        assert source.conversion
        assert source.origin.place
        assert source.origin.licence


def test_bundled_data_are_always_there():
    sources = Sources()
    assert sources.has("builtin:cancer")
    assert sources.network("builtin:cancer").dag == ds.load_network("cancer").dag
    assert sources.table("builtin:votes").m == 435
    assert sources.table("builtin:votes", missing="drop").m == 232
    assert (network_source("builtin:asia"), table_source("builtin:iris")) == ("builtin:asia", "builtin:iris")


@pytest.mark.parametrize("packed", [False, True])
def test_files_are_found_compressed_or_not(tmp_path, packed):
    folder = tmp_path / "sets"
    folder.mkdir()
    text = b"a,b\n0,1\n1,0\n1,1\n"
    path = folder / ("small.csv.gz" if packed else "small.csv")
    path.write_bytes(gzip.compress(text) if packed else text)
    sources = Sources(tmp_path)
    assert sources.path("sets/small.csv") == path
    assert sources.table("small").m == 3
    # The catalogue does not know it.
    assert not sources.differs("sets/small.csv")


def test_other_contents_are_noticed(tmp_path):
    (tmp_path / "sets").mkdir()
    (tmp_path / "sets" / "zoo.csv").write_text("a,b\n0,1\n")
    assert Sources(tmp_path).differs("sets/zoo.csv")


@pytest.mark.parametrize("folder", [None, "."])
def test_missing_files_are_named_with_the_remedy(tmp_path, folder):
    sources = Sources(folder and tmp_path)
    assert not sources.has("networks/alarm.bif")
    with pytest.raises(ds.InvalidOption, match=r"'networks/alarm.bif' is needed, .*--list.*--data"):
        sources.network("alarm")
