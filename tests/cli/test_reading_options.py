"""How tables are read, on the command line."""

from __future__ import annotations

import json
import sys

import pandas as pd
import pytest

import dagscape as ds
from cli.running import run

ADMISSIONS = "Admit,Gender,Dept,Freq\n" + "".join(
    f"{admit},{gender},{dept},{count}\n"
    for admit, gender, dept, count in [
        ("yes", "m", "A", 512), ("no", "m", "A", 313), ("yes", "f", "A", 89), ("no", "f", "A", 19),
        ("yes", "m", "B", 353), ("no", "m", "B", 207), ("yes", "f", "B", 17), ("no", "f", "B", 8),
    ]
)  # fmt: skip


@pytest.fixture
def write(tmp_path):
    def write(content, name="t.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


def test_weights_for_every_command_with_a_table(capfd, write, tmp_path):
    path = write(ADMISSIONS)
    long = write(
        "Admit,Gender,Dept\n"
        + "".join(
            (line.rpartition(",")[0] + "\n") * int(line.rpartition(",")[2]) for line in ADMISSIONS.splitlines()[1:]
        ),
        "long.csv",
    )
    for command in ("posterior", "learn", "best", "modes", "bootstrap", "sensitivity", "score", "mmpc", "sample-dags"):
        more = ("--samples", "5") if command in ("bootstrap", "sample-dags") else ()
        code, out, err = run(capfd, command, path, "--weights", "Freq", "--json", "-q", *more)
        assert code == 0, (command, err)
        code, expected, _ = run(capfd, command, long, "--json", "-q", *more)
        found, expected = json.loads(out), json.loads(expected)
        for name in ("edges", "score", "scores", "networks", "adjacencies"):
            assert found.get(name) == expected.get(name)
        info = found.get("score_info")
        assert info is None or info["weighted_by"] == "Freq"
    assert run(capfd, "plan", path, "--weights", "Freq", "-q")[0] == 0
    document = json.loads(run(capfd, "mmpc", path, "--weights", "Freq", "--json", "-q")[1])
    assert document["provenance"]["parameters"]["weighted_by"] == "Freq"


def test_describe_says_that_rows_are_counted(capfd, write):
    code, out, _ = run(capfd, "describe", write(ADMISSIONS), "--weights", "Freq")
    assert code == 0
    assert out.startswith("3 variables, 1,518 rows (8 distinct), 0 missing cells\n")
    assert "each row counts as often as its cell in 'Freq' says" in out or "its cell in Freq says" in out
    code, out, _ = run(capfd, "describe", write(ADMISSIONS), "--weights", "Freq", "--json")
    assert json.loads(out)["weighted_by"] == "Freq"


def test_counts_that_are_not_declared_are_noticed(capfd, write):
    _, out, _ = run(capfd, "describe", write(ADMISSIONS))
    assert "warning: 'Freq' looks like counts: if it says how many times each row counts, use --weights Freq (in" in out
    assert "'Freq' looks like counts" in run(capfd, "posterior", write(ADMISSIONS))[2]
    for other in ("Freq,a\n1,x\n2,x\n", "Frequent,a\n1,x\n2,y\n", "n,a\nu,x\nv,y\n", "n\n1\n2\n", "n,a\n1,x\n"):
        assert "looks like counts" not in run(capfd, "describe", write(other))[1]
    assert ds.Dataset.from_array([[1, "x"], [2, "y"]], ["n", "a"]).describe().warnings == (
        "'n' looks like counts: if it says how many times each row counts, use --weights n (in Python weights='n')",
    )


def test_classify_and_predict_count_rows(capfd, write, tmp_path):
    path, model = write(ADMISSIONS), tmp_path / "model.json"
    code, out, _ = run(
        capfd, "classify", path, "--target", "Admit", "--method", "naive", "--weights", "Freq", "--json", "-q"
    )
    assert (code, json.loads(out)["rows"]) == (0, 1518)
    test = ("--test", path, "--weights", "Freq")
    code, out, _ = run(capfd, "classify", path, "--target", "Admit", "--method", "naive", *test, "--json", "-q")
    assert (code, json.loads(out)["rows"]) == (0, 1518)
    assert run(capfd, "learn", path, "--weights", "Freq", "-o", tmp_path / "learned.json", "-q")[0] == 0
    assert (
        run(capfd, "fit", path, "--network", tmp_path / "learned.json", "--weights", "Freq", "-o", model, "-q")[0] == 0
    )
    code, out, err = run(capfd, "predict", model, path, "--target", "Admit", "--weights", "Freq")
    assert (code, len(out.splitlines())) == (0, 9)
    assert "in 1,518 rows" in err
    code, out, _ = run(capfd, "predict", model, path, "--target", "Admit", "--weights", "Freq", "--json")
    document = json.loads(out)
    truth = [line.split(",") for line in ADMISSIONS.splitlines()[1:]]
    right = sum(int(row[3]) for row, level in zip(truth, document["predicted"], strict=True) if row[0] == level)
    assert document["accuracy"] == pytest.approx(right / 1518)
    code, _, err = run(capfd, "predict", model, path, "--target", "Admit", "--weights", "freq")
    assert (code, "--weights is 'freq', which is not a column" in err) == (2, True)


def test_weights_that_are_no_counts(capfd, write):
    path = write("a,b,w\nx,u,0.8\ny,v,1.2\n")
    code, _, err = run(capfd, "posterior", path, "--weights", "w")
    assert code == 3
    assert err == (
        f"dagscape: '{path}' has the weight '0.8' in column 'w' at line 2, which is not a count: survey weights say "
        "how many people a row stands for, not how many rows were observed, and a weighted likelihood is not that of "
        "any number of rows: leave the column out with --drop w, and the answer is about the sample\n"
    )


def test_duplicate_names(capfd, write):
    path = write("a,b,a\n1,x,2\n2,y,1\n1,y,2\n")
    code, _, err = run(capfd, "score", path)
    assert code == 3
    assert err == (
        f"dagscape: '{path}' has more than one column called 'a': names must differ; tell the columns apart with "
        "--duplicate-names rename, or leave all of them out with --drop a\n"
    )
    code, out, _ = run(capfd, "score", path, "--duplicate-names", "rename", "--json", "-q")
    assert (code, json.loads(out)["variables"]) == (0, ["a", "b", "a.2"])
    code, out, _ = run(capfd, "score", path, "--drop", "a", "--json", "-q")
    assert (code, json.loads(out)["variables"]) == (0, ["b"])
    code, out, _ = run(capfd, "describe", path, "--columns", "b", "--json")
    assert (code, json.loads(out)["variables"]) == (0, ["b"])


def test_decimal_commas_and_encodings(capfd, write):
    path = write("größe;kind\n1,5;a\n2,5;b\n3,5;b\n".encode("latin-1"))
    reading = ("--separator", ";", "--encoding", "latin-1", "--decimal", ",")
    code, _, err = run(capfd, "describe", path)
    assert code == 3
    assert err == (
        f"dagscape: '{path}' is not UTF-8 text (byte 0xf6 in line 1): say which encoding it has, such as "
        "--encoding latin-1 or --encoding cp1252, or save it as UTF-8\n"
    )
    code, _, err = run(capfd, "describe", path, "--encoding", "latin-1")
    assert (code, "use --separator ';' if that separates its cells (with --decimal ',' for numbers" in err) == (3, True)
    code, out, _ = run(capfd, "describe", path, *reading, "--json")
    assert [column["kind"] for column in json.loads(out)["columns"]] == ["decimals", "labels"]
    code, _, err = run(capfd, "describe", path, "--encoding", "latin-one")
    assert (code, err.startswith("dagscape: --encoding is 'latin-one', which is no known encoding")) == (2, True)
    assert run(capfd, "describe", path, "--decimal", ";")[0] == 2


def test_files_of_other_programs(capfd, write, tmp_path, monkeypatch):
    path = tmp_path / "t.dta"
    pd.DataFrame({"a": pd.Categorical(["lo", "hi"]), "b": [1, 2]}).to_stata(path, write_index=False)
    code, out, _ = run(capfd, "describe", path, "--json")
    assert (code, json.loads(out)["variables"]) == (0, ["a", "b"])
    code, _, err = run(capfd, "describe", path, "--sheet", "2")
    assert (code, "--sheet is '2', but" in err) == (2, True)
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    code, _, err = run(capfd, "describe", write("", "t.sav"))
    assert (code, "needs pyreadstat, which is not installed: pip install pyreadstat, or export" in err) == (4, True)


def test_missing_cells_in_every_row(capfd, write):
    path = write("a,b,c\n?,1,1\n?,2,2\n1,?,1\n2,?,1\n1,?,2\n")
    code, _, err = run(capfd, "score", path, "--missing", "drop")
    assert code == 3
    assert err == (
        f"dagscape: '{path}' has a missing cell in every row, so that --missing drop would drop all of them: 'b' is "
        "missing in 3 of 5 rows; without it, 3 rows are complete: use --drop b, or --missing level\n"
    )


def test_long_answers(capfd, write, tmp_path):
    simulated = ds.simulate_students("a", 120, seed=1)
    wide, q_matrix = tmp_path / "wide.csv", tmp_path / "q.csv"
    simulated.answers.to_frame().to_csv(wide)
    simulated.q_matrix.to_frame().astype(int).to_csv(q_matrix)
    rows = (
        simulated.answers.to_frame().reset_index(names="who").melt(id_vars="who", var_name="what", value_name="right")
    )
    rows.sample(frac=1, random_state=1).to_csv(tmp_path / "long.csv", index=False)
    long = (tmp_path / "long.csv", "--long", "who", "what", "right")
    for command in (("student", "--restarts", "1"), ("parm", "--restarts", "1"), ("plan", "--task", "student")):
        code, out, err = run(capfd, command[0], *long, "--q-matrix", q_matrix, *command[1:], "--json", "-q")
        assert code == 0, err
        code, expected, _ = run(capfd, command[0], wide, "--q-matrix", q_matrix, *command[1:], "--json", "-q")
        if command[0] != "plan":
            assert {**json.loads(out), "provenance": 0, "answers": 0}.keys() == {
                **json.loads(expected), "provenance": 0, "answers": 0,
            }.keys()  # fmt: skip
    model, mastery = tmp_path / "model.json", tmp_path / "mastery.csv"
    assert run(capfd, "student", *long, "--q-matrix", q_matrix, "--restarts", "1", "-o", model, "-q")[0] == 0
    code, _, err = run(capfd, "student", *long, "--model", model, "--mastery", mastery, "-q")
    assert (code, len(mastery.read_text().splitlines())) == (0, 121), err
    code, _, err = run(capfd, "student", wide, "--long", "who", "what", "right", "--q-matrix", q_matrix)
    assert (code, "--long names 'who', which is not a column of" in err) == (2, True)
    code, _, err = run(capfd, "plan", wide, "--long", "a", "b", "c")
    assert (code, err) == (2, "dagscape: --long is for --task student, parm, bootstrap-skills\n")
    (tmp_path / "twice.csv").write_text("who,what,right\na,S1-1,1\na,S1-1,0\n")
    code, _, err = run(capfd, "parm", tmp_path / "twice.csv", "--long", "who", "what", "right", "--q-matrix", q_matrix)
    assert code == 3
