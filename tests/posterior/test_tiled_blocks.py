"""Tiled sums over orders have the same bits in one block as in many, on any number of ranks and threads."""

from __future__ import annotations

import numpy as np
import pytest

import dagscape as ds
from builds import assert_same_bits
from dagscape.core import kernels
from dagscape.posterior.backends import BACKENDS

BLOCK_BITS = 10


def random_scores(n, max_parents, rows, **constraints):
    """Scores of a tree whose edges are the more certain, and the wider their range, the more rows there are."""
    rng = np.random.default_rng(n)
    columns = [rng.integers(0, 2, rows)]
    for _ in range(n - 1):
        source = columns[rng.integers(len(columns))]
        columns.append(np.where(rng.random(rows) < 0.1, 1 - source, source))
    data = ds.Dataset.from_array(np.column_stack(columns))
    return ds.local_scores(data, max_parents=max_parents, **constraints)


SCORES = {
    "narrow": random_scores(14, 3, 60),
    "wide": random_scores(13, 2, 20_000),
    "mixed": random_scores(14, 2, 1_500),
    "constrained": random_scores(
        14, 3, 300, required=[("X0", "X1"), ("X12", "X2"), ("X13", "X5")], forbidden=[("X3", "X4"), ("X1", "X13")]
    ),
    "tiers": random_scores(13, 3, 300, tiers=[["X12", "X3"], [f"X{v}" for v in (0, 1, 2, *range(4, 12))]]),
    "no parents": random_scores(13, 0, 50),
    "ten": random_scores(10, 4, 100),
    "twenty": random_scores(20, 2, 100),
    # No column needs exponents, but tiles span too wide a range for plain doubles.
    "far apart": random_scores(14, 3, 1_000),
    # Others turn out to have too small numbers only after their shares were added up.
    "too small": random_scores(14, 2, 1_100),
}


def weights_of(scores):
    weights = BACKENDS["orders", "cpu"].weights(scores, 1, 2**30)
    assert weights.max_parents is not None
    return weights


class Ranks:
    """The ranks of a sum, in one process: blocks are copied from one to the other."""

    def __init__(self, scores, ranks, block_bits, threads=1):
        self.values = weights_of(scores).values
        self.n, self.ranks, self.threads = scores.n, ranks, threads
        self.own = self.n - (ranks.bit_length() - 1)
        self.bits = min(block_bits, self.own)
        self.blocks = 1 << (self.own - self.bits)
        self.arguments = scores.max_parents, scores.unit.bits
        self.words = [np.empty(1 << self.own, dtype=np.int64) for _ in range(ranks)]
        self.sums = [self.sum_of(rank) for rank in range(ranks)]

    def sum_of(self, rank):
        return kernels.TiledOrderSum(self.values, *self.arguments, self.words[rank], self.ranks, rank)

    def block(self, rank, block):
        return self.words[rank][block << self.bits : (block + 1) << self.bits].copy()

    def neighbours(self, rank, members):
        bits = [1 << bit for bit in range(self.n - self.own)]
        return [rank ^ bit for bit in bits if bool(rank & bit) == members]

    def forward(self):
        for rank in range(self.ranks):
            for block in range(self.blocks):
                received = [self.block(other, block) for other in self.neighbours(rank, True)]
                self.sums[rank].forward(self.bits, block, received, self.threads, None)
        return int(self.words[-1][-1])

    def backward(self, total, restart=False):
        for rank in reversed(range(self.ranks)):
            for block in reversed(range(self.blocks)):
                received = [self.block(other, block) for other in self.neighbours(rank, False)]
                self.sums[rank].backward(self.bits, block, received, total, self.threads, None)
                if restart:
                    state = self.sums[rank].state()
                    self.sums[rank] = self.sum_of(rank)
                    self.sums[rank].restore(state)

    def finish(self):
        for bit in range(self.n - self.own):
            for rank in range(0, self.ranks, 2 << bit):
                self.sums[rank].merge(self.sums[rank | 1 << bit].shares())
        edges = np.empty((self.n, self.n))
        return *self.sums[0].finish(edges), edges.tobytes()

    def run(self, **options):
        self.backward(self.forward(), **options)
        return self.finish()


def in_one_block(scores):
    ranks = Ranks(scores, 1, scores.n)
    return ranks.run(), ranks.words[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", SCORES)
def test_ranks_blocks_and_threads_do_not_change_a_bit(name):
    scores = SCORES[name]
    expected, words = in_one_block(scores)
    shapes = ((1, 10, 1), (1, 12, 3), (1, 14, 2), (1, 18, 1), (2, 11, 1), (4, 10, 2), (8, 12, 4))
    for ranks, block_bits, threads in shapes:
        if scores.n < 9 + ranks.bit_length():
            continue
        divided = Ranks(scores, ranks, block_bits, threads)
        assert divided.run() == expected
        assert np.array_equal(np.concatenate(divided.words), words)


@pytest.mark.parametrize("name", SCORES)
def test_the_parts_agree_with_the_posterior(name):
    scores = SCORES[name]
    found = ds.posterior(scores, "orders")
    (mantissa, exponent, disagreement, edges), _ = in_one_block(scores)
    offset = scores.unit.to_float(weights_of(scores).offset)
    assert np.log(mantissa) + exponent * np.log(2) + offset == pytest.approx(found.log_total, rel=1e-13)
    assert disagreement < 1e-9
    np.testing.assert_array_equal(np.clip(np.frombuffer(edges).reshape(scores.n, -1), 0, 1), found.edges)


@pytest.mark.slow
@pytest.mark.parametrize("rows", [60, 1_000, 2_000])
def test_both_builds_have_the_same_bits(rows):
    assert_same_bits(f"""
rng = np.random.default_rng(1)
columns = [rng.integers(0, 2, {rows})]
for _ in range(13):
    source = columns[rng.integers(len(columns))]
    columns.append(np.where(rng.random({rows}) < 0.1, 1 - source, source))
data = ds.Dataset.from_array(np.column_stack(columns))
found = ds.posterior(ds.local_scores(data, max_parents=3), "orders")
parts = [found.edges.tobytes(), np.float64(found.log_total).tobytes()]
""")


@pytest.mark.parametrize("ranks", [1, 2, 8])
def test_a_total_needs_the_forward_pass_only(ranks):
    scores = SCORES["constrained"]
    divided = Ranks(scores, ranks, BLOCK_BITS, 2)
    mantissa, exponent = divided.sums[-1].total(divided.forward())
    assert (mantissa, exponent) == in_one_block(scores)[0][:2]


@pytest.mark.parametrize("name", ["narrow", "mixed"])
def test_a_sum_continues_from_its_state(name):
    scores = SCORES[name]
    assert Ranks(scores, 2, BLOCK_BITS).run(restart=True) == in_one_block(scores)[0]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ["narrow", "mixed", "far apart", "too small"])
def test_blocks_of_different_sizes(name, threads):
    scores = SCORES[name]
    expected, _ = in_one_block(scores)
    parts = Ranks(scores, 1, 12)
    total = parts.forward()
    for bits, block in ((13, 1), (10, 7), (10, 6), (11, 2), (12, 0)):
        parts.sums[0].backward(bits, block, [], total, threads, None)
    assert parts.finish() == expected


def test_wrong_calls_are_refused():
    scores = SCORES["narrow"]
    parts = Ranks(scores, 2, 12)
    first, last = parts.sums
    words = np.zeros(1 << 12, dtype=np.int64)
    for bits, block, received in ((9, 0, []), (14, 0, []), (12, 2, []), (12, 0, [words])):
        with pytest.raises(ValueError, match="block"):
            first.forward(bits, block, received, 1, None)
    with pytest.raises(ValueError, match="with the packed numbers of the same block"):
        last.forward(12, 0, [words[:-1]], 1, None)
    total = parts.forward()
    with pytest.raises(ValueError, match="decreasing order"):
        last.backward(12, 0, [], total, 1, None)
    with pytest.raises(ValueError, match="zero"):
        last.backward(12, 1, [], 0, 1, None)
    with pytest.raises(ValueError, match="blocks are missing"):
        last.shares()
    for state in ([], [0.0, 1.0], [-1.0, 1.0, 0.0], [4096.0, 1.0, 0.0], [np.nan, 1.0, 0.0], [1.0, 1.0, 0.0]):
        with pytest.raises(ValueError, match="not the state"):
            last.restore(np.array(state))
    parts.backward(total)
    with pytest.raises(ValueError, match="same level"):
        first.merge(np.zeros(5))
    with pytest.raises(ValueError, match="other ranks"):
        first.finish(np.empty((14, 14)))


@pytest.mark.parametrize(("ranks", "rank", "words"), [(3, 0, 13), (32, 0, 9), (0, 0, 14), (2, 2, 13), (2, 0, 14)])
def test_wrong_ranks_are_refused(ranks, rank, words):
    values = weights_of(SCORES["narrow"]).values
    with pytest.raises(ValueError, match="rank"):
        kernels.TiledOrderSum(values, 3, SCORES["narrow"].unit.bits, np.empty(1 << words, dtype=np.int64), ranks, rank)
