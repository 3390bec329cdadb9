"""The conversion of published sets to the files that table 2.4 of the dissertation needs."""

from __future__ import annotations

import gzip
import subprocess
import sys
import zipfile

import pytest

from dagscape.studies.papers.catalogue import SOURCES
from dagscape.studies.papers.keel import KEEL_SETS, KeelSet, convert, converted
from dagscape.studies.papers.sources import Sources, table_source

BY_NAME = {each.name: each for each in KEEL_SETS}


def test_every_set_is_in_the_catalogue():
    assert len(KEEL_SETS) == len(BY_NAME) == 26
    for each in KEEL_SETS:
        source = SOURCES[table_source(each.table)]
        assert all(member.rpartition("/")[2] in source.conversion for member in each.members)
        assert "python -m dagscape.studies.papers.keel" in source.conversion


def test_published_files_become_tables(tmp_path):
    wheel = tmp_path / "some.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr(BY_NAME["banana"].members[0], "1.14,-0.114,-1.0\n0.5,2.0,1.0\n")
        archive.writestr(BY_NAME["titanic"].members[0], "status\tage\nd\td\n\tclass\nfirst\tadult\n")
        archive.writestr(BY_NAME["yeast"].members[0], "ADT1_YEAST  " + "  ".join(["0.58"] * 8) + "  MIT\n")
    (tmp_path / "adult-train.csv").write_text("39, State-gov, <=50K\n50, ?, >50K\n\n")
    (tmp_path / "adult-test.csv").write_text("25, Private, <=50K.\n")
    (tmp_path / "mushroom.arff").write_text("% text\n@relation m\n@attribute 'a b' {'x'}\n@data\n'x'\n")
    (tmp_path / "winequality-red.csv").write_text(",".join(["7.4"] * 11) + ",5\n")
    done = convert(sorted(tmp_path.iterdir()), tmp_path / "out")
    assert done == ["adult", "banana", "titanic", "mushroom", "winequality-red", "yeast"]

    def lines(name):
        path = Sources(tmp_path / "out").path(table_source(BY_NAME[name].table))
        return gzip.decompress(path.read_bytes()).decode().splitlines()

    assert lines("banana") == ["x1,x2,class", "1.14,-0.114,-1", "0.5,2.0,1"]
    assert lines("titanic") == ["status,age", "first,adult"]
    assert lines("yeast") == ["mcg,gvh,alm,mit,erl,pox,vac,nuc,class", ",".join(["0.58"] * 8) + ",MIT"]
    assert lines("adult") == ["x1,x2,class", "39,State-gov,<=50K", "50,?,>50K", "25,Private,<=50K"]
    assert lines("winequality-red")[0].startswith("fixed_acidity,")
    assert len(list((tmp_path / "out" / "sets").iterdir())) == len(done)


def test_rows_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="zip"):
        converted(KeelSet("a", "a", ()), ["1,2\n3\n"])


def test_it_runs_as_a_program(tmp_path):
    (tmp_path / "tic-tac-toe.arff").write_text("@attribute top {x,o}\n@data\nx\n")
    words = [sys.executable, "-m", "dagscape.studies.papers.keel", str(tmp_path), str(tmp_path / "tic-tac-toe.arff")]
    assert subprocess.run(words, check=True, capture_output=True, text=True).stdout == "tic-tac-toe\n"
    assert (tmp_path / "sets" / "tic_tac_toe.csv.gz").exists()
