"""Alerts: one of a key open at a time, on both servers; closed once, kept for ever."""

from dataclasses import replace

import pytest
from sqlalchemy import insert, select
from sqlalchemy.exc import IntegrityError

from monitor.domain.alert import Alert, AlertKind, AnswerRef, Closed, Direction, Severity
from monitor.store import alerts
from monitor.store.tables import alert

ALERT = Alert(
    AlertKind.FAMILY_SHARE, "openai", "nhs.example", Direction.DOWN, Severity.WARNING,
    "openai cites nhs.example less than before.", "Open the answers.",
    ("run:clinical:2026-09",), "run:clinical:2026-10",
    answers=(AnswerRef(7, "muscle", 1, "run:clinical:2026-10"),), answers_in_all=3,
)  # fmt: skip
COPIED = tuple(column.name for column in alert.columns if column.name != "id")


def opened(c, run, at, one=ALERT):
    return alerts.open_alert(c, run.id, "clinical", one, at=at)


def test_an_alert_comes_back_as_it_was_told(c, run, at):
    made = opened(c, run, at)
    (stored,) = alerts.open_alerts(c, "clinical", "openai")
    assert (stored.id, stored.alert, stored.panel) == (made, ALERT, "clinical")
    assert (stored.seen_run, stored.quiet_runs) == (run.public_id, 0)
    assert (stored.opened_at, stored.closed_at, stored.closed) == (at, None, None)
    assert stored.key == ALERT.key("clinical")
    assert alerts.load_alert(c, made) == stored
    assert alerts.load_alert(c, made + 1) is None


def test_only_one_of_a_key_is_open_and_the_next_one_may_follow(c, run, at):
    first = opened(c, run, at)
    assert alerts.close_alert(c, first, Closed.QUIET, at=at) is True
    second = opened(c, run, at)
    assert [one.id for one in alerts.open_alerts(c)] == [second]
    assert [one.id for one in alerts.list_alerts(c, "clinical", limit=5)] == [second, first]


def test_a_second_open_one_of_a_key_is_refused(c, run, at):
    first = opened(c, run, at)
    assert opened(c, run, at, replace(ALERT, severity=Severity.CRITICAL)) is None
    assert [(one.id, one.alert) for one in alerts.open_alerts(c)] == [(first, ALERT)]
    with pytest.raises(IntegrityError), c.begin_nested():
        # Whoever writes, the database holds to it.
        c.execute(insert(alert).from_select(COPIED, select(*(alert.c[name] for name in COPIED))))


def test_it_closes_once(c, run, at):
    made = opened(c, run, at)
    assert alerts.close_alert(c, made, Closed.ACCEPTED, at=at) is True
    assert alerts.close_alert(c, made, Closed.QUIET, at=at) is False
    (stored,) = alerts.list_alerts(c, limit=1)
    assert (stored.closed, stored.closed_at) == (Closed.ACCEPTED, at)


def test_runs_are_counted_while_it_is_open_only(c, run, at):
    made = opened(c, run, at)
    alerts.hold_against(c, made, run.id, 1)
    assert alerts.load_alert(c, made).quiet_runs == 1
    alerts.close_alert(c, made, Closed.QUIET, at=at)
    alerts.hold_against(c, made, run.id, 2)
    assert alerts.load_alert(c, made).quiet_runs == 1


def test_alerts_are_listed_by_panel_and_engine(c, run, at):
    opened(c, run, at)
    opened(c, run, at, replace(ALERT, engine="perplexity", severity=Severity.CRITICAL))
    assert [one.alert.engine for one in alerts.open_alerts(c, "clinical", "openai")] == ["openai"]
    assert alerts.open_alerts(c, "other") == ()
    assert alerts.count_open(c) == {("clinical", "critical"): 1, ("clinical", "warning"): 1}
    keys = [ALERT.key("clinical")]
    assert [one.alert.engine for one in alerts.list_alerts(c, limit=9, keys=keys)] == ["openai"]


def test_an_accepted_level_is_known_by_its_run(c, run, at):
    made = opened(c, run, at)
    assert alerts.accepted_at(c, "clinical", "openai") == {}
    alerts.close_alert(c, made, Closed.ACCEPTED, at=at)
    assert alerts.accepted_at(c, "clinical", "openai") == {ALERT.key("clinical"): run.id}
    assert alerts.accepted_at(c, "clinical", "perplexity") == {}


def test_every_word_of_an_alert_can_be_stored(c, run, at):
    # The closed lists of the database are those of the code.
    for kind in AlertKind:
        for severity in Severity:
            made = opened(c, run, at, replace(ALERT, kind=kind, severity=severity))
            alerts.close_alert(c, made, Closed.QUIET, at=at)
    for how in Closed:
        alerts.close_alert(c, opened(c, run, at), how, at=at)
    assert len(alerts.list_alerts(c, limit=99)) == len(AlertKind) * len(Severity) + len(Closed)
