from __future__ import annotations

import contextlib
import gzip
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.scores.arithmetic.fixed_point import Unit
from dagscape.scores.formats.jkl import _escape, _unescape
from dagscape.scores.tables.family_table import FamilyTable

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


def exact_families(scores):
    """Return the integer score of every possible family, by child and parents."""
    return {
        (child, family.parents): units
        for child in scores.variables
        for listed in [scores.families(child)]
        for family, units in zip(listed, listed.exact.tolist(), strict=True)
    }


def assert_the_same_integers(scores, folder, ending):
    ds.write_scores(scores, folder / f"again{ending}")
    back = ds.read_scores(folder / f"again{ending}")
    assert back.variables == scores.variables
    assert back.unit == scores.unit
    assert exact_families(back) == exact_families(scores)
    return back


ENDINGS = (".jkl", ".jkl.gz", ".npz")


@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize(
    "options",
    [
        {"score": "bdeu", "ess": 0.1},
        {"score": "k2"},
        {"score": "bic", "structure_prior": "per-size"},
        {"score": "aic", "structure_prior": "edge-penalty:0.3"},
        {"score": "mdl", "forbidden": [("asia", "dysp")], "required": [("smoke", "lung")]},
        {"score": "loglik", "tiers": [["asia", "smoke"], ["tub", "lung"]]},
    ],
    ids=lambda options: options["score"],
)
def test_files_keep_every_integer(tmp_path, ending, options):
    data = ds.load_network("asia").sample(300, seed=3)
    scores = ds.local_scores(data, max_parents=3, **options)
    back = assert_the_same_integers(scores, tmp_path, ending)
    if ending == ".npz":
        assert (back.rounding, back.complete, back.info) == (scores.rounding, scores.complete, scores.info)


MAGNITUDES = st.floats(-12, 11).map(lambda power: 10**power)


@st.composite
def family_tables(draw):
    """Draw a table of up to four variables, with scores of very different sizes."""
    names = ["a", "b", "c", "d"][: draw(st.integers(1, 4))]
    largest = draw(MAGNITUDES)
    score = st.floats(-largest, largest) | MAGNITUDES.map(lambda size: -min(size, largest)) | st.just(-math.inf)
    families = {}
    for child in names:
        others = [name for name in names if name != child]
        sets = draw(st.sets(st.frozensets(st.sampled_from(others))) if others else st.just(set()))
        families[child] = {(): draw(st.floats(-largest, largest))} | {s: draw(score) for s in sets if s}
    return ds.FamilyTable(families)


@pytest.mark.slow
@given(table=family_tables(), ending=st.sampled_from(ENDINGS))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_listed_scores_keep_every_integer(tmp_path, table, ending):
    back = assert_the_same_integers(table, tmp_path, ending)
    if ending == ".npz":
        assert (back.rounding, back.complete, back.family_count) == (table.rounding, table.complete, table.family_count)
    else:
        assert back.rounding == 0.0


@given(bits=st.integers(20, 48), n=st.integers(1, 6), units=st.lists(st.integers(-(2**57), 2**57), min_size=1))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_unit_survives(tmp_path, bits, n, units):
    limit = 2 ** (min(57, 59 - n.bit_length()))
    names = [f"v{i}" for i in range(max(n, len(units)))]
    exact = [{(): units[i % len(units)] % limit * (-1) ** i} for i in range(n)]
    table = FamilyTable.from_exact(names[:n], exact, Unit(bits))
    for ending in ENDINGS:
        assert_the_same_integers(table, tmp_path, ending)


def test_a_coarse_unit_is_evident_from_trailing_zeros(tmp_path):
    table = FamilyTable.from_exact(["a"], [{(): -3 << 10}], Unit(30))
    ds.write_scores(table, tmp_path / "a.jkl")
    assert (tmp_path / "a.jkl").read_text() == f"1\na 1\n{-3 / 2**20:.30f} 0\n"
    assert ds.read_scores(tmp_path / "a.jkl").unit == Unit(30)


def test_other_readers_see_the_nearest_float(tmp_path):
    scores = ds.local_scores(ds.load_network("asia").sample(200, seed=2), max_parents=2)
    ds.write_scores(scores, tmp_path / "asia.jkl")
    lines = iter((tmp_path / "asia.jkl").read_text().splitlines())
    assert int(next(lines)) == 8
    for name in scores.variables:
        child, count = next(lines).split()
        assert child == name
        for family in scores.families(name)[: int(count)]:
            score, size, *parents = next(lines).split()
            assert (float(score), int(size), tuple(parents)) == (family.score, len(parents), family.parents)
    assert not list(lines)


@pytest.mark.parametrize("ending", ENDINGS)
def test_ties_survive_a_file(tmp_path, ending):
    asia = ds.load_network("asia")
    tied = ds.local_scores(asia.sample(80, seed=5))
    ds.write_scores(tied, tmp_path / f"tied{ending}")
    again = ds.read_scores(tmp_path / f"tied{ending}")
    assert ds.optimal_network(again, ties=True).tied_dags == ds.optimal_network(tied, ties=True).tied_dags == 10
    flat = ds.local_scores(asia.sample(100, seed=1))
    ds.write_scores(flat, tmp_path / f"flat{ending}")
    again = ds.read_scores(tmp_path / f"flat{ending}")
    assert len(ds.modes(again, k=40, delta=3)) == len(ds.modes(flat, k=40, delta=3)) == 1


def test_decimals_of_other_programs_are_rounded_once(tmp_path):
    (tmp_path / "a.jkl").write_text("2\na 2\n-414.9766 1 b\n-1.5 0\nb 1\n-3.25 0\n")
    back = ds.read_scores(tmp_path / "a.jkl")
    table = ds.FamilyTable({"a": {("b",): -414.9766, (): -1.5}, "b": {(): -3.25}})
    assert exact_families(back) == exact_families(table)
    assert (back.unit, back.rounding) == (table.unit, table.rounding)


def test_pruned_files_are_incomplete(shared_data):
    scores = ds.read_scores(shared_data / "scores/wine.BIC.3.jkl")
    assert scores.complete is False
    assert scores.family_count == 592
    assert ds.read_scores(shared_data / "scores/asia_10000.palim3.jkl").complete is True


def test_comments_before_the_first_number(tmp_path):
    (tmp_path / "c.jkl").write_text("# made by hand\n\n1\na 1\n-3.5 0\n")
    assert ds.read_scores(tmp_path / "c.jkl").family("a") == -3.5


def test_comments_anywhere(tmp_path):
    text = "# one\n#two\n2\n\n# three\nb 1\n-3.5 1 a\n  # four\na 2\n-1 0\n#five\n# 6 7\n-2 1 b\n#end\n"
    (tmp_path / "c.jkl").write_text(text)
    back = ds.read_scores(tmp_path / "c.jkl")
    assert back.variables == ("b", "a")
    assert exact_families(back) == {
        ("b", ("a",)): back.unit.to_int(-3.5),
        ("a", ()): back.unit.to_int(-1.0),
        ("a", ("b",)): back.unit.to_int(-2.0),
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["alarm", "diabetes", "hepar2", "munin", "pathfinder", "pigs"])
def test_files_of_another_program_load(shared_data, name):
    path = shared_data / f"scores/bnslim/{name}-5000.jkl.gz"
    # A parser that knows nothing but the order of the lines.
    lines = [line for line in gzip.decompress(path.read_bytes()).decode().splitlines() if not line.startswith("#")]
    counts, scores, at = {}, {}, 1
    while at < len(lines):
        child, count = lines[at].split()
        counts[child] = int(count)
        scores[child] = float(lines[at + 1].split()[0])
        at += 1 + int(count)
    table = ds.read_scores(path)
    assert table.variables == tuple(counts)
    assert len(counts) == int(lines[0])
    assert {child: len(table.families(child)) for child in counts} == counts
    assert [table.families(child, top=1).scores[0] for child in counts] == pytest.approx(
        list(scores.values()), abs=1e-9
    )


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


def test_a_file_of_many_variables_and_a_long_family(tmp_path):
    # Once, this took over a minute: the number of all families of up to 10,000 parents was computed.
    n, parents = 20_000, 10_000
    lines = [str(n), "v0 1", " ".join(["-1", str(parents), *(f"v{1 + i}" for i in range(parents))])]
    for child in range(1, n):
        lines += [f"v{child} 1", "-1 0"]
    (tmp_path / "wide.jkl").write_text("\n".join(lines))
    scores = ds.read_scores(tmp_path / "wide.jkl")
    assert (scores.n, scores.family_count, scores.max_parents) == (n, n, parents)
    assert (scores.complete, scores.unconstrained) == (False, False)
    with pytest.raises(ds.TooLarge, match="20,000 variables"):
        ds.optimal_network(scores)
    with pytest.raises(ds.InvalidOption, match="up to 63 variables"):
        ds.modes(scores)


@pytest.mark.parametrize(
    ("text", "limit", "message"),
    [
        ("1\n" + "#" * 10**6, "1MiB", "line 2: it has more than 16,384 characters"),
        ("1\na 1\n-1 " + "b " * 10**6, "8MiB", "line 3: it has more than 131,072 characters"),
        ("1\na 1\n" + "9" * 10**5 + " 0\n", "100MiB", "line 3: the score '9{40}' of a family of 'a' is not a number"),
    ],
)
def test_long_lines_and_numbers_are_refused(tmp_path, text, limit, message):
    (tmp_path / "long.jkl.gz").write_bytes(gzip.compress(text.encode()))
    with pytest.raises(ds.InvalidData, match=message):
        ds.read_scores(tmp_path / "long.jkl.gz", max_memory=limit)


def test_a_file_of_more_families_than_fit_is_refused_while_it_is_read(tmp_path):
    n = 5_000
    lines = [str(n), "v0 4999", *(f"-1 1 v{parent}" for parent in range(1, n))]
    with gzip.open(tmp_path / "many.jkl.gz", "wt") as stream:
        # The file ends too early, which is not noticed.
        stream.write("\n".join(lines))
    with pytest.raises(ds.TooLarge, match=r"the scores in '.*many.jkl.gz', up to line 2299, need 1.0 MiB; the limit"):
        ds.read_scores(tmp_path / "many.jkl.gz", max_memory="1MiB")
    with pytest.raises(ds.InvalidData, match="ends after line 5001"):
        ds.read_scores(tmp_path / "many.jkl.gz")


def test_empty_lines_count_too(tmp_path):
    (tmp_path / "empty.jkl.gz").write_bytes(gzip.compress(b"1\n" + b"\n" * 10**6 + b"a 1\n-1 0\n"))
    assert ds.read_scores(tmp_path / "empty.jkl.gz", max_memory="1GiB").variables == ("a",)
    with pytest.raises(ds.TooLarge, match=r"up to line \d+, need 10.0 MiB; the limit is 10.0 MiB"):
        ds.read_scores(tmp_path / "empty.jkl.gz", max_memory="10MiB")
