"""Questions to networks with measured variables: distributions given evidence, and predictions of rows.

:mod:`dagscape.networks.gaussian.inference` computes the answers; this module checks the questions, and labels the
answers. Rows in which the same variables are known, and matter, are answered together.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from dagscape.core.checks import is_between
from dagscape.core.errors import InvalidData, InvalidOption, brief, did_you_mean
from dagscape.core.masks import bits, mask_of
from dagscape.data.tables.frames import cell_string
from dagscape.data.tables.numbers import parse_numbers
from dagscape.networks.discrete.evidence import level_code, observations
from dagscape.networks.discrete.queries import check_one_target, probability_frame, typed_index
from dagscape.networks.gaussian.inference import Mixed, Question
from dagscape.networks.gaussian.mixtures import (
    NormalMixture,
    checked_levels,
    mixture_moments,
    mixture_quantiles,
    quantile_names,
)
from dagscape.networks.gaussian.model import Floats, Integers, LinearModel
from dagscape.networks.gaussian.rows import Rows, rows_to_predict

if TYPE_CHECKING:
    import pandas as pd

    from dagscape.networks.discrete.evidence import Evidence
    from dagscape.networks.gaussian.base import MeasuredNetwork

# Larger numbers cannot be squared.
LARGEST_VALUE = 1e150


@dataclass(frozen=True, slots=True, eq=False)
class _Known:
    """What is known of one row, with the variables whose value is constant in the network.

    Attributes
    ----------
    codes, values : array, 1 × variables
        The known values.
    known, chosen : int
        The variables they are of, and those of them that are constant, as sets.
    contradicts : str
        A constant variable that was observed with another value; empty if there is none.
    """

    codes: Integers
    values: Floats
    known: int
    chosen: int
    contradicts: str = ""


def query(
    network: MeasuredNetwork, target: str, evidence: Evidence | None, max_memory: int | str | None
) -> NormalMixture | pd.Series[float]:
    """Return the distribution of a target; the work of :meth:`dagscape.GaussianNetwork.query`."""
    import pandas as pd

    number = _checked_target(network, target)
    model = LinearModel.of(network)
    row = _known_row(network, model, evidence, target)
    if row.known & ~row.chosen & 1 << number:
        raise InvalidOption(f"is {target!r}, which is also in the evidence", option="target")
    # Of all that is observed, only levels can be impossible; numbers have a density everywhere.
    discrete = [v for v in bits(row.known) if v not in model.regressions]
    found = model.tables.joint([], discrete, row.codes[:, discrete], max_memory=max_memory)
    if row.contradicts or not found.totals[0]:
        raise _impossible()
    if row.chosen >> number & 1:
        return NormalMixture(target, [1.0], row.values[0, [number]], [0.0])
    question = Question(model, number, row.known, row.chosen, max_memory)
    if target in network.levels:
        shares, possible = question.shares(row.codes, row.values)
        index = typed_index(target, network.levels[target], network.types[target])
        answer: NormalMixture | pd.Series[float] = pd.Series(shares[0], index=index, name="probability")
    else:
        mixed, possible = question.mixture(row.codes, row.values)
        answer = NormalMixture(target, mixed.weights[0], mixed.means[0], mixed.sds[0])
    if not possible[0]:
        # Densities are below all numbers, even as logarithms.
        raise _impossible()
    return answer


def _impossible() -> InvalidData:
    return InvalidData("the evidence has probability 0 in the network")


def log_density(network: MeasuredNetwork, evidence: Evidence, max_memory: int | str | None) -> float:
    """Return ln p(evidence); the work of :meth:`dagscape.GaussianNetwork.log_density`."""
    model = LinearModel.of(network)
    row = _known_row(network, model, evidence, None)
    if row.contradicts:
        return -math.inf
    return float(Question(model, None, row.known, row.chosen, max_memory).log_density(row.codes, row.values)[0])


def predict_levels(network: MeasuredNetwork, rows: Any, target: str, max_memory: int | str | None) -> pd.DataFrame:
    """Return the probability of each level of a discrete target in each row."""
    number = _checked_target(network, target)
    found = rows_to_predict(network.variables, network.levels, rows, target)
    shares = np.empty((len(found.values), len(network.levels[target])))
    for question, codes, values, part in _questions(network, found, number, max_memory):
        shares[part], _ = question.shares(codes, values)
    return probability_frame(shares, found.index, typed_index(target, network.levels[target], network.types[target]))


def predict_numbers(
    network: MeasuredNetwork, rows: Any, target: str, quantiles: Sequence[float], max_memory: int | str | None
) -> pd.DataFrame:
    """Return mean, standard deviation and quantiles of a measured target in each row."""
    import pandas as pd

    number = _checked_target(network, target)
    levels = checked_levels(quantiles)
    found = rows_to_predict(network.variables, network.levels, rows, target)
    answers = np.empty((len(found.values), 2 + len(levels)))
    constant = LinearModel.of(network).constants.get(number)
    for question, codes, values, part in _questions(network, found, number, max_memory):
        if constant is None:
            mixed, _ = question.mixture(codes, values)
        else:
            one = np.ones((len(codes), 1))
            mixed = Mixed(one, constant * one, 0 * one)
        parts = mixed.weights, mixed.means, mixed.sds
        answers[part] = np.stack(
            [*mixture_moments(*parts), *(mixture_quantiles(*parts, level) for level in levels)], axis=1
        )
    return pd.DataFrame(answers, index=found.index, columns=["mean", "sd", *quantile_names(levels)])


def _questions(
    network: MeasuredNetwork, rows: Rows, target: int, max_memory: int | str | None
) -> list[tuple[Question, Integers, Floats, NDArray[np.intp]]]:
    """Return the questions that rows are, with what is known in them: rows in which the same matters are one."""
    model = LinearModel.of(network)
    constants, fixed = model.constants, mask_of(model.constants)
    values = rows.values.copy()
    for variable, value in constants.items():
        values[:, variable] = value
    found: dict[tuple[tuple[int, ...], int], list[NDArray[np.intp]]] = {}
    for known, chosen, part in Rows(values, rows.chosen).patterns():
        question = Question(model, target, known & ~(1 << target), chosen | fixed, max_memory)
        found.setdefault((question.families(), question.needed()), []).append(part)
    codes = Rows(values).codes
    questions = []
    for (families, known), parts in found.items():
        part = np.concatenate(parts)
        # A known variable whose own family does not matter counts as set.
        chosen = mask_of(v for v in bits(known) if v not in families)
        question = Question(model, target, known, chosen, max_memory)
        questions.append((question, codes[part], values[part], part))
    return questions


def _known_row(network: MeasuredNetwork, model: LinearModel, evidence: Evidence | None, target: str | None) -> _Known:
    names = {name: network.levels.get(name, ()) for name in network.variables}
    codes = np.full((1, network.n), -1, dtype=np.int64)
    values = np.full((1, network.n), np.nan)
    contradicts = ""
    known = 0
    constants = model.constants
    for name, value in observations(names, evidence, [] if target is None else [target]).items():
        number = network.dag.number(name)
        known |= 1 << number
        if name in network.levels:
            codes[0, number] = level_code(name, value, network.levels[name])
            continue
        values[0, number] = measured_value(name, value, "evidence")
        if number in constants and values[0, number] != constants[number]:
            contradicts = name
    for number, value in constants.items():
        values[0, number] = value
    fixed = mask_of(constants)
    return _Known(codes, values, known | fixed, fixed, contradicts)


def measured_value(name: str, value: object, option: str) -> float:
    """Return an observed value as a number.

    Examples
    --------
    >>> measured_value("height", "1.5", "evidence")
    1.5
    >>> measured_value("height", "tall", "evidence")
    Traceback (most recent call last):
    dagscape.core.errors.InvalidOption: evidence has 'tall' for 'height', which is measured: give a number
    """
    if isinstance(value, bool | np.bool_):
        numbers = None
    elif is_between(value, -LARGEST_VALUE, LARGEST_VALUE):
        return float(value)  # type: ignore[arg-type] # It is a real number.
    else:
        numbers = parse_numbers([cell_string(value)])
    if numbers is None or not abs(numbers[0]) <= LARGEST_VALUE:
        raise InvalidOption(f"has {brief(value)} for {name!r}, which is measured: give a number", option=option)
    return float(numbers[0])


def _checked_target(network: MeasuredNetwork, target: object) -> int:
    check_one_target(target)
    if target not in network.variables:
        known = did_you_mean(target, network.variables)
        raise InvalidOption(f"is {target!r}, which is not a variable{known}", option="target")
    return network.dag.number(str(target))
