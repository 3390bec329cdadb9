"""Several Markov chains, which run at the same time, batch by batch, and can be stopped, saved and continued.

A chain is a series of *sweeps*; every ``thin`` sweeps, its network is recorded (a *draw*). Averages of edges over all
sweeps are kept in batches of draws, whose number is limited: when there are too many, adjacent ones are joined. The
first fifth of the batches of every chain is discarded as burn-in.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, ThreadPoolExecutor, wait
from copy import deepcopy
from dataclasses import dataclass
from queue import Empty, PriorityQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core import kernels
from dagscape.core.clock import Clock
from dagscape.core.progress import Progress, ProgressListener
from dagscape.graphs.words import Words, word_count
from dagscape.running.checkpoints import Checkpoint
from dagscape.sampling.chain_lists import ChainLists
from dagscape.sampling.chain_starts import Start
from dagscape.sampling.informed_steps import informed_steps
from dagscape.sampling.recorded_draws import Batch, RecordedDraws, most_batches
from dagscape.scores.tables.local_scores import LocalScores

# The share of each chain that is discarded.
BURN_IN = 0.2
# The largest first batch: what Ctrl-C loses at the beginning of a run.
_LONGEST_FIRST = 8
# Decimals of averages, in which sums of many terms are still exact.
_DIGITS = 12
# How often the main thread looks up, in seconds.
_LOOK_UP = 0.1


@dataclass(frozen=True, slots=True)
class Moves:
    """The moves of a sweep (``native/include/dagscape/sampling/block_chain.hpp``), chosen by measurement.

    Attributes
    ----------
    width, widest_hub : int
        The number of variables of a block, and the largest number of a hub move.
    hub_share : float
        The share of hub moves among those of blocks.
    blocks, covered : float
        The number of blocks, and of attempts to reverse an edge, for each variable.
    whole_lists : float
        The share of the steps of single variables that choose among all listed families.
    """

    width: int = 6
    widest_hub: int = 9
    hub_share: float = 0.4
    blocks: float = 0.25
    covered: float = 20.0
    whole_lists: float = 0.2


MOVES = Moves()


@dataclass(slots=True)
class OneChain(RecordedDraws):
    """A chain of networks for given scores, and what it has drawn so far."""

    kernel: kernels.BlockChain
    scores: LocalScores
    thin: int
    informed: bool
    rng: np.random.Generator
    # The number of variables with a family outside the lists, of all draws together.
    unlisted: int = 0

    def extend(self, draws: int, stopped: Callable[[], bool]) -> None:
        """Draw a batch of networks more, unless the chain is stopped before it is complete."""
        n = self.scores.n
        words = np.zeros((draws, n, word_count(n)), dtype=np.uint64)
        exact = np.zeros(draws, dtype=np.int64)
        for draw in range(draws):
            if stopped():
                return
            if self.informed:
                informed_steps(self.kernel, self.scores, self.rng)
            self.kernel.run(self.thin, True, words[draw : draw + 1], exact[draw : draw + 1])
            self.unlisted += self.kernel.unlisted if self.informed else 0
        sums = np.empty((n, n))
        self.kernel.take_edge_sums(sums)
        self.record(words, exact, sums / self.thin)
        if self.checkpoint is not None:
            self.place = self._place()

    def _place(self) -> dict[str, Any]:
        """Return where the chain is, from where it can continue."""
        return {
            "parents": [list(map(int, own)) for own in self.kernel.parents()],
            "scores": np.array(self.kernel.family_scores(), dtype=np.int64),
            "random_state": str(self.kernel.random_state),
            "rng": deepcopy(self.rng),
        }

    def restore(self) -> None:
        """Go on from a checkpoint, if there is one."""
        state = None if self.checkpoint is None else self.checkpoint.load()
        if self.checkpoint is None or state is None:
            return
        with self.checkpoint.reading():
            self.kernel.restore(state["parents"], state["scores"].tolist(), int(state["random_state"]))
            self.rng = state["rng"]
            self.restore_draws(state)
            self.place = self._place()


@dataclass(frozen=True, slots=True)
class Drawn:
    """What chains have drawn, without the burn-in.

    Attributes
    ----------
    words : array, (chains · draws) × n × words
        The networks, chain after chain.
    exact : array, chains × draws
        Their scores, in units.
    means, batches : arrays, chains × n × n and chains × batches × n × n
        Averages of edges over all sweeps.
    burn_in : int
        The number of draws that each chain discarded.
    finished : bool
        Whether all draws that were asked for were made.
    """

    words: Words
    exact: NDArray[np.int64]
    means: NDArray[np.float64]
    batches: NDArray[np.float64]
    burn_in: int
    finished: bool


def make_chains(
    scores: LocalScores,
    lists: ChainLists,
    starts: Sequence[Start],
    thin: int,
    rng: np.random.Generator,
    checkpoints: Sequence[Checkpoint | None],
) -> list[OneChain]:
    """Return chains at their starts, or where their checkpoints are."""
    chains = []
    for start, checkpoint in zip(starts, checkpoints, strict=True):
        seed = int(rng.integers(2**63))
        kernel = block_chain(lists, start, seed)
        own = np.random.default_rng(seed)
        chains.append(OneChain(kernel, scores, thin, not lists.complete, own, checkpoint=checkpoint))
        chains[-1].restore()
    return chains


def block_chain(lists: ChainLists, start: Start, seed: int) -> kernels.BlockChain:
    """Return a chain of the usual moves at a network with listed families."""
    return kernels.BlockChain(
        lists.kernel,
        start,
        width=MOVES.width,
        widest_hub=MOVES.widest_hub,
        hub_share=MOVES.hub_share,
        blocks=MOVES.blocks,
        covered=MOVES.covered,
        whole_lists=MOVES.whole_lists,
        seed=seed,
    )


def run_chains(
    chains: Sequence[RecordedDraws], lengths: Lengths, clock: Clock, threads: int, listener: ProgressListener | None
) -> tuple[bool, bool]:
    """Run chains until each has its draws, or the time is over, or Ctrl-C.

    Returns
    -------
    tuple of bool
        Whether all draws were made, and whether Ctrl-C ended them.
    """
    draws = lengths.total
    stop = threading.Event()
    done = [chain.draws for chain in chains]

    def stopped() -> bool:
        return stop.is_set() or clock.expired

    turns = _turns(done, draws)

    def work() -> None:
        # A batch of the shortest chain that is waiting: chains stay equally long, also if threads are fewer.
        while not stopped():
            try:
                _, index = turns.get_nowait()
            except Empty:
                return
            chain = chains[index]
            chain.extend(min(chain.next_batch(lengths.batch), draws - chain.draws), stopped)
            done[index] = chain.draws
            if chain.checkpoint is not None and chain.checkpoint.is_due:
                chain.save()
            if chain.draws < draws:
                turns.put((chain.draws, index))

    def look_up(pending: set[Future[None]]) -> None:
        while pending:
            _, pending = wait(pending, timeout=_LOOK_UP, return_when=FIRST_EXCEPTION)
            if listener is not None:
                listener(Progress("Running chains", sum(done), draws * len(chains)))
            for future in [future for future in futures if future.done()]:
                future.result()

    interrupted = False
    workers = max(min(threads, len(chains)), 1)
    futures: list[Future[None]] = []
    try:
        with ThreadPoolExecutor(max_workers=workers) as pool:
            try:
                futures.extend(pool.submit(work) for _ in range(workers))
                look_up(set(futures))
            finally:
                stop.set()
                _cancel(futures)
    except KeyboardInterrupt:
        interrupted = True
    return min(chain.draws for chain in chains) >= draws, interrupted


def _turns(done: Sequence[int], draws: int) -> PriorityQueue[tuple[int, int]]:
    """Return the chains that have fewer draws than they should, the shortest first."""
    turns: PriorityQueue[tuple[int, int]] = PriorityQueue()
    for index, count in enumerate(done):
        if count < draws:
            turns.put((count, index))
    return turns


def _cancel(futures: Sequence[Future[None]]) -> None:
    for future in futures:
        future.cancel()


@dataclass(frozen=True, slots=True)
class Lengths:
    """How many networks each chain draws: in a first batch, as burn-in, which ends with a batch, and to be kept."""

    batch: int
    burn_in: int
    kept: int

    @classmethod
    def of(cls, kept: int, n: int, *, limited: bool = False) -> Lengths:
        """Return the lengths with which no batches need be joined.

        With a time limit, and in long runs that Ctrl-C may end, batches begin shorter, by a power of two, and are
        joined as they become too many.
        """
        discarded = math.ceil(kept * BURN_IN / (1 - BURN_IN))
        last = math.ceil((kept + discarded) / (most_batches(n) - 3))
        joins = max(math.ceil(math.log2(last / (1 if limited else _LONGEST_FIRST))), 0)
        batch = math.ceil(last / 2**joins)
        last = batch * 2**joins
        return cls(batch, last * math.ceil(discarded / last), kept)

    @property
    def total(self) -> int:
        """The number of all draws."""
        return self.burn_in + self.kept


def collected(chains: Sequence[RecordedDraws], lengths: Lengths) -> Drawn | None:
    """Return the draws of all chains after the burn-in, equally many of each; None if there are too few."""
    counts = [_batch_counts(chain) for chain in chains]
    common = min(len(count) for count in counts)
    if common < 2 or len({tuple(count[:common]) for count in counts}) > 1:
        common = _aligned(chains)
    if common < 2:
        return None
    ends = np.cumsum(_batch_counts(chains[0])[:common])
    finished = int(ends[-1]) >= lengths.total
    discarded = lengths.burn_in if finished else BURN_IN * ends[-1]
    skipped = min(int(np.searchsorted(ends, discarded)) + 1, common - 1)
    first, last = int(ends[skipped - 1]), int(ends[-1])
    words = np.concatenate([np.concatenate(chain.words)[first:last] for chain in chains])
    exact = np.stack([np.concatenate(chain.exact)[first:last] for chain in chains])
    kept = [_without_short_end(chain.batches[skipped:common]) for chain in chains]
    batches = np.stack([np.stack([batch.sums / batch.draws for batch in own]) for own in kept])
    weights = np.array([batch.draws for batch in kept[0]], dtype=np.float64)
    # Sums of probabilities that are all 1 need not be whole numbers.
    batches = np.round(batches, _DIGITS)
    means = np.round(np.tensordot(batches, weights / weights.sum(), axes=(1, 0)), _DIGITS)
    return Drawn(words, exact, np.clip(means, 0, 1), np.clip(batches, 0, 1), first, finished)


def _without_short_end(batches: list[Batch]) -> list[Batch]:
    """Join the last batch to the one before it if it is shorter: errors count all batches alike."""
    if len(batches) > 1 and batches[-1].draws < batches[0].draws:
        return [*batches[:-2], batches[-2].joined(batches[-1])]
    return batches


def _batch_counts(chain: RecordedDraws) -> list[int]:
    return [batch.draws for batch in chain.batches]


def _aligned(chains: Sequence[RecordedDraws]) -> int:
    """Join batches of chains that have fewer of them joined, until all have the same; return how many are common."""
    coarsest = max(chain.batches[0].draws if chain.batches else 0 for chain in chains)
    for chain in chains:
        while len(chain.batches) > 1 and chain.batches[0].draws < coarsest:
            pairs = zip(chain.batches[::2], chain.batches[1::2], strict=False)
            chain.batches = [first.joined(second) for first, second in pairs]
    common = min(len(chain.batches) for chain in chains)
    while common and len({tuple(_batch_counts(chain)[:common]) for chain in chains}) > 1:
        common -= 1
    return common
