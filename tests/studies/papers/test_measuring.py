"""What experiments measure of a learned network."""

from __future__ import annotations

import pytest

import dagscape as ds
from dagscape.studies.papers.measuring import row_measures, structure_measures, timed_learning


def test_measures():
    truth = ds.load_network("asia")
    test = truth.sample(500, seed=1)
    found, seconds = timed_learning(test, "optimal", ess=10.0)
    assert seconds > 0
    measures = row_measures(found.network, test, 10.0)
    assert measures["bdeu"] == pytest.approx(found.score)
    assert measures["bic"] == pytest.approx(ds.family_scores(test, "bic").network(found.network))
    # The information of variables and their parents, by definition.
    fitted = ds.Network.fit(found.network, test, prior="none")
    empty = ds.Network.fit(ds.Dag.from_edges(test.variables), test, prior="none")
    assert measures["kl"] * test.m == pytest.approx(fitted.log_likelihood(test) - empty.log_likelihood(test))
    assert structure_measures(truth.dag, truth.dag) == dict.fromkeys(
        ["shd", "a_plus", "a_minus", "vs_plus", "vs_minus"], 0
    )
