"""Build dagscape from an sdist with one Python and one compiler, run its tests there, and print a row of a table.

``python packaging/try_platforms.py FOLDER`` makes a new environment in FOLDER, builds an sdist of this tree, unpacks
it, installs it from there with the development extras, and runs the tests of the unpacked tree. Options choose the
Python, the compiler, environment variables, the user, and a part of the tests. A FOLDER that has been used before
with the same Python and compiler is used again, without another installation: so the build for all processors, another
user or another locale take only the time of the tests. ``docs/portability.md`` shows the rows.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

HEAD = "| Python | compiler | build | conditions | tests | outcome |\n| --- | --- | --- | --- | --- | --- |"

# Prints the version of Python, and the build of the kernels that runs.
DESCRIBE = "import platform; from dagscape.core import kernels; print(platform.python_version(), kernels.name)"


def arguments() -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("folder", type=Path, help="where to build and to run the tests; its name may be the trial")
    parser.add_argument("--python", default=sys.executable, help="the Python to make the environment with")
    parser.add_argument("--compiler", default="g++", help="the C++ compiler (default: g++)")
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="an environment variable")
    parser.add_argument("--user", help="run the tests as this user, who can read the Python and FOLDER")
    parser.add_argument("--conditions", default="", help="what to write in the column of conditions")
    parser.add_argument("--log", type=Path, help="where to write the output of the tests (default: in FOLDER)")
    parser.add_argument("tests", nargs="*", default=["tests"], help="the tests to run (default: all)")
    return parser.parse_intermixed_args()


def install(folder: Path, python: str, compiler: str) -> None:
    """Make an environment, build an sdist, unpack it, and install what it contains."""
    environment = folder / "environment"
    subprocess.run([python, "-m", "venv", environment], check=True)
    pip = [environment / "bin" / "python", "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "build"], check=True)
    build = [environment / "bin" / "python", "-m", "build", "--sdist", "--outdir", folder, ROOT]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL)
    (sdist,) = folder.glob("dagscape-*.tar.gz")
    shutil.unpack_archive(sdist, folder)
    (folder / sdist.name.removesuffix(".tar.gz")).rename(folder / "tree")
    if (ROOT.parent / "shared").exists():
        (folder / "shared").symlink_to(ROOT.parent / "shared")
    subprocess.run([*pip, f"{folder / 'tree'}[dev]"], check=True, env=os.environ | {"CXX": compiler})
    (folder / "compiler").write_text(version_of(compiler), encoding="utf-8")


def version_of(compiler: str) -> str:
    """Return the name and version of a compiler: ``g++ 12.2.0``."""
    run = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=True)
    return f"{compiler} {re.search(r'[0-9]+[.][0-9.]+', run.stdout)[0]}"


def outcome(output: str, returncode: int) -> str:
    """Return the counts of pytest, and the names of the tests that failed."""
    counts = re.findall(r"(\d+) (passed|failed|skipped|errors?)\b", output.rstrip().rsplit("\n", 1)[-1])
    failed = sorted(set(re.findall(r"^(?:FAILED|ERROR) \S*?::(\w+)", output, re.MULTILINE)))
    said = ", ".join(f"{count} {what}" for count, what in counts) or f"pytest ended with {returncode}"
    return f"{said}: {', '.join(f'`{name}`' for name in failed)}" if failed else said


def main() -> None:
    """Install if need be, run the tests, and print the row."""
    chosen = arguments()
    folder = chosen.folder.resolve()
    if not (folder / "compiler").exists():
        folder.mkdir(parents=True, exist_ok=True)
        install(folder, chosen.python, chosen.compiler)
    variables = os.environ | dict(setting.split("=", 1) for setting in chosen.set)
    python = str(folder / "environment" / "bin" / "python")
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen.tests]
    if chosen.user:
        # Tests write into the tree, and pytest into a folder named after the user.
        subprocess.run(["chown", "-R", chosen.user, folder / "tree"], check=True)
        variables |= {"HOME": str(folder / "tree"), "LOGNAME": chosen.user, "USER": chosen.user}
        command = ["setpriv", f"--reuid={chosen.user}", "--regid=nogroup", "--clear-groups", *command]
    tests = subprocess.run(
        command, cwd=folder / "tree", env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    (chosen.log or folder / "tests.log").write_text(tests.stdout, encoding="utf-8")
    described = subprocess.run([python, "-c", DESCRIBE], env=variables, capture_output=True, text=True, check=True)
    version, build = described.stdout.split()
    compiler = (folder / "compiler").read_text(encoding="utf-8")
    part = "all" if chosen.tests == ["tests"] else " ".join(f"`{name}`" for name in chosen.tests)
    conditions = chosen.conditions or " ".join(chosen.set)
    print(HEAD)
    print(f"| {version} | {compiler} | {build} | {conditions} | {part} | {outcome(tests.stdout, tests.returncode)} |")


if __name__ == "__main__":
    main()
