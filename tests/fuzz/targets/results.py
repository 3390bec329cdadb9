"""Documents of results, of every kind."""

from __future__ import annotations

import copy
import dataclasses
import io
import json
import zlib
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd

import dagscape as ds
from dagscape.drawing.display import Drawn
from dagscape.drawing.own_pictures import OwnPicture
from dagscape.ensembles.chain_diagnostics import diagnose
from dagscape.ensembles.ranked_networks import RankedNetworks
from dagscape.report.tables import render
from dagscape.report.terminal import terminal_text
from dagscape.results.base import Result, document
from dagscape.results.npz import write_document
from fuzz.archives import array_headers, array_types, as_bytes, other_header, other_members, packed, parts_of
from fuzz.harness import Target
from fuzz.mutations import damage_bytes, damage_json, rename_json, retune_json

_TRUTH = ds.Dag.from_edges("abc", [("a", "b"), ("c", "b")])


def _results() -> list[Result]:
    """Return one result of each kind, as small as they get."""
    rows = [[a, (a + b) % 2, b * a] for a in (0, 1) for b in (0, 1) for _ in range(1 + a + 2 * b)]
    data = ds.Dataset.from_frame(pd.DataFrame(rows, columns=list("abc")))
    scores = ds.local_scores(data, forbidden=[("a", "c")])
    post = ds.posterior(scores, via="all")
    return [
        data.describe(),
        ds.plan(data, "posterior"),
        ds.compare(_TRUTH, ds.Dag.from_edges("abc")),
        ds.compare(_TRUTH, ds.Dag.from_edges("abc"), level="dags"),
        post,
        ds.edge_accuracy(post, _TRUTH, bins=3),
        ds.class_members(_TRUTH),
        ds.edge_effects(_TRUTH, data),
        ds.feature_averages(ds.k_best(scores, k=3, space="dags"), "v-structures"),
        ds.classify_rows(pd.DataFrame(rows, columns=list("abc")), "a", "naive", cv=2),
        ds.list_curves({"a": [_TRUTH], "b": ds.k_best(scores, k=3, space="dags")}, _TRUTH),
        ds.posterior(ds.local_scores(data), over="orders"),
        ds.optimal_network(scores, ties=True),
        ds.modes(scores, k=3, delta=1).with_truth(_TRUTH),
        ds.k_best(scores, k=4, space="dags").with_total(post),
        ds.k_best(ds.local_scores(data), k=4),
        ds.sensitivity(data, max_parents=[1, 2], ess=[1, 4]),
        ds.bootstrap(data, "optimal", samples=3, workers=1),
        ds.sample_dags(scores, 6),
        _chains(scores),
        ds.mmpc(data),
        ds.summarize_scores(scores),
    ]


def _chains(scores: ds.LocalScores) -> ds.SampledNetworks:
    """Return samples as if they came from chains, with all that these may have."""
    drawn = ds.sample_dags(scores, 16)
    batches = np.full((2, 2, 3, 3), 0.25)
    diagnostics = diagnose(drawn.scores.reshape(2, 8), drawn.networks, edge_means=batches[0], edge_batches=batches)
    return dataclasses.replace(
        drawn, method="chain", chains=2, edge_means=batches[0], edge_batches=batches, diagnostics=diagnostics
    )


_RESULTS = _results()
_DOCUMENTS = [result.to_dict() for result in _RESULTS]


def _archive(result: Result) -> bytes:
    stream = io.BytesIO()
    write_document(stream, result._document())
    return stream.getvalue()


_ARCHIVES = [parts_of(_archive(result)) for result in _RESULTS]


def _make(rng: Random) -> bytes:
    chosen = rng.choice(_DOCUMENTS)
    if rng.random() < 0.3:
        chosen = rename_json(rng, chosen, "abc")
    if rng.random() < 0.4:
        chosen = retune_json(rng, chosen)
    content = json.dumps(damage_json(rng, chosen) if rng.random() < 0.6 else chosen).encode()
    return damage_bytes(rng, content) if rng.random() < 0.15 else content


def _make_archive(rng: Random) -> bytes:
    header, arrays = copy.deepcopy(rng.choice(_ARCHIVES))
    if rng.random() < 0.3:
        header = rename_json(rng, header, "abc")
    if rng.random() < 0.3:
        header["document"] = retune_json(rng, header["document"])
    damages = (_other_numbers, _other_numbers, array_types, array_headers, other_members) if arrays else ()
    content = rng.choice((other_header, _as_it_is, *damages))(rng, header, arrays)
    return damage_bytes(rng, content) if rng.random() < 0.15 else content


def _as_it_is(rng: Random, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    return packed(rng, header, as_bytes(arrays))


def _other_numbers(rng: Random, header: dict[str, Any], arrays: dict[str, np.ndarray]) -> bytes:
    """Numbers beyond their range, networks with cycles, and sets of variables that do not exist."""
    name = rng.choice(sorted(arrays))
    numbers = arrays[name] = np.array(arrays[name])
    if numbers.size:
        if numbers.dtype == np.uint64:
            numbers.flat[rng.randrange(numbers.size)] = rng.choice((0, 1, 2, 4, 6, 7, 8, 2**63, 2**64 - 1))
        else:
            numbers.flat[rng.randrange(numbers.size)] = rng.choice((0.0, -0.0, 0.5, 1.0, -1e-9, 1e300, np.inf, np.nan))
    return packed(rng, header, as_bytes(arrays))


def _use(path: Path) -> None:
    result = ds.load_result(path)
    share = zlib.crc32(path.read_bytes()) % 16
    repr(result)
    assert type(result).from_dict(json.loads(document(result, "json"))) == result
    if share < 2:
        terminal_text(render(result), 100)
    elif share == 2:
        result.to_frame()
        document(result, "csv")
    elif share == 3:
        result._repr_html_()
        # What a notebook leaves out if it fails.
        result._table_html()
    elif share == 4 and isinstance(result, Drawn | OwnPicture):
        ds.draw(result, path.with_name("picture.svg"))
    elif share == 5 and isinstance(result, RankedNetworks):
        result.compare(result, _TRUTH)
        result.agreement()
    elif share == 5 and isinstance(result, ds.Bootstrap):
        result.agreement()
        result.average(lambda dag: dag.edge_count)
    elif share == 6 and isinstance(result, ds.BestNetworks):
        result.average(lambda dag: dag.edge_count)
        result.consensus()
    elif share == 6 and isinstance(result, ds.Posterior | ds.Bootstrap):
        result.to_frame(wide=True)
        result.consensus()
    elif share == 7:
        for name in ("copy.json", "copy.npz"):
            result.save(path.with_name(name))
            assert ds.load_result(path.with_name(name)) == result


TARGETS = (
    Target("results", _make, _use, ".json", quick_cases=80),
    Target("result-archives", _make_archive, _use, ".npz", quick_cases=80),
)
