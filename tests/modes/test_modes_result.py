"""The attributes of a list of modes, and saving it."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest

import dagscape as ds
from dagscape.modes.result import Modes

COLUMNS = ["length", "score", "diversity", "classes", "other_score", "other_diversity", "other_classes"]
MODE_COLUMNS = ["rank", "score", "times_less", "edges", "distance_to_best", "classes", "order"]


@pytest.fixture(scope="module")
def truth():
    return ds.load_network("asia")


@pytest.fixture(scope="module")
def scores(truth):
    return ds.local_scores(truth.sample(100, seed=2))


@pytest.fixture(scope="module")
def peaks(scores):
    return ds.modes(scores, 12, 1)


@pytest.fixture(scope="module")
def best(scores):
    return ds.k_best(scores, 9, "dags")


@pytest.fixture(scope="module")
def nothing(scores):
    """A search without any time."""
    with pytest.warns(ds.StoppedEarly, match="the search ran out of time after 0 modes"):
        return ds.modes(scores, 12, 1, max_seconds=1e-9)


def shd(first, second):
    return ds.compare(first, second)["shd"]


def mean_shd(networks):
    pairs = [shd(a, b) for a, b in itertools.combinations(networks, 2)]
    return sum(pairs) / len(pairs) if pairs else 0.0


def assert_same(back, result):
    assert type(back) is Modes
    assert back.to_dict() == result.to_dict()
    assert back.networks == result.networks
    assert back.scores.tolist() == result.scores.tolist()
    for name in ("orders", "delta", "distinct", "complete", "exhausted", "stopped", "bound", "variables"):
        assert getattr(back, name) == getattr(result, name), name
    for name in ("expanded", "generated", "failed", "merged"):
        assert getattr(back, name) == getattr(result, name), name


def test_results_survive_saving(scores, peaks, nothing, tmp_path):
    whole = ds.modes(scores, 10**6, 3, distinct="class", groups=2, max_seconds=1000)
    assert whole.exhausted
    assert whole.bound == -math.inf
    for result in (peaks, whole, nothing):
        path = tmp_path / "modes.json"
        result.save(path)
        assert_same(ds.load_result(path), result)
        assert_same(Modes.from_dict(json.loads(path.read_text(encoding="utf-8"))), result)


@pytest.mark.parametrize("part", ["networks", "scores", "orders"])
@pytest.mark.parametrize("kept", [0, 5])
def test_parts_that_do_not_match_are_refused(peaks, part, kept):
    document = peaks.to_dict()
    with pytest.raises(ds.InvalidData, match="do not match"):
        Modes.from_dict(document | {part: document[part][:kept]})


def test_provenance(scores, peaks):
    parameters = peaks.provenance.parameters
    assert peaks.provenance.method == "modes"
    assert (parameters["k"], parameters["delta"], parameters["distinct"]) == (12, 1, "network")
    assert (parameters["bound"], parameters["merge"], parameters["max_seconds"]) == ("auto", True, None)
    assert parameters["groups"] == [list(scores.variables)]
    assert parameters["scores"] == dict(scores.provenance.parameters)
    assert peaks.provenance.seconds["search"] > 0


def test_counts_of_prefixes(peaks, scores):
    assert peaks.expanded > 0
    assert peaks.generated >= peaks.expanded
    assert peaks.failed > 0
    apart = ds.modes(scores, 12, 1, merge=False)
    assert apart.merged == 0
    assert apart.expanded >= peaks.expanded


def test_frames(peaks):
    frame = peaks.to_frame()
    assert list(frame) == MODE_COLUMNS
    assert frame["rank"].tolist() == list(range(1, 13))
    assert frame["score"].tolist() == peaks.scores.tolist()
    assert frame["times_less"].tolist() == np.exp(peaks.scores[0] - peaks.scores).tolist()
    assert frame["edges"].tolist() == [network.edge_count for network in peaks.networks]
    assert frame["distance_to_best"].tolist() == [shd(network, peaks.networks[0]) for network in peaks.networks]
    cpdags = [network.to_cpdag() for network in peaks.networks]
    assert frame["classes"].tolist() == [len(set(cpdags[:length])) for length in range(1, 13)]
    assert frame["order"].tolist() == list(peaks.orders)


def test_networks_that_are_hopelessly_worse_do_not_overflow():
    scores = ds.FamilyTable({"a": {(): -1e4, ("b",): 0.0}, "b": {(): 0.0, ("a",): 1e4 + 1.0}})
    frame = ds.modes(scores, 5, 0).to_frame()
    assert frame["score"].tolist() == [1.0, 0.0]
    far = ds.FamilyTable({"a": {(): 0.0, ("b",): 1.0}, "b": {(): 0.0, ("a",): 1e4}})
    assert ds.modes(far, 5, 0).to_frame()["times_less"].tolist() == [1.0, math.inf]


def test_diversity(peaks, truth):
    assert len(peaks) == 12
    assert list(peaks) == list(peaks.networks)
    assert peaks[3] == peaks.networks[3]
    assert list(peaks.cpdags) == [network.to_cpdag() for network in peaks.networks]
    assert peaks.classes == len(set(peaks.cpdags))
    assert peaks.diversity.tolist() == [mean_shd(peaks.networks[:length]) for length in range(1, 13)]
    to_truth = [shd(network, truth) for network in peaks.networks]
    assert peaks.oracle_accuracy(truth).tolist() == np.minimum.accumulate(to_truth).tolist()
    assert peaks.oracle_accuracy(truth.dag.to_cpdag()).tolist() == peaks.oracle_accuracy(truth).tolist()


def test_comparison_with_the_best_networks(peaks, best, truth):
    frame = peaks.compare(best)
    assert list(frame) == COLUMNS
    # Up to the length of the shorter list.
    assert frame["length"].tolist() == list(range(1, 10))
    assert frame["score"].tolist() == peaks.scores[:9].tolist()
    assert frame["other_score"].tolist() == best.scores.tolist()
    for prefix, networks in (("", peaks.networks), ("other_", best.networks)):
        assert frame[f"{prefix}diversity"].tolist() == [mean_shd(networks[:length]) for length in range(1, 10)]
        cpdags = [network.to_cpdag() for network in networks]
        assert frame[f"{prefix}classes"].tolist() == [len(set(cpdags[:length])) for length in range(1, 10)]
    known = peaks.compare(best, truth)
    assert set(known) == {*COLUMNS, "distance", "other_distance"}
    assert known[COLUMNS].equals(frame)
    assert known["distance"].tolist() == peaks.oracle_accuracy(truth)[:9].tolist()
    to_truth = [shd(network, truth) for network in best.networks]
    assert known["other_distance"].tolist() == np.minimum.accumulate(to_truth).tolist()
    # The k best are at least as good as the modes, one by one.
    assert (frame["other_score"] >= frame["score"]).all()


def test_comparison_with_classes_and_with_modes(scores, peaks, truth):
    classes = ds.k_best(scores, 20)
    assert peaks.compare(classes)["other_classes"].tolist() == list(range(1, 13))
    own = peaks.compare(peaks, truth)
    for name in ("score", "diversity", "classes", "distance"):
        assert own[name].tolist() == own[f"other_{name}"].tolist()


def test_comparison_with_something_else(peaks, best):
    message = r"other is a list; it must be a list of networks, the result of k_best\(\) or modes\(\)"
    with pytest.raises(ds.InvalidOption, match=message):
        peaks.compare(list(best.networks))
    other = ds.modes(ds.local_scores(ds.load_network("cancer").sample(50, seed=1)))
    with pytest.raises(ds.InvalidOption, match="the two results do not have the same variables"):
        peaks.compare(other)


def test_comparison_with_a_wrong_truth(peaks, best):
    with pytest.raises(ds.InvalidOption, match="a str is not a structure"):
        peaks.compare(best, "asia")
    with pytest.raises(ds.InvalidOption, match="a dict is not a structure"):
        peaks.oracle_accuracy({})


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["svg", "png"])
@pytest.mark.parametrize("with_truth", [False, True])
def test_curves_are_drawn(peaks, best, truth, tmp_path, ending, with_truth):
    pytest.importorskip("matplotlib")
    path = tmp_path / f"curves.{ending}"
    peaks.plot(path, best, truth if with_truth else None)
    content = path.read_bytes()
    if ending == "png":
        assert content.startswith(b"\x89PNG")
        return
    text = content.decode()
    assert "average distance within the list" in text
    assert "different classes" in text
    assert ("least distance to the known structure" in text) == with_truth
    assert ">modes" in text
    assert ">the k best" in text
    # The file is reproducible.
    peaks.plot(path, best, truth if with_truth else None)
    assert path.read_bytes() == content


def test_curves_of_the_modes_alone(peaks, truth, tmp_path):
    pytest.importorskip("matplotlib")
    path = tmp_path / "curves.svg"
    peaks.plot(path, truth=truth)
    text = path.read_text(encoding="utf-8")
    assert ">modes" in text
    assert "the k best" not in text


def test_curves_of_an_unknown_format(peaks, best, tmp_path):
    with pytest.raises(ds.InvalidOption, match=r"its name must end in one of \.svg, \.png, \.pdf"):
        peaks.plot(tmp_path / "curves.txt", best)


def test_repr(scores, peaks, nothing):
    assert repr(peaks) == f"Modes(12 networks of {peaks.classes} classes, delta 1, best {peaks.scores[0]:.4f})"
    alone = ds.modes(ds.FamilyTable({"a": {(): -2.5}}), 3, 2)
    assert repr(alone) == "Modes(1 network of 1 class, delta 2, best -2.5000, no others)"
    assert repr(nothing) == "Modes(0 networks of 0 classes, delta 1, stopped for time)"


def test_an_empty_result(nothing, best, truth, tmp_path):
    assert len(nothing) == nothing.classes == 0
    assert (nothing.complete, nothing.exhausted, nothing.stopped) == (False, False, "time")
    assert nothing.networks.parents.shape == (0, 8, 1)
    assert nothing.scores.tolist() == nothing.diversity.tolist() == nothing.oracle_accuracy(truth).tolist() == []
    assert nothing.orders == ()
    assert nothing.bound >= best.scores[0]
    assert list(nothing.to_frame()) == MODE_COLUMNS
    assert len(nothing.to_frame()) == 0
    frame = nothing.compare(best, truth)
    assert list(frame["length"]) == []
    assert set(frame) == {*COLUMNS, "distance", "other_distance"}
    for other in (None, best):
        with pytest.raises(ds.InvalidOption, match="there are no networks to draw"):
            nothing.plot(tmp_path / "curves.svg", other)
