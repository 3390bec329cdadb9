"""Scores are the same integers on every platform: digests that must hold with every compiler, C library and processor.

``python -m scores.test_same_integers`` (from this folder's parent) prints the digests of the platform that it runs on.
"""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

import dagscape as ds


def arithmetic_table(rows, level_counts):
    """A table from integer arithmetic alone, with cells of very different sizes."""
    row = np.arange(rows, dtype=np.uint64)
    columns = []
    for place, levels in enumerate(level_counts):
        mixed = (row * np.uint64(2654435761 + 2 * place) >> np.uint64(7 + place)) % np.uint64(1 << 16)
        columns.append(mixed * mixed * np.uint64(levels) >> np.uint64(32))
    levels = {f"v{place}": count for place, count in enumerate(level_counts)}
    return ds.Dataset.from_codes(np.stack(columns, axis=1).astype(np.int64), levels)


DATA = {
    "tic-tac-toe": lambda: ds.load_dataset("tic-tac-toe"),
    "zoo": lambda: ds.load_dataset("zoo"),
    "iris": lambda: ds.load_dataset("iris"),
    "100,000 rows": lambda: arithmetic_table(100_000, (2, 3, 4, 5, 7, 2)),
    "300 levels": lambda: arithmetic_table(20_000, (300, 2, 40, 3, 17)),
}

SETTINGS = {
    "bdeu": {"score": "bdeu"},
    "bdeu, ess 0.001": {"score": "bdeu", "ess": 0.001},
    "bdeu, ess 1e9": {"score": "bdeu", "ess": 1e9},
    "k2": {"score": "k2"},
    "bic": {"score": "bic"},
    "mdl": {"score": "mdl"},
    "aic": {"score": "aic"},
    "loglik, prior per size": {"score": "loglik", "structure_prior": "per-size"},
}

DIGESTS = {
    "tic-tac-toe": {
        "bdeu": "420bf381d2239931",
        "bdeu, ess 0.001": "dabda245a2714e18",
        "bdeu, ess 1e9": "492feb2346805529",
        "k2": "0e1511f60c76be19",
        "bic": "eb1a610a5bafab64",
        "mdl": "e869a2715d3ed8b3",
        "aic": "b9869dc8ddc71027",
        "loglik, prior per size": "5d3bb80d11de7cb3",
    },
    "zoo": {
        "bdeu": "15b0ee0fddddf5c0",
        "bdeu, ess 0.001": "be1626233162f90d",
        "bdeu, ess 1e9": "8fefd28dff82082b",
        "k2": "dda92cbe284667b6",
        "bic": "85fb1d9808f5d3b6",
        "mdl": "030474b658ca1ffd",
        "aic": "78e0c8424c29b4a5",
        "loglik, prior per size": "8d14252ede0e0fc6",
    },
    "iris": {
        "bdeu": "3281c4f646e6e7ea",
        "bdeu, ess 0.001": "486f791c365332d1",
        "bdeu, ess 1e9": "05879a477ce41214",
        "k2": "1bbb45351589cd6d",
        "bic": "55e21b8e3aebc9db",
        "mdl": "b0bbd3747162f83c",
        "aic": "5a5d71c341b36474",
        "loglik, prior per size": "abd87d0cbad9696e",
    },
    "100,000 rows": {
        "bdeu": "d2a7964e5d7487f0",
        "bdeu, ess 0.001": "23ecbf1391fe561a",
        "bdeu, ess 1e9": "04bf40720a776e2c",
        "k2": "a887de8ba4da7dfe",
        "bic": "29ef75ac88fb3e63",
        "mdl": "e94359c8511137a0",
        "aic": "4962021e406a2670",
        "loglik, prior per size": "910688eb07931f0e",
    },
    "300 levels": {
        "bdeu": "2cec4cffb0bf669c",
        "bdeu, ess 0.001": "6b788294b836fea8",
        "bdeu, ess 1e9": "db30ac33321e600f",
        "k2": "630db08e206c8547",
        "bic": "3d8a2fe4143e804d",
        "mdl": "cbb9cd408d7442f4",
        "aic": "38adc8c4f3c4bb17",
        "loglik, prior per size": "d4970b3e1340b650",
    },
}


def digest(scores):
    """A digest of the unit and of the scores of all families."""
    found = hashlib.sha256(str(scores.unit.bits).encode())
    for child in range(scores.n):
        for sets in scores.family_sets(child):
            found.update(scores.exact_scores(child, sets).astype("<i8").tobytes())
    return found.hexdigest()[:16]


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS)
@pytest.mark.parametrize("name", DATA)
def test_recorded_digests(name, setting):
    scores = ds.local_scores(DATA[name](), max_parents=3, **SETTINGS[setting])
    assert digest(scores) == DIGESTS[name][setting]


COUNT_DIGESTS = {
    "integers": "eccc690d37716bcb",
    "fractions": "8f7fcc1b4990500b",
    "tiny": "d8ee86a448d31cbb",
    "huge": "aded78e91cc31e50",
}


def arithmetic_counts(kind):
    """Counts of the joint states of ten variables, from integer arithmetic and exact operations on doubles alone."""
    state = np.arange(1024, dtype=np.uint64)
    mixed = ((state * np.uint64(2654435761) >> np.uint64(5)) % np.uint64(1 << 20)).astype(np.float64)
    squares = mixed * mixed
    if kind == "integers":
        return np.floor(squares * 2.0**-33)
    return squares * {"fractions": 2.0**-36, "tiny": 2.0**-58, "huge": 2.0**-18}[kind]


def count_digest(kind):
    return digest(ds.scores_from_joint([f"v{i}" for i in range(10)], arithmetic_counts(kind), max_parents=5))


@pytest.mark.parametrize("kind", COUNT_DIGESTS)
def test_recorded_digests_of_scores_from_counts(kind):
    assert count_digest(kind) == COUNT_DIGESTS[kind]


if __name__ == "__main__":
    print({kind: count_digest(kind) for kind in COUNT_DIGESTS})
    for name, make in DATA.items():
        data = make()
        print(f"    {name!r}: {{".replace("'", '"'))
        for setting, options in SETTINGS.items():
            found = digest(ds.local_scores(data, max_parents=3, **options))
            print(f"        {setting!r}: {found!r},".replace("'", '"'), flush=True)
        print("    },")
