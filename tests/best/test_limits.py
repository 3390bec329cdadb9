"""A search for the best networks: what it refuses, what it warns about, and how it is stopped."""

from __future__ import annotations

import itertools
import math
import re
import subprocess
import sys
import warnings
from collections import deque
from pathlib import Path

import numpy as np
import pytest

import dagscape as ds
from best.samples import (
    PLENTY,
    kernel_list,
    random_data,
    whole_scores,
)
from dagscape.best.requirements import best_requirements
from dagscape.core import kernels
from dagscape.core.resources import memory_limit
from dagscape.planning.registry import METHODS
from dagscape.scores.search_planning import SearchSize
from dagscape.scores.tables.family_arrays import (
    families_by_mask,
    family_list,
    kernel_families,
)


def tiny():
    return random_data(3, 10, seed=1)


@pytest.mark.parametrize(
    ("scores", "reason"),
    [
        (lambda: ds.local_scores(tiny(), "k2"), "k2 differs between members of a class"),
        (lambda: ds.local_scores(tiny(), required=[("X0", "X1")]), "required and forbidden edges and tiers rule out"),
        (lambda: ds.local_scores(tiny(), forbidden=[("X0", "X1")]), "required and forbidden edges and tiers rule out"),
        (lambda: ds.local_scores(tiny(), tiers=[["X0"], ["X1"]]), "required and forbidden edges and tiers rule out"),
        (
            lambda: ds.local_scores(
                ds.Dataset.from_array([[0, 1], [1, 0], [1, 1]], interventions=[[True, False]] + [[False, False]] * 2)
            ),
            "rows from experiments distinguish members of a class",
        ),
        (lambda: ds.FamilyTable({"a": {(): 0.0}}), "these scores are not known to be score-equivalent"),
        (
            lambda: ds.FamilyTable({"a": {(): 0.0, "b": 0.0}, "b": {(): 0.0}}, complete=True, score_equivalent=True),
            "families are missing from the scores, and with them some members of classes",
        ),
        (
            lambda: ds.FamilyTable({"a": {(): 0.0, "b": 0.0}, "b": {(): 0.0, "a": -math.inf}}, score_equivalent=True),
            "families are missing from the scores, and with them some members of classes",
        ),
    ],
)
def test_scores_whose_classes_cannot_be_ranked(scores, reason):
    made = scores()
    for ask in (ds.k_best, ds.iter_best):
        with pytest.raises(ds.InvalidOption, match=f"classes cannot be ranked: {reason}.*Use space='dags'"):
            ask(made, space="classes")
    assert len(ds.k_best(made, space="dags")) > 0
    assert ds.optimal_network(made).score == ds.k_best(made, 1, "dags").scores[0]


def test_experiments_on_nothing_leave_classes_as_they_are():
    marks = np.zeros((3, 2), dtype=bool)
    data = ds.Dataset.from_array([[0, 1], [1, 0], [1, 1]], interventions=marks)
    assert len(ds.k_best(ds.local_scores(data))) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k is 0; it must be an integer of at least 1"),
        ({"k": 10**21}, "k is 1000000000000000000000; it must be at most 9223372036854775807"),
        ({"k": -3}, "k is -3"),
        ({"k": 2.5}, "k is 2.5"),
        ({"k": True}, "k is True"),
        ({"k": "ten"}, "k is 'ten'"),
        ({"within": 0.5}, "within is 0.5; it must be a Bayes factor, a number of at least 1"),
        ({"within": math.nan}, "within is nan"),
        ({"within": math.inf}, "within is inf"),
        ({"within": True}, "within is True"),
        ({"within": "3"}, "within is '3'"),
        ({"space": "trees"}, "space is 'trees'; it must be one of 'classes', 'dags'"),
    ],
)
def test_wrong_arguments(options, message):
    with pytest.raises(ds.InvalidOption, match=re.escape(message)):
        ds.k_best(ds.local_scores(tiny()), **options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"space": "trees"}, "space is 'trees'; it must be one of 'classes', 'dags'"),
        ({"threads": 0}, "threads is 0"),
        ({"max_memory": "much"}, "max_memory is 'much'"),
        ({"progress": "yes"}, "progress is 'yes'"),
    ],
)
def test_wrong_arguments_of_the_iterator(options, message):
    with pytest.raises(ds.InvalidOption, match=re.escape(message)):
        ds.iter_best(ds.local_scores(tiny()), **options)


def test_numbers_of_other_kinds_are_numbers():
    scores = ds.local_scores(tiny())
    assert len(ds.k_best(scores, np.int64(2))) == 2
    assert ds.k_best(scores, within=np.float64(3)).networks == ds.k_best(scores, within=3).networks


def test_the_iterator_takes_data_and_refuses_what_is_neither_data_nor_scores():
    fixed = next(iter(ds.iter_best(tiny(), settings="fixed")))
    assert fixed == next(iter(ds.iter_best(ds.local_scores(tiny()))))
    for ask in (ds.k_best, ds.iter_best, ds.optimal_network):
        with pytest.raises(ds.InvalidOption, match="scores is a Dag; compute local scores first"):
            ask(fixed)
        with pytest.raises(ds.DagscapeError, match=r"cannot read 'absent.csv': No such file or directory"):
            ask("absent.csv")


def test_too_little_memory_before_the_search():
    scores = ds.local_scores(random_data(16, 10, seed=1))
    for ask in (ds.k_best, ds.iter_best, ds.optimal_network):
        with pytest.raises(ds.TooLarge) as caught:
            ask(scores, max_memory="6 MiB", threads=1)
        assert re.fullmatch(
            r"the best networks of 16 variables need [\d.]+ MiB; the limit is 6\.0 MiB \(max_memory\): "
            r"raise the limit, or score with max_parents=5",
            str(caught.value),
        )
    few = ds.local_scores(random_data(12, 10, seed=1), max_parents=2)
    with pytest.raises(ds.TooLarge, match=r"fits up to \d variables here; .*; plan\(\) names what fits"):
        ds.k_best(few, max_memory="10 KiB")


@pytest.mark.slow
@pytest.mark.parametrize(("n", "max_parents"), [(1, None), (4, None), (11, None), (12, 2), (16, 3), (18, 1)])
def test_the_required_memory_is_enough_for_one_network(n, max_parents):
    scores = ds.local_scores(random_data(n, 30, seed=n), max_parents=max_parents)
    needed = best_requirements(scores, 1, PLENTY).memory
    found = ds.optimal_network(scores, threads=1, max_memory=needed)
    assert found.network == ds.optimal_network(scores).network
    with pytest.raises(ds.TooLarge):
        ds.optimal_network(scores, threads=1, max_memory=needed - 1)


@pytest.mark.parametrize(("space", "what"), [("dags", "DAGs"), ("classes", "equivalence classes")])
def test_too_little_memory_for_more_networks(space, what):
    scores = ds.local_scores(random_data(9, 20, seed=1))
    limit = SearchSize.like(scores).memory(1) + 500_000
    with pytest.warns(ds.StoppedEarly) as caught:
        best = ds.k_best(scores, 10**6, space, max_memory=limit, threads=1)
    told = re.fullmatch(
        rf"after ([\d,]+) {what} the search has filled [\d,.]+ [KM]iB \(max_memory\): "
        r"the list is correct so far; raise the limit for more",
        str(caught[0].message),
    )
    found = int(told[1].replace(",", ""))
    assert found == len(best) > 100
    assert not best.complete
    assert not best.exhausted
    assert "stopped for memory" in repr(best)
    # Nothing is lost, and there is no warning if everything requested was found.
    asked = ds.k_best(scores, found, space, max_memory=limit, threads=1)
    assert asked.complete
    assert asked.networks == best.networks == ds.k_best(scores, found, space).networks
    stream = ds.iter_best(scores, space, max_memory=limit, threads=1)
    got: deque[ds.Dag] = deque()
    with pytest.raises(ds.TooLarge, match=rf"after {told[1]} {what}"):
        got.extend(stream)
    assert list(got) == list(best.networks)


_MEASURED = """
import resource, warnings
import dagscape as ds
scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
ds.k_best(scores, 2)
before = int(open("/proc/self/statm").read().split()[{column}]) * resource.getpagesize()
{limit}
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    best = ds.k_best(scores, {asked}, threads=1)
# Unlike ru_maxrss, this is not inherited from the process that started this one.
peak = next(line.split()[1] for line in open("/proc/self/status") if line.startswith("VmHWM"))
grown = int(peak) * 1024 - before
print(len(best), grown, best.complete, [str(warning.message) for warning in caught])
"""


def measured(asked: str, limit: str = "", column: int = 1) -> tuple[int, int, str]:
    """Run a search in a process of its own; return the length of the list, the growth of memory, and the rest."""
    script = _MEASURED.format(asked=asked, limit=limit, column=column)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    count, grown, rest = done.stdout.split(maxsplit=2)
    return int(count), int(grown), rest


needs_proc = pytest.mark.skipif(not Path("/proc/self/statm").is_file(), reason="memory is measured with /proc")


@pytest.mark.slow
@needs_proc
@pytest.mark.parametrize("space", ["classes", "dags"])
def test_the_list_itself_counts_towards_the_memory_limit(space):
    """The arrays of the list and the sizes of its classes are counted, not only the networks of the search."""
    count, grown, rest = measured(f"10**6, {space!r}, max_memory='24MiB'")
    assert count > 10_000
    assert grown < 24 << 20
    assert rest.startswith("False ['after ")
    assert "the search has filled 24.0 MiB" in rest


@pytest.mark.slow
@needs_proc
def test_a_list_is_not_lost_where_the_system_refuses_memory():
    limit = "resource.setrlimit(resource.RLIMIT_AS, (before + (24 << 20),) * 2)"
    count, _, rest = measured("within=1e30, max_memory='8GiB'", limit, column=0)
    assert count > 1000
    assert rest.startswith("False ['after ")
    assert "the system refused more memory, below the limit of 8.0 GiB (max_memory)" in rest
    # The default limit takes the limit of the process into account.
    assert "the search has filled" in measured("within=1e30", limit, column=0)[2]


def test_a_kernel_out_of_room_says_how_many_it_found_and_stops():
    families = kernel_families(ds.local_scores(random_data(8, 20, seed=1)), "mask")
    search = kernels.BestNetworks(families, True, 1, 200_000, None)
    parents, exact = np.zeros((10_000, 8), dtype=np.uint64), np.zeros(10_000, dtype=np.int64)
    count, out_of_room = search.next(parents, exact, None)
    assert out_of_room
    assert 0 < count < 10_000
    assert search.bytes <= 300_000
    whole = kernel_list(families, 8, True, count)
    assert (parents[:count].tolist(), exact[:count].tolist()) == whole[:2]
    with pytest.raises(ValueError, match="cannot continue"):
        search.next(parents, exact, None)


def test_kernels_check_the_shape_of_arrays():
    scores = ds.local_scores(tiny())
    values = families_by_mask(scores)
    search = kernels.BestNetworks(kernels.Families.by_mask(values), True, 1, PLENTY, None)
    with pytest.raises(ValueError, match="a row for each network"):
        search.next(np.zeros((2, 3), dtype=np.uint64), np.zeros(3, dtype=np.int64), None)
    with pytest.raises(ValueError, match="one entry for each set"):
        kernels.best_scores(kernels.Families.by_mask(values), True, np.zeros(4, dtype=np.int64), 1, None)
    for wrong in (values[:2], values[:, :2].copy(), values[:0]):
        with pytest.raises(ValueError, match="a row for each variable"):
            kernels.Families.by_mask(wrong)
    for wrong, max_parents in ((values, 2), (np.zeros((10, 11), dtype=np.int64), 2)):
        with pytest.raises(ValueError, match="a row for each variable"):
            kernels.Families.by_size(wrong, max_parents)


def test_kernels_refuse_scores_that_would_overflow():
    first, sets = np.array([0, 1, 2], dtype=np.int64), np.zeros(2, dtype=np.uint64)
    by_size = np.full((10, 11), kernels.IMPOSSIBLE)
    by_size[:, 0] = 0
    kernels.Families.by_size(by_size, 1)
    for too_large in (kernels.LARGEST_TOTAL // 2 + 1, -(2**62), 2**63 - 1):
        with pytest.raises(ValueError, match="outside the range"):
            kernels.Families.by_mask(np.array([[0, too_large], [0, 0]]))
        with pytest.raises(ValueError, match="outside the range"):
            kernels.Families.listed(first, sets, np.array([too_large, 0]))
        by_size[9, 1] = too_large
        with pytest.raises(ValueError, match="outside the range"):
            kernels.Families.by_size(by_size, 1)
    by_size[9] = kernels.IMPOSSIBLE
    by_size[9, 10] = 0
    with pytest.raises(ValueError, match="must not be a parent of itself"):
        kernels.Families.by_size(by_size, 1)


def test_kernels_check_lists():
    first, sets, exact = family_list(ds.local_scores(tiny()))
    kernels.Families.listed(first, sets, exact)
    wrong = [
        (first[:0], sets, exact),
        (first[:1], sets, exact),
        (first[1:], sets, exact),
        (first[[0, 2, 1, 3]], sets, exact),
        (first, sets[:-1], exact),
        (first, sets[:-1], exact[:-1]),
    ]
    for parts in wrong:
        with pytest.raises(ValueError, match="do not match"):
            kernels.Families.listed(*parts)
    for outside in (sets | np.uint64(8), sets | np.uint64(1)):
        with pytest.raises(ValueError, match="must be a set of other variables"):
            kernels.Families.listed(first, outside, exact)


def test_families_live_as_long_as_they_are_needed():
    """The arrays behind a view may go out of scope before the view."""
    scores = whole_scores(10, 5, seed=3, max_parents=2, drop=0.5)
    for layout in ("mask", "size", "list"):
        families = kernel_families(scores, layout)
        # Overwrite the memory of the arrays, if it was freed.
        filling = [np.full((10, 1 << 9), 12345) for _ in range(20)]
        expected = [list(dag.parent_masks) for dag in ds.k_best(scores, 20, "dags").networks]
        assert kernel_list(families, 10, False, 20)[0] == expected
        del filling


def test_missing_families_are_told_where_the_call_stands(tmp_path):
    families = {"a": {(): -1.0}, "b": {(): -1.0, ("a",): -0.5}}
    unknown = ds.FamilyTable(families)
    known = ds.FamilyTable(families, complete=False)
    for scores, known_or_not in ((unknown, "may be"), (known, "are")):
        message = f"families {known_or_not} missing from the scores, and the networks that have them from the list"
        for ask in (ds.k_best, ds.iter_best):
            with pytest.warns(ds.IncompleteScores, match=message) as caught:
                ask(scores, space="dags")
            assert [warning.filename for warning in caught] == [__file__]
    # Families that are declared impossible are not missing.
    assert len(ds.k_best(ds.FamilyTable(families, complete=True), space="dags")) == 2


def test_every_variable_forced_to_follow_another():
    cyclic = ds.FamilyTable({"a": {("b",): 0.0}, "b": {("c",): 0.0}, "c": {("a",): 0.0}}, complete=True)
    for ask in (ds.optimal_network, lambda scores: ds.k_best(scores, space="dags")):
        with pytest.raises(ds.InvalidData, match="every network has an impossible family"):
            ask(cyclic)
    assert list(ds.iter_best(cyclic, "dags")) == []


def test_progress_is_reported():
    heard = []
    scores = ds.local_scores(random_data(9, 20, seed=1))
    best = ds.k_best(scores, 3000, progress=heard.append)
    assert [task for task, _ in itertools.groupby(p.task for p in heard)] == [
        "Scoring the best network on every set",
        "Finding the best equivalence classes",
    ]
    finding = [p for p in heard if p.task.startswith("Finding")]
    # The search finds one more than requested, to know whether the list ends in a tie.
    assert {p.total for p in finding} == {3001}
    assert [p.done for p in finding] == sorted(p.done for p in finding)
    assert finding[-1].done == 3001
    assert len(best) == 3000
    heard.clear()
    ds.k_best(scores, 2, "dags", progress=heard.append)
    assert heard[-1].task == "Finding the best DAGs"
    heard.clear()
    ds.iter_best(scores, progress=heard.append)
    assert {p.task for p in heard} == {"Scoring the best network on every set"}
    heard.clear()
    ds.optimal_network(scores, ties=True, progress=heard.append)
    assert heard


class Enough(Exception):
    """Raised by a listener."""


def test_a_search_stopped_half_way_cannot_go_on():
    def stop(done, total):
        raise Enough

    families = kernel_families(ds.local_scores(ds.load_dataset("tic-tac-toe")), "mask")
    search = kernels.BestNetworks(families, False, 1, PLENTY, None)
    parents, exact = np.zeros((10**6, 10), dtype=np.uint64), np.zeros(10**6, dtype=np.int64)
    with pytest.raises(Enough):
        search.next(parents, exact, stop)
    assert exact[-1] == 0, "the list was filled although it was to stop"
    with pytest.raises(ValueError, match="was interrupted"):
        search.next(parents, exact, None)


def test_what_is_asked_for_may_be_there_although_memory_ran_out():
    """At any memory limit, the list is correct and reports what is unknown."""
    scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    whole = ds.k_best(scores, 100)
    needed = SearchSize.like(scores).memory(1)
    for extra in range(60_000, 250_000, 5_000):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ds.StoppedEarly)
            near = ds.k_best(scores, within=20, max_memory=needed + extra, threads=1)
            some = ds.k_best(scores, 20, max_memory=needed + extra, threads=1)
        assert near.networks == whole.networks[: len(near)]
        assert near.complete == (len(near) == 24)
        assert some.complete == (len(some) == 20)
        assert some.ends_in_tie in ((True, None) if some.complete else (None,))
    tight = needed + 60_000
    optimal = ds.optimal_network(scores, max_memory=tight, threads=1)
    assert optimal.score == whole.scores[0]
    assert optimal.tied in (True, None)


def test_factors_are_inclusive():
    """A network exactly at the factor, up to rounding, is within it; ties are exact."""
    for factor in (2.0, 3.0, 5.0, 7.0, 10.0, 50.0, 100.0, 1000.0):
        scores = ds.FamilyTable({"a": {(): 0.0, ("b",): -math.log(factor)}, "b": {(): 0.0}})
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", ds.IncompleteScores)
            assert len(ds.k_best(scores, within=factor, space="dags")) == 2
            assert len(ds.k_best(scores, within=factor * (1 - 1e-9), space="dags")) == 1
    tic = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    for k in (16, 24, 72, 88):
        best = ds.k_best(tic, k)
        assert ds.k_best(tic, within=best.ratio).networks == best.networks
    assert len(ds.k_best(tic, within=1)) == 16


def test_scores_that_only_claim_to_be_equivalent():
    claimed = ds.FamilyTable({"a": {(): 0.0, ("b",): 1.0}, "b": {(): 0.0, ("a",): 2.0}}, score_equivalent=True)
    with pytest.raises(ds.InvalidOption, match="score differently as a → b and as b → a"):
        ds.k_best(claimed)
    true = ds.FamilyTable({"a": {(): 0.0, ("b",): 1.0}, "b": {(): 5.0, ("a",): 6.0}}, score_equivalent=True)
    assert len(ds.k_best(true)) == 2


def test_by_default_dags_are_ranked_where_classes_cannot_be():
    data = ds.load_dataset("iris")
    tiers = [["class"], data.variables[:4]]
    scores = ds.local_scores(data, tiers=tiers)
    best = ds.k_best(scores, 3)
    assert best.space == "dags"
    assert best == ds.k_best(scores, 3, space="dags")
    assert next(ds.iter_best(scores)) == best.networks[0]
    assert ds.k_best(ds.local_scores(data), 3).space == "classes"
    # What is not known to differ is refused, as before.
    with pytest.raises(ds.InvalidOption, match="not known to be score-equivalent"):
        ds.k_best(ds.FamilyTable({"a": {(): 0.0}}))


def test_every_refusal_of_many_variables_names_what_takes_them():
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (40, 131)))
    few = ds.local_scores(data, max_parents=1)
    refused = [
        lambda: ds.local_scores(data),
        lambda: ds.posterior(few, method="exact"),
        lambda: ds.k_best(few),
        lambda: ds.optimal_network(few),
        lambda: ds.sample_dags(few, 10),
        lambda: ds.modes(few),
    ]
    for ask in refused:
        with pytest.raises(ds.DagscapeError) as caught:
            ask()
        for name in ("chain()", "learn()", "bootstrap()"):
            assert name in str(caught.value)


@pytest.mark.parametrize("limit", ["64MiB", "1GiB"])
@pytest.mark.parametrize("task", ["scores", "best", "optimal", "modes"])
def test_errors_and_plans_give_the_same_advice(task, limit):
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 3, (40, 27)))
    planned = ds.plan(data, task, max_memory=limit)
    advised = re.search(r"fits with max_parents=(\d)", planned.advice)
    assert advised
    if task == "scores":
        with pytest.raises(ds.TooLarge) as caught:
            ds.local_scores(data, max_memory=limit)
        error = str(caught.value)
    else:
        size = SearchSize.complete(27, 26)
        error = str(ds.TooLarge(METHODS[task].requirements(size, 2, memory_limit(limit)).remedy))
    if planned.advice.startswith("no settings of"):
        assert "max_parents=" not in error
    else:
        assert f"score with max_parents={advised[1]}" in error
