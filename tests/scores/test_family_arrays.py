"""Local scores in the layouts of the kernels, against the scores of single families."""

from __future__ import annotations

import math
from itertools import combinations as member_tuples

import numpy as np
import pytest

import dagscape as ds
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.family_arrays import families_by_mask, families_by_size
from dagscape.scores.tables.lattice import SetIndex, combinations, member_sums, ranks_with, set_count

CONSTRAINTS = {"forbidden": [("v0", "v1"), ("v2", "v1"), ("v3", "v0")], "required": [("v1", "v3")]}


def random_scores(n, max_parents, **options):
    data = ds.Dataset.from_array(np.random.default_rng(n).integers(0, 3, (50, n)), [f"v{i}" for i in range(n)])
    return ds.local_scores(data, max_parents=max_parents, **options)


@pytest.mark.parametrize(("n", "most"), [(1, 0), (1, 1), (5, 0), (6, 3), (7, 7)])
def test_sums_over_members_are_in_order_of_size_and_mask(n, most):
    masks = member_sums(n, most, np.left_shift(1, np.arange(n)))
    every = [sum(1 << v for v in members) for size in range(most + 1) for members in member_tuples(range(n), size)]
    assert masks.tolist() == sorted(every, key=lambda mask: (mask.bit_count(), mask))


@pytest.mark.parametrize(("n", "most"), [(2, 1), (6, 3), (7, 5)])
def test_places_of_sets_with_one_more_member(n, most):
    index = SetIndex(n, most + 1) if most + 1 < n else None
    for member in range(n):
        for size, places in enumerate(ranks_with(n, most, member)):
            sets = combinations(n, size)
            assert len(places) == len(sets)
            assert np.all((places >= 0) & (places < math.comb(n, size + 1)))
            without = ~(sets == member).any(axis=1)
            joined = np.sort(np.column_stack([sets, np.full(len(sets), member)]), axis=1)[without]
            if index is not None:
                expected = index.rank(joined) - index.of_size(size + 1).start
                np.testing.assert_array_equal(places[without], expected)


@pytest.mark.parametrize("options", [{}, CONSTRAINTS, {"score": "bic"}, {"structure_prior": "per-size"}])
@pytest.mark.parametrize(("n", "most"), [(4, 1), (4, 3), (7, 2), (7, 5), (7, 6)])
def test_rows_of_all_families_are_those_of_single_families(n, most, options):
    scores = random_scores(n, most, **options)
    for child in range(n):
        np.testing.assert_array_equal(scores.score_row(child), EnumerableScores.score_row(scores, child))
        by_size = scores.scores_by_size(child)
        np.testing.assert_array_equal(by_size, EnumerableScores.scores_by_size(scores, child))
        sets = [members for size in range(most + 1) for members in combinations(n, size).tolist()]
        for members, exact in zip(sets, by_size.tolist(), strict=True):
            alone = IMPOSSIBLE if child in members else scores.exact_scores(child, np.array([members], dtype=int))[0]
            assert exact == alone


@pytest.mark.parametrize("prior_only", [False, True])
def test_padding_is_isolated(prior_only):
    scores = random_scores(4, 2, **CONSTRAINTS, structure_prior="per-size")
    values = families_by_size(scores, 6, prior_only=prior_only)
    assert values.shape == (6, set_count(6, 2))
    masks = member_sums(6, 2, np.left_shift(1, np.arange(6)))
    np.testing.assert_array_equal(values[:4][:, masks < 16], families_by_size(scores, prior_only=prior_only))
    assert np.all(values[:4][:, masks >= 16] == IMPOSSIBLE)
    assert np.all((values[4:] != IMPOSSIBLE) == (masks == 0))
    by_mask = families_by_mask(scores, 6, prior_only=prior_only)
    np.testing.assert_array_equal(by_mask[:4, :8], families_by_mask(scores, prior_only=prior_only))
    assert np.all(by_mask[:4, 8:] == IMPOSSIBLE)
    assert by_mask[4:].tolist() == [[0] + [IMPOSSIBLE] * 31] * 2
