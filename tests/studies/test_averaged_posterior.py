"""Posteriors averaged over settings: against all DAGs under all settings, and what users see of the settings."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.core.resources import Budget
from dagscape.posterior.evidence import best_of
from dagscape.posterior.grids import AVERAGED_PRIORS, AVERAGED_SIZES, parents_by_rows
from oracles.averaged import averaged


def table(n: int, rows: int, seed: int, copied: float = 0.6) -> ds.Dataset:
    """Columns that follow one another at times."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, 2, (rows, n))
    codes[:, 0] = rng.integers(0, 3, rows)
    for column in range(1, n):
        same = rng.random(rows) < copied
        codes[same, column] = codes[same, column - 1] % 2
    return ds.Dataset.from_codes(codes, {f"v{i}": list("abc" if i == 0 else "ab") for i in range(n)})


def rows_of(data: ds.Dataset) -> list[tuple[int, ...]]:
    frame = data.to_frame()
    return [tuple("abc".index(cell) for cell in row) for row in frame.itertuples(index=False)]


@pytest.mark.parametrize(("n", "rows", "seed"), [(3, 20, 1), (3, 400, 2), (4, 20, 3), (4, 150, 4)])
def test_the_average_is_that_over_all_dags_and_settings(n, rows, seed):
    data = table(n, rows, seed)
    arities = data.arities.tolist()
    most = parents_by_rows(arities, data.m)
    logs, edges, ancestors, compelled = averaged(rows_of(data), arities, AVERAGED_SIZES, AVERAGED_PRIORS, most)
    post = ds.posterior(data, compelled=True, compelled_samples=4000)
    assert [setting.log_evidence for setting in post.settings] == pytest.approx(logs, abs=1e-8)
    assert post.edges == pytest.approx(edges, abs=1e-9)
    assert post.ancestors == pytest.approx(ancestors, abs=1e-9)
    assert post.log_evidence == pytest.approx(np.logaddexp.reduce(logs) - np.log(len(logs)), abs=1e-8)
    assert post.setting_shares.sum() == pytest.approx(1)
    assert (np.abs(post.compelled - compelled) <= 5 * post.compelled_errors + 1e-9).all()
    assert post.error < 1e-9


def test_paths_and_orders_are_averaged():
    data = table(4, 60, 5)
    settings = [{"ess": ess, "structure_prior": prior} for ess in AVERAGED_SIZES for prior in AVERAGED_PRIORS]
    for over, options in (("dags", {"via": "all"}), ("orders", {"ancestors": True})):
        alone = [ds.posterior(ds.local_scores(data, **setting), over, **options) for setting in settings]
        logs = np.array([post.log_evidence for post in alone])
        shares = np.exp(logs - np.logaddexp.reduce(logs))
        post = ds.posterior(data, over, **options)
        for feature in ("edges", "ancestors", "paths"):
            if getattr(alone[0], feature) is not None:
                expected = sum(share * getattr(each, feature) for share, each in zip(shares, alone, strict=True))
                assert getattr(post, feature) == pytest.approx(expected, abs=1e-10)


def test_what_is_given_is_not_averaged():
    data = table(4, 80, 6)
    fixed = ds.posterior(data, ess=2.0)
    assert {setting.ess for setting in fixed.settings} == {2.0}
    assert [setting.structure_prior for setting in fixed.settings] == list(AVERAGED_PRIORS)
    prior = ds.posterior(data, structure_prior="per-size", max_parents=2)
    assert [setting.ess for setting in prior.settings] == list(AVERAGED_SIZES)
    assert all(setting.max_parents == 2 for setting in prior.settings)
    # Fixed settings are the posterior of their scores, to the last bit.
    scored = ds.posterior(ds.local_scores(data))
    for given in ({"settings": "fixed"}, {"ess": 1.0, "structure_prior": "uniform", "max_parents": None}):
        alone = ds.posterior(data, **given)
        assert alone.settings == ()
        assert np.array_equal(alone.edges, scored.edges)
        assert alone.log_evidence == scored.log_evidence


@pytest.mark.parametrize(("score", "settings"), [("k2", 4), ("bic", 4), ("aic", 0), ("loglik", 0)])
def test_scores_that_are_no_probabilities_have_one_setting(score, settings):
    assert len(ds.posterior(table(3, 50, 7), score=score).settings) == settings


def test_constraints_and_frames():
    data = table(4, 80, 8)
    post = ds.posterior(data.to_frame(), forbidden=[("v0", "v1")], tiers=[["v0", "v1"], ["v2", "v3"]])
    assert post.edge("v0", "v1") == 0
    assert post.edge("v3", "v0") == 0
    assert post.score_info.forbidden
    assert post.score_info.structure_prior == "averaged"


def test_equivalent_networks_stay_equivalent():
    """Two variables: both directions have the same probability, whatever the settings."""
    post = ds.posterior(table(2, 50, 9))
    assert post.edges[0, 1] == pytest.approx(post.edges[1, 0], abs=1e-14)


def test_results_are_saved_with_their_settings(tmp_path):
    post = ds.posterior(table(3, 50, 10), compelled=True)
    for name in ("post.json", "post.npz"):
        post.save(tmp_path / name)
        assert ds.load_result(tmp_path / name) == post
    frame = post.settings_frame()
    assert frame["share"].is_monotonic_decreasing
    assert list(frame.columns) == ["setting", "ess", "structure_prior", "max_parents", "log_evidence", "share"]


def test_what_is_printed_says_that_it_is_an_average():
    data = table(3, 50, 10)
    assert "3 variables, averaged over 16 settings, " in repr(ds.posterior(data))
    assert "settings" not in repr(ds.posterior(data, settings="fixed"))


def test_threads_do_not_change_bits():
    data = table(5, 100, 11)
    one, two = (ds.posterior(data, compelled=True, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.edges, two.edges)
    assert np.array_equal(one.compelled, two.compelled)


def test_chains_use_the_best_setting():
    data = table(6, 300, 12)
    exact = ds.posterior(data)
    best = exact.settings_frame().iloc[0]
    drawn = ds.posterior(data, method="chain", draws=400, chains=2)
    assert drawn.score_info.parameters == {"ess": best["ess"]}
    assert drawn.score_info.structure_prior == best["structure_prior"]
    assert ds.posterior(data, method="chain", draws=400, chains=2, ess=5.0).score_info.parameters == {"ess": 5.0}


def test_the_best_setting_of_wide_tables_comes_from_parts_of_them():
    wide = table(24, 200, 13)
    found = best_of(wide, {"forbidden": [("v0", "v23")]}, Budget.of(1, None))
    assert found.chosen["ess"] in AVERAGED_SIZES
    assert found.chosen["structure_prior"] in AVERAGED_PRIORS
    assert found.chosen["max_parents"] == parents_by_rows(wide.arities, wide.m)
    assert (
        found.words
        == "the highest evidence of 16 settings, in 9 parts of the columns; at most 5 parents, by the number of rows"
    )
    given = best_of(wide, {"structure_prior": "per-size", "max_parents": 3}, Budget.of(1, None))
    assert given.chosen.keys() == {"ess"}


def test_options_of_one_sum_are_refused(tmp_path):
    data = table(3, 30, 14)
    for options in (
        {"prior": True},
        {"checkpoint": tmp_path},
        {"order_weights": {("v0", "v1"): 1.0}, "over": "orders"},
    ):
        words = "is an option of one sum, not of an average: use settings='best' or settings='fixed'"
        with pytest.raises(ds.InvalidOption, match=words):
            ds.posterior(data, **options)
        ds.posterior(data, settings="fixed", **options)
    with pytest.raises(ds.InvalidOption, match=r"ess is an option of local_scores\(\); these scores have theirs"):
        ds.posterior(ds.local_scores(data), ess=2.0)
    with pytest.raises(ds.InvalidOption, match="max_parent"):
        ds.posterior(data, max_parent=2)


def test_noise_has_no_certain_edges():
    """Nearly uniform variables of a survey: the settings of old defaults found certain parents."""
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({f"q{i}": rng.integers(0, 4, 400) for i in range(9)} | {"sex": rng.integers(0, 2, 400)})
    post = ds.posterior(frame.astype(str))
    assert post.adjacencies.max() < 0.1
    assert ds.posterior(frame.astype(str), settings="fixed").adjacencies.max() > 0.9


def test_few_rows_limit_parents_and_results_say_so():
    """Where every cell holds one row, BDeu costs ln r a row and no more: the evidence alone does not see that."""
    rng = np.random.default_rng(4)
    data = ds.Dataset.from_codes(rng.integers(0, 4, (300, 8)), {f"v{i}": list("abcd") for i in range(8)})
    post = ds.posterior(data)
    assert {setting.max_parents for setting in post.settings} == {2}
    assert post.adjacencies.max() < 0.5
    best = ds.k_best(data, k=1)
    assert best.score_info.max_parents == 2
    assert best.score_info.choice.startswith("the highest evidence of 16 settings, with a share of 0.")
    assert best.score_info.choice.endswith("at most 2 parents, by the number of rows")
    assert ds.k_best(data, k=1, max_parents=None).score_info.max_parents == 7


def test_all_methods_use_the_best_setting():
    data = table(6, 300, 12)
    best = ds.posterior(data).settings_frame().iloc[0]
    found = [
        ds.k_best(data, 3),
        ds.optimal_network(data),
        ds.modes(data, 3),
        ds.learn(data),
        ds.sample_dags(data, 10),
        ds.bootstrap(data, samples=3, workers=1),
        ds.posterior(data, settings="best"),
    ]
    for result in found:
        assert result.score_info.parameters == {"ess": best["ess"]}
        assert result.score_info.structure_prior == best["structure_prior"]
        assert "highest evidence of 16 settings" in result.score_info.choice
    fixed = [
        ds.k_best(data, 3, settings="fixed"),
        ds.learn(data, settings="fixed"),
        ds.modes(data, 3, settings="fixed"),
        ds.sample_dags(data, 10, settings="fixed"),
        ds.bootstrap(data, samples=3, workers=1, settings="fixed"),
    ]
    scores = ds.local_scores(data)
    for result in fixed:
        assert result.score_info == scores.info
        assert result.score_info.choice == ""
    assert fixed[0].networks == ds.k_best(scores, 3).networks
    next(iter(ds.iter_best(data)))


@pytest.mark.parametrize("function", [ds.k_best, ds.modes, ds.learn, ds.sample_dags, ds.optimal_network, ds.posterior])
def test_settings_are_checked(function):
    data = table(3, 30, 15)
    with pytest.raises(ds.InvalidOption, match="settings is 'all'; it must be one of"):
        function(data, settings="all")
    with pytest.raises(ds.InvalidOption, match="ess"):
        function(ds.local_scores(data), ess=2.0)


def test_pictures_say_over_what_it_is_averaged():
    post = ds.posterior(ds.load_dataset("iris"))
    said = "averaged over 16 settings, by the evidence for each"
    assert (post.average_line, said in post.draw()) == (said, True)
    alone = ds.posterior(ds.load_dataset("iris"), ess=1, structure_prior="uniform")
    assert (alone.average_line, "averaged" in alone.draw()) == ("", False)
