from __future__ import annotations

import json

import pytest

import dagscape as ds
from cli.running import run


@pytest.fixture
def lists(tmp_path):
    scores = ds.local_scores(ds.load_network("asia").sample(200, seed=1))
    ds.k_best(scores, 4, space="dags").save(tmp_path / "best.json")
    ds.modes(scores, 3, delta=2).save(tmp_path / "modes.npz")
    return tmp_path / "best.json", tmp_path / "modes.npz"


def test_curves_of_several_lists(capfd, lists, tmp_path):
    code, out, err = run(capfd, "curves", *lists, "--truth", "builtin:asia", "--json", "-o", tmp_path / "c.json")
    assert (code, err) == (0, "")
    named = dict(zip(("best", "modes"), map(ds.load_result, lists), strict=True))
    expected = ds.list_curves(named, ds.load_network("asia"))
    assert json.loads(out)["curves"][1]["distance"] == list(expected["modes"].distance)
    assert ds.load_result(tmp_path / "c.json") == expected
    code, out, _ = run(capfd, "curves", lists[0])
    assert code == 0
    assert "least to truth" not in out
    assert out.count("best") == 4


def test_files_with_the_same_name_are_told_apart(capfd, lists):
    code, out, _ = run(capfd, "curves", lists[0], lists[0], "--json")
    assert code == 0
    assert [curve["name"] for curve in json.loads(out)["curves"]] == [f"{lists[0]} (1)", f"{lists[0]} (2)"]


def test_what_is_no_list_is_refused(capfd, lists, tmp_path):
    code, _, err = run(capfd, "curves", "builtin:asia")
    assert code == 2
    assert "is a network, not a list of networks" in err
    assert run(capfd, "curves")[0] == 2
    assert run(capfd, "curves", lists[0], "--truth", "builtin:cancer")[0] == 2
