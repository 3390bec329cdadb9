"""``dagscape plan``: its exit code, and what it says about jobs that do not fit."""

from __future__ import annotations

import json

import numpy as np
import pytest

import dagscape as ds
from cli.running import run

JOB = ("plan", "builtin:tic-tac-toe", "--task", "posterior")


@pytest.mark.slow
@pytest.mark.parametrize("limit", ["20KiB", "2GiB"])
def test_the_exit_code_says_whether_it_fits(capfd, limit):
    fits = limit == "2GiB"
    code, out, err = run(capfd, *JOB, "--max-memory", limit)
    assert (code, err) == (0 if fits else 4, "")
    assert ("It fits" in out) == fits
    assert ("Advice: " in out) != fits
    code, out, err = run(capfd, *JOB, "--max-memory", limit, "--json")
    assert (code, err) == (0 if fits else 4, "")
    document = json.loads(out)
    assert document["fits"] == fits
    assert document["memory"] == max(step["memory"] for step in document["steps"])
    assert document["seconds"] == pytest.approx(sum(step["seconds"] for step in document["steps"]))
    assert document["refusal"] == ""


@pytest.mark.slow
def test_chains_in_place_of_a_sum_fit(capfd):
    votes = ("plan", "builtin:votes", "--missing", "level", "--task", "posterior", "--threads", 1)
    code, out, err = run(capfd, *votes, "--max-memory", "20MiB")
    assert (code, err) == (0, "")
    assert "The exact sum does not fit; posterior runs chains, which fit: the limit is 20.0 MiB." in out
    code, out, err = run(capfd, *votes, "--max-memory", "1MiB")
    assert (code, err) == (4, "")
    assert "It does not fit: the limit is 1.0 MiB." in out


@pytest.fixture(scope="module")
def wide():
    return ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (50, 80)))


def test_a_plan_that_takes_too_long_is_saved(wide, tmp_path):
    planned = ds.plan(wide, "feature-probability")
    assert planned.seconds == np.inf
    planned.save(tmp_path / "plan.json")
    read = ds.load_result(tmp_path / "plan.json")
    assert read == planned
    assert read.seconds == np.inf
    assert repr(read) == repr(planned)
    assert "too long to estimate; exact sums over dags support up to 40 variables; there are 80" in repr(read)
    assert "inf" not in repr(read)


def test_a_plan_says_why_it_is_refused(wide):
    planned = ds.plan(wide, "modes", max_parents=2, max_memory="2GiB")
    assert repr(planned).endswith("; modes() takes up to 63 variables; there are 80)")


@pytest.fixture(scope="module")
def students(tmp_path_factory):
    """The files of simulated students: answers, and the Q-matrix."""
    folder = tmp_path_factory.mktemp("students")
    simulated = ds.simulate_students("a", 200, seed=1)
    for name, table in (("answers", simulated.answers.to_frame()), ("q", simulated.q_matrix.to_frame())):
        table.to_csv(folder / f"{name}.csv")
    return folder / "answers.csv", folder / "q.csv"


def test_a_student_model_is_planned(capfd, students):
    answers, q_matrix = students
    code, out, err = run(capfd, "plan", answers, "--task", "student", "--q-matrix", q_matrix, "--restarts", 2)
    assert (code, err) == (0, "")
    assert "2 starts of EM over" in out
    assert "2^3 states" in out
    code, out, err = run(
        capfd, "plan", answers, "--task", "student", "--q-matrix", q_matrix, "--max-memory", "1MiB", "--json"
    )
    assert (code, err) == (0, "")
    assert json.loads(out)["variables"] == ["S1", "S2", "S3"]


def test_methods_of_student_models_are_not_those_of_searches(capfd, students):
    answers, q_matrix = students
    code, _, err = run(capfd, "plan", answers, "--task", "student", "--q-matrix", q_matrix, "--method", "ges")
    assert code == 2
    assert "--method is 'ges'; it must be one of 'optimal', 'order'" in err


TABLE = ("plan", "builtin:tic-tac-toe", "--task")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("student",), "--q-matrix is missing: --task student needs the skills of each item"),
        (("student", "--q-matrix", "q.csv", "--ess", 2), "--ess has no effect with --task student: leave it out"),
        (("student", "--q-matrix", "q.csv", "--drop", "x"), "--drop has no effect with --task student: leave it out"),
        (
            ("student", "--q-matrix", "q.csv", "--samples", 9),
            "--samples is for --task sample-dags, bootstrap, bootstrap-skills",
        ),
        (("learn", "--q-matrix", "q.csv"), "--q-matrix is for --task student, parm, bootstrap-skills"),
        (("mmpc", "--score", "bic"), "--score has no effect with --task mmpc: leave it out"),
        (("best", "--over", "orders"), "--over is for --task posterior, feature-probability, sample-dags, sensitivity"),
        (("scores", "--method", "ges"), "--method is for --task learn, bootstrap, student, bootstrap-skills"),
        (("learn", "--max-seconds", 0), "'--max-seconds': 0.0 is not in the range x>0"),
    ],
)
def test_options_of_other_tasks_are_refused(capfd, arguments, told):
    code, out, err = run(capfd, *TABLE, *arguments)
    assert (code, out) == (2, "")
    assert told in err


@pytest.mark.slow
def test_options_of_tasks_reach_the_plan(capfd, monkeypatch):
    asked = []

    def spelled_plan(data, task, spelling, **options):
        asked.append((task, options))
        return ds.plan(ds.load_dataset("iris"), max_parents=1)

    monkeypatch.setattr("dagscape.cli.commands.plan.spelled_plan", spelled_plan)
    run(capfd, *TABLE, "bootstrap", "--method", "ges", "--samples", 7, "--score", "bic")
    run(capfd, *TABLE, "sensitivity", "--ess", 3, "--max-parents", 2)
    run(capfd, *TABLE, "sensitivity")
    run(capfd, *TABLE, "mmpc", "--max-condition", 1)
    (_, boot), (_, chosen), (_, usual), (_, tests) = asked
    assert (boot["method"], boot["samples"], boot["score"]) == ("ges", 7, "bic")
    assert (chosen["ess"], chosen["max_parents"]) == (3.0, 2)
    # A study of sensitivity has its own defaults.
    assert not {"ess", "max_parents", "structure_prior"} & set(usual)
    assert tests == {"max_condition": 1, "threads": None, "max_memory": None}


@pytest.mark.parametrize("task", ["learn", "bootstrap", "sensitivity", "mmpc"])
def test_every_task_on_a_table_is_planned(capfd, task):
    code, out, err = run(capfd, *TABLE, task, "--columns", "Class,top-left-square,middle-middle-square")
    assert (code, err) == (0, "")
    assert "It fits" in out
