"""Memory and processors of this machine, and limits on their use."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Self

from dagscape.core.constraints import Whole
from dagscape.core.errors import InvalidOption, TooLarge, argument

_UNITS = {"": 1, "k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}

# The default limit leaves the rest to other programs.
_SHARE_OF_AVAILABLE = 0.8

MAX_THREADS = 1024
_THREADS = Whole(1, MAX_THREADS, said=f"between 1 and {MAX_THREADS}")

# No machine has more, and kernels take limits as signed 64-bit integers.
_NO_LIMIT = 2**62


def format_bytes(count: float) -> str:
    """Format a number of bytes for people.

    >>> format_bytes(17_179_869_184), format_bytes(1)
    ('16.0 GiB', '1 byte')
    """
    if count >= 2**90:
        return f"2^{int(count).bit_length() - 1} bytes"
    units = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
    for unit in units:
        if count < 1024 or unit == units[-1]:
            break
        count /= 1024
    if unit == "bytes":
        return "1 byte" if round(count) == 1 else f"{count:.0f} bytes"
    return f"{count:,.1f} {unit}"


def parse_bytes(size: int | str, option: str = "max_memory") -> int:
    """Parse a number of bytes: ``"8GiB"``, ``"500M"``, ``"1.5 g"`` or an integer.

    >>> parse_bytes("1.5 GiB")
    1610612736
    """
    match = re.fullmatch(r"\s*(\d+(?:\.\d+)?)\s*([kmgt]?)(?:i?b(?:ytes)?)?\s*", str(size).lower())
    if match is None or not Fraction(match[1]):
        raise InvalidOption(f"is {size!r}; it must be a positive size such as '8GiB' or '500MiB'", option=option)
    return int(Fraction(match[1]) * _UNITS[match[2]])


def available_memory() -> int:
    """Return how many bytes this process can use now without swapping, within the limits of system and container."""
    found = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        found += [int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:")]
    except OSError:
        pass
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text(encoding="ascii").strip()
        used = int(Path("/sys/fs/cgroup/memory.current").read_text(encoding="ascii"))
        if limit != "max":
            found.append(max(int(limit) - used, 0))
    except (OSError, ValueError):
        pass
    return min([*found, *_address_space()])


def _address_space() -> list[int]:
    """Return the bytes of address space left to this process, if a limit is set (``ulimit -v``)."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit == resource.RLIM_INFINITY:
            return []
        used = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0]) * resource.getpagesize()
    except (ImportError, OSError):
        return []
    return [max(limit - used, 0)]


def share_of(available: int) -> int:
    """Return the default limit if this many bytes are available: 80% of them.

    >>> share_of(100)
    80
    """
    # A limit of zero would be no valid argument where it is passed on.
    return max(int(available * _SHARE_OF_AVAILABLE), 1)


def memory_limit(max_memory: int | str | None) -> int:
    """Return how many bytes a job may use: the user's limit, or 80% of what is available."""
    if max_memory is not None:
        return min(parse_bytes(max_memory), _NO_LIMIT)
    return share_of(available_memory())


def check_memory(needed: int, max_memory: int | str | None, what: str, remedy: str) -> None:
    """Raise :class:`TooLarge` if a job needs more memory than the limit.

    Parameters
    ----------
    needed : int
        Bytes that the job needs.
    max_memory : int, str or None
        The user's limit; None for most of what is available.
    what : str
        What needs the memory, as the start of a sentence: "the scores of 31 variables".
    remedy : str
        What the user can do, as an imperative.
    """
    check_within(needed, memory_limit(max_memory), what, remedy)


def check_within(needed: int, limit: int, what: str, remedy: str) -> None:
    """Raise :class:`TooLarge` as :func:`check_memory` does, if the limit is known in bytes."""
    if needed > limit:
        allowed = f"{format_bytes(limit)} ({argument('max_memory')})"
        raise TooLarge(f"{what} need {format_bytes(needed)}; the limit is {allowed}: {remedy}")


def thread_count(threads: int | None) -> int:
    """Return the number of threads to use. Default: one per processor available to this process."""
    if threads is None:
        return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    _THREADS.check(threads, "threads")
    return int(threads)


@dataclass(frozen=True, slots=True)
class Budget:
    """The threads and the memory that a call may use: found out once, and passed on.

    Attributes
    ----------
    threads, limit : int
        The number of threads, and the bytes of memory.
    given_threads, given_memory : int, str or None
        What the user has said; None for what the machine has, which is something else on another machine.
    """

    threads: int
    limit: int
    given_threads: int | None
    given_memory: int | str | None

    @classmethod
    def of(cls, threads: int | None, max_memory: int | str | None) -> Self:
        """Check the arguments ``threads`` and ``max_memory`` of a call, and look at the machine where they are None."""
        return cls(thread_count(threads), memory_limit(max_memory), threads, max_memory)
