"""Which test of independence is used if the user names none: that of what the columns hold."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from cli.running import run


def measured(rows: int = 200) -> pd.DataFrame:
    rng = np.random.default_rng(1)
    a, b, c = rng.normal(size=(3, rows))
    # A curve that cuts into three intervals would show, and Fisher's z does not.
    return pd.DataFrame({"a": a, "b": a + 0.3 * b, "c": c})


def mixed() -> pd.DataFrame:
    frame = measured()
    return frame.assign(group=np.where(frame["a"] > 0, "high", "low"))


@pytest.mark.parametrize("as_file", [False, True])
def test_numbers_have_fishers_z_and_mixed_tables_a_likelihood_ratio(as_file, tmp_path):
    for frame, test, choice in (
        (measured(), "fisher-z", "all variables are measured"),
        (mixed(), "mi-cg", "3 of 4 variables are measured, and the others are discrete"),
        (mixed()[["group"]].assign(other=list("uvwx") * 50), "g2", None),
    ):
        frame.to_csv(tmp_path / "t.csv", index=False)
        found = ds.mmpc(tmp_path / "t.csv" if as_file else frame)
        assert (found.test, found.provenance.parameters.get("because")) == (test, choice)
        given = ds.mmpc(frame, test=test)
        assert "because" not in given.provenance.parameters
        assert found == given


def test_data_that_are_made_have_the_test_of_their_kind():
    assert ds.mmpc(ds.NumericData.from_frame(measured())).test == "fisher-z"
    assert ds.mmpc(ds.MixedData.from_frame(measured())).test == "fisher-z"
    assert ds.mmpc(ds.discretize(measured())).test == "g2"


def test_the_choice_is_shown_and_kept(capfd, tmp_path):
    measured().to_csv(tmp_path / "t.csv", index=False)
    code, out, _ = run(capfd, "mmpc", tmp_path / "t.csv", "-o", tmp_path / "found.json")
    assert code == 0
    assert "by 6 Fisher's z tests of independence" in " ".join(out.split())
    assert "Fisher's z tests, because all variables are measured (--test)" in out
    assert ds.load_result(tmp_path / "found.json").provenance.parameters["because"] == "all variables are measured"


@pytest.mark.parametrize("options", [["--discretize", "quantile:3"], ["--cuts", "a=0"], ["--test", "g2"]])
def test_cuts_that_are_given_are_made(capfd, tmp_path, options):
    measured().to_csv(tmp_path / "t.csv", index=False)
    code, out, _ = run(capfd, "mmpc", tmp_path / "t.csv", *options, "--json")
    assert code == 0
    assert '"test": "g2"' in out
    assert "because" not in out


def test_plans_read_the_same_data(capfd, tmp_path):
    measured().to_csv(tmp_path / "t.csv", index=False)
    notes = [
        run(capfd, "plan", tmp_path / "t.csv", "--task", "mmpc", *options)[2]
        for options in ([], ["--discretize", "auto"])
    ]
    assert notes[0] == ""
    assert "'a' is measured, and cut at" in notes[1]
