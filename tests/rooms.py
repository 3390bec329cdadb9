"""The rooms of the package, and which of them may import which."""

from __future__ import annotations

from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "dagscape"

# Rooms may import only from rooms above them in this list; those on one line may not import from each other.
FLOORS = [
    {"errors", "masks", "startup", "version", "wording", "_native", "_native_v3"},
    {"checks", "decoding"},
    {"resources", "score_info"},
    {"clock", "files", "kernels", "progress", "randomness", "workers"},
    {"repetitions"},
    {"results"},
    {"methods"},
    {"data", "drawing"},
    {"graphs"},
    {"networks"},
    {"scores"},
    {"ensembles"},
    {"posterior", "best", "modes"},
    {"search"},
    {"sampling", "student"},
    {"registry"},
    {"studies"},
    {"report"},
    {"cli", "sklearn"},
]
FLOOR = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
