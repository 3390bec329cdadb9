"""Names may hold anything, and nothing in them reaches a terminal or a notebook as a control character."""

from __future__ import annotations

import dataclasses
import inspect
import re
import traceback

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.core.errors import DagscapeError, DagscapeWarning, argument
from dagscape.core.wording import visible
from dagscape.ensembles.chain_diagnostics import diagnose
from dagscape.report.tables import RENDERERS, render
from dagscape.report.terminal import terminal_text
from dagscape.results.base import Result

# Colours, a line of its own, text from right to left, a bell, and half of a pair of surrogates.
EVIL = "a\x1b[31m\nb\u202e\x07"
NAMES = [EVIL, f"x{EVIL}", f"{EVIL}y", "\u2028z\x9b"]

NO_NAMES = {
    "EnumerableScores": "abstract",
    "LocalScores": "abstract",
    "BackendStatus": "of the machine",
    "Probability": "a number",
    "Estimate": "a number",
    "ArrayEstimate": "numbers",
}


def evil_table() -> ds.Dataset:
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 2, (50, 4))
    rows[:, 1] = rows[:, 0]
    levels = np.array([f"{EVIL}0", f"{EVIL}1"], dtype=object)
    return ds.Dataset.from_array(levels[rows], NAMES)


def public_objects() -> list[object]:
    """Something of each public class, made of names and levels with control characters."""
    data = evil_table()
    scores, on_demand = ds.local_scores(data), ds.family_scores(data)
    dag = ds.Dag.from_edges(NAMES, [(NAMES[0], NAMES[1]), (NAMES[1], NAMES[2])])
    learned = ds.learn(data, "greedy")
    rng = np.random.default_rng(2)
    skills = [f"{EVIL}1", f"{EVIL}2"]
    items = [f"{EVIL}item{i}" for i in range(6)]
    answers = pd.DataFrame(rng.integers(0, 2, (60, 6)), columns=items, index=[f"{EVIL}{i}" for i in range(60)])
    needs = pd.DataFrame([[1, 0], [1, 0], [0, 1], [0, 1], [1, 1], [1, 1]], columns=skills, index=items)
    model = ds.command(answers, needs, restarts=1)
    numbers = pd.DataFrame(rng.normal(size=(30, 4)), columns=NAMES)
    mixed = ds.MixedData.from_frame(numbers.assign(**{NAMES[0]: [f"{EVIL}0", f"{EVIL}1"] * 15}))
    measured = ds.GaussianNetwork.fit(dag, ds.NumericData.from_frame(numbers))
    conditional = ds.ConditionalGaussianNetwork.fit(dag, mixed)
    study = ds.sensitivity(data, ess=1.0)
    incomplete = ds.Dataset.from_frame(data.to_frame().astype(object).where(np.eye(50, 4) == 0), missing="keep")
    drawn = ds.sample_dags(scores, 40)
    diagnostics = diagnose(drawn.scores.reshape(2, 20), drawn.networks)
    chains = dataclasses.replace(drawn, method="chain", chains=2, diagnostics=diagnostics)
    return [
        data,
        ds.NumericData.from_frame(numbers),
        mixed,
        measured,
        conditional,
        *conditional.regressions.values(),
        measured.query(NAMES[1], {NAMES[0]: 0.5}),
        ds.Discretizer(method="quantile", bins=2).fit(numbers),
        data.describe(),
        scores,
        on_demand,
        ds.FamilyTable({name: {(): 0.0} for name in NAMES}, complete=True),
        scores.families(NAMES[0]),
        scores.families(NAMES[0])[0],
        scores.info,
        ds.summarize_scores(scores),
        dag,
        dag.to_cpdag(),
        ds.Network.fit(dag, data),
        ds.posterior(scores),
        ds.k_best(scores, 3),
        ds.k_best(scores, 3).networks,
        chains,
        chains.diagnostics,
        ds.optimal_network(scores),
        ds.modes(scores, 2),
        ds.class_members(dag),
        ds.classify_rows(data, NAMES[1], "naive", cv=2),
        ds.edge_accuracy(ds.posterior(scores), dag),
        ds.edge_effects(dag, data),
        *ds.edge_effects(dag, data).effects,
        ds.compare_probabilities(ds.posterior(scores), drawn),
        ds.feature_averages(ds.k_best(scores, 3)),
        ds.list_curves({EVIL: ds.k_best(scores, 3)}),
        learned,
        *learned.trace,
        dataclasses.replace(learned, method=EVIL, warnings=(f"kind: {EVIL!r}: {EVIL}",)),
        ds.bootstrap(data, "greedy", 2, workers=1),
        study,
        *study.settings,
        dataclasses.replace(
            study, settings=tuple(dataclasses.replace(s, structure_prior=EVIL) for s in study.settings)
        ),
        ds.compare_missing(incomplete, ["drop", "level"]),
        ds.compare(dag, learned.network),
        ds.mmpc(data),
        ds.plan(data),
        refused_plan(data),
        model,
        ds.parm(answers, needs),
        ds.parm(answers, needs).rules,
        model.evaluate(cv=2, restarts=1, workers=1),
        ds.simulate_students("a", 10, seed=1).answers,
        ds.simulate_students("a", 10, seed=1).q_matrix,
        ds.Progress(EVIL, 1, 2),
    ]


def refused_plan(data: ds.Dataset):
    planned = ds.plan(data)
    steps = [dataclasses.replace(step, name=EVIL, work=EVIL, refusal=EVIL) for step in planned.steps]
    return dataclasses.replace(planned, steps=tuple(steps), advice=EVIL)


@pytest.fixture(scope="module")
def objects():
    return public_objects()


def assert_harmless(text: str, about: object) -> None:
    assert visible(text, keep="\n") == text, about
    for line in EVIL.split("\n"):
        assert line not in text, about


@pytest.mark.slow
def test_every_public_class_is_walked(objects):
    made = {type(made).__name__ for made in objects}
    errors = {kind.__name__ for kind in (DagscapeError, DagscapeWarning)}
    for name in ds.__all__:
        kind = getattr(ds, name)
        if inspect.isclass(kind) and not issubclass(kind, (DagscapeError, DagscapeWarning)):
            assert name in made or name in NO_NAMES, f"{name} is missing from public_objects"
    assert {made.kind for made in objects if isinstance(made, Result)} == set(RENDERERS)
    assert errors <= set(ds.__all__)


def test_representations(objects):
    for made in objects:
        assert_harmless(repr(made), type(made))
        assert_harmless(str(made), type(made))


def test_notebooks(objects):
    shown = 0
    for made in objects:
        if hasattr(made, "_repr_html_"):
            assert_harmless(made._repr_html_(), type(made))
            shown += 1
        if hasattr(made, "_repr_svg_"):
            assert_harmless(made._repr_svg_() or "", type(made))
    assert shown >= 20


def test_tables(objects):
    for made in objects:
        if isinstance(made, Result):
            assert_harmless(terminal_text(render(made), 200), type(made))


@pytest.mark.parametrize("kind", [*DagscapeError.__subclasses__(), *DagscapeWarning.__subclasses__()])
def test_messages_of_every_kind(kind):
    error = kind(f"{EVIL} is wrong, and so is {EVIL!r}: use {argument('drop', [EVIL])}")
    for text in (str(error), repr(error), *error.args, error.spelled(lambda mention: mention.value)):
        assert_harmless(text, kind)
        assert "\n" not in text
    assert_harmless("".join(traceback.format_exception_only(error)), kind)
    assert re.search(r"a\\x1b\[31m\\nb\\u202e\\x07 is wrong", str(error))


def test_messages_about_names():
    data = evil_table()
    scores = ds.local_scores(data)
    calls = [
        lambda: ds.posterior(scores).edge(EVIL + "?", NAMES[1]),
        lambda: ds.local_scores(data, required=[(EVIL, EVIL)]),
        lambda: ds.local_scores(data, required=[(NAMES[0], NAMES[1]), (NAMES[1], NAMES[0])]),
        lambda: ds.local_scores(data, score=EVIL),
        lambda: ds.read_data(f"{EVIL}.csv"),
        lambda: ds.load_result(f"{EVIL}.json"),
        lambda: ds.load_dataset(EVIL),
        lambda: ds.load_network(EVIL),
        lambda: ds.learn(data, EVIL),
        lambda: ds.Dag.from_edges(NAMES, [(EVIL, EVIL)]),
        lambda: ds.Dag.from_edges(NAMES, [(NAMES[0], NAMES[1]), (NAMES[1], NAMES[0])]),
        lambda: ds.Dataset.from_array([[0, 1]], [EVIL, EVIL]),
        lambda: ds.draw(ds.posterior(scores), f"{EVIL}.{EVIL}"),
        lambda: data.select([EVIL + "?"]),
        lambda: ds.Network.fit(ds.Dag.from_edges(NAMES), data).query(NAMES[0], {NAMES[1]: EVIL}),
        lambda: scores.family(EVIL + "?"),
        lambda: ds.discretize(pd.DataFrame({EVIL: ["1", EVIL]}), columns=[EVIL]),
    ]
    for number, call in enumerate(calls):
        with pytest.raises((DagscapeError, OSError)) as caught:
            call()
        assert_harmless(str(caught.value), number)
        assert "\n" not in str(caught.value), number
