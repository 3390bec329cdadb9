"""Markov chains over networks."""

from __future__ import annotations

import numpy as np
import pytest

import dagscape as ds
from dagscape.core.progress import Progress
from dagscape.ensembles.sampled_networks import SampledNetworks
from dagscape.sampling import chain_lists, chain_requirements, informed_steps, running_chains
from dagscape.sampling.chain_lists import candidate_lists, complete_lists
from dagscape.sampling.chain_starts import random_start
from oracles.posterior import possible_dags
from oracles.samples import chi_square_deviate, dag_probabilities
from sampling.test_exact import SCORES, experiments, related

# Draws of chains are nearly independent with ten sweeps between them; a right chain seldom exceeds this deviate.
FAR_OFF = 4.0


def run(scores: ds.LocalScores, **options) -> SampledNetworks:
    return ds.chain(scores, **{"draws": 5000, "chains": 2, "seed": 1, "threads": 2} | options)


def deviations(drawn: SampledNetworks, edges: np.ndarray) -> np.ndarray:
    """How many Monte Carlo errors the edges are off."""
    apart = ~np.eye(len(edges), dtype=bool)
    return (np.abs(drawn.edges - edges)[apart] - 1e-4) / drawn.edge_errors[apart]


@pytest.mark.slow
@pytest.mark.parametrize("name", SCORES)
def test_every_dag_on_four_variables_is_as_frequent_as_it_should(name):
    scores = SCORES[name](4)
    drawn = run(scores)
    assert len(drawn) == 10_000
    assert chi_square_deviate(drawn, dag_probabilities(scores, "dags")) < FAR_OFF
    assert drawn.diagnostics.converged


@pytest.mark.slow
def test_networks_from_experiments():
    scores = ds.local_scores(experiments(3))
    assert chi_square_deviate(run(scores), dag_probabilities(scores, "dags")) < FAR_OFF


@pytest.fixture
def only_candidates(monkeypatch):
    """Chains list the families of one or two candidates, so that most families are reached by other steps only."""
    monkeypatch.setattr(chain_requirements, "_fits", lambda *_: False)
    monkeypatch.setattr(chain_lists, "_CANDIDATES", 1)
    monkeypatch.setattr(informed_steps, "_SHARE", 1.0)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rows", "options"),
    [
        (30, {}),
        (3, {"required": [("v1", "v0")]}),
        (6, {"max_parents": 1, "structure_prior": "edge-penalty:0.7", "forbidden": [("v0", "v2")]}),
    ],
)
@pytest.mark.usefixtures("only_candidates")
def test_families_outside_the_lists_are_reached_without_bias(rows, options):
    scores = ds.local_scores(related(4, rows), **options)
    drawn = run(scores, draws=1200, thin=3)
    assert drawn.provenance.parameters["families"]["all"] is False
    # With few sweeps between them, draws are correlated.
    thinned = SampledNetworks(
        drawn.variables,
        drawn.provenance,
        drawn.networks[::4],
        drawn.scores[::4],
        over="dags",
        method="chain",
        chains=2,
    )
    assert chi_square_deviate(thinned, dag_probabilities(scores, "dags")) < FAR_OFF


@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
def test_data_and_scores_give_the_same_chain():
    data = related(6, 60)
    from_data = ds.chain(data, max_parents=2, draws=50, chains=2, seed=3, settings="fixed")
    from_scores = ds.chain(ds.local_scores(data, max_parents=2), draws=50, chains=2, seed=3, settings="fixed")
    assert np.array_equal(from_data.networks.parents, from_scores.networks.parents)
    assert np.array_equal(from_data.edges, from_scores.edges)


@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
def test_scores_are_those_of_the_networks():
    scores = ds.local_scores(related(6, 60), structure_prior="per-size")
    drawn = ds.chain(scores, draws=20, chains=2)
    for network, score in zip(drawn.networks, drawn.scores, strict=True):
        assert score == scores.network(network)


@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
@pytest.mark.parametrize("candidates", [False, True])
def test_threads_do_not_change_the_result(candidates, request):
    if candidates:
        request.getfixturevalue("only_candidates")
    scores = ds.local_scores(related(5, 60))
    one, two = (ds.chain(scores, draws=40, chains=3, threads=threads) for threads in (1, 2))
    assert np.array_equal(one.networks.parents, two.networks.parents)
    assert np.array_equal(one.edge_batches, two.edge_batches)
    other = ds.chain(scores, draws=40, chains=3, seed=1)
    assert not np.array_equal(one.networks.parents, other.networks.parents)


@pytest.mark.slow
@pytest.mark.parametrize("max_parents", [3, 4])
@pytest.mark.parametrize("name", ["tic-tac-toe", "zoo"])
def test_edges_agree_with_the_exact_posterior(name, max_parents):
    # Zoo has many rows alike and many exact ties; the first variables will do.
    data = ds.load_dataset(name)
    data = data.select(data.variables[:12])
    scores = ds.local_scores(data, max_parents=max_parents)
    off = deviations(ds.chain(scores, draws=1000), ds.posterior(scores).edges)
    assert (off <= 3).mean() >= 0.99
    assert off.max() <= 5


def test_what_is_left_out_of_lists_is_bounded():
    scores = ds.local_scores(related(4, 400))
    lists = complete_lists(scores)
    everything = 4 * 2**3
    assert lists.listed < everything
    kept = [{frozenset(parents) for parents, _ in lists.families(child)} for child in range(4)]
    total = lost = 0.0
    found = [(weight, parents) for _, weight, parents in possible_dags(scores)]
    highest = max(weight for weight, _ in found)
    for weight, parents in found:
        share = np.exp(weight - highest)
        total += share
        numbered = [frozenset(parents[child]) for child in range(4)]
        lost += share * any(own not in listed for own, listed in zip(numbered, kept, strict=True))
    assert 0 < lost / total <= lists.lost <= chain_lists.MOST_LOST


def test_cores_come_first_and_are_sorted():
    lists = complete_lists(ds.local_scores(related(6, 100)))
    for child in lists.children:
        assert 0 < child.core <= len(child.scores)
        assert (np.diff(child.scores[: child.core]) <= 0).all()
        assert (np.diff(child.scores[child.core :]) <= 0).all()


def test_candidates_hold_the_families_of_the_network():
    scores = ds.family_scores(related(9, 100))
    network = ds.learn(scores).network
    lists = candidate_lists(scores, network)
    for child, mask in enumerate(network.parent_masks):
        parents = tuple(u for u in range(9) if mask >> u & 1)
        families = [own for own, _ in lists.families(child)]
        assert parents in families[: lists.children[child].core]
        assert len(set(families)) == len(families)


def test_random_starts_respect_required_edges():
    scores = ds.local_scores(related(5, 60), required=[("v4", "v0"), ("v3", "v4")])
    lists = complete_lists(scores)
    for seed in range(5):
        start = random_start(lists, scores, np.random.default_rng(seed))
        assert 4 in start[0]
        assert 3 in start[4]


class Stopping:
    """A listener that behaves like Ctrl-C after some progress."""

    def __init__(self, share: float) -> None:
        self.share = share

    def __call__(self, progress: Progress) -> None:
        if progress.task == "Running chains" and progress.done > self.share * progress.total:
            raise KeyboardInterrupt


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
@pytest.mark.parametrize("candidates", [False, True])
def test_a_chain_continues_from_its_checkpoint_with_the_same_bits(tmp_path, candidates, request):
    if candidates:
        request.getfixturevalue("only_candidates")
    scores = ds.local_scores(related(8, 100))
    options = {"draws": 600, "chains": 2, "thin": 40, "seed": 5}
    whole = ds.chain(scores, **options)
    with pytest.raises(KeyboardInterrupt):
        ds.chain(scores, **options, checkpoint=tmp_path, checkpoint_seconds=0, progress=Stopping(0.1))
    assert any(tmp_path.iterdir())
    resumed = ds.chain(scores, **options, checkpoint=tmp_path, checkpoint_seconds=0)
    assert np.array_equal(whole.networks.parents, resumed.networks.parents)
    assert np.array_equal(whole.edge_batches, resumed.edge_batches)
    assert not any(tmp_path.iterdir())


@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
@pytest.mark.slow
def test_ctrl_c_keeps_what_was_drawn():
    scores = ds.local_scores(related(8, 100))
    with pytest.warns(ds.StoppedEarly, match="Ctrl-C ended the chains"):
        drawn = ds.chain(scores, draws=20_000, chains=2, thin=40, progress=Stopping(0.2))
    assert 0 < drawn.draws < 20_000
    assert len(drawn) == 2 * drawn.draws
    assert any("stopped early" in warning for warning in drawn.warnings)


@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
@pytest.mark.slow
def test_time_limit():
    scores = ds.local_scores(related(8, 100))
    with pytest.warns(ds.StoppedEarly, match="max_seconds"):
        drawn = ds.chain(scores, draws=1_000_000, chains=2, max_seconds=1.0)
    assert 0 < drawn.draws < 1_000_000
    assert drawn.edge_batches.shape[1] <= running_chains.most_batches(8)


@pytest.mark.slow
def test_time_is_shared_by_chains():
    """Fewer threads than chains: all have draws, in batches of about the same size, of which a fifth is discarded."""
    with pytest.warns(ds.StoppedEarly, match="max_seconds"):
        drawn = ds.chain(ds.local_scores(related(8, 100)), draws=1_000_000, chains=3, max_seconds=1.0, threads=1)
    assert drawn.draws >= running_chains.most_batches(8)
    assert drawn.diagnostics.burn_in < 0.3 * (drawn.draws + drawn.diagnostics.burn_in)


def test_a_bimodal_posterior_that_traps_a_chain_is_noticed(monkeypatch):
    """Two groups of families that only occur together; without blocks, single steps never leave one of them."""
    high = 60.0
    # a -> b -> c -> d, or d -> c -> b -> a: all or nothing, and empty sets are rare.
    table = {
        "a": {(): 0.0, ("b",): high},
        "b": {(): -high, ("a",): high, ("c",): high},
        "c": {(): -high, ("b",): high, ("d",): high},
        "d": {(): 0.0, ("c",): high},
    }
    scores = ds.FamilyTable(table, complete=True)
    exact = ds.posterior(scores)
    good = ds.chain(scores, draws=500, chains=4)
    assert good.diagnostics.converged
    assert np.abs(good.edges - exact.edges).max() < 0.05
    # Single steps alone.
    monkeypatch.setattr(running_chains, "MOVES", running_chains.Moves(blocks=0, covered=0))
    with pytest.warns(ds.UnconvergedChains, match="Do not rely"):
        stuck = ds.chain(scores, draws=500, chains=6)
    assert not stuck.diagnostics.converged
    assert stuck.diagnostics.r_hat_edges > 1.5


@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
def test_hundreds_of_variables_with_candidates():
    rng = np.random.default_rng(2)
    table = rng.integers(0, 2, (200, 300))
    table[:, 1::2] = table[:, ::2] ^ (rng.random((200, 150)) < 0.1)
    data = ds.Dataset.from_array(table)
    drawn = ds.chain(data, draws=4, chains=2, thin=1, structure_prior="edge-penalty:4", max_parents=5)
    assert drawn.provenance.parameters["families"]["all"] is False
    pairs = drawn.adjacencies[np.arange(0, 300, 2), np.arange(1, 300, 2)]
    assert pairs.mean() > 0.9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"chains": 0}, "chains is 0"),
        ({"draws": 1}, "draws is 1"),
        ({"thin": 0}, "thin is 0"),
        ({"seed": "x"}, "seed is 'x'"),
        ({"max_seconds": -1}, "max_seconds is -1"),
        ({"ess": 2}, "ess is an option of scoring"),
        ({"checkpoint": "folder", "seed": None}, "checkpoint needs a number as seed"),
    ],
)
def test_invalid_options(options, message):
    scores = ds.local_scores(related(3, 20))
    with pytest.raises(ds.InvalidOption, match=message):
        ds.chain(scores, **options)


def test_invalid_data():
    with pytest.raises(ds.InvalidOption, match="it must be a Dataset, a data frame, a path or LocalScores"):
        ds.chain([1, 2])
    with pytest.raises(ds.InvalidOption, match="has no option 'width'"):
        ds.chain(related(3, 20), width=3)


def test_memory_is_planned():
    with pytest.raises(ds.TooLarge, match="raise the limit, or use fewer draws or chains"):
        ds.chain(related(5, 20), max_memory="10KiB")


def test_starts_differ():
    scores = ds.local_scores(related(6, 60))
    lists = complete_lists(scores)
    rng = np.random.default_rng(0)
    starts = [random_start(lists, scores, rng) for _ in range(4)]
    assert len({str(start) for start in starts}) > 1


@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
def test_required_edges_in_any_number():
    """A path through all variables, and a variable with more required parents than lists have candidates."""
    data = related(9, 60)
    path = [(f"v{i}", f"v{i + 1}") for i in range(8)]
    drawn = ds.chain(ds.local_scores(data, required=path, max_parents=2), draws=20, chains=2)
    assert all(set(path) <= set(network.edges) for network in drawn.networks)
    assert drawn.edge_means[:, range(8), range(1, 9)].min() > 1 - 1e-9


@pytest.mark.usefixtures("only_candidates")
@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
def test_required_parents_and_candidates():
    required = [(f"v{i}", "v8") for i in range(5)]
    drawn = ds.chain(related(9, 60), required=required, draws=4, chains=2, thin=1)
    assert all(set(required) <= set(network.edges) for network in drawn.networks)
    assert 0 <= drawn.provenance.parameters["families"]["variables_outside"] <= 9


@pytest.mark.parametrize("draws", [300, 1000])
def test_a_time_limit_that_is_not_reached_changes_little(draws):
    scores = ds.local_scores(related(4, 30))
    drawn = ds.chain(scores, draws=draws, chains=2, thin=1, max_seconds=600)
    assert drawn.draws == draws
    assert drawn.edge_batches.shape[1] >= 10


def test_batches_are_equally_long():
    drawn = ds.chain(ds.local_scores(related(4, 30)), draws=1000, chains=2, thin=1)
    assert drawn.draws == 1000
    assert 20 <= drawn.edge_batches.shape[1] <= 40


@pytest.mark.parametrize("n", [5, 500])
@pytest.mark.parametrize("limited", [False, True])
def test_lengths(n, limited):
    """However batches are joined, the burn-in ends with one, and the draws that were asked for remain."""
    for kept in (2, 7, 100, 999, 1000, 12_345, 100_000):
        lengths = running_chains.Lengths.of(kept, n, limited=limited)
        assert lengths.batch <= (1 if limited else 8)
        assert lengths.kept == kept
        sizes: list[int] = []
        while sum(sizes) < lengths.total:
            size = max(lengths.batch, sizes[0] if sizes else 0)
            sizes.append(min(size, lengths.total - sum(sizes)))
            if len(sizes) == running_chains.most_batches(n):
                sizes = [first + second for first, second in zip(sizes[::2], sizes[1::2], strict=True)]
        assert len(set(sizes[:-1])) <= 1
        assert lengths.burn_in in np.cumsum(sizes)


def test_certain_edges_have_small_errors():
    """Averages of ones may differ from 1 by a rounding error, which is no variance."""
    scores = ds.local_scores(related(5, 2000))
    drawn = ds.chain(scores, draws=200, chains=4)
    certain = drawn.edges > 1 - 1e-6
    assert drawn.edge_errors[certain].max(initial=0.0) < 0.02


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains", "ignore::dagscape.StoppedEarly")
def test_a_chain_continues_after_its_time_is_over(tmp_path):
    scores = ds.local_scores(related(8, 100))
    options = {"draws": 600, "chains": 2, "thin": 200, "seed": 5, "checkpoint": tmp_path}
    first = ds.chain(scores, **options, max_seconds=0.3)
    assert 0 < first.draws < 600
    assert any(tmp_path.iterdir())
    whole = ds.chain(scores, **options)
    assert not any(tmp_path.iterdir())
    again = ds.chain(scores, **{**options, "checkpoint": None})
    assert np.array_equal(whole.networks.parents, again.networks.parents)
    assert np.array_equal(whole.edge_batches, again.edge_batches)


def test_families_that_vanish_in_plain_numbers_are_counted():
    """The heaviest possible family of a is 98 bits below its best, and the one that matters 1001.5 below it."""
    bit = float(np.log(2))
    table = {
        "a": {("c",): 0.0, ("b",): -98 * bit, (): -1001.5 * bit},
        "b": {("a",): 0.0, (): -905 * bit},
        "c": {("a",): 0.0},
    }
    scores = ds.FamilyTable(table, complete=True)
    drawn = ds.chain(scores, draws=2000, chains=2)
    assert abs(drawn.edge("a", "b") - ds.posterior(scores).edge("a", "b")) < 0.03


@pytest.mark.filterwarnings("ignore::dagscape.UnconvergedChains")
def test_without_a_limit_on_parents_all_families_are_listed_with_the_largest_that_fits():
    data = related(26, 30)
    drawn = ds.chain(data, draws=2, chains=1, thin=1, settings="fixed")
    assert drawn.score_info.max_parents == 4
    assert ds.chain(data, draws=2, chains=1, thin=1).score_info.max_parents == 2
    assert drawn.provenance.parameters["families"]["all"] is True
    few = ds.chain(related(6, 30), draws=2, chains=1, thin=1, settings="fixed")
    assert few.score_info.max_parents == 5
    asked = ds.chain(data, max_parents=2, draws=2, chains=1, thin=1, settings="fixed")
    assert asked.score_info.max_parents == 2
    required = ds.chain(data, required=[(f"v{i}", "v9") for i in range(5)], draws=2, chains=1, thin=1, settings="fixed")
    assert required.score_info.max_parents == 25
