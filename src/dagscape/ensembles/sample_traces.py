"""Samples of networks as traces: one row per draw, as programs for the analysis of Markov chains take them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.ensembles.listed_networks import ListedNetworks
from dagscape.graphs.words import holds

if TYPE_CHECKING:
    import pandas as pd


class TracedSamples(ListedNetworks):
    """A list of sampled networks, chain after chain."""

    __slots__ = ()

    if TYPE_CHECKING:
        # A field of the samples.
        @property
        def chains(self) -> int:
            """The number of chains."""

    @property
    def draws(self) -> int:
        """The number of networks of each chain."""
        return len(self) // self.chains

    def trace_frame(self, edges: Iterable[tuple[str, str]] = ()) -> pd.DataFrame:
        """Return the draws as a long table, as programs for the analysis of Markov chains take it.

        Parameters
        ----------
        edges : iterable of (parent, child)
            The edges to show.

        Returns
        -------
        DataFrame
            One draw per row: ``chain``, ``draw``, ``score``, and a column for each edge, such as ``"a → b"``, that is 1
            if the network has it and 0 if not.
        """
        import pandas as pd

        chain, draw = np.divmod(np.arange(len(self)), self.draws)
        return pd.DataFrame({"chain": chain, "draw": draw, "score": self.scores, **self._edge_columns(edges)})

    def to_arviz(self, edges: Iterable[tuple[str, str]] = ()) -> dict[str, dict[str, NDArray[Any]]]:
        """Return the draws as ``arviz.from_dict`` takes them, and ``arviz.InferenceData`` names them.

        Parameters
        ----------
        edges : iterable of (parent, child)
            The edges to include.

        Returns
        -------
        dict
            ``{"posterior": {"score": array, "a → b": array, …}}``, with arrays of chains × draws.
        """
        columns: dict[str, NDArray[Any]] = {"score": self.scores, **self._edge_columns(edges)}
        return {"posterior": {name: values.reshape(self.chains, self.draws) for name, values in columns.items()}}

    def _edge_columns(self, edges: Iterable[tuple[str, str]]) -> dict[str, NDArray[np.int8]]:
        """Return, for each edge, whether each network has it."""
        return {
            f"{parent} → {child}": holds(self.networks.parents[:, self._number(child)], self._number(parent)).astype(
                np.int8
            )
            for parent, child in edges
        }
