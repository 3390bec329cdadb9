"""The kernel of the E-step against sums over all states."""

from __future__ import annotations

import math
import sys
from threading import Thread

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from builds import assert_same_bits
from dagscape.core import kernels
from oracles.student import StudentOracle

MOST_SKILLS = 16


def masks_of(items):
    return np.array([sum(1 << skill for skill in skills) for skills in items], np.uint32)


class Problem:
    """A kernel and the arrays that it takes."""

    def __init__(self, skills, items, patterns, weights, log_prior, right, wrong):
        self.oracle = StudentOracle(skills, items, log_prior, right, wrong)
        self.patterns = np.array(patterns, np.int8)
        self.weights = np.array(weights, np.float64)
        self.logs = (
            np.array(log_prior, np.float64),
            np.concatenate([np.array(logs, np.float64) for logs in right]),
            np.concatenate([np.array(logs, np.float64) for logs in wrong]),
        )
        self.kernel = kernels.StudentStates(masks_of(items), skills, self.patterns, self.weights)

    def expect(self, threads=1, progress=None):
        states, cells = np.empty(len(self.logs[0])), np.empty((len(self.logs[1]), 2))
        return self.kernel.expect(*self.logs, threads, states, cells, progress), states, cells

    def marginals(self, sets, threads=1):
        out = np.empty((len(self.patterns), sum(2 ** len(skills) for skills in sets)))
        log_likelihoods = np.empty(len(self.patterns))
        self.kernel.marginals(*self.logs, masks_of(sets), threads, out, log_likelihoods, None)
        return out, log_likelihoods

    def states(self, first, count, threads=1):
        out = np.empty((count, len(self.logs[0])))
        self.kernel.states(*self.logs, threads, first, out)
        return out


def random_problem(rng, skills, items, patterns, most_skills=None, missing=0.2, impossible=0.0, least=1e-3):
    """A model whose items have up to ``most_skills`` skills, and answers drawn at random."""
    most = min(most_skills or skills, skills)
    skills_of = [sorted(rng.choice(skills, rng.integers(1, most + 1), replace=False).tolist()) for _ in range(items)]
    prior = rng.dirichlet(np.ones(2**skills)) + 1e-12
    prior[rng.random(2**skills) < impossible] = 0
    prior[rng.integers(2**skills)] = 0.5
    correct = [np.clip(rng.beta(0.5, 0.5, 2 ** len(s)), least, 1 - least) for s in skills_of]
    answers = np.where(rng.random((patterns, items)) < missing, -1, rng.integers(0, 2, (patterns, items)))
    with np.errstate(divide="ignore"):
        log_prior = np.log(prior)
    right, wrong = [np.log(p).tolist() for p in correct], [np.log1p(-p).tolist() for p in correct]
    weights = rng.integers(0, 6, patterns)
    return Problem(skills, skills_of, answers, weights, log_prior.tolist(), right, wrong)


def assert_close(found, expected):
    assert np.allclose(found, expected, rtol=1e-12, atol=1e-12)


def assert_is_the_oracle(problem):
    oracle, patterns, weights = problem.oracle, problem.patterns.tolist(), problem.weights.tolist()
    log_likelihood, states, cells = problem.expect()
    assert_close(log_likelihood, oracle.log_likelihood(patterns, weights))
    assert_close(states, oracle.state_counts(patterns, weights))
    assert_close(cells, oracle.cell_counts(patterns, weights))
    sets = [*oracle.items, list(range(oracle.skills)), [oracle.skills - 1]]
    out, log_likelihoods = problem.marginals(sets)
    posteriors = [oracle.posterior(row) for row in patterns]
    assert_close(out, [[p for skills in sets for p in oracle.marginal(row, skills)] for row in posteriors])
    assert_close(log_likelihoods, [oracle.log_likelihood_of(row) for row in patterns])
    assert_close(problem.states(0, len(patterns)), posteriors)


@settings(max_examples=60)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 6),
    st.integers(1, 12),
    st.integers(1, 9),
    st.sampled_from([1, 2, 6]),
    st.sampled_from([0.0, 0.3, 1.0]),
    st.sampled_from([0.0, 0.6]),
)
def test_the_kernel_is_the_sum_over_all_states(seed, skills, items, patterns, most_skills, missing, impossible):
    rng = np.random.default_rng(seed)
    assert_is_the_oracle(random_problem(rng, skills, items, patterns, most_skills, missing, impossible))


@settings(max_examples=20)
@given(st.integers(0, 2**32 - 1), st.integers(1, 4), st.integers(1, 30))
def test_answers_that_are_nearly_impossible(seed, skills, items):
    # Items contradict each other, and the prior, by many powers of ten.
    rng = np.random.default_rng(seed)
    assert_is_the_oracle(random_problem(rng, skills, items, 6, least=1e-10, impossible=0.5))


def test_predictions_follow_from_marginals():
    problem = random_problem(np.random.default_rng(3), 4, 8, 20)
    out, _ = problem.marginals(problem.oracle.items)
    right, wrong = (np.exp(logs) for logs in problem.logs[1:])
    for pattern, row in zip(problem.patterns.tolist(), out, strict=True):
        start = 0
        for answer, skills, expected in zip(
            pattern, problem.oracle.items, problem.oracle.predictions(pattern), strict=True
        ):
            cells = slice(start, start := start + 2 ** len(skills))
            others = row[cells] / {-1: 1.0, 0: wrong[cells], 1: right[cells]}[answer]
            assert others @ right[cells] / others.sum() == pytest.approx(expected, abs=1e-12)


def test_groups_with_many_different_combinations_of_answers():
    # 400 patterns of answers to 14 items with the same skills: no table of all combinations.
    rng = np.random.default_rng(5)
    problem = random_problem(rng, 2, 30, 400, missing=0.1)
    assert_is_the_oracle(problem)


@pytest.mark.slow
def test_two_thousand_items():
    # Log-likelihoods of about -20,000: in every state, half of the answers have probability 1e-10.
    rng = np.random.default_rng(7)
    items = [[int(rng.integers(3))] for _ in range(2000)]
    correct = [np.where(rng.random(2) < 0.5, 1e-10, 1 - 1e-10) for _ in items]
    right, wrong = [np.log(p).tolist() for p in correct], [np.log1p(-p).tolist() for p in correct]
    patterns = rng.integers(-1, 2, (5, 2000))
    log_prior = [math.log(0.125)] * 8
    problem = Problem(3, items, patterns, np.ones(5), log_prior, right, wrong)
    assert_is_the_oracle(problem)
    assert problem.expect()[0] < -50_000


def test_states_that_are_impossible_stay_so():
    # The answers speak for the states that the prior excludes, by a factor of 10^300 and more.
    items = [[k] for k in range(4) for _ in range(40)]
    right, wrong = [[math.log(1e-10), math.log1p(-1e-10)]] * 160, [[math.log1p(-1e-10), math.log(1e-10)]] * 160
    log_prior = [-math.inf] * 16
    log_prior[3] = log_prior[12] = math.log(0.5)
    patterns = [[1] * 160, [0] * 160, [1, 0] * 80, [1] * 79 + [-1] + [0] * 80]
    problem = Problem(4, items, patterns, [1, 2, 3, 4], log_prior, right, wrong)
    assert_is_the_oracle(problem)
    _, states, _ = problem.expect()
    assert set(np.flatnonzero(states)) <= {3, 12}
    assert states.sum() == pytest.approx(10, rel=1e-15)


def test_sixteen_skills():
    # Independent skills with items of one skill each: the posterior is a product.
    rng = np.random.default_rng(9)
    mastery = rng.uniform(0.1, 0.9, MOST_SKILLS)
    bits = np.arange(2**MOST_SKILLS)[:, None] >> np.arange(MOST_SKILLS) & 1
    log_prior = np.log(np.where(bits, mastery, 1 - mastery)).sum(axis=1)
    items = [[k % MOST_SKILLS] for k in range(40)]
    correct = np.array([[rng.uniform(0.1, 0.4), rng.uniform(0.6, 0.9)] for _ in items])
    patterns = rng.integers(-1, 2, (6, 40))
    problem = Problem(
        MOST_SKILLS, items, patterns, np.ones(6), log_prior, np.log(correct), np.log1p(-np.array(correct))
    )
    log_likelihood, states, cells = problem.expect()
    out, _ = problem.marginals([[k] for k in range(MOST_SKILLS)])
    joint = np.stack([1 - mastery, mastery], axis=1)[None].repeat(6, axis=0)
    for item, ((skill,), p) in enumerate(zip(items, correct, strict=True)):
        answer = patterns[:, item, None]
        joint[:, skill] *= np.where(answer == -1, 1.0, np.where(answer == 1, p, 1 - p))
    sums = joint.sum(axis=2)
    assert_close(log_likelihood, np.log(sums).sum())
    assert_close(out.reshape(6, MOST_SKILLS, 2), joint / sums[:, :, None])
    assert_close(states.sum(), 6)
    assert_close(cells.sum(), (patterns != -1).sum())
    assert_close(problem.states(5, 1)[0].sum(), 1)
    assert_close(np.sum(problem.states(0, 6), axis=0), states)


def test_an_item_of_all_sixteen_skills():
    rng = np.random.default_rng(10)
    correct = rng.uniform(0.1, 0.9, 2**MOST_SKILLS)
    log_prior = np.log(rng.dirichlet(np.ones(2**MOST_SKILLS)))
    items = [list(range(MOST_SKILLS)), [4]]
    right, wrong = [np.log(correct), np.log([0.2, 0.7])], [np.log1p(-correct), np.log([0.8, 0.3])]
    problem = Problem(MOST_SKILLS, items, [[1, 1], [0, -1]], [1, 1], log_prior, right, wrong)
    fourth = np.arange(2**MOST_SKILLS) >> 4 & 1
    joint = np.exp(log_prior) * np.array([correct * np.array([0.2, 0.7])[fourth], 1 - correct])
    assert_close(problem.expect()[0], np.log(joint.sum(axis=1)).sum())
    assert_close(problem.states(0, 2), joint / joint.sum(axis=1, keepdims=True))
    _, _, cells = problem.expect()
    assert_close(cells[:-2], (joint / joint.sum(axis=1, keepdims=True))[::-1].T)


@pytest.mark.parametrize(("skills", "most_skills", "patterns"), [(3, 2, 3000), (9, 1, 900), (8, 4, 500)])
def test_any_number_of_threads_gives_the_same_bits(skills, most_skills, patterns):
    problem = random_problem(np.random.default_rng(skills), skills, 30, patterns, most_skills)
    expected = problem.expect()
    sets = [[0], [1, 2], [0, 2]]
    out, log_likelihoods = problem.marginals(sets)
    states = problem.states(1, patterns - 3)
    for threads in (1, 2, 3, 7):
        for found, one in zip(problem.expect(threads), expected, strict=True):
            assert np.array_equal(found, one)
        for found, one in zip(problem.marginals(sets, threads), (out, log_likelihoods), strict=True):
            assert np.array_equal(found, one)
        assert np.array_equal(problem.states(1, patterns - 3, threads), states)


PROGRAM = """
from student.test_student_states import random_problem
parts = []
for skills, most in ((3, 2), (7, 1), (6, 4)):
    problem = random_problem(np.random.default_rng(skills), skills, 40, 300, most, least=1e-10)
    log_likelihood, states, cells = problem.expect()
    parts += [np.array(log_likelihood).tobytes(), states.tobytes(), cells.tobytes()]
    parts += [array.tobytes() for array in problem.marginals([[0, 2], [1]])]
"""


@pytest.mark.slow
def test_both_builds_give_the_same_bits():
    assert_same_bits(f"import sys; sys.path[:0] = {sys.path!r}{PROGRAM}")


def test_calls_at_the_same_time_wait_for_each_other():
    problem = random_problem(np.random.default_rng(2), 6, 20, 400)
    expected = problem.expect()
    found = []
    workers = [Thread(target=lambda: found.extend(problem.expect() for _ in range(20))) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert len(found) == 80
    assert all(np.array_equal(part, one) for three in found for part, one in zip(three, expected, strict=True))


@pytest.mark.parametrize(("skills", "patterns"), [(2, 50), (14, 200)])
def test_progress_ends_with_all_patterns(skills, patterns):
    seen = []
    random_problem(np.random.default_rng(1), skills, 5, patterns, 1).expect(
        progress=lambda done, total: seen.append((done, total))
    )
    assert seen[-1] == (patterns, patterns)


def test_an_exception_of_the_callback_stops_the_kernel():
    def stop(done, total):
        raise KeyboardInterrupt

    problem = random_problem(np.random.default_rng(1), 14, 5, 400, 1)
    with pytest.raises(KeyboardInterrupt):
        problem.expect(progress=stop)


def test_bytes_grow_with_threads():
    problem = random_problem(np.random.default_rng(1), 10, 5, 20)
    one, two = problem.kernel.bytes(1), problem.kernel.bytes(2)
    assert one > 2**10 * 8
    assert two - one >= 2**10 * 32


PATTERNS = np.array([[0, 1], [1, -1]], np.int8)


def construct(**changes):
    arguments = {
        "masks": np.array([1, 3], np.uint32),
        "skills": 2,
        "patterns": PATTERNS,
        "weights": np.ones(2),
    } | changes
    return kernels.StudentStates(**arguments)


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"skills": 0}, "from 1 to 16"),
        ({"skills": 17}, "from 1 to 16"),
        ({"skills": 1}, "names a skill"),
        ({"masks": np.array([0, 3], np.uint32)}, "empty"),
        ({"masks": np.array([1], np.uint32)}, "do not match"),
        ({"masks": np.array([], np.uint32), "patterns": np.empty((2, 0), np.int8)}, "do not match"),
        ({"patterns": PATTERNS[:0], "weights": np.ones(0)}, "do not match"),
        ({"patterns": PATTERNS + np.int8(1)}, "an answer"),
        ({"patterns": PATTERNS - np.int8(1)}, "an answer"),
        ({"weights": np.ones(3)}, "do not match"),
        ({"weights": np.array([1, -1.0])}, "a weight"),
        ({"weights": np.array([1, math.inf])}, "a weight"),
    ],
)
def test_wrong_answers_are_refused(changes, match):
    with pytest.raises(ValueError, match=match):
        construct(**changes)


LOGS = np.log(np.full(6, 0.5))


@pytest.mark.parametrize(
    ("changes", "match"),
    [
        ({"log_prior": np.zeros(3)}, "log_prior needs"),
        ({"right": LOGS[:5]}, "log_prior needs"),
        ({"wrong": LOGS[:5]}, "log_prior needs"),
        ({"log_prior": np.full(4, -math.inf)}, "a state that is possible"),
        ({"log_prior": np.array([0, 0, 0, math.nan])}, "a state that is possible"),
        ({"log_prior": np.array([0, 0, 0, math.inf])}, "a state that is possible"),
        ({"right": LOGS + 1}, "finite logarithms"),
        ({"wrong": LOGS - math.inf}, "finite logarithms"),
        ({"wrong": LOGS * math.nan}, "finite logarithms"),
        ({"threads": 0}, "threads"),
        ({"state_counts": np.empty(3)}, "state_counts needs"),
        ({"cell_counts": np.empty((5, 2))}, "state_counts needs"),
        ({"cell_counts": np.empty((6, 3))}, "state_counts needs"),
    ],
)
def test_wrong_models_are_refused(changes, match):
    arguments = {
        "log_prior": np.zeros(4),
        "right": LOGS,
        "wrong": LOGS,
        "threads": 1,
        "state_counts": np.empty(4),
        "cell_counts": np.empty((6, 2)),
        "progress": None,
    } | changes
    with pytest.raises(ValueError, match=match):
        construct().expect(**arguments)


@pytest.mark.parametrize(
    ("sets", "shape", "patterns", "match"),
    [
        ([0], (2, 1), 2, "a set is empty"),
        ([4], (2, 2), 2, "names a skill"),
        ([3], (2, 2), 2, "out needs"),
        ([3], (1, 4), 2, "out needs"),
        ([3], (2, 4), 1, "out needs"),
    ],
)
def test_wrong_sets_are_refused(sets, shape, patterns, match):
    with pytest.raises(ValueError, match=match):
        construct().marginals(
            np.zeros(4), LOGS, LOGS, np.array(sets, np.uint32), 1, np.empty(shape), np.empty(patterns), None
        )


@pytest.mark.parametrize(("first", "shape"), [(0, (3, 4)), (1, (2, 4)), (0, (2, 3))])
def test_wrong_rows_are_refused(first, shape):
    with pytest.raises(ValueError, match="out needs"):
        construct().states(np.zeros(4), LOGS, LOGS, 1, first, np.empty(shape))


def test_no_rows_are_no_work():
    construct().states(np.zeros(4), LOGS, LOGS, 1, 2, np.empty((0, 4)))
