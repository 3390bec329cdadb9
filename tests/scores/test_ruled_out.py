"""Edges that a score rules out: forbidden in every method, and said wherever a result is shown."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.report.tables import render
from dagscape.report.terminal import terminal_text
from dagscape.scores.registry import SCORES
from oracles.posterior import posterior as summed

RULE = "no measured variable is a parent of a discrete one"
SENTENCE = f"With the score 'ruled', {RULE}"


def measured_to_discrete(data: ds.MixedData):
    return [(parent, child) for parent in data.measured for child in data.discrete]


@pytest.fixture(autouse=True)
def ruled(monkeypatch):
    facts = {"name": "ruled", "title": "Ruled", "ruled_out": measured_to_discrete, "rule": RULE, "caution": None}
    definition = replace(SCORES["dg-bge"], **facts)
    monkeypatch.setitem(SCORES, "ruled", definition)


def table(rows: int = 50) -> pd.DataFrame:
    rng = np.random.default_rng(2)
    size = rng.normal(size=rows)
    weight = size + rng.normal(size=rows)
    group = np.where(weight + 0.5 * rng.normal(size=rows) > 0, "x", "y")
    return pd.DataFrame({"size": size, "group": group, "weight": weight, "site": rng.choice(["p", "q"], rows)})


DATA = ds.MixedData.from_frame(table())
EDGES = [("size", "group"), ("weight", "group"), ("size", "site"), ("weight", "site")]
PLACES = tuple(np.transpose([[DATA.variables.index(name) for name in edge] for edge in EDGES]))


def test_scores_forbid_them():
    scores = ds.local_scores(DATA, score="ruled")
    info = scores.info
    assert (info.rule, info.ruled_out, set(info.forbidden)) == (RULE, 4, set(EDGES))
    assert not info.score_equivalent
    assert scores.family("group", ["weight"]) == -np.inf
    assert scores.family("weight", ["group"]) == ds.local_scores(DATA, score="dg-bge").family("weight", ["group"])
    assert ds.family_scores(DATA, score="ruled").family("group", ["site", "size"]) == -np.inf
    free = scores.without_constraints()
    assert np.isfinite(free.family("group", ["weight"]))
    assert (free.info.rule, free.info.score_equivalent) == ("", True)


def test_users_may_forbid_some_of_them_as_well():
    info = ds.local_scores(DATA, score="ruled", forbidden=[("size", "group"), ("site", "size")]).info
    assert info.ruled_out == 3
    assert set(info.forbidden) == {*EDGES, ("site", "size")}


def test_a_required_edge_is_refused_with_the_reason():
    words = f"required holds the edge 'size' -> 'group', but with the score 'ruled', {RULE}: leave it out"
    with pytest.raises(ds.InvalidOption, match=words):
        ds.local_scores(DATA, score="ruled", required=[("size", "group")])


def test_a_table_without_such_edges_has_no_rule():
    info = ds.local_scores(DATA.select(["size", "weight"]), score="ruled").info
    assert (info.rule, info.ruled_out, info.remarks, info.score_equivalent) == ("", 0, (), True)


@pytest.mark.parametrize("over", ["dags", "orders"])
def test_posteriors_are_those_of_the_other_networks(over):
    scores = ds.local_scores(DATA, score="ruled")
    found = ds.posterior(scores, over=over)
    log_total, edges = summed(scores, over)[:2]
    assert found.log_total == pytest.approx(log_total, abs=1e-8)
    assert np.abs(found.edges - edges).max() < 1e-7
    assert (found.edges[PLACES] == 0).all()
    forbidden = ds.posterior(ds.local_scores(DATA, score="dg-bge", forbidden=EDGES), over=over)
    assert forbidden.edges.tolist() == found.edges.tolist()


@pytest.mark.slow
def test_no_method_finds_such_an_edge():
    scores = ds.local_scores(DATA, score="ruled")
    for method in ("order", "ges", "eq1", "greedy", "tabu", "optimal"):
        assert not set(ds.learn(DATA, method, score="ruled", settings="fixed").network.edges) & set(EDGES)
    best = ds.k_best(scores, 50)
    assert best.space == "dags"
    assert all(not set(network.edges) & set(EDGES) for network in best.networks)
    for found in (
        ds.sample_dags(scores, 200, seed=1),
        ds.chain(DATA, score="ruled", seed=1, draws=100),
        ds.bootstrap(DATA, samples=4, score="ruled", workers=1),
        ds.posterior(DATA, score="ruled"),
    ):
        assert (found.edges[PLACES] == 0).all()
        assert SENTENCE in found.remarks
    study = ds.sensitivity(DATA, score="ruled", structure_prior=("uniform", "per-size"))
    assert max(np.max(edges[PLACES]) for edges in study.edges) == 0
    assert study.score_info.rule == RULE


@pytest.mark.slow
def test_it_is_said_wherever_a_result_is_shown(tmp_path):
    found = ds.posterior(ds.local_scores(DATA, score="ruled"))
    assert SENTENCE in terminal_text(render(found), 200)
    assert SENTENCE.replace("'", "&#x27;") in found._repr_html_()
    ds.draw(found, tmp_path / "p.svg")
    assert SENTENCE in " ".join((tmp_path / "p.svg").read_text().split())
    found.save(tmp_path / "p.json")
    loaded = ds.load_result(tmp_path / "p.json")
    assert (loaded.score_info.rule, loaded.score_info.ruled_out) == (RULE, 4)
    assert loaded.remarks == found.remarks == (SENTENCE,)
    ds.write_scores(ds.local_scores(DATA, score="ruled"), tmp_path / "scores.npz")
    assert ds.posterior(ds.read_scores(tmp_path / "scores.npz")).remarks == found.remarks
    planned = ds.plan(DATA, "posterior", score="ruled")
    assert planned.facts == (SENTENCE,)
    assert f"{SENTENCE}." in planned.sentences
    assert SENTENCE in terminal_text(render(planned), 200)
    planned.save(tmp_path / "plan.json")
    assert ds.load_result(tmp_path / "plan.json").facts == planned.facts
    scores = ds.local_scores(DATA, score="ruled", forbidden=[("site", "size")])
    assert f"1 forbidden edge, {RULE}, 50 rows" in terminal_text(render(ds.summarize_scores(scores)), 200)


def test_classes_are_not_ranked_and_the_rule_is_the_reason():
    with pytest.raises(ds.InvalidOption, match=f"'ruled', {RULE}, which rules out some members of a class"):
        ds.k_best(ds.local_scores(DATA, score="ruled"), 3, space="classes")
