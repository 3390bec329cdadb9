"""Plans of sums on several ranks, and on a GPU that may be elsewhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import dagscape as ds
from cli.running import run
from dagscape.posterior import backends
from dagscape.posterior.backends import BACKENDS
from dagscape.posterior.cuda import backend as cuda_backend
from dagscape.posterior.cuda import device
from dagscape.posterior.mpi.order_sum import bytes_sent
from dagscape.posterior.mpi.seconds import NETWORK_RATE, rank_seconds

LIMIT = 16 * 2**30


def job(n):
    return ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (60, n)))


def planned(n, max_parents=4, **options):
    return ds.plan(job(n), "posterior", over="orders", max_parents=max_parents, max_memory=LIMIT, **options)


@pytest.fixture
def no_gpu(monkeypatch):
    def missing():
        return "there is no GPU: use the back end 'cpu'"

    monkeypatch.setattr(device, "missing", missing)
    for key in (("dags", "cuda"), ("orders", "cuda")):
        monkeypatch.setitem(backends.BACKENDS, key, replace(BACKENDS[key], missing=missing))


@pytest.mark.slow
def test_memory_per_rank_halves_with_each_doubling(no_gpu):
    needed = [planned(33, ranks=ranks, threads=1) for ranks in (1, 2, 4, 8, 16)]
    assert needed[0].memory == planned(33, threads=1).memory
    # What every rank holds besides its words: the families, and blocks that come in.
    besides = [plan.memory - (8 << (33 - k)) for k, plan in enumerate(needed)]
    assert all(0 < memory < 2**30 for memory in besides)
    assert [plan.fits for plan in needed] == [False, False, False, True, True]


@pytest.mark.slow
def test_the_largest_sums_that_fit(no_gpu):
    assert planned(20).largest == {"cpu": 30}
    shared = planned(20, ranks=8)
    assert shared.largest == {"cpu": 30, "mpi": 33}
    assert planned(33, ranks=8).fits
    assert not planned(34, ranks=8).fits
    on_gpu = planned(20, gpu_memory="141GiB")
    assert on_gpu.largest == {"cpu": 30, "cuda": 34}
    over_dags = ds.plan(job(12), "posterior", max_parents=4, max_memory=LIMIT, gpu_memory="80GiB")
    assert over_dags.largest["cuda"] == 28
    assert ds.plan(job(12), "best").largest == {}


@pytest.mark.slow
def test_a_plan_says_what_ranks_send_and_what_a_gpu_needs(no_gpu):
    shared = planned(30, ranks=8).steps[1]
    assert (shared.name, shared.work) == (
        "sum over orders on 8 ranks",
        "2^30 steps, up to 4 parents; each rank sends 3.0 GiB",
    )
    assert bytes_sent(30, 8) == 3 * 2**30
    on_gpu = planned(33, gpu_memory="80GiB").steps[1]
    assert on_gpu.name == "sum over orders on a GPU"
    assert on_gpu.work.endswith("; 66.1 GiB of GPU memory; the time is that of an NVIDIA H200")
    assert on_gpu.memory < 2**30
    assert on_gpu.seconds == pytest.approx(6.22, rel=0.05)


@pytest.mark.slow
def test_gpus_that_are_too_small_are_refused(no_gpu):
    small = planned(32, gpu_memory="24GiB")
    assert small.refusal == "sums over orders of 32 variables need 34.1 GiB of GPU memory; 24.0 GiB are free"
    assert not small.fits
    # The processors of this machine have enough memory.
    enough = ds.plan(job(30), "posterior", over="orders", max_parents=4, max_memory=LIMIT, gpu_memory="8GiB")
    assert enough.advice == "posterior() fits with over='orders', backend='cpu'"


@pytest.mark.slow
def test_advice_names_the_number_of_machines(no_gpu):
    assert "; on 8 machines like this one it fits, with backend='mpi'; " in planned(33).advice
    assert "on 8 machines like this one it fits, with backend='mpi', max_parents=4; " in planned(33, None).advice
    assert not planned(33, None, ranks=8).fits
    assert planned(33, 4, ranks=8).fits
    assert "machines" not in ds.plan(job(26), "posterior", max_memory="100MiB").advice


@pytest.mark.slow
def test_advice_begins_with_the_least_trouble(no_gpu):
    advice = planned(33).advice
    assert advice.startswith("no exact method fits 33 variables within 16.0 GiB; posterior() fits up to 30 variables: ")
    remedies = (
        "fits up to",
        "on a GPU with 80 GB it fits, with backend='cuda'",
        "on 8 machines",
        "learn() finds",
    )
    found = [advice.index(remedy) for remedy in remedies]
    assert found == sorted(found)
    assert planned(33, gpu_memory="80GiB").fits
    assert not planned(33, gpu_memory="40GiB").fits
    # No GPU has enough memory for 36 variables, and sums over DAGs use no ranks.
    assert "GPU" not in planned(36).advice
    over_dags = ds.plan(job(33), "posterior", max_parents=4, max_memory=LIMIT).advice
    assert "machines" not in over_dags


def test_advice_beyond_exact_sums_begins_with_chains_and_learners(no_gpu):
    beyond = planned(41)
    assert beyond.refusal == "exact sums over orders support up to 40 variables; there are 41"
    learners = "learn() finds one good network of hundreds of variables, and bootstrap()"
    chains = "posterior() with method='chain' samples DAGs by Markov chains"
    assert f"no exact method fits 41 variables; {chains}; {learners}" in beyond.advice
    assert "machines" not in beyond.advice


@pytest.mark.slow
def test_the_gpu_that_is_here_is_compared(monkeypatch):
    monkeypatch.setattr(device, "missing", lambda: "")
    monkeypatch.setattr(device, "free_memory", lambda: 2**35)
    monkeypatch.setattr(cuda_backend, "seconds_here", lambda *_: 7.0)
    here = replace(BACKENDS["orders", "cuda"], missing=lambda: "")
    monkeypatch.setitem(backends.BACKENDS, ("orders", "cuda"), here)
    assert planned(20).largest == {"cpu": 30, "cuda": 31}
    step = planned(20, backend="cuda").steps[1]
    # Trials tell the time of a GPU that is here.
    assert step.name == "sum over orders on a GPU"
    assert step.work == "2^20 steps, up to 4 parents; 79.5 MiB of GPU memory"
    assert 7.0 < step.seconds < 8.0


def test_few_variables_are_for_one_rank():
    few = ds.plan(job(8), "posterior", over="orders", ranks=2)
    assert (few.steps[1].name, few.steps[1].work) == (
        "sum over orders",
        "2^8 steps; one rank computes sums of few variables alone",
    )
    assert few.fits
    assert planned(12, ranks=8).refusal == "sums over orders of 12 variables take up to 4 ranks; there are 8"


@pytest.mark.slow
@pytest.mark.parametrize(("max_parents", "limit"), [(None, "a limit"), (14, "a lower limit")])
def test_ranks_do_not_help_without_a_limit_on_parents(max_parents, limit):
    dense = planned(16, max_parents, ranks=8)
    assert dense.steps[1].name == "sum over orders"
    assert dense.steps[1].work.endswith(f"; ranks do not help without {limit} on parents, such as max_parents=4")
    assert dense.memory == planned(16, max_parents).memory
    assert planned(16, 4, ranks=8).steps[1].name == "sum over orders on 8 ranks"
    assert "ranks" not in planned(16, max_parents, ranks=1).steps[1].work


@pytest.mark.slow
@pytest.mark.parametrize("elsewhere", [{}, {"ranks": 8}, {"gpu_memory": "80GiB"}])
def test_too_many_variables_for_exact_sums_are_refused_before_their_memory(no_gpu, elsewhere):
    most = BACKENDS["orders", "cpu"].most_variables
    name = " with backend='cuda'" if "gpu_memory" in elsewhere else ""
    beyond = planned(most + 1, 2, **elsewhere)
    assert beyond.refusal == f"exact sums over orders{name} support up to {most} variables; there are {most + 1}"
    assert not planned(most, 2, **elsewhere).refusal.startswith("exact sums")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ranks": 6}, "ranks is 6; it must be a power of two: use ranks=4"),
        ({"backend": "mpi", "ranks": 3}, "ranks is 3; it must be a power of two: use ranks=2"),
        ({"ranks": 0}, "ranks is 0; it must be an integer of at least 1"),
        ({"backend": "mpi"}, "backend is 'mpi', which needs the number of ranks: add ranks"),
        ({"backend": "gpu"}, "backend is 'gpu'; it must be one of 'cpu', 'cuda', 'mpi'"),
        ({"ranks": 2, "gpu_memory": "8GiB"}, "ranks is for backend='mpi', not for 'cuda'"),
        ({"backend": "cpu", "ranks": 2}, "ranks is for backend='mpi', not for 'cpu'"),
        ({"gpu_memory": "much"}, "gpu_memory is 'much'; it must be a positive size such as '8GiB' or '500MiB'"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ds.InvalidOption) as caught:
        planned(12, **options)
    assert str(caught.value).startswith(message)


def test_the_options_belong_to_posteriors(no_gpu):
    with pytest.raises(ds.InvalidOption, match=r"^ranks is an option of the task 'posterior', not of 'best'$"):
        ds.plan(job(8), "best", ranks=2)
    with pytest.raises(ds.InvalidOption, match=r"^backend is 'mpi', which has no sums over dags: use over='orders'$"):
        ds.plan(job(8), "posterior", ranks=2)
    with pytest.raises(ds.BackendUnavailable, match=r"add its memory, such as gpu_memory='80GiB'$"):
        planned(12, backend="cuda")


def test_time_on_ranks_has_a_pipeline_to_fill_and_messages_to_wait_for():
    # 8 blocks of 2^17 words on each of 8 ranks, and 3 steps until all of them work.
    assert rank_seconds(6400.0, 23, 8) == pytest.approx(800 * (8 + 3) / 8)
    # If nothing is to be computed, only the messages are left: forwards and backwards, 3 blocks each time.
    assert rank_seconds(0.0, 23, 8) == pytest.approx((8 + 3) * 2 * 3 * 2**20 / NETWORK_RATE)
    seconds = [rank_seconds(1000.0, 33, 2**bits) for bits in range(1, 9)]
    assert seconds == sorted(seconds, reverse=True)


@pytest.mark.slow
def test_the_command_line_plans_for_ranks_and_gpus(capfd, tmp_path):
    table = tmp_path / "t.csv"
    rows = [[f"v{i}" for i in range(14)], ["0"] * 14, ["0", "1"] * 7, ["1"] * 14]
    table.write_text("\n".join(",".join(row) for row in rows))
    common = ("plan", table, "--task", "posterior", "--over", "orders", "--max-parents", 2, "--max-memory", "8GiB")
    code, out, _ = run(capfd, *common, "--ranks", 4)
    assert code == 0
    assert "on 4 ranks" in out
    assert "The largest sums that fit: " in out
    code, out, _ = run(capfd, *common, "--gpu-memory", "40GiB")
    assert (code, "on a GPU" in out, "(cuda)" in out) == (0, True, True)
    code, _, err = run(capfd, *common, "--ranks", 3)
    assert (code, err) == (2, "dagscape: --ranks is 3; it must be a power of two: use --ranks 2\n")
    code, out, _ = run(capfd, "plan", table, "--task", "posterior", "--over", "orders", "--ranks", 4, "--json")
    assert (code, "on parents, such as --max-parents 4" in out) == (0, True)
    code, _, err = run(capfd, "plan", table, "--ranks", 2)
    assert (code, "--ranks is for --task posterior" in err) == (2, True)


@pytest.mark.slow
@pytest.mark.parametrize("n", [10, 11])
def test_more_ranks_than_a_small_sum_can_use_are_refused(n):
    data = ds.Dataset.from_array(np.random.default_rng(n).integers(0, 2, (20, n)))
    planned = ds.plan(data, "posterior", over="orders", max_parents=2, ranks=8)
    assert not planned.fits
    assert "; there are 8" in repr(planned)
    assert ds.plan(data, "posterior", over="orders", max_parents=2, ranks=1).fits
