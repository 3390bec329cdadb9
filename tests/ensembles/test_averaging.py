"""Averages over a list of networks, compared with averages over every DAG that it represents."""

from __future__ import annotations

import itertools
import json
import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from best.samples import SEEDS, SPACES, SPREADS, equivalent_scores, random_data, whole_scores
from dagscape.graphs.class_size import class_sizes
from dagscape.graphs.lists import DagList
from dagscape.results.base import Provenance
from oracles.best import pattern
from oracles.graphs import all_dags, descendants, parent_sets

WEIGHTS = ["dags", "classes"]


@cache
def classes_of(n):
    """The members of every class, by skeleton and v-structures."""
    members = {}
    for dag in all_dags(n):
        members.setdefault(pattern(dag.parent_masks), []).append(dag)
    return members


def every_member(best, weights):
    """Every DAG that a list represents, with its probability."""
    counts = best.class_sizes if weights == "dags" else [1] * len(best)
    shares = [math.exp(score - best.scores[0]) * count for score, count in zip(best.scores, counts, strict=True)]
    for share, network in zip(shares, best.networks, strict=True):
        members = classes_of(network.n)[pattern(network.parent_masks)] if best.space == "classes" else [network]
        for member in members:
            yield share / math.fsum(shares) / len(members), member


def averaged(best, weights, matrix):
    return sum(probability * matrix(dag) for probability, dag in every_member(best, weights))


def edges_of(dag):
    return np.array([[float(u in parent_sets(dag)[v]) for v in range(dag.n)] for u in range(dag.n)])


def paths_of(dag):
    below = [descendants(parent_sets(dag), v) - {v} for v in range(dag.n)]
    return np.array([[float(t in below[s]) for t in range(dag.n)] for s in range(dag.n)])


def blankets_of(dag):
    """Neighbours in the moral graph: those that share a family."""
    families = [above | {child} for child, above in enumerate(parent_sets(dag))]
    pairs = list(itertools.product(range(dag.n), repeat=2))
    shared = [float(u != v and any({u, v} <= family for family in families)) for u, v in pairs]
    return np.array(shared).reshape(dag.n, dag.n)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("space", SPACES)
@given(n=st.integers(1, 4), spread=SPREADS, seed=SEEDS, k=st.integers(1, 30))
@settings(max_examples=15, deadline=None)
def test_edges_paths_and_blankets(space, weights, n, spread, seed, k):
    best = ds.k_best(equivalent_scores(n, spread, seed), k, space, threads=1)
    np.testing.assert_allclose(best.edge_probabilities(weights), averaged(best, weights, edges_of), atol=1e-12)
    np.testing.assert_allclose(best.ancestor_probabilities(weights), averaged(best, weights, paths_of), atol=1e-12)
    np.testing.assert_allclose(best.blanket_probabilities(weights), averaged(best, weights, blankets_of), atol=1e-12)
    if weights == "dags":
        assert np.array_equal(best.edges, best.edge_probabilities())
        assert np.array_equal(best.ancestors, best.ancestor_probabilities())


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("space", SPACES)
@given(n=st.integers(1, 4), spread=SPREADS, seed=SEEDS, k=st.integers(1, 30))
@settings(max_examples=15, deadline=None)
def test_v_structures(space, weights, n, spread, seed, k):
    best = ds.k_best(equivalent_scores(n, spread, seed), k, space, threads=1)
    expected = {}
    for probability, dag in every_member(best, weights):
        for a, child, b in pattern(dag.parent_masks)[1]:
            names = tuple(best.variables[v] for v in (a, child, b))
            expected[names] = expected.get(names, 0.0) + probability
    found = best.v_structure_probabilities(weights)
    assert found == pytest.approx(expected, abs=1e-12)
    assert list(found.values()) == sorted(found.values(), reverse=True)


@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("space", SPACES)
def test_any_function(space, weights):
    best = ds.k_best(ds.local_scores(random_data(4, 20, seed=4)), 20, space)
    roots = averaged(best, weights, lambda dag: sum(not above for above in dag.parent_masks))
    assert best.average(lambda dag: sum(not above for above in dag.parent_masks), weights) == pytest.approx(roots)
    has_edge = averaged(best, weights, lambda dag: dag.parent_masks[1] >> 0 & 1)
    assert best.average(lambda dag: dag.has_edge("X0", "X1"), weights) == pytest.approx(has_edge)
    np.testing.assert_allclose(
        best.average(lambda dag: dag.to_adjacency(), weights), best.edge_probabilities(weights), atol=1e-12
    )
    calls = []

    def edge_count(dag):
        calls.append(dag)
        return dag.edge_count

    assert best.average(edge_count, weights) == pytest.approx(averaged(best, weights, lambda dag: dag.edge_count))
    assert len(calls) == best.dag_count
    calls.clear()
    assert best.average(edge_count, weights, invariant=True) == pytest.approx(best.average(edge_count, weights))
    assert calls[: len(best)] == list(best.networks)


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize(
    ("scores", "max_parents"),
    [
        (lambda: ds.local_scores(random_data(4, 30, seed=5)), 3),
        (lambda: ds.local_scores(random_data(4, 30, seed=5), "bic", max_parents=2, structure_prior="per-size"), 2),
        (lambda: ds.local_scores(random_data(3, 4000, seed=5), structure_prior="edge-penalty:1"), 2),
        (lambda: equivalent_scores(4, 2, seed=3), 3),
        (lambda: equivalent_scores(1, 2, seed=3), 0),
    ],
)
def test_a_list_of_everything_is_the_posterior(scores, max_parents, space):
    made = scores()
    assert made.max_parents == max_parents
    best = ds.k_best(made, 10**6, space)
    exact = ds.posterior(made)
    assert best.exhausted
    np.testing.assert_allclose(best.edges, exact.edges, atol=1e-10)
    np.testing.assert_allclose(best.ancestors, exact.ancestors, atol=1e-10)
    assert best.coverage(exact.log_total) == pytest.approx(1, abs=1e-10)
    if best.dag_count > 1:
        last = best.weights()[-1]
        shorter = ds.k_best(made, len(best) - 1, space)
        assert shorter.coverage(exact.log_total) == pytest.approx(1 - last, abs=1e-10)


def test_constrained_lists_of_everything():
    scores = ds.local_scores(random_data(4, 30, seed=5), "k2", required=[("X0", "X1")], forbidden=[("X2", "X3")])
    best, exact = ds.k_best(scores, 10**6, "dags"), ds.posterior(scores)
    np.testing.assert_allclose(best.edges, exact.edges, atol=1e-10)
    np.testing.assert_allclose(best.ancestors, exact.ancestors, atol=1e-10)
    assert best.coverage(exact.log_total) == pytest.approx(1, abs=1e-10)
    assert best.edge("X0", "X1") == pytest.approx(1, abs=1e-12)


def test_totals_of_other_scores_are_refused():
    scores = ds.local_scores(random_data(3, 20, seed=1))
    best = ds.k_best(scores)
    total = ds.posterior(scores).log_total
    assert 0 < best.coverage(total + 1) < best.coverage(total)
    with pytest.raises(
        ds.InvalidOption, match=r"the log weight of the list .* exceeds that of all .*: the total is for other"
    ):
        best.coverage(total - 1)


def test_edges_and_paths_by_name():
    best = ds.k_best(ds.local_scores(random_data(4, 20, seed=4)))
    assert best.edge("X2", "X0") == best.edges[2, 0]
    assert best.ancestor("X1", "X3") == best.ancestors[1, 3]
    for ask in (best.edge, best.ancestor):
        with pytest.raises(ds.InvalidOption, match="'XX2' is not a variable; did you mean 'X2'"):
            ask("XX2", "X0")


def test_averages_are_kept_and_cannot_be_changed():
    best = ds.k_best(ds.local_scores(random_data(4, 20, seed=4)))
    assert best.edges is best.edges
    for matrix in (best.edges, best.ancestors, best.blanket_probabilities("classes"), best.networks.parents):
        with pytest.raises(ValueError, match="read-only"):
            matrix[0, 0] = 1


def test_weights():
    best = ds.k_best(ds.local_scores(random_data(4, 20, seed=4)), 50)
    relative = [math.exp(score - best.scores[0]) for score in best.scores]
    by_class = np.array(relative) / math.fsum(relative)
    by_dag = by_class * best.class_sizes / math.fsum(by_class * best.class_sizes)
    np.testing.assert_allclose(best.weights("classes"), by_class, rtol=1e-12)
    np.testing.assert_allclose(best.weights(), by_dag, rtol=1e-12)
    for ask in (
        best.weights,
        best.edge_probabilities,
        best.ancestor_probabilities,
        best.blanket_probabilities,
        best.v_structure_probabilities,
        lambda weights: best.average(lambda dag: 1, weights),
    ):
        with pytest.raises(ds.InvalidOption, match="weights is 'equal'; it must be one of 'dags', 'classes'"):
            ask("equal")


def single_rows(data):
    for codes in data.codes:
        yield ds.Dataset.from_codes(codes[np.newaxis], data.levels)


@pytest.mark.slow
@pytest.mark.parametrize("weights", WEIGHTS)
@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize(("prior", "ess"), [("bdeu", 1.0), ("bdeu", 4.0), ("k2", 1.0)])
def test_predictions(space, weights, prior, ess):
    if (prior, space) == ("k2", "classes"):
        best = ds.k_best(ds.local_scores(random_data(3, 25, seed=1)), 2)
        with pytest.raises(ds.InvalidOption, match="prior is 'k2', which differs between members of a class"):
            best.log_predictive(random_data(3, 25, seed=1), random_data(3, 12, seed=2), prior=prior)
        return
    train, rows = random_data(3, 25, seed=1, levels=3), random_data(3, 12, seed=2, levels=3)
    best = ds.k_best(ds.local_scores(train), 8, space)
    shares = best.weights(weights)
    networks = [ds.Network.fit(network, train, ess, prior) for network in best.networks]

    def probability(row):
        return math.fsum(w * math.exp(network.log_likelihood(row)) for w, network in zip(shares, networks, strict=True))

    options = {"weights": weights, "ess": ess, "prior": prior}
    found = best.log_predictive(train, rows, **options)
    assert np.exp(found) == pytest.approx([probability(row) for row in single_rows(rows)], rel=1e-12)

    predicted = best.predict(train, rows, "X1", **options)
    assert list(predicted.columns) == [0, 1, 2]
    assert predicted.columns.name == "X1"
    for (_, row), codes in zip(predicted.iterrows(), rows.codes, strict=True):
        filled = [ds.Dataset.from_codes([[codes[0], level, codes[2]]], train.levels) for level in range(3)]
        joint = [probability(one) for one in filled]
        assert row.tolist() == pytest.approx([value / math.fsum(joint) for value in joint], rel=1e-12)
    assert best.predict(train, rows.select(["X0", "X2"]), "X1", **options).shape[1] == 3


def test_predictions_of_classes_are_those_of_their_members():
    train, rows = random_data(4, 25, seed=1), random_data(4, 9, seed=2)
    scores = ds.local_scores(train)
    classes = ds.k_best(scores, 10**6)
    dags = ds.k_best(scores, 10**6, "dags")
    np.testing.assert_allclose(classes.log_predictive(train, rows), dags.log_predictive(train, rows), rtol=1e-10)
    np.testing.assert_allclose(
        classes.predict(train, rows, "X3"), dags.predict(train, rows, "X3").to_numpy(), rtol=1e-10
    )


def expected_agreement(best):
    """For each pair, the number of entries in which all, or only some, of the DAGs have each direction of the edge."""
    counts = {}
    for network in best.networks:
        members = classes_of(network.n)[pattern(network.parent_masks)] if best.space == "classes" else [network]
        for u, v in itertools.combinations(range(network.n), 2):
            forward = {bool(member.parent_masks[v] >> u & 1) for member in members}
            backward = {bool(member.parent_masks[u] >> v & 1) for member in members}
            kind = (
                "forward" if forward == {True}
                else "backward" if backward == {True}
                else "undirected" if True in forward
                else "absent"
            )  # fmt: skip
            counts.setdefault((u, v), []).append(kind)
    return counts


@pytest.mark.parametrize("space", SPACES)
@pytest.mark.parametrize(("seed", "k"), [(1, 1), (2, 5), (3, 40), (4, 185)])
def test_agreement(space, seed, k):
    best = ds.k_best(ds.local_scores(random_data(4, 40, seed)), k, space)
    expected = expected_agreement(best)
    frame = best.agreement()
    assert list(frame.columns) == [
        "source", "target", "adjacent", "probability", "forward", "backward", "undirected", "absent",
    ]  # fmt: skip
    assert len(frame) == 6
    assert frame["probability"].is_monotonic_decreasing
    for row in frame.itertuples(index=False):
        u, v = (best.variables.index(name) for name in (row.source, row.target))
        kinds = expected.pop((min(u, v), max(u, v)))
        forward, backward = ("forward", "backward") if u < v else ("backward", "forward")
        assert row.forward == kinds.count(forward) >= row.backward == kinds.count(backward)
        assert (row.undirected, row.absent) == (kinds.count("undirected"), kinds.count("absent"))
        assert row.adjacent == ("all" if row.absent == 0 else "none" if row.absent == len(best) else "some")
        assert row.probability == pytest.approx(best.edges[u, v] + best.edges[v, u])
    assert not expected


@pytest.mark.parametrize("space", SPACES)
def test_frame(space):
    best = ds.k_best(ds.local_scores(random_data(4, 40, seed=1)), 30, space)
    frame = best.to_frame()
    assert list(frame.columns) == ["rank", "score", "times_less", "share", "dags", "edges"]
    assert frame["rank"].tolist() == list(range(1, 31))
    assert frame["score"].tolist() == best.scores.tolist()
    assert frame["times_less"].tolist() == pytest.approx(np.exp(best.scores[0] - best.scores).tolist())
    assert frame["times_less"].iloc[-1] == pytest.approx(best.ratio)
    assert frame["share"].sum() == pytest.approx(1)
    assert tuple(frame["dags"]) == best.class_sizes
    assert frame["edges"].tolist() == [network.edge_count for network in best.networks]


def test_lists_whose_scores_are_far_apart():
    """There is no overflow, and no warning."""
    scores = ds.FamilyTable({"a": {(): 0.0, ("b",): -5000.0}, "b": {(): 0.0, ("a",): -300.0}})
    best = ds.k_best(scores, space="dags")
    assert best.scores.tolist() == [0, -300, -5000]
    frame = best.to_frame()
    assert frame["times_less"].tolist()[:2] == [1, pytest.approx(math.exp(300))]
    assert frame["times_less"].iloc[2] > 1e300
    assert best.ratio == math.inf
    assert best.log_ratio == 5000
    np.testing.assert_allclose(best.weights(), [1, 0, 0], atol=1e-100)
    assert best.edge("a", "b") == pytest.approx(math.exp(-300))
    assert best.edge("b", "a") == 0
    assert "ratio e^5000" in repr(best)


NAMES = ["a, b", "x → y", "[red]ü\n", '"{}"']


@pytest.mark.parametrize("space", SPACES)
def test_saved_lists_come_back(tmp_path, space):
    cells = random_data(4, 30, seed=1).to_frame().to_numpy()
    best = ds.k_best(ds.local_scores(ds.Dataset.from_array(cells, NAMES)), 25, space)
    best.save(tmp_path / "best.json")
    back = ds.load_result(tmp_path / "best.json")
    assert type(back) is ds.BestNetworks
    assert back.to_dict() == best.to_dict()
    assert back.variables == tuple(NAMES)
    assert back.networks == best.networks
    assert (back.space, back.class_sizes, back.ties) == (best.space, best.class_sizes, best.ties)
    assert (back.ends_in_tie, back.exhausted, back.stored) == (best.ends_in_tie, best.exhausted, best.stored)
    np.testing.assert_array_equal(back.scores, best.scores)
    np.testing.assert_array_equal(back.edges, best.edges)
    np.testing.assert_array_equal(back.ancestors, best.ancestors)
    assert list(back.cpdags) == list(best.cpdags)
    assert back.provenance.method == "k_best"
    assert back.provenance.parameters["k"] == 25


def complete_class(n):
    """A list with the class of all complete DAGs: it has n! members."""
    networks = DagList([f"v{i}" for i in range(n)], np.array([[(1 << v) - 1 for v in range(n)]], dtype=np.uint64))
    return ds.BestNetworks(
        variables=networks.variables,
        provenance=Provenance(ds.__version__, "k_best"),
        space="classes",
        networks=networks,
        scores=np.array([-12.5]),
        class_sizes=tuple(class_sizes(networks.cpdags().undirected)),
        ties=(1,),
        ends_in_tie=False,
        exhausted=False,
        complete=True,
        stored=n,
    )


def test_sizes_beyond_the_whole_numbers_of_a_float(tmp_path):
    best = complete_class(30)
    assert best.class_sizes == (math.factorial(30),)
    assert best.dag_count > 2**100
    best.save(tmp_path / "best.json")
    back = ds.load_result(tmp_path / "best.json")
    assert back.class_sizes == best.class_sizes
    assert back.to_frame()["dags"].tolist() == [math.factorial(30)]
    assert back.coverage(-12.5 + math.lgamma(31)) == pytest.approx(1)
    np.testing.assert_array_equal(back.edges, (1 - np.eye(30)) / 2)
    assert f"of {math.factorial(30):,} DAGs" in repr(back)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"networks": [[["v0", "v1"], ["v1", "v0"]]]}, "directed cycle"),
        ({"networks": [[["v0", "nowhere"]]]}, "nowhere"),
        ({"networks": [["v10"]]}, "not a complete 'k-best' result"),
        ({"networks": 3}, "not a complete 'k-best' result"),
        ({"class_sizes": 3}, "class_sizes is 3; it must be a list"),
        ({"scores": [1.0, 2.0]}, "do not match"),
        ({"scores": None}, "scores is None; it must be a list"),
    ],
)
def test_broken_documents_are_refused(tmp_path, change, message):
    document = ds.k_best(ds.local_scores(random_data(2, 10, seed=1)), 1, "dags").to_dict()
    document["variables"] = ["v0", "v1"]
    (tmp_path / "best.json").write_text(json.dumps(document | change))
    with pytest.raises(ds.InvalidData, match=message):
        ds.load_result(tmp_path / "best.json")


def test_words():
    scores = ds.local_scores(ds.load_dataset("tic-tac-toe"))
    assert repr(ds.k_best(scores, 100)) == (
        "BestNetworks(100 classes of 662 DAGs, best -9423.0683, ratio 1005, ends in a tie)"
    )
    assert repr(ds.k_best(scores, 104, "dags")) == "BestNetworks(104 DAGs, best -9423.0683, ratio 1)"
    best = ds.k_best(scores, 5)
    assert repr(best.networks) == "DagList(5 DAGs on 10 variables)"
    assert repr(best.cpdags) == "CpdagList(5 CPDAGs on 10 variables)"
    assert len(best) == 5


def test_lists_of_networks_are_sequences():
    best = ds.k_best(whole_scores(4, 3, seed=1), 20, "dags")
    networks = best.networks
    assert len(networks) == 20
    assert networks[-1] == networks[19] == list(networks)[19]
    assert isinstance(networks[0], ds.Dag)
    assert list(networks[3:6]) == [networks[3], networks[4], networks[5]]
    assert networks.index(networks[7]) == 7
    assert networks[:5] == networks[0:5] != networks[1:6]
    assert networks != list(networks)
    with pytest.raises(IndexError):
        networks[20]
    classes = best.cpdags
    assert list(classes) == [network.to_cpdag() for network in networks]
    assert list(classes[2:4]) == [classes[2], classes[3]]
    assert DagList.from_edges(networks.variables, [network.edges for network in networks]) == networks
    assert DagList.from_edges(networks.variables, networks.to_edges()) == networks
    with pytest.raises(ds.InvalidData, match="directed cycle"):
        DagList.from_edges("ab", [[("a", "b")], [("a", "b"), ("b", "a")]])
    with pytest.raises(ds.InvalidData, match="two variables are called 'a'"):
        DagList.from_edges("aa", [])
