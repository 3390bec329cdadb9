"""``score="auto"``: the score that suits what the variables are, in every function that takes data."""

from __future__ import annotations

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.scores.choice import DISCRETE_SCORE, MEASURED_SCORE, MIXED_SCORE, ChosenScore, with_score
from dagscape.scores.registry import SCORES


def table(rows: int = 60) -> pd.DataFrame:
    rng = np.random.default_rng(4)
    group = rng.choice(["x", "y", "z"], rows)
    size = rng.normal(size=rows) + (group == "x")
    return pd.DataFrame({"group": group, "size": size, "weight": size + rng.normal(size=rows)})


WHY = {
    DISCRETE_SCORE: "all variables are discrete",
    MEASURED_SCORE: "all variables are measured",
    MIXED_SCORE: "2 of 3 variables are measured, and the others are discrete",
}
TABLES = {
    DISCRETE_SCORE: table()[["group"]].assign(other=np.where(table()["size"] > 0, "big", "small")),
    MEASURED_SCORE: table()[["size", "weight"]],
    MIXED_SCORE: table(),
}


def test_scores_of_the_right_kind_are_named():
    kinds = [SCORES[name].data_type for name in (DISCRETE_SCORE, MEASURED_SCORE, MIXED_SCORE)]
    assert kinds == [ds.Dataset, ds.NumericData, ds.MixedData]


@pytest.mark.parametrize("score", TABLES)
def test_the_score_suits_the_variables(score, tmp_path):
    frame = TABLES[score]
    found = ds.local_scores(frame, score="AUTO")
    given = ds.local_scores(frame, score=score)
    assert (found.info.score, found.info.score_choice) == (score, WHY[score])
    assert found.info == given.info
    assert [t.tolist() for t in found.tables] == [t.tolist() for t in given.tables]
    assert found.info.remarks[0] == f"Score {score!r}, because {WHY[score]}"
    assert any("directions are weak evidence" in remark for remark in found.info.remarks) == (score == "dg-bge")
    assert given.info.score_choice == ""
    frame.to_csv(tmp_path / "table.csv", index=False)
    assert ds.local_scores(tmp_path / "table.csv", score="auto").info.score == score


@pytest.mark.parametrize("score", TABLES)
def test_data_of_every_kind_have_a_score(score):
    data, chosen = with_score(TABLES[score], "auto")
    assert type(data) is SCORES[score].data_type
    assert with_score(data, "auto") == (data, chosen)
    assert (chosen, chosen.why) == (score, WHY[score])
    assert with_score(TABLES[score], "bic")[0] is TABLES[score]


@pytest.mark.slow
def test_every_function_of_data_takes_it(tmp_path):
    frame = table()
    why = f"Score {MIXED_SCORE!r}, because {WHY[MIXED_SCORE]}"
    results = [
        ds.posterior(frame, score="auto"),
        ds.posterior(frame, score="auto", settings="best"),
        ds.learn(frame, score="auto"),
        ds.learn(ds.MixedData.from_frame(frame), "ges", score="auto", settings="fixed"),
        ds.bootstrap(frame, score="auto", samples=3, workers=1),
        ds.chain(frame, score="auto", seed=1, draws=300),
        ds.sensitivity(frame, score="auto", structure_prior="uniform"),
    ]
    for found in results:
        assert found.score_info.score == MIXED_SCORE
        assert found.remarks[0] == why
    assert ds.plan(frame, "learn", score="auto").facts[0] == why
    results[0].save(tmp_path / "p.json")
    assert ds.load_result(tmp_path / "p.json").score_info.score_choice == WHY[MIXED_SCORE]


def test_parts_of_the_columns_keep_the_score_of_all():
    """The settings of wide tables are chosen on parts, some of which may be of one kind."""
    rng = np.random.default_rng(5)
    wide = pd.DataFrame(rng.normal(size=(30, 14)), columns=[f"x{i}" for i in range(14)])
    wide["x0"] = rng.choice(["a", "b"], 30)
    found = ds.learn(wide, score="auto")
    assert found.score_info.score == MIXED_SCORE
    assert "parts of the columns" in found.score_info.choice


def test_numbers_that_are_cut_are_discrete():
    found = ds.posterior(table(), score="auto", discretize="quantile:2")
    assert (found.score_info.score, found.score_info.score_choice) == ("bdeu", "all variables are discrete")
    several = ds.posterior(table(), score="auto", discretize=["quantile:2", "quantile:3"])
    assert several.score_info.score_choice == "numbers are cut into intervals"


def test_what_was_decided_about_columns_is_told_once():
    frame = table().assign(few=np.arange(60) % 5)
    with warnings.catch_warnings(record=True) as issued:
        warnings.simplefilter("always")
        ds.posterior(frame, score="auto")
    said = [str(warning.message) for warning in issued if issubclass(warning.category, ds.AutomaticReading)]
    assert said == ["the numbers of 'few' are levels (nominal, numeric and ignore overrule this)"]


def test_a_chosen_score_travels_to_workers():
    chosen = pickle.loads(pickle.dumps(ChosenScore("bge", "all variables are measured")))
    assert (chosen, chosen.why) == ("bge", "all variables are measured")


def test_wrong_names_and_options_are_refused():
    with pytest.raises(ds.InvalidOption, match=r"must be one of bdeu, .*, auto; did you mean 'auto'"):
        ds.local_scores(table(), score="aut")
    with pytest.raises(ds.InvalidOption, match=f"score '{MIXED_SCORE}' has no parameter 'penalti'|no option 'penalti'"):
        ds.local_scores(table(), score="auto", penalti=2)
    with pytest.raises(ds.InvalidOption, match="must be a MixedData, a data frame, a path or LocalScores"):
        ds.learn([[1.0]], score="auto")
