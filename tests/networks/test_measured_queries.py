"""Queries and predictions of networks with measured variables, against all states and matrices of 50 digits."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from networks.samples import random_conditional
from oracles.conditional_gaussian import answer

import dagscape as ds
from dagscape.core.errors import InvalidData, InvalidOption, NothingObserved, TooLarge

SEEDS = st.integers(0, 2**32 - 1)


def some_evidence(network, rng, target, share=0.5):
    """Codes of discrete variables and numbers of measured ones, near what the network would draw."""
    found = {}
    for name in network.variables:
        if name == target or rng.random() > share:
            continue
        found[name] = int(rng.integers(len(network.levels[name]))) if name in network.levels else rng.normal(0, 2)
    return found


def in_words(network, evidence):
    return {name: network.levels[name][value] if name in network.levels else value for name, value in evidence.items()}


def check_answer(network, target, evidence, found):
    expected, _ = answer(network, target, evidence)
    if target in network.levels:
        np.testing.assert_allclose(found.to_numpy(), [float(share) for share in expected], rtol=1e-8, atol=1e-12)
        return
    mean, variance = map(float, expected)
    assert found.mean == pytest.approx(mean, rel=1e-8, abs=1e-9)
    assert found.sd == pytest.approx(variance**0.5, rel=1e-6)


@settings(max_examples=60, deadline=None)
@given(SEEDS)
def test_answers_are_those_of_all_states(seed):
    rng = np.random.default_rng(seed)
    network = random_conditional(seed, *rng.integers(0, 4, 2) + np.array([0, 1]))
    target = str(rng.choice(network.variables))
    evidence = some_evidence(network, rng, target)
    words = in_words(network, evidence)
    check_answer(network, target, evidence, network.query(target, words))
    _, log_density = answer(network, None, evidence)
    assert network.log_density(words) == pytest.approx(float(log_density), rel=1e-9, abs=1e-9)


@settings(max_examples=30, deadline=None)
@given(SEEDS)
def test_predictions_are_queries_of_each_row(seed):
    rng = np.random.default_rng(seed)
    network = random_conditional(seed, *rng.integers(0, 4, 2) + np.array([0, 1]))
    target = str(rng.choice(network.variables))
    rows = [in_words(network, some_evidence(network, rng, target, share)) for share in (0.3, 0.6, 0.6, 0.9, 1.0, 1.0)]
    frame = pd.DataFrame(rows, columns=list(network.variables)).drop(columns=target)
    if not frame.shape[1]:
        return
    found = network.predict(frame, target)
    for place, row in enumerate(rows):
        answered = network.query(target, row)
        if target in network.levels:
            np.testing.assert_allclose(found.iloc[place], answered, rtol=1e-9, atol=1e-12)
        else:
            expected = [answered.mean, answered.sd, *(answered.quantile(level) for level in (0.025, 0.5, 0.975))]
            np.testing.assert_allclose(found.iloc[place], expected, rtol=1e-8, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(SEEDS)
def test_setting_variables_is_the_network_without_their_families(seed):
    """The truncated product, by definition: the same tables and regressions without those that were set."""
    rng = np.random.default_rng(seed)
    network = random_conditional(seed, *rng.integers(0, 3, 2) + np.array([0, 2]))
    target, chosen = map(str, rng.choice(network.variables, 2, replace=False))
    evidence = some_evidence(network, rng, target)
    evidence.pop(chosen, None)
    value = int(rng.integers(len(network.levels[chosen]))) if chosen in network.levels else rng.normal()
    found = network.query(target, in_words(network, evidence), do=in_words(network, {chosen: value}))
    dag = network.dag.with_parents(chosen, [])
    cpts, regressions = dict(network.cpts), dict(network.regressions)
    if chosen in network.levels:
        cpts[chosen] = np.eye(len(network.levels[chosen]))[value]
        set_ = ds.ConditionalGaussianNetwork(dag, network.levels, cpts, regressions)
        check_answer(set_, target, evidence, found)
        return
    # Whatever distribution the set variable had, it is observed, and has no parents.
    regressions[chosen] = ds.Regression(value, [], 1.0)
    kind = ds.ConditionalGaussianNetwork if network.levels else ds.GaussianNetwork
    parts = (network.levels, cpts, regressions) if network.levels else (regressions,)
    check_answer(kind(dag, *parts), target, evidence | {chosen: value}, found)


@settings(max_examples=25, deadline=None)
@given(SEEDS)
def test_rows_of_experiments_say_nothing_about_causes(seed):
    rng = np.random.default_rng(seed)
    network = random_conditional(seed, 2, 3)
    target = str(rng.choice(network.variables))
    values = np.column_stack(
        [
            rng.integers(len(network.levels[name]), size=5).astype(float) if name in network.levels else rng.normal(size=5)
            for name in network.variables
        ]
    )
    marks = rng.random(values.shape) < 0.4
    marks[:, network.variables.index(target)] = False
    data = ds.MixedData(network.variables, values, dict(network.levels), marks)
    found = network.predict(data, target)
    for row, mark, predicted in zip(values, marks, found.itertuples(index=False), strict=True):
        cells = {
            name: int(value) if name in network.levels else float(value)
            for name, value in zip(network.variables, row, strict=True)
            if name != target
        }
        set_ = [name for name, was_set in zip(network.variables, mark, strict=True) if was_set]
        seen = in_words(network, {name: value for name, value in cells.items() if name not in set_})
        answered = network.query(target, seen, do=in_words(network, {name: cells[name] for name in set_}))
        if target in network.levels:
            np.testing.assert_allclose(list(predicted), answered, rtol=1e-8, atol=1e-12)
        else:
            np.testing.assert_allclose(list(predicted)[:2], [answered.mean, answered.sd], rtol=1e-8, atol=1e-9)
