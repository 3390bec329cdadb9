from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dagscape.core.errors import InvalidOption, TooLarge
from dagscape.graphs.dag import Dag
from dagscape.graphs.random_dags import random_dag
from dagscape.networks.discrete.network import Network
from dagscape.student.model.network import ABILITY, StudentNetwork
from dagscape.student.model.simulate import STRUCTURES, WIDE, Ranges, draw_model, simulate_students
from dagscape.student.model.skill_states import parts_of
from oracles import networks as oracle


@st.composite
def models(draw, most_skills=5, **options):
    dag = random_dag(
        draw(st.integers(1, most_skills)), seed=draw(st.integers(0, 1000)), max_parents=draw(st.integers(0, 4))
    )
    low = draw(st.integers(1, min(3, dag.n)))
    sizes = (low, draw(st.integers(low, min(3, dag.n))))
    items = draw(st.integers(1, 6))
    seed = draw(st.integers(0, 10**6))
    ability = draw(st.booleans())
    return draw_model(dag, items_per_skill=items, skills_per_item=sizes, ability=ability, seed=seed, **options)


def skill_network(model: StudentNetwork) -> Network:
    network, names = model.network, model.skill_dag.variables
    return Network(model.skill_dag, {name: network.levels[name] for name in names}, {n: network.cpts[n] for n in names})


def lacking_both(model: StudentNetwork) -> dict[tuple[str, str], float]:
    """P(child = 0 | parent = 0) of every edge, from the probabilities of all rows of the skill network."""
    rows = oracle.joint(skill_network(model))
    number = model.skill_dag.number
    return {
        (parent, child): sum(p for row, p in rows.items() if row[number(parent)] == row[number(child)] == "0")
        / sum(p for row, p in rows.items() if row[number(parent)] == "0")
        for parent, child in model.skill_dag.edges
    }


def increases(cpt: np.ndarray) -> bool:
    """Whether P(1) rises strictly along each axis of the parents."""
    return all((np.diff(cpt[..., 1], axis=axis) > 0).all() for axis in range(cpt.ndim - 1))


@settings(deadline=None)
@given(models())
def test_the_three_constraints_hold(model):
    network = model.network
    assert all(increases(network.cpts[name]) for name in network.variables if name != ABILITY)
    strengths = lacking_both(model)
    assert all(0.9 <= strength <= 1.0 for strength in strengths.values())
    assert model.strengths() == pytest.approx(strengths, abs=1e-12)


@settings(deadline=None, max_examples=30)
@given(models(ranges=Ranges(mastery=(0, 1), ready=(0.1, 1), guess=(0, 1), slip=(0, 1))))
def test_ranges_that_overlap_are_drawn_until_the_constraints_hold(model):
    for table in (*model.skill_tables, *model.item_tables):
        skills = len(table).bit_length() - 1
        for place in range(skills):
            halves = table.reshape(-1, 2, 1 << place, *table.shape[1:])
            assert (halves[:, 1] >= halves[:, 0]).all()
    assert min(model.strengths().values(), default=1.0) >= 0.9 - 1e-9


def test_wide_guesses_are_uniform_below_what_is_known():
    tables = [table for seed in range(40) for table in draw_model("c", ranges=WIDE, seed=seed).item_tables]
    guess, known = np.array(tables).T
    # The smaller and the larger of two uniform numbers.
    assert guess.mean() == pytest.approx(1 / 3, abs=0.02)
    assert known.mean() == pytest.approx(2 / 3, abs=0.02)


@given(models(ranges=Ranges(unready=(0.0, 0.2))))
def test_prerequisites_are_strong_if_tables_are_rejected(model):
    assert all(0.9 <= strength <= 1.0 for strength in lacking_both(model).values())
    assert all(increases(network_cpt) for network_cpt in skill_network(model).cpts.values())


def test_rejection_allows_more_than_the_default_ranges():
    wide = [draw_model("c", ranges=Ranges(unready=(0.0, 0.5)), seed=seed) for seed in range(10)]
    assert max(model.skill_tables[2][:-1].max() for model in wide) > 0.1
    assert all(min(lacking_both(model).values()) >= 0.9 for model in wide)


@settings(deadline=None)
@given(models())
def test_every_skill_has_its_items(model):
    table = model.q_matrix.table
    sizes = table.sum(axis=1)
    assert sizes.min() >= 1
    assert sizes.max() <= 3
    own = table[sizes == 1].sum(axis=0)
    if sizes.min() == 1:
        assert own.min() >= 1
    assert model.q_matrix.skills == model.skill_dag.variables
    assert len(set(model.q_matrix.items)) == len(table)


@pytest.mark.slow
@pytest.mark.parametrize("structure", STRUCTURES)
@pytest.mark.parametrize("sizes", [1, (1, 1), (1, 2), (1, 3), (2, 3), 2, 3])
def test_every_skill_is_the_parent_of_six_items(structure, sizes):
    low, high = sizes if isinstance(sizes, tuple) else (sizes, sizes)
    for seed in range(20):
        table = draw_model(structure, skills_per_item=sizes, seed=seed).q_matrix.table
        counts = table.sum(axis=0)
        if low == 1:
            assert (counts == 6).all()
            assert (table[table.sum(axis=1) == 1].sum(axis=0) >= 1).all()
        assert counts.min() == 6
        assert counts.sum() < 6 * len(counts) + low
        assert low <= table.sum(axis=1).min()
        assert table.sum(axis=1).max() <= high


def test_items_of_several_skills_are_drawn():
    sizes = draw_model("c", skills_per_item=(1, 3), seed=0).q_matrix.table.sum(axis=1)
    assert set(sizes.tolist()) == {1, 2, 3}


def test_single_skill_items_are_ordered_by_skill():
    table = draw_model("a", seed=0).q_matrix.table
    assert table.argmax(axis=1).tolist() == [0] * 6 + [1] * 6 + [2] * 6


def test_structures_are_those_of_the_study():
    assert STRUCTURES["a"].edge_count == 2
    assert STRUCTURES["b"].edge_count == 4
    related = sum(mask.bit_count() for mask in STRUCTURES["c"].ancestor_masks())
    assert (STRUCTURES["c"].n, STRUCTURES["c"].edge_count, related) == (7, 9, 21)


def test_tables_are_packed_as_documented():
    """The network's axes and the packed tables give the same probabilities."""
    model = draw_model("c", skills_per_item=(1, 3), ability=True, seed=5)
    network, states = model.network, np.arange(1 << 7)
    for item, mask, table in zip(model.q_matrix.items, model.q_matrix.masks, model.item_tables, strict=True):
        for state, level in product(states.tolist(), range(3)):
            at = tuple(state >> k & 1 for k in range(7) if mask >> k & 1)
            assert network.cpts[item][(*at, level, 1)] == table[int(parts_of(np.array(state), mask)), level]
    joint = oracle.joint(skill_network(model))
    bits = ["".join(str(state >> k & 1) for k in range(7)) for state in states.tolist()]
    assert model.state_probabilities() == pytest.approx([joint[tuple(text)] for text in bits], abs=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("ability", [False, True])
@pytest.mark.parametrize("sizes", [1, (1, 3)])
def test_samples_have_the_probabilities_of_the_model(ability, sizes):
    rows = 100_000
    model = draw_model("b", skills_per_item=sizes, ability=ability, seed=1)
    simulated = model.sample(rows, seed=2)
    states = simulated.skills @ (1 << np.arange(5))
    seen = np.bincount(states, minlength=32) / rows
    chance = model.state_probabilities()
    assert (abs(seen - chance) < 5 * np.sqrt(chance * (1 - chance) / rows) + 1e-9).all()
    level = np.zeros(rows, dtype=np.int64) if simulated.ability is None else simulated.ability
    for item, (mask, table) in enumerate(zip(model.q_matrix.masks, model.item_tables, strict=True)):
        grid = table.reshape(len(table), -1)
        cell = parts_of(states, mask) * grid.shape[1] + level
        for at, p in enumerate(grid.ravel()):
            right = simulated.answers.table[cell == at, item]
            assert abs(right.mean() - p) < 5 * np.sqrt(p * (1 - p) / right.size)
    if ability:
        assert np.bincount(level) / rows == pytest.approx([1 / 3] * 3, abs=0.01)


def test_missing_answers_are_missing_at_random():
    model = draw_model("c", seed=1)
    full, some, more = (model.sample(4000, seed=2, missing=missing) for missing in (0, 0.1, 0.5))
    hidden = more.answers.table == -1
    assert abs(hidden.mean() - 0.5) < 0.01
    assert abs(hidden[full.answers.table == 1].mean() - 0.5) < 0.01
    assert (full.answers.table >= 0).all()
    assert (hidden | (more.answers.table == full.answers.table)).all()
    assert hidden[some.answers.table == -1].all()
    assert (more.skills == full.skills).all()


def test_every_student_has_an_answer():
    simulated = simulate_students(Dag.from_edges(["s"]), 500, items_per_skill=2, missing=0.95, seed=0)
    assert (simulated.answers.table >= 0).any(axis=1).all()
    assert (simulated.answers.table == -1).any(axis=1).sum() > 450


def test_parts_of_a_model_and_a_sample_do_not_depend_on_the_rest():
    plain = draw_model("b", seed=3)
    able, multi = draw_model("b", ability=True, seed=3), draw_model("b", skills_per_item=(1, 3), seed=3)
    for model in (able, multi):
        assert all((a == b).all() for a, b in zip(plain.skill_tables, model.skill_tables, strict=True))
    for table, shifted in zip(plain.item_tables, able.item_tables, strict=True):
        assert shifted[:, 1] == pytest.approx(table, abs=1e-15)
    assert (plain.sample(300, seed=4).skills == able.sample(300, seed=4).skills).all()
    small, large = plain.sample(150, seed=4, missing=0.3), plain.sample(500, seed=4, missing=0.3)
    assert (small.answers.table == large.answers.table[:150]).all()


def test_large_samples_are_drawn_in_blocks(monkeypatch):
    model = draw_model("a", seed=0)
    whole = model.sample(1000, seed=1, missing=0.1)
    monkeypatch.setattr("dagscape.student.model.network._BLOCK", 1000)
    blocks = model.sample(1000, seed=1, missing=0.1)
    assert (whole.answers.table == blocks.answers.table).all()
    assert (whole.skills == blocks.skills).all()


def test_seeds_give_the_same_students():
    first, again, other = (simulate_students("b", 50, ability=True, missing=0.2, seed=seed) for seed in (1, 1, 2))
    assert first.network == again.network != other.network
    assert (first.answers.table == again.answers.table).all()
    assert first.answers.students == tuple(str(number) for number in range(1, 51))
    generator = np.random.default_rng(1)
    assert (simulate_students("b", 50, ability=True, missing=0.2, seed=generator).skills == first.skills).all()
    assert draw_model("a", seed=generator).network != draw_model("a", seed=generator).network


def test_the_network_names_all_its_variables():
    simulated = simulate_students("a", 20, ability=True, seed=0)
    network = simulated.network
    assert network.levels[ABILITY] == ("low", "medium", "high")
    assert network.dag.parents("item1") == ("S1", ABILITY)
    assert network.dag.children(ABILITY) == simulated.answers.items
    assert simulated.dag == STRUCTURES["a"]
    assert simulated.q_matrix.items == simulated.answers.items
    assert simulate_students("a", 20, seed=0).ability is None


def test_sixteen_skills_with_many_prerequisites():
    dag = Dag.from_edges([f"k{i}" for i in range(16)], [(f"k{i}", "k15") for i in range(6)])
    model = draw_model(dag, skills_per_item=(1, 3), seed=0)
    assert min(model.strengths().values()) >= 0.9
    assert model.sample(10, seed=0).skills.shape == (10, 16)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"structure": "d"}, "structure is 'd'; it must be a Dag of skills or one of 'a', 'b', 'c'"),
        ({"structure": 3}, "structure is an int; it must be a Dag of skills or one of 'a', 'b', 'c'"),
        ({"structure": Dag.from_edges([f"k{i}" for i in range(17)])}, "structure has 17 skills; it must have 1 to 16"),
        ({"structure": Dag.from_edges([])}, "structure has 0 skills; it must have 1 to 16"),
        (
            {"structure": Dag.from_edges(["item2"])},
            "structure has a skill called 'item2', the name of another variable of the model; rename the skill",
        ),
        ({"students": 0}, "students is 0; it must be an integer of at least 1"),
        ({"students": 10.0}, "students is 10.0; it must be an integer of at least 1"),
        ({"items_per_skill": 0}, "items_per_skill is 0; it must be an integer from 1 to 1,000"),
        ({"items_per_skill": 10**9}, "items_per_skill is 1000000000; it must be an integer from 1 to 1,000"),
        ({"skills_per_item": (1, 4)}, "skills_per_item is (1, 4); the structure has 3 skills only"),
        (
            {"skills_per_item": (2, 1)},
            "skills_per_item is (2, 1); it must be an integer of at least 1 or a pair of them, such as (1, 3)",
        ),
        (
            {"skills_per_item": "1-3"},
            "skills_per_item is '1-3'; it must be an integer of at least 1 or a pair of them, such as (1, 3)",
        ),
        ({"ability": 1}, "ability is 1; it must be True or False"),
        ({"missing": 1.0}, "missing is 1.0; it must be at least 0 and less than 1"),
        ({"missing": -0.1}, "missing is -0.1; it must be at least 0 and less than 1"),
        ({"ranges": {"guess": (0, 1)}}, "ranges is a dict; it must be a Ranges"),
        ({"seed": -1}, "seed is -1; it must be an integer of at least 0, a numpy.random.Generator or None"),
    ],
)
def test_wrong_options_are_refused(options, message):
    structure, students = options.pop("structure", "a"), options.pop("students", 10)
    with pytest.raises(InvalidOption) as error:
        simulate_students(structure, students, **options)
    assert str(error.value) == message


def test_more_students_than_fit_are_refused():
    with pytest.raises(TooLarge, match=r"1,000,000,000,000,000,000 students need .*: draw fewer students"):
        simulate_students("a", 10**18, seed=0)


@pytest.mark.parametrize(
    ("ranges", "message"),
    [
        ({"mastery": 0.5}, "mastery is 0.5; it must be a pair of ascending numbers between 0 and 1"),
        ({"slip": (0.2, 0.1)}, "slip is (0.2, 0.1); it must be a pair of ascending numbers between 0 and 1"),
        ({"shift": (0, 11)}, "shift is (0, 11); it must be a pair of ascending numbers between 0 and 10"),
        ({"unready": (0.96, 1)}, "unready is (0.96, 1); it is above ready=(0.7, 0.95)"),
        ({"guess": (0.95, 1)}, "guess is (0.95, 1); it is above 1 minus slip=(0.1, 0.3)"),
    ],
)
def test_wrong_ranges_are_refused(ranges, message):
    with pytest.raises(InvalidOption) as error:
        Ranges(**ranges)
    assert str(error.value) == message


def test_ranges_that_never_make_a_prerequisite_are_refused():
    with pytest.raises(InvalidOption, match=r"unready is \(0.2, 0.3\): in 10,000 draws of the table of 'S2'"):
        draw_model("a", ranges=Ranges(unready=(0.2, 0.3)), seed=0)
