"""Table 2.5 of [chen2016], run again on the sets at hand: accuracy and conditional log-likelihood of classifiers.

python -m benchmarks.classifier_tables [--samples 5] [--networks car …] [--only-show] [--write]

Three fifths of the rows are for training, and cuts come from these rows alone. Probabilities are smoothed by adding 1.
Numbers are ratios to naive Bayes, averaged over the sets. The paper has one split of 28 sets, 12 of them not at hand.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from benchmarks import SHARED
from benchmarks.experiments import Task, available, parser, quiet, run, shown
from benchmarks.pages import Page, show
from dagscape.sklearn import BayesNetClassifier

PAGE = Page("classifiers")

# Data sets of table 2.4 with their files; the class is the last column.
SETS = {
    "abalone": "abalone.csv.gz",
    "chess": "keel_chess_kr_vs_kp.csv.gz",
    "kr-vs-k": "keel_kr_vs_k.csv.gz",
    "titanic": "titanic.csv.gz",
    "mushroom": "mushroom.csv.gz",
    "nursery": "keel_nursery.csv.gz",
    "winequality-white": "winequality_white.csv.gz",
    "balance": "keel_balance.csv",
    "car": "keel_car.csv",
    "flare": "keel_flare.csv",
    "led7digit": "keel_led7digit.csv",
    "pima": "keel_pima.csv",
    "tic-tac-toe": "tic_tac_toe.csv",
    "wdbc": "keel_wdbc.csv.gz",
    "winequality-red": "winequality_red.csv.gz",
    "yeast": "yeast_protein_localisation.csv.gz",
}
METHODS = ("naive", "tan", "curriculum", "mmhc", "greedy", "ges", "order")
SAMPLES = 5
TRAINING = 0.6
OPTIONS = {"ess": 10.0}

# Table 2.5: the ratios to naive Bayes over 28 sets, and the sets on which the curriculum and MMHC are better.
PAPER = {
    "accuracy": {"naive": "1", "curriculum": "1.033 (8)", "mmhc": "1.034 (5)"},
    "cll": {"naive": "1", "curriculum": "0.755 (7)", "mmhc": "0.772 (9)"},
}

NAMES = {"accuracy": "accuracy", "cll": "conditional log-likelihood (CLL)"}

# The t-tests of the paper: 5 %, and these hypothesised differences of the ratios.
SIGNIFICANT = 0.05
HYPOTHESES = {"accuracy": 0.0, "cll": 0.02}


@lru_cache(maxsize=1)
def data_set(name: str) -> pd.DataFrame:
    """A data set as text; numbers are recognised later. Rows with missing cells are left out, as in KEEL."""
    frame = pd.read_csv(SHARED / "sets" / SETS[name], keep_default_na=False, na_values=["?"])
    return frame.dropna(ignore_index=True)


def tasks(names: list[str], methods: list[str], samples: int) -> Iterator[Task]:
    for name in names:
        for seed in range(samples):
            for method in methods:
                yield {"set": name, "seed": seed, "method": method}


def classify(task: Task) -> dict[str, Any]:
    """One run: accuracy, and the average log-probability of the right class."""
    frame = data_set(task["set"])
    rows = np.random.default_rng(task["seed"]).permutation(len(frame))
    size = round(TRAINING * len(frame))
    train, test = frame.iloc[rows[:size]], frame.iloc[rows[size:]]
    columns, target = list(frame.columns[:-1]), frame.columns[-1]
    learned = None if task["method"] in ("naive", "tan") else OPTIONS
    model = BayesNetClassifier(task["method"], options=learned, random_state=task["seed"], n_jobs=-1)
    start = time.perf_counter()
    with quiet():
        model.fit(train[columns], train[target])
        seconds = time.perf_counter() - start
        logs = model.predict_log_proba(test[columns])
    classes = {label: place for place, label in enumerate(model.classes_)}
    # A class that training did not show cannot be predicted; its rows count as if all classes were equally probable.
    right = test[target].map(classes)
    known = right.notna().to_numpy()
    own = np.full(len(test), -np.log(len(classes)))
    own[known] = logs[known, right[known].astype(int)]
    guessed = model.classes_[logs.argmax(axis=1)]
    return {
        "accuracy": float((guessed == test[target].to_numpy()).mean()),
        "cll": float(own.mean()),
        "edges": model.network_.dag.edge_count,
        "seconds": seconds,
    }


def ratios(frame: pd.DataFrame, measure: str) -> pd.DataFrame:
    """The ratio of each method to naive Bayes on each set, averaged over the samples."""
    values = frame.pivot(index=["set", "seed"], columns="method", values=measure)
    return values.div(values["naive"], axis=0).groupby("set", sort=False).mean()


def summary(frame: pd.DataFrame) -> None:
    for measure, theirs in PAPER.items():
        by_set = ratios(frame, measure)
        better = 1 if measure == "accuracy" else -1
        lines = []
        for method in by_set.columns:
            won = p = None
            if method != "mmhc" and "mmhc" in by_set:
                gain = better * (by_set[method] - by_set["mmhc"])
                won = f"{int((gain > 1e-9).sum())}:{int((gain < -1e-9).sum())}"
                p = f"{_p_value(gain, HYPOTHESES[measure]):.3f}"
            lines.append([method, f"{by_set[method].mean():.3f}", won, p, theirs.get(str(method))])
        direction = "larger" if measure == "accuracy" else "smaller"
        title = f"Table 2.5, {NAMES[measure]}: ratio to naive Bayes ({direction} is better), sets won against mmhc."
        test = f"p (better than mmhc by more than {HYPOTHESES[measure]:g})"
        PAGE.table(measure, title, ["method", "ratio", "won : lost", test, "paper (28 sets)"], lines)


def _p_value(gain: pd.Series, hypothesis: float) -> float:
    """The paired t-test of the gain against a hypothesised difference, one-sided; 1 if nothing differs."""
    if not gain.abs().any():
        return 1.0
    return float(stats.ttest_1samp(gain, hypothesis, alternative="greater").pvalue)


def by_set(frame: pd.DataFrame) -> None:
    for measure in PAPER:
        means = frame.groupby(["set", "method"], sort=False)[measure].mean().unstack()
        lines = [[name, *(f"{means.loc[name, method]:.3f}" for method in means.columns)] for name in means.index]
        show(f"{NAMES[measure]} by set", ["set", *map(str, means.columns)], lines)
    seconds = frame.groupby("method", sort=False)["seconds"].agg(["mean", "max"])
    lines = [[method, float(row["mean"]), float(row["max"])] for method, row in seconds.iterrows()]
    show("Seconds to fit", ["method", "mean", "longest"], lines)


def main() -> None:
    given = parser(__doc__ or "").parse_args()
    names = [name for name in SETS if given.networks is None or name in given.networks]
    every = list(tasks(names, available(METHODS, given.methods), given.samples or SAMPLES))
    path = given.folder / "classifiers.jsonl"
    frame = shown(path, every) if given.only_show else run(path, every, classify, given.workers)
    summary(frame)
    by_set(frame)


if __name__ == "__main__":
    main()
