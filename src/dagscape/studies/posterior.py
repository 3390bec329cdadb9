"""The posterior of all edges: exact sums, averaged over settings for data, or chains where sums are too large."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from dagscape.core.caveats import issue
from dagscape.core.checks import check_choice
from dagscape.core.clock import Clock
from dagscape.core.constraints import FLAG
from dagscape.core.errors import InvalidOption, argument
from dagscape.core.progress import ProgressOption
from dagscape.core.randomness import Seed
from dagscape.core.requirements import ProblemSize
from dagscape.core.resources import Budget
from dagscape.core.wording import plural
from dagscape.data.discrete.automatic_cuts import AutomaticCuts, tell_cuts
from dagscape.data.discrete.common_cuts import ComparedCuts
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.discretizing import Discretizer
from dagscape.data.notices import data_warnings
from dagscape.data.values import Frame, as_cuts, is_source
from dagscape.ensembles.sampled_networks import SampledNetworks
from dagscape.posterior.backends import SUMMED_OVER, cost_more, on_all_processes
from dagscape.posterior.evidence import (
    BEST,
    FIXED,
    SETTINGS,
    averaged_grids,
    is_data,
    job_of_best,
    refuse_options_of_data,
)
from dagscape.posterior.grids import lasting_options
from dagscape.posterior.order_weights import OrderWeightsOption
from dagscape.posterior.result import Posterior
from dagscape.posterior.running import PlannedSum, plan_sum
from dagscape.posterior.setting import BY_EVIDENCE, CUT_WEIGHTS, EQUAL
from dagscape.posterior.summing import wants_paths
from dagscape.running.checkpoints import DEFAULT_SECONDS
from dagscape.sampling.chain import MISSING_RULES, SAMPLE, chain
from dagscape.sampling.chain_requirements import chain_requirements
from dagscape.sampling.compelled import COMPELLED, DEFAULT_COMPELLED_SAMPLES, CompelledSampling
from dagscape.sampling.exact_posterior import SumOptions, posterior_of_sum
from dagscape.sampling.method_choice import (
    METHODS,
    Reason,
    chosen_method,
    explained,
    most_seconds_of_sum,
    sum_or_reason,
    tell_long_sum,
    tell_reason,
)
from dagscape.scores.choice import AUTO_SCORE, DISCRETE_SCORE, with_score
from dagscape.scores.kinds import as_data
from dagscape.scores.posteriors import check_posterior
from dagscape.scores.registry import find_score
from dagscape.scores.scoring import score_job
from dagscape.scores.scoring_job import ScoringJob
from dagscape.scores.search_planning import SearchSize
from dagscape.scores.tables.enumerable_scores import EnumerableScores, check_scores
from dagscape.scores.tables.local_scores import LocalScores
from dagscape.studies.automatic_ways import affordable_ways
from dagscape.studies.averaged_posterior import averaged_posterior, sums_of_average
from dagscape.studies.cut_tables import check_averaged, cut_data

# What is done about settings that are not given; data alone have them.
AVERAGE = "average"
SETTINGS_OF_DATA = (AVERAGE, *SETTINGS)

# All sums over so few variables take seconds.
_SURELY_QUICK = 12


@on_all_processes
def posterior(
    data: LocalScores | Dataset | Frame | ComparedCuts,
    over: str = "dags",
    *,
    method: str = "auto",
    settings: str = AVERAGE,
    missing: str = "error",
    discretize: str | Discretizer | Sequence[str | Discretizer] | None = None,
    cut_weights: str = EQUAL,
    via: str | Iterable[tuple[str, str, str]] | None = None,
    ancestors: bool = False,
    prior: bool = False,
    order_weights: OrderWeightsOption = None,
    compelled: bool | None = False,
    compelled_samples: int = DEFAULT_COMPELLED_SAMPLES,
    seed: Seed = 0,
    draws: int | None = None,
    chains: int | None = None,
    thin: int | None = None,
    max_seconds: float | None = None,
    backend: str = "auto",
    threads: int | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = None,
    checkpoint: str | os.PathLike[str] | None = None,
    checkpoint_seconds: float = DEFAULT_SECONDS,
    **options: Any,
) -> Posterior | SampledNetworks:
    """Compute the posterior probability of each edge and each ancestor relation: exact, or from Markov chains.

    Parameters
    ----------
    data : LocalScores, Dataset, data frame, str or path
        Local scores, for the posterior of exactly these; or data, for the average over settings. With data, the
        equivalent sample size (0.5, 2, 8, 32) and the structure prior (uniform, edge penalties of 1.5, 3 and 4.5 nats)
        have the weights that the data give them, P(D | setting). If families of scores are missing, sums are too
        small, and a warning is issued. Exact sums need an :class:`~dagscape.EnumerableScores`; chains take scores on
        demand, too.
    over : {"dags", "orders"}
        Sum over DAGs with the structure prior of the scores, or over orders of the variables. The latter is much
        cheaper, but it favours DAGs that are consistent with many orders, and gives equivalent DAGs different weights.
    method : {"auto", "exact", "chain"}
        Sum exactly, or sample DAGs by Markov chains (:func:`dagscape.chain`). The default sums wherever that fits in
        memory and is estimated to take at most an hour, or ``max_seconds``; otherwise, it runs chains, and the result
        says why. It never runs chains over orders, nor if an option below asks for what chains do not have. With a
        checkpoint, a sum may take any time.
    settings : {"average", "best", "fixed"}
        With data: whether settings that are not given (parameters of the score such as ``ess``, and the structure
        prior) are averaged over, by the evidence for each; have the highest evidence; or have the defaults of
        :func:`dagscape.local_scores`, as scores that are computed without options. Except with ``"fixed"``, variables
        have no more parents than leave five rows for each of their joint states, unless ``max_parents`` is given or
        more are required; each way of cutting has its own limit.
    missing : {"error", "sample"}
        What is done about missing cells of data made with ``missing="keep"``: they are refused, or drawn along with
        networks, by chains, as in :func:`dagscape.chain`.
    discretize : str, Discretizer or sequence of them, optional
        How the columns of numbers of a data frame or a file are cut, such as ``"quantile:3"``. ``"average"``, or
        several ways, average over them: ``"average"`` means 2, 3, 4 and 5 quantiles. Each way cuts all columns alike.
        The evidence is then that of the numbers before they were cut, so that ways can be compared. Chains, which do
        not average, use 3 quantiles if these are among the ways, and else the first. Default: ``"average"`` if the
        table has measured columns and all sums take half a minute at most on one thread of a usual machine, by the
        number of steps; and else ``"auto"``, one way, which the result says.
    cut_weights : {"equal", "evidence"}
        The weights of several ways of cutting: equal ones, or those that the data give them. The evidence is dominated
        by how well intervals fit single columns, and favours many intervals.
    via : "all" or iterable of (source, middle, target), optional
        Also compute the probabilities of paths from one variable through another to a third. This takes (4/3)^n times
        as long as the rest, for one triple as for all, so all are computed.
    ancestors : bool
        Over orders, also compute the probabilities of ancestor relations. This takes n (n - 1) 3^(n-2) steps, where
        the edges take n² 2^n: seconds for 15 variables. Sums over DAGs always have them.
    prior : bool
        Ignore the data: the probabilities are those of the structure prior alone, for comparison.
    order_weights : array, data frame, mapping or callable, optional
        Over orders, log weights of orders: the order-modular prior of an order and a DAG is then the product of
        ``q_v(U)`` over all variables v, where U are the variables before v, times the structure prior
        [koivisto2004]_. A matrix ``w``, a pandas data frame with names as index and columns, or a mapping
        {(u, v): w} adds ``w[u, v]`` wherever u comes before v; minus infinity rules that out. A callable of the name
        of a variable and those of its predecessors (a tuple, in the order of the variables) returns ln q_v(U); it is
        called n 2^(n−1) times, for up to 16 variables. Default: all orders have the same weight. Such sums are
        computed on a processor, with all sets of parents in memory.
    compelled : bool or None
        Also estimate the probability that an edge holds in every member of the equivalence class, from DAGs that are
        drawn exactly and independently (:func:`dagscape.sample_dags`). This takes about half as long again, and more
        for many samples. Constraints on edges and experiments rule out members, and so compel more edges. None: if it
        takes half a minute, or no longer than the sum.
    compelled_samples, seed
        The number of DAGs to draw, and their seed, which is also that of chains.
    draws, chains, thin, max_seconds
        The options of :func:`dagscape.chain`, for the case that chains run.
    backend : {"auto", "cpu", "cuda", "mpi"}
        The implementation of the sum: the kernels of the processor, those of an NVIDIA GPU through CuPy, or those of
        the processors of all ranks of an MPI program. The default uses a GPU if there is one
        (:func:`dagscape.backends`) and its estimated time is shorter, and never MPI. With ``"mpi"``, all ranks must
        call the function; the arguments of rank 0 are used, so the others may pass None as ``scores``, and all get the
        same result or error.
    threads, max_memory, progress
        As in :func:`dagscape.local_scores`. The result does not depend on the number of threads. With MPI, each rank
        has this number of threads (default: the cores of a machine divided by its ranks), the limit applies to all
        ranks of a machine together, and rank 0 alone reports progress.
    checkpoint : path, optional
        A folder for checkpoints of long sums, which needs up to 16 bytes · 2^n. If the process is killed, the same call
        later continues after the last checkpoint, with the same result. They are removed at the end.
    checkpoint_seconds : float
        The least time between two checkpoints.
    **options
        With data: the options of :func:`dagscape.local_scores`. A setting that is given, such as ``ess=1``, is not
        averaged over. Chains do not average: they use the setting with the highest evidence, that of the whole table or
        of parts of its columns, and the result says which.

    Returns
    -------
    Posterior or SampledNetworks
        The probabilities, the totals and their errors; or sampled networks, whose probabilities have Monte Carlo
        errors, with diagnostics. The ``method`` of the result is ``"exact"`` or ``"chain"``.

    Examples
    --------
    >>> import dagscape as ds
    >>> averaged = ds.posterior(ds.load_dataset("tic-tac-toe"))
    >>> averaged.settings_frame()[["setting", "share"]].head(2).round(3)
                                   setting  share
    0           ess 32, uniform, 4 parents  0.996
    1  ess 32, edge-penalty:1.5, 4 parents  0.004

    Exactly these scores, and no other settings:

    >>> post = ds.posterior(ds.local_scores(ds.load_dataset("tic-tac-toe")))
    >>> round(post.edge("Class", "middle-middle-square"), 4), round(post.edge("top-left-square", "Class"), 4)
    (1.0, 0.4955)
    >>> round(post.ancestor("top-left-square", "middle-middle-square"), 4)
    0.75

    Edges that hold in every member of their class, and edges that most members have, but not all:

    >>> frame = ds.posterior(ds.local_scores(ds.load_dataset("tic-tac-toe")), compelled=True).to_frame()
    >>> frame.loc[[5, 9], ["source", "target", "edge", "compelled"]].round(2)
                source                target  edge  compelled
    5  top-left-square                 Class  0.50       0.49
    9  top-left-square  bottom-middle-square  0.45       0.08

    What a sum cannot handle is sampled by Markov chains, here on request:

    >>> drawn = ds.posterior(ds.local_scores(ds.load_dataset("tic-tac-toe"), max_parents=3), method="chain", draws=500)
    >>> drawn.method, drawn.diagnostics.converged
    ('chain', True)
    """
    check_choice(method, METHODS, "method")
    check_choice(settings, SETTINGS_OF_DATA, "settings")
    check_choice(cut_weights, CUT_WEIGHTS, "cut_weights")
    check_choice(missing, MISSING_RULES, "missing")
    if missing == SAMPLE and method == "auto":
        method = "chain"
    budget = Budget.of(threads, max_memory)
    # It refuses what is no time, whichever method there will be.
    Clock(max_seconds)
    of_sums_alone: dict[str, Any] = {"via": via, "prior": prior, "order_weights": order_weights}
    of_sums_alone |= {"compelled_samples": compelled_samples, "backend": backend}
    of_chains: dict[str, Any] = {"draws": draws, "chains": chains, "thin": thin, "max_seconds": max_seconds}
    given = {name: value for name, value in of_chains.items() if value is not None}
    method = chosen_method(method, over, of_sums_alone, given)
    if method != "exact":
        check_choice(over, SUMMED_OVER, "over")
        FLAG.check(ancestors, "ancestors")
        COMPELLED.check(compelled, "compelled")
    saving: dict[str, Any] = {"checkpoint": checkpoint, "checkpoint_seconds": checkpoint_seconds}
    sums = SumOptions(ancestors=ancestors, compelled=compelled, seed=seed, **of_sums_alone, **saving)
    asked = _Asked(over, method, sums, given, budget, progress, settings, cut_weights)
    score = options.get("score", DISCRETE_SCORE)
    check_posterior(score)
    if missing == SAMPLE:
        if discretize is not None:
            raise InvalidOption(f"is not taken with {argument('missing', SAMPLE)}: cut the data first", "discretize")
        return asked.of_incomplete(data, options)
    if discretize is not None:
        data = cut_data(data, discretize, score)
    elif is_source(data) and str(score).lower() != AUTO_SCORE and find_score(score).data_type is Dataset:
        data = asked.cut(as_cuts(data), options)
    if not (isinstance(data, ComparedCuts) or is_data(data)):
        refuse_options_of_data(BEST if settings == AVERAGE else settings, options)
        return asked.of_scores(cast("LocalScores", data))
    return asked.of_data(data, options)


def _check_kind(scores: object) -> None:
    """Refuse what are no scores; those on demand will do for chains."""
    if not isinstance(scores, LocalScores):
        check_scores(scores)


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is asked for: the method, the options of sums, those of chains, and how to run."""

    over: str
    method: str
    sums: SumOptions
    of_chains: Mapping[str, Any]
    budget: Budget
    progress: ProgressOption
    settings: str
    cut_weights: str

    def cut(self, table: Dataset | AutomaticCuts, options: Mapping[str, Any]) -> Dataset | ComparedCuts:
        """Return a table cut in several ways if it is to be averaged over these, and say how it was cut."""
        ways = None
        if isinstance(table, AutomaticCuts):
            asks_for_average = self.settings == AVERAGE and self.method != "chain" and not self._options_of_one_sum()
            if asks_for_average:
                ways = affordable_ways(
                    table,
                    lasting_options(options),
                    self.over,
                    self.budget,
                    with_paths=self.sums.via is not None,
                    max_seconds=self.of_chains.get("max_seconds"),
                )
            table = table.one
        found = table if ways is None else ways
        tell_cuts(found)
        return found

    def of_incomplete(self, data: Any, options: Mapping[str, Any]) -> SampledNetworks:
        """Return networks that are drawn along with missing cells."""
        if self.method == "exact":
            raise InvalidOption(
                f"is {self.method!r}, but missing cells are drawn by chains: use {argument('method', 'chain')}",
                option="method",
            )
        return self._chains(data, Reason(""), missing=SAMPLE, settings=self._one_setting, **options)

    @property
    def _one_setting(self) -> str:
        return BEST if self.settings == AVERAGE else self.settings

    def of_scores(self, scores: LocalScores) -> Posterior | SampledNetworks:
        """Return the posterior of exactly these scores."""
        planned = None if self.method == "exact" else self._sum_or_reason(scores)
        return self._chains(scores, planned) if isinstance(planned, Reason) else self._sum(scores, planned)

    def _sum(self, scores: LocalScores, planned: PlannedSum | None) -> Posterior:
        return posterior_of_sum(scores, self.over, self.sums, self.budget, self.progress, planned)

    def _chains(self, given: LocalScores | ScoringJob, reason: Reason, **options: Any) -> SampledNetworks:
        tell_reason(reason)
        drawn = chain(
            cast("LocalScores", given),
            **self.of_chains,
            seed=self.sums.seed,
            threads=self.budget.threads,
            max_memory=self.budget.limit,
            progress=self.progress,
            checkpoint=self.sums.checkpoint,
            checkpoint_seconds=self.sums.checkpoint_seconds,
            **options,
        )
        return explained(drawn, reason)

    def _sum_or_reason(self, scores: LocalScores) -> PlannedSum | Reason:
        """Return the sum over DAGs, planned, or the reason for chains."""
        _check_kind(scores)
        if self.method == "chain":
            return Reason("")
        if not isinstance(scores, EnumerableScores):
            return Reason("the scores are computed on demand")
        return self._planned_or_reason(scores, scores)

    def _planned_or_reason(self, size: ProblemSize, for_chains: Any, sums: float = 1.0) -> PlannedSum | Reason:
        """Return one of several sums over DAGs, planned, or the reason for chains."""
        wanted = {name: self.of_chains[name] for name in ("chains", "draws") if name in self.of_chains}
        most = most_seconds_of_sum(self.of_chains.get("max_seconds"), resumable=self.sums.resumable)
        return sum_or_reason(
            size.n,
            lambda: plan_sum(size, "dags", "auto", self.budget, resumable=self.sums.resumable),
            lambda: chain_requirements(for_chains, self.budget.threads, self.budget.limit, **wanted).fits(
                self.budget.limit
            ),
            most / sums,
        )

    def of_data(self, data: Any, options: Mapping[str, Any]) -> Posterior | SampledNetworks:
        """Return the posterior of data: averaged over settings, or under one of them."""
        options = lasting_options(options)
        data, score = with_score(data, options.get("score", DISCRETE_SCORE))
        options["score"] = score
        if not isinstance(data, ComparedCuts):
            data = as_data(data, find_score(score))
        if isinstance(data, ComparedCuts) and self.cut_weights == BY_EVIDENCE:
            check_averaged(score)
        if self.settings != AVERAGE or self.method == "chain":
            return self._under_one(data, options)
        grids = averaged_grids(data, options)
        jobs = [job for grid in grids for job in grid.jobs]
        if len(jobs) == 1:
            return self._under_one(data, options)
        size = SearchSize.complete(jobs[0].data.n, max(job.max_parents for job in jobs))
        if self.method == "auto":
            found = self._planned_or_reason(
                size, jobs[0], sums_of_average(len(jobs), len({grid.way for grid in grids}))
            )
            if isinstance(found, Reason):
                return self._under_one(data, options, f"{found} for each of {plural(len(jobs), 'setting')}")
        self._refuse_options_of_one_sum()
        self._tell_duration(size, len(jobs), len({grid.way for grid in grids}))
        return averaged_posterior(
            grids,
            self.over,
            self.budget,
            cut_weights=self.cut_weights,
            backend=self.sums.backend,
            with_paths=wants_paths(self.sums.via, jobs[0].data.variables),
            with_ancestors=cost_more(self.over, ancestors=self.sums.ancestors),
            compelled=self._compelled_sampling(size),
            progress=self.progress,
        )

    def _under_one(self, data: Any, options: Mapping[str, Any], no_average: str = "") -> Posterior | SampledNetworks:
        """Return the posterior under one setting, because that is asked for, or since an average takes too long."""
        settings = self._one_setting
        # A time limit ends chains; with checkpoints, the same call goes on with the same settings.
        clock = None if self.method == "exact" or self.sums.resumable else Clock(self.of_chains.get("max_seconds"))
        job = job_of_best(
            data,
            options,
            self.budget,
            settings,
            self.progress,
            over=self.over,
            cut_weights=self.cut_weights,
            clock=clock,
        )
        if no_average:
            job = replace(job, choice=f"{job.choice}; not an average, because {no_average}")
        planned: PlannedSum | Reason | None = Reason("") if self.method == "chain" else None
        if self.method == "auto":
            planned = self._planned_or_reason(SearchSize.complete(job.data.n, job.max_parents), job)
        if isinstance(planned, Reason):
            return self._chains(job, planned)
        issue(*data_warnings(job.data))
        self._tell_duration(SearchSize.complete(job.data.n, job.max_parents))
        return self._sum(score_job(job, self.budget, progress=self.progress), planned)

    def _tell_duration(self, size: SearchSize, settings: int = 1, ways: int = 1) -> None:
        """Tell how long the sums of all settings take, if that is long."""
        if size.n <= _SURELY_QUICK:
            return
        plan = plan_sum(size, self.over, self.sums.backend, self.budget, with_paths=self.sums.via is not None).plan
        sums = sums_of_average(settings, ways) if settings > 1 else 1.0
        tell_long_sum(size.n, self.over, plan.seconds() * sums, settings)

    def _compelled_sampling(self, size: SearchSize) -> CompelledSampling | None:
        """Return how compelled edges of an average are found; None if they are not asked for, or take too long."""
        sampling, wanted = self.sums.sampling, self.sums.compelled
        if wanted is None:
            plan = plan_sum(size, self.over, self.sums.backend, self.budget).plan
            wanted = sampling.affordable(size, plan, self.over, self.budget)
        elif wanted:
            sampling.requirements(size, self.over, self.budget).check(self.budget.limit)
        return sampling if wanted else None

    def _options_of_one_sum(self) -> list[str]:
        given = {
            "prior": self.sums.prior is not False,
            "order_weights": self.sums.order_weights is not None,
            "checkpoint": self.sums.resumable,
        }
        return [name for name, asked in given.items() if asked]

    def _refuse_options_of_one_sum(self) -> None:
        for name in self._options_of_one_sum():
            raise InvalidOption(
                f"is an option of one sum, not of an average: use {argument('settings', BEST)} or "
                f"{argument('settings', FIXED)}",
                option=name,
            )
