"""Good networks that differ: modes compared with the k best networks, for rows drawn from a known network.

python examples/modes.py
"""

from __future__ import annotations

import dagscape as ds

asia = ds.load_network("asia")
scores = ds.local_scores(asia.sample(200, seed=1))

best = ds.k_best(scores, k=5, space="dags")
print("The 5 best networks: ", [ds.compare(network, asia)["shd"] for network in best.networks], "edges from the truth")
for delta in (1, 2, 3):
    peaks = ds.modes(scores, k=5, delta=delta)
    distances = [ds.compare(network, asia)["shd"] for network in peaks.networks]
    print(f"Modes, delta {delta}:      ", distances, f"and {peaks.diversity[-1]:.1f} from each other")

peaks = ds.modes(scores, k=5, delta=2)
print("\nThe modes one by one, with their orderings:")
for score, order in zip(peaks.scores, peaks.orders, strict=True):
    print(f"  {score:.3f}  ", " ".join(order))
