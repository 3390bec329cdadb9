"""Graphs and networks: bulk equivalence, moves, class sizes, files, sampling, comparison, drawing.

python -m benchmarks.graphs [--write]
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

import dagscape as ds
from benchmarks import SHARED
from benchmarks.pages import Page
from benchmarks.timing import best_of, timed
from dagscape.core.masks import bits
from dagscape.graphs.equivalence import class_keys, cpdags
from dagscape.graphs.lists import DagList
from dagscape.graphs.moves import EditableDag

PAGE = Page("networks")

# A job, its seconds, and a note.
Row = tuple[str, float, str]


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


def bulk() -> Iterator[Row]:
    for n, different, copies in ((20, 1000, 100), (200, 100, 50)):
        parents = DagList.from_dags([ds.random_dag(n, 2.0, seed=i) for i in range(different)]).parents
        graphs = np.tile(parents, (copies, 1, 1))
        for name, work in (("DAG to CPDAG", cpdags), ("class keys", class_keys)):
            seconds, _ = best_of(3, lambda work=work, graphs=graphs: work(graphs))
            yield (
                f"{name}, {len(graphs):,} graphs of {n} variables",
                seconds,
                f"{len(graphs) / seconds:,.0f} per second",
            )


def moves(n: int = 1000, steps: int = 5000) -> Iterator[Row]:
    """A random walk at a constant number of edges: all additions to a child, one of them, and another edge removed."""
    start = ds.random_dag(n, 2.0, seed=1)
    graph = EditableDag(start)
    edges = [(int(u), int(v)) for u, v in np.argwhere(start.to_adjacency())]
    rng = random.Random(1)
    spent = dict.fromkeys(("all additions to a variable", "add", "remove"), 0.0)
    for _ in range(steps):
        u, v = edges.pop(rng.randrange(len(edges)))
        spent["remove"] += timed(lambda u=u, v=v: graph.remove(u, v))[0].wall
        times, allowed = timed(lambda v=v: graph.additions(v))
        spent["all additions to a variable"] += times.wall
        u = int(rng.choice(np.flatnonzero(allowed)))
        spent["add"] += timed(lambda u=u, v=v: graph.add(u, v))[0].wall
        edges.append((u, v))
    for name, seconds in spent.items():
        yield f"moves in a DAG of {n} variables: {name}", seconds / steps, f"mean of {steps}"


def class_sizes() -> Iterator[Row]:
    cpdag = random_chordal(60, 5, seed=1).to_cpdag()
    seconds, size = best_of(1, cpdag.size)  # A second call would find it in the cache.
    yield "size of a class, chordal component of 60, cliques of up to 6", seconds, f"{size:.3g} members"
    longest = max(best_of(1, ds.random_dag(200, 2.0, seed=seed).to_cpdag().size)[0] for seed in range(20))
    yield "size of a class, random DAG of 200 variables, 2 parents on average", longest, "longest of 20"


def networks() -> Iterator[Row]:
    loaded = {}
    for name in ("alarm", "andes", "mildew"):
        seconds, loaded[name] = best_of(3, lambda name=name: ds.read_network(SHARED / f"networks/{name}.bif.gz"))
        note = f"{loaded[name].n} variables, {loaded[name].parameter_count:,} parameters"
        yield f"read {name}.bif.gz", seconds, note
    yield "sample 100,000 rows of alarm", best_of(3, lambda: loaded["alarm"].sample(100_000, seed=1))[0], ""
    andes = loaded["andes"].dag
    other = ds.random_dag(andes.variables, 1.5, seed=1)
    yield "compare two networks of 223 variables", best_of(5, lambda: ds.compare(other, andes))[0], ""
    yield "draw andes as SVG", best_of(3, lambda: ds.draw(andes))[0], f"{andes.edge_count} edges"


if __name__ == "__main__":
    found = [*bulk(), *moves(), *class_sizes(), *networks()]
    rows = [[job, seconds * 1000, note] for job, seconds, note in found]
    PAGE.table("jobs", "The shortest of a few runs.", ["job", "milliseconds", "note"], rows)
