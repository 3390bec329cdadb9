"""What arguments may be: the values at and beside each limit, and the words that messages use."""

from __future__ import annotations

import math

import numpy as np
import pytest

import dagscape as ds
from dagscape.cli.arguments.numbers import within
from dagscape.core.constraints import COUNT, FLAG, Number, OneOf, OrNone, Whole, check_count, check_options
from dagscape.search.registry import LEARNERS

NAN = float("nan")


@pytest.mark.parametrize(
    ("constraint", "words", "allowed", "refused"),
    [
        (Whole(1), "an integer of at least 1", [1, 10**30, np.int64(7)], [0, 1.0, True, "1", None, NAN]),
        (Whole(2, 4), "an integer from 2 to 4", [2, 3, 4], [1, 5, 2.0, 10**400]),
        (Number(0), "a number of at least 0", [0, 0.5, math.inf, np.float32(1)], [-1e-300, NAN, "0", True, None]),
        (Number(0, high_open=True), "a number of at least 0", [0, 1e308], [math.inf, -1]),
        (Number(0, 1), "a number between 0 and 1", [0, 1, 0.5], [-0.1, 1.1, 10**400, [0.5], np.array([0.5, 0.6])]),
        (Number(0, low_open=True), "a number above 0", [5e-324, math.inf], [0, -1]),
        (Number(0, 1, high_open=True), "a number of at least 0 and below 1", [0, 0.999], [1, 1.5]),
        (Number(0, 1, low_open=True), "a number above 0 and at most 1", [1e-9, 1], [0]),
        (Number(1, 3, said="a small number"), "a small number", [1, 3], [4]),
        (FLAG, "True or False", [True, False, np.True_], [1, 0, None, "yes"]),
        (OneOf(("dags", "orders")), "one of 'dags', 'orders'", ["dags"], ["dag", None, ["dags"]]),
        (OrNone(Whole(0)), "an integer of at least 0", [None, 0], [-1, 0.0]),
    ],
)
def test_limits_and_words(constraint, words, allowed, refused):
    assert constraint.words == words
    for value in allowed:
        assert constraint.allows(value)
        constraint.check(value, "size")
    for value in refused:
        assert not constraint.allows(value)
        with pytest.raises(ds.InvalidOption) as caught:
            constraint.check(value, "size")
        assert caught.value.option == "size"
        assert str(caught.value).startswith("size is ")
        assert f"; it must be {words}" in str(caught.value)


def test_long_values_are_shortened():
    with pytest.raises(ds.InvalidOption) as caught:
        COUNT.check("x" * 10_000, "k")
    assert len(str(caught.value)) < 300


def test_counts_have_a_largest_value():
    check_count(2**63 - 1, "k")
    with pytest.raises(ds.InvalidOption, match=r"^k is 9223372036854775808; it must be at most 9223372036854775807$"):
        check_count(2**63, "k")
    with pytest.raises(ds.InvalidOption, match=r"^k is 0; it must be an integer of at least 1$"):
        check_count(0, "k")


def test_only_options_that_are_given_are_checked():
    check_options({"folds": Whole(2), "refine": FLAG}, {"refine": True})
    with pytest.raises(ds.InvalidOption, match="folds is 1; it must be an integer of at least 2"):
        check_options({"folds": Whole(2), "refine": FLAG}, {"refine": 3, "folds": 1})


@pytest.mark.parametrize("learner", LEARNERS.values(), ids=LEARNERS)
def test_learners_declare_options_that_they_have_and_allow_their_defaults(learner):
    assert {*learner.constraints} <= {*learner.options}
    check_options(learner.constraints, learner.options)


def test_option_types_have_the_limits_of_the_constraint():
    whole, share, positive = (
        within(Whole(2, 16)),
        within(Number(0, 1, high_open=True)),
        within(Number(0, low_open=True)),
    )
    assert (whole.min, whole.max, whole.name) == (2, 16, "integer")
    assert (share.min, share.max, share.min_open, share.max_open, share.name) == (0, 1, False, True, "number")
    assert (positive.min, positive.max, positive.min_open) == (0, None, True)
