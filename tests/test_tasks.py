"""The contract of all tasks: one suite for every record of the registry.

What a task takes and which arguments it has decide which tests it joins.
"""

from __future__ import annotations

import ast
import inspect
import itertools
import os
import re
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import dagscape as ds
from dagscape.core.errors import type_of
from dagscape.core.requirements import Requirements
from dagscape.ensembles.ranked_networks import RankedNetworks
from dagscape.planning.plan import Plan
from dagscape.planning.registry import METHODS, TASKS
from dagscape.planning.task import Task
from dagscape.report.tables import render
from dagscape.report.terminal import terminal_text
from dagscape.results.base import Result, ScoredResult
from task_inputs import INPUTS, OF_ANY_ROWS, dependent_data, parameters, plan, run

ODD_NAMES = ["[red]a", "b, c", "→", 'say "hi"', "<b>&amp;"]


def cases(chosen=lambda task: True, *, asking=True):
    """Every task with every combination of the options that say what is computed, and asked for more in every way."""
    return pytest.mark.parametrize(
        ("task", "settings"),
        [
            pytest.param(
                task,
                dict(zip(task.options, values, strict=True)) | dict.fromkeys(more, True),
                id="-".join([name, *values, *more]),
            )
            for name, task in TASKS.items()
            if chosen(task)
            for values in itertools.product(*task.options.values())
            for more in [(), *(requests(task) if asking else ())]
        ],
    )


def requests(task):
    """The options that ask for more results, one at a time."""
    return [(name,) for name, option in task.plan_options.items() if option.asks_for_more]


every_task = cases()
every_method = cases(lambda task: task.name in METHODS, asking=False)
every_planned_task = cases(lambda task: task.planned)


def with_argument(*names: str):
    """The tasks that have one of some arguments."""
    return cases(lambda task: not parameters(task).isdisjoint(names))


def said(result):
    """The content of a result, without how it was made and how long it took."""
    if isinstance(result, ds.EnumerableScores):
        return [list(result.families(name)) for name in result.variables]
    return without_times(result.to_dict()) if isinstance(result, Result) else result


# Files from which results can be loaded.
SAVED = ("result.json", "result.npz")


def without_times(value):
    if isinstance(value, dict):
        return {key: without_times(item) for key, item in value.items() if key not in {"provenance", "seconds"}}
    return [without_times(item) for item in value] if isinstance(value, list) else value


def shown(result) -> str:
    return terminal_text(render(result), 200).strip()


@pytest.mark.slow
@every_task
def test_a_result_of_its_class_that_shows_itself_and_survives_saving(task, settings, tmp_path):
    data = dependent_data(6, 150)
    result = run(task, settings, data)
    assert type(result) is task.result
    assert len(repr(result)) < 200
    if not isinstance(result, Result):
        return
    if task.takes[0] in OF_ANY_ROWS:
        assert result.variables == data.variables
    if isinstance(result, ScoredResult):
        assert result.score_info.rows == data.m
    assert len(result.to_frame())
    assert shown(result)
    for name in SAVED:
        result.save(tmp_path / name)
        back = ds.load_result(tmp_path / name)
        assert back == result
        assert back.to_dict() == result.to_dict()


@pytest.mark.parametrize(("task", "taken"), [(task, taken) for task in TASKS.values() for taken in task.takes[1:]])
def test_what_else_a_task_takes_leads_to_the_same_kind_of_result(task, taken):
    assert type(run(task, {}, dependent_data(6, 150), taken=taken)) is task.result


# A plan is about a number of threads.
@pytest.mark.slow
@cases(lambda task: "threads" in parameters(task) and not issubclass(task.result, Plan))
def test_threads_do_not_change_a_bit(task, settings):
    first, *others = (said(run(task, settings, dependent_data(6, 150), threads=threads)) for threads in (1, 2, 3))
    assert all(other == first for other in others)


@pytest.mark.slow
@with_argument("executor")
def test_what_runs_the_samples_does_not_change_a_bit(task, settings):
    data = dependent_data(5, 80)
    with ThreadPoolExecutor(3) as executor:
        there = run(task, settings, data, executor=executor, workers=None)
    assert said(there) == said(run(task, settings, data))


@cases(lambda task: task.takes == ("all scores",))
def test_the_order_of_columns_does_not_matter(task, settings):
    data = dependent_data(5, 100)
    other = data.select(tuple(data.variables[i] for i in (3, 0, 4, 2, 1)))
    assert other.variables != data.variables
    one, two = (run(task, settings, d) for d in (data, other))
    if isinstance(one, float):
        assert one == pytest.approx(two, abs=1e-10)
        return
    place = [two.variables.index(name) for name in one.variables]
    # Which of several networks with the same score are modes depends on the order, and so does what is drawn.
    if hasattr(one, "edges") and not isinstance(one, ds.Modes | ds.SampledNetworks):
        np.testing.assert_allclose(one.edges, two.edges[np.ix_(place, place)], atol=1e-10)
    if isinstance(one, RankedNetworks):
        assert one.scores[0] == two.scores[0]
    if hasattr(one, "network"):
        assert one.score == two.score
        assert one.cpdag == two.cpdag.reordered(one.variables)


# Methods of a class cannot be called with anything else.
@cases(lambda task: "." not in task.function_name)
@pytest.mark.parametrize("wrong", [None, 3.5, {1, 2}], ids=type_of)
def test_what_a_task_does_not_take_is_refused(task, settings, wrong):
    (_, *others), _ = INPUTS[task.takes[0]](dependent_data(4, 60), {})
    with pytest.raises(ds.DagscapeError, match=re.escape(type_of(wrong))):
        task.function(wrong, *others, **task.quick, **settings)


@cases(lambda task: task.takes == ("all scores",))
@pytest.mark.parametrize("wrong", [None, np.zeros(3)], ids=type_of)
def test_only_scores_and_data_are_taken(task, settings, wrong):
    with pytest.raises(ds.InvalidOption, match=f"scores is {type_of(wrong)}; compute local scores first"):
        task.function(wrong, **settings)


WRONG = [("threads", 0), ("threads", 1.5), ("max_memory", "much"), ("progress", "yes"), ("workers", 0), ("samples", 0)]
WRONG += [("max_seconds", -1), ("seed", -1), ("restarts", 0)]


@pytest.mark.slow
@pytest.mark.parametrize(("option", "value"), WRONG)
@every_task
def test_wrong_common_options_are_named(task, settings, option, value):
    if option in parameters(task):
        with pytest.raises(ds.InvalidOption, match=re.escape(f"{option} is {value!r}")):
            run(task, settings, dependent_data(6, 50), **{option: value})


@every_planned_task
def test_too_little_memory_is_refused_with_number_limit_and_remedy(task, settings):
    data = dependent_data(12, 30)
    with pytest.raises(ds.TooLarge, match=r"^[\w ,]+ need [\d.]+ [KM]iB; the limit is 2\.0 KiB \(max_memory\): \w"):
        run(task, settings, data, max_memory="2KiB")


@pytest.fixture
def without_trials(monkeypatch):
    """Plan memory only: timing trials would dominate the run time of the tests."""
    monkeypatch.setattr(Task, "seconds", property(lambda task: lambda *_, **__: 0.0))


class Accepted(Exception):
    """Raised by a listener to stop the work."""


def accepts(task, settings, data, **options) -> bool:
    def begin(progress):
        raise Accepted

    try:
        run(task, settings, data, progress=begin, **options)
    except Accepted:
        return True
    except (ds.TooLarge, ds.InvalidOption):
        return False
    return True


def as_asked(planned) -> bool:
    """Whether what was asked for fits, and not chains in its place."""
    return planned.fits and planned.instead is None


def has_chains(task, settings) -> bool:
    return task.name == "posterior" and settings["over"] == "dags"


@pytest.mark.slow
@every_planned_task
@pytest.mark.parametrize("limit", ["100KiB", "4MiB", "1GiB"])
@pytest.mark.parametrize("n", [1, 8, 18, 40, 63, 64, 100])
def test_a_plan_agrees_with_what_the_task_refuses(task, settings, n, limit, without_trials):
    data = dependent_data(n, 20)
    planned = plan(task, settings, data, score={"max_parents": 1}, threads=1, max_memory=limit)
    last = planned.steps[-1]
    fits = not last.refusal and last.memory <= planned.memory_limit
    assert accepts(task, settings, data, score={"max_parents": 1}, threads=1, max_memory=limit) == fits
    assert bool(planned.advice) != as_asked(planned)


@every_method
def test_a_plan_that_does_not_fit_names_what_does(task, settings, without_trials):
    planned = plan(task, settings, dependent_data(22, 20), max_memory="200MiB")
    assert planned.fits == has_chains(task, settings)
    other = planned.advice.removeprefix(f"no settings of {task.function_name}() fit, but ")
    other = other.replace("an exact sum", "posterior()")
    described_method, _, described = other.partition(" fits with ")
    name = next(name for name, known in METHODS.items() if f"{known.function_name}()" == described_method)
    changed = {key: ast.literal_eval(value) for key, value in (pair.split("=") for pair in described.split(", "))}
    kept = settings if name == task.name else {}
    assert as_asked(ds.plan(dependent_data(22, 20), name, max_memory="200MiB", **(kept | changed)))


@pytest.mark.slow
@every_method
def test_plans_when_nothing_fits(task, settings, without_trials):
    planned = plan(task, settings, dependent_data(200, 20), max_memory="1GiB")
    assert planned.fits == has_chains(task, settings)
    # Memory matters only to methods that support this number of variables.
    assert re.match(r"no exact method fits 200 variables( within 1\.0 GiB)?; ", planned.advice)
    assert "learn() finds one good network of hundreds of variables" in planned.advice


@pytest.mark.slow
@with_argument("progress")
def test_a_listener_can_stop_every_part(task, settings):
    data = dependent_data(7, 200)
    heard = []
    run(task, settings, data, progress=heard.append)
    assert heard
    for report in heard:
        assert isinstance(report, ds.Progress)
        assert 0 <= report.done <= report.total
    parts = list(dict.fromkeys(report.task for report in heard))

    def stop(progress):
        heard.append(progress)
        if progress.task == part:
            raise Accepted

    for part in parts:
        heard.clear()
        with pytest.raises(Accepted):
            run(task, settings, data, progress=stop)
        assert [report.task for report in heard].count(part) == 1


@with_argument("progress")
def test_an_interrupt_stops_the_work(task, settings):
    with pytest.raises(KeyboardInterrupt):
        run(
            task,
            settings,
            dependent_data(6, 150),
            progress=lambda progress: signal.raise_signal(signal.SIGINT),
        )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "variables", "options"),
    [
        (ds.posterior, 26, {"over": "orders"}),
        (ds.posterior, 20, {"over": "dags"}),
        (ds.k_best, 18, {"k": 10**8, "space": "dags"}),
        (ds.modes, 18, {"k": 10**6, "delta": 0, "bound": "none", "merge": False}),
    ],
)
def test_an_interrupt_stops_long_work_without_a_listener(function, variables, options):
    scores = ds.local_scores(dependent_data(variables, 30), max_parents=3)
    # Undisturbed, the work takes more than a second, and a signal after its end would stop the tests.
    timer = threading.Timer(0.1, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            function(scores, threads=1, **options)
    finally:
        timer.cancel()


@every_method
def test_no_possible_network(task, settings):
    cyclic = ds.FamilyTable({"a": {("b",): 0.0}, "b": {("a",): 0.0}}, complete=True, score_equivalent=True)
    options = {"space": "dags"} if "space" in parameters(task) else {}
    with pytest.raises(ds.InvalidData, match=r"every \w+ has an impossible family"):
        task.function(cyclic, **options, **settings)


@pytest.mark.slow
@cases(lambda task: task.takes[0] in OF_ANY_ROWS)
@pytest.mark.parametrize(
    "data",
    [
        ds.Dataset.from_array([["x"]], keep_constant=True),
        ds.Dataset.from_array([["x", "y", "z"]], keep_constant=True),
        ds.Dataset.from_array([["a", 1], ["b", 1], ["a", 1]], keep_constant=True),
        dependent_data(5, 40, names=ODD_NAMES),
    ],
    ids=["one cell", "one row", "constant column", "odd names"],
)
def test_small_and_odd_data(task, settings, data, tmp_path):
    result = run(task, settings, data)
    if isinstance(result, Result):
        assert result.variables == data.variables
        for name in SAVED:
            result.save(tmp_path / name)
            assert ds.load_result(tmp_path / name) == result
        assert shown(result)


def test_requirements_refuse_whatever_the_memory():
    needs = Requirements("x", "y", 0, "the x", "do y", refusal="x is not for this")
    assert not needs.fits(2**60)
    with pytest.raises(ds.InvalidOption, match="x is not for this"):
        needs.check(None)


@pytest.mark.parametrize("task", TASKS.values(), ids=TASKS)
def test_records_are_whole(task):
    assert TASKS[task.name] is task
    assert set(task.takes) <= set(INPUTS)
    assert task.summary
    assert task.function_name.partition(".")[0] in ds.__all__
    assert set(task.quick) <= parameters(task) or "options" in parameters(task)
    assert bool(task.requirements_at) == bool(task.seconds_at)
    assert task.command or not task.help
    for option in task.plan_options.values():
        assert option.help.endswith(".")
        assert option.values if option.varied else option.values or option.default
    if task.planned:
        for function in (task.requirements, task.seconds):
            inspect.signature(function).bind(None, 1, 2**30, **dict.fromkeys(task.plan_options))


def test_every_subcommand_of_a_task_says_once_what_it_does():
    commands = {task.command for task in TASKS.values() if task.command}
    assert sorted(task.command for task in TASKS.values() if task.help) == sorted(commands)
