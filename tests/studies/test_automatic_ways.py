"""Posteriors of tables of which nobody says how numbers are cut: averages over ways, where these take no time."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from cli.running import run
from dagscape.core.resources import Budget
from dagscape.data.discrete.automatic_cuts import read_cuts
from dagscape.data.discrete.common_cuts import AVERAGED_CUTS
from dagscape.posterior.evidence import averaged_grids
from dagscape.report.tables import render
from dagscape.results.base import source_of
from dagscape.studies import automatic_ways
from dagscape.studies.automatic_ways import affordable_ways, seconds_of_average

TOLD = r"'x', 'y' are measured, and cut in 4 ways \(2, 3, 4 and 5 quantiles\)"
ONE_WAY = (
    "numbers are cut in one way (3 intervals by frequency): a posterior with 'discretize average' averages over "
    "several, and 'sensitivity' compares them"
)


def measured(columns=2, m=120):
    rng = np.random.default_rng(3)
    found = {"x": rng.normal(size=m).round(2)}
    found["y"] = (found["x"] + rng.normal(size=m)).round(2)
    found |= {f"x{i}": rng.normal(size=m).round(2) for i in range(2, columns)}
    return pd.DataFrame(found | {"c": np.where(rng.random(m) < 0.5, "u", "v")})


@pytest.fixture
def path(tmp_path):
    measured().to_csv(tmp_path / "table.csv", index=False)
    return tmp_path / "table.csv"


@pytest.mark.slow
@pytest.mark.parametrize("options", [{}, {"over": "orders"}, {"ess": 2.0, "score": "bdeu"}, {"score": "bic"}])
def test_by_default_posteriors_average_over_ways(path, options):
    for data in (measured(), path):
        with pytest.warns(ds.AutomaticReading, match=TOLD) as issued:
            found = ds.posterior(data, **options)
        assert len(issued) == 1
        expected = ds.posterior(data, discretize="average", **options)
        assert np.array_equal(found.edges, expected.edges)
        assert found.score_info == expected.score_info
        assert {setting.discretize for setting in found.settings} == {*AVERAGED_CUTS}
        assert source_of(found).lines() == ["cut in 4 ways (2, 3, 4 and 5 quantiles): x, y"]
        assert found.remarks == ()


def shown_of(result):
    """Everything that a user may see of a result: its table, its page in a notebook and its picture."""
    texts = ElementTree.fromstring(result.draw()).iter("{http://www.w3.org/2000/svg}text")
    picture = " ".join("".join(text.itertext()) for text in texts)
    return [str(render(result)), result._repr_html_().replace("&#x27;", "'"), picture]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::dagscape.AutomaticReading", "ignore::dagscape.UnconvergedChains")
def test_what_is_cut_in_one_way_says_so(path, tmp_path):
    results = [
        ds.posterior(path, settings="best"),
        ds.posterior(path, discretize="auto"),
        ds.posterior(path, method="chain", draws=20, chains=2),
        ds.posterior(path, ess=1, structure_prior="uniform", prior=True),
        ds.posterior(path, max_seconds=1e-9, draws=20, chains=2),
        ds.k_best(path, k=2),
        ds.modes(path, k=2),
        ds.learn(path, "greedy"),
        ds.bootstrap(path, "greedy", samples=2),
    ]
    for result in results:
        assert result.remarks == (ONE_WAY,), result
        assert all(ONE_WAY in shown for shown in shown_of(result))
        result.save(tmp_path / "found.json")
        assert ds.load_result(tmp_path / "found.json").remarks == (ONE_WAY,)
    for result in (ds.posterior(path, discretize="quantile:3"), ds.posterior(ds.discretize(path)), ds.posterior(path)):
        assert result.remarks == ()


def test_an_average_that_takes_long_is_not_made_without_being_asked_for(path, monkeypatch):
    monkeypatch.setattr(automatic_ways, "AFFORDABLE_SECONDS", 1e-6)
    with pytest.warns(ds.AutomaticReading, match="'x' is measured, and cut at "):
        found = ds.posterior(path)
    assert found.remarks == (ONE_WAY,)
    with pytest.warns(ds.AutomaticReading):
        expected = ds.posterior(path, discretize="auto")
    assert np.array_equal(found.edges, expected.edges)


@pytest.mark.slow
def test_the_time_depends_on_the_table_alone(path, monkeypatch):
    cuts, budget = read_cuts(path), Budget.of(1, None)
    grids = averaged_grids(cuts.in_ways(), {})
    # 64 settings: half a sum for each, and three for each way.
    sums = (32 + 12) * 3**3 / 1e8
    assert sums < seconds_of_average(grids, "dags") == seconds_of_average(grids, "dags") < sums + 0.01
    assert affordable_ways(cuts, {}, "dags", budget).ways == [*AVERAGED_CUTS]
    assert affordable_ways(cuts, {}, "dags", Budget.of(1, "1kB")) is None
    assert affordable_ways(cuts, {}, "dags", budget, max_seconds=1e-9) is None
    for n, over, expected in [(14, "dags", True), (18, "dags", False), (17, "orders", True), (60, "orders", False)]:
        frame = measured(n - 1, 40)
        assert (affordable_ways(read_cuts(frame), {"max_parents": 2}, over, budget) is not None) is expected
    assert affordable_ways(read_cuts(measured(15)), {}, "dags", budget, with_paths=True) is None


def test_tables_without_measured_columns_are_as_they_are():
    frame = pd.DataFrame({"a": list("uvuvuvvv"), "b": [0, 1, 0, 1, 1, 1, 0, 0]})
    found, expected = ds.posterior(frame), ds.posterior(ds.Dataset.from_frame(frame))
    assert np.array_equal(found.edges, expected.edges)
    assert found.score_info == expected.score_info


@pytest.mark.slow
def test_the_command_line_averages_alike(path, capfd, tmp_path):
    code, out, err = run(capfd, "posterior", path, "--json", "--no-compelled")
    found = json.loads(out)
    with pytest.warns(ds.AutomaticReading):
        expected = ds.posterior(path)
    assert (code, found["edges"]) == (0, expected.edges.tolist())
    assert len(found["score_info"]["source"]["cuttings"]) == 4
    said = "dagscape: 'x', 'y' are measured, and cut in 4 ways (2, 3, 4 and 5 quantiles) (--nominal, --numeric"
    assert err.count(said) == 1
    # Networks and effects are those of the default way.
    files = ["--consensus", tmp_path / "c.bif", "--effects-file", tmp_path / "effects.csv"]
    code, _, err = run(capfd, "posterior", path, "--cuts", "x=0,1", *files)
    assert code == 0, err
    assert ds.read_network(tmp_path / "c.bif").levels["x"] == ("(-inf,0]", "(0,1]", "(1,inf)")
    assert (tmp_path / "effects.csv").read_text().count("\n") == 2
    assert "'y' is measured, and cut in 4 ways" in err
    for one in (["--settings", "best"], ["--save-discretizer", tmp_path / "cuts.json"], ["--discretize", "auto"]):
        code, out, _ = run(capfd, "posterior", path, *one)
        assert (code, ONE_WAY in " ".join(out.split())) == (0, True)
