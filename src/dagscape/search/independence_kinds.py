"""The tests of independence, by the kind of data that they take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

from dagscape.core.constraints import OneOf
from dagscape.core.errors import InvalidOption, argument, function
from dagscape.data.any_data import AnyData
from dagscape.data.continuous.numeric import NumericData
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.mixed.converting import simplest
from dagscape.data.mixed.mixed import MixedData
from dagscape.data.values import as_dataset, as_mixed, as_numeric, check_complete

TestName = Literal["g2", "fisher-z", "mi-cg"]

AUTO = "auto"

# The test of discrete data, which needs no reason.
DISCRETE_TEST: TestName = "g2"

TEST_CHOICE = OneOf((AUTO, *get_args(TestName)))


@dataclass(frozen=True, slots=True)
class IndependenceTest:
    """A kind of test of independence.

    Attributes
    ----------
    name : str
        Its name.
    title : str
        What to call it in sentences: "108 G² tests".
    help : str
        What it is, in a few words.
    data_type : type
        The kind of data that it takes.
    convert : callable
        Makes such data of frames and files, and of other kinds where nothing is lost.
    """

    name: TestName
    title: str
    help: str
    data_type: type
    convert: Callable[[Any], AnyData]


INDEPENDENCE_TESTS: dict[str, IndependenceTest] = {
    kind.name: kind
    for kind in (
        IndependenceTest("g2", "G²", "G², of discrete data, where numbers are cut", Dataset, as_dataset),
        IndependenceTest("fisher-z", "Fisher's z", "partial correlation of measured columns", NumericData, as_numeric),
        IndependenceTest(
            "mi-cg",
            "likelihood-ratio",
            "likelihood ratio of mixed columns, the measured ones normal in each state of the discrete ones",
            MixedData,
            as_mixed,
        ),
    )
}


def usual_test(data: AnyData) -> IndependenceTest:
    """Return the tests of data of some kind.

    Examples
    --------
    >>> usual_test(NumericData.from_array([[0.5], [1.5]])).name
    'fisher-z'
    """
    return next(kind for kind in INDEPENDENCE_TESTS.values() if isinstance(data, kind.data_type))


def kind_for(test: str, *, cut: bool = False) -> type:
    """Return the kind of data that files are read as for a test, or for cuts that are given.

    >>> kind_for("auto").__name__, kind_for("auto", cut=True).__name__, kind_for("fisher-z").__name__
    ('MixedData', 'Dataset', 'NumericData')
    """
    if test != AUTO:
        return INDEPENDENCE_TESTS[test].data_type
    return Dataset if cut else MixedData


def data_for_tests(data: Any, test: str = AUTO) -> tuple[AnyData, IndependenceTest]:
    """Return data as the kind that a test takes, without missing cells, and the test.

    Without a test, a file or a data frame is read as a mixed table, which tells apart what its columns hold.

    Parameters
    ----------
    data : Dataset, NumericData, MixedData, data frame, str or path
        The data.
    test : str
        The name of the test, or ``"auto"``.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"height": [1.5, 1.7], "weight": [60, 72]})
    >>> data_for_tests(frame, "fisher-z")[0]
    NumericData(2 variables, 2 rows)
    """
    TEST_CHOICE.check(test, "test")
    if test == AUTO:
        found = data if isinstance(data, Dataset | NumericData) else simplest(as_mixed(data))
        kind = usual_test(found)
    else:
        kind = INDEPENDENCE_TESTS[test]
        _check_kind(data, kind)
        found = kind.convert(data)
    check_complete(found, function("mmpc"))
    return found, kind


def _check_kind(data: Any, kind: IndependenceTest) -> None:
    """Refuse data that would have to be cut, or whose levels are no numbers."""
    measured = isinstance(data, NumericData) or (isinstance(data, MixedData) and data.measured)
    discrete = isinstance(data, MixedData) and data.discrete
    if (measured and kind.data_type is Dataset) or (discrete and kind.data_type is NumericData):
        taken = "discrete data" if kind.data_type is Dataset else "measured columns"
        cut = f", or cut the numbers with {function('discretize')}" if kind.data_type is Dataset else ""
        raise InvalidOption(
            f"is {kind.name!r}, which takes {taken}, and the data are a {type(data).__name__}: use "
            f"{argument('test', usual_test(data).name)}{cut}",
            option="test",
        )


def tested_of(data: object, score: str) -> AnyData:
    """Return the data of a score, if tests of independence take them."""
    if not isinstance(data, AnyData):
        raise InvalidOption(f"there are no tests of independence for the data of the score {score!r}")
    return data
