"""Draws and labels as the store keeps them, on both kinds of database."""

from dataclasses import replace
from datetime import timedelta

import pytest

from monitor.domain.claim import Support
from monitor.store import adjudications, label_plans, support_labels
from monitor.store.adjudications import Adjudication, Subject
from monitor.store.label_plans import Assignment, LabelPlan
from monitor.store.support_labels import DrawnPair, LabelDraw, PairKey, SupportLabel

PAIRS = tuple(
    DrawnPair(
        f"Dk-{n}-x", f"p{n}", "openai", f"Oak {n}\x00 grows.", (f"t{n}", "t"), PairKey("c", f"e{n}")
    )
    for n in range(3)
)
DRAW = LabelDraw("k", "trees", "run:trees:2026-01", None, 2**60 + 1, "f", 9, PAIRS)


def given(n, support=Support.FULL, annotator="ann", **fields):
    pair = PAIRS[n]
    return SupportLabel(pair.pair, pair.claim, pair.evidence, support, annotator, "g1", **fields)


@pytest.fixture
def save(database, at):
    """Store labels; how many were new."""

    def saved(*labels, panel="trees"):
        with database.write() as c:
            return support_labels.save_labels(c, panel, labels, at=at)

    return saved


def load(database, panel="trees"):
    with database.read() as c:
        return support_labels.load_labels(c, panel)


def test_a_draw_is_kept_once_with_its_order_and_its_seed(database, at):
    with database.write() as c:
        assert support_labels.save_draw(c, DRAW, at=at)
        assert not support_labels.save_draw(c, DRAW, at=at + timedelta(days=1))
        assert support_labels.save_draw(c, replace(DRAW, key="l", engine="openai"), at=at)
    with database.read() as c:
        first, second = support_labels.load_draws(c, "trees")
        assert support_labels.load_draws(c, "elms") == ()
    shown = tuple(replace(one, claim=one.claim.replace("\x00", "\ufffd")) for one in PAIRS)
    assert first == replace(DRAW, pairs=shown)
    assert (second.key, second.engine) == ("l", "openai")


def test_the_latest_label_of_a_person_counts_and_alike_ones_are_stored_once(database, save, at):
    assert save(given(0), given(1)) == 2
    assert save(given(0), given(1)) == 0
    assert save(given(0, Support.PARTIAL), given(0, annotator="ben")) == 2
    assert save(given(0, Support.PARTIAL, note="again", labelled_at=at)) == 1
    told = {(one.pair, one.annotator): one for one in load(database)}
    assert len(told) == 3
    latest = told[PAIRS[0].pair, "ann"]
    assert (latest.support, latest.note, latest.labelled_at) == (Support.PARTIAL, "again", at)
    assert (latest.evidence, latest.guideline) == (("t0", "t"), "g1")


def test_labels_belong_to_their_panel(database, save):
    assert save(given(0)) == 1
    assert save(given(0), panel="elms") == 1
    assert len(load(database, "elms")) == 1


def test_going_back_to_an_earlier_support_is_a_new_act(database, save):
    save(given(0))
    save(given(0, Support.PARTIAL))
    assert save(given(0)) == 1
    assert [one.support for one in load(database)] == [Support.FULL]


def test_a_label_taken_back_makes_way_for_the_one_before_it(database, save, at):
    save(given(0), given(1))
    save(given(0, Support.PARTIAL))

    def take_back(label):
        with database.write() as c:
            return support_labels.save_label(c, "trees", replace(label, withdrawn=True), at=at)

    def standing():
        return {one.pair: one.support for one in load(database)}

    first, second = PAIRS[0].pair, PAIRS[1].pair
    take_back(given(0, Support.PARTIAL))
    assert standing() == {first: Support.FULL, second: Support.FULL}
    take_back(given(0))
    assert standing() == {second: Support.FULL}
    # Nothing is left to take back, and nothing of another annotator's goes.
    take_back(given(0))
    take_back(given(1, annotator="ben"))
    assert standing() == {second: Support.FULL}
    assert save(given(0, seconds=3.5)) == 1
    assert next(one.seconds for one in load(database) if one.pair == first) == 3.5
    with database.read() as c:
        history = support_labels.load_label_history(c, "trees")
        assert [one.withdrawn for one in history] == [False] * 3 + [True] * 4 + [False]
        assert support_labels.taken_back(history) == {history[2].id, history[0].id}
        mine = support_labels.load_labels(c, "trees", annotator="ann", pair=first)
        assert [one.id for one in mine] == [history[-1].id]
        assert support_labels.label_mark(c, "trees") == (history[-1].id, 0)
        assert support_labels.label_mark(c, "elms") == (0, 0)


def test_a_draw_has_one_plan_that_stays(database, at):
    made = LabelPlan(
        0, "trees", "k", ("ann", "ben"), 0.2, "g1",
        (Assignment(1, ("ann", "ben"), "How?", "Oaks grow.", (("https://oak.example/", "t"),)),),
        None, at,
    )  # fmt: skip
    with database.write() as c:
        row = label_plans.save_plan(c, made)
        assert label_plans.save_plan(c, replace(made, guideline="g2")) is None
        other = label_plans.save_plan(c, replace(made, draw="l", panel="elms", made_by="lead"))
    with database.read() as c:
        assert label_plans.load_plan(c, row) == replace(made, id=row)
        assert label_plans.load_plan_of(c, "k") == replace(made, id=row)
        assert label_plans.load_plan(c, 999) is None
        assert [one.id for one in label_plans.load_plans(c, limit=5)] == [other, row]
        assert [one.id for one in label_plans.load_plans(c, "trees", limit=5)] == [row]
        assert [one.id for one in label_plans.load_plans(c, limit=5, offset=1)] == [row]
        assert label_plans.count_plans(c) == 2
        assert sorted(label_plans.planned_panels(c)) == ["elms", "trees"]


def test_of_decisions_the_latest_counts_and_all_stay(database, at):
    made = Adjudication(
        "trees", Subject.SUPPORT, "s1", {"support": "full"}, ({"label": 1},), "why", "lead", at
    )
    with database.write() as c:
        first = adjudications.save_adjudication(c, made)
        adjudications.save_adjudication(c, replace(made, kind=Subject.SOURCE))
        adjudications.save_adjudication(c, replace(made, subject="s2"))
        last = adjudications.save_adjudication(c, replace(made, body={"support": "partial"}))
    with database.read() as c:
        found = adjudications.load_adjudications(c, "trees", Subject.SUPPORT, subject="s1")
        assert found == (
            replace(made, id=first),
            replace(made, id=last, body={"support": "partial"}),
        )
        every = adjudications.load_adjudications(c, "trees", Subject.SUPPORT)
        counts = adjudications.decided(every)
        assert {key: one.body["support"] for key, one in counts.items()} == {
            "s1": "partial", "s2": "full",
        }  # fmt: skip
        assert support_labels.label_mark(c, "trees") == (0, last)
