"""Chains over DAGs beside Gibby: the error of all edge probabilities by processor time, without that of the scores.

python -m benchmarks.chains long [CASE …] --data=FOLDER     (the references; minutes for each case)
python -m benchmarks.chains run [CASE …] --data=FOLDER
python -m benchmarks.chains table --data=FOLDER [--write]
python -m benchmarks.chains added --data=FOLDER [--write]   (the cases that the page does not have yet)

FOLDER has the data files of Gibby's repository, such as ``alarm1k.dat``; ``benchmarks/gibby.py`` says how the program
is found. A case is a data set and a limit on the number of parents, ``alarm1k-4``. Both programs have one chain, one
thread, the uniform prior over DAGs and BDeu with an equivalent sample size of 1. The reference is the exact posterior
up to 20 variables, and otherwise the mean of two long runs, one of each program. ``long`` and ``run`` keep what they
found in ``build/``, so that they can be interrupted. ``added`` has sections of its own, and draws no picture, so that a
case can be measured without running the others again.
"""

from __future__ import annotations

import sys
import time
import warnings
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import dagscape as ds
from benchmarks import gibby
from benchmarks.gibby import THIN, Course, Moves
from benchmarks.pages import FIGURES, RESULTS, WRITE, Page, words
from benchmarks.timing import timed
from dagscape.sampling.chain_lists import complete_lists
from dagscape.sampling.chain_requirements import default_thin
from dagscape.sampling.chain_starts import listed_start
from dagscape.sampling.running_chains import BURN_IN, make_chains

PAGE = Page("chains")
KEPT = Path(__file__).resolve().parents[1] / "build" / "chains"

# Processor seconds after which errors are compared.
CUTS = (0.3, 1.0, 2.0, 4.0, 8.0)
SEEDS = (1, 2, 3)
LONG_SEED = 101
LONG_SECONDS = {"Gibby": 400.0, "dagscape": 60.0}
MOST_EXACT = 20
FEW_VARIABLES = 60

# The option of the folder with the data files.
DATA = "--data="

PROGRAMS = ("Gibby", "dagscape")

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Case:
    """A data set, the limit on parents, and the moves of an iteration of Gibby with which it does best.

    Where Gibby's long run stays among networks with lower scores (the page says how), it is no part of the reference.
    """

    name: str
    max_parents: int
    moves: Moves = THIN
    own_reference: bool = False

    def __str__(self) -> str:
        return f"{self.name}-{self.max_parents}"


CASES = (
    Case("child1k", 3),
    Case("child1k", 4),
    Case("ins1k", 3),
    Case("alarm1k", 3),
    Case("alarm1k", 4),
    Case("hail1k", 3, own_reference=True),
    Case("path1k", 2, Moves(), own_reference=True),
    Case("andes1k", 2, Moves()),
)


def data_of(folder: Path, case: Case) -> ds.Dataset:
    return gibby.read(folder / f"{case.name}.dat")


@cache
def own_scores(folder: Path, case: Case) -> tuple[float, ds.LocalScores]:
    """The scores of all families, and the processor seconds that they took."""
    data = data_of(folder, case)
    times, scores = timed(lambda: ds.local_scores(data, max_parents=case.max_parents, threads=1))
    return times.cpu, scores


@cache
def peer_seconds(folder: Path, case: Case) -> float:
    """The processor seconds of one of Gibby's iterations."""
    return gibby.seconds_per_iteration(folder / f"{case.name}.dat", case.max_parents, case.moves)


def peer_course(folder: Path, case: Case, seed: int) -> Course:
    """Gibby's estimates; fewer of them with many variables, since writing takes time as well."""
    n = data_of(folder, case).n
    snapshots = 200 if n <= FEW_VARIABLES else 64
    every = max(round(1.5 * CUTS[-1] / peer_seconds(folder, case) / snapshots), 1)
    return gibby.run(folder / f"{case.name}.dat", case.max_parents, seed, every * snapshots, every, case.moves)


def own_course(folder: Path, case: Case, seed: int, seconds: float = 1.02 * CUTS[-1]) -> Course:
    """The estimates of one chain, which begins as :func:`dagscape.chain` does, and discards as much.

    The lists of families count as scores, as in Gibby; the search for a start counts as sampling.
    """
    scoring, scores = own_scores(folder, case)
    listing, lists = timed(lambda: complete_lists(scores))
    began = time.process_time()
    start = ds.learn(scores, "order", seed=0, threads=1, patience=1, exact=False).network
    (chain,) = make_chains(
        scores, lists, [listed_start(lists, start)], default_thin(lists.listed), np.random.default_rng(seed), [None]
    )
    taken, sums = [], []
    draws = 1
    while not taken or taken[-1] < seconds:
        before = time.process_time()
        chain.extend(draws, lambda: False)
        taken.append(time.process_time() - began)
        # Batches of a fortieth of the time so far, so that the first estimates are not the only fine ones.
        sums.append((draws, chain.batches.pop().sums))
        chain.words.clear()
        draws = max(round(draws * taken[-1] / 40 / max(taken[-1] - before + began, 1e-6)), 1)
    return Course(scoring + listing.cpu, np.array(taken), _averages(sums))


def _averages(sums: list[tuple[int, Matrix]]) -> Matrix:
    """The average at the end of each batch, without the first fifth of the draws."""
    counts = np.cumsum([draws for draws, _ in sums])
    totals = np.cumsum([edges for _, edges in sums], axis=0)
    first = np.searchsorted(counts, BURN_IN * counts, side="right")
    before = np.concatenate([np.zeros((1, *totals.shape[1:])), totals])[first]
    left = counts - np.concatenate([[0], counts])[first]
    averages: Matrix = (totals - before) / left[:, None, None]
    return averages


COURSES = {"Gibby": peer_course, "dagscape": own_course}


def kept_course(case: Case, program: str, seed: int) -> Path:
    return KEPT / f"{case}-{program}-{seed}.npz"


def run(folder: Path, cases: tuple[Case, ...]) -> None:
    """Run both programs with all seeds, in turns."""
    KEPT.mkdir(parents=True, exist_ok=True)
    for case in cases:
        for seed in SEEDS:
            for program in PROGRAMS:
                path = kept_course(case, program, seed)
                if path.exists():
                    continue
                found = COURSES[program](folder, case, seed)
                np.savez(path, scoring=found.scoring, seconds=found.seconds, edges=found.edges.astype(np.float32))
                print(path.stem, f"{found.seconds[-1]:.2f} s", flush=True)


def course(case: Case, program: str, seed: int) -> Course:
    with np.load(kept_course(case, program, seed)) as kept:
        return Course(float(kept["scoring"]), kept["seconds"], kept["edges"].astype(np.float64))


def long(folder: Path, cases: tuple[Case, ...]) -> None:
    """Make the references."""
    KEPT.mkdir(parents=True, exist_ok=True)
    for case in cases:
        path = KEPT / f"{case}-exact.npy"
        if data_of(folder, case).n <= MOST_EXACT:
            if not path.exists():
                np.save(path, ds.posterior(own_scores(folder, case)[1], over="dags").edges)
            continue
        for program in PROGRAMS:
            path = KEPT / f"{case}-{program}.npy"
            if not path.exists():
                np.save(path, _long_run(folder, case, program))
                print(path.stem, flush=True)


def _long_run(folder: Path, case: Case, program: str) -> Matrix:
    if program == "dagscape":
        return own_course(folder, case, LONG_SEED, LONG_SECONDS[program]).edges[-1]
    path = folder / f"{case.name}.dat"
    steps = round(LONG_SECONDS[program] / peer_seconds(folder, case))
    return gibby.run(path, case.max_parents, LONG_SEED, steps, max(steps // 20, 1), case.moves).edges[-1]


class Reference(NamedTuple):
    """The probabilities that estimates are compared with, what they are, and how far two long runs are apart."""

    edges: Matrix
    kind: str
    difference: float


def reference(case: Case) -> Reference:
    exact = KEPT / f"{case}-exact.npy"
    if exact.exists():
        return Reference(np.load(exact), "exact", 0.0)
    peer, own = (np.load(KEPT / f"{case}-{program}.npy") for program in PROGRAMS)
    difference = error(peer, own)
    if case.own_reference:
        return Reference(own, "dagscape", difference)
    return Reference((peer + own) / 2, "both", difference)


def error(one: Matrix, other: Matrix) -> float:
    """The root mean square difference over all ordered pairs."""
    off = ~np.eye(len(one), dtype=bool)
    return float(np.sqrt(((one - other)[off] ** 2).mean()))


class Point(NamedTuple):
    """Processor seconds, and the error then."""

    seconds: float
    error: float


def points(case: Case, program: str, seed: int) -> list[Point]:
    """The errors of one run at the given times, as far as there are estimates by then."""
    found, right = course(case, program, seed), reference(case).edges
    estimates = [(cut, found.until(cut)) for cut in CUTS]
    return [Point(cut, error(one, right)) for cut, one in estimates if one is not None]


def typical(case: Case, program: str) -> list[Point]:
    """The root mean squares over the seeds, at the times at which all of them have an estimate."""
    runs = [dict(points(case, program, seed)) for seed in SEEDS]
    common = [cut for cut in CUTS if all(cut in run for run in runs)]
    return [Point(cut, float(np.sqrt(np.mean([run[cut] ** 2 for run in runs])))) for cut in common]


def seconds_to(curve: list[Point], wanted: float) -> float:
    """When a curve first comes down to an error, on straight lines in logarithms; infinite if it does not.

    If it begins below, that is its first time: it may have been there before.
    """
    seconds, errors = np.log(np.array(curve)).T
    below = np.flatnonzero(errors <= np.log(wanted))
    if not len(below):
        return np.inf
    at = int(below[0])
    if not at:
        return curve[0].seconds
    share = (errors[at - 1] - np.log(wanted)) / (errors[at - 1] - errors[at])
    return float(np.exp(seconds[at - 1] + share * (seconds[at] - seconds[at - 1])))


def finished() -> tuple[Case, ...]:
    """The cases that both programs have run."""
    return tuple(case for case in CASES if all(kept_course(case, program, SEEDS[-1]).exists() for program in PROGRAMS))


def table(folder: Path) -> None:
    """Show all cases, with a picture."""
    _tables(folder, finished(), "errors", "ratios")
    draw(folder)


def added(folder: Path) -> None:
    """Show the cases that the page does not have."""
    shown = {row["data, parents"] for row in PAGE.rows("errors")}
    _tables(folder, tuple(case for case in finished() if str(case) not in shown), "added-errors", "added-ratios")


def _tables(folder: Path, cases: tuple[Case, ...], of_errors: str, of_ratios: str) -> None:
    rows, ratios = [], []
    for case in cases:
        n, (_, kind, difference) = data_of(folder, case).n, reference(case)
        curves = {program: typical(case, program) for program in PROGRAMS}
        for program in PROGRAMS:
            scoring = np.mean([course(case, program, seed).scoring for seed in SEEDS])
            rows.append([str(case), n, program, f"{scoring:.2f}", *_errors(case, program)])
        ratios.append([str(case), n, kind, difference or None, *_ratios(curves["Gibby"], curves["dagscape"])])
    PAGE.table(
        of_errors,
        "Root mean square error of all edge probabilities after so many processor seconds of sampling, three seeds: "
        "their root mean square, and the smallest and the largest. Scores: processor seconds before, not counted.",
        ["data, parents", "n", "program", "scores, s", *(f"{cut:g} s" for cut in CUTS)],
        rows,
    )
    PAGE.table(
        of_ratios,
        "How many times longer Gibby takes to the same error: to the error that dagscape has after 1 s, and to the one "
        "that Gibby has after 8 s, from the curves of the pictures; and the geometric mean of the squares of the "
        "ratios of errors at the same time. The reference is the exact posterior, the mean of a long run of each "
        "program, or dagscape's alone; and how far the two long runs are apart.",
        ["data, parents", "n", "reference", "apart", "early", "late", "squares"],
        ratios,
    )


def _errors(case: Case, program: str) -> list[str]:
    runs, middle = [dict(points(case, program, seed)) for seed in SEEDS], dict(typical(case, program))
    return [
        f"{middle[cut]:.4f} ({min(run[cut] for run in runs):.4f} to {max(run[cut] for run in runs):.4f})"
        if cut in middle
        else ""
        for cut in CUTS
    ]


def _ratios(peer: list[Point], own: list[Point]) -> list[str]:
    """How many times longer the peer takes, to an early and to a late error, and by the squares of all errors."""
    early, late = next(point for point in own if point.seconds >= 1), peer[-1]
    there, here = seconds_to(peer, early.error), seconds_to(own, late.error)
    first = f"over {late.seconds / early.seconds:.0f}" if there == np.inf else f"{there / early.seconds:.1f}"
    second = f"{'over ' if here == own[0].seconds else ''}{late.seconds / here:.1f}"
    peers = dict(peer)
    squares = [(peers[point.seconds] / point.error) ** 2 for point in own if point.seconds in peers]
    return [first, second, f"{np.exp(np.mean(np.log(squares))):.1f}"]


def draw(folder: Path) -> None:
    """Draw errors by time, one picture for each case."""
    import matplotlib
    from matplotlib.figure import Figure

    cases = finished()
    across = 3
    down = -(-len(cases) // across)
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dagscape"}):
        figure = Figure(figsize=(10, 2.9 * down), layout="constrained")
        for place, case in enumerate(cases):
            axes = figure.add_subplot(down, across, place + 1)
            _draw_case(axes, case, f"{case.name}, n = {data_of(folder, case).n}, {case.max_parents} parents")
            if place % across == 0:
                axes.set_ylabel("error of edges")
            if place >= len(cases) - across:
                axes.set_xlabel("processor seconds")
        path = (RESULTS if WRITE in sys.argv[1:] else FIGURES) / "chains.svg"
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})
        print(path)


def _draw_case(axes: object, case: Case, title: str) -> None:
    for program, colour in zip(PROGRAMS, ("C1", "C0"), strict=True):
        for seed in SEEDS:
            seconds, errors = zip(*points(case, program, seed), strict=True)
            axes.plot(seconds, errors, colour, linewidth=0.6, alpha=0.6)
        seconds, errors = zip(*typical(case, program), strict=True)
        axes.plot(seconds, errors, f"{colour}-o", markersize=3, label=program)
    right = reference(case)
    if right.kind == "both":
        axes.axhline(right.difference / 2, color="grey", linestyle=":", linewidth=0.8, label="error of the reference")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.minorticks_off()
    axes.set_xticks(CUTS, [f"{cut:g}" for cut in CUTS])
    axes.set_title(title, fontsize=9)
    axes.legend(fontsize=7, frameon=False)


def chosen(names: list[str]) -> tuple[Case, ...]:
    return tuple(case for case in CASES if not names or str(case) in names)


def main() -> None:
    folders = [Path(word.removeprefix(DATA)) for word in words() if word.startswith(DATA)]
    match [word for word in words() if not word.startswith(DATA)], folders:
        case ["long", *names], [folder]:
            long(folder, chosen(names))
        case ["run", *names], [folder]:
            run(folder, chosen(names))
        case ["table"], [folder]:
            table(folder)
        case ["added"], [folder]:
            added(folder)
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
