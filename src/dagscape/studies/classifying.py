"""How well a Bayesian network classifies rows that it was not fitted to: cross-validation, or a table of its own.

Everything is learned from the rows of training alone, for each fold anew: where numbers are cut, the structure, and the
probabilities. Folds are stratified: each has about the same share of each class. The baseline always predicts the most
frequent class of training.
"""

from __future__ import annotations

import os
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from dagscape.core.caveats import Caveats, issue
from dagscape.core.checks import check_choice
from dagscape.core.constraints import Whole
from dagscape.core.errors import (
    AutomaticReading,
    InvalidData,
    InvalidOption,
    RelatedColumns,
    did_you_mean,
    type_of,
)
from dagscape.core.progress import Progress, ProgressOption, listening
from dagscape.core.randomness import Seed, random_generator, recorded_seed
from dagscape.core.resources import thread_count
from dagscape.core.wording import plural, visible
from dagscape.data.discrete.cut_rules import CUT_RULES
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.discretizing import Discretizer
from dagscape.data.discrete.notices import some_sentences
from dagscape.data.kinds.decisions import is_unasked
from dagscape.data.reading import read_table
from dagscape.data.sources import table_source
from dagscape.data.tables.columns import MISSING, TextColumn
from dagscape.data.tables.frames import is_frame, table_from_frame
from dagscape.data.tables.table import Table, listing
from dagscape.networks.discrete.fitting import FitPrior
from dagscape.networks.discrete.network import Network
from dagscape.results.base import Result, check_length, check_shape, provenance_of
from dagscape.results.decoding import Between, Count, NotNegative, Share
from dagscape.search.classifiers import STRUCTURES, class_structure, with_known_levels

if TYPE_CHECKING:
    import pandas as pd

FOLDS = Whole(2)
DEFAULT_FOLDS = 10

_Counts = Annotated[NDArray[np.float64], Between(0, 2**53)]
_Masks = tuple[NDArray[np.bool_], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Classification(Result):
    """How well a classifier does on rows that it was not fitted to.

    Attributes
    ----------
    target, method : str
        The class, and how structures were found.
    levels : tuple of str
        The classes.
    rows : int
        The number of rows that were classified.
    accuracy, baseline : tuple of float
        For each fold, the share of rows whose most probable class is right, and that of the most frequent class of
        training.
    log_loss : tuple of float
        For each fold, the average of -ln P(class).
    confusion : array
        ``[i, j]`` is the number of rows of class i that were classified as j.
    """

    kind: ClassVar[str] = "classification"
    derived: ClassVar[tuple[str, ...]] = ("mean_accuracy", "mean_log_loss")

    target: str
    method: str
    levels: tuple[str, ...]
    rows: Count
    accuracy: tuple[Share, ...]
    baseline: tuple[Share, ...]
    log_loss: tuple[NotNegative, ...]
    confusion: _Counts

    @property
    def mean_accuracy(self) -> float:
        """The accuracy, averaged over the folds."""
        return float(np.mean(self.accuracy))

    @property
    def mean_log_loss(self) -> float:
        """The log loss, averaged over the folds."""
        return float(np.mean(self.log_loss))

    def to_frame(self) -> pd.DataFrame:
        """Return one fold per row: its accuracy, that of the baseline, and its log loss."""
        import pandas as pd

        return pd.DataFrame(
            {
                "fold": range(1, len(self.accuracy) + 1),
                "accuracy": self.accuracy,
                "baseline": self.baseline,
                "log_loss": self.log_loss,
            }
        )

    def confusion_frame(self) -> pd.DataFrame:
        """Return the numbers of rows by their class (rows of the frame) and by what they were classified as."""
        import pandas as pd

        names = pd.Index(self.levels, name=self.target), pd.Index(self.levels, name="classified as")
        return pd.DataFrame(self.confusion.astype(np.int64), *names)

    def _check(self) -> None:
        super(Classification, self)._check()
        if not self.accuracy:
            raise InvalidData("accuracy is empty; it must have at least one fold")
        for name in ("baseline", "log_loss"):
            check_length(name, getattr(self, name), "accuracy", len(self.accuracy))
        check_shape("confusion", self.confusion, (len(self.levels), len(self.levels)))

    def __repr__(self) -> str:
        folds = plural(len(self.accuracy), "fold")
        return visible(
            f"Classification({self.method} of {self.target!r}: accuracy {self.mean_accuracy:.4f} in {folds}, "
            f"baseline {np.mean(self.baseline):.4f})"
        )


@dataclass(frozen=True, slots=True)
class _Classifier:
    """How classifiers are made."""

    target: str
    method: str
    prior: FitPrior
    discretizer: str
    bins: int
    threads: int
    options: Mapping[str, Any]

    def fit(self, table: Table, rng: np.random.Generator) -> tuple[Network, Mapping[str, str]]:
        """Return the network that is fitted to a table, whose class has its levels declared, and what is set aside."""
        class_column = self.target if CUT_RULES[self.discretizer].needs_class else None
        cutting = Discretizer(method=self.discretizer, bins=self.bins, class_column=class_column)
        data = cutting.learn(table, {"missing": "level", "keep_constant": False})
        if self.target not in data.variables:
            raise InvalidData(f"all rows of training have the same {self.target!r}: there must be two classes")
        with warnings.catch_warnings():
            # A part of the rows has copies that the table does not have.
            warnings.simplefilter("ignore", RelatedColumns)
            dag = class_structure(data, self.target, self.method, rng, self.threads, self.options)
        return Network.fit(dag, data, self.options.get("ess", 1.0), self.prior), data.set_aside


def classify_rows(
    data: Any,
    target: str,
    method: str = "order",
    *,
    cv: int = DEFAULT_FOLDS,
    test: Any = None,
    prior: FitPrior = "k2",
    discretizer: str = "mdl",
    bins: int = 3,
    seed: Seed = 0,
    threads: int | None = None,
    progress: ProgressOption = None,
    **options: Any,
) -> Classification:
    """Fit Bayesian networks to rows with a class, and measure how well they classify others.

    Parameters
    ----------
    data : Dataset, data frame or path
        The rows, with the class. Numbers are cut and missing cells treated as by
        :class:`dagscape.sklearn.BayesNetClassifier`, from the rows of training alone.
    target : str
        The class.
    method : str
        How structures are found: ``"naive"`` for naive Bayes, ``"tan"`` for tree-augmented naive Bayes, or a method of
        :func:`dagscape.learn`.
    cv : int
        The number of folds.
    test : Dataset, data frame or path, optional
        Rows to classify in place of folds: the network is fitted once, to all of ``data``.
    prior, discretizer, bins
        As in :class:`dagscape.sklearn.BayesNetClassifier`.
    seed : int, numpy.random.Generator or None
        Decides on the folds, and on what is random in the search.
    threads, progress
        As in :func:`dagscape.local_scores`.
    **options
        The options of :func:`dagscape.learn`. Settings of the score that are not given have the highest evidence in the
        rows of training.

    Returns
    -------
    Classification

    Examples
    --------
    >>> import dagscape as ds
    >>> ds.classify_rows(ds.load_dataset("zoo"), "type", "naive", cv=5)
    Classification(naive of 'type': accuracy 0.9205 in 5 folds, baseline 0.4057)
    """
    start = time.perf_counter()
    check_choice(method, STRUCTURES, "method")
    check_choice(discretizer, CUT_RULES, "discretizer")
    FOLDS.check(cv, "cv")
    table = _with_class(_as_table(data, "data"), target)
    used, rng = thread_count(threads), random_generator(seed)
    classifier = _Classifier(target, method, prior, discretizer, bins, used, options)
    levels = table.column(target).values
    if test is None:
        splits = list(_folds(table, target, cv, rng))
        pairs = [(table.take(training), table.take(~training)) for training in splits]
    else:
        pairs = [(table, _with_class(_as_table(test, "test"), target, levels))]
    measured, left_out = [], []
    with listening(progress) as listener:
        for number, (training, others) in enumerate(pairs):
            if listener is not None:
                listener(Progress("Classifying", number, len(pairs)))
            network, aside = classifier.fit(training, rng)
            left_out.append(aside)
            measured.append(_measure(network, training, others, target))
    accuracy, baseline, losses, confusions = zip(*measured, strict=True)
    caveats = Caveats()
    caveats.issue(_notice_of(left_out))
    parameters = {"target": target, "method": method, "cv": cv, "test": test is not None, "prior": prior}
    parameters |= {"discretizer": discretizer, "bins": bins, "options": {name: str(options[name]) for name in options}}
    seconds = {"classifying": time.perf_counter() - start}
    return Classification(
        variables=tuple(table.names),
        provenance=provenance_of(
            "classify_rows", parameters, seconds, used, recorded_seed(seed), source=table_source(table)
        ),
        warnings=caveats.kept,
        target=target,
        method=method,
        levels=tuple(levels),
        rows=int(sum(confusion.sum() for confusion in confusions)),
        accuracy=accuracy,
        baseline=baseline,
        log_loss=losses,
        confusion=np.sum(confusions, axis=0),
    )


def fit_classifier(
    data: Any,
    target: str,
    method: str = "order",
    *,
    prior: FitPrior = "k2",
    discretizer: str = "mdl",
    bins: int = 3,
    seed: Seed = 0,
    threads: int | None = None,
    **options: Any,
) -> Network:
    """Return the network that :func:`classify_rows` fits to all rows; the arguments are the same.

    Examples
    --------
    >>> import dagscape as ds
    >>> network = ds.fit_classifier(ds.load_dataset("zoo"), "type", "naive")
    >>> network.dag.parents("legs")
    ('type',)
    """
    check_choice(method, STRUCTURES, "method")
    check_choice(discretizer, CUT_RULES, "discretizer")
    table = _with_class(_as_table(data, "data"), target)
    classifier = _Classifier(target, method, prior, discretizer, bins, thread_count(threads), options)
    network, aside = classifier.fit(table, random_generator(seed))
    issue(_notice_of([aside]))
    return network


def _notice_of(left_out: Sequence[Mapping[str, str]]) -> AutomaticReading | None:
    """Return a warning about the columns that were no variables of classifiers, given those of each; None if none is.

    >>> str(_notice_of([{"age": "is not cut: all its numbers are in one interval"}, {}]))
    "'age' is set aside in 1 of 2 folds: it is not cut: all its numbers are in one interval"
    """
    reasons = {name: reason for aside in reversed(left_out) for name, reason in aside.items()}
    counts = {name: sum(name in aside for aside in left_out) for name in reasons}
    # What is constant in some folds only has rare levels, and is no surprise.
    told = [name for name, reason in reasons.items() if is_unasked(reason) or counts[name] == len(left_out)]
    parts = {
        name: "" if counts[name] == len(left_out) else f" in {counts[name]} of {len(left_out)} folds" for name in told
    }
    sentences = [f"{name!r} is set aside{where}: it {reasons[name]}" for name, where in parts.items()]
    return AutomaticReading("; ".join(some_sentences(sentences, "set aside"))) if sentences else None


def _as_table(given: Any, option: str) -> Table:
    if isinstance(given, Table):
        return given
    if isinstance(given, str | os.PathLike):
        return read_table(given)
    if isinstance(given, Dataset):
        given = given.to_frame()
    if not is_frame(given):
        raise InvalidOption(
            f"is {type_of(given)}; it must be a data set, a data frame or the path of a file", option=option
        )
    return table_from_frame(given, source=option)


def _with_class(table: Table, target: str, levels: tuple[str, ...] | None = None) -> Table:
    """Return the table with the class as a column of declared levels, so that it is never cut, nor a level missing."""
    if target not in table.names:
        raise InvalidOption(f"is {target!r}, which is not a column{did_you_mean(target, table.names)}", option="target")
    column = table.column(target)
    if column.kind == "decimals" and not column.declared:
        raise InvalidOption(
            f"is {target!r}, which holds decimals and is no class: choose a column of levels, or cut it into levels "
            "first (in Python with discretize())",
            option="target",
        )
    if (gaps := int(np.count_nonzero(np.asarray(column.codes) == MISSING))) > 0:
        raise InvalidData(f"{plural(gaps, 'row')} of {table.source} have no {target!r}: drop these rows")
    observed = column.observed()
    known = observed.values if levels is None else levels
    if unknown := [value for value in observed.values if value not in known]:
        raise InvalidData(f"{table.source} has classes that training lacks: {listing(unknown)}")
    if len(known) < 2:
        raise InvalidData(f"all rows of {table.source} have the same {target!r}: there must be two classes")
    place = np.array([known.index(value) for value in observed.values], dtype=np.int32)
    columns = list(table.columns)
    columns[table.names.index(target)] = TextColumn(tuple(known), place[observed.codes], declared=True)
    return table.with_columns(table.names, columns)


def _folds(table: Table, target: str, cv: int, rng: np.random.Generator) -> Iterator[NDArray[np.bool_]]:
    """Iterate over which rows are for training; the rows of each class are dealt to the folds in turn."""
    if cv > table.m:
        raise InvalidOption(f"is {cv}; there are only {plural(table.m, 'row')}", option="cv")
    codes = np.asarray(table.column(target).codes)
    order = rng.permutation(table.m)
    order = order[np.argsort(codes[order], kind="stable")]
    fold = np.empty(table.m, dtype=np.int64)
    fold[order] = np.arange(table.m) % cv
    for number in range(cv):
        yield fold != number


def _measure(
    network: Network, training: Table, others: Table, target: str
) -> tuple[float, float, float, NDArray[np.float64]]:
    """Return the accuracy, that of the baseline, the log loss and the confusion matrix."""
    found = network.predict(with_known_levels(network, others), target).to_numpy(dtype=np.float64)
    truth, count = np.asarray(others.column(target).codes), len(others.column(target).values)
    guessed = found.argmax(axis=1)
    usual = np.bincount(np.asarray(training.column(target).codes), minlength=count).argmax()
    confusion = np.zeros((count, count))
    np.add.at(confusion, (truth, guessed), 1)
    with np.errstate(divide="ignore"):
        loss = float(-np.log(found[np.arange(len(truth)), truth]).mean())
    return float((guessed == truth).mean()), float((usual == truth).mean()), max(loss, 0.0), confusion
