"""Instrument alarms: every threshold worked by hand, on both of its sides."""

import pytest

from monitor.changes.instrument import check_up
from monitor.domain.instrument import AlarmKind, AlarmRules, EngineTotals
from monitor.domain.score import Coverage


def totals(
    answered=20, citations=0, *, planned=None, attempted=None, heard=None, models=(), **outcomes
):
    """An engine in one run; what is not said is all answered."""
    named = {name.replace("__", "/"): count for name, count in outcomes.items()}
    attempted = answered + sum(named.values()) if attempted is None else attempted
    return EngineTotals(
        Coverage(
            planned=attempted if planned is None else planned,
            attempted=attempted,
            heard=answered + named.get("no_answer/absent", 0) if heard is None else heard,
            answered=answered,
            outcomes={"answered": answered, **named},
        ),
        cited=min(answered, citations),
        citations=citations,
        models=dict(models),
    )  # fmt: skip


def alarms(now, *past, kind=None, **rules):
    """Alarms about one engine against its own past."""
    found = check_up({"openai": now}, [{"openai": one} for one in past], AlarmRules(**rules)).alarms
    return [one for one in found if kind is None or one.kind is kind]


def reasons(now, *past, kind):
    found = check_up({"openai": now}, [{"openai": one} for one in past], AlarmRules()).undecided
    return [one.reason for one in found if one.kind is kind]


CITING, SHAPE = AlarmKind.STOPPED_CITING, AlarmKind.SHAPE_CHANGED
COVERAGE, STORM = AlarmKind.LOW_COVERAGE, AlarmKind.OUTCOME_STORM
MODEL = AlarmKind.MODEL_CHANGED


def test_a_run_like_those_before_raises_nothing():
    now = totals(20, 60, models={"m-1": 20})
    assert alarms(now, now, now) == []


# Before: 20 answers and 60 citations, 3 each. 20 answers now let expect 60; a fifth of it is 12.
@pytest.mark.parametrize(("citations", "raised"), [(0, True), (12, True), (13, False), (60, False)])
def test_an_engine_has_stopped_citing_at_a_fifth_of_its_own_past(citations, raised):
    assert bool(alarms(totals(20, citations), totals(20, 60), kind=CITING)) is raised


def test_the_past_is_pooled_over_runs():
    # 10 answers with 50 citations and 30 with 10: 60 in 40, 1.5 each, so 20 let expect 30.
    past = totals(10, 50), totals(30, 10)
    (alarm,) = alarms(totals(20, 6), *past, kind=CITING)
    assert alarm.counts == {
        "answered": 20, "cited": 6, "citations": 6, "past_answered": 40, "past_citations": 60,
    }  # fmt: skip
    assert alarm.says == (
        "openai has all but stopped citing: 6 visible citations in 20 answers, "
        "where 60 in 40 were seen before."
    )
    assert alarms(totals(20, 7), *past, kind=CITING) == []


def test_without_a_past_nothing_is_said_about_citing_but_why():
    assert alarms(totals(20, 0), kind=CITING) == []
    assert reasons(totals(20, 0), kind=CITING) == ["no_past"]
    assert reasons(totals(20, 0), totals(4, 40), kind=CITING) == ["no_past"]


def test_too_few_answers_are_not_compared():
    assert reasons(totals(4, 0), totals(20, 60), kind=CITING) == ["few_answers"]
    # 3 each before: 5 answers let expect 15.
    assert alarms(totals(5, 0), totals(20, 60), kind=CITING)


def test_an_engine_that_hardly_cites_anyway_raises_nothing():
    # 9 citations in 20 answers: 20 answers let expect 9, which may be none by chance; 10 may not.
    assert reasons(totals(20, 0), totals(20, 9), kind=CITING) == ["few_citations"]
    assert alarms(totals(20, 0), totals(20, 10), kind=CITING)
    assert reasons(totals(20, 0), totals(20, 0), kind=CITING) == ["few_citations"]


# 3 of 60 asked are 5 %.
@pytest.mark.parametrize(
    ("answered", "unread", "raised"),
    [(57, 3, True), (58, 3, False), (0, 2, False), (0, 3, True), (20, 0, False)],
)
def test_a_shape_has_changed_from_three_and_five_percent_on(answered, unread, raised):
    now = totals(answered, error__unreadable=unread)
    assert bool(alarms(now, kind=SHAPE)) is raised


def test_unknown_layouts_and_unreadable_payloads_add_up_and_other_errors_do_not():
    (alarm,) = alarms(
        totals(10, error__unreadable=1, layout_unknown=2, error__server=5), kind=SHAPE
    )
    assert alarm.counts == {"unread": 3, "attempted": 18}
    assert "3 of 18 payloads could not be read" in alarm.says


@pytest.mark.parametrize(("heard", "raised"), [(79, True), (80, False), (0, True)])
def test_coverage_is_low_under_four_fifths_of_the_plan(heard, raised):
    now = totals(heard, planned=100, attempted=100)
    assert bool(alarms(now, kind=COVERAGE)) is raised


def test_an_engine_that_shows_no_answer_was_heard():
    now = totals(10, no_answer__absent=90)
    assert alarms(now, kind=COVERAGE) == []


@pytest.mark.parametrize(
    "barrier",
    ["blocked__captcha", "blocked__challenge", "blocked__rate_limit", "blocked__geo",
     "login_required", "consent_required", "error__auth", "error__quota"],
)  # fmt: skip
def test_a_barrier_is_a_storm_from_three_and_a_fifth_on(barrier):
    # 5 of 25 are a fifth; 5 of 26 are not; 2 of 2 are too few.
    (alarm,) = alarms(totals(20, **{barrier: 5}), kind=STORM)
    assert alarm.counts == {"captures": 5, "attempted": 25}
    assert f"5 of 25 captures ended as {barrier.replace('__', '/')}." in alarm.says
    assert alarms(totals(21, **{barrier: 5}), kind=STORM) == []
    assert alarms(totals(0, **{barrier: 2}), kind=STORM) == []


def test_two_barriers_are_two_storms():
    found = alarms(totals(10, blocked__captcha=4, login_required=4), kind=STORM)
    assert len(found) == 2


def test_another_model_is_told_and_does_not_doubt_the_numbers():
    now = totals(20, models={"m-2": 12, "m-1": 8})
    assert alarms(now, totals(20, models={"m-1": 20}), totals(20, models={"m-2": 1})) == []
    (alarm,) = alarms(now, totals(20, models={"m-1": 20}), kind=MODEL)
    assert alarm.counts == {"answers": 12, "told": 20}
    assert "12 of 20 answers by m-2, before mostly by m-1." in alarm.says
    assert not alarm.grave


def test_a_model_without_a_past_or_untold_is_no_alarm():
    now = totals(20, models={"m-2": 20})
    assert alarms(now, kind=MODEL) == []
    assert reasons(now, totals(20), kind=MODEL) == ["no_past"]
    assert alarms(totals(20), now, kind=MODEL) == []


def test_every_other_kind_is_grave():
    now = totals(3, 0, planned=100, error__unreadable=10, blocked__captcha=10)
    found = alarms(now, totals(20, 200), least_answers=3)
    assert {one.kind for one in found if one.grave} == {CITING, SHAPE, COVERAGE, STORM}
    assert all(one.advice.endswith(".") for one in found)


def test_an_engine_is_held_against_itself_alone():
    past = [{"perplexity": totals(20, 100)}]
    found = check_up({"openai": totals(20, 0), "perplexity": totals(20, 100)}, past, AlarmRules())
    assert found.alarms == ()


def test_thresholds_are_arguments():
    now = totals(20, 20, blocked__captcha=1)
    assert alarms(now, totals(20, 60)) == []
    found = alarms(
        now, totals(20, 60), citing_left=0.4, storm=0.01, least_captures=1, coverage=0.99
    )
    assert [one.kind for one in found] == [CITING, COVERAGE, STORM]


def test_the_name_of_a_model_is_cut():
    now = totals(20, models={"m" * 5000: 20})
    (alarm,) = alarms(now, totals(20, models={"m-1": 20}), kind=MODEL)
    assert len(alarm.says) < 200
