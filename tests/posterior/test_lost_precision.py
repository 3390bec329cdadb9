"""Why the error of a posterior is large, and what helps, is said with it."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.posterior.accuracy import lost_precision


def regions(rows: int = 4000) -> pd.DataFrame:
    """A table in which one column of levels copies another of many levels."""
    rng = np.random.default_rng(1)
    region = rng.choice(list("abcdefghijklmnopqrstuvwxyz"), rows)
    frame = pd.DataFrame({"region": region, "people": [f"{ord(name) ** 3} people" for name in region]})
    return frame.assign(weight=rng.normal(size=rows), answer=rng.choice(["no", "yes"], rows))


@pytest.mark.parametrize("over", ["dags", "orders"])
@pytest.mark.filterwarnings("ignore::dagscape.RelatedColumns", "ignore::dagscape.SparseFamilies")
def test_copies_make_scores_imprecise_whatever_is_summed_over(over):
    scores = ds.local_scores(regions(), score="dg-bge")
    assert scores.rounding > 1e-3
    with pytest.warns(ds.LostPrecision, match="is that of scores and not of the sum: .*leave out all but one of them"):
        post = ds.posterior(scores, over=over)
    assert sum(warning.startswith("lost precision: the error of probabilities") for warning in post.warnings) == 1
    assert post.error > 1e-3


@pytest.mark.filterwarnings("ignore::dagscape.RelatedColumns", "ignore::dagscape.SparseFamilies")
def test_averages_say_so_once_and_without_the_copy_nothing():
    with pytest.warns(ds.LostPrecision) as issued:
        post = ds.posterior(regions(), score="dg-bge")
    assert len([one for one in issued if one.category is ds.LostPrecision]) == 1
    assert sum(warning.startswith("lost precision") for warning in post.warnings) == 1
    without = ds.posterior(regions().drop(columns="people"), score="dg-bge")
    assert without.error < 1e-3
    assert not any(warning.startswith("lost precision") for warning in without.warnings)


def test_the_larger_part_of_the_error_is_named():
    assert lost_precision(1e-4, 1e-4, "dags") is None
    assert "of scores and not of the sum" in str(lost_precision(0.02, 0.015, "dags"))
    assert "terms of both signs cancel: use over='orders'" in str(lost_precision(0.02, 0.001, "dags"))
    assert str(lost_precision(0.02, 0.001, "orders")) == "the sum over orders has an error of about 0.02"
