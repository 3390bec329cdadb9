"""Structure priors: what a network costs before any data are seen.

Each is modular, a product over the families, and depends on the numbers of parents alone; so equivalent networks, which
have the same numbers of parents in another order, get the same prior.

- ``uniform``: every DAG the same.
- ``per-size``: 1 / C(n − 1, |G|) for a family with parents G, which makes every *number* of parents equally likely for
  a variable on its own [koivisto2004]_.
- ``edge-penalty:K``: every edge costs K nats, a factor of exp(−K) in probability.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from dagscape.errors import InvalidOption


@dataclass(frozen=True, slots=True)
class StructurePrior:
    """A prior over structures that depends on the sizes of the parent sets.

    Attributes
    ----------
    name : str
        The name as the user gave it, parameters included.
    log_weight : callable
        ``log_weight(n, parents)``: the log of the factor for one family with that many parents.
    """

    name: str
    log_weight: Callable[[int, int], float]


def _edge_penalty(penalty: float) -> StructurePrior:
    return StructurePrior(f"edge-penalty:{penalty:g}", lambda n, parents: -penalty * parents)


UNIFORM = StructurePrior("uniform", lambda n, parents: 0.0)
PER_SIZE = StructurePrior("per-size", lambda n, parents: -math.log(math.comb(n - 1, parents)))

PRIORS: dict[str, str] = {
    "uniform": "every DAG the same",
    "per-size": "1/C(n-1, k) for k parents",
    "edge-penalty:K": "every edge costs K nats",
}


def find_prior(name: str) -> StructurePrior:
    """The prior of a name such as ``"uniform"`` or ``"edge-penalty:2.5"``."""
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
            f"is {name!r}; after 'edge-penalty:' it needs a number of nats between 0 and 1e6", option="structure_prior"
        )
    raise InvalidOption(f"is {name!r}; it must be one of {', '.join(PRIORS)}", option="structure_prior")
