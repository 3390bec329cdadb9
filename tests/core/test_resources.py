from __future__ import annotations

import pytest

from dagscape.core.errors import InvalidOption, TooLarge
from dagscape.core.resources import (
    available_memory,
    check_memory,
    format_bytes,
    memory_limit,
    parse_bytes,
    thread_count,
)


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1024", 1024),
        ("800 bytes", 800),
        (1024, 1024),
        ("1k", 1024),
        ("2 MiB", 2**21),
        ("1.5GB", 3 * 2**29),
        ("3g", 3 * 2**30),
        ("1T", 2**40),
    ],
)
def test_sizes(text, size):
    assert parse_bytes(text) == size


@pytest.mark.parametrize("text", ["", "GiB", "-1", "0", "1.5.5", "8 apples", "1e9", "nan"])
def test_wrong_sizes(text):
    with pytest.raises(InvalidOption, match="max_memory is"):
        parse_bytes(text)


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (0, "0 bytes"),
        (1, "1 byte"),
        (1023, "1023 bytes"),
        (1536, "1.5 KiB"),
        (2**34, "16.0 GiB"),
        (2**60, "1.0 EiB"),
        (2**80, "1,048,576.0 EiB"),
        (2**1500, "2^1500 bytes"),
    ],
)
def test_sizes_as_text(count, text):
    assert format_bytes(count) == text


def test_the_limit_is_below_what_is_there():
    assert 0 < memory_limit(None) < available_memory() * 1.01
    assert memory_limit("1MiB") == 2**20


def test_refusal_gives_number_limit_and_remedy():
    with pytest.raises(TooLarge, match=r"^the tables need 2\.0 KiB; the limit is 1\.0 KiB \(max_memory\): buy more$"):
        check_memory(2048, 1024, "the tables", "buy more")
    check_memory(1024, 1024, "the tables", "buy more")


def test_threads():
    assert thread_count(None) >= 1
    assert thread_count(3) == 3
    for wrong in (0, -1, 5000, True):
        with pytest.raises(InvalidOption, match="threads is"):
            thread_count(wrong)
