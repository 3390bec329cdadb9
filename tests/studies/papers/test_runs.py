"""The runs of a study: interrupted ones go on where they were."""

from __future__ import annotations

import json

import pytest

import dagscape as ds
from dagscape.studies.papers.item import Study
from dagscape.studies.papers.runs import finished_runs, run_missing, runs_of, task_key
from dagscape.studies.papers.sources import Sources
from worker_tasks import squared

TASKS = [{"seed": seed, "method": method} for seed in range(3) for method in ("optimal", "greedy")]
SOURCES = Sources()


def refused(task, _):
    raise ds.InvalidData("no rows")


def test_finished_runs_are_kept(tmp_path):
    path, made = tmp_path / "new" / "runs.jsonl", []

    def work(task, sources):
        if len(made) == 4:
            raise KeyboardInterrupt
        made.append(task)
        return squared(task, sources)

    study = Study("squares", lambda _: TASKS, work)
    with pytest.raises(KeyboardInterrupt):
        run_missing(study, TASKS, path, SOURCES, 1)
    assert made == TASKS[:4]
    # The run that was being written is torn.
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:3]) + lines[3][:-7])
    assert len(finished_runs(path)) == 3
    made.clear()
    seen = []
    lines = run_missing(study, TASKS, path, SOURCES, 1, seen.append)
    assert made == TASKS[3:]
    assert [(progress.done, progress.total) for progress in seen] == [(1, 3), (2, 3), (3, 3)]
    assert runs_of(lines) == [{**task, "square": task["seed"] ** 2} for task in TASKS]
    made.clear()
    assert runs_of(run_missing(study, [*TASKS, {"seed": 7, "method": "tan"}], path, SOURCES, 1))[-1]["square"] == 49
    assert len(made) == 1


def test_workers_give_the_same_runs(tmp_path):
    study = Study("squares", lambda _: TASKS, squared)
    alone = run_missing(study, TASKS, tmp_path / "1.jsonl", SOURCES, 1)
    together = run_missing(study, TASKS, tmp_path / "2.jsonl", SOURCES, 2)
    assert runs_of(alone) == runs_of(together)
    assert all(line["seconds"] >= 0 for line in together)


def test_runs_of_another_version_do_not_count(tmp_path):
    path = tmp_path / "runs.jsonl"
    line = {"task": TASKS[0], "result": {"square": 5}, "seconds": 1.0, "version": "0.0.1"}
    path.write_text(json.dumps(line) + "\n")
    study = Study("squares", lambda _: TASKS, squared)
    assert runs_of(run_missing(study, TASKS[:1], path, SOURCES, 1)) == [{**TASKS[0], "square": 0}]


def test_order_of_names_in_a_task_is_of_no_importance():
    assert task_key({"a": 1, "b": 2}) == task_key({"b": 2, "a": 1}) != task_key({"a": 2, "b": 1})


@pytest.mark.parametrize("content", ["[]\n", '{"task": {}}\n', "not JSON\n"])
def test_files_of_other_contents_are_refused(tmp_path, content):
    path = tmp_path / "runs.jsonl"
    path.write_text(content)
    with pytest.raises(ds.DagscapeError, match="line 1: not a finished run; remove the line"):
        finished_runs(path)
    assert path.read_text() == content


def test_errors_name_the_run(tmp_path):
    study = Study("broken", lambda _: TASKS, refused)
    with pytest.raises(ds.DagscapeError, match=r'broken, {"method": "optimal", "seed": 0}: no rows'):
        run_missing(study, TASKS, tmp_path / "runs.jsonl", SOURCES, 1)


def test_folders_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ds.DagscapeError, match="cannot write"):
        run_missing(Study("x", lambda _: TASKS, squared), TASKS, tmp_path / "file" / "x.jsonl", SOURCES, 1)
