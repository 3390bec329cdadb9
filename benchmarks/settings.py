"""Which settings to average over if a user gives none: calibration, permuted tables, halves of tables.

python -m benchmarks.settings run [KIND …]      (simulated, permuted, halves; default: all)
python -m benchmarks.settings table [--write]
python -m benchmarks.settings learned [--write]

Every table (``benchmarks/setting_tables.py``) is summed under a wide grid of settings: equivalent sample sizes,
structure priors, limits on the number of parents, limits on the parents' states by the number of rows, and, for up to
nine variables, BDs (``benchmarks/bds.py``). ``run`` keeps the evidence and the edge probabilities of each in
``build/settings``, so that it can be interrupted. ``table`` then judges rules: one fixed setting, or the average over
part of the grid, weighed by evidence.

* *simulated*: networks of 6 to 20 variables, 2 to 6 levels, 50 to 10,000 rows, four kinds of tables. The truth is
  known: log loss and calibration of adjacencies and of edges.
* *permuted*: real tables in which each column is permuted by itself. Every edge is false.
* *learned*: rows of known networks, learned under the old defaults and under the settings with the highest evidence in
  parts of the columns: structural differences, and the log-likelihood of other rows.
* *halves*: the rows of real tables, divided in two at random. A rule is good if what one half says with certainty the
  other half says, too: the log loss of each half, judged by the other.
"""

from __future__ import annotations

import functools
import itertools
import math
import multiprocessing
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import dagscape as ds
from benchmarks import SHARED
from benchmarks.bds import bds_scores
from benchmarks.calibration import Bin, reliability
from benchmarks.pages import FIGURES, RESULTS, WRITE, Page, words
from benchmarks.setting_tables import REAL, WIDE, Matrix, half, permuted, real, simulated, variables_of
from dagscape.core.resources import Budget
from dagscape.posterior.evidence import best_of
from dagscape.posterior.grids import AVERAGED_PRIORS, AVERAGED_SIZES, parents_by_rows

PAGE = Page("settings")
FOLDER = Path(__file__).resolve().parents[1] / "build" / "settings"

# The grid, and the smaller one for more than `WIDE` variables.
SIZES = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 16.0, 32.0, 64.0)
PENALTIES = (0.5, 1.0, 1.5, 2.0, 3.0, 4.5)
PRIORS = ("uniform", "per-size", *(f"edge-penalty:{nats:g}" for nats in PENALTIES))
WIDE_SIZES = (0.5, 1.0, 2.0, 8.0, 10.0, 32.0)
WIDE_PRIORS = ("uniform", "per-size", "edge-penalty:1.5", "edge-penalty:3")

# With limits on families: a number of parents, or a share of the rows that the parents may have as joint states.
LIMITS = (2, 3, 4)
STATES_PER_ROW = (1.0, 0.2, 0.1, 0.05)
LIMITED_SIZES = (0.5, 1.0, 2.0, 8.0, 32.0)
LIMITED_PRIORS = ("uniform", "edge-penalty:0.5", "edge-penalty:1.5", "edge-penalty:3", "edge-penalty:4.5")

# BDs and limits on joint states are slow here.
FEW = 9
BDS_PRIORS = ("uniform", "edge-penalty:1.5", "edge-penalty:3")

NETWORKS = 400
PERMUTATIONS = 20
SPLITS = 10


class Entry(NamedTuple):
    """One setting: the score, its size, the prior, and the limit on families, if there is one."""

    ess: float
    prior: str
    limit: str = ""
    score: str = "bdeu"


Sums = Iterator[tuple[Entry, float, Matrix]]


def in_full(data: ds.Dataset) -> Sums:
    """Sizes and priors, without limits."""
    sizes, priors = (SIZES, PRIORS) if data.n <= WIDE else (WIDE_SIZES, WIDE_PRIORS)
    found = ds.sensitivity(data, ess=sizes, structure_prior=priors, max_parents=None, threads=1)
    for place, each in enumerate(found.settings):
        yield Entry(each.ess or 0.0, each.structure_prior), each.log_evidence, found.edges[place]


def with_few_parents(data: ds.Dataset) -> Sums:
    """With limits on the number of parents: some fixed ones, and that by the number of rows."""
    by_rows = parents_by_rows(data.arities, data.m)
    limits = [limit for limit in sorted({*(LIMITS if data.n <= WIDE else ()), by_rows}) if limit < data.n - 1]
    sizes, priors = (LIMITED_SIZES, LIMITED_PRIORS) if data.n <= WIDE else (AVERAGED_SIZES, AVERAGED_PRIORS)
    for limit in limits:
        found = ds.sensitivity(data, ess=sizes, structure_prior=priors, max_parents=limit, threads=1)
        for place, each in enumerate(found.settings):
            yield (
                Entry(each.ess or 0.0, each.structure_prior, f"{limit} parents"),
                each.log_evidence,
                found.edges[place],
            )


def with_few_states(data: ds.Dataset) -> Sums:
    """With limits on the joint states of the parents, by the number of rows."""
    arity = dict(zip(data.variables, data.arities.tolist(), strict=True))
    for share, prior in itertools.product(STATES_PER_ROW, LIMITED_PRIORS) if data.n <= FEW else ():

        def weight(_child: str, parents: tuple[str, ...], most: float = share * data.m) -> float:
            return 0.0 if math.prod(arity[parent] for parent in parents) <= most else -math.inf

        priors = [[weight, prior]]
        found = ds.sensitivity(data, ess=LIMITED_SIZES, structure_prior=priors, max_parents=None, threads=1)
        for place, each in enumerate(found.settings):
            yield Entry(each.ess or 0.0, prior, f"states {share:g}"), each.log_evidence, found.edges[place]


def of_bds(data: ds.Dataset) -> Sums:
    """BDs with some sizes and priors."""
    for prior in BDS_PRIORS if data.n <= FEW else ():
        alone = ds.posterior(ds.local_scores(data, structure_prior=prior, threads=1), threads=1)
        penalty = float(prior.partition(":")[2] or 0)
        for ess in LIMITED_SIZES:
            post = ds.posterior(bds_scores(data, ess, penalty), threads=1)
            yield Entry(ess, prior, score="bds"), post.log_total - alone.log_prior_total, post.edges


def of_columns(_: ds.Dataset) -> Sums:
    """Nothing but a choice: the setting with the highest evidence in parts of the columns."""
    yield from ()


PARTS: dict[str, Callable[[ds.Dataset], Sums]] = {
    "full": in_full,
    "columns": of_columns,
    "parents": with_few_parents,
    "states": with_few_states,
    "bds": of_bds,
}


def summed(data: ds.Dataset, part: str) -> dict[str, Any]:
    """The settings of a part of the grid, their evidence, and the probabilities of edges under each."""
    found = list(PARTS[part](data))
    entries = [entry for entry, _, _ in found]
    kept = {
        "ess": np.array([entry.ess for entry in entries], float),
        "prior": np.array([entry.prior for entry in entries], str),
        "limit": np.array([entry.limit for entry in entries], str),
        "score": np.array([entry.score for entry in entries], str),
        "evidence": np.array([evidence for _, evidence, _ in found], float),
        # 65,535 is 1; no rule is judged by more digits.
        "edges": np.array([np.rint(edges * 65_535) for _, _, edges in found], np.uint16).reshape(-1, data.n, data.n),
    }
    return kept | _of_columns(data) if part == "columns" else kept


def _of_columns(data: ds.Dataset) -> dict[str, Any]:
    """The setting with the highest evidence in parts of the columns, as for tables that are too wide for sums."""
    parts = {"whole_columns": 4, "part_columns": max(5, data.n // 2)}
    found = best_of(data, {}, Budget.of(1, None), **parts)
    return {"of_columns": np.array([str(found.chosen["ess"]), found.chosen["structure_prior"]])}


# --- running -----------------------------------------------------------------------------------------------------


class Job(NamedTuple):
    """A table, and a part of the grid."""

    kind: str
    table: str
    number: int
    part: str

    @property
    def path(self) -> Path:
        """The file of what was found."""
        return FOLDER / f"{self.kind}-{self.table}-{self.number}-{self.part}.npz"

    @property
    def size(self) -> int:
        """The number of variables, or about as many."""
        return variables_of(self.number) if self.kind == "simulated" else WIDE


def jobs(kinds: Sequence[str], parts: Sequence[str] = tuple(PARTS)) -> Iterator[Job]:
    """All jobs."""
    counts = {"permuted": PERMUTATIONS, "halves": 2 * SPLITS}
    for kind in kinds:
        if kind == "simulated":
            tables = [("network", number) for number in range(NETWORKS)]
        else:
            tables = [(name, number) for name in REAL for number in range(counts[kind])]
        yield from (Job(kind, *table, part) for table in tables for part in parts)


def _work(job: Job) -> Job:
    if job.path.exists():
        return job
    warnings.simplefilter("ignore")
    found: dict[str, Any] = {}
    if job.kind == "simulated":
        rows = simulated(job.number)
        data = rows.data
        found = {"truth": rows.truth, "compelled": rows.compelled, "rows": data.m, "kind": rows.kind}
    else:
        data = (permuted if job.kind == "permuted" else half)(job.table, job.number)
    temporary = job.path.with_suffix(".part")
    with temporary.open("wb") as stream:
        np.savez_compressed(stream, **found, **summed(data, job.part))
    temporary.rename(job.path)
    return job


def run(kinds: Sequence[str]) -> None:
    """Compute what is not there yet, on all processors: part by part, the widest tables first."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    start = time.monotonic()
    waiting = sorted(
        (job for job in jobs(kinds) if not job.path.exists()), key=lambda job: (list(PARTS).index(job.part), -job.size)
    )
    with multiprocessing.get_context("spawn").Pool(os.cpu_count()) as pool:
        for done, job in enumerate(pool.imap_unordered(_work, waiting), 1):
            if done % 100 == 0:
                print(f"{done} of {len(waiting)}, {time.monotonic() - start:.0f} s: {job.path.name}", flush=True)


# --- rules -------------------------------------------------------------------------------------------------------


class Rule(NamedTuple):
    """How edge probabilities follow from the sums under all settings: those that are averaged, by their evidence."""

    sizes: tuple[float, ...]
    priors: tuple[str, ...]
    limits: tuple[str, ...] = ("",)
    score: str = "bdeu"
    best_alone: bool = False
    of_columns: bool = False
    by_rows: bool = False
    most_variables: int = 1000

    def edges(self, found: dict[str, Any]) -> Matrix | None:
        """The probabilities of edges; None if the grid of this table lacks a setting."""
        if len(found["edges"][0]) > self.most_variables:
            return None
        asked = self.limits
        if self.by_rows:
            asked = (f"{parents_by_rows(found['arity'], int(found['rows']))} parents",)
        # Few variables may have no more parents than a limit allows.
        limits = [limit for limit in asked if not limit.endswith("parents") or limit in found["limit"]] or [""]
        chosen = np.isin(found["ess"], self.sizes) & np.isin(found["prior"], self.priors)
        chosen &= np.isin(found["limit"], limits) & (found["score"] == self.score)
        if chosen.sum() != len(self.sizes) * len(self.priors) * len(limits):
            return None
        if self.of_columns:
            ess, prior = found["of_columns"].tolist()
            chosen &= (found["ess"] == float(ess)) & (found["prior"] == prior)
        evidence = np.where(chosen, found["evidence"], -np.inf)
        shares = np.exp(evidence - evidence.max())
        if self.best_alone:
            shares = (np.arange(len(shares)) == evidence.argmax()).astype(float)
        return np.einsum("s,suv->uv", shares / shares.sum(), found["edges"] / 65_535)


def penalties(*nats: float) -> tuple[str, ...]:
    """The names of edge penalties; 0 is the uniform prior."""
    return tuple(f"edge-penalty:{each:g}" if each else "uniform" for each in nats)


_U, _S = penalties(0), ("per-size",)
_NEW, _PRIORS = AVERAGED_SIZES, AVERAGED_PRIORS
_FINE = tuple(ess for ess in SIZES if ess != 10.0)
_LIMITS = tuple(f"{limit} parents" for limit in LIMITS)
_PARTS = "the same, best in parts of the columns"
OLD, NEW = "ess 1, uniform", "ess 0.5 to 32, penalties 0 to 4.5, by rows"
RULES: dict[str, Rule] = {
    OLD: Rule((1.0,), _U),
    "ess 10, uniform": Rule((10.0,), _U),
    "ess 1, uniform, 3 parents": Rule((1.0,), _U, ("3 parents",)),
    "ess 1, uniform, by rows": Rule((1.0,), _U, by_rows=True),
    "ess 1, per-size": Rule((1.0,), _S),
    "ess 1, penalty 3": Rule((1.0,), penalties(3)),
    "ess 1, penalties 0 to 4.5": Rule((1.0,), _PRIORS),
    "ess 0.5 to 32, uniform": Rule(_NEW, _U),
    "ess 0.5 to 32, per-size": Rule(_NEW, _S),
    "ess 0.5 to 32, penalties 0 to 3": Rule(_NEW, penalties(0, 1.5, 3)),
    "ess 0.5 to 32, penalties 0 to 3, per-size": Rule(_NEW, penalties(0, 1.5, 3) + _S),
    "ess 0.5 to 32, penalties 0 to 4.5": Rule(_NEW, _PRIORS),
    "ess 0.5 to 32, seven penalties": Rule(_NEW, penalties(0, *PENALTIES)),
    "ess 0.25 to 64 (9), seven penalties": Rule(_FINE, penalties(0, *PENALTIES)),
    "ess 0.5 to 32, penalties 0 to 4.5, 3 parents": Rule(_NEW, _PRIORS, ("3 parents",)),
    "ess 0.5 to 32, penalties 0 to 4.5, 2, 3 or 4 parents": Rule(_NEW, _PRIORS, _LIMITS),
    NEW: Rule(_NEW, _PRIORS, by_rows=True),
    "the same, best alone": Rule(_NEW, _PRIORS, by_rows=True, best_alone=True),
    _PARTS: Rule(_NEW, _PRIORS, by_rows=True, of_columns=True),
    "the same, ess 0.5 to 8": Rule((0.5, 2.0, 8.0), _PRIORS, by_rows=True),
    "up to 9 variables: the same": Rule(_NEW, penalties(0, 1.5, 3), by_rows=True, most_variables=FEW),
    "up to 9 variables: states up to rows / 5": Rule(_NEW, penalties(0, 1.5, 3), ("states 0.2",)),
    "up to 9 variables: BDs": Rule(_NEW, penalties(0, 1.5, 3), score="bds"),
}

Table = tuple[str, int]


def loaded(kind: str) -> dict[Table, dict[str, Any]]:
    """What was found of one kind of tables, all parts together."""
    found: dict[Table, dict[str, Any]] = {}
    for job in jobs([kind]):
        if job.path.exists():
            with np.load(job.path) as kept:
                found.setdefault((job.table, job.number), {})[job.part] = dict(kept)
    return {table: _joined(parts) | _shape(kind, *table) for table, parts in found.items() if "full" in parts}


def _shape(kind: str, table: str, number: int) -> dict[str, Any]:
    """The numbers of levels and rows."""
    if kind == "simulated":
        data = simulated(number).data
        return {"arity": data.arities, "rows": data.m}
    frame = _frame(table)
    return {"arity": frame.nunique().to_numpy(), "rows": len(frame) // (2 if kind == "halves" else 1)}


_frame = functools.cache(real)


def _joined(parts: dict[str, dict[str, Any]]) -> dict[str, Any]:
    names = ("ess", "prior", "limit", "score", "evidence", "edges")
    joined = {name: np.concatenate([part[name] for part in parts.values()]) for name in names}
    return parts["full"] | parts.get("columns", {}) | joined


def adjacent(edges: Matrix) -> Matrix:
    """The probabilities of pairs, each once."""
    both = np.minimum(edges + edges.T, 1.0)
    found: Matrix = both[np.triu_indices(len(both), 1)]
    return found


def log_losses(stated: Matrix, there: Matrix) -> Matrix:
    """The log loss of each probability, kept 1/2000 away from 0 and 1; the truth may be a probability, too."""
    kept = np.clip(stated, 1 / 2000, 1 - 1 / 2000)
    found: Matrix = -(there * np.log(kept) + (1 - there) * np.log(1 - kept))
    return found


Bins = dict[str, list[Bin | None]]


def simulated_rows(names: Sequence[str]) -> tuple[list[list[object]], Bins]:
    """Log losses by rule, for networks that all of some rules can judge; and the bins of adjacencies of each rule."""
    kept = list(loaded("simulated").values())
    kept = [found for found in kept if all(RULES[name].edges(found) is not None for name in names)]
    rows, bins = [], {}
    for name in names:
        pairs, of_pairs, of_edges, false, sure, missing = [], [], [], 0, 0, 0
        for found in kept:
            edges = RULES[name].edges(found)
            assert edges is not None
            there, stated = adjacent(found["truth"].astype(float)), adjacent(edges)
            pairs.append((stated, there))
            of_pairs.append(log_losses(stated, there).mean())
            off = ~np.eye(len(edges), dtype=bool)
            of_edges.append(log_losses(edges[off], found["truth"][off].astype(float)).mean())
            false += int(((stated > 0.5) & (there == 0)).sum())
            sure += int(((stated > 0.9) & (there == 0)).sum())
            missing += int(((stated < 0.5) & (there == 1)).sum())
        bins[name] = reliability(pairs)
        outside = sum(one.outside for one in bins[name] if one is not None)
        losses = [f"{np.mean(of_pairs):.4f}", f"{np.mean(of_edges):.4f}"]
        rows.append([name, len(kept), *losses, false, sure, missing, outside])
    return rows, bins


def permuted_rows() -> list[list[object]]:
    """How many false pairs there are in permuted tables, by rule."""
    kept = list(loaded("permuted").values())
    rows = []
    for name, rule in RULES.items():
        stated = [adjacent(edges) for found in kept if (edges := rule.edges(found)) is not None]
        every = np.concatenate(stated)
        tables = sum(bool((each > 0.5).any()) for each in stated)
        shares = [f"{(every > bound).mean():.4%}" for bound in (0.5, 0.9)]
        rows.append([name, len(stated), len(every), *shares, f"{tables / len(stated):.1%}", f"{every.mean():.5f}"])
    return rows


def halves_rows() -> list[list[object]]:
    """How far the two halves of a table agree, by rule."""
    kept = loaded("halves")
    rows = []
    for name, rule in RULES.items():
        losses, apart, sure, kept_sure, differences = [], 0, 0, 0, []
        for (table, number), found in kept.items():
            if number % 2 or (table, number + 1) not in kept:
                continue
            both = [rule.edges(each) for each in (found, kept[table, number + 1])]
            if any(each is None for each in both):
                continue
            first, second = (adjacent(each) for each in both if each is not None)
            losses.append((log_losses(first, second).mean() + log_losses(second, first).mean()) / 2)
            differences.append(np.abs(first - second).mean())
            apart += int((np.abs(first - second) > 0.8).sum())
            for one, other in ((first, second), (second, first)):
                sure += int((one > 0.9).sum())
                kept_sure += int(((one > 0.9) & (other > 0.5)).sum())
        confirmed = f"{kept_sure / sure:.1%}" if sure else ""
        rows.append(
            [name, len(losses), f"{np.mean(losses):.4f}", f"{np.mean(differences):.4f}", apart, sure, confirmed]
        )
    return rows


# Rules for few variables, and those of which wide tables have all sums.
OF_FEW = [
    name
    for name, rule in RULES.items()
    if rule.most_variables <= FEW or rule.score == "bds" or "states 0.2" in rule.limits
]
OF_WIDE = (OLD, "ess 10, uniform", "ess 1, penalty 3", "ess 0.5 to 32, penalties 0 to 3", NEW, _PARTS)


def table() -> None:
    """Write the tables of all kinds, and draw calibration and log loss."""
    general = [name for name in RULES if name not in OF_FEW]
    bins: Bins = {}
    losses: dict[str, dict[str, float]] = {}
    for section, names, which in (
        ("simulated", general, f"of up to {WIDE} variables"),
        ("wide", OF_WIDE, f"of 6 to 20 variables, {NETWORKS // 10} of them of 14 to 20"),
        ("few", [OLD, *OF_FEW], f"of up to {FEW} variables"),
    ):
        rows, found = simulated_rows(names)
        if section == "wide":
            bins, losses["simulated tables"] = found, {str(row[0]): float(str(row[2])) for row in rows}
        PAGE.table(
            section,
            f"Simulated networks {which}: the mean log loss of pairs (an edge in either direction) and of edges, each "
            "network counted alike; pairs above 0.5 and 0.9 that are false, and below 0.5 that are there; bins of "
            f"{len(found[OLD])} in which the mean probability of pairs is outside of the 95 % interval of the share "
            "that is there.",
            ["rule", "networks", "log loss: pairs", "edges", "false: 0.5", "0.9", "missing", "bins outside"],
            rows,
        )
    PAGE.table(
        "permuted",
        "Real tables with permuted columns, where every pair is false: the share of pairs above 0.5 and 0.9, of tables "
        "with at least one above 0.5, and the mean probability.",
        ["rule", "tables", "pairs", "above 0.5", "above 0.9", "tables with one", "mean"],
        permuted_rows(),
    )
    halves = halves_rows()
    losses["halves of real tables"] = {str(row[0]): float(str(row[2])) for row in halves}
    PAGE.table(
        "halves",
        "Halves of real tables: the log loss of the probabilities of one half, judged by those of the other; the mean "
        "difference; pairs that differ by more than 0.8; pairs above 0.9 in one half, and the share of these above 0.5 "
        "in the other.",
        ["rule", "splits", "log loss", "difference", "apart", "above 0.9", "confirmed"],
        halves,
    )
    draw(bins, losses)


def draw(found: Bins, losses: dict[str, dict[str, float]]) -> None:
    """Draw the share of pairs that are there by their probability, under three rules, and log losses of four."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "dagscape"}):
        figure = Figure(figsize=(8.5, 5.2), layout="constrained")
        grid = figure.add_gridspec(2, 3, height_ratios=[3, 2])
        titles = {OLD: "ess 1, uniform prior", "ess 10, uniform": "ess 10, uniform prior", NEW: "average over settings"}
        for place, (name, title) in enumerate(titles.items()):
            axes = figure.add_subplot(grid[0, place])
            kept = [one for one in found[name] if one is not None]
            stated, there = [one.stated for one in kept], [one.there for one in kept]
            low, high = zip(*(one.interval for one in kept), strict=True)
            axes.plot([0, 1], [0, 1], "k:", linewidth=0.8)
            ends = np.abs(np.array([low, high]) - there)
            axes.errorbar(stated, there, yerr=ends, fmt="C0o", markersize=3.5, linewidth=1, capsize=2)
            axes.set_title(title, fontsize=10)
            axes.set_xlabel("probability of the pair")
            axes.set_aspect("equal")
            if not place:
                axes.set_ylabel("share that is there")
        axes = figure.add_subplot(grid[1, :])
        shown = {OLD: titles[OLD], "ess 1, penalty 3": "ess 1, edge penalty 3", **titles}
        for marker, (kind, of_rules) in zip("os", losses.items(), strict=True):
            axes.plot([of_rules[name] for name in shown], range(len(shown)), marker, label=kind)
        axes.set_yticks(range(len(shown)), list(shown.values()))
        axes.set_ylim(len(shown) - 0.5, -0.5)
        axes.set_xlim(left=0)
        axes.grid(axis="x", linewidth=0.4)
        axes.set_xlabel("log loss of pairs, nats")
        axes.legend(frameon=False, fontsize=9)
        path = (RESULTS if WRITE in sys.argv[1:] else FIGURES) / "settings.svg"
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, metadata={"Date": None})
        print(path)


KNOWN = ("child", "insurance", "alarm", "hailfinder", "hepar2", "win95pts", "andes")
KNOWN_ROWS = (200, 1000, 5000)
SEEDS = (1, 2, 3)
HELD_OUT = 5000


def learned_rows() -> Iterator[list[object]]:
    """For each network and number of rows, means over samples: differences from the truth, and held-out likelihood."""
    for name in KNOWN:
        network = ds.read_network(SHARED / "networks" / f"{name}.bif.gz")
        others = network.sample(HELD_OUT, seed=100)
        for rows in KNOWN_ROWS:
            found = [_learned(network, rows, seed, others) for seed in SEEDS]
            (old_shd, old_fit), (new_shd, new_fit) = np.mean(found, axis=0)
            differences = [f"{old_shd:.1f}", f"{new_shd:.1f}"]
            yield [name, len(network.variables), rows, *differences, f"{old_fit:.3f}", f"{new_fit:.3f}"]


def _learned(network: ds.Network, rows: int, seed: int, others: ds.Dataset) -> list[tuple[float, float]]:
    data = network.sample(rows, seed=seed)
    measured = []
    for settings in ("fixed", "best"):
        found = ds.learn(data, "ges", settings=settings)
        fitted = ds.Network.fit(found.network, data, found.score_info.ess)
        measured.append((ds.compare(found, network)["shd"], fitted.log_likelihood(others) / HELD_OUT))
    return measured


def learned() -> None:
    """Write the table of learned networks."""
    PAGE.table(
        "learned",
        "Networks learned by GES under the old defaults (ess 1, uniform prior) and under the best settings: structural "
        f"differences of classes, and the log-likelihood of {HELD_OUT:,} other rows, per row, with fitted tables; "
        f"means over {len(SEEDS)} samples.",
        ["network", "variables", "rows", "SHD: old", "best", "log-likelihood: old", "best"],
        learned_rows(),
    )


def main() -> None:
    match words():
        case ["learned"]:
            learned()
        case ["run", *kinds]:
            run(kinds or ["simulated", "permuted", "halves"])
        case ["table"]:
            table()
        case _:
            raise SystemExit(__doc__)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    main()
