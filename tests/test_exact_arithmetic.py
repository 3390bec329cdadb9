"""The kernels compile only where operations on doubles are rounded as IEEE 754 says."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
GUARD = ROOT / "native" / "include" / "dagscape" / "numbers" / "exact_arithmetic.hpp"

COMPILERS = [compiler for compiler in ("g++", "clang++") if shutil.which(compiler)] or [None]

# Their results depend on the processor or on the C library.
INEXACT = re.compile(r"\blong double\b|\b(?:log2?|log1p|exp2?|expm1|[lt]gamma|sin|cos|tan|fma)\(")


def compiled(compiler, *options):
    if compiler is None:
        pytest.skip("no C++ compiler is installed")
    command = [compiler, *options, "-std=c++20", "-fsyntax-only", "-include", str(GUARD), "-x", "c++", os.devnull]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("compiler", COMPILERS)
@pytest.mark.parametrize("option", ["-ffast-math", "-Ofast", "-ffinite-math-only"])
def test_options_that_change_results_are_refused(compiler, option):
    run = compiled(compiler, option)
    assert run.returncode != 0
    assert "dagscape needs exact IEEE 754 arithmetic" in run.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
def test_excess_precision_is_refused(compiler):
    run = compiled(compiler, "-U__FLT_EVAL_METHOD__", "-D__FLT_EVAL_METHOD__=2")
    assert run.returncode != 0
    assert "dagscape needs doubles without excess precision" in run.stderr


@pytest.mark.parametrize("compiler", COMPILERS)
def test_usual_options_are_accepted(compiler):
    run = compiled(compiler, "-O3", "-Wall", "-Wextra", "-Wpedantic", "-Werror")
    assert run.returncode == 0, run.stderr


@pytest.mark.slow
@pytest.mark.parametrize("option", ["-funsafe-math-optimizations", "-fassociative-math", "-ffast-math"])
def test_the_build_names_the_option(option, tmp_path):
    cmake = shutil.which("cmake")
    if cmake is None or COMPILERS == [None]:
        pytest.skip("CMake or a C++ compiler is not installed")
    command = [cmake, "-S", str(ROOT), "-B", str(tmp_path)]
    environment = os.environ | {"CXXFLAGS": f"-g {option} -O1", "CXX": COMPILERS[-1]}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode != 0
    assert f"remove {option} from CXXFLAGS" in " ".join(run.stderr.split())


def test_no_kernel_uses_functions_that_differ_between_platforms():
    found = []
    for folder in ("src", "include", "bindings"):
        for path in sorted((ROOT / "native" / folder).rglob("*.?pp")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                code = line.partition("//")[0]
                if INEXACT.search(code):
                    found.append(f"{path.name}:{number}: {line.strip()}")
    assert found == []
