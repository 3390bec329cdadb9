"""Install what a build of dagscape needs into this environment: the requirements of the build system, CMake and Ninja.

pip builds in a new environment each time unless it is told not to (``--no-build-isolation``). Everything that includes
a header of nanobind is then compiled again, because the header is in another folder. ``make`` builds with these tools
instead, so that a change compiles only what it concerns.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[1]

# The backend names CMake and Ninja only where they are missing or too old.
ASK_BACKEND = (
    "import json; from scikit_build_core import build; print(json.dumps(build.get_requires_for_build_wheel()))"
)


def install(requirements: list[str]) -> None:
    """Install some requirements with pip."""
    subprocess.run([sys.executable, "-m", "pip", "install", "--quiet", *requirements], check=True)


def main() -> None:
    """Install the requirements of the build system, and then what these ask for."""
    settings = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))
    install(settings["build-system"]["requires"])
    answer = subprocess.run([sys.executable, "-c", ASK_BACKEND], cwd=PROJECT, stdout=subprocess.PIPE, check=True).stdout
    if missing := json.loads(answer):
        install(missing)


if __name__ == "__main__":
    main()
