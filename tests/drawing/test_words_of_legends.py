"""One word for one thing: probabilities of posteriors and samples, shares of bootstrap samples."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree

import numpy as np
import pytest

import dagscape as ds
from cli.running import run
from dagscape.drawing.dot import to_dot
from dagscape.report.edges import render_bootstrap, render_posterior
from dagscape.report.samples import render_samples
from dagscape.report.terminal import terminal_text

DATA = ds.load_network("asia").sample(150, seed=3)
OPTIONS = [
    {"threshold": threshold, "lines": lines, "labels": labels}
    for threshold, lines, labels in itertools.product((0.05, 0.3, 0.5), ("pairs", "edges"), (True, False))
]


def legend(svg):
    found = ElementTree.fromstring(svg).find("{*}g[@class='legend']")
    return " ".join(text.text for text in found.iter("{http://www.w3.org/2000/svg}text"))


@pytest.fixture(scope="module")
def boot():
    return ds.bootstrap(DATA, samples=12, workers=1)


@pytest.mark.parametrize("options", OPTIONS)
def test_bootstraps_have_shares_of_samples(boot, options):
    said = legend(ds.draw(boot, **options))
    assert "share of bootstrap samples" in said
    assert "probability" not in said
    assert "confidence" not in said
    source = to_dot(boot, **options)
    assert "share of bootstrap samples" in source
    assert "probability" not in source


@pytest.mark.parametrize("options", OPTIONS)
def test_posteriors_and_samples_have_probabilities(options):
    scores = ds.local_scores(DATA)
    for result in (ds.posterior(scores), ds.posterior(scores, compelled=True), ds.sample_dags(scores, 50)):
        said = legend(ds.draw(result, **options))
        assert "probability" in said
        assert "confidence" not in said
        assert "bootstrap" not in said


def test_isolated_variables_are_those_without_a_share():
    found = ds.bootstrap(ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (40, 14))), samples=3, workers=1)
    said = legend(ds.draw(found, threshold=1.0, isolated=False))
    assert "have no edge with a share of bootstrap samples of at least 1" in " ".join(said.split())


def test_tables_say_what_their_numbers_are(boot):
    assert "shares of bootstrap samples" in terminal_text(render_bootstrap(boot), 120)
    scores = ds.local_scores(DATA)
    for blocks in (render_posterior(ds.posterior(scores)), render_samples(ds.sample_dags(scores, 20))):
        assert "confidence" not in terminal_text(blocks, 120)


def test_the_help_of_the_command_has_one_word(capfd):
    _, out, _ = run(capfd, "bootstrap", "--help")
    assert "confidence" not in out
    assert "share of" in out
