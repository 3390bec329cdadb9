"""What the items about exact methods consist of: data, codings of experiments, printed numbers, a model of ranks."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest

from dagscape.studies.papers.chen2014.table_1 import CLASSES, DAGS
from dagscape.studies.papers.chen2016.chapter_4.model import Model
from dagscape.studies.papers.chen2016.chapter_4.ranks import launcher, told_by_ranks
from dagscape.studies.papers.chen2016.chapter_4.runs import predicted, seconds_on
from dagscape.studies.papers.chen2016.chapter_5.cytometry import CODINGS, RELATIONS, other_codings
from dagscape.studies.papers.chen2016.chapter_5.runs import weather
from dagscape.studies.papers.measuring import best_of
from dagscape.studies.papers.registry import ITEMS


def test_studies_have_names_of_their_own():
    studies = {id(item.study): item.study.name for item in ITEMS.values() if item.study is not None}
    assert [name for name, count in Counter(studies.values()).items() if count > 1] == []


def test_the_weather_data():
    frame = weather().to_frame()
    assert frame.shape == (14, 5)
    assert frame["play"].value_counts().to_dict() == {"yes": 9, "no": 5}
    # Play is certain when it is overcast, and depends on the humidity when it is sunny, as in the published tree.
    assert set(frame.loc[frame["outlook"] == "overcast", "play"]) == {"yes"}
    sunny = frame[frame["outlook"] == "sunny"]
    assert set(zip(sunny["humidity"], sunny["play"], strict=True)) == {("high", "no"), ("normal", "yes")}
    rain = frame[frame["outlook"] == "rain"]
    assert set(zip(rain["wind"], rain["play"], strict=True)) == {("strong", "no"), ("weak", "yes")}


def test_the_relations_of_table_5_2_are_those_of_an_order():
    assert len(RELATIONS) == 42
    for source, middle in RELATIONS:
        assert (middle, source) not in RELATIONS
        assert all((source, sink) in RELATIONS for other, sink in RELATIONS if other == middle)


def test_codings_of_the_experiments(shared_data):
    published = pd.read_csv(shared_data / "sets/sachs_interventional.csv.gz", dtype=str)
    names = ["", *published.columns]
    conditions = [names[int(published["INT"][600 * i])] for i in range(9)]
    assert tuple(conditions) == CODINGS["as published"]
    assert (published["INT"].to_numpy().reshape(9, 600) == published["INT"].to_numpy()[::600, None]).all()
    others = list(other_codings())
    assert len(others) == len(set(others)) == 288
    assert {CODINGS["as published"], CODINGS["without PKA, PIP2 in condition 7, not 5"]} <= set(others)


def test_the_same_dags_cover_the_same_in_the_printed_table():
    # As many DAGs as the classes have are these DAGs.
    same = [(CLASSES[key][0], DAGS[key[0], CLASSES[key][1]]) for key in CLASSES if (key[0], CLASSES[key][1]) in DAGS]
    assert len(same) == 13
    assert all(classes[5:] == dags[5:] for classes, dags in same)


def test_a_model_of_ranks():
    model = Model.fitted(25, 4, {ranks: 8.0 / ranks + 0.5 for ranks in (1, 2, 4, 8)})
    assert (model.shared, model.full) == (pytest.approx(8.0), pytest.approx(0.5))
    assert model.seconds(1) == pytest.approx(8.5)
    # Each rank has its share of the sets, and all else in full; 10 bits are left for the sets of a rank.
    assert 2.5 < model.seconds(4) < 3.2
    assert 0.5 < model.seconds(2**15) < 8.5
    assert model.seconds(2**16) is None
    larger = model.for_variables(27)
    assert larger.shared == pytest.approx(8.0 * 4 * 27 / 25)
    assert model.full < larger.full < 2 * model.full
    # What falls with more ranks than one could share is no constant below zero.
    assert Model.fitted(25, 4, {1: 8.0, 2: 3.0}).full == 0.0


def test_times_are_measured_or_predicted_with_a_mark():
    times = {(25, 4): {1: 8.5, 2: 4.5}, (25, 8): {1: 20.0}}
    assert seconds_on(times, 25, 4, 2) == 4.5
    assert seconds_on(times, 25, 4, 4).startswith("~2.")
    assert float(seconds_on(times, 27, 4, 1)[1:]) > 4 * 8
    assert seconds_on(times, 25, 8, 4) is None
    assert predicted(times, 25, 2) is None


@pytest.mark.slow
@pytest.mark.skipif(launcher() is None, reason="there is no MPI")
def test_ranks_tell_their_times_and_messages():
    told = told_by_ranks(19, 2, 2, 1)
    assert len(told) == 2
    assert all(rank["busy"] > 0 and rank["peak"] > 8 * 2**18 for rank in told)
    # The rank without the top variable sends all its numbers forwards, and the other one backwards.
    assert [(rank["forwards"], rank["backwards"]) for rank in told] == [(8 * 2**18, 0), (0, 8 * 2**18)]


def test_the_shortest_time_counts():
    ticks = iter([0.0, 5.0, 10.0, 12.0])
    assert best_of(2, lambda: "done", lambda: next(ticks)) == (2.0, "done")
