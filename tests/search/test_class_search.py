"""Searches over equivalence classes, against searches that list all members of all classes."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import dagscape as ds
from dagscape.core import kernels
from dagscape.core.masks import mask_of
from dagscape.graphs.words import pack, unpack
from dagscape.scores.arithmetic.fixed_point import Unit
from oracles.classes import Class, all_classes, best_steps, class_of, deletes, greedy_paths, inserts, is_eq1
from oracles.graphs import parent_sets

NAMES = tuple(f"v{i}" for i in range(8))
PHASES = {"eq1": ("eq1",), "ges": ("insert", "delete")}
OPERATORS = {
    "eq1": kernels.CLASS_OPERATORS_EQ1,
    "insert": kernels.CLASS_OPERATORS_INSERT,
    "delete": kernels.CLASS_OPERATORS_DELETE,
}


def random_table(n: int, seed: int, *, coarse: bool = False) -> ds.FamilyTable:
    """Scores s(v | P) = J(P ∪ {v}) - J(P) of a random set function J: score-equivalent, and otherwise arbitrary."""
    rng = np.random.default_rng(seed)
    value = rng.integers(0, 4 if coarse else 10**6, size=1 << n).tolist()
    exact = [
        {
            parents: value[mask_of(parents) | 1 << child] - value[mask_of(parents)]
            for size in range(n)
            for parents in itertools.combinations([v for v in range(n) if v != child], size)
        }
        for child in range(n)
    ]
    return ds.FamilyTable.from_exact(NAMES[:n], exact, Unit(20), score_equivalent=True)


def random_data(n: int, rows: int, seed: int) -> ds.Dataset:
    """Rows in which each variable depends on one or two earlier ones, in a random order of the columns."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 2, rows)]
    for v in range(1, n):
        above = rng.choice(v, size=min(v, 2), replace=False)
        noise = rng.random(rows) < 0.25
        columns.append(np.where(noise, rng.integers(0, 3, rows), sum(columns[u] for u in above) % 3))
    order = rng.permutation(n)
    return ds.Dataset.from_array(np.column_stack([columns[v] for v in order]), [f"v{i}" for i in range(n)])


def random_constraints(n: int, rng: np.random.Generator) -> dict[str, list[tuple[str, str]]]:
    """Forbidden edges at random, and required ones that agree with a random order."""
    order = rng.permutation(n).tolist()
    pairs = list(itertools.permutations(range(n), 2))
    forbidden = {pair for pair in pairs if rng.random() < 0.3}
    required = {(u, v) for u, v in pairs if order[u] < order[v] and rng.random() < 0.15} - forbidden
    return {
        "required": [(f"v{u}", f"v{v}") for u, v in sorted(required)],
        "forbidden": [(f"v{u}", f"v{v}") for u, v in sorted(forbidden)],
    }


def state_of(network: ds.Dag) -> Class:
    return class_of(parent_sets(network))


def moves_from(dag: ds.Dag, max_parents: int | None = None):
    rows = pack([dag.parent_masks], dag.n)[0]
    none = np.zeros_like(rows)
    return kernels.ClassMoves(rows, none, none, dag.n if max_parents is None else max_parents, 1 << 28)


def offered(dag: ds.Dag, operators: str) -> set[tuple[int, int, frozenset[int]]]:
    moves = moves_from(dag)
    moves.use(OPERATORS[operators])
    assert moves.refresh()
    undirected = state_of(dag)[1]
    family, toggled = (np.empty(dag.n, dtype=np.int64) for _ in range(2))
    found = set()
    while (question := moves.next(family, toggled)) is not None:
        child, members, asked = question
        clique = frozenset(family[:members].tolist()) & undirected[child]
        found |= {(x, child, clique) for x in toggled[:asked].tolist()}
        assert moves.answer(np.zeros(asked, dtype=np.int64))
    return found


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_a_move_is_offered_exactly_when_it_leads_to_a_class(n):
    # All classes of five variables are checked in native/tests/search/test_class_moves.cpp.
    for state, members in all_classes(n).items():
        dag = members[-1]
        assert offered(dag, "insert") == inserts(state).keys()
        assert offered(dag, "delete") == deletes(state).keys()
        assert offered(dag, "eq1") == {move for move in inserts(state) if is_eq1(state, move)}


@pytest.mark.slow
@pytest.mark.parametrize("method", PHASES)
@pytest.mark.parametrize("seed", range(25))
def test_searches_end_where_listing_all_members_does(method, seed):
    rng = np.random.default_rng(seed)
    scores = random_table(4, seed, coarse=seed % 3 == 0)
    start = list(all_classes(4).values())[rng.integers(185)][0] if seed % 2 else ds.Dag.from_edges(NAMES[:4])
    found = ds.learn(scores, method, seed=seed, start=start)

    def score(child: int, parents: frozenset[int]) -> int:
        return scores.family_exact(child, sorted(parents))

    assert state_of(found.network) in set(greedy_paths(state_of(start), score, PHASES[method]))
    assert found.score == scores.network(found.network)


@pytest.mark.slow
@pytest.mark.parametrize("method", PHASES)
@pytest.mark.parametrize("seed", range(12))
def test_searches_under_constraints_end_where_listing_all_members_does(method, seed):
    rng = np.random.default_rng(seed)
    data, constraints = random_data(4, 200, seed), random_constraints(4, rng)
    limit = 1 + seed % 3
    constraints["required"] = constraints["required"][:1]
    free = ds.local_scores(data, ess=5, max_parents=limit)

    def score(child: int, parents: frozenset[int]) -> int:
        # The oracle adds up the scores of all classes, also of those that the limit rules out.
        return free.family_exact(child, sorted(parents)) if len(parents) <= limit else -(10**15)

    def allowed(state: Class) -> bool:
        return any(meets(dag, constraints, limit) for dag in all_classes(4)[state])

    found = ds.learn(data, method, seed=seed, ess=5, max_parents=limit, **constraints)
    start = ds.Dag.from_edges(data.variables, constraints["required"])
    ends = set(greedy_paths(state_of(start), score, PHASES[method], allowed))
    assert meets(found.network, constraints, limit)
    assert state_of(found.network) in ends


def meets(dag: ds.Dag, constraints: dict[str, list[tuple[str, str]]], limit: int) -> bool:
    return (
        all(dag.has_edge(*edge) for edge in constraints["required"])
        and not any(dag.has_edge(*edge) for edge in constraints["forbidden"])
        and all(parents.bit_count() <= limit for parents in dag.parent_masks)
    )


@pytest.mark.slow
@pytest.mark.parametrize("method", PHASES)
@pytest.mark.parametrize("score", ["bdeu", "bic", "aic", "mdl"])
@pytest.mark.parametrize("seed", range(4))
def test_scores_and_traces_add_up_under_constraints(method, score, seed):
    n = 3 + seed
    rng = np.random.default_rng(seed)
    data = random_data(n, 300, seed)
    constraints = random_constraints(n, rng) if seed % 2 else {"required": [], "forbidden": []}
    limit = max([2, *(sum(v == w for _, v in constraints["required"]) for w in data.variables)])
    tiers = None if seed % 2 else [data.variables[: n // 2], data.variables[n // 2 :]]
    found = ds.learn(
        data, method, seed=seed, score=score, max_parents=limit, tiers=tiers, **constraints, settings="fixed"
    )
    assert meets(found.network, constraints, limit)
    if tiers is not None:
        assert not any(u in tiers[1] and v in tiers[0] for u, v in found.network.edges)
    assert found.score == ds.family_scores(data, score, max_parents=limit).network(found.network)
    assert found.trace[0].move == ("start",)
    assert found.trace[-1].score == found.score
    gains = [after.score - before.score for before, after in itertools.pairwise(found.trace)]
    assert all(gain > 0 for gain in gains)
    kinds = [step.move[0] for step in found.trace[1:]]
    assert kinds == sorted(kinds, reverse=True)
    required = len(constraints["required"])
    assert found.network.edge_count == required + kinds.count("insert") - kinds.count("delete")


@pytest.mark.parametrize("method", PHASES)
def test_each_step_is_the_best_and_the_graph_stays_its_own_completion(method):
    scores = random_table(4, 99)

    def score(child: int, parents: frozenset[int]) -> int:
        return scores.family_exact(child, sorted(parents))

    dag = ds.Dag.from_edges(NAMES[:4])
    moves, state = moves_from(dag), state_of(dag)
    family, toggled = (np.empty(4, dtype=np.int64) for _ in range(2))
    for phase in PHASES[method]:
        moves.use(OPERATORS[phase])
        while True:
            assert moves.refresh()
            while (question := moves.next(family, toggled)) is not None:
                child, members, asked = question
                parents = frozenset(family[:members].tolist())
                answers = [score(child, parents ^ {x}) - score(child, parents) for x in toggled[:asked].tolist()]
                assert moves.answer(np.array(answers))
            expected, steps = best_steps(state, score, phase)
            improvement, ties = moves.find_best()
            assert (improvement, ties) == (expected, len(steps))
            if not ties:
                break
            assert moves.apply(ties - 1)
            directed, undirected = (np.empty((4, 1), dtype=np.uint64) for _ in range(2))
            moves.graph(directed, undirected)
            graph = ds.Cpdag(NAMES[:4], unpack(directed), unpack(undirected))
            state = state_of(graph.to_dag())
            assert state in steps.values()


@pytest.mark.parametrize("method", PHASES)
def test_all_kinds_of_scores_give_the_same_network(method):
    data = random_data(6, 500, 3)
    lattice = ds.local_scores(data, max_parents=3)
    families = {child: {family.parents: family.score for family in lattice.families(child)} for child in data.variables}
    table = ds.FamilyTable(families, score_equivalent=True)
    expected = ds.learn(data, method, max_parents=3, settings="fixed")
    for scores in (lattice, ds.family_scores(data, max_parents=3), table):
        found = ds.learn(scores, method, settings="fixed")
        assert found.network.to_cpdag() == expected.network.to_cpdag()
        assert found.score == pytest.approx(expected.score, rel=1e-12)


@pytest.mark.parametrize("method", PHASES)
def test_constrained_scores_of_all_sets_and_on_demand_give_the_same_network(method):
    data = random_data(5, 500, 6)
    options = {"required": [("v0", "v1")], "forbidden": [("v2", "v3"), ("v4", "v0")], "max_parents": 2}
    expected = ds.learn(data, method, **options, settings="fixed")
    for scores in (ds.local_scores(data, **options), ds.family_scores(data, **options)):
        assert ds.learn(scores, method, settings="fixed").network == expected.network


@pytest.mark.parametrize("method", PHASES)
def test_permuted_columns_permute_the_class(method):
    data = ds.load_network("asia").sample(2000, seed=4)
    expected = ds.learn(data, method).network.to_cpdag()
    rng = np.random.default_rng(5)
    for _ in range(3):
        names = [data.variables[v] for v in rng.permutation(data.n)]
        found = ds.learn(data.select(names), method).network.to_cpdag()
        assert found.reordered(data.variables) == expected


@pytest.mark.filterwarnings("ignore::dagscape.RelatedColumns")
@pytest.mark.parametrize("method", PHASES)
def test_seeds_decide_ties_and_threads_nothing(method):
    # Three copies of a variable, of which two edges explain everything: a path with any of them in the middle.
    column = np.random.default_rng(0).integers(0, 2, 100)
    data = ds.Dataset.from_array(np.column_stack([column] * 3), list("abc"))
    found = {ds.learn(data, method, seed=seed, score="bic").network.to_cpdag() for seed in range(30)}
    assert len(found) == 3
    sample = ds.load_network("asia").sample(500, seed=1)
    assert ds.learn(sample, method, threads=1).network == ds.learn(sample, method, threads=3).network


@pytest.mark.filterwarnings("ignore::dagscape.RelatedColumns")
@pytest.mark.parametrize("method", PHASES)
def test_the_seed_chooses_the_member_not_the_order_of_the_columns(method):
    column = np.random.default_rng(0).integers(0, 2, 100)
    data = ds.Dataset.from_array(np.column_stack([column] * 2), list("ab"))
    assert {ds.learn(data, method, seed=seed).network.edges for seed in range(20)} == {(("a", "b"),), (("b", "a"),)}
    tiers = [["b"], ["a"]]
    assert {ds.learn(data, method, seed=seed, tiers=tiers).network.edges for seed in range(20)} == {(("b", "a"),)}


@pytest.mark.parametrize("seed", range(3))
def test_ges_recovers_a_class_from_enough_data(seed):
    truth = ds.Dag.from_edges("abcdef", [("a", "c"), ("b", "c"), ("c", "d"), ("c", "e"), ("d", "f"), ("e", "f")])
    rng = np.random.default_rng(seed)
    columns: dict[str, np.ndarray] = {}
    for name in truth.topological_order():
        code = sum((3**i * columns[parent] for i, parent in enumerate(truth.parents(name))), np.zeros(50_000, np.int64))
        cumulative = rng.dirichlet((1.0, 1.0, 1.0), size=9).cumsum(axis=1)
        columns[name] = (rng.random((50_000, 1)) > cumulative[code, :2]).sum(axis=1)
    data = ds.Dataset.from_array(np.column_stack([columns[name] for name in truth.variables]), truth.variables)
    for score in ("bdeu", "bic"):
        assert ds.learn(data, "ges", score=score).cpdag == truth.to_cpdag()


def test_ges_deletes_superfluous_edges_of_the_start():
    data = random_data(5, 1000, 8)
    full = ds.Dag(data.variables, tuple((1 << v) - 1 for v in range(5)))
    found = ds.learn(data, "ges", start=full)
    assert [step.move[0] for step in found.trace[1:]] == ["delete"] * (10 - found.network.edge_count)
    assert ds.learn(data, "eq1", start=full).cpdag == full.to_cpdag()


@pytest.mark.parametrize("method", PHASES)
def test_scores_that_distinguish_members_are_refused(method):
    data = ds.load_dataset("iris")
    other = "use another method, such as 'tabu' or 'order'"
    with pytest.raises(ds.InvalidOption, match=f"method is {method!r}.*k2 differs between members.*{other}"):
        ds.learn(data, method, score="k2")
    experiments = ds.Dataset.from_frame(
        ds.load_dataset("iris").to_frame().assign(set_by=["class"] + [""] * 149), interventions="set_by"
    )
    with pytest.raises(ds.InvalidOption, match="rows from experiments distinguish members of a class"):
        ds.learn(experiments, method)
    table = ds.FamilyTable({"a": {(): -10.0, ("b",): -8.5}, "b": {(): -7.0, ("a",): -5.5}})
    with pytest.raises(ds.InvalidOption, match="not known to be score-equivalent"):
        ds.learn(table, method)
    pruned = ds.FamilyTable({"a": {(): -10.0}, "b": {(): -7.0, ("a",): -5.5}}, score_equivalent=True)
    with pytest.raises(ds.InvalidOption, match="families are missing from the scores"):
        ds.learn(pruned, method)


def test_time_and_memory_are_limited():
    data = random_data(6, 200, 1)
    with pytest.warns(ds.StoppedEarly):
        found = ds.learn(data, "ges", max_seconds=1e-9)
    assert not found.complete
    assert found.network.edge_count == 0
    wide = random_data(14, 50, 2)
    dense = ds.Dag(wide.variables, (0, *((1 << v) - 1 & ~1 for v in range(1, 14))))
    scores = ds.local_scores(wide)
    with pytest.raises(ds.TooLarge, match=r"method 'ges'.* lower max_parents, raise max_memory"):
        ds.learn(scores, "ges", start=dense, max_memory="4MiB")
    assert ds.learn(scores, "eq1", start=dense, max_memory="4MiB").network.edge_count >= dense.edge_count


@pytest.mark.slow
@pytest.mark.parametrize("method", PHASES)
def test_networks_of_hundreds_of_variables_are_learned(method):
    truth = ds.random_dag(300, 1.3, max_parents=3, seed=1)
    rng = np.random.default_rng(3)
    columns = np.zeros((300, 300), dtype=np.int64)
    for v in truth.order_numbers():
        above = [u for u in range(300) if truth.parent_masks[v] >> u & 1]
        columns[:, v] = (
            (columns[:, above].sum(axis=1) + (rng.random(300) < 0.2)) % 2 if above else rng.integers(0, 2, 300)
        )
    data = ds.Dataset.from_array(columns, truth.variables)
    found = ds.learn(data, method, max_parents=4, settings="fixed")
    assert found.score == ds.family_scores(data, max_parents=4).network(found.network)
    assert found.score > found.trace[0].score


def test_moves_are_traced_in_words():
    data = ds.load_network("asia").sample(1000, seed=2)
    reports: list[ds.Progress] = []
    found = ds.learn(data, "ges", progress=reports.append, settings="fixed")
    assert [report.done for report in reports] == list(range(1, len(found.trace)))
    texts = found.trace_frame()["move"].tolist()
    assert texts[0] == "start"
    assert all(text.startswith(("insert ", "delete ")) for text in texts[1:])
    assert any(", " in text and text.endswith(tuple(data.variables)) for text in texts)
