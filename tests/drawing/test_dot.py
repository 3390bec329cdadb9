from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dagscape.core.errors import InvalidOption
from dagscape.drawing.dot import quoted_id, quoted_label, to_dot
from dagscape.graphs.dag import Dag

# The tokens of the language that are used here: quoted strings, plain words, punctuation.
TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[A-Za-z_0-9.]+|->|[{}\[\]=,;]|\s+', re.DOTALL)
names = st.text(st.characters(codec="utf-8"), max_size=8)


def tokens(text):
    found, at = [], 0
    while at < len(text):
        match = TOKEN.match(text, at)
        assert match, text[at : at + 20]
        at = match.end()
        if not match[0].isspace():
            found.append(match[0])
    return found


def statements(text):
    """The nodes and edges of the source, each with its attributes."""
    words = tokens(text)
    assert words[:2] == ["digraph", "{"]
    assert words[-1] == "}"
    nodes, edges, current = {}, {}, []
    for word in words[2:-1]:
        if word != ";":
            current.append(word)
            continue
        head, attributes = current, {}
        if "[" in current:
            start = current.index("[")
            head, rest = current[:start], current[start + 1 : -1]
            attributes = dict(zip(rest[::4], rest[2::4], strict=True))
        if len(head) == 1 and head[0].startswith('"'):
            assert head[0] not in nodes
            nodes[head[0]] = attributes
        elif len(head) == 3 and head[1] == "->":
            assert (head[0], head[2]) not in edges
            edges[head[0], head[2]] = attributes
        current = []
    return nodes, edges


def test_nodes_and_edges_stand_once_each():
    dag = Dag.from_edges(["a", "b", "c"], [("a", "b"), ("c", "b")])
    nodes, edges = statements(to_dot(dag))
    assert nodes == {'"a"': {}, '"b"': {}, '"c"': {}}
    assert edges == {('"a"', '"b"'): {}, ('"c"', '"b"'): {}}


def test_undirected_edges_have_no_direction():
    cpdag = Dag.from_edges(["a", "b"], [("a", "b")]).to_cpdag()
    assert statements(to_dot(cpdag))[1] == {('"a"', '"b"'): {"dir": "none"}}


def test_weights_give_widths_colours_and_labels():
    dag = Dag.from_edges(["a", "b"], [("a", "b")])
    edge = statements(to_dot(dag, weights=[[0, 0.984], [0, 0]]))[1]['"a"', '"b"']
    assert edge == {"penwidth": "2.96", "color": '"#303c4d"', "label": '"0.98"'}
    assert "label" not in statements(to_dot(dag, weights=np.ones((2, 2)), labels=False))[1]['"a"', '"b"']
    assert not statements(to_dot(dag, weights=np.zeros((2, 2)), threshold=0.1))[1]
    with pytest.raises(InvalidOption, match="weights has shape"):
        to_dot(dag, weights=np.ones((3, 3)))


@given(st.lists(names, min_size=2, max_size=6, unique=True), names)
def test_any_name_gives_distinct_well_formed_nodes(variables, title):
    dag = Dag.from_edges(variables, [(variables[0], name) for name in variables[1:]])
    text = to_dot(dag, title=title)
    text.encode("utf-8")
    nodes, edges = statements(text)
    assert len(nodes) == len(variables)
    assert {end for edge in edges for end in edge} == set(nodes)
    assert len(edges) == len(variables) - 1


@pytest.mark.parametrize(
    ("name", "identifier", "label"),
    [
        ("", '""', '""'),
        ('say "hi"', r'"say \"hi\""', r'"say \"hi\""'),
        ("back\\slash\\", r'"back\\slash\\"', r'"back\\slash\\"'),
        ("<b>", '"<b>"', '"<b>"'),
        ("two\nlines", r'"two\nlines"', '"two lines"'),
        ("two\\nlines", r'"two\\nlines"', r'"two\\nlines"'),
        ("&lt;", '"&lt;"', '"&amp;lt;"'),
        ("\x00", r'"\x00"', '"\ufffd"'),
        ("\ud800", r'"\xd800"', '"\ufffd"'),
        ("Größe 中", '"Größe 中"', '"Größe 中"'),
    ],
)
def test_quoting(name, identifier, label):
    assert (quoted_id(name), quoted_label(name)) == (identifier, label)
