"""All methods by name. A new method is one record here.

Plans, the command line, :func:`dagscape.load_result`, the tables in the documentation and the contract tests read these
records, so a new method joins all of them with one entry.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dagscape.best.k_best import k_best
from dagscape.best.optimal import OptimalNetwork, optimal_network
from dagscape.best.requirements import list_requirements, list_seconds, optimal_requirements, optimal_seconds
from dagscape.best.result import BestNetworks
from dagscape.core.requirements import Requirements
from dagscape.modes.mode_orderings import modes
from dagscape.modes.requirements import modes_requirements, modes_seconds
from dagscape.modes.result import Modes
from dagscape.posterior.backends import SUMMED_OVER
from dagscape.posterior.requirements import largest_sums, planned_requirements
from dagscape.posterior.result import Posterior
from dagscape.posterior.summing import posterior
from dagscape.posterior.trial import sum_seconds
from dagscape.results.base import Result


@dataclass(frozen=True, slots=True)
class Method:
    """The record of one method, read by everything that lists methods.

    Attributes
    ----------
    name : str
        The name in plans and on the command line.
    function : callable
        The public function. Its first argument is the local scores.
    result : type
        The class of its result.
    requirements : callable
        ``requirements(size, threads, limit, **options)``: what it needs, given ``limit`` bytes of memory.
    seconds : callable
        ``seconds(size, threads, limit, **options)``: estimated time on this machine, from a short trial.
    options : mapping
        The options that change what the method needs, each with its values, default first.
    places : tuple of str
        Options of plans that say where the method runs, and that have no list of values.
    largest : callable or None
        ``largest(size, threads, limit, **options)``: the largest numbers of variables that fit, by back end.
    citations : tuple of str
        Keys in ``docs/references.bib``.
    most_advised : int or None
        Plans of other methods do not advise this one for more variables, because its time cannot be predicted; None is
        no limit.
    """

    name: str
    function: Callable[..., Result]
    result: type[Result]
    requirements: Callable[..., Requirements]
    seconds: Callable[..., float]
    options: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    places: tuple[str, ...] = ()
    largest: Callable[..., dict[str, int]] | None = None
    citations: tuple[str, ...] = ()
    most_advised: int | None = None

    @property
    def summary(self) -> str:
        """One line for tables: the first of the function's documentation."""
        return (self.function.__doc__ or "").partition("\n")[0].rstrip(".")


POSTERIOR = Method(
    "posterior",
    posterior,
    Posterior,
    planned_requirements,
    sum_seconds,
    options={"over": SUMMED_OVER},
    places=("backend", "ranks", "card_memory"),
    largest=largest_sums,
    citations=("tian2009", "koivisto2004", "koivisto2006"),
)

OPTIMAL = Method(
    "optimal", optimal_network, OptimalNetwork, optimal_requirements, optimal_seconds, citations=("silander2006",)
)

BEST = Method("best", k_best, BestNetworks, list_requirements, list_seconds, citations=("chen2014",))

# Beyond this, a search that fits in memory may prove no mode for hours.
_MOST_ADVISED = 30

MODES = Method(
    "modes",
    modes,
    Modes,
    modes_requirements,
    modes_seconds,
    citations=("chen2019",),
    most_advised=_MOST_ADVISED,
)

METHODS: dict[str, Method] = {method.name: method for method in (POSTERIOR, OPTIMAL, BEST, MODES)}
