"""What an installed dagscape must be able to do; run it with the Python of the environment it is installed in."""

from __future__ import annotations

import platform
import subprocess
import sys
from importlib.metadata import distribution, version
from pathlib import Path

import dagscape as ds
from dagscape.data.bundled import BUNDLED, SETS

# Published sizes, optimal scores and totals under BDeu with ess = 1.
SIZES = {"tic-tac-toe": (10, 958), "votes": (17, 435), "zoo": (17, 101), "wine": (14, 178), "iris": (5, 150)}
TOTAL_OF_ZOO = -619.501642174

# dagscape and robin_map; nanobind; the data sets.
LICENCE = "MIT AND BSD-3-Clause AND CC-BY-4.0"
HOLDERS = {
    "LICENSE": "The dagscape developers",
    "packaging/licenses/nanobind.txt": "Wenzel Jakob",
    "packaging/licenses/robin_map.txt": "Thibaut Goetghebuer-Planchon",
    "src/dagscape/data/sets/README.md": "CC BY 4.0",
}


def expect(found: object, expected: object, what: str) -> None:
    """Stop with a message where a value is not what it should be."""
    if found != expected:
        raise SystemExit(f"{what} is {found!r}, not {expected!r}")


def command(*arguments: str) -> str:
    """Run the installed command and return what it prints."""
    program = Path(sys.executable).with_name("dagscape")
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


def check_licences() -> None:
    """Check that the licences of all that is inside are named, and that their texts are installed."""
    dagscape = distribution("dagscape")
    expect(dagscape.metadata["License-Expression"], LICENCE, "the licence")
    listed = dagscape.metadata.get_all("License-File") or []
    texts = {name: dagscape.read_text(f"licenses/{name}") or "" for name in listed}
    for name, holder in HOLDERS.items():
        expect(holder in texts.get(name, ""), True, f"whether the licence {name} is there")


def check_builds() -> None:
    """Check that the kernels are there for every processor and, on x86-64, for newer ones."""
    expected = {"_native", "_native_v3"} if platform.machine() == "x86_64" else {"_native"}
    expect({path.name.split(".")[0] for path in Path(ds.__file__).parent.glob("_native*.so")}, expected, "the builds")


def main(expected_version: str) -> None:
    """Check the version, the command line, the bundled data, the licences, the builds and a posterior."""
    if Path(sys.prefix) not in Path(ds.__file__).parents:
        raise SystemExit(f"dagscape was imported from {ds.__file__}, outside of {sys.prefix}")
    expect((version("dagscape"), ds.__version__), (expected_version, expected_version), "the version")
    expect(command("--version"), f"dagscape, version {expected_version}\n", "the command's version")
    expect("4. The best equivalence classes" in command("demo"), True, "whether the demo reaches its end")
    expect({name: (data.n, data.m) for name in BUNDLED for data in [ds.load_dataset(name)]}, SIZES, "the bundled data")
    check_licences()
    check_builds()
    expect((SETS / "README.md").is_file(), True, "whether the notice of the data sets is there")
    posterior = ds.posterior(ds.local_scores(ds.load_dataset("zoo")))
    expect(round(posterior.log_total, 9), TOTAL_OF_ZOO, "the total of Zoo")


if __name__ == "__main__":
    main(sys.argv[1])
