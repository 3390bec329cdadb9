r"""Fitting the tables of a network to incomplete rows, by EM (:mod:`dagscape.networks.expectation_maximisation`).

The M-step divides expected counts :math:`\bar N_{jk}` plus pseudocounts :math:`α_{jk}` by their sum over the levels, as
for complete rows (:mod:`dagscape.networks.discrete.fitting`). That maximises

.. math:: \ln P(\text{observed cells} \mid θ) + \sum_{jk} α_{jk} \ln θ_{jk},

the log of a Dirichlet density with the parameters :math:`α_{jk} + 1` up to a constant, besides the likelihood. The
table of a variable without parents that was set in every row says how often each level was chosen; it is in neither
term.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Unpack

import numpy as np
from numpy.typing import NDArray

from dagscape.core.clock import Clock
from dagscape.core.randomness import random_generator
from dagscape.networks.discrete.fitting import FamilyFitter, FitPrior, check_sizes, expected_table
from dagscape.networks.discrete.incomplete import IncompleteCounter, IncompleteRows
from dagscape.networks.expectation_maximisation import (
    EMOptions,
    Ended,
    IncompleteFit,
    Step,
    checked_options,
    maximised,
    tell_if_stopped,
)

if TYPE_CHECKING:
    from dagscape.data.discrete.dataset import Dataset
    from dagscape.graphs.dag import Dag

Floats = NDArray[np.float64]
Tables = list[Floats]

# The pseudocount with which the first start is fitted to complete families: EM cannot leave a probability of 0.
_FIRST_PSEUDOCOUNT = 1.0
# The share of random tables in those of other starts.
_RANDOM_SHARE = 0.5


def fit_incomplete_cpts(
    dag: Dag, data: Dataset, ess: float, prior: FitPrior, options: EMOptions
) -> tuple[dict[str, Floats], IncompleteFit]:
    """Return the fitted tables, and how they were found."""
    fitter = IncompleteFitter(dag, data, ess, prior)
    clock = Clock(options.get("max_seconds"))
    ended = fitter.fit(clock=clock, **options)
    tell_if_stopped(ended.fit, clock)
    return dict(zip(dag.variables, ended.parameters, strict=True)), ended.fit


class IncompleteFitter:
    """EM for the tables of one structure.

    Parameters
    ----------
    dag : Dag
        The structure.
    data : Dataset
        The rows.
    ess, prior
        As in :meth:`dagscape.Network.fit`.
    max_memory : int, str or None
        The limit of memory.
    """

    def __init__(
        self, dag: Dag, data: Dataset, ess: float, prior: FitPrior, max_memory: int | str | None = None
    ) -> None:
        """Prepare the rows."""
        rows = IncompleteRows.of(dag.variables, data)
        arities = [len(data.levels[name]) for name in dag.variables]
        self._fitter = FamilyFitter.of_codes(arities, rows.codes, rows.weights, None, ess, prior)
        check_sizes(dag, self._fitter)
        self.dag = dag
        self.counter = IncompleteCounter(dag.parent_masks, arities, rows, max_memory)

    def fit(
        self, *, clock: Clock, first: Sequence[Floats] | None = None, **options: Unpack[EMOptions]
    ) -> Ended[Tables]:
        """Return the best tables.

        Parameters
        ----------
        clock : Clock
            The time limit, in place of ``max_seconds``.
        first : sequence of array, optional
            The tables to begin with.
        **options
            Those of :class:`EMOptions`.
        """
        checked_options(options)
        starts = self._starts(options.get("starts", 1), options.get("seed", 0), first)
        return maximised(self._step, starts, self.counter.incomplete, options, clock)

    def _step(self, tables: Tables) -> Step[Tables]:
        found = self.counter.expected(tables)
        objective = found.log_likelihood + sum(
            self._log_prior(table) for v, table in enumerate(tables) if v not in self.counter.only_chosen
        )
        fitted = [expected_table(count, self._fitter.pseudocount(count.size)) for count in found.counts]
        return Step(objective, found.log_likelihood, fitted)

    def _log_prior(self, table: Floats) -> float:
        pseudocount = self._fitter.pseudocount(table.size)
        return pseudocount * float(np.log(table).sum()) if pseudocount else 0.0

    def _starts(self, count: int, seed: object, first: Sequence[Floats] | None) -> Iterator[Tables]:
        own = self.complete_families() if first is None else list(first)
        yield own
        rng = random_generator(seed)  # type: ignore[arg-type]  # checked there
        for _ in range(count - 1):
            yield [
                (1 - _RANDOM_SHARE) * table + _RANDOM_SHARE * rng.dirichlet(np.ones(table.shape[-1]), table.shape[:-1])
                for table in own
            ]

    def complete_families(self) -> Tables:
        """Return the tables fitted to the rows that are complete in each family, with a pseudocount of 1."""
        rows, found = self.counter.rows, []
        for v, parents in enumerate(self.dag.parent_masks):
            members = [u for u in range(self.dag.n) if (parents | 1 << v) >> u & 1]
            kept = ~rows.holes[:, members].any(axis=1)
            if v not in self.counter.only_chosen:
                kept &= rows.free(v)
            codes, weights = rows.codes[kept], rows.weights[kept]
            fitter = FamilyFitter.of_codes(self._fitter.arities, codes, weights, None, 1.0, "none")
            found.append(expected_table(fitter.counts(v, parents), _FIRST_PSEUDOCOUNT))
        return found
