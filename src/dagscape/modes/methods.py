"""The records of the methods of this package."""

from __future__ import annotations

from dagscape.methods import Method
from dagscape.modes.mode_orderings import modes
from dagscape.modes.requirements import modes_requirements, modes_seconds
from dagscape.modes.result import Modes

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
