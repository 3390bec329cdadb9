"""XMLBIF and XDSL: files as other programs write them, round trips, and what is refused."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.networks.xml.xdsl import identifier

# As JavaBayes writes it: with a document type, comments in tables, and the variable itself varying fastest.
DOG = """<?xml version="1.0" encoding="US-ASCII"?>
<!DOCTYPE BIF [
  <!ELEMENT BIF ( NETWORK )*>
      <!ATTLIST BIF VERSION CDATA #REQUIRED>
  <!ELEMENT NAME (#PCDATA)>
]>
<BIF VERSION="0.3">
<NETWORK>
<NAME>Dog</NAME>
<PROPERTY>credal-set constant-density-bounded 1.1</PROPERTY>
<VARIABLE TYPE="nature">
  <NAME>out</NAME> <OUTCOME>true</OUTCOME> <OUTCOME>false</OUTCOME>
  <PROPERTY>position = (155, 165)</PROPERTY>
</VARIABLE>
<VARIABLE TYPE="nature"><NAME>ill</NAME><OUTCOME>yes</OUTCOME><OUTCOME>no</OUTCOME><OUTCOME>?</OUTCOME></VARIABLE>
<VARIABLE TYPE="nature"><NAME>bark</NAME><OUTCOME>true</OUTCOME><OUTCOME>false</OUTCOME></VARIABLE>
<DEFINITION><FOR>bark</FOR><GIVEN>out</GIVEN><GIVEN>ill</GIVEN>
  <TABLE>
    0.99 0.01 <!-- out, ill -->
    0.90 0.10
    0.97 0.03
    0.30 0.70
    0.01 0.99
    0.5 0.5
  </TABLE>
</DEFINITION>
<DEFINITION><FOR>out</FOR><TABLE>0.6 0.4</TABLE></DEFINITION>
<DEFINITION><FOR>ill</FOR><TABLE>0.01 0.89 1.0E-1</TABLE></DEFINITION>
</NETWORK>
</BIF>
"""

# As GeNIe writes it: extensions for the picture, and a deterministic node.
VENTURE = """<?xml version="1.0" encoding="UTF-8"?>
<smile version="1.0" id="Network1" numsamples="10000" discsamples="10000">
    <nodes>
        <cpt id="Success" target="true">
            <state id="Yes" />
            <state id="No" />
            <probabilities>0.2 0.8</probabilities>
        </cpt>
        <cpt id="Forecast">
            <state id="Good" />
            <state id="Moderate" />
            <state id="Poor" />
            <parents>Success</parents>
            <probabilities>0.4 0.4 0.2 0.1 0.3 0.6</probabilities>
        </cpt>
        <deterministic id="Invest">
            <state id="No" />
            <state id="Yes" />
            <parents>Forecast Success</parents>
            <resultingstates>Yes Yes Yes No No No</resultingstates>
        </deterministic>
    </nodes>
    <extensions>
        <genie version="1.0" app="GeNIe" name="N"><node id="Success"><name>Success of a venture</name></node></genie>
    </extensions>
</smile>
"""


def read(tmp_path, text: str, name: str = "network.xml") -> ds.Network:
    path = tmp_path / name
    path.write_text(text)
    return ds.read_network(path)


def test_a_file_of_javabayes_is_read(tmp_path):
    network = read(tmp_path, DOG)
    assert (network.name, network.variables) == ("Dog", ("out", "ill", "bark"))
    assert network.levels["ill"] == ("yes", "no", "?")
    assert network.dag.parents("bark") == ("out", "ill")
    assert network.cpts["bark"].tolist() == [
        [[0.99, 0.01], [0.9, 0.1], [0.97, 0.03]],
        [[0.3, 0.7], [0.01, 0.99], [0.5, 0.5]],
    ]
    assert network.cpts["ill"].tolist() == [0.01, 0.89, 0.1]


def test_parents_in_another_order_than_the_variables(tmp_path):
    swapped = DOG.replace("<GIVEN>out</GIVEN><GIVEN>ill</GIVEN>", "<GIVEN>ill</GIVEN><GIVEN>out</GIVEN>")
    network = read(tmp_path, swapped)
    # Given ill, then out: the second row is that of ill = yes and out = false.
    assert network.cpts["bark"][1, 0].tolist() == [0.9, 0.1]
    assert network.cpts["bark"][0, 1].tolist() == [0.97, 0.03]


def test_tags_in_lower_case_and_their_older_names_are_read(tmp_path):
    older = DOG.replace("OUTCOME", "VALUE").replace("DEFINITION", "PROBABILITY")
    assert read(tmp_path, older) == read(tmp_path, DOG)
    body = DOG[DOG.index("<BIF") :]
    for tag in ("BIF", "NETWORK", "NAME", "VARIABLE", "OUTCOME", "DEFINITION", "FOR", "GIVEN", "TABLE", "PROPERTY"):
        body = body.replace(f"<{tag}", f"<{tag.lower()}").replace(f"</{tag}", f"</{tag.lower()}")
    assert read(tmp_path, body) == read(tmp_path, DOG)


def test_a_file_of_genie_is_read(tmp_path):
    network = read(tmp_path, VENTURE, "venture.xdsl")
    assert (network.name, network.variables) == ("Network1", ("Success", "Forecast", "Invest"))
    assert network.cpts["Forecast"].tolist() == [[0.4, 0.4, 0.2], [0.1, 0.3, 0.6]]
    # Forecast varies slowest, and the axes are in the order of the variables.
    assert network.dag.parents("Invest") == ("Success", "Forecast")
    assert network.cpts["Invest"][:, :, 1].tolist() == [[1, 1, 0], [1, 0, 0]]
    assert network.query("Success", {"Forecast": "Good"})["Yes"] == pytest.approx(0.5)


NAMES = st.text(
    st.characters(min_codepoint=32, max_codepoint=0x10FFFF, exclude_categories=["Cs", "Cc", "Z"]),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(NAMES, min_size=1, max_size=4, unique=True),
    st.lists(NAMES, min_size=2, max_size=3, unique=True),
    st.integers(0, 2**32),
)
@pytest.mark.parametrize("ending", ["xmlbif", "xdsl.gz"])
def test_every_network_is_read_back(tmp_path, ending, names, levels, seed):
    rng = np.random.default_rng(seed)
    dag = ds.random_dag(names, seed=rng)
    tables = {}
    for name in names:
        shape = (len(levels),) * (len(dag.parents(name)) + 1)
        weights = rng.random(shape)
        tables[name] = weights / weights.sum(axis=-1, keepdims=True)
    network = ds.Network(dag, dict.fromkeys(names, tuple(levels)), tables, names[0])
    path = tmp_path / f"network.{ending}"
    network.save(path)
    again = ds.read_network(path)
    assert again == network
    assert (again.name, again.types) == (network.name, network.types)


@pytest.mark.parametrize("ending", ["xmlbif", "xdsl"])
def test_types_and_the_discretizer_are_kept(tmp_path, ending):
    data = ds.discretize("builtin:iris", bins=2)
    network = ds.Network.fit(ds.Dag.from_edges(data.variables, [("class", "petal_width")]), data)
    path = tmp_path / f"iris.{ending}"
    network.save(path)
    again = ds.read_network(path)
    assert again == network
    assert again.discretizer == network.discretizer
    assert again.types == network.types


def test_names_of_xdsl_are_identifiers(tmp_path):
    network = ds.Network(
        ds.Dag.from_edges(["high fever"], []), {"high fever": ("0", "1-2")}, {"high fever": np.array([0.5, 0.5])}
    )
    network.save(tmp_path / "fever.xdsl")
    text = (tmp_path / "fever.xdsl").read_text()
    assert '<cpt id="nhigh_x20fever">' in text
    assert '<state id="n1_x2D2" />' in text
    assert "<!-- dagscape-names encoded -->" in text
    assert identifier("a_xb_") == "na_x5Fxb_"


BILLION = """<?xml version="1.0"?>
<!DOCTYPE BIF [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<BIF><NETWORK><NAME>&b;</NAME></NETWORK></BIF>"""
OUTSIDE = '<!DOCTYPE BIF [<!ENTITY a SYSTEM "file:///etc/passwd">]><BIF><NETWORK><NAME>&a;</NAME></NETWORK></BIF>'
PARAMETER = '<!DOCTYPE BIF [<!ENTITY % a SYSTEM "file:///etc/passwd"> %a;]><BIF/>'


@pytest.mark.parametrize("text", [BILLION, OUTSIDE, PARAMETER])
def test_entities_are_refused(tmp_path, text):
    with pytest.raises(ds.InvalidData, match="the entity 'a' is declared, which could make the file expand without"):
        read(tmp_path, text)


WRONG = [
    ("<BIF", "'network.xml', line 1: this is not well-formed XML (unclosed token)"),
    ("<BIF></BIF>", "'network.xml', line 1: <BIF> has no <NETWORK>"),
    ("<BIF><NETWORK/></BIF>", "'network.xml' declares no variables: is it a XMLBIF file?"),
    ("<smile/>", "'network.xml' declares no variables: is it a XDSL file?"),
    ("<svg/>", "'network.xml' is XML, but its element <svg> is neither <BIF> (XMLBIF) nor <smile> (XDSL of GeNIe)"),
    ("<a>" * 101, "line 1: elements are nested more than 100 deep, which is the limit"),
    (DOG.replace("0.6 0.4", "0.6 0.5"), "line 27: the probabilities of 'out' sum to 1.1, not to 1"),
    (DOG.replace("0.6 0.4", "0.6 x"), "line 27: found 'x' in <table>; expected a probability"),
    (DOG.replace("0.6 0.4", "0.6 1_0"), "line 27: found '1_0' in <table>; expected a probability"),
    (DOG.replace("0.6 0.4", "0.6"), "line 27: 'out' has 1 probabilities here; it must have 2"),
    (DOG.replace("<GIVEN>ill</GIVEN>", "<GIVEN>sick</GIVEN>"), "the variable 'sick' is not declared"),
    (DOG.replace("<FOR>out</FOR>", ""), "line 27: <DEFINITION> has 0 elements <FOR>; it must have 1"),
    (DOG.replace("<TABLE>0.6 0.4</TABLE>", ""), "line 27: the <DEFINITION> of 'out' has no <TABLE>"),
    (
        DOG.replace('"nature"><NAME>ill', '"utility"><NAME>ill'),
        "line 15: 'ill' is of type 'utility'; it must be 'nature'",
    ),
    (DOG.replace("<OUTCOME>no<", "<OUTCOME>yes<"), "line 15: the level 'yes' of 'ill' is listed twice"),
    (
        DOG.replace("0.99 0.01 <", "0.9 0.01 <"),
        "line 18: the probabilities of 'bark' given ('true', 'yes') sum to 0.91, not to 1; the probabilities of all "
        "its levels follow each other, for each state of the parents",
    ),
    (
        VENTURE.replace("cpt", "noisymax"),
        "line 4: a node is of the kind 'noisymax'; it must be 'cpt' or 'deterministic'",
    ),
    (VENTURE.replace("<nodes>", "<dynamic/><nodes>"), "the network is dynamic, and dagscape has no such networks"),
    (VENTURE.replace('cpt id="Success"', "cpt"), "line 4: <cpt> has no id"),
    (VENTURE.replace("<probabilities>0.2 0.8</probabilities>", ""), "line 4: 'Success' has no <probabilities>"),
    (VENTURE.replace("Yes Yes Yes No", "Yes Yes Yes So"), "line 20: 'So' is not a level of 'Invest'"),
    (VENTURE.replace("<parents>Success<", "<parents>Invest<"), "form a cycle: 'Forecast' -> 'Invest' -> 'Forecast'"),
    (
        VENTURE.replace("<smile", "<!-- dagscape-order 0 0 1 --><smile"),
        "the property dagscape-order is damaged: remove it",
    ),
]


@pytest.mark.parametrize(("text", "words"), WRONG)
def test_what_is_wrong_is_said_with_its_line(tmp_path, text, words):
    with pytest.raises(ds.InvalidData) as caught:
        read(tmp_path, text)
    assert words in str(caught.value).replace(str(tmp_path) + "/", "")


def test_memory_is_checked_before_elements_are_parsed(tmp_path):
    path = tmp_path / "many.xml"
    path.write_text("<BIF>" + "<a/>" * 10_000 + "</BIF>")
    with pytest.raises(ds.TooLarge, match=r"the contents of .* need"):
        ds.read_network(path, max_memory="5MiB")


@pytest.mark.parametrize("name", [" x", "a\x01", "unknown"])
def test_what_xmlbif_cannot_hold_is_refused(tmp_path, name):
    network = ds.Network(ds.Dag.from_edges(["x"], []), {"x": ("a", "b")}, {"x": np.array([0.5, 0.5])}, name)
    with pytest.raises(ds.InvalidOption, match=r"write a .json or .bif file"):
        network.save(tmp_path / "network.xmlbif")
    network.save(tmp_path / "network.xdsl")
    assert ds.read_network(tmp_path / "network.xdsl").name == name


def test_the_command_line_takes_and_writes_them(tmp_path):
    path = tmp_path / "venture.xdsl.gz"
    path.write_bytes(gzip.compress(VENTURE.encode()))
    command = [sys.executable, "-m", "dagscape", "query", str(path), "--most-probable", "--json"]
    found = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert found["levels"] == {"Success": "No", "Forecast": "Poor", "Invest": "No"}
    (tmp_path / "bomb.xml").write_text(BILLION)
    command = [sys.executable, "-m", "dagscape", "query", str(tmp_path / "bomb.xml"), "--most-probable"]
    failed = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (failed.returncode, "the entity 'a' is declared" in failed.stderr) == (3, True)
