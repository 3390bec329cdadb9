"""The records of back ends, and the choice among them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dagscape as ds
from dagscape.cli.program.app import main
from dagscape.core import kernels
from dagscape.core.resources import Budget
from dagscape.posterior import backends
from dagscape.posterior.backends import BACKEND_NAMES, BACKENDS, SUMMED_OVER, choose_backend, usual_backend
from dagscape.posterior.contract import Job
from dagscape.posterior.sum_plan import Automatic, SumPlan
from dagscape.scores.search_planning import SearchSize


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
    if missing := backend.missing():
        pytest.skip(missing)
    weights = backend.weights(scores, 1, 2**30)
    found = backend.run(weights, Job(scores.unit.bits, 1))
    assert (found.ancestors is not None) == backend.ancestors
    assert found.paths is None
    assert weights.values.size == backend.table(max(scores.n, backend.least_variables), scores.max_parents)
    if backend.paths:
        assert backend.run(weights, Job(scores.unit.bits, 1, wanted="paths")).paths.shape == (4, 4, 4)


@pytest.mark.parametrize("key", BACKENDS)
def test_fewer_variables_than_a_sum_needs_are_padded(key):
    backend = BACKENDS[key]
    weights = backend.weights(ds.FamilyTable({"a": {(): -1.5}}), 1, 2**30)
    assert weights.n == backend.least_variables
    assert ds.posterior(ds.FamilyTable({"a": {(): -1.5}}), backend.over).edges.shape == (1, 1)


@pytest.mark.parametrize("key", BACKENDS)
def test_memory_grows_with_the_job(key, monkeypatch):
    backend, assumed = BACKENDS[key], {"cuda": 2**40, "mpi": 2}.get(key[1])

    def memory(n, threads=2, **more):
        return backend.plan(SearchSize.complete(n, n - 1), threads, assumed=assumed, **more).memory

    assert memory(15, weight_tables=2) == memory(15) + 8 * backend.table(15, 14)
    # The threads of a GPU need no memory of this machine.
    assert memory(15, 3) == memory(15) if key[1] == "cuda" else memory(15) < memory(15, 3)
    assert memory(15) < memory(16)
    if backend.paths:
        assert memory(15, with_paths=True) > 2 * 8 * 15 << 15


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


FAST = Automatic(installed=lambda: True, least_variables=0, least_seconds=0.0)


def other_backend(seconds=0.001, memory=0, asked=None, **changes):
    """A back end that computes on the processor, and says what it likes about its time."""

    def planned(size, assumed):
        if asked is not None:
            asked.append(size.n)
        return SumPlan(memory, lambda: seconds)

    changed = {"automatic": FAST, "fallback": "cpu", "engine": lambda: "a device", "planned": planned} | changes
    return replace(BACKENDS["dags", "cpu"], name="other", **changed)


@pytest.fixture
def register(monkeypatch):
    # A GPU of this machine would join in the choice.
    for key in [key for key in backends.BACKENDS if key[0] == "dags" and key[1] != "cpu"]:
        monkeypatch.delitem(backends.BACKENDS, key)

    def put(cpu_seconds=1.0, **changes):
        cpu = BACKENDS["dags", "cpu"]
        timed = replace(
            cpu, planned=lambda size, assumed: replace(cpu.planned(size, None), seconds=lambda: cpu_seconds)
        )
        monkeypatch.setitem(backends.BACKENDS, ("dags", "cpu"), timed)
        monkeypatch.setitem(backends.BACKENDS, ("dags", "other"), other_backend(**changes))

    return put


def chosen(n=20, **options):
    return choose_backend("dags", "auto", SearchSize.complete(n, 4), Budget.of(2, "8GiB"), **options).name


def test_auto_takes_the_back_end_with_the_least_estimate(register, scores):
    register(cpu_seconds=1.0, seconds=0.9)
    assert chosen() == "other"
    assert ds.posterior(scores).provenance.backend.startswith("other: a device, ")
    register(cpu_seconds=1.0, seconds=1.1)
    assert chosen() == "cpu"
    assert ds.posterior(scores).provenance.backend.startswith("cpu: ")
    # Whatever the time, an explicit choice is one.
    assert ds.posterior(scores, backend="other").provenance.backend.startswith("other: ")


def test_auto_takes_only_what_is_there_fits_and_is_able(register):
    for changes in (
        {"missing": lambda: "it is broken"},
        {"memory": 2**40},
        {"most_variables": 19},
        {"automatic": None},
        {"automatic": replace(FAST, installed=lambda: False)},
    ):
        register(cpu_seconds=1e6, **changes)
        assert chosen() == "cpu"
    register(cpu_seconds=1e6, paths=False)
    assert (chosen(), chosen(paths=True)) == ("other", "cpu")


def test_auto_takes_a_back_end_that_writes_checkpoints_if_they_are_asked_for(register, scores, tmp_path):
    register(resumable=False)
    assert (chosen(), chosen(resumable=True)) == ("other", "cpu")
    assert ds.posterior(scores, checkpoint=tmp_path / "saved").provenance.backend.startswith("cpu: ")
    with pytest.raises(ds.InvalidOption, match=r"^checkpoint cannot be used with backend='other'"):
        ds.posterior(scores, backend="other", checkpoint=tmp_path / "saved")


def test_auto_takes_another_back_end_if_the_processor_lacks_memory(register):
    register(cpu_seconds=0.001, seconds=60.0)
    assert chosen(20) == "cpu"
    assert chosen(29) == "other"


def test_back_ends_are_not_asked_about_sums_that_are_not_worth_their_start(register):
    asked = []
    register(cpu_seconds=0.9, asked=asked, automatic=replace(FAST, least_seconds=1.0), missing=lambda: 1 / 0)
    assert (chosen(), asked) == ("cpu", [])
    register(cpu_seconds=1e6, asked=asked, automatic=replace(FAST, least_variables=21), missing=lambda: 1 / 0)
    assert (chosen(), asked) == ("cpu", [])
    register(cpu_seconds=1.1, asked=asked, automatic=Automatic(lambda: True, 20, 1.0))
    assert (chosen(), asked) == ("other", [20])


def test_no_time_is_estimated_if_there_is_no_choice(monkeypatch):
    def refuse():
        raise AssertionError("no back end was to be asked")

    cpu = BACKENDS["dags", "cpu"]
    asked = replace(cpu, planned=lambda size, assumed: replace(cpu.planned(size, None), seconds=refuse))
    monkeypatch.setitem(backends.BACKENDS, ("dags", "cpu"), asked)
    cuda = BACKENDS["dags", "cuda"]
    for automatic in (
        replace(cuda.automatic, installed=lambda: False),
        replace(cuda.automatic, installed=lambda: True),
    ):
        monkeypatch.setitem(backends.BACKENDS, ("dags", "cuda"), replace(cuda, automatic=automatic, missing=refuse))
        assert chosen(16) == "cpu"
    monkeypatch.setitem(
        backends.BACKENDS, ("dags", "cuda"), replace(cuda, automatic=replace(cuda.automatic, installed=lambda: False))
    )
    assert chosen(25) == "cpu"


def test_missing_back_ends_are_refused_with_the_reason(register, scores):
    register(missing=lambda: "it is broken: mend it")
    for method in (ds.posterior, ds.feature_probability):
        with pytest.raises(ds.BackendUnavailable, match=r"^backend='other' cannot be used: it is broken: mend it$"):
            method(scores, backend="other")


def test_sums_that_a_back_end_refuses_name_its_remedy(register, scores):
    lacking = SumPlan(
        0, lambda: 0.001, refusal="sums over dags need a larger device", remedy="buy one", error=ds.TooLarge
    )
    register(planned=lambda size, assumed: lacking)
    assert ds.posterior(scores).provenance.backend.startswith("cpu: ")
    for method in (ds.posterior, ds.feature_probability):
        with pytest.raises(ds.TooLarge, match=r"^sums over dags need a larger device: buy one$"):
            method(scores, backend="other")


def test_auto_gives_way_to_another_back_end_if_scores_are_too_wide(register, scores):
    on_processor = ds.posterior(scores)
    likely = ds.feature_probability(scores, required=[("a", "b")])
    register(widest=1.0)
    found = ds.posterior(scores)
    assert found == on_processor
    assert found.provenance.backend.startswith("cpu: ")
    assert ds.feature_probability(scores, required=[("a", "b")]) == likely
    # Without data, the scores of all families are the same.
    assert ds.posterior(scores, prior=True).provenance.backend.startswith("other: ")
    for method in (ds.posterior, ds.feature_probability):
        with pytest.raises(ds.InvalidData, match=r"span more than 1e\+00 nats, the limit .*, or use backend='cpu'$"):
            method(scores, backend="other")


def test_scores_that_are_too_wide_for_one_back_end_may_be_too_large_for_another(register, scores):
    register(widest=1.0)
    with pytest.raises(ds.TooLarge, match="sums over dags of 4 variables need"):
        ds.posterior(scores, max_memory=1)


def test_backends_say_what_is_there_and_why_not():
    cpu, cuda, mpi = ds.backends()
    assert (cpu.name, cpu.available, str(cpu)) == ("cpu", True, f"cpu: {kernels.name}")
    assert (cuda.name, cuda.available) == ("cuda", not BACKENDS["orders", "cuda"].missing())
    assert "dagscape[cuda12]" in str(cuda) or cuda.available or "GPU" in str(cuda)
    assert (mpi.name, mpi.available) == ("mpi", not BACKENDS["orders", "mpi"].missing())
    assert "1 rank, " in str(mpi) or "dagscape[mpi]" in str(mpi)


def test_capabilities_that_a_back_end_lacks_are_refused(monkeypatch, scores):
    with pytest.raises(ds.InvalidOption, match=r"^sums over orders have no path relations: use over='dags'$"):
        ds.posterior(scores, "orders", via="all")
    plain = replace(BACKENDS["dags", "cpu"], name="plain", paths=False)
    monkeypatch.setitem(backends.BACKENDS, ("dags", "plain"), plain)
    with pytest.raises(ds.InvalidOption, match="backend='plain' have no path relations: use backend='cpu'"):
        ds.posterior(scores, via="all", backend="plain")
    assert usual_backend("dags").name == "cpu"
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
    broken = replace(BACKENDS["dags", "cuda"], missing=lambda: "there is no GPU: use the back end 'cpu'")
    monkeypatch.setitem(backends.BACKENDS, ("dags", "cuda"), broken)
    assert main(["posterior", "builtin:tic-tac-toe", "--backend", "cuda"]) == 4
    assert "--backend cuda cannot be used: there is no GPU: use the back end 'cpu'" in capfd.readouterr().err
