"""The search over orders: against all orders, insertion by hand, missing families, growing lists, limits, optima."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.search import family_pool
from dagscape.search.orders import usual_patience
from oracles.best import possible_families
from oracles.orders import best_score, gains, insertion_search


def random_table(n, max_parents, missing, rng, spread=8):
    """A table of random scores on a grid, so that there are ties; families are missing at random."""
    names = [f"v{i}" for i in range(n)]
    families = {}
    for child in names:
        others = [name for name in names if name != child]
        sets = [s for size in range(max_parents + 1) for s in itertools.combinations(others, size)]
        kept = [s for s in sets if rng.random() >= missing] or sets[-1:]
        families[child] = {s: float(-rng.integers(0, spread)) / 4 for s in kept}
    return ds.FamilyTable(families)


@st.composite
def tables(draw, max_variables=5):
    """Draw a table, most often without some families, among them empty ones."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(1, max_variables))
    return random_table(n, draw(st.integers(0, n - 1)), draw(st.sampled_from([0.0, 0.3, 0.6])), rng)


@st.composite
def problems(draw, max_variables=6):
    """Draw data, a score and constraints that some network meets."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(2, max_variables))
    columns = [rng.integers(0, 3, 80)]
    for _ in range(1, n):
        copied = columns[rng.integers(len(columns))]
        columns.append(np.where(rng.random(80) < 0.6, copied, rng.integers(0, 3, 80)))
    order = [f"v{i}" for i in rng.permutation(n)]
    data = ds.Dataset.from_array(np.column_stack(columns).astype(str), order, keep_constant=True)
    edges = [edge for edge in itertools.combinations(order, 2) if rng.random() < 0.15]
    most = max(sum(child == name for _, child in edges) for name in order)
    backwards = [(b, a) for a, b in itertools.combinations(order, 2) if rng.random() < 0.15]
    options = {
        "score": draw(st.sampled_from(["bdeu", "bic", "k2"])),
        "max_parents": draw(st.sampled_from([None, max(most, 1), max(most, 2)])),
        "required": edges,
        "forbidden": backwards,
        "tiers": [order[: n // 2], order[n // 2 :]] if draw(st.booleans()) else None,
    }
    return data, options


def numbers(scores, names):
    return tuple(scores.variables.index(name) for name in names)


@pytest.mark.slow
@given(tables(), st.booleans(), st.integers(0, 1000))
@settings(max_examples=200)
def test_the_best_order_of_a_small_table_is_found(scores, exact, seed):
    families = possible_families(scores)
    best = best_score(families)
    if best is None:
        message = "every network has an" if exact else "no network without an"
        with pytest.raises(ds.InvalidData, match=f"{message} impossible family"):
            ds.learn(scores, "order", seed=seed, exact=exact, settings="fixed")
        return
    found = ds.learn(scores, "order", seed=seed, exact=exact, settings="fixed")
    assert scores.network_exact(found.network) == best
    assert found.score == scores.unit.to_float(best)
    assert found.details["proved_optimal"] is exact
    assert found.details["all_families"]
    assert not gains(families, numbers(scores, found.details["order"]))


@given(tables(), st.integers(0, 1000))
@settings(max_examples=50)
def test_narrow_windows_leave_no_gain_by_insertion(scores, seed):
    families = possible_families(scores)
    if best_score(families) is None:
        return
    found = ds.learn(scores, "order", seed=seed, window=2, patience=40, exact=False, settings="fixed")
    assert scores.network(found.network) == found.score
    assert not gains(families, numbers(scores, found.details["order"]))


@given(problems(), st.sampled_from(["exact", "listed", "growing"]), st.integers(0, 1000))
@settings(max_examples=60)
def test_constraints_hold_and_scores_are_true(problem, way, seed):
    data, options = problem
    growing = way == "growing"
    with pytest.MonkeyPatch.context() as patch:
        if growing:
            patch.setattr(family_pool, "_MOST_FAMILIES", 0)
        found = ds.learn(data, "order", seed=seed, exact=way == "exact", **options, settings="fixed")
    scores = ds.local_scores(data, **options)
    # Impossible families are those that break a constraint.
    assert scores.network_exact(found.network) != IMPOSSIBLE
    assert scores.network(found.network) == found.score
    assert found.details["all_families"] is not growing
    assert found.details["proved_optimal"] is (way == "exact")
    assert found.trace[-1].score == found.score
    assert all(before.score < after.score for before, after in itertools.pairwise(found.trace))
    assert all(before.seconds <= after.seconds for before, after in itertools.pairwise(found.trace))
    if not growing:
        assert found.score == ds.optimal_network(scores).score


@given(problems(), st.integers(0, 1000))
@settings(max_examples=25)
def test_growing_lists_end_where_no_edge_helps(problem, seed):
    data, options = problem
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(family_pool, "_MOST_FAMILIES", 0)
        network = ds.learn(data, "order", seed=seed, exact=False, **options, settings="fixed").network
    scores = ds.local_scores(data, **options)
    for child in scores.variables:
        parents = network.parents(child)
        present = scores.family_exact(child, parents)
        illegal = {child, *parents, *network.descendants(child)}
        additions = scores.additions_exact(child, parents)
        assert all(additions[i] <= present for i, name in enumerate(scores.variables) if name not in illegal)
        assert all(score <= present for score in scores.removals_exact(child, parents))


@pytest.mark.slow
def test_more_variables_than_bits_of_a_word_against_insertion_by_hand():
    rng = np.random.default_rng(3)
    families = {}
    for child in range(70):
        sets = {frozenset(rng.choice(70, size, replace=False).tolist()) - {child} for size in (1, 1, 1, 2, 2, 3)}
        scored = {tuple(f"v{p}" for p in s): -5 + 4 * rng.random() + len(s) for s in sets}
        families[f"v{child}"] = {(): -9.0, **scored}
    scores = ds.FamilyTable(families)
    exact = [
        {
            sum(1 << scores.variables.index(p) for p in parents): scores.family_exact(child, parents)
            for parents in listed
        }
        for child, listed in families.items()
    ]
    _, by_hand = insertion_search(exact, tuple(range(70)))
    found = ds.learn(scores, "order", settings="fixed")
    assert scores.network_exact(found.network) > by_hand
    assert scores.network(found.network) == found.score
    assert not gains(exact, numbers(scores, found.details["order"]))


@pytest.mark.parametrize("exact", [True, False])
def test_the_result_depends_on_the_seed_alone_and_on_no_number_of_threads(exact):
    data = ds.load_network("asia").sample(500, seed=1)
    found = [ds.learn(data, "order", seed=4, threads=threads, exact=exact, settings="fixed") for threads in (1, 2, 3)]
    assert len({one.network for one in found}) == 1
    assert len({one.details["perturbations"] for one in found}) == 1
    moves = [[step.move for step in one.trace] for one in found]
    assert moves[0] == moves[1] == moves[2]


@pytest.mark.parametrize("exact", [True, False])
def test_permuted_columns_give_the_permuted_network(exact):
    data = ds.load_network("asia").sample(2000, seed=2)
    # K2 is not score-equivalent, so no tie decides.
    found = ds.learn(data, "order", score="k2", exact=exact, settings="fixed")
    permuted = ds.learn(data.select(data.variables[::-1]), "order", score="k2", exact=exact, settings="fixed")
    assert permuted.network.reordered(data.variables) == found.network


@pytest.mark.slow
def test_orders_that_are_all_equally_good():
    """The log-likelihood of all complete networks is the same; a repair of an order must end nevertheless."""
    data = ds.Dataset.from_array(np.random.default_rng(1).integers(0, 2, (300, 9)))
    found = ds.learn(data, "order", score="loglik", exact=False, settings="fixed")
    assert found.complete
    assert found.score == ds.optimal_network(ds.local_scores(data, score="loglik")).score


def test_a_start_is_never_lost(monkeypatch):
    data = ds.load_network("asia").sample(500, seed=3)
    scores = ds.local_scores(data)
    start = ds.optimal_network(scores).network
    with pytest.warns(ds.StoppedEarly):
        found = ds.learn(data, "order", start=start, max_seconds=1e-9, settings="fixed")
    assert found.score == scores.network(start)
    assert not found.complete
    monkeypatch.setattr(family_pool, "_MOST_FAMILIES", 0)
    with pytest.warns(ds.StoppedEarly):
        found = ds.learn(data, "order", start=start, max_seconds=1e-9, settings="fixed")
    assert found.score == scores.network(start)


@pytest.mark.slow
@pytest.mark.parametrize(("score", "other"), [("bdeu", "ges"), ("mdl", "ges"), ("k2", "greedy")])
def test_growing_lists_begin_with_a_greedy_network(score, other):
    rng = np.random.default_rng(3)
    columns = [rng.integers(0, 2, 500)]
    for _ in range(39):
        parents = rng.choice(len(columns), min(2, len(columns)), replace=False)
        either = np.any([columns[parent] for parent in parents], axis=0)
        columns.append(np.where(rng.random(500) < 0.8, either, rng.integers(0, 2, 500)))
    data = ds.Dataset.from_array(np.column_stack(columns))
    found = ds.learn(data, "order", score=score, seed=1, settings="fixed")
    assert not found.details["all_families"]
    assert found.score >= ds.learn(data, other, score=score, seed=1, settings="fixed").score


def test_scores_on_demand_are_listed_if_few():
    data = ds.load_dataset("iris")
    found = ds.learn(ds.family_scores(data), "order", settings="fixed")
    assert found.details["all_families"]
    assert found.score == ds.optimal_network(ds.local_scores(data)).score


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"window": 1}, "window is 1; it must be an integer from 2 to 16"),
        ({"window": 17}, "window is 17; it must be an integer from 2 to 16"),
        ({"patience": -1}, "patience is -1; it must be an integer of at least 0"),
        ({"exact": 1}, "exact is 1; it must be True or False"),
    ],
)
def test_options_are_checked(option, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.learn(ds.load_dataset("iris"), "order", **option, settings="fixed")


def test_the_trace_is_of_bounded_length():
    rng = np.random.default_rng(5)
    n = 400
    families = {
        f"v{i}": {(): 0.0, **{(f"v{p}",): float(rng.random()) for p in rng.permutation(n)[:40].tolist() if p != i}}
        for i in range(n)
    }
    found = ds.learn(ds.FamilyTable(families), "order", patience=1, settings="fixed")
    assert len(found.trace) <= 1001
    assert found.trace[-1].score == found.score


def test_the_kernel_checks_its_arrays():
    from dagscape.core import kernels

    first, scores = np.array([0, 1, 2]), np.array([-1, -2])
    parent_first, parents = np.array([0, 1, 1]), np.array([1], dtype=np.uint16)
    order = np.array([0, 1], dtype=np.uint16)
    kernels.OrderSearch(first, scores, parent_first, parents, order, window=2, nat=1, seed=0)
    for wrong, message in (
        ({"first": np.array([0, 1])}, "do not match"),
        ({"scores": np.array([-1, IMPOSSIBLE])}, "needs a possible family"),
        ({"scores": np.array([-1, -(2**62)])}, "out of range"),
        ({"parent_first": np.array([0, 1])}, "do not match"),
        ({"parents": np.array([0], dtype=np.uint16)}, "must be other variables"),
        ({"parents": np.array([2], dtype=np.uint16)}, "must be other variables"),
        ({"order": np.array([1, 1], dtype=np.uint16)}, "every variable once"),
        ({"window": 17}, "width"),
        ({"nat": -1}, "nat is out of range"),
    ):
        arguments = {
            "first": first,
            "scores": scores,
            "parent_first": parent_first,
            "parents": parents,
            "order": order,
            "window": 2,
            "nat": 1,
            "seed": 0,
        }
        with pytest.raises(ValueError, match=message):
            kernels.OrderSearch(**{**arguments, **wrong})


def test_a_short_time_limit_leaves_no_time_to_score_all_families():
    data = ds.load_network("asia").sample(200, seed=1)
    with pytest.warns(ds.StoppedEarly):
        assert not ds.learn(data, "order", max_seconds=1e-5, settings="fixed").details["all_families"]


def test_moves_are_traced_in_words():
    table = random_table(30, 2, 0.0, np.random.default_rng(1), spread=1000)
    found = ds.learn(table, "order", patience=1, settings="fixed")
    texts = found.trace_frame()["move"].tolist()
    assert texts[0] == "start"
    words = [text.split(" ", 1) for text in texts[1:]]
    assert {kind for kind, *_ in words} >= {"insert", "promote"}
    for kind, *variable in words:
        assert len(variable) == (kind in ("insert", "promote", "window")), kind
        assert set(variable) <= set(table.variables)


def test_the_optimum_takes_the_place_of_a_search_where_it_is_fast():
    data = ds.load_dataset("tic-tac-toe")
    optimum = ds.optimal_network(ds.local_scores(data))
    found = ds.learn(data, "order", seed=3, settings="fixed")
    assert found.network == optimum.network
    assert found.score == optimum.score
    assert found.details["proved_optimal"]
    assert found.details["perturbations"] == 0
    assert [step.move for step in found.trace] == [("optimum",)]
    again = ds.learn(data, "order", start=found.network, settings="fixed")
    assert [step.move for step in again.trace] == [("start",)]
    # The time limit leaves no time for it.
    with pytest.warns(ds.StoppedEarly):
        assert not ds.learn(data, "order", max_seconds=1e-5, settings="fixed").details["proved_optimal"]


def parity_data(n):
    """Independent coins, and one column that tells, mostly, whether two of them agree."""
    rng = np.random.default_rng(2)
    columns = rng.integers(0, 2, (1000, n))
    columns[:, 2] = columns[:, 0] ^ columns[:, 1] ^ (rng.random(1000) < 0.1)
    return ds.Dataset.from_array(columns)


@pytest.mark.parametrize("options", [{}, {"max_seconds": 20.0, "patience": 5}])
def test_parents_of_no_use_one_by_one_are_found_together(options):
    data = parity_data(30)
    found = ds.learn(data, "order", **options, settings="fixed")
    assert not found.details["all_families"]
    assert found.network.edge_count >= 2
    assert found.score > ds.learn(data, "ges", settings="fixed").score + 200
    assert {*found.variables[:3]} in [{v, *found.network.parents(v)} for v in found.variables]


@pytest.mark.parametrize(("n", "most"), [(30, 50), (80, 37), (400, 10)])
def test_patience_falls_with_the_number_of_variables(n, most):
    assert usual_patience(n) == most


def test_a_search_without_a_limit_ends_after_so_many_perturbations():
    data = ds.load_network("asia").sample(300, seed=1)
    found = ds.learn(data, "order", exact=False, settings="fixed")
    assert found.details["perturbations"] >= 50 * data.n
