"""Counts of one have nouns in the singular, everywhere."""

from __future__ import annotations

import re

import pytest

import dagscape as ds
from cli.running import run
from dagscape.core.wording import plural
from dagscape.graphs.moves import EditableDag
from dagscape.report.tables import render
from dagscape.report.terminal import terminal_text
from dagscape.scores.summary import summarize_scores

NOUNS = (
    "variables edges rows levels parents families networks classes DAGs CPDAGs modes sets columns cells warnings "
    "parameters values names pairs"
)
WRONG = re.compile(rf"\b1 (?:\w+ )?(?:{NOUNS.replace(' ', '|')})\b")


def single(levels=2):
    return ds.Dataset.from_codes([[0]], {"a": [str(level) for level in range(levels)]})


def pair():
    return ds.Dataset.from_codes([[0, 1], [1, 0]], {"a": ["0", "1"], "b": ["0", "1"]}, weights=[40, 40])


def everything(data):
    """Return one of each kind of object that says how much it holds."""
    scores = ds.local_scores(data)
    on_demand = ds.family_scores(data)
    on_demand.family("a")
    best = ds.optimal_network(scores)
    listed = ds.k_best(scores, k=1)
    known = ds.Network.fit(best.network, data)
    return [
        data,
        data.describe(),
        scores,
        ds.FamilyTable({v: {(): 0.0} for v in data.variables}, complete=True),
        scores.families("a"),
        on_demand,
        summarize_scores(scores),
        ds.posterior(scores),
        best,
        best.network,
        best.network.to_cpdag(),
        EditableDag(best.network),
        listed,
        listed.networks,
        listed.cpdags,
        ds.modes(scores, k=1),
        ds.plan(data),
        ds.plan(data, "posterior", max_parents=1 if data.n > 1 else 0),
        known,
    ]


@pytest.mark.slow
@pytest.mark.parametrize("make", [single, lambda: single(1), pair])
def test_one_of_anything(make):
    for item in everything(make()):
        texts = [repr(item)]
        if hasattr(item, "kind"):
            texts.append(terminal_text(render(item), 200))
        for text in texts:
            assert not WRONG.search(text), text


def test_the_command_line_speaks_of_one_thing(capfd, tmp_path):
    path = tmp_path / "one.csv"
    path.write_text("a,b\nx,1\ny,2\n")
    for arguments in (
        ["describe", path],
        ["score", path, "--max-parents", 1],
        ["best", path, "-k", 1],
        ["posterior", path],
        ["modes", path, "-k", 1],
        ["plan", path, "--max-parents", 1, "--task", "posterior"],
    ):
        code, out, err = run(capfd, *arguments)
        assert code == 0
        assert not WRONG.search(out + err), out + err


@pytest.mark.parametrize(("count", "text"), [(0, "0 rows"), (1, "1 row"), (2, "2 rows"), (12_345, "12,345 rows")])
def test_plural(count, text):
    assert plural(count, "row") == text
