"""The size and the members of classes, compared with all DAGs."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from oracles.best import pattern
from oracles.graphs import all_dags


@given(st.integers(1, 4), st.integers(0, 10**6))
def test_members_are_all_dags_with_the_same_pattern(n, seed):
    dag = ds.uniform_dag(n, seed=seed)
    expected = {other.parent_masks for other in all_dags(n) if pattern(other.parent_masks) == pattern(dag.parent_masks)}
    found = ds.class_members(dag, limit=1000)
    assert found.size == len(expected)
    assert {member.parent_masks for member in found.networks} == expected
    assert found.complete
    assert found.cpdag == dag.to_cpdag()


def test_large_classes_are_counted_and_a_part_is_listed():
    names = [f"v{i}" for i in range(300)]
    chain = ds.Dag.from_edges(names, list(itertools.pairwise(names)))
    found = ds.class_members(chain, limit=3)
    assert (found.size, len(found.networks), found.complete) == (300, 3, False)
    full = ds.Dag.from_edges(names[:60], [(a, b) for i, a in enumerate(names[:60]) for b in names[i + 1 : 60]])
    assert "about 10^81" in repr(ds.class_members(full, limit=0))


def test_frames_have_the_edges_of_each_member():
    found = ds.class_members(ds.load_network("asia"), limit=4)
    frame = found.to_frame()
    assert frame["member"].nunique() == 4
    for number, dag in enumerate(found.networks, start=1):
        part = frame[frame["member"] == number]
        assert set(zip(part["from"], part["to"], strict=True)) == set(dag.edges)


def test_a_class_is_taken_and_a_wrong_limit_refused():
    asia = ds.load_network("asia")
    assert ds.class_members(asia.dag.to_cpdag()) == ds.class_members(asia)
    for wrong in (-1, 1.5, 10**7):
        with pytest.raises(ds.InvalidOption, match="limit is"):
            ds.class_members(asia, wrong)


def test_the_class_is_drawn():
    found = ds.class_members(ds.Dag.from_edges("abc", [("a", "b"), ("c", "b")]))
    assert found.draw()._repr_svg_() == ds.draw(found.drawable)._repr_svg_()
