"""What worker processes do in tests; they can import this module, but not that of a test."""

from __future__ import annotations

import os
import time


def stumble(*arguments):
    raise KeyError("x")


def die(*arguments):
    os._exit(7)


def sleep(shared, seconds):
    time.sleep(seconds)


def squared(task, sources):
    return {"square": task["seed"] ** 2}
