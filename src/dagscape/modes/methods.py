"""The records of the methods of this package."""

from __future__ import annotations

from dagscape.methods import Method
from dagscape.modes.mode_orderings import modes
from dagscape.modes.requirements import modes_requirements, modes_seconds
from dagscape.modes.result import Modes

MODES = Method(
    name="modes",
    summary="the best networks of mode orderings: good, and different from each other",
    function=modes,
    result=Modes,
    requirements=modes_requirements,
    seconds=modes_seconds,
    citations=("chen2019",),
)
