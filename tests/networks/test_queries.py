from __future__ import annotations

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dagscape as ds
from dagscape.best.k_best import k_best
from dagscape.core.errors import InvalidData, InvalidOption, TooLarge
from dagscape.data.discrete.dataset import Dataset
from dagscape.data.discrete.discretizing import Discretizer, discretize
from dagscape.data.reading import read_data
from dagscape.graphs.dag import Dag
from dagscape.networks.bundled import load_network
from dagscape.networks.discrete.network import Network
from dagscape.networks.files import read_network, write_network
from dagscape.scores.scoring import local_scores
from networks.samples import random_tables
from oracles import networks as oracle

ASIA = load_network("asia")


@st.composite
def networks(draw):
    n = draw(st.integers(2, 6))
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    names = [f"v{i}" for i in range(n)]
    edges = [(names[i], names[j]) for j in range(n) for i in range(j) if generator.random() < 0.5]
    return random_tables(Dag.from_edges(names, edges), generator.integers(1, 4, n), generator), generator


def expected_shares(network, targets, evidence):
    found = oracle.target_and_evidence(network, targets, evidence)
    total = math.fsum(found.values())
    return {levels: value / total for levels, value in found.items()} if total else None


@pytest.mark.slow
@given(networks(), st.data())
def test_queries_agree_with_enumeration(problem, data):
    network, _ = problem
    targets = data.draw(st.lists(st.sampled_from(network.variables), min_size=1, max_size=2, unique=True))
    rest = [name for name in network.variables if name not in targets]
    given_ = data.draw(st.lists(st.sampled_from(rest), unique=True)) if rest else []
    evidence = {name: data.draw(st.sampled_from(network.levels[name])) for name in given_}
    joint = oracle.target_and_evidence(network, targets, evidence)
    total = math.fsum(joint.values())
    assert math.exp(network.log_probability(evidence)) == pytest.approx(total, rel=1e-12, abs=0)
    if not total:
        with pytest.raises(InvalidData, match=r"^the evidence v\d = v.* has probability 0 in the network$"):
            network.query(targets, evidence)
        return
    found = network.query(targets, evidence)
    assert found.index.names == targets
    assert found.sum() == pytest.approx(1, abs=1e-12)
    assert found.to_dict() == pytest.approx(
        {levels: value / total for levels, value in joint.items()}, rel=1e-12, abs=0
    )


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::dagscape.core.errors.NothingObserved")
@settings(max_examples=40)
@given(networks(), st.data())
def test_predictions_of_rows_with_gaps_agree_with_enumeration(problem, data):
    network, generator = problem
    target = data.draw(st.sampled_from(network.variables))
    present = data.draw(st.lists(st.sampled_from(network.variables), min_size=1, unique=True))
    columns = {}
    for name in present:
        cells = np.array(network.levels[name], dtype=object)[generator.integers(0, len(network.levels[name]), 8)]
        cells[generator.random(8) < 0.3] = generator.choice(np.array([None, np.nan, "", "?"], dtype=object))
        columns[name] = cells
    frame = pd.DataFrame(columns, index=list("abcdefgh")).assign(other=3.5)
    found = network.predict(frame, target)
    assert found.index.tolist() == list("abcdefgh")
    assert found.columns.tolist() == list(network.levels[target])
    for label, probabilities in found.iterrows():
        row = frame.loc[label, present].to_dict()
        evidence = {
            name: cell for name, cell in row.items() if name != target and isinstance(cell, str) and cell not in "?"
        }
        expected = expected_shares(network, [target], evidence)
        assert probabilities.sum() == pytest.approx(1, abs=1e-12)
        if expected is not None:
            assert probabilities.tolist() == pytest.approx(list(expected.values()), rel=1e-12, abs=0)
    assert network.classify(frame, target).tolist() == found.idxmax(axis=1).tolist()


@given(networks(), st.data())
def test_predictions_of_data_with_interventions_agree_with_enumeration(problem, data):
    network, generator = problem
    target = data.draw(st.sampled_from(network.variables))
    codes = np.stack([generator.integers(0, len(network.levels[name]), 5) for name in network.variables], axis=1)
    rows = Dataset.from_codes(codes, network.levels, interventions=generator.random(codes.shape) < 0.3)
    found = network.predict(rows, target)
    for (row, chosen, _), probabilities in zip(oracle.rows_of(rows), found.to_numpy(), strict=True):
        del row[target]
        joint = oracle.target_and_evidence(network, [target], row, chosen - {target})
        total = math.fsum(joint.values())
        assert probabilities.sum() == pytest.approx(1, abs=1e-12)
        if total:
            expected = [value / total for value in joint.values()]
            assert probabilities.tolist() == pytest.approx(expected, rel=1e-12, abs=0)


def test_asia_as_published():
    """The posterior probabilities of Lauritzen and Spiegelhalter's example, to the digits that others print."""
    assert ASIA.query("dysp").round(4).to_dict() == {"yes": 0.4360, "no": 0.5640}
    seen = {"asia": "yes", "dysp": "yes", "smoke": "no"}
    expected = expected_shares(ASIA, ["bronc"], seen)
    assert ASIA.query("bronc", seen).to_dict() == pytest.approx({k[0]: v for k, v in expected.items()})


def typed() -> tuple[pd.DataFrame, Network]:
    """Columns of all types, in which the class depends on the size and on a flag."""
    generator = np.random.default_rng(5)
    size = generator.normal(0, 1, 400).round(3)
    flag = generator.random(400) < 0.5
    label = (size + flag + generator.normal(0, 0.3, 400) > 0.5).astype(int) + 1
    dose = np.where(label == 1, 0.5, 1.5)
    dose[::7] = 0.5
    frame = pd.DataFrame({"size": size, "flag": flag, "label": label, "dose": dose})
    data = discretize(frame, bins=4, levels={"dose": [0.5, 1.5]})
    edges = [("size", "label"), ("flag", "label"), ("label", "dose")]
    return frame, Network.fit(Dag.from_edges(data.variables, edges), data)


def test_predictions_compare_equal_to_the_column():
    """Levels are text inside; numbers, integers and booleans compared unequal to them."""
    frame, network = typed()
    for target in ("label", "flag", "dose"):
        probabilities = network.predict(frame, target)
        assert probabilities.columns.dtype == frame[target].dtype
        found = network.classify(frame, target)
        assert found.dtype == frame[target].dtype
        assert found.name == target
        assert (found == frame[target]).mean() > 0.6
        assert (probabilities.idxmax(axis=1) == frame[target]).mean() == (found == frame[target]).mean()


@pytest.mark.parametrize(("no", "yes"), [("0.0", "1.0"), ("True", "False"), ("TRUE", "FALSE"), ("a", "b"), ("0", "1")])
def test_a_model_of_a_file_predicts_what_pandas_reads_from_it(tmp_path, no, yes):
    path = tmp_path / "t.csv"
    path.write_text("\n".join(["f,s", *[f"{no},{no}"] * 5, *[f"{yes},{yes}"] * 4, f"{no},{yes}"]))
    data, frame = read_data(path), pd.read_csv(path)
    network = Network.fit(Dag.from_edges(["f", "s"], [("f", "s")]), data)
    guessed = network.classify(frame, "s")
    assert guessed[:9].equals(frame["s"][:9])
    assert guessed.dtype == frame["s"].dtype
    best = k_best(local_scores(data), k=2)
    assert best.classify(data, frame, "s").equals(guessed)
    assert best.log_predictive(data, frame).shape == (10,)
    assert network.log_likelihood(frame) == pytest.approx(network.log_likelihood(data))
    own = frame["f"].tolist()
    assert network.query("s", {"f": own[0]}).tolist() == network.query("s", {"f": no}).tolist()
    assert network.query("s", {"f": own[8]}).idxmax() == own[8]
    assert Discretizer().fit(path).apply(frame) == data


def test_evidence_is_matched_by_value_if_no_level_has_its_text():
    levels = {"v": ("0.0", "1.0"), "twins": ("1", "1.0", "2.0")}
    network = Network(Dag.from_edges(["v", "twins"], []), levels, {"v": [0.3, 0.7], "twins": [0.2, 0.3, 0.5]})
    for value in (1, 1.0, "1.0", "1", np.float32(1), np.int64(1)):
        assert network.log_probability({"v": value}) == pytest.approx(math.log(0.7))
    probabilities = {"1": 0.2, 1: 0.2, "1.0": 0.3, 2: 0.5, "2.0": 0.5}
    for value, probability in probabilities.items():
        assert network.log_probability({"twins": value}) == pytest.approx(math.log(probability))
    for value in (True, "1.00"):
        with pytest.raises(InvalidOption, match="is not one of its levels"):
            network.log_probability({"twins": value})


def test_no_rows_have_no_predictions():
    data = Dataset.from_frame(pd.DataFrame({"a": ["x", "y", "x"], "b": [0, 1, 0]}))
    network = Network.fit(Dag.from_edges(["a", "b"], [("a", "b")]), data)
    none = pd.DataFrame({"a": ["x"], "b": [0]})[:0]
    for found in (network.predict(none, "b"), k_best(local_scores(data), k=1).predict(data, none, "b")):
        assert (found.shape, found.columns.tolist(), found.index.tolist()) == ((0, 2), [0, 1], [])
    for guessed in (network.classify(none, "b"), k_best(local_scores(data), k=1).classify(data, none, "b")):
        assert (guessed.tolist(), guessed.name, guessed.dtype) == ([], "b", np.int64)
    with pytest.raises(InvalidData, match="the data frame has a header but no rows"):
        Dataset.from_frame(none)


@pytest.mark.parametrize("rows", [[{"a": "x"}], None])
def test_rows_must_be_a_frame_a_data_set_or_a_file(rows):
    network = load_network("asia")
    data = network.sample(50, seed=1)
    for predict in (network.predict, network.classify, partial(k_best(local_scores(data), k=1).predict, data)):
        with pytest.raises(InvalidOption, match=r"^rows is .*must be a data frame, a Dataset or the path of a file"):
            predict(rows, "lung")


def test_rows_may_be_in_a_file(tmp_path):
    frame, network = typed()
    path = tmp_path / "rows.csv"
    # Other columns do not matter, and missing cells are not observed.
    frame.head(9).assign(note="x").replace({"flag": {True: None}}).to_csv(path, index=False)
    expected = network.predict(pd.read_csv(path), "label")
    for rows in (path, str(path)):
        assert network.predict(rows, "label").equals(expected)
        assert network.classify(rows, "label").tolist() == network.classify(pd.read_csv(path), "label").tolist()
    whole = tmp_path / "whole.csv"
    frame.to_csv(whole, index=False)
    assert network.log_likelihood(whole) == network.log_likelihood(frame)
    with pytest.raises(InvalidOption, match=r"cannot read .*absent\.csv"):
        network.predict(tmp_path / "absent.csv", "label")
    asia = load_network("asia")
    data = asia.sample(60, seed=1)
    data.to_frame().to_csv(path, index=False)
    best = k_best(local_scores(data), k=2)
    assert best.predict(data, path, "lung").equals(best.predict(data, pd.read_csv(path), "lung"))


def test_raw_numbers_are_cut_as_in_training(tmp_path):
    frame, network = typed()
    new = pd.DataFrame({"size": [-50.0, 0.02, 50.0, np.nan], "flag": [True, False, None, True]})
    write_network(network, tmp_path / "m.json")
    network = read_network(tmp_path / "m.json")
    found = network.predict(new, "label")
    levels = network.levels["size"]
    middle = next(level for level in levels[1:-1] if float(level.split(",")[1].rstrip("])")) >= 0.02)
    for row, evidence in enumerate(
        [{"size": levels[0], "flag": "True"}, {"size": middle, "flag": "False"}, {"size": levels[-1]}, {"flag": True}]
    ):
        assert found.loc[row].to_dict() == pytest.approx(network.query("label", evidence).to_dict())
    assert network.query("label", {"size": -50}).to_dict() == network.query("label", {"size": levels[0]}).to_dict()
    assert network.query("label", {"size": "0.02"}).to_dict() == network.query("label", {"size": middle}).to_dict()
    # Intervals are levels as well.
    cut = Discretizer.apply(network.discretizer, frame).to_frame()
    assert network.predict(cut, "label").shape == (400, 2)


def test_values_may_be_given_in_any_type():
    _, network = typed()
    for one, other in ((1, "1"), (1, 1.0), (np.int64(1), 1)):
        assert network.query("flag", {"label": one}).to_dict() == network.query("flag", {"label": other}).to_dict()
    assert network.query("label", {"flag": True}).to_dict() == network.query("label", {"flag": "True"}).to_dict()
    assert network.query("label", {"dose": None}).to_dict() == network.query("label").to_dict()
    assert network.query("label").index.tolist() == [1, 2]
    with_gap = pd.DataFrame({"label": [1.0, np.nan, 2.0]})
    assert network.predict(with_gap, "flag").loc[2].to_dict() == pytest.approx(
        network.query("flag", {"label": 2}).to_dict()
    )


def test_missing_cells_have_their_level_if_the_network_has_one():
    frame = pd.DataFrame({"a": ["x", None, "y", None, "x", "y"], "b": ["0", "1", "0", "1", "0", "0"]})
    data = Dataset.from_frame(frame, missing="level")
    network = Network.fit(Dag.from_edges(["a", "b"], [("a", "b")]), data)
    expected = network.query("b", {"a": "?"}).to_dict()
    assert network.predict(frame[["a"]], "b").loc[1].to_dict() == pytest.approx(expected)
    with pytest.warns(ds.NothingObserved):
        found = network.predict(frame[["b"]].assign(c=1)[["c"]], "b")
    assert found.loc[1].to_dict() == pytest.approx(network.query("b").to_dict())


def test_rows_without_a_common_column_warn():
    data = Dataset.from_frame(pd.DataFrame({"smoke": ["no", "yes", "no"], "lung": [0, 1, 0], "kind": ["a", "b", "b"]}))
    network = Network.fit(Dag.from_edges(["smoke", "lung", "kind"], [("smoke", "lung")]), data)
    with pytest.warns(ds.NothingObserved) as caught:
        found = network.predict(pd.DataFrame({"Smoke": ["no", "yes"]}), "lung")
    assert str(caught[0].message) == (
        "the rows have none of the variables that 'lung' could be predicted from ('smoke', 'kind'): their columns are "
        "'Smoke'; did you mean 'smoke'?; every prediction is the probability of 'lung' when nothing is known"
    )
    assert caught[0].filename == __file__
    assert found.to_numpy().tolist() == [pytest.approx(network.query("lung").tolist())] * 2
    with pytest.warns(ds.NothingObserved, match="they have no other columns"):
        network.predict(pd.DataFrame({"lung": [0]}), "lung")
    with pytest.warns(ds.NothingObserved):
        network.predict(Dataset.from_frame(pd.DataFrame({"lung": [0, 1]})), "lung")
    # One common column suffices, and a column that is constant in the rows is there as well.
    network.predict(pd.DataFrame({"kind": ["a"], "x": [1]}), "lung")
    network.predict(pd.DataFrame({"kind": [None]}), "lung")
    network.predict(Dataset.from_frame(pd.DataFrame({"kind": ["a", "a"], "lung": [0, 1]})), "lung")
    network.predict(pd.DataFrame(), "lung")
    alone = Network.fit(Dag.from_edges(["lung"], []), data.select(["lung"]))
    alone.predict(pd.DataFrame({"x": [1]}), "lung")


def test_impossible_rows():
    """All levels are equally probable if what is relevant is impossible; what is not relevant does not matter."""
    rows = pd.DataFrame({"either": ["no", "no"], "tub": ["yes", "yes"], "lung": ["no", None], "smoke": ["yes", "yes"]})
    assert ASIA.predict(rows, "asia").loc[0].tolist() == pytest.approx([0.01 * 0.05 / 0.0104, 0.99 * 0.01 / 0.0104])
    assert ASIA.predict(rows, "bronc").loc[0].tolist() == pytest.approx([0.6, 0.4])
    assert ASIA.predict(rows, "lung").loc[1].tolist() == [0.5, 0.5]


def test_a_data_set_is_predicted_by_distinct_rows():
    rows = ASIA.sample(50, seed=1)
    found = ASIA.predict(rows, "lung")
    assert len(found) == len(rows.weights)
    again = ASIA.predict(rows.to_frame(expand=False), "lung")
    assert found.to_numpy() == pytest.approx(again.to_numpy(), rel=1e-12)


@pytest.mark.parametrize(
    ("target", "evidence", "sentence"),
    [
        ("lungs", {}, "target is 'lungs', which is not a variable; did you mean 'lung'?"),
        (["lung", "lung"], {}, "target names a variable twice: 'lung', 'lung'"),
        ([], {}, "target is a list; it must be a variable or a list of variables"),
        (3, {}, "target is an int; it must be a variable or a list of variables"),
        ("lung", {"lung": "yes"}, "target is 'lung', which is also in the evidence"),
        ("lung", {"smok": "yes"}, "evidence has 'smok', which is not a variable; did you mean 'smoke'?"),
        (
            "lung",
            {"smoke": "yess"},
            "evidence has 'yess' for 'smoke', which is not one of its levels 'yes', 'no'; did you mean 'yes'?",
        ),
        ("lung", ["smoke"], "evidence is a list; it must map variables to values"),
    ],
)
def test_wrong_questions_give_one_sentence(target, evidence, sentence):
    with pytest.raises(InvalidOption) as caught:
        ASIA.query(target, evidence)
    assert str(caught.value) == sentence


def test_impossible_evidence_is_refused():
    with pytest.raises(InvalidData, match="the evidence either = no, tub = yes has probability 0 in the network"):
        ASIA.query("lung", {"either": "no", "tub": "yes"})
    assert ASIA.log_probability({"either": "no", "tub": "yes"}) == -math.inf


def test_unknown_levels_in_rows_are_located():
    rows = pd.DataFrame({"smoke": ["yes", "sometimes"]})
    with pytest.raises(InvalidData) as caught:
        ASIA.predict(rows, "lung")
    where = "the rows have 'sometimes' in column 'smoke' at row 1 (counted from 0)"
    assert str(caught.value) == f"{where}, which is not one of its levels 'yes', 'no'"


def test_memory_is_limited():
    with pytest.raises(TooLarge, match=r"need \d+ bytes; the limit is 100 bytes \(max_memory\)"):
        ASIA.query("lung", max_memory=100)


@pytest.mark.parametrize("target", [["lung", "bronc"], ["lung"], 3, None])
def test_one_variable_is_predicted_at_a_time(target):
    rows = pd.DataFrame({"smoke": ["yes"]})
    kind = {list: "a list", int: "an int"}.get(type(target), "a NoneType")
    for predict in (ASIA.predict, ASIA.classify):
        with pytest.raises(InvalidOption) as caught:
            predict(rows, target)
        assert str(caught.value) == f"target is {kind}; it must be the name of one variable"
    with pytest.raises(InvalidOption, match=r"target is \['lung'\], which is not a variable"):
        ASIA.query([["lung"]])


def test_a_row_of_a_frame_is_evidence():
    """The target, columns that the network lacks and missing cells do not count, as in predictions."""
    rows = pd.DataFrame(
        {"lung": ["no", "yes", "no"], "smoke": ["yes", "?", ""], "xray": ["yes", "no", None], "day": [1, 2, 3]}
    )
    expected = ASIA.predict(rows, "lung")
    for number in range(3):
        found = ASIA.query("lung", rows.iloc[number])
        assert found.to_dict() == pytest.approx(expected.iloc[number].to_dict(), rel=1e-12)
    assert ASIA.query(["lung", "xray"], rows.iloc[0]).equals(ASIA.query(["lung", "xray"], {"smoke": "yes"}))
    assert ASIA.log_probability(rows.iloc[2]) == ASIA.log_probability({"lung": "no"})
    with pytest.raises(InvalidOption, match="evidence has 'yess' for 'smoke', which is not one of its levels"):
        ASIA.query("lung", pd.Series({"smoke": "yess"}))
    with pytest.raises(InvalidOption, match="target is 'lung', which is also in the evidence"):
        ASIA.query("lung", dict(rows.iloc[0][["lung"]]))


def test_numbers_and_missing_levels_in_a_row_of_a_frame():
    frame = pd.DataFrame({"x": [0.5, 1.5, 2.5, 3.5], "k": [1, 2, 1, 2], "a": ["s", None, "t", None]})
    data = discretize(frame, bins=2, missing="level", columns=["x"])
    network = Network.fit(Dag.from_edges(["x", "k", "a"], [("x", "k"), ("a", "k")]), data)
    for number in range(4):
        expected = network.predict(frame.iloc[[number]], "k").iloc[0]
        assert network.query("k", frame.iloc[number]).to_dict() == pytest.approx(expected.to_dict(), rel=1e-12)
    assert network.query("a", frame[["x", "k"]].iloc[1]).sum() == pytest.approx(1)


def test_missing_cells_have_their_own_level_if_a_question_mark_is_a_value():
    frame = pd.DataFrame({"x": ["?", "?", "a", "a", None, None], "y": list("uuvvww")})
    data = Dataset.from_frame(frame, missing="level", missing_values=[""])
    assert data.levels["x"] == ("?", "a", "(missing)")
    network = Network.fit(Dag.from_edges(["x", "y"], [("x", "y")]), data, prior="none")
    assert network.predict(frame[["x"]].tail(2), "y")["w"].tolist() == [1.0, 1.0]
    assert network.query("y", frame.loc[4])["w"] == 1.0


def test_levels_that_stand_for_one_value_stay_text():
    levels = {"x": ["1", "01", "1_0", "10"]}
    network = Network(Dag.from_edges(["x"]), levels, {"x": [0.1, 0.2, 0.3, 0.4]}, types={"x": "integer"})
    assert network.query("x").to_dict() == {"1": 0.1, "01": 0.2, "1_0": 0.3, "10": 0.4}


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_setting_variables_leaves_out_their_tables(seed):
    """The truncated product: as if the value had been observed, and had no table."""
    rng = np.random.default_rng(seed)
    network = random_tables(ds.uniform_dag("abcd", seed=seed), rng.integers(2, 4, 4), rng, zeros=0.0)
    target, chosen, seen = map(str, rng.permutation(network.variables)[:3])
    values = {name: network.levels[name][rng.integers(len(network.levels[name]))] for name in (chosen, seen)}
    joint = oracle.target_and_evidence(network, [target], values, {chosen})
    expected = np.array(list(joint.values())) / sum(joint.values())
    evidence, do = {seen: values[seen]}, {chosen: values[chosen]}
    np.testing.assert_allclose(network.query(target, evidence, do=do), expected, rtol=1e-12)
    set_ = network.do(do)
    assert set_.dag == network.dag.with_parents(chosen, [])
    assert set_.query(chosen)[values[chosen]] == 1.0
    assert (set_.name, set_.types) == (network.name, network.types)


@pytest.mark.parametrize(
    ("do", "problem"),
    [
        ({"lungs": "yes"}, "do has 'lungs', which is not a variable; did you mean 'lung'"),
        ({"lung": "maybe"}, "do has 'maybe' for 'lung', which is not one of its levels"),
        ({"smoke": "yes"}, "do has 'smoke', which is the target"),
        ({"xray": "yes"}, "do has 'xray', which is also in the evidence"),
        (["lung"], "do is a list; it must map variables to values"),
    ],
)
def test_interventions_that_make_no_sense(do, problem):
    with pytest.raises(InvalidOption, match=problem):
        ds.load_network("asia").query("smoke", {"xray": "no"}, do=do)
