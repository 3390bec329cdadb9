"""Which columns of a table are used, and how its numbers are cut, on the command line."""

from __future__ import annotations

import json

import pytest

import dagscape as ds
from cli.running import run
from dagscape.data.bundled import SETS

ROWS = [f"{i},{i % 2},{(i // 2) % 3},z,{i % 5}.5" for i in range(30)]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("id,a,b,k,x\n" + "\n".join(ROWS) + "\n")
    return path


def test_constant_columns_are_said_to_be_set_aside(capfd, table):
    for command in ("score", "posterior", "best", "modes", "learn", "plan"):
        code, _, err = run(capfd, command, table, "--drop", "x", "--drop", "id")
        assert code == 0
        assert err.count("'k' has the same value, 'z', in every row: it is set aside") == 1
    code, out, _ = run(capfd, "describe", table, "--drop", "x", "--missing", "error")
    assert "warning: 'k' has the same value, 'z', in every row: it is set aside" in out
    code, out, err = run(capfd, "score", table, "--drop", "x", "--drop", "id", "--keep-constant", "--json")
    assert json.loads(out)["variables"] == ["a", "b", "k"]
    assert "set aside" not in err
    assert run(capfd, "score", table, "--drop", "x", "--quiet")[2] == ""


def test_columns_and_drop(capfd, table):
    code, out, _ = run(capfd, "score", table, "--columns", "b", "--columns", "a", "--columns", "b", "--json", "-q")
    assert (code, json.loads(out)["variables"]) == (0, ["b", "a"])
    # What is not used is not checked.
    assert run(capfd, "score", table)[2].startswith("dagscape: ")
    assert run(capfd, "score", table, "--drop", "x")[0] == 0
    code, out, _ = run(capfd, "describe", table, "--drop", "k", "--drop", "id")
    assert out.startswith("3 variables, 30 rows")
    code, _, err = run(capfd, "describe", table, "--columns", "aa")
    assert (code, err) == (2, f"dagscape: '{table}' has no column 'aa'; did you mean 'a'?\n")
    code, _, err = run(capfd, "score", table, "--columns", "a", "--drop", "a")
    assert err == "dagscape: --drop holds 'a', which is also among the columns to use\n"
    code, _, err = run(capfd, "score", table, "--columns", "k")
    assert (code, err) == (
        3,
        f"dagscape: '{table}' has constant columns only: declare more levels in --levels, or use --keep-constant\n",
    )


def test_a_column_set_aside_cannot_be_required(capfd, table):
    code, _, err = run(capfd, "score", table, "--drop", "x", "--require", "k", "a", "--quiet")
    assert code == 2
    assert (
        err == "dagscape: --require names 'k', which was set aside, because it has the same value, 'z', in every row\n"
    )


def test_identifiers(capfd, table):
    _, _, err = run(capfd, "score", table, "--drop", "x", "--discretize", "none")
    assert "'id' has 30 distinct values in 30 rows: is it an identifier? A value that occurs once determines" in err
    code, out, err = run(capfd, "score", table, "--drop", "x", "--drop-suspicious", "--discretize", "none", "--json")
    assert (code, json.loads(out)["variables"]) == (0, ["a", "b"])
    assert "'id' has 30 distinct values in 30 rows, as identifiers do: it is set aside" in err


def test_a_saved_discretizer_cuts_other_rows(capfd, tmp_path):
    header, *lines = (SETS / "wine.csv").read_text().splitlines()
    train, test, cuts = tmp_path / "train.csv", tmp_path / "test.csv", tmp_path / "cuts.json"
    train.write_text("\n".join([header, *lines[::2]]) + "\n")
    test.write_text("\n".join([header, *lines[1::2]]) + "\n")
    cutting = ("--discretize", "mdl", "--class-column", "class")
    code, _, _ = run(capfd, "describe", train, *cutting, "--save-discretizer", cuts)
    assert code == 0
    fitted = ds.Discretizer.load(cuts)
    assert fitted == ds.discretize(train, method="mdl", class_column="class").discretizer
    code, out, _ = run(capfd, "describe", test, "--discretizer", cuts, "--json")
    assert code == 0
    assert {column["name"]: tuple(column["levels"]) for column in json.loads(out)["columns"]} == fitted.levels
    code, _, err = run(capfd, "score", test, "--discretizer", cuts, *cutting)
    assert (code, err) == (2, "dagscape: --discretizer fixes columns, levels and cuts: remove --discretize\n")
    code, _, err = run(capfd, "score", test, "--save-discretizer", cuts, "--discretize", "none")
    assert (code, err) == (2, "dagscape: --save-discretizer needs --discretize, and not none\n")


def test_documents_given_as_data(capfd, table, tmp_path):
    best, cuts, other = tmp_path / "best.json", tmp_path / "cuts.json", tmp_path / "other.json"
    assert run(capfd, "best", table, "--columns", "a", "--columns", "b", "-o", best)[0] == 0
    code, _, err = run(capfd, "posterior", best)
    assert code == 3
    assert f"'{best}' is a 'k-best' result, not a table of data: open it with dagscape draw, or compare the" in err
    with pytest.raises(
        ds.InvalidData, match=r"is a 'k-best' result, not a table of data: open it with load_result\(\)"
    ):
        ds.read_data(best)
    ds.discretize(table).discretizer.save(cuts)
    assert "is a discretizer, not a table of data: give it as --discretizer" in run(capfd, "score", cuts)[2]
    other.write_text('{"a": [1, 2]}\n')
    assert "looks like JSON, not like a table" in run(capfd, "score", other)[2]


def test_bundled_names_are_suggested(capfd):
    assert run(capfd, "score", "builtin:iriss")[2] == (
        "dagscape: there is no bundled data set 'iriss'; did you mean 'iris'?\n"
    )


def test_one_missing_cell_is_one(capfd, tmp_path):
    path = tmp_path / "gap.csv"
    path.write_text("a,b\n1,2\n?,3\n")
    assert run(capfd, "score", path)[2] == (
        f"dagscape: '{path}' has 1 missing cell, in column 'a' at line 3: use --missing level to make it "
        "a level of its own, or --missing drop to leave out its row\n"
    )


@pytest.mark.slow
def test_identifiers_are_warned_about_once(capfd, tmp_path):
    (tmp_path / "t.csv").write_text("id,a,b\n" + "".join(f"{i},{i % 2},{i % 3}\n" for i in range(40)))
    for command in ("score", "posterior", "best", "modes", "learn", "bootstrap", "sensitivity", "fit"):
        for options, words in (
            (("--discretize", "none"), "has 40 distinct values"),
            (("--discretize", "quantile"), "numbers the rows"),
        ):
            code, _, err = run(capfd, command, tmp_path / "t.csv", *options)
            assert (code, err.count("is it an identifier?"), err.count(words)) == (0, 1, 1), (command, options)
    code, _, err = run(capfd, "score", tmp_path / "t.csv", "--discretize", "quantile", "--drop-suspicious")
    assert (code, err.count("'id' has 40 distinct values in 40 rows, as identifiers do: it is set aside")) == (0, 1)


def test_describe_says_that_constant_columns_are_set_aside(capfd, tmp_path):
    (tmp_path / "t.csv").write_text("k,a,e,m\nx,0,,z\nx,1,,?\n")
    code, out, _ = run(capfd, "describe", tmp_path / "t.csv", "--json")
    assert code == 0
    assert json.loads(out)["warnings"] == [
        "'k' has the same value, 'x', in every row: it is set aside when the table is used",
        "'e' has missing cells only: it is set aside when the table is used",
        "'m' has the same value, 'z', in every row",
    ]


def test_describe_counts_interventions(capfd, tmp_path):
    (tmp_path / "experiments.csv").write_text("a,b,set\n0,1,a\n1,0,\n1,1,1;2\n0,0,0\n")
    code, out, _ = run(capfd, "describe", tmp_path / "experiments.csv", "--interventions", "set")
    assert code == 0
    assert out.splitlines()[1] == "2 rows from experiments: a set in 2, b set in 1"
    assert not any(line.endswith(" ") for line in out.splitlines())
    assert "numbers from 1" in " ".join(run(capfd, "describe", "--help")[1].split())


def test_the_kind_of_interventions(capfd, tmp_path):
    path = tmp_path / "experiments.csv"
    path.write_text("a,b,set\n" + "0,0,\n1,1,\n0,1,b\n1,0,b\n" * 5)
    named = ["--interventions", "set", "--intervention-kind", "mechanism"]
    data = ds.read_data(path, interventions="set")
    expected = ds.local_scores(data, interventions="mechanism").family("b", ["a"])
    code, out, _ = run(capfd, "score", path, *named, "--json")
    found = json.loads(out)
    assert (code, found["score_info"]["interventions"]) == (0, "mechanism")
    assert next(f["score"] for f in found["families"] if f["child"] == "b") == pytest.approx(expected)
    assert "10 of them from experiments that changed mechanisms" in run(capfd, "score", path, *named)[1]
    for command in ("posterior", "learn", "sensitivity", "plan"):
        assert run(capfd, command, path, *named, "--quiet")[0] == 0
    # What needs no scores has the column, and not the kind.
    assert run(capfd, "plan", path, "--task", "mmpc", *named[:2])[0] == 0
    code, _, err = run(capfd, "plan", path, "--task", "mmpc", *named)
    assert (code, "--intervention-kind has no effect with --task mmpc" in err) == (2, True)
    code, _, err = run(capfd, "score", path, "--drop", "set", *named[2:])
    assert (code, err) == (
        2,
        "dagscape: --intervention-kind mechanism needs the column that names the variables set in each row: "
        "--interventions\n",
    )


def test_columns_separated_by_commas(capfd, tmp_path):
    path = tmp_path / "table.csv"
    path.write_text('a,b,c,"a,b"\n0,1,0,1\n1,0,0,0\n1,1,1,0\n')
    for extra in ([], ["--missing", "drop"]):
        shown = run(capfd, "describe", path, *extra, "--columns", "c,b")
        assert shown[0] == 0
        assert [line.split()[0] for line in shown[1].splitlines()[3:5]] == ["c", "b"]
        dropped = run(capfd, "describe", path, *extra, "--drop", "a, c")[1]
        assert [line.split()[0] for line in dropped.splitlines()[3:5]] == ["b", "a,b"]
        assert shown == run(capfd, "describe", path, *extra, "--columns", "c", "--columns", "b")
        # A column of this very name comes first.
        assert run(capfd, "describe", path, *extra, "--columns", "a,b")[1].splitlines()[-1].startswith("a,b ")
        code, _, err = run(capfd, "describe", path, *extra, "--columns", "b,cc")
        assert (code, "has no column of that name, nor 'cc'" in err) == (2, True)


def test_describe_refuses_score_files(capfd, tmp_path):
    (tmp_path / "scores.npz").touch()
    code, _, err = run(capfd, "describe", tmp_path / "scores.npz")
    assert code == 2
    assert "scores.npz' is a score file, not a table of data" in err


@pytest.mark.parametrize("option", ["--levels", "--tiers"])
@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("[" * 100_000, "it is nested too deeply"),
        ('{"a": ' * 100_000, "it is nested too deeply"),
        ('{"a": ' + "9" * 5_000 + "}", "it has a number of too many digits"),
        ('{"a": ', "Expecting value: line 1 column 7 (char 6)"),
        ("\udcff", "it is not UTF-8 text"),
    ],
)
def test_json_files_of_options(capfd, tmp_path, option, content, problem):
    table, file = tmp_path / "t.csv", tmp_path / "option.json"
    table.write_text("a,b\n0,1\n1,0\n")
    file.write_bytes(content.encode(errors="surrogateescape"))
    code, out, err = run(capfd, "score", table, option, file)
    assert (code, out) == (2, "")
    assert err == f"dagscape: {option} {str(file)!r} is not JSON: {problem}\n"


def test_deep_tiers_are_shortened(capfd, tmp_path):
    table, file = tmp_path / "t.csv", tmp_path / "tiers.json"
    table.write_text("a,b\n0,1\n1,0\n")
    file.write_text("[" * 900 + "]" * 900)
    code, _, err = run(capfd, "score", table, "--tiers", file)
    assert (code, err) == (2, "dagscape: --tiers names [[[[[[[...]]]]]]], which is not a variable\n")


@pytest.mark.parametrize(
    "command",
    ["describe", "score", "posterior", "best", "modes", "learn", "bootstrap", "sensitivity", "fit", "plan"],
)
def test_max_memory_limits_the_data_of_every_command(capfd, tmp_path, command):
    table = tmp_path / "t.csv"
    table.write_text("id,x\n" + "".join(f"{i},{i % 2}\n" for i in range(5_000)))
    code, out, err = run(capfd, command, table, "--max-memory", "1MiB")
    assert (code, out) == (4, "")
    assert err.startswith("dagscape: the first ")
    assert err.endswith("distinct values, with --drop id\n")
    code, _, err = run(capfd, "describe", table, "--max-memory", "1MiB", "--drop", "id")
    assert (code, err) == (0, "")


def test_predict_reads_the_variables_of_the_network(capfd, tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("id,Cloudy\n" + "".join(f"{i},{i % 2 == 0}\n" for i in range(5_000)))
    code, _, err = run(capfd, "predict", "builtin:sprinkler", table, "--target", "Rain", "--max-memory", "1MiB", "-q")
    assert (code, err) == (0, "")
    code, _, err = run(capfd, "predict", "builtin:sprinkler", table, "--target", "Rain", "--max-memory", "200KiB", "-q")
    assert (code, err.startswith("dagscape: the first ")) == (4, True)


def test_max_memory_limits_declared_levels(capfd, tmp_path):
    table, file = tmp_path / "t.csv", tmp_path / "levels.json"
    table.write_text("a,b\n0,1\n1,0\n")
    file.write_text('{"a": 20000000}')
    code, _, err = run(capfd, "score", table, "--levels", file, "--max-memory", "1GiB")
    assert (code, err) == (
        4,
        "dagscape: the 20,000,000 declared levels of 'a' need 3.7 GiB; the limit is 1.0 GiB (--max-memory): raise it, "
        "or declare fewer levels\n",
    )
