"""Edge probabilities, and the consensus network below them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dagscape.core.wording import plural
from dagscape.graphs.dag import Dag
from dagscape.posterior.result import Posterior
from dagscape.report.blocks import Block, Heading, Name, Note, Paragraph, Row, arrow, joined, table
from dagscape.report.probabilities import probability, shown_from
from dagscape.studies.bootstrap_result import Bootstrap

if TYPE_CHECKING:
    import pandas as pd

EDGES_SHOWN = 0.05

# Probabilities that differ by less are equal up to rounding.
_ROUNDING = 1e-9

# The settings that are named: the most probable ones.
_SETTINGS_SHOWN = 3
_SHARE_SHOWN = 0.005

_SHARES = (
    "numbers are shares of bootstrap samples: how stable the method is, not how probable an edge is given the data"
)

# What no table of probabilities can say.
CAUSES = "an arrow is no cause without design or order in time: --randomised, --tiers (see From arrows to causes)"

# Columns that have other names in tables.
_HEADERS = {"edge_error": "± error"}


def render_posterior(post: Posterior, threshold: float = EDGES_SHOWN, consensus: Dag | None = None) -> list[Block]:
    """Render the pairs that are adjacent with a probability of ``threshold``, and the consensus network, if given."""
    evidence = "" if post.prior else f"log evidence {post.log_evidence:,.4f}, "
    title = f"{'Prior' if post.prior else 'Posterior'} over {post.over}: {evidence}error estimate {post.error:.0e}"
    heading = Heading(title, (_averaged_over(post),) if post.settings else ())
    table_of_edges = edge_blocks(heading, post.to_frame(), threshold, consensus)
    return [*table_of_edges, Note(_about_directions(post)), Note(CAUSES)]


def _averaged_over(post: Posterior) -> str:
    """Say which settings were averaged over, and which of them matter."""
    frame = post.settings_frame()
    shown = frame[frame["share"] >= _SHARE_SHOWN].head(_SETTINGS_SHOWN)
    named = "; ".join(f"{label} ({share:.2f})" for label, share in zip(shown["setting"], shown["share"], strict=True))
    return f"{post.average_line}: {named}"


def _about_directions(post: Posterior) -> str:
    """Say what tells directions: not the share of DAGs with an edge."""
    if post.compelled is None or post.compelled_errors is None:
        return "the share of DAGs with an edge says little about its direction; compelled edges were not computed"
    seed = "" if post.compelled_seed is None else f" (seed {post.compelled_seed})"
    if post.score_info is not None and post.score_info.ruled_out:
        by_rule = "; where the score rules out the other direction, it is no evidence"
    else:
        by_rule = ""
    drawn = f"From {plural(post.compelled_samples or 0, 'DAG')} drawn{seed}"
    return (
        f"compelled: the edge holds in the whole equivalence class{by_rule}; without that, the share of DAGs with an "
        f"edge says little about its direction. {drawn}, standard error up to {post.compelled_errors.max():.2g}"
    )


def by_adjacency(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame of pairs by the probability of an edge in either direction, with both directions together.

    The share of a direction, by which frames are sorted, says little. Only the order within a pair rests on it.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"source": list("aabb"), "target": list("bcac"), "edge": [0.8, 0.6, 0.2, 0.4]})
    >>> by_adjacency(frame.assign(adjacent=[1.0, 0.6, 1.0, 0.4]))[["source", "target"]].sum(axis=1).tolist()
    ['ab', 'ba', 'ac', 'bc']
    """
    if "adjacent" not in frame:
        return frame
    # Of pairs that are equally probable up to rounding, the one with the most probable edge comes first.
    ends = [frozenset(pair) for pair in zip(frame["source"], frame["target"], strict=True)]
    first = {pair: place for place, pair in reversed([*enumerate(ends)])}
    keys = frame[["adjacent"]].round(6).assign(pair=[first[pair] for pair in ends])
    return frame.loc[keys.sort_values(["adjacent", "pair"], ascending=[False, True], kind="stable").index]


def shown_pairs(frame: pd.DataFrame, threshold: float) -> pd.DataFrame:
    """Return the directions of all pairs that are adjacent with at least this probability.

    Two directions below the threshold can make a pair that is adjacent with certainty. The less probable direction is
    left out if it reaches neither the threshold nor the usual one. Without adjacencies, edges count alone.

    >>> import pandas as pd
    >>> frame = pd.DataFrame({"source": list("aabb"), "target": list("bcac"), "edge": [0.5, 0.2, 0.5, 0.0]})
    >>> shown_pairs(frame.assign(adjacent=[1.0, 0.2, 1.0, 0.0]), 0.9)[["source", "target"]].sum(axis=1).tolist()
    ['ab', 'ba']
    """
    if "adjacent" not in frame:
        return frame[frame["edge"] >= shown_from(threshold)]
    probable = frame["edge"] >= shown_from(min(threshold, EDGES_SHOWN))
    # Of two directions that are equally improbable, both are shown.
    likelier = frame["edge"] >= frame["adjacent"] / 2 - _ROUNDING
    return frame[(frame["adjacent"] >= shown_from(threshold)) & (probable | likelier)]


def render_bootstrap(found: Bootstrap, threshold: float = EDGES_SHOWN, consensus: Dag | None = None) -> list[Block]:
    """Render the pairs that are adjacent in at least this share of the samples, and the consensus network, if given."""
    done = "" if len(found) == found.samples else f"{len(found):,} of "
    heading = f"Networks learned by {found.method!r} from {done}{plural(found.samples, 'sample')} of the rows"
    return [*edge_blocks(heading, found.to_frame(), threshold, consensus), Note(_SHARES)]


def edge_blocks(
    heading: Heading | str, frame: pd.DataFrame, threshold: float, consensus: Dag | None = None
) -> list[Block]:
    """Render the pairs of a frame that :func:`shown_pairs` returns, and the consensus network."""
    shown = by_adjacency(shown_pairs(frame, threshold))
    headers = ["from", "to", *(_HEADERS.get(name, name) for name in frame.columns[2:])]
    rows: list[Row] = [
        (Name(source), Name(target), *map(probability, values))
        for source, target, *values in shown.itertuples(index=False, name=None)
    ]
    blocks: list[Block] = [
        Heading(heading) if isinstance(heading, str) else heading,
        table(headers, rows, numeric=range(2, len(headers))),
    ]
    if "adjacent" not in frame:
        hidden, what = len(frame) - len(shown), "edge"
    else:
        hidden, what = int((frame["adjacent"] < shown_from(threshold)).sum()) // 2, "pair"
    if hidden:
        with_what = "" if what == "edge" else " with 'adjacent'"
        blocks.append(Note(f"{plural(hidden, what)}{with_what} below {threshold:g} not shown"))
    if consensus is not None:
        arrows = joined([arrow(*edge) for edge in consensus.edges]) or ("(none)",)
        blocks.append(Paragraph((f"Consensus network ({plural(consensus.edge_count, 'edge')}): ", *arrows)))
    return blocks
