"""What renderers return: plain data, with names in full and numbers with their values."""

from __future__ import annotations

import ast
import dataclasses
from pathlib import Path

import numpy as np
import pytest

import dagscape as ds
from dagscape.report import blocks
from dagscape.report.blocks import Block, Caution, Heading, Name, Note, Number, Paragraph, Picture, Problem, Table
from dagscape.report.tables import RENDERERS, render
from dagscape.results.base import Result
from rooms import SOURCE

LONG = "a name of more than eighty characters, " + 5 * "which goes on and on and on "


def every_result() -> dict[str, Result]:
    """One result of each kind, with a long name wherever users give names."""
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2, (60, 4))
    rows[:, 1] = rows[:, 0] ^ (rng.random(60) < 0.1)
    data = ds.Dataset.from_array(rows, [LONG, "b", "c", "d"])
    scores = ds.local_scores(data)
    simulated = ds.simulate_students("a", 200, seed=1)
    model = ds.command(simulated.answers, simulated.q_matrix, restarts=1)
    incomplete = ds.Dataset.from_array([[i % 2, i % 3 % 2] for i in range(30)] + [[None, 1]], missing="keep")
    found = [
        ds.bootstrap(data, "greedy", 3, workers=1),
        ds.compare(ds.optimal_network(scores).network, ds.Dag.from_edges(data.variables, [])),
        data.describe(),
        ds.compare(ds.posterior(scores), ds.posterior(ds.local_scores(data, ess=5))),
        ds.class_members(ds.optimal_network(scores).network),
        ds.edge_effects(ds.optimal_network(scores), data),
        ds.classify_rows(data, "b", "naive", cv=2),
        ds.edge_accuracy(ds.posterior(scores), ds.Dag.from_edges(data.variables, [("b", "c")])),
        ds.feature_averages(ds.k_best(scores, 12)),
        ds.list_curves({LONG: ds.k_best(scores, 12)}),
        ds.k_best(scores, 12),
        ds.learn(data, "greedy").with_truth(ds.Dag.from_edges(data.variables, [])),
        ds.mmpc(data),
        ds.modes(scores, 3),
        ds.optimal_network(scores),
        ds.parm(simulated.answers, simulated.q_matrix),
        ds.plan(data),
        ds.plan(data, max_memory=1),
        ds.posterior(scores),
        ds.sample_dags(scores, 20),
        ds.sensitivity(data),
        ds.compare_missing(incomplete, ["drop", "level"]),
        ds.summarize_scores(scores),
        model,
        model.evaluate(cv=2, restarts=1, workers=1),
    ]
    return {f"{result.kind} {number}": result for number, result in enumerate(found)}


@pytest.fixture(scope="module")
def results():
    return every_result()


def parts(value):
    """Everything within a block, and itself."""
    yield value
    if isinstance(value, tuple):
        for item in value:
            yield from parts(item)
    elif dataclasses.is_dataclass(value) and not isinstance(value, Picture):
        for field in dataclasses.fields(value):
            yield from parts(getattr(value, field.name))


@pytest.mark.slow
def test_every_kind_is_rendered(results):
    assert {result.kind for result in results.values()} == set(RENDERERS)


def test_blocks_are_frozen_records_of_plain_values(results):
    for name, result in results.items():
        found = render(result)
        assert found, name
        for block in found:
            assert isinstance(block, Block), name
            hash(block)
            for part in parts(block):
                plain = type(part) in (str, int, float, bool, tuple, np.float64, np.int64)
                assert plain or type(part).__module__ == blocks.__name__ or isinstance(part, Result), (name, part)


def test_rows_are_as_wide_as_the_header(results):
    for name, result in results.items():
        for block in render(result):
            if isinstance(block, Table):
                assert {len(row) for row in block.rows} <= {len(block.columns)}, name


def test_numbers_have_values_in_numeric_columns(results):
    for name, result in results.items():
        for block in render(result):
            if not isinstance(block, Table):
                continue
            for row in block.rows:
                for column, cell in zip(block.columns, row, strict=True):
                    assert isinstance(cell, Number | str) if column.numeric else not isinstance(cell, Number), name


def test_names_are_in_full_in_blocks(results):
    with_names = ("posterior", "k-best", "learned", "modes", "data", "score", "bootstrap", "parents")
    for name, result in results.items():
        if name.startswith(with_names):
            assert {Name(LONG), Name(LONG, listed=True)} & set(parts(tuple(render(result)))), name
            # Nowhere is it a part of another string.
            texts = [part for block in render(result) for part in parts(block) if isinstance(part, str)]
            assert all(LONG[:20] not in text or text == LONG for text in texts), name


def test_the_posterior_as_blocks():
    scores = ds.FamilyTable({"a": {(): 0.0, ("b",): 0.0}, "b": {(): 0.0, ("a",): 0.0}}, complete=True)
    post = ds.posterior(scores)
    heading, table, note, about_causes, picture = render(post)
    assert "compelled edges were not computed" in note.text
    assert about_causes.text.startswith("an arrow is no cause")
    numbers = f"log evidence {post.log_evidence:,.4f}, error estimate {post.error:.0e}"
    assert heading == Heading(f"Posterior over dags: {numbers}")
    assert [column.header for column in table.columns] == ["from", "to", "edge", "ancestor", "adjacent"]
    assert [column.numeric for column in table.columns] == [False, False, True, True, True]
    assert table.rows[0][:2] == (Name("a"), Name("b"))
    assert table.rows[0][2].text == "0.3333"
    assert table.rows[0][2].value == post.edge("a", "b")
    assert picture == Picture(post)


def test_a_picture_of_a_result():
    post = ds.posterior(ds.local_scores(ds.load_dataset("iris")))
    picture = render(post)[-1]
    assert isinstance(picture, Picture)
    assert picture.svg().startswith("<svg")


def test_results_without_a_graph_have_no_picture(results):
    pictured = {result.kind for result in results.values() if any(isinstance(b, Picture) for b in render(result))}
    assert set(RENDERERS) - pictured == {
        "classification",
        "comparison",
        "data-summary",
        "edge-accuracy",
        "edge-effects",
        "feature-averages",
        "list-curves",
        "missing-rules",
        "parents-and-children",
        "parm",
        "plan",
        "probability-comparison",
        "score-summary",
        "student-evaluation",
    }


def test_warnings_end_the_blocks():
    summary = ds.Dataset.from_array([[i, i % 2] for i in range(30)], ["id", "x"]).describe()
    assert render(summary)[-1] == Caution(summary.warnings[-1])
    assert [type(block) for block in render(summary)] == [
        Heading,
        Table,
        Note,
        Table,
        *[Caution] * len(summary.warnings),
    ]


def test_a_job_that_does_not_fit_is_a_problem():
    (_, verdict) = render(ds.plan(ds.load_dataset("zoo"), "best", max_memory="1MiB"))
    assert isinstance(verdict, Paragraph)
    (problem,) = verdict.text
    assert isinstance(problem, Problem)
    assert problem.text.startswith("It does not fit: ")


def imported(path: Path) -> set[str]:
    """The packages that a file imports anywhere."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    return {name.split(".")[0] for name in names}


@pytest.mark.slow
def test_only_the_writer_for_terminals_and_the_progress_bar_know_rich():
    users = {str(path.relative_to(SOURCE)) for path in SOURCE.rglob("*.py") if "rich" in imported(path)}
    assert users == {"report/terminal.py", "report/plain_tables.py", "core/progress.py"}
