"""The bootstrap: samples, confidences, worker processes that leave nothing behind, tables and files."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
import warnings
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import dagscape as ds
from cli.running import run
from dagscape.data.resampling import resampled
from dagscape.report.tables import render
from dagscape.report.terminal import terminal_text
from dagscape.running import repetitions
from dagscape.search import registry
from dagscape.search.job import Found
from dagscape.search.learner import Learner
from worker_tasks import die, stumble

SAMPLES = 25


@pytest.fixture(scope="module")
def data():
    return ds.load_network("asia").sample(300, seed=2).select(["smoke", "lung", "bronc", "either", "dysp"])


@pytest.fixture(scope="module")
def found(data):
    return ds.bootstrap(data, "optimal", samples=SAMPLES, workers=1)


def expected_shares(networks, feature):
    """The oracle: every member of the class of every network."""
    total = np.zeros((networks[0].n, networks[0].n))
    for network in networks:
        members = list(network.to_cpdag().members())
        total += sum(feature(member) for member in members) / len(members)
    return total / len(networks)


def ancestor_matrix(dag):
    return np.array([[u in dag.ancestors(v) for v in dag.variables] for u in dag.variables], dtype=float)


def test_samples_have_as_many_rows_and_all_levels(data):
    rng = np.random.default_rng(1)
    totals = np.zeros(len(data.codes))
    index = {tuple(row): place for place, row in enumerate(data.codes.tolist())}
    for _ in range(200):
        sample = resampled(data, rng)
        assert sample.m == data.m
        assert sample.levels == data.levels
        rows = sample.codes.tolist()
        assert rows == sorted(rows)
        for row, weight in zip(rows, sample.weights, strict=True):
            totals[index[tuple(row)]] += weight
    # The mean number of each row is its number in the data, within four standard errors.
    assert (np.abs(totals / 200 - data.weights) <= 4 * np.sqrt(data.weights / 200)).all()


def test_samples_keep_the_interventions_of_their_rows():
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 2, (40, 3))
    marks = np.zeros((40, 3), dtype=bool)
    marks[:2, 0] = True
    data = ds.Dataset.from_codes(codes, {"a": 2, "b": 2, "c": 2}, interventions=marks)
    seen = {(*row, *mark) for row, mark in zip(data.codes.tolist(), data.interventions.tolist(), strict=True)}
    experimental = set()
    for _ in range(60):
        sample = resampled(data, rng)
        experimental.add(sample.experimental_rows)
        if sample.interventions is None:
            assert sample.experimental_rows == 0
            continue
        rows = zip(sample.codes.tolist(), sample.interventions.tolist(), strict=True)
        assert {(*row, *mark) for row, mark in rows} <= seen
    assert {0, 1} < experimental


def test_each_network_is_the_one_that_learn_finds(data, found):
    rngs = np.random.default_rng(0).spawn(SAMPLES)
    for network, score, rng in zip(found.networks, found.scores, rngs, strict=True):
        sample = resampled(data, rng)
        with warnings.catch_warnings():
            # A sample may have copies that the data do not have.
            warnings.simplefilter("ignore", ds.RelatedColumns)
            single = ds.learn(sample, "optimal", seed=rng)
        assert network == single.network
        assert score == single.score


def test_confidences_are_averages_over_the_members_of_classes(found):
    assert found.level == "classes"
    np.testing.assert_allclose(found.edges, expected_shares(found.networks, ds.Dag.to_adjacency), atol=1e-12)
    np.testing.assert_allclose(found.ancestors, expected_shares(found.networks, ancestor_matrix), atol=1e-12)
    assert found.average(lambda dag: dag.to_adjacency().astype(float)) == pytest.approx(found.edges)
    directed, undirected = np.zeros((5, 5)), np.zeros((5, 5))
    for network in found.networks:
        cpdag = network.to_cpdag()
        for u, v in cpdag.directed_edges:
            directed[found.variables.index(u), found.variables.index(v)] += 1
        for u, v in cpdag.undirected_edges:
            undirected[found.variables.index(u), found.variables.index(v)] += 1
    np.testing.assert_allclose(found.compelled, directed / SAMPLES)
    np.testing.assert_allclose(found.reversible, (undirected + undirected.T) / SAMPLES)
    np.testing.assert_allclose(found.adjacencies, found.compelled + found.compelled.T + found.reversible, atol=1e-12)
    np.testing.assert_allclose(found.edge_errors**2, found.edges * (1 - found.edges) / SAMPLES)
    np.testing.assert_allclose(found.ancestor_errors**2, found.ancestors * (1 - found.ancestors) / SAMPLES)
    for (a, child, b), share in found.v_structure_probabilities().items():
        assert share == pytest.approx(sum((a, child, b) in dag.v_structures() for dag in found.networks) / SAMPLES)


@pytest.mark.parametrize("options", [{"score": "k2"}, {"required": [("dysp", "smoke")]}])
def test_scores_that_tell_members_apart_count_dags(data, options):
    found = ds.bootstrap(data, "optimal", samples=10, workers=1, **options)
    assert found.level == "dags"
    np.testing.assert_allclose(found.edges, np.mean([dag.to_adjacency() for dag in found.networks], axis=0))
    np.testing.assert_allclose(found.ancestors, np.mean([ancestor_matrix(dag) for dag in found.networks], axis=0))
    if "required" in options:
        assert found.edge("dysp", "smoke") == 1


def test_options_reach_every_sample(data):
    found = ds.bootstrap(data, "optimal", samples=6, workers=1, max_parents=1, forbidden=[("smoke", "lung")], ess=3)
    assert all(mask.bit_count() <= 1 for dag in found.networks for mask in dag.parent_masks)
    assert found.edge("smoke", "lung") == 0
    assert (found.score_info.ess, found.score_info.rows) == (3, 300)
    assert found.provenance.seed == 0


class Backwards(Executor):
    """Runs the last task first, when somebody waits for results."""

    def __init__(self):
        self.tasks = []

    def submit(self, function, /, *arguments, **named):
        future = Future()
        self.tasks.append((future, function, arguments))
        if len(self.tasks) == SAMPLES:
            for future, function, arguments in reversed(self.tasks):
                future.set_result(function(*arguments))
        return self.tasks[-1][0]


@pytest.mark.slow
def test_the_result_does_not_depend_on_what_runs_the_samples(data, found, monkeypatch):
    assert ds.bootstrap(data, "optimal", samples=SAMPLES, executor=Backwards()) == found
    with ThreadPoolExecutor(3) as executor:
        assert ds.bootstrap(data, "optimal", samples=SAMPLES, executor=executor) == found
    with ProcessPoolExecutor(1) as executor:
        assert ds.bootstrap(data, "optimal", samples=SAMPLES, executor=executor) == found
        # The executor remains open.
        assert executor.submit(abs, -1).result() == 1
    monkeypatch.setattr(repetitions, "_WORTH_WORKERS", 0.0)
    assert ds.bootstrap(data, "optimal", samples=SAMPLES, workers=2) == found
    rng = np.random.default_rng(0)
    assert ds.bootstrap(data, "optimal", samples=SAMPLES, workers=1, seed=rng) == found
    assert ds.bootstrap(data, "optimal", samples=SAMPLES, workers=1, seed=1) != found


@pytest.mark.parametrize("method", registry.LEARNERS)
def test_every_method(data, method):
    options = {"samples": 4, "seed": 5, "ess": 2.0, "max_parents": 2}
    found = ds.bootstrap(data, method, workers=1, **options)
    assert found.method == method
    assert found.edges.sum() > 0
    assert all(mask.bit_count() <= 2 for dag in found.networks for mask in dag.parent_masks)
    with ThreadPoolExecutor(2) as executor:
        assert ds.bootstrap(data, method, executor=executor, **options) == found


def test_more_samples_begin_with_the_same(data, found):
    fewer = ds.bootstrap(data, "optimal", samples=5, workers=1)
    assert list(fewer.networks) == list(found.networks[:5])


def test_progress(data):
    heard = []
    ds.bootstrap(data, "optimal", samples=4, workers=1, progress=heard.append, settings="fixed")
    assert [(entry.done, entry.total) for entry in heard] == [(1, 4), (2, 4), (3, 4), (4, 4)]
    heard.clear()
    ds.bootstrap(data, "optimal", samples=4, workers=1, progress=heard.append)
    assert {entry.task for entry in heard[:-4]} == {"Choosing settings"}
    assert [(entry.done, entry.total) for entry in heard[-4:]] == [(1, 4), (2, 4), (3, 4), (4, 4)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"samples": 0}, "samples is 0; it must be an integer of at least 1"),
        ({"workers": 0}, "workers is 0; it must be an integer of at least 1"),
        ({"method": "optimum"}, "method is 'optimum'.* did you mean 'optimal'"),
        ({"executor": "dask"}, r"executor is a str; it must be a concurrent\.futures\.Executor"),
        ({"executor": Backwards(), "workers": 2}, "workers cannot be chosen if an executor is given"),
        ({"max_parnts": 2}, "no option 'max_parnts'; did you mean 'max_parents'"),
        (
            {"start": ds.Dag.from_edges("ab", [])},
            "^start does not have the variables of the data: it lacks '\\w+' and has 'a'$",
        ),
        ({"max_seconds": 0}, "max_seconds is 0; it must be a number above 0"),
        ({"max_seconds": 1e-9}, "max_seconds is 1e-09: no sample was finished by then; raise it"),
        ({"seed": -1}, "seed is -1; it must be an integer of at least 0"),
    ],
)
def test_arguments_that_are_refused(data, arguments, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.bootstrap(data, **{"method": "optimal", **arguments})


def slow(job):
    """Find nothing, slowly."""
    time.sleep(0.05)
    return Found(job.start, job.scores.network_exact(job.start))


def cut_short(job):
    """Use up all the time."""
    while not job.clock.expired:
        time.sleep(0.01)
    return Found(job.start, job.scores.network_exact(job.start), complete=False)


def failing(job):
    """Fail in the samples without the first row."""
    raise {"data": ds.InvalidData, "defect": KeyError}[os.environ["FAILURE"]]("no luck")


@pytest.fixture
def learners(monkeypatch):
    for function in (slow, cut_short, failing):
        monkeypatch.setitem(registry.LEARNERS, function.__name__, Learner(function.__name__, function))


@pytest.mark.slow
def test_the_time_limit_keeps_what_is_done(data, learners):
    for how in ({"workers": 1}, {"executor": ThreadPoolExecutor(1)}):
        with pytest.warns(ds.StoppedEarly, match=r"the study reached max_seconds after \d+ of 1,000 samples"):
            found = ds.bootstrap(data, "slow", samples=1000, max_seconds=1, **how)
        assert 0 < len(found) < 1000
        assert not found.complete
        assert f"{len(found)} of 1,000 samples" in repr(found)
        assert found.to_dict()["complete"] is False
        # Nothing is left to run.
        if "executor" in how:
            how["executor"].shutdown()
    with pytest.raises(ds.InvalidOption, match="no sample was finished"):
        ds.bootstrap(data, "cut_short", samples=2, max_seconds=0.1, workers=1)


@pytest.mark.slow
def test_no_workers_are_started_for_a_short_time(data, learners, monkeypatch):
    def refuse(*given):
        raise AssertionError("workers were started")

    monkeypatch.setattr(repetitions, "Workers", refuse)
    with pytest.warns(ds.StoppedEarly, match=r"after \d+ of 1,000 samples"):
        found = ds.bootstrap(data, "slow", samples=1000, max_seconds=1.5, workers=2)
    assert 1 <= len(found) < 1000


@pytest.mark.slow
def test_the_command_tells_how_many_samples_are_done(capfd, data, tmp_path):
    table, result = tmp_path / "t.csv", tmp_path / "b.json"
    data.to_frame().to_csv(table, index=False)
    limits = ["--samples", 5000, "--max-seconds", 2, "--workers", 1]
    code, out, err = run(capfd, "bootstrap", table, "--method", "greedy", *limits, "-o", result)
    found = ds.load_result(result)
    assert (code, found.complete) == (0, False)
    assert err == f"dagscape: warning: the study reached --max-seconds after {len(found):,} of 5,000 samples\n"
    assert out.startswith(f"Networks learned by 'greedy' from {len(found):,} of 5,000 samples of the rows")


def test_failures_name_the_sample(data, learners, monkeypatch):
    monkeypatch.setenv("FAILURE", "data")
    with pytest.raises(ds.InvalidData, match=r"^sample 1 of 3: no luck$"):
        ds.bootstrap(data, "failing", samples=3, workers=1)
    with ThreadPoolExecutor(1) as executor, pytest.raises(ds.InvalidData, match=r"^sample 1 of 3: no luck$"):
        ds.bootstrap(data, "failing", samples=3, executor=executor)
    monkeypatch.setenv("FAILURE", "defect")
    with pytest.raises(KeyError) as caught:
        ds.bootstrap(data, "failing", samples=3, workers=1)
    assert caught.value.__notes__ == ["in sample 1 of 3"]


# A script without a guard of its main module, whose samples run for a minute on two worker processes.
SCRIPT = """
import os, sys, time
import dagscape as ds
from dagscape.running import repetitions

def report(progress):
    print("done", progress.done, flush=True)

repetitions._WORTH_WORKERS = 0
data = ds.load_network("asia").sample(200, seed=1)
ds.bootstrap(data, "optimal", samples=3000, workers=2, progress=report, settings="fixed")
"""


def children(pid):
    """The processes that a process has started."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid and fields[0] != "Z":
            found.append(int(folder.name))
    return found


def running(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="processes are listed in /proc")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_no_process_is_left_behind(tmp_path, number):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    process = subprocess.Popen(
        [sys.executable, script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    # One sample runs before there are workers.
    lines = [process.stdout.readline() for _ in range(5)]
    assert lines[-1].startswith("done"), process.communicate()
    workers = children(process.pid)
    assert len(workers) >= 2
    # Ctrl-C reaches all processes of the group.
    (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
    _, err = process.communicate(timeout=60)
    assert process.returncode == -number
    assert err.count("Traceback") == (number == signal.SIGINT)
    deadline = time.monotonic() + 30
    while any(map(running, workers)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(running, workers))


def test_workers_of_a_pool_run_samples_themselves(data, found):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.apply(ds.bootstrap, (data, "optimal", SAMPLES), {"workers": 2}) == found


@pytest.mark.slow
def test_a_worker_that_dies_is_reported(data, monkeypatch):
    monkeypatch.setattr(repetitions, "_WORTH_WORKERS", 0.0)
    started = repetitions.Workers.run
    monkeypatch.setattr(repetitions.Workers, "run", lambda workers, function, *given: started(workers, die, *given))
    with pytest.raises(ds.DagscapeError, match="a worker process ended unexpectedly, perhaps for lack of memory"):
        ds.bootstrap(data, "optimal", samples=5, workers=2)


@pytest.mark.slow
def test_a_defect_on_a_worker_names_the_sample(data, monkeypatch):
    monkeypatch.setattr(repetitions, "_WORTH_WORKERS", 0.0)
    started = repetitions.Workers.run
    monkeypatch.setattr(repetitions.Workers, "run", lambda workers, function, *given: started(workers, stumble, *given))
    with pytest.raises(ds.DagscapeError, match=r"sample [23] of 3: KeyError: 'x'") as caught:
        ds.bootstrap(data, "optimal", samples=3, workers=2)
    assert "in stumble" in caught.value.__cause__.__notes__[0]


def test_files_tables_and_pictures(found, tmp_path):
    found.save(tmp_path / "boot.json")
    back = ds.load_result(tmp_path / "boot.json")
    assert back == found
    assert back.to_dict() == found.to_dict()
    frame = found.to_frame()
    assert list(frame.columns) == [
        "source", "target", "edge", "ancestor", "adjacent", "compelled", "reversible", "error",
    ]  # fmt: skip
    assert len(frame) == 20
    assert frame["edge"].is_monotonic_decreasing
    wide = found.to_frame(wide=True, feature="ancestors")
    assert wide.loc["smoke", "dysp"] == found.ancestor("smoke", "dysp")
    agreement = found.agreement()
    assert (agreement[["forward", "backward", "undirected", "absent"]].sum(axis=1) == SAMPLES).all()
    consensus = found.consensus()
    assert all(found.edge(u, v) > 0.5 for u, v in consensus.edges)
    found.draw(tmp_path / "boot.svg")
    assert "<svg" in (tmp_path / "boot.svg").read_text()
    shown = terminal_text(render(found), 120)
    assert f"Networks learned by 'optimal' from {SAMPLES} samples of the rows" in shown


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"networks": [], "scores": []}, "there are 0 networks of 25 samples"),
        ({"samples": 3}, "there are 25 networks of 3 samples"),
        ({"scores": [1.0]}, "scores and networks do not match: their lengths are 1 and 25"),
        ({"edges": [[0.5]]}, r"edges has the shape \(1, 1\); it must be \(5, 5\)"),
    ],
)
def test_documents_that_contradict_themselves_are_refused(found, tmp_path, changes, message):
    (tmp_path / "boot.json").write_text(json.dumps({**found.to_dict(), **changes}))
    with pytest.raises(ds.InvalidData, match=message):
        ds.load_result(tmp_path / "boot.json")


def test_the_command(capfd, data, tmp_path):
    table = tmp_path / "t.csv"
    data.to_frame().to_csv(table, index=False)
    arguments = ["bootstrap", table, "--method", "optimal", "--samples", SAMPLES, "--workers", 1]
    files = ["-o", tmp_path / "b.json", "--consensus", tmp_path / "c.csv", "--draw", tmp_path / "b.svg"]
    code, out, err = run(capfd, *arguments, *files)
    assert (code, err) == (0, "")
    found = ds.load_result(tmp_path / "b.json")
    assert found == ds.bootstrap(ds.read_data(table), "optimal", samples=SAMPLES, workers=1)
    assert "Consensus network" in out
    assert ds.read_graph(tmp_path / "c.csv").edge_count == found.consensus().edge_count
    assert (tmp_path / "b.svg").read_text().startswith("<svg")
    code, out, _ = run(capfd, *arguments, "--json", "--seed", 1)
    assert code == 0
    assert json.loads(out)["edges"] != found.edges.tolist()
    code, _, err = run(capfd, *arguments, "--tabu-length", 5)
    assert (code, err.count("--tabu-length is an option of")) == (2, 1)
    code, out, _ = run(capfd, *arguments, "--method", "tabu", "--tabu-length", 5, "--json")
    assert (code, json.loads(out)["provenance"]["parameters"]["tabu_length"]) == (0, 5)
    code, _, err = run(capfd, *arguments, "--max-seconds", 0)
    assert (code, err) == (2, "dagscape: --max-seconds is 0.0; it must be a number above 0\n")
    code, _, err = run(capfd, *arguments, "--max-seconds", 1e-9)
    assert (code, err) == (2, "dagscape: --max-seconds is 1e-09: no sample was finished by then; raise it\n")


def test_threads_are_workers(data):
    with pytest.raises(ds.InvalidOption, match=r"^threads is not an option here: choose the number of workers$"):
        ds.bootstrap(data, "tabu", threads=3)
