"""What an installed dagscape must be able to do; run it with the Python of the environment it is installed in."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import dagscape as ds
from dagscape.data.bundled import BUNDLED, SETS

# Published sizes, optimal scores and totals under BDeu with ess = 1.
SIZES = {"tic-tac-toe": (10, 958), "votes": (17, 435), "zoo": (17, 101), "wine": (14, 178), "iris": (5, 150)}
TOTAL_OF_ZOO = -619.501642174


def expect(found: object, expected: object, what: str) -> None:
    """Stop with a message where a value is not what it should be."""
    if found != expected:
        raise SystemExit(f"{what} is {found!r}, not {expected!r}")


def command(*arguments: str) -> str:
    """Run the installed command and return what it prints."""
    program = Path(sys.executable).with_name("dagscape")
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def main(expected_version: str) -> None:
    """Check the version, the command line, the bundled data and a posterior."""
    if Path(sys.prefix) not in Path(ds.__file__).parents:
        raise SystemExit(f"dagscape was imported from {ds.__file__}, outside of {sys.prefix}")
    expect((version("dagscape"), ds.__version__), (expected_version, expected_version), "the version")
    expect(command("--version"), f"dagscape, version {expected_version}\n", "the command's version")
    expect("4. The best equivalence classes" in command("demo"), True, "whether the demo reaches its end")
    expect({name: (data.n, data.m) for name in BUNDLED for data in [ds.load_dataset(name)]}, SIZES, "the bundled data")
    expect((SETS / "README.md").is_file(), True, "whether the notice of the data sets is there")
    posterior = ds.posterior(ds.local_scores(ds.load_dataset("zoo")))
    expect(round(posterior.log_total, 9), TOTAL_OF_ZOO, "the total of Zoo")


if __name__ == "__main__":
    main(sys.argv[1])
