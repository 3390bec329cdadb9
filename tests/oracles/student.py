"""Slow, obvious versions of what a student model says, from lists of all states.

A state is a tuple with a 0 or 1 for each skill. Its number has bit k set if skill k is mastered; a substate's number
has a bit for each skill of the item, in ascending order.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

MISSING = -1

State = tuple[int, ...]
Answers = Sequence[int]


@dataclass(frozen=True)
class StudentOracle:
    """Probabilities of the states, and of right answers to each item by substate, as plain numbers."""

    skills: int
    items: Sequence[Sequence[int]]  # the skills of each item, ascending
    log_prior: Sequence[float]  # by state number
    log_right: Sequence[Sequence[float]]  # by item and substate number
    log_wrong: Sequence[Sequence[float]]

    def states(self) -> list[State]:
        """All states in ascending order of their numbers."""
        return [state[::-1] for state in itertools.product((0, 1), repeat=self.skills)]

    def log_joint(self, state: State, answers: Answers) -> float:
        """Log P(state, answers)."""
        terms = [self.log_prior[number(state)]]
        for item, answer in enumerate(answers):
            if answer != MISSING:
                table = self.log_right if answer == 1 else self.log_wrong
                terms.append(table[item][substate(state, self.items[item])])
        return -math.inf if -math.inf in terms else math.fsum(terms)

    def log_likelihood_of(self, answers: Answers) -> float:
        return log_sum([self.log_joint(state, answers) for state in self.states()])

    def posterior(self, answers: Answers) -> list[float]:
        """P(state | answers) by state number."""
        logs = [self.log_joint(state, answers) for state in self.states()]
        total = log_sum(logs)
        return [math.exp(log - total) for log in logs]

    def marginal(self, posterior: Sequence[float], skills: Sequence[int]) -> list[float]:
        """P(substate of a set of skills) by substate number, from the probabilities of the states."""
        found: list[list[float]] = [[] for _ in range(2 ** len(skills))]
        for state in self.states():
            found[substate(state, skills)].append(posterior[number(state)])
        return [math.fsum(parts) for parts in found]

    def log_likelihood(self, patterns: Sequence[Answers], weights: Sequence[float]) -> float:
        return math.fsum(w * self.log_likelihood_of(answers) for answers, w in zip(patterns, weights, strict=True))

    def state_counts(self, patterns: Sequence[Answers], weights: Sequence[float]) -> NDArray[np.float64]:
        posteriors = [self.posterior(answers) for answers in patterns]
        return np.array(
            [
                math.fsum(w * posterior[s] for posterior, w in zip(posteriors, weights, strict=True))
                for s in range(2**self.skills)
            ]
        )

    def cell_counts(self, patterns: Sequence[Answers], weights: Sequence[float]) -> NDArray[np.float64]:
        """Expected counts of (wrong, right) answers in every substate of every item, items one after the other."""
        posteriors = [self.posterior(answers) for answers in patterns]
        rows = []
        for item, skills in enumerate(self.items):
            marginals = [self.marginal(posterior, skills) for posterior in posteriors]
            given = [(w, answers[item], m) for w, answers, m in zip(weights, patterns, marginals, strict=True)]
            rows += [
                [math.fsum(w * m[cell] for w, answer, m in given if answer == value) for value in (0, 1)]
                for cell in range(2 ** len(skills))
            ]
        return np.array(rows)

    def predictions(self, answers: Answers) -> list[float]:
        """P(item answered right | the answers to the other items)."""
        found = []
        for item, skills in enumerate(self.items):
            others = [MISSING if other == item else answer for other, answer in enumerate(answers)]
            marginal = self.marginal(self.posterior(others), skills)
            found.append(math.fsum(p * math.exp(log) for p, log in zip(marginal, self.log_right[item], strict=True)))
        return found

    def mastery(self, answers: Answers) -> list[float]:
        """P(skill mastered | answers) of each skill."""
        posterior = self.posterior(answers)
        return [self.marginal(posterior, [skill])[1] for skill in range(self.skills)]

    def information(self, item: int, answers: Answers) -> float:
        """The expected drop of the entropy of all skills if an item is answered, in nats."""
        now = self.posterior(answers)
        after = 0.0
        for logs in (self.log_wrong, self.log_right):
            joint = [
                p * math.exp(logs[item][substate(state, self.items[item])])
                for p, state in zip(now, self.states(), strict=True)
            ]
            total = math.fsum(joint)
            if total > 0:
                after += total * entropy([p / total for p in joint])
        return entropy(now) - after


def joint_log_prior(parents: Sequence[Sequence[int]], tables: Sequence[Sequence[float]]) -> list[float]:
    """Log P(state) by state number, from the probability of each skill by the substate of its parents."""
    found = []
    for state in itertools.product((0, 1), repeat=len(parents)):
        mastered = state[::-1]
        p = 1.0
        for skill, above in enumerate(parents):
            given = tables[skill][substate(mastered, above)]
            p *= given if mastered[skill] else 1 - given
        found.append(math.log(p) if p else -math.inf)
    return found


def expected_score(counts: Sequence[float], parents: Sequence[Sequence[int]], price: float) -> float:
    """The log-likelihood of counts of all states at its maximum for a DAG, less a price for each parameter."""
    skills = len(parents)
    terms = []
    for skill, above in enumerate(parents):
        table = [[0.0, 0.0] for _ in range(2 ** len(above))]
        for value, count in enumerate(counts):
            state = tuple(value >> k & 1 for k in range(skills))
            table[substate(state, above)][state[skill]] += count
        terms += [n * math.log(n / sum(row)) for row in table for n in row if n > 0]
        terms.append(-price * len(table))
    return math.fsum(terms)


def entropy(distribution: Sequence[float]) -> float:
    return -math.fsum(p * math.log(p) for p in distribution if p > 0)


def number(state: State) -> int:
    return substate(state, range(len(state)))


def substate(state: State, skills: Sequence[int]) -> int:
    return sum(state[skill] << place for place, skill in enumerate(skills))


def log_sum(logs: Sequence[float]) -> float:
    largest = max(logs)
    return largest + math.log(math.fsum(math.exp(log - largest) for log in logs))
