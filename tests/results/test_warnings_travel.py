"""Every kind of result shows and keeps its warnings in every place, and passes them on to what is made of it."""

from __future__ import annotations

import html
import json
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from cli.running import run
from dagscape.drawing.display import Drawn
from dagscape.drawing.own_pictures import OwnPicture
from dagscape.planning.loading import RESULTS
from dagscape.report.blocks import Caution
from dagscape.report.tables import render
from dagscape.report.terminal import terminal_text

EARLIER = Path(__file__).parents[1] / "files" / "results_0.1.0"
KINDS = ("sparse families", "suspicious columns", "unconverged chains")
WARNINGS = tuple(f"{kind}: <b> of 'x: y' & more is wrong: do something else" for kind in KINDS)
BRIEF = tuple(f"warning: {kind}: <b> of 'x: y' & more is wrong" for kind in KINDS)


@pytest.fixture(params=sorted(RESULTS))
def warned(request):
    """A result of each kind, with warnings of three kinds."""
    return replace(ds.load_result(EARLIER / f"{request.param}.json"), warnings=WARNINGS)


def svg_text(svg):
    texts = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return " ".join(" ".join(text.itertext()) for text in texts)


def test_tables_end_with_them(warned):
    cautions = [block for block in render(warned) if isinstance(block, Caution)]
    assert cautions == [Caution(warning) for warning in WARNINGS]
    shown = " ".join(terminal_text(render(warned), 120).split())
    assert shown.endswith(" ".join(f"warning: {warning}" for warning in WARNINGS))


@pytest.mark.parametrize("ending", ["json", "json.gz", "npz"])
def test_files_keep_them(warned, ending, tmp_path):
    warned.save(tmp_path / f"result.{ending}")
    assert ds.load_result(tmp_path / f"result.{ending}").warnings == WARNINGS
    assert warned.to_dict()["warnings"] == list(WARNINGS)


def test_notebooks_show_them(warned):
    shown = warned._repr_html_()
    for warning in WARNINGS:
        assert shown.count(f"<p><strong>Warning:</strong> {html.escape(warning)}</p>") == 1


@pytest.mark.parametrize(
    "kind", sorted(kind for kind, known in RESULTS.items() if issubclass(known, Drawn | OwnPicture))
)
def test_pictures_have_them_in_short(kind, tmp_path):
    warned = replace(ds.load_result(EARLIER / f"{kind}.json"), warnings=WARNINGS)
    if isinstance(warned, Drawn):
        said = svg_text(ds.draw(warned))
        assert all(brief in said for brief in BRIEF)
        warned.draw(tmp_path / "picture.dot")
        source = (tmp_path / "picture.dot").read_text(encoding="utf-8")
        # Whole in comments, which no program shows, and in short in the legend.
        assert all(f"// warning: {warning}\n" in source for warning in WARNINGS)
        assert all(kind in source.split("digraph")[1] for kind in KINDS)
        # A part of a graph, and one on a page, have them as well.
        part = svg_text(ds.draw(warned, around=warned.variables[0], page="12cm"))
        assert all(brief in part for brief in BRIEF)
    elif "matplotlib" not in str(type(warned)):
        said = svg_text(warned.draw())
        assert all(kind in said for kind in KINDS)


def test_what_is_computed_from_results_keeps_them(tmp_path):
    loaded = {kind: replace(ds.load_result(EARLIER / f"{kind}.json"), warnings=WARNINGS) for kind in RESULTS}
    best, modes, post = loaded["k-best"], loaded["modes"], loaded["posterior"]
    learned, boot = loaded["learned-network"], loaded["bootstrap"]
    data = ds.load_network("asia").sample(200, seed=1)

    def truth(result):
        return ds.Dag.from_edges(result.variables, [result.variables[:2]])

    derived = [
        ds.compare(learned, truth(learned)),
        ds.compare(truth(learned), learned),
        ds.edge_accuracy(post, truth(post)),
        ds.feature_averages(best),
        ds.list_curves({"best": best}, truth(best)),
        ds.class_members(learned),
        ds.edge_effects(best, data),
        ds.edge_effects(post, data),
        ds.edge_effects(boot, data),
        modes.with_truth(truth(modes)),
        learned.with_truth(truth(learned)),
    ]
    for result in derived:
        assert result.warnings == WARNINGS, result
    # Each once, whatever is compared.
    assert ds.compare(replace(learned, warnings=WARNINGS[:1]), learned).warnings == WARNINGS


def test_curves_have_them_below(tmp_path):
    pytest.importorskip("matplotlib")
    best = replace(ds.load_result(EARLIER / "k-best.json"), warnings=WARNINGS)
    post = replace(ds.load_result(EARLIER / "posterior.json"), warnings=WARNINGS)
    best.plot(tmp_path / "best.svg")
    ds.list_curves(best).plot(tmp_path / "curves.svg")
    ds.edge_accuracy(post, ds.Dag.from_edges(post.variables, [post.variables[:2]])).plot(tmp_path / "accuracy.svg")
    for name in ("best", "curves", "accuracy"):
        said = (tmp_path / f"{name}.svg").read_text(encoding="utf-8")
        assert all(kind in said for kind in KINDS), name
        assert "&lt;b&gt; of 'x: y' &amp; more" in said
        assert "do something else" not in said


def test_a_graph_drawn_with_the_probabilities_of_a_result_has_its_warnings():
    post = replace(ds.load_result(EARLIER / "posterior.json"), warnings=WARNINGS)
    dag = post.consensus()
    svg = ds.draw(dag, weights=post)
    assert svg_text(ds.draw(dag, weights=post.edges)) in svg_text(svg)
    assert all(brief in svg_text(svg) for brief in BRIEF)
    # The order of the variables does not matter.
    turned = dag.reordered(dag.variables[::-1])
    assert all(edge in ds.draw(turned, weights=post) for edge in ("<title>", "probability"))
    boot = ds.load_result(EARLIER / "bootstrap.json")
    said = svg_text(ds.draw(boot.consensus(), weights=boot))
    assert "share of bootstrap samples" in said
    assert "probability" not in said
    with pytest.raises(ds.InvalidOption, match="weights is a Learned, which has no probabilities of edges"):
        ds.draw(dag, weights=ds.load_result(EARLIER / "learned-network.json"))


@pytest.mark.parametrize("name", ["model.bif", "model.json", "model.bif.gz"])
def test_networks_are_written_with_remarks(name, tmp_path):
    asia = ds.load_network("asia")
    remarks = ["sparse families: <x>", "two\nlines */"]
    ds.write_network(asia, tmp_path / name, remarks=remarks)
    assert ds.read_network(tmp_path / name) == asia
    if name == "model.bif":
        assert (tmp_path / name).read_text(encoding="utf-8").startswith("// sparse families: <x>\n// two")
    if name == "model.json":
        assert json.loads((tmp_path / name).read_text(encoding="utf-8"))["remarks"] == remarks


def sparse_csv(path):
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2, (60, 7))
    function = rng.integers(0, 4, 128)
    rows = np.column_stack([bits, function[bits @ (1 << np.arange(7))]])
    ds.Dataset.from_array(rows, [*"abcdefg", "y"]).to_frame().to_csv(path, index=False)
    return path


FOUND = "joint states, but there are only 60 rows"


@pytest.mark.parametrize(
    "command", [["posterior"], ["bootstrap", "--method", "optimal", "--samples", 3, "--workers", 1]]
)
def test_files_of_the_consensus_have_them(capfd, tmp_path, command):
    table = sparse_csv(tmp_path / "sparse.csv")
    for name in ("c.svg", "c.dot", "c.bif"):
        code, _, err = run(
            capfd, command[0], table, "--settings", "fixed", *command[1:], "--consensus", tmp_path / name
        )
        assert code == 0
        assert FOUND in err
        assert FOUND in " ".join((tmp_path / name).read_text(encoding="utf-8").replace("</text>", " ").split()) or (
            FOUND in svg_text((tmp_path / name).read_text(encoding="utf-8"))
        )


@pytest.mark.parametrize("command", [["best", "-k", 2], ["learn", "--method", "optimal"]])
def test_fitted_networks_have_them(capfd, tmp_path, command):
    table = sparse_csv(tmp_path / "sparse.csv")
    assert (
        run(capfd, command[0], table, "--settings", "fixed", *command[1:], "--network", tmp_path / "model.bif")[0] == 0
    )
    first = (tmp_path / "model.bif").read_text(encoding="utf-8").partition("\n")[0]
    assert first.startswith("// sparse families: ")
    assert FOUND in first


def test_neighbours_keep_suspicious_columns():
    data = ds.Dataset.from_array([[i, i % 2, i // 2 % 2] for i in range(30)], ["id", "x", "z"])
    with pytest.warns(ds.SuspiciousColumns):
        found = ds.mmpc(data)
    assert found.warnings[0].startswith("suspicious columns: 'id' has 30 distinct values in 30 rows")


def test_unresolved_convergence_is_in_every_place(tmp_path):
    data = ds.load_network("asia").sample(100, seed=2)
    with pytest.warns(ds.UnconvergedChains):
        drawn = ds.chain(data, draws=8, chains=2, seed=1)
    assert any(warning.startswith("unconverged chains: ") for warning in drawn.warnings)
    assert "unconverged chains" in svg_text(ds.draw(drawn))
    assert "unconverged chains" in drawn._repr_html_()
    assert any(w.startswith("unconverged chains: ") for w in ds.edge_effects(drawn, data).warnings)
    assert "unconverged chains" in svg_text(ds.draw(drawn.consensus(), weights=drawn))


@pytest.fixture
def people(tmp_path):
    """The file of a table with a measured column, row numbers and notes."""
    rng = np.random.default_rng(7)
    notes = [" ".join(rng.choice([*"abcdefghijk"], 4)) + f" {i}" for i in range(90)]
    frame = pd.DataFrame({"id": range(1, 91), "height": rng.normal(size=90).round(2), "note": notes})
    frame = frame.assign(tall=np.where(frame["height"] > 0.5, "yes", "no"))
    frame.to_csv(tmp_path / "people.csv", index=False)
    return tmp_path / "people.csv"


ASIDE = [
    "'id' is set aside: it looks like an identifier: a different integer in each row, from 1 to 90",
    "'note' is set aside: it looks like free text: 90 different values in 90 rows",
]


@pytest.mark.parametrize("discretize", ["auto", "average", "quantile:3", ["width:2", "mdl"], None])
def test_columns_that_are_set_aside_are_told_whatever_cuts_the_others(people, tmp_path, discretize):
    ways = [ds.Discretizer(method="mdl", class_column="tall") if way == "mdl" else way for way in discretize or []]
    asked = {} if discretize is None else {"discretize": ways if isinstance(discretize, list) else discretize}
    study = ds.sensitivity if discretize is None else ds.posterior
    with pytest.warns(ds.AutomaticReading, match=f"{ASIDE[0]}.*{ASIDE[1]}") as issued:
        found = study(people, **asked, structure_prior="uniform")
    assert len(issued) == 1
    kept = found.warnings[0]
    assert all(sentence in kept for sentence in ASIDE)
    found.save(tmp_path / "found.json")
    assert ds.load_result(tmp_path / "found.json").warnings[0] == kept
    assert "automatic reading" in svg_text(found.draw())


def test_the_command_line_tells_them_once(people, capfd):
    code, out, err = run(capfd, "posterior", people, "--discretize", "average", "--json", "--no-compelled")
    assert code == 0
    assert all(sentence in json.loads(out)["warnings"][0] for sentence in ASIDE)
    assert err.count("'note' looks like free text") == 1


def test_classifiers_tell_what_they_set_aside(people, capfd, tmp_path):
    frame = pd.read_csv(people).assign(noise=np.random.default_rng(0).normal(size=90))
    with pytest.warns(
        ds.AutomaticReading, match="'id' is set aside: it is not cut: .*; 'noise' is set aside"
    ) as issued:
        ds.fit_classifier(frame.drop(columns="note"), "tall", "naive")
    assert len(issued) == 1
    frame["some"] = frame["height"] + 1.5 * frame["noise"]
    with pytest.warns(ds.AutomaticReading, match=r"'some' is set aside in \d of 10 folds: it is not cut"):
        found = ds.classify_rows(frame[["height", "noise", "some", "tall"]], "tall", "naive")
    assert found.warnings[0].startswith("automatic reading: 'noise' is set aside: it is not cut")
    found.save(tmp_path / "found.json")
    assert ds.load_result(tmp_path / "found.json").warnings == found.warnings
    code, out, _ = run(capfd, "classify", people, "--target", "tall", "--method", "naive", "--drop", "note")
    assert (code, "warning: automatic reading: 'id' is set aside" in " ".join(out.split())) == (0, True)
