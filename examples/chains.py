"""How sure are we of 37 variables? Markov chains over networks, for a table whose truth is known.

Run it with ``python examples/chains.py``; it writes to a temporary folder only, or to the folder that you name.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import dagscape as ds


def random_network(n: int, seed: int) -> ds.Network:
    """Return a sparse random network of yes-or-no variables, with random probabilities."""
    rng = np.random.default_rng(seed)
    dag = ds.random_dag(n, 1.3, max_parents=3, seed=rng)
    tables = {name: rng.dirichlet([1, 1], size=(2,) * len(dag.parents(name))) for name in dag.variables}
    return ds.Network(dag, dict.fromkeys(dag.variables, ("no", "yes")), tables)


def main(folder: Path) -> None:
    """Run the chains, say whether to trust them, list the probable edges, and save and draw the result."""
    truth = random_network(37, seed=2)
    rows = truth.sample(500, seed=1)
    # Few parents let chains move fast. For a paper, use more draws: the default is 1000.
    drawn = ds.chain(rows, max_parents=3, draws=250, seed=0)
    found = drawn.diagnostics
    print(f"{drawn}\n\n{found.verdict}")
    print(f"R-hat: scores {found.r_hat_score:.3f}, edges at most {found.r_hat_edges:.3f}")
    print(f"Effective size: scores {found.ess_score:.0f}, edges at least {found.ess_edges:.0f}")

    print("\nThe edges with a probability above 0.5, the doubtful ones first; true: in the network that made the rows")
    print("  edge            edge   error  adjacent  compelled  true")
    frame = drawn.to_frame()
    for row in frame[frame["edge"] > 0.5][::-1].itertuples():
        known = "yes" if truth.dag.has_edge(row.source, row.target) else ""
        edge = f"{row.source} -> {row.target}"
        print(f"  {edge:12} {row.edge:7.3f} {row.edge_error:7.3f} {row.adjacent:9.3f} {row.compelled:10.3f}  {known}")
    print("\nThe number of edges:", repr(drawn.average(lambda dag: dag.edge_count)), "in truth", truth.dag.edge_count)

    drawn.save(folder / "chains.npz")
    print("\nRead back:", ds.load_result(folder / "chains.npz"))
    drawn.draw(folder / "chains.svg", title="Arrows are compelled, lines may point either way")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(Path(sys.argv[1]))
    else:
        with TemporaryDirectory() as temporary:
            main(Path(temporary))
