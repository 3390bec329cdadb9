"""The k best networks and classes against a list of all of them."""

from __future__ import annotations

import itertools
import math
import os
import random
import re
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape import kernels
from dagscape.best.planning import search_memory
from dagscape.scores.family_arrays import (
    families_by_mask,
    families_by_size,
    family_list,
    kernel_families,
    search_layout,
)
from dagscape.scores.registry import SCORES
from oracles.best import every_class, every_dag, pattern, possible_families, ranked, scores_of_sets
from scores.strategies import dataset, tables

SEEDS = st.integers(0, 10**9)
SPREADS = st.sampled_from([0, 1, 3, 1000])
SPACES = ["dags", "classes"]
EQUIVALENT = [name for name, definition in SCORES.items() if definition.score_equivalent]
PLENTY = 1 << 40

# The numbers of DAGs and of equivalence classes on so many labelled variables.
DAGS = {1: 1, 2: 3, 3: 25, 4: 543, 5: 29281}
CLASSES = {1: 1, 2: 2, 3: 11, 4: 185, 5: 8782}


def table_of(n, max_parents, score, **options):
    """A table of all families of up to some parents; ``score`` takes child and parents and may return none."""
    names = [f"v{i}" for i in range(n)]
    families = {}
    for child in range(n):
        others = [v for v in range(n) if v != child]
        sets = [s for size in range(max_parents + 1) for s in itertools.combinations(others, size)]
        listed = {tuple(names[p] for p in s): score(child, s) for s in sets}
        families[names[child]] = {s: value for s, value in listed.items() if value is not None}
    return ds.FamilyTable(families, names, **options)


def whole_scores(n, spread, seed, max_parents=None, drop=0.0):
    """Random whole numbers, which tie the more the smaller their spread; some families are impossible."""
    rng = random.Random(seed)
    limit = n - 1 if max_parents is None else min(max_parents, n - 1)
    kept = [rng.randrange(sum(math.comb(n - 1, size) for size in range(limit + 1))) for _ in range(n)]
    places = [itertools.count() for _ in range(n)]

    def score(child, parents):
        value = -float(rng.randint(0, spread))
        # One family of each child must be possible.
        return value if next(places[child]) == kept[child] or rng.random() >= drop else None

    return table_of(n, limit, score, complete=True)


def equivalent_scores(n, spread, seed, max_parents=None):
    """Whole numbers that are the same for equivalent networks: J(G ∪ {i}) − J(G) + c(|G|), with J and c random."""
    rng = random.Random(seed)
    joint = [rng.randint(-spread, spread) for _ in range(1 << n)]
    terms = [rng.randint(-spread, 0) for _ in range(n)]

    def score(child, parents):
        base = sum(1 << p for p in parents)
        return float(joint[base | 1 << child] - joint[base] + terms[len(parents)])

    limit = n - 1 if max_parents is None else min(max_parents, n - 1)
    return table_of(n, limit, score, score_equivalent=True)


def random_data(n, rows, seed, levels=2):
    return ds.Dataset.from_array(np.random.default_rng(seed).integers(0, levels, (rows, n)))


def best_of(entries, count):
    """What must be in a list of so many, whatever the order of equals: all that is above the last score."""
    last = entries[min(count, len(entries)) - 1][0]
    return {entry[1] for entry in entries[:count] if entry[0] > last}


def check_against_everything(scores, space, found, count):
    """Whether a list holds the best ``count`` entries, in the order of the rule, and says so."""
    parents = [network.parent_masks for network in found.networks]
    exact = [scores.network_exact(network) for network in found.networks]
    everything = every_dag(scores) if space == "dags" else every_class(scores)
    every_score = [score for score, _ in everything]
    assert exact == every_score[:count]
    assert found.scores.tolist() == [scores.unit.to_float(score) for score in exact]
    if space == "dags":
        assert best_of(everything, count) <= set(parents)
        assert set(parents) <= {network for _, network in everything}
        assert found.class_sizes == (1,) * len(found)
    else:
        members = {pattern(network): listed for _, listed in everything for network in listed}
        classes = [members[pattern(network)] for network in parents]
        assert best_of(everything, count) <= set(classes)
        assert found.class_sizes == tuple(map(len, classes))
    assert len(set(map(pattern, parents)) if space == "classes" else set(parents)) == len(parents)
    assert list(zip(exact, parents, strict=True)) == ranked(scores, space)[:count]
    assert found.ties == tuple(len(list(group)) for _, group in itertools.groupby(exact))
    assert found.ends_in_tie == (count < len(every_score) and every_score[count] == every_score[count - 1])
    assert found.exhausted == (count >= len(every_score))
    assert found.space == space
    assert found.dag_count == sum(found.class_sizes)


@given(
    n=st.integers(1, 4), spread=SPREADS, seed=SEEDS, drop=st.sampled_from([0.0, 0.5, 0.9]),
    max_parents=st.sampled_from([None, 0, 1, 2]), k=st.integers(1, 600),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_dags(n, spread, seed, drop, max_parents, k):
    scores = whole_scores(n, spread, seed, max_parents, drop)
    if not every_dag(scores):
        with pytest.raises(ds.InvalidData, match="there is no best one"):
            ds.k_best(scores, k, "dags")
        assert list(ds.iter_best(scores, "dags")) == []
        return
    found = ds.k_best(scores, k, "dags", threads=1)
    check_against_everything(scores, "dags", found, k)


@given(
    n=st.integers(1, 4), spread=SPREADS, seed=SEEDS, max_parents=st.sampled_from([None, 1, 2]), k=st.integers(1, 200),
    space=st.sampled_from(SPACES),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_equivalent_scores_in_both_spaces(n, spread, seed, max_parents, k, space):
    scores = equivalent_scores(n, spread, seed, max_parents)
    found = ds.k_best(scores, k, space, threads=1)
    check_against_everything(scores, space, found, k)


@pytest.mark.parametrize("space", SPACES)
@given(
    table=tables(max_rows=12, max_arity=3), score=st.sampled_from(EQUIVALENT), ess=st.sampled_from([1.0, 10.0]),
    prior=st.sampled_from(["uniform", "per-size", "edge-penalty:0.7"]), max_parents=st.sampled_from([None, 1, 2]),
    k=st.integers(1, 200),
)  # fmt: skip
@settings(max_examples=80, deadline=None)
def test_scores_of_data(space, table, score, ess, prior, max_parents, k):
    limit = None if max_parents is None else min(max_parents, len(table[0]) - 1)
    scores = ds.local_scores(dataset(*table), score, ess, limit, prior, threads=1)
    found = ds.k_best(scores, k, space, threads=1)
    check_against_everything(scores, space, found, k)


SYMMETRIC = {
    "one row": [(0, 0, 0, 0)],
    "two rows": [(0, 0, 0, 0), (1, 1, 1, 1)],
    "every row": list(itertools.product((0, 1), repeat=4)),
    "even rows": [row for row in itertools.product((0, 1), repeat=4) if sum(row) % 2 == 0],
    "two pairs": [(a, a, b, b) for a in (0, 1) for b in (0, 1) for _ in range(3)],
    "a ring": [row for row in itertools.product((0, 1), repeat=4) if row[0] != row[2] or row[1] != row[3]],
}


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("score", ["bdeu", "bic", "loglik"])
@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetric_data_tie(name, score, space):
    scores = ds.local_scores(dataset([2] * 4, SYMMETRIC[name]), score)
    for k in (1, 7, 1000):
        found = ds.k_best(scores, k, space)
        check_against_everything(scores, space, found, k)
    # A symmetry of the variables has more than one class in some group of equals.
    assert max(found.ties) > 1


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_every_k(n, space):
    for scores in (equivalent_scores(n, 1, seed=4), ds.local_scores(random_data(n, 9, seed=1))):
        for k in range(1, {"dags": DAGS, "classes": CLASSES}[space][n] + 3):
            check_against_everything(scores, space, ds.k_best(scores, k, space), k)


@pytest.mark.parametrize("space", SPACES)
def test_every_k_of_four_variables(space):
    """Each list is the beginning of the longest, and says where it ends."""
    scores = equivalent_scores(4, 2, seed=11)
    everything = ranked(scores, space)
    exact = [score for score, _ in everything]
    for k in range(1, len(everything) + 2):
        found = ds.k_best(scores, k, space, threads=1)
        assert [network.parent_masks for network in found.networks] == [parents for _, parents in everything[:k]]
        assert found.ends_in_tie == (k < len(exact) and exact[k] == exact[k - 1])
        assert found.exhausted == (k >= len(exact))
        assert sum(found.ties) == len(found) == min(k, len(exact))


@pytest.mark.parametrize(
    ("space", "scores"),
    [
        ("dags", lambda: whole_scores(5, 2, seed=1, max_parents=2, drop=0.3)),
        ("dags", lambda: ds.local_scores(random_data(5, 30, seed=2), max_parents=2)),
        ("classes", lambda: equivalent_scores(5, 2, seed=3, max_parents=2)),
        ("classes", lambda: ds.local_scores(random_data(5, 15, seed=4), "bic")),
    ],
)
def test_all_networks_on_five_variables(space, scores):
    made = scores()
    found = ds.k_best(made, 10**6, space)
    assert found.exhausted
    check_against_everything(made, space, found, 10**6)


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_where_all_scores_are_equal_everything_ties(n):
    scores = table_of(n, n - 1, lambda child, parents: 0.0, score_equivalent=True)
    classes = ds.k_best(scores, 10**6)
    assert classes.ties == (CLASSES[n],)
    assert classes.dag_count == DAGS[n]
    assert ds.k_best(scores, 10**6, "dags").ties == (DAGS[n],)
    # The first of all equals: every variable is in turn the sink without parents.
    assert classes.networks[0].edge_count == 0


@pytest.mark.parametrize(
    "options",
    [
        {"required": [("X0", "X1"), ("X2", "X1")]},
        {"forbidden": [("X0", "X1"), ("X3", "X2")]},
        {"tiers": [["X3"], ["X1", "X2"]], "max_parents": 2},
        {"required": [("X3", "X0")], "score": "k2", "structure_prior": "per-size"},
        {"score": "k2", "max_parents": 1},
    ],
)
def test_constraints(options):
    scores = ds.local_scores(random_data(4, 12, seed=6), **options)
    for k in (1, 5, 40, 1000):
        check_against_everything(scores, "dags", ds.k_best(scores, k, "dags"), k)


def test_rows_from_experiments():
    marks = np.zeros((40, 4), dtype=bool)
    marks[:15, 1] = True
    data = ds.Dataset.from_array(random_data(4, 40, seed=3).to_frame(), list("abcd"), interventions=marks)
    scores = ds.local_scores(data)
    for k in (3, 1000):
        check_against_everything(scores, "dags", ds.k_best(scores, k, "dags"), k)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("factor", [1, 3, 20.0, 1e9, 10**400])
@given(spread=SPREADS, seed=SEEDS, n=st.integers(1, 4), k=st.none() | st.integers(1, 30))
@settings(max_examples=15, deadline=None)
def test_within_a_factor(space, factor, spread, seed, n, k):
    scores = equivalent_scores(n, spread, seed)
    found = ds.k_best(scores, k, space, within=factor, threads=1)
    everything = ranked(scores, space)
    allowed = math.log(factor) * 2**scores.unit.bits
    near = sum(everything[0][0] - score <= allowed for score, _ in everything)
    check_against_everything(scores, space, found, near if k is None else min(k, near))


@pytest.mark.parametrize(("factor", "count"), [(math.e**2 * (1 - 1e-9), 2), (math.e**2 * (1 + 1e-9), 3)])
def test_a_factor_is_exact_about_its_edge(factor, count):
    """The scores of all networks on two variables are 0, -1 and -2."""
    scores = ds.FamilyTable({"a": {(): 0.0, ("b",): -1.0}, "b": {(): 0.0, ("a",): -2.0}})
    assert ds.k_best(scores, space="dags", within=1.0).scores.tolist() == [0]
    assert len(ds.k_best(scores, space="dags", within=factor)) == count


def test_ten_are_found_if_nothing_is_said():
    scores = ds.local_scores(random_data(4, 30, seed=1))
    assert len(ds.k_best(scores)) == 10
    assert ds.k_best(scores).provenance.parameters["k"] == 10
    assert len(ds.k_best(scores, within=1e30)) == CLASSES[4]


def test_more_than_one_batch_within_a_factor():
    scores = equivalent_scores(5, 3, seed=2)
    found = ds.k_best(scores, within=1e300)
    assert found.exhausted
    assert len(found) == CLASSES[5]
    assert found.networks == ds.k_best(scores, k=10**6).networks


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_streams_give_the_same_networks(n, space):
    scores = equivalent_scores(n, 2, seed=n)
    assert list(ds.iter_best(scores, space)) == list(ds.k_best(scores, 10**6, space).networks)


def test_streams_go_on_for_as_long_as_they_are_asked():
    scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    first = list(itertools.islice(ds.iter_best(scores), 300))
    assert first == list(ds.k_best(scores, 300).networks)


def layouts_of(scores):
    """The families in every layout that a kernel takes."""
    names = ["mask", "list", "size"] if scores.n >= 10 else ["mask", "list"]
    return {name: kernel_families(scores, name) for name in names}


def kernel_list(families, n, classes, count, threads=1):
    search = kernels.BestNetworks(families, classes, threads, PLENTY, None)
    parents = np.zeros((count, n), dtype=np.uint64)
    exact = np.zeros(count, dtype=np.int64)
    found = search.next(parents, exact, None)
    return parents[:found].tolist(), exact[:found].tolist(), search.stored


@pytest.mark.parametrize("classes", [False, True])
@pytest.mark.parametrize(("n", "max_parents"), [(8, 7), (10, 2), (10, 0), (11, 3), (13, 1), (15, 3), (10, 9)])
def test_lists_from_all_layouts_are_the_same(n, max_parents, classes):
    scores = ds.local_scores(random_data(n, 25, seed=n), max_parents=max_parents)
    by_mask, *others = (kernel_list(families, n, classes, 400) for families in layouts_of(scores).values())
    assert all(other == by_mask for other in others)
    assert len(by_mask[1]) == (1 if max_parents == 0 else 400)


@pytest.mark.parametrize("spread", [0, 2])
@pytest.mark.parametrize("max_parents", [2, 3])
def test_all_layouts_with_impossible_families_and_ties(spread, max_parents):
    scores = whole_scores(11, spread, seed=7, max_parents=max_parents, drop=0.6)
    by_mask, *others = (kernel_list(families, 11, False, 500) for families in layouts_of(scores).values())
    assert all(other == by_mask for other in others)
    assert len(by_mask[1]) == 500
    for parents, exact in zip(*by_mask[:2], strict=True):
        assert scores.network_exact(ds.Dag(scores.variables, tuple(parents))) == exact


def test_the_layout_follows_the_number_of_families():
    def of_all(n, max_parents):
        return search_layout(n, max_parents, n * sum(math.comb(n - 1, size) for size in range(max_parents + 1)))

    assert of_all(12, 3) == "size"
    assert of_all(9, 3) == "mask"
    assert of_all(12, 11) == "mask"
    # Where parents are many, whatever takes less memory.
    assert of_all(26, 8) == "size"
    assert search_layout(26, 8, 5000) == "list"


def kernel_scores(families, n, *, forwards, threads=1):
    out = np.empty(1 << n, dtype=np.int64)
    kernels.best_scores(families, forwards, out, threads, None)
    return [None if value == -(1 << 62) else value for value in out.tolist()]


@pytest.mark.parametrize("forwards", [True, False])
@given(n=st.integers(1, 7), spread=SPREADS, seed=SEEDS, drop=st.sampled_from([0.0, 0.5, 0.9]))
@settings(max_examples=25, deadline=None)
def test_scores_of_all_sets(forwards, n, spread, seed, drop):
    scores = whole_scores(n, spread, seed, drop=drop)
    expected = scores_of_sets(possible_families(scores), forwards=forwards)
    for families in layouts_of(scores).values():
        assert kernel_scores(families, n, forwards=forwards) == expected


@pytest.mark.parametrize("forwards", [True, False])
@pytest.mark.parametrize(("n", "max_parents", "drop"), [(8, 7, 0.3), (10, 2, 0.5), (11, 3, 0.0), (12, 1, 0.4)])
def test_scores_of_all_sets_in_all_layouts(n, max_parents, drop, forwards):
    scores = whole_scores(n, 10**6, seed=n, max_parents=max_parents, drop=drop)
    expected = scores_of_sets(possible_families(scores), forwards=forwards)
    for families in layouts_of(scores).values():
        for threads in (1, 3):
            assert kernel_scores(families, n, forwards=forwards, threads=threads) == expected


@pytest.mark.parametrize("layout", ["mask", "size", "list"])
def test_the_two_directions_meet_at_the_same_optimum(layout):
    scores = ds.local_scores(random_data(15, 60, seed=1), max_parents=3)
    families = kernel_families(scores, layout)
    forth, back = (np.empty(1 << 15, dtype=np.int64) for _ in range(2))
    kernels.best_scores(families, True, forth, 2, None)
    kernels.best_scores(families, False, back, 2, None)
    optimum = forth[-1]
    assert back[0] == optimum
    # Every set leaves the optimum or less, and those along a best order exactly that.
    assert (forth + back).max() == optimum
    assert (forth + back == optimum).sum() >= 16
    best_families = families_by_size(scores).max(axis=1).sum()
    assert optimum + best_families == scores.network_exact(ds.optimal_network(scores).network)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize("max_parents", [None, 3])
def test_threads_do_not_matter(space, max_parents):
    scores = ds.local_scores(random_data(12, 50, seed=9), max_parents=max_parents)
    first, *others = (ds.k_best(scores, 500, space, threads=threads) for threads in (1, 2, 3))
    for other in others:
        assert other.networks == first.networks
        assert other.scores.tolist() == first.scores.tolist()
        assert other.stored == first.stored
        assert np.array_equal(other.edges, first.edges)


def test_both_builds_give_the_same_lists():
    program = (
        "import hashlib, numpy as np, dagscape as ds; from dagscape import kernels\n"
        "data = ds.Dataset.from_array(np.random.default_rng(3).integers(0, 3, (60, 12)))\n"
        "scores = [ds.local_scores(data, max_parents=p) for p in (3, None)]\n"
        "lists = [ds.k_best(found, 300, space) for found in scores for space in ('dags', 'classes')]\n"
        "parts = [a.tobytes() for b in lists for a in (b.networks.parents, b.scores, b.edges, b.ancestors)]\n"
        "print(kernels.name, hashlib.sha256(b''.join(parts)).hexdigest())"
    )
    outputs = []
    for build in ("", "baseline"):
        environment = os.environ | {"DAGSCAPE_CPU": build}
        run = subprocess.run(
            [sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True
        )
        outputs.append(run.stdout.split())
    assert outputs[1][0] == "baseline"
    assert outputs[0][1] == outputs[1][1]


def test_no_two_entries_are_equivalent():
    scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    best = ds.k_best(scores, 2000)
    assert len({pattern(network.parent_masks) for network in best.networks}) == len(set(best.cpdags)) == 2000
    dags = ds.k_best(scores, 2000, "dags")
    assert len({network.parent_masks for network in dags.networks}) == 2000
    # The DAGs of the classes, one class after the other, are the list of DAGs but for the order of equals.
    scores_of_dags = np.repeat(best.scores, best.class_sizes)
    assert dags.scores.tolist() == scores_of_dags[:2000].tolist()
    for network, score in zip(dags.networks, dags.scores, strict=True):
        assert scores.network(network) == score


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
            "rows from experiments tell members of a class apart",
        ),
        (lambda: ds.FamilyTable({"a": {(): 0.0}}), "nothing says that these scores are the same for equivalent"),
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
            ask(made)
    assert len(ds.k_best(made, space="dags")) > 0
    assert ds.optimal_network(made).score == ds.k_best(made, 1, "dags").scores[0]


def test_experiments_on_nothing_leave_classes_as_they_are():
    marks = np.zeros((3, 2), dtype=bool)
    data = ds.Dataset.from_array([[0, 1], [1, 0], [1, 1]], interventions=marks)
    assert len(ds.k_best(ds.local_scores(data))) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k": 0}, "k is 0; it must be a whole number, 1 or more"),
        ({"k": -3}, "k is -3"),
        ({"k": 2.5}, "k is 2.5"),
        ({"k": True}, "k is True"),
        ({"k": "ten"}, "k is 'ten'"),
        ({"within": 0.5}, "within is 0.5; it must be a Bayes factor: a number, 1 or more"),
        ({"within": math.nan}, "within is nan"),
        ({"within": math.inf}, "within is inf"),
        ({"within": True}, "within is True"),
        ({"within": "3"}, "within is '3'"),
        ({"space": "trees"}, "space is 'trees'; it must be one of 'classes', 'dags'"),
        ({"threads": 0}, "threads is 0"),
        ({"max_memory": "much"}, "max_memory is 'much'"),
        ({"progress": "yes"}, "progress is 'yes'"),
    ],
)
def test_wrong_arguments(options, message):
    scores = ds.local_scores(tiny())
    with pytest.raises(ds.InvalidOption, match=re.escape(message)):
        ds.k_best(scores, **options)
    if options.keys() <= {"space", "threads", "max_memory", "progress"}:
        with pytest.raises(ds.InvalidOption, match=re.escape(message)):
            ds.iter_best(scores, **options)


def test_numbers_of_other_kinds_are_numbers():
    scores = ds.local_scores(tiny())
    assert len(ds.k_best(scores, np.int64(2))) == 2
    assert ds.k_best(scores, within=np.float64(3)).networks == ds.k_best(scores, within=3).networks


@pytest.mark.parametrize("ask", [ds.k_best, ds.iter_best, ds.optimal_network])
def test_data_are_not_scores(ask):
    with pytest.raises(ds.InvalidOption, match="scores is a Dataset; make local scores first"):
        ask(tiny())


def test_too_little_memory_before_the_search():
    scores = ds.local_scores(random_data(16, 10, seed=1))
    for ask in (ds.k_best, ds.iter_best, ds.optimal_network):
        with pytest.raises(ds.TooLarge) as caught:
            ask(scores, max_memory="2 MiB", threads=1)
        assert re.fullmatch(
            r"the best networks of 16 variables need [\d.]+ MiB; the limit is 2\.0 MiB \(max_memory\): "
            r"raise the limit, or score with max_parents=4",
            str(caught.value),
        )
    few = ds.local_scores(random_data(12, 10, seed=1), max_parents=2)
    with pytest.raises(ds.TooLarge, match="8 bytes for each set of variables are the least"):
        ds.k_best(few, max_memory="10 KiB")


@pytest.mark.parametrize(("space", "what"), [("dags", "DAGs"), ("classes", "equivalence classes")])
def test_too_little_memory_for_more_networks(space, what):
    scores = ds.local_scores(random_data(9, 20, seed=1))
    limit = search_memory(9, 8, scores.family_count, 1) + 500_000
    with pytest.raises(ds.TooLarge) as caught:
        ds.k_best(scores, 10**6, space, max_memory=limit, threads=1)
    told = re.fullmatch(
        rf"after ([\d,]+) {what} the search has filled [\d,.]+ [KM]iB \(max_memory\): "
        r"ask for fewer, or raise the limit",
        str(caught.value),
    )
    # So many can be had; one is looked up beyond them to tell whether the list ends in a tie.
    found = int(told[1].replace(",", ""))
    assert found > 100
    assert len(ds.k_best(scores, found - 1, space, max_memory=limit, threads=1)) == found - 1
    with pytest.raises(ds.TooLarge):
        ds.k_best(scores, found, space, max_memory=limit, threads=1)
    stream = ds.iter_best(scores, space, max_memory=limit, threads=1)
    with pytest.raises(ds.TooLarge, match=rf"after {told[1]} {what}"):
        list(stream)


def test_a_kernel_out_of_room_says_how_many_it_found_and_stops():
    families = kernel_families(ds.local_scores(random_data(8, 20, seed=1)), "mask")
    search = kernels.BestNetworks(families, True, 1, 200_000, None)
    parents, exact = np.zeros((10_000, 8), dtype=np.uint64), np.zeros(10_000, dtype=np.int64)
    count = -1 - search.next(parents, exact, None)
    assert 0 < count < 10_000
    assert search.bytes <= 300_000
    whole = kernel_list(families, 8, True, count)
    assert (parents[:count].tolist(), exact[:count].tolist()) == whole[:2]
    with pytest.raises(ValueError, match="cannot go on"):
        search.next(parents, exact, None)


def test_kernels_check_the_shape_of_arrays():
    scores = ds.local_scores(tiny())
    values = families_by_mask(scores)
    search = kernels.BestNetworks(kernels.Families.by_mask(values), True, 1, PLENTY, None)
    with pytest.raises(ValueError, match="a row for each network"):
        search.next(np.zeros((2, 3), dtype=np.uint64), np.zeros(3, dtype=np.int64), None)
    with pytest.raises(ValueError, match="one place for each set"):
        kernels.best_scores(kernels.Families.by_mask(values), True, np.zeros(4, dtype=np.int64), 1, None)
    for wrong in (values[:2], values[:, :2].copy(), values[:0]):
        with pytest.raises(ValueError, match="a row for each variable"):
            kernels.Families.by_mask(wrong)
    for wrong, max_parents in ((values, 2), (np.zeros((10, 11), dtype=np.int64), 2)):
        with pytest.raises(ValueError, match="a row for each variable"):
            kernels.Families.by_size(wrong, max_parents)


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
        with pytest.raises(ValueError, match="cannot be"):
            kernels.Families.listed(first, outside, exact)


def test_families_live_as_long_as_they_are_needed():
    """The arrays that a view looks at may go out of reach before it does."""
    scores = whole_scores(10, 5, seed=3, max_parents=2, drop=0.5)
    for layout in ("mask", "size", "list"):
        families = kernel_families(scores, layout)
        # Something else where the arrays were, if they were given up.
        filling = [np.full((10, 1 << 9), 12345) for _ in range(20)]
        expected = ds.k_best(scores, 20, "dags").networks.parents.tolist()
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
    # Those that are told to be impossible are not missing.
    assert len(ds.k_best(ds.FamilyTable(families, complete=True), space="dags")) == 2


def test_every_variable_forced_to_follow_another():
    ring = ds.FamilyTable({"a": {("b",): 0.0}, "b": {("c",): 0.0}, "c": {("a",): 0.0}}, complete=True)
    for ask in (ds.optimal_network, lambda scores: ds.k_best(scores, space="dags")):
        with pytest.raises(ds.InvalidData, match="no network has all families possible"):
            ask(ring)
    assert list(ds.iter_best(ring, "dags")) == []


def test_progress_is_reported():
    heard = []
    scores = ds.local_scores(random_data(9, 20, seed=1))
    best = ds.k_best(scores, 3000, progress=heard.append)
    assert [task for task, _ in itertools.groupby(p.task for p in heard)] == [
        "Scoring the best network on every set",
        "Finding the best equivalence classes",
    ]
    finding = [p for p in heard if p.task.startswith("Finding")]
    # One more than asked for is looked up, to tell whether the list ends in a tie.
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
    """What a listener raises."""


@pytest.mark.parametrize("task", ["Scoring", "Finding"])
def test_a_listener_can_stop_the_search(task):
    def stop(progress):
        if progress.task.startswith(task):
            raise Enough

    scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    for ask in (ds.k_best, ds.optimal_network):
        with pytest.raises(Enough):
            ask(scores, progress=stop)


def test_a_search_stopped_half_way_cannot_go_on():
    def stop(done, total):
        raise Enough

    families = kernel_families(ds.local_scores(ds.load_dataset("tic-tac-toe")), "mask")
    search = kernels.BestNetworks(families, False, 1, PLENTY, None)
    parents, exact = np.zeros((10**6, 10), dtype=np.uint64), np.zeros(10**6, dtype=np.int64)
    start = time.perf_counter()
    with pytest.raises(Enough):
        search.next(parents, exact, stop)
    # The whole list would take many times as long.
    assert time.perf_counter() - start < 1
    with pytest.raises(ValueError, match="stopped half way"):
        search.next(parents, exact, None)


def test_an_interrupt_stops_the_search():
    scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    start = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        ds.k_best(scores, 10**8, "dags")
    assert time.perf_counter() - start < 5
    timer.join()
