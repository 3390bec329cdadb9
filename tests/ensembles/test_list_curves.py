"""Curves over the length of lists, compared with comparisons of every two networks."""

from __future__ import annotations

import itertools

import pytest

import dagscape as ds


@pytest.fixture(scope="module")
def asia():
    return ds.load_network("asia")


@pytest.fixture(scope="module")
def scores(asia):
    return ds.local_scores(asia.sample(200, seed=1))


def mean_shd(dags, level):
    pairs = [ds.compare(a, b, level)["shd"] for a, b in itertools.combinations(dags, 2)]
    return sum(pairs) / len(pairs) if pairs else 0.0


@pytest.mark.parametrize("level", ["classes", "dags"])
def test_curves_are_those_of_every_prefix(asia, scores, level):
    best = ds.k_best(scores, 6, space="dags")
    (curve,) = ds.list_curves(best, asia, level=level)
    assert curve.name == "the k best"
    for length in range(1, 7):
        first = best.networks[:length]
        assert curve.diversity[length - 1] == pytest.approx(mean_shd(first, level))
        assert curve.classes[length - 1] == len({dag.to_cpdag() for dag in first})
        assert curve.distance[length - 1] == min(ds.compare(dag, asia, level)["shd"] for dag in first)


def test_any_list_of_networks_is_taken(asia, scores):
    best, peaks = ds.k_best(scores, 5, space="dags"), ds.modes(scores, 5, delta=1)
    boot = ds.bootstrap(asia.sample(100, seed=2), "greedy", samples=4, workers=1)
    backwards = [dag.reordered(asia.variables[::-1]) for dag in best]
    lists = {"a": best, "b": peaks, "c": boot, "d": list(best), "e": backwards, "f": [asia, asia.dag]}
    found = ds.list_curves(lists, asia)
    assert [curve.name for curve in found] == list(lists)
    for name in "de":
        assert found[name].diversity == found["a"].diversity
        assert found[name].distance == found["a"].distance
    assert found["a"].diversity == tuple(best.diversity)
    assert found["b"].distance == tuple(peaks.oracle_accuracy(asia))
    assert found["f"].distance == (0, 0)
    assert found.variables == best.variables
    frame = found.to_frame()
    assert list(frame) == ["list", "length", "diversity", "classes", "distance"]
    assert len(frame) == 5 + 5 + 4 + 5 + 5 + 2
    assert "distance" not in ds.list_curves(best).to_frame()


def test_the_level_is_that_of_the_scores(asia):
    k2 = ds.modes(ds.local_scores(asia.sample(100, seed=1), score="k2"), 4)
    assert ds.list_curves({"best": [asia], "k2": k2}).level == "dags"
    assert ds.list_curves([asia]).level == "classes"


@pytest.mark.slow
def test_the_plot(asia, scores, tmp_path):
    pytest.importorskip("matplotlib")
    lists = {"k best": ds.k_best(scores, 5), "modes": ds.modes(scores, 3)}
    ds.list_curves(lists, asia).plot(tmp_path / "curves.svg")
    text = (tmp_path / "curves.svg").read_text()
    assert all(word in text for word in ("k best", "modes", "least distance to the known structure"))


def test_what_is_refused(asia, scores):
    cases = [
        ({"lists": 3}, "holds an int, not a list of networks"),
        ({"lists": "asia"}, "not a list of networks"),
        ({"lists": []}, "without networks"),
        ({"lists": {}}, "at least one list"),
        ({"lists": [asia, 3]}, "holds an int, which is not a network"),
        ({"lists": [asia, ds.load_network("cancer")]}, "does not have the variables of the first network"),
        ({"lists": {"a": [asia], "b": [ds.load_network("cancer")]}}, "does not have the variables"),
        ({"lists": [asia], "level": "trees"}, "level is 'trees'"),
        ({"lists": [asia], "truth": ds.load_network("cancer")}, "does not have the variables"),
    ]
    for options, message in cases:
        with pytest.raises(ds.InvalidOption, match=message):
            ds.list_curves(**options)
    with pytest.raises(ds.InvalidOption, match="there is no list 'x': there are 'networks'"):
        ds.list_curves([asia])["x"]
