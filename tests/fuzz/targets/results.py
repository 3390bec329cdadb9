"""Documents of results, of every kind."""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from random import Random

import pandas as pd

import dagscape as ds
from dagscape.drawing.display import Drawn
from dagscape.drawing.own_pictures import OwnPicture
from dagscape.ensembles.ranked_networks import RankedNetworks
from dagscape.report.tables import render
from dagscape.report.terminal import terminal_text
from dagscape.results.base import document
from fuzz.harness import Target
from fuzz.mutations import damage_bytes, damage_json, rename_json, retune_json

_TRUTH = ds.Dag.from_edges("abc", [("a", "b"), ("c", "b")])


def _documents() -> list[object]:
    """Return one document of each kind, as small as they get."""
    rows = [[a, (a + b) % 2, b * a] for a in (0, 1) for b in (0, 1) for _ in range(1 + a + 2 * b)]
    data = ds.Dataset.from_frame(pd.DataFrame(rows, columns=list("abc")))
    scores = ds.local_scores(data, forbidden=[("a", "c")])
    post = ds.posterior(scores, via="all")
    results = [
        data.describe(),
        ds.plan(data, "posterior"),
        ds.compare(_TRUTH, ds.Dag.from_edges("abc")),
        ds.compare(_TRUTH, ds.Dag.from_edges("abc"), level="dags"),
        post,
        ds.posterior(ds.local_scores(data), over="orders"),
        ds.optimal_network(scores, ties=True),
        ds.modes(scores, k=3, delta=1).with_truth(_TRUTH),
        ds.k_best(scores, k=4, space="dags").with_total(post),
        ds.k_best(ds.local_scores(data), k=4),
        ds.sensitivity(data, max_parents=[1, 2], ess=[1, 4]),
        ds.bootstrap(data, "optimal", samples=3, workers=1),
        ds.mmpc(data),
        ds.summarize_scores(scores),
    ]
    return [result.to_dict() for result in results]


_DOCUMENTS = _documents()


def _make(rng: Random) -> bytes:
    chosen = rng.choice(_DOCUMENTS)
    if rng.random() < 0.3:
        chosen = rename_json(rng, chosen, "abc")
    if rng.random() < 0.4:
        chosen = retune_json(rng, chosen)
    content = json.dumps(damage_json(rng, chosen) if rng.random() < 0.6 else chosen).encode()
    return damage_bytes(rng, content) if rng.random() < 0.15 else content


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
        copy = path.with_name("copy.json")
        result.save(copy)
        assert ds.load_result(copy) == result


TARGETS = (Target("results", _make, _use, ".json", quick_cases=80),)
