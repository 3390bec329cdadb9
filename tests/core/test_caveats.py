"""Warnings point at the line that called dagscape, and are kept in order."""

from __future__ import annotations

import sys
import warnings
from types import CodeType, FunctionType

import pytest

from dagscape.core import caveats
from dagscape.core.caveats import Caveats, issue, kept_text
from dagscape.core.errors import DagscapeWarning, IncompleteScores, SparseFamilies, StoppedEarly, argument


def inside(function, depth=1):
    """Return a function that calls another one through frames that seem to be part of dagscape."""

    def call():
        return function()

    file = f"{caveats._PACKAGE}somewhere.py"
    code: CodeType = call.__code__.replace(co_filename=file)
    called = FunctionType(code, call.__globals__, closure=call.__closure__)
    return called if depth == 1 else inside(called, depth - 1)


@pytest.mark.parametrize("depth", [1, 2, 5])
def test_a_warning_points_at_the_caller_of_the_package(depth):
    # The innermost function is part of the package, too.
    issuing = FunctionType(issued.__code__.replace(co_filename=f"{caveats._PACKAGE}issuing.py"), globals())
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        inside(issuing, depth)()
    assert (caught[0].filename, caught[0].lineno) == (__file__, sys._getframe().f_lineno - 1)


def issued():
    issue(StoppedEarly("here"))


def test_a_warning_from_outside_points_at_itself():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        issue(StoppedEarly("here"))
    assert (caught[0].filename, caught[0].lineno) == (__file__, sys._getframe().f_lineno - 1)


def test_no_warning_is_none():
    issue()
    issue(None)
    found = Caveats()
    found.issue(None)
    assert found.kept == ()


def test_what_is_kept():
    found = Caveats(["before"])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found.issue(SparseFamilies(f"set a lower {argument('max_parents')}"), None, IncompleteScores("some"))
        found.issue(StoppedEarly("late"))
    assert [str(warning.message) for warning in caught] == ["set a lower max_parents", "some", "late"]
    assert found.kept == (
        "before",
        "sparse families: set a lower max_parents",
        "incomplete scores: some",
        "stopped early: late",
    )


def test_a_warning_that_is_ignored_is_kept():
    found = Caveats()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found.issue(StoppedEarly("late"))
    assert found.kept == ("stopped early: late",)


@pytest.mark.parametrize("kind", DagscapeWarning.__subclasses__())
def test_every_kind_has_a_name_in_words(kind):
    name, _, text = kept_text(kind("it is so")).partition(": ")
    assert text == "it is so"
    assert name.replace(" ", "") == kind.__name__.lower()
    assert " " in name
