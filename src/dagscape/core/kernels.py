"""The compiled kernels, in the fastest build that this processor supports.

The kernels are compiled twice: for any x86-64 processor, and for those with AVX2, BMI2 and FMA (x86-64-v3). Both give
bit-identical results, and either suffices; the environment variable ``DAGSCAPE_CPU=baseline`` selects the first. Other
architectures have one build.
"""

from __future__ import annotations

import importlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

# Fastest first. A build that the processor does not support raises ImportError, as one that is not there does.
BUILDS = {"x86-64-v3": "dagscape._native_v3", "baseline": "dagscape._native"}


def load_build() -> tuple[str, ModuleType]:
    """Return the name and the module of the fastest build that is installed and runs on this processor."""
    only_baseline = os.environ.get("DAGSCAPE_CPU", "") == "baseline"
    reasons = []
    for build, module in BUILDS.items():
        if only_baseline and build != "baseline":
            continue
        try:
            return build, importlib.import_module(module)
        except ImportError as error:
            reasons.append(f"{module}: {error}")
    where = " for DAGSCAPE_CPU=baseline" if only_baseline else ""
    raise ImportError(
        f"dagscape is installed without compiled kernels that work here{where} ({'; '.join(reasons)}): "
        "reinstall it on this machine with: pip install --force-reinstall --no-cache-dir dagscape"
    )


name, _build = load_build()
if TYPE_CHECKING:
    # The baseline's stub describes both builds: they differ only in their instructions.
    from dagscape import _native
else:
    _native = _build

CLASS_OPERATORS_DELETE = _native.CLASS_OPERATORS_DELETE
CLASS_OPERATORS_EQ1 = _native.CLASS_OPERATORS_EQ1
CLASS_OPERATORS_INSERT = _native.CLASS_OPERATORS_INSERT
IMPOSSIBLE = _native.IMPOSSIBLE
LARGEST_NAT = _native.LARGEST_NAT
LARGEST_TOTAL = _native.LARGEST_TOTAL
LEAST_TILED = _native.LEAST_TILED
LISTED_FAMILY_BYTES = _native.LISTED_FAMILY_BYTES
MOST_DELTA = _native.MOST_DELTA
MOST_VARIABLES = _native.MOST_VARIABLES
OPEN = _native.OPEN
SORTED_FAMILY_BYTES = _native.SORTED_FAMILY_BYTES
TERM_CACHE_BYTES = _native.TERM_CACHE_BYTES
WIDEST_BLOCK = _native.WIDEST_BLOCK
WIDEST_SCORE = _native.WIDEST_SCORE
WIDEST_TILED = _native.WIDEST_TILED
WIDEST_WINDOW = _native.WIDEST_WINDOW
BlockChain = _native.BlockChain
BestNetworks = _native.BestNetworks
CellFunction = _native.CellFunction
ChainFamilies = _native.ChainFamilies
ClassMoves = _native.ClassMoves
ConditionalFamilies = _native.ConditionalFamilies
ConditionalLattice = _native.ConditionalLattice
DagSum = _native.DagSum
DeterminantFamilies = _native.DeterminantFamilies
DeterminantFunction = _native.DeterminantFunction
DeterminantLattice = _native.DeterminantLattice
EditableDag = _native.EditableDag
Families = _native.Families
FamilyScorer = _native.FamilyScorer
IndependenceTests = _native.IndependenceTests
JointScoreJob = _native.JointScoreJob
MixedTable = _native.MixedTable
ModeOutcome = _native.ModeOutcome
ModeSearch = _native.ModeSearch
MoveEvaluator = _native.MoveEvaluator
MoveKind = _native.MoveKind
OrderLists = _native.OrderLists
OrderMove = _native.OrderMove
OrderSearch = _native.OrderSearch
OrderTable = _native.OrderTable
StudentStates = _native.StudentStates
TiledOrderSum = _native.TiledOrderSum
best_scores = _native.best_scores
best_scores_bytes_by_mask = _native.best_scores_bytes_by_mask
best_scores_bytes_by_size = _native.best_scores_bytes_by_size
class_keys = _native.class_keys
cpdags = _native.cpdags
dag_sampling_bytes = _native.dag_sampling_bytes
dag_sum_bytes = _native.dag_sum_bytes
joint_count_scores = _native.joint_count_scores
limited_classes = _native.limited_classes
listed_order_sampling_bytes = _native.listed_order_sampling_bytes
natural_log = _native.natural_log
order_ancestors = _native.order_ancestors
order_ancestors_bytes = _native.order_ancestors_bytes
order_sampling_bytes = _native.order_sampling_bytes
order_sum = _native.order_sum
order_sum_bytes = _native.order_sum_bytes
order_total = _native.order_total
sample_dags = _native.sample_dags
tiled_order_sum_bytes = _native.tiled_order_sum_bytes
