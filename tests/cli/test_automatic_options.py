"""The command line reads tables automatically, says what it decided, and lets the user overrule it."""

import json

import numpy as np
import pandas as pd
import pytest

import dagscape as ds

from .running import run

RNG = np.random.default_rng(5)
ROWS = 120


@pytest.fixture
def survey(tmp_path):
    path = tmp_path / "survey.csv"
    frame = pd.DataFrame(
        {
            "row": range(1, ROWS + 1),
            "age": RNG.integers(18, 61, ROWS),
            "rate": RNG.uniform(10, 60, ROWS).round(2),
            "joined": [f"{1 + i % 28}/{1 + i % 12}/20{10 + i % 9}" for i in range(ROWS)],
            "answer": RNG.integers(1, 6, ROWS),
            "sex": RNG.choice(["f", "m"], ROWS),
        }
    )
    frame.to_csv(path, index=False)
    return path


def test_what_was_decided_is_said(capfd, survey):
    code, out, err = run(capfd, "learn", survey, "--method", "greedy")
    assert code == 0
    assert "dagscape: 'age' is measured, and cut at " in err
    assert (
        "(--nominal, --numeric and --ignore overrule this; --score auto takes numbers as they are, without cuts)" in err
    )
    assert "dagscape: warning: 'row' looks like an identifier: a different integer in each row, from 1 to 120" in err
    assert "dagscape: warning: 'joined' looks like a date: " in err
    assert "automatic reading: 'age' is measured" in " ".join(out.split())
    code, out, err = run(capfd, "score", survey, "--json")
    found = json.loads(out)
    assert (code, found["variables"]) == (0, ["age", "rate", "answer", "sex"])
    assert found["warnings"][0].startswith("automatic reading: 'age' is measured, and cut at ")
    assert run(capfd, "score", survey, "--quiet")[2] == ""


@pytest.mark.parametrize("command", ["score", "learn", "posterior", "best", "mmpc", "fit", "bootstrap"])
def test_every_command_reads_alike(capfd, survey, command):
    quick = {"bootstrap": ["--samples", 2], "posterior": ["--no-compelled"]}
    code, _, err = run(capfd, command, survey, *quick.get(command, []))
    assert code == 0, err
    if command == "posterior":
        assert "'age', 'rate' are measured, and cut in 4 ways (2, 3, 4 and 5 quantiles) (--nominal, --numeric" in err
    elif command == "mmpc":
        assert "the numbers of 'answer' are levels (--nominal, --numeric" in err
    else:
        assert "'rate' is measured, and cut at " in err
        assert err.count("is measured, and cut at") == 2
    code, _, err = run(capfd, command, survey, *quick.get(command, []), "--discretize", "none")
    assert code == 3
    assert "has decimals in column 'rate'" in err


def test_the_user_overrules(capfd, survey):
    options = ["--nominal", "age", "--numeric", "answer", "--ignore", "rate,sex"]
    code, out, _ = run(capfd, "score", survey, *options, "--json", "--quiet")
    assert (code, json.loads(out)["variables"]) == (0, ["age", "answer"])
    with pytest.warns(ds.AutomaticReading):
        data = ds.read_data(survey, discretize="auto", nominal=["age"], numeric=["answer"], ignore=["rate", "sex"])
    assert json.loads(out)["score_info"]["data"] == data.fingerprint
    code, out, _ = run(capfd, "describe", survey, *options, "--json", "--quiet")
    uses = {column["name"]: column["use"] for column in json.loads(out)["columns"]}
    assert uses["answer"].startswith("3 intervals") or uses["answer"].startswith("2 intervals")
    assert (uses["age"].endswith(" levels"), uses["joined"]) == (True, "set aside")
    assert "rate" not in uses


def test_describe_says_what_columns_seem_to_hold(capfd, survey):
    code, out, _ = run(capfd, "describe", survey)
    assert code == 0
    text = " ".join(out.split())
    assert "row identifier set aside a different integer in each row, from 1 to 120, as row numbers have" in text
    assert "sex nominal 2 levels 2 different values, " in text
    assert "warning: 'row' looks like an identifier: " in text
    code, out, _ = run(capfd, "describe", survey, "--json")
    column = json.loads(out)["columns"][1]
    assert (column["name"], column["guess"], column["use"][:23]) == (
        "age",
        "measured",
        "3 intervals, cut at " + column["use"][20:23],
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--nominal", "agee"], "has no column 'agee'; did you mean 'age'?"),
        (["--ignore", "age", "--numeric", "age"], "--ignore holds 'age', which is also in --numeric"),
        (
            ["--numeric", "age", "--discretize", "none"],
            "--numeric and --discretize-columns need --discretize, and not none",
        ),
        (["--class-column", "sex"], "--class-column needs --discretize mdl"),
        (
            ["--score", "bic-g", "--nominal", "age", "--drop", "joined,sex"],
            "--nominal is for discrete data, and --score bic-g takes numbers",
        ),
        (
            ["--discretize", "none", "--save-discretizer", "cuts.json"],
            "--save-discretizer needs --discretize, and not none",
        ),
    ],
)
def test_wrong_options(capfd, survey, options, message):
    code, _, err = run(capfd, "score", survey, *options)
    assert (code, message in err) == (2, True), err


def test_cuts_are_saved_and_used_again(capfd, survey, tmp_path):
    cuts = tmp_path / "cuts.json"
    code, _, _ = run(capfd, "score", survey, "--save-discretizer", cuts, "--quiet")
    assert code == 0
    first = json.loads(run(capfd, "score", survey, "--json", "--quiet")[1])
    again = json.loads(run(capfd, "score", survey, "--discretizer", cuts, "--json", "--quiet")[1])
    assert first["score_info"]["data"] == again["score_info"]["data"]
    code, _, err = run(capfd, "score", survey, "--discretizer", cuts, "--nominal", "age")
    assert (code, err) == (2, "dagscape: --discretizer fixes columns, levels and cuts: remove --nominal\n")


def test_numbers_are_scored_as_they_are(capfd, survey):
    code, out, err = run(
        capfd, "score", survey, "--score", "bic-g", "--ignore", "joined,sex", "--drop", "row", "--json"
    )
    assert (code, json.loads(out)["variables"]) == (0, ["age", "rate", "answer"]), err
    assert "measured" not in err


def test_copies_are_named(capfd, tmp_path):
    path = tmp_path / "trial.csv"
    path.write_text("dose,arm,sex\n" + "".join(f"{i % 3},{'abc'[i % 3]},{i // 2 % 2}\n" for i in range(60)))
    said = "'dose' and 'arm' say the same in every row: leave out all but one"
    code, out, _ = run(capfd, "describe", path)
    assert (code, said in " ".join(out.split())) == (0, True)
    code, out, err = run(capfd, "score", path, "--json")
    assert (code, err.count(said), json.loads(out)["variables"]) == (0, 1, ["dose", "arm", "sex"])


def test_where_numbers_are_cut_the_score_that_does_without_is_named(capfd, survey, tmp_path):
    said = "--score auto takes numbers as they are, without cuts)"
    for command in (["posterior", "--no-compelled"], ["posterior", "--discretize", "auto"], ["best"], ["bootstrap"]):
        options = ["--samples", 2] if command == ["bootstrap"] else []
        assert run(capfd, command[0], survey, *command[1:], *options)[2].count(said) == 1
    # Not where nothing is cut, or where there is no such score.
    for command in (
        ["posterior", "--score", "auto"],
        ["mmpc", "--discretize", "auto"],
        ["describe", "--discretize", "auto"],
    ):
        assert said not in run(capfd, command[0], survey, *command[1:])[2]
