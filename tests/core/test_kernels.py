"""What the kernels report: limits, and the bytes that they need."""

from __future__ import annotations

import ast
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

import dagscape
from dagscape.core import kernels
from dagscape.scores.tables.lattice import set_count

STUB = Path(dagscape.__file__).with_name("_native.pyi")


def test_all_that_the_stub_declares_is_at_hand():
    declared = set()
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            declared.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            declared.add(node.target.id)
    assert declared == {name for name in vars(kernels) if name in declared}


@pytest.mark.parametrize(("n", "max_parents", "threads"), [(10, 2, 1), (18, 17, 2), (25, 4, 8)])
def test_byte_counts_are_exact(n, max_parents, threads):
    families, columns = n * set_count(n, max_parents), n * sum(set_count(r, max_parents) for r in range(10, n))
    parents = (n << (n - 1)) * (8 + 12) + (2 << n) + threads * (16 << (n - 1))
    # Numbers and references of sets, exponents of blocks of 256 sets, and 20 products of 104 bytes for 2048 sets.
    dags = parents + 2**n * (32 + 16 / 256 + threads * 20 * 104 / 2048)
    assert kernels.dag_sum_bytes(n, threads) == dags
    assert kernels.order_sum_bytes(n, threads) == parents + (32 << n)
    assert kernels.dag_sum_bytes(n, threads, paths=True) == dags + (8 * n + threads * 8 * (2 * n + 8)) * 2**n
    assert kernels.best_scores_bytes_by_mask(n) == 16 * n * 2 ** (n - 1)
    assert kernels.best_scores_bytes_by_size(n, max_parents, threads) == 8 * (2 * families + threads * columns)


def list_count(r: int, max_parents: int) -> int:
    """The numbers in a list: four for each set of eight middle and r - 10 high variables, and four more."""
    blocks = [
        math.comb(r - 10, size) * set_count(8, max_parents - size) for size in range(min(r - 10, max_parents) + 1)
    ]
    return 4 + 4 * sum(blocks)


@pytest.mark.parametrize(("threads", "unit_bits", "window"), [(1, 0, 1), (2, 6, 8), (8, 8, 32)])
@pytest.mark.parametrize(("n", "max_parents", "ranks"), [(10, 2, 1), (16, 3, 4), (18, 17, 1), (25, 4, 1), (28, 4, 8)])
def test_byte_counts_of_tiled_sums_are_exact(n, max_parents, ranks, threads, unit_bits, window):
    own = n - ranks.bit_length() + 1
    sets = {r: set_count(r, max_parents) for r in range(10, n + 1)}
    lists = {r: list_count(r, max_parents) if r <= 18 else 0 for r in sets}
    columns = {r: sets[r] if r >= min(n, 18) else 0 for r in sets}
    plain = {r: lists[r] + columns[r] for r in sets}
    # Shares at a level: of columns both halves, of lists only those that take the last variable.
    plain_shares = {r: lists[r] + 2 * columns[r] for r in sets}

    def numbers(size, shares_at):
        def below(end):
            return sum(size[r] for r in range(10, end))

        def summing(unit):
            shares = threads * (sum(shares_at[r] for r in range(10, unit)) + size[unit])
            waiting = below(own + 1) - below(unit)
            tree = waiting + size[own] if threads == 1 else 2 * waiting + 2 * window * size[unit]
            return threads * below(own) + shares + tree

        most = max(summing(unit) for unit in range(10, max(own - unit_bits, 10) + 1))
        return n * (size[own] + max(most, 0 if ranks == 1 else 4 * size[n])) + 2 * size[n]

    for wide in (False, True):
        most = max(numbers(plain, plain_shares), 2 * numbers(sets, sets) if wide else 0)
        expected = 8 * 2**own + 8 * 2 ** (own - 10) + 8 * (n * sets[n] + most)
        assert kernels.tiled_order_sum_bytes(n, max_parents, threads, wide=wide, ranks=ranks) == expected


def test_byte_counts_of_any_number_of_variables_are_finite():
    for n, max_parents in ((64, 63), (1000, 4), (1000, 999), (30_000, 3), (30_000, 29_999)):
        counts = [
            kernels.dag_sum_bytes(n, 64, paths=True),
            kernels.order_sum_bytes(n, 64),
            kernels.tiled_order_sum_bytes(n, max_parents, 64),
            kernels.best_scores_bytes_by_mask(n),
            kernels.best_scores_bytes_by_size(n, max_parents, 64),
        ]
        assert all(math.isfinite(count) and count > 0 for count in counts)


def import_without(*missing: str, build: str = "") -> subprocess.CompletedProcess[str]:
    """Import the kernels in another process where some builds are missing, and print the name of the build."""
    hidden = "".join(f"sys.modules['dagscape.{module}'] = None; " for module in missing)
    program = f"import sys; {hidden}import dagscape; from dagscape.core import kernels; print(kernels.name)"
    environment = os.environ | {"DAGSCAPE_CPU": build}
    return subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True)


@pytest.mark.slow
def test_either_build_suffices():
    assert import_without("_native_v3").stdout.split() == ["baseline"]
    fastest = import_without().stdout
    if fastest.split() != ["baseline"]:
        assert import_without("_native").stdout == fastest


@pytest.mark.parametrize(
    ("missing", "build", "where"),
    [(["_native", "_native_v3"], "", "here"), (["_native"], "baseline", "here for DAGSCAPE_CPU=baseline")],
)
def test_an_error_says_that_no_build_works(missing, build, where):
    run = import_without(*missing, build=build)
    *_, last = run.stderr.splitlines()
    assert run.returncode == 1
    assert last.startswith(f"ImportError: dagscape is installed without compiled kernels that work {where} (")
    assert "dagscape._native: " in last
    assert last.endswith("pip install --force-reinstall --no-cache-dir dagscape")
