from __future__ import annotations

import numpy as np
import pytest

import dagscape as ds


def test_plan_counts_what_will_be_computed():
    data = ds.load_dataset("tic-tac-toe")
    planned = ds.plan(data, threads=1, max_memory="1GiB")
    assert planned.fits
    assert planned.memory >= ds.local_scores(data).nbytes
    assert "1,024 sets" in planned.steps[0].work
    assert 0 < planned.seconds < 60
    assert planned.memory_limit == 2**30
    assert list(planned.to_frame()["step"]) == ["local scores"]


@pytest.mark.parametrize("n", [40, 62, 64, 70, 200])
def test_plan_of_an_impossible_job(n):
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (30, n)))
    planned = ds.plan(data)
    assert not planned.fits
    assert planned.memory >= 8 * 2**n
    assert planned.seconds > 3600
    assert "does not fit" in repr(planned)


def test_plan_takes_the_same_arguments():
    data = ds.load_dataset("tic-tac-toe")
    planned = ds.plan(data, score="k2", max_parents=2, structure_prior="per-size", threads=2)
    assert (
        planned.provenance.parameters
        == ds.local_scores(data, "k2", max_parents=2, structure_prior="per-size").provenance.parameters
    )
    with pytest.raises(ds.InvalidOption):
        ds.plan(data, score="none")
