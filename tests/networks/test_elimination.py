from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagscape.core.errors import TooLarge
from dagscape.graphs.dag import Dag
from dagscape.graphs.random_dags import random_dag
from dagscape.networks.discrete.elimination import Tables
from dagscape.networks.discrete.elimination_order import elimination_order
from dagscape.networks.discrete.network import Network
from dagscape.networks.files import read_network
from networks.samples import random_tables
from oracles import networks as oracle


def tables(network: Network) -> Tables:
    return Tables(network.dag.parent_masks, [network.cpts[name] for name in network.variables])


@st.composite
def problems(draw):
    """A network of up to seven variables, some targets, observed variables, and those of them that were set."""
    n = draw(st.integers(1, 7))
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    dag = random_dag(n, draw(st.floats(0, (n - 1) / 2)), seed=generator) if n > 1 else Dag.from_edges(["v0"])
    network = random_tables(dag, generator.integers(1, 4, n), generator)
    order = generator.permutation(n).tolist()
    some = draw(st.integers(1, n))
    targets, others = order[:some][:3], order[some:]
    observed = others[: draw(st.integers(0, len(others)))]
    chosen = [v for v in observed if generator.random() < 0.3]
    rows = (
        np.stack([generator.integers(0, len(network.levels[dag.variables[v]]), 4) for v in observed], axis=1)
        if observed
        else np.zeros((2, 0), dtype=int)
    )
    return network, targets, observed, chosen, rows


def expected_joint(network, targets, observed, chosen, row):
    names = network.variables
    evidence = {names[v]: network.levels[names[v]][code] for v, code in zip(observed, row, strict=True)}
    found = oracle.target_and_evidence(network, [names[v] for v in targets], evidence, [names[v] for v in chosen])
    shape = [len(network.levels[names[v]]) for v in targets]
    return np.array(list(found.values())).reshape(shape)


@given(problems())
def test_elimination_agrees_with_enumeration(problem):
    network, targets, observed, chosen, rows = problem
    joint = tables(network).joint(targets, observed, rows, sum(1 << v for v in chosen))
    assert joint.values.shape == (len(rows), *(len(network.levels[network.variables[v]]) for v in targets))
    for row, values, total in zip(rows, np.exp(joint.log_values()), joint.totals, strict=True):
        expected = expected_joint(network, targets, observed, chosen, row)
        assert values == pytest.approx(expected, rel=1e-12, abs=0)
        assert (total == 0) == (not expected.any())


@given(problems())
def test_logarithms_agree_with_probabilities(problem):
    """The same problem with tables so small that products underflow: each is the other, times a constant."""
    network, targets, observed, chosen, rows = problem
    mask = sum(1 << v for v in chosen)
    plain = tables(network)
    tiny = Tables(plain.parents, [cpt * 1e-200 for cpt in plain.cpts])
    first, second = plain.joint(targets, observed, rows, mask), tiny.joint(targets, observed, rows, mask)
    assert (first.totals == 0).tolist() == (second.totals == 0).tolist()
    possible = first.totals > 0
    shape = (-1, *[1] * len(targets))
    shares = [(joint.values / np.where(possible, joint.totals, 1).reshape(shape)) for joint in (first, second)]
    assert shares[1] == pytest.approx(shares[0], rel=1e-9, abs=1e-300)


def test_any_number_of_observations():
    """A cause with 3,000 observed effects that nearly cancel: the odds are 2 to 1, the evidence about 10^-4000."""
    count = 3000
    names = ["cause", *(f"e{i}" for i in range(count))]
    cpts = [np.array([2 / 3, 1 / 3])] + [np.array([[0.05, 0.95], [0.05, 0.95]])] * count
    model = Tables([0] + [1] * count, cpts)
    joint = model.joint([0], range(1, len(names)), np.zeros((1, count), dtype=int))
    assert joint.values[0] / joint.totals == pytest.approx([2 / 3, 1 / 3], rel=1e-12)
    assert float(joint.log_scale[0] + np.log(joint.totals[0])) == pytest.approx(count * math.log(0.05), rel=1e-12)


def test_what_underflows_against_one_cause_still_counts_when_the_other_is_excluded():
    """400 effects, each 100 times more probable under the first cause, which the last one makes impossible."""
    effects = [np.array([[1.0, 0.0], [0.01, 0.99]])] * 400
    model = Tables([0] + [1] * 401, [np.array([0.5, 0.5]), *effects, np.array([[0.0, 1.0], [0.5, 0.5]])])
    joint = model.joint([0], range(1, 402), np.zeros((1, 401), dtype=int))
    assert (joint.values[0] / joint.totals).tolist() == [0.0, 1.0]
    logarithm = float(joint.log_scale[0] + np.log(joint.totals[0]))
    assert logarithm == pytest.approx(math.log(0.25) + 400 * math.log(0.01), rel=1e-12)


def test_rows_in_blocks_are_the_rows_one_by_one(shared_data):
    network = read_network(shared_data / "networks" / "alarm.bif.gz")
    model = tables(network)
    codes = np.stack([np.random.default_rng(v).integers(0, 2, 3000) for v in range(3)], axis=1)
    observed = [network.variables.index(name) for name in ("HRBP", "CO", "PRESS")]
    target = [network.variables.index("LVFAILURE")]
    together = model.joint(target, observed, codes).log_values()
    for row in (0, 1234, 2999):
        assert together[row] == pytest.approx(model.joint(target, observed, codes[[row]]).log_values()[0], rel=1e-13)


def test_barren_variables_cost_nothing():
    """A thousand children of one variable, none observed, with tables that would not fit together."""
    model = Tables([0] + [1] * 1000, [np.array([0.3, 0.7])] + [np.full((2, 50), 0.02)] * 1000)
    joint = model.joint([0], [], np.zeros((1, 0), dtype=int), max_memory=1000)
    assert (joint.values[0] / joint.totals).tolist() == [0.3, 0.7]


def test_tables_too_large_are_refused_before_they_are_built():
    """A sum over 40 causes of one observed effect, in pairs of all: the smallest table has 2^39 cells."""
    n = 40
    parents = [0] * n
    cpts = [np.array([0.5, 0.5])] * n
    for first in range(n):
        for second in range(first + 1, n):
            parents.append(1 << first | 1 << second)
            cpts.append(np.full((2, 2, 2), 0.5))
    observed = range(n, len(parents))
    model = Tables(parents, cpts)
    with pytest.raises(
        TooLarge, match=r"of up to 1.1e\+12 probabilities, need 32.0 TiB; the limit is .*max_memory.*more variables"
    ):
        model.joint([0], observed, np.zeros((1, len(observed)), dtype=int))


def test_more_single_levels_than_numpy_has_axes():
    """100 parents with one level each, which NumPy could not hold as axes of a product."""
    model = Tables(
        [0] * 60 + [(1 << 60) - 1] * 2 + [3 << 60],
        [np.ones(1)] * 60 + [np.full((*[1] * 60, 2), 0.5)] * 2 + [np.full((2, 2, 3), 1 / 3)],
    )
    joint = model.joint([62, 0, 60], [], np.zeros((1, 0), dtype=int))
    assert joint.values.shape == (1, 3, 1, 2)
    assert joint.values[0] / joint.totals == pytest.approx(np.full((3, 1, 2), 1 / 6))


def test_exact_fractions():
    """Rain given wet grass, worked out by hand: 3/4 · 1/5 / (3/4 · 1/5 + 1/8 · 4/5) = 3/5."""
    model = Tables([0, 0b1], [np.array([0.8, 0.2]), np.array([[0.875, 0.125], [0.25, 0.75]])])
    joint = model.joint([0], [1], np.array([[1]]))
    assert Fraction(float(joint.values[0, 1] / joint.totals[0])).limit_denominator(100) == Fraction(3, 5)


@given(st.integers(1, 9), st.floats(0, 3), st.integers(0, 1000))
def test_orders_eliminate_everything_and_sizes_are_those_of_the_products(n, degree, seed):
    generator = np.random.default_rng(seed)
    dag = random_dag(n, min(degree, (n - 1) / 2), seed=seed) if n > 1 else Dag.from_edges(["v0"])
    arities = generator.integers(2, 5, n).tolist()
    scopes = [parents | 1 << v for v, parents in enumerate(dag.parent_masks)]
    order, found = elimination_order(scopes, 2**n - 1, arities)
    assert sorted(order) == list(range(n))
    assert (order, found) == elimination_order(scopes, 2**n - 1, arities)
    left, sizes = list(scopes), []
    for variable in order:
        used = [scope for scope in left if scope >> variable & 1]
        union = 0
        for scope in used:
            union |= scope
        sizes.append(math.prod(arities[v] for v in range(n) if union >> v & 1))
        left = [scope for scope in left if not scope >> variable & 1] + [union & ~(1 << variable)]
    assert found == sizes


def test_sums_over_many_causes_do_not_overflow():
    """Rescaled factors of nearly 1 add up to the number of levels: 320 products of such sums exceed a float."""
    count, levels, p = 320, 10, 9.9 * 2.0**-70
    effect = np.empty((2, levels, 2))
    effect[0], effect[1] = [1 - p, p], [1 - 0.999 * p, 0.999 * p]
    parents = [0, *[0] * count, *(1 | 1 << (1 + i) for i in range(count))]
    cpts = [np.array([0.5, 0.5]), *[np.full(levels, 1 / levels)] * count, *[effect] * count]
    joint = Tables(parents, cpts).joint([0], range(1 + count, 1 + 2 * count), np.ones((1, count), dtype=int))
    odds = 0.999**count
    assert joint.values[0] / joint.totals == pytest.approx([1 / (1 + odds), odds / (1 + odds)], rel=1e-12)
    logarithm = float(joint.log_scale[0] + np.log(joint.totals[0]))
    assert logarithm == pytest.approx(count * math.log(p) + math.log((1 + odds) / 2), rel=1e-12)
