"""Draws and labels as the store keeps them, on both kinds of database."""

from dataclasses import replace
from datetime import timedelta

import pytest

from monitor.domain.claim import Support
from monitor.store import support_labels
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
