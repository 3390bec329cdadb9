"""Plans of ancestor relations over orders: they need what the sum with them needs."""

from __future__ import annotations

import re

import pytest

import dagscape as ds
from cli.running import run
from dagscape.core import kernels
from dagscape.planning.task import Task
from dagscape.posterior.backends import BACKENDS
from dagscape.posterior.cpu import seconds as cpu_seconds
from dagscape.posterior.sum_plan import SumSize
from task_inputs import dependent_data


@pytest.fixture
def without_trials(monkeypatch):
    monkeypatch.setattr(Task, "seconds", property(lambda task: lambda *_, **__: 0.0))


def planned(n, **options):
    return ds.plan(dependent_data(n, 30), "posterior", threads=1, **({"over": "orders"} | options))


def test_they_need_more_memory_and_say_how_many_terms(without_trials):
    without, plan = planned(15), planned(15, ancestors=True)
    assert plan.memory == without.memory + kernels.order_ancestors_bytes(15, 1)
    assert plan.steps[-1].work == "2^15 steps and 15·14·3^13 for ancestors; 11 sums for an average over 16 settings"
    assert without.steps[-1].work.startswith("2^15 steps; 15·14·3^13 more with ancestors; 11 sums")
    assert planned(15, ancestors=False).memory == without.memory
    assert plan.provenance.parameters["ancestors"] is True
    # The sum over DAGs has them anyway.
    assert planned(15, over="dags", ancestors=True).memory == planned(15, over="dags").memory


def test_their_time_is_counted(monkeypatch):
    monkeypatch.setattr(cpu_seconds, "_trial_seconds", lambda *_: 1.0)
    plans = {
        asked: BACKENDS["orders", "cpu"].planned(SumSize(20, 19, 1, False, asked), None) for asked in (True, False)
    }
    terms = {n: n * (n - 1) * 3 ** (n - 2) for n in (11, 20)}
    more = plans[True].seconds() - plans[False].seconds()
    # One second for 11 variables.
    assert more == pytest.approx(terms[20] / terms[11], rel=0.1)
    steps = {asked: planned(20, ancestors=asked, max_parents=2).steps[-1].seconds for asked in (True, False)}
    assert steps[True] > 1000 * steps[False]


def test_what_the_plan_refuses_the_sum_refuses(without_trials):
    plan = planned(15, ancestors=True, max_parents=2, max_memory="20MiB")
    assert not plan.fits
    assert planned(15, max_parents=2, max_memory="20MiB").fits
    scores = ds.local_scores(dependent_data(15, 30), max_parents=2)
    told = r"sums over orders of 15 variables with ancestors need [\d.]+ MiB; .* or use over='dags'"
    with pytest.raises(ds.TooLarge, match=told):
        ds.posterior(scores, "orders", ancestors=True, threads=1, max_memory="20MiB")
    assert plan.advice == "posterior() fits with over='dags', ancestors=True"
    assert planned(15, over="dags", ancestors=True, max_parents=2, max_memory="20MiB").fits


def test_the_largest_sums_have_them_too(without_trials):
    most = planned(12, ancestors=True, max_memory="100MiB").largest
    assert most == {"cpu": 16}
    assert planned(16, ancestors=True, max_memory="100MiB").fits
    assert not planned(17, ancestors=True, max_memory="100MiB").fits
    scores = ds.local_scores(dependent_data(20, 30), max_parents=1)
    told = "leave out ancestors=True, or keep up to 14 variables with Dataset.select()"
    with pytest.raises(ds.TooLarge, match=re.escape(told)):
        ds.posterior(scores, "orders", ancestors=True, threads=1, max_memory="20MiB")


def test_advice_keeps_what_was_asked_for(without_trials):
    advice = planned(24, ancestors=True, max_parents=3, max_memory="60MiB").advice
    assert "on 2 machines" not in advice
    assert "GPU" not in advice
    assert "as requested it fits up to 15 variables" in advice


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"ancestors": "yes"}, "ancestors is 'yes'; it must be True or False"),
        ({"ancestors": True, "ranks": 2}, "with backend='mpi' have no ancestor relations: use backend='cpu'"),
        ({"ancestors": True, "gpu_memory": "8GiB"}, "with backend='cuda' have no ancestor relations"),
    ],
)
def test_wrong_requests_are_named(options, told):
    with pytest.raises(ds.InvalidOption, match=re.escape(told)):
        planned(12, max_parents=2, **options)


def test_the_command_line_has_the_option(capfd, tmp_path):
    table = tmp_path / "t.csv"
    dependent_data(9, 30).to_frame().to_csv(table, index=False)
    code, out, _ = run(capfd, "plan", table, "--task", "posterior", "--over", "orders", "--ancestors")
    assert (code, "2^9 steps and 9·8·3^7 for ancestors" in out) == (0, True)
    code, _, err = run(capfd, "plan", table, "--ancestors")
    assert (code, "--ancestors is for --task posterior" in err) == (2, True)
