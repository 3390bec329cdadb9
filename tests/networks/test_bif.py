from __future__ import annotations

import contextlib
import gzip
import re
import sys
import tracemalloc
from functools import partial
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dagscape.core.errors import InvalidData, InvalidOption, TooLarge
from dagscape.data.discrete.discretizing import Discretizer
from dagscape.graphs.dag import Dag
from dagscape.networks.bif.names import KEYWORDS, decode_name, encode_name, is_plain
from dagscape.networks.bif.reading import find_cycle, parse_network
from dagscape.networks.bif.syntax import MAX_NAMES, MAX_VARIABLES, unquote
from dagscape.networks.bundled import NETWORKS, load_network
from dagscape.networks.discrete.network import Network
from dagscape.networks.files import read_network, write_network

PUBLISHED = {
    "alarm": (37, 46, 509),
    "andes": (223, 338, 1157),
    "asia": (8, 8, 18),
    "barley": (48, 84, 114005),
    "cancer": (5, 4, 10),
    "carstarts": (18, 17, 61),
    "child": (20, 25, 230),
    "earthquake": (5, 4, 10),
    "hailfinder": (56, 66, 2656),
    "hepar2": (70, 123, 1453),
    "insurance": (27, 52, 1008),
    "mildew": (35, 46, 540150),
    "javabayes_alarm": (37, 46, 509),
    "javabayes_asia": (8, 8, 18),
    "javabayes_cancer": (5, 5, 11),
    "javabayes_hailfinder": (56, 66, 2656),
    "sachs": (11, 17, 178),
    "survey": (6, 6, 21),
    "water": (32, 66, 10083),
    "win95pts": (76, 112, 574),
}

SMALL = """network weather { // a comment
  property version 1.0; }
variable rain {
  type discrete [ 2 ] { no, yes };
}
variable street { /* another
  comment */ type discrete [ 3 ] { dry, wet, "thin ice" }; property "position = (1, 2);" ;
}
probability ( rain ) {
  table 0.8, 0.2;
}
probability ( street | rain ) {
  (yes) 0.0, 0.5, 5e-1;
  (no) 0.9, 0.1, 0.0;
}
"""


def odd_network(names: list[str], levels: list[str], title: str) -> Network:
    dag = Dag.from_edges(names, [(name, names[-1]) for name in names[:-1]])
    generator = np.random.default_rng(0)
    cpts = {}
    for name in names:
        table = generator.random([len(levels)] * (len(dag.parents(name)) + 1)) ** 20
        cpts[name] = table / table.sum(axis=-1, keepdims=True)
    return Network(dag, dict.fromkeys(names, tuple(levels)), cpts, title)


@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLISHED)
def test_published_networks_load_sample_and_come_back_the_same(shared_data, tmp_path, name):
    network = read_network(shared_data / "networks" / f"{name}.bif.gz")
    assert (network.n, network.dag.edge_count, network.parameter_count) == PUBLISHED[name]
    assert network.sample(50, seed=1).m == 50
    write_network(network, tmp_path / "again.bif.gz")
    assert read_network(tmp_path / "again.bif.gz") == network
    assert read_network(tmp_path / "again.bif.gz").name == network.name


def test_all_networks_of_the_collection_are_tested(shared_data):
    found = {path.name.removesuffix(".bif.gz") for path in (shared_data / "networks").glob("*.bif.gz")}
    assert found == set(PUBLISHED)


def test_a_small_file_is_read_as_it_is_written():
    network = parse_network(SMALL)
    assert network.name == "weather"
    assert dict(network.levels) == {"rain": ("no", "yes"), "street": ("dry", "wet", "thin ice")}
    assert network.dag.edges == (("rain", "street"),)
    assert network.cpts["rain"].tolist() == [0.8, 0.2]
    assert network.cpts["street"].tolist() == [[0.9, 0.1, 0.0], [0.0, 0.5, 0.5]]


def test_axes_follow_the_variables_whatever_the_order_of_the_parents():
    text = """probability ( c | b, a ) { (x, 1) 0.1, 0.9; (y, 1) 0.2, 0.8; (z, 1) 0.3, 0.7;
                                         (x, 2) 0.4, 0.6; (y, 2) 0.5, 0.5; (z, 2) 0.6, 0.4; }
    variable a { type discrete [ 2 ] { 1, 2 }; } variable b { type discrete [ 3 ] { x, y, z }; }
    variable c { type discrete [ 2 ] { no, yes }; }
    probability ( a ) { table 0.5, 0.5; } probability ( b ) { table 0.2, 0.3, 0.5; }"""
    network = parse_network(text)
    assert network.dag.parents("c") == ("a", "b")
    assert network.cpts["c"][..., 0].tolist() == [[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]


def test_flat_tables_have_the_child_slowest_and_the_last_parent_fastest():
    # Charniak's dog problem in the old syntax: quoted names, neither commas nor bars. The dog is out with probability
    # 0.99 if both hold, 0.97 for bowel trouble only, 0.90 if only the family is out, and 0.3 otherwise.
    text = """network "Dog-Problem" { }
    variable "bowel-problem" { type discrete[2] { "true" "false" }; property "position = (335, 99)" ; }
    variable "family-out" { type discrete[2] { "true" "false" }; }
    variable "dog-out" { type discrete[2] { "true" "false" }; }
    probability ( "bowel-problem" ) { table 0.01 0.99 ; }
    probability ( "family-out" ) { table 0.15 0.85 ; }
    probability ( "dog-out" "bowel-problem" "family-out" ) { table 0.99 0.97 0.9 0.3 0.01 0.03 0.1 0.7 ; }"""
    network = parse_network(text)
    assert network.name == "Dog-Problem"
    assert network.dag.parents("dog-out") == ("bowel-problem", "family-out")
    assert network.cpts["dog-out"][..., 0].tolist() == [[0.99, 0.97], [0.9, 0.3]]
    assert network.cpts["dog-out"][..., 1].tolist() == [[0.01, 0.03], [0.1, 0.7]]


def test_a_default_stands_for_the_rows_that_are_not_given():
    text = SMALL.replace("(yes) 0.0, 0.5, 5e-1;", "default 0.25, 0.25, 0.5;")
    assert parse_network(text).cpts["street"].tolist() == [[0.9, 0.1, 0.0], [0.25, 0.25, 0.5]]


def test_comments_may_stand_among_numbers():
    text = SMALL.replace("0.9, 0.1, 0.0", "0.9 /* no; rain */, // dry\n +.1, 0.0E0")
    assert parse_network(text) == parse_network(SMALL)


def test_names_may_be_keywords_and_hold_slashes_and_angle_brackets():
    text = """variable variable { type discrete [ 3 ] { table, Asy/Patch, <7.5 }; }
    variable default { type discrete [ 2 ] { "}", "\\"//" }; }
    probability ( variable ) { table 0.2, 0.3, 0.5; }
    probability ( default | variable ) { (table) 0, 1; (<7.5) 1, 0; (Asy/Patch) .5, .5; }"""
    network = parse_network(text)
    assert dict(network.levels) == {"variable": ("table", "Asy/Patch", "<7.5"), "default": ("}", '"//')}
    assert network.cpts["default"][:, 1].tolist() == [1, 0.5, 0]


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("ending", [".bif", ".BIF", ".bif.gz"])
def test_bundled_networks_come_back_with_their_names(tmp_path, name, ending):
    path = tmp_path / f"network{ending}"
    write_network(load_network(name), path)
    assert read_network(path) == load_network(name)
    assert read_network(path).name == name


def test_gzip_is_told_by_content_and_written_reproducibly(tmp_path):
    first, second, plain = tmp_path / "a.bif.gz", tmp_path / "b.bif.gz", tmp_path / "c.bif"
    for path in (first, second, plain):
        write_network(load_network("asia"), path)
    assert first.read_bytes() == second.read_bytes()
    assert gzip.decompress(first.read_bytes()) == plain.read_bytes()
    first.rename(tmp_path / "packed")
    assert read_network(tmp_path / "packed") == load_network("asia")


def quoted(text: str) -> str:
    """A quoted name, as other programs and earlier versions write it."""
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
    return (
        '"'
        + "".join(escapes.get(c, f"\\u{ord(c):04x}" if not c.isprintable() and c < "\uffff" else c) for c in text)
        + '"'
    )


@given(st.text())
@example("")
@example("a//b")
@example("table")
@example('\\"\\n\n\ud800\ufeff')
def test_any_quoted_text_is_read(text):
    written = quoted(text)
    assert "\n" not in written
    assert unquote(written) == text


@given(st.text(), st.booleans())
@example("", False)
@example("a//b", True)
@example("~", True)
@example("%25", True)
@example("_", True)
@example("+7", True)
@example("-7.5", True)
@example("e1", True)
@example("table9", False)
@example("a default-7", False)
@example("tableE", False)
def test_any_text_survives_encoding(text, level):
    word = encode_name(text, level=level)
    # What both pgmpy and pyAgrum read as a name; as a level, they read integers too.
    assert re.fullmatch("[A-Za-z_][A-Za-z0-9_.%-]*", word) or (level and re.fullmatch("[+-]?[0-9]+", word))
    assert word not in KEYWORDS
    # pgmpy would read the number as a table.
    assert not re.search("(table|default)[0-9eE.-]", word)
    assert decode_name(word) == text
    assert (word == text) == (is_plain(text, level=level) and not text.startswith("_"))


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.text(min_size=1), min_size=1, max_size=4, unique=True),
    st.lists(st.text(), min_size=1, max_size=4, unique=True),
    st.text(),
)
@example(['<b>"x"</b>', "a | b", "];}//"], ["/*", "", '"'], "unknown")
@example(["\ue000", "\x00"], ["\n", "\r", "\u2028"], "")
def test_any_names_and_numbers_come_back(tmp_path, names, levels, title):
    network = odd_network(names, levels, title)
    write_network(network, tmp_path / "odd.bif")
    again = read_network(tmp_path / "odd.bif")
    assert again == network
    assert again.name == title


@given(st.lists(st.floats(0, 1), min_size=1, max_size=5).filter(any))
def test_numbers_come_back_to_the_last_bit(tmp_path_factory, weights):
    row = np.array(weights) / sum(weights)
    network = Network(Dag.from_edges(["a"]), {"a": [f"l{i}" for i in range(row.size)]}, {"a": row})
    path = tmp_path_factory.mktemp("numbers") / "a.bif"
    write_network(network, path)
    assert read_network(path).cpts["a"].tobytes() == network.cpts["a"].tobytes()


def test_an_unknown_ending_is_refused_and_nothing_is_written(tmp_path):
    with pytest.raises(
        InvalidOption,
        match=r"cannot tell the format of '.*net.uai': its name must end in .bif, .json, .*, or one of them",
    ):
        write_network(load_network("asia"), tmp_path / "net.uai")
    assert not list(tmp_path.iterdir())


def test_a_missing_file_is_an_invalid_option(tmp_path):
    with pytest.raises(InvalidOption, match="cannot read"):
        read_network(tmp_path / "nowhere.bif")


# A part of SMALL, its replacement, and the resulting error.
BROKEN = [
    ("network weather", "?xml", "line 1: found '?xml'; expected 'network', 'variable' or 'probability'"),
    ("network weather {", "network weather", "line 2: found 'property'; expected '{'"),
    ("1.0; }", "1.0 }", "line 2: this property is not closed by ';'"),
    ("variable rain", "network b {} variable rain", None),
    ("variable rain", "network b { type } variable rain", None),
    ("variable rain {", "variable {", "line 3: found '{'; expected the name of a variable"),
    ("variable street {", 'variable "" {', "line 6: a variable has an empty name"),
    ("variable street {", "variable rain {", "line 6: the variable 'rain' is declared twice"),
    ("discrete [ 2 ]", "continuous", "line 4: found 'continuous'; expected 'discrete'"),
    ("[ 2 ]", "[ -2 ]", "line 4: found '-2'; expected the number of levels"),
    ("[ 2 ]", "[ 1000000000 ]", "line 4: the number of levels declared for 'rain' is 1000000000, not 2"),
    ("[ 2 ]", f"[ {'9' * 9999} ]", f"line 4: the number of levels declared for 'rain' is {'9' * 20}…, not 2"),
    ("{ no, yes }", "{ yes, yes }", "line 4: the level 'yes' of 'rain' is listed twice"),
    ("[ 2 ] { no, yes }", "[ 0 ] { }", None),
    ("type discrete [ 2 ] { no, yes };", "", "line 3: the variable 'rain' has no 'type'"),
    ("yes };", "yes }; type discrete [ 1 ] { a };", "line 4: found 'type'; expected 'property' or '}'"),
    ("{ no, yes }", "{ no ( yes }", "line 4: found '('; expected a level or '}'"),
    ('"thin ice"', '"thin ice', None),
    ("/* another", "/ * another", None),
    ("comment */", "comment * /", "line 6: a comment is opened here and never closed"),
    ("( rain )", "( rain", "line 9: found '{'; expected the name of a parent or ')'"),
    ("( rain )", "( )", "line 9: found ')'; expected the name of a variable"),
    ("( rain )", "( sun )", "line 9: the variable 'sun' is not declared"),
    ("( rain )", "( street )", "line 12: 'street' has more than one 'probability' block"),
    (
        "( rain )",
        "( rain | street )",
        "line 9: the parents of the variables form a cycle: 'rain' -> 'street' -> 'rain'",
    ),
    ("| rain )", "| rain | rain )", "line 12: found '|'; expected the name of a parent or ')'"),
    ("| rain )", "| snow )", "line 12: the variable 'snow' is not declared"),
    ("| rain )", "| rain, rain )", "line 12: the variable 'rain' is named twice here"),
    ("| rain )", "| street )", "line 12: the variable 'street' is named twice here"),
    ("table 0.8, 0.2;", "", "line 9: there are no probabilities of 'rain'"),
    ("table 0.8, 0.2;", "table 0.8, 0.2; table 0.8, 0.2;", "line 10: 'rain' has more than one 'table'"),
    ("table 0.8, 0.2;", "table 1, 0; default 1, 0;", "line 10: 'rain' has both a 'table' and other probabilities"),
    ("table 0.8, 0.2;", "default 1; default 1;", "line 10: 'rain' has more than one 'default'"),
    ("table 0.8, 0.2;", "default 1;", "line 10: 'rain' has 1 probabilities here; it must have 2"),
    ("table 0.8, 0.2;", "table 0.8;", "line 10: 'rain' has 1 probabilities here; it must have 2"),
    ("table 0.8, 0.2;", "table ;", "line 10: 'rain' has 0 probabilities here; it must have 2"),
    ("table 0.8, 0.2;", "table 0.8, 0.3;", "line 10: the probabilities of 'rain' sum to 1.1, not to 1"),
    ("table 0.8, 0.2;", "table 0.8, 0.200002;", "line 10: the probabilities of 'rain' sum to 1.000002, not to 1"),
    (
        "table 0.8, 0.2;",
        "table 1.2, -0.2;",
        "line 10: the probabilities of 'rain' include -0.2, which is not a probability",
    ),
    (
        "table 0.8, 0.2;",
        "table 1e999, 0.2;",
        "line 10: the probabilities of 'rain' include inf, which is not a probability",
    ),
    ("table 0.8, 0.2;", "table nan, 0.2;", "line 10: found 'nan'; expected a probability or ';'"),
    ("table 0.8, 0.2;", "table 0.8, 0_2;", "line 10: found '0_2'; expected a probability or ';'"),
    ("table 0.8, 0.2;", "table 0.8, 2e;", "line 10: found '2e'; expected a probability or ';'"),
    ("table 0.8, 0.2;", "table 0.8, \u0662;", "line 10: found '\u0662'; expected a probability or ';'"),
    ("table 0.8, 0.2;", "table 0.8, 0.2", "line 11: found '}'; expected a probability or ';'"),
    ("table 0.8, 0.2;", "chair 0.8, 0.2;", "line 10: found 'chair'; expected '(', 'table', 'default' or '}'"),
    ("table 0.8, 0.2;", "(no) 0.8, 0.2;", "line 10: 1 level given for the 0 parents of 'rain'"),
    ("(yes) 0.0, 0.5, 5e-1;", "", "line 12: there are no probabilities of 'street' given ('yes')"),
    ("(yes)", "(no)", "line 14: the probabilities of 'street' given ('no') are given twice"),
    ("(yes)", "(maybe)", "line 13: 'maybe' is not a level of 'rain'"),
    ("(yes)", "(yes, yes)", "line 13: 2 levels given for the 1 parent of 'street'"),
    ("0.9, 0.1, 0.0", "0.9, 0.1", "line 14: 'street' has 2 probabilities here; it must have 3"),
    ("0.9, 0.1, 0.0", "0.9, 0.1, 0.1", "line 14: the probabilities of 'street' given ('no') sum to 1.1, not to 1"),
    ("0.1, 0.0;\n}", "0.1, 0.0;", "line 15: the file ends where '(', 'table', 'default' or '}' should follow"),
]


@pytest.mark.parametrize(("old", "new", "sentence"), BROKEN)
def test_broken_files_give_one_sentence(tmp_path, old, new, sentence):
    assert SMALL.count(old) >= 1
    path = tmp_path / "broken.bif"
    path.write_text(SMALL.replace(old, new, 1), encoding="utf-8")
    with pytest.raises(InvalidData) as caught:
        read_network(path)
    message = str(caught.value)
    assert message.startswith(f"{str(path)!r}, line ")
    assert "\n" not in message
    assert sentence is None or message == f"{str(path)!r}, {sentence}"


def test_a_variable_without_probabilities_is_named():
    text = SMALL[: SMALL.index("probability ( street")]
    with pytest.raises(InvalidData, match="line 6: 'street' has no 'probability' block"):
        parse_network(text)


def test_a_flat_table_in_the_other_order_is_refused_with_a_hint():
    rows = SMALL[SMALL.index("  (yes)") : SMALL.rindex("}")]
    text = SMALL.replace(rows, "  table 0.9, 0.1, 0.0, 0.0, 0.5, 0.5;\n")
    with pytest.raises(
        InvalidData, match=r"given \('no'\) sum to 1.4, not to 1; in a 'table' the first level comes first"
    ):
        parse_network(text)


@pytest.mark.parametrize("text", ["", " \n\t", "\ufeff"])
def test_empty_files_are_refused(tmp_path, text):
    path = tmp_path / "empty.bif"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidData, match=r"empty\.bif' is empty"):
        read_network(path)
    with pytest.raises(InvalidData, match=r"declares no variables: is it a BIF file\?"):
        parse_network("network a { }")


def test_other_encodings_and_broken_gzip_are_refused(tmp_path):
    path = tmp_path / "latin.bif"
    path.write_bytes(SMALL.replace("rain", "Fön").encode("latin-1"))
    with pytest.raises(InvalidData, match=r"is not UTF-8 text \(byte 0xf6\)"):
        read_network(path)
    packed = gzip.compress(SMALL.encode())
    for data in (packed[:40], packed[:30] + b"garbage" + packed[37:]):
        path.write_bytes(data)
        with pytest.raises(InvalidData, match="cannot be read"):
            read_network(path)


def test_every_truncation_is_refused():
    for length in range(len(SMALL.rstrip())):
        with pytest.raises(InvalidData):
            parse_network(SMALL[:length])


MARKS = [
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    ",",
    ";",
    "|",
    '"',
    "/*",
    "*/",
    "//",
    "\\",
    "\n",
    "0",
    "-",
    "e",
    "nan",
    "rain",
    "\0",
]


@st.composite
def mutations(draw):
    text = SMALL
    for _ in range(draw(st.integers(1, 6))):
        start = draw(st.integers(0, len(text)))
        stop = draw(st.integers(start, min(len(text), start + 12)))
        piece = draw(
            st.sampled_from(MARKS)
            | st.text(max_size=4)
            | st.tuples(st.integers(0, len(text)), st.integers(0, 40)).map(lambda cut, s=text: s[cut[0] : sum(cut)])
        )
        text = text[:start] + piece + text[stop:]
    return text


@pytest.mark.slow
@settings(max_examples=500)
@given(mutations())
def test_garbled_files_raise_nothing_but_invalid_data(text):
    with contextlib.suppress(InvalidData):
        assert parse_network(text).sample(5, seed=0).m == 5


@given(st.binary(max_size=200))
def test_arbitrary_bytes_raise_nothing_but_invalid_data(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("bytes") / "any.bif"
    path.write_bytes(data)
    with pytest.raises(InvalidData):
        read_network(path)


def declared(count: int, levels: str = "a, b") -> str:
    width = levels.count(",") + 1
    return "".join(f"variable v{i} {{ type discrete [ {width} ] {{ {levels} }}; }}\n" for i in range(count))


def roots(count: int, row: str = "0.5, 0.5") -> str:
    return "".join(f"probability ( v{i} ) {{ table {row}; }}\n" for i in range(count))


def test_tables_too_large_for_the_file_are_refused_at_once():
    above = ", ".join(f"v{i}" for i in range(60))
    text = declared(61) + roots(60) + f"probability ( v60 | {above} ) {{ default 0.5, 0.5; }}"
    with pytest.raises(
        InvalidData, match=r"line 122: the tables up to that of 'v60' have \d+ probabilities; the limit is \d+"
    ):
        parse_network(text)


def test_a_table_of_which_most_is_missing_takes_no_memory():
    above = ", ".join(f"v{i}" for i in range(24))
    key = ", ".join("a" * 24)
    text = declared(25) + roots(24) + f"probability ( v24 | {above} ) {{ ({key}) 0.5, 0.5; }}"
    tracemalloc.start()
    try:
        with pytest.raises(InvalidData, match=r"there are no probabilities of 'v24' given \('a', .*'a', 'b'\)"):
            parse_network(text)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    # The table itself would take 256 MiB.
    assert peak < 2**20


def test_more_parents_than_a_table_has_axes_are_refused():
    above = ", ".join(f"v{i}" for i in range(70))
    text = declared(71, "a") + roots(70, "1") + f"probability ( v70 | {above} ) {{ default 1; }}"
    with pytest.raises(InvalidData, match="'v70' has 70 parents; the limit is 63"):
        parse_network(text)


def test_more_text_than_memory_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "bomb.bif.gz"
    path.write_bytes(gzip.compress(b" " * 2**20))
    for available, problem in ((2**20, r"bytes were read, need"), (2**24, r"need 16.0 MiB; the limit is 12.8 MiB")):
        monkeypatch.setattr("dagscape.core.resources.available_memory", lambda available=available: available)
        with pytest.raises(TooLarge, match=rf"the contents of '.*bomb.bif.gz'.*{problem}"):
            read_network(path)


def test_more_variables_than_the_limit_are_refused():
    with pytest.raises(
        InvalidData, match=f"line {MAX_VARIABLES + 1}: the file has more than {MAX_VARIABLES} variables"
    ):
        parse_network(declared(MAX_VARIABLES + 5))


@pytest.mark.slow
def test_lists_longer_than_the_limit_are_refused():
    levels = [f"l{i}" for i in range(MAX_NAMES)]
    row = ", ".join(["1"] + ["0"] * (MAX_NAMES - 1))
    assert parse_network(declared(1, ", ".join(levels)) + roots(1, row)).cpts["v0"].shape == (MAX_NAMES,)
    with pytest.raises(InvalidData, match=f"line 1: the list has more than {MAX_NAMES} names, which is the limit"):
        parse_network(declared(1, ", ".join([*levels, "one more"])))


def test_long_names_are_shortened_in_messages():
    with pytest.raises(InvalidData) as caught:
        parse_network(SMALL.replace("( rain )", f"( {'x' * 10**6} )"))
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize(
    "rest",
    [
        "/* open",
        "/* open\nvariable b { type discrete [ 1 ] { x }; }",
        "/* closed */ /* open",
        "// line\n/* open",
        "/*/",
    ],
)
def test_an_unclosed_comment_does_not_end_the_network(rest):
    """Python 3.11.2 compiles a possessive pattern so that the rest of the file is lost without an error."""
    with pytest.raises(InvalidData, match=r"a comment is opened here and never closed$"):
        parse_network(SMALL + rest)
    assert parse_network(SMALL + "/* closed */ // to the end") == parse_network(SMALL)


# Broken files of about a given size, in which a naive parser would take quadratic time to find the error.
HOSTILE = [
    lambda size: "{" * size,
    lambda size: "network a " + "{" * size,
    lambda size: "variable a { type discrete [ 2 ] { " + "(" * size,
    lambda size: "variable a { property " + '"' * (size + 1),
    lambda size: "variable a { property " + "\\" * size,
    lambda size: '"' + '\\"' * size,
    lambda size: "/*" * size,
    lambda size: "/ " * size,
    lambda size: "//\n" * size + "/*",
    lambda size: "probability ( a ) { table " + "1," * (size * 3 // 10),
    lambda size: "probability ( a ) { table " + "1e," * size + ";}",
    lambda size: "probability ( a ) { " + "() 1;" * (size // 10),
    lambda size: "variable a { type discrete [ 9 ] { " + "".join(f"l{i}," for i in range(size // 10)),
    lambda size: (
        declared(size // 250)
        + "".join(
            f"probability ( v{i} | v{(i + 1) % (size // 250)} ) {{ default 0.5, 0.5; }}\n" for i in range(size // 250)
        )
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_large_hostile_files_are_refused_in_a_few_words(hostile):
    with pytest.raises(InvalidData) as caught:
        parse_network(hostile(10**6))
    assert len(str(caught.value)) < 400


def calls_while(work) -> int:
    """Count the calls of functions, in Python and C, during some work."""
    calls = 0

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.slow
@pytest.mark.parametrize("hostile", HOSTILE, ids=range(len(HOSTILE)))
def test_hostile_files_are_refused_in_a_linear_number_of_steps(hostile):
    def refuse(text):
        with pytest.raises(InvalidData):
            parse_network(text)

    few, more = (calls_while(partial(refuse, hostile(size))) for size in (25_000, 100_000))
    assert more <= 4.4 * few


@given(st.integers(1, 8), st.integers(0, 10**6))
def test_cycles_are_found_where_there_are_any(n, seed):
    generator = np.random.default_rng(seed)
    parents = [[int(p) for p in np.flatnonzero(generator.random(n) < 0.25)] for _ in range(n)]
    cycle = find_cycle(parents)
    left = set(range(n))
    while placed := {v for v in left if not left & set(parents[v])}:
        left -= placed
    assert bool(cycle) == bool(left)
    assert all(parent in parents[child] for parent, child in pairwise(cycle))
    assert not cycle or (cycle[0] == cycle[-1] and len(set(cycle)) == len(cycle) - 1)


ODD = odd_network(
    ["petal length", "2 + 2", "table", "größe"],
    ["(-inf,2.45]", "(2.45,inf)", "?", 'a "b", c', "", "_x", "7"],
    "two days",
)


def test_names_are_words_that_other_programs_read(tmp_path):
    write_network(ODD, tmp_path / "odd.bif")
    text = (tmp_path / "odd.bif").read_text(encoding="ascii")
    assert text.startswith("network two%20days {\n  property dagscape-names percent-encoded;\n}\n")
    assert "variable petal%20length {" in text
    assert "variable _2%20%2B%202 {" in text
    assert "variable _table {" in text
    levels = "_%28-inf%2C2.45%5D, _%282.45%2Cinf%29, _%3F, a%20%22b%22%2C%20c, _, __x, 7"
    assert f"type discrete [ 7 ] {{ {levels} }};" in text
    assert '"' not in text
    assert read_network(tmp_path / "odd.bif") == ODD
    assert read_network(tmp_path / "odd.bif").name == "two days"


def test_plain_names_are_written_as_they_are(tmp_path):
    network = odd_network(["_a", "b.c-d"], ["yes", "_no", "-1", "07", "x.5"], "_n")
    write_network(network, tmp_path / "plain.bif")
    text = (tmp_path / "plain.bif").read_text(encoding="ascii")
    assert "property" not in text
    assert "variable b.c-d {\n  type discrete [ 5 ] { yes, _no, -1, 07, x.5 };" in text
    assert read_network(tmp_path / "plain.bif") == network


def test_files_that_do_not_say_that_they_are_encoded_are_taken_literally():
    text = SMALL.replace("rain", "_%20").replace("yes", "a%2Cb")
    network = parse_network(text)
    assert network.variables == ("_%20", "street")
    assert network.levels["_%20"] == ("no", "a%2Cb")
    # A property of another program, or of ours with another value, changes nothing.
    for line in ("property dagscape-names plain;", "property names percent-encoded;"):
        assert parse_network(text.replace("property version 1.0;", line)) == network


def test_encoded_names_that_are_not_utf_8_are_refused():
    text = SMALL.replace("property version 1.0;", "property dagscape-names percent-encoded;").replace("wet", "w%FFt")
    with pytest.raises(InvalidData, match=r"line 7: 'w%FFt' is not percent-encoded UTF-8"):
        parse_network(text)


def test_encoded_names_that_become_equal_are_refused():
    text = SMALL.replace("property version 1.0;", "property dagscape-names percent-encoded;").replace("wet", "d%72y")
    with pytest.raises(InvalidData, match=r"line 7: the level 'dry' of 'street' is listed twice"):
        parse_network(text)


def test_types_and_the_discretizer_come_back(tmp_path):
    frame = pd.DataFrame(
        {
            "size": [0.5, 1.5, 2.5, 9.5],
            "dose": [0.5, 1.5, 0.5, 1.5],
            "ill": [True, False, True, True],
            "zip": list("0123"),
        }
    )
    data = Discretizer(method="quantile", bins=2).fit(frame, levels={"dose": [0.5, 1.5]}).apply(frame)
    network = Network.fit(Dag.from_edges(data.variables, [("size", "ill")]), data)
    assert dict(network.types) == {"size": "text", "dose": "number", "ill": "boolean", "zip": "text"}
    write_network(network, tmp_path / "typed.bif")
    again = read_network(tmp_path / "typed.bif")
    assert (again, again.types, again.discretizer) == (network, network.types, network.discretizer)


@pytest.mark.parametrize("value", ["", "x", "_%7B", "_%5B1%5D", "_%FF", "3"])
@pytest.mark.parametrize("name", ["types", "discretizer"])
def test_damaged_properties_are_refused(name, value):
    text = SMALL.replace("property version 1.0;", f"property dagscape-{name} {value};")
    with pytest.raises(InvalidData, match=rf"line 2: the property dagscape-{name} is damaged \(.*\): remove it"):
        parse_network(text)
