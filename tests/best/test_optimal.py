"""The optimal network against a list of all networks, and against optima of other programs."""

from __future__ import annotations

import csv
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from best.samples import (
    EQUIVALENT,
    SEEDS,
    SPREADS,
    SYMMETRIC,
    equivalent_scores,
    random_data,
    table_of,
    whole_scores,
)
from oracles.best import every_dag, pattern, ranked
from oracles.graphs import all_dags
from scores.strategies import DISCRETE_SCORES, dataset, tables

# Rows of the references with more variables take too long here.
MAX_VARIABLES = 20


def check_against_everything(scores, *, classes):
    """Check that the optimum is the first network in the documented order, and that its ties are counted."""
    found = ds.optimal_network(scores, ties=True, threads=1)
    everything = every_dag(scores)
    highest = everything[0][0]
    tied = [parents for score, parents in everything if score == highest]
    assert scores.network_exact(found.network) == highest
    assert found.score == scores.unit.to_float(highest)
    assert found.network.parent_masks == ranked(scores, "classes" if classes else "dags")[0][1]
    assert found.tied_dags == len(tied)
    assert found.tied_classes == len(set(map(pattern, tied)))
    assert found.tied == ((found.tied_classes if classes else found.tied_dags) > 1)
    quick = ds.optimal_network(scores, threads=1)
    assert (quick.network, quick.score, quick.tied) == (found.network, found.score, found.tied)
    assert quick.tied_dags is quick.tied_classes is None


@given(
    n=st.integers(1, 4), spread=SPREADS, seed=SEEDS, drop=st.sampled_from([0.0, 0.4, 0.9]),
    max_parents=st.sampled_from([None, 0, 1, 2]),
)  # fmt: skip
@settings(max_examples=80, deadline=None)
def test_any_scores(n, spread, seed, drop, max_parents):
    scores = whole_scores(n, spread, seed, max_parents, drop)
    if every_dag(scores):
        check_against_everything(scores, classes=False)
    else:
        with pytest.raises(ds.InvalidData, match="every network has an impossible family: there is no best network"):
            ds.optimal_network(scores)


@given(n=st.integers(1, 4), spread=SPREADS, seed=SEEDS, max_parents=st.sampled_from([None, 1, 2]))
@settings(max_examples=80, deadline=None)
def test_equivalent_scores(n, spread, seed, max_parents):
    check_against_everything(equivalent_scores(n, spread, seed, max_parents), classes=True)


@pytest.mark.slow
@pytest.mark.parametrize("score", DISCRETE_SCORES)
@given(table=tables(max_rows=12, max_arity=3), max_parents=st.sampled_from([None, 1]))
@settings(max_examples=20, deadline=None)
def test_scores_of_data(score, table, max_parents):
    limit = None if max_parents is None else min(max_parents, len(table[0]) - 1)
    scores = ds.local_scores(dataset(*table), score, max_parents=limit, threads=1)
    check_against_everything(scores, classes=DISCRETE_SCORES[score].score_equivalent)


@pytest.mark.parametrize(
    "options",
    [
        {"required": [("X0", "X1"), ("X2", "X1")]},
        {"forbidden": [("X0", "X1"), ("X1", "X0")], "max_parents": 2},
        {"tiers": [["X3"], ["X1", "X2"]], "structure_prior": "edge-penalty:0.5"},
    ],
)
def test_constraints(options):
    scores = ds.local_scores(random_data(4, 15, seed=2), **options)
    check_against_everything(scores, classes=False)
    found = ds.optimal_network(scores).network
    assert all(found.has_edge(*edge) for edge in options.get("required", ()))
    assert not any(found.has_edge(*edge) for edge in options.get("forbidden", ()))


@pytest.mark.parametrize("name", SYMMETRIC)
def test_symmetric_data(name):
    for score in EQUIVALENT:
        check_against_everything(ds.local_scores(dataset([2] * 4, SYMMETRIC[name]), score), classes=True)


def test_two_opposite_rows_tie_wherever_there_is_one_source():
    """All four columns are copies of each other: any parents determine a variable, and more of them cost nothing."""
    found = ds.optimal_network(ds.local_scores(dataset([2] * 4, SYMMETRIC["two rows"])), ties=True)
    best = [dag for dag in all_dags(4) if dag.parent_masks.count(0) == 1]
    assert found.tied
    assert found.tied_dags == len(best) == 316
    assert found.tied_classes == len({dag.to_cpdag() for dag in best}) == 59


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
def test_five_variables(seed):
    check_against_everything(ds.local_scores(random_data(5, 20, seed), "aic"), classes=True)
    check_against_everything(whole_scores(5, 2, seed), classes=False)


def test_a_tie_within_one_class_is_none_where_classes_can_be_told():
    families = {"a": {(): 0.0, ("b",): 1.0}, "b": {(): 0.0, ("a",): 1.0}}
    one_class = ds.optimal_network(ds.FamilyTable(families, score_equivalent=True), ties=True)
    assert (one_class.tied, one_class.tied_dags, one_class.tied_classes) == (False, 2, 1)
    two_networks = ds.optimal_network(ds.FamilyTable(families), ties=True)
    assert (two_networks.tied, two_networks.tied_dags, two_networks.tied_classes) == (True, 2, 1)


def test_many_ties_are_counted():
    scores = table_of(5, 4, lambda child, parents: 0.0, score_equivalent=True)
    found = ds.optimal_network(scores, ties=True)
    assert (found.tied_dags, found.tied_classes) == (29281, 8782)
    assert found.network.edge_count == 0


def test_missing_families_do_not_matter_for_the_optimum():
    """A pruned table has everything that an optimal network needs, so there is no warning."""
    scores = ds.FamilyTable({"a": {(): -1.0}, "b": {(): -1.0, ("a",): -0.5}})
    assert scores.complete is None
    assert ds.optimal_network(scores).network.edges == (("a", "b"),)


@pytest.mark.parametrize("max_parents", [None, 3])
def test_threads_do_not_matter(max_parents):
    scores = ds.local_scores(random_data(12, 80, seed=3), max_parents=max_parents)
    first, *others = (ds.optimal_network(scores, ties=True, threads=threads) for threads in (1, 2, 3))
    for other in others:
        assert (other.network, other.score, other.tied_dags) == (first.network, first.score, first.tied_dags)


def test_result(tmp_path):
    data = ds.Dataset.from_array(random_data(3, 200, seed=1).to_frame(), ["a, b", "x → y", "[bold]ü"])
    cells = data.to_frame()
    copied = ds.Dataset.from_array(np.column_stack([cells, cells["x → y"]]), [*data.variables, "c"])
    found = ds.optimal_network(ds.local_scores(copied), ties=True)
    assert found.dag is found.network
    assert ds.compare(found, found.network).shd == 0
    frame = found.to_frame()
    assert list(frame.columns) == ["source", "target", "compelled"]
    edges = list(frame[["source", "target"]].itertuples(index=False, name=None))
    assert edges == list(found.network.edges) != []
    assert repr(found).endswith(f"tied DAGs: {found.tied_dags}, tied classes: {found.tied_classes})")
    found.save(tmp_path / "best.json")
    back = ds.load_result(tmp_path / "best.json")
    assert type(back) is ds.OptimalNetwork
    assert back == found
    assert ", tied" not in repr(ds.optimal_network(ds.local_scores(random_data(3, 50, seed=1))))
    tied = ds.optimal_network(table_of(3, 2, lambda child, parents: 0.0))
    assert repr(tied).endswith("score 0.0000, tied with others)")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "score", "optimum"),
    [
        ("tic-tac-toe", "bdeu", -9423.068332703),
        ("tic-tac-toe", "bic", -9396.37585756),
        ("votes", "bdeu", -4615.928423659),
        ("votes", "bic", -4642.63102971),
        ("zoo", "bdeu", -642.258666907),
        ("zoo", "bic", -773.48607153),
        ("wine", "bdeu", -1255.35810283),
        ("wine", "bic", -1258.445909),
        ("iris", "bdeu", -452.21429688),
        ("iris", "bic", -465.43502834),
    ],
)
def test_published_optima_of_bundled_sets(name, score, optimum):
    scores = ds.local_scores(ds.load_dataset(name), score)
    assert ds.optimal_network(scores).score == pytest.approx(optimum, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "score", "dags", "classes", "tied"),
    # The 308 DAGs of wine are published in [liao2019]'s code; the rest comes from a separate exact program.
    [("wine", "bic", 308, 7, 48), ("tic-tac-toe", "bic", 192, 8, 192), ("tic-tac-toe", "bdeu", 104, 16, 104)],
)
def test_published_counts_within_a_bayes_factor_of_3(name, score, dags, classes, tied):
    scores = ds.local_scores(ds.load_dataset(name), score)
    near = ds.k_best(scores, within=3)
    assert (near.dag_count, len(near)) == (dags, classes)
    assert len(ds.k_best(scores, space="dags", within=3)) == dags
    assert ds.optimal_network(scores, ties=True).tied_dags == tied


def reference_rows(shared_data, file):
    with open(shared_data / "scores" / file, encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def boson_scores(path):
    """A matrix of scores with a column for each set of parents (as a bit mask) and a row for each child."""
    lines = path.read_text(encoding="ascii").splitlines()
    masks = list(map(int, lines[0].split()))
    names = [f"v{i}" for i in range(len(lines) - 1)]
    families = {}
    for child, line in enumerate(lines[1:]):
        listed = zip(masks, map(float, line.split()), strict=True)
        families[names[child]] = {
            tuple(name for v, name in enumerate(names) if mask >> v & 1): score
            for mask, score in listed
            if not mask >> child & 1
        }
        assert all(map(math.isfinite, families[names[child]].values()))
    return ds.FamilyTable(families, names)


def scores_of_row(shared_data, file, score, limit):
    """The scores of a row of the references."""
    path = shared_data / file
    if file.endswith(".dat"):
        return boson_scores(path)
    if file.endswith(".jkl"):
        return ds.read_scores(path)
    name = score.split()[0].lower()
    max_parents = int(limit) if limit.isdecimal() else None
    return ds.local_scores(ds.read_data(path, missing="level"), name, max_parents=max_parents)


@pytest.mark.slow
def test_reference_optima(shared_data):
    rows = reference_rows(shared_data, "reference_optima.csv")
    tried = [row for row in rows if int(row["n"]) <= MAX_VARIABLES]
    for row in tried:
        file = row["data_or_score_file"].split()[0]
        scores = scores_of_row(shared_data, file, row["score"], row["parent_limit"])
        assert scores.n == int(row["n"])
        expected = float(row["optimal_network_log_score"])
        assert ds.optimal_network(scores).score == pytest.approx(expected, abs=1e-6), row
    assert len(tried) == 34


def test_reference_counts(shared_data):
    rows = reference_rows(shared_data, "reference_counts.csv")
    for row in rows:
        scores = scores_of_row(shared_data, row["data_file"], row["score"], "none")
        near = ds.k_best(scores, within=float(row["bayes_factor"]))
        assert near.scores[0] == pytest.approx(float(row["optimum"]), abs=1e-6), row
        assert near.dag_count == int(row["dags_within_factor"]), row
        assert len(near) == int(row["equivalence_classes_within_factor"]), row
        best = ds.optimal_network(scores, ties=True)
        assert best.tied_dags == int(row["dags_tied_at_optimum"]), row
        assert sum(near.class_sizes[: best.tied_classes]) == best.tied_dags
        dags = ds.k_best(scores, space="dags", within=float(row["bayes_factor"]))
        assert len(dags) == near.dag_count, row
    assert len(rows) == 7


def test_optima_do_not_depend_on_where_the_scores_come_from(shared_data):
    data = ds.read_data(shared_data / "sets/gobnilp_asia_10000.csv.gz")
    computed = ds.optimal_network(ds.local_scores(data, max_parents=3))
    listed = ds.read_scores(shared_data / "scores/asia_10000.palim3.jkl", score_equivalent=True)
    from_file = ds.optimal_network(listed)
    assert from_file.score == pytest.approx(computed.score, abs=1e-6)
    assert ds.equivalent(from_file.network, ds.Dag(from_file.variables, computed.network.parent_masks))


def test_whether_others_tie_is_not_asked_at_any_price(monkeypatch):
    scores = ds.local_scores(random_data(13, 30, seed=1), max_parents=2)
    known = ds.optimal_network(scores)
    monkeypatch.setattr("dagscape.best.optimal.ROOM_FOR_TIES", 100_000)
    hasty = ds.optimal_network(scores)
    assert hasty.tied is None
    assert known.tied is not None
    assert (hasty.network, hasty.score) == (known.network, known.score)
