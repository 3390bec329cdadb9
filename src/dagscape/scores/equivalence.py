"""Whether scores tell the members of an equivalence class apart, by what is known about the scores."""

from __future__ import annotations

from dagscape.results.score_info import ScoreInfo
from dagscape.scores.registry import SCORES


def distinguishes_members(info: ScoreInfo | None) -> bool:
    """Whether scores are known to differ between Markov-equivalent networks; false if nothing is known.

    Structure priors do not matter: they depend on the numbers of parents, which are the same in all members of a class
    but for their order.

    >>> import dagscape as ds
    >>> data = ds.load_dataset("iris")
    >>> distinguishes_members(ds.local_scores(data, score="k2").info), distinguishes_members(ds.local_scores(data).info)
    (True, False)
    """
    if info is None or info.score_equivalent:
        return False
    # Files of version 0.1.0 do not say whether scores are equivalent, but what makes them so.
    if info.experimental_rows or info.required or info.forbidden:
        return True
    return info.score in SCORES and not SCORES[info.score].score_equivalent


def members_fit_alike(info: ScoreInfo | None) -> bool:
    """Whether data cannot tell the members of a class apart that satisfy the constraints and agree on experiments.

    Then the class, within these limits (:class:`~dagscape.graphs.directions.MemberLimits`), is what was found, and a
    network is one member. It holds for score-equivalent scores, whatever the structure prior; scores of which nothing
    is known count as such. Files of earlier versions do not say what experiments did.

    >>> import dagscape as ds
    >>> data = ds.load_dataset("iris")
    >>> tied = ds.local_scores(data, forbidden=[("class", "petal_width")]).info
    >>> members_fit_alike(tied), members_fit_alike(ds.local_scores(data, score="k2").info)
    (True, False)
    """
    if info is None:
        return True
    known = info.score not in SCORES or SCORES[info.score].score_equivalent
    return known and bool(info.targets or not info.experimental_rows)


def class_stands_for_members(info: ScoreInfo | None) -> bool:
    """Whether all members of an equivalence class are known to have the same score; false if nothing is known.

    Only then may a class be averaged over its members from the score of one of them.

    >>> import dagscape as ds
    >>> data = ds.load_dataset("iris")
    >>> free, tied = ds.local_scores(data).info, ds.local_scores(data, forbidden=[("class", "petal_width")]).info
    >>> class_stands_for_members(free), class_stands_for_members(tied)
    (True, False)
    """
    return info is not None and members_score_alike(info) and not (info.required or info.forbidden)


def members_score_alike(info: ScoreInfo) -> bool:
    """Whether Markov-equivalent networks are known to score alike, apart from edges that constraints rule out.

    >>> import dagscape as ds
    >>> data = ds.load_dataset("iris")
    >>> info = ds.local_scores(data, forbidden=[("class", "petal_width")]).info
    >>> info.score_equivalent, members_score_alike(info)
    (False, True)
    """
    if info.score_equivalent:
        return True
    return info.score in SCORES and SCORES[info.score].score_equivalent and not info.experimental_rows
