"""Lists of networks whose scores distinguish the members of a class: directions count."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from oracles.graphs import compare_dags


def table(rows=400, experiments=True):
    """Return rows of a chain a → b → c with noise and a lone d; in some rows b or c was set at random."""
    rng = np.random.default_rng(2)
    flip = [rng.random(rows) < 0.2 for _ in range(3)]
    a = rng.integers(0, 2, rows)
    where = rng.integers(0, 3, rows) if experiments else np.zeros(rows, dtype=int)
    b = np.where(where == 1, rng.integers(0, 2, rows), a ^ flip[0])
    c = np.where(where == 2, rng.integers(0, 2, rows), b ^ flip[1])
    frame = pd.DataFrame({"a": a, "b": b, "c": c, "d": flip[2] & (c == 1)}).astype(int).astype(str)
    return frame.assign(set=np.array(["", "b", "c"])[where])


def scores_that_distinguish():
    data = ds.Dataset.from_frame(table(experiments=False).drop(columns="set"))
    yield "experiments", ds.local_scores(ds.Dataset.from_frame(table(), interventions="set"))
    yield "k2", ds.local_scores(data, score="k2")
    yield "forbidden", ds.local_scores(data, forbidden=[("b", "a")])
    yield "required", ds.local_scores(data, required=[("c", "d")])


CASES = dict(scores_that_distinguish())


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("method", ["best", "modes"])
def test_agreement_counts_the_directions_of_the_members(case, method):
    scores = CASES[case]
    found = ds.k_best(scores, k=12, space="dags") if method == "best" else ds.modes(scores, k=12, delta=0)
    assert found.level == "dags"
    assert len(found) > 2
    frame = found.agreement()
    assert len(frame) == 6
    for row in frame.itertuples():
        forward = sum(dag.has_edge(row.source, row.target) for dag in found)
        backward = sum(dag.has_edge(row.target, row.source) for dag in found)
        assert (row.forward, row.backward, row.undirected) == (forward, backward, 0)
        assert row.absent == len(found) - forward - backward
        assert forward >= backward


@pytest.mark.parametrize("case", CASES)
def test_distances_are_between_dags(case):
    found = ds.modes(CASES[case], k=8, delta=0)
    truth = ds.Dag.from_edges("abcd", [("a", "b"), ("b", "c"), ("c", "d")])
    to_truth = [compare_dags(dag, truth)["shd"] for dag in found]
    assert found.oracle_accuracy(truth).tolist() == list(itertools.accumulate(to_truth, min))
    assert found.to_frame()["distance_to_best"].tolist() == [compare_dags(dag, found[0])["shd"] for dag in found]
    apart = [compare_dags(first, second)["shd"] for first, second in itertools.combinations(found, 2)]
    assert found.diversity[-1] == pytest.approx(np.mean(apart))
    by_classes = [ds.compare(dag, truth)["shd"] for dag in found]
    assert found.oracle_accuracy(truth, level="classes").tolist() == list(itertools.accumulate(by_classes, min))
    assert found.compare(found, truth)["distance"].tolist() == found.oracle_accuracy(truth).tolist()
    known = found.with_truth(truth)
    assert (known.distance_to_truth, known.truth_level) == (tuple(to_truth), "dags")
    assert found.with_truth(truth, "classes").distance_to_truth == tuple(by_classes)


def test_equivalent_scores_are_compared_by_classes():
    data = ds.Dataset.from_frame(table(experiments=False).drop(columns="set"))
    for prior in ("uniform", "per-size", "edge-penalty:1"):
        found = ds.modes(ds.local_scores(data, structure_prior=prior), k=5, delta=0)
        assert found.level == "classes"
        counted = found.agreement("dags")
        assert counted["undirected"].sum() == 0
        assert found.agreement()["undirected"].sum() > 0
    # Nothing is known about the scores of a list.
    listed = ds.FamilyTable({"a": {(): -2.0, ("b",): -1.0}, "b": {(): -2.0, ("a",): -1.0}})
    assert ds.modes(listed, k=2, delta=0).level == "classes"
    with pytest.raises(ds.InvalidOption, match="level is 'dag'"):
        found.agreement("dag")


def test_structure_priors_are_the_same_for_all_members_of_a_class():
    rng = np.random.default_rng(0)
    for seed in rng.integers(0, 1000, 10).tolist():
        cpdag = ds.random_dag(5, expected_parents=1.5, seed=seed).to_cpdag()
        counts = {tuple(sorted(mask.bit_count() for mask in dag.parent_masks)) for dag in cpdag.members()}
        assert len(counts) == 1


def test_the_tables_show_directions():
    from dagscape.report.modes import render_modes
    from dagscape.report.terminal import terminal_text

    found = ds.modes(CASES["experiments"], k=4, delta=0)
    text = terminal_text(render_modes(found), 200)
    assert "Directions count in distances and agreement: the scores distinguish members of a class." in text
    assert "undirected" not in text
    assert "—" not in text
    assert "Directions count" not in terminal_text(render_modes(found, level="classes"), 200)
