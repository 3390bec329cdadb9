"""The contract of all methods: one suite for every record of the registry."""

from __future__ import annotations

import ast
import itertools
import os
import re
import signal
import threading
from dataclasses import replace

import numpy as np
import pytest

import dagscape as ds
from dagscape.core.errors import type_of
from dagscape.core.requirements import Requirements
from dagscape.ensembles.ranked_networks import RankedNetworks
from dagscape.planning import plan as planning
from dagscape.planning.registry import METHODS
from dagscape.report.tables import render
from dagscape.report.terminal import terminal_text

CASES = [
    pytest.param(method, dict(zip(method.options, values, strict=True)), id="-".join([name, *values]))
    for name, method in METHODS.items()
    for values in itertools.product(*method.options.values())
]
every_method = pytest.mark.parametrize(("method", "settings"), CASES)

ODD_NAMES = ["[red]a", "b, c", "→", 'say "hi"', "<b>&amp;"]


def dependent_data(n: int, rows: int, seed: int = 1, names=None) -> ds.Dataset:
    """Each column is a noisy copy of the previous one; only equivalent networks tie."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 3, rows)]
    for i in range(1, n):
        noise = rng.random(rows) < 0.3 + 0.4 * i / n
        columns.append(np.where(noise, rng.integers(0, 3, rows), columns[-1]))
    return ds.Dataset.from_array(np.column_stack(columns), names, keep_constant=True)


@pytest.fixture(scope="module")
def scores():
    return ds.local_scores(dependent_data(6, 150))


def said(result):
    """The content of a result, without its provenance."""
    return {name: value for name, value in result.to_dict().items() if name != "provenance"}


@every_method
def test_a_result_of_its_class_that_shows_itself_and_survives_saving(method, settings, scores, tmp_path):
    result = method.function(scores, **settings)
    assert type(result) is method.result
    assert result.variables == scores.variables
    assert result.score_info == scores.info
    assert len(repr(result)) < 200
    assert len(result.to_frame())
    assert terminal_text(render(result)).strip()
    result.save(tmp_path / "result.json")
    back = ds.load_result(tmp_path / "result.json")
    assert back == result
    assert back.to_dict() == result.to_dict()


@every_method
def test_threads_do_not_change_a_bit(method, settings, scores):
    first, *others = (said(method.function(scores, threads=threads, **settings)) for threads in (1, 2, 3))
    assert all(other == first for other in others)


@every_method
def test_the_order_of_columns_does_not_matter(method, settings):
    data = dependent_data(5, 100)
    other = data.select(tuple(data.variables[i] for i in (3, 0, 4, 2, 1)))
    assert other.variables != data.variables
    one, two = (method.function(ds.local_scores(d), **settings) for d in (data, other))
    place = [two.variables.index(name) for name in one.variables]
    if hasattr(one, "edges"):
        np.testing.assert_allclose(one.edges, two.edges[np.ix_(place, place)], atol=1e-10)
    if isinstance(one, RankedNetworks):
        assert one.scores[0] == two.scores[0]
    if hasattr(one, "network"):
        assert one.score == two.score
        assert one.cpdag == two.cpdag.reordered(one.variables)


@every_method
@pytest.mark.parametrize("wrong", [None, "scores", ds.load_dataset("tic-tac-toe"), np.zeros(3)], ids=type)
def test_only_scores_are_taken(method, settings, wrong):
    with pytest.raises(ds.InvalidOption, match=f"scores is {type_of(wrong)}; compute local scores first"):
        method.function(wrong, **settings)


@every_method
@pytest.mark.parametrize(
    ("option", "value"), [("threads", 0), ("threads", 1.5), ("max_memory", "much"), ("progress", "yes")]
)
def test_wrong_common_options_are_named(method, settings, scores, option, value):
    with pytest.raises(ds.InvalidOption, match=re.escape(f"{option} is {value!r}")):
        method.function(scores, **{option: value}, **settings)


@every_method
def test_too_little_memory_is_refused_with_number_limit_and_remedy(method, settings):
    scores = ds.local_scores(dependent_data(12, 30), max_parents=2)
    with pytest.raises(
        ds.TooLarge, match=r"^[\w ]+ of 12 variables need [\d.]+ [KM]iB; the limit is 2\.0 KiB \(max_memory\): \w"
    ):
        method.function(scores, max_memory="2KiB", **settings)


@pytest.fixture
def without_trials(monkeypatch):
    """Plan memory only: timing trials would dominate the run time of the tests."""
    monkeypatch.setattr(planning, "scoring_seconds", lambda *_: 0.0)
    for name, method in METHODS.items():
        monkeypatch.setitem(METHODS, name, replace(method, seconds=lambda *_, **__: 0.0))


class Accepted(Exception):
    """Raised by a listener to stop the work."""


def accepts(method, scores, **options) -> bool:
    def begin(progress):
        raise Accepted

    try:
        method.function(scores, progress=begin, **options)
    except Accepted:
        return True
    except (ds.TooLarge, ds.InvalidOption):
        return False
    return True


@every_method
@pytest.mark.parametrize("limit", ["100KiB", "4MiB", "1GiB"])
@pytest.mark.parametrize("n", [1, 8, 18, 40, 63, 64, 100])
def test_a_plan_agrees_with_what_the_method_refuses(method, settings, n, limit, without_trials):
    data = dependent_data(n, 20)
    planned = ds.plan(data, method.name, max_parents=1, threads=1, max_memory=limit, **settings)
    scores = ds.local_scores(data, max_parents=1, threads=1)
    assert accepts(method, scores, threads=1, max_memory=limit, **settings) == (
        not planned.steps[1].refusal and planned.steps[1].memory <= planned.memory_limit
    )
    assert bool(planned.advice) != planned.fits


@every_method
def test_a_plan_that_does_not_fit_names_what_does(method, settings, without_trials):
    planned = ds.plan(dependent_data(22, 20), method.name, max_memory="200MiB", **settings)
    assert not planned.fits
    other = planned.advice.removeprefix(f"no settings of {method.function.__name__}() fit, but ")
    described_method, _, described = other.partition(" fits with ")
    task = next(name for name, known in METHODS.items() if f"{known.function.__name__}()" == described_method)
    changed = {key: ast.literal_eval(value) for key, value in (pair.split("=") for pair in described.split(", "))}
    kept = settings if task == method.name else {}
    assert ds.plan(dependent_data(22, 20), task, max_memory="200MiB", **(kept | changed)).fits


@every_method
def test_plans_when_nothing_fits(method, settings, without_trials):
    planned = ds.plan(dependent_data(200, 20), method.name, max_memory="1GiB", **settings)
    assert not planned.fits
    # Memory matters only to methods that support this number of variables.
    assert re.match(r"no exact method fits 200 variables( within 1\.0 GiB)?; ", planned.advice)
    assert "learn() finds one good network of hundreds of variables" in planned.advice


@every_method
def test_a_listener_can_stop_every_task(method, settings):
    scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    heard = []
    method.function(scores, progress=heard.append, **settings)
    assert heard
    for report in heard:
        assert isinstance(report, ds.Progress)
        assert 0 <= report.done <= report.total
    tasks = list(dict.fromkeys(report.task for report in heard))

    def stop(progress):
        heard.append(progress)
        if progress.task == task:
            raise Accepted

    for task in tasks:
        heard.clear()
        with pytest.raises(Accepted):
            method.function(scores, progress=stop, **settings)
        assert [report.task for report in heard].count(task) == 1


@every_method
def test_an_interrupt_stops_the_work(method, settings, scores):
    with pytest.raises(KeyboardInterrupt):
        method.function(scores, progress=lambda progress: signal.raise_signal(signal.SIGINT), **settings)


@pytest.mark.parametrize(
    ("function", "variables", "options"),
    [
        (ds.posterior, 24, {"over": "orders"}),
        (ds.posterior, 18, {"over": "dags"}),
        (ds.k_best, 18, {"k": 10**8, "space": "dags"}),
        (ds.modes, 18, {"k": 10**6, "delta": 0, "bound": "none", "merge": False}),
    ],
)
def test_an_interrupt_stops_long_work_without_a_listener(function, variables, options):
    scores = ds.local_scores(dependent_data(variables, 30), max_parents=3)
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        function(scores, threads=1, **options)
    timer.join()


@every_method
def test_no_possible_network(method, settings):
    cyclic = ds.FamilyTable({"a": {("b",): 0.0}, "b": {("a",): 0.0}}, complete=True, score_equivalent=True)
    options = {"space": "dags"} if method.name == "best" else {}
    with pytest.raises(ds.InvalidData, match=r"every \w+ has an impossible family"):
        method.function(cyclic, **options, **settings)


@every_method
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
def test_small_and_odd_data(method, settings, data, tmp_path):
    result = method.function(ds.local_scores(data), **settings)
    assert result.variables == data.variables
    result.save(tmp_path / "result.json")
    assert ds.load_result(tmp_path / "result.json") == result
    assert terminal_text(render(result), 200).strip()


def test_requirements_refuse_whatever_the_memory():
    needs = Requirements("x", "y", 0, "the x", "do y", refusal="x is not for this")
    assert not needs.fits(2**60)
    with pytest.raises(ds.InvalidOption, match="x is not for this"):
        needs.check(None)


def test_records_are_whole():
    for name, method in METHODS.items():
        assert name == method.name
        assert method.summary
        assert method.citations
        assert method.function.__name__ in ds.__all__
