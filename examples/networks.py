"""Networks: sample rows from one, fit another structure to them, compare the two, and draw them.

Run it with ``python examples/networks.py``; it writes to a temporary folder only.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import dagscape as ds


def main() -> None:
    """Show what a structure without one edge of the chest clinic loses."""
    truth = ds.load_network("asia")
    print(f"{truth}\n")
    cpdag = truth.dag.to_cpdag()
    print(f"{cpdag.size()} DAGs say the same about independence; they disagree about")
    for first, second in cpdag.undirected_edges:
        print(f"  {first} - {second}")

    rows = truth.sample(5000, seed=1)
    simpler = truth.dag.without_edge("bronc", "dysp")
    print(f"\nFitted to {rows}:")
    fitted = {
        "the true structure": ds.Network.fit(truth.dag, rows),
        "without bronc -> dysp": ds.Network.fit(simpler, rows),
    }
    for name, network in fitted.items():
        print(f"  {name:22} log-likelihood {network.log_likelihood(rows):10.2f}")

    # Compared as equivalence classes: without the edge, a v-structure is lost, too.
    print("\nThe simpler structure, compared with the truth:")
    for measure, value in ds.compare(simpler, truth).items():
        print(f"  {measure:22} {value:6.3g}")

    with TemporaryDirectory() as folder:
        path = Path(folder, "asia.bif")
        ds.write_network(fitted["the true structure"], path)
        print(f"\n{path.name}: read back as {ds.read_network(path)}")
        for name, graph in {"asia.svg": truth, "class.svg": cpdag}.items():
            ds.draw(graph, Path(folder, name), title="Chest clinic")
            print(f"{name}: {Path(folder, name).stat().st_size} bytes")


if __name__ == "__main__":
    main()
