from __future__ import annotations

import itertools
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core.masks import bits, transposed
from dagscape.graphs.directions import LimitedClass, MemberLimits, compelled_words, limited_classes
from dagscape.graphs.equivalence import cpdags
from dagscape.graphs.orientation import PartlyDirected, class_members
from dagscape.graphs.words import pack, unpack
from oracles.directions import class_under, compelled, cut, essence, satisfies, score_keys
from oracles.graphs import all_dags

Experiments = list[tuple[int, ...]]


def names(n):
    return [f"v{i}" for i in range(n)]


def random_limits(rng, n, *, experiments=True, always=False):
    """Required and forbidden edges that some DAG satisfies, and the targets of experiments."""
    dag = rng.choice(all_dags(n)).parent_masks
    pairs = list(itertools.permutations(range(n), 2))
    required = [(u, v) for u, v in pairs if dag[v] >> u & 1 and rng.random() < 0.2]
    forbidden = [(u, v) for u, v in pairs if not dag[v] >> u & 1 and rng.random() < rng.choice((0.0, 0.2, 0.5))]
    families: Experiments = []
    if experiments and rng.random() < 0.7:
        families = list({tuple(v for v in range(n) if rng.random() < 0.4) for _ in range(rng.randint(1, 3))})
        free = [v for v in range(n) if all(v in targets for targets in families)]
        if always:
            chosen = tuple(v for v in range(n) if rng.random() < 0.4)
            families = [tuple(sorted({*targets, *chosen})) for targets in families]
        elif free:
            families.append(())
    return required, forbidden, sorted(set(families))


def limits_of(n, required, forbidden, families, interventions="perfect"):
    label = names(n)
    return MemberLimits.of_names(
        label,
        [(label[u], label[v]) for u, v in required],
        [(label[u], label[v]) for u, v in forbidden],
        [[label[v] for v in targets] for targets in families],
        interventions,
    )


def check_all_dags(n, required, forbidden, families):
    limits = limits_of(n, required, forbidden, families)
    left = [dag.parent_masks for dag in all_dags(n) if satisfies(dag.parent_masks, limits.required, limits.forbidden)]
    expected = compelled(left, [class_under(graph, families) for graph in left])
    graphs = pack(left, n)
    directed, undirected = limited_classes(graphs, limits)
    assert (directed == pack(expected, n)).all(), (required, forbidden, families)
    # Every other edge is undirected.
    lines = [
        [(a | b) & ~c & ~d for a, b, c, d in zip(graph, transposed(graph), agreed, transposed(agreed), strict=True)]
        for graph, agreed in zip(left, expected, strict=True)
    ]
    assert (undirected == pack(lines, n)).all()


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_without_limits_compelled_edges_are_those_of_the_cpdag(n):
    graphs = pack([dag.parent_masks for dag in all_dags(n)], n)
    directed, undirected = cpdags(graphs)
    nothing = MemberLimits.of_names(names(n))
    for found in (limited_classes(graphs), limited_classes(graphs, nothing)):
        assert (found[0] == directed).all()
        assert (found[1] == undirected).all()


@pytest.mark.slow
@pytest.mark.parametrize(("n", "times"), [(2, 20), (3, 80), (4, 40)])
@pytest.mark.parametrize("always", [False, True])
def test_compelled_edges_are_those_of_all_members_left(n, times, always):
    rng = random.Random(f"{n} {always}")
    for _ in range(times):
        check_all_dags(n, *random_limits(rng, n, always=always))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
def test_compelled_edges_of_five_variables(seed):
    required, forbidden, families = random_limits(random.Random(seed), 5, always=bool(seed))
    check_all_dags(5, required[:1], forbidden[: 3 + seed], families)


@pytest.mark.slow
def test_the_definition_under_experiments_is_that_of_hauser_and_buhlmann():
    """Same skeleton, same v-structures, and for each set of targets the same skeleton of what is left of the graph."""
    rng = random.Random(4)
    for _ in range(10):
        families = random_limits(rng, 4)[2] or [()]
        if any(all(v in targets for targets in families) for v in range(4)):
            continue
        graphs = [dag.parent_masks for dag in all_dags(4)]
        theirs = [(essence(g), tuple(essence(cut(g, targets))[0] for targets in families)) for g in graphs]
        ours = [class_under(g, families) for g in graphs]
        assert len(set(theirs)) == len(set(ours)) == len(set(zip(theirs, ours, strict=True)))


def experimental_data(rng, n, families, rows=400):
    """Rows of dependent variables, a part of them for each set of targets."""
    marks = np.zeros((rows, n), dtype=bool)
    for row in range(rows):
        marks[row, list(families[row % len(families)])] = True
    values = rng.integers(0, 2, size=(rows, n))
    for v in range(1, n):
        values[:, v] = np.where(rng.random(rows) < 0.6, values[:, v - 1], values[:, v])
    return ds.Dataset.from_array(values, variables=names(n), interventions=marks)


@pytest.mark.slow
@pytest.mark.parametrize("interventions", ["perfect", "mechanism"])
@pytest.mark.parametrize(
    "families",
    [
        [(), (0,)],
        [(), (1,), (2, 3)],
        [(0,), (1,)],
        [(0, 1), (2, 3)],
        [(0,)],
        [(0, 1), (0, 2)],
        [(), (0, 1, 2, 3)],
        [(0, 1, 2, 3)],
    ],
)
@pytest.mark.filterwarnings("ignore:.* set in every row:dagscape.SuspiciousColumns")
def test_members_are_the_networks_with_the_same_score(families, interventions):
    """No definition of equivalence: of random data, only members of a class have equal scores."""
    rng = np.random.default_rng(1)
    data = experimental_data(rng, 4, families)
    for constraints in ({}, {"forbidden": [("v0", "v1"), ("v3", "v2")]}, {"required": [("v2", "v0")]}):
        if "required" in constraints and interventions == "perfect" and all(0 in family for family in families):
            with pytest.raises(ds.InvalidOption, match="'v0' was set in every row"):
                ds.local_scores(data, **constraints)
            continue
        scores = ds.local_scores(data, interventions=interventions, **constraints)
        limits = MemberLimits.of_scores(data.variables, scores.info)
        assert limits is not None
        dags = [d for d in all_dags(4) if satisfies(d.parent_masks, limits.required, limits.forbidden)]
        graphs = [dag.parent_masks for dag in dags]
        expected = compelled(graphs, score_keys(dags, scores))
        assert (compelled_words(pack(graphs, 4), limits) == pack(expected, 4)).all()


def test_targets_are_in_the_facts_about_scores():
    data = experimental_data(np.random.default_rng(1), 3, [(), (1,), (0, 2)])
    info = ds.local_scores(data).info
    assert info.targets == ((), ("v1",), ("v0", "v2"))
    assert type(info).from_dict(info.to_dict()).targets == info.targets
    older = {name: value for name, value in info.to_dict().items() if name != "targets"}
    assert type(info).from_dict(older).targets == ()
    assert ds.local_scores(ds.load_dataset("iris")).info.targets == ()


def closed_in_python(parents, limits):
    """The class within limits, by the rules for one graph."""
    directed, undirected = cpdags(pack([parents], len(parents)))
    graph = PartlyDirected(unpack(directed[0]), unpack(undirected[0]))
    for v, above in enumerate(parents):
        for u in bits(above & graph.lines[v]):
            if limits.required[v] >> u & 1 or limits.forbidden[u] >> v & 1 or not limits.alike[v] >> u & 1:
                graph.direct(u, v)
    graph.close((1 << len(parents)) - 1)
    return tuple(graph.arrows), tuple(graph.lines)


@pytest.mark.slow
@settings(max_examples=30)
@given(seed=st.integers(0, 10**6), n=st.sampled_from([6, 20, 64, 65, 130]))
def test_kernel_and_python_agree_on_many_variables(seed, n):
    rng = random.Random(seed)
    dags = [ds.random_dag(n, max_parents=4, seed=seed + i) for i in range(3)]
    shared = dags[0].parent_masks
    free = [(u, v) for u, v in itertools.permutations(range(n), 2) if not any(d.parent_masks[v] >> u & 1 for d in dags)]
    forbidden = rng.sample(free, min(len(free), rng.choice((0, n, 5 * n))))
    families = [(), tuple(rng.sample(range(n), n // 3))] if rng.random() < 0.5 else []
    limits = limits_of(n, [], forbidden, families)
    directed, undirected = limited_classes(pack([dag.parent_masks for dag in dags], n), limits)
    for i, dag in enumerate(dags):
        assert (unpack(directed[i]), unpack(undirected[i])) == closed_in_python(dag.parent_masks, limits)
    assert unpack(compelled_words(pack([shared], n), limits)[0]) == unpack(directed[0])


def test_members_of_a_limited_class_can_be_listed():
    """The closed graph has no dead ends: each choice of directions leads to members that satisfy the limits."""
    limits = limits_of(4, [], [(1, 0)], [(), (2,)])
    for dag in all_dags(4):
        if satisfies(dag.parent_masks, limits.required, limits.forbidden):
            limited = LimitedClass.of(dag, limits)
            listed = set(class_members(limited.directed, limited.undirected))
            expected = {
                other.parent_masks
                for other in all_dags(4)
                if satisfies(other.parent_masks, limits.required, limits.forbidden)
                and class_under(other.parent_masks, [(), (2,)]) == class_under(dag.parent_masks, [(), (2,)])
            }
            assert listed == expected
            break


def test_bad_input():
    with pytest.raises(ds.InvalidData, match="graph 1 has a directed cycle"):
        compelled_words(np.array([[0, 1], [2, 1]]), MemberLimits.of_names("ab"))
    with pytest.raises(ds.InvalidData, match="the graphs have 2 variables, and the limits are for 3"):
        compelled_words(np.array([[0, 1]]), MemberLimits.of_names("abc"))
    with pytest.raises(ds.InvalidOption, match="there is no variable 'z'"):
        MemberLimits.of_names("abc", required=[("a", "z")])
