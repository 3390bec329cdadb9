"""``python -m fuzz TARGET... --cases N``: run targets, and print a table and the findings."""

from __future__ import annotations

import argparse
from pathlib import Path

from fuzz.harness import Outcome, Target, content_of, run
from fuzz.targets import all_targets


def main() -> int:
    """Run the targets and print a table; return 1 if there are findings."""
    targets = all_targets()
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"{', '.join(targets)} (default: all)")
    parser.add_argument("--cases", type=int, help="cases of each target (default: as few as in the test suite)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="number of the first case")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where to write inputs that are findings")
    given = parser.parse_args()
    if unknown := set(given.targets) - set(targets):
        parser.error(f"there is no target {', '.join(sorted(unknown))}")
    print(f"{'target':<16}{'cases':>10}{'used':>10}{'refused':>10}{'findings':>10}{'slowest':>10}{'memory':>10}")
    found = False
    for name in given.targets or targets:
        target = targets[name]
        outcome = run(target, given.cases or target.quick_cases, given.seed, given.first)
        print(
            f"{name:<16}{outcome.cases:>10,}{outcome.used:>10,}{outcome.refused:>10,}{len(outcome.findings):>10,}"
            f"{outcome.slowest:>8.2f} s{outcome.most_memory >> 20:>6} MiB",
            flush=True,
        )
        _tell(target, outcome, given.seed, given.keep)
        found |= bool(outcome.findings)
    return int(found)


def _tell(target: Target, outcome: Outcome, seed: int, folder: Path | None) -> None:
    for finding in outcome.findings:
        print(finding)
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            path = folder / f"{target.name}-{seed}-{finding.number}{target.ending}"
            path.write_bytes(content_of(target, seed, finding.number))


if __name__ == "__main__":
    raise SystemExit(main())
