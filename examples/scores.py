"""Local scores of a bundled table: read it, score it with a limit and constraints, and save the scores.

Run it with ``python examples/scores.py``; it writes to a temporary folder only.
"""

from pathlib import Path
from tempfile import TemporaryDirectory

import dagscape as ds


def main() -> None:
    """Show the best explanations of each square of a tic-tac-toe board, and of the outcome."""
    data = ds.load_dataset("tic-tac-toe")
    *squares, outcome = data.variables
    print(f"{data}\n")

    # The squares come before the outcome: no edge may lead from the outcome to a square.
    scores = ds.local_scores(data, score="bdeu", ess=1.0, max_parents=3, tiers=[squares, [outcome]])
    print(scores)
    for name in data.variables:
        best = scores.families(name, top=1)[0]
        print(f"  {name:22} {best.score:10.3f}  {', '.join(best.parents) or '(none)'}")

    middle = "middle-middle-square"
    gain = scores.family(outcome, [middle]) - scores.family(outcome)
    print(f"\nThe middle square explains the outcome better than nothing does, by {gain:.3f} nats.")

    # Ties are exact: the two diagonals through the middle have identical scores, to the last bit.
    families = scores.families(outcome)
    tied = families.first(int((families.exact == families.exact[0]).sum()))
    print(f"{len(tied)} families share the best score of {outcome!r}:")
    for family in tied:
        print(f"  {', '.join(family.parents)}")

    with TemporaryDirectory() as folder:
        path = Path(folder, "boards.jkl")
        ds.write_scores(scores, path)
        lines = path.read_text(encoding="utf-8").count("\n")
        again = ds.read_scores(path)
        print(f"\n{path.name}: {lines} lines; read back as {again}")


if __name__ == "__main__":
    main()
