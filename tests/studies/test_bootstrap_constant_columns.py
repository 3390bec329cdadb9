"""Bootstraps of measured columns that are constant, or dependent, in some of the samples."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.data.resampling import resampled
from dagscape.running import repetitions
from dagscape.scores.scoring_job import prepare_sample
from dagscape.scores.tables.on_demand import on_demand_scores
from oracles.conditional_gaussian import cells
from oracles.gaussian import bge

# One value that differs makes a column skewed, which is said elsewhere.
pytestmark = pytest.mark.filterwarnings("ignore:.* very skewed:dagscape.core.errors.SuspiciousColumns")


def others(boot: ds.Bootstrap) -> tuple[str, ...]:
    """What a result says besides that."""
    return tuple(warning for warning in boot.warnings if "very skewed" not in warning)


SAMPLES = 20
OPTIONS = {"samples": SAMPLES, "workers": 1, "settings": "fixed"}


def frame():
    """A column with one deviating value is constant in a third of the samples."""
    rng, m = np.random.default_rng(0), 40
    x = rng.normal(size=m)
    columns = {"x": 1e3 + 7 * x, "y": x + rng.normal(size=m), "z": np.where(np.arange(m) == 3, 1.5, 0.25)}
    return pd.DataFrame({**columns, "a": np.where(x + rng.normal(size=m) > 0, "up", "down")})


def data_for(score):
    if score in ("bge", "bic-g"):
        return ds.NumericData.from_frame(frame().drop(columns="a"))
    return ds.MixedData.from_frame(frame(), nominal=["a"], numeric=["x", "y", "z"])


@pytest.mark.parametrize("score", ["bge", "cg", "dg-bge"])
def test_constant_columns_are_no_error_where_samples_share_a_prior(score):
    found = ds.bootstrap(data_for(score), score=score, **OPTIONS)
    assert (len(found), others(found)) == (SAMPLES, ())


def joint(score, data, rows, members):
    """J of a set in a sample, with the means and variances of all rows in the prior."""
    prior, nu = data.values.var(axis=0, ddof=1) / 2, data.values.mean(axis=0)
    if score != "cg":
        return bge(rows, members, prior, 2, 1.0, nu)
    measured = [v for v in members if data.variables[v] != "a"]
    groups = cells(rows, [v for v in members if v not in measured]).values()
    return sum(bge(group, measured, prior, 2, 1.0, nu) for group in groups)


@pytest.mark.parametrize("score", ["bge", "cg", "dg-bge"])
def test_the_prior_of_samples_is_that_of_all_rows(score):
    data, rng = data_for(score), np.random.default_rng(4)
    sample = next(sample for sample in (resampled(data, rng) for _ in range(50)) if np.ptp(sample.values[:, 2]) == 0)
    scores = on_demand_scores(prepare_sample(sample, (), data, score=score, max_parents=2), threads=1)
    names = data.variables
    for child, size in itertools.product((0, 1, 2), range(3)):
        for parents in itertools.combinations([v for v in range(data.n) if v != child], size):
            expected = joint(score, data, sample.values, [child, *parents])
            expected -= joint(score, data, sample.values, [*parents])
            found = scores.family(names[child], [names[v] for v in parents])
            assert found == pytest.approx(float(expected), abs=1e-7)


def test_levels_that_a_sample_lacks_keep_their_columns():
    table = frame()
    table.loc[5, "a"] = "rare"
    data = ds.MixedData.from_frame(table, nominal=["a"], numeric=["x", "y", "z"])
    assert len(ds.bootstrap(data, score="dg-bge", **OPTIONS)) == SAMPLES


@pytest.mark.parametrize("score", ["bic-g", "dg", "bic-cg"])
def test_samples_without_scores_are_left_out_and_counted(score, tmp_path):
    data = data_for(score)
    with pytest.warns(ds.SamplesLeftOut, match=r"of 20 samples were left out, because 'z' has one value in them; use"):
        found = ds.bootstrap(data, score=score, **OPTIONS)
    rngs = np.random.default_rng(0).spawn(SAMPLES)
    samples = [(resampled(data, rng), rng) for rng in rngs]
    kept = [(sample, rng) for sample, rng in samples if np.ptp(sample.values[:, 2]) > 0]
    assert 0 < len(kept) < SAMPLES
    expected = [ds.learn(sample, score=score, settings="fixed", seed=rng).network for sample, rng in kept]
    assert [*found.networks] == expected
    assert (found.left_out, found.complete) == (SAMPLES - len(kept), True)
    text = f"samples left out: {found.left_out} of 20 samples were left out, because 'z' has one value in them"
    assert others(found) == (text,)
    assert f"{len(kept)} of 20 samples" in repr(found)
    found.save(tmp_path / "boot.json")
    assert ds.load_result(tmp_path / "boot.json") == found
    document = {**found.to_dict(), "left_out": SAMPLES}
    with pytest.raises(ds.InvalidData, match="left_out is 20"):
        ds.Bootstrap.from_dict(document)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::dagscape.SamplesLeftOut")
def test_left_out_samples_depend_on_the_seed_only(monkeypatch):
    monkeypatch.setattr(repetitions, "_WORTH_WORKERS", 0.0)
    data = data_for("bic-g")
    alone, together = (ds.bootstrap(data, score="bic-g", **{**OPTIONS, "workers": workers}) for workers in (1, 2))
    assert alone == together
    seen = []
    ds.bootstrap(data, score="bic-g", progress=seen.append, **OPTIONS)
    assert [(step.done, step.total) for step in seen][-1] == (SAMPLES, SAMPLES)


def test_a_study_without_any_sample_is_refused():
    data = data_for("bic-g")
    seed = next(
        seed for seed in range(50) if np.ptp(resampled(data, np.random.default_rng(seed).spawn(1)[0]).values[:, 2]) == 0
    )
    with pytest.raises(ds.InvalidData, match=r"^1 of 1 sample was left out, because 'z' has one value in it; use"):
        ds.bootstrap(data, score="bic-g", **{**OPTIONS, "samples": 1, "seed": seed})


def test_columns_that_are_dependent_in_all_rows_are_an_error_of_the_data():
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=(2, 50))
    data = ds.NumericData.from_frame(pd.DataFrame({"x": x, "y": y, "s": x + y}))
    with pytest.raises(ds.InvalidData, match=r"^'x', 'y' and 's' are linearly dependent in 50 rows"):
        ds.bootstrap(data, score="bic-g", **OPTIONS)
