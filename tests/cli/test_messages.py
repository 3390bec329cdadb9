"""Mistakes that users make in a shell, and what the program says about them."""

from __future__ import annotations

import json

import pytest

import dagscape as ds
from cli.running import run


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["draw", "builtin:aisa"], "there is no bundled network 'aisa'; did you mean 'asia'?"),
        (["draw", "builtin:vots"], "there is no bundled network 'vots'; did you mean the data set 'votes'?"),
        (
            ["draw", "builtin:votes"],
            "'builtin:votes' is a data set, not a network: find its networks with 'dagscape best",
        ),
        (["best", "builtin:asia"], "'builtin:asia' is a network, not a table of data: draw rows with 'dagscape sample"),
        (["describe", "builtin:asia"], "'builtin:asia' is a network, not a table of data"),
        (["predict", "builtin:asia", "builtin:asia", "--target", "lung"], "is a network, not a table of data"),
        (["best", "builtin:zoo", "--interventions", "Hair"], "not a column of 'builtin:zoo'; did you mean 'hair'?"),
        (["best", "builtin:iris", "--discretize", "mdl", "--class-column", "clas"], "did you mean 'class'?"),
        (["best", "builtin:iris", "--discretize", "mdll"], "did you mean 'mdl'?"),
        (["best", "builtin:zoo", "--prior", "perr-size"], "edge-penalty:K; did you mean 'per-size'?"),
        (["sensitivity", "builtin:zoo", "--ess", "1,x"], "--ess is '1,x'; it must be numbers separated by commas"),
        (["best", "builtin:zoo", "-k", "x"], "'x' is not a valid integer.\n"),
        (["draw", "builtin:asia", "--threshold", "x"], "'x' is not a valid number.\n"),
        (["learn", "builtin:tic-tac-toe", "--max-seconds", 0], "--max-seconds is 0.0; it must be a number above 0"),
        (["modes", "builtin:tic-tac-toe", "--max-seconds", 0], "--max-seconds is 0.0; it must be a number above 0"),
        (["bootstrap", "builtin:tic-tac-toe", "--max-seconds", 0], "--max-seconds is 0.0; it must be a number above 0"),
        (["score", "builtin:zoo", "-o", "-"], "-o is '-', but scores cannot go to standard output"),
        (["query", "builtin:asia", "lung", "--given", "lung=yes"], "the target is 'lung', which --given observes"),
    ],
)
def test_remedies(capfd, arguments, message):
    code, out, err = run(capfd, *arguments)
    assert (code, out) == (2, "")
    assert message in err


def test_networks_and_drawings_go_to_standard_output(capfd, tmp_path):
    cut = ("--discretize", "mdl", "--class-column", "class")
    code, out, err = run(capfd, "fit", "builtin:iris", *cut, "-o", "-")
    assert (code, err) == (0, "")
    assert out == run(capfd, "fit", "builtin:iris", *cut, "--json")[1]
    assert json.loads(out)["kind"] == "network"
    code, out, err = run(capfd, "draw", "builtin:asia", "-o", "-")
    assert (code, err) == (0, "")
    assert out == run(capfd, "draw", "builtin:asia")[1]


def test_a_threshold_hides_no_edge_that_is_shown_as_equal_to_it(capfd, tmp_path):
    arguments = ("posterior", "builtin:tic-tac-toe", "--max-parents", 3, "--settings", "fixed")
    code, out, _ = run(capfd, *arguments, "--threshold", 1, "-o", tmp_path / "posterior.json")
    assert code == 0
    probability = ds.load_result(tmp_path / "posterior.json").edge("Class", "middle-middle-square")
    assert 0.99995 < probability < 1
    assert "Class  middle-middle-square  1.0000" in out
