from __future__ import annotations

import gzip

import pytest

from dagscape.errors import InvalidData, TooLarge
from dagscape.files.reading import open_binary, read_whole


def read(path, **options):
    with open_binary(path) as stream:
        return read_whole(stream, path, **options)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_file_within_the_limit_is_read_whole(tmp_path, pack):
    contents = bytes(range(256)) * 4000
    path = tmp_path / "x.json"
    path.write_bytes(pack(contents))
    assert read(path, max_memory=len(contents)) == contents


def test_a_gzipped_file_is_refused_once_its_contents_exceed_the_limit(tmp_path):
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(bytes(10**7)))
    with pytest.raises(TooLarge, match=r"^the scores of '.*', of which 1,310,720 bytes were read, need 2.5 MiB; the "):
        read(path, max_memory="2.3MiB", bytes_per_byte=2, what="the scores")


def test_a_damaged_gzip_file_is_one_sentence(tmp_path):
    path = tmp_path / "x.json.gz"
    path.write_bytes(gzip.compress(bytes(10**6))[:-20])
    with pytest.raises(InvalidData, match=r"cannot be read: Compressed file ended before"):
        read(path)
