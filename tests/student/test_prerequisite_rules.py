from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dagscape.core.errors import InvalidData, InvalidOption, TooLarge
from dagscape.student.learning import paired_counts
from dagscape.student.learning.paired_counts import Limits, Outcome, distribution, probability_of_rule
from dagscape.student.learning.prerequisite_rules import PrerequisiteRules, parm_rules
from oracles import association_rules as oracle

CHANCES = st.one_of(st.sampled_from([0.0, 1.0, 0.5]), st.floats(0, 1), st.floats(0.95, 1), st.floats(0, 1e-12))
SHARES = st.sampled_from(["0", "0.1", "0.125", "0.2", "0.25", "0.3", "0.5", "0.6", "0.76", "0.771", "0.9", "1"])


def probability(left, right, support: str, confidence: str) -> float:
    left, right = np.array(left, dtype=float), np.array(right, dtype=float)
    return probability_of_rule(
        left * right, left * (1 - right), Limits.of(len(left), float(support), float(confidence))
    )


@settings(deadline=None)
@given(st.lists(st.tuples(CHANCES, CHANCES), min_size=1, max_size=5), SHARES, SHARES)
@example([(1.0, 1e-308)], "0", "0")
def test_rules_have_the_probability_of_all_states_of_a_few_students(students, support, confidence):
    left, right = map(list, zip(*students, strict=True))
    expected = oracle.rule_probability(left, right, support, confidence)
    assert probability(left, right, support, confidence) == pytest.approx(expected, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2))
def test_rules_of_eight_students_match_all_states(seed):
    random = np.random.default_rng(seed)
    left, right = random.random((2, 8))
    expected = oracle.rule_probability(left.tolist(), right.tolist(), "0.125", "0.76")
    assert probability(left, right, "0.125", "0.76") == pytest.approx(expected, abs=1e-14)
    assert oracle.counted_probability(left, right, "0.125", "0.76") == pytest.approx(expected, abs=1e-14)


@pytest.mark.slow
@pytest.mark.parametrize("students", [15, 16, 17, 33, 100, 213])
@pytest.mark.parametrize("shape", [0.2, 1.0, 5.0])
@pytest.mark.parametrize("confidence", ["0.6", "0.76", "0.761"])
def test_rules_of_many_students_match_all_counts(students, shape, confidence):
    random = np.random.default_rng(students)
    left, right = random.beta(shape, shape, students), random.beta(3 * shape, shape, students)
    shares = left @ right / students
    for support in ("0.001", f"{shares:.3f}", f"{0.95 * shares:.3f}"):
        expected = oracle.counted_probability(left, right, support, confidence)
        assert probability(left, right, support, confidence) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("supports", [0.03, 0.13, 0.3])
def test_every_way_to_a_probability_gives_the_same(monkeypatch, supports):
    """Bounds and sums of steps are shortcuts of the distribution of both counts."""
    left, right = np.full(300, 0.5), np.linspace(0.55, 0.95, 300)
    quick = [probability(left, right, str(supports), confidence) for confidence in ("0.7", "0.74", "0.76", "0.9")]
    monkeypatch.setattr(paired_counts, "_LARGEST_STEP", 0)
    monkeypatch.setattr(paired_counts, "_NEGLIGIBLE", -np.inf)
    full = [probability(left, right, str(supports), confidence) for confidence in ("0.7", "0.74", "0.76", "0.9")]
    assert quick == pytest.approx(full, abs=1e-12)


@settings(deadline=None)
@given(
    st.lists(st.tuples(CHANCES, CHANCES), min_size=1, max_size=40),
    st.sampled_from([(1.0, 0.0), (0.24, -0.76), (0.0, -1.0)]),
    st.integers(-5, 30),
)
def test_bounds_are_not_below_the_probabilities(students, values, limit):
    left, right = np.array(students).T
    supports, contradicts = left * right, left * (1 - right)
    exact = distribution(
        [Outcome(np.maximum(0, 1 - left)), Outcome(supports, (1, 0)), Outcome(contradicts, (0, 1))],
    )
    counts = np.add(np.indices(exact.table.shape), np.array(exact.first)[:, None, None])
    sums = counts[0] * values[0] + counts[1] * values[1]
    reached, missed = paired_counts._bounds(supports, contradicts, values, limit, limit - 0.5)
    assert np.exp(reached) >= exact.table[sums >= limit + 1e-9].sum() * (1 - 1e-6) - 1e-12
    assert np.exp(missed) >= exact.table[sums <= limit - 0.5 - 1e-9].sum() * (1 - 1e-6) - 1e-12


def test_distributions_are_complete():
    random = np.random.default_rng(1)
    for students in (1, 3, 16, 40, 1000, 3001):
        supports, contradicts, neither = random.dirichlet([1, 2, 1], students).T
        window = distribution([Outcome(neither), Outcome(supports, (1, 0)), Outcome(contradicts, (0, 1))])
        assert window.table.sum() == pytest.approx(1, abs=1e-12)
        counts = np.arange(window.table.shape[0]) + window.first[0]
        assert counts @ window.table.sum(axis=1) == pytest.approx(supports.sum(), rel=1e-12)
        others = np.arange(window.table.shape[1]) + window.first[1]
        assert others @ window.table.sum(axis=0) == pytest.approx(contradicts.sum(), rel=1e-12)
        covariance = counts @ window.table @ others - supports.sum() * contradicts.sum()
        assert covariance == pytest.approx(-(supports @ contradicts), rel=1e-6, abs=1e-9)
    assert window.table.size < 3001**2 / 10


@pytest.mark.parametrize(
    ("both", "only", "holds"),
    # Of 30 students, 3 are a support of exactly 0.1; 19 of 25 are a confidence of exactly 0.76.
    [(3, 0, True), (2, 0, False), (19, 6, True), (18, 6, False), (19, 7, False)],
)
def test_thresholds_are_decimal_numbers(both, only, holds):
    left = [1.0] * (both + only) + [0.0] * (30 - both - only)
    right = [1.0] * both + [0.0] * (30 - both)
    assert probability(left, right, "0.1", "0.76") == pytest.approx(float(holds), abs=1e-12)


def test_a_rule_that_nobody_supports_does_not_hold():
    assert probability([0.0, 0.0], [1.0, 1.0], "0", "0") == 0
    assert probability([0.5], [1.0], "0", "0") == pytest.approx(0.5)


def test_limits_of_large_numbers_are_exact():
    limits = Limits.of(10**6, 0.3, 0.7612345678901234)
    assert limits.least == 300_000
    (most,) = limits.most_contradicting(10**6, 1)
    share = Fraction("0.7612345678901234")
    assert Fraction(10**6, 10**6 + int(most)) >= share > Fraction(10**6, 10**6 + int(most) + 1)
    assert Limits.of(10, 0.5, 1e-300).most_contradicting(4, 2).tolist() == [-1, np.iinfo(np.int64).max]


def test_counts_that_do_not_fit_are_refused(monkeypatch):
    monkeypatch.setattr("dagscape.core.resources.available_memory", lambda: 10_000)
    with pytest.raises(TooLarge, match="the counts of 2,000 students need"):
        probability([0.5] * 2000, [0.76] * 2000, "0.1", "0.761")


def nested(students: int = 120) -> np.ndarray:
    """Three skills, each mastered by those who have mastered the previous one, with little doubt."""
    place = np.arange(students)[:, None]
    return np.where(place < students * np.array([0.75, 0.5, 0.25]), 0.97, 0.02)


def test_both_rules_of_each_pair_have_their_probabilities():
    random = np.random.default_rng(3)
    mastery = random.random((5, 3))
    rules = parm_rules(mastery, "abc", minsup=0.2, minconf=0.6)
    for i, j in permutations(range(3), 2):
        first, second = mastery[:, i].tolist(), mastery[:, j].tolist()
        assert rules.mastered[i, j] == pytest.approx(oracle.rule_probability(second, first, "0.2", "0.6"), abs=1e-12)
        without = [1 - p for p in first], [1 - p for p in second]
        assert rules.lacking[i, j] == pytest.approx(oracle.rule_probability(*without, "0.2", "0.6"), abs=1e-12)
        kept = min(np.dot(first, second) / sum(second), np.dot(*without) / sum(without[0]))
        assert rules.confidence[i, j] == pytest.approx(kept)
    assert not rules.mastered.diagonal().any()
    assert (rules.probabilities == np.minimum(rules.mastered, rules.lacking)).all()


def test_nested_skills_are_prerequisites():
    rules = parm_rules(nested(), ["a", "b", "c"])
    assert rules.pairs == (("a", "b"), ("a", "c"), ("b", "c"))
    assert rules.cycle == ()
    assert rules.acyclic_edges() == rules.pairs
    assert rules.to_dag().edges == (("a", "b"), ("a", "c"), ("b", "c"))
    assert repr(rules) == "PrerequisiteRules(3 skills, 3 prerequisites: a -> b, a -> c, b -> c)"


def test_thresholds_decide_which_pairs_are_prerequisites():
    rare = parm_rules(nested(), "abc", minsup=0.3)
    assert ("b", "c") not in rare.pairs
    assert parm_rules(nested(), "abc", minconf=0.999).pairs == ()
    assert parm_rules(nested(), "abc", minprob=0.0).cycle
    sure = np.where(nested() > 0.5, 1.0, 0.0)
    assert parm_rules(sure, "abc", minconf=1, minprob=1).pairs == (("a", "b"), ("a", "c"), ("b", "c"))


def test_names_and_students_may_be_in_any_order():
    random = np.random.default_rng(0)
    mastery = np.clip(nested() + random.uniform(-0.02, 0.03, (120, 3)), 0, 1)
    rules = parm_rules(mastery, "abc")
    other = parm_rules(mastery[random.permutation(120)][:, [2, 0, 1]], "cab")
    assert set(rules.pairs) == set(other.pairs)
    back = np.ix_([1, 2, 0], [1, 2, 0])
    assert other.mastered[back] == pytest.approx(rules.mastered, abs=1e-12)
    assert other.lacking[back] == pytest.approx(rules.lacking, abs=1e-12)


def made(weights: np.ndarray, confidence: np.ndarray | None = None) -> PrerequisiteRules:
    names = tuple(f"s{number}" for number in range(len(weights)))
    return PrerequisiteRules(names, weights, weights, weights if confidence is None else confidence, 0.1, 0.7, 0.9)


@settings(deadline=None)
@given(st.integers(1, 6), st.floats(0, 1), st.integers(0, 10**6))
def test_the_weakest_edges_of_cycles_are_dropped(skills, density, seed):
    random = np.random.default_rng(seed)
    weights = np.where(random.random((skills, skills)) < density, random.uniform(0.91, 1, (skills, skills)), 0.5)
    np.fill_diagonal(weights, 0)
    rules = made(weights)
    edges = {(i, j): weights[i, j] for i, j in np.argwhere(weights >= 0.9).tolist()}
    expected = oracle.acyclic(edges)
    assert rules.acyclic_edges() == tuple((f"s{i}", f"s{j}") for i, j in sorted(expected))
    assert rules.to_dag().edge_count == len(expected)
    assert bool(rules.cycle) == (len(expected) < len(edges))
    if rules.cycle:
        steps = set(zip(rules.cycle[:-1], rules.cycle[1:], strict=True))
        assert rules.cycle[0] == rules.cycle[-1]
        assert steps <= set(rules.pairs)


def test_equal_edges_of_a_cycle_are_compared_by_confidence_then_order():
    both = np.array([[0, 1.0], [1.0 - 1e-13, 0]])
    assert made(both, np.array([[0, 0.8], [0.9, 0]])).acyclic_edges() == (("s1", "s0"),)
    assert made(both, np.array([[0, 0.9], [0.9, 0]])).acyclic_edges() == (("s0", "s1"),)
    assert repr(made(both)) == "PrerequisiteRules(2 skills, 2 prerequisites: s0 -> s1, s1 -> s0; cyclic)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"minsup": 1.5}, "minsup is 1.5; it must be a number between 0 and 1"),
        ({"minconf": "0.7"}, "minconf is '0.7'; it must be a number between 0 and 1"),
        ({"minprob": float("nan")}, "minprob is nan; it must be a number between 0 and 1"),
    ],
)
def test_wrong_thresholds_are_refused(options, message):
    with pytest.raises(InvalidOption) as error:
        parm_rules([[0.5, 0.5]], "ab", **options)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("mastery", "message"),
    [
        (
            [[0.5]],
            "the mastery probabilities have the shape (1, 1); they must have a row for each student and 2 columns, one "
            "for each skill",
        ),
        (
            np.zeros((0, 2)),
            "the mastery probabilities have the shape (0, 2); they must have a row for each student and 2 columns, one "
            "for each skill",
        ),
        (
            [[0.5, 0.5], [0.5, np.nan]],
            "the mastery probability of student 2 and skill 2 is nan; it must be between 0 and 1",
        ),
        ([[0.5, 1.5]], "the mastery probability of student 1 and skill 2 is 1.5; it must be between 0 and 1"),
        ([["a", "b"]], "the mastery probabilities are not an array of numbers"),
    ],
)
def test_wrong_probabilities_are_refused(mastery, message):
    with pytest.raises(InvalidData) as error:
        parm_rules(mastery, ["a", "b"])
    assert str(error.value) == message


def test_skills_need_distinct_names():
    with pytest.raises(InvalidData, match="two skills are called 'a'"):
        parm_rules([[0.5, 0.5]], ["a", "a"])


def test_rounding_errors_of_probabilities_are_clipped():
    assert parm_rules([[1 + 1e-12, -1e-12]] * 9, "ab").mastered.tolist() == [[0, 0], [0, 0]]


def test_one_skill_has_no_prerequisites():
    assert parm_rules([[0.5]], ["a"]).pairs == ()
