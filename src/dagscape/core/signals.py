"""Signals that ask a process to end."""

from __future__ import annotations

import signal

# SIGINT is Ctrl-C. Not all systems have all of them.
ENDING_SIGNALS = tuple(
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT") if hasattr(signal, name)
)


def ending(number: int) -> str:
    """Return what to say when a signal ends the program.

    >>> ending(signal.SIGINT), ending(signal.SIGTERM)
    ('interrupted', 'stopped by SIGTERM')
    """
    return "interrupted" if number == signal.SIGINT else f"stopped by {signal.Signals(number).name}"
