from __future__ import annotations

import dataclasses
import gzip
import json
import math
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

import dagscape as ds
from dagscape.planning.loading import RESULTS
from dagscape.results.base import Provenance, Result, ScoredResult


@dataclass(frozen=True, slots=True)
class Example(Result):
    kind: ClassVar[str] = "example"
    matrix: NDArray[np.float64]
    count: int = 0

    def to_frame(self):
        raise AssertionError


def example_results():
    data = ds.load_dataset("tic-tac-toe")
    students = ds.simulate_students("a", 200, items_per_skill=3, seed=1)
    model = ds.command(students.answers, students.q_matrix, restarts=1)
    incomplete = ds.Dataset.from_array([[i % 2, i % 3 % 2] for i in range(30)] + [[None, 1]], missing="keep")
    return [
        data.describe(),
        ds.plan(data, max_parents=1),
        ds.compare(ds.Dag.from_edges("ab", [("a", "b")]), ds.Dag.from_edges("ab")),
        ds.posterior(ds.local_scores(data.select(data.variables[:4]))),
        ds.compare(*(ds.posterior(ds.local_scores(data.select(data.variables[:4]), ess=ess)) for ess in (1, 10))),
        ds.class_members(ds.Dag.from_edges("ab", [("a", "b")])),
        ds.classify_rows(data, "Class", "naive", cv=2),
        ds.feature_averages(ds.k_best(ds.local_scores(data, max_parents=1), k=3)),
        ds.list_curves(ds.k_best(ds.local_scores(data, max_parents=1), k=3)),
        ds.edge_effects(ds.load_network("sprinkler")),
        ds.edge_accuracy([[0, 0.5], [0.25, 0]], ds.Dag.from_edges("ab", [("a", "b")])),
        ds.optimal_network(ds.local_scores(data, max_parents=1)),
        ds.modes(ds.local_scores(data, max_parents=2), k=3),
        ds.k_best(ds.local_scores(data, max_parents=2), k=5),
        ds.sample_dags(ds.local_scores(data.select(data.variables[:4])), 5),
        ds.sensitivity(data.select(data.variables[:4]), max_parents=2),
        ds.compare_missing(incomplete, ["drop", "level"]),
        ds.bootstrap(data.select(data.variables[:4]), "optimal", samples=3, workers=1),
        ds.learn(data.select(data.variables[:4]), "greedy"),
        ds.mmpc(data),
        model,
        model.evaluate(cv=2, workers=1),
        ds.parm(students.answers, students.q_matrix, restarts=1),
        ds.summarize_scores(ds.local_scores(data, forbidden=[(data.variables[0], data.variables[1])])),
    ]


def test_every_kind_of_result_survives_saving(tmp_path):
    results = example_results()
    assert {type(result) for result in results} == set(RESULTS.values())
    for result in results:
        for name in ("result.json", "result.npz"):
            result.save(tmp_path / name)
            back = ds.load_result(tmp_path / name)
            assert type(back) is type(result)
            assert back == result
            assert back.to_dict() == result.to_dict()
            assert back.provenance.version == ds.__version__
        assert len(result.to_frame())
        assert len(repr(result)) < 200


@pytest.mark.slow
def test_the_ending_is_the_format(tmp_path):
    import pandas as pd

    for result in example_results():
        result.save(tmp_path / "r.json")
        text = (tmp_path / "r.json").read_bytes()
        result.save(tmp_path / "r.JSON.gz")
        assert gzip.decompress((tmp_path / "r.JSON.gz").read_bytes()) == text
        assert ds.load_result(tmp_path / "r.JSON.gz") == result
        result.save(tmp_path / "r.npz")
        result.save(tmp_path / "r.npz.gz")
        assert gzip.decompress((tmp_path / "r.npz.gz").read_bytes()) == (tmp_path / "r.npz").read_bytes()
        assert ds.load_result(tmp_path / "r.npz.gz") == result
        # A file has all settings of a study, a frame those that matter.
        frame = result.to_frame(min_share=0) if isinstance(result, ds.Sensitivity) else result.to_frame()
        for name, separator in (("r.csv", ","), ("r.csv.gz", ","), ("r.tsv", "\t"), ("r.tsv.gz", "\t")):
            result.save(tmp_path / name)
            back = pd.read_csv(tmp_path / name, sep=separator, keep_default_na=False)
            # Not all versions of pandas read all digits of a float.
            digits = pd.read_csv(tmp_path / name, sep=separator, keep_default_na=False, dtype=str)
            assert list(back.columns) == list(frame.columns)
            for column in frame:
                for before, after, written in zip(frame[column], back[column], digits[column], strict=True):
                    if isinstance(before, tuple | list):
                        assert json.loads(after) == list(before)
                    elif isinstance(before, float):
                        # A number that does not exist is an empty cell.
                        assert written == "" if math.isnan(before) else float(written) == before
                    else:
                        assert after == before
        assert not list(tmp_path.glob(".*"))


def test_other_endings_are_refused_and_a_format_overrides(tmp_path):
    result = ds.compare(ds.Dag.from_edges("ab", [("a", "b")]), ds.Dag.from_edges("ab"))
    for name in ("r.xlsx", "r", "r.gz", "json", "r.json.zip"):
        with pytest.raises(
            ds.InvalidOption, match=r"must end in one of \.json, \.npz, \.csv, \.tsv, or these and \.gz"
        ):
            result.save(tmp_path / name)
    assert not list(tmp_path.iterdir())
    result.save(tmp_path / "r.txt", file_format="tsv")
    assert (tmp_path / "r.txt").read_text().startswith("measure\tvalue\n")
    with pytest.raises(ds.InvalidOption, match="file_format is 'xml'; it must be one of json, npz, csv, tsv"):
        result.save(tmp_path / "r.txt", file_format="xml")


OLD = Path(__file__).parents[1] / "files" / "results_0.1.0"


@pytest.mark.parametrize("kind", RESULTS)
def test_results_of_version_0_1_0_still_load(kind):
    result = ds.load_result(OLD / f"{kind}.json")
    assert result.kind == kind
    assert result.provenance.version == "0.1.0"
    assert result.variables[:2] == ("asia", "tub")
    if isinstance(result, ScoredResult):
        assert result.score_info.score == ("bic" if kind == "student-model" else "bdeu")
        assert result.score_info.rows == 200


def test_old_and_new_results_of_the_same_scores_go_together():
    data = ds.load_network("asia").sample(200, seed=1).select(["asia", "tub", "smoke", "lung", "either"])
    scores = ds.local_scores(data, max_parents=2)
    old = ds.load_result(OLD / "k-best.json")
    assert old == ds.k_best(scores, k=3)
    assert old.coverage(ds.posterior(scores)) == pytest.approx(old.coverage(ds.load_result(OLD / "posterior.json")))
    other = ds.posterior(ds.local_scores(data, max_parents=2, ess=2))
    with pytest.raises(ds.InvalidOption, match="different scores"):
        old.coverage(other)


def test_score_files_of_version_0_1_0_still_load():
    lattice = ds.read_scores(OLD / "lattice-scores.npz")
    assert lattice.info.score == "bdeu"
    assert lattice.score_equivalent
    table = ds.read_scores(OLD / "family-table.npz")
    assert table.info.score is None
    assert table.family("a", ["b"]) == -8.5


@pytest.mark.parametrize("kind", RESULTS)
def test_unknown_fields_are_ignored(kind, tmp_path):
    document = json.loads((OLD / f"{kind}.json").read_text())
    more = {**document, "novel": 1, "provenance": {**document["provenance"], "novel": 2}}
    for name in ("steps", "columns", "families"):
        if name in more:
            more[name] = [{**entry, "novel": 3} for entry in more[name]]
    path = tmp_path / "newer.json"
    path.write_text(json.dumps(more))
    assert ds.load_result(path) == ds.load_result(OLD / f"{kind}.json")


def test_a_newer_schema_is_refused_by_kind(tmp_path):
    path = tmp_path / "newer.json"
    path.write_text(json.dumps({**json.loads((OLD / "modes.json").read_text()), "schema": 2}))
    with pytest.raises(ds.InvalidData, match="has schema 2 of 'modes'; this version of dagscape reads up to 1"):
        ds.load_result(path)


def test_infinite_times_are_read_back(tmp_path):
    planned = ds.plan(ds.Dataset.from_array(np.zeros((2, 300), dtype=int), keep_constant=True))
    assert planned.seconds == math.inf
    planned.save(tmp_path / "plan.json")
    back = ds.load_result(tmp_path / "plan.json")
    assert back == planned
    assert repr(back) == repr(planned)


def made_infinite(value):
    """Return a value with infinity in place of every float in it."""
    if dataclasses.is_dataclass(value):
        changes = {f.name: made_infinite(getattr(value, f.name)) for f in dataclasses.fields(value)}
        return dataclasses.replace(value, **changes)
    if isinstance(value, tuple):
        return tuple(map(made_infinite, value))
    if isinstance(value, np.ndarray) and value.dtype.kind == "f":
        return np.full_like(value, math.inf)
    return math.inf if isinstance(value, float) else value


@pytest.mark.parametrize("kind", RESULTS)
def test_any_number_but_a_probability_may_be_infinite(kind, tmp_path):
    result = ds.load_result(OLD / f"{kind}.json")
    # What the scores were computed from, the scores of networks in a list, and the strengths of dependences are always
    # finite.
    finite = {"provenance", "score_info", "networks", "network", "scores", "strengths", "confusion", "effects"}
    # So are the numbers of a student model, except for standard errors and ratios.
    finite |= {"log_likelihood", "skill_counts", "item_counts", "state_counts", "restarts", "learning"}
    finite |= {"edges"} if kind == "student-evaluation" else set()
    # Documents have errors that follow from these.
    finite |= {"edge_means", "edge_batches"}
    names = {f.name for f in dataclasses.fields(result) if not f.name.startswith("_")} - finite
    for name in names:
        changed = dataclasses.replace(result, **{name: made_infinite(getattr(result, name))})
        changed.save(tmp_path / "result.json")
        probabilities = {"edges", "ancestors", "paths", "alpha", "areas", "skill_tables", "item_tables"}
        probabilities |= {"mastered", "lacking", "confidence", "mastery", "minsup", "minconf", "minprob"}
        probabilities |= {
            "first",
            "second",
            "thresholds",
            "bin_means",
            "brier",
            "probabilities",
            "accuracy",
            "baseline",
            "covered",
        }
        if name in probabilities or name.startswith(("precision_", "recall_", "f1_")):
            with pytest.raises(ds.InvalidData, match=rf"{name}(\[0\])? (is|has) .* between 0 and 1"):
                ds.load_result(tmp_path / "result.json")
            continue
        back = ds.load_result(tmp_path / "result.json")
        assert back == changed, name
        with np.errstate(invalid="ignore"):
            assert repr(back) == repr(changed)


def test_optional_numbers_may_be_infinite():
    @dataclass(frozen=True, slots=True)
    class Sparse(Example):
        limit: float | None = None

    for limit in (None, math.inf, 2.5):
        result = Sparse(("a",), Provenance("0", "x"), np.zeros((1, 1)), 1, limit)
        assert Sparse.from_dict(json.loads(json.dumps(result.to_dict()))).limit == limit


def test_arrays_and_infinities(tmp_path):
    result = Example(("a", "b"), Provenance("0", "x"), np.array([[1.5, -math.inf], [math.nan, 0.0]]), 10**30)
    document = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert document["matrix"][0] == [1.5, "-inf"]
    back = Example.from_dict(document)
    np.testing.assert_array_equal(back.matrix, result.matrix)
    assert back.count == 10**30


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not JSON"),
        ("[1, 2]", "is not a result of dagscape"),
        ('{"kind": "novel", "schema": 1}', "is not a result of dagscape"),
        ('{"kind": ["plan"], "schema": 1}', "is not a result of dagscape"),
        ('{"kind": "network", "schema": 1}', r"is a network, not a result: read it with read_network\(\)$"),
        ('{"kind": "discretizer"}', r"is a discretizer, not a result: read it with Discretizer.load\(\)$"),
        ('{"kind": "plan", "schema": 99}', "has schema 99"),
        ('{"kind": "plan", "schema": 1}', "lacks"),
        (
            '{"kind": "plan", "schema": 1, "variables": [], "provenance": 3, "steps": [4], "memory_limit": 1}',
            "not a complete",
        ),
    ],
)
def test_broken_documents(tmp_path, content, message):
    path = tmp_path / "broken.json"
    path.write_text(content)
    with pytest.raises(ds.InvalidData, match=message):
        ds.load_result(path)
