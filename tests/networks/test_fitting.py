from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagscape.core.errors import InvalidData, InvalidOption, TooLarge
from dagscape.data.discrete.dataset import Dataset
from dagscape.graphs.dag import Dag
from dagscape.networks.bundled import load_network
from dagscape.networks.discrete.fitting import FIT_PRIORS
from dagscape.networks.discrete.network import Network
from oracles import networks as oracle


@st.composite
def problems(draw):
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    n, m = draw(st.integers(1, 5)), draw(st.integers(1, 30))
    names = [f"v{i}" for i in range(n)]
    arities = generator.integers(1, 4, n)
    levels = {name: tuple(map(str, range(arity))) for name, arity in zip(names, arities, strict=True)}
    codes = np.stack([generator.integers(0, arity, m) for arity in arities], axis=1)
    marks = generator.random((m, n)) < 0.3 if draw(st.booleans()) else None
    order = generator.permutation(n)
    edges = [(names[order[i]], names[order[j]]) for j in range(n) for i in range(j) if generator.random() < 0.6]
    return Dag.from_edges(names[::-1], edges), Dataset.from_codes(codes, levels, interventions=marks)


@given(problems(), st.sampled_from(sorted(FIT_PRIORS)), st.integers(1, 20))
def test_fitted_tables_agree_with_the_oracle(problem, prior, ess):
    dag, data = problem
    network = Network.fit(dag, data, ess, prior, name="fitted")
    expected = oracle.fit(dag, data, prior, ess)
    assert (network.dag, network.name) == (dag, "fitted")
    for variable in dag.variables:
        family = (*dag.parents(variable), variable)
        cells = product(*(range(len(data.levels[name])) for name in family))
        for cell, value in zip(cells, expected[variable].values(), strict=True):
            assert network.cpts[variable][cell] == pytest.approx(float(value), rel=1e-14, abs=1e-300)


def test_maximum_likelihood_is_not_beaten():
    truth = load_network("asia")
    data = truth.sample(2000, seed=1)
    best = Network.fit(truth.dag, data, prior="none").log_likelihood(data)
    assert best > truth.log_likelihood(data)
    for prior in ("bdeu", "k2"):
        assert best >= Network.fit(truth.dag, data, prior=prior).log_likelihood(data)


def test_fitting_many_rows_finds_the_network_again():
    truth = load_network("survey")
    fitted = Network.fit(truth.dag, truth.sample(1_000_000, seed=1))
    for name in truth.variables:
        assert np.abs(fitted.cpts[name] - truth.cpts[name]).max() < 0.02


def test_levels_that_no_row_has_get_their_share_of_the_prior():
    data = Dataset.from_codes([[0], [0]], {"a": ("x", "y")})
    dag = Dag.from_edges(["a"])
    assert Network.fit(dag, data, ess=2).cpts["a"].tolist() == [0.75, 0.25]
    assert Network.fit(dag, data, prior="k2").cpts["a"].tolist() == [0.75, 0.25]
    assert Network.fit(dag, data, prior="none").cpts["a"].tolist() == [1, 0]


def test_states_without_rows_are_uniform_under_maximum_likelihood():
    data = Dataset.from_codes([[0, 1]], {"a": ("x", "y"), "b": ("s", "t", "u")})
    fitted = Network.fit(Dag.from_edges(["a", "b"], [("a", "b")]), data, prior="none")
    assert fitted.cpts["b"].tolist() == [[0, 1, 0], [1 / 3, 1 / 3, 1 / 3]]


def test_rows_in_which_the_child_was_set_do_not_count():
    marks = [[False, True], [False, False]]
    data = Dataset.from_codes([[0, 1], [0, 0]], {"a": ("x", "y"), "b": ("s", "t")}, interventions=marks)
    fitted = Network.fit(Dag.from_edges(["a", "b"]), data, prior="none")
    assert fitted.cpts["a"].tolist() == [1, 0]
    assert fitted.cpts["b"].tolist() == [1, 0]


def test_wrong_options_are_refused():
    data = Dataset.from_codes([[0]], {"a": ("x", "y")})
    dag = Dag.from_edges(["a"])
    with pytest.raises(InvalidOption, match="prior is 'flat'; it must be one of 'bdeu', 'k2', 'none'"):
        Network.fit(dag, data, prior="flat")
    with pytest.raises(InvalidOption, match=r"prior is \['k2'\]; it must be one of"):
        Network.fit(dag, data, prior=["k2"])
    for ess in (0, -1, float("nan"), float("inf")):
        with pytest.raises(InvalidOption, match=r"ess is .*; it must be a number between 1e-9 and 1e9"):
            Network.fit(dag, data, ess=ess)


def test_variables_must_agree():
    data = Dataset.from_codes([[0]], {"a": ("x", "y")})
    with pytest.raises(InvalidData, match="the data lack variables of the network: 'b'"):
        Network.fit(Dag.from_edges(["a", "b"]), data)
    with pytest.raises(InvalidData, match="the data have variables that the network lacks: 'a'"):
        Network.fit(Dag.from_edges(["b"]), Dataset.from_codes([[0, 0]], {"a": ("x",), "b": ("x",)}))


def test_tables_that_do_not_fit_into_memory_are_refused():
    names = [f"v{i}" for i in range(70)]
    wide = Dataset.from_codes(np.zeros((1, 70), dtype=int), dict.fromkeys(names, ("0", "1")))
    with pytest.raises(TooLarge, match=r"tables of .* probabilities need .*: use a graph with fewer parents"):
        Network.fit(Dag.from_edges(names, [(name, "v60") for name in names[:60]]), wide)
    flat = Dataset.from_codes(np.zeros((1, 70), dtype=int), dict.fromkeys(names, ("0",)))
    with pytest.raises(InvalidOption, match="'v69' has 69 parents; the limit is 63"):
        Network.fit(Dag.from_edges(names, [(name, "v69") for name in names[:69]]), flat)
    assert Network.fit(Dag.from_edges(names, [(name, "v69") for name in names[:63]]), flat).cpts["v69"].ndim == 64
