"""Draws docs/figures/priors.svg: edge posteriors of the house votes under the two priors."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

import dagscape as ds

mpl.use("svg")
mpl.rcParams["svg.hashsalt"] = "dagscape"
mpl.rcParams["svg.fonttype"] = "none"

from matplotlib import pyplot as plt  # noqa: E402 (after the back end is chosen)

data = ds.load_dataset("votes")
scores = ds.local_scores(data)
dags, orders = ds.posterior(scores), ds.posterior(scores, "orders")
pairs = [(u, v) for u in range(data.n) for v in range(data.n) if u != v]
figure, axes = plt.subplots(figsize=(4.6, 4.4))
axes.plot([0, 1], [0, 1], color="0.8", linewidth=1, zorder=0)
x, y = ([post.edges[pair] for pair in pairs] for post in (dags, orders))
axes.scatter(x, y, s=14, color="#33587d", alpha=0.7, linewidths=0)
axes.set_xlabel("P(edge | D) over DAGs")
axes.set_ylabel("P(edge | D) over orders")
axes.set_aspect("equal")
figure.tight_layout()
figure.savefig(Path(__file__).with_suffix(".svg"), metadata={"Date": None})
u, v = max(pairs, key=lambda pair: abs(dags.edges[pair] - orders.edges[pair]))
print("largest difference:", data.variables[u], "->", data.variables[v], dags.edges[u, v], orders.edges[u, v])
