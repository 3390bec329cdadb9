"""dagscape: explore the whole landscape of Bayesian-network structures that explain a table of data.

>>> import dagscape as ds
>>> data = ds.load_dataset("tic-tac-toe")
>>> data
Dataset(10 variables, 958 rows, 958 of them distinct)
>>> scores = ds.local_scores(data)
>>> scores
LatticeScores(10 variables, 5,120 families of up to 9 parents, 8.0 KiB)
"""

# The program answers signals from here on, while the rest is imported.
from dagscape.startup import PROGRAM as _PROGRAM  # noqa: F401 (imported for what it does)

# isort: split
from dagscape.best.k_best import iter_best, k_best
from dagscape.best.optimal import OptimalNetwork, optimal_network
from dagscape.best.result import BestNetworks
from dagscape.core.errors import (
    BackendUnavailable,
    DagscapeError,
    DagscapeWarning,
    IncompleteScores,
    InvalidData,
    InvalidOption,
    LostPrecision,
    SparseFamilies,
    StoppedEarly,
    SuspiciousColumns,
    TooLarge,
    UnidentifiedSkills,
)
from dagscape.core.progress import Progress, progress_bar
from dagscape.core.version import __version__
from dagscape.data.bundled import load_dataset
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.discretizing import Discretizer, discretize
from dagscape.data.reading import read_data
from dagscape.drawing.draw import draw
from dagscape.graphs.comparison import Comparison, compare, equivalent
from dagscape.graphs.dag import Cpdag, Dag
from dagscape.graphs.edge_lists import read_graph, write_graph
from dagscape.graphs.random_dags import random_dag, uniform_dag
from dagscape.modes.mode_orderings import modes
from dagscape.modes.result import Modes
from dagscape.networks.bundled import load_network
from dagscape.networks.discrete.network import Network
from dagscape.networks.files import read_network, write_network
from dagscape.planning.loading import load_result
from dagscape.planning.plan import plan
from dagscape.posterior.backends import BackendStatus, backends
from dagscape.posterior.features import feature_probability
from dagscape.posterior.result import Posterior, Probability
from dagscape.posterior.summing import posterior
from dagscape.scores.formats.files import read_scores, write_scores
from dagscape.scores.scoring import local_scores
from dagscape.scores.summary import summarize_scores
from dagscape.scores.tables.enumerable_scores import EnumerableScores
from dagscape.scores.tables.families import Family
from dagscape.scores.tables.family_table import FamilyTable
from dagscape.scores.tables.joint_counts import scores_from_joint
from dagscape.scores.tables.lattice_scores import LatticeScores
from dagscape.scores.tables.local_scores import LocalScores
from dagscape.scores.tables.on_demand import OnDemandScores, family_scores
from dagscape.search.learning import learn
from dagscape.search.mmpc import mmpc
from dagscape.search.parents_children import ParentsChildren
from dagscape.search.result import Learned
from dagscape.search.trace import Step
from dagscape.student.input.answers import Answers
from dagscape.student.input.q_matrix import QMatrix
from dagscape.student.learning.command import command
from dagscape.student.learning.parm import Parm, parm
from dagscape.student.model.evaluation import Evaluation
from dagscape.student.model.model import StudentModel
from dagscape.student.model.simulate import draw_model, simulate_students
from dagscape.studies.bootstrap import bootstrap
from dagscape.studies.bootstrap_result import Bootstrap
from dagscape.studies.sensitivity import sensitivity
from dagscape.studies.sensitivity_result import Sensitivity, Setting
from dagscape.studies.skill_bootstrap import bootstrap_skills

__all__ = [
    "Answers",
    "BackendStatus",
    "BackendUnavailable",
    "BestNetworks",
    "Bootstrap",
    "Comparison",
    "Cpdag",
    "Dag",
    "DagscapeError",
    "DagscapeWarning",
    "Dataset",
    "Discretizer",
    "EnumerableScores",
    "Evaluation",
    "Family",
    "FamilyTable",
    "IncompleteScores",
    "InvalidData",
    "InvalidOption",
    "LatticeScores",
    "Learned",
    "LocalScores",
    "LostPrecision",
    "Modes",
    "Network",
    "OnDemandScores",
    "OptimalNetwork",
    "ParentsChildren",
    "Parm",
    "Posterior",
    "Probability",
    "Progress",
    "QMatrix",
    "Sensitivity",
    "Setting",
    "SparseFamilies",
    "Step",
    "StoppedEarly",
    "StudentModel",
    "SuspiciousColumns",
    "TooLarge",
    "UnidentifiedSkills",
    "__version__",
    "backends",
    "bootstrap",
    "bootstrap_skills",
    "command",
    "compare",
    "discretize",
    "draw",
    "draw_model",
    "equivalent",
    "family_scores",
    "feature_probability",
    "iter_best",
    "k_best",
    "learn",
    "load_dataset",
    "load_network",
    "load_result",
    "local_scores",
    "mmpc",
    "modes",
    "optimal_network",
    "parm",
    "plan",
    "posterior",
    "progress_bar",
    "random_dag",
    "read_data",
    "read_graph",
    "read_network",
    "read_scores",
    "scores_from_joint",
    "sensitivity",
    "simulate_students",
    "summarize_scores",
    "uniform_dag",
    "write_graph",
    "write_network",
    "write_scores",
]
