"""A process that says which rank has died.

Usage: python guard.py HOST RANK PROCESS [RANK PROCESS ...]

A launcher that notices the death of a rank kills the others at once, and may not say on standard error which one it
was. So the first rank of each machine starts this program, which the launcher does not know. It watches the ranks of
the machine while they work together: ``1`` on standard input begins and ``0`` ends that. It ends with its first rank.
"""

import os
import select
import sys

# The exit code if a rank has died; any other means that the guard itself has failed, or has nothing to do.
REPORTED = 3


def watch(host: str, processes: dict[int, int]) -> int:
    """Say so if one of these processes, given as ranks and their process numbers, ends while they work."""
    events = select.poll()
    events.register(0, select.POLLIN)
    files = {}
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
            _tell(
                host, {files[file]: processes[files[file]] for file in ended} or dict([next(iter(processes.items()))])
            )
        if orders == b"" or (working and ended):
            return REPORTED if working else 0


def _tell(host: str, ended: dict[int, int]) -> None:
    who = " and ".join(f"rank {rank} (process {process} on {host})" for rank, process in ended.items())
    os.write(2, f"dagscape: {who} ended unexpectedly: the job ends, too\n".encode())


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[2:]]
    sys.exit(watch(sys.argv[1], dict(zip(numbers[::2], numbers[1::2], strict=True))))
