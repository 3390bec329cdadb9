"""The direction of reversible edges between skills."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.results.base import Provenance, Result
from dagscape.scores.constraints import EdgeConstraints, edge_constraints
from dagscape.student.learning.orientation import Orientation, orient
from oracles.classes import all_classes
from oracles.orientation import discriminate

Edge = tuple[int, int]


def constraints_of(n: int, required: list[Edge], forbidden: list[Edge]) -> EdgeConstraints:
    def above(edges: list[Edge]) -> tuple[frozenset[int], ...]:
        return tuple(frozenset(u for u, v in edges if v == child) for child in range(n))

    return EdgeConstraints(above(required), above(forbidden))


def check_against_listing(
    members: tuple[ds.Dag, ...], lacking: list[float], required: list[Edge], forbidden: list[Edge]
) -> bool:
    """Compare with the paper's own way; return whether a member meets the constraints."""
    cpdag = members[0].to_cpdag()
    constraints = constraints_of(cpdag.n, required, forbidden)
    expected = discriminate(members, lacking, required, forbidden)
    if expected is None:
        with pytest.raises(ds.InvalidOption, match="no member of the class that meets the other constraints "):
            orient(cpdag, lacking, constraints)
        return False
    dag, reversible = orient(cpdag, lacking, constraints)
    parents, edges = expected
    assert dag in members
    assert dag.parent_masks == tuple(sum(1 << u for u in above) for above in parents)
    name = cpdag.variables
    assert reversible == tuple(Orientation(name[u], name[v], *rest) for u, v, *rest in edges)
    return True


def random_lacking(rng: np.random.Generator, n: int) -> list[float]:
    """Probabilities with zeros and ties among them."""
    return rng.choice([0.0, 0.0, 0.25, 0.5, 1.0, *rng.random(2 * n)], n).tolist()


def random_constraints(rng: np.random.Generator, members: tuple[ds.Dag, ...]) -> tuple[list[Edge], list[Edge]]:
    """Edges of a member, and pairs that it does not connect in this direction."""
    kept = members[rng.integers(len(members))].to_adjacency()
    pairs = list(itertools.permutations(range(len(kept)), 2))
    required = [(u, v) for u, v in pairs if kept[u, v] and rng.random() < 0.2]
    forbidden = [(u, v) for u, v in pairs if not kept[u, v] and rng.random() < 0.2]
    return required, forbidden


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_every_class_is_directed_as_by_listing_it(n):
    rng = np.random.default_rng(n)
    for members in all_classes(n).values():
        for _ in range(10):
            assert check_against_listing(members, random_lacking(rng, n), [], [])
            assert check_against_listing(members, random_lacking(rng, n), *random_constraints(rng, members))


@pytest.mark.parametrize("n", [2, 3, 4])
def test_contradicting_constraints_are_refused_wherever_no_member_meets_them(n):
    rng = np.random.default_rng(n)
    pairs = list(itertools.permutations(range(n), 2))
    met = 0
    for members in all_classes(n).values():
        for _ in range(10):
            chosen = rng.choice(3, len(pairs), p=[0.7, 0.1, 0.2])
            required = [pair for pair, kind in zip(pairs, chosen, strict=True) if kind == 1]
            forbidden = [pair for pair, kind in zip(pairs, chosen, strict=True) if kind == 2]
            met += check_against_listing(members, random_lacking(rng, n), required, forbidden)
    assert 0 < met < 10 * len(all_classes(n))


@pytest.mark.slow
def test_every_class_of_five_skills_is_directed_as_by_listing_it():
    rng = np.random.default_rng(5)
    for members in all_classes(5).values():
        assert check_against_listing(members, rng.random(5).tolist(), [], [])


@pytest.mark.slow
@given(st.data())
@settings(max_examples=200, deadline=None)
def test_classes_of_five_skills_with_constraints(data):
    classes = list(all_classes(5).values())
    members = classes[data.draw(st.integers(0, len(classes) - 1))]
    shared = st.sampled_from([0.0, 0.3, 1.0])
    lacking = data.draw(st.lists(st.floats(1e-290, 1) | shared, min_size=5, max_size=5))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    assert check_against_listing(members, lacking, *random_constraints(rng, members))


def test_the_skills_of_a_complete_graph_are_sorted_by_mastery():
    """Its class has 20! members; none of them is listed."""
    rng = np.random.default_rng(1)
    lacking = rng.random(20)
    names = [f"skill{i}" for i in range(20)]
    complete = ds.Dag.from_edges(names, [(names[i], names[j]) for i in range(20) for j in range(i + 1, 20)])
    dag, reversible = orient(complete.to_cpdag(), lacking)
    assert dag.topological_order() == tuple(names[i] for i in np.argsort(lacking))
    assert len(reversible) == 190
    assert all(edge.ratio == edge.ratio_star > 1 for edge in reversible)
    stars = [edge.ratio_star for edge in reversible]
    assert stars == sorted(stars, reverse=True)
    assert not reversible[0].forced


def test_the_skills_of_a_language_test():
    """MATH.md, section 12: mastery 0.380, 0.560 and 0.670 of the three skills of ECPE."""
    names = ["morphosyntactic", "cohesive", "lexical"]
    complete = ds.Dag.from_edges(names, itertools.combinations(names, 2)).to_cpdag()
    dag, reversible = orient(complete, [0.620, 0.440, 0.330])
    assert set(dag.edges) == {("lexical", "cohesive"), ("cohesive", "morphosyntactic"), ("lexical", "morphosyntactic")}
    found = [(edge.source, edge.target, round(edge.ratio, 4), edge.reason) for edge in reversible]
    assert found == [
        ("lexical", "morphosyntactic", 1.8788, "ratio"),
        ("cohesive", "morphosyntactic", 1.4091, "ratio"),
        ("lexical", "cohesive", 1.3333, "ratio"),
    ]


def test_an_edge_can_be_forced_against_its_ratio():
    """a - b - c with b mastered least: the clearer edge leads to b, so the other must lead away from it."""
    chain = ds.Dag.from_edges(["a", "b", "c"], [("a", "b"), ("b", "c")]).to_cpdag()
    dag, (first, second) = orient(chain, [0.1, 0.8, 0.5])
    assert dag.edges == (("a", "b"), ("b", "c"))
    assert first == Orientation("a", "b", 8.0, 8.0, "ratio")
    assert (second.source, second.target, second.reason, second.forced) == ("b", "c", "other edges", True)
    assert (second.ratio, second.ratio_star) == (0.625, 1.6)


def test_constraints_come_before_ratios():
    chain = ds.Dag.from_edges(["a", "b", "c"], [("a", "b"), ("b", "c")]).to_cpdag()
    for given_edges in ({"required": [("b", "a")]}, {"forbidden": [("a", "b")]}, {"tiers": [["b"], ["a"]]}):
        constraints = edge_constraints(chain.variables, 2, **given_edges)
        dag, (first, second) = orient(chain, [0.1, 0.5, 0.4], constraints)
        assert dag.edges == (("b", "a"), ("c", "b"))
        assert (first.source, first.reason, first.forced, first.ratio) == ("b", "constraints", True, 0.1 / 0.5)
        assert (second.source, second.reason, second.forced) == ("c", "ratio", False)


def test_edges_without_a_ratio():
    pair = ds.Dag.from_edges(["a", "b"], [("a", "b")]).to_cpdag()
    cases = {
        (0.0, 0.3): ("a", math.inf, math.inf),
        (0.3, 0.0): ("b", math.inf, math.inf),
        (0.0, 0.0): ("a", 1.0, 1.0),
        (0.3, 0.3): ("a", 1.0, 1.0),
        (1e-310, 0.3): ("a", math.inf, math.inf),
        (-1e-17, 1 + 1e-15): ("a", math.inf, math.inf),
    }
    for lacking, expected in cases.items():
        _, (edge,) = orient(pair, lacking)
        assert (edge.source, edge.ratio, edge.ratio_star) == expected
    # Ties come last: here the other edge forces the one without a ratio.
    chain = ds.Dag.from_edges(["a", "b", "c"], [("a", "b"), ("b", "c")]).to_cpdag()
    dag, edges = orient(chain, [0.5, 0.5, 0.2])
    assert dag.edges == (("b", "a"), ("c", "b"))
    assert [(edge.source, edge.ratio, edge.reason) for edge in edges] == [
        ("c", 2.5, "ratio"),
        ("b", 1.0, "other edges"),
    ]


def test_names_do_not_matter():
    rng = np.random.default_rng(8)
    for seed in range(30):
        dag = ds.random_dag(7, expected_parents=2.5, seed=seed)
        lacking = dict(zip(dag.variables, rng.random(7), strict=True))
        shuffled = rng.permutation(dag.variables).tolist()
        one, edges = orient(dag.to_cpdag(), list(lacking.values()))
        other, same = orient(dag.reordered(shuffled).to_cpdag(), [lacking[name] for name in shuffled])
        assert set(one.edges) == set(other.edges)
        assert edges == same
        assert one.to_cpdag() == dag.to_cpdag()


@dataclass(frozen=True, slots=True, eq=False)
class Directed(Result):
    """A result with orientations."""

    kind = "directed"
    edges: tuple[Orientation, ...]

    def to_frame(self):
        raise AssertionError("this test needs no frame")


def test_orientations_survive_json():
    edges = (
        Orientation("a", "b", 0.0, math.inf, "constraints"),
        Orientation("b", "c", math.inf, math.inf, "other edges"),
        Orientation("c", "d", 0.1 + 0.2, 1 / (0.1 + 0.2), "ratio"),
    )
    result = Directed(("a", "b", "c", "d"), Provenance("1", "command"), edges)
    text = json.dumps(result.to_dict(), allow_nan=False)
    assert Directed.from_dict(json.loads(text)).edges == edges
    for field, wrong in (("ratio", -1), ("ratio", "nan"), ("ratio_star", 0.5), ("reason", "luck")):
        document = result.to_dict()
        document["edges"][1][field] = wrong
        with pytest.raises(ds.InvalidData, match=rf"edges\[1\].{field} is "):
            Directed.from_dict(document)


def test_wrong_probabilities_are_refused():
    pair = ds.Dag.from_edges(["a", "b"], [("a", "b")]).to_cpdag()
    with pytest.raises(ds.InvalidData, match=r"there are 2 skills, but the probabilities have the shape \(3,\)"):
        orient(pair, [0.1, 0.2, 0.3])
    for wrong in (math.nan, -0.1, 1.1, math.inf):
        with pytest.raises(ds.InvalidData, match=r"not_mastered\[1\] is .*; it must be a probability"):
            orient(pair, [0.1, wrong])


# All edges together.


def violations(dag: ds.Dag, joint: np.ndarray) -> float:
    """The sum over the edges of P(source not mastered, target mastered), by the definition."""
    states = range(len(joint))
    return sum(
        float(joint[state])
        for child, parents in enumerate(dag.parent_masks)
        for parent in range(dag.n)
        if parents >> parent & 1
        for state in states
        if not state >> parent & 1 and state >> child & 1
    )


@pytest.mark.parametrize("n", [2, 3, 4])
def test_the_global_rule_finds_the_least_violations_of_all_members(n):
    rng = np.random.default_rng(n)
    for members in all_classes(n).values():
        joint = rng.dirichlet(np.full(1 << n, 0.5))
        lacking = [float(sum(p for state, p in enumerate(joint) if not state >> k & 1)) for k in range(n)]
        dag, edges = orient(members[0].to_cpdag(), lacking, rule="global")
        assert dag in members
        assert violations(dag, joint) == pytest.approx(min(violations(one, joint) for one in members), abs=1e-12)
        assert {edge.reason for edge in edges} <= {"global"}
        by_ratio, _ = orient(members[0].to_cpdag(), lacking)
        assert violations(dag, joint) <= violations(by_ratio, joint) + 1e-12


@settings(max_examples=60)
@given(st.integers(0, 10**6))
def test_the_global_rule_meets_constraints(seed):
    rng = np.random.default_rng(seed)
    members = list(all_classes(4).values())[rng.integers(len(all_classes(4)))]
    required, forbidden = random_constraints(rng, members)
    allowed = [
        one
        for one in members
        if all(one.parent_masks[v] >> u & 1 for u, v in required)
        and not any(one.parent_masks[v] >> u & 1 for u, v in forbidden)
    ]
    lacking = random_lacking(rng, 4)
    if not allowed:
        return
    dag, _ = orient(members[0].to_cpdag(), lacking, constraints_of(4, required, forbidden), rule="global")

    def cost(one: ds.Dag) -> float:
        return sum(lacking[u] for v in range(4) for u in range(4) if one.parent_masks[v] >> u & 1)

    assert dag in allowed
    assert cost(dag) == pytest.approx(min(map(cost, allowed)), abs=1e-12)


def test_the_global_rule_differs_where_an_early_decision_costs_more():
    """The clearest ratio of a - b - c - d is that of a - b; a → b forces the two others against theirs."""
    chain = ds.Dag.from_edges(["a", "b", "c", "d"], [("a", "b"), ("b", "c"), ("c", "d")])
    lacking = [0.5, 0.9, 0.6, 0.4]
    by_ratio, _ = orient(chain.to_cpdag(), lacking)
    together, edges = orient(chain.to_cpdag(), lacking, rule="global")
    assert set(by_ratio.edges) == {("a", "b"), ("b", "c"), ("c", "d")}
    # 0.4 + 0.6 + 0.9 is less than 0.5 + 0.9 + 0.6.
    assert set(together.edges) == {("d", "c"), ("c", "b"), ("b", "a")}
    assert [(edge.source, round(edge.ratio, 3)) for edge in edges] == [("b", 0.556), ("c", 1.5), ("d", 1.5)]


@pytest.mark.parametrize("seed", range(3))
def test_sixteen_skills_take_no_time(seed):
    """Complete graphs and random k-trees have many members, or many conflicts."""
    rng = np.random.default_rng(seed)
    names = [f"S{k}" for k in range(16)]
    complete = ds.Dag.from_edges(names, itertools.combinations(names, 2))
    lacking = rng.random(16).tolist()
    dag, _ = orient(complete.to_cpdag(), lacking, rule="global")
    assert list(dag.topological_order()) == [names[k] for k in np.argsort(lacking)]
    # Each skill joins a clique of two or three others: no v-structures.
    parents = [0, 1]
    for k in range(2, 16):
        child = int(rng.integers(1, k))
        clique = parents[child] | 1 << child
        parents.append(clique if clique.bit_count() < 4 else clique & (clique - 1))
    tree = ds.Dag(tuple(names), tuple(parents))
    dag, _ = orient(tree.to_cpdag(), lacking, rule="global")
    assert dag.to_cpdag() == tree.to_cpdag()
