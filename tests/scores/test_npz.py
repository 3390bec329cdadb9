"""Damaged and hostile ``.npz`` files: each is refused in one sentence, before it takes memory or reaches a kernel."""

from __future__ import annotations

import io
import json
import zipfile

import numpy as np
import pytest

import dagscape as ds
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE, Unit, check_range, largest_score


def lattice():
    return ds.local_scores(ds.load_dataset("iris"), max_parents=2, structure_prior="per-size")


def table():
    return ds.FamilyTable({"a": {(): -10.0, ("b",): -8.5}, "b": {(): -7.0, ("a",): -5.5}})


@pytest.fixture
def parts(tmp_path):
    """Take a file apart: the header, and the arrays."""

    def taken_apart(scores):
        ds.write_scores(scores, tmp_path / "whole.npz")
        with np.load(tmp_path / "whole.npz") as file:
            arrays = {name: file[name] for name in file.files}
        return json.loads(arrays.pop("header").tobytes()), arrays

    return taken_apart


@pytest.fixture
def read(tmp_path):
    """Read a file of a header, as JSON or as bytes, and arrays."""

    def put_together(header, arrays, **options):
        text = header if isinstance(header, bytes) else json.dumps(header).encode()
        np.savez(tmp_path / "made.npz", **arrays, header=np.frombuffer(text, dtype=np.uint8))
        return ds.read_scores(tmp_path / "made.npz", **options)

    return put_together


def refused(match):
    return pytest.raises(ds.InvalidData, match=rf"made\.npz' is not a valid score file: .*{match}")


def test_scores_that_would_overflow_are_refused(tmp_path):
    path = tmp_path / "made.npz"
    ds.write_scores(ds.local_scores(ds.load_dataset("tic-tac-toe"), max_parents=2), path)
    with np.load(path) as file:
        arrays = dict(file)
    arrays["table0"] = arrays["table0"].copy()
    arrays["table0"][169:171] = -(2**62), 3 * 2**61
    np.savez(path, **arrays)
    # Once, this ended the process.
    with refused("a local score of up to .* nats overflows in units of 2.* with 10 variables, the limit is"):
        ds.k_best(ds.read_scores(path), k=3)


@pytest.mark.parametrize("name", ["table0", "size_terms", "prior_terms"])
@pytest.mark.parametrize("value", [2**61, -(2**61), 2**63 - 1, 1 - 2**63])
def test_every_array_of_a_lattice_is_checked(parts, read, name, value):
    header, arrays = parts(lattice())
    arrays[name] = arrays[name].copy()
    arrays[name][1] = value
    with refused("overflows"):
        read(header, arrays)


def test_terms_are_never_impossible(parts, read):
    header, arrays = parts(lattice())
    arrays["size_terms"][0] = IMPOSSIBLE
    with refused("impossible term"):
        read(header, arrays)


def test_a_set_without_a_value_makes_its_families_impossible(parts, read):
    header, arrays = parts(lattice())
    # The set of the first variable alone.
    arrays["table0"][1] = IMPOSSIBLE
    scores = read(header, arrays)
    assert scores.family(0) == scores.family(1, [0]) == -np.inf
    assert scores.family(0, [1]) == lattice().family(0, [1])
    assert ds.k_best(scores, k=3).networks[0].parents("sepal_length")
    # And the sets of all masks: no sum overflows.
    everything = ds.local_scores(ds.load_dataset("iris"))
    header, arrays = parts(everything)
    arrays["table0"][1] = IMPOSSIBLE
    rows = read(header, arrays).score_row(1)
    assert (rows[1], rows[2]) == (IMPOSSIBLE, everything.score_row(1)[2])
    header, arrays = parts(lattice())
    arrays["table0"][:] = IMPOSSIBLE
    with refused("'sepal_length' has no possible family"):
        read(header, arrays)


def test_the_range_of_scores():
    check_range(largest_score(4), 4, Unit(40))
    with pytest.raises(ds.InvalidData, match="with 4 variables, the limit is 524288 nats"):
        check_range(largest_score(4) + 1, 4, Unit(40))
    with pytest.raises(ds.InvalidData, match="overflows"):
        ds.FamilyTable.from_exact(["a"], [{(): 10**400}], Unit(40))
    # Scores of users always fit their unit.
    for n in (1, 2, 3, 63, 64, 1000):
        for score in (np.nextafter(2.0**10, 2e3), -1e12 / n, 1e-300, np.nextafter(2.0**-1, 1)):
            ds.FamilyTable({f"v{i}": {(): score} for i in range(n)})


HEADERS = {
    "schema": [2, None, [], "1"],
    "kind": ["", None, [], {}],
    "variables": [None, {}, [], ["a"] * 4, [1, 2, 3, 4], ["a", "b", "c", "\ud800"], [["a"], "b", "c", "d"], "abcd"],
    "max_parents": [4, -1, 1.5, True, "2", None, 2**70],
    "complete": [0, "yes", []],
    "unit_bits": [-1, 49, 2**40, -(10**30), 20.5, "40", None, True],
    "rounding": [-1, "0", [], float("nan"), float("inf"), 10**400],
    "info": [
        None,
        [],
        3,
        {"rows": "x"},
        {"rows": -1},
        {"ess": "x"},
        {"parameters": {"ess": [1]}},
        {"parameters": {"ess": float("nan")}},
        {"level_counts": [1]},
        {"level_counts": [0, 2, 2, 2]},
        {"required": [["a"]]},
    ],
    "provenance": [None, [], {}, {"version": 1, "method": "x"}, {"version": "x", "method": "y", "seconds": [1]}],
    "joint_table": [None, [0], [0, 0, 0, -1], [0, 0, 0, 10**12], [0, 0, 0, 0.5], ["0"] * 4],
    "required": [[[], [], []], [[9], [], [], []], [[0], [], [], []], [[1], [0], [], []], [[1, 2, 3], [], [], []], {}],
    "forbidden": [[[], [], [], 3], [[-1], [], [], []], [["a"], [], [], []]],
}


@pytest.mark.slow
@pytest.mark.parametrize(("field", "value"), [(name, value) for name, values in HEADERS.items() for value in values])
def test_every_field_of_the_header_is_checked(parts, read, field, value):
    header, arrays = parts(ds.local_scores(ds.load_dataset("iris").drop(["class"]), max_parents=2))
    with refused(""):
        read({**header, field: value}, arrays)


@pytest.mark.parametrize("field", ["kind", "variables", "max_parents", "unit_bits", "provenance", "joint_table"])
def test_every_field_of_the_header_is_needed(parts, read, field):
    header, arrays = parts(lattice())
    del header[field]
    with refused(field):
        read(header, arrays)


@pytest.mark.parametrize(
    "text", [b"", b"[]", b"3", b"{", b"\xff{}", b"[" * 100_000, b'{"schema": ' + b"1" * 5000 + b"}", b"NaN"]
)
def test_headers_that_are_no_objects(parts, read, text):
    with refused(""):
        read(text, parts(lattice())[1])


def test_deep_nesting_where_anything_is_allowed(parts, read):
    header, arrays = parts(lattice())
    deep = []
    for _ in range(500):
        deep = [deep]
    header["provenance"]["parameters"] = {"x": deep}
    with refused("nested"):
        read(header, arrays)


ARRAYS = {
    "another type": lambda array: array.astype(np.float64),
    "unsigned": lambda array: array.astype(np.uint64),
    "strings": lambda array: array.astype(str),
    "too short": lambda array: array[:-1],
    "too long": lambda array: np.append(array, 0),
    "another shape": lambda array: array.reshape(-1, 1),
    "a number": lambda array: np.array(3),
    "empty": lambda array: array[:0],
}


@pytest.mark.parametrize("change", ARRAYS.values(), ids=ARRAYS)
@pytest.mark.parametrize("name", ["table0", "size_terms", "prior_terms"])
def test_arrays_of_other_types_and_shapes(parts, read, name, change):
    header, arrays = parts(lattice())
    with refused(""):
        read(header, {**arrays, name: change(arrays[name])})


def test_arrays_that_are_missing_or_too_many(parts, read):
    header, arrays = parts(lattice())
    with refused("does not have the arrays"):
        read(header, {**arrays, "table1": arrays["table0"]})
    del arrays["prior_terms"]
    with refused("does not have the arrays"):
        read(header, arrays)


def test_arrays_of_the_other_byte_order_are_read(parts, read):
    header, arrays = parts(lattice())
    scores = read(header, {name: array.astype(">i8") for name, array in arrays.items()})
    assert scores.tables[0].tolist() == arrays["table0"].tolist()


@pytest.mark.parametrize(
    "sets",
    [[[-1], [0]], [[-1], [2]], [[-1], [-2]], [[-1], [-1]], [[-1], [1], [1]], [[-1]], [-1, 1], [[2**63 - 1], [1]]],
)
def test_families_that_are_no_sets_of_parents(parts, read, sets):
    header, arrays = parts(table())
    with refused(""):
        read(header, {**arrays, "parents0": np.array(sets)})


def test_families_are_read_in_either_order_of_memory(parts, read):
    header, arrays = parts(ds.FamilyTable({"a": {(): -1.0, ("b", "c"): -2.0}, "b": {(): 0.0}, "c": {(): 0.0}}))
    arrays["parents0"] = np.asfortranarray(arrays["parents0"])
    assert read(header, arrays).family("a", ["b", "c"]) == -2.0


def test_rows_are_as_wide_as_the_widest_of_their_child(parts):
    _, arrays = parts(ds.FamilyTable({"a": {(): -1.0, ("b", "c"): -2.0}, "b": {(): 0.0}, "c": {(): 0.0, ("a",): 0.0}}))
    assert [arrays[f"parents{child}"].shape for child in range(3)] == [(2, 2), (1, 0), (2, 1)]


def archive_of(members, **options):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", **options) as archive:
        for name, content in members:
            archive.writestr(zipfile.ZipInfo(name), content, options.get("compression"))
    return stream.getvalue()


def npy(header: bytes, body: bytes = b"", magic: bytes = b"\x93NUMPY\x01\x00") -> bytes:
    return magic + len(header).to_bytes(2, "little") + header + body


@pytest.mark.parametrize(
    "member",
    [
        b"",
        b"not an array",
        npy(b"{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n", b"{}", magic=b"\x93NUMPX\x01\x00"),
        npy(b"{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n", b"{}", magic=b"\x93NUMPY\x63\x00"),
        npy(b"{'descr': '|u1', 'fortran_order': False, 'shape': (9" + b"9" * 30 + b",), }\n"),
        npy(b"{'descr': '|u1', 'fortran_order': False, 'shape': (1000000000000,), }\n"),
        npy(b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n"),
        npy(b"(" * 5000),
        npy(b"{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n", b"{"),
        npy(b"{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n", b"{}}"),
    ],
)
def test_members_that_are_no_arrays(tmp_path, member):
    (tmp_path / "made.npz").write_bytes(archive_of([("header.npy", member)]))
    with refused("header"):
        ds.read_scores(tmp_path / "made.npz")


def directory_changed(at, value):
    """A valid file with a changed field in the entry of its first member in the directory."""
    stream = io.BytesIO()
    np.savez(stream, header=np.frombuffer(b"{}", dtype=np.uint8), other=np.zeros(3))
    content = bytearray(stream.getvalue())
    entry = content.index(b"PK\1\2")
    content[entry + at : entry + at + len(value)] = value
    return bytes(content)


ARCHIVES = {
    "encrypted": directory_changed(8, b"\x01\x00"),
    "patched data": directory_changed(8, b"\x20\x00"),
    "an unknown compression": directory_changed(10, b"\x63\x00"),
    "a later version of the format": directory_changed(6, b"\xff\x00"),
    "a size that is not there": directory_changed(20, b"\xff\xff\xff\x7f\xff\xff\xff\x7f"),
    "an offset that is not there": directory_changed(42, b"\xff\xff\xff\x7f"),
    "overlapping members": directory_changed(42, b"\x10\x00\x00\x00"),
    "a name that is not UTF-8": directory_changed(8, b"\x00\x08").replace(b"header.npy", b"he\xff\xfeer.npy"),
    "bzip2": archive_of([("header.npy", npy(b"", b""))], compression=zipfile.ZIP_BZIP2),
    "nothing": archive_of([]),
}


@pytest.mark.parametrize("content", ARCHIVES.values(), ids=ARCHIVES)
def test_damaged_archives(tmp_path, content):
    (tmp_path / "made.npz").write_bytes(b"PK\x03\x04"[: 0 if content.startswith(b"PK\x03\x04") else 4] + content)
    with refused(""):
        ds.read_scores(tmp_path / "made.npz")


@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_member_that_is_there_twice(tmp_path):
    member = npy(b"{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }\n", b"{}")
    (tmp_path / "made.npz").write_bytes(archive_of([("header.npy", member)] * 2))
    with refused("two members have the same name"):
        ds.read_scores(tmp_path / "made.npz")


def test_a_small_file_of_large_arrays_is_refused_before_it_is_unpacked(parts, tmp_path):
    header, arrays = parts(lattice())
    arrays["table0"] = np.zeros(10**7, dtype=np.int64)
    np.savez_compressed(tmp_path / "bomb.npz", **arrays, header=np.frombuffer(json.dumps(header).encode(), np.uint8))
    assert (tmp_path / "bomb.npz").stat().st_size < 10**6
    with pytest.raises(ds.TooLarge, match=r"the scores in '.*bomb.npz' need 76.4 MiB; the limit is 20.0 MiB"):
        ds.read_scores(tmp_path / "bomb.npz", max_memory="20MiB")


def test_a_compressed_file_is_read(parts, tmp_path):
    header, arrays = parts(lattice())
    np.savez_compressed(tmp_path / "small.npz", **arrays, header=np.frombuffer(json.dumps(header).encode(), np.uint8))
    assert ds.read_scores(tmp_path / "small.npz", max_memory="1MiB").tables[0].tolist() == arrays["table0"].tolist()


def test_changed_bytes_are_noticed(tmp_path):
    ds.write_scores(lattice(), tmp_path / "made.npz")
    content = bytearray((tmp_path / "made.npz").read_bytes())
    content[content.index(b"table0.npy") + 300] ^= 1
    (tmp_path / "made.npz").write_bytes(content)
    with refused("damaged .*CRC"):
        ds.read_scores(tmp_path / "made.npz")


def test_other_content_under_the_name_of_an_npz_file(tmp_path):
    path = tmp_path / "scores.npz"
    path.write_bytes(bytes(range(256)))
    with pytest.raises(ds.InvalidData, match=r"is not an \.npz file: it does not begin like a zip archive"):
        ds.read_scores(path)
