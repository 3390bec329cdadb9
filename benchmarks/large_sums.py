"""The table of docs/large-sums.md: memory and time of sums over orders on one machine, on ranks of MPI, and on a card.

python -m benchmarks.large_sums

Measured times are read from RESULTS.md. All others are predicted: the time of one rank is extrapolated from the nearest
measured one, that of more ranks follows from it as in plan(), and that of the card is the prediction of plan(). Memory
is what is computed before a sum starts.
"""

from __future__ import annotations

import re
from pathlib import Path

from dagscape.core.resources import format_bytes
from dagscape.core.wording import format_seconds
from dagscape.posterior.cuda.order_sum import order_sum_bytes
from dagscape.posterior.cuda.seconds import card_seconds
from dagscape.posterior.mpi.backend import rank_memory
from dagscape.posterior.trial import rank_seconds

VARIABLES = (25, 28, 30, 31, 32, 33, 34, 36, 38, 40)
RANKS = (1, 2, 8, 64, 512, 4096)
MAX_PARENTS = 4

# The machine of RESULTS.md, and the memory of an NVIDIA H200 that is free before a sum.
THREADS = 2
CARD_BYTES = 139 * 2**30

RESULTS = Path(__file__).parent / "RESULTS.md"
_ON_HOST = re.compile(rf"^\| orders, n = (\d+), up to {MAX_PARENTS} parents \| ([\d.]+) \|[^|\n]*\|[^|\n]*\|$", re.M)
_ON_CARD = re.compile(rf"^\| orders \| (\d+) \| {MAX_PARENTS} \| ([\d.]+) \|", re.M)


def measured(pattern: re.Pattern[str]) -> dict[int, float]:
    """Return the seconds of each number of variables that was measured."""
    return {int(n): float(seconds) for n, seconds in pattern.findall(RESULTS.read_text(encoding="utf-8"))}


def extrapolated(n: int, known: dict[int, float]) -> float:
    """Return the time of a sum on one machine, from the nearest number of variables that was measured."""
    nearest = min(known, key=lambda other: abs(other - n))
    return known[nearest] * 2.0 ** (n - nearest) * n / nearest


def cell(memory: int, seconds: float, *, known: bool) -> str:
    # What takes less is spent on what the predictions leave out: start-up, broadcasts, latencies.
    time = format_seconds(seconds) if known or seconds >= 1 else "under 1 s"
    return f"{format_bytes(memory)}, {f'**{time}**' if known else time}"


def row(n: int, on_host: dict[int, float], on_card: dict[int, float]) -> list[str]:
    alone = extrapolated(n, on_host)
    cells = [str(n)]
    for ranks in RANKS:
        seconds = alone if ranks == 1 else rank_seconds(alone, n, ranks)
        cells.append(cell(rank_memory(n, MAX_PARENTS, THREADS, ranks), seconds, known=ranks == 1 and n in on_host))
    needed = order_sum_bytes(n, MAX_PARENTS)
    seconds = on_card.get(n, card_seconds(n, MAX_PARENTS, "orders"))
    return [*cells, "too large" if needed > CARD_BYTES else cell(needed, seconds, known=n in on_card)]


def main() -> None:
    on_host, on_card = measured(_ON_HOST), measured(_ON_CARD)
    heads = ["n", *(f"{ranks:,} rank{'s' if ranks > 1 else ''}" for ranks in RANKS), "one H200"]
    print(f"| {' | '.join(heads)} |")
    print(f"|{' ---: |' * len(heads)}")
    for n in VARIABLES:
        print(f"| {' | '.join(row(n, on_host, on_card))} |")


if __name__ == "__main__":
    main()
