from __future__ import annotations

import numpy as np
import pytest

from dagscape.core.errors import InvalidOption
from dagscape.networks.bundled import NETWORKS, load_network
from dagscape.networks.files import read_network
from oracles import networks as oracle


# The published cancer.bif is another network, of four edges.
@pytest.mark.parametrize("name", ["asia", "earthquake", "survey"])
def test_networks_are_the_published_ones(shared_data, name):
    published = read_network(shared_data / "networks" / f"{name}.bif.gz")
    assert load_network(name) == published
    assert set(load_network(name).dag.edges) == set(published.dag.edges)


def test_cancer_is_cooper_s():
    network = load_network("cancer")
    assert network.dag.edge_count == 5
    chance = {row: p for row, p in oracle.joint(network).items() if row == ("yes",) * 5 or row == ("no",) * 5}
    assert chance["yes", "yes", "yes", "yes", "yes"] == pytest.approx(0.2 * 0.8 * 0.2 * 0.8 * 0.8)
    assert chance["no", "no", "no", "no", "no"] == pytest.approx(0.8 * 0.8 * 0.95 * 0.95 * 0.4)
    assert network.cpts["coma"][..., 0].tolist() == [[0.8, 0.8], [0.8, 0.05]]


def test_the_sprinkler_gives_the_known_probabilities():
    # From the textbook: rain given that the sprinkler is on, and wet grass unconditionally.
    joint = oracle.joint(load_network("sprinkler"))
    sprinkler = sum(p for row, p in joint.items() if row[1] == "True")
    both = sum(p for row, p in joint.items() if row[1] == row[2] == "True")
    assert both / sprinkler == pytest.approx(0.3)
    assert sum(p for row, p in joint.items() if row[3] == "True") == pytest.approx(0.6471)


@pytest.mark.parametrize("name", NETWORKS)
def test_every_network_loads_twice_the_same_and_is_cited(name):
    network = load_network(name)
    assert network == load_network(name)
    assert network.name == name
    assert "]_" in NETWORKS[name].__doc__
    assert name in load_network.__doc__
    assert all(np.allclose(cpt.sum(axis=-1), 1, atol=1e-15) for cpt in network.cpts.values())


def test_unknown_names_are_answered_with_the_known_ones():
    with pytest.raises(InvalidOption, match="no bundled network 'alarm'; there are 'asia', 'cancer'"):
        load_network("alarm")


def test_the_error_about_a_network_that_is_not_bundled_names_where_it_is():
    with pytest.raises(
        InvalidOption, match=r"there is no bundled network 'alarm'; there are 'asia', .*; read_network\(\)"
    ):
        load_network("alarm")
    with pytest.raises(InvalidOption, match=r"bnlearn.com/bnrepository/$"):
        load_network("alarm")
    with pytest.raises(InvalidOption, match=r"'aisa'; did you mean 'asia'\?$"):
        load_network("aisa")
