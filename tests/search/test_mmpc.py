"""Max-Min Parents and Children against the paper's algorithm, with tests and with d-separation."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core.masks import bits
from dagscape.graphs.random_dags import random_dag
from oracles import independence as oracle
from scores.strategies import dataset, tables

ASIA = ds.load_network("asia").sample(5000, seed=1)


def sampled(seed, n=6, rows=400):
    """A random DAG of binary variables, and rows of a network on it."""
    rng = np.random.default_rng(seed)
    dag = random_dag(n, max_parents=2, seed=seed)
    columns = np.zeros((rows, n), dtype=np.int64)
    for child in dag.order_numbers():
        above = sum(columns[:, parent] for parent in bits(dag.parent_masks[child]))
        columns[:, child] = rng.random(rows) < 0.15 + 0.7 * (np.asarray(above) % 2)
    return dag, [tuple(row) for row in columns.tolist()]


def strengths(data, rows, arities, most, alpha=0.05, rows_per_cell=5, symmetric=True):
    association = oracle.g2_association(rows, arities, alpha, rows_per_cell)
    rank = np.random.default_rng(0).permutation(data.n).tolist()
    found = np.zeros((data.n, data.n))
    for target, neighbours in enumerate(oracle.mmpc(data.n, association, most, rank, symmetric)):
        for other, strength in neighbours.items():
            found[target, other] = strength
    return found


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(8))
def test_neighbours_are_those_of_the_papers_algorithm(seed):
    _, rows = sampled(seed)
    data = dataset([2] * 6, rows)
    for most, symmetric in ((None, True), (None, False), (1, True)):
        found = ds.mmpc(data, max_condition=most, symmetric=symmetric)
        expected = strengths(data, rows, [2] * 6, data.n if most is None else most, symmetric=symmetric)
        assert found.strengths == pytest.approx(expected, rel=1e-9)
        assert found.pair_count > 0


@pytest.mark.slow
@pytest.mark.parametrize("symmetric", [True, False])
def test_strengths_are_the_largest_p_values_of_all_tests_of_a_pair(symmetric):
    """Every test that the searches make is listed, and the strengths are read off the list."""
    ways = set()
    for seed in range(12):
        _, rows = sampled(seed)
        n, data = 6, dataset([2] * 6, rows)
        association = oracle.g2_association(rows, [2] * n, 0.05, 5)
        made = {}

        def listed(target, candidate, given, association=association, made=made):
            value = association(target, candidate, given)
            if value is not None:
                made.setdefault((target, candidate), []).append(value)
            return value

        rank = np.random.default_rng(0).permutation(n).tolist()
        oracle.mmpc(n, listed, n, rank)
        found = ds.mmpc(data, symmetric=symmetric).strengths
        for i in range(n):
            for j in range(i):
                # A search that made a test with association 0 rejected the other variable.
                finding = [min(made[pair]) for pair in ((i, j), (j, i)) if min(made[pair]) > 0]
                both = len(finding) == 2
                expected = min(finding) if both or (finding and not symmetric) else 0.0
                assert found[i, j] == pytest.approx(expected, rel=1e-9)
                ways.add((both, len(set(finding))))
    # Pairs that one search finds, and pairs that the two find with different strengths.
    assert {(True, 2), (False, 1), (False, 0)} <= ways


@settings(max_examples=25)
@given(tables(max_variables=4, max_rows=60), st.sampled_from([0.05, 0.5]), st.integers(1, 6))
def test_any_data_give_the_neighbours_of_the_papers_algorithm(table, alpha, rows_per_cell):
    arities, rows = table
    data = dataset(arities, rows)
    found = ds.mmpc(data, alpha, rows_per_cell=rows_per_cell)
    expected = strengths(data, rows, arities, data.n, alpha, rows_per_cell)
    assert found.adjacent.tolist() == (expected > 0).tolist()
    assert found.strengths == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("seed", range(30))
def test_with_d_separation_the_neighbours_are_the_parents_and_children(seed):
    # The kernel's own search passes the same test in C++, where it takes any test as an argument.
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 7))
    dag = random_dag(n, max_parents=3, seed=seed)
    parents = [set(bits(mask)) for mask in dag.parent_masks]

    def association(target, candidate, given):
        return 0.0 if oracle.d_separated(parents, target, candidate, given) else 1.0 + rng.random()

    found = oracle.mmpc(n, association, n, range(n))
    expected = [{u for u in range(n) if u in parents[v] or v in parents[u]} for v in range(n)]
    assert [set(neighbours) for neighbours in found] == expected


def test_many_rows_show_the_network():
    truth = ds.load_network("cancer")
    found = ds.mmpc(truth.sample(200_000, seed=4), 1e-4)
    adjacency = truth.dag.to_adjacency().astype(bool)
    assert np.array_equal(found.adjacent, adjacency | adjacency.T)


def test_permuted_columns_permute_the_neighbours():
    order = np.random.default_rng(3).permutation(ASIA.n)
    names = [ASIA.variables[i] for i in order]
    found, permuted = ds.mmpc(ASIA), ds.mmpc(ASIA.select(names))
    assert np.array_equal(found.strengths[np.ix_(order, order)], permuted.strengths)


def test_threads_change_nothing():
    assert ds.mmpc(ASIA, threads=1) == ds.mmpc(ASIA, threads=3)


def test_a_result_is_read_back(tmp_path):
    found = ds.mmpc(ASIA)
    found.save(tmp_path / "found.json")
    assert ds.load_result(tmp_path / "found.json") == found
    frame = found.to_frame()
    assert len(frame) == found.pair_count
    assert frame["strength"].is_monotonic_decreasing
    assert set(found.neighbours("dysp")) == {
        *frame.loc[frame["variable"] == "dysp", "neighbour"],
        *frame.loc[frame["neighbour"] == "dysp", "variable"],
    }
    document = found.to_dict()
    document["strengths"][0][1] += 1
    with pytest.raises(ds.InvalidData, match="strengths is not a symmetric matrix"):
        type(found).from_dict(document)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"alpha": 0}, "alpha is 0; it must be a number above 0 and below 1"),
        ({"alpha": 1.0}, r"alpha is 1\.0; it must be a number above 0 and below 1"),
        ({"rows_per_cell": 0}, "rows_per_cell is 0; it must be an integer of at least 1"),
        ({"symmetric": "yes"}, "symmetric is 'yes'; it must be True or False"),
        ({"max_condition": -1}, "max_condition is -1; it must be an integer of at least 0"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.mmpc(ASIA, **options)


def test_memory_is_limited():
    with pytest.raises(ds.TooLarge, match="tests of 8 variables need"):
        ds.mmpc(ASIA, max_memory="1KiB")


def test_a_listener_sees_progress():
    seen = []
    ds.mmpc(ASIA, progress=seen.append)
    assert seen[-1].done == seen[-1].total == ASIA.n


def test_a_listener_can_stop_the_tests():
    def stop(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ds.mmpc(ASIA, progress=stop)


def test_no_condition_leaves_marginal_dependence():
    found = ds.mmpc(ASIA, max_condition=0)
    assert found.pair_count >= ds.mmpc(ASIA).pair_count
    assert found.tests == ASIA.n * (ASIA.n - 1)


def experiments() -> ds.Dataset:
    """A copies b; an experiment set b in half of the rows."""
    rng = np.random.default_rng(4)
    a, chosen = rng.integers(0, 2, (2, 200))
    was_set = np.arange(200) % 2 == 1
    rows = np.column_stack([a, np.where(was_set, chosen, a), rng.integers(0, 2, 200)])
    return ds.Dataset.from_array(rows, list("abc"), interventions=["b" if mark else None for mark in was_set])


@pytest.mark.parametrize(
    "find",
    [
        ds.mmpc,
        lambda data: ds.learn(data, "mmhc"),
        lambda data: ds.learn(data, "curriculum"),
        lambda data: ds.bootstrap(data, "mmhc", samples=2, workers=1),
    ],
)
def test_results_of_tests_say_that_they_pool_experiments(find):
    with pytest.warns(ds.PooledExperiments, match="ignore that experiments set variables in 100 rows"):
        found = find(experiments())
    assert [kept.partition(":")[0] for kept in found.warnings] == ["pooled experiments"]


def test_other_methods_and_data_without_experiments_have_no_such_warning():
    assert not ds.mmpc(ASIA).warnings
    assert not ds.learn(ASIA, "mmhc").warnings
    assert not ds.learn(experiments(), "greedy").warnings


def measured(m=300):
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, m))
    s = x + y + rng.normal(size=m)
    return pd.DataFrame({"x": x, "y": y, "s": s, "t": s + rng.normal(size=m)})


def test_the_test_follows_the_kind_of_data():
    frame = measured()
    numbers = ds.NumericData.from_frame(frame)
    found = ds.mmpc(numbers)
    assert found == ds.mmpc(frame, test="fisher-z") == ds.mmpc(numbers, test="fisher-z")
    assert {name: set(found.neighbours(name)) for name in found.variables} == {
        "x": {"s"},
        "y": {"s"},
        "s": {"x", "y", "t"},
        "t": {"s"},
    }
    assert re.fullmatch(r"ParentsChildren\(4 variables, 3 pairs of neighbours, \d+ Fisher's z tests, .*", repr(found))
    mixed = ds.mmpc(ds.MixedData.from_frame(frame), test="mi-cg")
    cut = ds.mmpc(ds.discretize(frame))
    assert (found.test, mixed.test, cut.test) == ("fisher-z", "mi-cg", "g2")
    assert mixed.adjacent.tolist() == found.adjacent.tolist() == ds.mmpc(numbers, test="mi-cg").adjacent.tolist()
    assert dict(mixed.provenance.parameters)["test"] == "mi-cg"
    assert ds.ParentsChildren.from_dict(mixed.to_dict()) == mixed


@pytest.mark.parametrize(
    ("data", "test", "message"),
    [
        (ASIA, "chi", "test is 'chi'; it must be one of 'auto', 'g2', 'fisher-z', 'mi-cg'"),
        (
            ds.NumericData.from_frame(measured()),
            "g2",
            r"test is 'g2', which takes discrete data, and the data are a NumericData: use test='fisher-z', or cut the "
            r"numbers with discretize\(\)",
        ),
        (
            ds.MixedData.from_frame(measured().assign(label=["a", "b"] * 150)),
            "fisher-z",
            "test is 'fisher-z', which takes measured columns, and the data are a MixedData: use test='mi-cg'",
        ),
        (ASIA, "fisher-z", "the data set has the level 'yes' of 'asia', which is not a number"),
        (
            ds.NumericData.from_array([[0.5], [np.nan], [1.5]], missing="keep"),
            "auto",
            r"the data have missing cells, which mmpc\(\) cannot use: make the data with missing='drop'",
        ),
    ],
)
def test_data_of_another_kind_are_refused(data, test, message):
    with pytest.raises(ds.DagscapeError, match=message):
        ds.mmpc(data, test=test)


def test_older_results_are_those_of_discrete_data():
    document = ds.mmpc(ASIA).to_dict()
    del document["test"]
    assert ds.ParentsChildren.from_dict(document).test == "g2"
    with pytest.raises(ds.InvalidData, match="test"):
        ds.ParentsChildren.from_dict(document | {"test": "chi"})


@pytest.mark.parametrize("kind", [ds.NumericData, ds.MixedData])
def test_measured_columns_have_a_limit_on_memory_too(kind):
    with pytest.raises(ds.TooLarge, match="tests of 4 variables need"):
        ds.mmpc(kind.from_frame(measured()), max_memory="1MiB")


@pytest.mark.parametrize("kind", [ds.NumericData, ds.MixedData])
def test_experiments_are_pooled_in_tests_of_all_kinds(kind):
    frame = measured()
    frame["set"] = np.where(np.arange(len(frame)) % 3 == 0, "x", "")
    with pytest.warns(ds.PooledExperiments, match="ignore that experiments set variables in 100 rows"):
        ds.mmpc(kind.from_frame(frame, interventions="set"))


@pytest.mark.parametrize("score", ["bge", "bic-g"])
def test_known_networks_of_measured_columns_are_found(score, shared_data):
    frame = pd.read_csv(shared_data / "continuous" / "gaussian_test.csv.gz")
    edges = [tuple(pair) for pair in ("AC", "BC", "BD", "AF", "DF", "EF", "GF")]
    truth = ds.Dag.from_edges(list(frame), edges)
    found = ds.learn(frame, "mmhc", score=score)
    assert ds.equivalent(found.network, truth)
    assert found.details["test"] == "fisher-z"
    assert {frozenset(edge) for edge in edges} == pairs(ds.mmpc(frame, test="fisher-z"))


def test_a_known_mixed_network_is_found(shared_data):
    data = ds.MixedData.from_frame(pd.read_csv(shared_data / "continuous" / "clgaussian_test.csv.gz"))
    edges = {frozenset(edge) for edge in ("AD", "HD", "CF", "FB", "BE", "DE", "AG", "DG", "EG", "FG")}
    assert pairs(ds.mmpc(data)) == edges
    found = ds.learn(data, "mmhc", score="dg")
    assert {frozenset(edge) for edge in found.network.edges} == edges
    assert found.details["test"] == "mi-cg"


def pairs(found):
    return {frozenset(pair) for pair in found.to_frame()[["variable", "neighbour"]].itertuples(index=False)}
