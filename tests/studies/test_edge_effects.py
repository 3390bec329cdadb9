"""The size and the sign of edges, from the joint distribution of their ends."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import dagscape as ds
from cli.running import run
from dagscape.report.tables import render
from dagscape.report.terminal import terminal_text
from oracles import association as oracle


def table(cells):
    """Rows of named columns, each as often as its count says."""
    names, *rows = cells
    return pd.DataFrame([row[:-1] for row in rows for _ in range(row[-1])], columns=names)


# In both groups the treated recover less often; over all, more often.
SIMPSON = table(
    [
        ("group", "treated", "recovered"),
        ("mild", "no", "no", 2),
        ("mild", "no", "yes", 18),
        ("mild", "yes", "no", 24),
        ("mild", "yes", "yes", 96),
        ("severe", "no", "no", 84),
        ("severe", "no", "yes", 36),
        ("severe", "yes", "no", 16),
        ("severe", "yes", "yes", 4),
    ]
)
FULL = ds.Dag.from_edges(SIMPSON.columns, [("group", "treated"), ("group", "recovered"), ("treated", "recovered")])


def test_the_association_is_that_of_all_rows_not_of_groups():
    found = ds.edge_effects(FULL, SIMPSON, joint="data").effect("treated", "recovered")
    yes, no = 100 / 140, 54 / 140
    assert (found.source, found.target, found.sign) == ("treated", "recovered", "+")
    assert found.risk_difference == pytest.approx(yes - no)
    assert found.odds_ratio == pytest.approx(100 * 86 / (40 * 54))
    assert found.compared == "P(recovered = yes | treated = yes) - P(recovered = yes | treated = no)"
    # In each group it is the other way round.
    for group, rows in SIMPSON.groupby("group"):
        dag = ds.Dag.from_edges(["treated", "recovered"], [("treated", "recovered")])
        inside = ds.edge_effects(dag, rows[["treated", "recovered"]], joint="data").effects[0]
        assert (group, inside.sign) == (group, "-")
        assert inside.risk_difference < 0


def test_the_network_of_maximum_likelihood_has_the_shares_of_rows():
    network = ds.Network.fit(FULL, SIMPSON, prior="none")
    for exact, counted in zip(
        ds.edge_effects(network).effects, ds.edge_effects(FULL, SIMPSON, joint="data").effects, strict=True
    ):
        assert exact.cramers_v == pytest.approx(counted.cramers_v)
        assert exact.risk_difference == pytest.approx(counted.risk_difference)


def test_direction_and_levels_of_the_risk_difference():
    data = pd.DataFrame({"smokes": ["no"] * 10 + ["yes"] * 10, "ill": ["no"] * 9 + ["yes"] + ["no"] * 4 + ["yes"] * 6})
    forth = ds.edge_effects(ds.Dag.from_edges(["smokes", "ill"], [("smokes", "ill")]), data, joint="data").effects[0]
    back = ds.edge_effects(ds.Dag.from_edges(["smokes", "ill"], [("ill", "smokes")]), data, joint="data").effects[0]
    assert forth.risk_difference == pytest.approx(0.6 - 0.1)
    assert back.risk_difference == pytest.approx(6 / 7 - 4 / 13)
    assert forth.odds_ratio == back.odds_ratio == pytest.approx(6 * 9 / (1 * 4))
    assert forth.sign == back.sign == "+"
    turned = ds.Dataset.from_frame(data, levels={"ill": ["yes", "no"], "smokes": ["yes", "no"]})
    again = ds.edge_effects(ds.Dag.from_edges(["smokes", "ill"], [("smokes", "ill")]), turned, joint="data").effects[0]
    # "yes" is the higher level, in whatever order the levels are.
    assert again.risk_difference == pytest.approx(forth.risk_difference)
    assert (again.sign, again.source_levels, again.compared) == (forth.sign, forth.source_levels, forth.compared)


@pytest.mark.parametrize("seed", range(4))
def test_joint_distributions_are_those_of_all_states(seed):
    rng = np.random.default_rng(seed)
    sizes = [2, 3, 2, 4, 3]
    dag = _random_dag(rng)
    levels = {f"v{i}": [str(level) for level in range(size)] for i, size in enumerate(sizes)}
    cpts = {}
    for name in dag.variables:
        shape = [len(levels[parent]) for parent in dag.parents(name)]
        cpts[name] = (
            rng.dirichlet(np.ones(len(levels[name])), shape) if shape else rng.dirichlet(np.ones(len(levels[name])))
        )
    network = ds.Network(dag, levels, cpts, types=dict.fromkeys(levels, "integer"))
    found = ds.edge_effects(network)
    assert {(effect.source, effect.target) for effect in found.effects} == set(dag.edges)
    for effect in found.effects:
        joint = oracle.pair_joint(network, effect.source, effect.target)
        assert effect.cramers_v == pytest.approx(oracle.cramers_v(joint), abs=1e-9)
        assert effect.tau_b == pytest.approx(oracle.pairs_of_draws(joint), abs=1e-9)
        assert effect.sign == ("+" if effect.tau_b > 0 else "-")
        if joint.shape == (2, 2):
            (a, b), (c, d) = joint
            assert effect.risk_difference == pytest.approx(d / (c + d) - b / (a + b))


def _random_dag(rng):
    names = [f"v{i}" for i in range(5)]
    pairs = [(names[u], names[v]) for u in range(5) for v in range(u + 1, 5) if rng.random() < 0.6]
    return ds.Dag.from_edges(names, pairs or [("v0", "v1")])


def test_several_networks_are_averaged_before_the_measures():
    data = ds.load_dataset("tic-tac-toe")
    best = ds.k_best(ds.local_scores(data, max_parents=2), k=3)
    found = ds.edge_effects(best, data)
    assert (found.networks, found.covered) == (3, 1.0)
    fitted = [ds.Network.fit(dag, data) for dag in best.networks]
    effect = found.effects[0]
    tables = [_joint(network, effect) for network in fitted]
    mean = sum(weight * joint for weight, joint in zip(best.weights(), tables, strict=True))
    assert effect.cramers_v == pytest.approx(oracle.cramers_v(mean), abs=1e-9)
    # Fewer networks: the best ones, with their share of the list.
    one = ds.edge_effects(best, data, networks=1)
    assert (one.networks, one.covered) == (1, pytest.approx(best.weights().max()))


def _joint(network, effect):
    sizes = [len(network.levels[name]) for name in (effect.source, effect.target)]
    return network.query([effect.source, effect.target]).to_numpy().reshape(sizes)


def test_every_kind_of_result_with_edges():
    data = ds.load_dataset("tic-tac-toe").select(["Class", *ds.load_dataset("tic-tac-toe").variables[:4]])
    scores = ds.local_scores(data)
    post = ds.posterior(scores)
    results = [
        post,
        ds.k_best(scores, 3),
        ds.modes(scores, 2),
        ds.sample_dags(scores, 20),
        ds.bootstrap(data, samples=3, workers=1),
        ds.learn(data),
        ds.optimal_network(scores),
        post.consensus(),
        post.consensus().to_cpdag(),
        ds.Network.fit(post.consensus(), data),
    ]
    for result in results:
        found = ds.edge_effects(result, data)
        assert found.variables == data.variables
        assert all(effect.cramers_v > 0 for effect in found.effects)
        assert ds.draw(result, effects=found)
    for threshold in (0.0001, 0.9999):
        shown = ds.edge_effects(post, data, threshold=threshold)
        assert len(shown) == int((post.adjacencies >= threshold).sum()) // 2
        assert all(effect.probability >= threshold for effect in shown.effects)


def test_rows_that_were_set_or_are_missing_do_not_count():
    frame = pd.DataFrame({"a": ["x", "y", "x", "y", "x"], "b": ["x", "y", "x", "y", None]})
    data = ds.Dataset.from_frame(frame, missing="keep")
    dag = ds.Dag.from_edges("ab", [("a", "b")])
    assert ds.edge_effects(dag, data, joint="data").effects[0].cramers_v == pytest.approx(1)
    rows = pd.DataFrame({"a": ["x", "y", "x", "y"], "b": ["x", "y", "y", "x"]})
    marked = ds.Dataset.from_frame(rows, interventions=["", "", "a", "a"])
    assert ds.edge_effects(dag, marked, joint="data").effects[0].cramers_v == pytest.approx(1)
    none = ds.Dataset.from_frame(rows, interventions=["a"] * 4)
    with pytest.raises(ds.InvalidOption, match="data has no row in which 'a' and 'b' are both observed, and neither"):
        ds.edge_effects(dag, none, joint="data")


def test_what_is_ordered():
    rng = np.random.default_rng(0)
    grade = rng.integers(0, 3, 300)
    mood = (grade + rng.integers(0, 2, 300)) % 3
    frame = pd.DataFrame({"grade": grade, "mood": np.array(["bad", "fair", "good"])[mood]})
    dag = ds.Dag.from_edges(["grade", "mood"], [("grade", "mood")])
    plain = ds.edge_effects(dag, frame).effects[0]
    assert (plain.sign, plain.tau_b, plain.compared) == ("", None, "")
    ordered = ds.edge_effects(dag, frame, ordered=["mood"]).effects[0]
    assert ordered.sign
    assert ordered.compared == "grade: 0 … 2, mood: bad … good"
    assert ordered.cramers_v == plain.cramers_v
    with pytest.raises(
        ds.InvalidOption, match="ordered has 'mod', which is not a variable of the result; did you mean"
    ):
        ds.edge_effects(dag, frame, ordered=["mod"])


@pytest.mark.parametrize(
    ("result", "options", "message"),
    [
        (FULL, {}, "data is missing: networks are fitted to the rows; only a Network has probabilities of its own"),
        (FULL, {"joint": "data"}, "data is missing: shares of rows need them"),
        (
            FULL,
            {"data": SIMPSON[["group", "treated"]]},
            "data has no column 'recovered', which is a variable of the re",
        ),
        (FULL, {"data": SIMPSON, "joint": "rows"}, "joint is 'rows'"),
        (FULL, {"data": SIMPSON, "networks": 0}, "networks is 0; it must be an integer of at least 1"),
        (FULL, {"data": SIMPSON, "threshold": 2}, "threshold is 2; it must be a probability, from 0 to 1"),
        ("asia", {}, "result is a str; it must be a graph, a network, a posterior, a bootstrap, or networks that were"),
    ],
)
def test_wrong_arguments_are_refused(result, options, message):
    with pytest.raises(ds.InvalidOption, match=message):
        ds.edge_effects(result, **options)


def test_effects_survive_saving_and_show_themselves(tmp_path):
    found = ds.edge_effects(ds.load_network("asia"))
    for name in ("effects.json", "effects.npz"):
        found.save(tmp_path / name)
        again = ds.load_result(tmp_path / name)
        assert again == found
        assert again.to_dict() == found.to_dict()
    found.save(tmp_path / "effects.csv")
    frame = pd.read_csv(tmp_path / "effects.csv")
    assert [*frame.columns] == [
        "source", "target", "probability", "risk_difference", "odds_ratio", "cramers_v", "tau_b", "sign", "compared",
    ]  # fmt: skip
    text = " ".join(terminal_text(render(found), 160).split())
    assert "associations, not causal effects" in text
    assert "P(yes | yes) - P(yes | no)" in text
    with pytest.raises(ds.InvalidOption, match="there is no edge between 'asia' and 'xray'"):
        found.effect("asia", "xray")
    with pytest.raises(ds.InvalidOption, match="'asi' is not a variable; did you mean 'asia'"):
        found.effect("asi", "xray")


def test_contradictory_files_are_refused(tmp_path):
    document = ds.edge_effects(ds.load_network("asia")).to_dict()
    for change in ({"source": "nowhere"}, {"sign": "?"}, {"source_levels": []}, {"cramers_v": 2}):
        wrong = json.loads(json.dumps(document))
        wrong["effects"][0] |= change
        (tmp_path / "wrong.json").write_text(json.dumps(wrong))
        with pytest.raises(ds.InvalidData):
            ds.load_result(tmp_path / "wrong.json")


def texts(svg):
    return [text.text for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")]


def test_pictures_have_size_and_sign_and_a_legend():
    asia = ds.load_network("asia")
    found = ds.edge_effects(asia)
    shown = texts(ds.draw(asia, effects=found))
    assert "+0.92" in shown
    said = " ".join(shown)
    assert "association (Cramér's V) under the network, not a causal effect" in said
    assert "+: higher levels go together (lung: yes, either: yes, xray: yes" in said
    source = ds.draw(asia)
    assert "+0.92" not in source
    # Beside probabilities, on a line of its own, and in words for who points at the edge.
    weights = np.full((8, 8), 0.4)
    svg = ds.draw(asia, effects=found, weights=weights)
    assert "0.40" in svg
    assert "<title>lung → either: 0.4; +0.92</title>" in svg


def test_the_legend_has_only_levels_of_variables_that_are_drawn():
    asia = ds.load_network("asia")
    found = ds.edge_effects(asia)
    said = " ".join(texts(ds.draw(asia, effects=found, around="asia")))
    assert "+: higher levels go together (asia: yes, tub: yes)" in said
    frame = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1], "c": list("xyzx")})
    dag = ds.Dag.from_edges("abc", [("a", "b"), ("b", "c")])
    part = " ".join(texts(ds.draw(dag, effects=ds.edge_effects(dag, frame, joint="data"), around="a")))
    assert "+: higher levels go together (a: 1, b: 1)" in part
    assert "levels without an order" not in part


def test_signs_are_characters_not_colours():
    frame = pd.DataFrame({"a": [0, 0, 1, 1, 2, 2], "b": [2, 2, 1, 1, 0, 0], "c": list("xyzxyz")})
    dag = ds.Dag.from_edges("abc", [("a", "b"), ("a", "c")])
    shown = texts(ds.draw(dag, effects=ds.edge_effects(dag, frame, joint="data")))
    assert "\N{MINUS SIGN}1.00" in shown
    assert any(text.startswith("V 0.") for text in shown)
    assert "V: levels without an order" in " ".join(shown)


def test_graphviz_has_the_same_labels(tmp_path):
    asia = ds.load_network("asia")
    ds.draw(asia, tmp_path / "asia.dot", effects=ds.edge_effects(asia))
    source = (tmp_path / "asia.dot").read_text(encoding="utf-8")
    assert '"lung" -> "either" [label="+0.92"]' in source
    assert "not a causal effect" in source.replace("\\l", " ")


def test_other_objects_are_no_effects():
    with pytest.raises(ds.InvalidOption, match="effects is a dict; it must be a result of edge_effects"):
        ds.draw(FULL, effects={})


def test_names_of_levels_and_variables_are_data():
    frame = pd.DataFrame({"<b>&": ["<i>", "<i>", '"', '"'], "a\n|b": ["x", "y", "y", "y"]})
    dag = ds.Dag.from_edges(list(frame), [tuple(frame)])
    found = ds.edge_effects(dag, frame)
    assert "<i>" not in ds.draw(dag, effects=found)
    ElementTree.fromstring(ds.draw(dag, effects=found))
    assert "<i>" not in found._repr_html_()


# The command line


@pytest.fixture
def simpson(tmp_path):
    SIMPSON.to_csv(tmp_path / "simpson.csv", index=False)
    return tmp_path / "simpson.csv"


@pytest.mark.parametrize("command", [["posterior"], ["best", "-k", 2], ["learn"], ["posterior", "--method", "chain"]])
def test_commands_show_effects(capfd, tmp_path, simpson, command):
    picture, saved = tmp_path / "picture.svg", tmp_path / "effects.json"
    code, out, _ = run(
        capfd, *command[:1], simpson, *command[1:], "--effects", "--draw", picture, "--effects-file", saved
    )
    assert code == 0
    assert "Size and sign of " in out
    assert "associations, not causal effects" in " ".join(out.split())
    found = ds.load_result(saved)
    assert found.effect("group", "treated").risk_difference is not None
    assert f">{found.effects[0].shown}<" in picture.read_text(encoding="utf-8")
    code, out, _ = run(capfd, *command[:1], simpson, *command[1:], "--effects", "--json")
    assert json.loads(out)["effects"]["effects"][0]["source"]
    assert "effects" not in json.loads(run(capfd, *command[:1], simpson, *command[1:], "--json")[1])


def test_saved_effects_are_drawn(capfd, tmp_path, simpson):
    run(capfd, "posterior", simpson, "--effects-file", tmp_path / "e.json", "-o", tmp_path / "p.json")
    code, out, _ = run(capfd, "draw", tmp_path / "p.json", "--effects", tmp_path / "e.json")
    assert code == 0
    assert "association (Cramér's V)" in out
    code, _, err = run(capfd, "draw", tmp_path / "p.json", "--effects", tmp_path / "p.json")
    assert code == 2
    assert "is a 'posterior' result, not one of --effects-file" in err


@pytest.mark.parametrize("command", ["posterior", "best", "learn"])
def test_effects_need_levels(capfd, tmp_path, simpson, command):
    scores = tmp_path / "scores.jkl"
    ds.write_scores(ds.local_scores(ds.Dataset.from_frame(SIMPSON)), scores)
    code, _, err = run(capfd, command, scores, "--effects")
    assert code == 2
    assert "--effects needs a table of discrete data: there are no counts of levels in a score file" in err


def test_sure_pairs_of_open_direction_have_their_effect():
    """The consensus network has no edge where neither direction is more probable than not; the pair is joined."""
    rng = np.random.default_rng(2)
    x = rng.integers(0, 2, 300)
    data = ds.Dataset.from_array(np.stack([x, np.where(rng.random(300) < 0.2, 1 - x, x)], axis=1), ["x", "y"])
    post = ds.posterior(data)
    assert post.consensus().edge_count == 0
    (effect,) = ds.edge_effects(post, data).effects
    rows = ds.edge_effects(post, data, joint="data").effects[0]
    assert effect.probability > 0.99
    assert effect.cramers_v == pytest.approx(rows.cramers_v, abs=0.03)
    assert effect.risk_difference == pytest.approx(rows.risk_difference, abs=0.03)
    low = ds.edge_effects(ds.posterior(ds.load_dataset("tic-tac-toe")), ds.load_dataset("tic-tac-toe"), threshold=0.2)
    assert all(effect.cramers_v > 0.01 for effect in low.effects)


def test_averages_are_fitted_with_the_size_that_is_given():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 2, 30)
    data = ds.Dataset.from_array(np.stack([x, np.where(rng.random(30) < 0.1, 1 - x, x)], axis=1), ["x", "y"])
    alone = ds.posterior(data, ess=32, structure_prior="uniform")
    averaged = ds.posterior(data, ess=32)
    assert averaged.score_info.parameters == {"ess": 32.0}
    one, other = (ds.edge_effects(post, data).effects[0].cramers_v for post in (alone, averaged))
    assert one == pytest.approx(other)
