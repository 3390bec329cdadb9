"""Variables that were set in every row have no parents, whatever the method."""

from __future__ import annotations

import json
import subprocess
import sys
import warnings
from dataclasses import fields

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.data.tables.interventions import FEW_ROWS
from dagscape.report.tables import render
from dagscape.scores.randomised import randomised_data
from dagscape.search.registry import LEARNERS
from oracles.graphs import all_dags


def trial(rows: int = 60, seed: int = 1) -> pd.DataFrame:
    """An arm that differs between the sexes, and an outcome of both."""
    rng = np.random.default_rng(seed)
    sex = rng.integers(0, 2, rows)
    arm = np.where(rng.random(rows) < 0.35, 1 - sex, sex)
    cured = np.where(rng.random(rows) < 0.25, rng.integers(0, 2, rows), arm | sex)
    return pd.DataFrame({"sex": sex, "arm": arm, "age": rng.integers(0, 3, rows), "cured": cured})


FRAME = trial()


def exhaustive(scores: ds.LocalScores) -> tuple[float, np.ndarray]:
    """The log total and the edge probabilities of all DAGs without an edge into ``arm``."""
    arm = scores.variables.index("arm")
    weights, graphs = [], []
    for dag in all_dags(scores.n):
        if dag.parent_masks[arm]:
            continue
        named = ds.Dag(scores.variables, dag.parent_masks)
        weights.append(scores.network(named))
        graphs.append(named.to_adjacency())
    shares = np.exp(np.array(weights) - max(weights))
    total = max(weights) + np.log(shares.sum())
    return float(total), np.tensordot(shares / shares.sum(), np.array(graphs), 1)


@pytest.mark.parametrize("score", ["bdeu", "k2", "bic"])
@pytest.mark.parametrize("columns", [["arm", "sex"], ["sex", "arm", "cured"], list(FRAME.columns)])
def test_the_sum_is_over_all_dags_without_edges_into_it(score, columns):
    frame = FRAME[columns]
    scores = ds.local_scores(frame, score=score, randomised=["arm"])
    # Scores of the same data, whose edges into the arm are not ruled out, but weighed here.
    free = ds.local_scores(frame, score=score)
    total, edges = exhaustive(free)
    found = ds.posterior(scores)
    np.testing.assert_allclose(found.edges, edges, atol=1e-9)
    # The rows say nothing about the arm: its family costs nothing.
    assert found.log_total == pytest.approx(total - free.family("arm"), abs=1e-6)
    assert not found.edges[:, found.variables.index("arm")].any()


def test_before_chance_alone_gave_the_arm_a_cause():
    free = ds.posterior(ds.local_scores(FRAME))
    assert free.adjacency("sex", "arm") > 0.1
    randomised = ds.posterior(ds.local_scores(FRAME, randomised=["arm"]))
    assert randomised.edge("sex", "arm") == 0.0
    # An effect of the arm is an arrow from it.
    assert randomised.edge("arm", "cured") == pytest.approx(randomised.adjacency("arm", "cured"))


def test_all_ways_to_say_so_are_the_same(tmp_path):
    path = tmp_path / "trial.csv"
    FRAME.to_csv(path, index=False)
    expected = ds.local_scores(FRAME, randomised=["arm"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = [
            ds.Dataset.from_frame(FRAME, randomised=["arm"]),
            ds.read_data(path, randomised=["arm"]),
            ds.Dataset.from_array(FRAME.to_numpy(), FRAME.columns, randomised=("arm",)),
            ds.discretize(FRAME, randomised=["arm"]),
        ]
    with pytest.warns(ds.SuspiciousColumns, match="'arm' was set in every row, so that no network has an edge into it"):
        made.append(ds.Dataset.from_frame(FRAME, interventions=["arm"] * len(FRAME)))
    for data in made:
        scores = ds.local_scores(data)
        assert scores.info.randomised == ("arm",)
        assert scores.info == expected.info
        assert np.array_equal(ds.posterior(scores).edges, ds.posterior(expected).edges)
    fitted = ds.Discretizer().fit(FRAME)
    assert ds.local_scores(fitted.apply(FRAME, randomised=["arm"])).info.randomised == ("arm",)


def test_it_joins_a_column_of_interventions():
    frame = FRAME.assign(INT=["age"] * 10 + ["none"] * (len(FRAME) - 10))
    data = ds.Dataset.from_frame(frame, interventions="INT", randomised=["arm"])
    assert data.variables == tuple(FRAME.columns)
    scores = ds.local_scores(data)
    assert scores.info.targets == (("arm",), ("arm", "age"))
    assert ("sex", "arm") in scores.info.forbidden
    assert ("sex", "age") not in scores.info.forbidden


@pytest.mark.parametrize("method", [name for name in LEARNERS if name not in ("eq1", "ges", "xges")])
def test_no_learner_finds_a_cause_of_it(method):
    with warnings.catch_warnings():
        # Tests of independence may pool these rows: what goes with the arm is its effect.
        warnings.simplefilter("error")
        found = ds.learn(FRAME, method, seed=0, randomised=["arm"])
    assert not found.network.parents("arm")


@pytest.mark.parametrize("method", ["eq1", "ges", "xges"])
def test_searches_of_classes_refuse_it(method):
    with pytest.raises(ds.InvalidOption, match="rows from experiments distinguish members of a class: use another"):
        ds.learn(FRAME, method, randomised=["arm"])


def test_lists_samples_chains_and_the_bootstrap_have_none():
    scores = ds.local_scores(FRAME, randomised=["arm"])
    lists = [ds.k_best(scores, 20), ds.modes(scores, 5), ds.sample_dags(scores, 50, seed=1)]
    lists.append(ds.chain(FRAME, seed=1, draws=50, randomised=["arm"]))
    lists.append(ds.bootstrap(FRAME, samples=10, workers=1, randomised=["arm"]))
    for found in lists:
        assert all(not network.parents("arm") for network in found.networks)
    assert not ds.optimal_network(scores).network.parents("arm")
    assert ds.sensitivity(FRAME, randomised=["arm"], max_parents=2).score_info.randomised == ("arm",)


def test_a_bootstrap_sample_forbids_only_what_the_whole_table_does():
    # Of few rows, samples often lack the two in which the arm was observed.
    marks = np.zeros((12, 2), dtype=bool)
    marks[:-1, 1] = True
    rng = np.random.default_rng(0)
    data = ds.Dataset.from_array(rng.integers(0, 2, (12, 2)), ["x", "arm"], interventions=marks)
    boot = ds.bootstrap(data, samples=30, workers=1, required=[("x", "arm")])
    assert boot.edge("x", "arm") == 1.0


def test_what_is_left_out_of_constraints_stays_ruled_out():
    scores = ds.local_scores(FRAME, randomised=["arm"], forbidden=[("cured", "sex")])
    free = scores.without_constraints()
    assert free.family("sex", ["cured"]) > -np.inf
    assert free.family("arm", ["sex"]) == -np.inf


def test_numbers_can_be_randomised():
    rng = np.random.default_rng(2)
    dose = rng.normal(size=50)
    data = ds.NumericData.from_frame(pd.DataFrame({"x": dose + rng.normal(size=50), "dose": dose}), randomised=["dose"])
    found = ds.posterior(ds.local_scores(data, score="bic-g"))
    assert (found.edge("x", "dose"), found.edge("dose", "x") > 0.9) == (0.0, True)
    frame = pd.DataFrame({"x": data.values[:, 0], "dose": data.values[:, 1]})
    assert ds.local_scores(frame, score="bic-g", randomised=["dose"]).info == found.score_info


@pytest.mark.parametrize("missing", ["drop", "keep"])
@pytest.mark.parametrize("kind", ["discrete", "numeric"])
def test_everything_known_of_the_data_is_kept(kind, missing, tmp_path):
    frame = pd.DataFrame({"arm": [0, 0, 1, 1, 0], "x": [0.5, 1.5, 2.5, 4.5, None], "c": [7] * 5, "n": [5, 3, 2, 9, 4]})
    frame.to_csv(tmp_path / "t.csv", index=False)
    options = {"discretize": ds.Discretizer(bins=2)} if kind == "discrete" else {"kind": "numeric"}
    data = ds.read_data(tmp_path / "t.csv", weights="n", missing=missing, **options)
    marked = randomised_data(data, ["arm"])
    assert (marked.weighted_by, marked.source) == ("n", "t.csv")
    assert (marked.dropped, marked.missing["x"], list(marked.set_aside)) == (4 * (missing == "drop"), 4, ["c"])
    for name in {entry.name for entry in fields(data)} - {"interventions"}:
        np.testing.assert_equal(getattr(marked, name), getattr(data, name))
    assert marked.interventions[:, 0].all()


def test_a_fitted_arm_has_the_shares_of_the_design():
    data = ds.Dataset.from_frame(FRAME, randomised=["arm"])
    network = ds.Network.fit(ds.Dag.from_edges(data.variables, [("arm", "cured")]), data, prior="none")
    assert network.cpts["arm"].tolist() == pytest.approx(
        FRAME["arm"].value_counts(normalize=True).sort_index().tolist()
    )


def test_results_say_so(tmp_path):
    found = ds.posterior(ds.local_scores(FRAME, randomised=["arm"]))
    sentence = "'arm' was set in every row, so that no network has an edge into it"
    assert found.remarks == (sentence,)
    assert sentence in [getattr(block, "text", "") for block in render(found)]
    assert "&#x27;arm&#x27; was set in every row" in found._repr_html_()
    found.save(tmp_path / "found.json")
    assert ds.load_result(tmp_path / "found.json").remarks == (sentence,)
    document = json.loads((tmp_path / "found.json").read_text())
    assert document["score_info"]["randomised"] == ["arm"]


def test_few_rows_of_one_experiment_are_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ds.Dataset.from_frame(FRAME.head(FEW_ROWS), interventions=["arm"] * FEW_ROWS)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"randomised": "arm"}, "randomised is 'arm'; it must be a collection of names"),
        ({"randomised": ["amr"]}, "randomised names 'amr', which is not a variable; did you mean 'arm'?"),
        (
            {"randomised": ["arm"], "required": [("sex", "arm")]},
            "required holds the edge 'sex' -> 'arm', but 'arm' was set",
        ),
        (
            {"randomised": ["arm"], "interventions": "mechanism"},
            "randomised names 'arm', but interventions='mechanism' says",
        ),
    ],
)
def test_what_contradicts_it_is_refused(options, words):
    with pytest.raises(ds.InvalidOption) as caught:
        ds.local_scores(FRAME, **options)
    assert str(caught.value).startswith(words)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"randomised": "arm"}, "randomised is 'arm'; it must be a collection of names"),
        ({"randomised": ["amr"]}, "randomised names 'amr', which is not a column of .*; did you mean 'arm'"),
        ({"randomised": ["age"], "interventions": "age"}, "randomised names 'age', which interventions names as well"),
    ],
)
def test_wrong_columns_are_refused_when_read(options, words):
    with pytest.raises(ds.InvalidOption, match=words):
        ds.Dataset.from_frame(FRAME, **options)


def dagscape(*arguments: object) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "dagscape", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_the_command_line_has_it(tmp_path):
    path = tmp_path / "trial.csv"
    FRAME.to_csv(path, index=False)
    done = dagscape("best", path, "--randomised", "arm,age", "--json", "-q")
    found = json.loads(done.stdout)
    assert found["score_info"]["randomised"] == ["arm", "age"]
    assert not [edge for network in found["networks"] for edge in network if edge[1] in ("arm", "age")]
    shown = dagscape("learn", path, "--randomised", "arm")
    assert "'arm' was set in every row, so that no network has an edge into it" in " ".join(shown.stdout.split())
    failed = dagscape("learn", path, "--randomised", "amr")
    assert (failed.returncode, "--randomised names 'amr'" in failed.stderr) == (2, True)
    failed = dagscape("learn", path, "--randomised", "arm", "--require", "sex", "arm")
    assert (failed.returncode, "--require holds the edge 'sex' -> 'arm'" in failed.stderr) == (2, True)
    failed = dagscape("score", path, "--randomised", "arm", "--intervention-kind", "mechanism")
    assert failed.returncode == 2


def test_no_edge_joins_two_randomised_variables():
    frame = FRAME.assign(dose=FRAME["arm"].to_numpy() ^ FRAME["sex"].to_numpy())
    scores = ds.local_scores(frame, randomised=["arm", "dose"])
    assert {child for _, child in scores.info.forbidden} == {"arm", "dose"}
    assert len(scores.info.remarks) == 2
    assert ds.posterior(scores).adjacency("arm", "dose") == 0.0
