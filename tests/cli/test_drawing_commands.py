"""Pictures and the consensus on the command line, as a user asks for them."""

from __future__ import annotations

import pytest

import dagscape as ds
from cli.running import run, table_rows


@pytest.fixture
def table(tmp_path):
    """A table of data with a posterior that is not too clear."""
    ds.load_network("asia").sample(200, seed=1).to_frame().to_csv(tmp_path / "asia.csv", index=False)
    return tmp_path / "asia.csv"


@pytest.mark.slow
def test_a_posterior_is_drawn_by_all_three_ways(capfd, tmp_path, table):
    saved, picture = tmp_path / "post.json", tmp_path / "p.svg"
    code, _, err = run(capfd, "posterior", table, "--draw", picture, "-o", saved, "--threshold", 0.2)
    assert (code, err) == (0, "")
    post = ds.load_result(saved)
    assert picture.read_text(encoding="utf-8") == post.draw(threshold=0.2)
    assert run(capfd, "draw", saved, "--threshold", 0.2)[1] == picture.read_text(encoding="utf-8")
    edges = ("--threshold", 0.1, "--lines", "edges")
    assert run(capfd, "posterior", table, "--draw", picture, *edges)[0] == 0
    assert run(capfd, "draw", saved, *edges)[1] == picture.read_text(encoding="utf-8")
    assert run(capfd, "draw", saved)[1] == ds.draw(post) == ds.draw(post, threshold=0.5)
    for name in ("p.png", "p.pdf", "p.dot"):
        assert run(capfd, "draw", saved, "-o", tmp_path / name)[0] == 0
        assert (tmp_path / name).stat().st_size > 100


def test_the_threshold_of_the_table_and_of_the_drawing_have_their_own_defaults(capfd, tmp_path, table):
    code, out, _ = run(capfd, "posterior", table, "--draw", tmp_path / "p.svg", "-o", tmp_path / "post.json")
    assert code == 0
    assert "below 0.05 not shown" in out
    post = ds.load_result(tmp_path / "post.json")
    assert (tmp_path / "p.svg").read_text(encoding="utf-8") == post.draw()


def test_the_table_shows_adjacency(capfd, table):
    _, out, _ = run(capfd, "posterior", table, "--threshold", 0.3)
    first = table_rows(out, ["from", "to", "edge", "ancestor", "adjacent", "compelled"])[0]
    edge, _, adjacent, compelled = map(float, first[2:])
    assert compelled <= edge <= adjacent <= 1
    assert "From 2,000 DAGs drawn (seed 0), standard error up to " in " ".join(out.split())
    _, out, _ = run(capfd, "posterior", table, "--threshold", 0.3, "--compelled-samples", 50, "--seed", 7)
    assert "From 50 DAGs drawn (seed 7), standard error up to " in " ".join(out.split())
    _, out, _ = run(capfd, "posterior", table, "--no-compelled")
    assert table_rows(out, ["from", "to", "edge", "ancestor", "adjacent"])
    assert "compelled edges were not computed" in out
    _, out, _ = run(capfd, "posterior", table, "--over", "orders")
    assert table_rows(out, ["from", "to", "edge", "adjacent", "compelled"])


def test_a_saved_comparison_of_settings_is_drawn(capfd, tmp_path, table):
    saved, picture = tmp_path / "settings.json", tmp_path / "settings.svg"
    settings = ("--ess", "1,10", "--prior", "uniform", "--max-parents", 2)
    assert run(capfd, "sensitivity", table, *settings, "--draw", picture, "-o", saved)[0] == 0
    code, out, err = run(capfd, "draw", saved)
    assert (code, err) == (0, "")
    assert out.rstrip() == picture.read_text(encoding="utf-8").rstrip()
    assert run(capfd, "draw", saved, "-o", "-") == (0, out, "")
    assert ">Settings<" in run(capfd, "draw", saved, "--title", "Settings")[1]
    assert run(capfd, "draw", saved, "--label-width", 12)[0] == 2
    assert run(capfd, "draw", saved, "-o", tmp_path / "settings.dot")[0] == 2


@pytest.mark.parametrize("space", ["classes", "dags"])
def test_drawing_a_saved_list_gives_the_picture_of_the_run(capfd, tmp_path, table, space):
    saved, picture = tmp_path / "best.json", tmp_path / "best.svg"
    assert run(capfd, "best", table, "--space", space, "-k", 3, "--draw", picture, "-o", saved)[0] == 0
    assert run(capfd, "draw", saved)[1] == picture.read_text(encoding="utf-8")
    best = ds.load_result(saved)
    assert run(capfd, "draw", saved, "--dag")[1] == ds.draw(best.networks[0])
    assert run(capfd, "draw", saved, "--class")[1] == ds.draw(best.networks[0].to_cpdag())


def test_narrow_labels(capfd, tmp_path):
    names = ["systolic_blood_pressure", "age at the first visit"]
    ds.Dataset.from_array([[0, 0], [1, 1], [0, 1]] * 9, names).to_frame().to_csv(tmp_path / "t.csv", index=False)
    for command in ("posterior", "best"):
        code, _, _ = run(capfd, command, tmp_path / "t.csv", "--draw", tmp_path / f"{command}.svg", "--label-width", 9)
        assert code == 0
        assert ">systolic_<" in (tmp_path / f"{command}.svg").read_text()
    run(capfd, "best", tmp_path / "t.csv", "-o", tmp_path / "best.json")
    assert ">systolic_<" in run(capfd, "draw", tmp_path / "best.json", "--label-width", 9)[1]


def test_the_consensus_is_shown_and_written(capfd, tmp_path, table):
    for name in ("c.csv", "c.bif", "c.svg"):
        code, out, err = run(capfd, "posterior", table, "--consensus", tmp_path / name, "-o", tmp_path / "post.json")
        assert (code, err) == (0, "")
    post = ds.load_result(tmp_path / "post.json")
    dag = post.consensus()
    assert f"Consensus network ({dag.edge_count} edges): " in out
    assert all(f"{u} → {v}" in " ".join(out.split()) for u, v in dag.edges)
    assert ds.read_graph(tmp_path / "c.csv") == dag
    assert run(capfd, "draw", tmp_path / "c.csv")[1] == ds.draw(dag)
    ess = ds.load_result(tmp_path / "post.json").fitted_as.ess
    assert ds.read_network(tmp_path / "c.bif") == ds.Network.fit(dag, ds.read_data(table), ess)
    assert (tmp_path / "c.svg").read_text(encoding="utf-8") == ds.draw(dag, weights=post.edges)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["draw", "builtin:asia", "--threshold", "0.2"], "--threshold is for posteriors, and 'builtin:asia' has no"),
        (["draw", "builtin:asia", "--lines", "edges"], "--lines is for posteriors, and 'builtin:asia' has no"),
        (["draw", "builtin:asia", "--class", "--dag"], "--class and --dag exclude each other"),
        (["draw", "builtin:asia", "--label-width", "2"], "2 is not in the range x>=4"),
        (["posterior", "builtin:zoo", "--consensus", "c.jpg"], "cannot tell the format of 'c.jpg'"),
        (["posterior", "builtin:zoo", "--draw", "no/where.svg"], "there is no folder"),
        (
            ["posterior", "scores.jkl", "--consensus", "c.bif"],
            "--consensus needs a table of discrete data for a .bif file",
        ),
        (["draw", "plan.json"], "'plan.json' is a 'plan' result, which cannot be drawn"),
    ],
)
def test_wrong_usage(capfd, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    scores = ds.FamilyTable({"a": {(): -1.0, ("b",): -0.5}, "b": {(): -1.0, ("a",): -0.5}}, complete=True)
    ds.write_scores(scores, "scores.jkl")
    ds.plan(ds.load_dataset("zoo")).save("plan.json")
    code, out, err = run(capfd, *arguments)
    assert (code, out) == (2, "")
    assert message in err
