"""Scores on demand are the same integers as those of the lattice, for any earlier requests and any memory limit."""

from __future__ import annotations

import itertools
import math
import signal
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from builds import assert_same_bits
from dagscape.data.tables.interventions import set_in_every_row
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.definitions.changed_mechanisms import INTERVENTION_KINDS
from dagscape.scores.scoring_job import prepare
from dagscape.scores.tables.lattice import parent_sets
from oracles.local_scores import ORACLES
from scores.strategies import DISCRETE_SCORES, dataset, tables

PRIORS = ("uniform", "per-size", "edge-penalty:1.5")


def random_data(n: int, m: int, arity: int, seed: int = 0) -> ds.Dataset:
    codes = np.random.default_rng(seed).integers(0, arity, (m, n))
    return ds.Dataset.from_codes(codes, {f"v{i}": [str(k) for k in range(arity)] for i in range(n)})


@st.composite
def weighted_data(draw, max_variables=6):
    """Draw data with weights, sometimes from experiments, sometimes with more than 256 levels."""
    arities, rows = draw(tables(max_variables=max_variables, max_rows=20))
    if draw(st.booleans()):
        arities[0] = draw(st.sampled_from([7, 300]))
    levels = {f"v{i}": [str(level) for level in range(arity)] for i, arity in enumerate(arities)}
    weights = draw(st.lists(st.sampled_from([1, 1, 2, 70, 40_000]), min_size=len(rows), max_size=len(rows)))
    marks = None
    if draw(st.booleans()):
        row = st.lists(st.booleans(), min_size=len(arities), max_size=len(arities))
        marks = np.array(draw(st.lists(row, min_size=len(rows), max_size=len(rows))))
    return ds.Dataset.from_codes(rows, levels, weights=weights, interventions=marks)


@st.composite
def score_options(draw, data):
    """Draw arguments of ``local_scores``, some with constraints that can be satisfied."""
    variables = data.variables
    options = {
        "score": draw(st.sampled_from(sorted(DISCRETE_SCORES))),
        "ess": draw(st.sampled_from([1.0, 0.3, 10.0])),
        "structure_prior": draw(st.sampled_from(PRIORS)),
        "max_parents": draw(st.sampled_from([None, 0, 1, 2, 3])),
        "interventions": draw(st.sampled_from(INTERVENTION_KINDS)),
    }
    pairs = list(itertools.permutations(variables, 2))
    if pairs and draw(st.booleans()):
        options["forbidden"] = draw(st.lists(st.sampled_from(pairs), max_size=4))
    # No network has an edge into a variable that was set in every row.
    out = {*options.get("forbidden", ())}
    out |= {(u, v) for u in variables for v in set_in_every_row(variables, data.interventions)}
    onwards = [pair for pair in itertools.combinations(variables, 2) if pair not in out]
    if onwards and options["max_parents"] != 0 and draw(st.booleans()):
        options["required"] = [draw(st.sampled_from(onwards))]
    return options


def all_families(scores: ds.LatticeScores):
    for child in range(scores.n):
        for size in range(scores.max_parents + 1):
            yield child, parent_sets(scores.n, child, size)


@pytest.mark.slow
@given(st.data(), weighted_data(), st.integers(1, 3))
def test_every_family_has_the_integer_score_of_the_lattice(draw, data, threads):
    options = draw.draw(score_options(data))
    lattice = ds.local_scores(data, **options)
    demand = ds.family_scores(data, **options, threads=threads)
    assert demand.unit == lattice.unit
    assert demand.info == lattice.info
    assert demand.rounding == lattice.rounding
    assert demand.max_parents == lattice.max_parents
    for child, sets in all_families(lattice):
        assert demand.exact_scores(child, sets).tolist() == lattice.exact_scores(child, sets).tolist()


@pytest.mark.slow
@given(st.data(), weighted_data(), st.integers(1, 3))
def test_additions_and_removals_equal_single_families(draw, data, threads):
    options = draw.draw(score_options(data))
    lattice = ds.local_scores(data, **options)
    demand = ds.family_scores(data, **options, threads=threads)
    child = draw.draw(st.integers(0, data.n - 1))
    others = [v for v in range(data.n) if v != child]
    parents = draw.draw(st.permutations(others))[: draw.draw(st.integers(0, lattice.max_parents))]
    forbidden = lattice.constraints.forbidden[child]
    room = len(parents) < lattice.max_parents
    expected = [
        lattice.family_exact(child, [*parents, v])
        if room and v != child and v not in parents and v not in forbidden
        else None
        for v in range(data.n)
    ]
    kept = [lattice.family_exact(child, [p for p in parents if p != gone]) for gone in parents]
    for scores in (demand, lattice, demand):
        exact = scores.additions_exact(child, parents)
        assert exact.tolist() == [IMPOSSIBLE if score is None else score for score in expected]
        floats = scores.additions(child, parents)
        nothing = [math.nan if score is None else scores.unit.to_float(score) for score in expected]
        assert np.array_equal(floats, nothing, equal_nan=True)
        assert scores.removals_exact(child, parents).tolist() == kept
        assert scores.removals(child, parents).tolist() == [scores.unit.to_float(score) for score in kept]


@pytest.mark.parametrize("score", sorted(DISCRETE_SCORES))
@pytest.mark.parametrize(("arity", "rows"), [(2, 400), (3, 400), (12, 300), (60, 500)])
def test_all_methods_of_counting_agree(score, arity, rows):
    """Few and many cells per row: the kernel counts all cells, only those that occur, or by refinement."""
    data = random_data(9, rows, arity)
    lattice = ds.local_scores(data, score, max_parents=4)
    demand = ds.family_scores(data, score, max_parents=4, threads=1)
    for parents in ([], [2], [2, 5], [2, 5, 7]):
        assert demand.additions_exact(0, parents).tolist() == lattice.additions_exact(0, parents).tolist()


# Levels that occur once, on purpose.
@pytest.mark.filterwarnings("ignore::dagscape.SuspiciousColumns")
def test_columns_with_very_many_levels():
    rng = np.random.default_rng(0)
    codes = np.column_stack([rng.integers(0, 100_000, (400, 2)), rng.integers(0, 3, (400, 3))])
    data = ds.Dataset.from_codes(codes, {f"v{i}": [str(k) for k in range(100_000 if i < 2 else 3)] for i in range(5)})
    lattice = ds.local_scores(data)
    demand = ds.family_scores(data)
    for child in range(5):
        for parents in ([], [(child + 1) % 5], [(child + 1) % 5, (child + 2) % 5]):
            assert demand.additions_exact(child, parents).tolist() == lattice.additions_exact(child, parents).tolist()


def test_scores_follow_the_formulas():
    rows = np.random.default_rng(3).integers(0, 3, (80, 4)).tolist()
    for name, oracle in ORACLES.items():
        scores = ds.family_scores(dataset([3] * 4, rows), name)
        for parents in ([], [1], [1, 3], [1, 2, 3]):
            assert scores.family(0, parents) == pytest.approx(oracle(rows, [3] * 4, 0, parents), rel=1e-9)


def test_a_low_memory_limit_is_observed_and_changes_no_score():
    data = random_data(12, 300, 3)
    lattice = ds.local_scores(data, max_parents=4)
    fixed = prepare(data, max_parents=4).functions.family_memory(2)
    for room in (0, 2000, 60_000):
        scores = ds.family_scores(data, max_parents=4, threads=2, max_memory=fixed + room)
        for child, parents in itertools.product(range(12), ([], [0, 3], [1, 2, 5], [4, 7, 9])):
            if child not in parents:
                assert (
                    scores.additions_exact(child, parents).tolist() == lattice.additions_exact(child, parents).tolist()
                )
                assert scores.nbytes <= fixed + room
        assert scores.cached_sets < 2000


def test_cached_values_are_not_computed_again():
    data = random_data(40, 5000, 3)
    scores = ds.family_scores(data, threads=1)
    assert scores.cached_sets == 0
    first = scores.additions(0, [1, 2])
    kept = scores.cached_sets
    assert kept == 2 * 37
    assert np.array_equal(scores.additions(0, [1, 2]), first, equal_nan=True)
    assert scores.family(0, [1, 2, 3]) == first[3]
    assert scores.cached_sets == kept


def test_a_limit_too_low_for_the_data_is_refused():
    with pytest.raises(ds.TooLarge, match=r"the data of 30 variables .* the limit is 1\.0 KiB .* raise the limit"):
        ds.family_scores(random_data(30, 200, 2), max_memory="1KiB")


def test_a_thousand_variables():
    data = random_data(1000, 200, 3)
    scores = ds.family_scores(data)
    pairs = np.stack([scores.additions_exact(child) for child in range(20)])
    assert (pairs[np.arange(20), np.arange(20)] == IMPOSSIBLE).all()
    # Adding the edge in either direction changes the score equally.
    alone = np.array([scores.family_exact(child) for child in range(20)])
    gains = pairs[:, :20] - alone[:, None]
    assert np.array_equal(gains[~np.eye(20, dtype=bool)], gains.T[~np.eye(20, dtype=bool)])
    small = ds.family_scores(data.select([data.variables[i] for i in (0, 700, 999)]))
    assert scores.family("v0", ["v999", "v700"]) == pytest.approx(small.family("v0", ["v700", "v999"]), abs=1e-6)
    assert scores.max_parents == 999
    assert scores.network({"v5": ["v900"]}) == pytest.approx(
        sum(scores.family(v) for v in range(1000)) - scores.family("v5") + scores.family("v5", ["v900"])
    )


def test_exact_methods_refuse_scores_on_demand(tmp_path):
    scores = ds.family_scores(random_data(4, 50, 2))
    assert isinstance(scores, ds.LocalScores)
    assert not isinstance(scores, ds.EnumerableScores)
    methods = [
        lambda scores: ds.posterior(scores, method="exact"),
        ds.k_best,
        ds.optimal_network,
        ds.modes,
        ds.summarize_scores,
        lambda scores: list(ds.iter_best(scores)),
        lambda scores: ds.feature_probability(scores, required=[("v0", "v1")]),
        lambda scores: ds.write_scores(scores, tmp_path / "scores.jkl"),
    ]
    for method in methods:
        with pytest.raises(
            ds.InvalidOption, match=r"needs the scores of all families: compute them with local_scores\(\)"
        ):
            method(scores)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda scores: scores.additions("w"), "'w' is not a variable"),
        (lambda scores: scores.additions("v0", ["v0"]), "cannot be a parent of itself"),
        (lambda scores: scores.additions("v0", "v1"), "collection of names"),
        (lambda scores: scores.removals("v0", ["v1", "v1"]), "twice"),
        (lambda scores: scores.removals("v0", [9]), "9 is not a variable"),
        (lambda scores: scores.family("v0", ["v1", "v2", "v3"]), "max_parents is 2"),
    ],
)
def test_wrong_families_are_refused(call, message):
    with pytest.raises(ds.InvalidOption, match=message):
        call(ds.family_scores(random_data(4, 50, 2), max_parents=2))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": "bde"}, "score is 'bde'"),
        ({"ess": 0}, "ess is 0"),
        ({"max_parents": -1}, "max_parents is -1"),
        ({"threads": 0}, "threads is 0"),
        ({"max_memory": "lots"}, "max_memory is 'lots'"),
        ({"forbidden": [("v0", "x")]}, "'x', which is not a variable"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.family_scores(random_data(4, 50, 2), **options)


def test_the_unit_stays_fine_with_a_thousand_variables():
    data = random_data(1000, 300, 3)
    assert ds.family_scores(data).unit.bits >= 28
    assert ds.family_scores(data, max_parents=5).unit.bits > ds.family_scores(data).unit.bits
    assert ds.family_scores(data).rounding < 1e-4


def test_wrong_data_are_refused():
    with pytest.raises(ds.InvalidOption, match="data is a list; it must be a Dataset: use read_data"):
        ds.family_scores(random_data(3, 20, 2).codes.tolist())


def test_repr():
    scores = ds.family_scores(random_data(4, 50, 2), "k2", max_parents=2)
    assert repr(scores).startswith("OnDemandScores(4 variables, up to 2 parents, 0 sets cached")
    assert scores.provenance.method == "family_scores"
    assert scores.info.score == "k2"


def test_concurrent_requests():
    data = random_data(60, 2000, 3)
    scores = ds.family_scores(data, threads=2)
    expected = [ds.family_scores(data, threads=1).additions_exact(child, [40, 50]) for child in range(8)]
    found: dict[int, np.ndarray] = {}
    askers = [
        threading.Thread(target=lambda child=child: found.update({child: scores.additions_exact(child, [40, 50])}))
        for child in range(8)
    ]
    for asker in askers:
        asker.start()
    for asker in askers:
        asker.join()
    for child in range(8):
        assert np.array_equal(found[child], expected[child])


# With few rows the kernel runs on the calling thread, with many on a separate one.
@pytest.mark.parametrize("rows", [300, 100_000])
def test_ctrl_c_stops_the_work_and_leaves_nothing_half_done(rows):
    data = random_data(50, rows, 3)
    scores = ds.family_scores(data)
    parents, candidates = np.array([3, 4], dtype=np.uint16), np.arange(5, 50, dtype=np.uint16)
    with pytest.raises(KeyboardInterrupt):
        scores._kernel.additions(
            0, parents, candidates, np.empty(45, dtype=np.int64), lambda done, total: signal.raise_signal(signal.SIGINT)
        )
    assert scores.family_exact(0, [3, 4, 7]) == ds.family_scores(data).family_exact(0, [3, 4, 7])


def test_the_kernel_reports_progress():
    scores = ds.family_scores(random_data(50, 300, 3))
    seen = []
    sets = np.arange(1, 41, dtype=np.uint16).reshape(20, 2)
    scores._kernel.scores(0, sets, np.empty(20, dtype=np.int64), lambda done, total: seen.append((done, total)))
    assert seen[-1] == (20, 20)


def test_the_kernel_checks_its_arguments():
    kernel = ds.family_scores(random_data(5, 30, 2))._kernel
    none, out = np.empty(0, dtype=np.uint16), np.empty(1, dtype=np.int64)
    for child, members in ((5, [1]), (0, [5]), (0, [0])):
        wrong = np.array(members, dtype=np.uint16)
        with pytest.raises(ValueError, match="a family contains a variable that does not exist"):
            kernel.additions(child, none, wrong, out, None)
        with pytest.raises(ValueError, match="a family contains a variable that does not exist"):
            kernel.scores(child, wrong.reshape(1, 1), out, None)
    with pytest.raises(ValueError, match="one entry for each"):
        kernel.additions(0, none, np.array([1, 2], dtype=np.uint16), out, None)
    with pytest.raises(ValueError, match="one entry for each"):
        kernel.scores(0, np.array([[1], [2]], dtype=np.uint16), out, None)


@pytest.mark.slow
def test_both_builds_give_the_same_bits():
    assert_same_bits(
        "data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 4, (500, 30)))\n"
        "scores = [ds.family_scores(data, name) for name in ('bdeu', 'k2', 'bic')]\n"
        "parts = [s.additions_exact(c, [20, 21]).tobytes() for s in scores for c in range(5)]\n"
        "parts += [s.removals_exact(0, [3, 4, 5, 6]).tobytes() for s in scores]\n"
    )
