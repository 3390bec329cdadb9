from __future__ import annotations

import contextlib
import gzip
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.scores.formats import _escape, _unescape

ODD_NAMES = ["M. Work", "100%", "#x", "a%20b", "tab\tname", "ü ∅", "<b>"]


@pytest.fixture(scope="module")
def odd():
    cells = np.random.default_rng(4).integers(0, 2, (30, len(ODD_NAMES)))
    return ds.local_scores(ds.Dataset.from_array(cells, ODD_NAMES), max_parents=2)


@given(st.text())
def test_any_name_survives_escaping(name):
    token = _escape(name)
    assert len(token.split()) == 1
    assert not token.startswith("#")
    assert _unescape(token) == name


@given(st.text(alphabet="%0123456789ABCDEFx", min_size=1))
def test_only_our_own_escapes_are_undone(token):
    assert _unescape(token) == token or _escape(_unescape(token)) == token


@pytest.mark.parametrize("ending", [".jkl", ".jkl.gz", ".npz"])
def test_round_trip(odd, tmp_path, ending):
    path = tmp_path / f"scores{ending}"
    ds.write_scores(odd, path)
    back = ds.read_scores(path)
    assert back.variables == odd.variables
    assert back.complete is True
    assert back.max_parents == 2
    for child in odd.variables:
        assert [f.parents for f in back.families(child)][:5] == [f.parents for f in odd.families(child)][:5]
        for family in odd.families(child):
            assert back.family(child, family.parents) == pytest.approx(family.score, abs=1e-11)


def test_npz_keeps_every_bit(odd, tmp_path):
    path = tmp_path / "scores.npz"
    ds.write_scores(odd, path)
    back = ds.read_scores(path)
    assert isinstance(back, ds.LatticeScores)
    assert np.array_equal(back.tables[0], odd.tables[0])
    assert back.unit == odd.unit
    assert back.score_equivalent
    assert back.provenance.parameters == odd.provenance.parameters


def test_npz_keeps_constraints_and_lists(tmp_path):
    data = ds.load_dataset("tic-tac-toe")
    first, second = data.variables[:2]
    scores = ds.local_scores(data, score="k2", max_parents=1, forbidden=[(first, second)])
    ds.write_scores(scores, tmp_path / "k2.npz")
    assert ds.read_scores(tmp_path / "k2.npz").family(second, [first]) == -math.inf

    listed = ds.FamilyTable({"a": {(): -1.5, ("b",): -0.25}, "b": {(): -2.0}}, complete=False)
    ds.write_scores(listed, tmp_path / "list.npz")
    back = ds.read_scores(tmp_path / "list.npz")
    assert back.complete is False
    assert back.family("a", ["b"]) == -0.25
    assert back.family("b", ["a"]) == -math.inf


def test_npz_keeps_families_listed_as_impossible(tmp_path):
    listed = ds.FamilyTable({"a": {(): -1.0, ("b",): -math.inf}, "b": {(): -1.0}})
    ds.write_scores(listed, tmp_path / "list.npz")
    back = ds.read_scores(tmp_path / "list.npz")
    assert (back.complete, back.max_parents, back.family_count) == (listed.complete, 1, 3) == (None, 1, 3)


def test_pruned_files_are_incomplete(shared_data):
    scores = ds.read_scores(shared_data / "scores/wine.BIC.3.jkl")
    assert scores.complete is False
    assert scores.family_count == 592
    assert ds.read_scores(shared_data / "scores/asia_10000.palim3.jkl").complete is True


def test_comments_before_the_first_number(tmp_path):
    (tmp_path / "c.jkl").write_text("# made by hand\n\n1\na 1\n-3.5 0\n")
    assert ds.read_scores(tmp_path / "c.jkl").family("a") == -3.5


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "ends after line 0, where the number of variables is expected"),
        ("two\n", "line 1: the number of variables is expected here, not 'two'"),
        ("0\n", "must be at least 1"),
        ("2\na 1\n-1 0\n", "ends after line 3, where a variable"),
        ("1\na 2\n-1 0\n", "ends after line 3, where a family of 'a' is expected"),
        ("1\na\n-1 0\n", "line 2: a variable and the number of its families"),
        ("1\na x\n-1 0\n", "the number of families is expected here"),
        ("1\na 0\n", "'a' has no families"),
        ("1\na 1\nabc 0\n", "line 3: the score 'abc'"),
        ("1\na 1\nnan 0\n", "the score 'nan'"),
        ("1\na 1\n-1\n", "the number of parents is expected here"),
        ("1\na 1\n-1 1\n", "expected 1 parent, found 0"),
        ("1\na 1\n-1 1 b\n", "'b', which is not a variable"),
        ("1\na 1\n-1 1 a\n", "or the child itself"),
        ("2\na 1\n-1 0\na 1\n-1 0\n", "'a' is listed twice"),
        ("1\na 2\n-1 0\n-2 0\n", "with these parents is listed twice"),
        ("1\na 1\n-1 0\nmore\n", "line 4: unexpected line after the last family"),
        ("1\na 1\n-inf 0\n", "no possible family"),
        ("1\na 99999999999999999999\n", "the number of families is expected here"),
    ],
)
def test_broken_score_files(tmp_path, content, message):
    path = tmp_path / "broken.jkl"
    path.write_text(content)
    with pytest.raises(ds.InvalidData, match=message):
        ds.read_scores(path)


def test_broken_containers(odd, tmp_path):
    path = tmp_path / "scores.npz"
    ds.write_scores(odd, path)
    whole = path.read_bytes()
    for keep in (4, 100, len(whole) // 2, len(whole) - 10):
        path.write_bytes(whole[:keep])
        with pytest.raises(ds.InvalidData):
            ds.read_scores(path)
    packed = tmp_path / "scores.jkl.gz"
    ds.write_scores(odd, packed)
    packed.write_bytes(packed.read_bytes()[:-20])
    with pytest.raises(ds.InvalidData):
        ds.read_scores(packed)
    (tmp_path / "latin.jkl").write_bytes(b"1\n\xff\xfe 1\n-1 0\n")
    with pytest.raises(ds.InvalidData, match="not UTF-8"):
        ds.read_scores(tmp_path / "latin.jkl")


@given(noise=st.binary(max_size=60), at=st.integers(0, 500))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_garbled_files_raise_no_other_errors(tmp_path, noise, at):
    lines = b"2\na 2\n-1.5 0\n-1 1 b\nb 1\n-2 0\n"
    path = tmp_path / "garbled.jkl"
    path.write_bytes(lines[:at] + noise + lines[at:])
    with contextlib.suppress(ds.DagscapeError):
        ds.read_scores(path)


def test_unknown_ending_and_missing_folder(odd, tmp_path):
    with pytest.raises(ds.InvalidOption, match=r"end it in \.jkl"):
        ds.write_scores(odd, tmp_path / "scores.txt")
    with pytest.raises(ds.InvalidOption, match="there is no folder"):
        ds.write_scores(odd, tmp_path / "nowhere" / "scores.jkl")
    with pytest.raises(ds.InvalidOption, match="cannot read"):
        ds.read_scores(tmp_path / "absent.jkl")


def test_a_failed_write_leaves_the_old_file(odd, tmp_path):
    path = tmp_path / "scores.jkl"
    path.write_text("old")

    def fail(progress):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ds.write_scores(odd, path, progress=fail)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["scores.jkl"]


def test_files_are_the_same_each_time(odd, tmp_path):
    for name in ("a.jkl.gz", "b.jkl.gz"):
        ds.write_scores(odd, tmp_path / name)
    assert (tmp_path / "a.jkl.gz").read_bytes() == (tmp_path / "b.jkl.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.jkl.gz").read_bytes()).startswith(b"7\nM.%20Work 22\n")
