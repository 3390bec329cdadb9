"""Warnings stay with results: in files, tables, notebooks and the legends of pictures."""

from __future__ import annotations

import html
import json
import re
import subprocess
import sys
import warnings
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import dagscape as ds
from cli.running import run
from dagscape.drawing.legend import brief_warning
from dagscape.drawing.style import WARNING_LINES
from dagscape.report.blocks import Caution
from dagscape.report.tables import render
from dagscape.report.terminal import terminal_text

EARLIER = Path(__file__).parents[1] / "files" / "results_0.1.0"
FOUND = "joint states, but there are only 60 rows"
ADVICE = "set a lower max_parents"


def sparse_table() -> ds.Dataset:
    """Sixty rows of seven bits and a random function of them: 128 parent states, most of them never seen."""
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2, (60, 7))
    function = rng.integers(0, 4, 128)
    rows = np.column_stack([bits, function[bits @ (1 << np.arange(7))]])
    return ds.Dataset.from_array(rows, [*"abcdef", "<g> & 'h': i", "y"])


SPARSE = {
    "posterior": lambda data: ds.posterior(ds.local_scores(data)),
    "posterior over orders": lambda data: ds.posterior(ds.local_scores(data), "orders"),
    "k_best": lambda data: ds.k_best(ds.local_scores(data), 3),
    "optimal_network": lambda data: ds.optimal_network(ds.local_scores(data)),
    "modes": lambda data: ds.modes(ds.local_scores(data), 2),
    "learn": lambda data: ds.learn(data, "optimal", settings="fixed"),
    "bootstrap": lambda data: ds.bootstrap(data, "optimal", 4, workers=1, settings="fixed"),
}


def with_warnings(function, *arguments, **options):
    """Return the result of a function, and the warnings that it issues."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = function(*arguments, **options)
    assert {warning.filename for warning in caught} <= {__file__}
    return result, [warning.message for warning in caught]


@pytest.fixture(scope="module", params=SPARSE)
def sparse(request):
    result, issued = with_warnings(SPARSE[request.param], sparse_table())
    assert [type(warning) for warning in issued] == [ds.SparseFamilies]
    assert result.warnings == (f"sparse families: {issued[0]}",)
    return result


def legend_text(svg: str) -> str:
    """The text of the legend of a picture."""
    legend = ET.fromstring(svg).find("{*}g[@class='legend']")
    return " ".join(text.text for text in legend.iter("{http://www.w3.org/2000/svg}text"))


def test_sparse_families_are_in_the_saved_result(sparse, tmp_path):
    for name in ("result.json.gz", "result.npz"):
        sparse.save(tmp_path / name)
        assert ds.load_result(tmp_path / name).warnings == sparse.warnings
    assert sparse.to_dict()["warnings"] == list(sparse.warnings)
    (text,) = sparse.warnings
    assert text.startswith("sparse families: the likely parents of ")
    assert FOUND in text
    assert ADVICE in text


def test_sparse_families_are_in_the_table(sparse):
    assert render(sparse)[-1] == Caution(sparse.warnings[0])
    shown = " ".join(terminal_text(render(sparse), 120).split())
    assert shown.endswith(f"warning: {sparse.warnings[0]}")


def test_sparse_families_are_in_the_legend_of_the_picture(sparse, tmp_path):
    for svg in (ds.draw(sparse), sparse.draw()):
        said = legend_text(svg)
        assert "warning: sparse families: the likely parents of " in said
        # Enough for a picture: what is wrong, not what to do.
        assert said.endswith(FOUND)
    sparse.draw(tmp_path / "picture.svg", title="Sparse")
    assert legend_text((tmp_path / "picture.svg").read_text(encoding="utf-8")).endswith(FOUND)
    sparse.draw(tmp_path / "picture.dot")
    source = (tmp_path / "picture.dot").read_text(encoding="utf-8")
    assert FOUND in re.sub(r"\\l", " ", source)


def test_sparse_families_are_in_notebooks_once(sparse):
    text = sparse._repr_html_()
    assert text.count(f"<p><strong>Warning:</strong> {html.escape(sparse.warnings[0])}</p>") == 1
    assert text.count("sparse families") == 1
    assert text.count("<svg") == 1


def test_a_result_without_warnings_shows_none(sparse):
    quiet = replace(sparse, warnings=())
    assert quiet.to_dict()["warnings"] == []
    assert not any(isinstance(block, Caution) for block in render(quiet))
    assert "warning" not in ds.draw(quiet)
    assert "Warning" not in quiet._repr_html_()


def test_warnings_do_not_count_in_comparisons(sparse, tmp_path):
    assert replace(sparse, warnings=()) == sparse
    assert hash(replace(sparse, warnings=())) == hash(sparse)


def test_earlier_files_have_no_warnings():
    loaded = [ds.load_result(path) for path in EARLIER.glob("*.json")]
    assert len(loaded) > 3
    for result in loaded:
        # Summaries of data had warnings from the beginning.
        assert result.kind == "data-summary" or result.warnings == ()
        render(result)


def test_warnings_that_are_no_list_of_strings_are_refused(sparse, tmp_path):
    for wrong in ("sparse", [1], None, {"a": "b"}):
        (tmp_path / "wrong.json").write_text(json.dumps(sparse.to_dict() | {"warnings": wrong}))
        with pytest.raises(ds.InvalidData, match="warnings"):
            ds.load_result(tmp_path / "wrong.json")


IDENTIFIED = ds.Dataset.from_array([[i, i % 2, i // 2 % 2] for i in range(30)], ["id", "x", "z"])
FROM_DATA = {
    "learn": lambda data: ds.learn(data, "greedy"),
    "bootstrap": lambda data: ds.bootstrap(data, "greedy", 2, workers=1),
    "sensitivity": lambda data: ds.sensitivity(data, ess=1.0, structure_prior="uniform"),
    "posterior": lambda data: ds.posterior(ds.local_scores(data)),
    "k_best": lambda data: ds.k_best(ds.local_scores(data), 3),
    "modes": lambda data: ds.modes(ds.local_scores(data), 2),
    "optimal_network": lambda data: ds.optimal_network(ds.local_scores(data)),
    "summarize_scores": lambda data: ds.summarize_scores(ds.local_scores(data)),
}


@pytest.mark.parametrize("name", FROM_DATA)
def test_suspicious_columns_stay_with_every_result_of_the_data(name):
    result, issued = with_warnings(FROM_DATA[name], IDENTIFIED)
    assert [type(warning) for warning in issued][:1] == [ds.SuspiciousColumns]
    assert sum(isinstance(warning, ds.SuspiciousColumns) for warning in issued) == 1
    assert result.warnings[0] == f"suspicious columns: {issued[0]}"
    assert len(result.warnings) == len(issued)


def test_a_score_file_keeps_the_warnings_about_its_data(tmp_path):
    with pytest.warns(ds.SuspiciousColumns):
        scores = ds.local_scores(IDENTIFIED)
    assert len(scores.info.warnings) == 1
    ds.write_scores(scores, tmp_path / "scores.npz")
    again = ds.read_scores(tmp_path / "scores.npz")
    assert again.info.warnings == scores.info.warnings
    assert replace(scores.info, warnings=()) == scores.info
    assert ds.posterior(again).warnings[0] == scores.info.warnings[0]


@pytest.mark.slow
def test_the_picture_of_a_sensitivity_study_shows_warnings(tmp_path):
    with pytest.warns(ds.SuspiciousColumns):
        study = ds.sensitivity(IDENTIFIED, ess=(1.0, 10.0), structure_prior="uniform")
    said = "warning: suspicious columns: 'id' has 30 distinct values in 30 rows"
    assert said in ds.draw(study)
    study.draw(tmp_path / "picture.png")
    assert "warning" not in study._picture()
    assert "warning" not in ds.draw(replace(study, warnings=()))
    assert study._repr_html_().count("suspicious columns") == 1


def test_a_search_that_stopped_early_says_so_for_ever():
    found, issued = with_warnings(ds.learn, ds.load_dataset("zoo"), "tabu", max_seconds=1e-9)
    kinds = {ds.StoppedEarly: "stopped early", ds.SparseFamilies: "sparse families"}
    kinds[ds.RelatedColumns] = "related columns"
    assert [type(warning) for warning in issued][:2] == [ds.RelatedColumns, ds.StoppedEarly]
    assert found.warnings == tuple(f"{kinds[type(warning)]}: {warning}" for warning in issued)
    assert "warning: stopped early: the search reached max_seconds" in ds.draw(found)


def test_incomplete_scores_are_told_of_lists_and_sums():
    scores = ds.FamilyTable({"a": {(): 0.0, ("b",): 1.0}, "b": {(): 0.0}})
    for method, options in ((ds.posterior, {}), (ds.k_best, {"space": "dags"})):
        result, issued = with_warnings(method, scores, **options)
        assert result.warnings == (f"incomplete scores: {issued[0]}",)
    result, _ = with_warnings(ds.optimal_network, scores, ties=True)
    assert result.warnings[0].startswith("incomplete scores: families may be missing")


def test_unidentified_skills_stay_with_models_and_studies(tmp_path):
    rng = np.random.default_rng(1)
    answers = rng.integers(0, 2, (60, 4))
    needs = [[1, 1], [1, 0], [1, 1], [1, 1]]
    model, issued = with_warnings(ds.command, answers, needs, restarts=1)
    assert [type(warning) for warning in issued] == [ds.UnidentifiedSkills, ds.FallingItems, ds.InfiniteErrors]
    kinds = ("unidentified skills", "falling items", "infinite errors")
    assert model.warnings == tuple(f"{kind}: {one.lasting}" for kind, one in zip(kinds, issued, strict=True))
    assert "warning: unidentified skills: " in ds.draw(model)
    assert model.posterior().warnings == model.k_best(2).warnings == model.warnings
    study, issued = with_warnings(ds.bootstrap_skills, answers, needs, 2, workers=1, restarts=1)
    # Those of single samples are not those of the study.
    assert study.warnings == model.warnings[:1]


def test_results_derived_from_others_keep_their_warnings():
    data = sparse_table()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        scores = ds.local_scores(data)
        truth = ds.Dag.from_edges(data.variables, [])
        best, peaks = ds.k_best(scores, 2), ds.modes(scores, 2)
        found = ds.learn(data, "optimal", settings="fixed")
        assert best.with_total(ds.posterior(scores)).warnings == best.warnings != ()
    assert peaks.with_truth(truth).warnings == peaks.warnings != ()
    assert found.with_truth(truth).warnings == found.warnings != ()


@pytest.mark.parametrize(
    ("warning", "brief"),
    [
        ("kind: found: advice", "kind: found"),
        ("kind: found", "kind: found"),
        ("no kind", "no kind"),
        ("", ""),
        ("kind: 'a: b' is wrong: advice", "kind: 'a: b' is wrong"),
        ('kind: "it\'s: b" is wrong: advice', 'kind: "it\'s: b" is wrong'),
        (r"kind: 'a\': b' is wrong: advice", r"kind: 'a\': b' is wrong"),
        ("kind: it isn't so: advice", "kind: it isn't so"),
        ("kind: at 12:30 it ended: advice", "kind: at 12:30 it ended"),
    ],
)
def test_what_pictures_say_of_a_warning(warning, brief):
    assert brief_warning(warning) == f"warning: {brief}"


@pytest.mark.parametrize("name", ["<b>&'\"\\", "long " * 500, "x" * 5000, "a\x1b[31m\nb\u202e", "名前" * 30])
def test_names_of_any_kind_in_a_warning(name, tmp_path):
    dag = ds.Dag.from_edges(["a", "b"], [("a", "b")])
    data = ds.Dataset.from_array([[0, 1], [1, 0], [0, 0]], ["a", "b"])
    found = replace(
        ds.learn(data, "greedy", settings="fixed"),
        network=dag,
        warnings=tuple(f"{kind}: {name!r} is wrong: advice" for kind in "abc"),
    )
    svg = ds.draw(found)
    width = float(ET.fromstring(svg).get("width"))
    texts = list(ET.fromstring(svg).iter("{http://www.w3.org/2000/svg}text"))
    # Two names, and that the edge may be reversed.
    assert 3 <= len(texts) - 3 <= 3 * WARNING_LINES
    assert width < 600
    assert all(text.text.isprintable() for text in texts)
    assert max(float(text.get("y")) for text in texts) < float(ET.fromstring(svg).get("height"))
    found.draw(tmp_path / "picture.png")
    assert "Warning" in found._repr_html_()


# The command line: each place that a table or a message reaches has a warning once.


@pytest.fixture
def sparse_file(tmp_path):
    sparse_table().to_frame().to_csv(tmp_path / "sparse.csv", index=False)
    return tmp_path / "sparse.csv"


# No limit on the number of parents.
FIXED = ("--settings", "fixed")
COMMANDS = {
    "posterior": ["--draw"],
    "best": ["--draw"],
    "modes": [],
    "learn": ["--method", "optimal", "--draw"],
    "bootstrap": ["--method", "optimal", "--samples", "3", "--workers", "1", "--draw"],
}


@pytest.mark.parametrize("command", COMMANDS)
def test_streams_that_part_have_a_warning_each(capfd, sparse_file, command, tmp_path):
    options = COMMANDS[command]
    picture = [tmp_path / "picture.svg"] if "--draw" in options else []
    code, out, err = run(capfd, command, sparse_file, *FIXED, *options, *picture, "-o", tmp_path / "result.json")
    assert code == 0
    assert err.count(FOUND) == 1
    assert " ".join(out.split()).count(f"warning: {ds.load_result(tmp_path / 'result.json').warnings[0]}") == 1
    assert not picture or legend_text(picture[0].read_text(encoding="utf-8")).endswith(FOUND)
    # A picture of the saved result is the same.
    assert run(capfd, "draw", tmp_path / "result.json", "-o", tmp_path / "again.svg")[0] == 0
    assert legend_text((tmp_path / "again.svg").read_text(encoding="utf-8")).endswith(FOUND)


@pytest.mark.slow
@pytest.mark.parametrize("command", COMMANDS)
def test_streams_that_meet_have_a_warning_once(sparse_file, command):
    options = [option for option in COMMANDS[command] if option != "--draw"]
    program = [sys.executable, "-m", "dagscape", command, str(sparse_file), *FIXED, *options]
    found = subprocess.run(program, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    assert found.stdout.count("warning: ") == 1
    assert "dagscape: warning: the likely parents of" in found.stdout


@pytest.mark.parametrize("option", ["--quiet", "--json"])
def test_quiet_tables_and_documents(capfd, sparse_file, option):
    code, out, err = run(capfd, "posterior", sparse_file, *FIXED, option)
    assert code == 0
    if option == "--quiet":
        assert (err, "warning" in out) == ("", False)
    else:
        assert err.count(FOUND) == out.count(FOUND) == 1 + out.count("warning: ")
        assert FOUND in json.loads(out)["warnings"][0]


def test_scores_of_a_file_with_identifiers(capfd, tmp_path):
    IDENTIFIED.to_frame().to_csv(tmp_path / "table.csv", index=False)
    code, out, err = run(capfd, "score", tmp_path / "table.csv", "--discretize", "none")
    assert code == 0
    assert err.count("is it an identifier?") == 1
    assert " ".join(out.split()).count("warning: suspicious columns: 'id' has 30 distinct values") == 1


def test_a_model_that_is_read_back_shows_its_warnings(capfd, tmp_path):
    rng = np.random.default_rng(1)
    (tmp_path / "answers.csv").write_text(
        "student,i1,i2,i3\n" + "".join(f"s{i},{','.join(map(str, rng.integers(0, 2, 3)))}\n" for i in range(40))
    )
    (tmp_path / "q.csv").write_text("item,S1,S2\ni1,1,0\ni2,1,1\ni3,1,1\n")
    answers, model = tmp_path / "answers.csv", tmp_path / "model.json"
    code, _, err = run(capfd, "student", answers, "--q-matrix", tmp_path / "q.csv", "--restarts", 1, "-o", model)
    assert (code, err.count("'S2' has no item that needs it alone")) == (0, 1)
    code, out, err = run(capfd, "student", answers, "--model", model)
    assert (code, err) == (0, "")
    assert out.count("warning: unidentified skills: 'S2' has no item that needs it alone") == 1
