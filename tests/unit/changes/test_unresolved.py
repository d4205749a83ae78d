"""Redirects that were not followed in one run make no family vanish, and none appear."""

import pytest

from monitor.changes.raising import EngineRun, raise_alerts
from monitor.domain.alert import AlertRules
from monitor.domain.change import ChangeVerdict
from tests.assessed import tally
from tests.sampled import compared, sample


def month(run, counts, first):
    made = [tally(f"p{p:02}", counts, repeat=r) for p in range(20) for r in (1, 2, 3)]
    return sample(run, made, first)


def moved(before, after):
    """The comparison of two months, and what it raises."""
    then, now = month("run:tea:1", before, 1), month("run:tea:2", after, 1000)
    made = compared(then, now)
    return made, raise_alerts("tea", EngineRun(now, (then,), made), AlertRules())


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ({"?": 3}, {"a": 1, "b": 1, "c": 1}),
        ({"a": 1, "b": 1, "c": 1}, {"?": 3}),
        # a falls from 40 to 20 %, while the unresolved part grows by 30 points.
        ({"a": 4, "b": 6}, {"a": 2, "b": 5, "?": 3}),
    ],
)
def test_a_move_within_that_of_the_unresolved_is_watched_and_told_nobody(before, after):
    made, raised = moved(before, after)
    assert ChangeVerdict.CHANGED not in {one.verdict for one in made.families}
    watched = [one for one in made.families if one.verdict is ChangeVerdict.WATCH]
    assert watched
    assert all("that could not be resolved may be all of it" in one.because for one in watched)
    assert raised == ()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # Equal parts unresolved on both sides: a rises from 20 to 60 %.
        ({"a": 2, "b": 6, "?": 2}, {"a": 6, "b": 2, "?": 2}),
        # a falls by 40 points, and the unresolved part grows by 10 only.
        ({"a": 6, "b": 4}, {"a": 2, "b": 7, "?": 1}),
        # a rises by 20 points while the unresolved part grows: what is unresolved hides no more.
        ({"a": 1, "b": 9}, {"a": 3, "b": 4, "?": 3}),
    ],
)
def test_a_move_beyond_it_or_along_with_it_is_a_change(before, after):
    made, raised = moved(before, after)
    assert {one.name: one.verdict for one in made.families}["a"] is ChangeVerdict.CHANGED
    assert "a" in {one.entity for one in raised}
