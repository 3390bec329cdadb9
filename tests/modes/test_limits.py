"""A search for modes: what it refuses, and how it is stopped."""

from __future__ import annotations

import itertools
import math
import re
import warnings
from functools import cache

import numpy as np
import pytest

import dagscape as ds
from best.samples import PLENTY, random_data, whole_scores
from dagscape.core import kernels
from dagscape.scores.search_planning import SearchSize
from dagscape.scores.tables.family_arrays import kernel_families
from modes.samples import (
    ALL,
    FOUND,
    NO_ROOM,
    NO_TIME,
    dependent_data,
    kernel_list,
    listed,
    rest_of,
)


@cache
def many_modes():
    """Sixteen variables with too many modes for a search to finish within seconds."""
    return ds.local_scores(dependent_data(16, 30, seed=16), max_parents=3)


def stopped(scores, k, delta, why, **options):
    """Modes of a search that must stop early, with a warning at the line of the call."""
    message = rf"the search ran out of {why} after (\d+) modes?, proved to be the best"
    with pytest.warns(ds.StoppedEarly, match=message) as caught:
        found = ds.modes(scores, k, delta, **options)
    assert [warning.filename for warning in caught] == [__file__]
    assert int(re.search(message, str(caught[0].message))[1]) == len(found)
    return found


def check_stopped(scores, found, delta, why):
    """Check that the modes are a prefix of the whole list, and that the bound holds for the next ones."""
    assert (found.complete, found.exhausted, found.stopped) == (False, False, why)
    more = ds.modes(scores, len(found) + 20, delta)
    assert more.complete
    assert listed(scores, more)[: len(found)] == listed(scores, found)
    assert found.bound >= more.scores[len(found)]
    assert len(found) == 0 or found.bound <= found.scores[-1]


@pytest.mark.parametrize("delta", [0, 1])
@pytest.mark.parametrize("seconds", [1e-9, 0.02, 0.05])
def test_time_runs_out(seconds, delta):
    scores = many_modes()
    found = stopped(scores, ALL, delta, "time", max_seconds=seconds)
    check_stopped(scores, found, delta, "time")
    if seconds < 1e-6:
        assert len(found) == 0
        assert found.bound >= ds.optimal_network(scores).score


@pytest.mark.slow
@pytest.mark.parametrize("options", [{"bound": "exact"}, {"groups": 2}, {"bound": "none"}, {"merge": False}])
def test_memory_runs_out(options):
    scores = many_modes()
    found = stopped(scores, ALL, 1, "memory", max_memory="5MiB", threads=1, **options)
    check_stopped(scores, found, 1, "memory")
    # With a loose bound, prefixes fill the memory before the first mode.
    assert len(found) > 0 or options in ({"groups": 2}, {"bound": "none"})


def test_memory_runs_out_before_the_first_mode():
    """There is memory for the bound, but not for prefixes."""
    scores = whole_scores(16, 9, seed=1, max_parents=2, drop=0.95)
    found = stopped(scores, 3, 1, "memory", bound="exact", max_memory=memory_for(scores, 16), threads=1)
    assert len(found) == 0
    assert found.bound == ds.optimal_network(scores).score
    check_stopped(scores, found, 1, "memory")


def test_time_enough_is_no_limit():
    scores = ds.local_scores(dependent_data(8, 50, seed=1))
    with_limit, without = ds.modes(scores, 5, 2, max_seconds=1000), ds.modes(scores, 5, 2)
    assert listed(scores, with_limit) == listed(scores, without)
    assert with_limit.complete
    assert ds.modes(scores, 5, 2, max_seconds=3).provenance.parameters["max_seconds"] == 3


def memory_for(scores, *groups):
    """Bytes for the families, and for the bound of groups of the given sizes."""
    numbers = sum(1 << size for size in groups)
    return SearchSize.like(scores).memory(1, numbers)


@pytest.mark.parametrize(
    ("options", "groups", "remedy"),
    [
        ({"bound": "exact"}, (16,), "use bound='patterns'"),
        ({"groups": [[f"X{i}" for i in range(16)]]}, (16,), "use bound='patterns'"),
        ({"groups": 2}, (8, 8), "use more groups"),
        ({"groups": [[f"X{i}" for i in range(2, 16)], ["X1", "X0"]]}, (14, 2), "use more groups"),
    ],
)
def test_a_bound_that_does_not_fit(options, groups, remedy):
    scores = many_modes()
    with pytest.raises(ds.TooLarge) as caught:
        ds.modes(scores, max_memory=memory_for(scores, *groups) - 1, threads=1, **options)
    assert re.fullmatch(
        rf"the families of 16 variables and the bound for groups of up to {max(groups)} need [\d.]+ [KM]iB; "
        rf"the limit is [\d.]+ [KM]iB \(max_memory\): raise the limit, or {remedy}",
        str(caught.value),
    )


@pytest.mark.parametrize("bound", ["auto", "exact", "patterns", "none"])
def test_families_that_do_not_fit(bound):
    with pytest.raises(ds.TooLarge) as caught:
        ds.modes(many_modes(), bound=bound, max_memory="20 KiB", threads=1)
    assert re.fullmatch(
        r"the families of 16 variables need [\d.]+ [KM]iB; the limit is 20\.0 KiB \(max_memory\): "
        r"raise the limit; chain\(\) samples DAGs .*; plan\(\) names what fits",
        str(caught.value),
    )


def test_the_bound_follows_the_memory():
    """If all sets would take more than half of the memory, the bound uses groups instead."""
    scores = ds.local_scores(dependent_data(18, 60, seed=4), max_parents=2)
    needed = memory_for(scores, 18)
    with warnings.catch_warnings():
        # The bound of groups is looser, and the search may fill the memory.
        warnings.simplefilter("ignore", ds.StoppedEarly)
        less, more = (ds.modes(scores, 2, 3, max_memory=size, threads=1) for size in (2 * needed - 1, 2 * needed))
    assert more.provenance.parameters["groups"] == [list(scores.variables)]
    groups = less.provenance.parameters["groups"]
    assert len(groups) == 2
    assert sorted(itertools.chain(*groups)) == sorted(scores.variables)
    assert more.complete
    assert listed(scores, less) == listed(scores, more)[: len(less)]
    assert more.scores[0] == ds.optimal_network(scores).score
    alone = stopped(scores, 1, 3, "time", bound="none", max_seconds=1e-9)
    assert alone.provenance.parameters["groups"] == [[name] for name in scores.variables]


def test_a_search_goes_on_after_its_time():
    families, groups = kernel_families(many_modes(), "size"), [(1 << 16) - 1]
    expected, _ = kernel_list(families, 16, 1, groups, 40)
    search = kernels.ModeSearch(families, 1, True, False, groups, 1, PLENTY, None)
    parents, order = np.zeros(16, dtype=np.uint64), np.zeros(16, dtype=np.uint8)
    found = []
    for _ in range(4):
        assert search.next(parents, order, 0.0, None) == (NO_TIME, 0)
        found += rest_of(search, 16, 10)
        assert search.bound <= found[-1][0]
    assert found == expected


def test_a_kernel_out_of_room_says_so():
    families, groups = kernel_families(many_modes(), "size"), [(1 << 16) - 1]
    most = (8 << 16) + 500_000
    search = kernels.ModeSearch(families, 1, True, False, groups, 1, most, None)
    parents, order = np.zeros(16, dtype=np.uint64), np.zeros(16, dtype=np.uint8)
    count = 0
    while (outcome := search.next(parents, order, math.inf, None)[0]) == FOUND:
        count += 1
    assert outcome == NO_ROOM
    assert count > 0
    # The last list to grow has at most doubled.
    assert most < search.bytes < most + 500_000
    assert search.next(parents, order, math.inf, None) == (NO_ROOM, 0)


def test_kernels_check_their_arguments():
    families = kernel_families(ds.local_scores(random_data(3, 10, seed=1)), "mask")
    for groups in ([0b011, 0b110], [0b111, 0]):
        with pytest.raises(ValueError, match="the groups must be non-empty and disjoint"):
            kernels.ModeSearch(families, 1, True, False, groups, 1, PLENTY, None)
    for groups in ([0b011], [0b1111]):
        with pytest.raises(ValueError, match="the groups must cover all variables"):
            kernels.ModeSearch(families, 1, True, False, groups, 1, PLENTY, None)
    with pytest.raises(ValueError, match="delta is too large"):
        kernels.ModeSearch(families, 9, True, False, [0b111], 1, PLENTY, None)
    search = kernels.ModeSearch(families, 1, True, False, [0b111], 1, PLENTY, None)
    for places in ((2, 3), (3, 4)):
        with pytest.raises(ValueError, match="parents and order must have n entries"):
            search.next(np.zeros(places[0], dtype=np.uint64), np.zeros(places[1], dtype=np.uint8), 1.0, None)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k is 0; it must be an integer of at least 1"),
        ({"k": 10**21}, "k is 1000000000000000000000; it must be at most 9223372036854775807"),
        ({"k": 2.5}, "k is 2.5"),
        ({"k": True}, "k is True"),
        ({"k": "ten"}, "k is 'ten'"),
        ({"delta": -1}, "delta is -1; it must be an integer from 0 to 8"),
        ({"delta": 9}, "delta is 9"),
        ({"delta": 1.0}, "delta is 1.0"),
        ({"delta": None}, "delta is None"),
        ({"distinct": "dags"}, "distinct is 'dags'; it must be one of 'network', 'class'"),
        ({"bound": "tight"}, "bound is 'tight'; it must be one of 'auto', 'exact', 'patterns', 'none'"),
        ({"grouping": "size"}, "grouping is 'size'; it must be one of 'dependence', 'random'"),
        ({"max_seconds": -1}, "max_seconds is -1; it must be a number above 0"),
        ({"max_seconds": 0}, "max_seconds is 0; it must be a number above 0"),
        ({"max_seconds": -1.5}, "max_seconds is -1.5"),
        ({"max_seconds": math.nan}, "max_seconds is nan"),
        ({"max_seconds": "1"}, "max_seconds is '1'"),
        ({"groups": 0}, "groups is 0; it must be an integer from 1 to 3, or a list of groups"),
        ({"groups": 4}, "groups is 4; it must be an integer from 1 to 3"),
        ({"groups": 1.5}, "groups is 1.5"),
        ({"groups": "X0"}, "groups is 'X0'"),
        ({"groups": ["X0", "X1", "X2"]}, "groups holds 'X0'; each group must be a collection of variables"),
        ({"groups": [["X0", "X1", "X2"], []]}, "groups holds []; each group must be a collection of variables"),
        ({"groups": [["X0", "X1", "X2"], 3]}, "groups holds 3; each group must be a collection of variables"),
        ({"groups": [["X0", "X1"], ["X1", "X2"]]}, "groups names 'X1' twice"),
        ({"groups": [["X0", "X0"], ["X1", "X2"]]}, "groups names 'X0' twice"),
        ({"groups": [["X0"], ["X2"]]}, "groups leaves out 'X1': every variable must be in a group"),
        ({"groups": []}, "groups leaves out 'X0'"),
        ({"groups": [["X0", "X1"], ["XX2"]]}, "groups names 'XX2', which is not a variable; did you mean 'X2'?"),
        ({"groups": [[0], [1, 2]]}, "groups names 0, which is not a variable"),
        ({"groups": 2, "bound": "exact"}, "groups is for pattern databases, but bound is 'exact': use bound='patt"),
        ({"groups": [["X0", "X1", "X2"]], "bound": "none"}, "groups is for pattern databases, but bound is 'none'"),
        ({"groups": 2, "grouping": "random", "seed": -1}, "seed is -1; it must be an integer of at least 0"),
    ],
)
def test_wrong_arguments(options, message):
    scores = ds.local_scores(random_data(3, 10, seed=1))
    with pytest.raises(ds.InvalidOption, match=re.escape(message)):
        ds.modes(scores, **options)


def test_numbers_of_other_kinds_are_numbers(tmp_path):
    scores = ds.local_scores(dependent_data(5, 40, seed=1))
    expected = listed(scores, ds.modes(scores, 2, 1))
    found = ds.modes(scores, np.int64(2), np.int32(1), groups=np.int64(2), max_seconds=np.float64(100))
    assert listed(scores, found) == expected
    found.save(tmp_path / "modes.json")


def test_without_a_possible_network_there_are_no_modes():
    cyclic = ds.FamilyTable({"a": {("b",): 0.0}, "b": {("c",): 0.0}, "c": {("a",): 0.0}}, complete=True)
    for options in ({}, {"bound": "none"}, {"groups": 2}, {"distinct": "class"}):
        with pytest.raises(ds.InvalidData, match="every network has an impossible family: there are no modes"):
            ds.modes(cyclic, **options)


def test_progress_is_reported():
    heard = []
    found = ds.modes(many_modes(), 30, 1, progress=heard.append)
    assert [task for task, _ in itertools.groupby(p.task for p in heard)] == ["Preparing the bound", "Finding modes"]
    finding = [p for p in heard if p.task == "Finding modes"]
    assert {p.total for p in finding} == {30}
    assert [p.done for p in finding] == sorted(p.done for p in finding)
    assert len(finding) >= len(found) == 30
