"""dagscape: the whole landscape of Bayesian-network structures that explain a table of data.

>>> import dagscape as ds
>>> data = ds.load_dataset("tic-tac-toe")
>>> data
Dataset(10 variables, 958 rows, 958 of them distinct)
>>> scores = ds.local_scores(data)
>>> scores
LatticeScores(10 variables, 5,120 families of up to 9 parents, 8.0 KiB)
"""

from dagscape.data.bundled import load_dataset
from dagscape.data.dataset import Dataset
from dagscape.data.discretizing import discretize
from dagscape.data.reading import read_data
from dagscape.errors import BackendUnavailable, DagscapeError, InvalidData, InvalidOption, TooLarge
from dagscape.progress import Progress, progress_bar
from dagscape.report.loading import load_result
from dagscape.scores.family_table import FamilyTable
from dagscape.scores.formats import read_scores, write_scores
from dagscape.scores.local_scores import Family, LatticeScores, LocalScores
from dagscape.scores.planning import plan
from dagscape.scores.scoring import local_scores
from dagscape.scores.summary import summarize_scores
from dagscape.version import __version__

__all__ = [
    "BackendUnavailable",
    "DagscapeError",
    "Dataset",
    "Family",
    "FamilyTable",
    "InvalidData",
    "InvalidOption",
    "LatticeScores",
    "LocalScores",
    "Progress",
    "TooLarge",
    "__version__",
    "discretize",
    "load_dataset",
    "load_result",
    "local_scores",
    "plan",
    "progress_bar",
    "read_data",
    "read_scores",
    "summarize_scores",
    "write_scores",
]
