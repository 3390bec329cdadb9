"""Rules for missing cells, side by side."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.report.missing_rules import render_missing_rules
from dagscape.studies.missing_rules import complete_rows, with_level

FIXED = {"settings": "fixed", "ess": 2.0, "max_parents": 2}
short = pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")


def incomplete(rows: int = 200, share: float = 0.1) -> ds.Dataset:
    frame = ds.load_network("asia").sample(rows, seed=1).to_frame().astype(object)
    data = ds.Dataset.from_frame(frame.mask(np.random.default_rng(0).random(frame.shape) < share), missing="keep")
    return data.select(["smoke", "bronc", "dysp", "lung"])


@short
def test_each_rule_is_what_it_is_alone():
    data = incomplete()
    found = ds.compare_missing(data, ["drop", "level", "sample", "pnal", "em"], chains=2, draws=60, **FIXED)
    assert found.rules == ("drop", "level", "sample", "pnal", "em")
    frame = data.to_frame().astype(object)
    dropped = ds.Dataset.from_frame(frame, missing="drop", levels={v: list(data.levels[v]) for v in data.variables})
    scored = {"ess": 2.0, "max_parents": 2}
    np.testing.assert_allclose(found.edges[0], ds.posterior(ds.local_scores(dropped, **scored)).edges, atol=1e-12)
    leveled = ds.Dataset.from_frame(frame, missing="level")
    np.testing.assert_allclose(found.edges[1], ds.posterior(ds.local_scores(leveled, **scored)).edges, atol=1e-12)
    drawn = ds.chain(data, missing="sample", chains=2, draws=60, **FIXED)
    np.testing.assert_array_equal(found.edges[2], drawn.edges)
    np.testing.assert_array_equal(found.errors[2], drawn.edge_errors)
    assert found.verdict == drawn.diagnostics.verdict
    assert found.verdict in str(render_missing_rules(found))
    network = ds.learn(data, score="pnal", max_parents=2).network
    assert {(u, v) for u in data.variables for v in data.variables if _edge(found, 3, u, v)} == {*network.edges}
    learned = ds.learn(data, missing="em", max_parents=2)
    assert all(_edge(found, 4, u, v) == 1 for u, v in learned.compelled_edges)
    assert all(_edge(found, 4, u, v) == _edge(found, 4, v, u) == 0.5 for u, v in learned.reversible_edges)
    assert found.adjacencies[4].sum() == 2 * learned.network.edge_count
    assert found.rows == (dropped.m, data.m, data.m, data.m, data.m)
    assert not found.errors[[0, 1, 3, 4]].any()


def _edge(found, rule, u, v) -> float:
    return found.edges[rule, found.variables.index(u), found.variables.index(v)]


@short
def test_settings_are_the_same_under_all_rules():
    found = ds.compare_missing(incomplete(), ["drop", "sample"], chains=1, draws=20)
    again = ds.compare_missing(incomplete(), ["drop"], chains=1, draws=20)
    np.testing.assert_array_equal(found.edges[0], again.edges[0])
    assert "whose missing cells were drawn" in found.score_info.choice


def test_what_crosses_is_told(tmp_path):
    found = ds.compare_missing(incomplete(), ["drop", "level"], **FIXED)
    frame = found.to_frame()
    assert frame["range"].is_monotonic_decreasing
    assert len(frame) == 6
    assert len(found.to_frame("edges")) == 12
    crossing = found.changes(0.5)
    assert ((crossing["lowest"] < 0.5) & (crossing["highest"] >= 0.5)).all()
    assert f"{len(crossing):,} adjacenc" in found.summary()
    found.save(tmp_path / "rules.json")
    assert ds.load_result(tmp_path / "rules.json") == found


def test_sensitivity_compares_rules_instead_of_settings():
    data = incomplete()
    found = ds.sensitivity(data, missing=["drop", "level"], ess=2.0, max_parents=2)
    assert isinstance(found, ds.MissingRules)
    direct = ds.compare_missing(data, ["drop", "level"], ess=2.0, max_parents=2, score="bdeu")
    np.testing.assert_array_equal(found.edges, direct.edges)


@short
def test_default_rules_are_those_for_the_data():
    values = np.random.default_rng(0).normal(size=(60, 3))
    values[:, 1] += values[:, 0]
    values[0, 0] = np.nan
    data = ds.NumericData.from_array(values, missing="keep")
    assert ds.compare_missing(data, chains=1, draws=10).rules == ("drop", "sample")
    assert ds.compare_missing(incomplete(), chains=1, draws=10).rules == ("drop", "level", "sample")
    frame = pd.DataFrame({"x": values[:, 0], "y": values[:, 1], "kind": ["a", "b"] * 30})
    mixed = ds.MixedData.from_frame(frame, missing="keep")
    assert ds.compare_missing(mixed).rules == ("drop",)


def test_frames_and_files_are_read_with_their_missing_cells(tmp_path):
    frame = incomplete().to_frame().astype(object)
    rows = int(frame.notna().all(axis=1).sum())
    found = ds.compare_missing(frame, ["drop", "level"])
    assert found.rows == (rows, len(frame))
    frame.to_csv(tmp_path / "incomplete.csv", index=False)
    of_file = ds.compare_missing(str(tmp_path / "incomplete.csv"), ["drop", "level"])
    np.testing.assert_array_equal(of_file.edges, found.edges)
    numbers = pd.DataFrame(np.random.default_rng(0).normal(size=(40, 2)), columns=["x", "y"])
    numbers.loc[0, "x"] = np.nan
    assert ds.compare_missing(numbers, ["drop", "pnal"]).rows == (39, 40)


def test_complete_tables_are_the_same_under_all_rules():
    data = ds.load_network("asia").sample(100, seed=1).select(["smoke", "bronc", "dysp"])
    found = ds.compare_missing(data)
    assert (found.edges == found.edges[0]).all()
    assert ds.compare_missing(data, ["drop", "em", "pnal"]).rules == ("drop", "em", "pnal")
    assert found.summary() == "between drop, level and sample, 0 adjacencies cross 0.5"


@pytest.mark.parametrize("rule", ["em", "pnal"])
def test_one_network_is_not_the_posterior_of_other_rules(rule):
    data = ds.load_network("asia").sample(100, seed=1).select(["smoke", "bronc", "dysp"])
    first = ds.compare_missing(data, [rule, "drop", "level"], **FIXED)
    last = ds.compare_missing(data, ["drop", "level", rule], **FIXED)
    np.testing.assert_array_equal(first.edges[[1, 2, 0]], last.edges)
    alone = ds.posterior(ds.local_scores(data, ess=2.0, max_parents=2)).edges
    np.testing.assert_allclose(first.edges[1:], [alone, alone], atol=1e-12)


def test_rows_and_levels():
    data = ds.Dataset.from_codes(
        [[0, 1], [1, 0], [1, 1]],
        {"x": ["a", "?"], "y": 2},
        weights=[2, 3, 1],
        holes=[[False, False], [True, False], [False, True]],
    )
    assert complete_rows(data).m == 2
    leveled = with_level(data)
    assert leveled.levels["x"] == ("a", "?", "(missing)")
    assert leveled.levels["y"] == ("0", "1", "?")
    assert leveled.m == 6


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("drop", "rules is a str; it must be a sequence of rules"),
        ([], "it must be a sequence of rules"),
        (["drop", "guess"], "rules is 'guess'; it must be one of"),
        (["drop", "drop"], "rules names a rule more than once"),
    ],
)
def test_wrong_rules_are_refused(rules, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.compare_missing(incomplete(), rules)


def test_rules_that_data_or_scores_do_not_allow_are_refused():
    values = np.random.default_rng(0).normal(size=(20, 2))
    values[0, 0] = np.nan
    with pytest.raises(ds.InvalidOption, match="rules has 'level', which is for discrete data"):
        ds.compare_missing(ds.NumericData.from_array(values, missing="keep"), ["level"])
    with pytest.raises(ds.InvalidOption, match="rules has 'sample', which takes the scores bdeu, k2, bge, not 'bic'"):
        ds.compare_missing(incomplete(), ["sample"], score="bic")
    every = ds.Dataset.from_codes([[0, 0], [1, 1]], {"a": 2, "b": 2}, holes=[[True, False], [False, True]])
    with pytest.raises(ds.InvalidData, match="every row has a missing cell"):
        ds.compare_missing(every, ["drop"], settings="fixed")


@pytest.mark.filterwarnings("ignore::dagscape.StoppedEarly")
def test_ctrl_c_ends_the_comparison():
    def stop(report):
        if report.task == "Running chains" and report.done >= 1000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ds.compare_missing(incomplete(), ["sample", "drop"], draws=1_000_000, progress=stop, **FIXED)


def test_one_network_by_structural_em():
    data = incomplete()
    found = ds.compare_missing(data, ["em"], max_parents=2)
    network = ds.learn(data, missing="em", max_parents=2).network
    adjacent = {frozenset(edge) for edge in network.edges}
    assert {frozenset((u, v)) for u in data.variables for v in data.variables if _edge(found, 0, u, v)} == adjacent
