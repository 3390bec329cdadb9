"""The table of docs/large-sums.md: memory and time of sums over orders on one machine, on ranks of MPI, and on a GPU.

python -m benchmarks.large_sums [--write]       (--write also draws benchmarks/results/sums.svg)

Measured times are those of the pages of results. All others are predicted: the time of one rank is extrapolated from
the nearest measured one, that of more ranks follows from it as in plan(), and that of the GPU is the prediction of
plan(). Memory is what is computed before a sum starts.
"""

from __future__ import annotations

import re
import sys

from benchmarks.pages import RESULTS, WRITE, Page, markdown
from dagscape.core.resources import format_bytes
from dagscape.core.wording import format_seconds
from dagscape.posterior.cuda.order_sum import order_sum_bytes
from dagscape.posterior.cuda.seconds import seconds_elsewhere
from dagscape.posterior.mpi.memory import rank_memory
from dagscape.posterior.mpi.seconds import rank_seconds

VARIABLES = (25, 28, 30, 31, 32, 33, 34, 36, 38, 40)
RANKS = (1, 2, 8, 64, 512, 4096)
MAX_PARENTS = 4

# The machine of the results, and the memory of an NVIDIA H200 that is free before a sum.
THREADS = 2
GPU_BYTES = 139 * 2**30


def measured(page: str, section: str, seconds: str, over: str = "orders") -> dict[int, float]:
    """The seconds of each number of variables that was measured, in a column of a page."""
    rows = [row for row in Page(page).rows(section) if row["parents"] == str(MAX_PARENTS)]
    return {int(row["n"]): float(row[seconds]) for row in rows if row.get("over", over) == over and row[seconds]}


def on_host(threads: str = "two threads") -> dict[int, float]:
    return measured("posterior", "orders", threads)


def dags_on_host() -> dict[int, float]:
    """The seconds of sums over DAGs, by the number of variables."""
    jobs = (
        (re.fullmatch(rf"n = (\d+), up to {MAX_PARENTS} parents", row["job"]), row)
        for row in Page("posterior").rows("sums")
    )
    return {int(job[1]): float(row["seconds"]) for job, row in jobs if job}


def on_gpu(over: str = "orders") -> dict[int, float]:
    return measured("gpu", "sums", "seconds", over)


def extrapolated(n: int, known: dict[int, float]) -> float:
    """Return the time of a sum on one machine, from the nearest number of variables that was measured."""
    nearest = min(known, key=lambda other: abs(other - n))
    return known[nearest] * 2.0 ** (n - nearest) * n / nearest


def cell(memory: int, seconds: float, *, known: bool) -> str:
    # What takes less is spent on what the predictions leave out: start-up, broadcasts, latencies.
    time = format_seconds(seconds) if known or seconds >= 1 else "under 1 s"
    return f"{format_bytes(memory)}, {f'**{time}**' if known else time}"


def row(n: int) -> list[str]:
    host, gpu = on_host(), on_gpu()
    alone = extrapolated(n, host)
    cells = [str(n)]
    for ranks in RANKS:
        seconds = alone if ranks == 1 else rank_seconds(alone, n, ranks)
        cells.append(cell(rank_memory(n, MAX_PARENTS, THREADS, ranks), seconds, known=ranks == 1 and n in host))
    needed = order_sum_bytes(n, MAX_PARENTS)
    seconds = gpu.get(n, seconds_elsewhere(n, MAX_PARENTS, "orders"))
    return [*cells, "too large" if needed > GPU_BYTES else cell(needed, seconds, known=n in gpu)]


def draw() -> None:
    """Draw the measured times of sums with up to 4 parents, on the processors and on the GPU."""
    import matplotlib
    from matplotlib.figure import Figure

    curves = {
        "orders, one thread": (on_host("one thread"), "C0:o"),
        "orders, two threads": (on_host(), "C0-o"),
        "orders, H200": (on_gpu(), "C1-o"),
        "DAGs, two threads": (dags_on_host(), "C0--s"),
        "DAGs, H200": (on_gpu("dags"), "C1--s"),
    }
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dagscape"}):
        figure = Figure(figsize=(5.5, 3.5), layout="constrained")
        axes = figure.add_subplot()
        for name, (times, style) in curves.items():
            sizes = sorted(times)
            axes.plot(sizes, [times[n] for n in sizes], style, label=name, markersize=4)
        axes.set_yscale("log")
        axes.minorticks_off()
        axes.set_xticks(range(15, 36, 5))
        axes.set_xlabel("variables, up to 4 parents each")
        axes.set_ylabel("seconds")
        axes.legend(fontsize=8, frameon=False)
        figure.savefig(RESULTS / "sums.svg", metadata={"Date": None})


def main() -> None:
    heads = ["n", *(f"{ranks:,} rank{'s' if ranks > 1 else ''}" for ranks in RANKS), "one H200"]
    print(markdown(heads, [row(n) for n in VARIABLES]))
    if WRITE in sys.argv[1:]:
        draw()


if __name__ == "__main__":
    main()
