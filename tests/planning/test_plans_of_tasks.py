"""Plans of searches, studies and student models: what they add up to, and what they refuse."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.planning.plan import PlanStep
from dagscape.posterior import grids
from dagscape.search.registry import LEARNERS
from dagscape.student.learning.e_step import Expectation
from dagscape.student.model.parameters import ItemCells
from task_inputs import dependent_data

DATA = dependent_data(9, 100)
STUDENTS = ds.simulate_students("b", 300, seed=1)


def planned(task, **options):
    return ds.plan(DATA, task, **options)


def model_plan(task="student", **options):
    return ds.plan(STUDENTS.answers, task, q_matrix=STUDENTS.q_matrix, **options)


@pytest.mark.parametrize("method", LEARNERS)
def test_a_search_is_timed_by_itself(method):
    found = planned("learn", method=method)
    (step,) = found.steps
    assert step.name == f"search by method {method!r}"
    assert step.work == "9 variables, 100 rows"
    assert 0 < found.seconds < 60
    assert found.fits
    assert found.provenance.parameters["method"] == method
    assert found.provenance.parameters["score"] == "bdeu"


def test_a_time_limit_bounds_the_time():
    slow = ds.Dataset.from_array(np.random.default_rng(1).integers(0, 2, (2000, 60)))
    found = ds.plan(slow, "learn", max_seconds=0.01)
    assert found.seconds == 0.01
    assert found.steps[0].work.endswith("; at most 0.01 s")
    # The exact search observes no limit.
    assert ds.plan(slow, "learn", method="optimal", max_seconds=0.01).seconds > 3600


def test_the_memory_of_a_search_grows_with_variables_and_threads():
    few, many = (ds.plan(dependent_data(n, 50), "learn", method="greedy", threads=1).memory for n in (10, 200))
    assert many > few + 40 * 4 * 190**2
    assert planned("learn", method="greedy", threads=8).memory > planned("learn", method="greedy", threads=1).memory
    # The cache of scores takes what there is, not more.
    least = planned("learn", method="greedy", threads=1).memory
    assert planned("learn", method="greedy", threads=1, max_memory=least - 100).memory == least - 100


def test_a_search_that_does_not_fit_is_refused_with_the_advice_of_its_plan():
    for method in LEARNERS:
        found = planned("learn", method=method, max_memory="20KiB", threads=1)
        assert not found.fits
        with pytest.raises(ds.TooLarge, match=f": {re.escape(found.advice)}$"):
            ds.learn(DATA, method, max_memory="20KiB", threads=1, settings="fixed")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"method": "climb"}, "method is 'climb'; it must be one of"),
        ({"method": "tabu", "alpha": 0.1}, "method 'tabu' has no option 'alpha'; it is an option of 'mmhc'"),
        ({"method": "tabu", "patience": 0}, "patience is 0; it must be an integer of at least 1"),
        ({"max_seconds": 0}, "max_seconds is 0; it must be a number above 0"),
        ({"max_parent": 2}, "method 'order' has no option 'max_parent'; did you mean 'max_parents'"),
        ({"method": "ges", "score": "k2"}, "k2 differs between members of a class"),
        ({"over": "dags"}, "method 'order' has no option 'over'"),
        ({"q_matrix": [[1]]}, "q_matrix is for the answers of students, which the task 'learn' does not take"),
    ],
)
def test_wrong_options_of_a_search_are_named(options, told):
    with pytest.raises(ds.InvalidOption, match=re.escape(told)):
        planned("learn", **options)


def test_options_of_a_method_change_its_time(monkeypatch):
    seen = []
    monkeypatch.setattr("dagscape.search.trial.run_learner", lambda *given, **_: seen.append(given[1]))
    planned("learn", method="greedy", restarts=3)
    assert {"restarts": 3} in seen


def test_a_bootstrap_takes_its_samples_in_turns(monkeypatch):
    asked = []

    def seconds(job, threads, limit, **options):
        asked.append((threads, options))
        return 2.0

    monkeypatch.setattr("dagscape.studies.bootstrap_plan.learning_seconds", seconds)
    found = planned("bootstrap", method="ges", samples=11, workers=2, threads=7)
    assert found.seconds == 12.0
    assert asked == [(1, {"method": "ges"})]
    assert found.steps[0].work == "11 samples, 2 at a time, each with this memory; 9 variables, 100 rows"
    assert planned("bootstrap", samples=11, workers=1).seconds == 22.0
    assert planned("bootstrap", samples=3, workers=8).seconds == 2.0
    assert planned("bootstrap", samples=11, workers=2, max_seconds=3.5).seconds == 3.5
    # Each sample may use the limit.
    assert found.memory == planned("learn", method="ges", threads=1).memory


def test_a_study_of_sensitivity_adds_up_its_settings(monkeypatch):
    monkeypatch.setattr(grids, "scoring_seconds", lambda *_: 100.0)
    monkeypatch.setattr(grids, "sum_seconds", lambda size, threads, over: size.max_parents)
    # Four equivalent sample sizes and four priors, each with the limit by the number of rows, and with none.
    limit = grids.limit_by_rows(DATA)["max_parents"]
    assert limit < 8
    found = planned("sensitivity")
    assert found.seconds == 4 * 100 + 4 * 4 * (limit + 8)
    assert found.steps[0].work.startswith("4 scorings, 32 sums of 3^9 steps")
    assert planned("sensitivity", ess=5.0, max_parents=(1, 3)).seconds == 100 + 4 * (1 + 3)
    assert planned("sensitivity", ess=5.0, max_parents=None, structure_prior="uniform").seconds == 100 + 8
    assert planned("sensitivity", score="bic").seconds == 100 + 4 * (limit + 8)
    assert planned("sensitivity", over="orders").steps[0].name == "posteriors over orders"
    settings = ds.sensitivity(DATA.select(DATA.variables[:4]), max_parents=2, ess=(1, 2)).settings
    small = ds.plan(DATA.select(DATA.variables[:4]), "sensitivity", max_parents=2, ess=(1, 2))
    assert f"{len(settings)} sums" in small.steps[0].work


def test_a_study_of_sensitivity_refuses_what_its_settings_would():
    with pytest.raises(ds.InvalidOption, match="ess is -1"):
        planned("sensitivity", ess=(1, -1))
    with pytest.raises(ds.InvalidOption, match="there is no option 'prior'"):
        planned("sensitivity", prior="uniform")
    found = planned("sensitivity", max_memory="30KiB", threads=1)
    with pytest.raises(ds.TooLarge, match=f": {re.escape(found.advice)}$"):
        ds.sensitivity(DATA, max_memory="30KiB", threads=1)


def test_a_student_model_is_timed_by_one_start():
    found = model_plan(restarts=3)
    (step,) = found.steps
    patterns = len(STUDENTS.answers.patterns()[0])
    assert step.work == f"3 starts of EM over {patterns} patterns of answers and 2^5 states"
    assert found.variables == STUDENTS.q_matrix.skills
    assert 0 < found.seconds < 60
    assert found.provenance.parameters == {"students": 300, "restarts": 3}


def test_starts_and_samples_of_students_multiply(monkeypatch):
    seconds = {"_all_rounds": 2.0, "_joined": 1.5, "_nothing": 1.0}
    monkeypatch.setattr("dagscape.student.learning.trial._start_seconds", lambda *given: seconds[given[2].__name__])
    monkeypatch.setattr("dagscape.student.learning.trial._refinement_seconds", lambda *_: 0.5)
    assert model_plan().seconds == 20.5
    assert model_plan(restarts=4).seconds == 8.5
    assert model_plan("parm").seconds == 15.0
    assert model_plan("parm", structure="empty").seconds == 10.0
    # Three starts of each sample, two samples at a time.
    assert model_plan("bootstrap-skills", samples=9, workers=2).seconds == 5 * 6.5
    assert model_plan("bootstrap-skills", samples=9, workers=2, restarts=1, max_seconds=7).seconds == 7.0


def test_a_start_that_takes_long_is_counted_in_steps(monkeypatch):
    monkeypatch.setattr("dagscape.student.learning.trial._step_seconds", lambda *_: 10.0)
    monkeypatch.setattr("dagscape.student.learning.trial._refinement_seconds", lambda *_: 0.0)
    # One round of one step cannot converge; then a start takes 100 steps for each of 5 skills.
    assert model_plan(restarts=2).seconds == 2 * 500 * 10.0


def test_many_students_are_a_sample_in_a_trial(monkeypatch):
    many = ds.simulate_students("b", 3000, seed=1)
    monkeypatch.setattr("dagscape.student.learning.trial._step_seconds", lambda *_: 10.0)
    monkeypatch.setattr("dagscape.student.learning.trial._PASSES", 0)
    found = ds.plan(many.answers, "student", q_matrix=many.q_matrix, restarts=1)
    students = np.linspace(0, 2999, 1000).astype(int)
    share = len(many.answers.patterns()[0]) / len(many.answers.take(students).patterns()[0])
    assert found.seconds == pytest.approx(share * 500 * 10.0)


def test_a_refinement_is_counted_in_pairs_of_skills(monkeypatch):
    monkeypatch.setattr("dagscape.student.learning.trial._step_seconds", lambda *_: 10.0)
    monkeypatch.setattr("dagscape.student.learning.trial._start_seconds", lambda *_: 0.0)
    # Three passes, 20 ordered pairs, 5 steps each.
    assert model_plan(restarts=1).seconds == pytest.approx(3 * 20 * 5 * 10.0, rel=0.01)


def test_tables_that_must_not_fall_are_part_of_a_step(monkeypatch):
    clock = {"now": 0.0}

    def taking(seconds, work):
        def timed(*given, **options):
            clock["now"] += seconds
            return work(*given, **options)

        return timed

    monkeypatch.setattr("dagscape.student.learning.trial.time.perf_counter", lambda: clock["now"])
    monkeypatch.setattr(Expectation, "expect", taking(1.0, Expectation.expect))
    monkeypatch.setattr(ItemCells, "allowed", taking(9.0, ItemCells.allowed))
    # The M-step of each E-step takes nine times as long, and so does every refinement.
    for task in ("student", "bootstrap-skills"):
        assert model_plan(task, monotone=True).seconds == pytest.approx(10 * model_plan(task).seconds)


def test_tables_that_must_not_fall_are_refused_by_plans_as_by_the_task():
    wide = pd.DataFrame(np.ones((2, 6), dtype=int), columns=list("abcdef"))
    answers = pd.DataFrame([[1, 0], [0, 1]])
    for call in (lambda **given: ds.plan(answers, "student", **given), lambda **given: ds.command(answers, **given)):
        with pytest.raises(ds.InvalidOption, match=r"monotone needs items of at most 5 skills, and .* has 6"):
            call(q_matrix=wide, monotone=True)


@pytest.mark.parametrize("task", ["student", "parm", "bootstrap-skills"])
def test_models_that_do_not_fit_are_refused_with_the_advice_of_their_plan(task):
    function = {"student": ds.command, "parm": ds.parm, "bootstrap-skills": ds.bootstrap_skills}[task]
    found = model_plan(task, max_memory="20KiB", threads=1)
    assert not found.fits
    assert found.advice == "raise the limit, or merge or drop skills"
    with pytest.raises(ds.TooLarge, match=f"student models of .* and 5 skills need .*: {found.advice}$"):
        function(STUDENTS.answers, STUDENTS.q_matrix, max_memory="20KiB")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"restarts": 0}, "restarts is 0; it must be an integer of at least 1"),
        ({"method": "greedy"}, "method is 'greedy'; it must be one of 'optimal', 'order'"),
        ({"max_parents": -1}, "max_parents is -1"),
        ({"monotone": "yes"}, "monotone is 'yes'; it must be True or False"),
        ({"ess": 1.0}, "the task 'student' has no option 'ess'"),
        ({"samples": 5}, "samples is an option of the task 'sample-dags', not of 'student'"),
    ],
)
def test_wrong_options_of_a_model_are_named(options, told):
    with pytest.raises(ds.InvalidOption, match=re.escape(told)):
        model_plan(**options)


def test_answers_need_a_q_matrix():
    with pytest.raises(ds.InvalidOption, match="q_matrix is missing: the task 'student' needs the skills of each item"):
        ds.plan(STUDENTS.answers, "student")
    with pytest.raises(ds.InvalidData, match="the Q-matrix has"):
        ds.plan(STUDENTS.answers, "student", q_matrix=np.ones((3, 2)))


def test_tests_of_independence_are_planned():
    found = planned("mmpc", rows_per_cell=10)
    assert found.steps[0].name == "tests of independence"
    assert found.steps[0].work == "9 variables, 100 rows, given up to 4"
    assert found.provenance.parameters == {"data": DATA.fingerprint, "rows_per_cell": 10}
    with pytest.raises(ds.InvalidOption, match="the task 'mmpc' has no option 'score'"):
        planned("mmpc", score="bic")
    with pytest.raises(ds.InvalidOption, match="rows_per_cell is 0; it must be an integer of at least 1"):
        planned("mmpc", rows_per_cell=0)


@pytest.mark.parametrize(("test", "fewest"), [("fisher-z", 2**25), ("mi-cg", 2**27)])
def test_tests_of_measured_columns_are_planned(test, fewest):
    rows = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 4)), columns=list("abcd"))
    found = ds.plan(rows, "mmpc", test=test, max_condition=2)
    assert found.steps[0].work == "4 variables, 60 rows, given up to 2"
    assert found.memory > fewest
    assert found.provenance.parameters["test"] == test
    assert ds.plan(ds.NumericData.from_frame(rows), "mmpc").steps[0].work == "4 variables, 60 rows"
    with pytest.raises(ds.InvalidOption, match="test is 'chi'; it must be one of 'auto', 'g2'"):
        ds.plan(rows, "mmpc", test="chi")


def test_a_task_without_requirements_has_no_plan():
    with pytest.raises(ds.InvalidOption, match="task is 'compare'; it must be one of 'scores', 'posterior'"):
        planned("compare")


@pytest.mark.slow
def test_numbers_are_planned_as_levels_are():
    rows = pd.DataFrame(np.random.default_rng(1).normal(size=(60, 22)), columns=[f"v{i}" for i in range(22)])
    assert ds.plan(rows, "learn", method="ges", score="bic-g").fits
    refused = ds.plan(rows, "posterior", score="bic-g", over="orders", max_memory="100MiB", threads=1)
    assert re.fullmatch(r"posterior\(\) fits with over='orders', max_parents=[2-5]", refused.advice)
    for task in ("learn", "bootstrap"):
        assert ds.plan(rows, task, method="mmhc", score="bic-g").fits
        with pytest.raises(ds.InvalidOption, match="the method needs discrete data"):
            ds.plan(rows, task, method="curriculum", score="bic-g")


def test_a_notebook_shows_a_plan_in_words():
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (40, 34)))
    shown = ds.plan(data, "posterior", max_memory="1GiB")._repr_html_()
    assert "<td>128.0 GiB</td>" in shown
    assert (
        "<strong>The exact sum does not fit; posterior runs chains, which fit: the limit is 1.0 GiB.</strong>" in shown
    )
    assert "<td>chains</td>" in shown
    assert "<p>Advice: no exact method fits 34 variables within 1.0 GiB; " in shown
    assert "over=&#x27;orders&#x27;" in shown
    assert "It fits: the limit is" in ds.plan(ds.load_dataset("iris"))._repr_html_()


def test_counts_that_nobody_would_read_are_rounded():
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (40, 131)))
    assert ds.plan(data, max_memory="1GiB").steps[0].work.startswith("2^131 sets of up to 131 variables, for 2^137 ")


def test_text_in_a_plan_is_escaped():
    step = PlanStep("<b>", "<script>", 1, 1.0)
    made = ds.plan(ds.load_dataset("iris"))
    shown = replace(made, steps=(step,), advice="<i>&", largest={"<cpu>": 3})._repr_html_()
    assert not re.search("<b>|<script>|<i>|<cpu>", shown)


def test_posteriors_are_planned_as_averages(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60), "y": rng.normal(size=60), "z": [*"ab"] * 30})
    frame.to_csv(tmp_path / "t.csv", index=False)
    for data in (frame, tmp_path / "t.csv"):
        with pytest.warns(ds.AutomaticReading, match="'x', 'y' are measured, and cut in 4 ways"):
            found = ds.plan(data, "posterior")
        assert found.steps[0].work.endswith("; 16 scorings")
        assert found.steps[1].work.endswith("; 44 sums for an average over 64 settings")
    data = ds.discretize(frame)
    assert ds.plan(data, "posterior").steps[1].work.endswith("; 11 sums for an average over 16 settings")
    assert ds.plan(data, "posterior", ess=1).steps[1].work.endswith("; 5 sums for an average over 4 settings")
    one = ds.plan(data, "posterior", ess=1, structure_prior="uniform")
    assert [step.work.count("average") for step in one.steps] == [0, 0]
    # What takes more than an hour is not averaged.
    monkeypatch.setattr("dagscape.planning.averages._LONGEST", 0.0)
    assert "average" not in ds.plan(data, "posterior").steps[1].work
