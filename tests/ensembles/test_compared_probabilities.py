"""Two results with probabilities of edges, pair by pair."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys

import numpy as np
import pytest

import dagscape as ds
from dagscape.report.tables import render

DATA = ds.load_dataset("iris")
ONE = ds.posterior(ds.local_scores(DATA))
TEN = ds.posterior(ds.local_scores(DATA, ess=10))


@pytest.mark.parametrize("feature", ["adjacencies", "edges", "ancestors"])
def test_every_pair_counts_once(feature):
    found = ds.compare_probabilities(ONE, TEN, feature=feature)
    first, second = getattr(ONE, feature), getattr(TEN, feature)
    names = DATA.variables
    pairs = itertools.combinations if feature == "adjacencies" else itertools.permutations
    expected = {(names[u], names[v]): second[u, v] - first[u, v] for u, v in pairs(range(len(names)), 2)}
    frame = found.to_frame()
    assert {(row.source, row.target): row.difference for row in frame.itertuples()} == expected
    assert frame["difference"].abs().is_monotonic_decreasing
    assert found.mean_difference == pytest.approx(np.mean(np.abs(list(expected.values()))))
    assert found.largest_difference == max(map(abs, expected.values()))
    crossing = frame[(frame["first"] > 0.5) != (frame["second"] > 0.5)]
    assert set(found.changed) == set(zip(crossing["source"], crossing["target"], strict=True))


def test_nothing_differs_from_itself_in_any_order_of_the_variables():
    shuffled = ds.posterior(ds.local_scores(DATA.select(DATA.variables[::-1])))
    found = ds.compare(ONE, shuffled)
    assert found.variables == ONE.variables
    assert found.largest_difference < 1e-9
    assert found.changed == ()


def test_samples_bootstraps_and_lists_are_compared_with_posteriors():
    scores = ds.local_scores(DATA)
    others = [
        ds.sample_dags(scores, 2000, seed=1),
        ds.bootstrap(DATA, samples=5, workers=1),
        ds.k_best(scores, 50),
        ds.chain(DATA, draws=200, seed=1),
    ]
    for other in others:
        assert isinstance(ds.compare(other, ONE), ds.ProbabilityComparison)
    assert ds.compare(others[0], ONE).largest_difference < 0.05
    compelled = [ds.posterior(scores, compelled=True), others[0]]
    assert ds.compare_probabilities(*compelled, feature="compelled").largest_difference < 0.1


def test_it_is_saved_and_shown(tmp_path):
    found = ds.compare(ONE, TEN)
    for name in ("found.json", "found.npz"):
        found.save(tmp_path / name)
        assert ds.load_result(tmp_path / name) == found
    document = found.to_dict()
    assert document["largest_difference"] == found.largest_difference
    assert document["changed"] == [list(pair) for pair in found.changed]
    heading, table = render(found)[:2]
    assert heading.text.startswith("Adjacencies of two results, 10 pairs: mean difference ")
    assert len(table.rows) == 10
    document["first"][0][1] = 1.5
    with pytest.raises(ds.InvalidData, match="first has a number that is not between 0 and 1"):
        ds.ProbabilityComparison.from_dict(document)


def test_what_cannot_be_compared_is_refused():
    other = ds.posterior(ds.local_scores(DATA.drop(["class"])))
    with pytest.raises(ds.InvalidOption, match="the two results do not have the same variables: only the first"):
        ds.compare(ONE, other)
    with pytest.raises(
        ds.InvalidOption, match=r"a Posterior has probabilities of edges, and a Dag one structure: .*edge"
    ):
        ds.compare(ONE, ds.Dag.from_edges(DATA.variables, []))
    with pytest.raises(ds.InvalidOption, match="a Dag has no probabilities of edges: give results of posterior"):
        ds.compare_probabilities(ONE, ds.Dag.from_edges(DATA.variables, []))
    with pytest.raises(ds.InvalidOption, match="feature is 'compelled', but compelled edges were not computed"):
        ds.compare_probabilities(ONE, TEN, feature="compelled")
    with pytest.raises(ds.InvalidOption, match="feature is 'edge'; it must be one of"):
        ds.compare_probabilities(ONE, TEN, feature="edge")


def dagscape(*arguments: object) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "dagscape", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_line_compares_saved_results(tmp_path):
    paths = [tmp_path / "one.json", tmp_path / "ten.npz"]
    for path, post in zip(paths, (ONE, TEN), strict=True):
        post.save(path)
    found = json.loads(dagscape("compare", *paths, "--json").stdout)
    assert found["largest_difference"] == ds.compare(ONE, TEN).largest_difference
    shown = dagscape("compare", *paths, "--feature", "edges", "--show", "2").stdout
    assert shown.startswith("Directed edges of two results, 20 pairs: mean difference")
    assert "18 pairs with smaller differences not shown" in shown
    for wrong, words in [
        (["compare", *paths, "--level", "dags"], "--level is for structures, and these are two results"),
        (["compare", "builtin:asia", "builtin:asia", "--feature", "edges"], "--feature is for two results with probab"),
        (["compare", paths[0], "builtin:asia"], "has no networks"),
        (["compare", *paths, "--feature", "compelled"], "compelled edges were not computed"),
    ]:
        failed = dagscape(*wrong)
        assert (failed.returncode, words in failed.stderr) == (2, True), failed.stderr
