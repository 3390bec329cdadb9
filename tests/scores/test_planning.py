from __future__ import annotations

import re

import numpy as np
import pytest

import dagscape as ds
from dagscape.core.requirements import Requirements
from dagscape.core.wording import plural
from dagscape.planning import plan as planning


def test_plan_counts_what_will_be_computed():
    data = ds.load_dataset("tic-tac-toe")
    planned = ds.plan(data, threads=1, max_memory="1GiB")
    assert planned.fits
    assert planned.memory >= ds.local_scores(data).nbytes
    assert "1,024 sets" in planned.steps[0].work
    assert 0 < planned.seconds < 60
    assert planned.memory_limit == 2**30
    assert list(planned.to_frame()["step"]) == ["local scores"]


@pytest.mark.slow
@pytest.mark.parametrize("n", [40, 62, 64, 70, 200])
def test_plan_of_an_impossible_job(n):
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (30, n)))
    planned = ds.plan(data)
    assert not planned.fits
    assert planned.memory >= 8 * 2**n
    assert planned.seconds > 3600
    assert "does not fit" in repr(planned)


@pytest.mark.slow
def test_plan_takes_the_same_arguments():
    data = ds.load_dataset("tic-tac-toe")
    planned = ds.plan(data, score="k2", max_parents=2, structure_prior="per-size", threads=2)
    assert (
        planned.provenance.parameters
        == ds.local_scores(data, "k2", max_parents=2, structure_prior="per-size").provenance.parameters
    )
    with pytest.raises(ds.InvalidOption):
        ds.plan(data, score="none")


def test_unknown_options_are_refused():
    data = ds.load_dataset("tic-tac-toe")
    for ask in (ds.plan, ds.family_scores):
        with pytest.raises(ds.InvalidOption, match="there is no option 'max_parent'; did you mean 'max_parents'"):
            ask(data, max_parent=1)
    with pytest.raises(ds.InvalidOption, match="there is no option 'k'"):
        ds.plan(data, "best", k=10)


def test_the_remedy_of_too_large_scores_helps():
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (30, 24)))
    with pytest.raises(
        ds.TooLarge, match=r"raise the limit, or score with max_parents=5, which needs [\d.]+ MiB$"
    ) as caught:
        ds.local_scores(data, threads=1, max_memory="8MiB")
    number, unit = re.search(r"needs ([\d.]+) ([KM]iB)$", str(caught.value)).groups()
    ds.local_scores(data, max_parents=5, threads=1, max_memory=f"{float(number) + 0.1}{unit}")
    with pytest.raises(ds.TooLarge, match=r"raise the limit$"):
        ds.local_scores(data, max_parents=2, threads=1, max_memory="1KiB")


@pytest.mark.slow
def test_advice_repeats_the_settings_that_matter():
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (30, 22)))
    planned = ds.plan(data, "posterior", over="orders", max_memory="100MiB")
    assert re.fullmatch(r"posterior\(\) fits with over='orders', max_parents=[2-5]", planned.advice)


@pytest.mark.slow
def test_advice_for_many_variables_says_how_many_fit():
    """With 40 variables a search for modes fits in memory, but may prove none for hours: it is no advice."""
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (30, 40)))
    names = data.variables
    for task in ("posterior", "best"):
        advice = ds.plan(data, task, max_memory="1GiB", required=[(names[0], names[39])]).advice
        assert advice.startswith("no exact method fits 40 variables within 1.0 GiB")
        assert "modes" not in advice
        most = int(re.search(r"fits up to (\d+) variables: leave out variables with Dataset.select\(\)", advice)[1])
        for variables in (most, most + 1):
            planned = ds.plan(data.select(names[:variables]), task, max_memory="1GiB")
            assert (planned.fits and planned.instead is None) == (variables == most)


def test_modes_that_do_not_fit_take_long():
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (30, 40)))
    assert ds.plan(data, "modes", max_memory="1GiB").steps[1].seconds > 3600


@pytest.mark.slow
@pytest.mark.parametrize(("task", "method"), [("posterior", ds.posterior), ("best", ds.k_best)])
def test_plans_and_methods_agree_on_how_many_variables_fit(task, method):
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (30, 39)))
    planned = ds.plan(data, task, max_memory="1GiB", threads=1)
    most = int(re.search(r"fits up to (\d+) variables with .*max_parents=4, and as requested", planned.advice)[1])
    options = {"over": "orders"} if task == "posterior" else {}
    with pytest.raises(ds.TooLarge, match=rf"with few parents fits? up to {most} variables here"):
        method(ds.local_scores(data, max_parents=4), max_memory="1GiB", threads=1, **options)
    for n in (most, most + 1):
        part = ds.plan(data.select(data.variables[:n]), task, max_memory="1GiB", threads=1, max_parents=4, **options)
        assert part.fits == (n == most)


def test_a_plan_that_needs_more_memory_than_python_can_write_is_saved_and_loaded(monkeypatch, tmp_path):
    # Counting the sets of so many variables takes minutes.
    needs = Requirements("local scores", plural(2**20_000, "set"), 2**20_003, "the scores", "raise the limit")
    monkeypatch.setattr("dagscape.scores.requirements.scoring_requirements", lambda job, threads, limit: needs)
    planned = ds.plan(ds.load_dataset("iris"))
    planned.save(tmp_path / "plan.json")
    assert ds.load_result(tmp_path / "plan.json") == planned
    assert not planned.fits
    assert planned.memory == 2**14_000 - 1
    assert planned.steps[0].work == "2^20000 sets"


@pytest.mark.slow
def test_the_limit_is_a_share_of_what_is_available(monkeypatch):
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (30, 30)))
    needed = ds.plan(data, "posterior", over="orders", max_parents=4, threads=1, max_memory="16GiB").memory
    available = int(needed / 0.8) + 2
    monkeypatch.setattr(planning, "available_memory", lambda: available)
    planned = ds.plan(data, "posterior", over="orders", threads=1)
    assert planned.memory_available == available
    assert needed <= planned.memory_limit < 1.01 * needed
    assert planned.advice.startswith("posterior() fits with over='orders', max_parents=4")
    assert ds.plan(data, "posterior", over="orders", max_parents=4, threads=1).fits
    assert ds.plan(data, max_memory="1GiB").memory_available == 0


@pytest.mark.slow
def test_advice_keeps_the_required_parents():
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (30, 33)), [f"v{i}" for i in range(33)])
    required = [(f"v{i}", "v0") for i in range(1, 6)]
    planned = ds.plan(data, "posterior", over="orders", required=required, threads=1, max_memory="1GiB")
    assert not planned.fits
    assert "max_parents=4" not in planned.advice
    assert "learn()" in planned.advice
