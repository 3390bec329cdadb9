from __future__ import annotations

import json

import dagscape as ds
from cli.running import run


def test_samples_of_a_table(capfd, tmp_path):
    common = (
        "sample-dags",
        "builtin:tic-tac-toe",
        "--settings",
        "fixed",
        "--max-parents",
        2,
        "--samples",
        50,
        "--seed",
        3,
    )
    code, out, err = run(capfd, *common, "-o", tmp_path / "drawn.json", "--draw", tmp_path / "drawn.svg")
    assert (code, err) == (0, "")
    assert "Samples over dags: 50 independent networks, best score" in out
    assert "below 0.05 not shown" in out
    saved = ds.load_result(tmp_path / "drawn.json")
    direct = ds.sample_dags(ds.local_scores(ds.load_dataset("tic-tac-toe"), max_parents=2), 50, seed=3)
    assert saved == direct
    assert (tmp_path / "drawn.svg").read_text(encoding="utf-8").startswith("<svg")


def test_samples_over_orders_as_json(capfd):
    code, out, _ = run(
        capfd, "sample-dags", "builtin:tic-tac-toe", "--max-parents", 2, "--over", "orders", "--samples", 20, "--json"
    )
    assert code == 0
    document = json.loads(out)
    assert (document["kind"], document["over"], document["method"]) == ("sampled-networks", "orders", "exact")
    assert len(document["scores"]) == 20


def test_wrong_numbers_and_too_little_memory(capfd):
    code, _, err = run(capfd, "sample-dags", "builtin:tic-tac-toe", "--samples", 0)
    assert code == 2
    assert "--samples" in err
    code, _, err = run(capfd, "sample-dags", "builtin:tic-tac-toe", "--settings", "fixed", "--max-memory", "1KiB")
    assert code == 4
    assert "samples of networks of 10 variables need" in err
