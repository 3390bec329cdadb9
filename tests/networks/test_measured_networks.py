"""Networks with measured variables as objects: construction, equality, files, frames, graphs and pictures."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core.errors import InvalidData, InvalidOption
from dagscape.networks.json_documents import measured_network_from_dict
from dagscape.networks.writing import measured_network_to_dict
from networks.samples import random_conditional

CHAIN = ds.Dag(["x", "y"], [("x", "y")])
LINE = {"x": ds.Regression(0.0), "y": ds.Regression(1.0, [2.0], 0.5)}
FORK = ds.Dag(["d", "x", "y"], [("d", "x"), ("d", "y"), ("x", "y")])
STATES = {"x": ds.Regression([0.0, 5.0], [], [1.0, 2.0]), "y": ds.Regression([1.0, 0.0], [[2.0], [-1.0]], [0.5, 1.5])}


def fork(**changes):
    parts = {"levels": {"d": ["a", "b"]}, "cpts": {"d": [0.25, 0.75]}, "regressions": STATES} | changes
    return ds.ConditionalGaussianNetwork(FORK, **parts)


@pytest.mark.parametrize(
    ("regressions", "problem"),
    [
        ({"x": LINE["x"]}, "the network has no regression for 'y'"),
        (LINE | {"z": LINE["x"]}, "the network has regression for 'z', which its graph lacks"),
        (LINE | {"y": 3.0}, "the regression of 'y' is a float; it must be a Regression"),
        (LINE | {"y": LINE["x"]}, r"the regression of 'y' has coefficients of shape \(0,\); it must be \(1,\)"),
        (LINE | {"y": STATES["y"]}, r"intercepts of shape \(2,\); it must be \(\)"),
        (LINE | {"y": ds.Regression(1.0, [np.nan], 0.5)}, "the coefficients of 'y' include nan"),
        (LINE | {"y": ds.Regression(np.inf, [1.0], 0.5)}, "the intercepts of 'y' include inf"),
        (LINE | {"y": ds.Regression(1.0, [1.0], -0.5)}, "the standard deviation of 'y' is -0.5"),
        (LINE | {"y": ds.Regression(1.0, [1.0], np.nan)}, "the standard deviation of 'y' is nan"),
        (LINE | {"y": ds.Regression(1.0, [1.0], 0.0)}, "the standard deviation of 'y', which has parents, is 0"),
        (LINE | {"y": ds.Regression(1.0, [1.0], 1.0, [1.0], 3)}, r"standard errors of shape \(1,\); it must be \(2,\)"),
    ],
)
def test_regressions_are_checked(regressions, problem):
    with pytest.raises(InvalidData, match=problem):
        ds.GaussianNetwork(CHAIN, regressions)


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"levels": {"d": ["a"]}}, r"the probabilities of 'd' have shape \(2,\); it must be \(1,\)"),
        ({"levels": {"d": ["a", "b"], "e": ["c"]}}, "the network has levels for 'e', which its graph lacks"),
        ({"cpts": {}}, "the network has no probabilities for 'd'"),
        ({"cpts": {"d": [0.5, 0.6]}}, "the probabilities of 'd' sum to 1.1"),
        ({"regressions": {"x": STATES["x"]}}, "the network has no regression for 'y'"),
        ({"regressions": STATES | {"x": LINE["x"]}}, r"intercepts of shape \(\); it must be \(2,\)"),
    ],
)
def test_parts_of_conditional_networks_are_checked(changes, problem):
    with pytest.raises(InvalidData, match=problem):
        fork(**changes)


def test_numbers_that_are_none():
    with pytest.raises(InvalidData, match="the intercepts of a regression are not an array of numbers"):
        ds.Regression("high")
    with pytest.raises(InvalidOption, match="dag is a list; it must be a Dag"):
        ds.GaussianNetwork([], {})


def test_a_measured_parent_of_a_discrete_variable_is_refused():
    dag = ds.Dag(["x", "d"], [("x", "d")])
    with pytest.raises(InvalidData, match="'d' is discrete and has a measured parent, 'x'"):
        ds.ConditionalGaussianNetwork(dag, {"d": ["a", "b"]}, {"d": [0.5, 0.5]}, {"x": LINE["x"]})


def test_networks_are_values():
    network = fork()
    assert network == fork()
    assert hash(network) == hash(fork(name="other"))
    assert network != fork(cpts={"d": [0.5, 0.5]})
    assert network != fork(levels={"d": ["a", "c"]})
    assert ds.GaussianNetwork(CHAIN, LINE) != ds.GaussianNetwork(CHAIN, LINE | {"x": ds.Regression(0.1)})
    assert ds.GaussianNetwork(CHAIN, LINE) != ds.ConditionalGaussianNetwork(CHAIN, {}, {}, LINE)
    for twin in (pickle.loads(pickle.dumps(network)), copy.deepcopy(network)):
        assert twin == network
        assert twin.types == network.types
    assert pickle.loads(pickle.dumps(ds.GaussianNetwork(CHAIN, LINE))) == ds.GaussianNetwork(CHAIN, LINE)
    with pytest.raises(ValueError, match="read-only"):
        network.regressions["x"].intercept[0] = 3
    with pytest.raises(TypeError):
        network.regressions["x"] = LINE["x"]


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_files_keep_everything(seed):
    network = random_conditional(seed, seed % 3, 3)
    document = json.loads(json.dumps(measured_network_to_dict(network)))
    again = measured_network_from_dict(document)
    assert again == network
    assert type(again) is type(network)
    assert again.types == network.types


def test_files_on_disk(tmp_path):
    rng = np.random.default_rng(0)
    values = ds.NumericData.from_array(rng.normal(size=(20, 2)), ["x", "y"])
    fitted = ds.GaussianNetwork.fit(CHAIN, values, name="two")
    for network in (fitted, fork(name="three", types={"d": "mixed"})):
        for name in ("n.json", "n.json.gz"):
            ds.write_network(network, tmp_path / name)
            again = ds.read_network(tmp_path / name)
            assert (again, again.name, again.types) == (network, network.name, network.types)
            assert again.coefficients().equals(network.coefficients())
    for ending in ("bif", "xmlbif", "xdsl"):
        with pytest.raises(InvalidOption, match=r"this one has measured variables, such as 'x': .*json"):
            fitted.save(tmp_path / f"n.{ending}")
    with pytest.raises(InvalidData, match=r"is a gaussian-network, not a result: .*read_network"):
        ds.load_result(_saved(fitted, tmp_path))
    with pytest.raises(InvalidData, match=r"is a network, not a table of data: read it with read_network"):
        ds.read_data(_saved(fitted, tmp_path))


def _saved(network, folder):
    network.save(folder / "n.json")
    return folder / "n.json"


def test_axes_follow_the_order_of_parents_in_the_document():
    network = random_conditional(8, 2, 3, density=1.0)
    document = measured_network_to_dict(network)
    name = network.dag.topological_order()[-1]
    parents = document["parents"][name]
    found, states = document["regressions"][name], [parent for parent in parents if parent in network.levels]
    assert len(states) == 2
    assert len(parents) == 4
    document["parents"][name] = parents[::-1]
    for field in ("intercept", "sd"):
        found[field] = np.array(found[field]).T.tolist()
    found["coefficients"] = np.array(found["coefficients"]).transpose([1, 0, 2])[..., ::-1].tolist()
    assert measured_network_from_dict(document) == network


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda d: d["regressions"].pop("y"), "'regressions' has no entry for 'y'"),
        (lambda d: d["regressions"].update(y=3), "regressions.y is an int; it must be an object"),
        (lambda d: d["regressions"]["y"].pop("sd"), "regressions.y lacks 'sd'"),
        (lambda d: d["regressions"]["y"].update(sd=0.5), "regressions.y.sd has 0 axes; it must be 1"),
        (lambda d: d["regressions"]["y"].update(sd=["a", "b"]), "regressions.y.sd is 'a'"),
        (lambda d: d["regressions"]["y"].update(coefficients=[[], []]), "has rows of 0 numbers; it must be 1"),
        (lambda d: d["regressions"]["y"].update(standard_errors=[[1.0], [1.0]]), "rows of 1 numbers; it must be 2"),
        (lambda d: d["regressions"]["x"].update(intercept=[1.0, 2.0, 3.0]), r"shape \(3,\)|shape \(2, 0\)"),
        (
            lambda d: d.update(parents={"d": ["x"], "x": [], "y": ["d", "x"]}),
            "'d' is discrete and has a measured parent",
        ),
        (lambda d: d.update(kind="gaussian-network"), "it has levels of 'd'; its kind would be"),
        (lambda d: d.update(schema=99), "has schema 99 of 'conditional-gaussian-network'"),
        (lambda d: d["cpts"].update(d=[0.5, 0.4]), "sum to 0.9"),
    ],
)
def test_damaged_documents(change, problem, tmp_path):
    document = measured_network_to_dict(fork())
    change(document)
    path = tmp_path / "network.json"
    path.write_text(json.dumps(document))
    with pytest.raises(InvalidData, match=problem):
        ds.read_network(path)


def test_the_frame_of_coefficients():
    frame = fork().coefficients()
    assert frame["variable"].tolist() == ["x"] * 4 + ["y"] * 6
    assert frame["state"].tolist() == ["d = a"] * 2 + ["d = b"] * 2 + ["d = a"] * 3 + ["d = b"] * 3
    assert frame["term"].tolist() == ["(intercept)", "(sd)"] * 2 + ["(intercept)", "x", "(sd)"] * 2
    assert frame["estimate"].tolist() == [0.0, 1.0, 5.0, 2.0, 1.0, 2.0, 0.5, 0.0, -1.0, 1.5]
    assert frame[["standard_error", "t", "p"]].isna().all(axis=None)


def test_p_values_are_those_of_student():
    from scipy import stats

    rng = np.random.default_rng(0)
    x = rng.normal(size=12)
    y = 0.4 * x + rng.normal(size=12)
    network = ds.GaussianNetwork.fit(CHAIN, ds.NumericData.from_array(np.column_stack([x, y]), ["x", "y"]), "ml")
    expected = stats.linregress(x, y)
    row = network.coefficients().iloc[3]
    assert row["term"] == "x"
    assert (row["estimate"], row["standard_error"], row["p"]) == pytest.approx(
        (expected.slope, expected.stderr, expected.pvalue), rel=1e-9
    )


def test_graphs_of_networkx_have_coefficients():
    graph = ds.GaussianNetwork(CHAIN, LINE).to_networkx()
    assert list(graph.edges(data=True)) == [("x", "y", {"coefficient": 2.0})]
    graph = fork().to_networkx()
    assert graph.edges["x", "y"]["coefficient"].tolist() == [2.0, -1.0]
    assert graph.edges["d", "y"] == {}


def test_drawings_show_standardised_coefficients():
    network = ds.GaussianNetwork(CHAIN, LINE)
    # The standard deviation of y is the root of 2² + 0.5².
    picture = ds.draw(network)
    assert f">+{2 / 4.25**0.5:.2f}<" in picture
    assert "standardised coefficients" in picture
    weak = ds.draw(ds.GaussianNetwork(CHAIN, LINE | {"y": ds.Regression(1.0, [-0.1], 0.5)}))
    assert ">\N{MINUS SIGN}0.20<" in weak
    both = ds.draw(fork())
    sds = {name: fork().query(name).sd for name in "xy"}
    low, high = (coefficient * sds["x"] / sds["y"] for coefficient in (-1.0, 2.0))
    assert f">\N{MINUS SIGN}{-low:.2f} …<" in both
    assert f">+{high:.2f}<" in both
    assert "the least and the most over" in both
    assert 'label="+0.97"' in ds.drawing.dot.to_dot(network)
    assert ds.draw(network, weights=[[0, 0.5], [0, 0]], effects=None).count("probability") > 0
    assert "<svg" in network._repr_svg_()


def test_networks_that_are_too_large_to_standardise_are_drawn_without_numbers():
    names = [f"d{i}" for i in range(32)]
    edges = [*((name, "x") for name in names[:16]), *((name, "y") for name in names[16:]), ("x", "y")]
    states = (2,) * 16
    network = ds.ConditionalGaussianNetwork(
        ds.Dag([*names, "x", "y"], edges),
        dict.fromkeys(names, ("a", "b")),
        dict.fromkeys(names, (0.5, 0.5)),
        {
            "x": ds.Regression(np.zeros(states), np.zeros((*states, 0)), np.ones(states)),
            "y": ds.Regression(np.zeros(states), np.ones((*states, 1)), np.ones(states)),
        },
    )
    assert network.drawable.texts == {}


def test_mixtures():
    mixture = ds.NormalMixture("x", [0.2, 0.8], [0.0, 3.0], [1.0, 2.0])
    draws = np.random.default_rng(0)
    which = draws.random(400_000) < 0.2
    values = np.where(which, draws.normal(0, 1, which.size), draws.normal(3, 2, which.size))
    assert (mixture.mean, mixture.sd) == pytest.approx((values.mean(), values.std()), abs=0.02)
    for level in (0.01, 0.3, 0.5, 0.99):
        assert mixture.quantile(level) == pytest.approx(np.quantile(values, level), abs=0.05)
        assert mixture.cdf(mixture.quantile(level)) == pytest.approx(level, abs=1e-14)
    grid = np.linspace(-12, 16, 4001)
    densities = [mixture.density(value) for value in grid]
    assert np.trapezoid(densities, grid) == pytest.approx(1, abs=1e-9)
    assert mixture.to_frame()["weight"].tolist() == [0.2, 0.8]
    point = ds.NormalMixture("x", [1.0], [3.0], [0.0])
    assert (point.density(3.0), point.density(2.0), point.cdf(3.0), point.cdf(2.9)) == (np.inf, 0.0, 1.0, 0.0)


@pytest.mark.parametrize(
    ("parts", "problem"),
    [
        (([0.5, 0.6], [0, 1], [1, 1]), "not probabilities that sum to 1"),
        (([1.0], [0, 1], [1, 1]), "they must be equal"),
        (([], [], []), "a mixture has an array of weights"),
        (([1.0], ["a"], [1]), "the means of a mixture are not an array of numbers"),
        (([1.0], [0.0], [-1.0]), "sds at least 0"),
    ],
)
def test_mixtures_that_are_none(parts, problem):
    with pytest.raises(InvalidData, match=problem):
        ds.NormalMixture("x", *parts)


def test_weights_sum_to_one_whatever_is_given():
    mixture = ds.NormalMixture("x", [0.2, 0.8 + 9e-7], [0.0, 3.0], [1.0, 2.0])
    assert mixture.weights.sum() == pytest.approx(1, abs=1e-15)
    assert mixture.cdf(1e6) == pytest.approx(1, abs=1e-15)
    moved = ds.NormalMixture("x", mixture.weights, [1e6, 1e6 + 3], [1.0, 2.0])
    assert moved.sd == pytest.approx(mixture.sd, rel=1e-9)
    assert not mixture.weights.flags.writeable


def test_levels_of_quantiles_are_probabilities():
    mixture = ds.NormalMixture("x", [1.0], [0.0], [1.0])
    with pytest.raises(InvalidOption, match="level is 1; it must be a number above 0 and below 1"):
        mixture.quantile(1)
    with pytest.raises(InvalidOption, match="value is a str; it must be a number"):
        mixture.cdf("high")
