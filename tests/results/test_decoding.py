"""Documents that are not what they should be: each is refused in one sentence, before anything is made of it."""

from __future__ import annotations

import json
import math
import tracemalloc
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import GenericAlias
from typing import Annotated, Any, Literal, TypeVar

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

import dagscape as ds
from dagscape.core.files.documents import decoded_size, parse_json
from dagscape.graphs.lists import DagList
from dagscape.graphs.words import acyclic, pack
from dagscape.planning.loading import RESULTS
from dagscape.report.tables import render
from dagscape.report.terminal import terminal_text
from dagscape.results.decoding import Between, Count, Finite, OneOf, Probabilities, Share, decode

OLD = Path(__file__).parents[1] / "files" / "results_0.1.0"


@dataclass(frozen=True)
class Inner:
    size: Count
    label: str = "x"


@pytest.mark.parametrize(
    ("annotation", "value", "found"),
    [
        (int, 10**30, 10**30),
        (float, 3, 3.0),
        (float, "-inf", -math.inf),
        (float | None, None, None),
        (Share, 1, 1.0),
        (tuple[str, ...], ["a", "b"], ("a", "b")),
        (tuple[tuple[str, str], ...], [["a", "b"]], (("a", "b"),)),
        (Mapping[str, float], {"a": 1}, {"a": 1.0}),
        (Literal["a", "b"], "b", "b"),
        (tuple[Inner, ...], [{"size": 2, "other": 3}], (Inner(2),)),
    ],
)
def test_values_of_the_right_type_are_decoded(annotation, value, found):
    decoded = decode(annotation, value, "it")
    assert decoded == found
    assert type(decoded) is type(found)


def test_arrays_are_decoded_with_every_version_of_numpy():
    """NDArray is a subscripted array, and from NumPy 2.5 on a generic alias that has one as its value."""
    scalar = TypeVar("scalar", bound=np.generic)

    class Alias:
        __value__ = np.ndarray[Any, np.dtype[scalar]]

    for annotation in (NDArray[np.float64], GenericAlias(Alias, (np.float64,))):
        decoded = decode(annotation, [[1, 2], [3, 4]], "it")
        assert isinstance(decoded, np.ndarray)
        assert decoded.tolist() == [[1.0, 2.0], [3.0, 4.0]]
        with pytest.raises(ds.InvalidData, match="it is 'x'; it must be"):
            decode(annotation, "x", "it")


@pytest.mark.parametrize(
    ("annotation", "value", "problem"),
    [
        (str, 3, "it is 3; it must be a string"),
        (str, {}, "it is a dict; it must be a string"),
        (bool, 1, "it is 1; it must be true or false"),
        (int, True, "it is True; it must be an integer"),
        (int, 1.0, "it is 1.0; it must be an integer"),
        (int, 10**4299, "it is an integer of 14,281 bits; the limit is 14,000"),
        (float, "1.5", "it is '1.5'; it must be a number"),
        (float, True, "it is True; it must be a number"),
        (float, "nan", "it is nan; it must be a number of at most 1e+300, or 'inf' or '-inf'"),
        (float, 10**400, "; it must be a number of at most 1e+300"),
        (Finite, "inf", "it is 'inf'; it must be between -1e+300 and 1e+300"),
        (Count, -1, "it is -1; it must be at least 0"),
        (Annotated[int, Between(1, 3)], 4, "it is 4; it must be between 1 and 3"),
        (Annotated[str, OneOf(("a", "b"))], "c", "it is 'c'; it must be one of 'a', 'b'"),
        (Literal["a", "b"], [], "it is a list; it must be a string"),
        (tuple[int, ...], "12", "it is '12'; it must be a list"),
        (tuple[int, ...], [1, "x"], "it[1] is 'x'; it must be an integer"),
        (tuple[str, str], ["a"], "it must be a list of 2 values"),
        (Mapping[str, int], {"a": None}, "it.a is None; it must be an integer"),
        (Mapping[str, int], {"a\x1b[2J": None}, r"it['a\x1b[2J'] is None; it must be an integer"),
        (Mapping[str, int], {"a" * 1000: None}, "aaa…] is None; it must be an integer"),
        (tuple[Inner, ...], [{"size": 1}, {"label": "y"}], "it[1] lacks 'size'"),
        (tuple[Inner, ...], [3], "it[0] is 3; it must be an object"),
        (NDArray[np.float64], 3, "it is 3; it must be a list"),
        (NDArray[np.float64], [[1], [1, 2]], "it is not an array: its lists must have equal lengths"),
        (NDArray[np.float64], [1, [2]], "it is not an array"),
        (NDArray[np.float64], [1, None], "it is None; it must be an array of numbers"),
        (NDArray[np.float64], [True], "it is True; it must be an array of numbers"),
        (NDArray[np.float64], [10**400], "it has an integer that is too large for an array"),
        (Probabilities, [0.5, 1.5], "it has a number that is not between 0 and 1"),
        (Probabilities, ["nan"], "it has a number that is not between 0 and 1"),
    ],
)
def test_other_values_are_refused_with_their_place(annotation, value, problem):
    with pytest.raises(ds.InvalidData) as caught:
        decode(annotation, value, "it")
    assert problem in str(caught.value)
    assert len(str(caught.value)) < 200


def nested(depth):
    return json.loads("[" * depth + "]" * depth)


def changed(document, path, value):
    """Return a copy of a document with another value at a path such as ``steps.0.memory``."""
    document = json.loads(json.dumps(document))
    place = document
    *keys, last = (int(key) if key.isdigit() else key for key in path.split("."))
    for key in keys:
        place = place[key]
    if value is ...:
        del place[last]
    else:
        place[last] = value
    return document


DAMAGES = [
    ("plan", "schema", True, "has schema True"),
    ("plan", "schema", [1], r"has schema \[1\]"),
    ("plan", "schema", nested(900), r"has schema \[\["),
    ("plan", "variables", ["x" * 10**6] * 2, "two variables are called 'xxx"),
    ("plan", "variables", "abc", "variables is 'abc'"),
    ("plan", "variables", ["a", "a"], "two variables are called 'a'"),
    ("plan", "provenance", [], "provenance is a list; it must be an object"),
    ("plan", "provenance.parameters", {"a": nested(200)}, "provenance.parameters.a is nested more than 32 deep"),
    ("plan", "provenance.seconds", {"a": "x"}, "provenance.seconds.a is 'x'"),
    ("plan", "steps", [], "steps is empty"),
    ("plan", "steps.0.memory", "1", r"steps\[0\].memory is '1'; it must be an integer"),
    ("plan", "steps.0.name", ..., r"steps\[0\] lacks 'name'"),
    ("comparison", "shd", -1, "shd is -1"),
    ("comparison", "level", "dags", "reversed and same_direction"),
    ("comparison", "f1_adjacency", "nan", "f1_adjacency is nan"),
    ("probability-comparison", "feature", "blankets", "feature is 'blankets'; it must be one of 'edges'"),
    ("probability-comparison", "first.0.1", 1.5, "first has a number that is not between 0 and 1"),
    ("probability-comparison", "second", [[0.5]], r"second has the shape \(1, 1\)"),
    ("edge-accuracy", "feature", "blankets", "feature is 'blankets'; it must be one of 'edges'"),
    ("edge-accuracy", "brier", 1.5, "brier is 1.5"),
    ("edge-accuracy", "thresholds", [[0.5]], "thresholds do not match"),
    ("edge-accuracy", "bin_means", [0.5], r"bin_means has the shape \(1,\); it must be \(4,\)"),
    ("edge-accuracy", "pairs", 3, "the counts of pairs contradict each other"),
    ("edge-accuracy", "true_positives.1", 2, "the counts of pairs contradict each other"),
    ("edge-accuracy", "bin_positives.0", -1, r"bin_positives\[0\] is -1"),
    ("edge-effects", "joint", "rows", "joint is 'rows'"),
    ("edge-effects", "covered", 1.5, "covered is 1.5"),
    ("edge-effects", "effects.0.source", "nobody", "effects.source mentions 'nobody'"),
    ("edge-effects", "effects.0.sign", "?", r"sign is '\?'"),
    ("edge-effects", "effects.0.source_levels", [], "an effect with a sign has no levels in order"),
    ("edge-effects", "effects.0.source_levels", ["a", "b", "c"], "an effect with a risk difference must have two lev"),
    ("class-members", "size", 0, "size is 0"),
    ("class-members", "size", 1, "there are 2 members of a class of 1"),
    ("class-members", "directed", [["asia", "nobody"]], "directed mentions 'nobody'"),
    ("class-members", "undirected", [], "networks are not members of the class"),
    ("classification", "accuracy", [], "accuracy is empty"),
    ("classification", "baseline", [0.5], "baseline and accuracy do not match"),
    ("classification", "confusion", [[1]], r"confusion has the shape \(1, 1\); it must be \(2, 2\)"),
    ("classification", "log_loss.0", -1, r"log_loss\[0\] is -1"),
    ("feature-averages", "entries.0", ["asia"], "entries must be lists of 2 variables"),
    ("feature-averages", "entries.0.0", "nobody", "entries mentions 'nobody'"),
    ("feature-averages", "probabilities.0", 1.5, "probabilities has a number that is not between 0 and 1"),
    ("feature-averages", "feature", "cycles", "feature is 'cycles'"),
    ("list-curves", "curves", [], "at least one list"),
    ("list-curves", "curves.0.classes", [1], "classes and diversity do not match"),
    ("list-curves", "curves.0.diversity.0", -1, r"curves\[0\].diversity\[0\] is -1"),
    ("list-curves", "curves.0.distance", None, "for all lists, or for none"),
    ("list-curves", "curves.0.name", "modes", "a name of its own"),
    ("list-curves", "level", "trees", "level is 'trees'"),
    ("data-summary", "columns.0.counts", [1], "the counts of 'asia' and its levels do not match"),
    ("data-summary", "columns.0.name", "other", "columns does not have one entry for each variable"),
    ("data-summary", "columns.0.kind", "words", r"columns\[0\].kind is 'words'; it must be one of 'integers'"),
    ("data-summary", "warnings", [3], r"warnings\[0\] is 3"),
    ("score-summary", "families.0.child", "nobody", "families mentions 'nobody', which is not a variable"),
    ("score-summary", "families.0.parents", [["a"]], r"families\[0\].parents\[0\] is a list"),
    ("learned-network", "network", [["asia", "asia"]], "cannot be a parent of itself"),
    ("learned-network", "network", [["asia", "tub"], ["tub", "asia"]], "directed cycle"),
    (
        "learned-network",
        "trace",
        [{"move": "add", "score": 0, "seconds": 0}],
        r"trace\[0\].move is 'add'",
    ),
    ("learned-network", "trace", [{"move": [], "score": 0, "seconds": 0}], r"trace\[0\].move is empty"),
    (
        "learned-network",
        "trace",
        [{"move": ["stage"], "score": 0, "seconds": 0, "network": [["asia", "nobody"]]}],
        "trace mentions 'nobody'",
    ),
    ("optimal-network", "network", [["asia", "nobody"]], "names 'nobody', which is not a variable"),
    ("optimal-network", "network", [["asia"]], r"network\[0\] must be a list of 2 values"),
    ("optimal-network", "network", [[["asia"], "tub"]], r"network\[0\] is a list; it must be a string"),
    ("optimal-network", "score", 10**400, "score is 1000"),
    ("optimal-network", "tied_dags", [], "tied_dags is a list"),
    ("k-best", "networks.0", [["asia", "nobody"]], "names 'nobody', which is not a variable"),
    ("k-best", "networks.0", [["asia", ["tub"]]], r"names \['tub'\], which is not a variable"),
    ("k-best", "networks.0", [nested(900)], "is not an edge"),
    ("k-best", "networks.0", [["asia", nested(900)]], "which is not a variable"),
    ("k-best", "networks.0", [["asia", "x" * 10**6]], "which is not a variable"),
    ("k-best", "networks.0", [{"asia": 1, "tub": 2}], "networks must be lists of edges"),
    ("k-best", "networks.0", [["asia", "asia"]], "'asia' cannot be a parent of itself"),
    ("k-best", "scores.1", "-inf", "scores has a number that is not between -1e"),
    ("k-best", "scores.2", 0.0, "scores is not a list of numbers in descending order"),
    ("k-best", "scores", [[1], [2], [3]], "scores is not a list of numbers"),
    ("k-best", "class_sizes.0", 0, r"class_sizes\[0\] is 0; it must be between 1"),
    ("k-best", "class_sizes.0", 10**301, r"class_sizes\[0\] is 1000"),
    ("k-best", "space", "trees", "space is 'trees'; it must be one of 'classes', 'dags'"),
    ("k-best", "space", "dags", "class_sizes must be 1 in a list of DAGs"),
    ("k-best", "ties", [], "ties sums to 0; it must be 3"),
    ("k-best", "complete", 1, "complete is 1; it must be true or false"),
    ("k-best", "log_total", -1e9, "the log weight of the list .* exceeds that of all networks"),
    ("modes", "orders.0", ["asia"], "which is not an ordering of the variables"),
    ("modes", "delta", 1.5, "delta is 1.5"),
    ("modes", "distance_to_truth", [1], "distance_to_truth and networks do not match"),
    ("modes", "truth_level", "dags", "must be given together"),
    ("posterior", "edges", [[0.5]], r"edges has the shape \(1, 1\); it must be \(5, 5\)"),
    ("posterior", "edges.0.1", 1.5, "edges has a number that is not between 0 and 1"),
    ("posterior", "ancestors.0", 1, "ancestors is not an array"),
    ("posterior", "error", -1, "error is -1"),
    ("posterior", "over", [], "over is a list"),
    ("parents-and-children", "strengths", [[0.5]], r"strengths has the shape \(1, 1\); it must be \(5, 5\)"),
    ("parents-and-children", "strengths.0.1", "inf", "strengths has a number that is not between 0 and"),
    ("parents-and-children", "strengths.0.0", 1.0, "strengths is not a symmetric matrix"),
    ("parents-and-children", "tests", -1, "tests is -1"),
    ("sampled-networks", "chains", 3, "there are 8 networks; 3 chains must share them"),
    ("sampled-networks", "method", "guess", "method is 'guess'; it must be one of 'exact', 'chain'"),
    ("sampled-networks", "scores", [1.0], "scores and networks do not match: their lengths are 1 and 8"),
    ("sampled-networks", "edge_means.0.0.1", 2, "edge_means has a number that is not between 0 and 1"),
    ("sampled-networks", "edge_batches", [0.5], r"edge_batches has the shape \(1,\); it must be \(2, 1, 5, 5\)"),
    ("sampled-networks", "diagnostics.converged", 1, "diagnostics.converged is 1"),
    ("sampled-networks", "diagnostics.disagreement_edge", ["asia", "x"], "diagnostics mentions 'x'"),
    ("bootstrap", "samples", 2, "there are 3 networks of 2 samples"),
    ("bootstrap", "scores.0", "inf", "scores has a number that is not between -1e"),
    ("bootstrap", "scores", [1.0], "scores and networks do not match: their lengths are 1 and 3"),
    ("bootstrap", "scores", [[1.0]] * 3, "scores is not a list of numbers"),
    ("bootstrap", "networks.0", [["asia", "nobody"]], "names 'nobody', which is not a variable"),
    ("bootstrap", "edges", [[0.5]], r"edges has the shape \(1, 1\); it must be \(5, 5\)"),
    ("bootstrap", "ancestors.0.1", -0.5, "ancestors has a number that is not between 0 and 1"),
    ("bootstrap", "method", 3, "method is 3"),
    ("student-model", "item_skills.0", ["nobody"], "item_skills mentions 'nobody', which is not a variable"),
    ("student-model", "item_skills", [], "item_skills and items do not match: their lengths are 0 and 4"),
    ("student-model", "item_skills.0", [], "has no skill for the item 'item1'"),
    ("student-model", "item_tables.0", [0.5], r"item_tables\[0\] has the shape \(1,\); it must be \(2,\)"),
    ("student-model", "item_tables.0.0", 1.5, r"item_tables\[0\] has a number that is not between 0 and 1"),
    ("student-model", "skill_counts.1.0", [1.0], r"skill_counts\[1\] is not an array"),
    ("student-model", "skill_tables", [], "skill_tables and skills do not match: their lengths are 0 and 2"),
    ("student-model", "state_counts", [1.0], r"state_counts has the shape \(1,\); it must be \(4,\)"),
    ("student-model", "item_tables.0.0", 0.0, "item_tables has a probability of 0 or 1"),
    ("student-model", "network", [["tub", "asia"]], "orientations has an edge that the network does not have"),
    ("student-model", "orientations.0.source", "nobody", "orientations has an edge that the network does not have"),
    ("student-model", "orientations.0.reason", "luck", r"orientations\[0\].reason is 'luck'; it must be one of"),
    ("student-model", "restarts", [], "there are no restarts"),
    ("student-model", "restarts.0.converged", 1, r"restarts\[0\].converged is 1"),
    ("parm", "mastered.0.1", 1.5, "mastered has a number that is not between 0 and 1"),
    ("parm", "confidence", [[0.5]], r"confidence has the shape \(1, 1\); it must be \(2, 2\)"),
    ("parm", "minprob", 2, "minprob is 2; it must be between 0 and 1"),
    ("student-evaluation", "areas.0.0", 1.5, "areas has a number that is not between 0 and 1"),
    ("student-evaluation", "edges", [[0.0]], r"edges has the shape \(1, 1\); it must be \(2, 6\)"),
    ("student-evaluation", "models", [], r"areas has the shape \(2, 6\); it must be \(2, 0\)"),
    ("sensitivity", "settings", [], "there are no settings"),
    ("sensitivity", "settings.0", 3, r"settings\[0\] is 3; it must be an object"),
    ("sensitivity", "settings.0.ess", None, "the settings do not all have the same parameters"),
    ("sensitivity", "settings.0.structure_prior", 3, r"settings\[0\].structure_prior is 3"),
    ("sensitivity", "edges", [], r"edges has the shape \(0,\)"),
    ("missing-rules", "rules", [], "there are no rules"),
    ("missing-rules", "rows", [3], "there are 1 numbers of rows for 2 rules"),
    ("missing-rules", "edges.0.0.1", 1.5, "edges has a number that is not between 0 and 1"),
    ("missing-rules", "errors", [[0.5]], r"errors has the shape \(1, 1\); it must be \(2, 5, 5\)"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "path", "value", "problem"), DAMAGES)
def test_damaged_results_are_refused(tmp_path, kind, path, value, problem):
    document = json.loads((OLD / f"{kind}.json").read_text(encoding="utf-8"))
    (tmp_path / "r.json").write_text(json.dumps(changed(document, path, value)), encoding="utf-8")
    with pytest.raises(ds.InvalidData, match=problem) as caught:
        ds.load_result(tmp_path / "r.json")
    assert str(caught.value).startswith(repr(str(tmp_path / "r.json")))
    assert len(str(caught.value)) < 800


def test_facts_about_scores_are_checked(tmp_path):
    data = ds.load_network("asia").sample(50, seed=1).select(["asia", "tub", "smoke"])
    document = ds.optimal_network(ds.local_scores(data, forbidden=[("asia", "smoke")])).to_dict()
    for path, value, problem in [
        ("score_info.forbidden", [["asia", "nobody"]], "score_info mentions 'nobody', which is not a variable"),
        ("score_info.forbidden", ["ab"], r"score_info.forbidden\[0\] must be a list of 2 values"),
        ("score_info.level_counts", [2], "score_info.level_counts and variables do not match"),
        ("score_info.rows", -1, "score_info.rows is -1"),
        ("score_info", [], "score_info is a list"),
    ]:
        (tmp_path / "r.json").write_text(json.dumps(changed(document, path, value)), encoding="utf-8")
        with pytest.raises(ds.InvalidData, match=problem):
            ds.load_result(tmp_path / "r.json")
    # A score of a later version is shown by its name.
    later = changed(ds.summarize_scores(ds.local_scores(data)).to_dict(), "score_info.score", "novel")
    (tmp_path / "r.json").write_text(json.dumps(later), encoding="utf-8")
    assert "novel, ess 1" in shown(ds.load_result(tmp_path / "r.json"))


def shown(result):
    return terminal_text(render(result), 200)


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b'{"kind": []}', "is not a result of dagscape"),
        (b'{"kind": {}}', "is not a result of dagscape"),
        (b"3", "is not a result of dagscape"),
        (b'{"kind": "plan", "schema": 1, "x": ' + b"9" * 5000 + b"}", "is not JSON: Exceeds the limit"),
        (b"[" * 100_000, "is nested too deeply"),
        (b'{"kind": "plan", "x": "\\ud800"}', "is not valid Unicode: it contains a lone surrogate"),
        (b'{"kind": "plan", "\\uDFFF": 1}', "is not valid Unicode: it contains a lone surrogate"),
        (b'{"kind": "\xff"}', r"is not UTF-8 text \(byte 0xff\)"),
    ],
)
def test_documents_that_are_no_results(tmp_path, content, problem):
    (tmp_path / "r.json").write_bytes(content)
    with pytest.raises(ds.InvalidData, match=problem):
        ds.load_result(tmp_path / "r.json")


def test_names_are_not_markup(tmp_path):
    study = json.loads((OLD / "sensitivity.json").read_text(encoding="utf-8"))
    for setting in study["settings"]:
        setting["structure_prior"] = "[/red]"
    plan = json.loads((OLD / "plan.json").read_text(encoding="utf-8"))
    plan["steps"][0]["work"] = "[/red]"
    for document in (study, plan):
        (tmp_path / "r.json").write_text(json.dumps(document), encoding="utf-8")
        assert "[/red]" in shown(ds.load_result(tmp_path / "r.json"))


def test_settings_may_have_the_same_label():
    data = ds.load_dataset("tic-tac-toe").select(["Class", "top-left-square", "middle-middle-square"])
    study = ds.sensitivity(data, ess=[1.0, 1.0000001, 20.0], structure_prior="uniform", max_parents=1)
    assert study.settings[0].label == study.settings[1].label
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "<svg" in study.draw()
        shown(study)


def test_lone_surrogates_are_refused_wherever_names_come_in(tmp_path):
    half = "a\ud800"
    makers = [
        lambda: ds.Dataset.from_frame(pd.DataFrame(np.array([["x"], ["y"]]), columns=pd.Index([half], dtype=object))),
        lambda: ds.Dataset.from_frame(pd.DataFrame({"a": [half, "y"]}, dtype=object)),
        lambda: ds.Dataset.from_array([[half], ["y"]]),
        lambda: ds.Dataset.from_array([["x"], ["y"]], levels={"X0": ["x", "y", half]}),
        lambda: ds.discretize(pd.DataFrame({"a": [0.5, 1.5, 2.5, 3.5], "b": [half, "y", "y", half]}, dtype=object)),
        lambda: ds.Dag.from_edges([half, "b"]),
        lambda: ds.Network(ds.Dag.from_edges(["a"]), {"a": [half]}, {"a": [1.0]}),
        lambda: ds.Network(ds.Dag.from_edges(["a"]), {"a": ["x"]}, {"a": [1.0]}, half),
    ]
    for make in makers:
        with pytest.raises(ds.InvalidData, match=r"'a\\ud800', is not valid Unicode: it contains a lone surrogate"):
            make()
    (tmp_path / "a.bif").write_text(
        'variable "\\ud800" { type discrete [ 1 ] { x }; } probability ( "\\ud800" ) { table 1; }', encoding="ascii"
    )
    with pytest.raises(ds.InvalidData, match="lone surrogate"):
        ds.read_network(tmp_path / "a.bif")


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "[" + "[]," * 20_000 + "1]",
        "[" + "{}," * 20_000 + "1]",
        "[" + '{"a":1},' * 20_000 + "1]",
        "[" + "[1]," * 20_000 + "1]",
        "[" + "1.5," * 20_000 + "1]",
        "[" + '"ab",' * 20_000 + "1]",
        "{" + ",".join(f'"{i}":1' for i in range(20_000)) + "}",
        '["\N{GRINNING FACE}"' + ",300" * 20_000 + "]",
    ],
    ids=range(8),
)
def test_the_memory_of_a_document_is_bounded(text):
    tracemalloc.start()
    try:
        parse_json(text, "x")
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak <= decoded_size(text) <= 5 * peak + len(text) * 5


def test_files_are_read_within_the_memory_limit(tmp_path, monkeypatch):
    ds.compare(ds.Dag.from_edges("ab"), ds.Dag.from_edges("ab")).save(tmp_path / "r.json")
    ds.load_network("asia").save(tmp_path / "n.json.gz")
    ds.load_network("asia").save(tmp_path / "n.bif")
    ds.Discretizer().save(tmp_path / "d.json")
    ds.write_graph(ds.load_network("asia").dag, tmp_path / "g.csv")
    readers = [
        (ds.load_result, "r.json"),
        (ds.read_network, "n.json.gz"),
        (ds.read_network, "n.bif"),
        (ds.Discretizer.load, "d.json"),
        (ds.read_graph, "g.csv"),
    ]
    for read, name in readers:
        read(tmp_path / name)
    monkeypatch.setattr("dagscape.core.resources.available_memory", lambda: 1000)
    for read, name in readers:
        with pytest.raises(ds.TooLarge, match=f"{name}'.* need .*; the limit is 800 bytes"):
            read(tmp_path / name)


def test_graphs_on_very_many_variables_are_refused_before_they_are_made(tmp_path, monkeypatch):
    names = [f"v{i}" for i in range(50_000)]
    (tmp_path / "g.csv").write_text("from,to\n" + "\n".join(map(",".join, zip(names[::2], names[1::2], strict=True))))
    listed = json.loads((OLD / "k-best.json").read_text(encoding="utf-8"))
    listed |= {"variables": names, "networks": [[]] * 3, "score_info": None}
    (tmp_path / "best.json").write_text(json.dumps(listed))
    one = json.loads((OLD / "optimal-network.json").read_text(encoding="utf-8"))
    (tmp_path / "one.json").write_text(json.dumps(one | {"variables": names, "network": []}))
    monkeypatch.setattr("dagscape.core.resources.available_memory", lambda: 500 << 20)
    for read, name in ((ds.read_graph, "g.csv"), (ds.load_result, "best.json"), (ds.load_result, "one.json")):
        with pytest.raises(ds.TooLarge, match=r"50,000 variables need .* GiB"):
            read(tmp_path / name)


def test_absurd_sizes_in_bif_files_are_refused_before_they_are_allocated(tmp_path):
    variable = "variable v{0} {{ type discrete [ {1} ] {{ {2} }}; }}\n"
    levels = ", ".join(f"l{i}" for i in range(100))
    many = "".join(variable.format(i, 100, levels) for i in range(10))
    texts = [
        variable.format(0, 10**9, "a, b"),
        many + "probability ( v0 | v1, v2, v3, v4, v5 ) { default " + "0.01 " * 100 + "; }",
        many + "probability ( v0 | v1, v2, v3, v4, v5, v6, v7, v8, v9 ) { table 1; }",
    ]
    for text in texts:
        path = tmp_path / "a.bif"
        rest = "".join(f"probability ( v{i} ) {{ default {'0.01 ' * 100}; }}" for i in range(1, 10))
        path.write_text(text + rest)
        tracemalloc.start()
        try:
            with pytest.raises(ds.InvalidData):
                ds.read_network(path)
            assert tracemalloc.get_traced_memory()[1] < 20 << 20
        finally:
            tracemalloc.stop()


def test_cycles_are_found_in_many_graphs_at_once():
    generator = np.random.default_rng(1)
    for n in (1, 2, 5, 64, 65, 130):
        graphs = []
        for _ in range(60):
            matrix = generator.random((n, n)) < 1.2 / n
            graphs.append([sum(1 << int(u) for u in np.flatnonzero(matrix[:, v])) for v in range(n)])
        expected = []
        for parents in graphs:
            left = (1 << n) - 1
            while placed := sum(1 << v for v in range(n) if left >> v & 1 and not parents[v] & left):
                left &= ~placed
            expected.append(not left)
        assert acyclic(pack(graphs, n)).tolist() == expected
    assert acyclic(pack([[], []], 0)).tolist() == [True, True]
    with pytest.raises(ds.InvalidData, match=r"directed cycle: (a -> b -> a|b -> a -> b)"):
        DagList.from_edges("abc", [[], [("a", "b"), ("b", "a")]])


def test_every_kind_of_result_is_damaged_here():
    assert {kind for kind, *_ in DAMAGES} == set(RESULTS)
