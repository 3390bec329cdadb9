from __future__ import annotations

import math
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dagscape as ds
from dagscape.core.errors import InvalidData, InvalidOption, TooLarge
from dagscape.data.discrete.dataset import Dataset
from dagscape.ensembles import mixtures
from dagscape.ensembles.mixtures import log_predictive, predict
from dagscape.graphs.dag import Dag
from dagscape.networks.bundled import load_network
from dagscape.networks.discrete.fitting import FIT_PRIORS, FamilyFitter
from dagscape.networks.discrete.network import Network
from oracles.graphs import all_dags


def masks(dags) -> np.ndarray:
    return np.array([dag.parent_masks for dag in dags], dtype=np.uint64)


def single_rows(data: Dataset):
    """Every distinct row as a data set of its own."""
    for i, codes in enumerate(data.codes):
        marks = None if data.interventions is None else data.interventions[[i]]
        yield Dataset.from_codes(codes[np.newaxis], data.levels, interventions=marks)


def averaged(dags, log_weights, train, rows, ess, prior) -> list[float]:
    """The averaged probability of each distinct row: one network and one row after the other."""
    weights = [math.exp(weight - max(log_weights)) for weight in log_weights]
    networks = [Network.fit(dag, train, ess, prior) for dag in dags]
    return [
        math.fsum(w * math.exp(network.log_likelihood(row)) for w, network in zip(weights, networks, strict=True))
        / math.fsum(weights)
        for row in single_rows(rows)
    ]


def with_level(row: Dataset, target: str, levels: tuple[str, ...], code: int) -> Dataset:
    """One row with the target's cell replaced, and not set; a new column comes last."""
    texts = {name: row.levels[name] for name in row.variables} | {target: levels}
    codes = [code if name == target else row.codes[0, row.variables.index(name)] for name in texts]
    marks = np.zeros((1, len(texts)), dtype=bool)
    if row.interventions is not None:
        for i, name in enumerate(texts):
            marks[0, i] = name != target and row.interventions[0, row.variables.index(name)]
    return Dataset.from_codes([codes], texts, interventions=marks)


def predicted(dags, log_weights, train, rows, target, ess, prior) -> np.ndarray:
    """The prediction of each distinct row, by inserting every level."""
    found = []
    for row in single_rows(rows):
        levels = train.levels[target]
        filled = [with_level(row, target, levels, code) for code in range(len(levels))]
        joint = [averaged(dags, log_weights, train, one, ess, prior)[0] for one in filled]
        total = math.fsum(joint)
        found.append([value / total if total else 1 / len(levels) for value in joint])
    return np.array(found)


@st.composite
def problems(draw, marks=True):
    """Some DAGs on up to four variables with weights, training data, and rows with everything in other orders."""
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    dags = [draw(st.sampled_from(all_dags(draw(st.integers(1, 4)))))]
    n = dags[0].n
    dags += draw(st.lists(st.sampled_from(all_dags(n)), max_size=6))
    names = dags[0].variables
    arities = generator.integers(1, 4, n)
    levels = {name: tuple(f"l{k}" for k in range(arity)) for name, arity in zip(names, arities, strict=True)}

    def data(order, turned: bool) -> Dataset:
        m = int(generator.integers(1, 25))
        texts = {names[v]: levels[names[v]][::-1] if turned else levels[names[v]] for v in order}
        codes = np.stack([generator.integers(0, arities[v], m) for v in order], axis=1)
        chosen = generator.random((m, n)) < 0.3 if marks and generator.random() < 0.5 else None
        return Dataset.from_codes(codes, texts, interventions=chosen)

    train, rows = data(generator.permutation(n), turned=False), data(generator.permutation(n), turned=True)
    log_weights = generator.normal(-1000, 2, len(dags))
    return dags, log_weights, train, rows


PRIORS = st.sampled_from(sorted(FIT_PRIORS))


@pytest.mark.slow
@given(problems(), PRIORS, st.floats(0.1, 20))
def test_log_predictive_agrees_with_one_network_and_row_at_a_time(problem, prior, ess):
    dags, log_weights, train, rows = problem
    found = log_predictive(dags[0].variables, masks(dags), log_weights, train, rows, ess, prior)
    assert found.shape == rows.weights.shape
    assert found.dtype == np.float64
    assert np.exp(found) == pytest.approx(averaged(dags, log_weights, train, rows, ess, prior), rel=1e-12, abs=0)


@pytest.mark.slow
@given(problems(), PRIORS, st.floats(0.1, 20), st.data())
def test_predict_agrees_with_putting_every_level_into_every_row(problem, prior, ess, data):
    dags, log_weights, train, rows = problem
    target = data.draw(st.sampled_from(dags[0].variables))
    found = predict(dags[0].variables, masks(dags), log_weights, train, rows, target, ess, prior)
    assert found.shape == (rows.weights.size, len(train.levels[target]))
    assert found.sum(axis=1) == pytest.approx(1, abs=1e-14)
    expected = predicted(dags, log_weights, train, rows, target, ess, prior)
    assert found == pytest.approx(expected, rel=1e-12, abs=0)


@given(problems(), PRIORS)
def test_one_network_gives_its_own_likelihood(problem, prior):
    (dag, *_), _, train, rows = problem
    found = log_predictive(dag.variables, masks([dag]), [-3.5], train, rows, 2.0, prior)
    network = Network.fit(dag, train, 2.0, prior)
    assert (rows.weights * found).sum() == pytest.approx(network.log_likelihood(rows), rel=1e-12)


@pytest.mark.slow
@given(problems(marks=False), st.floats(0.1, 20), st.data())
def test_members_of_a_class_give_the_same_under_bdeu(problem, ess, data):
    (dag, *_), _, train, rows = problem
    other = data.draw(st.sampled_from(list(dag.to_cpdag().members())))
    target = data.draw(st.sampled_from(dag.variables))
    for function, more in ((log_predictive, ()), (predict, (target,))):
        first, second = (function(dag.variables, masks([one]), [0.0], train, rows, *more, ess) for one in (dag, other))
        # The tables differ; only their products agree.
        assert first == pytest.approx(second, rel=1e-11)


@pytest.mark.slow
@given(problems(), st.floats(-700, 700), st.data())
def test_only_the_proportions_of_weights_matter(problem, shift, data):
    dags, log_weights, train, rows = problem
    order = data.draw(st.permutations(range(len(dags))))
    graphs = masks(dags)
    found = log_predictive(dags[0].variables, graphs, log_weights, train, rows)
    shifted = log_predictive(dags[0].variables, graphs[order], (log_weights + shift)[order], train, rows)
    # Logarithms of weights around 1000 are known to about 1e-13.
    assert found == pytest.approx(shifted, rel=1e-11, abs=1e-11)
    halves = np.concatenate([log_weights, log_weights])
    assert found == pytest.approx(
        log_predictive(dags[0].variables, np.concatenate([graphs, graphs]), halves, train, rows), rel=1e-11, abs=1e-11
    )


def test_networks_without_weight_do_not_count():
    dags = all_dags(2)
    train = Dataset.from_array([[0, 0], [1, 1], [1, 1], [1, 0]], ["v0", "v1"])
    with_zero = log_predictive(("v0", "v1"), masks(dags[:2]), [-np.inf, 3], train, train)
    assert with_zero.tolist() == log_predictive(("v0", "v1"), masks(dags[1:2]), [0], train, train).tolist()


@given(problems(marks=False), PRIORS)
def test_probabilities_of_all_rows_sum_to_one(problem, prior):
    dags, log_weights, train, _ = problem
    levels = {name: train.levels[name] for name in dags[0].variables}
    everything = Dataset.from_codes(list(product(*(range(len(texts)) for texts in levels.values()))), levels)
    found = log_predictive(dags[0].variables, masks(dags), log_weights, train, everything, 1.0, prior)
    assert math.fsum(np.exp(found)) == pytest.approx(1, abs=1e-12)


@pytest.fixture(scope="module")
def survey():
    """Twenty networks around the true one, with training data and new rows."""
    truth = load_network("survey")
    generator = np.random.default_rng(1)
    order = truth.dag.order_numbers()
    graphs = np.tile(np.array(truth.dag.parent_masks, dtype=np.uint64), (20, 1))
    for graph in graphs[1:]:
        place = int(generator.integers(1, truth.n))
        graph[order[place]] ^= np.uint64(1 << order[int(generator.integers(place))])
    return truth, graphs, generator.normal(size=20), truth.sample(300, seed=2), truth.sample(200, seed=3)


def test_the_target_may_be_there_or_not(survey):
    truth, graphs, log_weights, train, rows = survey
    for target in truth.variables:
        others = rows.select([name for name in truth.variables if name != target])
        without = predict(truth.variables, graphs, log_weights, train, others, target)
        within = predict(truth.variables, graphs, log_weights, train, rows, target)
        places = {tuple(row): i for i, row in enumerate(others.codes.tolist())}
        column = truth.variables.index(target)
        for row, probabilities in zip(rows.codes.tolist(), within, strict=True):
            assert probabilities.tolist() == without[places[(*row[:column], *row[column + 1 :])]].tolist()


def test_the_target_is_ignored_with_its_levels_and_whether_it_was_set():
    variables = ("rain", "wet")
    train = Dataset.from_array([["no", "dry"], ["yes", "wet"], ["yes", "wet"], ["yes", "dry"]], variables)
    arguments = variables, np.array([[0, 0b01]], dtype=np.uint64), [0.0], train
    alone = predict(*arguments, Dataset.from_array([["wet"]], ["wet"], keep_constant=True), "rain")
    strange = Dataset.from_array([["hail", "wet"]], variables, interventions=["rain"], keep_constant=True)
    assert predict(*arguments, strange, "rain").tolist() == alone.tolist()
    assert alone.tolist()[0] == pytest.approx([0.1, 0.9])


def test_a_child_that_was_set_says_nothing_about_the_target():
    levels = {"rain": ("no", "yes"), "wet": ("dry", "wet")}
    train = Dataset.from_codes([[0, 0], [1, 1], [1, 1], [1, 0]], levels)
    rows = Dataset.from_codes([[0, 1], [0, 1]], levels, interventions=[[False, False], [False, True]])
    graphs = np.array([[0, 0b01]], dtype=np.uint64)
    found = predict(("rain", "wet"), graphs, [0.0], train, rows, "rain")
    expected = {False: [0.1, 0.9], True: [0.3, 0.7]}
    for marks, probabilities in zip(rows.interventions.tolist(), found, strict=True):
        assert probabilities.tolist() == pytest.approx(expected[marks[1]])


def test_networks_that_explain_the_rest_better_count_for_more():
    # Under "none" only the second network allows b and c to differ: it alone predicts then.
    levels = dict.fromkeys("abc", ("0", "1"))
    train = Dataset.from_codes([[0, 0, 0], [0, 0, 0], [1, 0, 0], [1, 1, 1]], levels)
    graphs = masks([Dag.from_edges("abc", [("b", "c")]), Dag.from_edges("abc", [("a", "b"), ("a", "c")])])
    rows = Dataset.from_codes([[0, 1], [0, 0]], {"b": ("0", "1"), "c": ("0", "1")})
    found = predict("abc", graphs, [0.0, 0.0], train, rows, "a", prior="none")
    assert rows.codes.tolist() == [[0, 0], [0, 1]]
    # b = c = 0: 1/2 * 3/4 against 1/2 * 3/4 and 1/2 against 1/2 * 1/2 * 1/2.
    assert found[0].tolist() == pytest.approx([(3 / 8 + 1 / 2) / (3 / 8 + 1 / 2 + 3 / 8 + 1 / 8), 4 / 11], rel=1e-14)
    assert found[1].tolist() == [0, 1]


def test_levels_are_equally_probable_where_the_rest_is_impossible():
    levels = {"a": ("0", "1"), "b": ("x", "y", "z")}
    train = Dataset.from_codes([[0, 0]], levels)
    rows = Dataset.from_codes([[1, 0]], levels)
    arguments = ("a", "b"), np.zeros((1, 2), dtype=np.uint64), [0.0], train, rows
    assert log_predictive(*arguments, prior="none").tolist() == [-math.inf]
    assert predict(*arguments, "b", prior="none").tolist() == [[1 / 3, 1 / 3, 1 / 3]]


def test_results_can_be_joined_to_the_original_rows(survey):
    truth, graphs, log_weights, train, _ = survey
    original = truth.sample(50, seed=7).to_frame().sample(frac=1, random_state=1).astype(str)
    rows = Dataset.from_frame(original, keep_constant=True)
    found = log_predictive(truth.variables, graphs, log_weights, train, rows)
    table = rows.to_frame(expand=False).drop(columns="weight").astype(str).assign(ln=found)
    joined = original.merge(table, how="left")
    assert len(joined) == 50
    for i in (0, 20, 49):
        row = Dataset.from_frame(original.iloc[[i]], keep_constant=True)
        expected = log_predictive(truth.variables, graphs, log_weights, train, row)
        assert joined["ln"][i] == pytest.approx(expected[0], rel=1e-13)
    repeated = rows.to_frame().astype(str).assign(ln=np.repeat(found, rows.weights))
    assert sorted(repeated["ln"]) == sorted(joined["ln"])


def test_every_family_is_fitted_once(survey, monkeypatch):
    truth, graphs, log_weights, train, rows = survey
    fitted = []
    fit = FamilyFitter.fit
    monkeypatch.setattr(FamilyFitter, "fit", lambda self, *family: fitted.append(family) or fit(self, *family))
    families = sorted({(child, int(mask)) for graph in graphs for child, mask in enumerate(graph)})
    log_predictive(truth.variables, graphs, log_weights, train, rows)
    assert sorted(fitted) == families
    fitted.clear()
    predict(truth.variables, graphs, log_weights, train, rows, truth.variables[0])
    assert sorted(fitted) == families


@pytest.mark.parametrize("chunk", [1, 1000])
def test_chunks_do_not_matter(survey, monkeypatch, chunk):
    truth, graphs, log_weights, train, rows = survey
    arguments = truth.variables, graphs, log_weights, train, rows
    at_once = log_predictive(*arguments)
    monkeypatch.setattr(mixtures, "_CHUNK", chunk)
    assert log_predictive(*arguments) == pytest.approx(at_once, rel=1e-13)


def test_levels_that_training_did_not_see_must_be_declared():
    declared = Dataset.from_codes([[0], [0]], {"a": ("x", "y")})
    arguments = ("a",), np.zeros((1, 1), dtype=np.uint64), [0.0], declared
    assert np.exp(
        log_predictive(*arguments, Dataset.from_array([["y"]], ["a"], keep_constant=True), ess=2.0)
    ) == pytest.approx([0.25])
    unused = Dataset.from_codes([[1]], {"a": ("z", "x")})
    assert np.exp(log_predictive(*arguments, unused, ess=2.0)) == pytest.approx([0.75])
    message = "the data have levels of 'a' that the network lacks: 'z'; the network has 'x', 'y'"
    with pytest.raises(InvalidData, match=message):
        log_predictive(*arguments, Dataset.from_array([["z"]], ["a"], keep_constant=True))
    two = Dataset.from_codes([[0, 0]], {"a": ("x", "y"), "b": ("0",)})
    with pytest.raises(InvalidData, match=message):
        predict(("a", "b"), [[0, 0]], [0.0], two, Dataset.from_array([["z"]], ["a"], keep_constant=True), "b")


def test_variables_must_agree():
    both = Dataset.from_codes([[0, 0]], {"a": ("x", "y"), "b": ("x", "y")})
    arguments = ("a", "b"), np.zeros((1, 2), dtype=np.uint64), [0.0]
    for rows in (both.select(["a"]), both.select(["b"])):
        with pytest.raises(InvalidData, match="the data lack variables of the network"):
            log_predictive(*arguments, both, rows)
    with pytest.raises(InvalidData, match="the data lack variables of the network: 'a'"):
        predict(*arguments, both, both.select(["b"]), "b")
    more = Dataset.from_codes([[0, 0, 0]], {"a": ("x", "y"), "b": ("x", "y"), "c": ("x",)})
    with pytest.raises(InvalidData, match="the data have variables that the network lacks: 'c'"):
        predict(*arguments, both, more, "b")
    with pytest.raises(InvalidData, match="the data lack variables of the network: 'b'"):
        log_predictive(*arguments, both.select(["a"]), both)
    with pytest.raises(
        InvalidOption, match=r"data is a list; it must be a Dataset: use read_data\(\) or Dataset\.from_frame"
    ):
        predict(*arguments, both, [[0, 0]], "b")
    with pytest.raises(InvalidOption, match="target is 'A', which is not a variable"):
        predict(*arguments, both, both, "A")


@pytest.mark.parametrize(
    ("parents", "log_weights", "message"),
    [
        ([[0, 0, 0]], [0], r"parents has the shape \(1, 3\); it must be networks × 2 variables"),
        ([0, 0], [0], r"parents has the shape \(2,\); it must be networks × 2 variables"),
        (np.zeros((0, 2), dtype=np.uint64), [], "with at least one network"),
        ([[0.0, 0.0]], [0], "sets of parents must be bit masks"),
        ([[0, 2]], [0], "a set of parents contains the variable itself, or one that does not exist"),
        ([[0, 0], [2, 1]], [0, 0], "graph 1 has a directed cycle"),
        ([[0, 0]], [0, 0], "log_weights must be 1 numbers, one for each network"),
        ([[0, 0]], ["1"], "log_weights must be 1 numbers, one for each network"),
        ([[0, 0], [0, 1]], [0, math.nan], "log_weights has NaN or infinity among its numbers"),
        ([[0, 0], [0, 1]], [0, math.inf], "log_weights has NaN or infinity among its numbers"),
        ([[0, 0], [0, 1]], [-math.inf, -math.inf], "log_weights is minus infinity for every network"),
    ],
)
def test_wrong_networks_are_refused(parents, log_weights, message):
    data = Dataset.from_codes([[0, 0]], {"a": ("x", "y"), "b": ("x", "y")})
    with pytest.raises(InvalidData, match=message):
        log_predictive(("a", "b"), parents, log_weights, data, data)
    with pytest.raises(InvalidData, match=message):
        predict(("a", "b"), parents, log_weights, data, data, "a")


def test_wrong_options_are_refused():
    data = Dataset.from_codes([[0]], {"a": ("x", "y")})
    with pytest.raises(InvalidOption, match="prior is 'flat'"):
        log_predictive(("a",), [[0]], [0], data, data, prior="flat")
    with pytest.raises(InvalidOption, match="ess is 0; it must be a number between 1e-9 and 1e9"):
        predict(("a",), [[0]], [0], data, data, "a", ess=0)
    with pytest.raises(InvalidData, match="two variables are called 'a'"):
        log_predictive(("a", "a"), [[0, 0]], [0], data, data)


def test_what_does_not_fit_into_memory_is_refused(survey):
    truth, graphs, log_weights, train, rows = survey
    count = len({(child, int(mask)) for graph in graphs for child, mask in enumerate(graph)})
    arguments = truth.variables, graphs, log_weights, train, rows
    with pytest.raises(
        TooLarge,
        match=rf"the factors of {count} families in {rows.weights.size} rows need .*; the limit is 50.0 KiB "
        r"\(max_memory\): raise the limit, or give fewer rows or networks at a time",
    ):
        log_predictive(*arguments, max_memory="50KiB")
    target = truth.variables[0]
    levels = len(train.levels[target])
    with pytest.raises(
        TooLarge, match=rf"{count} families in {rows.weights.size} rows with each of {levels} levels need"
    ):
        predict(*arguments, target, max_memory="50KiB")
    names = [f"v{i}" for i in range(64)]
    wide = Dataset.from_codes(np.zeros((1, 64), dtype=int), dict.fromkeys(names, ("0", "1")))
    everyone = np.zeros((1, 64), dtype=np.uint64)
    everyone[0, 63] = 2**63 - 1
    with pytest.raises(TooLarge, match=rf"tables of {2**64} probabilities need .*: use networks with fewer parents"):
        log_predictive(names, everyone, [0.0], wide, wide)


def test_rows_without_a_common_column_warn():
    """All lists of networks read new rows in the same way."""
    frame = pd.DataFrame({"smoke": ["no", "yes", "no", "yes"], "lung": [0, 1, 0, 0], "kind": ["a", "b", "b", "a"]})
    data = Dataset.from_frame(frame)
    scores = ds.local_scores(data)
    for found in (ds.k_best(scores, 3), ds.sample_dags(scores, 5, seed=1)):
        with pytest.warns(ds.NothingObserved, match="did you mean 'smoke'") as caught:
            predicted = found.predict(data, frame[["smoke"]].rename(columns={"smoke": "Smoke"}), "lung")
        assert caught[0].filename == __file__
        assert len(np.unique(predicted.to_numpy(), axis=0)) == 1
        found.predict(data, frame[["smoke"]], "lung")
