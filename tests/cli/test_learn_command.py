"""``dagscape learn``: tables, files, the options of methods, and exit codes."""

from __future__ import annotations

import csv
import re

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from cli.running import run
from dagscape.cli.commands.learn import command
from dagscape.search.registry import LEARNERS


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "asia.csv"
    ds.load_network("asia").sample(500, seed=1).to_frame().to_csv(path, index=False)
    return path


def test_the_table_shows_the_network_and_its_distance_to_the_truth(capfd, rows):
    code, out, err = run(capfd, "learn", rows, "--method", "tabu", "--seed", 3, "--truth", "builtin:asia")
    assert (code, err) == (0, "")
    assert " ".join(out.split()).endswith("by the number of rows)")
    out = out.partition("\n\nSettings: ")[0]
    found = ds.learn(ds.read_data(rows), "tabu", seed=3)
    lines = out.splitlines()
    size = f"8 variables, {found.network.edge_count} edges"
    steps = found.details["steps"]
    assert lines[0] == f"A network found by the method tabu: {size}, score {found.score:,.4f} after {steps} steps"
    families = [(name, found.network.parents(name)) for name in found.network.topological_order()]
    expected = [f"{name} {', '.join(parents)}" for name, parents in families if parents]
    assert [" ".join(line.split()) for line in lines[3 : 3 + len(expected)]] == expected
    measures = ds.compare(found.network, ds.load_network("asia"))
    shown = {line.split()[0]: line.split()[1] for line in lines[-5:]}
    assert shown == {name: str(measures[name]) for name in ("shd", "a_plus", "a_minus", "vs_plus", "vs_minus")}


def test_files_hold_the_result(capfd, rows, tmp_path):
    paths = {name: tmp_path / name for name in ("found.json", "model.bif", "picture.svg", "trace.csv")}
    arguments = ["--network", paths["model.bif"], "--draw", paths["picture.svg"], "--trace", paths["trace.csv"]]
    code, out, err = run(
        capfd, "learn", rows, "--method", "greedy", "--truth", "builtin:asia", "-o", paths["found.json"], *arguments
    )
    assert (code, err) == (0, "")
    found = ds.load_result(paths["found.json"])
    data = ds.read_data(rows)
    assert found.network == ds.learn(data, "greedy").network
    assert found.comparison["shd"] == ds.compare(found.network, ds.load_network("asia"))["shd"]
    assert ds.read_network(paths["model.bif"]).dag == found.network
    assert paths["picture.svg"].read_text().startswith("<svg")
    with open(paths["trace.csv"], encoding="utf-8", newline="") as stream:
        table = list(csv.DictReader(stream))
    assert [row["move"] for row in table] == [step.text for step in found.trace]
    assert [float(row["score"]) for row in table] == [step.score for step in found.trace]
    # The result is a network for other commands.
    code, out, _ = run(capfd, "compare", paths["found.json"], "builtin:asia")
    assert code == 0
    assert out.splitlines()[1].split()[:2] == ["shd", str(found.comparison["shd"])]
    code, _, err = run(capfd, "query", paths["found.json"], "lung")
    assert code == 3
    assert "is a result, which has no probabilities" in err


def test_a_search_continues_from_a_start(capfd, rows, tmp_path):
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    run(capfd, "learn", rows, "--method", "greedy", "-o", first)
    code, out, _ = run(capfd, "learn", rows, "--method", "greedy", "--start", first, "--seed", 9, "-o", second)
    assert code == 0
    assert out.splitlines()[0].endswith(" after 0 steps")
    assert ds.load_result(second).network == ds.load_result(first).network
    code, _, err = run(capfd, "learn", rows, "--method", "greedy", "--start", "builtin:cancer")
    assert (code, err) == (
        2,
        "dagscape: --start does not have the variables of DATA: it lacks 'asia' and has 'metastatic-cancer'\n",
    )


def test_methods_have_their_options(capfd, rows):
    code, out, _ = run(capfd, "learn", rows, "--method", "tabu", "--patience", 3, "--tabu-length", 4, "--json")
    assert code == 0
    expected = ds.learn(ds.read_data(rows), "tabu", patience=3, tabu_length=4)
    assert f'"steps": {expected.details["steps"]}' in out
    code, _, err = run(capfd, "learn", rows, "--method", "greedy", "--tabu-length", 3)
    assert (code, err) == (2, "dagscape: --tabu-length is an option of tabu and mmhc, not of greedy\n")
    code, _, err = run(capfd, "learn", rows, "--method", "tabu", "--tabu-length", "0")
    assert (code, err) == (2, "dagscape: --tabu-length is 0; it must be an integer of at least 1\n")
    code, _, err = run(capfd, "learn", rows, "--method", "tabu", "--restarts", "many")
    assert (code, err) == (2, "dagscape: --restarts is 'many'; it must be an integer of at least 0\n")


def test_every_option_of_a_method_is_documented():
    """Options are made from the arguments and the documentation of learners; none has the name of another option."""
    names = [parameter.name for parameter in command.params]
    assert len(names) == len(set(names))
    helps = {parameter.name: parameter.help for parameter in command.params if hasattr(parameter, "help")}
    for learner in LEARNERS.values():
        for option in learner.options:
            assert re.search(rf"\b{learner.name}(?:, \w+)*: [A-Z][^:]{{10,}}", helps[option]), option


def test_time_limits_are_told(capfd, rows):
    code, out, err = run(capfd, "learn", rows, "--method", "greedy", "--max-seconds", 1e-9)
    assert code == 0
    assert "; stopped by the time limit" in " ".join(out.split())
    assert err == "dagscape: warning: the search reached --max-seconds: the network is the best found by then\n"


def test_score_files_are_data(capfd, rows, tmp_path):
    scores = ds.local_scores(ds.read_data(rows), max_parents=2)
    ds.write_scores(scores, tmp_path / "asia.jkl")
    code, out, _ = run(capfd, "learn", tmp_path / "asia.jkl", "--method", "greedy")
    assert code == 0
    assert f"score {ds.learn(scores, 'greedy').score:,.4f}" in out
    code, _, err = run(capfd, "learn", tmp_path / "asia.jkl", "--method", "greedy", "--ess", 2)
    assert code == 2
    assert "--ess needs a table of data" in err
    code, _, err = run(capfd, "learn", tmp_path / "asia.jkl", "--method", "greedy", "--network", tmp_path / "m.bif")
    assert code == 2
    assert "its tables cannot be fitted to a score file" in err


@pytest.mark.parametrize("name", ["learn", "bootstrap"])
def test_messages_tell_the_method_from_that_of_discretization(capfd, rows, name):
    code, _, err = run(capfd, name, rows, "--method", "ges", "--score", "k2")
    assert code == 2
    assert err.startswith("dagscape: --method is 'ges', which searches equivalence classes")
    code, _, err = run(capfd, name, rows, "--discretize", "mdl")
    assert (code, err) == (2, "dagscape: --discretize mdl needs --class-column, the name of a discrete column\n")
    code, _, err = run(capfd, name, rows, "--discretize", "magic")
    assert (code, err) == (
        2,
        "dagscape: --discretize is 'magic'; it must be one of 'auto', 'quantile', 'width', 'mdl', 'hartemink'\n",
    )


def test_scores_of_a_file_can_be_declared_score_equivalent(capfd, rows, tmp_path):
    path = tmp_path / "asia.jkl"
    ds.write_scores(ds.local_scores(ds.read_data(rows)), path)
    code, _, err = run(capfd, "learn", path, "--method", "eq1")
    assert code == 2
    assert "read them with --score-equivalent" in err
    code, out, err = run(capfd, "learn", path, "--method", "eq1", "--score-equivalent")
    assert (code, err) == (0, "")
    found = ds.learn(ds.read_scores(path, score_equivalent=True), "eq1")
    assert f"{found.network.edge_count} edges, score {found.score:,.4f}" in out
    code, _, err = run(capfd, "learn", rows, "--method", "eq1", "--score-equivalent")
    assert code == 2
    assert "--score-equivalent is for score files" in err


def test_large_networks_are_shown_in_part(capfd, tmp_path):
    # Thirty pairs of copies: one of each pair has no parents.
    path, rng = tmp_path / "pairs.csv", np.random.default_rng(1)
    values = rng.integers(0, 2, (200, 30))
    frame = pd.DataFrame(np.hstack([values, values]), columns=[f"v{number}" for number in range(60)])
    frame.to_csv(path, index=False)
    with pytest.warns(ds.SuspiciousColumns, match="25 more relations between columns like these"):
        found = ds.learn(ds.read_data(path), "greedy", settings="fixed").network
    children = [name for name in found.topological_order() if found.parents(name)]
    roots = [name for name in found.topological_order() if not found.parents(name)]
    assert min(len(children), len(roots)) > 20

    def shown(*options):
        code, out, _ = run(capfd, "learn", path, "--method", "greedy", "--settings", "fixed", *options, "--quiet")
        assert code == 0
        # Long lines are wrapped. Copies fit as well with the other direction.
        words, note = " ".join(out.split()).split(f" {found.edge_count} of {found.edge_count} edges are reversible: ")
        assert note == "networks of the same equivalence class fit the data as well with the other direction"
        return out, words

    out, words = shown()
    assert [line.split()[0] for line in out.splitlines()[3:23]] == children[:20]
    assert f"… {len(children) - 20} families not shown" in words
    assert words.endswith(f"{len(roots)} variables without parents: {', '.join(roots[:20])}, … {len(roots) - 20} more")
    out, words = shown("--show", 1)
    parents = ", ".join(found.parents(children[0]))
    assert f"{children[0]} {parents} {parents} … {len(children) - 1} families" in words
    assert words.endswith(f"{len(roots)} variables without parents: {roots[0]}, … {len(roots) - 1} more")
    out, words = shown("--show", 0)
    assert "variable parents" not in words
    assert words.endswith(f"… {len(children)} families not shown {len(roots)} variables without parents")
    out, words = shown("--show", 60)
    assert "not shown" not in words
    assert words.endswith(f"{len(roots)} variables without parents: {', '.join(roots)}")


def test_the_result_can_be_fitted(capfd, rows, tmp_path):
    found, model = tmp_path / "found.json", tmp_path / "model.json"
    run(capfd, "learn", rows, "--method", "greedy", "-o", found)
    code, _, err = run(capfd, "fit", rows, "--network", found, "-o", model)
    assert (code, err) == (0, "")
    assert ds.read_network(model).dag == ds.load_result(found).network
