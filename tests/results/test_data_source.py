"""Where data come from: in data sets, scores and results, in files, pictures and tables."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.data.sources import data_source
from dagscape.report.tables import render
from dagscape.results.base import source_of
from dagscape.results.data_source import Cutting, DataSource, joined_sources


@pytest.fixture
def survey(tmp_path):
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, 200)
    frame = pd.DataFrame({"age": age, "hours": (age / 3 + rng.normal(size=200) * 4).round(1)})
    frame["sex"] = rng.choice(["f", "m"], 200)
    frame.to_csv(tmp_path / "survey.csv", index=False)
    return tmp_path / "survey.csv"


def test_data_sets_know_their_file(survey, tmp_path):
    data = ds.discretize(survey, cuts={"age": [30, 50]}, bins=2)
    assert data.source == "survey.csv"
    assert data.select(["age", "sex"]).source == data.drop(["sex"]).source == "survey.csv"
    assert pickle.loads(pickle.dumps(data)).source == "survey.csv"
    assert data.discretizer.apply(survey).source == "survey.csv"
    assert ds.load_dataset("votes").source == "builtin:votes"
    assert ds.read_data(survey, kind="numeric", drop=["sex"]).source == "survey.csv"
    frame = ds.discretize(pd.read_csv(survey), cuts={"age": [30, 50]}, bins=2)
    assert frame.source == ""
    # The file is not part of the data.
    assert (frame, frame.fingerprint) == (data, data.fingerprint)


def test_what_is_known_of_data(survey):
    found = data_source(ds.discretize(survey, cuts={"age": [30, 50]}, bins=2))
    assert found.name == "survey.csv"
    assert [(entry.method, entry.bins, list(entry.cuts)) for entry in found.cuttings] == [
        ("given", None, ["age"]),
        ("quantile", 2, ["hours"]),
    ]
    assert found.lines() == ["cut at 30, 50: age", "2 quantiles: hours"]
    assert found.line() == "survey.csv; cut at 30, 50: age; 2 quantiles: hours"
    assert data_source(ds.Dataset.from_array([[0, 1], [1, 0]])) is None


def test_lines_of_other_methods():
    cuts = {"a": (1.0,), "b: c": (2.0,), **{f"v{i}": (0.5,) for i in range(8)}}
    assert DataSource("", (Cutting("width", 3, cuts),)).lines() == [
        "3 equal widths: a, 'b: c', v0, v1, v2, v3, v4, v5 and 2 more"
    ]
    assert Cutting("mdl", None, cuts).words == "class entropy (mdl)"
    assert Cutting("hartemink", 4, cuts).words == "4 intervals by pairwise information (hartemink)"
    assert Cutting("a {kind}", None, cuts).words == "a {kind}"
    assert DataSource("t.csv").line() == ""
    given = Cutting("given", None, {"age": (30.0, 50.5)})
    two = joined_sources([DataSource("t.csv", (Cutting("width", bins, {"x": (1.0,)}), given)) for bins in (2, 3)])
    assert two.lines() == ["cut in 2 ways (2 and 3 equal widths): x", "cut at 30, 50.5: age"]
    assert joined_sources([None, None]) is None


def test_automatic_cuts_are_named_by_how_many_intervals_there_are():
    # Zeros, half of the rows, have an interval of their own.
    visits = np.concatenate([np.zeros(60), np.arange(60)])
    frame = pd.DataFrame({"visits": visits, "age": np.arange(120) % 60 / 4, "sex": [*"fm"] * 60})
    data = ds.Discretizer(method="auto").fit(frame).apply(frame)
    assert data_source(data).lines() == ["3 intervals by frequency: visits, age"]
    few = ds.Discretizer(method="auto").fit(frame[52:78].drop(columns="age")).apply(frame[52:78])
    assert data_source(few).lines() == ["2 intervals by frequency: visits"]
    rare = frame.assign(visits=np.repeat([0.0, 1.0], 60))
    (of_two, of_three) = data_source(ds.Discretizer(method="auto", columns=["visits"]).fit(rare).apply(rare)).cuttings
    assert [(cutting.bins, [*cutting.cuts]) for cutting in (of_two, of_three)] == [(2, ["visits"]), (3, ["age"])]
    # Files of earlier versions have one record for all automatic cuts.
    assert Cutting("auto", 3, {"a": (1.0,), "b": (1.0, 2.0)}).words == "2 or 3 intervals by frequency"


def results(data):
    scores = ds.local_scores(data)
    yield ds.posterior(scores)
    yield ds.posterior(data)
    yield ds.posterior(scores, method="chain", draws=1000, chains=2)
    yield ds.k_best(scores, k=2)
    yield ds.optimal_network(scores)
    yield ds.modes(scores, k=2)
    yield ds.sample_dags(scores, 10)
    yield ds.learn(data)
    yield ds.bootstrap(data, samples=3)
    yield ds.summarize_scores(scores)
    yield ds.sensitivity(data, ess=1, max_parents=1)
    yield ds.mmpc(data)
    yield data.describe()


@pytest.mark.slow
def test_all_results_carry_the_file_and_the_cuts(survey, tmp_path):
    data = ds.discretize(survey, bins=2)
    expected = data_source(data)
    for number, result in enumerate(results(data)):
        for file in (f"{number}.json", f"{number}.npz"):
            result.save(tmp_path / file)
            again = ds.load_result(tmp_path / file)
            assert source_of(again) == source_of(result) == expected, result.kind
            assert again == result
        blocks = render(result)
        assert any("survey.csv; 2 quantiles: age, hours" in str(block) for block in blocks), result.kind


def test_scores_keep_it_in_files(survey, tmp_path):
    scores = ds.local_scores(ds.discretize(survey, bins=2))
    ds.write_scores(scores, tmp_path / "s.npz")
    assert ds.read_scores(tmp_path / "s.npz").info.source == scores.info.source


def test_files_of_earlier_versions_are_read(survey, tmp_path):
    post = ds.posterior(ds.local_scores(ds.discretize(survey, bins=2)))
    document = post.to_dict()
    for record in (document["provenance"], document["score_info"], document["provenance"]["parameters"]["scores"]):
        for name in ("source", "call"):
            record.pop(name, None)
    del document["cut_weights"]
    (tmp_path / "old.json").write_text(json.dumps(document))
    old = ds.load_result(tmp_path / "old.json")
    assert old == post
    assert old.score_info == post.score_info
    assert source_of(old) is None


def test_pictures_say_how_numbers_were_cut(survey, tmp_path):
    data = ds.discretize(survey, cuts={"age": [30, 50]})
    found = ds.learn(data)
    lines = ("cut at 30, 50: age", "3 quantiles: hours")
    for shown in (
        found,
        ds.Network.fit(found.network, data),
        ds.posterior(data),
        ds.k_best(ds.local_scores(data), k=1),
    ):
        drawing = ds.draw(shown)
        assert all(line in drawing for line in lines), shown
        ds.draw(shown, tmp_path / "x.dot")
        assert all(line in (tmp_path / "x.dot").read_text() for line in lines)
    assert "cut" not in ds.draw(found.network)
    assert "quantiles" not in ds.draw(ds.learn(ds.load_dataset("iris")))


def test_notebooks_say_it(survey):
    shown = ds.learn(ds.discretize(survey, bins=2))._repr_html_()
    assert "<p>Data: survey.csv; 2 quantiles: age, hours</p>" in shown


def test_names_of_columns_are_escaped(tmp_path):
    frame = pd.DataFrame({"<b>&": [0.5, 1.5, 2.5, 3.5], "y": list("abab")})
    data = ds.discretize(frame, bins=2)
    drawing = ds.draw(ds.learn(data))
    assert "<p>Data: 2 quantiles: &lt;b&gt;&amp;</p>" in ds.learn(data)._repr_html_()
    assert "2 quantiles: &lt;b&gt;&amp;" in drawing
    assert "<b>" not in drawing
