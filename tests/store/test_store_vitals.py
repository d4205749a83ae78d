"""What health is read from: counts of runs, open work, the outbox, workers, jobs given up."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import event, insert

from monitor.domain.engine import Access, Citation, Outcome, Reading, Role
from monitor.domain.instrument import EngineTotals
from monitor.domain.money import Spent
from monitor.domain.score import Coverage
from monitor.domain.source import UrlIdentity
from monitor.store import captures, citations, deliveries, panels, runs, tables, vitals
from monitor.store.deliveries import Message

HOUR = timedelta(hours=1)


@pytest.fixture
def c(database, run):
    with database.write() as connection:
        yield connection


def reading(*roles, outcome=Outcome.ANSWERED, reason=None, model="m-1"):
    text = "Yes." if outcome is Outcome.ANSWERED else ""
    cited = [Citation(f"https://a.example/{n}", None, role, 1) for n, role in enumerate(roles)]
    return Reading(outcome, reason, text, tuple(cited), served_model=model)


def keep(connection, capture, one, at):
    same = tuple(
        UrlIdentity(c.url, c.url, c.url.removeprefix("https://"), "a.example")
        for c in one.citations
    )
    citations.save_readings(
        connection, [citations.FreshReading(capture.id, one, same)],
        parse_version=1, urls_version=1, made_at=at,
    )  # fmt: skip


def test_a_run_is_counted_by_engine(c, run, at):
    """Eight captures: two engines, two prompts, two repeats; perplexity is not asked."""
    mine = [one for one in captures.load_captures(c, run.id) if one.engine == "openai"]
    both = (Role.DISPLAYED, Role.LISTED)
    keep(c, mine[0], reading(*both, Role.RETRIEVED, Role.LINK), at)
    keep(c, mine[1], reading(Role.LISTED, model="m-2"), at)
    keep(c, mine[2], reading(model=None), at)
    keep(c, mine[3], reading(outcome=Outcome.ERROR, reason="unreadable"), at)
    for n, day in enumerate(
        (datetime(2026, 11, 30, tzinfo=UTC), datetime(2026, 12, 1, tzinfo=UTC))
    ):
        c.execute(
            insert(tables.spend),
            {"run_id": run.id, "capture_id": mine[n].id, "engine": "openai", "attempt": 1,
             "currency": "USD", "reserved_micros": 5, "settled_micros": 7 * n or None,
             "reserved_at": day},
        )  # fmt: skip
    found = vitals.count_totals(c, run.id)
    assert found["openai"] == EngineTotals(
        Coverage(4, 4, 3, 3, {"answered": 3, "error/unreadable": 1}),
        cited=2,
        citations=3,
        models={"m-1": 1, "m-2": 1},
        spent={"2026-11": Spent(1, 5, 1), "2026-12": Spent(1, 7, 0)},
    )
    assert found["perplexity"] == EngineTotals(Coverage(4, 0, 0, 0, {}))


def test_only_the_reading_that_counts_is_counted(c, run, at):
    (first, *_) = captures.load_captures(c, run.id)
    keep(c, first, reading(Role.LISTED, Role.LISTED), at)
    keep(c, first, reading(Role.LISTED, model="m-9"), at + HOUR)
    found = vitals.count_totals(c, run.id)["openai"]
    assert (found.citations, found.cited, found.models) == (1, 1, {"m-9": 1})


def test_kept_counts_are_those_that_were_counted_and_the_last_ones_stay(c, run, at):
    counted = vitals.count_totals(c, run.id)
    vitals.save_totals(c, run.id, {"gone": counted["openai"]}, at=at)
    vitals.save_totals(c, run.id, counted, at=at)
    assert vitals.load_totals(c, [run.id, 999]) == {run.id: counted}


def test_kept_counts_hold_until_money_moves(c, run, at):
    kept = vitals.count_totals(c, run.id)
    assert not vitals.still_hold(run, kept)  # it has not ended
    ended = runs.set_run_state(c, run.id, runs.RunState.DONE, at=at)
    assert vitals.still_hold(ended, kept)
    assert not vitals.still_hold(replace(ended, spent_micros=1), kept)


def test_runs_before_are_those_of_the_panel_that_ended(c, run, at, panel, make_plan):
    def another(slot, state=None, of=panel, **config):
        panel_id = panels.save_panel(c, of, saved_at=at)
        made = runs.plan_run(
            c, panel_id, slot, make_plan(of), caps=runs.Caps(), config=config, at=at
        )  # fmt: skip
        return runs.set_run_state(c, made.id, state, at=at) if state else made

    runs.set_run_state(c, run.id, runs.RunState.DONE, at=at)
    another("cancelled", runs.RunState.CANCELLED)
    half = another("half", runs.RunState.INCOMPLETE)
    another("open")
    another("other", runs.RunState.DONE, of=replace(panel, name="coffee"))
    trial = another("trial", runs.RunState.DONE, partial=True)
    last, second_trial = another("last"), another("second trial", partial=True)
    another("later", runs.RunState.DONE)

    def before(one, **how):
        return [found.id for found in runs.runs_before(c, one, **how)]

    assert before(last) == [half.id, run.id]
    assert before(last, limit=1) == [half.id]
    assert before(second_trial) == [trial.id, half.id, run.id]


def test_open_work_is_that_of_runs_that_have_not_ended(c, run, at):
    (first, *_) = captures.load_captures(c, run.id)
    keep(c, first, reading(), at)
    assert [(o.engine, o.access, o.captures, o.since) for o in vitals.open_work(c)] == [
        ("openai", Access.API, 3, at),
        ("perplexity", Access.API, 4, at),
    ]
    runs.set_run_state(c, run.id, runs.RunState.INCOMPLETE, at=at)
    assert vitals.open_work(c) == ()


def test_open_work_does_not_walk_the_captures_of_all_runs(c):
    if c.dialect.name != "sqlite":
        pytest.skip("PostgreSQL walks small tables, which is right")
    asked = []
    event.listen(c, "before_cursor_execute", lambda *told: asked.append(told[2:4]))
    vitals.open_work(c)
    plans = [
        step.detail
        for query, values in list(asked)
        for step in c.exec_driver_sql(f"EXPLAIN QUERY PLAN {query}", values)
    ]
    assert any("SEARCH capture" in step for step in plans)
    assert [step for step in plans if "SCAN capture" in step] == []


def test_the_outbox_tells_what_waits_and_what_was_given_up(c, at):
    assert vitals.outbox(c) == ()
    for n in range(4):
        message = Message(f"ping:{n}", "ping", f"panel:{n}", {})
        deliveries.save(c, message, at=at + n * HOUR)
    claim = {"at": at + 9 * HOUR, "lease": HOUR}
    deliveries.mark_sent(c, deliveries.claim(c, **claim), at=at)
    deliveries.mark_failed(c, deliveries.claim(c, **claim), "answered 404", due=None)
    assert vitals.outbox(c) == (vitals.Outbox("ping", 2, at + 2 * HOUR, 1),)


def test_the_outbox_tells_channels_of_alerts_apart(c, at):
    for n, channel in enumerate(["ops", "ops", "chat", "chat"]):
        message = Message(f"digest:{n}", "digest", f"channel:{channel}", {})
        deliveries.save(c, message, at=at + n * HOUR)
    deliveries.save(c, Message("ping:1", "ping", "panel:ops", {}), at=at)
    claim = {"at": at + 9 * HOUR, "lease": HOUR}
    deliveries.mark_failed(c, deliveries.claim(c, **claim), "answered 404", due=None)
    deliveries.mark_sent(c, deliveries.claim(c, **claim), at=at)
    assert vitals.outbox(c) == (
        vitals.Outbox("digest", 2, at + 2 * HOUR, 0, "chat"),
        vitals.Outbox("digest", 0, None, 1, "ops"),
        vitals.Outbox("ping", 1, at, 0),
    )


def test_jobs_given_up_are_counted_by_queue(c, run, at):
    rows = [
        {"run_id": run.id, "queue": queue, "subject_id": n, "starts": 1, "failures": 1,
         "given_up": given_up, "updated_at": at}
        for n, (queue, given_up) in enumerate(
            [("pages", True), ("pages", True), ("pages", False), ("judge", True)]
        )
    ]  # fmt: skip
    c.execute(insert(tables.job), rows)
    assert vitals.jobs_given_up(c) == {"judge": 1, "pages": 2}
