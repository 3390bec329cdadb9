"""What the kernels report: limits, and the bytes that they need."""

from __future__ import annotations

import ast
import math
from pathlib import Path

import pytest

import dagscape
from dagscape import kernels
from dagscape.scores.lattice import set_count

STUB = Path(dagscape.__file__).with_name("_native.pyi")


def test_all_that_the_stub_declares_is_at_hand():
    declared = set()
    for node in ast.parse(STUB.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            declared.add(node.name)
        elif isinstance(node, ast.AnnAssign):
            declared.add(node.target.id)
    assert declared - {"supports_v3"} == {name for name in vars(kernels) if name in declared}


@pytest.mark.parametrize(("n", "max_parents", "threads"), [(10, 2, 1), (18, 17, 2), (25, 4, 8)])
def test_byte_counts_are_exact(n, max_parents, threads):
    families, columns = n * set_count(n, max_parents), n * sum(set_count(r, max_parents) for r in range(10, n))
    dense = (n << (n - 1)) * (8 + 12) + (32 << n) + threads * (16 << (n - 1))
    assert kernels.dag_sum_bytes(n, threads) == dense
    assert kernels.order_sum_bytes(n, threads) == dense
    assert kernels.dag_sum_bytes(n, threads, paths=True) == dense + (8 * n + threads * 8 * (2 * n + 8)) * 2**n
    tiled = 8 * 2**n + 8 * 9 * families + threads * 2 * 8 * (columns + families)
    assert kernels.tiled_order_sum_bytes(n, max_parents, threads) == tiled
    assert kernels.best_scores_bytes_by_mask(n) == 16 * n * 2 ** (n - 1)
    assert kernels.best_scores_bytes_by_size(n, max_parents, threads) == 8 * (2 * families + threads * columns)


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
