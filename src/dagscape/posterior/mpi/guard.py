"""A process that says which rank has died.

Usage: python guard.py HOST RANK PROCESS [RANK PROCESS ...]

A launcher that notices the death of a rank kills the others at once, and may not say on standard error which one it
was. So the first rank of each machine starts this program, which the launcher does not know. It watches the ranks of
the machine while they work together: ``1`` on standard input begins and ``0`` ends that. It ends with its first rank.

The first rank then ends the job. If it has died itself, that is for the launcher, which may overlook a death; so the
guard kills the ranks that are still there after some seconds.
"""

import os
import select
import signal
import sys
import time
from contextlib import suppress

# The exit code if a rank has died; any other means that the guard itself has failed, or has nothing to do.
REPORTED = 3

# How long a launcher may take to end the other ranks.
_PATIENCE = 5.0


def watch(host: str, processes: dict[int, int]) -> int:
    """Say so if one of these processes, given as ranks and their process numbers, ends while they work."""
    events = select.poll()
    events.register(0, select.POLLIN)
    files: dict[int, int] = {}
    for rank, process in processes.items():
        file = os.pidfd_open(process)
        files[file] = rank
        events.register(file, select.POLLIN)
    working = False
    while True:
        ready = [file for file, _ in events.poll()]
        orders = os.read(0, 64) if 0 in ready else None
        if orders:
            working = orders.endswith(b"1")
        ended = [file for file in ready if file]
        for file in ended:
            events.unregister(file)
        if working and (ended or orders == b""):
            # The first rank has this end of its pipe no longer.
            dead = ended or list(files)[:1]
            _tell(host, {files[file]: processes[files[file]] for file in dead})
            if orders == b"" or next(iter(files)) in dead:
                kill_late([file for file in files if file not in dead], _PATIENCE)
        if orders == b"" or (working and ended):
            return REPORTED if working else 0


def _tell(host: str, ended: dict[int, int]) -> None:
    who = " and ".join(f"rank {rank} (process {process} on {host})" for rank, process in ended.items())
    os.write(2, f"dagscape: {who} ended unexpectedly: the job ends, too\n".encode())


def kill_late(files: list[int], seconds: float) -> None:
    """Kill those of some processes, given by their files, that do not end by themselves."""
    deadline = time.monotonic() + seconds
    waiting = list(files)
    while waiting and (left := deadline - time.monotonic()) > 0:
        ended = select.select(waiting, [], [], left)[0]
        waiting = [file for file in waiting if file not in ended]
    for file in waiting:
        with suppress(OSError):
            signal.pidfd_send_signal(file, signal.SIGKILL)


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[2:]]
    sys.exit(watch(sys.argv[1], dict(zip(numbers[::2], numbers[1::2], strict=True))))
