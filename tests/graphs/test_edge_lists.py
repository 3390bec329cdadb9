from __future__ import annotations

import gzip

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import dagscape as ds
from oracles.graphs import all_dags

NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=6)


@st.composite
def named_dags(draw):
    """Draw a DAG on up to four variables with arbitrary names, or its class."""
    n = draw(st.integers(1, 4))
    names = draw(st.lists(NAMES, min_size=n, max_size=n, unique=True))
    dag = ds.Dag(tuple(names), draw(st.sampled_from(all_dags(n))).parent_masks)
    return draw(st.sampled_from([dag, dag.to_cpdag()]))


@given(graph=named_dags(), ending=st.sampled_from([".csv", ".tsv", ".csv.gz", ".tsv.gz"]))
@settings(max_examples=100, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_round_trip_is_the_identity(tmp_path, graph, ending):
    path = tmp_path / f"edges{ending}"
    ds.write_graph(graph, path)
    back = ds.read_graph(path)
    assert type(back) is type(graph)
    assert back == graph


@pytest.mark.parametrize(
    "name", ['a,"b"', "line\nbreak", "carriage\rreturn", " space ", "tab\there", "ü∅", "from", "->"]
)
def test_odd_names(tmp_path, name):
    for graph in (ds.Dag.from_edges([name, "x"], [("x", name)]), ds.Dag.from_edges([name])):
        for ending in (".csv", ".tsv"):
            ds.write_graph(graph, tmp_path / f"odd{ending}")
            assert ds.read_graph(tmp_path / f"odd{ending}") == graph


def test_files_as_they_look(tmp_path):
    ds.write_graph(ds.Dag.from_edges("abc", [("a", "b"), ("b", "c")]), tmp_path / "chain.csv")
    assert (tmp_path / "chain.csv").read_text() == "from,to\na,b\nb,c\n"
    ds.write_graph(ds.Dag.from_edges("abc", [("b", "a")]), tmp_path / "isolated.csv")
    assert (tmp_path / "isolated.csv").read_text() == "from,to\na,\nb,\nc,\nb,a\n"
    ds.write_graph(ds.Dag.from_edges("ab", [("a", "b")]).to_cpdag(), tmp_path / "class.tsv.gz")
    assert gzip.decompress((tmp_path / "class.tsv.gz").read_bytes()) == b"from\tto\ttype\na\tb\t--\n"
    ds.write_graph(ds.load_network("cancer"), tmp_path / "cancer.csv")
    assert ds.read_graph(tmp_path / "cancer.csv") == ds.load_network("cancer").dag


CHAIN = ds.Dag.from_edges("abc", [("a", "b"), ("b", "c")])


@pytest.mark.parametrize(
    "text",
    [
        "from,to\na,b\nb,c\n",
        "a,b\nb,c",
        "a,b\r\nb,c\r\n",
        "\ufeffa,b\n\nb,c\n",
        "Source,Target\na,b\nb,c\n",
        "child,weight,parent\nb,0.5,a\nc,1,b\n",
        "a,b,0.5\nb,c,1\n",
        "from,to,kind\na,b,->\nb,c,→\n",
        "a,b,->\nb,c,directed\n",
        "from,to,type\na,b,->\nc,b,<-\n",
        "a\na,b\nb,c\n",
    ],
)
def test_what_a_dag_may_look_like(tmp_path, text):
    (tmp_path / "edges.csv").write_text(text)
    assert ds.read_graph(tmp_path / "edges.csv", list("abc")) == CHAIN


def test_classes(tmp_path):
    for text in ("from,to,type\na,b,--\nb,c,undirected\n", "a,b,--\nb,c,-\n"):
        (tmp_path / "class.csv").write_text(text)
        assert ds.read_graph(tmp_path / "class.csv") == CHAIN.to_cpdag()
    (tmp_path / "class.csv").write_text("from,to,type\na,c,->\nb,c,->\nc,d,--\n")
    with pytest.raises(ds.InvalidData, match="not the CPDAG of any DAG"):
        ds.read_graph(tmp_path / "class.csv")


def test_variables_without_edges(tmp_path):
    (tmp_path / "edges.csv").write_text("from,to\nb,a\n")
    assert ds.read_graph(tmp_path / "edges.csv").variables == ("b", "a")
    assert ds.read_graph(tmp_path / "edges.csv", list("abc")) == ds.Dag.from_edges("abc", [("b", "a")])
    with pytest.raises(ds.InvalidData, match="mentions 'b', which is not a variable"):
        ds.read_graph(tmp_path / "edges.csv", ["a"])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no edges and no variables"),
        ("from,to\n", "has no edges and no variables"),
        ("from,to\n,b\n", "row 2: the parent is empty"),
        ("a,a\n", "row 1: an edge leads from 'a' to itself"),
        ("from,to,type\na,b,=>\n", "row 2: the type of the edge is '=>'; it must be '->' or '--'"),
        ("a,b\nb,a\n", "edges.csv': .*directed cycle: a -> b -> a"),
        ("from;to\na;b\n", "row 1: 'from;to' is a single cell: write parent and child in two, separated by commas"),
        ("from\tto\na\tb\n", "is a single cell"),
        ("a -> b\n", "'a -> b' is a single cell"),
        (
            "predicted,P(a),P(b),P(c)\na,0.5,0.2,0.3\n",
            "row 1: 4 columns need a header that names two of them 'from' and",
        ),
        (
            "a,c,->\nb,c,->\nc,d,--\n",
            "edges.csv': the edges are not the CPDAG of any DAG; 'c' -- 'd' must be 'c' -> 'd'",
        ),
        (
            "a,b,->\nb,c,--\n",
            "not the CPDAG of any DAG; 'a' -> 'b' must be 'a' -- 'b': correct the types, or leave out",
        ),
        ("a,b,->\nc,d,--\n", "not the CPDAG of any DAG; 'a' -> 'b' must be 'a' -- 'b'"),
        ("a,b,--\nb,c,--\nc,d,--\nd,a,--\n", "not the CPDAG of any DAG, and no DAG extends the pattern"),
        ('"a"x,b\n', "is not a table of edges"),
    ],
)
def test_wrong_files(tmp_path, text, message):
    (tmp_path / "edges.csv").write_text(text)
    with pytest.raises(ds.InvalidData, match=message):
        ds.read_graph(tmp_path / "edges.csv")


def test_commas_in_a_file_of_tabs(tmp_path):
    (tmp_path / "edges.tsv").write_text("from,to\na,b\n")
    with pytest.raises(ds.InvalidData, match=r"'from,to' is a single cell: .* separated by tabs"):
        ds.read_graph(tmp_path / "edges.tsv")


def test_what_cannot_be_written(tmp_path):
    with pytest.raises(ds.InvalidOption, match=r"must end in one of \.csv, \.tsv"):
        ds.write_graph(CHAIN, tmp_path / "edges.txt")
    with pytest.raises(ds.InvalidOption, match="empty name"):
        ds.write_graph(ds.Dag.from_edges(["", "b"]), tmp_path / "edges.csv")
    with pytest.raises(ds.InvalidOption, match="a list has no edges to write"):
        ds.write_graph([("a", "b")], tmp_path / "edges.csv")
    assert not list(tmp_path.iterdir())


def test_a_published_edge_list(shared_data):
    consensus = ds.read_graph(shared_data / "sets/sachs_consensus_edges.csv")
    assert (consensus.n, consensus.edge_count) == (11, 20)
