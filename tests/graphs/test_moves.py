"""Moves of a search, compared with new graphs that are fully checked."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

import dagscape as ds
from dagscape.graphs.moves import EditableDag, Move, legal_moves
from oracles.graphs import after_move, all_dags, descendants, parent_sets

KINDS = ("add", "remove", "reverse")


def test_moves_lead_to_all_neighbours():
    for dag in all_dags(4)[::11]:
        reached = [move.apply(dag) for move in legal_moves(dag)]
        assert len(set(reached)) == len(reached)
        own = {frozenset(edge) for edge in dag.edges}
        expected = {
            other
            for other in all_dags(4)
            if other != dag
            and len(set(other.edges) - set(dag.edges)) <= 1
            and len(set(dag.edges) - set(other.edges)) <= 1
            and len(own ^ {frozenset(edge) for edge in other.edges}) <= 1
            and not (len(set(other.edges) ^ set(dag.edges)) == 2 and own != {frozenset(edge) for edge in other.edges})
        }
        assert set(reached) == expected


def test_moves_respect_the_limit():
    dag = ds.Dag.from_edges("abc", [("a", "c"), ("b", "c")])
    for move in legal_moves(dag, max_parents=1):
        if move.kind != "remove":
            assert max(mask.bit_count() for mask in move.apply(dag).parent_masks[:2]) <= 1


def all_legal(dag):
    """Every move to another DAG, by trying all moves."""
    parents = parent_sets(dag)
    return {
        Move(kind, u, v)
        for kind in KINDS
        for u, v in itertools.product(range(dag.n), repeat=2)
        if after_move(parents, kind, u, v) is not None
    }


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_legal_moves_are_all_that_there_are(n):
    for dag in all_dags(n):
        moves = list(legal_moves(dag))
        assert set(moves) == all_legal(dag)
        assert len(set(moves)) == len(moves)
        assert moves == sorted(moves, key=lambda move: (move.child, move.parent, KINDS.index(move.kind)))
        assert moves == list(legal_moves(EditableDag(dag)))
        for move in moves:
            after = move.apply(dag)
            assert parent_sets(after) == after_move(parent_sets(dag), move.kind, move.parent, move.child)
            assert move.apply(dag, check=False) == after


def test_other_moves_are_refused():
    for dag in all_dags(3):
        for kind in KINDS:
            for u, v in itertools.product(range(3), repeat=2):
                move = Move(kind, u, v)
                if after_move(parent_sets(dag), kind, u, v) is not None:
                    continue
                graph = EditableDag(dag)
                with pytest.raises(ds.InvalidOption, match=f"cannot be {kind.rstrip('e')}"):
                    graph.apply(move)
                assert graph.to_dag() == dag
                with pytest.raises(ds.DagscapeError):
                    move.apply(dag)


def test_refusals_say_why():
    chain = ds.Dag.from_edges("abc", [("a", "b"), ("b", "c"), ("a", "c")])
    graph = EditableDag(chain)
    for move, message in [
        (Move("add", 2, 0), "'c' -> 'a' cannot be added: it would close a directed cycle"),
        (Move("add", 0, 1), "'a' -> 'b' cannot be added: the graph already has it"),
        (Move("remove", 1, 0), "'b' -> 'a' cannot be removed: the graph does not have it"),
        (Move("reverse", 0, 2), "'a' -> 'c' cannot be reversed: it would close a directed cycle with another path"),
        (Move("reverse", 2, 0), "'c' -> 'a' cannot be reversed: the graph does not have it"),
    ]:
        with pytest.raises(ds.InvalidOption, match=message):
            graph.apply(move)
    with pytest.raises(ds.InvalidData, match="directed cycle: a -> b -> c -> a"):
        Move("add", 2, 0).apply(chain.without_edge("a", "c"))
    with pytest.raises(ds.InvalidOption, match="cannot be removed"):
        Move("remove", 1, 0).apply(chain)
    for question in (graph.can_add, graph.can_reverse, graph.has_path, graph.add, graph.remove, graph.reverse):
        with pytest.raises(IndexError):
            question(0, 3)
    for question in (graph.additions, graph.reversals):
        with pytest.raises(IndexError):
            question(3)


class Walk(RuleBasedStateMachine):
    """Random moves, legal or not, with all answers compared after each."""

    @initialize(n=st.integers(1, 8), seed=st.integers(0, 10**6))
    def start(self, n, seed):
        dag = ds.random_dag(n, min(1.5, (n - 1) / 2), seed=seed)
        self.parents = parent_sets(dag)
        self.graph = EditableDag(dag)

    @rule(kind=st.sampled_from(KINDS), u=st.integers(0, 7), v=st.integers(0, 7))
    def move(self, kind, u, v):
        u, v = u % self.graph.n, v % self.graph.n
        after = after_move(self.parents, kind, u, v)
        if after is None:
            with pytest.raises(ds.InvalidOption):
                self.graph.apply(Move(kind, u, v))
        else:
            self.graph.apply(Move(kind, u, v))
            self.parents = after

    @rule(data=st.data())
    def legal_move(self, data):
        moves = list(legal_moves(self.graph))
        if moves:
            move = data.draw(st.sampled_from(moves))
            self.graph.apply(move)
            self.parents = after_move(self.parents, move.kind, move.parent, move.child)

    @invariant()
    def everything_agrees(self):
        graph, parents = self.graph, self.parents
        assert [set(graph.parents(v)) for v in range(graph.n)] == parents
        assert parent_sets(graph.to_dag()) == parents
        below = [descendants(parents, v) - {v} for v in range(graph.n)]
        for v in range(graph.n):
            additions, reversals = graph.additions(v), graph.reversals(v)
            for u in range(graph.n):
                assert graph.has_edge(u, v) == (u in parents[v])
                assert graph.has_path(u, v) == (v in below[u])
                addable = after_move(parents, "add", u, v) is not None
                reversible = after_move(parents, "reverse", u, v) is not None
                assert graph.can_add(u, v) == additions[u] == addable
                assert graph.can_reverse(u, v) == reversals[u] == reversible


TestWalk = Walk.TestCase
TestWalk.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


def matrix(masks):
    """``[u, v]``: whether u is in the set of v."""
    return np.array([[mask >> u & 1 for mask in masks] for u in range(len(masks))], dtype=bool)


def check_large(graph):
    """Compare every answer with the ancestors of a new DAG."""
    dag = ds.Dag(graph.variables, graph.parent_masks)
    edges, ancestors = matrix(dag.parent_masks), matrix(dag.ancestor_masks())
    additions = np.stack([graph.additions(v) for v in range(graph.n)], axis=1)
    np.testing.assert_array_equal(additions, ~(edges | ancestors.T | np.eye(graph.n, dtype=bool)))
    # Another path from u to v goes through another child of u.
    detours = edges.astype(np.int64) @ ancestors.astype(np.int64) > 0
    reversals = np.stack([graph.reversals(v) for v in range(graph.n)], axis=1)
    np.testing.assert_array_equal(reversals, edges & ~detours)
    assert all(graph.has_path(u, v) == ancestors[u, v] for u in range(0, graph.n, 7) for v in range(graph.n))


@pytest.mark.slow
@pytest.mark.parametrize(("n", "parents"), [(64, 1.5), (70, 2), (70, 20), (200, 1)])
def test_random_walks_on_large_graphs(n, parents):
    rng = random.Random(n)
    graph = EditableDag(ds.random_dag(n, parents, seed=n))
    check_large(graph)
    for step in range(400):
        child = rng.randrange(n)
        kind = rng.choice(KINDS)
        legal = {
            "add": lambda v: np.flatnonzero(graph.additions(v)).tolist(),
            "remove": lambda v: list(graph.parents(v)),
            "reverse": lambda v: np.flatnonzero(graph.reversals(v)).tolist(),
        }[kind](child)
        if not legal:
            continue
        parent = rng.choice(legal)
        expected = Move(kind, parent, child).apply(graph.to_dag())
        graph.apply(Move(kind, parent, child))
        assert graph.to_dag() == expected
        if step % 25 == 0:
            check_large(graph)
    check_large(graph)


def test_removing_and_adding_again_changes_nothing():
    dag = ds.random_dag(150, 3, seed=5)
    graph = EditableDag(dag)
    before = [(graph.additions(v), graph.reversals(v)) for v in range(dag.n)]
    for child in range(dag.n):
        for parent in graph.parents(child):
            graph.remove(parent, child)
            graph.add(parent, child)
    assert graph.to_dag() == dag
    for v, (additions, reversals) in enumerate(before):
        np.testing.assert_array_equal(graph.additions(v), additions)
        np.testing.assert_array_equal(graph.reversals(v), reversals)


@pytest.mark.slow
def test_moves_of_a_thousand_variables():
    dag = ds.random_dag(1000, 1.5, max_parents=3, seed=1)
    graph = EditableDag(dag)
    assert repr(graph) == f"EditableDag(1,000 variables, {dag.edge_count:,} edges)"
    undo = {"add": graph.remove, "remove": graph.add, "reverse": lambda u, v: graph.reverse(v, u)}
    for move in itertools.islice(legal_moves(dag, max_parents=3), 0, 100_000, 997):
        after = move.apply(dag, check=False)
        # A new graph is fully checked.
        assert ds.Dag(after.variables, after.parent_masks) == after == move.apply(dag)
        assert max(mask.bit_count() for mask in after.parent_masks) <= 3
        graph.apply(move)
        assert graph.to_dag() == after
        undo[move.kind](move.parent, move.child)
    assert graph.to_dag() == dag
    check_large(graph)
