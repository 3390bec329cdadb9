from __future__ import annotations

import copy
import gzip
import json
import pickle

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dagscape.core.errors import InvalidData
from dagscape.data.discrete.discretizing import Discretizer
from dagscape.graphs.dag import Dag
from dagscape.networks.bundled import NETWORKS, load_network
from dagscape.networks.discrete.network import Network
from dagscape.networks.files import read_network, write_network
from dagscape.networks.json_documents import network_from_dict
from dagscape.networks.writing import network_to_dict


def typed_network() -> Network:
    """A network with text, integers, numbers, booleans and intervals."""
    frame = pd.DataFrame(
        {
            "size": [0.5, 1.5, 2.5, 9.5, 1.25, 3.5],
            "dose": [0.5, 1.5, 0.5, 1.5, 1.5, 0.5],
            "ill": [True, False, True, True, False, True],
            "age": [3, 1, 2, 3, 1, 1],
            "zip": ["01", "1", "01", "1", "01", "1"],
        }
    )
    data = Discretizer(method="quantile", bins=2).fit(frame, levels={"dose": [0.5, 1.5]}).apply(frame)
    return Network.fit(
        Dag.from_edges(data.variables, [("size", "ill"), ("age", "ill"), ("ill", "zip")]), data, name="t"
    )


@pytest.mark.parametrize("ending", [".json", ".JSON", ".json.gz"])
@pytest.mark.parametrize("name", [*NETWORKS, "typed"])
def test_everything_comes_back(tmp_path, name, ending):
    network = typed_network() if name == "typed" else load_network(name)
    path = tmp_path / f"network{ending}"
    write_network(network, path)
    again = read_network(path)
    assert again == network
    assert (again.name, again.types, again.discretizer) == (network.name, network.types, network.discretizer)
    assert path.read_bytes().startswith(b"\x1f\x8b") == ending.endswith(".gz")


def test_fitting_fills_types_and_discretizer():
    network = typed_network()
    expected = {"size": "text", "dose": "number", "ill": "boolean", "age": "integer", "zip": "text"}
    assert dict(network.types) == expected
    assert network.discretizer.cuts["size"].tolist() == [2.0]
    for again in (pickle.loads(pickle.dumps(network)), copy.deepcopy(network)):
        assert (again, again.types, again.discretizer) == (network, network.types, network.discretizer)


def test_types_default_to_those_of_the_levels():
    dag = Dag.from_edges(["a", "b"])
    cpts = {"a": [0.5, 0.5], "b": [0.5, 0.5]}
    assert dict(Network(dag, {"a": ["0", "1"], "b": ["0", "x"]}, cpts).types) == {"a": "integer", "b": "text"}
    with pytest.raises(InvalidData, match="the type of 'a' is 'date'; it must be one of 'text', 'integer'"):
        Network(dag, {"a": ["0", "1"], "b": ["0", "x"]}, cpts, types={"a": "date"})
    with pytest.raises(InvalidData, match="a type for 'c', which its graph lacks"):
        Network(dag, {"a": ["0", "1"], "b": ["0", "x"]}, cpts, types={"c": "text"})


def test_a_frame_can_be_fitted():
    frame = pd.DataFrame({"rain": ["no", "yes", "yes", "no"], "wet": [0, 1, 1, 1]})
    network = Network.fit(Dag.from_edges(["rain", "wet"], [("rain", "wet")]), frame, prior="none")
    assert network.cpts["wet"].tolist() == [[0.5, 0.5], [0.0, 1.0]]
    assert dict(network.types) == {"rain": "text", "wet": "integer"}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.text(min_size=1), min_size=1, max_size=3, unique=True),
    st.lists(st.text(), min_size=1, max_size=3, unique=True),
    st.integers(0, 1000),
)
def test_any_names_and_numbers_come_back(tmp_path, names, levels, seed):
    dag = Dag.from_edges(names, [(name, names[-1]) for name in names[:-1]])
    generator = np.random.default_rng(seed)
    tables = {name: generator.random([len(levels)] * (len(dag.parents(name)) + 1)) ** 20 for name in names}
    cpts = {name: table / table.sum(axis=-1, keepdims=True) for name, table in tables.items()}
    network = Network(dag, dict.fromkeys(names, tuple(levels)), cpts, names[0])
    write_network(network, tmp_path / "odd.json")
    assert read_network(tmp_path / "odd.json") == network


def test_parents_in_another_order_are_transposed():
    document = network_to_dict(load_network("survey"))
    document["parents"]["T"] = document["parents"]["T"][::-1]
    document["cpts"]["T"] = np.array(document["cpts"]["T"]).swapaxes(0, 1).tolist()
    assert network_from_dict(document) == load_network("survey")


BROKEN = [
    (lambda d: d.clear(), "is not a network of dagscape: it has no kind"),
    (lambda d: d.update(kind="k-best"), "is not a network of dagscape: its kind is 'k-best', not 'network'"),
    (lambda d: d.update(schema=7), "has schema 7 of 'network'; this version of dagscape reads 1"),
    (lambda d: d.pop("variables"), "variables is None; it must be a list"),
    (lambda d: d.update(variables=[]), "the network has no variables"),
    (lambda d: d.update(variables=["asia", "asia"]), "variables must be different from each other"),
    (lambda d: d.pop("levels"), "'levels' is a NoneType; it must be an object with an entry for each variable"),
    (lambda d: d["levels"].pop("tub"), "'levels' has no entry for 'tub'"),
    (lambda d: d["levels"].update(tub=[1, 2]), r"levels.tub\[0\] is 1; it must be a string"),
    (lambda d: d["parents"].update(asia=["either"]), "cycle"),
    (lambda d: d["parents"].update(asia=["nobody"]), "nobody"),
    (lambda d: d["cpts"].update(tub=[[0.5, 0.5]]), r"the probabilities of 'tub' given 'asia' have shape \(1, 2\)"),
    (lambda d: d["cpts"].update(tub=[0.5, 0.5]), "the probabilities of 'tub' have 1 axes; it must be 2"),
    (
        lambda d: d["cpts"].update(tub=[[0.5, 0.6], [1, 0]]),
        "the probabilities of 'tub' given 'asia' = 'yes' sum to 1.1",
    ),
    (lambda d: d["cpts"].update(tub="x"), "cpts.tub is 'x'; it must be a list"),
    (lambda d: d["cpts"].update(tub=[[0.5], [1, 0]]), "cpts.tub is not an array: its lists must have equal"),
    (lambda d: d["cpts"].update(tub=[[float("nan"), 1], [1, 0]]), "include nan"),
    (lambda d: d.update(types=[]), "types is a list; it must be an object"),
    (lambda d: d.update(types={"tub": 3}), "types.tub is 3; it must be a string"),
    (lambda d: d.update(name=3), "name is 3; it must be a string"),
    (lambda d: d.update(discretizer=[]), "the document is not a discretizer"),
]


@pytest.mark.parametrize(("damage", "sentence"), BROKEN)
def test_wrong_documents_give_one_sentence(tmp_path, damage, sentence):
    document = network_to_dict(load_network("asia"))
    damage(document)
    (tmp_path / "m.json").write_text(json.dumps(document))
    with pytest.raises(InvalidData, match=sentence) as caught:
        read_network(tmp_path / "m.json")
    assert "m.json" in str(caught.value)


@pytest.mark.parametrize("text", ["{", "{}}", '{"a":' * 100_000, '{"kind": "network", }'])
def test_text_that_is_not_json_is_refused(tmp_path, text):
    (tmp_path / "m.json.gz").write_bytes(gzip.compress(text.encode()))
    with pytest.raises(InvalidData, match=r"m.json.gz' is (not JSON|nested too deeply)"):
        read_network(tmp_path / "m.json.gz")


def test_every_truncation_is_refused(tmp_path):
    write_network(load_network("sprinkler"), tmp_path / "m.json")
    text = (tmp_path / "m.json").read_text().rstrip()
    for length in range(1, len(text), 7):
        (tmp_path / "m.json").write_text(text[:length])
        with pytest.raises(InvalidData):
            read_network(tmp_path / "m.json")


@pytest.mark.parametrize("ending", ["json", "bif.gz"])
def test_a_network_saves_itself(tmp_path, ending):
    asia = load_network("asia")
    asia.save(tmp_path / f"asia.{ending}")
    write_network(asia, tmp_path / f"same.{ending}")
    assert (tmp_path / f"asia.{ending}").read_bytes() == (tmp_path / f"same.{ending}").read_bytes()
    assert read_network(tmp_path / f"asia.{ending}") == asia
