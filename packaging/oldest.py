"""Print the oldest versions that pyproject.toml allows of everything dagscape needs, as constraints for pip.

Run as ``python packaging/oldest.py > constraints.txt``. ``make test-oldest`` installs them and runs the tests.
"""

from __future__ import annotations

import itertools
import re
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1] / "pyproject.toml"

# What old versions need as well, although later versions of it satisfy their requirements.
CONTEMPORARIES = ["pyparsing<3.3"]  # which deprecates names that matplotlib 3.9 uses

# The benchmarks compare with other packages, which no test needs.
UNTESTED_EXTRAS = {"bench"}


def constraint(requirement: str) -> str | None:
    """Return the constraint to the lower bound of a requirement; None for the project's own extras."""
    name, bounds = re.fullmatch(r"([\w.-]+)(?:\[[\w,.-]+\])?(.*)", requirement).groups()
    if name == "dagscape":
        return None
    lower = re.search(r">=([\w.]+)", bounds)
    if lower is None:
        raise SystemExit(f"the requirement {requirement!r} has no lower bound")
    return f"{name}=={lower[1]}"


def constraints(pyproject: str) -> list[str]:
    """Return the constraints to all lower bounds: to build, to run, and of the extras that tests use."""
    settings = tomllib.loads(pyproject)
    project = settings["project"]
    extras = [needed for name, needed in project["optional-dependencies"].items() if name not in UNTESTED_EXTRAS]
    requirements = itertools.chain(settings["build-system"]["requires"], project["dependencies"], *extras)
    return sorted({found for requirement in requirements if (found := constraint(requirement)) is not None})


if __name__ == "__main__":
    print(*constraints(PROJECT.read_text(encoding="utf-8")), *CONTEMPORARIES, sep="\n")
