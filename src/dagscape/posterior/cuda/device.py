"""Access to a GPU through CuPy, which is imported only when a sum runs on one.

The kernels are CUDA sources in this package. CuPy compiles them when they are first used, for the GPU at hand, and
caches the result on disk.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from dagscape.core.errors import TooLarge, argument

_SOURCES = Path(__file__).parent
_INSTALL = "install dagscape[cuda12] or dagscape[cuda13], after the version of the driver (nvidia-smi shows it)"


def installed() -> bool:
    """Whether CuPy is there, which says nothing about a GPU."""
    return importlib.util.find_spec("cupy") is not None


@cache
def missing() -> str:
    """Return why no GPU can be used, and the remedy; an empty string if one can."""
    if not installed():
        return f"the package cupy is not installed: {_INSTALL}"
    try:
        import cupy

        if cupy.cuda.runtime.getDeviceCount() == 0:
            return "there is no GPU: use the back end 'cpu'"
        cupy.cuda.runtime.getDeviceProperties(0)
    except Exception as error:  # CuPy raises many kinds of errors for drivers and libraries that do not fit
        first = (str(error).splitlines() or [type(error).__name__])[0]
        return f"CuPy finds no usable GPU ({first}): check the driver with nvidia-smi, and {_INSTALL}"
    return ""


def gpu_name() -> str:
    """Return the name of the current GPU."""
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(cupy.cuda.Device().id)
    return str(properties["name"].decode())


def free_memory() -> int:
    """Return how many bytes of the current GPU's memory are free."""
    import cupy

    cupy.get_default_memory_pool().free_all_blocks()
    return int(cupy.cuda.Device().mem_info[0])


@cache
def processor_count() -> int:
    """Return how many multiprocessors the current GPU has, each of which runs a block of threads."""
    import cupy

    return int(cupy.cuda.Device().attributes["MultiProcessorCount"])


@contextmanager
def using_gpu() -> Iterator[None]:
    """Give the memory of the GPU back at the end, and say what to do if it runs out."""
    import cupy

    try:
        yield
    except cupy.cuda.memory.OutOfMemoryError as error:
        raise TooLarge(
            "the memory of the GPU ran out, although the sum fitted before: close other programs that use it, "
            f"or use {argument('backend', 'cpu')}"
        ) from error
    finally:
        cupy.get_default_memory_pool().free_all_blocks()


@cache
def module(name: str) -> Any:
    """Compile a source file of this package."""
    import cupy

    code = "\n".join((_SOURCES / file).read_text(encoding="utf-8") for file in ("scaled.cuh", f"{name}.cu"))
    return cupy.RawModule(code=code)
