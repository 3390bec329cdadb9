"""Types of options that are numbers within limits, with the names that messages give them."""

from __future__ import annotations

import click


class IntRange(click.IntRange):
    """An integer within limits."""

    name = "integer"


class FloatRange(click.FloatRange):
    """A number within limits."""

    name = "number"
