"""Mixed tables on the command line: what is read, what is said, and which options go with them."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from cli.running import run


@pytest.fixture
def survey(tmp_path):
    rng = np.random.default_rng(1)
    age = rng.integers(18, 80, 60)
    frame = pd.DataFrame(
        {
            "id": np.arange(60),
            "age": age,
            "children": np.arange(60) % 4,
            "sex": rng.choice(["f", "m"], 60),
            "income": (20 * age + 100 * rng.normal(size=60)).round(1),
        }
    )
    path = tmp_path / "survey.csv"
    frame.to_csv(path, index=False)
    return path


def test_columns_are_told_apart_and_this_is_said(capfd, survey):
    code, out, err = run(capfd, "posterior", survey, "--score", "dg-bge", "--json")
    assert code == 0
    assert "dagscape: the numbers of 'children' are levels (--nominal, --numeric and --ignore overrule this)\n" in err
    assert "dagscape: warning: 'id' looks like an identifier: " in err
    found = json.loads(out)
    assert found["variables"] == ["age", "children", "sex", "income"]
    with pytest.warns(ds.AutomaticReading):
        expected = ds.posterior(survey, score="dg-bge")
    assert np.array(found["edges"]).tolist() == expected.edges.tolist()


def test_the_user_overrules(capfd, survey):
    options = ["--numeric", "children", "--ignore", "id", "--nominal", "sex", "--score", "dg", "--json"]
    code, out, err = run(capfd, "score", survey, *options)
    assert (code, "levels" in err) == (0, False), err
    scores = ds.local_scores(
        ds.read_data(survey, kind="mixed", numeric=["children"], ignore=["id"], nominal=["sex"]), score="dg"
    )
    assert json.loads(out)["score_info"]["data"] == scores.info.data


@pytest.mark.parametrize(
    ("options", "score", "why"),
    [
        ([], "dg-bge", "2 of 4 variables are measured, and the others are discrete"),
        (["--columns", "age,income"], "bge", "all variables are measured"),
        (["--columns", "sex,children"], "bdeu", "all variables are discrete"),
    ],
)
def test_the_score_is_chosen_and_the_choice_is_said(capfd, survey, options, score, why):
    code, out, _ = run(capfd, "learn", survey, "--score", "auto", *options)
    assert (code, f"Score '{score}', because {why}" in " ".join(out.split())) == (0, True), out
    code, out, _ = run(capfd, "learn", survey, "--score", "auto", *options, "--json")
    info = json.loads(out)["score_info"]
    assert (info["score"], info["score_choice"]) == (score, why)


def test_plans_say_which_score_was_chosen(capfd, survey):
    code, out, _ = run(capfd, "plan", survey, "--score", "auto", "--task", "posterior")
    assert (code, "Score 'dg-bge', because 2 of 4 variables are measured" in " ".join(out.split())) == (0, True)


def test_parameters_without_effect_are_told(capfd, survey):
    code, _, err = run(capfd, "score", survey, "--score", "auto", "--penalty", "2", "--json")
    assert (code, "--penalty has no effect with --score dg-bge" in err) == (0, True), err
    code, out, _ = run(capfd, "score", survey, "--score", "dg", "--penalty", "2", "--quiet", "--json")
    assert json.loads(out)["score_info"]["parameters"] == {"penalty": 2.0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--discretize", "quantile"], "--discretize is for discrete data, and --score dg takes mixed tables"),
        (["--cuts", "age=30"], "--cuts is for discrete data, and --score dg takes mixed tables"),
        (["--discretizer", "cuts.json"], "--discretizer is for discrete data, and --score dg takes mixed tables"),
        (["--numeric", "sex"], "which is not a number: leave out the column with --drop sex"),
        (["--nominal", "agee"], "has no column 'agee'; did you mean 'age'?"),
        (["--nominal", "age", "--ignore", "age"], "--ignore holds 'age', which is also in --nominal"),
    ],
)
def test_wrong_options(capfd, survey, options, message):
    code, _, err = run(capfd, "score", survey, "--score", "dg", *options)
    assert (code in (2, 3), message in err) == (True, True), err


def test_missing_cells_of_measured_columns_are_no_level(capfd, survey):
    text = survey.read_text().splitlines()
    text[3] = ",".join([*text[3].split(",")[:4], ""])
    survey.write_text("\n".join(text))
    code, _, err = run(capfd, "score", survey, "--score", "dg", "--missing", "level")
    assert (code, "has 1 missing cell in the measured column 'income', which has no levels" in err) == (3, True), err
    code, out, err = run(capfd, "score", survey, "--score", "dg", "--missing", "drop", "--json")
    assert (code, json.loads(out)["score_info"]["rows"]) == (0, 59), err


def test_copies_are_named(capfd, survey):
    frame = pd.read_csv(survey).assign(gender=lambda table: table["sex"].map({"f": "female", "m": "male"}))
    frame.to_csv(survey, index=False)
    said = "'sex' and 'gender' say the same in every row: leave out all but one"
    code, _, err = run(capfd, "score", survey, "--score", "dg-bge", "--json")
    assert (code, err.count(said)) == (0, 1), err
    code, _, err = run(capfd, "score", survey, "--score", "dg")
    words = "'sex' and 'gender' are linearly dependent in 60 rows, so that their likelihood has no limit: set a lower"
    assert (code, words in err) == (3, True), err


@pytest.mark.parametrize("command", [["score", "--score", "bge"], ["learn", "--score", "auto"], ["mmpc"]])
def test_columns_of_numbers_that_look_wrong_are_named_once_as_in_python(capfd, tmp_path, command):
    rng = np.random.default_rng(2)
    pressure = np.where(np.arange(90) < 9, 0, rng.integers(60, 120, 90))
    weight = rng.normal(70, 9, 90).round(2)
    pd.DataFrame({"pressure": pressure, "weight": weight, "pounds": 2 * weight}).to_csv(tmp_path / "t.csv", index=False)
    code, _, err = run(capfd, command[0], tmp_path / "t.csv", *command[1:])
    lines = err.splitlines()
    assert code == 0, err
    assert [line for line in lines if "'pressure'" in line] == [
        "dagscape: warning: 'pressure' is 0 in 9 rows and at least 62 in the others: if 0 means that it was not "
        "measured, empty these cells"
    ]
    assert [line for line in lines if "'pounds'" in line] == [
        "dagscape: warning: 'weight', 'pounds' are copies of each other, in the same unit or another: leave out all "
        "but one (--drop)"
    ]


def test_results_that_need_discrete_data_say_what_they_got(capfd, survey, tmp_path):
    for command, option, words in (
        ("learn", ["--network", tmp_path / "n.bif"], "cannot be fitted to a mixed table"),
        ("learn", ["--effects"], "no counts of levels in a mixed table"),
        ("posterior", ["--consensus", tmp_path / "n.bif"], "cannot be fitted to a mixed table"),
    ):
        code, _, err = run(capfd, command, survey, "--score", "dg-bge", *option)
        assert (code, words in " ".join(err.split())) == (2, True), err


def test_several_ways_of_cutting_make_numbers_discrete(capfd, survey):
    ways = ["--discretize", "quantile:2", "--discretize", "quantile:3"]
    code, out, err = run(capfd, "posterior", survey, "--score", "auto", *ways, "--json")
    assert (code, json.loads(out)["score_info"]["score_choice"]) == (0, "numbers are cut into intervals"), err


def test_the_kind_of_network_is_that_of_the_table(capfd, survey, tmp_path):
    code, out, err = run(capfd, "fit", survey, "--score", "auto", "--columns", "sex,children")
    assert (code, "An optimal network under bdeu, fitted to 60 rows" in out) == (0, True), err
    (tmp_path / "edges.csv").write_text("from,to\nsex,income\n")
    fit = ["fit", survey, "--score", "auto", "--ignore", "id", "--network", tmp_path / "edges.csv"]
    code, out, err = run(capfd, *fit)
    assert (code, "of them measured, 1 edge" in " ".join(out.split())) == (0, True), err
    (tmp_path / "edges.csv").write_text("from,to\nincome,sex\n")
    code, _, err = run(capfd, *fit)
    assert (code, "'sex' is discrete and has a measured parent, 'income'" in err) == (3, True), err
