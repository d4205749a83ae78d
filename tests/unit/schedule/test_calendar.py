"""Slots of rules; every expectation is worked out from the calendar and the zone's own law."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from monitor.domain.panel import Schedule
from monitor.panels.cron import cron_problem
from monitor.schedule.calendar import newest_slot, next_slot, slots_between
from tests import house


def at(text):
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def names(cron, zone, after, until):
    return [s.name for s in slots_between(Schedule(cron, zone), at(after), at(until))]


def moments(cron, zone, after, until):
    found = slots_between(Schedule(cron, zone), at(after), at(until))
    return [f"{s.due:%Y-%m-%dT%H:%M}" for s in found]


def test_the_calendar_reads_no_clock():
    source = (house.ROOT / "monitor" / "schedule" / "calendar.py").read_text("utf-8")
    assert house.clocks_and_dice(source) == []


def test_a_monthly_rule_fires_at_the_wall_time_of_its_zone_summer_and_winter():
    # London is at UTC in winter and an hour ahead from 29 March to 25 October 2026.
    span = ("0 6 1 * *", "Europe/London", "2026-03-01T06:00", "2026-05-01T12:00")
    assert names(*span) == ["2026-04-01T06:00", "2026-05-01T06:00"]
    assert moments(*span) == ["2026-04-01T05:00", "2026-05-01T05:00"]


def test_the_start_is_left_out_and_the_end_counts():
    rule = ("0 6 1 * *", "UTC")
    assert names(*rule, "2026-03-01T06:00", "2026-04-01T06:00") == ["2026-04-01T06:00"]
    assert names(*rule, "2026-03-01T05:59", "2026-04-01T05:59") == ["2026-03-01T06:00"]
    assert names(*rule, "2026-04-02T00:00", "2026-03-01T00:00") == []


def test_the_31st_is_skipped_by_short_months():
    found = names("0 6 31 * *", "UTC", "2026-01-01T00:00", "2026-12-31T23:59")
    assert [name[5:7] for name in found] == ["01", "03", "05", "07", "08", "10", "12"]


def test_the_29th_and_30th_are_skipped_by_february_alone():
    found = names("0 6 30 * *", "UTC", "2027-01-01T00:00", "2027-12-31T23:59")
    assert [name[5:7] for name in found] == [f"{m:02}" for m in range(1, 13) if m != 2]
    assert "2027-02-29T06:00" not in names(
        "0 6 29 * *", "UTC", "2027-01-01T00:00", "2028-01-01T00:00"
    )
    assert "2028-02-29T06:00" in names("0 6 29 * *", "UTC", "2028-01-01T00:00", "2028-12-31T00:00")


def test_last_is_the_last_day_of_every_month():
    found = names("0 6 last * *", "UTC", "2028-01-15T00:00", "2028-05-01T00:00")
    assert [name[:10] for name in found] == ["2028-01-31", "2028-02-29", "2028-03-31", "2028-04-30"]
    assert names("0 6 last 2 *", "UTC", "2027-01-01T00:00", "2027-12-01T00:00") == [
        "2027-02-28T06:00"
    ]


def test_a_leap_day_rule_fires_in_leap_years_only():
    # 2100 is no leap year: from 2096 the next one is 2104.
    rule = Schedule("0 0 29 2 *", "UTC")
    assert next_slot(rule, at("2026-01-01T00:00")).name == "2028-02-29T00:00"
    assert next_slot(rule, at("2096-03-01T00:00")).name == "2104-02-29T00:00"
    assert (
        newest_slot(rule, at("2000-01-01T00:00"), at("2104-02-28T00:00")).name == "2096-02-29T00:00"
    )


def test_a_year_ends_in_the_zone_of_the_panel():
    # Kiritimati is 14 hours ahead, Niue 11 behind, Kathmandu 5:45 ahead.
    span = ("2026-12-30T00:00", "2027-01-02T00:00")
    assert moments("0 0 1 1 *", "Pacific/Kiritimati", *span) == ["2026-12-31T10:00"]
    assert moments("0 0 1 1 *", "Pacific/Niue", *span) == ["2027-01-01T11:00"]
    assert moments("0 0 1 1 *", "Asia/Kathmandu", *span) == ["2026-12-31T18:15"]
    assert names("0 0 1 1 *", "Asia/Kathmandu", *span) == ["2027-01-01T00:00"]


GAPS = [
    # London: 01:00 to 02:00 is missing on 29 March 2026; 01:30 becomes 02:30 summer time, 01:30 UTC.
    ("30 1 * * *", "Europe/London", "2026-03-28T12:00", "2026-03-29T02:30", "2026-03-29T01:30"),
    # Lord Howe: half an hour is missing from 02:00 on 4 October 2026, at 10:30 before and 11:00 after.
    ("15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00", "2026-10-04T02:45", "2026-10-03T15:45"),
    # Cairo: 00:00 to 01:00 is missing on 24 April 2026, at 2 hours before.
    ("0 0 * * *", "Africa/Cairo", "2026-04-23T12:00", "2026-04-24T01:00", "2026-04-23T22:00"),
    # Apia: the whole of 30 December 2011 is missing, at 10 hours behind before.
    ("0 6 30 12 *", "Pacific/Apia", "2011-12-01T00:00", "2011-12-31T06:00", "2011-12-30T16:00"),
]  # fmt: skip


@pytest.mark.parametrize(("cron", "zone", "after", "name", "due"), GAPS)
def test_a_wall_time_that_is_jumped_over_fires_once_at_the_shifted_time(
    cron, zone, after, name, due
):
    rule = Schedule(cron, zone)
    first = next_slot(rule, at(after))
    assert (first.name, first.due) == (name, at(due))
    day_later = at(due) + timedelta(hours=20)
    assert slots_between(rule, at(after), day_later) == (first,)


@pytest.mark.parametrize(("cron", "zone", "after", "name", "due"), GAPS)
def test_a_look_that_begins_inside_the_gap_still_finds_the_shifted_slot(
    cron, zone, after, name, due
):
    just_before = at(due) - timedelta(minutes=1)
    assert next_slot(Schedule(cron, zone), just_before).name == name
    assert newest_slot(Schedule(cron, zone), just_before, at(due)).name == name


def test_two_wall_times_that_shift_onto_one_moment_are_one_slot():
    span = ("30 1,2 * * *", "Europe/London", "2026-03-29T00:00", "2026-03-29T12:00")
    assert moments(*span) == ["2026-03-29T01:30"]


def test_slots_of_a_gap_stay_in_the_order_of_time():
    # 01:30 shifts to 02:30, behind 02:00, which comes at 01:00 UTC.
    rule = Schedule("30 1 29 3 *", "Europe/London"), Schedule("0 2 29 3 *", "Europe/London")
    assert [next_slot(one, at("2026-03-29T00:00")).due.minute for one in rule] == [30, 0]
    both = Schedule("0,30 1-2 29 3 *", "Europe/London")
    assert next_slot(both, at("2026-03-29T00:00")).due == at("2026-03-29T01:00")
    assert next_slot(both, at("2026-03-29T01:00")).due == at("2026-03-29T01:30")


@pytest.mark.parametrize(
    ("cron", "zone", "first", "second"),
    [
        # London: 01:00 to 02:00 comes twice on 25 October 2026, first as summer time.
        ("30 1 * * *", "Europe/London", "2026-10-25T00:30", "2026-10-25T01:30"),
        # Lord Howe: 01:30 to 02:00 comes twice on 5 April 2026, half an hour apart.
        ("45 1 * * *", "Australia/Lord_Howe", "2026-04-04T14:45", "2026-04-04T15:15"),
    ],
)
def test_a_wall_time_that_comes_twice_is_due_the_first_time_only(cron, zone, first, second):
    rule = Schedule(cron, zone)
    before = at(first) - timedelta(hours=6)
    assert [s.due for s in slots_between(rule, before, at(second))] == [at(first)]
    assert slots_between(rule, at(first), at(second) + timedelta(hours=6)) == ()
    assert newest_slot(rule, before, at(second)).due == at(first)


def test_missed_slots_coalesce_into_the_newest():
    rule = Schedule("0 6 1 * *", "UTC")
    assert (
        newest_slot(rule, at("2026-01-01T06:00"), at("2026-06-15T00:00")).name == "2026-06-01T06:00"
    )
    assert newest_slot(rule, at("2026-06-01T06:00"), at("2026-06-15T00:00")) is None
    often = Schedule("* * * * *", "Europe/London")
    assert (
        newest_slot(often, at("2006-01-01T00:00"), at("2026-06-15T00:00")).name
        == "2026-06-15T01:00"
    )


ZONES = ["UTC", "Europe/London", "America/St_Johns", "Australia/Lord_Howe", "Pacific/Apia",
         "Africa/Casablanca", "Asia/Kathmandu", "Pacific/Chatham", "America/Sao_Paulo"]  # fmt: skip
FIELD = st.sampled_from(["*", "*/7", "0", "5", "1-3", "2,20", "10-20/5"])
RULES = st.builds(
    lambda minute, hour, day, month, weekday: f"{minute} {hour} {day} {month} {weekday}",
    FIELD, FIELD, st.sampled_from(["*", "1", "15", "28", "last", "*/9"]),
    st.sampled_from(["*", "3", "oct", "2-11/3", "jan-mar"]),
    st.sampled_from(["*", "*", "sun", "mon-fri"]),
)  # fmt: skip
MOMENTS = st.datetimes(datetime(2011, 1, 1), datetime(2035, 1, 1)).map(
    lambda d: d.replace(tzinfo=UTC)
)


@settings(max_examples=150, deadline=None)
@given(RULES, st.sampled_from(ZONES), MOMENTS, st.integers(1, 400))
def test_next_and_newest_agree_with_the_list_of_slots(cron, zone, after, hours):
    assume(cron_problem(cron) is None)
    rule, until = Schedule(cron, zone), after + timedelta(hours=hours)
    every = slots_between(rule, after, until)
    assert len({s.name for s in every}) == len(every)
    assert list(every) == sorted(every)
    assert newest_slot(rule, after, until) == (every[-1] if every else None)
    following = next_slot(rule, after)
    assert (following.due <= until) == bool(every)
    assert following == (*every, following)[0]


@settings(max_examples=100, deadline=None)
@given(RULES, st.sampled_from(ZONES), MOMENTS, st.integers(1, 100))
def test_a_span_cut_in_two_has_the_same_slots(cron, zone, after, hours):
    assume(cron_problem(cron) is None)
    rule = Schedule(cron, zone)
    middle, until = after + timedelta(hours=hours / 3), after + timedelta(hours=hours)
    parts = slots_between(rule, after, middle) + slots_between(rule, middle, until)
    assert parts == slots_between(rule, after, until)


BOUND = st.sampled_from(
    ["0", "1", "5", "11", "12", "23", "28", "31", "59", "jan", "dec", "mon", "sun"]
)
STEP = st.sampled_from(["", "/1", "/2", "/12", "/30"])
PART = st.builds(lambda one, step: one + step, BOUND, STEP)
PARTS = st.one_of(
    st.sampled_from(["*", "*/2", "last"]), PART, st.builds("{}-{}".format, BOUND, PART)
)


def field(place):
    """Sound text of one field, by what `monitor check` takes."""
    alone = ["*"] * 5

    def is_sound(text):
        return cron_problem(" ".join([*alone[:place], text, *alone[place + 1 :]])) is None

    return PARTS.filter(is_sound)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.filter_too_much])
@given(st.sampled_from(range(5)).flatmap(lambda n: st.tuples(st.just(n), field(n))))
def test_a_rule_that_is_taken_can_be_scheduled(taken):
    place, text = taken
    cron = " ".join([*["*"] * place, text, *["*"] * (4 - place)])
    assert next_slot(Schedule(cron, "UTC"), at("2026-01-01T00:00")) is not None
    assert next_slot(Schedule(cron.upper(), "UTC"), at("2026-01-01T00:00")) is not None
