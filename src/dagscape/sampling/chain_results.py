"""The result of Markov chains, and where they are saved."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass

from dagscape.core.caveats import Caveats
from dagscape.core.errors import InvalidOption, StoppedEarly, UnconvergedChains, argument
from dagscape.ensembles.chain_diagnostics import diagnose
from dagscape.ensembles.sampled_networks import SampledNetworks
from dagscape.graphs.lists import DagList
from dagscape.results.base import Provenance
from dagscape.results.score_info import ScoreInfo
from dagscape.running.checkpoints import Checkpoint, Checkpoints
from dagscape.sampling.running_chains import Drawn
from dagscape.scores.arithmetic.fixed_point import Unit
from dagscape.scores.parent_states import sparse_families


@dataclass(frozen=True, slots=True)
class Sampled:
    """What chains have drawn from.

    Attributes
    ----------
    variables : tuple of str
        The variables.
    info : ScoreInfo
        The scores.
    unit : Unit
        The unit of the scores of networks.
    error : float
        The posterior mass of what chains cannot reach, and the error of the scores.
    cells : int
        The missing cells that were drawn as well.
    """

    variables: tuple[str, ...]
    info: ScoreInfo
    unit: Unit
    error: float
    cells: int = 0


def result_of_chains(
    of: Sampled, drawn: Drawn, thin: int, provenance: Provenance, caveats: Caveats, *, interrupted: bool
) -> SampledNetworks:
    """Return the networks of chains with their diagnostics, and warn if they ended early or disagree."""
    networks = DagList(of.variables, drawn.words)
    floats = of.unit.to_floats(drawn.exact)
    diagnostics = diagnose(
        floats,
        networks,
        edge_means=drawn.means,
        edge_batches=drawn.batches,
        burn_in=drawn.burn_in,
        steps=thin * drawn.exact.shape[1],
    )
    if not drawn.finished:
        reason = "Ctrl-C ended the chains" if interrupted else f"the chains reached {argument('max_seconds')}"
        caveats.issue(StoppedEarly(f"{reason}: the networks are those drawn by then"))
    if not diagnostics.converged:
        caveats.issue(UnconvergedChains(diagnostics.verdict))
    caveats.issue(sparse_families(of.info, of.variables, drawn.means.mean(axis=0)))
    return SampledNetworks(
        variables=of.variables,
        score_info=of.info,
        provenance=provenance,
        warnings=caveats.kept,
        networks=networks,
        scores=floats.ravel(),
        over="dags",
        method="chain",
        chains=len(drawn.exact),
        error=of.error,
        edge_means=drawn.means,
        edge_batches=drawn.batches,
        diagnostics=diagnostics,
        drawn_cells=of.cells,
    )


def too_short(max_seconds: float | None) -> InvalidOption:
    """Return the error for chains that had no time for draws."""
    return InvalidOption(f"is {max_seconds}; it was over before there were draws to keep", option="max_seconds")


@contextlib.contextmanager
def checkpoints_of_chains(
    folder: str | os.PathLike[str] | None, seconds: float, digest: str, chains: int
) -> Iterator[list[Checkpoint | None]]:
    """Yield the checkpoint of each chain, in a folder that is in use; None if there is no folder."""
    if folder is None:
        yield [None] * chains
        return
    with Checkpoints(folder, float(seconds)).in_use() as checkpoints:
        yield [checkpoints.of_job("chain", f"{digest} {index}") for index in range(chains)]
