"""The compiled kernels, in the build that suits this processor.

The same kernels are compiled for every x86-64 processor and for those with AVX2, BMI2 and FMA (x86-64-v3). Both give
the same bits; the environment variable ``DAGSCAPE_CPU=baseline`` asks for the first.
"""

from __future__ import annotations

import os

from dagscape import _native as native

name = "baseline"

if native.supports_v3() and os.environ.get("DAGSCAPE_CPU", "") != "baseline":
    try:
        from dagscape import _native_v3 as native
    except ImportError:
        # Built for another architecture, where there is only one set of kernels.
        pass
    else:
        name = "x86-64-v3"
