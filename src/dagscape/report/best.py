"""Tables of the best networks: their scores, and what they agree and differ on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group

from dagscape.best.optimal import OptimalNetwork
from dagscape.best.result import BestNetworks
from dagscape.core.wording import plural
from dagscape.ensembles.ranked_networks import RankedNetworks
from dagscape.report.layout import format_factor, listed_names, plain, shortened, table_of

if TYPE_CHECKING:
    import pandas as pd
    from rich.console import RenderableType

_ROWS_SHOWN = 10


def render_best(best: BestNetworks, rows: int = _ROWS_SHOWN) -> RenderableType:
    """Render the share of a list, if known, its first networks, and the edges that all or some of them have."""
    parts: list[RenderableType] = [plain(_heading(best))]
    if best.log_total is not None:
        share = best.coverage(best.log_total)
        parts.append(plain(f"The list covers {_percent(share)} of the posterior probability of all DAGs"))
    parts.append(plain())
    shown = min(rows, len(best))
    classes = best.space == "classes"
    if shown:
        headers = ("rank", "score", "times less", "share of list", *(["DAGs"] if classes else []), "edges")
        table = table_of(*headers, right=range(len(headers)))
        for rank, (score, share) in enumerate(zip(best.scores, best.weights(), strict=True), start=1):
            if rank > rows:
                break
            sizes = [f"{best.class_sizes[rank - 1]:,}"] if classes else []
            less = format_factor(float(best.scores[0] - score))
            edges = best.networks[rank - 1].edge_count
            table.add_row(str(rank), f"{score:,.4f}", less, f"{share:.4f}", *sizes, str(edges))
        parts.append(table)
        if len(best) > shown:
            parts.append(plain(f"… {len(best) - shown:,} more"))
    return Group(*parts, plain(), *agreement_parts(best, rows, best.space))


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


def agreement_parts(networks: RankedNetworks, rows: int, level: str) -> list[RenderableType]:
    """Render the edges that all networks of a list have, and a table of those on which they differ."""
    frame = networks.agreement(level)
    undirected = level == "classes"
    kinds = ["forward", "backward", "undirected"]
    agreed = frame[(frame[kinds] == len(networks)).any(axis=1)]
    disputed = frame.drop(agreed.index)
    disputed = disputed[disputed["adjacent"] != "none"]
    none = int((frame["adjacent"] == "none").sum())
    parts: list[RenderableType] = [plain(f"In all of them ({plural(len(agreed), 'edge')}): {_edges(agreed)}")]
    if len(disputed):
        parts += [plain(), plain(f"Where they differ: {plural(len(disputed), 'pair')} of variables")]
    if len(disputed) and rows:
        parts.append(plain())
        probable = "probability" in frame
        headers = ["pair", *(["edge"] if probable else []), "→", "←", *(["undirected"] if undirected else []), "absent"]
        table = table_of(*headers, right=range(1, len(headers)))
        for _, row in disputed.head(rows).iterrows():
            cells = [f"{row['probability']:.4f}"] if probable else []
            cells += [str(row[kind]) for kind in kinds[: 3 if undirected else 2]]
            table.add_row(listed_names([row["source"], row["target"]]), *cells, str(row["absent"]))
        parts.append(table)
        if len(disputed) > rows:
            parts.append(plain(f"… {len(disputed) - rows:,} more"))
    parts += [plain(), plain(f"In none of them: {plural(none, 'pair')} of variables")]
    return parts


def _edges(frame: pd.DataFrame) -> str:
    rows = zip(frame["source"], frame["target"], frame["undirected"], strict=True)
    arrows = [f"{listed_names([u])} {'—' if line else '→'} {listed_names([v])}" for u, v, line in rows]
    return ", ".join(arrows) or "(none)"


def render_optimal(optimal: OptimalNetwork) -> RenderableType:
    """Render the optimal network: its score and its edges."""
    table = table_of("from", "to")
    for source, target in optimal.network.edges:
        table.add_row(shortened(source), shortened(target))
    tied = "; others have the same score" if optimal.tied else ""
    if optimal.tied_dags is not None and optimal.tied_classes is not None:
        classes = plural(optimal.tied_classes, "class", "classes")
        tied = f"; {plural(optimal.tied_dags, 'DAG')} in {classes} have this score"
    heading = f"The optimal network: score {optimal.score:,.4f}, {plural(optimal.network.edge_count, 'edge')}{tied}"
    return Group(plain(heading), plain(), table)
