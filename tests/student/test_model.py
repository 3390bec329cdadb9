"""Student models as results: tables, numbers of students, files, and new students."""

from __future__ import annotations

import json
import math

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.student.model.parameters import ItemCells, Parameters, SkillTables
from student.samples import oracle_of


@pytest.fixture(scope="module")
def simulated():
    return ds.simulate_students("a", 400, seed=5, missing=0.15)


@pytest.fixture(scope="module")
def model(simulated):
    return ds.command(simulated.answers, simulated.q_matrix, restarts=2)


@pytest.fixture(scope="module")
def oracle(model):
    cells, tables = ItemCells(model.q_matrix.masks), SkillTables(model.network.parent_masks)
    return oracle_of(Parameters(cells, tables, np.concatenate([*model.item_tables, *model.skill_tables])))


@pytest.fixture(scope="module")
def loaded(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.json"
    model.save(path)
    return ds.load_result(path)


def rows_of(answers):
    return answers.table[:25].tolist()


def test_the_model_has_the_likelihood_and_the_score_that_it_says(simulated, model, oracle):
    patterns, weights, _ = simulated.answers.patterns()
    expected = oracle.log_likelihood(patterns.tolist(), weights.tolist())
    assert model.log_likelihood == pytest.approx(expected, rel=1e-10)
    assert model.score == pytest.approx(expected - model.parameter_count * math.log(400) / 2, rel=1e-10)
    assert model.parameter_count == 18 * 2 + sum(2 ** len(model.network.parents(skill)) for skill in model.variables)


def test_counts_are_expected_counts(simulated, model, oracle):
    patterns, weights, _ = simulated.answers.patterns()
    given = patterns.tolist(), weights.tolist()
    assert model.state_counts == pytest.approx(oracle.state_counts(*given), abs=1e-8)
    cells = np.concatenate([counts.T for counts in model.item_counts])
    assert cells == pytest.approx(oracle.cell_counts(*given), abs=1e-8)
    for counts in model.skill_counts:
        assert counts.sum() == pytest.approx(400)
    # At the maximum, the probabilities are the shares in these counts.
    for table, (wrong, right) in zip(model.item_tables, model.item_counts, strict=True):
        assert table == pytest.approx(right / (wrong + right), abs=1e-3)
    for table, (without, mastered) in zip(model.skill_tables, model.skill_counts, strict=True):
        assert table == pytest.approx(mastered / (without + mastered), abs=1e-3)


def test_shares_and_strengths_follow_from_the_states(model, oracle):
    prior = np.exp(oracle.log_prior)
    lacking = [{state for state in range(8) if not state >> skill & 1} for skill in range(3)]
    assert model.mastery_shares == pytest.approx([1 - sum(prior[s] for s in one) for one in lacking])
    for i in range(3):
        for j in range(3):
            both = sum(prior[s] for s in lacking[i] & lacking[j])
            assert model.strengths[i, j] == pytest.approx(both / sum(prior[s] for s in lacking[i]))


def test_the_tables_of_skills_and_items(model):
    assert list(model.cpts) == [*model.variables, *model.items]
    for place, skill in enumerate(model.variables):
        frame = model.cpts[skill]
        parents = list(model.network.parents(skill))
        assert list(frame.columns) == [*parents, "P(mastered)", "students", "error"]
        assert frame["P(mastered)"].tolist() == model.skill_tables[place].tolist()
        for row, states in enumerate(frame[parents].to_numpy().tolist()):
            assert sum(state << bit for bit, state in enumerate(states)) == row
    frame = model.cpts[model.items[0]]
    assert frame["students"].to_numpy() == pytest.approx(model.item_counts[0].sum(axis=0))


def test_mastery_and_states(simulated, model, oracle):
    mastery, states = model.mastery(), model.states()
    rows = rows_of(simulated.answers)
    assert mastery.index.tolist() == list(simulated.answers.students)
    assert mastery[list(model.variables)].to_numpy()[:25] == pytest.approx(
        np.array([oracle.mastery(row) for row in rows]), abs=1e-10
    )
    assert states[:25] == pytest.approx(np.array([oracle.posterior(row) for row in rows]), abs=1e-10)
    best = states.argmax(axis=1)
    expected = [tuple(s for bit, s in enumerate(model.variables) if state >> bit & 1) for state in best.tolist()]
    assert [tuple(names) for names in mastery.state] == expected
    assert mastery.state_probability.tolist() == states.max(axis=1).tolist()


def test_predictions(simulated, model, oracle):
    found = model.predict()
    assert list(found.columns) == list(model.items)
    expected = [oracle.predictions(row) for row in rows_of(simulated.answers)]
    assert found.to_numpy()[:25] == pytest.approx(np.array(expected), abs=1e-10)


def test_the_next_item_is_the_most_informative_one(simulated, model, oracle):
    found = model.next_item()
    for row, (item, information, correct) in zip(
        rows_of(simulated.answers), found.itertuples(index=False), strict=False
    ):
        open_items = [place for place, answer in enumerate(row) if answer < 0]
        if not open_items:
            assert pd.isna(item)
            assert math.isnan(information)
            continue
        gains = {place: oracle.information(place, row) for place in open_items}
        chosen = model.items.index(item)
        assert gains[chosen] == pytest.approx(max(gains.values()), abs=1e-10)
        assert information == pytest.approx(gains[chosen] / math.log(2), abs=1e-10)
        assert correct == pytest.approx(oracle.predictions(row)[chosen], abs=1e-10)


def test_there_is_no_next_item_after_the_last(model):
    found = model.next_item(np.ones((1, 18), dtype=int))
    assert found.item.tolist() == [None]
    assert found.correct.isna().all()


def test_a_saved_model_comes_back_the_same(model, loaded):
    assert loaded == model
    assert loaded.to_dict() == json.loads(json.dumps(model.to_dict()))
    assert loaded.orientations == model.orientations
    assert loaded.restarts == model.restarts
    assert [errors.tolist() for errors in loaded.skill_errors] == [errors.tolist() for errors in model.skill_errors]


def test_a_saved_model_is_applied_to_new_students(model, loaded):
    new = ds.simulate_students("a", 30, seed=9).answers
    for one, other in (
        (loaded.mastery(new), model.mastery(new)),
        (loaded.predict(new), model.predict(new)),
        (loaded.next_item(new), model.next_item(new)),
    ):
        pd.testing.assert_frame_equal(one, other)
    assert (loaded.states(new) == model.states(new)).all()


def test_a_saved_model_has_no_students_of_its_own(loaded):
    for method in (loaded.mastery, loaded.states, loaded.predict, loaded.next_item, loaded.evaluate):
        with pytest.raises(ds.InvalidOption, match="responses are needed: a model that was read from a file has no"):
            method()


def test_students_may_have_answered_some_items_only(model, oracle):
    frame = pd.DataFrame({"item5": [1, 0], "item2": [None, 1]}, index=["Ann", "Bob"])
    names = {"item5": model.items[4], "item2": model.items[1]}
    answers = np.full((2, 18), -1)
    answers[:, 4], answers[1, 1] = [1, 0], 1
    found = model.mastery(frame.rename(columns=names))
    assert found.index.tolist() == ["Ann", "Bob"]
    expected = [oracle.mastery(row) for row in answers.tolist()]
    assert found[list(model.variables)].to_numpy() == pytest.approx(np.array(expected), abs=1e-10)


def test_unknown_items_and_wrong_shapes_are_refused(model):
    unknown = model.items[0] + "x"
    with pytest.raises(ds.InvalidData, match=f"the column '{unknown}', which the model does not know"):
        model.mastery(pd.DataFrame({unknown: [1, 0]}))
    with pytest.raises(ds.InvalidData, match="have 3 columns without names; the model has 18 items"):
        model.predict([[1, 0, 1]])
    with pytest.raises(ds.InvalidData, match="2"):
        model.mastery(np.full((2, 18), 2))


def test_the_edges_and_skills_in_tables(model):
    frame = model.to_frame()
    assert list(zip(frame.source, frame.target, strict=True)) == list(model.network.edges)
    reasons = {(one.source, one.target): (one.reason, one.ratio) for one in model.orientations}
    number = model.variables.index
    for source, target, strength, direction, ratio in frame.itertuples(index=False):
        assert strength == model.strengths[number(source), number(target)]
        expected = reasons.get((source, target), ("class", None))
        assert direction == expected[0]
        assert expected[1] is None or ratio == pytest.approx(expected[1])
    skills = model.skills_frame()
    assert skills["items"].tolist() == skills.items_alone.tolist() == [6, 6, 6]
    assert skills.mastered.tolist() == model.mastery_shares.tolist()
    assert model.bic == pytest.approx(model.score)
    restarts = model.restarts_frame()
    assert restarts.score.is_monotonic_decreasing
    assert restarts.score[0] <= model.refinement.score == model.score


def test_the_structure_is_a_member_of_the_best_class_of_its_expected_counts(model):
    best = model.k_best(k=3)
    assert best.networks[0].to_cpdag() == model.network.to_cpdag()
    posterior = model.posterior()
    adjacent = posterior.edges + posterior.edges.T
    for source, target in model.network.edges:
        assert adjacent[model.variables.index(source), model.variables.index(target)] > 0.5


def test_reversible_edges_lead_from_the_skill_that_more_students_master(model):
    shares = dict(zip(model.variables, model.mastery_shares, strict=True))
    assert model.orientations
    for one in model.orientations:
        assert one.ratio == pytest.approx((1 - shares[one.target]) / (1 - shares[one.source]), rel=1e-9)
        assert one.ratio_star == pytest.approx(max(one.ratio, 1 / one.ratio))
        if one.reason == "ratio":
            assert one.ratio >= 1


def test_the_network_of_skills_and_items_gives_the_same_answers(simulated, model, oracle):
    network = model.to_network()
    for row in rows_of(simulated.answers)[:5]:
        evidence = {item: str(answer) for item, answer in zip(model.items, row, strict=True) if answer >= 0}
        assert network.log_probability(evidence) == pytest.approx(oracle.log_likelihood_of(row), rel=1e-10)
        found = network.query("S2", evidence)
        assert found.iloc[1] == pytest.approx(oracle.mastery(row)[1], abs=1e-10)


def test_a_student_without_answers_has_the_shares_of_all(model):
    new = pd.DataFrame({item: [None] for item in model.items}, index=["Ann"])
    found = model.mastery(new).loc["Ann", list(model.variables)].to_numpy(dtype=float)
    assert found == pytest.approx(model.mastery_shares, abs=1e-12)
    assert model.next_item(new).loc["Ann", "item"] in model.items


def test_every_prerequisite_has_its_ratio(model):
    lacking = dict(zip(model.variables, 1 - model.mastery_shares, strict=True))
    frame = model.to_frame()
    expected = [lacking[target] / lacking[source] for source, target in model.network.edges]
    assert frame["ratio"].tolist() == pytest.approx(expected)
