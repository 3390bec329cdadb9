from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import dagscape as ds
from dagscape.core.progress import Progress
from dagscape.scores.arithmetic.fixed_point import IMPOSSIBLE
from dagscape.scores.tables.lattice import SetIndex, combinations, parent_sets, set_count
from scores.strategies import dataset


@pytest.fixture(scope="module")
def toy():
    rng = np.random.default_rng(2)
    return dataset([2, 3, 2, 4], [tuple(int(rng.integers(r)) for r in (2, 3, 2, 4)) for _ in range(60)])


@pytest.fixture(scope="module")
def scores(toy):
    return ds.local_scores(toy)


@pytest.mark.parametrize("n", [1, 2, 5, 7])
def test_python_and_kernels_number_sets_in_the_same_way(n):
    for max_size in range(n + 1):
        index = SetIndex(n, max_size)
        ranks = [
            int(index.rank(np.array([chosen], dtype=np.int64).reshape(1, -1))[0])
            for size in range(max_size + 1)
            for chosen in itertools.combinations(range(n), size)
        ]
        assert sorted(ranks) == list(range(index.size)) == list(range(set_count(n, max_size)))


def test_combinations_are_in_order_of_masks():
    for n in range(7):
        for size in range(n + 1):
            masks = [sum(1 << m for m in row) for row in combinations(n, size).tolist()]
            expected = [mask for mask in range(1 << n) if mask.bit_count() == size]
            assert masks == expected


def test_parent_sets_leave_the_child_out():
    assert parent_sets(4, 1, 2).tolist() == [[0, 2], [0, 3], [2, 3]]


def test_families_are_complete_and_best_first(scores):
    for child in range(4):
        listed = scores.families(child)
        assert len(listed) == 8
        assert len({family.parents for family in listed}) == 8
        assert list(listed.scores) == sorted(listed.scores, reverse=True)
        for family in listed:
            assert family.score == scores.family(family.child, family.parents)
    assert scores.family_count == 32


@pytest.mark.parametrize("top", [1, 3, 8, 100])
def test_top_families_are_the_first_of_all(scores, top):
    assert list(scores.families("v2", top)) == list(scores.families("v2"))[:top]


def test_tied_families_are_ordered_by_size_then_by_variables():
    scores = ds.FamilyTable(
        {
            "a": {(): -1.0, ("c",): -1.0, ("b",): -1.0, ("b", "c"): -1.0, ("d",): -1.0},
            **{v: {(): 0.0} for v in "bcd"},
        }
    )
    assert [f.parents for f in scores.families("a")] == [(), ("b",), ("c",), ("d",), ("b", "c")]
    assert [f.parents for f in scores.families("a", 3)] == [(), ("b",), ("c",)]


def test_bulk_and_single_scores_agree(scores):
    asked = [[], ["v2"], ["v0", "v2"], ["v2", "v0"], ["v3"], ["v0", "v2", "v3"]]
    assert scores.scores_of("v1", asked).tolist() == [scores.family("v1", parents) for parents in asked]
    assert scores.scores_of("v1", []).tolist() == []


def test_a_network_is_the_sum_of_its_families(scores):
    parents = {"v1": ["v0"], "v2": ["v0", "v1"]}
    parts = [scores.family(v, parents.get(v, ())) for v in scores.variables]
    assert scores.network(parents) == pytest.approx(sum(parts))


def test_a_limit_on_parents_changes_no_score(toy, scores):
    limited = ds.local_scores(toy, max_parents=2)
    assert limited.complete
    assert limited.max_parents == 2
    assert limited.family_count == 4 * 7
    for child in range(4):
        for family in limited.families(child):
            assert family.score == pytest.approx(scores.family(child, family.parents), abs=1e-9)
    with pytest.raises(ds.InvalidOption, match="max_parents is 2"):
        limited.family("v0", ["v1", "v2", "v3"])
    assert ds.local_scores(toy, max_parents=99).max_parents == 3
    assert ds.local_scores(toy, max_parents=0).family_count == 4


@pytest.mark.parametrize(
    ("child", "parents", "message"),
    [
        ("w", [], "'w' is not a variable"),
        (4, [], "4 is not a variable"),
        ("v0", ["v0"], "cannot be a parent of itself"),
        ("v0", ["v1", "v1"], "twice"),
        ("v0", ["x"], "'x' is not a variable"),
        ("v0", "v1", "collection of names"),
    ],
)
def test_wrong_families_are_refused(scores, child, parents, message):
    with pytest.raises(ds.InvalidOption, match=message):
        scores.family(child, parents)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"score": "bde"}, "score is 'bde'; it must be one of bdeu, k2"),
        ({"ess": 0}, "ess is 0;"),
        ({"ess": "1"}, "ess is '1'"),
        ({"ess": math.nan}, "ess is nan"),
        ({"max_parents": -1}, "max_parents is -1"),
        ({"max_parents": 1.5}, "max_parents is 1.5"),
        ({"max_parents": math.nan}, "max_parents is nan"),
        ({"structure_prior": "edge-penalty:-1"}, "between 0 and 1e6"),
        ({"progress": 3}, "progress is 3"),
        ({"structure_prior": "flat"}, "structure_prior is 'flat'"),
        ({"structure_prior": "edge-penalty:x"}, "needs a number of nats"),
        ({"threads": 0}, "threads is 0"),
        ({"max_memory": "lots"}, "max_memory is 'lots'"),
    ],
)
def test_wrong_options_are_refused(toy, options, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.local_scores(toy, **options)


def test_top_must_be_at_least_one(scores):
    with pytest.raises(ds.InvalidOption, match="top is 0"):
        scores.families(0, top=0)


def test_a_list_is_not_a_dataset(toy):
    message = r"data is a list; it must be a Dataset: use read_data\(\) or Dataset\.from_frame\(\)"
    with pytest.raises(ds.InvalidOption, match=message):
        ds.local_scores(toy.codes.tolist())


def test_too_large_names_the_memory_the_limit_and_the_remedy():
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 2, (50, 34)))
    message = (
        r"34 variables with up to 33 parents need 128\.0 GiB; the limit is 1\.0 GiB \(max_memory\).*with max_parents=5"
    )
    with pytest.raises(ds.TooLarge, match=message):
        ds.local_scores(data, max_memory="1GiB")
    assert isinstance(ds.TooLarge(""), MemoryError)
    assert ds.local_scores(data, max_parents=1, max_memory="1GiB").family_count == 34 * 34


def test_hundreds_of_variables_with_a_limit():
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 3, (100, 150)))
    scores = ds.local_scores(data, max_parents=1)
    small = ds.local_scores(data.select([data.variables[140], data.variables[3]]))
    assert scores.family(data.variables[140], [data.variables[3]]) == pytest.approx(small.family(0, [1]))


def test_one_variable():
    scores = ds.local_scores(dataset([3], [(0,), (1,), (1,)]))
    assert scores.family_count == 1
    assert scores.complete
    assert scores.family(0) < 0


def test_per_size_prior(toy, scores):
    weighted = ds.local_scores(toy, structure_prior="per-size")
    for child, parents in [("v0", []), ("v0", ["v1"]), ("v3", ["v0", "v1"]), ("v3", ["v0", "v1", "v2"])]:
        expected = scores.family(child, parents) - math.log(math.comb(3, len(parents)))
        assert weighted.family(child, parents) == pytest.approx(expected, abs=1e-9)


def test_edge_penalty(toy, scores):
    weighted = ds.local_scores(toy, structure_prior="edge-penalty:2.5")
    assert weighted.family("v0", ["v1", "v2"]) == pytest.approx(scores.family("v0", ["v1", "v2"]) - 5, abs=1e-9)
    assert weighted.provenance.parameters["structure_prior"] == "edge-penalty:2.5"


def test_progress_is_reported(toy):
    seen: list[Progress] = []
    ds.local_scores(toy, score="k2", progress=seen.append)
    assert seen[-1].done == seen[-1].total == 16 * 4
    assert [p.done for p in seen] == sorted(p.done for p in seen)


def test_an_exception_of_the_listener_stops_the_work():
    data = ds.Dataset.from_array(np.random.default_rng(0).integers(0, 3, (3000, 19)))

    def fail(progress):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        ds.local_scores(data, progress=fail)


def test_provenance(scores, toy):
    record = scores.provenance
    assert record.version == ds.__version__
    assert record.parameters["score"] == "bdeu"
    assert record.parameters["ess"] == 1.0
    assert record.parameters["data"] == toy.fingerprint
    assert record.parameters["max_parents"] == 3
    assert "threads" in record.backend


def test_tables_are_read_only(scores):
    with pytest.raises(ValueError, match="read-only"):
        scores.tables[0][0] = 1


def test_nbytes_is_the_memory_of_the_tables(scores):
    assert scores.nbytes == 16 * 8
    assert "4 variables" in repr(scores)


def test_impossible_families_are_not_listed(toy):
    scores = ds.local_scores(toy, forbidden=[("v1", "v0")])
    assert scores.family_exact("v0", ["v1"]) == IMPOSSIBLE
    assert len(scores.families("v0")) == 4
    assert scores.network({"v0": ["v1"]}) == -math.inf
