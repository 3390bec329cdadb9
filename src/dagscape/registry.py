"""All methods by name. A new method is a record in its package and one line here."""

from __future__ import annotations

from dagscape.best.methods import BEST, OPTIMAL
from dagscape.methods import Method
from dagscape.modes.methods import MODES
from dagscape.posterior.methods import POSTERIOR

METHODS: dict[str, Method] = {method.name: method for method in (POSTERIOR, OPTIMAL, BEST, MODES)}
