"""Graphs and networks: bulk equivalence, moves, class sizes, files, sampling, comparison.

python -m benchmarks.graphs
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable

import numpy as np

import dagscape as ds
from benchmarks.timing import SHARED, best_of, machine
from dagscape.core.masks import bits
from dagscape.graphs.equivalence import class_keys, cpdags
from dagscape.graphs.lists import DagList
from dagscape.graphs.moves import EditableDag


def random_chordal(n: int, width: int, seed: int) -> ds.Dag:
    """A connected chordal graph as a DAG without v-structures: each vertex joins part of an earlier clique."""
    rng = random.Random(seed)
    parents = [0]
    for vertex in range(1, n):
        anchor = rng.randrange(vertex)
        clique = [anchor, *bits(parents[anchor])]
        rng.shuffle(clique)
        parents.append(sum(1 << member for member in clique[: rng.randint(1, width)]))
    return ds.Dag(tuple(f"v{i}" for i in range(n)), tuple(parents))


def report(what: str, seconds: float, note: str = "") -> None:
    print(f"{what:58} {seconds * 1000:>10.4g} ms  {note}")


def bulk() -> None:
    for n, different, copies in ((20, 1000, 100), (64, 200, 100), (200, 100, 50), (1000, 20, 50)):
        parents = DagList.from_dags([ds.random_dag(n, 2.0, seed=i) for i in range(different)]).parents
        graphs = np.tile(parents, (copies, 1, 1))
        for name, work in (("DAG to CPDAG", cpdags), ("class keys", class_keys)):
            seconds, _ = best_of(3, lambda work=work, graphs=graphs: work(graphs))
            report(
                f"{name}, {len(graphs):,} graphs of {n} variables", seconds, f"{len(graphs) / seconds:,.0f} a second"
            )


def moves() -> None:
    """A random walk at a constant number of edges: all additions to a child, one of them, and another edge removed."""
    for n in (200, 1000):
        start = ds.random_dag(n, 2.0, seed=1)
        seconds, graph = best_of(3, lambda start=start: EditableDag(start))
        report(f"DAG of {n} variables made editable", seconds)
        edges = [(int(u), int(v)) for u, v in np.argwhere(start.to_adjacency())]
        rng = random.Random(1)
        spent = dict.fromkeys(("additions", "add", "remove", "reversals", "reverse"), 0.0)
        steps = 5000
        for _ in range(steps):
            u, v = edges.pop(rng.randrange(len(edges)))
            spent["remove"] += clocked(graph.remove, u, v)
            spent["additions"] += clocked(graph.additions, v)
            u = int(rng.choice(np.flatnonzero(graph.additions(v))))
            spent["add"] += clocked(graph.add, u, v)
            spent["reversals"] += clocked(graph.reversals, v)
            if graph.can_reverse(u, v):
                spent["reverse"] += clocked(graph.reverse, u, v)
                u, v = v, u
            edges.append((u, v))
        for name, seconds in spent.items():
            report(f"{name}, {n} variables, each", seconds / steps, f"{steps / seconds:,.0f} a second")


def clocked(work: Callable[..., object], *arguments: int) -> float:
    start = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - start


def class_sizes() -> None:
    for width in (2, 5, 12):
        cpdag = random_chordal(60, width, seed=1).to_cpdag()
        seconds, size = best_of(3, cpdag.size)
        report(f"class size, chordal graph of 60, cliques to {width + 1}", seconds, f"{size:.3g} members")
    times = []
    for seed in range(20):
        seconds, size = best_of(1, ds.random_dag(200, 2.0, seed=seed).to_cpdag().size)
        times.append(seconds)
    report("class size, random DAG of 200, 2 parents on average", max(times), "longest of 20")


def networks() -> None:
    if not SHARED.is_dir():
        print("(the shared networks are not available)")
        return
    loaded = {}
    for name in ("alarm", "andes", "mildew", "barley"):
        seconds, loaded[name] = best_of(3, lambda name=name: ds.read_network(SHARED / f"networks/{name}.bif.gz"))
        report(f"read {name}", seconds, f"{loaded[name].n} variables, {loaded[name].parameter_count:,} parameters")
    seconds, _ = best_of(3, lambda: loaded["alarm"].sample(100_000, seed=1))
    report("sample 100,000 rows of alarm", seconds)
    andes = loaded["andes"].dag
    other = ds.random_dag(andes.variables, 1.5, seed=1)
    seconds, result = best_of(5, lambda: ds.compare(other, andes))
    report("compare two networks of 223 variables", seconds, f"shd {result['shd']}")
    seconds, _ = best_of(3, lambda: ds.draw(andes))
    report("draw andes as SVG", seconds)


if __name__ == "__main__":
    print(machine())
    bulk()
    moves()
    class_sizes()
    networks()
