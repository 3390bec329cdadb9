"""Multiple imputation: completed copies of tables."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dagscape as ds

ASIA = ds.load_network("asia")


def kept(frame):
    return ds.Dataset.from_frame(frame, missing="keep", levels={name: ASIA.levels[name] for name in ASIA.variables})


def asia_frame(rows=300, share=0.2):
    frame = ds.load_network("asia").sample(rows, seed=1).to_frame().astype(object)
    frame = frame.sample(frac=1, random_state=3)
    return frame.mask(np.random.default_rng(2).random(frame.shape) < share)


@pytest.mark.parametrize("parameters", ["posterior", "fixed"])
def test_copies_keep_what_was_observed(parameters):
    frame = asia_frame().assign(note=range(300))
    network = ds.Network.fit(ASIA.dag, kept(frame.drop(columns="note")), missing="em")
    copies = network.impute(frame, 3, parameters=parameters, seed=4)
    assert len(copies) == 3
    for copy in copies:
        assert copy.columns.tolist() == frame.columns.tolist()
        assert copy.index.tolist() == frame.index.tolist()
        assert not copy.isna().any().any()
        shown = frame.notna()
        assert (copy.astype(object)[shown] == frame[shown])[shown].stack().all()
    assert not copies[0].equals(copies[1])
    again = network.impute(frame, 3, parameters=parameters, seed=4)
    assert all(first.equals(second) for first, second in zip(copies, again, strict=True))
    assert kept(copies[0].drop(columns="note").astype(object)).m == 300


def test_data_sets_and_files(tmp_path):
    frame = asia_frame(100)
    data = kept(frame)
    network = ds.Network.fit(ASIA.dag, data, missing="em")
    (copy,) = network.impute(data, 1)
    rows = data.to_frame()
    assert len(copy) == 100
    assert (copy.astype(object)[rows.notna()].fillna("-") == rows.astype(object).fillna("-")).all().all()
    frame.to_csv(tmp_path / "x.csv", index=False)
    (copy,) = network.impute(tmp_path / "x.csv", 1)
    assert copy["smoke"].tolist()[0] == (
        frame["smoke"].iloc[0] if pd.notna(frame["smoke"].iloc[0]) else copy["smoke"][0]
    )


def test_fixed_cells_have_the_distribution_of_queries():
    asia = ds.load_network("asia")
    rows = pd.DataFrame({"smoke": ["yes"] * 4000, "xray": ["yes"] * 4000})
    (copy,) = asia.impute(rows, 1, parameters="fixed", seed=1)
    shares = copy["lung"].value_counts(normalize=True)
    for level, probability in asia.query("lung", {"smoke": "yes", "xray": "yes"}).items():
        assert shares[level] == pytest.approx(probability, abs=0.03)


def test_proper_copies_vary_more():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"a": rng.integers(0, 2, 30), "b": rng.integers(0, 2, 30)}).astype(object)
    frame.loc[8:, "b"] = None
    dag = ds.Dag.from_edges(["a", "b"], [("a", "b")])
    network = ds.Network.fit(dag, frame, missing="em")

    def spread(parameters):
        shares = [copy["b"].astype(int).mean() for copy in network.impute(frame, 200, parameters=parameters, seed=1)]
        return np.var(shares)

    assert spread("posterior") > 1.5 * spread("fixed")


def test_posterior_draws_are_those_of_one_incomplete_column():
    # Half of the cells of one variable are missing: its share is Beta distributed given the other half.
    shown = [1] * 6 + [0] * 2
    frame = pd.DataFrame({"a": [*shown, *[None] * 8]}, dtype=object)
    network = ds.Network.fit(ds.Dag(["a"]), ds.Dataset.from_frame(frame, missing="keep"), missing="em")
    sums = np.array([copy["a"].astype(int)[8:].sum() for copy in network.impute(frame, 2000, seed=2, ess=2.0)])
    alpha, beta, count = 6 + 1.0, 2 + 1.0, 8
    mean = count * alpha / (alpha + beta)
    variance = mean * beta / (alpha + beta) * (alpha + beta + count) / (alpha + beta + 1)
    assert sums.mean() == pytest.approx(mean, abs=0.25)
    assert sums.var() == pytest.approx(variance, rel=0.15)


def measured_frame(rows=200, share=0.3):
    rng = np.random.default_rng(5)
    x = 10 + rng.normal(size=rows)
    y = 2 * x + rng.normal(size=rows)
    frame = pd.DataFrame({"x": x, "y": y})
    return frame.mask(rng.random(frame.shape) < share)


def test_numbers_are_drawn_from_their_regressions():
    frame = measured_frame()
    dag = ds.Dag.from_edges(["x", "y"], [("x", "y")])
    network = ds.GaussianNetwork.fit(dag, frame, missing="em")
    fixed = network.impute(frame, 20, parameters="fixed", seed=1)
    proper = network.impute(frame, 20, seed=1)
    for copy in (*fixed, *proper):
        assert copy.index.tolist() == frame.index.tolist()
        np.testing.assert_allclose(copy.to_numpy()[frame.notna()], frame.to_numpy()[frame.notna()], rtol=1e-12)
    for copies in (fixed, proper):
        slopes = [np.polyfit(copy["x"], copy["y"], 1)[0] for copy in copies]
        assert np.mean(slopes) == pytest.approx(2.0, abs=0.2)
    gap = frame["x"].notna() & frame["y"].isna()
    drawn = np.stack([copy["y"][gap] for copy in network.impute(frame, 400, parameters="fixed", seed=2)])
    found = network.predict(frame[gap][["x"]], "y")
    np.testing.assert_allclose(drawn.mean(axis=0), found["mean"], atol=0.25)
    np.testing.assert_allclose(drawn.std(axis=0), found["sd"], rtol=0.15)


def test_mixed_tables_are_completed():
    rng = np.random.default_rng(6)
    group = rng.integers(0, 2, 200)
    frame = pd.DataFrame({"group": np.array(["u", "v"])[group], "x": group * 3 + rng.normal(size=200)}).astype(object)
    frame = frame.mask(rng.random(frame.shape) < 0.2)
    frame["x"] = frame["x"].astype(float)
    data = ds.MixedData.from_frame(frame, missing="keep", numeric=["x"])
    dag = ds.Dag.from_edges(["group", "x"], [("group", "x")])
    network = ds.ConditionalGaussianNetwork.fit(dag, data, missing="em")
    for parameters in ("fixed", "posterior"):
        for copy in network.impute(frame, 2, parameters=parameters):
            assert not copy.isna().any().any()
            means = copy.groupby("group", observed=True)["x"].mean()
            assert means["v"] - means["u"] == pytest.approx(3, abs=0.7)
    assert len(network.impute(data, 2)) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"copies": 0}, "copies is 0; it must be an integer of at least 1"),
        ({"parameters": "drawn"}, "parameters is 'drawn'; it must be one of 'posterior', 'fixed'"),
        ({"ess": -1}, "ess is -1; it must be a number"),
    ],
)
def test_wrong_options_are_refused(options, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.load_network("asia").impute(asia_frame(10), **options)
    with pytest.raises(ds.InvalidOption, match=message):
        ds.GaussianNetwork(ds.Dag(["x"]), {"x": ds.Regression(0.0)}).impute(pd.DataFrame({"x": [1.0]}), **options)
