"""The k best networks and classes against a list of all of them."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from best.samples import (
    CLASSES,
    DAGS,
    EQUIVALENT,
    SEEDS,
    SPACES,
    SPREADS,
    SYMMETRIC,
    equivalent_scores,
    random_data,
    table_of,
    whole_scores,
)
from oracles.best import every_class, every_dag, pattern, ranked
from scores.strategies import dataset, tables


def best_of(entries, count):
    """The entries that a list of this length must have for any order of ties: all above the last score."""
    last = entries[min(count, len(entries)) - 1][0]
    return {entry[1] for entry in entries[:count] if entry[0] > last}


def check_against_everything(scores, space, found, count):
    """Check that a list has the best ``count`` entries, in the documented order, and reports its end correctly."""
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
        with pytest.raises(ds.InvalidData, match="there is no best network"):
            ds.k_best(scores, k, "dags")
        assert list(ds.iter_best(scores, "dags")) == []
        return
    found = ds.k_best(scores, k, "dags", threads=1)
    check_against_everything(scores, "dags", found, k)


@pytest.mark.slow
@given(
    n=st.integers(1, 4), spread=SPREADS, seed=SEEDS, max_parents=st.sampled_from([None, 1, 2]), k=st.integers(1, 200),
    space=st.sampled_from(SPACES),
)  # fmt: skip
@settings(max_examples=150, deadline=None)
def test_equivalent_scores_in_both_spaces(n, spread, seed, max_parents, k, space):
    scores = equivalent_scores(n, spread, seed, max_parents)
    found = ds.k_best(scores, k, space, threads=1)
    check_against_everything(scores, space, found, k)


@pytest.mark.slow
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


@pytest.mark.slow
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


@pytest.mark.slow
@pytest.mark.parametrize("space", SPACES)
def test_every_k_of_four_variables(space):
    """Each list is a prefix of the longest one, and reports its end correctly."""
    scores = equivalent_scores(4, 2, seed=11)
    everything = ranked(scores, space)
    exact = [score for score, _ in everything]
    for k in range(1, len(everything) + 2):
        found = ds.k_best(scores, k, space, threads=1)
        assert [network.parent_masks for network in found.networks] == [parents for _, parents in everything[:k]]
        assert found.ends_in_tie == (k < len(exact) and exact[k] == exact[k - 1])
        assert found.exhausted == (k >= len(exact))
        assert sum(found.ties) == len(found) == min(k, len(exact))


@pytest.mark.slow
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
    # The first of all ties: every variable in turn is the sink without parents.
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


@pytest.mark.slow
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
