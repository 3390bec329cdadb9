"""Options that say how columns of numbers are cut: given cuts, methods, and several ways."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from cli.running import run
from dagscape.results.base import source_of


@pytest.fixture
def survey(tmp_path):
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, 150)
    frame = pd.DataFrame({"age": age, "hours=h": (age / 3 + rng.normal(size=150) * 4).round(1)})
    frame["sex"] = rng.choice(["f", "m"], 150)
    frame.to_csv(tmp_path / "survey.csv", index=False)
    return str(tmp_path / "survey.csv")


def test_given_cuts(capfd, survey, tmp_path):
    saved = str(tmp_path / "cuts.json")
    asked = ("--cuts", "age=30,50", "--cuts", "hours=h=12.5")
    code, out, _ = run(capfd, "describe", survey, *asked, "--save-discretizer", saved)
    assert code == 0
    assert "(-inf,30]" in out
    assert "Data: survey.csv; cut at 30, 50: age; cut at 12.5: hours=h" in out
    cuts = {"age": [30, 50], "hours=h": [12.5]}
    assert ds.Discretizer.load(saved).fitted == ds.discretize(survey, cuts=cuts).discretizer.fitted
    code, out, _ = run(capfd, "describe", survey, "--discretize", "width:2", "--cuts", "age=30,50")
    assert code == 0
    assert "Data: survey.csv; cut at 30, 50: age; 2 equal widths: hours=h" in out


def test_hartemink(capfd, survey, tmp_path):
    saved = str(tmp_path / "cuts.json")
    asked = ("--discretize", "hartemink:2", "--initial-bins", "8", "--save-discretizer", saved)
    code, _, _ = run(capfd, "describe", survey, *asked)
    assert code == 0
    expected = ds.discretize(survey, method="hartemink", bins=2, initial_bins=8).discretizer
    assert ds.Discretizer.load(saved) == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--cuts", "age"), "--cuts is 'age'; it must be COLUMN=CUTS, such as age=30,50"),
        (("--cuts", "age=x"), "--cuts is 'age=x'; it must be COLUMN=CUTS, such as age=30,50"),
        (("--cuts", "=3"), "--cuts is '=3'; it must be COLUMN=CUTS, such as age=30,50"),
        (
            ("--cuts", "age=3", "--cuts", "age=4"),
            "--cuts is given twice for column 'age': give all its cuts at once, as in age=30,50",
        ),
        (
            ("--cuts", "age=50,30"),
            "--cuts has [50.0, 30.0] for column 'age'; it must be numbers in ascending order, such as [30, 50]",
        ),
        (("--initial-bins", "30"), "--initial-bins is 30, but the method 'auto' has no initial intervals"),
        (
            ("--discretize", "hartemink:5", "--initial-bins", "4"),
            "--initial-bins is 4; it must be an integer from 5 to 100000, at least as large as bins",
        ),
        (("--discretize", "width:x"), "--discretize is 'width:x'; BINS must be an integer of at least 2"),
        (("--class-column", "sex"), "--class-column needs --discretize mdl"),
        (
            ("--discretize", "width:2", "--discretize", "width:3"),
            "--discretize width:2 --discretize width:3 asks for several ways of cutting, which 'dagscape posterior' "
            "and 'dagscape sensitivity' compare: choose one",
        ),
        (
            ("--discretize", "average"),
            "--discretize average asks for several ways of cutting, which 'dagscape posterior' and "
            "'dagscape sensitivity' compare: choose one",
        ),
        (
            ("--cuts", "age=30", "--discretizer", "cuts.json"),
            "--discretizer fixes columns, levels and cuts: remove --cuts",
        ),
        (
            ("--cuts", "age=30", "--score", "bic-g", "--drop", "sex"),
            "--cuts is for discrete data, and --score bic-g takes numbers",
        ),
    ],
)
def test_wrong_options(capfd, survey, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    ds.discretize(survey).discretizer.save("cuts.json")
    code, out, err = run(capfd, "learn", survey, *arguments)
    assert (code, out, err) == (2, "", f"dagscape: {message}\n")


def test_posterior_averages_over_ways(capfd, survey, tmp_path):
    saved = tmp_path / "post.json"
    code, out, _ = run(capfd, "posterior", survey, "--discretize", "average", "-o", str(saved))
    assert code == 0
    assert (
        "averaged over 64 settings, 4 ways of cutting with equal weights, the others by the evidence for each"
        in " ".join(out.split())
    )
    assert "Data: survey.csv; cut in 4 ways (2, 3, 4 and 5 quantiles): age, 'hours" not in out
    assert "Data: survey.csv; cut in 4 ways (2, 3, 4 and 5 quantiles): age, hours=h" in out
    found = ds.load_result(saved)
    expected = ds.posterior(survey, discretize="average")
    assert np.array_equal(found.edges, expected.edges)
    assert found.provenance.call == f"dagscape posterior {survey} --discretize average -o {saved}"
    assert source_of(found) == source_of(expected)


def test_posterior_takes_other_options_of_sums(capfd, survey):
    asked = ("--discretize", "quantile:2", "--discretize", "mdl", "--class-column", "sex", "--cuts", "age=30,50")
    scoring = (
        "--ess",
        "2",
        "--prior",
        "per-size",
        "--cut-weights",
        "evidence",
        "--compelled",
        "--compelled-samples",
        "50",
    )
    code, out, _ = run(capfd, "posterior", survey, *asked, *scoring, "--forbid", "sex", "age", "--json")
    assert code == 0
    document = json.loads(out)
    ways = ["quantile:2 and given cuts", "mdl and given cuts"]
    assert [setting["discretize"] for setting in document["settings"]] == ways
    discretizers = [
        ds.Discretizer(bins=2, cuts={"age": [30, 50]}),
        ds.Discretizer(method="mdl", class_column="sex", cuts={"age": [30, 50]}),
    ]
    expected = ds.posterior(
        survey, discretize=discretizers, cut_weights="evidence", ess=2.0, structure_prior="per-size",
        forbidden=[("sex", "age")], compelled=True, compelled_samples=50,
    )  # fmt: skip
    assert document["edges"] == expected.edges.tolist()
    assert document["compelled"] == expected.compelled.tolist()
    assert document["cut_weights"] == "evidence"


def test_posterior_refuses_what_needs_one_way(capfd, survey, tmp_path):
    several = ("posterior", survey, "--discretize", "average")
    for option in ("--save-discretizer", "--discretizer"):
        code, _, err = run(capfd, *several, option, str(tmp_path / "cuts.json"))
        assert (code, err) == (2, f"dagscape: {option} is for one way of cutting: give --discretize once\n")
    code, _, err = run(capfd, *several, "--consensus", str(tmp_path / "net.bif"))
    assert code == 2
    assert "its tables cannot be fitted to a table that is cut in several ways" in err
    code, _, err = run(capfd, *several, "--cut-weights", "evidence", "--score", "aic")
    assert (code, err) == (
        2,
        "dagscape: --cut-weights is 'evidence', which the score 'aic' is not: use --cut-weights equal, or a score such "
        "as 'bdeu'\n",
    )
    code, _, err = run(capfd, *several, "--prior-only")
    assert code == 2
    assert "is an option of one sum" in err


def test_posterior_draws_and_finds_a_consensus_of_ways(capfd, survey, tmp_path):
    picture, edges = tmp_path / "p.svg", tmp_path / "c.csv"
    several = ("posterior", survey, "--discretize", "quantile:2", "--discretize", "width:3")
    code, _, _ = run(capfd, *several, "--draw", str(picture), "--consensus", str(edges))
    assert code == 0
    assert "cut in 2 ways (2 quantiles, 3 equal widths): age, hours=h" in picture.read_text()
    assert edges.exists()


def test_sensitivity_compares_ways(capfd, survey, tmp_path):
    saved = tmp_path / "s.json"
    code, out, _ = run(capfd, "sensitivity", survey, "--ess", "1,10", "-o", str(saved))
    assert code == 0
    assert "The log evidence is that of the numbers before they were cut; all cuts have the same share" in out
    assert "quantile 5   10  edge-penalty:3       no limit" in out
    found = ds.load_result(saved)
    assert np.array_equal(found.edges, ds.sensitivity(survey, ess=(1, 10)).edges)
    asked = ("--discretize", "quantile:2", "--discretize", "hartemink", "--initial-bins", "9", "--cuts", "age=30,50")
    code, out, _ = run(capfd, "sensitivity", survey, *asked, "--ess", "1", "--prior", "uniform", "--json")
    assert code == 0
    labels = [setting["discretize"] for setting in json.loads(out)["settings"]]
    assert labels == ["quantile:2 and given cuts", "hartemink:3 and given cuts"]
    code, out, _ = run(
        capfd, "sensitivity", survey, "--cuts", "age=30,50", "--ess", "1", "--prior", "uniform", "--json"
    )
    assert len(json.loads(out)["settings"]) == 5


def test_sensitivity_of_one_way_is_as_before(capfd, survey):
    code, out, _ = run(capfd, "sensitivity", survey, "--discretize", "quantile:2", "--json")
    assert code == 0
    document = json.loads(out)
    expected = ds.sensitivity(ds.discretize(survey, bins=2))
    assert [setting["log_evidence"] for setting in document["settings"]] == [
        setting.log_evidence for setting in expected.settings
    ]
    code, out, _ = run(capfd, "sensitivity", "builtin:tic-tac-toe", "--ess", "1", "--max-parents", "1", "--json")
    assert [setting["discretize"] for setting in json.loads(out)["settings"]] == [""] * 4


def test_commands_are_recorded(capfd, survey, tmp_path):
    """Each result knows its command line, with quotes where the shell needs them."""
    saved = tmp_path / "a result.json"
    code, _, _ = run(capfd, "learn", survey, "--discretize", "quantile:2", "-o", str(saved))
    assert code == 0
    result = ds.load_result(saved)
    assert result.provenance.call == f"dagscape learn {survey} --discretize quantile:2 -o '{saved}'"
    assert source_of(result).name == "survey.csv"
    assert ds.learn(ds.discretize(survey, bins=2)).provenance.call == ""


def test_one_setting_of_several_ways(capfd, survey):
    """Fixed settings are those of a table that is cut in the usual way; the best ones are said."""
    several, one = ("--discretize", "average"), ("--discretize", "quantile:3")
    fixed = [run(capfd, "posterior", survey, *way, "--settings", "fixed", "--json") for way in (several, one)]
    first, second = (json.loads(out) for _, out, _ in fixed)
    assert first["edges"] == second["edges"]
    assert first["score_info"]["parameters"] == {"ess": 1.0}
    assert first["score_info"]["choice"] == ""
    code, out, _ = run(capfd, "posterior", survey, *several, "--settings", "best")
    assert code == 0
    assert out.count("Settings: ") == out.count("the highest evidence of 16 settings") == 1
    weighed = (*several, "--cut-weights", "evidence", "--settings")
    _, out, _ = run(capfd, "posterior", survey, *weighed, "fixed", "--json")
    assert json.loads(out)["score_info"]["parameters"] == {"ess": 1.0}
    _, out, _ = run(capfd, "posterior", survey, *weighed, "best")
    assert "the highest evidence of 64 settings" in " ".join(out.split())


def test_weights_of_one_way_have_no_effect(capfd, survey):
    said = "warning: --cut-weights has no effect: numbers are not cut in several ways\n"
    assert said in run(capfd, "posterior", survey, "--cut-weights", "evidence", "--discretize", "width:2")[2]
    assert said not in run(capfd, "posterior", survey)[2]


def test_what_a_user_sets_aside_is_no_warning(capfd, survey):
    code, _, err = run(capfd, "learn", survey, "--ignore", "age", "--ignore", "hours=h", "--settings", "fixed")
    assert (code, err) == (0, "")
