"""Posteriors averaged over ways of cutting numbers, and studies that compare ways."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.core.resources import Budget
from dagscape.data.discrete.common_cuts import AVERAGED_CUTS, COMPARED_CUTS, cut_in_ways, ways_of
from dagscape.posterior.evidence import best_of
from dagscape.posterior.grids import AVERAGED_PRIORS, AVERAGED_SIZES
from dagscape.report.tables import render
from dagscape.results.base import source_of
from oracles.averaged import averaged
from oracles.discretize import log_widths


def measured(m=120, seed=0, n=2):
    """Numbers that depend on each other, and a column of levels."""
    rng = np.random.default_rng(seed)
    columns = {"x0": rng.normal(size=m).round(2)}
    for i in range(1, n):
        columns[f"x{i}"] = (columns[f"x{i - 1}"] + rng.normal(size=m)).round(2)
    return pd.DataFrame(columns | {"c": np.where(rng.random(m) < 0.5, "u", "v")})


def assert_same(found, expected):
    """The same to the last bit; only the seconds of settings may differ."""
    assert np.array_equal(found.edges, expected.edges)
    assert (
        found.settings_frame()
        .drop(columns="seconds", errors="ignore")
        .equals(expected.settings_frame().drop(columns="seconds", errors="ignore"))
    )
    assert found.score_info == expected.score_info


def codes_of(data):
    frame = data.to_frame()
    return [
        tuple(data.levels[name].index(cell) for name, cell in zip(data.variables, row, strict=True))
        for row in frame.itertuples(index=False)
    ]


def density_of(frame, data):
    return -sum(sum(log_widths(frame[name].tolist(), cuts.tolist())) for name, cuts in data.discretizer.cuts.items())


WAYS = ["quantile:2", "quantile:3", "width:3"]


@pytest.mark.parametrize("cut_weights", ["equal", "evidence"])
def test_the_average_is_that_over_all_ways_settings_and_dags(cut_weights):
    frame = measured()
    logs, edges = [], []
    for way in WAYS:
        method, bins = way.split(":")
        data = ds.discretize(frame, method=method, bins=int(bins))
        found = averaged(codes_of(data), data.arities.tolist(), AVERAGED_SIZES, AVERAGED_PRIORS)
        logs.append(np.array(found[0]) + density_of(frame, data))
        edges.append(found[1])
    post = ds.posterior(frame, discretize=WAYS, cut_weights=cut_weights)
    assert [setting.log_evidence for setting in post.settings] == pytest.approx(np.concatenate(logs), abs=1e-7)
    totals = np.array([np.logaddexp.reduce(part) for part in logs])
    shares = np.exp(totals - np.logaddexp.reduce(totals)) if cut_weights == "evidence" else np.full(3, 1 / 3)
    assert post.edges == pytest.approx(sum(share * part for share, part in zip(shares, edges, strict=True)), abs=1e-9)
    assert post.log_evidence == pytest.approx(np.logaddexp.reduce(totals) - np.log(48), abs=1e-7)
    by_way = post.settings_frame().groupby("discretize")["share"].sum()
    assert [by_way[way] for way in WAYS] == pytest.approx(shares.tolist(), abs=1e-12)
    assert post.setting_shares.sum() == pytest.approx(1)


@pytest.mark.parametrize("marked_first", [True, False])
def test_more_intervals_of_a_randomised_column_are_no_better(marked_first):
    """It is not predicted: the evidence is that of the other column alone."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"dose": rng.random(200).round(3), "y": rng.normal(size=200).round(2)})
    ways = ["quantile:2", "quantile:5"]
    options = {"ess": 1, "structure_prior": "uniform", "forbidden": [("dose", "y")], "cut_weights": "evidence"}
    source = cut_in_ways(frame, ways_of(ways), randomised=["dose"]) if marked_first else frame
    asked = {} if marked_first else {"discretize": ways, "randomised": ["dose"]}
    post = ds.posterior(source, **asked, **options)
    free = {setting.discretize: setting.log_evidence for setting in post.settings}
    for way, bins in zip(ways, (2, 5), strict=True):
        data = ds.discretize(frame[["y"]], bins=bins)
        alone = ds.local_scores(data, ess=1).family("y") + density_of(frame, data)
        assert free[way] == pytest.approx(alone, abs=1e-6)


def test_cells_that_were_set_do_not_favour_more_intervals():
    rng = np.random.default_rng(0)
    # Uniform numbers, half of them set: two intervals say all that there is to be said of them.
    x = rng.random(200)
    frame = pd.DataFrame({"x": x, "g": (x > 0.5) ^ (rng.random(200) < 0.2)})
    cut = cut_in_ways(frame, ways_of(["quantile:2", "width:10"]), interventions=["x"] * 100 + [""] * 100)
    options = {"ess": 1, "structure_prior": "uniform"}
    post = ds.posterior(cut, cut_weights="evidence", **options)
    best = max(post.settings, key=lambda setting: setting.log_evidence)
    assert best.discretize == "quantile:2"
    found = best_of(cut, {"structure_prior": "uniform"}, Budget.of(1, None), "evidence")
    assert found.data.discretizer.way == "quantile:2"
    unmarked = cut_in_ways(frame, ways_of(["quantile:2", "width:10"]))
    chosen = {"structure_prior": "uniform", "randomised": ["x"]}
    found = best_of(unmarked, chosen, Budget.of(1, None), "evidence")
    assert found.data.discretizer.way == "quantile:2"
    # Where experiments changed mechanisms, all cells are predicted, and have widths.
    changed = ds.posterior(cut, cut_weights="evidence", interventions="mechanism", **options)
    for setting, data in zip(changed.settings, cut.datasets, strict=True):
        alone = ds.posterior(ds.local_scores(data, interventions="mechanism", ess=1))
        assert setting.log_evidence == pytest.approx(
            alone.log_evidence - sum(log_widths(frame["x"].tolist(), data.discretizer.cuts["x"].tolist())), abs=1e-6
        )


def test_one_way_is(tmp_path):
    frame = measured()
    post = ds.posterior(frame, discretize="average", ess=1.0, compelled=True, compelled_samples=200)
    assert [setting.discretize for setting in post.settings[::4]] == list(AVERAGED_CUTS)
    assert post.settings[0].label == "quantile 2, ess 1, uniform, no limit"
    assert post.cut_weights == "equal"
    columns = ["setting", "discretize", "ess", "structure_prior", "max_parents", "log_evidence", "share"]
    assert list(post.settings_frame().columns) == columns
    for name in ("post.json", "post.npz"):
        post.save(tmp_path / name)
        again = ds.load_result(tmp_path / name)
        assert again == post
        assert again.cut_weights == "equal"
    assert source_of(post).lines() == ["cut in 4 ways (2, 3, 4 and 5 quantiles): x0, x1"]
    said = "averaged over 16 settings, 4 ways of cutting with equal weights, the others by the evidence for each"
    assert said in str(render(post))


def test_one_way_is_the_posterior_of_the_data_set():
    frame = measured()
    for data in (frame, frame.to_numpy()[:, :2].astype(float)):
        alone = ds.posterior(data, discretize="width:3")
        cut = ds.posterior(ds.discretize(data, method="width", bins=3))
        assert_same(alone, cut)
    own = ds.Discretizer(bins=2, cuts={"x0": [0.0]})
    given = ds.discretize(frame, bins=2, cuts={"x0": [0.0]})
    assert_same(ds.posterior(frame, discretize=own), ds.posterior(given))


def test_paths_are_read(tmp_path):
    frame = measured()
    frame.to_csv(tmp_path / "t.csv", index=False)
    post = ds.posterior(tmp_path / "t.csv", discretize="average")
    assert_same(post, ds.posterior(frame, discretize="average"))
    assert source_of(post).name == "t.csv"
    found = ds.sensitivity(str(tmp_path / "t.csv"), ess=1, structure_prior="uniform")
    assert [setting.discretize for setting in found.settings] == list(COMPARED_CUTS)


def test_orders_and_order_of_rows():
    frame = measured(n=3)
    post = ds.posterior(frame, "orders", discretize=WAYS, ancestors=True)
    shuffled = ds.posterior(frame.sample(frac=1, random_state=0), "orders", discretize=WAYS, ancestors=True)
    assert np.array_equal(post.edges, shuffled.edges)
    assert np.array_equal(post.ancestors, shuffled.ancestors)


def test_chains_use_one_way():
    frame = measured(n=4)
    drawn = ds.posterior(frame, discretize="average", method="chain", draws=1000, chains=2)
    assert source_of(drawn).lines() == ["3 quantiles: x0, x1, x2, x3"]
    drawn = ds.posterior(frame, discretize=["width:2", "quantile:2"], method="chain", draws=1000, chains=2)
    assert source_of(drawn).lines() == ["2 equal widths: x0, x1, x2, x3"]


def test_the_best_way_of_wide_tables_has_the_highest_evidence():
    frame = measured(n=3)
    cut = cut_in_ways(frame, ways_of(WAYS))
    post = ds.posterior(frame, discretize=WAYS, cut_weights="evidence")
    best = max(post.settings, key=lambda setting: setting.log_evidence)
    found = best_of(cut, {}, Budget.of(1, None), "evidence")
    assert found.data.discretizer.way == best.discretize
    assert found.chosen == {"ess": best.ess, "structure_prior": best.structure_prior}
    wide = measured(n=13)
    found = best_of(cut_in_ways(wide, ways_of(WAYS)), {}, Budget.of(1, None), "evidence")
    assert found.data.n == 14


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"discretize": "quantile:x"}, "discretize is 'quantile:x'; it must be METHOD or METHOD:BINS"),
        (
            {"discretize": "average", "cut_weights": "best"},
            "cut_weights is 'best'; it must be one of 'equal', 'evidence'",
        ),
        (
            {"discretize": "average", "cut_weights": "evidence", "score": "aic"},
            "cut_weights is 'evidence', which the score 'aic' is not: use cut_weights='equal', or a score such as",
        ),
        (
            {"discretize": "average", "score": "bic-g"},
            "discretize is for discrete data, and score='bic-g' takes numbers",
        ),
    ],
)
def test_bad_options(options, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.posterior(measured(), **options)


def test_data_sets_cannot_be_cut():
    data = ds.load_dataset("iris")
    for study in (ds.posterior, ds.sensitivity):
        with pytest.raises(
            ds.InvalidOption, match="discretize cuts the numbers of a table, but the data are a Dataset"
        ):
            study(data, discretize="quantile:3")


def test_scores_that_are_no_evidence_are_averaged_equally():
    post = ds.posterior(measured(), discretize=WAYS, score="aic")
    assert post.setting_shares.tolist() == pytest.approx([1 / 3] * 3)


def test_sensitivity_compares_cuts_first(tmp_path):
    frame = measured(n=3)
    found = ds.sensitivity(frame)
    # 5 ways, 4 equivalent sample sizes, 4 priors, and the limit by the number of rows.
    assert len(found.settings) == 80
    assert found.options[0] == "discretize"
    assert [setting.discretize for setting in found.settings[::16]] == list(COMPARED_CUTS)
    assert {setting.max_parents for setting in found.settings} == {2, 3}
    by_way = found.settings_frame().groupby("discretize")["share"].sum()
    assert by_way.tolist() == pytest.approx([0.2] * 5)
    cut = ds.discretize(frame, method="width", bins=5)
    alone = ds.sensitivity(cut, max_parents="rows")
    assert np.array_equal(found.edges[64:], alone.edges)
    evidence = [setting.log_evidence for setting in alone.settings]
    expected = np.array(evidence) + density_of(frame, cut)
    assert [setting.log_evidence for setting in found.settings[64:]] == pytest.approx(expected, abs=1e-7)
    found.save(tmp_path / "s.json")
    assert ds.load_result(tmp_path / "s.json") == found
    drawing = found.draw()
    assert "quantile 5" in drawing
    assert "cut in 5 ways (2, 3 and 5 quantiles, 3 and 5 equal widths)" in drawing
    assert found.influence()["discretize"] > 0


def test_sensitivity_takes_the_ways_it_is_given():
    frame = measured()
    found = ds.sensitivity(frame, discretize=["quantile:2", "hartemink:3"], ess=1, structure_prior="uniform")
    assert [setting.discretize for setting in found.settings] == ["quantile:2", "hartemink:3"]
    limits = ds.sensitivity(frame, discretize=["quantile:2", "width:2"], ess=1, max_parents=(1, None))
    assert {setting.max_parents for setting in limits.settings} == {1, 2}
    one = ds.sensitivity(frame, discretize="quantile:2")
    assert len(one.settings) == len(ds.sensitivity(ds.discretize(frame, bins=2)).settings)
    assert ds.sensitivity(frame, discretize="average", ess=1, structure_prior="uniform").settings[3].label == (
        "quantile 5, ess 1, uniform, no limit"
    )


def test_tables_without_measured_columns_are_as_before():
    frame = pd.DataFrame({"a": list("uvuvuvvv"), "b": [0, 1, 0, 1, 1, 1, 0, 0]})
    assert_same(ds.sensitivity(frame), ds.sensitivity(ds.Dataset.from_frame(frame)))
    years = frame.loc[[0, 1, 2, 3] * 24].assign(year=[*range(24)] * 4)
    with pytest.warns(ds.AutomaticReading, match="'year' is set aside"):
        found = ds.sensitivity(years, discretize=None)
    assert found.variables == ("a", "b")
    read = ds.Dataset.from_frame(years)
    assert_same(ds.sensitivity(read, discretize=None), ds.sensitivity(read))


def test_defaults_are_those_of_three_quantiles():
    found = ds.sensitivity(measured(), ess=(1, 10), structure_prior="uniform")
    assert "the defaults of scores (quantile 3, ess 1, uniform, no limit)" in (found.on_defaults(min_share=0.3) or "")
