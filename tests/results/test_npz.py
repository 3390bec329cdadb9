"""Results as archives: small, complete, and read as strictly as JSON."""

from __future__ import annotations

import io
import json
import sys
import zipfile
from dataclasses import replace

import numpy as np
import pytest

import dagscape as ds
from dagscape.graphs.lists import DagList
from dagscape.results.base import Provenance
from dagscape.results.npz import read_document, write_document


@pytest.fixture(scope="module")
def best():
    return ds.k_best(ds.local_scores(ds.load_dataset("tic-tac-toe"), max_parents=2), k=5)


@pytest.fixture(scope="module")
def post():
    return ds.posterior(ds.local_scores(ds.load_dataset("iris")), via="all")


def long_list(best, count, n=37):
    """A list of many networks of many variables."""
    some = DagList.from_dags([ds.random_dag(n, seed=seed) for seed in range(10)])
    networks = DagList(some.variables, np.tile(some.parents, (count // 10, 1, 1)))
    ones = (1,) * count
    return replace(
        best,
        variables=some.variables,
        networks=networks,
        scores=-np.arange(count) / 8,
        space="dags",
        class_sizes=ones,
        ties=ones,
        score_info=None,
    )


def test_a_long_list_takes_a_word_for_each_variable_of_a_network(best, tmp_path):
    listed = long_list(best, 20_000)
    listed.save(tmp_path / "list.npz")
    content = 20_000 * (37 + 1) * 8
    assert content < (tmp_path / "list.npz").stat().st_size < 1.05 * content
    back = ds.load_result(tmp_path / "list.npz")
    assert back == listed
    assert back.networks.parents.tobytes() == listed.networks.parents.tobytes()
    assert back.scores.tobytes() == listed.scores.tobytes()


def test_other_programs_find_the_arrays_under_their_names(best, post, tmp_path):
    best.save(tmp_path / "best.npz")
    post.save(tmp_path / "post.npz")
    with np.load(tmp_path / "best.npz", allow_pickle=False) as found:
        assert set(found) == {"header", "networks", "scores"}
        assert np.array_equal(found["networks"], best.networks.parents)
        assert np.array_equal(found["scores"], best.scores)
    with np.load(tmp_path / "post.npz", allow_pickle=False) as found:
        assert set(found) == {"header", "edges", "ancestors", "paths"}
        header = json.loads(found["header"].tobytes())
    assert header["format"] == 1
    assert header["document"]["kind"] == "posterior"
    assert header["document"]["edges"] is None
    assert header["arrays"]["edges"] == {"type": "float64", "place": ["edges"]}


def test_more_variables_than_a_word_has_bits(best, tmp_path):
    listed = long_list(best, 10, n=130)
    listed.save(tmp_path / "list.npz")
    assert ds.load_result(tmp_path / "list.npz") == listed


def test_the_same_result_gives_the_same_file(best, tmp_path):
    for name in ("a.npz", "b.npz"):
        best.save(tmp_path / name)
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()


def test_infinities_and_missing_numbers_are_kept(tmp_path):
    from results.test_results import Example

    result = Example(("a", "b"), Provenance("0", "x"), np.array([[1.5, -np.inf], [np.nan, -0.0]]), 10**30)
    stream = io.BytesIO()
    write_document(stream, result._document())
    (tmp_path / "x.npz").write_bytes(stream.getvalue())
    with open(tmp_path / "x.npz", "rb") as opened:
        back = Example.from_dict(read_document(opened, "x.npz"))
    assert back.matrix.tobytes() == result.matrix.tobytes()
    assert back.count == 10**30


def test_a_pipe_is_read_to_its_end(best, tmp_path, monkeypatch):
    best.save(tmp_path / "best.npz")
    with open(tmp_path / "best.npz", "rb") as stream:
        monkeypatch.setattr(sys, "stdin", stream)
        assert ds.load_result("-") == best


def edited(result, tmp_path, change):
    """Save a result, change its members and the header, and return the path."""
    path = tmp_path / "edited.npz"
    result.save(path)
    with np.load(path) as saved:
        arrays = dict(saved)
    header = json.loads(arrays.pop("header").tobytes())
    change(header, arrays)
    arrays["header"] = np.frombuffer(json.dumps(header).encode(), dtype=np.uint8)
    np.savez(path, **arrays)
    return path


def put(name, at, value):
    def change(header, arrays):
        arrays[name] = np.array(arrays[name])
        arrays[name][at] = value

    return change


def cycle(header, arrays):
    arrays["networks"] = np.array(arrays["networks"])
    arrays["networks"][2, :2, 0] = 2, 1


CHANGES = [
    (put("networks", (3, 0, 0), 1), "a set of parents contains the variable itself, or one that does not exist"),
    (put("networks", (3, 0, 0), 2**63), "a set of parents contains the variable itself, or one that does not exist"),
    (cycle, "cycle"),
    (put("scores", 0, np.nan), r"scores has a number that is not between -1e\+300 and 1e\+300"),
    (put("scores", 0, -1e5), "descending order"),
    (lambda h, a: a.update(scores=a["scores"][:-1]), "scores and networks do not match"),
    (lambda h, a: a.update(scores=a["scores"].reshape(1, -1)), "scores and networks do not match"),
    (lambda h, a: a.update(scores=np.array(1.0)), "scores is a number; it must be an array of float64"),
    (lambda h, a: a.update(scores=a["networks"]), "scores has the type '<u8'"),
    (lambda h, a: a.update(networks=a["networks"][:, :-1]), "the sets of parents have the shape"),
    (lambda h, a: a.update(networks=a["networks"][:, :, 0]), "the sets of parents have the shape"),
    (lambda h, a: a.update(networks=np.array(3, dtype=np.uint64)), "the sets of parents have the shape"),
    (lambda h, a: h["arrays"].pop("scores"), "does not have the arrays that its header calls for"),
    (lambda h, a: a.pop("scores"), "does not have the arrays that its header calls for"),
    (lambda h, a: a.update(more=np.zeros(3)), "does not have the arrays that its header calls for"),
    (lambda h, a: h["arrays"]["scores"].update(type="float32"), r"header\.arrays\.scores\.type is 'float32'"),
    (lambda h, a: h["arrays"]["scores"].update(place=["ties", 99]), "the place of its array 'scores' is not in"),
    (lambda h, a: h["arrays"]["scores"].update(place=["ties", 0]), "the place of its array 'scores' is taken"),
    (lambda h, a: h["arrays"]["scores"].update(place=[["ties"]]), "the place of its array 'scores' is not in"),
    (lambda h, a: h["arrays"]["scores"].update(place=[]), "the place of its array 'scores' is taken"),
    (lambda h, a: h["arrays"]["scores"].update(place=["networks"]), "the place of its array 'scores' is taken"),
    (lambda h, a: h["document"].update(scores=[1.0]), "the place of its array 'scores' is taken"),
    (lambda h, a: h["document"].update(kind="novel"), "is not a result of dagscape"),
    (lambda h, a: h["document"].update(schema=99), "has schema 99 of 'k-best'"),
    (lambda h, a: h["document"].update(class_sizes=[0] * 5), r"class_sizes\[0\] is 0; it must be between 1"),
    (lambda h, a: h.update(format=2), "header.format is 2; it must be between 1 and 1"),
    (lambda h, a: h.pop("document"), r"it has no document; if it is a score file, read it with read_scores\(\)"),
]


@pytest.mark.parametrize(("change", "reason"), CHANGES)
def test_edited_archives_are_refused(best, tmp_path, change, reason):
    with pytest.raises(ds.InvalidData, match=rf"^'.*edited\.npz' .*{reason}"):
        ds.load_result(edited(best, tmp_path, change))


def test_probabilities_are_checked(post, tmp_path):
    for name in ("edges", "ancestors"):
        for wrong in (-1e-9, 1.5, np.nan, np.inf):
            with pytest.raises(ds.InvalidData, match=f"{name} has a number that is not between 0 and 1"):
                ds.load_result(edited(post, tmp_path, put(name, (0, 1), wrong)))
    with pytest.raises(ds.InvalidData, match=r"edges has the shape \(4, 5\); it must be \(5, 5\)"):
        ds.load_result(edited(post, tmp_path, lambda h, a: a.update(edges=a["edges"][1:])))


def test_objects_are_never_unpickled(best, tmp_path):
    def with_object(header, arrays):
        arrays["scores"] = np.array([print] * 5)

    with pytest.raises(ds.InvalidData, match="scores is not an array"):
        ds.load_result(edited(best, tmp_path, with_object))


def test_every_flipped_bit_is_refused_or_makes_no_difference(best, tmp_path):
    path = tmp_path / "best.npz"
    best.save(path)
    content = path.read_bytes()
    refused = 0
    for place in range(0, len(content), 7):
        changed = bytearray(content)
        changed[place] ^= 1 << place % 8
        path.write_bytes(changed)
        try:
            assert ds.load_result(path) == best
        except ds.InvalidData:
            refused += 1
    assert refused > len(content) / 7 / 2


@pytest.mark.parametrize("length", [0, 3, 4, 100, 2000, -1])
def test_shorter_files_are_refused(best, tmp_path, length):
    path = tmp_path / "best.npz"
    best.save(path)
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(ds.InvalidData, match=r"best\.npz"):
        ds.load_result(path)


def test_a_small_file_that_takes_much_memory_is_refused(best, tmp_path):
    path = tmp_path / "bomb.npz"
    best.save(path)
    zeros = io.BytesIO()
    np.save(zeros, np.zeros(10**7))
    with zipfile.ZipFile(path) as saved, zipfile.ZipFile(tmp_path / "bomb2.npz", "w", zipfile.ZIP_DEFLATED) as made:
        for name in saved.namelist():
            made.writestr(name, zeros.getvalue() if name == "scores.npy" else saved.read(name))
    assert (tmp_path / "bomb2.npz").stat().st_size < 200_000
    with pytest.raises(ds.TooLarge, match=r"the arrays in '.*bomb2\.npz' need 76\.\d MiB; the limit is 10\.0 MiB"):
        ds.load_result(tmp_path / "bomb2.npz", max_memory="10MiB")


def test_the_limit_on_memory_counts_arrays_and_header(best, tmp_path):
    listed = long_list(best, 1000)
    listed.save(tmp_path / "list.npz")
    assert ds.load_result(tmp_path / "list.npz", max_memory="2MiB") == listed
    with pytest.raises(ds.TooLarge, match="max_memory"):
        ds.load_result(tmp_path / "list.npz", max_memory="300KiB")
    listed.save(tmp_path / "list.npz.gz")
    with pytest.raises(ds.TooLarge, match="max_memory"):
        ds.load_result(tmp_path / "list.npz.gz", max_memory="300KiB")


def test_a_score_file_is_not_a_result_and_the_reverse(best, tmp_path):
    ds.write_scores(ds.local_scores(ds.load_dataset("iris")), tmp_path / "scores.npz")
    with pytest.raises(ds.InvalidData, match=r"scores\.npz' is not a valid result: .*read it with read_scores\(\)"):
        ds.load_result(tmp_path / "scores.npz")
    best.save(tmp_path / "best.npz")
    with pytest.raises(ds.InvalidData, match=r"not a valid score file: it has a result; read it with load_result\(\)"):
        ds.read_scores(tmp_path / "best.npz")
