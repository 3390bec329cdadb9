"""The choice of posteriors between exact sums and Markov chains: in Python, on the command line, and in plans."""

from __future__ import annotations

import importlib
import json
import re
import signal
import threading

import numpy as np
import pytest

import dagscape as ds
from cli.running import run
from dagscape.posterior.planned import _Planned
from dagscape.posterior.sum_plan import SumPlan
from dagscape.report.tables import render
from dagscape.report.terminal import terminal_text
from dagscape.sampling import method_choice, running_chains
from task_inputs import dependent_data

CHAINS = {"draws": 200, "chains": 2, "threads": 1}


@pytest.fixture(scope="module")
def scores() -> ds.EnumerableScores:
    return ds.local_scores(dependent_data(6, 150))


@pytest.fixture(scope="module")
def many() -> ds.EnumerableScores:
    """More variables than any sum can have."""
    return ds.local_scores(dependent_data(45, 40), max_parents=1)


def test_what_fits_is_summed(scores):
    exact = ds.posterior(scores, method="exact")
    assert ds.posterior(scores) == exact
    # They are for the case that chains run.
    assert ds.posterior(scores, draws=100, chains=1) == exact
    assert exact.method == "exact"
    assert exact.to_dict()["method"] == "exact"


@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
def test_chains_on_request(scores):
    drawn = ds.posterior(scores, method="chain", seed=3, **CHAINS)
    assert drawn == ds.chain(scores, seed=3, **CHAINS)
    assert (drawn.method, drawn.over, len(drawn)) == ("chain", "dags", 400)
    assert "because" not in drawn.provenance.parameters
    np.testing.assert_allclose(drawn.edges, ds.posterior(scores).edges, atol=0.2)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
def test_chains_where_the_sum_does_not_fit(many, tmp_path):
    drawn = ds.posterior(many, **CHAINS)
    reason = drawn.provenance.parameters["because"]
    assert reason.startswith("sums over dags")
    shown = " ".join(terminal_text(render(drawn), 200).split())
    assert f"by Markov chains, because {reason} " in shown
    assert drawn.diagnostics.verdict in shown
    drawn.save(tmp_path / "drawn.json")
    assert ds.load_result(tmp_path / "drawn.json").provenance.parameters["because"] == reason
    assert ds.posterior(many, ancestors=True, compelled=True, **CHAINS) == drawn


@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
def test_chains_of_scores_on_demand():
    on_demand = ds.family_scores(dependent_data(5, 60))
    drawn = ds.posterior(on_demand, **CHAINS)
    assert drawn.provenance.parameters["because"] == "the scores are computed on demand"
    for options in ({"method": "exact"}, {"over": "orders"}, {"via": "all"}):
        with pytest.raises(ds.InvalidOption, match="scores are computed on demand, but this method needs"):
            ds.posterior(on_demand, **options)


@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
def test_chains_where_the_sum_takes_too_long(scores, monkeypatch, tmp_path):
    monkeypatch.setattr(method_choice, "_SURELY_QUICK", 1)
    exact = ds.posterior(scores, max_seconds=100, threads=1)
    assert exact.method == "exact"
    monkeypatch.setattr(method_choice, "_MOST_SECONDS", 0.0)
    drawn = ds.posterior(scores, **CHAINS)
    assert drawn.provenance.parameters["because"].startswith("the exact sum would take about ")
    # Who saves the work of a sum has the time.
    assert ds.posterior(scores, checkpoint=tmp_path / "saved") == exact


def test_neither_fits(scores):
    with pytest.raises(
        ds.TooLarge, match=r"^sums over dags of 6 variables need .*; chain\(\) samples DAGs of hundreds"
    ):
        ds.posterior(scores, max_memory=1000)


def test_orders_are_never_replaced_by_chains(many):
    with pytest.raises(ds.InvalidOption, match="up to 40 variables; there are 45"):
        ds.posterior(many, "orders", max_memory="100000TiB")
    with pytest.raises(
        ds.TooLarge, match=r"chain\(\) samples DAGs of hundreds of variables; learn\(\) .*; plan\(\) names what fits$"
    ):
        ds.posterior(many, "orders", max_memory="1GiB")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "mcmc"}, "method is 'mcmc'; it must be one of 'auto', 'exact', 'chain'"),
        (
            {"method": "chain", "over": "orders"},
            "method is 'chain', but chains sample DAGs, not orders: use over='dags'",
        ),
        ({"method": "chain", "via": "all"}, "via is an option of exact sums: use method='exact'"),
        ({"method": "chain", "prior": True}, "prior is an option of exact sums: use method='exact'"),
        ({"method": "chain", "backend": "cpu"}, "backend is an option of exact sums: use method='exact'"),
        (
            {"method": "chain", "compelled_samples": 7},
            "compelled_samples is an option of exact sums: use method='exact'",
        ),
        (
            {"method": "chain", "order_weights": np.zeros((6, 6))},
            "order_weights is an option of exact sums: use method",
        ),
        ({"method": "exact", "draws": 10}, "draws is an option of chains: use method='chain'"),
        ({"over": "orders", "chains": 2}, "chains is an option of chains: use method='chain'"),
        ({"via": "all", "thin": 2}, "thin is an option of chains: use method='chain'"),
        ({"backend": "cpu", "max_seconds": 2}, "max_seconds is an option of chains: use method='chain'"),
        ({"over": "trees"}, "over is 'trees'"),
        ({"compelled": "yes"}, "compelled is 'yes'"),
    ],
    ids=str,
)
def test_options_of_the_other_method_are_refused(scores, options, message):
    with pytest.raises(ds.InvalidOption) as caught:
        ds.posterior(scores, **options)
    assert str(caught.value).startswith(message)


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    dependent_data(6, 150).to_frame().to_csv(path, index=False)
    return path


QUICK = ("--draws", 200, "--chains", 2, "--threads", 1)


def test_chains_of_a_command(table, tmp_path, capfd):
    code, out, err = run(capfd, "posterior", table, "--method", "chain", *QUICK, "--consensus", tmp_path / "c.csv")
    assert code == 0
    assert out.startswith("Samples over dags: 2 chains of 200 networks, best score")
    assert "R-hat" in out
    assert "because" not in out + err
    assert (tmp_path / "c.csv").exists()
    code, out, _ = run(capfd, "posterior", table, "--method", "chain", *QUICK, "--seed", 1, "--json")
    document = json.loads(out)
    assert (code, document["method"], document["chains"], len(document["scores"])) == (0, "chain", 2, 400)
    assert document["provenance"]["seed"] == 1
    assert json.loads(run(capfd, "posterior", table, "--json")[1])["method"] == "exact"


@pytest.mark.slow
def test_a_command_that_chooses_chains_says_why(tmp_path, capfd):
    path = tmp_path / "wide.csv"
    dependent_data(45, 40).to_frame().to_csv(path, index=False)
    code, out, err = run(capfd, "posterior", path, "--max-parents", 1, *QUICK)
    assert code == 0
    assert "dagscape: running Markov chains, because sums over dags" in err
    assert "by Markov chains, because sums over dags" in out
    code, _, err = run(capfd, "posterior", path, "--max-parents", 1, "--method", "exact", "--max-memory", "1GiB")
    assert code == 4
    assert "dagscape posterior --method chain samples DAGs of hundreds of variables" in err
    assert run(capfd, "posterior", path, "--max-parents", 1, "--max-memory", "20KiB")[0] == 4


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--method", "chain", "--via-all"), "--via-all is an option of exact sums: use --method exact"),
        (("--method", "chain", "--prior-only"), "--prior-only is an option of exact sums: use --method exact"),
        (("--method", "exact", "--draws", 7), "--draws is an option of chains: use --method chain"),
        (
            ("--method", "chain", "--over", "orders"),
            "--method is 'chain', but chains sample DAGs, not orders: use --over",
        ),
        (("--draws", 1), "--draws"),
    ],
    ids=str,
)
def test_a_command_refuses_options_of_the_other_method(table, capfd, options, message):
    code, _, err = run(capfd, "posterior", table, *options)
    assert code == 2
    assert message in err


@pytest.mark.slow
def test_an_interrupted_command_prints_what_was_drawn(table, capfd, monkeypatch):
    extend, calls = running_chains.OneChain.extend, []

    def counted(chain, *arguments):
        extend(chain, *arguments)
        calls.append(chain)
        if len(calls) == 10:
            signal.pthread_kill(main, signal.SIGINT)

    main = threading.main_thread().ident
    monkeypatch.setattr(running_chains.OneChain, "extend", counted)
    code, out, err = run(capfd, "posterior", table, "--method", "chain", "--chains", 1, "--draws", 100_000)
    assert code == 130
    assert out.startswith("Samples over dags: 1 chain of ")
    assert "Ctrl-C ended the chains: the networks are those drawn by then" in err
    assert "interrupted" in err


@pytest.mark.slow
def test_plans_advise_chains():
    advice = ds.plan(dependent_data(45, 40), "posterior", threads=1, max_memory="1GiB").advice
    chains, learner = "posterior() with method='chain' samples DAGs by Markov chains", "learn() finds one good network"
    assert chains not in advice
    assert learner in advice
    # Sums over orders are not replaced by chains, which sample DAGs.
    over_orders = ds.plan(dependent_data(45, 40), "posterior", over="orders", threads=1, max_memory="1GiB").advice
    assert 0 < over_orders.index(f"{chains}; ") < over_orders.index(learner)
    assert chains in ds.plan(dependent_data(45, 40), "sample-dags", threads=1, max_memory="1GiB").advice
    assert chains not in ds.plan(dependent_data(45, 40), "best", threads=1, max_memory="1GiB").advice


@pytest.mark.slow
def test_plans_have_the_chains_that_run_in_place_of_a_sum(tmp_path):
    data = dependent_data(17, 40)
    options = {"threads": 1, "max_memory": "20MiB"}
    planned = ds.plan(data, "posterior", **options)
    assert planned.fits
    with pytest.warns(ds.UnconvergedChains):
        assert ds.posterior(data, chains=2, draws=20, **options).method == "chain"
    assert [step.name for step in planned.steps] == ["local scores", "sum over dags"]
    assert planned.instead.name == "chains"
    assert planned.instead.time.startswith("up to ")
    assert not any(step.at_most for step in planned.steps)
    assert (planned.memory, planned.seconds) == (planned.instead.memory, planned.instead.seconds)
    assert list(planned.to_frame()["step"]) == ["local scores", "sum over dags", "chains"]
    assert planned.verdict == "The exact sum does not fit; posterior runs chains, which fit: the limit is 20.0 MiB."
    assert re.fullmatch(r"an exact sum fits with over='orders', max_parents=\d", planned.advice)
    assert "; chains in place of the exact sum; fits 20.0 MiB)" in repr(planned)
    assert ds.load_result(planned.save(tmp_path / "plan.json") or tmp_path / "plan.json") == planned
    # Who insists on a sum, or asks for what chains do not have, gets none.
    for others in ({"over": "orders", "max_memory": "400kB"}, {"max_memory": "300kB"}):
        refused = ds.plan(data, "posterior", **options | others)
        assert not refused.fits
        assert refused.instead is None
        assert refused.verdict.startswith("It does not fit: ")


def test_plans_of_sums_that_take_long_have_chains(monkeypatch):
    monkeypatch.setattr(_Planned, "plan", lambda *_: SumPlan(1000, lambda: 1e5))
    planned = ds.plan(dependent_data(6, 50), "posterior", threads=1)
    assert planned.fits
    assert planned.advice == "posterior() with method='exact' sums nevertheless"
    shown = terminal_text(render(planned), 200)
    assert "The exact sum takes too long; posterior runs chains, which fit: the limit is " in shown
    assert f"Advice: {planned.advice}." in shown
    orders = ds.plan(dependent_data(6, 50), "posterior", over="orders", threads=1)
    assert orders.advice == "if that is too long, posterior() with method='chain' samples DAGs by Markov chains"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "options", "families"),
    [(5, {}, "all families"), (60, {}, "all families"), (60, {"max_parents": 8}, "candidate families")],
)
def test_plans_of_chains(n, options, families):
    planned = ds.plan(dependent_data(n, 50), "chain", chains=2, draws=300, threads=1, **options)
    assert planned.fits
    assert planned.steps[0].work == f"2 chains with 300 networks each, {families}"
    longer = ds.plan(dependent_data(n, 50), "chain", chains=2, draws=30_000, threads=1, **options)
    assert longer.memory > planned.memory
    assert longer.seconds > planned.seconds


def test_chains_refuse_more_draws_than_fit(scores):
    with pytest.raises(ds.TooLarge, match=r"^4 chains of networks of 6 variables need .*use fewer draws or chains$"):
        ds.chain(scores, draws=10**9, max_memory="1GiB")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "summing exactly over the dags of 8 variables, for an average over 16 settings, which takes about "),
        ({"settings": "fixed"}, "summing exactly over the dags of 8 variables, which takes about "),
        ({"settings": "best", "over": "orders"}, "summing exactly over the orders of 8 variables, which takes about "),
    ],
)
def test_a_long_sum_is_announced(monkeypatch, caplog, options, said):
    monkeypatch.setattr(method_choice, "LONG_SECONDS", 0.0)
    monkeypatch.setattr(importlib.import_module("dagscape.studies.posterior"), "_SURELY_QUICK", 0)
    caplog.set_level("INFO", logger="dagscape.method")
    data = ds.load_network("asia").sample(100, seed=1)
    ds.posterior(data, **options)
    assert [message.startswith(said) for message in caplog.messages] == [True]


def test_a_sum_of_seconds_is_not_announced(monkeypatch, caplog):
    monkeypatch.setattr(importlib.import_module("dagscape.studies.posterior"), "_SURELY_QUICK", 0)
    caplog.set_level("INFO", logger="dagscape.method")
    ds.posterior(ds.load_network("asia").sample(100, seed=1))
    assert caplog.messages == []


def test_the_command_line_shows_it(monkeypatch, capfd):
    monkeypatch.setattr(method_choice, "LONG_SECONDS", 0.0)
    monkeypatch.setattr(importlib.import_module("dagscape.studies.posterior"), "_SURELY_QUICK", 0)
    _, _, err = run(capfd, "posterior", "builtin:tic-tac-toe", "--settings", "fixed", "--no-compelled")
    assert "dagscape: summing exactly over the dags of 10 variables, which takes about " in err
    assert run(capfd, "posterior", "builtin:tic-tac-toe", "--settings", "fixed", "--quiet")[2] == ""
