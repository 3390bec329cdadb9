"""Published scores and optima."""

from __future__ import annotations

import itertools

import pytest

import dagscape as ds


def compare_with_file(scores, path):
    """Compare each family of a score file with ours, and return the number of families."""
    published = ds.read_scores(path)
    compared = 0
    for child in range(published.n):
        for family in published.families(child):
            ours = scores.family(
                scores.variables[child],
                [scores.variables[published.variables.index(p)] for p in family.parents],
            )
            assert ours == pytest.approx(family.score, abs=1e-6)
            compared += 1
    return compared


def test_bdeu_of_asia_equals_gobnilp(shared_data):
    data = ds.read_data(shared_data / "sets/gobnilp_asia_10000.csv.gz")
    scores = ds.local_scores(data, ess=1, max_parents=3)
    assert compare_with_file(scores, shared_data / "scores/asia_10000.palim3.jkl") == 512


def test_bic_of_wine_equals_gobnilp(shared_data):
    """The file uses our conventions: natural logarithms, higher is better, ln(m)/2 per free parameter."""
    data = ds.read_data(shared_data / "sets/ebnsl/wine.csv.gz")
    scores = ds.local_scores(data, score="bic", max_parents=3)
    assert compare_with_file(scores, shared_data / "scores/wine.BIC.3.jkl") == 592


def best_network_score(scores):
    """Return the optimum, by trying each variable of each set as its last one."""
    n = scores.n
    best_family = []
    for child in range(n):
        table = {}
        others = [v for v in range(n) if v != child]
        for size in range(n):
            for parents in itertools.combinations(others, size):
                smaller = (parents[:i] + parents[i + 1 :] for i in range(size))
                own = scores.family_exact(child, parents)
                table[parents] = max([own, *(table[s] for s in smaller)])
        best_family.append(table)
    best = {(): 0}
    for size in range(1, n + 1):
        for chosen in itertools.combinations(range(n), size):
            best[chosen] = max(
                best[rest] + best_family[v][rest]
                for i, v in enumerate(chosen)
                for rest in [chosen[:i] + chosen[i + 1 :]]
            )
    return scores.unit.to_float(best[tuple(range(n))])


@pytest.mark.parametrize(
    ("file", "score", "optimum"),
    [
        ("gobnilp_discrete.csv.gz", "bdeu", -24028.09477835),
        ("gobnilp_discrete.csv.gz", "bic", -24006.73423250),
        ("bnlearn_coronary.csv.gz", "bdeu", -6730.55014699),
        ("keel_car.csv", "bdeu", -13592.88109606),
    ],
)
def test_optima(shared_data, file, score, optimum):
    data = ds.read_data(shared_data / "sets" / file)
    assert best_network_score(ds.local_scores(data, score=score)) == pytest.approx(optimum, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "score", "optimum"),
    [("iris", "bdeu", -452.21429688), ("iris", "bic", -465.43502834), ("tic-tac-toe", "bdeu", -9423.068332703)],
)
def test_optima_of_bundled_sets(name, score, optimum):
    scores = ds.local_scores(ds.load_dataset(name), score=score)
    assert best_network_score(scores) == pytest.approx(optimum, abs=1e-8)


def test_declared_arities_change_bdeu(shared_data):
    import json

    file = shared_data / "sets/gobnilp_water_1000.csv.gz"
    arities = json.loads((shared_data / "sets/gobnilp_water_1000.arities.json").read_text())
    declared = ds.read_data(file, levels=arities)
    observed = ds.read_data(file, keep_constant=True)
    assert declared.m == observed.m == 1000
    differ = sum(len(declared.levels[name]) != len(observed.levels[name]) for name in observed.variables)
    assert differ == 22
    a = ds.local_scores(declared, max_parents=1)
    b = ds.local_scores(observed, max_parents=1)
    changed = [v for v in observed.variables if a.family_exact(v) != b.family_exact(v)]
    assert len(changed) == 22
