"""Lists of networks in use: indexing, comparing, predicting, and mixing results of different scores."""

from __future__ import annotations

import json
import math
import warnings

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from best.samples import random_data
from cli.running import run
from dagscape.best.requirements import best_requirements
from dagscape.data.discrete.dataset import encode_rows
from dagscape.data.tables.frames import table_from_frame
from dagscape.modes.requirements import modes_requirements
from dagscape.scores.search_planning import SearchSize


@pytest.fixture(scope="module")
def tic():
    return ds.local_scores(ds.load_dataset("tic-tac-toe"))


def test_a_list_is_a_sequence_of_networks(tic):
    best = ds.k_best(tic, 5)
    assert list(best) == list(best.networks)
    assert best[0] == best.networks[0]
    assert best[-1] == list(best)[-1]
    with pytest.raises(ValueError, match="read-only"):
        best.edges[0, 0] = 1


def test_equal_searches_give_equal_results(tic):
    best = ds.k_best(tic, 20, threads=1)
    assert best == ds.k_best(tic, 20, threads=2)
    assert hash(best) == hash(ds.k_best(tic, 20))
    assert best != ds.k_best(tic, 21)
    assert best != ds.k_best(tic, 20, "dags")
    assert ds.optimal_network(tic) == ds.optimal_network(tic)
    assert ds.posterior(tic) == ds.posterior(tic, threads=1)
    assert ds.posterior(tic) != ds.posterior(tic, "orders")


def test_coverage_takes_a_posterior_of_the_same_scores(tic):
    best, post = ds.k_best(tic, 100), ds.posterior(tic)
    assert best.coverage(post) == best.coverage(post.log_total) == pytest.approx(0.9971, abs=5e-5)
    with pytest.raises(ds.InvalidOption, match="over orders"):
        best.coverage(ds.posterior(tic, "orders"))
    other = ds.local_scores(ds.load_dataset("tic-tac-toe"), ess=2)
    with pytest.raises(ds.InvalidOption, match="different scores"):
        best.coverage(ds.posterior(other))
    for wrong in (math.nan, math.inf, "0", None):
        with pytest.raises(ds.InvalidOption, match="must be a posterior over DAGs"):
            best.coverage(wrong)


def test_coverage_refuses_a_posterior_without_data(tic, tmp_path):
    best, prior = ds.k_best(tic, 10), ds.posterior(tic, prior=True)
    assert prior.prior
    assert not ds.posterior(tic).prior
    prior.save(tmp_path / "prior.json")
    document = json.loads((tmp_path / "prior.json").read_text())
    # Earlier files say it in their provenance only.
    del document["prior"]
    (tmp_path / "older.json").write_text(json.dumps(document))
    for total in (prior, ds.load_result(tmp_path / "prior.json"), ds.load_result(tmp_path / "older.json")):
        with pytest.raises(ds.InvalidOption, match=r"total is a posterior without data \(prior=True\)"):
            best.coverage(total)


def test_weights_are_probabilities():
    best = ds.k_best(ds.local_scores(random_data(5, 200, seed=3)), 2000)
    assert math.fsum(best.weights()) == pytest.approx(1, abs=1e-15)
    for matrix in (best.edges, best.ancestors, best.blanket_probabilities()):
        assert matrix.max() <= 1
        assert matrix.min() >= 0


def test_lists_of_other_scores_are_not_compared(tic):
    best = ds.k_best(tic, 3)
    other = ds.local_scores(ds.load_dataset("tic-tac-toe"), score="bic")
    with pytest.raises(ds.InvalidOption, match="different scores"):
        best.compare(ds.k_best(other, 3))
    with pytest.raises(ds.InvalidOption, match="same variables"):
        best.compare(ds.k_best(ds.local_scores(random_data(3, 10, seed=1)), 3))
    with pytest.raises(ds.InvalidOption, match="other is an int; it must be a list of networks"):
        best.compare(5)


def test_functions_without_an_average(tic):
    best = ds.k_best(tic, 2)
    for value in ("text", (1, 2), [1], None, {}):
        with pytest.raises(ds.InvalidOption, match="only numbers, Booleans and arrays can be averaged"):
            best.average(lambda dag, value=value: value)
    assert best.average(lambda dag: np.float32(2)) == 2
    np.testing.assert_allclose(best.average(lambda dag: dag.to_adjacency()), best.edges)


def test_the_frame_of_edges(tic):
    best = ds.k_best(tic, 10)
    frame = best.edge_frame()
    assert list(frame.columns) == ["source", "target", "edge", "ancestor", "compelled"]
    assert len(frame) == 90
    assert frame["edge"].is_monotonic_decreasing
    for row in frame.itertuples():
        assert row.edge == best.edge(row.source, row.target)
        assert row.ancestor == best.ancestor(row.source, row.target)
        assert row.compelled <= row.edge + 1e-12


@pytest.fixture(scope="module")
def split():
    frame = ds.load_network("asia").sample(300, seed=4).to_frame().sample(frac=1, random_state=1).reset_index(drop=True)
    return frame[:250], frame[250:]


@pytest.mark.slow
def test_rows_of_a_data_frame_keep_their_order(split):
    known, new = split
    data = ds.Dataset.from_frame(known)
    best = ds.k_best(ds.local_scores(data), 20)
    found = best.predict(data, new.drop(columns="lung"), "lung")
    assert found.index.equals(new.index)
    logs = best.log_predictive(data, new)
    assert logs.shape == (50,)
    for i, index in enumerate(new.index):
        one = ds.Dataset.from_frame(new.loc[[index]], levels=dict(data.levels))
        np.testing.assert_allclose(best.predict(data, one, "lung").to_numpy()[0], found.loc[index])
        assert best.log_predictive(data, one)[0] == pytest.approx(logs[i])


def test_predictions_use_the_prior_of_the_scores(split):
    known, new = split
    data = ds.Dataset.from_frame(known)
    best = ds.k_best(ds.local_scores(data, ess=5), 5)
    np.testing.assert_array_equal(best.log_predictive(data, new), best.log_predictive(data, new, ess=5))
    assert not np.allclose(best.log_predictive(data, new), best.log_predictive(data, new, ess=1))
    k2 = ds.k_best(ds.local_scores(data, score="k2"), 5, "dags")
    np.testing.assert_array_equal(k2.log_predictive(data, new), k2.log_predictive(data, new, prior="k2"))


def test_predictions_need_the_data_that_were_scored(split):
    known, new = split
    data = ds.Dataset.from_frame(known)
    best = ds.k_best(ds.local_scores(data), 5)
    with pytest.raises(ds.InvalidOption, match="not the data that the scores come from"):
        best.predict(ds.Dataset.from_frame(new), new, "lung")
    with pytest.raises(ds.InvalidOption, match="train is a list"):
        best.log_predictive([known], new)
    np.testing.assert_array_equal(best.log_predictive(known, new), best.log_predictive(data, new))
    pd.testing.assert_frame_equal(best.predict(known, new, "lung"), best.predict(data, new, "lung"))
    with pytest.raises(ds.InvalidOption, match="'lnug' is not a variable; did you mean 'lung'"):
        best.predict(data, new, "lnug")
    for predict in (best.predict, best.classify):
        with pytest.raises(ds.InvalidOption, match=r"^target is a list; it must be the name of one variable$"):
            predict(data, new, ["lung", "smoke"])


def test_places_of_rows():
    frame = pd.DataFrame({"a": ["y", "x", "y", "x"], "b": ["1", "2", "1", "1"]})
    data, places = encode_rows(table_from_frame(frame), levels={"a": ["x", "y"], "b": ["1", "2", "3"]})
    assert [
        [data.levels[v][c] for v, c in zip("ab", data.codes[i], strict=True)] for i in places
    ] == frame.to_numpy().tolist()


def test_results_are_networks_on_the_command_line(capfd, tmp_path, tic):
    best = ds.k_best(tic, 3)
    best.save(tmp_path / "best.json")
    ds.optimal_network(tic).save(tmp_path / "optimal.json")
    ds.posterior(tic).save(tmp_path / "posterior.json")
    code, out, _ = run(capfd, "compare", tmp_path / "best.json", tmp_path / "optimal.json", "--json")
    assert code == 0
    assert '"shd": 0' in out
    code, out, _ = run(capfd, "draw", tmp_path / "best.json", "--class")
    assert code == 0
    assert out.startswith("<svg")
    code, _, err = run(capfd, "compare", tmp_path / "posterior.json", tmp_path / "best.json")
    assert code == 2
    assert "which has no networks: write its consensus network with 'dagscape posterior DATA --consensus" in err


def test_constant_columns_are_told(capfd, tmp_path):
    path = tmp_path / "constant.csv"
    path.write_text("a,b\n0,1\n1,1\n0,1\n")
    for command in ("best", "modes", "posterior"):
        code, _, err = run(capfd, command, path)
        assert code == 0
        assert "'b' has the same value, '1', in every row" in err


FIXED = ("--settings", "fixed")


def test_the_share_of_all_dags_on_the_command_line(capfd):
    code, out, _ = run(capfd, "best", "builtin:tic-tac-toe", "-k", 100, "--coverage", *FIXED)
    assert code == 0
    assert "The list covers 99.71% of the posterior probability of all DAGs" in out


def test_the_share_stands_in_the_first_lines_if_the_sum_is_affordable(capfd, monkeypatch):
    sentence = "The list covers 99.71% of the posterior probability of all DAGs"
    asked = ["best", "builtin:tic-tac-toe", "-k", 100, *FIXED]
    code, out, err = run(capfd, *asked)
    assert (code, err) == (0, "")
    assert out.splitlines()[0].startswith("The best 100 equivalence classes")
    assert out.splitlines()[1] == sentence
    assert "The list covers" not in run(capfd, *asked, "--no-coverage")[1]
    # Neither where it would not fit, nor where it would take long, unless it is requested.
    assert "The list covers" not in run(capfd, *asked, "--max-memory", "450KiB")[1]
    monkeypatch.setattr("dagscape.cli.commands.best._SURELY_QUICK", 1)
    monkeypatch.setattr("dagscape.cli.commands.best.sum_seconds", lambda *_: 60.0)
    assert "The list covers" not in run(capfd, *asked)[1]
    assert sentence in run(capfd, *asked, "--coverage")[1]


def test_the_share_of_a_score_file(capfd, tmp_path, tic):
    ds.write_scores(tic, tmp_path / "tic.npz")
    assert "The list covers" in run(capfd, "best", tmp_path / "tic.npz")[1]
    # Without all families, the sum would be too small.
    pruned = ds.FamilyTable({"a": {(): -1.0}, "b": {(): -1.0, ("a",): -0.5}})
    ds.write_scores(pruned, tmp_path / "pruned.jkl")
    unknown = ["best", tmp_path / "pruned.jkl", "--space", "dags"]
    assert "The list covers" not in run(capfd, *unknown)[1]
    code, out, err = run(capfd, *unknown, "--coverage")
    assert code == 0
    assert "The list covers" in out
    assert "families are missing" in err


def test_the_share_is_part_of_the_document(capfd, tmp_path, tic):
    for options in ([], ["--coverage"]):
        code, out, _ = run(capfd, "best", "builtin:tic-tac-toe", "-k", 100, "--json", *FIXED, *options)
        document = json.loads(out)
        assert code == 0
        assert document["coverage"] == pytest.approx(0.9971, abs=5e-5)
        assert document["log_total"] == ds.posterior(tic).log_total
    (tmp_path / "best.json").write_text(out)
    back = ds.load_result(tmp_path / "best.json")
    assert "covers 99.71%" in repr(back)
    assert back.coverage(back.log_total) == document["coverage"]
    assert json.loads(run(capfd, "best", "builtin:tic-tac-toe", "--json", "--no-coverage")[1])["coverage"] is None
    assert ds.k_best(tic).log_total is None
    with pytest.raises(ds.InvalidOption, match="without data"):
        ds.k_best(tic).with_total(ds.posterior(tic, prior=True))


def test_the_best_network_is_written_fitted(capfd, tmp_path):
    data = ds.load_network("asia").sample(200, seed=1)
    data.to_frame().to_csv(tmp_path / "asia.csv", index=False)
    code, out, _ = run(
        capfd, "best", tmp_path / "asia.csv", "-k", 2, "--network", tmp_path / "best.bif", "--show", 0, *FIXED
    )
    assert code == 0
    assert "rank" not in out
    network = ds.read_network(tmp_path / "best.bif")
    read = ds.read_data(tmp_path / "asia.csv")
    assert network.dag == ds.k_best(ds.local_scores(read), 1).networks[0]
    assert network.log_likelihood(read) == pytest.approx(ds.Network.fit(network.dag, read).log_likelihood(read))
    ds.write_scores(ds.local_scores(read), tmp_path / "asia.npz")
    code, _, err = run(capfd, "best", tmp_path / "asia.npz", "--network", tmp_path / "other.bif")
    assert code == 2
    assert "cannot be fitted to a score file" in err
    assert not (tmp_path / "other.bif").exists()


def test_a_sum_that_is_too_large_for_coverage_is_refused_first(capfd, tmp_path):
    random_data(22, 30, seed=1).to_frame().to_csv(tmp_path / "wide.csv", index=False)
    options = ["--max-parents", 1, "--coverage", "--max-memory", "500MiB", "-o", tmp_path / "best.json"]
    code, out, err = run(capfd, "best", tmp_path / "wide.csv", *options)
    assert (code, out) == (4, "")
    assert "sums over dags of 22 variables" in err


@pytest.mark.slow
def test_plans():
    data = random_data(12, 50, seed=1)
    best, modes = (ds.plan(data, task, max_parents=3) for task in ("best", "modes"))
    assert [step.name for step in best.steps] == ["local scores", "best network"]
    assert [step.name for step in modes.steps] == ["local scores", "bound for modes"]
    # A search for the best also has room for one network.
    size = SearchSize.complete(12, 3)
    walk = best_requirements(size, 1, 1 << 40).memory
    assert walk == modes_requirements(size, 1, 1 << 40).memory + ((16 + 2 * 12) << 10)
    assert best.steps[1].memory > walk
    assert modes.steps[1].memory > 8 << 12
    assert best.steps[1].seconds > 0
    wide = ds.plan(random_data(30, 50, seed=1), "modes", max_parents=2, max_memory="1GiB")
    assert "groups of up to 24" in wide.steps[1].work
    assert wide.fits
    assert not ds.plan(random_data(30, 50, seed=1), "best", max_parents=2, max_memory="1GiB").fits


@pytest.mark.slow
@pytest.mark.parametrize(("task", "function"), [("optimal", ds.optimal_network), ("best", ds.k_best)])
def test_plans_have_room_for_the_search_through_independent_columns(task, function):
    """The worst case: all sets of variables are visited."""
    for n, rows in ((8, 500), (12, 500), (15, 2000)):
        data = random_data(n, rows, seed=n)
        scores = ds.local_scores(data, max_parents=2)
        planned = ds.plan(data, task, max_parents=2, threads=1).steps[1].memory
        with warnings.catch_warnings():
            warnings.simplefilter("error", ds.StoppedEarly)
            found = function(scores, threads=1, max_memory=planned)
        assert getattr(found, "tied", False) is not None
        assert getattr(found, "ends_in_tie", False) is not None
    # A plan never needs more than the limit allows, and what fits does not depend on the search.
    tight = ds.plan(data, task, max_parents=2, threads=1, max_memory="4MiB")
    assert tight.fits
    assert tight.steps[1].memory == 4 << 20


def test_plans_on_the_command_line(capfd):
    code, out, _ = run(capfd, "plan", "builtin:tic-tac-toe", "--task", "modes")
    assert code == 0
    assert "bound for modes" in out
    code, _, err = run(capfd, "plan", "builtin:tic-tac-toe", "--task", "best", "--over", "orders")
    assert code == 2
    assert "--over is for --task posterior" in err
