"""Likely families with more parent states than rows: when there is a warning, and what it says."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from cli.running import run
from dagscape.scores.parent_states import parent_states, sparse_families

METHODS = (ds.posterior, ds.optimal_network, ds.k_best, ds.modes)


def sparse_table() -> ds.Dataset:
    """Sixty rows of seven bits and a random function of them: 128 parent states, most of them never seen."""
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2, (60, 7))
    function = rng.integers(0, 4, 128)
    return ds.Dataset.from_array(np.column_stack([bits, function[bits @ (1 << np.arange(7))]]), list("abcdefgy"))


def told(function, *arguments, **options) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(*arguments, **options)
    assert all(isinstance(warning.message, ds.SparseFamilies) for warning in caught)
    assert all(warning.filename == __file__ for warning in caught)
    return [str(warning.message) for warning in caught]


@given(st.integers(1, 6), st.integers(0, 10**6))
def test_the_average_of_the_log_of_parent_states_is_that_over_all_dags(n, seed):
    """Against the definition: a weighted list of DAGs, and the number of parent states in each."""
    rng = np.random.default_rng(seed)
    dags = [ds.random_dag(n, seed=int(number)) for number in rng.integers(0, 1000, 5)]
    weights, levels = rng.dirichlet(np.ones(5)), rng.integers(1, 5, n)
    edges = sum(weight * dag.to_adjacency() for weight, dag in zip(weights, dags, strict=True))
    for child, name in enumerate(dags[0].variables):
        states = [np.prod([levels[dag.number(parent)] for parent in dag.parents(name)]) for dag in dags]
        assert parent_states(edges, levels)[child] == pytest.approx(np.exp(weights @ np.log(states)))
    exact = [np.prod([levels[dags[0].number(p)] for p in dags[0].parents(v)]) for v in dags[0].variables]
    np.testing.assert_allclose(parent_states(dags[0].to_adjacency(), levels), exact)


@pytest.mark.parametrize("method", METHODS)
def test_more_parent_states_than_rows_are_told(method):
    data = sparse_table()
    (message,) = told(method, ds.local_scores(data))
    assert " joint states, but there are only 60 rows" in message
    assert message.endswith("set a lower max_parents, or compare settings with sensitivity()")
    assert told(method, ds.local_scores(data, max_parents=3)) == []


def test_child_parents_states_and_rows_are_named():
    scores = ds.local_scores(sparse_table())
    (message,) = told(ds.optimal_network, scores)
    named = "'a', 'b', 'c', 'd', 'e', 'f' and 1 more"
    assert message.startswith(f"the likely parents of 'y' ({named}) have 128 joint states, but there are only 60 rows:")
    (message,) = told(ds.posterior, scores)
    assert "have about 128 joint states" in message
    assert (ds.posterior(scores).edges[:7, 7] > 0.99).all()


@pytest.mark.slow
@pytest.mark.parametrize("name", ["tic-tac-toe", "votes", "wine", "iris"])
def test_well_sampled_data_give_no_warning(name):
    scores = ds.local_scores(ds.load_dataset(name))
    assert [told(method, scores) for method in METHODS[:3]] == [[], [], []]
    asia = ds.local_scores(ds.load_network("asia").sample(1000, seed=1))
    assert [told(method, asia) for method in METHODS] == [[]] * 4


def test_no_warning_without_data_without_levels_and_at_the_limit(tmp_path):
    scores = ds.local_scores(sparse_table())
    assert told(ds.posterior, scores, prior=True) == []
    ds.write_scores(scores, tmp_path / "scores.npz")
    assert len(told(ds.posterior, ds.read_scores(tmp_path / "scores.npz"))) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error", ds.SparseFamilies)
        ds.write_scores(scores, tmp_path / "scores.jkl")
        ds.optimal_network(ds.read_scores(tmp_path / "scores.jkl"))
    info = ds.local_scores(ds.Dataset.from_array(np.arange(6)[:, None] // [1, 3])).info
    assert sparse_families(info, ["a", "b"], [[0, 1], [0, 0]]) is None


@pytest.mark.parametrize("command", ["posterior", "best", "modes", "fit"])
def test_the_command_line_names_its_options(capfd, tmp_path, command):
    path = tmp_path / "sparse.csv"
    sparse_table().to_frame().to_csv(path, index=False)
    options = () if command == "fit" else ("--settings", "fixed")
    code, _, err = run(capfd, command, path, *options)
    assert code == 0
    assert "joint states, but there are only 60 rows" in err
    assert err.rstrip().endswith("set a lower --max-parents, or compare settings with dagscape sensitivity")
    assert run(capfd, command, path, *options, "--quiet")[2] == ""


@pytest.mark.parametrize("command", ["posterior", "best", "modes"])
def test_settings_that_suit_the_data_need_no_warning(capfd, tmp_path, command):
    path = tmp_path / "sparse.csv"
    sparse_table().to_frame().to_csv(path, index=False)
    assert run(capfd, command, path)[::2] == (0, "")


def test_sensitivity_compares_settings_without_a_warning(capfd, tmp_path):
    path = tmp_path / "sparse.csv"
    sparse_table().to_frame().to_csv(path, index=False)
    assert run(capfd, "sensitivity", path, "--ess", "1", "--max-parents", "2,none")[::2] == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize(("name", "columns", "rows"), [("lung-cancer", 14, 32), ("horse", 18, 300)])
def test_small_medical_tables(shared_data, name, columns, rows):
    """Edges near 1 that vanish with fewer parents, of families with thousands of states."""
    data = ds.read_data(shared_data / f"sets/ebnsl/{name}.csv.gz")
    data = data.select(data.variables[:columns])
    with pytest.warns(ds.SparseFamilies, match=f"only {rows} rows"):
        free = ds.posterior(ds.local_scores(data), "orders")
    scores = ds.local_scores(data, max_parents=2)
    assert told(ds.posterior, scores, "orders") == []
    assert ((free.edges > 0.9) & (ds.posterior(scores, "orders").edges < 0.2)).any()


def test_other_variables_are_counted():
    info = ds.local_scores(ds.Dataset.from_array(np.arange(6)[:, None] % [4, 5, 2, 2])).info
    edges = np.zeros((4, 4))
    edges[:2, 2:] = 1
    assert str(sparse_families(info, list("abcd"), edges)) == (
        "the likely parents of 'c' ('a', 'b') have 20 joint states, but there are only 6 rows (also too few for the "
        "parents of 1 other variable): the probabilities of such edges can depend on the settings more than on the "
        "data; set a lower max_parents, or compare settings with sensitivity()"
    )
