"""How sure are we? Posteriors of edges and paths for rows drawn from a known network.

python examples/posterior.py
"""

from __future__ import annotations

import dagscape as ds

asia = ds.load_network("asia")
rows = asia.sample(500, seed=1)
scores = ds.local_scores(rows)

post = ds.posterior(scores)
print(post)
print("\nThe most probable edges, and whether the network that made the rows has them:")
for row in post.to_frame().head(8).itertuples():
    print(f"  {row.source:>7} -> {row.target:<7} {row.edge:.3f}   {asia.dag.has_edge(row.source, row.target)}")

# Data cannot determine the direction of some edges, so look at pairs, too.
print("\nP(smoke - bronc, either way):", round(post.edge("smoke", "bronc") + post.edge("bronc", "smoke"), 3))
print("P(smoke leads to dyspnoea):  ", round(post.ancestor("smoke", "dysp"), 3))
prior = ds.posterior(scores, prior=True)
print("  before any data:           ", round(prior.ancestor("smoke", "dysp"), 3))
nothing = ds.feature_probability(scores, parents={"asia": []})
print("P(asia has no parents):      ", round(nothing, 3))
