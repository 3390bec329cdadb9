"""One best network, or many? The best equivalence classes for rows drawn from a known network.

python examples/best.py
"""

from __future__ import annotations

import dagscape as ds

asia = ds.load_network("asia")
rows = asia.sample(500, seed=1)
scores = ds.local_scores(rows)

optimal = ds.optimal_network(scores, ties=True)
print(optimal)
print("Its distance to the network that made the rows:", ds.compare(optimal.network, asia)["shd"])

best = ds.k_best(scores, within=20)
post = ds.posterior(scores)
print(f"\n{len(best)} classes are at most 20 times less probable than the best;")
print(f"they have {best.coverage(post.log_total):.0%} of the probability of all DAGs.")
closest = min(best.networks, key=lambda network: ds.compare(network, asia)["shd"])
print("The closest of them to the truth is at a distance of", ds.compare(closest, asia)["shd"])

frame = best.agreement()
print("\nEdges in all of them:", *frame[frame["adjacent"] == "all"].apply(lambda r: f"{r.source}-{r.target}", axis=1))
print("Edges in some:       ", *frame[frame["adjacent"] == "some"].apply(lambda r: f"{r.source}-{r.target}", axis=1))

print("\nP(smoke leads to dyspnoea), over the list:", round(best.ancestor("smoke", "dysp"), 3))
print("  and over all DAGs:                       ", round(post.ancestor("smoke", "dysp"), 3))
