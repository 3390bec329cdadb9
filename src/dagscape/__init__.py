"""dagscape: explore the whole landscape of Bayesian-network structures that explain a table of data.

>>> import dagscape as ds
>>> data = ds.load_dataset("tic-tac-toe")
>>> data
Dataset(10 variables, 958 rows, 958 of them distinct)
>>> scores = ds.local_scores(data)
>>> scores
LatticeScores(10 variables, 5,120 families of up to 9 parents, 8.0 KiB)
"""

import importlib as _importlib
import sys as _sys
from types import ModuleType as _ModuleType
from typing import Any as _Any

# Where each public name is defined; it is imported when it is first used (PEP 562). `__init__.pyi`, which type checkers
# read, is generated from this table by `python tests/documents.py`.
_HOMES = {
    "Answers": "student.input.answers",
    "ArrayEstimate": "core.estimates",
    "AutomaticReading": "core.errors",
    "BackendStatus": "posterior.backends",
    "BackendUnavailable": "core.errors",
    "BestNetworks": "best.result",
    "Bootstrap": "studies.bootstrap_result",
    "ChainDiagnostics": "ensembles.chain_diagnostics",
    "ClassMembers": "ensembles.class_members",
    "Classification": "studies.classifying",
    "Comparison": "graphs.comparison",
    "ConditionalGaussianNetwork": "networks.gaussian.conditional",
    "Cpdag": "graphs.dag",
    "Dag": "graphs.dag",
    "DagscapeError": "core.errors",
    "DagscapeWarning": "core.errors",
    "Dataset": "data.discrete.dataset",
    "Discretizer": "data.discrete.discretizing",
    "EdgeAccuracy": "ensembles.edge_accuracy_result",
    "EdgeEffect": "studies.edge_effects_result",
    "EdgeEffects": "studies.edge_effects_result",
    "EnumerableScores": "scores.tables.enumerable_scores",
    "Estimate": "core.estimates",
    "Evaluation": "student.model.evaluation",
    "Family": "scores.tables.families",
    "FamilyTable": "scores.tables.family_table",
    "FeatureAverages": "ensembles.feature_averages",
    "GaussianNetwork": "networks.gaussian.gaussian",
    "IncompleteScores": "core.errors",
    "InvalidData": "core.errors",
    "InvalidOption": "core.errors",
    "LatticeScores": "scores.tables.lattice_scores",
    "Learned": "search.result",
    "ListCurves": "ensembles.list_curves",
    "LocalScores": "scores.tables.local_scores",
    "LostPrecision": "core.errors",
    "NothingObserved": "core.errors",
    "MixedData": "data.mixed.mixed",
    "Modes": "modes.result",
    "Network": "networks.discrete.network",
    "NoProbabilities": "core.errors",
    "NormalMixture": "networks.gaussian.mixtures",
    "NumericData": "data.continuous.numeric",
    "OnDemandScores": "scores.tables.on_demand",
    "OptimalNetwork": "best.optimal",
    "ParentsChildren": "search.parents_children",
    "Parm": "student.learning.parm",
    "Posterior": "posterior.result",
    "Probability": "core.estimates",
    "Progress": "core.progress",
    "QMatrix": "student.input.q_matrix",
    "Regression": "networks.gaussian.regression",
    "SampledNetworks": "ensembles.sampled_networks",
    "Sensitivity": "studies.sensitivity_result",
    "MissingRules": "studies.missing_rules_result",
    "Setting": "posterior.setting",
    "SamplesLeftOut": "core.errors",
    "SparseFamilies": "core.errors",
    "Step": "search.trace",
    "StoppedEarly": "core.errors",
    "StudentModel": "student.model.model",
    "PooledExperiments": "core.errors",
    "RelatedColumns": "core.errors",
    "SuspiciousColumns": "core.errors",
    "TooLarge": "core.errors",
    "UnconvergedChains": "core.errors",
    "UnidentifiedSkills": "core.errors",
    "UnreadablePicture": "core.errors",
    "FallingItems": "core.errors",
    "FewRows": "core.errors",
    "FewStudents": "core.errors",
    "InfiniteErrors": "core.errors",
    "__version__": "core.version",
    "backends": "posterior.backends",
    "bootstrap": "studies.bootstrap",
    "bootstrap_skills": "studies.skill_bootstrap",
    "chain": "sampling.chain",
    "class_members": "ensembles.class_members",
    "classify_rows": "studies.classifying",
    "compare_missing": "studies.missing_rules",
    "command": "student.learning.command",
    "compare": "ensembles.compared_probabilities",
    "compare_probabilities": "ensembles.compared_probabilities",
    "ProbabilityComparison": "ensembles.compared_probabilities",
    "describe": "data.describing",
    "discretize": "data.discrete.discretizing",
    "draw": "drawing.draw",
    "draw_model": "student.model.simulate",
    "edge_accuracy": "ensembles.edge_accuracy",
    "edge_effects": "studies.edge_effects",
    "equivalent": "graphs.comparison",
    "family_scores": "scores.tables.on_demand",
    "feature_averages": "ensembles.feature_averages",
    "feature_probability": "posterior.features",
    "iter_best": "best.k_best",
    "k_best": "best.k_best",
    "learn": "search.learning",
    "list_curves": "ensembles.list_curves",
    "fit_classifier": "studies.classifying",
    "load_dataset": "data.bundled",
    "load_network": "networks.bundled",
    "load_result": "planning.loading",
    "local_scores": "scores.scoring",
    "mmpc": "search.mmpc",
    "modes": "modes.mode_orderings",
    "optimal_network": "best.optimal",
    "parm": "student.learning.parm",
    "plan": "planning.plan",
    "posterior": "studies.posterior",
    "progress_bar": "core.progress",
    "random_dag": "graphs.random_dags",
    "read_data": "data.reading",
    "read_graph": "graphs.edge_lists",
    "read_network": "networks.files",
    "read_prior_edges": "scores.formats.prior_edges",
    "read_scores": "scores.formats.files",
    "sample_dags": "sampling.exact",
    "scores_from_joint": "scores.tables.joint_counts",
    "sensitivity": "studies.sensitivity",
    "simulate_students": "student.model.simulate",
    "summarize_scores": "scores.summary",
    "uniform_dag": "graphs.random_dags",
    "write_graph": "graphs.edge_lists",
    "write_network": "networks.files",
    "write_scores": "scores.formats.files",
}

__all__ = [*_HOMES]


def __getattr__(name: str) -> _Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(_importlib.import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})


class _Package(_ModuleType):
    """A package in which public functions keep their names, although ``posterior`` and ``modes`` are rooms, too."""

    def __setattr__(self, name: str, value: object) -> None:
        # Python binds each imported submodule in its package.
        if not (isinstance(value, _ModuleType) and name in _HOMES):
            super().__setattr__(name, value)


_sys.modules[__name__].__class__ = _Package
