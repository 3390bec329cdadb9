"""Posteriors under a grid of settings: the same as one by one, their evidence, what changes, tables and pictures."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import re
import signal
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from cli.running import run
from dagscape.drawing.text import shown_text
from dagscape.report.sensitivity import render_sensitivity
from dagscape.report.tables import render
from dagscape.report.terminal import terminal_text
from dagscape.scores.parent_states import parent_states

GRID = {"ess": (0.5, 20.0), "structure_prior": ("uniform", "edge-penalty:1"), "max_parents": (1, 2, None)}
ODD_NAMES = ["[red]a", "b, c", "<b>&amp;", 'say "hi"', "x" * 80]


@pytest.fixture(scope="module")
def data():
    return ds.load_network("asia").sample(100, seed=2).select(["smoke", "lung", "bronc", "either", "dysp"])


@pytest.fixture(scope="module")
def found(data):
    return ds.sensitivity(data, **GRID)


@pytest.mark.slow
@pytest.mark.parametrize("over", ["dags", "orders"])
@pytest.mark.parametrize(
    "options",
    [{}, {"score": "k2"}, {"score": "mdl", "forbidden": [("smoke", "lung")]}, {"required": [("bronc", "dysp")]}],
)
def test_every_setting_is_the_posterior_by_itself(data, over, options):
    """The oracle: each setting scored and summed alone, without shared tables."""
    study = ds.sensitivity(data, over=over, **GRID, **options)
    uses_ess = options.get("score", "bdeu") == "bdeu"
    sizes = GRID["ess"] if uses_ess else (None,)
    expected = list(itertools.product(sizes, GRID["structure_prior"], (1, 2, 4)))
    assert [(s.ess, s.structure_prior, s.max_parents) for s in study.settings] == expected
    for i, (ess, prior, parents) in enumerate(expected):
        given = {"ess": ess} if uses_ess else {}
        scores = ds.local_scores(data, structure_prior=prior, max_parents=parents, **given, **options)
        post = ds.posterior(scores, over)
        np.testing.assert_allclose(study.edges[i], post.edges, atol=1e-11)
        assert study.settings[i].log_evidence == pytest.approx(post.log_evidence, abs=1e-9)
        assert study.settings[i].log_total == pytest.approx(post.log_total, abs=1e-9)
        assert study.settings[i].parent_states == pytest.approx(parent_states(post.edges, data.arities).max())
        assert 0 < study.settings[i].error < 1e-9


def test_more_variables_than_tiles_and_a_limit_below_all_parents():
    data = ds.Dataset.from_array(np.random.default_rng(1).integers(0, 2, (60, 11)))
    study = ds.sensitivity(data, ess=1, structure_prior="per-size", max_parents=(2, 3), over="orders")
    for i, parents in enumerate((2, 3)):
        scores = ds.local_scores(data, structure_prior="per-size", max_parents=parents)
        np.testing.assert_allclose(study.edges[i], ds.posterior(scores, "orders").edges, atol=1e-8)


def test_evidence_is_normalised_so_that_settings_can_be_compared(found):
    """A mixture of the settings: shares are evidence times equal priors."""
    logs = np.array([setting.log_evidence for setting in found.settings])
    total = math.log(math.fsum(np.exp(logs - logs.max()))) + logs.max()
    np.testing.assert_allclose(found.shares, np.exp(logs - total))
    assert found.shares.sum() == pytest.approx(1)
    assert found.best.log_evidence == logs.max()


def test_what_changes(found):
    frame = found.to_frame(min_share=0)
    assert len(frame) == 20
    labels = [setting.label for setting in found.settings]
    assert list(frame.columns[7:]) == labels
    assert (frame["range"].diff()[1:] <= 0).all()
    for row in frame.to_dict("records"):
        u, v = found.variables.index(row["source"]), found.variables.index(row["target"])
        here = found.edges[:, u, v]
        assert [row[label] for label in labels] == here.tolist()
        assert (row["lowest"], row["highest"]) == (here.min(), here.max())
        assert row[row["lowest_at"]] == here.min()
        assert row[row["highest_at"]] == here.max()
    for threshold in (0.3, 0.5):
        changed = found.changes(threshold, min_share=0)
        crossing = (found.edges.min(axis=0) < threshold) & (found.edges.max(axis=0) >= threshold)
        assert len(changed) == crossing.sum() > 0
    pairs = found.to_frame("adjacencies")
    assert len(pairs) == 10
    np.testing.assert_allclose(found.adjacencies, found.edges + found.edges.transpose(0, 2, 1), atol=1e-12)
    credible = found.to_frame(min_share=0.05)
    assert list(credible.columns[7:]) == [labels[i] for i in np.flatnonzero(found.shares >= 0.05)]
    assert len(found.to_frame(min_share=1.0).columns) == 8
    pd.testing.assert_frame_equal(found.to_frame(), found.to_frame(min_share=0.01))
    pd.testing.assert_frame_equal(found.changes(), found.changes(min_share=0.01))


OLD_GRID = {"ess": (1, 10, 100), "structure_prior": ("uniform", "per-size")}


@pytest.fixture(scope="module")
def unlike():
    """Settings of which the data rule out most: an equivalent sample size of 100 for 60 rows."""
    votes = ds.load_dataset("votes")
    rows = votes.to_frame().sample(60, random_state=1)[list(votes.variables[:7])]
    return ds.sensitivity(ds.Dataset.from_frame(rows, missing="level"), **OLD_GRID, max_parents=(2, None))


def test_settings_that_the_data_rule_out_do_not_count(unlike):
    kept = unlike.credible()
    assert kept == tuple(np.flatnonzero(unlike.shares >= 0.01))
    assert 1 < len(kept) < len(unlike.settings)
    assert unlike.credible(0) == tuple(range(12))
    assert unlike.credible(1) == (unlike.settings.index(unlike.best),)
    few, all_of_them = len(unlike.changes()), len(unlike.changes(min_share=0))
    assert few < all_of_them
    crossing = f"{few} edge{'' if few == 1 else 's'} cross{'es' if few == 1 else ''} 0.5"
    assert f"{len(kept)} with a share of at least 1%, {crossing} between these" in repr(unlike)
    assert f"(between all 12 settings: {all_of_them} edges)" in unlike.summary()
    assert unlike.summary(min_share=0) == f"between all settings, {all_of_them} edges cross 0.5"
    assert unlike.summary(0.999, min_share=1.0).startswith(
        f"only {unlike.best.label} has a share of at least 100%, so no edge crosses 0.999 (between all 12 settings: "
    )


def test_the_picture_shows_the_range_of_credible_settings(unlike):
    """The others are faint, beyond the line, and do not decide which rows come first."""
    frame = unlike.changes()
    assert len(frame) > 2
    root = ET.fromstring(unlike.draw(rows=3))
    marks = [element for element in root.iter() if element.find("{*}title") is not None and element is not root]
    kept = {unlike.settings[i].label for i in unlike.credible()}
    for mark in marks:
        faint = mark.get("opacity") is not None
        assert faint != any(f"({label})" in mark.find("{*}title").text for label in kept)
    lines = [element for element in root.findall("{*}line") if element.get("y1") == element.get("y2")]
    lengths = [float(line.get("x2")) - float(line.get("x1")) for line in lines[:3]]
    np.testing.assert_allclose(lengths, 340 * frame["range"][:3], atol=0.11)
    first = " → ".join(shown_text(frame[end][0], 24) for end in ("source", "target"))
    assert any(mark.find("{*}title").text.startswith(first) for mark in marks)
    everything = unlike.draw(rows=3, min_share=0)
    assert "opacity" not in everything
    assert "the range under all settings" in everything
    assert f"the {len(kept)} settings with a share of at least 1%; faint: the others" in unlike.draw()


def test_the_edges_that_cross_one_half_are_always_drawn_first(unlike):
    """However little they change: these are the edges that matter."""
    # One of them changes least of all edges, from 0.499 to 0.501.
    edges = unlike.edges.copy()
    edges[:, 0, 1] = np.linspace(0.499, 0.501, len(edges))
    study = dataclasses.replace(unlike, edges=edges)
    crossing = study.changes()
    assert crossing["range"].min() < 0.01 < study.to_frame()["range"][len(crossing)]
    root = ET.fromstring(study.draw(rows=len(crossing)))
    drawn = [element.text for element in root.findall("{*}text") if " → " in (element.text or "")]
    names = zip(crossing["source"], crossing["target"], strict=True)
    assert drawn == [" → ".join(shown_text(name, 24) for name in pair) for pair in names]


@pytest.mark.parametrize("grid", [OLD_GRID, {}])
def test_every_option_can_be_told_apart_in_the_picture(unlike, grid):
    """Marks of different settings differ by colour, shape or height in the row."""
    votes = ds.load_dataset("votes")
    rows = votes.to_frame().sample(60, random_state=1)[list(votes.variables[:7])]
    data = ds.Dataset.from_frame(rows, missing="level")
    study = ds.sensitivity(data, **grid, max_parents=(2, None)) if not grid else unlike
    root = ET.fromstring(study.draw(rows=1, min_share=0))
    looks = set()
    for mark in root.iter():
        if mark is not root and mark.find("{*}title") is not None:
            heights = [float(pair.split(",")[1]) for pair in mark.get("points", "").split()] or [float(mark.get("cy"))]
            centre = round(sum(heights) / len(heights), 1)
            # The corners of a square are on two levels, those of a diamond on three.
            levels = len(set(heights))
            looks.add((mark.get("fill"), mark.tag, len(heights), levels, centre))
    assert len(looks) == len(study.settings)
    for text in ("ess 100", "no limit", "2 parents", "from top to bottom in each row: "):
        assert text in unlike.draw()


def test_a_missing_limit_is_said(unlike, found):
    assert {setting.label.split(", ")[2] for setting in unlike.settings} == {"2 parents", "no limit"}
    assert [setting.unlimited for setting in found.settings] == [False, False, True] * 4
    document = found.to_dict()
    for setting in document["settings"]:
        del setting["unlimited"]
    assert ds.Sensitivity.from_dict(document) == found


def frame_of(table):
    header, *rows = [[cell.text for cell in row] for row in ET.fromstring(table).iter("tr")]
    return pd.DataFrame(rows, columns=header)


def test_notebooks_show_settings_with_shares_and_what_changes(unlike):
    shown = unlike._repr_html_()
    tables = [frame_of(table) for table in re.findall("<table.*?</table>", shown, re.DOTALL)]
    settings = unlike.settings_frame().sort_values("share", ascending=False, kind="stable")
    assert tables[0]["setting"].tolist() == settings["setting"].tolist()[:10]
    assert {"log_evidence", "share"} <= set(tables[0].columns)
    assert tables[1]["source"].tolist() == unlike.changes()["source"].tolist()[:10]
    assert len(tables[1].columns) == 8
    assert unlike.summary() in shown


def test_default_settings_that_the_data_rule_out_are_mentioned(data):
    grid = {"structure_prior": ("uniform",), "max_parents": (None,)}
    study = ds.sensitivity(data, ess=(1.0, 1e6), **grid)
    assert study.best.ess == 1.0
    assert study.on_defaults() is None
    assert ds.sensitivity(data, ess=(10.0,), **grid).on_defaults() is None
    settings = tuple(dataclasses.replace(s, log_evidence=-1000.0 * (s.ess == 1.0)) for s in study.settings)
    unlikely = dataclasses.replace(study, settings=settings)
    differ = int(((study.edges[0] >= 0.5) != (study.edges[1] >= 0.5)).sum())
    assert unlikely.on_defaults().startswith("the defaults of scores (ess 1, uniform, no limit) have a share of 0: ")
    assert f": {differ or 'no'} edge" in unlikely.on_defaults()
    assert unlikely.on_defaults()[1:] in terminal_text(render_sensitivity(unlikely), 300)
    assert unlikely.on_defaults() in unlikely._repr_html_()


def test_a_csv_file_has_all_settings(unlike, tmp_path):
    assert len(unlike.credible()) < len(unlike.settings)
    unlike.save(tmp_path / "study.csv")
    columns = pd.read_csv(tmp_path / "study.csv").columns
    assert {setting.label for setting in unlike.settings} <= set(columns)


def test_draw_takes_a_study(unlike, tmp_path, capfd):
    assert ds.draw(unlike, title="Votes") == unlike.draw(title="Votes")
    assert ds.draw(unlike, tmp_path / "x.svg") is None
    assert (tmp_path / "x.svg").read_text() == unlike.draw()
    with pytest.raises(
        ds.InvalidOption, match=r"threshold is for pictures of graphs: the method draw\(\) of a Sensitivity"
    ):
        ds.draw(unlike, threshold=0.5)
    unlike.save(tmp_path / "study.json")
    assert run(capfd, "draw", tmp_path / "study.json")[:2] == (0, unlike.draw())
    for rows in (0, 2.5):
        with pytest.raises(ds.InvalidOption, match=f"rows is {rows}; it must be an integer of at least 1"):
            unlike.draw(rows=rows)


def test_of_many_settings_only_those_that_are_compared_are_shown(data):
    study = ds.sensitivity(data, ess=np.geomspace(0.01, 1000, 25), structure_prior="uniform", max_parents=None)
    kept = len(study.credible())
    assert 0 < kept < 25
    shown = terminal_text(render_sensitivity(study), 120)
    assert shown.count("uniform  ") == kept
    assert f"… {25 - kept} more, each with a share below 1%" in shown
    shown = terminal_text(render_sensitivity(study, min_share=0), 120)
    assert shown.count("uniform  ") == 25
    assert "more, each with a share" not in shown


def test_names_in_tables_are_broken_at_hyphens(unlike):
    names = [name for name in unlike.variables if name.count("-") > 1]
    assert len(names) > 2
    for width in (80, 90, 100, 120):
        shown = terminal_text(render_sensitivity(unlike, 50, 0.3, min_share=0), width)
        for name in names:
            assert all(word in shown for word in name.split("-")), (name, width)


def test_influence_is_the_effect_of_one_option_alone(data, found):
    influence = found.influence()
    assert list(influence.values()) == sorted(influence.values(), reverse=True)
    ess_only = ds.sensitivity(data, ess=(1, 10), structure_prior="uniform", max_parents=2)
    alone = ess_only.influence()
    expected = np.abs(ess_only.edges[0] - ess_only.edges[1])[~np.eye(5, dtype=bool)].mean()
    assert alone == {"ess": pytest.approx(expected), "structure_prior": 0.0, "max_parents": 0.0}


def test_grids_drop_what_means_the_same(data):
    study = ds.sensitivity(data, ess=(1, 1.0), structure_prior="uniform", max_parents=(3, 4, 7, None))
    assert [setting.max_parents for setting in study.settings] == [3, 4]
    assert len(ds.sensitivity(data).settings) == 16
    single = ds.sensitivity(ds.Dataset.from_array([["x"], ["y"]]))
    assert single.edges.shape == (16, 1, 1)
    assert len(single.to_frame()) == 0
    assert single.draw().startswith("<svg")


def test_frames_are_data(data, found):
    frame = pd.DataFrame(data.to_frame())
    assert without_times(ds.sensitivity(frame, **GRID)) == without_times(found)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ess": ()}, "ess is empty; it must be a value, or a sequence of values"),
        ({"ess": (1, -1)}, "ess is -1; it must be a number"),
        ({"structure_prior": ("uniform", "flat")}, "structure_prior is 'flat'"),
        ({"max_parents": (2, "all")}, "max_parents is 'all'"),
        ({"over": "trees"}, "over is 'trees'"),
        ({"score": "bde"}, "score is 'bde'"),
        ({"threads": 0}, "threads is 0"),
        ({"max_memory": "much"}, "max_memory is 'much'"),
    ],
)
def test_wrong_options_are_named(data, options, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.sensitivity(data, **options)


def test_wrong_arguments_of_results_are_named(found, tmp_path):
    for wrong in (lambda: found.to_frame("paths"), lambda: found.influence("paths"), lambda: found.draw(feature="x")):
        with pytest.raises(ds.InvalidOption, match="feature is"):
            wrong()
    with pytest.raises(ds.InvalidOption, match="threshold is 2"):
        found.changes(2)
    with pytest.raises(ds.InvalidOption, match="min_share is -1"):
        found.to_frame(min_share=-1)
    with pytest.raises(ds.InvalidOption, match="cannot tell the format of"):
        found.draw(tmp_path / "ranges.dot")


def test_too_little_memory_is_refused_before_any_work():
    heard = []
    data = ds.Dataset.from_array(np.random.default_rng(1).integers(0, 2, (30, 16)))
    told = r"sums over dags of 16 variables need [\d.]+ MiB; the limit is 4\.0 MiB \(max_memory\): raise"
    with pytest.raises(ds.TooLarge, match=told):
        ds.sensitivity(data, max_memory="4MiB", progress=heard.append)
    assert heard == []


def test_progress_interrupts_and_threads(data, found):
    heard = []
    again = ds.sensitivity(data, **GRID, threads=1, progress=heard.append)
    assert without_times(again) == without_times(found)
    assert {report.task for report in heard} == {"Scoring sets of variables", "Comparing settings"}
    done = [report.done for report in heard if report.task == "Comparing settings"]
    assert done == sorted(done)
    assert done[-1] == heard[-1].total
    with pytest.raises(KeyboardInterrupt):
        ds.sensitivity(data, progress=lambda report: signal.raise_signal(signal.SIGINT))


def without_times(study):
    document = study.to_dict()
    del document["provenance"]
    for setting in document["settings"]:
        del setting["seconds"]
    return document


def test_saving_showing_and_loading(found, tmp_path):
    found.save(tmp_path / "study.json")
    back = ds.load_result(tmp_path / "study.json")
    assert back == found
    assert back.settings == found.settings
    assert repr(back) == repr(found)
    assert len(repr(found)) < 200
    document = json.loads((tmp_path / "study.json").read_text())
    assert document["shares"] == found.shares.tolist()
    assert len(document["adjacencies"]) == len(found.settings)
    for broken in ({**document, "settings": document["settings"][1:]}, {**document, "settings": [], "edges": []}):
        (tmp_path / "broken.json").write_text(json.dumps(broken))
        with pytest.raises(ds.InvalidData, match=r"edges has the shape \(12, \d, \d\); it must be \(11, |no settings"):
            ds.load_result(tmp_path / "broken.json")
    assert "Posteriors over dags under 12 settings" in terminal_text(render(found), 200)
    assert found._repr_html_().count("<svg") == 1
    assert len(found.settings_frame()) == 12


def test_pictures_escape_names_and_show_every_setting(tmp_path):
    data = ds.Dataset.from_array(np.random.default_rng(1).integers(0, 2, (30, 5)), ODD_NAMES)
    study = ds.sensitivity(data, **OLD_GRID, max_parents=(1, 2))
    text = study.draw(rows=3, title="1 < 2 & 3")
    root = ET.fromstring(text)
    marks = [element for element in root.iter() if element.tag.endswith(("circle", "polygon"))]
    # A mark for each setting and a ring in each of three rows, and the legend: three sizes, two limits, and the ring.
    assert len(marks) == 3 * (len(study.settings) + 1) + 3 + 2 + 1
    assert "1 &lt; 2 &amp; 3" in text
    assert "highest evidence" in text
    study.draw(tmp_path / "ranges.svg", rows=3, title="1 < 2 & 3")
    assert (tmp_path / "ranges.svg").read_text() == text
    assert " – " in study.draw(feature="adjacencies")


@pytest.mark.slow
def test_pictures_with_matplotlib(found, tmp_path):
    pytest.importorskip("matplotlib")
    found.draw(tmp_path / "ranges.png")
    assert (tmp_path / "ranges.png").read_bytes().startswith(b"\x89PNG")
    found.draw(tmp_path / "ranges.pdf")
    assert (tmp_path / "ranges.pdf").read_bytes().startswith(b"%PDF")


def test_the_command(capfd, data, found, tmp_path):
    path = tmp_path / "asia.csv"
    data.to_frame().to_csv(path, index=False)
    read = ds.read_data(path)
    grid = ["--ess", "0.5,20", "--prior", "uniform,edge-penalty:1", "--max-parents", "1,2,none"]
    picture, saved = tmp_path / "ranges.svg", tmp_path / "study.json"
    code, out, err = run(capfd, "sensitivity", path, *grid, "--show", 2, "--draw", picture, "-o", saved)
    assert (code, err) == (0, "")
    expected = ds.sensitivity(read, **GRID)
    assert without_times(ds.load_result(saved)) == without_times(expected)
    assert picture.read_text() == expected.draw()
    lines = out.splitlines()
    assert lines[0] == "Posteriors over dags under 12 settings"
    assert lines[1].startswith("Average change of the probability of an edge: ")
    assert expected.summary()[1:] in out
    code, out, _ = run(capfd, "sensitivity", path, *grid, "--min-share", 0, "--draw", picture)
    assert code == 0
    assert f"Between all settings, {len(expected.changes(min_share=0))} edges cross 0.5" in out
    assert picture.read_text() == expected.draw(min_share=0)
    code, out, _ = run(capfd, "sensitivity", path, *grid, "--json")
    assert code == 0
    assert json.loads(out)["edges"] == expected.edges.tolist()
    bic = ["--score", "bic", "--max-parents", "1", "--prior", "uniform"]
    code, out, err = run(capfd, "sensitivity", path, *bic)
    assert (code, err) == (0, "")
    assert "--ess has no effect with --score bic" in run(capfd, "sensitivity", path, *bic, "--ess", "1,2")[2]
    assert "Between all settings, no edge crosses 0.5" in out
    for wrong, message in (
        (["--ess", "1,x"], "--ess is '1,x'; it must be numbers separated by commas"),
        (["--max-parents", "-1"], "--max-parents is -1"),
        (["--prior", "flat"], "--prior is 'flat'"),
        (["--draw", "x.dot"], "cannot tell the format"),
    ):
        code, out, err = run(capfd, "sensitivity", path, *wrong)
        assert (code, out) == (2, "")
        assert message in err


def test_a_sum_that_never_fits_is_refused_before_the_scores():
    """A lower limit on the number of parents would not help: the message must not advise it."""
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (30, 40)))
    with pytest.raises(ds.TooLarge, match=r"^sums over dags of 40 variables need .* leave out some with"):
        ds.sensitivity(data, max_memory="1GiB")


def test_what_was_not_compared_is_said():
    rng = np.random.default_rng(6)
    frame = pd.DataFrame({"x": rng.normal(size=60), "y": rng.normal(size=60)})
    said = "Numbers are cut in one way; given the table itself, sensitivity compares several ways"
    heading = str(render_sensitivity(ds.sensitivity(ds.discretize(frame)))[0])
    assert said in heading
    assert said not in str(render_sensitivity(ds.sensitivity(frame))[0])
