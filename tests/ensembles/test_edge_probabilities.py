from __future__ import annotations

import numpy as np
import pytest

import dagscape as ds
from dagscape.graphs import consensus


@pytest.fixture(scope="module")
def scores():
    return ds.local_scores(ds.load_network("asia").sample(300, seed=2))


@pytest.fixture(scope="module", params=["posterior", "k_best"])
def result(request, scores):
    return ds.posterior(scores) if request.param == "posterior" else ds.k_best(scores, 50)


def test_adjacencies_are_the_sums_of_both_directions(result):
    expected = np.minimum(result.edges + result.edges.T, 1)
    np.testing.assert_array_equal(result.adjacencies, expected)
    u, v = result.variables[2], result.variables[5]
    assert result.adjacency(u, v) == result.adjacency(v, u) == min(1, result.edge(u, v) + result.edge(v, u))
    with pytest.raises(ds.InvalidOption, match="did you mean 'smoke'"):
        result.adjacency("smok", u)


def test_rounding_never_lifts_an_adjacency_above_one():
    certain = ds.FamilyTable({"a": {(): 0.0, ("b",): 50.0}, "b": {(): 0.0, ("a",): 50.0}})
    post = ds.posterior(certain)
    assert post.adjacency("a", "b") <= 1.0
    assert post.adjacency("a", "b") > 1 - 1e-12


@pytest.mark.parametrize(
    ("feature", "axes"), [("edges", ("parent", "child")), ("ancestors", ("ancestor", "descendant"))]
)
def test_wide_frames_are_labelled(result, feature, axes):
    frame = result.to_frame(wide=True, feature=feature)
    assert (frame.index.name, frame.columns.name) == axes
    assert (
        frame.loc["smoke", "lung"]
        == getattr(result, feature)[result.variables.index("smoke"), result.variables.index("lung")]
    )
    assert frame.index.tolist() == frame.columns.tolist() == list(result.variables)


def test_wide_frames_of_edges_are_the_default_and_can_be_drawn(result):
    frame = result.to_frame(wide=True)
    np.testing.assert_array_equal(frame, result.edges)
    shuffled = frame.sample(frac=1, random_state=1)
    dag = result.consensus()
    assert ds.draw(dag, weights=shuffled) == ds.draw(dag, weights=result.edges)


def test_unknown_features_are_refused(result, scores):
    with pytest.raises(ds.InvalidOption, match="feature is 'paths'; it must be one of 'edges', 'adjacencies'"):
        result.to_frame(wide=True, feature="paths")
    with pytest.raises(ds.InvalidOption, match="only if asked for: use ancestors=True"):
        ds.posterior(scores, "orders").to_frame(wide=True, feature="ancestors")


@pytest.mark.parametrize("feature", ["adjacencies", "ancestors", "paths"])
def test_features_of_frames_that_are_not_wide_are_refused(result, feature):
    with pytest.raises(ds.InvalidOption, match=f"feature is '{feature}', which chooses .* use wide=True"):
        result.to_frame(feature=feature)
    assert result.to_frame(feature="edges").equals(result.to_frame())


def test_long_frames_have_adjacency(scores):
    for over, columns in (("dags", ["edge", "ancestor", "adjacent"]), ("orders", ["edge", "adjacent"])):
        post = ds.posterior(scores, over)
        frame = post.to_frame()
        assert frame.columns.tolist() == ["source", "target", *columns]
        for row in frame.itertuples():
            assert row.adjacent == post.adjacency(row.source, row.target)


def test_documents_have_adjacencies_and_load_without_them(result, tmp_path):
    document = result.to_dict()
    assert document["adjacencies"] == result.adjacencies.tolist()
    del document["adjacencies"]
    assert type(result).from_dict(document) == result
    result.save(tmp_path / "result.json")
    assert ds.load_result(tmp_path / "result.json") == result


def test_the_consensus_has_the_edges_above_one_half(result):
    likely = np.argwhere(result.edges > 0.5)
    names = result.variables
    assert set(result.consensus().edges) == {(names[u], names[v]) for u, v in likely}


def test_a_consensus_that_may_not_be_the_best_warns(result, monkeypatch):
    monkeypatch.setattr(consensus, "LARGEST_EXACT", 2)
    post = ds.posterior(ds.FamilyTable({name: {(): 0.0} for name in "abc"}))
    cyclic = np.array([[0, 0.6, 0], [0, 0, 0.6], [0.6, 0, 0]])
    object.__setattr__(post, "edges", cyclic)
    with pytest.warns(ds.StoppedEarly, match="a local search found the consensus network"):
        assert post.consensus().edge_count == 2


@pytest.mark.parametrize("others", [1, 2, 3, 4])
def test_rounding_does_not_choose_between_equal_directions(others):
    """Two copies of a column: both directions have the same probability, at most 1/2, but rounding may exceed it."""
    noise = np.random.default_rng(0).integers(0, 2, (1000, others))
    cells = np.c_[np.array([[0, 0], [1, 1]] * 500), noise]
    for names in (["a", "b"], ["b", "a"]):
        data = ds.Dataset.from_array(cells, [*names, *"cdef"[:others]])
        assert not {("a", "b"), ("b", "a")} & set(ds.posterior(ds.local_scores(data)).consensus().edges)
