"""The best networks: their scores, and what they agree and differ on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from dagscape.best.optimal import OptimalNetwork
from dagscape.best.result import BestNetworks
from dagscape.core.wording import plural
from dagscape.ensembles.ranked_networks import RankedNetworks
from dagscape.report.blocks import (
    Block,
    Cell,
    Heading,
    Inline,
    Name,
    Paragraph,
    Row,
    Table,
    arrow,
    factor,
    joined,
    names,
    number,
    table,
)
from dagscape.report.directions import direction_notes
from dagscape.report.probabilities import probability

if TYPE_CHECKING:
    import pandas as pd

_ROWS_SHOWN = 10
_PAIRS_SHOWN = 20

# The columns that count networks, in the order of a table.
_KINDS = ("forward", "backward", "undirected")


def render_best(best: BestNetworks, rows: int = _ROWS_SHOWN) -> list[Block]:
    """Render the share of a list, if known, its first networks, and the edges that all or some of them have."""
    covered: tuple[str, ...] = ()
    if best.log_total is not None:
        share = _percent(best.coverage(best.log_total))
        covered = (f"The list covers {share} of the posterior probability of all DAGs",)
    listed = [_ranking(best, rows)] if rows and len(best) else []
    return [Heading(_heading(best), covered), *listed, *agreement_blocks(best, rows, best.space)]


def _ranking(best: BestNetworks, rows: int) -> Table:
    """Return the table of the first networks of a list."""
    classes = best.space == "classes"
    headers = ("rank", "score", "times less", "share of list", *(["DAGs"] if classes else []), "edges")
    shares = best.weights()

    def cells(place: int) -> Iterator[Cell]:
        score = float(best.scores[place])
        yield number(place + 1, "d")
        yield number(score, ",.4f")
        yield factor(float(best.scores[0] - score))
        yield probability(float(shares[place]))
        if classes:
            yield number(best.class_sizes[place])
        yield number(best.networks[place].edge_count, "d")

    shown = [tuple(cells(place)) for place in range(min(rows, len(best)))]
    omitted = f"… {len(best) - rows:,} more" if len(best) > rows else ""
    return table(headers, shown, numeric=range(len(headers)), omitted=omitted)


def _percent(share: float) -> str:
    """Format a share with two decimals, or two digits if it is small; only all of it is 100%."""
    if share == 0 or 5e-4 <= share < 0.99995:
        return f"{share:.2%}"
    return "100%" if share == 1 else "more than 99.99%" if share > 0.5 else f"{share:.1e}"


def _heading(best: BestNetworks) -> str:
    what = "equivalence class" if best.space == "classes" else "DAG"
    many = "equivalence classes" if best.space == "classes" else "DAGs"
    stands_for = f", {plural(best.dag_count, 'DAG')} in all" if best.space == "classes" else ""
    first = best.ties[0]
    more = " or more" if len(best.ties) == 1 and best.ends_in_tie else ""
    tied = f"; {first:,}{more} share the best score" if first > 1 or more else ""
    end = "; the list ends inside a tie" if best.ends_in_tie else "; there are no others" if best.exhausted else ""
    if not best.complete:
        end += "; memory ran out, and there are more"
    return f"The best {plural(len(best), what, many)}{stands_for}{tied}{end}"


def agreement_blocks(networks: RankedNetworks, rows: int, level: str) -> list[Block]:
    """Render the edges that all networks of a list have, and a table of those on which they differ."""
    frame = networks.agreement(level)
    agreed = frame[(frame[list(_KINDS)] == len(networks)).any(axis=1)]
    disputed = frame.drop(agreed.index)
    disputed = disputed[disputed["adjacent"] != "none"]
    none = int((frame["adjacent"] == "none").sum())
    blocks: list[Block] = [
        Paragraph(
            (f"In all of them ({plural(len(agreed), 'edge')}): ", *_edges(agreed)),
            (_shared(networks.shared_adjacencies),),
        ),
    ]
    if len(disputed):
        blocks.append(Paragraph(f"Where they differ: {plural(len(disputed), 'pair')} of variables"))
        blocks += [_disputed_pairs(disputed, rows, undirected=level == "classes")] if rows else []
    return [*blocks, Paragraph(f"In none of them: {plural(none, 'pair')} of variables")]


def _shared(pairs: Sequence[tuple[str, str]]) -> tuple[Inline, ...]:
    """Name the pairs that all networks join; there may be hundreds."""
    shown = joined([arrow(u, v, "–") for u, v in pairs[:_PAIRS_SHOWN]]) or ("(none)",)
    more = len(pairs) - _PAIRS_SHOWN
    rest = (f" and {more:,} more",) if more > 0 else ()
    return (f"Adjacent in all of them, in whatever direction ({plural(len(pairs), 'pair')}): ", *shown, *rest)


def _disputed_pairs(disputed: pd.DataFrame, rows: int, *, undirected: bool) -> Table:
    probable = "probability" in disputed
    counted = (*(_KINDS if undirected else _KINDS[:2]), "absent")
    headers = ["pair", *(["edge"] if probable else []), "→", "←", *(["undirected"] if undirected else []), "absent"]
    shown: list[Row] = [
        (
            names([row["source"], row["target"]]),
            *([probability(float(row["probability"]))] if probable else []),
            *(number(int(row[kind]), "d") for kind in counted),
        )
        for _, row in disputed.head(rows).iterrows()
    ]
    omitted = f"… {len(disputed) - rows:,} more" if len(disputed) > rows else ""
    return table(headers, shown, numeric=range(1, len(headers)), omitted=omitted)


def _edges(frame: pd.DataFrame) -> tuple[Inline, ...]:
    rows = zip(frame["source"], frame["target"], frame["undirected"], strict=True)
    return joined([arrow(u, v, "—" if undirected else "→") for u, v, undirected in rows]) or ("(none)",)


def render_optimal(optimal: OptimalNetwork) -> list[Block]:
    """Render the optimal network: its score and its edges, with those that are reversed in other members."""
    tied = "; others have the same score" if optimal.tied else ""
    if optimal.tied_dags is not None and optimal.tied_classes is not None:
        classes = plural(optimal.tied_classes, "class", "classes")
        tied = f"; {plural(optimal.tied_dags, 'DAG')} in {classes} have this score"
    heading = f"The optimal network: score {optimal.score:,.4f}, {plural(optimal.network.edge_count, 'edge')}{tied}"
    rows: list[Row] = [(Name(u), "→", Name(v)) for u, v in optimal.compelled_edges]
    rows += [(Name(u), "—", Name(v)) for u, v in optimal.reversible_edges]
    return [Heading(heading), table(["from", "", "to"], rows), *direction_notes(optimal)]
