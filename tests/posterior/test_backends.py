"""The records of back ends, and the choice among them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dagscape as ds
from dagscape.cli.program.app import main
from dagscape.core import kernels
from dagscape.posterior import backends
from dagscape.posterior.backends import BACKEND_NAMES, BACKENDS, SUMMED_OVER, find_backend
from dagscape.posterior.contract import Device, Job


@pytest.fixture(scope="module")
def scores():
    return ds.local_scores(ds.Dataset.from_array(np.random.default_rng(1).integers(0, 2, (25, 4)), list("abcd")))


def test_every_record_is_listed_under_its_own_name():
    assert all((record.over, record.name) == key for key, record in BACKENDS.items())
    assert SUMMED_OVER == ("dags", "orders")
    assert BACKEND_NAMES == ("auto", "cpu", "cuda", "mpi")


@pytest.mark.parametrize("key", BACKENDS)
def test_records_describe_their_sums(key, scores):
    backend = BACKENDS[key]
    if backend.missing:
        pytest.skip(backend.missing)
    weights = backend.weights(scores, 1, 2**30)
    found = backend.run(weights, Job(scores.unit.bits, 1))
    assert (found.ancestors is not None) == backend.ancestors
    assert found.paths is None
    assert weights.values.size == backend.table(max(scores.n, backend.least_variables), scores.max_parents)
    if backend.paths:
        assert backend.run(weights, Job(scores.unit.bits, 1, wanted="paths")).paths.shape == (4, 4, 4)


@pytest.mark.parametrize("key", BACKENDS)
def test_fewer_variables_than_a_sum_needs_get_companions(key):
    backend = BACKENDS[key]
    weights = backend.weights(ds.FamilyTable({"a": {(): -1.5}}), 1, 2**30)
    assert weights.n == backend.least_variables
    assert ds.posterior(ds.FamilyTable({"a": {(): -1.5}}), backend.over).edges.shape == (1, 1)


@pytest.mark.parametrize("key", BACKENDS)
def test_memory_grows_with_the_job(key):
    backend = BACKENDS[key]
    alone = backend.memory(15, 14, 2)
    assert backend.memory(15, 14, 2, weight_tables=2) == alone + 8 * backend.table(15, 14)
    # The threads of a device need no memory of this machine.
    assert alone < backend.memory(15, 14, 3) if backend.device is None else alone == backend.memory(15, 14, 3)
    assert backend.memory(15, 14, 3) < backend.memory(16, 15, 3)
    assert 0 <= backend.device_memory(15, 14) <= backend.device_memory(16, 15)
    assert backend.memory(15, 14, 2, with_paths=True) > 2 * 8 * 15 << 15


@pytest.mark.parametrize("method", [ds.posterior, ds.feature_probability])
def test_unknown_back_ends_are_refused_with_a_list_of_known_ones(method, scores):
    with pytest.raises(
        ds.InvalidOption,
        match=r"^backend is 'gpu'; for sums over orders it must be one of 'auto', 'cpu', 'cuda', 'mpi'$",
    ):
        method(scores, over="orders", backend="gpu")
    with pytest.raises(ds.InvalidOption, match=r"^over is 'trees'; it must be one of 'dags', 'orders'$"):
        method(scores, over="trees")


def test_auto_gives_the_result_of_the_back_end(scores):
    for over in SUMMED_OVER:
        found = ds.posterior(scores, over, backend="cpu", threads=1)
        assert found == ds.posterior(scores, over)
        assert found.provenance.backend.startswith("cpu: ")


def with_device(missing="", free=2**40, preferred_from=3, **limits):
    """A back end that computes on the processor, and claims to use a device."""
    device = Device(lambda: missing, lambda: "a card", lambda: free, lambda n, max_parents: 8 << n, preferred_from)
    return replace(BACKENDS["dags", "cpu"], name="card", device=device, **limits)


def test_auto_uses_a_device_for_large_sums_that_fit(monkeypatch, scores):
    for record, used in (
        (with_device(), "card: a card, "),
        (with_device(missing="it is broken"), "cpu: "),
        (with_device(free=127), "cpu: "),
        (with_device(preferred_from=5), "cpu: "),
    ):
        monkeypatch.setitem(backends.BACKENDS, ("dags", "card"), record)
        assert ds.posterior(scores).provenance.backend.startswith(used)
        # Without a size, the back end that is always there.
        assert find_backend("dags").name == "cpu"


def test_missing_devices_are_refused_with_the_reason(monkeypatch, scores):
    monkeypatch.setitem(backends.BACKENDS, ("dags", "card"), with_device(missing="it is broken: mend it"))
    for method in (ds.posterior, ds.feature_probability):
        with pytest.raises(ds.BackendUnavailable, match=r"^backend='card' cannot be used: it is broken: mend it$"):
            method(scores, backend="card")


def test_sums_that_do_not_fit_on_a_card_are_refused(monkeypatch, scores):
    monkeypatch.setitem(backends.BACKENDS, ("dags", "card"), with_device(free=127))
    expected = (
        r"^sums over dags of 4 variables need 128 bytes on the card; 127 bytes of a card are free: "
        r"use fewer variables, or backend='cpu'$"
    )
    for method in (ds.posterior, ds.feature_probability):
        with pytest.raises(ds.TooLarge, match=expected):
            method(scores, backend="card")


def test_auto_gives_way_to_the_processor_if_scores_are_too_wide_for_a_device(monkeypatch, scores):
    on_processor = ds.posterior(scores)
    likely = ds.feature_probability(scores, required=[("a", "b")])
    monkeypatch.setitem(backends.BACKENDS, ("dags", "card"), with_device(widest=1.0))
    found = ds.posterior(scores)
    assert found == on_processor
    assert found.provenance.backend.startswith("cpu: ")
    assert ds.feature_probability(scores, required=[("a", "b")]) == likely
    # Without data, the scores of all families are the same.
    assert ds.posterior(scores, prior=True).provenance.backend.startswith("card: ")
    for method in (ds.posterior, ds.feature_probability):
        with pytest.raises(ds.InvalidData, match=r"span more than 1e\+00 nats, the limit .*, or use backend='cpu'$"):
            method(scores, backend="card")


def test_scores_that_are_too_wide_for_a_device_may_be_too_large_for_the_processor(monkeypatch, scores):
    card = replace(with_device(widest=1.0), memory_of_sum=lambda n, max_parents, threads: 0)
    monkeypatch.setitem(backends.BACKENDS, ("dags", "card"), card)
    with pytest.raises(ds.TooLarge, match="sums over dags of 4 variables need"):
        ds.posterior(scores, max_memory=1)


def test_backends_say_what_is_there_and_why_not():
    cpu, cuda, mpi = ds.backends()
    assert (cpu.name, cpu.available, str(cpu)) == ("cpu", True, f"cpu: {kernels.name}")
    assert (cuda.name, cuda.available) == ("cuda", not BACKENDS["orders", "cuda"].missing)
    assert "dagscape[cuda12]" in str(cuda) or cuda.available or "GPU" in str(cuda)
    assert (mpi.name, mpi.available) == ("mpi", not BACKENDS["orders", "mpi"].missing)
    assert "1 rank, " in str(mpi) or "dagscape[mpi]" in str(mpi)


def test_capabilities_that_a_back_end_lacks_are_refused(monkeypatch, scores):
    with pytest.raises(ds.InvalidOption, match=r"^sums over orders have no path relations: use over='dags'$"):
        ds.posterior(scores, "orders", via="all")
    plain = replace(BACKENDS["dags", "cpu"], name="plain", paths=False)
    monkeypatch.setitem(backends.BACKENDS, ("dags", "plain"), plain)
    with pytest.raises(ds.InvalidOption, match="backend='plain' have no path relations: use backend='cpu'"):
        ds.posterior(scores, via="all", backend="plain")
    assert find_backend("dags", paths=True).name == "cpu"
    assert ds.posterior(scores, backend="plain") == ds.posterior(scores)


def test_too_many_variables_for_any_amount_of_memory():
    families = {f"v{i}": {(): 0.0} for i in range(41)}
    with pytest.raises(ds.InvalidOption, match="up to 40 variables; there are 41"):
        ds.posterior(ds.FamilyTable(families, complete=True), "orders", max_memory="100000TiB")


def test_kernels_refuse_scores_that_are_too_far_apart():
    wide = np.array([[0, -(10**9) - 1], [0, 0]])
    for values, bits in ((wide, 0), (wide << 20, 20), (np.zeros((2, 2), dtype=np.int64), 10**9)):
        with pytest.raises(ValueError, match="wider range"):
            kernels.DagSum(values, bits, 1)
        with pytest.raises(ValueError, match="wider range"):
            kernels.order_sum(values, bits, np.empty((2, 2)), 1, None)
    tiled = np.full((10, 11), kernels.IMPOSSIBLE)
    tiled[:, 0] = 0
    tiled[0, 1] = -(5 * 10**6) - 1
    with pytest.raises(ValueError, match="wider range"):
        kernels.TiledOrderSum(tiled, 1, 0, np.empty(1 << 10, dtype=np.int64))


def test_a_variable_without_a_possible_family_leaves_nothing_to_sum(scores):
    tables = [np.full(16, kernels.IMPOSSIBLE)]
    zeros = np.zeros(4, dtype=np.int64)
    empty = ds.LatticeScores(
        scores.variables, 3, scores.unit, 0.0, tables, [0] * 4, [0] * 4, zeros, zeros, scores.constraints, scores.info,
        scores.provenance,
    )  # fmt: skip
    for over in SUMMED_OVER:
        with pytest.raises(ds.InvalidData, match="nothing to sum"):
            ds.posterior(empty, over=over)


def test_the_command_line_says_what_is_missing(monkeypatch, capfd):
    cuda = BACKENDS["dags", "cuda"]
    broken = replace(cuda, device=replace(cuda.device, missing=lambda: "there is no GPU: use the back end 'cpu'"))
    monkeypatch.setitem(backends.BACKENDS, ("dags", "cuda"), broken)
    assert main(["posterior", "builtin:tic-tac-toe", "--backend", "cuda"]) == 4
    assert "--backend cuda cannot be used: there is no GPU: use the back end 'cpu'" in capfd.readouterr().err
