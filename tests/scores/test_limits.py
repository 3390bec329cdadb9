"""Scores at the limits: huge penalties, extreme tables, too many variables."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import numpy as np
import pytest

import dagscape as ds
from oracles.local_scores import ORACLES
from scores.strategies import dataset


def test_required_families_are_always_possible():
    names = [f"p{i}" for i in range(6)]
    cells = np.random.default_rng(0).integers(0, 8, (50, 7))
    data = ds.Dataset.from_array(cells, [*names, "c"], levels=dict.fromkeys([*names, "c"], 8))
    scores = ds.local_scores(data, "bic", required=[(name, "c") for name in names])
    expected = ORACLES["bic"](cells.tolist(), [8] * 7, 6, tuple(range(6)))
    assert scores.family("c", names) == pytest.approx(expected, rel=1e-9)


def test_huge_required_families_are_refused():
    wide = ds.Dataset.from_array(np.zeros((3, 20), dtype=int), levels={f"X{i}": 8 for i in range(20)})
    with pytest.raises(ds.InvalidOption, match="joint states; the limit is"):
        ds.local_scores(wide, "bic", required=[(f"X{i}", "X19") for i in range(19)])


@pytest.mark.slow
def test_a_million_declared_levels_are_possible():
    data = ds.Dataset.from_array([[0], [1]], ["a"], levels={"a": 1_000_001})
    expected = 2 * math.log(0.5) - math.log(2) / 2 * 1_000_000
    assert ds.local_scores(data, "bic").family("a") == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("n", "m"), [(6, 10**9), (40, 10**6), (300, 10**6)])
@pytest.mark.parametrize("score", ["bdeu", "bic"])
def test_relative_error_with_many_rows(n, m, score):
    rng = np.random.default_rng(1)
    codes = rng.integers(0, 3, (30, n))
    weights = rng.integers(1, m // 30, 30)
    data = ds.Dataset.from_codes(codes, {f"v{i}": ("a", "b", "c") for i in range(n)}, weights=weights)
    found = ds.local_scores(data, score, max_parents=1).family("v0", ["v1"])
    joint, base = {}, {}
    for row, weight in zip(codes.tolist(), weights.tolist(), strict=True):
        joint[row[0], row[1]] = joint.get((row[0], row[1]), 0) + weight
        base[row[1]] = base.get(row[1], 0) + weight
    if score == "bic":
        total = sum(weights.tolist())
        expected = sum(c * math.log(c / base[j]) for (_, j), c in joint.items()) - 3 * math.log(total)
    else:
        expected = sum(math.lgamma(c + 1 / 9) - math.lgamma(1 / 9) for c in joint.values())
        expected -= sum(math.lgamma(c + 1 / 3) - math.lgamma(1 / 3) for c in base.values())
    assert found == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", [500, 1500])
def test_too_many_variables(n):
    data = ds.Dataset.from_array(np.zeros((2, n), dtype=int), keep_constant=True)
    with pytest.raises(ds.TooLarge, match=rf"{n:,} variables .* need 2\^{n + 3} bytes"):
        ds.local_scores(data)
    planned = ds.plan(data)
    assert not planned.fits
    assert planned.seconds == math.inf


def test_a_score_that_would_make_others_indistinguishable_is_refused():
    for extreme in (-1e100, -1e308):
        with pytest.raises(ds.InvalidData, match="write -inf for impossible families"):
            ds.FamilyTable({"a": {(): extreme, ("b",): -5.1}, "b": {(): -1.25}})
    assert ds.FamilyTable({"a": {(): -1e9}, "b": {(): -1.25}}).family("b") == -1.25


def test_scoring_works_if_some_threads_cannot_start():
    if not os.path.exists("/proc/self/statm"):
        pytest.skip("the size of a process is read from /proc")
    program = (
        "import resource, numpy as np, dagscape as ds\n"
        "data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (100, 16)))\n"
        "size = int(open('/proc/self/statm').read().split()[0]) * resource.getpagesize() + 200 * 2**20\n"
        "resource.setrlimit(resource.RLIMIT_AS, (size, size))\n"
        "print(ds.local_scores(data, threads=512).tables[0].sum())"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (100, 16)))
    assert int(run.stdout) == ds.local_scores(data, threads=1).tables[0].sum()


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m", "arities"), [(20, 2000, "equal"), (20, 300, "different"), (18, 1000, "different")])
def test_planned_memory_covers_the_peak(n, m, arities):
    program = (
        "import resource, sys, numpy as np, dagscape as ds\n"
        "from dagscape.scores.scoring_job import prepare\n"
        "n, m = int(sys.argv[1]), int(sys.argv[2])\n"
        "arities = [3] * n if sys.argv[3] == 'equal' else range(2, n + 2)\n"
        "rng = np.random.default_rng(0)\n"
        "codes = np.column_stack([rng.integers(0, r, m) for r in arities])\n"
        "data = ds.Dataset.from_codes(codes, {f'v{i}': [str(k) for k in range(r)] for i, r in enumerate(arities)})\n"
        "ds.local_scores(data.select(data.variables[:5]), threads=2)\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "ds.local_scores(data, threads=2)\n"
        "peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before\n"
        "print(peak * 1024, prepare(data).memory(2))"
    )
    arguments = [sys.executable, "-c", program, str(n), str(m), arities]
    run = subprocess.run(arguments, capture_output=True, text=True, check=True)
    peak, planned = map(int, run.stdout.split())
    assert peak < 1.2 * planned + 8 * 2**20


def test_one_row_and_one_level():
    scores = ds.local_scores(dataset([1, 1], [(0, 0)]))
    assert scores.network({"v0": ["v1"]}) == 0.0
