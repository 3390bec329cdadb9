from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.data.discrete.dataset import Dataset
from dagscape.graphs.dag import Dag
from dagscape.networks.bundled import NETWORKS, load_network
from dagscape.networks.discrete.network import Network
from oracles import networks as oracle

DAG = Dag.from_edges(["rain", "street"], [("rain", "street")])
LEVELS = {"rain": ("no", "yes"), "street": ("dry", "wet", "ice")}
CPTS = {"rain": [0.75, 0.25], "street": [[0.9, 0.1, 0.0], [0.0, 0.5, 0.5]]}


def random_network(n: int, seed: int, *, arities=(1, 4), zeros: bool = False) -> Network:
    generator = np.random.default_rng(seed)
    names = [f"v{i}" for i in range(n)]
    order = generator.permutation(n)
    edges = [(names[order[i]], names[order[j]]) for j in range(n) for i in range(j) if generator.random() < 0.5]
    dag = Dag.from_edges(names, edges)
    levels = {name: tuple(f"l{k}" for k in range(generator.integers(*arities, endpoint=True))) for name in names}
    cpts = {}
    for name in names:
        shape = [len(levels[other]) for other in (*dag.parents(name), name)]
        table = generator.gamma(0.7, size=shape) + 1e-3
        if zeros:
            table[generator.random(shape) < 0.3] = 0
            table[..., 0] += table.sum(axis=-1) == 0
        cpts[name] = table / table.sum(axis=-1, keepdims=True)
    return Network(dag, levels, cpts)


def test_a_network_keeps_what_it_is_given():
    network = Network(DAG, LEVELS, CPTS, "weather")
    assert (network.variables, network.n, network.name) == (("rain", "street"), 2, "weather")
    assert network.parameter_count == 1 + 2 * 2
    assert network.cpts["street"].tolist() == CPTS["street"]
    assert network.cpts["street"].dtype == np.float64
    assert repr(network) == "Network('weather': 2 variables, 1 edge, 5 free parameters)"


def test_numbers_within_the_tolerance_stay_as_they_are():
    row = [0.3333333, 0.3333333, 0.3333333]
    network = Network(Dag.from_edges(["a"]), {"a": ("x", "y", "z")}, {"a": row})
    assert network.cpts["a"].tolist() == row


def test_nothing_in_it_can_change():
    given = {name: np.array(table) for name, table in CPTS.items()}
    network = Network(DAG, LEVELS, given)
    given["rain"][0] = 7
    assert network.cpts["rain"][0] == 0.75
    with pytest.raises(ValueError, match="read-only"):
        network.cpts["rain"][0] = 1
    with pytest.raises(TypeError):
        network.cpts["rain"] = given["rain"]
    with pytest.raises(TypeError):
        network.levels["rain"] = ("x",)
    with pytest.raises(AttributeError):
        network.name = "other"


def test_axes_are_in_the_order_of_the_variables():
    dag = Dag.from_edges(["a", "b", "c"], [("c", "b"), ("a", "b")])
    table = np.full((2, 3, 2), 0.5)
    levels = {"a": ("0", "1"), "b": ("0", "1"), "c": ("0", "1", "2")}
    network = Network(dag, levels, {"a": [0.5, 0.5], "b": table, "c": [0.2, 0.3, 0.5]})
    assert network.cpts["b"].shape == (2, 3, 2)


def test_equality_and_hash_are_by_content():
    network = Network(DAG, LEVELS, CPTS, "one")
    fortran = {"rain": CPTS["rain"], "street": np.asfortranarray(CPTS["street"])}
    same = Network(DAG, dict(reversed(LEVELS.items())), fortran, "two")
    assert network == same
    assert hash(network) == hash(same)
    negative_zero = Network(DAG, LEVELS, {"rain": [0.75, 0.25], "street": [[0.9, 0.1, -0.0], [-0.0, 0.5, 0.5]]})
    assert negative_zero == network
    assert hash(negative_zero) == hash(network)
    assert network != Network(DAG, LEVELS, CPTS | {"rain": [0.25, 0.75]})
    assert network != Network(DAG, LEVELS | {"rain": ("yes", "no")}, CPTS)
    assert network != DAG


def test_copies_and_pickles_are_equal():
    network = load_network("survey")
    assert pickle.loads(pickle.dumps(network)) == network
    assert copy.deepcopy(network) == network
    assert pickle.loads(pickle.dumps(network)).name == "survey"


@pytest.mark.parametrize(
    ("levels", "cpts", "message"),
    [
        ({"rain": ("no", "yes")}, CPTS, "the network has no levels for 'street'"),
        (LEVELS, {"rain": [0.75, 0.25]}, "the network has no probabilities for 'street'"),
        (LEVELS | {"sun": ("x",)}, CPTS, "the network has levels for 'sun', which its graph lacks"),
        (LEVELS | {"rain": ("no", "no")}, CPTS, "the levels of 'rain' are not distinct: 'no', 'no'"),
        (LEVELS | {"rain": ()}, CPTS, "'rain' has no levels"),
        (LEVELS | {"rain": "no"}, CPTS, "the levels of 'rain' must be a sequence of strings"),
        (LEVELS | {"rain": (0, 1)}, CPTS, "the levels of 'rain' must be a sequence of strings"),
        (LEVELS, CPTS | {"rain": [1.0]}, r"probabilities of 'rain' have shape \(1,\); it must be \(2,\)"),
        (
            LEVELS,
            CPTS | {"street": np.full((3, 2), 0.5)},
            r"probabilities of 'street' given 'rain' have shape \(3, 2\); it must be \(2, 3\)",
        ),
        (LEVELS, CPTS | {"rain": [[1], [1, 2]]}, "probabilities of 'rain' are not an array of numbers"),
        (LEVELS, CPTS | {"rain": [0.5, 0.500002]}, "probabilities of 'rain' sum to 1.000002, not to 1"),
        (LEVELS, CPTS | {"rain": [1.5, -0.5]}, "probabilities of 'rain' include -0.5, which is not a probability"),
        (LEVELS, CPTS | {"rain": [math.nan, 1]}, "probabilities of 'rain' include nan, which is not a probability"),
        (
            LEVELS,
            CPTS | {"rain": [math.inf, -math.inf]},
            "probabilities of 'rain' include inf, which is not a probability",
        ),
        (
            LEVELS,
            CPTS | {"street": [[1, 0, 0], [1, 1, 0]]},
            "probabilities of 'street' given 'rain' = 'yes' sum to 2, not to 1",
        ),
    ],
)
def test_what_does_not_fit_is_refused(levels, cpts, message):
    with pytest.raises(InvalidData, match=message):
        Network(DAG, levels, cpts)


def test_a_network_needs_named_variables():
    with pytest.raises(InvalidData, match="no variables"):
        Network(Dag.from_edges([]), {}, {})
    with pytest.raises(InvalidData, match="empty name"):
        Network(Dag.from_edges([""]), {"": ("x",)}, {"": [1]})


@pytest.mark.parametrize("name", NETWORKS)
def test_probabilities_of_all_rows_sum_to_one(name):
    assert math.fsum(oracle.joint(load_network(name)).values()) == pytest.approx(1, abs=1e-12)


@pytest.mark.parametrize("name", ["cancer", "earthquake", "sprinkler", "survey"])
def test_likelihood_of_a_single_row_is_its_joint_probability(name):
    network = load_network(name)
    for row, probability in oracle.joint(network).items():
        data = Dataset.from_array([row], network.variables, keep_constant=True)
        expected = math.log(probability) if probability else -math.inf
        assert network.log_likelihood(data) == pytest.approx(expected, rel=1e-12)


@given(st.integers(1, 6), st.integers(0, 10**6), st.integers(1, 40))
def test_likelihood_agrees_with_the_oracle(n, seed, rows):
    network = random_network(n, seed)
    generator = np.random.default_rng(seed)
    data = network.sample(rows, seed=generator)
    marks = generator.random(data.codes.shape) < 0.3
    chosen = Dataset.from_codes(data.codes, data.levels, weights=data.weights, interventions=marks)
    for table in (data, chosen):
        assert network.log_likelihood(table) == pytest.approx(oracle.log_likelihood(network, table), rel=1e-12)


def test_likelihood_matches_variables_and_levels_by_name():
    network = load_network("survey")
    data = network.sample(500, seed=2)
    names = network.variables[::-1]
    levels = {name: (*data.levels[name][::-1], "never seen") for name in names}
    columns = [len(data.levels[name]) - 1 - data.codes[:, data.variables.index(name)].astype(int) for name in names]
    turned = Dataset.from_codes(np.stack(columns, axis=1), levels, weights=data.weights)
    assert network.log_likelihood(turned) == pytest.approx(network.log_likelihood(data), rel=1e-13)


def test_impossible_rows_have_the_log_likelihood_minus_infinity():
    network = Network(DAG, LEVELS, CPTS)
    assert (
        network.log_likelihood(
            Dataset.from_array([["no", "ice"], ["no", "dry"]], ["rain", "street"], keep_constant=True)
        )
        == -math.inf
    )
    chosen = Dataset.from_codes([[0, 2]], LEVELS, interventions=[[False, True]])
    assert network.log_likelihood(chosen) == pytest.approx(math.log(0.75))


def test_data_that_do_not_fit_are_refused():
    network = Network(DAG, LEVELS, CPTS)
    with pytest.raises(InvalidData, match="the data lack variables of the network: 'street'"):
        network.log_likelihood(Dataset.from_array([["no"]], ["rain"], keep_constant=True))
    with pytest.raises(InvalidData, match=r"variables that the network lacks: 'sun'; remove them with data.select\(\)"):
        network.log_likelihood(Dataset.from_array([["no", "dry", "1"]], ["rain", "street", "sun"], keep_constant=True))
    with pytest.raises(InvalidData, match="levels of 'street' that the network lacks: 'snow'; the network has 'dry'"):
        network.log_likelihood(Dataset.from_array([["no", "snow"]], ["rain", "street"], keep_constant=True))


def test_tables_as_labelled_frames():
    asia = load_network("asia")
    frame = asia.cpt_frame("dysp")
    assert list(frame.index.names) == list(asia.dag.parents("dysp"))
    assert frame.columns.name == "dysp"
    for state, row in frame.iterrows():
        place = tuple(asia.levels[p].index(s) for p, s in zip(asia.dag.parents("dysp"), state, strict=True))
        assert row.tolist() == asia.cpts["dysp"][place].tolist()
        assert row.index.tolist() == list(asia.levels["dysp"])
    one = asia.cpt_frame("lung")
    assert (one.index.name, one.index.tolist()) == ("smoke", list(asia.levels["smoke"]))
    assert asia.cpt_frame("smoke").shape == (1, 2)
    with pytest.raises(InvalidOption, match="'smok' is not a variable of the graph; did you mean 'smoke'"):
        asia.cpt_frame("smok")


def test_labelled_frames_have_the_types_of_the_columns():
    """Labels are those of query and predict: a column of integers has integers."""
    frame = pd.DataFrame({"age": [30, 40, 30, 40], "dose": [0.5, 1.5, 0.5, 0.5], "ill": [True, False, True, True]})
    dag = Dag.from_edges(["age", "dose", "ill"], [("age", "ill"), ("dose", "ill"), ("age", "dose")])
    network = Network.fit(dag, Dataset.from_frame(frame, levels={"dose": [0.5, 1.5]}))
    table = network.cpt_frame("ill")
    assert table.columns.tolist() == [False, True]
    assert table.index.tolist() == [(30, 0.5), (30, 1.5), (40, 0.5), (40, 1.5)]
    assert [level.dtype.kind for level in table.index.levels] == ["i", "f"]
    given = {"age": 40, "dose": 0.5}
    pd.testing.assert_series_equal(table.loc[(40, 0.5)], network.query("ill", given), check_names=False)
    assert network.cpt_frame("dose").index.equals(pd.Index([30, 40]))
    assert network.cpt_frame("age").columns.equals(network.query("age").index)


def test_a_labelled_frame_is_a_copy():
    asia = load_network("asia")
    frame = asia.cpt_frame("smoke")
    frame.iloc[0, 0] = 7.0
    assert asia == load_network("asia")
