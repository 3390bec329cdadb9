"""Curriculum learning and MMHC with exchanged parts, classifiers, and how their tables are made."""

from __future__ import annotations

import csv
import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.sklearn import BayesNetClassifier
from dagscape.studies.papers.chen2016.chapter_2 import (
    classifying,
    figure_2_3,
    runs,
    section_2_6,
    table_2_1,
    table_2_2,
    table_2_3,
    table_2_4,
    table_2_5,
)
from dagscape.studies.papers.item import PaperTable
from dagscape.studies.papers.sources import Sources

# Tabu search has the time that the stages took.
pytestmark = pytest.mark.filterwarnings("ignore::dagscape.StoppedEarly")

ASIA = ds.load_network("asia")
ROWS = 600
DATA = ASIA.sample(ROWS, seed=3)


@pytest.fixture
def sources(tmp_path):
    (tmp_path / "networks").mkdir()
    ds.write_network(ASIA, tmp_path / "networks" / "asia.bif")
    return Sources(tmp_path)


def task(search, sets, penalty):
    return {"network": "asia", "rows": ROWS, "seed": 3, "search": search, "sets": sets, "penalty": penalty}


def shd(network):
    return ds.compare(network, ASIA)["shd"]


@pytest.mark.parametrize("sets", ["either", "both"])
@pytest.mark.parametrize("penalty", [True, False])
def test_parts_are_exchanged_one_at_a_time(sources, sets, penalty):
    common = {"seed": 3, "ess": 10, "symmetric": sets == "both"}
    plain = ds.learn(DATA, "curriculum", step_sizes=(), penalize_plain=penalty, **common)
    edge_cost = 1000 / ROWS + 8 / 100
    prior = {"structure_prior": f"edge-penalty:{edge_cost}"} if penalty else {}
    climbed = ds.learn(DATA, "mmhc", **common, **prior)
    staged = runs.learn_one(task(runs.STAGES, sets, penalty), sources)
    found = staged["found"]
    assert staged["pairs"] == ds.mmpc(DATA, symmetric=sets == "both", seed=3).pair_count
    # Not a candidate of stages, but the same neighbours, climb and penalty.
    assert found[runs.GREEDY]["training"] == pytest.approx(plain.score)
    assert found[runs.GREEDY]["shd"] == shd(plain.network)
    assert found[runs.STAGES]["training"] >= found[runs.GREEDY]["training"]
    tabu = runs.learn_one(task(runs.TABU, sets, penalty), sources)["found"][runs.TABU]
    assert tabu["shd"] == shd(climbed.network)
    # The score of the search has the penalty, what is measured has not.
    assert tabu["training"] == pytest.approx(climbed.score + climbed.network.edge_count * edge_cost * penalty)
    assert (runs.RESTARTED in found) == (runs.ALL_EDGES in found) == ((sets, penalty) == ("either", True))


def test_tabu_search_in_equal_time_has_the_same_edges(sources):
    near = ds.mmpc(DATA, symmetric=False, seed=3)
    found = runs.learn_one(task(*runs.CURRICULUM), sources)["found"]
    assert found[runs.RESTARTED]["edges"] <= near.pair_count


def test_single_candidates(sources):
    found = runs.learn_one(task(runs.SINGLE, "either", True), sources)["found"]
    whole = ds.learn(DATA, "curriculum", seed=3, ess=10)
    scores = {candidate["step_size"]: candidate["score"] for candidate in whole.details["candidates"]}
    for size, name in runs.STEPS.items():
        assert found[name]["training"] == pytest.approx(scores[size])
    near = ds.mmpc(DATA, symmetric=False, seed=3).adjacent
    far = [(DATA.variables[i], DATA.variables[j]) for i, j in zip(*np.nonzero(~near), strict=True) if i != j]
    prior = f"edge-penalty:{1000 / ROWS + 8 / 100}"
    climbs = [
        ds.learn(DATA, "greedy", seed=3 + i, ess=10, forbidden=far, structure_prior=prior) for i in range(0, 4000, 1000)
    ]
    best = max(ds.family_scores(DATA, ess=10).network(climb.network) for climb in climbs)
    assert found[runs.BEST_OF_FOUR]["training"] == pytest.approx(best)


def test_stages_can_ignore_the_others(sources):
    found = runs.learn_one(task(runs.IGNORING, "either", True), sources)["found"][runs.IGNORING]
    expected = ds.learn(DATA, "curriculum", conditional=False, seed=3, ess=10)
    assert found["training"] == pytest.approx(expected.score)


def run_of(network, seed, variant, shd, bdeu, rows=500, **more):
    search, sets, penalty = variant
    measures = {"shd": shd, "bdeu": bdeu, "bic": bdeu, "kl": -bdeu, "training": bdeu, "seconds": 2.0 - penalty, **more}
    return {
        "network": network, "rows": rows, "seed": seed, "search": search, "sets": sets, "penalty": penalty,
        "found": {search: measures},
    }  # fmt: skip


def cells(table: PaperTable, *first):
    (row,) = [row for row in table.rows if row[: len(first)] == first]
    return row[len(first) :]


def test_table_2_2_averages_ratios_and_counts_networks():
    tabu = (runs.ALL_EDGES, *runs.CURRICULUM[1:])
    frame = pd.DataFrame(
        [
            *(run_of("asia", seed, runs.CURRICULUM, 2 * seed, -100.0) for seed in (0, 1)),
            *(run_of("asia", seed, runs.MMHC, 3, -110.0) for seed in (0, 1)),
            *(run_of("asia", seed, tabu, 1, -90.0) for seed in (0, 1)),
            run_of("child", 0, runs.CURRICULUM, 4, -50.0),
            run_of("child", 0, runs.MMHC, 2, -40.0),
            run_of("child", 0, tabu, 4, -50.0),
        ]
    )
    against, in_time, note = table_2_2.show(frame)
    # Both networks count alike: (1.1 + 0.8) / 2.
    assert cells(against, "BDeu (below 1: better)", "here") == ("0.95 (1:1)",)
    # Asia's first sample has distance 0 and no ratio: (3/2 + 2/4) / 2.
    assert cells(against, "SHD (below 1: better)", "here") == ("1.00 (1:1)",)
    assert cells(in_time, "BDeu (below 1: better)") == ("0.95 (0:1)",)
    assert "0.5 (500 rows)" in note.text


def test_table_2_3_gives_ties_to_the_smallest_step():
    frame = pd.DataFrame(
        run_of("asia", seed, runs.CURRICULUM, 0, -1.0, winners=winners)
        for seed, winners in enumerate([[0], [0, 3], [2, 3], [1]])
    )
    (table,) = table_2_3.show(frame)
    assert cells(table, "asia") == (1, 1, 1, 1, 2, 5, 21, 2, 2)
    assert cells(table, "total")[:5] == (1, 1, 1, 1, 2)


def test_section_2_6_compares_on_common_samples():
    variants = {*section_2_6.FROM_CURRICULUM.values(), *section_2_6.FROM_MMHC.values()}
    every = itertools.product((runs.STAGES, runs.GREEDY, runs.TABU), ("either", "both"), (True, False))
    variants |= set(every)
    lines = [run_of("asia", 0, variant, 4 if variant == runs.CURRICULUM else 6, -100.0) for variant in sorted(variants)]
    # A second sample that only two of them have is left out of the exchanges.
    lines += [run_of("asia", 1, variant, 8, -300.0) for variant in (runs.CURRICULUM, runs.MMHC)]
    shd_table, bdeu_table, *_, equal = section_2_6.show(pd.DataFrame(lines))
    assert cells(shd_table, "curriculum") == ("50.0",)
    assert cells(shd_table, "no penalty") == ("75.0 (0:1)",)
    assert cells(bdeu_table, "no penalty") == ("1.0000 (0:0)",)
    assert len(equal.rows) == 12
    assert cells(equal, "OR", "stages, penalty", "greedy, penalty") == ("1:0, 0:0, 0:0",)
    assert cells(equal, "OR", "stages, none", "tabu, penalty") == ("0:0, 0:0, 0:0",)
    assert cells(equal, "AND", "stages, penalty", "tabu, none") == ("0:0, 0:0, 0:0",)


def test_distances_by_stage_end_at_the_network(sources):
    found = figure_2_3.stage_distances({"network": "asia", "rows": ROWS, "seed": 3}, sources)
    result = ds.learn(DATA, "curriculum", step_sizes=(1,), seed=3, ess=10)
    (last,) = [step.network for step in result.trace if step.move == ("stage", "step size 1", "8 variables")]
    assert found["selected"][0] == 3
    assert found["distances"][-1] == shd(ds.Dag.from_edges(DATA.variables, last))
    # Three variables alone: the other five are joined to each other and to them.
    assert found["distances"][0] >= 28 - 3 - 8


def test_table_2_1_describes_networks(sources):
    row = table_2_1.describe({"network": "asia"}, sources)
    assert tuple(row.values()) == table_2_1.PRINTED["asia"]
    _, note = table_2_1.show(pd.DataFrame([{"network": "asia", **row}]))
    assert note.text == "Compared with the paper: all 1 rows are those of the paper."
    _, note = table_2_1.show(pd.DataFrame([{"network": "asia", **row, "edges": 9}]))
    assert "asia (8, 9, '2/2', '2-2', '2.00') against (8, 8," in note.text


@pytest.fixture
def car(tmp_path):
    """A small set with numbers, integers, a level that is rare, and missing cells."""
    rng = np.random.default_rng(5)
    rows = []
    for i in range(400):
        size = rng.normal()
        doors = int(rng.integers(2, 6))
        label = "good" if size + 0.3 * doors + rng.normal(scale=0.5) > 1 else "bad"
        rows.append([f"{size:.4f}", doors, "rare" if i == 7 else rng.choice(["red", "blue"]), label])
    rows[3][2] = "?"
    path = Path(tmp_path) / "sets"
    path.mkdir()
    with (path / "keel_car.csv").open("w", newline="") as stream:
        csv.writer(stream).writerows([["size", "doors", "colour", "class"], *rows])
    return Sources(tmp_path)


@pytest.mark.parametrize("method", ["naive", "tan", "curriculum", "mmhc"])
@pytest.mark.parametrize("seed", [0, 1])
def test_classifiers_are_those_of_scikit_learn(car, method, seed):
    found = classifying.classify({"set": "car", "seed": seed, "method": method}, car)
    frame = classifying.complete_rows(car, "car")
    assert len(frame) == 399
    order = np.random.default_rng(seed).permutation(399)
    train, test = frame.iloc[order[:239]], frame.iloc[order[239:]]
    options = {"ess": 10.0, "settings": "fixed"} if method in ("curriculum", "mmhc") else None
    model = BayesNetClassifier(method, options=options, random_state=seed)
    model.fit(train.drop(columns="class"), train["class"])
    logs = model.predict_log_proba(test.drop(columns="class"))
    right = np.searchsorted(model.classes_, test["class"])
    assert found["accuracy"] == pytest.approx(np.mean(logs.argmax(axis=1) == right))
    assert found["cll"] == pytest.approx(logs[np.arange(len(right)), right].mean())
    assert found["edges"] == model.network_.dag.edge_count


def test_a_class_that_training_did_not_show_is_wrong():
    logs = np.log([[0.5, 0.5], [0.2, 0.8]])
    own = classifying._own(logs, np.array([-1, 1]))
    assert own.tolist() == pytest.approx([-np.log(2), np.log(0.8)])


def test_table_2_4_shows_all_sets(car):
    row = table_2_4.describe({"set": "car"}, car)
    assert row == {"variables": 3, "classes": 2, "training": 239}
    (table,) = table_2_4.show(pd.DataFrame([{"set": "car", **row}]))
    assert len(table.rows) == 28
    assert cells(table, "car") == (3, 2, 239, 6, 4, 1036)
    assert cells(table, "kddcup") == (None, None, None, 41, 23, 296412)


def test_table_2_5_averages_over_splits_first():
    values = {"naive": (0.5, 0.8), "curriculum": (0.6, 0.8), "mmhc": (0.5, 0.88)}
    frame = pd.DataFrame(
        {"set": name, "seed": seed, "method": method, "accuracy": pair[k], "cll": -pair[k]}
        for method, pair in values.items()
        for k, name in enumerate(["a", "b"])
        for seed in range(2 - k)
    )
    accuracy, cll, *_ = table_2_5.show(frame)
    ratio, won, p, printed = cells(accuracy, "curriculum")
    assert (ratio, won, printed) == ("1.100", "1 : 1", "1.033 (8)")
    assert 0 < float(p) < 1
    assert cells(cll, "curriculum")[:2] == ("1.100", "1 : 1")
    assert cells(cll, "mmhc") == ("1.050", "", "", "0.772 (9)")
