"""Draws docs/figures/sensitivity.svg: the edges of some house votes that depend most on the settings."""

from __future__ import annotations

from pathlib import Path

import dagscape as ds

table = ds.load_dataset("votes").to_frame().sample(60, random_state=1).iloc[:, :10]
study = ds.sensitivity(ds.Dataset.from_frame(table, missing="level"))
title = "60 house votes under 18 settings: edges that cross 0.5, and others that change"
study.draw(Path(__file__).with_suffix(".svg"), rows=15, title=title)
