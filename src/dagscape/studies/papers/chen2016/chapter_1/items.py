"""The figures of chapter 1 of [chen2016]."""

from __future__ import annotations

from dagscape.studies.papers.item import illustration

ITEMS = (
    illustration("chen2016", "Figure 1.1", "A Bayesian network of four variables: cloudy, sprinkler, rain, wet grass"),
    illustration("chen2016", "Figure 1.2", "An example of d-separation"),
    illustration("chen2016", "Figure 1.3", "An equivalence class of three DAGs, and its CPDAG"),
)
