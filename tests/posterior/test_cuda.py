"""What the sums on a GPU prepare on the processor: lists of sets, and predictions of memory."""

from __future__ import annotations

import sys
import types
from importlib.util import find_spec
from itertools import combinations

import numpy as np
import pytest

import dagscape as ds
from dagscape.posterior.backends import BACKENDS
from dagscape.posterior.cuda import dag_sum, device, order_sum
from dagscape.posterior.cuda.sets import by_size, layers
from dagscape.scores.tables.lattice import set_count


def test_sets_are_listed_by_size_and_then_by_mask():
    expected = [sum(1 << v for v in members) for size in range(3) for members in combinations(range(5), size)]
    sizes = np.bitwise_count(by_size(5, 2))
    assert sorted(expected) == sorted(by_size(5, 2).tolist())
    assert np.all(np.diff(sizes.astype(int)) >= 0)
    assert all(np.all(np.diff(by_size(5, 2)[sizes == size]) > 0) for size in range(3))
    assert [layer.tolist() for layer in layers(2)] == [[0], [1, 2], [3]]
    assert [layer.tolist() for layer in layers(2, largest_first=True)] == [[3], [1, 2], [0]]


@pytest.mark.parametrize(("n", "max_parents"), [(10, 0), (12, 3), (17, 4), (18, 17)])
def test_the_lists_of_a_sum_over_orders_cover_all_families(n, max_parents):
    shape = order_sum._Shape(n, max_parents)
    assert shape.families == set_count(n, max_parents)
    assert order_sum.LEAST_VARIABLES + shape.middle + shape.top == n
    low = by_size(order_sum.LEAST_VARIABLES, order_sum.LEAST_VARIABLES)
    lists = order_sum._set_lists(low, np.zeros(1 << shape.middle, dtype=np.int64), shape)
    # Each middle set has its subsets, of which those with at most max_parents members can be joined with the empty set.
    within = lists[-64 * 11 :].reshape(64, 11)
    for middle in range(1 << shape.middle):
        for size in range(11):
            fitting = set_count(middle.bit_count(), max_parents - size) if size <= max_parents else 0
            assert within[middle, size] == fitting


def test_predicted_memory_is_dominated_by_the_sets():
    assert 8 << 33 < order_sum.order_sum_bytes(33, 4) < 1.05 * (8 << 33)
    assert 304 << 28 < dag_sum.dag_sum_bytes(28) < 1.05 * (304 << 28)
    for least, gpu_bytes in (
        (dag_sum.LEAST_VARIABLES, dag_sum.dag_sum_bytes),
        (order_sum.LEAST_VARIABLES, lambda n: order_sum.order_sum_bytes(n, 4)),
    ):
        needed = [gpu_bytes(n) for n in range(least, 31)]
        assert needed == sorted(needed)


def test_walks_cover_all_subsets():
    for size in range(22):
        loop, parts, together = dag_sum._walks(size)
        assert parts << loop == 1 << size
        assert together >= 1


def test_numbers_are_unpacked_as_the_kernels_pack_them():
    assert order_sum._unpacked((5 + (1 << 23)) << 40) == (0.5, 5)
    assert order_sum._unpacked(((1 << 40) - 1) + ((1 << 23) << 40)) == (1 - 2.0**-41, 0)


@pytest.fixture
def fresh():
    """Without remembered answers."""
    device.missing.cache_clear()
    yield
    device.missing.cache_clear()


def test_reasons_why_there_is_no_gpu(monkeypatch, fresh):
    monkeypatch.setattr(device.importlib.util, "find_spec", lambda name: None if name == "cupy" else find_spec(name))
    assert device.missing() == (
        "the package cupy is not installed: install dagscape[cuda12] or dagscape[cuda13], after the version of the "
        "driver (nvidia-smi shows it)"
    )
    monkeypatch.setattr(device.importlib.util, "find_spec", lambda name: object())

    def no_driver():
        raise RuntimeError("cudaErrorNoDevice: no CUDA-capable device is detected\nmore")

    for count, expected in (
        (lambda: 0, "there is no GPU: use the back end 'cpu'"),
        (no_driver, "cudaErrorNoDevice: no"),
    ):
        runtime = types.SimpleNamespace(getDeviceCount=count)
        monkeypatch.setitem(sys.modules, "cupy", types.SimpleNamespace(cuda=types.SimpleNamespace(runtime=runtime)))
        device.missing.cache_clear()
        assert expected in device.missing()
        assert "more" not in device.missing()


def test_scores_that_are_too_wide_for_a_gpu_name_the_cpu():
    wide = ds.FamilyTable({"a": {(): -6e6, ("b",): 0.0}, "b": {(): 0.0}}, complete=True)
    for over in ("dags", "orders"):
        with pytest.raises(ds.DagscapeError, match=r"span more than .* or (use )?backend='cpu'$"):
            BACKENDS[over, "cuda"].weights(wide, 1, 2**30)
