from __future__ import annotations

import itertools
import math
import random
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core.masks import bits, connected_components, mask_of
from dagscape.ensembles.class_shares import ancestor_shares, edge_shares, orders_after, undirected_edge_shares
from dagscape.graphs.class_size import class_sizes
from dagscape.graphs.equivalence import cpdags
from dagscape.graphs.orientation import PartlyDirected
from oracles.graphs import all_dags, descendants, parent_sets

SEEDS = st.integers(0, 10**9)


def listed_shares(members):
    """Both matrices by counting: quotients of integers, rounded once, as in the fast version."""
    n = members[0].n
    edges, paths = np.zeros((n, n), dtype=np.int64), np.zeros((n, n), dtype=np.int64)
    for member in members:
        parents = parent_sets(member)
        for v in range(n):
            edges[list(parents[v]), v] += 1
            paths[v, list(descendants(parents, v) - {v})] += 1
    return edges / len(members), paths / len(members)


def both_shares(cpdag):
    return edge_shares(cpdag.directed, cpdag.undirected), ancestor_shares(cpdag.directed, cpdag.undirected)


def assert_shares_are_those_of_the_members(cpdag, members):
    for fast, slow in zip(both_shares(cpdag), listed_shares(members), strict=True):
        np.testing.assert_array_equal(fast, slow)


def chordal_parents(n, width, rng):
    """Each vertex joins part of an earlier clique: a connected chordal graph, as a DAG without v-structures."""
    parents = [0]
    for v in range(1, n):
        anchor = rng.randrange(v)
        clique = [anchor, *bits(parents[anchor])]
        parents.append(mask_of(rng.sample(clique, rng.randint(1, min(width, len(clique))))))
    return parents


def as_dag(parents, rng=None):
    """The DAG, with its vertices in a random order if there is a generator."""
    n = len(parents)
    place = list(range(n))
    if rng is not None:
        rng.shuffle(place)
    masks = [0] * n
    for v, above in enumerate(parents):
        masks[place[v]] = mask_of(place[u] for u in bits(above))
    return ds.Dag(tuple(f"v{i}" for i in range(n)), tuple(masks))


def chordal_heavy(n, rng):
    """One or two chordal graphs, and vertices below them, some of which close v-structures."""
    first = rng.randint(2, n)
    second = rng.randint(0, n - first)
    parents = chordal_parents(first, rng.randint(1, 4), rng)
    if second:
        parents += [above << first for above in chordal_parents(second, 2, rng)]
    for v in range(len(parents), n):
        parents.append(mask_of(rng.sample(range(v), rng.randint(0, min(3, v)))))
    return as_dag(parents, rng)


@pytest.mark.slow
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
def test_every_class(n):
    classes = {}
    for dag in all_dags(n):
        classes.setdefault(dag.to_cpdag(), []).append(dag)
    for cpdag, members in classes.items():
        assert_shares_are_those_of_the_members(cpdag, members)
    sizes = class_sizes(np.array([cpdag.undirected for cpdag in classes], dtype=np.uint64))
    assert sizes == [len(members) for members in classes.values()]


@pytest.mark.slow
@given(seed=SEEDS, n=st.integers(6, 7))
@settings(max_examples=120, deadline=None)
def test_random_classes_of_six_and_seven(seed, n):
    cpdag = chordal_heavy(n, random.Random(seed)).to_cpdag()
    if cpdag.size() <= 1000:
        assert_shares_are_those_of_the_members(cpdag, list(cpdag.members()))


@given(seed=SEEDS, width=st.integers(1, 4))
@settings(max_examples=60, deadline=None)
def test_random_chordal_graphs_of_seven(seed, width):
    rng = random.Random(seed)
    cpdag = as_dag(chordal_parents(7, width, rng), rng).to_cpdag()
    assert_shares_are_those_of_the_members(cpdag, list(cpdag.members()))


@cache
def count_by_source(lines, vertices, start, ends):
    """The AMOs of a chordal graph in which ``start`` is in ``ends`` or reaches it, by He, Jia and Yu's recursion.

    An AMO has one source. Direct its edges outwards and apply Meek's rules; the components that stay undirected are
    chordal again. With ``start`` and ``ends`` equal to all vertices this is the number of AMOs.
    """
    if vertices.bit_count() == 1:
        return 1
    total = 0
    for source in bits(vertices):
        graph = PartlyDirected([0] * len(lines), [near & vertices for near in lines])
        for child in bits(lines[source] & vertices):
            graph.direct(source, child)
        graph.close(vertices)
        components = list(connected_components(graph.lines, vertices))
        sizes = [count_by_source(lines, component, next(bits(component)), component) for component in components]
        for component, size in zip(components, sizes, strict=True):
            if not component >> start & 1:
                continue
            leading = ends
            while (more := leading | mask_of(u for v in bits(leading) for u in bits(graph.arrows[v]))) != leading:
                leading = more
            inside = component & leading
            reaching = count_by_source(lines, component, start, inside) if inside else 0
            total += math.prod(sizes) // size * reaching
    return total


@pytest.mark.slow
@given(seed=SEEDS, n=st.integers(8, 10), width=st.integers(2, 5))
@settings(max_examples=25, deadline=None)
def test_larger_chordal_graphs_by_their_sources(seed, n, width):
    rng = random.Random(seed)
    cpdag = as_dag(chordal_parents(n, width, rng), rng).to_cpdag()
    everything = (1 << n) - 1
    size = count_by_source(cpdag.undirected, everything, 0, everything)
    assert size == cpdag.size()
    edges, paths = both_shares(cpdag)
    for s, t in itertools.permutations(range(n), 2):
        expected = count_by_source(cpdag.undirected, everything, s, 1 << t) / size
        assert paths[s, t] == expected
        assert edges[s, t] == (expected if cpdag.undirected[s] >> t & 1 else 0)


@given(seed=SEEDS, n=st.integers(10, 30))
@settings(max_examples=60, deadline=None)
def test_properties_of_the_shares(seed, n):
    cpdag = chordal_heavy(n, random.Random(seed)).to_cpdag()
    edges, paths = both_shares(cpdag)
    skeleton = cpdag.skeleton_masks()
    adjacent = np.array([[skeleton[u] >> v & 1 for v in range(n)] for u in range(n)], dtype=bool)
    # Both ways together are all members, up to the rounding of two quotients.
    np.testing.assert_allclose(edges + edges.T, adjacent, rtol=0, atol=2**-52)
    assert (edges[~adjacent] == 0).all()
    # Between neighbours a path can only go along the edge; the two are counted by different sums.
    assert (paths[adjacent] == edges[adjacent]).all()
    assert (paths + paths.T <= 1 + 2**-52).all()
    assert (np.diagonal(paths) == 0).all()
    for child, above in enumerate(cpdag.directed):
        assert (edges[list(bits(above)), child] == 1).all()


@given(seed=SEEDS, n=st.integers(6, 20))
@settings(max_examples=40, deadline=None)
def test_shares_do_not_depend_on_the_order_of_the_variables(seed, n):
    rng = random.Random(seed)
    cpdag = chordal_heavy(n, rng).to_cpdag()
    order = rng.sample(range(n), n)
    other = cpdag.reordered([cpdag.variables[v] for v in order])
    for here, there in zip(both_shares(cpdag), both_shares(other), strict=True):
        np.testing.assert_array_equal(here[np.ix_(order, order)], there)


@given(data=st.data(), size=st.integers(1, 6))
@settings(max_examples=150, deadline=None)
def test_orders_without_forbidden_prefixes_equal_enumeration(data, size):
    members = data.draw(st.permutations(range(size)))
    lengths = data.draw(st.lists(st.integers(1, size - 1), unique=True)) if size > 1 else []
    prefixes = [mask_of(members[:length]) for length in sorted(lengths)]
    last = data.draw(st.integers(0, size - 1))
    before = data.draw(st.integers(0, (1 << size) - 1)) & ~(1 << last)
    allowed = [
        order
        for order in itertools.permutations(range(size))
        if not any(mask_of(order[: prefix.bit_count()]) == prefix for prefix in prefixes)
        and all(order.index(u) < order.index(last) for u in bits(before))
    ]
    assert orders_after((1 << size) - 1, prefixes, before, last) == len(allowed)


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 90])
def test_large_trees(n):
    rng = random.Random(n)
    cpdag = as_dag([0, *(1 << rng.randrange(max(0, v - 12), v) for v in range(1, n))], rng).to_cpdag()
    assert not any(cpdag.directed)
    assert_shares_are_those_of_the_members(cpdag, list(cpdag.members()))


def test_large_tree_with_a_common_child_of_some_of_its_vertices():
    n = 40
    rng = random.Random(3)
    parents = [0, *(1 << rng.randrange(v) for v in range(1, n)), 0, 0, 0]
    # Two vertices of the tree and one outside it meet in a child, which has a child of its own.
    parents[n + 1] = 1 << 17 | 1 << 29 | 1 << n
    parents[n + 2] = 1 << n + 1
    cpdag = as_dag(parents).to_cpdag()
    members = list(cpdag.members())
    assert 1 < len(members) <= n
    assert_shares_are_those_of_the_members(cpdag, members)


def test_large_complete_graph_above_a_child():
    n, ends = 30, 7
    parents = [(1 << v) - 1 for v in range(n)] + [0, (1 << ends) - 1 | 1 << n]
    cpdag = as_dag(parents).to_cpdag()
    assert cpdag.size() == math.factorial(n)
    edges, paths = both_shares(cpdag)
    np.testing.assert_array_equal(edges[:n, :n], 0.5 - 0.5 * np.eye(n))
    np.testing.assert_array_equal(paths[:n, :n], 0.5 - 0.5 * np.eye(n))
    # A vertex reaches the child unless it comes after all of the child's parents.
    np.testing.assert_array_equal(paths[:n, n + 1], [1.0] * ends + [ends / (ends + 1)] * (n - ends))
    assert paths[n, n + 1] == edges[n, n + 1] == 1
    assert not paths[n + 1].any()


def test_complete_graph_with_a_pendant():
    """Clique and pendant: the order of the clique begins anywhere, or the pendant is first and its anchor second."""
    n = 25
    cpdag = as_dag([*((1 << v) - 1 for v in range(n)), 1]).to_cpdag()
    first = math.factorial(n - 1)
    assert cpdag.size() == math.factorial(n) + first
    edges, paths = both_shares(cpdag)
    assert edges[n, 0] == paths[n, 0] == first / cpdag.size()
    assert edges[0, 1] == (math.factorial(n) // 2 + first) / cpdag.size()
    # Another vertex reaches the pendant if and only if it comes before the anchor.
    assert paths[1, n] == edges[1, 0] == math.factorial(n) // 2 / cpdag.size()


def test_undirected_edges_stand_in_both_directions():
    dag = ds.Dag.from_edges("abcdef", [("a", "b"), ("b", "c"), ("a", "c"), ("c", "d"), ("e", "f")])
    shares = undirected_edge_shares(dag.to_cpdag().undirected)
    assert len(shares) == len({(u, v) for u, v, _ in shares}) == 10
    found = {(u, v): share for u, v, share in shares}
    assert found[4, 5] == found[5, 4] == 0.5
    assert (found[2, 3], found[3, 2]) == (6 / 8, 2 / 8)
    assert undirected_edge_shares([0, 0, 0]) == []


def test_shares_of_a_class_of_one():
    cpdag = ds.Dag.from_edges("abcd", [("a", "c"), ("b", "c"), ("c", "d")]).to_cpdag()
    edges, paths = both_shares(cpdag)
    assert edges.tolist() == [[0, 0, 1, 0], [0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert paths.tolist() == [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 0, 1], [0, 0, 0, 0]]
    assert edges.flags.c_contiguous
    assert edges.dtype == paths.dtype == np.float64


@pytest.mark.slow
@pytest.mark.parametrize("density", [1.0, 2.0])
def test_sizes_of_many_classes(density):
    dags = [ds.random_dag(17, density, seed=seed) for seed in range(300)]
    dags += [chordal_heavy(17, random.Random(seed)) for seed in range(100)]
    _, undirected = cpdags(np.array([dag.parent_masks for dag in dags], dtype=np.uint64))
    sizes = class_sizes(undirected)
    assert all(type(size) is int for size in sizes)
    for dag, size in zip(dags, sizes, strict=True):
        assert size == dag.to_cpdag().size()
        if size <= 300:
            assert size == sum(1 for _ in dag.to_cpdag().members())


def test_sizes_beyond_a_word_are_exact():
    n = 64
    complete = [(1 << n) - 1 ^ 1 << v for v in range(n)]
    assert class_sizes(np.array([complete, [0] * n], dtype=np.uint64)) == [math.factorial(n), 1]
    assert class_sizes(np.empty((0, 5), dtype=np.uint64)) == []
