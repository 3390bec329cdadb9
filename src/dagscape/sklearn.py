"""Estimators for scikit-learn: Bayesian networks of the target and all columns (extra ``sklearn``).

``import dagscape`` does not import this module, nor scikit-learn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin
from sklearn.utils import Tags
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    assert_all_finite,
    check_array,
    check_consistent_length,
    check_is_fitted,
    column_or_1d,
    validate_data,
)

from dagscape.core.checks import check_choice
from dagscape.core.constraints import Whole
from dagscape.core.errors import InvalidData, InvalidOption, type_of
from dagscape.core.resources import MAX_THREADS
from dagscape.data.discrete.cut_rules import CUT_RULES
from dagscape.data.discrete.cutting import choose_columns
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.discretizing import Discretizer
from dagscape.data.tables.columns import TextColumn
from dagscape.data.tables.frames import is_frame, is_missing, table_from_array, table_from_frame
from dagscape.data.tables.table import Table
from dagscape.graphs.dag import Dag
from dagscape.networks.discrete.fitting import FIT_PRIORS, FitPrior
from dagscape.networks.discrete.network import Network
from dagscape.networks.fitted import measured_network_of
from dagscape.networks.gaussian.base import MeasuredNetwork
from dagscape.networks.gaussian.fitting import METHODS, Method
from dagscape.scores.choice import AUTO_SCORE, with_score
from dagscape.search.class_structures import naive_bayes_dag
from dagscape.search.classifiers import STRUCTURES, class_structure, with_known_levels
from dagscape.search.measured_structures import measured_structure, mixed_rows, takes_numbers
from dagscape.search.registry import LEARNERS

_JOBS = Whole(1, MAX_THREADS, said=f"an integer from 1 to {MAX_THREADS}, or -1 for all processors")

# Arguments of learn() that are not options here, and what takes their place.
_NOT_OPTIONS = {"data": "X and y", "method": "method", "seed": "random_state", "threads": "n_jobs"}


class _TakesTables(BaseEstimator):  # type: ignore[misc] # scikit-learn has no types
    """What estimators of this module have in common: tables of columns of any type."""

    def _table(self, X: Any, *targets: ArrayLike) -> Table:
        """Return the columns as text; with targets, in training, their number and names are kept."""
        if not is_frame(X):
            X = check_array(X, dtype=None, ensure_all_finite="allow-nan", ensure_min_samples=0, estimator=self)
        # A lazy frame has no shape, and is refused below.
        if hasattr(X, "shape") and X.shape[0] == 0:
            raise InvalidData("X has no rows; it must have at least one")
        validate_data(self, X, *targets, reset=bool(targets), skip_check_array=True)
        table = table_from_frame(X, source="X") if is_frame(X) else table_from_array(X, source="X")
        if targets:
            self._names = table.names
        # Columns are the same by position: an array may follow a frame.
        return table.with_columns(self._names, table.columns)

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


class BayesNetClassifier(ClassifierMixin, _TakesTables):  # type: ignore[misc] # scikit-learn has no types
    """A Bayesian network of the class and all columns, which predicts the class given the others.

    Columns of strings, integers, booleans and categories are discrete. Columns of decimals, and of integers with more
    than 20 distinct values, are cut into intervals, whose limits come from the rows of :meth:`fit` alone; a column that
    tells nothing about the class may have no cut, and is then left out.

    With a score of mixed tables among the options, such as ``{"score": "auto"}``, these columns are measured instead:
    the network is a :class:`dagscape.ConditionalGaussianNetwork`, in which no discrete variable has a measured parent.
    They must be complete in training, and in prediction missing cells are integrated out.

    Missing cells (None, NaN, ``""`` and ``"?"``) are a level of their own if a column has some in training. If it has
    none, they are summed out in prediction. A level that training did not show counts as a missing cell.

    Parameters
    ----------
    method : str
        How the structure is found: ``"naive"`` for naive Bayes, ``"tan"`` for tree-augmented naive Bayes, or a method
        of :func:`dagscape.learn`, which treats the class like any other variable. With measured columns, ``"tan"`` is
        not available.
    options : mapping, optional
        Options of :func:`dagscape.learn`, such as ``{"ess": 10, "max_parents": 3}``.
    prior : {"k2", "bdeu", "none"}
        How probabilities are smoothed, as in :meth:`dagscape.Network.fit`. ``"k2"`` adds 1 to each count. With measured
        columns, ``"none"`` is maximum likelihood, and else probabilities have the prior of ``"bdeu"``, and regressions
        that of the score ``bge``.
    discretizer : {"mdl", "quantile", "width"}
        How numbers are cut, as in :class:`dagscape.Discretizer`. ``"mdl"`` uses the class.
    bins : int
        The number of intervals; ``"mdl"`` chooses it itself.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
        Decides everything that is random in the search.
    n_jobs : int, optional
        The number of threads; -1 for all processors. Default: 1.

    Attributes
    ----------
    classes_ : array
        The classes.
    network_ : Network or ConditionalGaussianNetwork
        The fitted network. The levels of the class are the indices of ``classes_``.
    target_ : str
        The name of the class in the network: ``"class"``, with underscores if a column has that name.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        Their names, if all are strings.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import cross_val_score
    >>> X, y = load_iris(return_X_y=True)
    >>> model = BayesNetClassifier("tan").fit(X, y)
    >>> model.predict(X[:2]), model.predict_proba(X[:1]).round(3)
    (array([0, 0]), array([[0.999, 0.   , 0.001]]))
    >>> bool(cross_val_score(model, X, y, cv=5).mean() > 0.9)
    True
    >>> BayesNetClassifier("naive", options={"score": "auto"}).fit(X, y).network_
    ConditionalGaussianNetwork(5 variables, 4 of them measured, 4 edges, 26 free parameters)
    """

    def __init__(
        self,
        method: str = "order",
        *,
        options: Mapping[str, Any] | None = None,
        prior: FitPrior = "k2",
        discretizer: str = "mdl",
        bins: int = 3,
        random_state: int | np.random.Generator | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.options = options
        self.prior = prior
        self.discretizer = discretizer
        self.bins = bins
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Find the structure, and fit the probabilities.

        Parameters
        ----------
        X : data frame or array, rows × columns
            The columns.
        y : array-like
            The class of each row.
        """
        check_choice(self.method, STRUCTURES, "method")
        check_choice(self.discretizer, CUT_RULES, "discretizer")
        _check_options(self.options)
        table = self._table(X, y)
        _check_numbers(table, _measured(table))
        labels = self._checked_classes(y)
        check_consistent_length(table.rows, labels)
        self.classes_, codes = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise InvalidData(f"y has only one class, {self.classes_[0].item()!r}; there must be at least two")
        self.target_ = _new_name("class", table.names)
        classes = TextColumn(tuple(map(str, range(len(self.classes_)))), codes.astype(np.int32), declared=True)
        whole = table.with_columns((*table.names, self.target_), (*table.columns, classes))
        options = self.options or {}
        if takes_numbers(options):
            self.network_: Network | MeasuredNetwork = self._measured_network(whole, options)
            return self
        data = self._discretized(whole)
        self.network_ = Network.fit(self._structure(data), data, options.get("ess", 1.0), self.prior)
        return self

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class, in the order of ``classes_``, one row for each row of ``X``.

        Parameters
        ----------
        X : data frame or array, rows × columns
            The columns, in the order of training.
        """
        check_is_fitted(self)
        found = self.network_.predict(self._known(self._table(X)), self.target_)
        return np.asarray(found.to_numpy(dtype=np.float64))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithms of :meth:`predict_proba`."""
        with np.errstate(divide="ignore"):
            return np.asarray(np.log(self.predict_proba(X)))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row; the first of several.

        Parameters
        ----------
        X : data frame or array, rows × columns
            The columns, in the order of training.
        """
        probabilities = self.predict_proba(X)
        return np.asarray(self.classes_[probabilities.argmax(axis=1)])

    def _checked_classes(self, y: ArrayLike) -> NDArray[Any]:
        _check_no_class_is_missing(y)
        labels = column_or_1d(y, warn=True)
        if labels.dtype.kind in "fc":
            assert_all_finite(labels, input_name="y")
        check_classification_targets(labels)
        return np.asarray(labels)

    def _discretized(self, table: Table) -> Dataset:
        needs_class = CUT_RULES[self.discretizer].needs_class
        chosen = Discretizer(
            method=self.discretizer, bins=self.bins, class_column=self.target_ if needs_class else None
        )
        return chosen.learn(table, {"missing": "level"})

    def _measured_network(self, table: Table, options: Mapping[str, Any]) -> MeasuredNetwork:
        """Return the network of columns some of which are measured."""
        check_choice(self.prior, FIT_PRIORS, "prior")
        data = mixed_rows(table, [name for name in _measured(table) if name != self.target_])
        rng, threads = _generator(self.random_state), _threads(self.n_jobs)
        if self.method == "tan":
            raise InvalidOption("is 'tan', which needs discrete columns: use 'naive', or cut numbers", option="method")
        dag = naive_bayes_dag(data, self.target_)
        if self.method != "naive":
            dag = measured_structure(data, self.method, rng, threads, options)
        fitting: Method = "ml" if self.prior == "none" else "posterior-mean"
        return measured_network_of(dag, data, fitting, with_score(data, options["score"])[1], options)

    def _structure(self, data: Dataset) -> Dag:
        rng, threads = _generator(self.random_state), _threads(self.n_jobs)
        return class_structure(data, self.target_, self.method, rng, threads, self.options or {})

    def _known(self, table: Table) -> Table:
        """Return the table with missing cells in place of levels that training did not show."""
        return _known_rows(self.network_, table)


def _known_rows(network: Network | MeasuredNetwork, table: Table) -> Table:
    """Return new rows with missing cells in place of levels that training did not show; refuse infinite numbers."""
    if isinstance(network, MeasuredNetwork):
        _check_numbers(table, [name for name in network.regressions if name in table.names])
    else:
        _check_numbers(table, {} if network.discretizer is None else network.discretizer.cuts)
    return with_known_levels(network, table)


def _measured(table: Table) -> list[str]:
    """Return the columns of decimals, and of many integers."""
    return choose_columns(table, None, None, frozenset())


class BayesNetRegressor(RegressorMixin, _TakesTables):  # type: ignore[misc] # scikit-learn has no types
    """A Bayesian network of the target and all columns, which predicts the target given the others.

    Columns of strings, integers, booleans and categories are discrete. Columns of decimals, of integers with more than
    20 distinct values, and the target are measured: they have linear regressions on their measured parents, in each
    state of their discrete parents. The prediction is the mean of the target given the other columns, exactly.

    Missing cells are a level of a discrete column if it has some in training, and are else summed or integrated out in
    prediction. Measured columns must be complete in training. A level that training did not show counts as a missing
    cell.

    Parameters
    ----------
    method : str
        How the structure is found: a method of :func:`dagscape.learn`, which treats the target like any other variable.
    options : mapping, optional
        Options of :func:`dagscape.learn`. Default: ``{"score": "auto"}``, the score that suits the columns.
    fitting : {"posterior-mean", "ml"}
        How parameters are fitted, as in :meth:`dagscape.GaussianNetwork.fit`.
    random_state : int, numpy.random.Generator, numpy.random.RandomState or None
        Decides everything that is random in the search.
    n_jobs : int, optional
        The number of threads; -1 for all processors. Default: 1.

    Attributes
    ----------
    network_ : GaussianNetwork or ConditionalGaussianNetwork
        The fitted network.
    target_ : str
        The name of the target in the network: ``"target"``, with underscores if a column has that name.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : array of str
        Their names, if all are strings.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> model = BayesNetRegressor().fit(X, y)
    >>> bool(model.score(X, y) > 0.4)
    True
    >>> mean, sd = model.predict(X[:2], return_std=True)
    >>> mean.shape, sd.shape
    ((2,), (2,))
    """

    def __init__(
        self,
        method: str = "order",
        *,
        options: Mapping[str, Any] | None = None,
        fitting: Method = "posterior-mean",
        random_state: int | np.random.Generator | np.random.RandomState | None = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.method = method
        self.options = options
        self.fitting = fitting
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Find the structure, and fit the parameters.

        Parameters
        ----------
        X : data frame or array, rows × columns
            The columns.
        y : array-like of float
            The target of each row.
        """
        check_choice(self.method, LEARNERS, "method")
        check_choice(self.fitting, METHODS, "fitting")
        _check_options(self.options)
        options = {"score": AUTO_SCORE, **(self.options or {})}
        if not takes_numbers(options):
            raise InvalidOption(f"has the score {options['score']!r}, which is for discrete data", option="options")
        table = self._table(X, y)
        _check_numbers(table, _measured(table))
        target = _checked_target(y)
        check_consistent_length(table.rows, target)
        if len(target) < 2:
            raise InvalidData("X has n_samples = 1; a regression needs two rows or more")
        self.target_ = _new_name("target", table.names)
        column = table_from_array(target[:, np.newaxis], [self.target_]).columns[0]
        whole = table.with_columns((*table.names, self.target_), (*table.columns, column))
        data = mixed_rows(whole, [*_measured(table), self.target_])
        if self.target_ not in data.variables:
            raise InvalidData(f"y {data.set_aside[self.target_]}, so that there is nothing to predict")
        rng, threads = _generator(self.random_state), _threads(self.n_jobs)
        dag = measured_structure(data, self.method, rng, threads, options)
        self.network_ = measured_network_of(dag, data, self.fitting, with_score(data, options["score"])[1], options)
        return self

    def predict(
        self, X: Any, return_std: bool = False
    ) -> NDArray[np.float64] | tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the mean of the target in each row and, if asked for, its standard deviation.

        Parameters
        ----------
        X : data frame or array, rows × columns
            The columns, in the order of training.
        return_std : bool
            Whether to return standard deviations, too.
        """
        check_is_fitted(self)
        found = self.network_.predict(_known_rows(self.network_, self._table(X)), self.target_, quantiles=())
        mean = np.asarray(found["mean"].to_numpy(dtype=np.float64))
        return (mean, np.asarray(found["sd"].to_numpy(dtype=np.float64))) if return_std else mean


def _checked_target(y: ArrayLike) -> NDArray[np.float64]:
    """Return the target as numbers, all of them finite."""
    if y is None:
        raise InvalidData("y is None; requires y to be passed, but the target y is None")
    numbers = column_or_1d(y, warn=True, dtype=np.float64)
    assert_all_finite(numbers, input_name="y")
    return np.asarray(numbers)


def _check_options(options: object) -> None:
    if options is None:
        return
    if not isinstance(options, Mapping):
        raise InvalidOption(f"is {type_of(options)}; it must be a mapping of names to values", option="options")
    for name in options:
        if not isinstance(name, str):
            raise InvalidOption(f"has the key {name!r}; names of options are strings", option="options")
        if name in _NOT_OPTIONS:
            raise InvalidOption(f"has the key {name!r}: use {_NOT_OPTIONS[name]} instead", option="options")


def _check_no_class_is_missing(y: ArrayLike) -> None:
    # Numbers are left to scikit-learn. Lists are checked as they are: NumPy turns a NaN among strings into a string.
    if getattr(getattr(y, "dtype", None), "kind", "O") == "O":
        for row, label in enumerate(np.asarray(y, dtype=object).ravel()):
            if is_missing(label):
                raise InvalidData(f"y has missing classes, the first at row {row} (counted from 0): drop these rows")


def _check_numbers(table: Table, names: Iterable[str]) -> None:
    """Refuse values of some columns that are not finite numbers."""
    for name in names:
        column = table.column(name)
        row = column.first_not_finite()
        if row is not None:
            raise InvalidData(
                f"X has {column.cell(row)!r} in column {name!r} at {table.where(row)}, which is not a finite number: "
                "replace it by one, or by NaN if it means a missing cell"
            )


def _new_name(name: str, taken: tuple[str, ...]) -> str:
    while name in taken:
        name += "_"
    return name


def _generator(random_state: object) -> np.random.Generator:
    """Return the random generator of what scikit-learn accepts as a random state."""
    if isinstance(random_state, np.random.RandomState):
        return np.random.default_rng(random_state.randint(2**32, dtype=np.uint32))
    if isinstance(random_state, int | np.integer) and random_state < 0:
        raise InvalidOption(f"is {random_state}; it must be at least 0", option="random_state")
    if random_state is None or isinstance(random_state, int | np.integer | np.random.Generator):
        return np.random.default_rng(random_state)
    raise InvalidOption(f"is {type_of(random_state)}; it must be an integer or a generator", option="random_state")


def _threads(n_jobs: int | None) -> int | None:
    """Return a number of threads, None for all processors, from what scikit-learn calls jobs."""
    if n_jobs is None:
        return 1
    if isinstance(n_jobs, int | np.integer) and n_jobs < 0:
        return None
    _JOBS.check(n_jobs, "n_jobs")
    return int(n_jobs)
