"""Errors and warnings: their spelling, and what survives copying."""

import copy
import pickle
import warnings

import numpy as np
import pytest

from dagscape.core import errors
from dagscape.core.errors import (
    BackendUnavailable,
    DagscapeError,
    IncompleteScores,
    InvalidData,
    InvalidOption,
    Mention,
    StoppedEarly,
    TooLarge,
    argument,
    did_you_mean,
    function,
    python_spelling,
    type_of,
)

MESSAGE = f"16 GiB: raise {argument('max_memory')}, set {argument('max_parents', 4)}, or {function('modes')}"
PLAIN = "16 GiB: raise max_memory, set max_parents=4, or modes()"


def shouted(mention):
    return f"<{mention.kind} {mention.name} {mention.value}>"


@pytest.mark.parametrize(
    "kind", [DagscapeError, InvalidData, InvalidOption, TooLarge, BackendUnavailable, IncompleteScores, StoppedEarly]
)
def test_the_message_is_plain_wherever_python_shows_it(kind):
    error = kind(MESSAGE)
    assert str(error) == PLAIN
    assert repr(error) == f"{kind.__name__}({PLAIN!r})"
    assert error.args == (PLAIN,)


@pytest.mark.parametrize("kind", [DagscapeError, InvalidOption, StoppedEarly])
@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_copies_can_still_be_spelled(kind, copied):
    again = copied(kind(MESSAGE))
    assert type(again) is kind
    assert str(again) == PLAIN
    assert again.spelled(shouted) == (
        "16 GiB: raise <argument max_memory >, set <argument max_parents 4>, or <function modes >"
    )


@pytest.mark.parametrize("copied", [lambda error: error, copy.copy, lambda error: pickle.loads(pickle.dumps(error))])
def test_an_invalid_option_knows_its_name(copied):
    error = copied(InvalidOption("is -1; it must be positive", option="ess"))
    assert error.option == "ess"
    assert str(error) == "ess is -1; it must be positive"
    assert error.spelled(shouted) == "<argument ess > is -1; it must be positive"


def test_an_invalid_option_need_not_have_a_name():
    error = InvalidOption("two arguments contradict each other")
    assert error.option is None
    assert str(error) == "two arguments contradict each other"


@pytest.mark.parametrize(
    ("mention", "expected"),
    [
        (Mention("argument", "ess"), "ess"),
        (Mention("argument", "missing", "'level'"), "missing='level'"),
        (Mention("argument", "max_parents", "0"), "max_parents=0"),
        (Mention("function", "modes"), "modes()"),
    ],
)
def test_python_spelling(mention, expected):
    assert python_spelling(mention) == expected


@pytest.mark.parametrize("name", ["max_parents", "ess=1", "{x}", "\n", "\ue000argument\ue001ess\ue001\ue002"])
def test_quoted_names_are_never_taken_for_mentions(name):
    error = InvalidData(f"column {name!r} has no levels")
    assert error.spelled(shouted) == str(error) == f"column {name!r} has no levels"


def test_values_may_hold_any_character():
    closing = "\ue002"
    assert str(InvalidData(f"use {argument('separator', closing)}")) == f"use separator={closing!r}"


def test_warnings_match_filters_by_their_python_spelling():
    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("ignore", message="raise max_memory$")
        warnings.filterwarnings("always", message="set max_parents=4")
        warnings.warn(StoppedEarly(f"raise {argument('max_memory')}"), stacklevel=1)
        warnings.warn(StoppedEarly(f"set {argument('max_parents', 4)}"), stacklevel=1)
    assert [str(warning.message) for warning in caught] == ["set max_parents=4"]


def test_every_error_of_the_package_can_be_spelled():
    kinds = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, BaseException)]
    assert {InvalidOption, StoppedEarly} <= set(kinds)
    assert all(hasattr(kind, "spelled") for kind in kinds)


def test_articles():
    assert [type_of(value) for value in (1, "x", np.zeros(1), None)] == ["an int", "a str", "an ndarray", "a NoneType"]


def test_did_you_mean():
    assert did_you_mean("smokng", ["smoking"]) == "; did you mean 'smoking'?"
    assert did_you_mean("zzz", ["smoking"]) == ""


def test_an_unknown_name_is_compared_with_few_others(monkeypatch):
    compared = []
    monkeypatch.setattr(errors, "get_close_matches", lambda name, known, n: compared.extend(known) or [])
    assert did_you_mean("smokng", (f"v{i}" for i in range(10**5))) == ""
    assert 1000 < len(compared) < 10_000
