"""Networks: JSON documents, BIF files and XML."""

from __future__ import annotations

import io
import json
import zlib
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd

import dagscape as ds
from dagscape.networks.json_documents import measured_network_from_dict, network_from_dict
from dagscape.networks.writing import measured_network_to_dict, network_to_dict, write_bif
from dagscape.networks.xml.xdsl import write_xdsl
from dagscape.networks.xml.xmlbif import write_xmlbif
from fuzz.harness import Target
from fuzz.mutations import damage_bytes, damage_json, damage_text, rename_json

_FRAME = pd.DataFrame({"x": [0.5, 1.5, 2.5, 9.5], "y": list("aabb"), "z": [1, 2, 2, 1]})
_CUT = ds.discretize(_FRAME, bins=2)
_NETWORKS = [
    ds.load_network("sprinkler"),
    ds.load_network("asia"),
    ds.Network.fit(ds.Dag.from_edges("xyz", [("x", "z"), ("y", "z")]), _CUT, name="näme"),
]
_MIXED = ds.MixedData.from_frame(_FRAME, numeric=["x"], nominal=["y", "z"])
_MEASURED = [
    ds.GaussianNetwork.fit(ds.Dag("xz", [("x", "z")]), ds.NumericData.from_frame(_FRAME[["x", "z"]])),
    ds.ConditionalGaussianNetwork.fit(ds.Dag("xyz", [("z", "y"), ("y", "x"), ("z", "x")]), _MIXED, name="näme"),
]
_DOCUMENTS = [network_to_dict(network) for network in _NETWORKS]
_MEASURED_DOCUMENTS = [measured_network_to_dict(network) for network in _MEASURED]

_WORDS = (
    *("variable", "probability", "network", "property", "type", "discrete", "table", "default", "{", "}", "(", ")"),
    *("[", "]", "|", ";", '"', "/*", "*/", "//", "\\", "0.5", "1e999", "-1", "1000000000", "%ED%A0%80", "_"),
    *("property dagscape-names percent-encoded;", "property dagscape-types %7B%7D;", '"\\ud800"'),
)

_OWN = """network weather { property "version 1"; // a comment
}
variable rain { type discrete [ 2 ] { no, "a lot" }; property position = (1, 2); }
variable wet { type discrete[3] { dry damp wet }; }
probability ( rain ) { table 0.8, 0.2; }
probability ( wet | rain ) { (no) 0.9, 0.1, 0; default 0.2 /* more */ 0.3, 0.5; }
"""


def _make_json(rng: Random) -> bytes:
    return _damaged(rng, list(zip(_NETWORKS, _DOCUMENTS, strict=True)))


def _make_measured(rng: Random) -> bytes:
    return _damaged(rng, list(zip(_MEASURED, _MEASURED_DOCUMENTS, strict=True)))


def _damaged(rng: Random, documents: list[tuple[Any, Any]]) -> bytes:
    network, chosen = rng.choice(documents)
    if rng.random() < 0.5:
        names = [*network.variables, *(level for levels in network.levels.values() for level in levels)]
        chosen = rename_json(rng, chosen, names)
    content = json.dumps(damage_json(rng, chosen) if rng.random() < 0.6 else chosen).encode()
    return damage_bytes(rng, content) if rng.random() < 0.15 else content


def _text(network: ds.Network) -> str:
    stream = io.BytesIO()
    write_bif(network, stream)
    return stream.getvalue().decode()


_TEXTS = (_OWN, *map(_text, _NETWORKS))


def _make_bif(rng: Random) -> bytes:
    text = rng.choice(_TEXTS)
    if rng.random() < 0.85:
        text = damage_text(rng, text, _WORDS)
    content = text.encode("utf-8", "surrogatepass")
    return damage_bytes(rng, content) if rng.random() < 0.15 else content


_XML_WORDS = (
    *("<", ">", "/>", "</", "<!--", "-->", "<![CDATA[", "]]>", "&amp;", "&#0;", "&a;", "<?xml?>", "0.5", "1e999"),
    *('<!DOCTYPE BIF [<!ENTITY a "aa">]>', "<deterministic", "<resultingstates>", "<GIVEN>", "<TABLE>", "<state/>"),
    *("<!-- dagscape-order 1 0 -->", "<!-- dagscape-names encoded -->", "<!-- dagscape-types %7B%7D -->", "\x01", "é"),
)


def _xml(network: ds.Network) -> list[str]:
    streams = [io.BytesIO(), io.BytesIO()]
    for writer, stream in zip((write_xdsl, write_xmlbif), streams, strict=True):
        writer(network, stream, {})
    return [stream.getvalue().decode() for stream in streams]


_DOCUMENTS_IN_XML = [text for network in _NETWORKS for text in _xml(network)]


def _make_xml(rng: Random) -> bytes:
    text = rng.choice(_DOCUMENTS_IN_XML)
    if rng.random() < 0.85:
        text = damage_text(rng, text, _XML_WORDS)
    content = text.encode("utf-8", "surrogatepass")
    return damage_bytes(rng, content) if rng.random() < 0.15 else content


def _use_measured(path: Path) -> None:
    network = ds.read_network(path)
    share = zlib.crc32(path.read_bytes()) % 8
    repr(network)
    assert measured_network_from_dict(json.loads(json.dumps(measured_network_to_dict(network)))) == network
    first, last = network.variables[0], network.variables[-1]
    repr(network.query(first))
    if share == 0:
        network.sample(3, seed=1)
    elif share == 1:
        ds.draw(network)
    elif share == 2 and first != last:
        value = network.levels[first][0] if first in network.levels else 1.5
        network.query(last, {first: value})
        network.query(last, do={first: value})
    elif share == 3:
        network.predict(_FRAME, first)
    elif share == 4:
        copy = path.with_name("copy.json")
        ds.write_network(network, copy)
        assert ds.read_network(copy) == network
    elif share == 5:
        network.coefficients()
        network.log_likelihood(network.sample(2, seed=1))


def _use(path: Path) -> None:
    network = ds.read_network(path)
    share = zlib.crc32(path.read_bytes()) % 8
    repr(network)
    assert network_from_dict(json.loads(json.dumps(network_to_dict(network)))) == network
    first = network.variables[0]
    network.query(first)
    if share == 0:
        network.sample(3, seed=1)
    elif share == 1:
        ds.draw(network)
    elif share == 2:
        network.query(network.variables[-1], {first: network.levels[first][0]})
        network.log_likelihood(network.sample(2, seed=1))
    elif share == 3:
        network.predict(_FRAME, first)
    elif share == 4:
        for ending in ("bif", "json", "xdsl"):
            copy = path.with_name(f"copy.{ending}")
            ds.write_network(network, copy)
            assert ds.read_network(copy) == network


TARGETS = (
    Target("networks", _make_json, _use, ".json", quick_cases=60),
    Target("measured-networks", _make_measured, _use_measured, ".json", quick_cases=60),
    Target("bif", _make_bif, _use, ".bif", quick_cases=60),
    Target("network-xml", _make_xml, _use, ".xml", quick_cases=60),
)
