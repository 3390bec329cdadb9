"""What tables 4.1 to 4.3 of [chen2016] print, by the number of processors."""

from __future__ import annotations

# Seconds with 25 variables, for 2, 4, 6 and 8 parents.
SECONDS_BY_PARENTS: dict[int, tuple[float, ...]] = {
    1: (1319, 2295, 4308, 7739),
    4: (1284, 1330, 1500, 2383),
    8: (575, 594, 711, 1304),
    16: (327, 338, 417, 764),
    32: (139, 146, 181, 466),
    64: (59.9, 64.2, 102, 268),
    128: (26.6, 29.4, 55.6, 153),
    256: (11.7, 13.8, 31.3, 86.8),
    512: (5.2, 6.8, 18.2, 48.5),
    1024: (2.5, 3.6, 11.0, 26.9),
    2048: (1.5, 2.1, 6.7, 14.8),
}

# Seconds with 4 parents, for 21, 23, ..., 33 variables; None where the program ran out of memory.
SECONDS_BY_VARIABLES: dict[int, tuple[float | None, ...]] = {
    1: (96.5, 492, 2295, None, None, None, None),
    4: (44.1, 252, 1330, None, None, None, None),
    8: (17.2, 94.2, 594, None, None, None, None),
    16: (10.3, 55.5, 338, None, None, None, None),
    32: (5.0, 25.5, 146, 682, None, None, None),
    64: (2.7, 11.9, 64.2, 385, 2201, None, None),
    128: (1.6, 5.8, 29.4, 167, 864, None, None),
    256: (0.97, 3.2, 13.8, 73.5, 389, 2540, None),
    512: (0.61, 1.8, 6.8, 33.9, 196, 987, None),
    1024: (0.4, 1.1, 3.6, 15.9, 87, 488, 2884),
    2048: (0.27, 0.7, 2.1, 7.8, 39, 215, 1452),
}

# Memory in GB, and in MB for each processor, with 4 parents, for 23, 25, ..., 33 variables.
MEMORY_VARIABLES = (23, 25, 27, 29, 31, 33)
MEMORY: dict[int, tuple[tuple[float, float] | None, ...]] = {
    4: ((1.88, 481), (8.00, 2049), None, None, None, None),
    8: ((1.88, 240), (8.00, 1025), None, None, None, None),
    16: ((1.88, 121), (8.01, 513), None, None, None, None),
    32: ((2.17, 70), (8.30, 266), (34.32, 1098), None, None, None),
    64: ((2.49, 40), (8.62, 138), (34.64, 554), (144.68, 2315), None, None),
    128: ((3.31, 27), (9.46, 76), (35.48, 284), (145.53, 1164), None, None),
    256: ((4.93, 20), (11.06, 44), (37.09, 148), (147.07, 588), (606.13, 2425), None),
    512: ((8.40, 17), (14.73, 30), (40.76, 82), (150.87, 302), (615.03, 1230), None),
    1024: ((17.58, 18), (23.62, 24), (49.72, 50), (159.87, 160), (623.88, 624), (2520, 2520)),
    2048: ((41.08, 21), (47.32, 24), (72.97, 36), (183.69, 92), (647.27, 324), (2560, 1300)),
}
