"""What tasks take, made from one data set, so that one suite can run all of them."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd

import dagscape as ds

# A Q-matrix of more skills would make models of students slow.
MOST_SKILLS = 4


def dependent_data(n: int, rows: int, seed: int = 1, names=None) -> ds.Dataset:
    """Each column is a noisy copy of the previous one; only equivalent networks tie."""
    rng = np.random.default_rng(seed)
    columns = [rng.integers(0, 3, rows)]
    for i in range(1, n):
        noise = rng.random(rows) < 0.3 + 0.4 * i / n
        columns.append(np.where(noise, rng.integers(0, 3, rows), columns[-1]))
    return ds.Dataset.from_array(np.column_stack(columns), names, keep_constant=True)


def answers(data: ds.Dataset) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Each variable is an item, answered correctly at its first level; every few items need the same skill."""
    codes = np.repeat(data.codes, data.weights, axis=0)
    skills = max(min(data.n // 2, MOST_SKILLS), 1)
    needed = np.arange(data.n) % skills
    q_matrix = pd.DataFrame(np.eye(skills, dtype=int)[needed], data.variables, [f"S{i}" for i in range(skills)])
    return pd.DataFrame((codes == 0).astype(int), columns=data.variables), q_matrix


def structures(data: ds.Dataset) -> tuple[ds.Dag, ds.Dag]:
    """A chain of all variables, and the same without its first edge."""
    edges = [*zip(data.variables, data.variables[1:], strict=False)]
    return ds.Dag.from_edges(data.variables, edges), ds.Dag.from_edges(data.variables, edges[1:])


# What is given, and the arguments that say how it is scored, where the task scores it itself.
INPUTS = {
    "data": lambda data, score: ((data,), {}),
    "data to score": lambda data, score: ((data,), score),
    "scores": lambda data, score: ((ds.family_scores(data, **score),), {}),
    "all scores": lambda data, score: ((ds.local_scores(data, **score),), {}),
    "answers": lambda data, score: (answers(data), {}),
    "structures": lambda data, score: (structures(data), {}),
    "edge probabilities": lambda data, score: ((ds.posterior(ds.local_scores(data)), structures(data)[1]), {}),
    "two results with edge probabilities": lambda data, score: (
        tuple(ds.posterior(ds.local_scores(data, ess=ess)) for ess in (1, 10)),
        {},
    ),
    "rows with a class": lambda data, score: ((data.to_frame(), data.variables[0]), {}),
    "structure": lambda data, score: (structures(data)[:1], {}),
    "list of networks": lambda data, score: ((ds.k_best(ds.local_scores(data), 4),), {}),
    "lists of networks": lambda data, score: ((ds.k_best(ds.local_scores(data), 4), structures(data)[1]), {}),
    "network and rows": lambda data, score: ((ds.Network.fit(structures(data)[0], data), data), {}),
    "structure and rows": lambda data, score: ((structures(data)[0], data), {}),
    "list of networks and rows": lambda data, score: ((ds.k_best(ds.local_scores(data), 4), data), {}),
    "student model": lambda data, score: ((ds.command(*answers(data), restarts=1),), {}),
}

# The same for a plan, which is made before scores are computed.
PLANNED = INPUTS | {"all scores": lambda data, score: ((data,), score)}

# What is made of the rows of a data set, whatever they are.
OF_ANY_ROWS = ("data", "data to score", "all scores")


def run(task, settings, data: ds.Dataset, *, score=(), taken: str | None = None, **options):
    """Run a task quickly on what it takes: the usual kind, or another that will do."""
    given, scoring = INPUTS[taken or task.takes[0]](data, dict(score))
    # Studies have workers in place of threads.
    options = {name: value for name, value in options.items() if name != "threads" or name in parameters(task)}
    return task.function(*given, **{**task.quick, **scoring, **settings, **options})


def plan(task, settings, data: ds.Dataset, *, score=(), **options):
    """Plan a task on the same data."""
    (first, *others), scoring = PLANNED[task.takes[0]](data, dict(score))
    more = {"q_matrix": others[0]} if others else {}
    # What makes a task quick may make it smaller, too.
    known = {name for name, option in task.plan_options.items() if option.constraint is not None}
    more |= {name: value for name, value in task.quick.items() if name in known}
    return ds.plan(first, task.name, **{**more, **scoring, **settings, **options})


def parameters(task) -> set[str]:
    """The names of the arguments of a task."""
    return set(inspect.signature(task.function).parameters)
