"""Structure priors: the prior probabilities of networks.

Each prior is modular, a product over families, and depends only on the numbers of parents. Equivalent networks have the
same numbers of parents in another order, and therefore the same prior.

- ``uniform``: all DAGs are equally likely.
- ``per-size``: 1 / C(n − 1, |G|) for a family with parents G, which makes all *numbers* of parents of a single variable
  equally likely [koivisto2004]_.
- ``edge-penalty:K``: each edge costs K nats, a factor of exp(−K) in probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from dagscape.core.errors import InvalidOption, did_you_mean
from dagscape.scores.arithmetic.logarithms import natural_log


@dataclass(frozen=True, slots=True)
class StructurePrior:
    """A prior over structures that depends on the sizes of the parent sets.

    Attributes
    ----------
    name : str
        The name, with parameters, as users type it.
    log_weight : callable
        ``log_weight(n, parents)``: the log of the factor of a family with this number of parents.
    """

    name: str
    log_weight: Callable[[int, int], float]


def _edge_penalty(penalty: float) -> StructurePrior:
    return StructurePrior(f"edge-penalty:{penalty:g}", lambda n, parents: -penalty * parents)


UNIFORM = StructurePrior("uniform", lambda n, parents: 0.0)
PER_SIZE = StructurePrior("per-size", lambda n, parents: -natural_log(math.comb(n - 1, parents)))

PRIORS: dict[str, str] = {
    "uniform": "all DAGs are equally likely",
    "per-size": "1/C(n-1, k) for k parents",
    "edge-penalty:K": "each edge costs K nats",
}


def find_prior(name: str) -> StructurePrior:
    """Return the prior with a name such as ``"uniform"`` or ``"edge-penalty:2.5"``."""
    kind, _, parameter = str(name).partition(":")
    if kind == "uniform" and not parameter:
        return UNIFORM
    if kind == "per-size" and not parameter:
        return PER_SIZE
    if kind == "edge-penalty":
        try:
            penalty = float(parameter)
        except ValueError:
            penalty = math.nan
        if 0 <= penalty <= 1e6:
            return _edge_penalty(penalty)
        raise InvalidOption(
            f"is {name!r}; 'edge-penalty:' needs a number of nats between 0 and 1e6", option="structure_prior"
        )
    known = ", ".join(PRIORS) + did_you_mean(name, PRIORS)
    raise InvalidOption(f"is {name!r}; it must be one of {known}", option="structure_prior")
