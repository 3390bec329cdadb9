"""BGe against published values, 50 digits, predictions row by row, and other ways to the same integers."""

from __future__ import annotations

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp

import dagscape as ds
from dagscape.core import kernels
from dagscape.scores.scoring_job import prepare
from oracles.gaussian import bge, student_predictions
from oracles.graphs import all_dags

NETWORK = {"A": "", "B": "", "E": "", "G": "", "C": "AB", "D": "B", "F": "ADEG"}


def dependent(rows: int, n: int, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(rows, n))
    for i in range(1, n):
        values[:, i] += values[:, i - 1] * rng.normal() + 10 * i
    return values


def data_of(values: np.ndarray, names: list[str] | None = None, **options) -> ds.NumericData:
    return ds.NumericData.from_array(values, names or [f"x{i}" for i in range(values.shape[1])], **options)


def score_of(scores, network):
    return sum(scores.family(v, list(parents)) for v, parents in network.items())


@pytest.mark.parametrize(
    ("nu", "network", "empty"),
    [("means", -2201.05809430, -3583.54718141), (0, -2311.42092055, -3598.01899823)],
)
def test_values_of_bnlearn_and_bidag(shared_data, nu, network, empty):
    """As bnlearn 4.9.4 (prior mean: the columns' means) and BiDAG 2.1.4 (0) print them."""
    frame = pd.read_csv(shared_data / "continuous" / "gaussian_test.csv.gz").head(200)
    scores = ds.local_scores(frame, score="bge", scale="none", nu=nu)
    assert score_of(scores, NETWORK) == pytest.approx(network, abs=6e-9)
    assert score_of(scores, dict.fromkeys(NETWORK, "")) == pytest.approx(empty, abs=6e-9)


@pytest.mark.parametrize(("nu", "best"), [("means", -53258.941618), (0, -53432.863311)])
def test_best_networks_of_5000_rows(shared_data, nu, best):
    frame = pd.read_csv(shared_data / "continuous" / "gaussian_test.csv.gz")
    scores = ds.local_scores(frame, score="bge", scale="none", nu=nu)
    assert ds.optimal_network(scores).score == pytest.approx(best, abs=6e-7)


@pytest.mark.parametrize(
    ("nu", "empty", "best"),
    [("means", -1862.109691, -1798.872199), (0, -1889.971261, -1810.748847)],
)
def test_marks(shared_data, nu, empty, best):
    frame = pd.read_csv(shared_data / "continuous" / "marks.csv")
    scores = ds.local_scores(frame, score="bge", scale="none", nu=nu)
    assert score_of(scores, dict.fromkeys(frame, "")) == pytest.approx(empty, abs=6e-7)
    assert ds.optimal_network(scores).score == pytest.approx(best, abs=6e-7)


def test_a_complete_network_predicts_row_by_row():
    values = dependent(12, 3)
    scores = ds.local_scores(data_of(values), score="bge", alpha_mu=0.7, alpha_w=8.5, nu=2.0, scale="none")
    found = score_of(scores, {"x0": [], "x1": ["x0"], "x2": ["x0", "x1"]})
    t = 0.7 * (8.5 - 3 - 1) / 1.7
    assert found == pytest.approx(student_predictions(values, np.full(3, t), 5.5, 0.7, np.full(3, 2.0)), abs=1e-9)


CASES = {
    "plain": dependent(30, 4),
    "large and tiny units": dependent(30, 4) * np.array([1e150, 1e-150, 1.0, 1e8]),
    "far from zero": dependent(30, 4) * np.array([1.0, 1e-3, 1.0, 1e3]) + np.array([1e6, -1e5, 0.0, 1e9]),
    "collinear": np.column_stack([dependent(30, 3), dependent(30, 3) @ [1.0, 1.0, 0.0]]),
    "copies": np.column_stack([dependent(30, 2), dependent(30, 2)]),
    "integers": np.random.default_rng(3).integers(0, 5, (30, 4)).astype(float),
    "two rows": dependent(2, 4),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("nu", "scale"), [("means", "standardize"), (0.5, "standardize"), ("means", "none")])
@pytest.mark.filterwarnings("ignore::dagscape.FewRows")
def test_the_stated_rounding_covers_the_truth(case, nu, scale):
    values = CASES[case]
    if scale == "none" and case in ("collinear", "copies", "large and tiny units"):
        values = values / np.abs(values).max(axis=0)
    data = data_of(values)
    scores = ds.local_scores(data, score="bge", nu=nu, scale=scale)
    variances = [_exact_variance(column) for column in values.T]
    prior = [variance / 2 if scale == "standardize" else 0.5 for variance in variances]
    centre = np.array([_exact_mean(column) for column in values.T]) if nu == "means" else np.full(4, nu, dtype=object)
    families = (
        (child, parents)
        for child in range(4)
        for k in range(4)
        for parents in itertools.combinations([u for u in range(4) if u != child], k)
    )
    for child, parents in families:
        with mp.workdps(50):
            exact = bge(values, [*parents, child], prior, 2, 1, centre) - bge(values, [*parents], prior, 2, 1, centre)
            # As an integer: the last digit of a float may be worth more than the bound.
            found = mp.mpf(scores.family_exact(child, parents)) / 2**scores.unit.bits
            assert abs(found - exact) <= scores.rounding


def _exact_mean(column):
    from mpmath import mp

    with mp.workdps(50):
        return mp.fsum(mp.mpf(float(x)) for x in column) / len(column)


def _exact_variance(column):
    from mpmath import mp

    with mp.workdps(50):
        mean = _exact_mean(column)
        return mp.fsum((mp.mpf(float(x)) - mean) ** 2 for x in column) / (len(column) - 1)


def test_rounding_is_small_for_tables_that_are_whole_numbers():
    scores = ds.local_scores(data_of(CASES["integers"]), score="bge")
    assert scores.rounding < 1e-9


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**32), st.integers(3, 40), st.integers(2, 6), st.sampled_from(["bge", "bic-g"]))
@pytest.mark.filterwarnings("ignore::dagscape.FewRows")
def test_neither_rows_nor_columns_nor_ways_change_an_integer(seed, rows, n, score):
    rng = np.random.default_rng(seed)
    values, order = dependent(rows + n, n, seed), rng.permutation(n)
    names = [f"x{i}" for i in range(n)]
    scores = ds.local_scores(data_of(values, names), score=score)
    turned = ds.local_scores(
        data_of(rng.permutation(values)[:, order], [names[i] for i in order]), score=score, threads=2
    )
    limited = ds.local_scores(data_of(values, names), score=score, max_parents=max(1, n - 2))
    demand = ds.family_scores(data_of(values, names), score=score)
    assert demand.unit == scores.unit
    for child in range(n):
        assert demand.additions_exact(child).tolist() == scores.additions_exact(child).tolist()
        for sets in scores.family_sets(child):
            assert demand.exact_scores(child, sets).tolist() == scores.exact_scores(child, sets).tolist()
            for parents in sets.tolist():
                family = names[child], [names[p] for p in parents]
                assert turned.family(*family) == scores.family(*family)
                if len(parents) <= limited.max_parents:
                    assert limited.family(*family) == pytest.approx(scores.family(*family), abs=1e-8)


@settings(deadline=None, max_examples=20)
@given(st.integers(0, 2**32))
def test_equivalent_networks_are_equal_to_the_last_bit(seed):
    scores = ds.local_scores(data_of(dependent(20, 4, seed), ["v0", "v1", "v2", "v3"]), score="bge")
    assert scores.score_equivalent
    totals: dict[object, set[float]] = {}
    for dag in all_dags(4):
        totals.setdefault(dag.to_cpdag(), set()).add(scores.network(dag))
    assert all(len(found) == 1 for found in totals.values())


def test_alike_columns_tie_exactly():
    """A table that is its own mirror image when x1 and x2 change places."""
    half = dependent(20, 3)
    values = np.vstack([half, half[:, [0, 2, 1]]])
    scores = ds.local_scores(data_of(values), score="bge")
    assert scores.family("x0", ["x1"]) == scores.family("x0", ["x2"])
    assert scores.family("x1", ["x0"]) == scores.family("x2", ["x0"])


def test_uncertain_values_are_computed_with_more_digits():
    """With a bound on the determinant, every value is open, and the exact ones are those of the kernel."""
    data = data_of(dependent(40, 5))
    job = prepare(data, score="bge")
    function, table = job.functions.functions[0], ds.local_scores(data, score="bge").tables[0]
    hi, unit = function.kernel(job.unit), job.unit
    lattice = kernels.DeterminantLattice(hi, 5)
    out = np.empty(32, dtype=np.int64)
    assert lattice.run(out, 1, None) == []
    for mask in range(32):
        members = [i for i in range(5) if mask >> i & 1]
        assert job.functions.exact(0, members, unit) == table[mask] == out[mask]


def test_a_kernel_reports_open_sets_by_size():
    data = data_of(dependent(40, 3))
    job = prepare(data, score="bge")
    function = job.functions.functions[0]
    strict = kernels.DeterminantFunction(
        function.correlations.high, function.correlations.low, np.arange(4, dtype=np.uint32),
        np.zeros((3, 2), dtype=np.int64), np.zeros((3, 2), dtype=np.int64), np.ones(4, dtype=np.uint8),
        np.zeros((4, 2), dtype=np.int64), np.ones(4), np.ones(4), 0.5, 2.0, 40,
    )  # fmt: skip
    out = np.empty(8, dtype=np.int64)
    opened = kernels.DeterminantLattice(strict, 3).run(out, 2, None)
    assert opened == [[0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2]]
    assert (out[1:] == kernels.OPEN).all()
    families = kernels.DeterminantFamilies([strict], np.zeros(3, dtype=np.uint32))
    found = np.empty(1, dtype=np.int64)
    families.scores(0, np.array([[1]], dtype=np.uint16), found, None)
    assert found[0] == kernels.OPEN


def test_an_unrelated_column_changes_no_score():
    values = dependent(50, 3)
    more = np.column_stack([values, np.random.default_rng(5).normal(size=50)])
    few, many = (ds.local_scores(data_of(table), score="bge") for table in (values, more))
    assert few.family("x2", ["x0", "x1"]) == pytest.approx(many.family("x2", ["x0", "x1"]), abs=1e-9)


def test_units_do_not_matter_unless_asked():
    values = dependent(50, 3)
    changed = values * [1.0, 1000.0, 0.5] + [0.0, 5.0, -3.0]
    shift = 50 * np.log([1.0, 1000.0, 0.5])
    plain, other = (ds.local_scores(data_of(table), score="bge") for table in (values, changed))
    assert plain.family("x1", ["x0", "x2"]) == pytest.approx(other.family("x1", ["x0", "x2"]) + shift[1], abs=1e-8)
    plain, other = (ds.local_scores(data_of(table), score="bge", scale="none") for table in (values, changed))
    assert plain.family("x1", ["x0", "x2"]) != pytest.approx(other.family("x1", ["x0", "x2"]) + shift[1], abs=0.1)


def test_experiments_leave_out_the_rows_in_which_the_child_was_set():
    values = dependent(40, 3)
    marks = [["x0"] if i % 4 == 0 else [] for i in range(40)]
    observed = np.array([not mark for mark in marks])
    scores = ds.local_scores(data_of(values, interventions=marks), score="bge")
    prior, nu = 0.5 * values.var(axis=0, ddof=1), values.mean(axis=0)
    expected = bge(values[observed], [0, 1], prior, 2, 1, nu) - bge(values[observed], [1], prior, 2, 1, nu)
    assert scores.family("x0", ["x1"]) == pytest.approx(float(expected), abs=1e-9)
    expected = bge(values, [0, 1], prior, 2, 1, nu) - bge(values, [0], prior, 2, 1, nu)
    assert scores.family("x1", ["x0"]) == pytest.approx(float(expected), abs=1e-9)
    always = ds.local_scores(data_of(values, randomised=["x0"]), score="bge")
    assert always.family("x0") == 0.0


def test_weights_are_repeated_rows():
    values = np.round(dependent(10, 3), 2)
    weights = [1, 2, 3, 0, 1, 1, 2, 5, 1, 1]
    frame = pd.DataFrame(values, columns=["x0", "x1", "x2"]).assign(count=weights)
    weighted = ds.local_scores(ds.NumericData.from_frame(frame, weights="count"), score="bge")
    repeated = ds.local_scores(data_of(np.repeat(values, weights, axis=0)), score="bge")
    assert [table.tolist() for table in weighted.tables] == [table.tolist() for table in repeated.tables]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"alpha_w": 4.0}, "alpha_w is 4; with 3 variables, it must be greater than 4"),
        ({"alpha_mu": 0}, "alpha_mu is 0; it must be "),
        ({"nu": "median"}, "nu is 'median'; it must be 'means' or a number"),
        ({"scale": "log"}, "scale is 'log'; it must be 'standardize' or 'none'"),
    ],
)
def test_wrong_options_are_refused(options, words):
    with pytest.raises(ds.InvalidOption, match=words):
        ds.local_scores(data_of(dependent(10, 3)), score="bge", **options)


def test_columns_that_the_prior_cannot_tell_apart_are_named():
    values = dependent(30, 2)
    copied = np.column_stack([values, values[:, 0]]) * 1e20
    with pytest.raises(ds.InvalidData, match="'x0', 'x2' are linearly dependent, and the prior is too weak"):
        ds.local_scores(data_of(copied), score="bge", scale="none")


def test_every_method_takes_it(tmp_path):
    frame = pd.DataFrame(dependent(100, 5), columns=list("abcde"))
    scores = ds.local_scores(frame, score="bge")
    assert ds.posterior(scores).edges.sum() > 0
    assert ds.posterior(frame, score="bge").edges.sum() > 0
    assert len(ds.k_best(scores, k=3).networks) == 3
    assert ds.learn(frame, score="bge", settings="fixed").score == ds.optimal_network(scores).score
    assert ds.bootstrap(frame, samples=5, score="bge", workers=1).edges.max() > 0.5
    ds.write_scores(scores, tmp_path / "scores.npz")
    assert ds.read_scores(tmp_path / "scores.npz").info == scores.info
    assert scores.info.parameters == {"alpha_mu": 1.0, "alpha_w": "n+2", "nu": "means", "scale": "standardize"}
