from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from best.samples import random_data
from oracles import networks as oracle


@pytest.mark.slow
@settings(max_examples=25)
@given(st.integers(0, 1000), st.sampled_from(["classes", "dags"]), st.data())
def test_predictions_of_rows_with_gaps_agree_with_enumeration(seed, space, data):
    """The average of P(target, observed) over the networks, one network and one row at a time."""
    generator = np.random.default_rng(seed)
    train = random_data(4, 30, seed=seed, levels=3)
    best = ds.k_best(ds.local_scores(train, ess=2), 6, space)
    networks = [ds.Network.fit(network, train, 2) for network in best.networks]
    target = data.draw(st.sampled_from(train.variables))
    cells = generator.integers(0, 3, (6, 4)).astype(object)
    cells[generator.random(cells.shape) < 0.4] = None
    frame = pd.DataFrame(cells, columns=train.variables)
    if data.draw(st.booleans()):
        frame = frame.drop(columns=train.variables[generator.integers(4)])
    found = best.predict(train, frame, target)
    assert found.columns.tolist() == [0, 1, 2]
    for _, row in frame.iterrows():
        evidence = {name: str(cell) for name, cell in row.items() if cell is not None and name != target}
        joint = np.zeros(3)
        for weight, network in zip(best.weights(), networks, strict=True):
            joint += weight * np.array(list(oracle.target_and_evidence(network, [target], evidence).values()))
        assert found.loc[row.name].tolist() == pytest.approx((joint / math.fsum(joint)).tolist(), rel=1e-10)
    assert best.classify(train, frame, target).tolist() == found.idxmax(axis=1).tolist()


def test_complete_rows_do_not_depend_on_the_others():
    """Complete rows are computed by sums of logarithms, others by elimination; both are the same mixture."""
    train = random_data(4, 40, seed=3, levels=3)
    best = ds.k_best(ds.local_scores(train), 10)
    frame = train.to_frame().astype(object)[:20]
    gaps = frame.copy()
    gaps.loc[::2, "X1"] = np.nan
    whole, mixed = best.predict(train, frame, "X0"), best.predict(train, gaps, "X0")
    np.testing.assert_allclose(mixed[1::2], whole[1::2], rtol=1e-12)
    assert not np.allclose(mixed[::2], whole[::2])


def test_predictions_compare_equal_to_a_column_of_integers():
    """Levels are text inside: predictions were text, and never equal to the column."""
    frame = random_data(4, 60, seed=1, levels=2).to_frame().astype(int)
    frame["X3"] = frame["X0"]
    best = ds.k_best(ds.local_scores(frame), 5)
    assert (best.classify(frame, frame, "X3") == frame["X3"]).all()
    assert (best.predict(frame, frame, "X3").idxmax(axis=1) == frame["X3"]).all()


def test_interventions_in_rows_with_gaps():
    """A value that was set says nothing about its parents, with and without the rest of the row."""
    train = ds.Dataset.from_codes([[0, 0, 0], [1, 1, 1], [1, 1, 0], [1, 0, 1]], dict.fromkeys("abc", ("0", "1")))
    best = ds.k_best(ds.local_scores(train), 30, "dags")
    levels = {"a": ("0", "1"), "b": ("0", "1")}
    rows = ds.Dataset.from_codes([[0, 1], [0, 1]], levels, interventions=[[False, False], [False, True]])
    found = best.predict(train, rows, "a")
    for (row, chosen, _), probabilities in zip(oracle.rows_of(rows), found.to_numpy(), strict=True):
        joint = np.zeros(2)
        for weight, dag in zip(best.weights(), best.networks, strict=True):
            network = ds.Network.fit(dag, train)
            values = oracle.target_and_evidence(network, ["a"], {"b": row["b"]}, chosen).values()
            joint += weight * np.array(list(values))
        assert probabilities.tolist() == pytest.approx((joint / joint.sum()).tolist(), rel=1e-12)
