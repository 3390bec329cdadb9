"""``dagscape student``: tables and files, saved models, evaluation, simulation, and what is refused."""

from __future__ import annotations

import csv
import gzip
import json

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from cli.running import run
from dagscape.cli.commands.student import _ALLOWED, _LEARNING, command

STUDENTS = ds.simulate_students("a", 300, items_per_skill=3, missing=0.1, seed=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("school")
    STUDENTS.answers.to_frame().to_csv(path / "answers.csv")
    STUDENTS.q_matrix.to_frame().to_csv(path / "q.csv")
    return path


@pytest.fixture(scope="module")
def model(folder):
    found = ds.command(folder / "answers.csv", folder / "q.csv", restarts=2, seed=3)
    found.save(folder / "model.json")
    return found


def rows_of(path):
    content = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    return list(csv.reader(content.decode().splitlines(), delimiter="\t" if ".tsv" in path.name else ","))


def test_the_tables_show_skills_prerequisites_and_starts(capfd, folder, model):
    files = [folder / "answers.csv", "--q-matrix", folder / "q.csv"]
    code, out, err = run(capfd, "student", *files, "--restarts", 2, "--seed", 3)
    assert (code, err) == (0, "")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0] == "A student model of 3 skills, 9 items, learned from 300 students: 2 prerequisites"
    assert lines[1] == f"log-likelihood {model.log_likelihood:,.3f}, 23 parameters, BIC {model.score:,.3f}"
    for skill, share, error in zip(model.variables, model.mastery_shares, model.mastery_errors, strict=True):
        parents = " ".join(["", *model.network.parents(skill)])
        assert f"{skill} {share:.4f} ± {error:.4f} 3 3{parents}" in lines
    post = model.posterior()
    for one in model.orientations:
        strength = model.strengths[model.network.number(one.source), model.network.number(one.target)]
        sure = f"{post.edge(one.source, one.target):.4f} {post.adjacency(one.source, one.target):.4f}"
        assert f"{one.source} {one.target} {strength:.4f} {one.ratio:.3f} {one.reason} {sure}" in lines
    assert "conditional on the fitted item model" in out
    assert lines[-1].startswith("2 random starts: ")


def test_files_hold_the_model_and_its_students(capfd, folder, model, tmp_path):
    paths = {option: tmp_path / name for option, name in {
        "-o": "model.json", "--network": "model.bif", "--draw": "model.dot", "--mastery": "mastery.csv",
        "--predictions": "predictions.tsv", "--next-item": "next.csv.gz",
    }.items()}  # fmt: skip
    options = [part for pair in paths.items() for part in pair]
    files = [folder / "answers.csv", "--q-matrix", folder / "q.csv"]
    code, _, err = run(capfd, "student", *files, "--restarts", 2, "--seed", 3, *options)
    assert (code, err) == (0, "")
    assert ds.load_result(paths["-o"]) == model
    assert ds.read_network(paths["--network"]).dag == model.to_network().dag
    dot = paths["--draw"].read_text(encoding="utf-8")
    assert f'"S1" [label="S1\\nmastered: {model.mastery_shares[0]:.2f}"]' in dot
    assert f'label="{model.strengths[0, 1]:.2f}"' in dot
    header, *rows = rows_of(paths["--mastery"])
    mastery = model.mastery()
    assert header == ["student", "S1", "S2", "S3", "state", "state_probability"]
    assert [row[0] for row in rows] == list(STUDENTS.answers.students)
    assert np.array_equal(np.array([row[1:4] for row in rows], dtype=float), mastery[["S1", "S2", "S3"]].to_numpy())
    assert [json.loads(row[4]) for row in rows] == [list(state) for state in mastery["state"]]
    header, *rows = rows_of(paths["--predictions"])
    assert header == ["student", *model.items]
    assert np.array_equal(np.array([row[1:] for row in rows], dtype=float), model.predict().to_numpy())
    header, *rows = rows_of(paths["--next-item"])
    assert header == ["student", "item", "information", "correct"]
    # Students who have answered everything have empty cells.
    assert [row[1] for row in rows] == [item or "" for item in model.next_item()["item"].replace({np.nan: None})]


def test_json_is_the_model(capfd, folder, model):
    files = [folder / "answers.csv", "--q-matrix", folder / "q.csv"]
    for form in (["--json"], ["-o", "-"]):
        code, out, _ = run(capfd, "student", *files, "--restarts", 2, "--seed", 3, *form)
        assert code == 0
        assert ds.StudentModel.from_dict(json.loads(out)) == model


def test_options_of_learning_reach_it(capfd, folder, tmp_path):
    (tmp_path / "tiers.json").write_text('[["S3"], ["S1", "S2"]]')
    files = [folder / "answers.csv", "--q-matrix", folder / "q.csv", "--restarts", 1]
    options = ["--require", "S3", "S1", "--forbid", "S1", "S2", "--score", "aic", "--max-parents", 1]
    more = ["--tiers", tmp_path / "tiers.json", "--method", "order", "--tolerance", "1e-4", "--no-refine"]
    code, out, _ = run(capfd, "student", *files, *options, *more, "--json")
    assert code == 0
    found = ds.StudentModel.from_dict(json.loads(out))
    assert ("S3", "S1") in found.network.edges
    assert max(map(len, map(found.network.parents, found.variables))) == 1
    assert not {("S1", "S2"), ("S1", "S3"), ("S2", "S3")} & set(found.network.edges)
    given = found.provenance.parameters
    assert (given["score"], given["method"], given["tolerance"], given["refine"]) == ("aic", "order", 1e-4, False)


def test_every_option_of_learning_arrives(capfd, folder, tmp_path):
    """Each is given a value that is not its default."""
    (tmp_path / "tiers.json").write_text('[["S3"], ["S1", "S2"]]')
    given = {
        "required": ["--require", "S3", "S1"], "forbidden": ["--forbid", "S1", "S2"],
        "tiers": ["--tiers", tmp_path / "tiers.json"], "max_parents": ["--max-parents", 1], "score": ["--score", "aic"],
        "method": ["--method", "order"], "restarts": ["--restarts", 2], "refine": ["--no-refine"],
        "monotone": ["--monotone"], "orientation": ["--orientation", "global"], "tolerance": ["--tolerance", "1e-4"],
    }  # fmt: skip
    assert set(given) == _LEARNING
    arguments = [part for parts in given.values() for part in parts]
    files = [folder / "answers.csv", "--q-matrix", folder / "q.csv"]
    code, out, _ = run(capfd, "student", *files, *arguments, "--seed", 5, "--threads", 1, "--json")
    assert code == 0
    provenance = ds.StudentModel.from_dict(json.loads(out)).provenance
    found = ds.command(
        folder / "answers.csv", folder / "q.csv", required=[("S3", "S1")], forbidden=[("S1", "S2")],
        tiers=[["S3"], ["S1", "S2"]], max_parents=1, score="aic", method="order", restarts=2, refine=False,
        monotone=True, orientation="global", tolerance=1e-4, seed=5, threads=1,
    )  # fmt: skip
    default = ds.command(folder / "answers.csv", folder / "q.csv", restarts=1).provenance.parameters
    for name in _LEARNING:
        expected = json.loads(json.dumps(found.provenance.parameters[name]))
        assert json.loads(json.dumps(provenance.parameters[name])) == expected, name
        assert expected != json.loads(json.dumps(default[name])), name
    assert provenance.seed == 5


def test_a_saved_model_is_applied_to_other_students(capfd, folder, model, tmp_path):
    (tmp_path / "new.csv").write_text("student,item4,item1\nAnn,1,1\nBob,?,0\n")
    options = ["--model", folder / "model.json", "--mastery", tmp_path / "m.csv", "--next-item", tmp_path / "n.csv"]
    code, out, err = run(capfd, "student", tmp_path / "new.csv", *options, "--show", 1)
    assert (code, err) == (0, "")
    expected = model.mastery(pd.DataFrame({"item1": [1, 0], "item4": [1, None]}, index=["Ann", "Bob"]))
    assert out.splitlines()[0] == "2 students, 3 skills"
    shares = " ".join(f"{share:.3f}" for share in expected.iloc[0, :3])
    assert f"Ann {shares} " in " ".join(out.split())
    assert "Bob" not in out
    assert "… 1 student not shown" in out
    rows = rows_of(tmp_path / "m.csv")
    assert [float(cell) for cell in rows[2][1:4]] == expected.iloc[1, :3].tolist()
    assert [row[0] for row in rows_of(tmp_path / "n.csv")] == ["student", "Ann", "Bob"]
    code, out, _ = run(capfd, "student", tmp_path / "new.csv", "--model", folder / "model.json", "--json")
    document = json.loads(out)
    assert document["students"] == ["Ann", "Bob"]
    assert np.array_equal(document["mastery"], expected.iloc[:, :3].to_numpy())
    assert [tuple(state) for state in document["states"]] == expected["state"].tolist()


def test_a_saved_model_is_a_network_for_other_commands(capfd, folder, model):
    saved = folder / "model.json"
    code, out, _ = run(capfd, "query", saved, "S3", "--given", "item1=0", "--json")
    assert code == 0
    expected = model.to_network().query("S3", {"item1": "0"})
    assert json.loads(out)["probabilities"][1]["probability"] == pytest.approx(expected.iloc[1], rel=1e-12)
    code, out, err = run(capfd, "compare", saved, saved)
    assert code == 0
    assert out.splitlines()[1].split()[:2] == ["shd", "0"]
    assert "comparing DAGs" in err
    code, out, _ = run(capfd, "draw", saved)
    assert (code, out) == (0, model.draw())


def test_models_are_evaluated(capfd, folder, model, tmp_path):
    files = [folder / "answers.csv", "--q-matrix", folder / "q.csv", "--evaluate"]
    options = ["--folds", 3, "--restarts", 1, "--workers", 1, "-o", tmp_path / "e.json"]
    code, out, err = run(capfd, "student", *files, *options)
    assert (code, err) == (0, "")
    found = ds.load_result(tmp_path / "e.json")
    assert found == model.evaluate(cv=3, restarts=1, workers=1)
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert lines[0].startswith(f"3 folds of 300 students: {found.answers:,} answers predicted")
    frame = found.to_frame()
    assert lines[3].startswith(f"command {frame['auc'][0]:.4f} {frame['interval'][0]:.4f} ")
    assert lines[8].startswith(f"full {frame['auc'][5]:.4f} {frame['interval'][5]:.4f} {frame['p_value'][5]:.2g} 3.0")


def test_simulated_students_can_be_learned_from(capfd, tmp_path):
    options = ["--students", 50, "--items-per-skill", 2, "--skills-per-item", 2, "--missing", 0.25, "--ability"]
    files = ["-o", tmp_path / "sim", "--network", tmp_path / "truth.bif"]
    code, out, err = run(capfd, "student", "--simulate", "b", *options, "--seed", 4, *files)
    assert (code, err) == (0, "")
    expected = ds.simulate_students(
        "b", 50, items_per_skill=2, skills_per_item=(1, 2), missing=0.25, ability=True, seed=4
    )
    answers, q_matrix = tmp_path / "sim-answers.csv", tmp_path / "sim-q-matrix.csv"
    assert out.splitlines()[0].startswith("50 simulated students, 5 skills, ")
    assert f"Written: {answers}, {q_matrix}" in out.replace("\n", " ")
    assert ds.read_network(tmp_path / "truth.bif").dag == expected.network.dag
    code, out, _ = run(capfd, "student", answers, "--q-matrix", q_matrix, "--restarts", 1, "--json", "-q")
    assert code == 0
    found = ds.StudentModel.from_dict(json.loads(out))
    assert found == ds.command(expected.answers, expected.q_matrix, restarts=1)
    assert (found.items, found.students) == (expected.answers.items, 50)


def test_any_structure_is_simulated(capfd, tmp_path):
    (tmp_path / "edges.csv").write_text("from,to\nadd,carry\n")
    files = ["--simulate", tmp_path / "edges.csv", "-o", tmp_path / "sim"]
    code, out, _ = run(capfd, "student", *files, "--students", 20, "--json")
    document = json.loads(out)
    assert code == 0
    assert (document["variables"], document["network"]) == (["add", "carry"], [["add", "carry"]])
    assert len(rows_of(tmp_path / "sim-answers.csv")) == 21


def test_a_skill_without_an_item_of_its_own_is_reported(capfd, tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n" + "1,1\n1,0\n0,0\n" * 5)
    (tmp_path / "q.csv").write_text("item,sum,place\nx,1,0\ny,1,1\n")
    files = [tmp_path / "a.csv", "--q-matrix", tmp_path / "q.csv", "--restarts", 1]
    code, _, err = run(capfd, "student", *files)
    assert code == 0
    assert err.startswith("dagscape: warning: 'place' has no item that needs it alone")
    assert run(capfd, "student", *files, "--quiet")[2] == ""


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ([], 2, "ANSWERS is missing: give the file with the answers of the students, or --simulate"),
        (["answers.csv"], 2, "--q-matrix is missing: give the file that says which skills each item needs, or --model"),
        (["answers.csv", "--q-matrix", "q.csv", "--folds", "3"], 2, "--folds has no effect without --evaluate"),
        (["answers.csv", "--q-matrix", "q.csv", "--students", "3"], 2, "--students has no effect without --simulate"),
        (["answers.csv", "--model", "model.json", "--q-matrix", "q.csv"], 2, "--q-matrix has no effect with --model"),
        (["answers.csv", "--model", "model.json", "-o", "x.json"], 2, "-o has no effect with --model: leave it out"),
        (["answers.csv", "--model", "model.json", "--evaluate"], 2, "--model and --evaluate exclude each other"),
        (["answers.csv", "--q-matrix", "q.csv", "--evaluate", "--draw", "x.svg"], 2, "--draw has no effect with"),
        (["answers.csv", "--q-matrix", "q.csv", "--evaluate", "--folds", "301"], 2, "--folds is 301; it must be"),
        (["--simulate", "b"], 2, "--simulate needs -o PREFIX: it writes PREFIX-answers.csv and PREFIX-q-matrix.csv"),
        (["answers.csv", "--simulate", "b", "-o", "x"], 2, "ANSWERS has no effect with --simulate: leave it out"),
        (["--simulate", "x-answers.csv", "-o", "x"], 2, "cannot write 'x-answers.csv': --simulate reads it"),
        (["--simulate", "b", "-o", "none/x"], 2, "cannot write 'none/x-answers.csv': there is no folder 'none'"),
        (["--simulate", "b", "--skills-per-item", "6", "-o", "x"], 2, "--skills-per-item is (1, 6); the structure"),
        (["-", "--q-matrix", "-"], 2, "only one of ANSWERS and --q-matrix can come from standard input"),
        (["answers.csv", "--q-matrix", "q.csv", "-o", "q.csv"], 2, "cannot write 'q.csv': the command names this file"),
        (["answers.csv", "--q-matrix", "q.csv", "--mastery", "m.txt"], 2, "cannot tell the format of 'm.txt'"),
        (["answers.csv", "--q-matrix", "q.csv", "--require", "S1", "S9"], 2, "--require names 'S9', which is not"),
        (["answers.csv", "--q-matrix", "answers.csv"], 3, "an entry of the Q-matrix must be 0 or 1"),
        (["answers.csv", "--model", "evaluation.json"], 2, "is a 'student-evaluation' result, not a"),
        (["wrong.csv", "--model", "model.json"], 3, "the responses have the column 'itemm1', which the model does not"),
    ],
)  # fmt: skip
def test_what_is_refused(capfd, folder, model, monkeypatch, arguments, code, message):
    monkeypatch.chdir(folder)
    (folder / "wrong.csv").write_text("student,itemm1\nAnn,1\n")
    (folder / "x-answers.csv").write_text("from,to\na,b\n")
    if "evaluation.json" in arguments:
        model.evaluate(cv=2, restarts=1, workers=1).save("evaluation.json")
    before = {path.name for path in folder.iterdir()}
    found, out, err = run(capfd, "student", *arguments)
    assert (found, out) == (code, "")
    assert message in err
    assert err.count("\n") == 1
    assert {path.name for path in folder.iterdir()} == before


def test_every_option_belongs_somewhere():
    names = {parameter.name for parameter in command.params}
    assert set.union(*map(set, _ALLOWED.values())) == names


def test_falling_items_are_told_without_advice_that_cannot_be_followed(capfd, tmp_path):
    answers = STUDENTS.answers.to_frame()
    answers["item2"] = 1 - answers["item2"]
    answers.to_csv(tmp_path / "answers.csv")
    STUDENTS.q_matrix.to_frame().to_csv(tmp_path / "q.csv")
    learning = ["--q-matrix", tmp_path / "q.csv", "--restarts", 1, "-o", tmp_path / "model.json"]
    code, _, err = run(capfd, "student", tmp_path / "answers.csv", *learning)
    assert code == 0
    assert "or use --monotone" in " ".join(err.split())
    code, out, err = run(capfd, "student", tmp_path / "answers.csv", "--model", tmp_path / "model.json")
    assert code == 0
    assert "check the answer key" in " ".join((out + err).split())
    assert "monotone" not in out + err
