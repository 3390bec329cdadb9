"""Chains over networks and missing cells against sums over all DAGs and completions."""

from __future__ import annotations

import threading

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from dagscape.core.resources import Budget
from dagscape.posterior import evidence
from dagscape.posterior.evidence import best_of
from dagscape.posterior.weighing import weighed_settings
from dagscape.sampling import holes as holes_module
from dagscape.sampling import network_steps
from dagscape.sampling.holes import DiscreteHoles, linked_parts
from dagscape.sampling.imputing_chain import job_of_incomplete
from dagscape.sampling.measured_holes import MeasuredHoles, prior_rows
from dagscape.studies.missing_rules import complete_rows
from oracles.incomplete import cells_given_dag, edges_over_completions, edges_over_numbers, numbers_given_dag

OFF = ~np.eye(3, dtype=bool)
# Of chains that are too short to agree.
short = pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
# Of six edges with errors of their own, in a few runs.
FAR_OFF = 4.5


def discrete(rows: np.ndarray, arities, **options) -> ds.Dataset:
    names = [f"v{i}" for i in range(len(arities))]
    codes = np.nan_to_num(rows).astype(int)
    return ds.Dataset.from_codes(codes, dict(zip(names, arities, strict=True)), holes=np.isnan(rows), **options)


def few_holes(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 2, 25)
    b = np.where(rng.random(25) < 0.8, a, 1 - a)
    c = np.where(rng.random(25) < 0.75, b, rng.integers(0, 3, 25))
    rows = np.stack([a, b, c], axis=1).astype(float)
    for row, column in ((0, 0), (0, 1), (1, 2), (2, 0), (3, 1), (4, 2)):
        rows[row, column] = np.nan
    return rows


def few_numbers(seed: int, cells) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(14, 3))
    values[:, 1] += 0.6 * values[:, 0]
    values[:, 2] += 0.6 * values[:, 1]
    values = values * [1, 10, 0.1] + [5, 0, 3]
    for row, column in cells:
        values[row, column] = np.nan
    return values


def deviates(drawn: ds.SampledNetworks, edges: np.ndarray) -> np.ndarray:
    return np.abs(drawn.edges - edges)[OFF] / drawn.edge_errors[OFF]


@pytest.mark.parametrize("seed", [0, 1])
def test_edges_are_those_of_all_dags_and_completions(seed):
    rows = few_holes(seed)
    edges, _ = edges_over_completions(rows, [2, 2, 3], ess=1.0)
    drawn = ds.chain(discrete(rows, [2, 2, 3]), missing="sample", settings="fixed", draws=300, seed=seed)
    assert drawn.drawn_cells == 6
    assert drawn.diagnostics.converged
    assert deviates(drawn, edges).max() < FAR_OFF
    assert np.abs(drawn.edges - edges).max() < 0.03


def test_priors_of_structure_and_sample_size_count():
    rows = few_holes(5)
    edges, _ = edges_over_completions(rows, [2, 2, 3], ess=6.0, penalty=1.5)
    options = {"ess": 6.0, "structure_prior": "edge-penalty:1.5"}
    drawn = ds.chain(discrete(rows, [2, 2, 3]), missing="sample", draws=300, **options)
    assert deviates(drawn, edges).max() < FAR_OFF


def test_sweeps_of_blocks_have_the_same_target(monkeypatch):
    monkeypatch.setattr(network_steps, "MOST_EXACT", 2)
    monkeypatch.setattr("dagscape.sampling.imputing_chain.MOST_EXACT", 2)
    rows = few_holes(0)
    edges, _ = edges_over_completions(rows, [2, 2, 3], ess=1.0)
    options = {"settings": "fixed", "max_parents": 2, "draws": 250}
    drawn = ds.chain(discrete(rows, [2, 2, 3]), missing="sample", **options)
    assert drawn.provenance.parameters["steps"] == "blocks"
    assert deviates(drawn, edges).max() < FAR_OFF


def test_edges_of_numbers_are_those_of_all_dags_and_values():
    values = few_numbers(1, [(0, 0)])
    edges, _, _ = edges_over_numbers(values, np.linspace(-8, 8, 97))
    drawn = ds.chain(
        ds.NumericData.from_array(values, missing="keep"), missing="sample", score="bge", draws=200, thin=2
    )
    assert deviates(drawn, edges).max() < FAR_OFF


@pytest.mark.slow
def test_two_missing_numbers():
    values = few_numbers(1, [(0, 0), (3, 2)])
    edges, _, _ = edges_over_numbers(values, np.linspace(-7, 7, 43))
    data = ds.NumericData.from_array(values, missing="keep")
    drawn = ds.chain(data, missing="sample", score="bge", settings="fixed", draws=300)
    assert deviates(drawn, edges).max() < FAR_OFF


@pytest.mark.parametrize(("most", "rounds"), [(2048, 3000), (2, 6000)])
@pytest.mark.parametrize("dag", [((), (0,), (0, 1)), ((2,), (0, 2), ())])
def test_cells_have_their_distribution_given_a_network(dag, most, rounds, monkeypatch):
    """Also if no two cells of a row are drawn together."""
    monkeypatch.setattr(holes_module, "MOST_STATES", most)
    rows, rng = few_holes(1), np.random.default_rng(3)
    expected = cells_given_dag(rows, [2, 2, 3], 4.0, dag)
    found = DiscreteHoles(discrete(rows, [2, 2, 3]), {"ess": 4.0})
    found.fill(rng)
    drawn = []
    for _ in range(rounds):
        found.draw(dag, rng)
        drawn.append(found.values)
    # Holes are in the order of distinct rows, so cells are recognised by their distributions.
    shares = [np.bincount(column.astype(int), minlength=3) / rounds for column in np.array(drawn).T]
    wanted = [np.pad(cell, (0, 3 - len(cell))) for cell in expected]
    order = [min(range(6), key=lambda i, cell=cell: np.abs(shares[i] - cell).max()) for cell in wanted]
    for cell, place in zip(wanted, order, strict=True):
        assert np.abs(shares[place] - cell).max() < 0.035


@pytest.mark.parametrize("dag", [((), (0,), (0, 1)), ((), (), ()), ((1, 2), (), (1,))])
def test_numbers_have_their_distribution_given_a_network(dag):
    values = few_numbers(2, [(0, 0)])
    mean, deviation = numbers_given_dag(values, np.linspace(-9, 9, 181), dag)
    parameters = {"alpha_mu": 1.0, "alpha_w": "n+2", "nu": "means", "scale": "standardize"}
    found, rng = MeasuredHoles(ds.NumericData.from_array(values, missing="keep"), parameters), np.random.default_rng(0)
    found.fill(rng)
    drawn = []
    for _ in range(6000):
        found.draw(dag, rng)
        completed = found.completed().values
        drawn.append(completed[~np.isin(completed, values)][0])
    assert np.mean(drawn) == pytest.approx(mean, abs=6 * deviation / np.sqrt(3000))
    assert np.std(drawn) == pytest.approx(deviation, rel=0.08)


@short
def test_cells_that_are_drawn_do_not_change_the_prior():
    values = few_numbers(4, [(0, 0), (5, 1)])
    data = ds.NumericData.from_array(values, missing="keep")
    drawn = ds.chain(data, missing="sample", score="bge", settings="fixed", chains=1, draws=20, scale="none", nu=0.5)
    assert drawn.score_info.parameters["nu"] == 0.5
    assert drawn.score_info.data == data.fingerprint


@pytest.mark.parametrize("pattern", [0b1, 0b1111, 0b1011])
def test_linked_parts_are_components(pattern):
    families = [0b0001, 0b0011, 0b0110, 0b1000]
    parts = linked_parts(pattern, families)
    assert sum(parts) == pattern
    for part in parts:
        assert all(not family & part or family & pattern & ~part == 0 for family in families)


def incomplete_asia(rows: int = 300, share: float = 0.1) -> ds.Dataset:
    frame = ds.load_network("asia").sample(rows, seed=1).to_frame().astype(object)
    return ds.Dataset.from_frame(frame.mask(np.random.default_rng(2).random(frame.shape) < share), missing="keep")


@short
def test_threads_and_repetition_change_nothing():
    data = incomplete_asia()
    first, second = (
        ds.chain(data, missing="sample", draws=20, chains=2, settings="fixed", threads=threads) for threads in (1, 2)
    )
    assert np.array_equal(first.edges, second.edges)
    assert first.networks == second.networks
    other = ds.chain(data, missing="sample", draws=20, chains=2, settings="fixed", seed=1)
    assert not np.array_equal(first.edges, other.edges)


@short
def test_settings_are_chosen_on_a_table_with_drawn_cells():
    drawn = ds.chain(incomplete_asia(), missing="sample", draws=20, chains=1)
    assert "on a table whose missing cells were drawn" in drawn.score_info.choice
    assert drawn.score_info.parameters["ess"] in (0.5, 2.0, 8.0, 32.0)


@pytest.mark.parametrize("divided", [False, True])
def test_settings_of_numbers_are_weighed_with_the_prior_of_the_chain(divided, monkeypatch):
    values = np.random.default_rng(1).normal(size=(40, 4)) * [1, 5, 0.1, 2] + [3, 0, 0, -4]
    values[:10, 1] = values[5:20, 2] = np.nan
    data = ds.NumericData.from_array(values, missing="keep")
    jobs = []

    def recorded(grids, *arguments):
        jobs.extend(job for grid in grids for job in grid.jobs)
        return weighed_settings(grids, *arguments)

    monkeypatch.setattr(evidence, "weighed_settings", recorded)
    budget = Budget.of(1, None)
    if divided:
        table = complete_rows(data)
        best_of(table, {"score": "bge"}, budget, prior_data=prior_rows(data), whole_columns=3, part_columns=2)
    else:
        job_of_incomplete(data, {"score": "bge"}, "best", budget)
    assert len(jobs) > 1
    for job in jobs:
        columns = [data.variables.index(name) for name in job.data.variables]
        assert len(columns) == (2 if divided else 4)
        np.testing.assert_array_equal(job.whole.values, prior_rows(data).values[:, columns])


@short
def test_results_say_what_was_drawn(tmp_path):
    data = incomplete_asia()
    drawn = ds.chain(data, missing="sample", draws=20, chains=1, settings="fixed")
    assert drawn.drawn_cells == int(data.weights @ data.holes.sum(axis=1))
    drawn.save(tmp_path / "drawn.json")
    assert ds.load_result(tmp_path / "drawn.json").drawn_cells == drawn.drawn_cells
    assert drawn.score_info.rows == 300


@short
def test_a_time_limit_ends_chains():
    with pytest.warns(ds.StoppedEarly, match="reached max_seconds"):
        drawn = ds.chain(incomplete_asia(), missing="sample", max_seconds=1.0, settings="fixed", draws=10**6)
    assert len(drawn) > 0


@short
def test_interrupted_chains_go_on_from_their_checkpoints(tmp_path):
    data, calls = incomplete_asia(), []
    options = {"missing": "sample", "settings": "fixed", "chains": 2, "draws": 60, "checkpoint": tmp_path}
    whole = ds.chain(data, **{**options, "checkpoint": tmp_path / "other"})

    def stop(progress):
        calls.append(progress)
        if len(calls) > 3 and progress.task == "Running chains" and progress.done:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ds.chain(data, **options, checkpoint_seconds=0.01, progress=stop)
    assert list(tmp_path.glob("chain-*"))
    again = ds.chain(data, **options)
    assert np.array_equal(again.edges, whole.edges)
    assert again.networks == whole.networks
    assert threading.active_count() < 20


@short
def test_constraints_hold():
    drawn = ds.chain(
        incomplete_asia(),
        missing="sample",
        draws=20,
        chains=1,
        settings="fixed",
        required=[("smoke", "lung")],
        forbidden=[("xray", "either")],
        max_parents=2,
    )
    assert drawn.edge("smoke", "lung") == 1
    assert drawn.edge("xray", "either") == 0
    assert max(len(dag.parents(v)) for dag in drawn.networks for v in dag.variables) <= 2


@short
def test_more_variables_move_by_blocks():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (60, 16)).astype(float)
    rows[:, 1] = rows[:, 0]
    rows[rng.random(rows.shape) < 0.05] = np.nan
    drawn = ds.chain(discrete(rows, [2] * 16), missing="sample", draws=10, chains=2, settings="fixed")
    assert drawn.provenance.parameters["steps"] == "blocks"
    assert drawn.adjacencies[0, 1] > 0.9
    assert drawn.score_info.max_parents <= 4


@pytest.mark.parametrize(
    ("score", "message"),
    [
        ("bic", "is 'bic', whose parameters cannot be drawn: with missing='sample', use 'bdeu', 'k2' or 'bge'"),
        ("pnal", "there are no probabilities of networks"),
    ],
)
def test_scores_without_parameters_to_draw_are_refused(score, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.chain(incomplete_asia(), missing="sample", score=score)


def test_what_cannot_be_drawn_is_refused():
    complete = ds.load_network("asia").sample(50, seed=1)
    with pytest.raises(ds.InvalidData, match="no cell of the data is missing"):
        ds.chain(complete, missing="sample")
    rows = few_holes(0)
    marks = np.zeros(rows.shape, dtype=bool)
    marks[10, 1] = True
    with pytest.raises(ds.InvalidData, match="rows of experiments cannot be completed"):
        ds.chain(discrete(rows, [2, 2, 3], interventions=marks), missing="sample")
    with pytest.raises(ds.InvalidOption, match="missing is 'level'"):
        ds.chain(incomplete_asia(), missing="level")
    with pytest.raises(ds.InvalidOption, match="start is not taken with missing='sample'"):
        ds.chain(incomplete_asia(), missing="sample", start=ds.load_network("asia"))
    with pytest.raises(ds.InvalidData, match="missing cells, which the score 'bdeu' cannot use"):
        ds.chain(incomplete_asia())
    with pytest.raises(ds.InvalidOption, match="there is no option 'esss'"):
        ds.chain(incomplete_asia(), missing="sample", esss=2)
    rows[:, 1] = np.nan
    with pytest.raises(ds.InvalidData, match="'v1' was never observed"):
        ds.chain(discrete(rows, [2, 2, 3]), missing="sample")


def test_a_family_with_too_many_states_is_refused():
    rng = np.random.default_rng(1)
    rows = rng.integers(0, 5, (300, 12)).astype(float)
    rows[0, 0] = np.nan
    with pytest.raises(ds.TooLarge, match="joint states; tables of up to 16,777,216 can be drawn: set a lower"):
        ds.chain(discrete(rows, [5] * 12), missing="sample", settings="fixed")


@short
def test_mixed_tables_of_one_kind_are_taken():
    frame = pd.DataFrame(few_numbers(0, [(0, 0)]), columns=list("abc"))
    data = ds.MixedData.from_frame(frame, missing="keep")
    drawn = ds.chain(data, missing="sample", score="bge", draws=10, chains=1, settings="fixed")
    assert drawn.drawn_cells == 1
    assert drawn.variables == ("a", "b", "c")
