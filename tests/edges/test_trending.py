"""A trend from stored scorecards: gaps, other recipes, events, and no more than twelve runs."""

from dataclasses import replace
from functools import partial
from unittest.mock import patch

import pytest

from monitor.changes import Standing
from monitor.domain.alert import Alert, AlertKind, Closed, Direction, Severity
from monitor.domain.change import EventKind
from monitor.pipeline.alerting import EngineFindings, keep_alerts
from monitor.pipeline.publishing import publish_report
from monitor.pipeline.reporting import build_report
from monitor.pipeline.tallying import score_run
from monitor.pipeline.trending import RUNS_SHOWN, trend, trends
from monitor.store import alerts, runs, scores
from tests.stored import MADE_AT, WordJudge, answer, bench_in, keep_answers, planned

OAK = "https://oak.example/growth"


@pytest.fixture
def bench(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        yield bench


def scored(bench, slot, judge=None, state=runs.RunState.DONE):
    """A run of a slot, ended and scored."""
    run = planned(bench, slot)
    keep_answers(bench, run, answer("Oaks grow slowly [1].", ("[1]", OAK)))
    score_run(bench, run, judge or WordJudge())
    return bench.write(lambda c: runs.set_run_state(c, run.id, state, at=MADE_AT))


def test_runs_stand_oldest_first_and_the_report_s_own_last(bench):
    for slot in ("2026-01", "2026-02"):
        scored(bench, slot)
    run = scored(bench, "2026-03")
    scored(bench, "2026-04")
    (one,) = trends(bench, run)
    assert [point.slot for point in one.points] == ["2026-01", "2026-02", "2026-03"]
    assert all(point.unlike == () and point.events == () for point in one.points)


def test_a_year_of_months_is_drawn_and_each_run_is_read_once(bench):
    for number in range(RUNS_SHOWN + 2):
        run = scored(bench, f"20{10 + number}-01")
    with patch.object(scores, "load_scorecards", wraps=scores.load_scorecards) as reads:
        (one,) = trends(bench, run)
    assert len(one.points) == RUNS_SHOWN == reads.call_count
    assert one.points[-1].run == run.public_id


def test_a_cancelled_run_says_nothing_of_engines_and_is_left_out(bench):
    scored(bench, "2026-01", state=runs.RunState.CANCELLED)
    run = scored(bench, "2026-02")
    assert [point.slot for point in trends(bench, run)[0].points] == ["2026-02"]


def test_a_run_that_another_judge_scored_is_unlike(bench):
    scored(bench, "2026-01", WordJudge("other@1"))
    run = scored(bench, "2026-02")
    assert [point.unlike for point in trends(bench, run)[0].points] == [("judge",), ()]


def test_a_run_that_was_never_scored_is_a_gap_and_events_reach_over_it(bench):
    first = scored(bench, "2026-01")
    last = scored(bench, "2026-03")
    old = bench.read(lambda c: scores.load_scorecards(c, first.id))[0]
    new = replace(
        old, signature=old.signature.replace("served:gpt-5-mini", "served:gpt-6").replace(
            "baseline:none", "baseline:trees@2026-02"), recipe="f" * 16,
    )  # fmt: skip
    assert old.signature != new.signature
    made = trend("openai", [(first, {"openai": old}), (first, {}), (last, {"openai": new})])
    assert [point.card is None for point in made.points] == [False, True, False]
    assert made.points[0].unlike == ("baseline",)
    assert EventKind.BASELINE in {event.kind for event in made.points[2].events}


def test_a_signature_of_another_version_is_unlike_and_stops_nothing(bench):
    run = scored(bench, "2026-01")
    card = bench.read(lambda c: scores.load_scorecards(c, run.id))[0]
    strange = replace(card, signature="panel:trees@1|mood:good||window:then", recipe="e" * 16)
    made = trend("openai", [(run, {"openai": strange}), (run, {"openai": card})])
    assert made.points[0].unlike == ("version",)
    assert made.points[1].events == ()


def test_the_report_has_the_trend_the_manifest_and_the_same_numbers(bench, tmp_path):
    scored(bench, "2026-01")
    run = scored(bench, "2026-02")
    view = build_report(bench, run, WordJudge())
    (one,) = view.trends
    assert one.points[-1].card == view.engines[0].card
    assert [m.run for m in view.manifests] == ["run:trees:2026-02", "run:trees:2026-01"]
    page = publish_report(bench, run, WordJudge(), tmp_path / "r.html").read_text("utf-8")
    assert all(m.sha256 in page for m in view.manifests)


def told(run, family):
    """An alert that a run raised."""
    return Alert(
        AlertKind.FAMILY_SHARE, "openai", family, Direction.DOWN, Severity.WARNING,
        f"{family} fell in {run.slot}", "Look.", (), run.public_id,
    )  # fmt: skip


def test_a_report_reminds_of_what_earlier_runs_raised_and_is_open_still(bench):
    first, second, third = (scored(bench, f"2026-0{n}") for n in (1, 2, 3))
    for run, family in ((first, "oak.example"), (third, "elm.example")):
        kept = partial(
            alerts.open_alert, run_id=run.id, panel="trees", one=told(run, family), at=MADE_AT
        )
        bench.write(kept)
    # What the third run raised was not known in the month of the second.
    (reminder,) = build_report(bench, second, WordJudge()).alerts
    assert (reminder.says, reminder.opened_at) == ("oak.example fell in 2026-01", MADE_AT)
    assert build_report(bench, first, WordJudge()).alerts == ()
    oldest = bench.read(alerts.open_alerts)[0]
    bench.write(lambda c: alerts.close_alert(c, oldest.id, Closed.QUIET, at=MADE_AT))
    assert build_report(bench, second, WordJudge()).alerts == ()


def test_a_report_shows_what_its_run_told_before_and_after_the_run_ends(bench):
    first, second = (scored(bench, f"2026-0{n}") for n in (1, 2))
    bench.write(
        partial(
            alerts.open_alert, run_id=first.id, panel="trees", one=told(first, "oak.example"),
            at=MADE_AT,
        )
    )  # fmt: skip
    (old,) = bench.read(alerts.open_alerts)
    fresh = told(second, "elm.example")
    grave = replace(told(second, "ash.example"), severity=Severity.CRITICAL)
    standing = Standing(fresh=(fresh, grave), closed=((old, Closed.QUIET),))
    found = [EngineFindings("openai", standing, None)]
    # About to end: nothing is kept, and what it closes is open no more.
    view = build_report(bench, second, WordJudge(), found)
    assert view.told == (grave, fresh)
    assert view.alerts == ()
    bench.write(lambda c: keep_alerts(c, bench, second, found))
    assert build_report(bench, second, WordJudge()).told == (grave, fresh)
    assert build_report(bench, first, WordJudge()).told == (old.alert,)
    # The run was completed since, and no longer says so.
    kept = next(one for one in bench.read(alerts.open_alerts) if one.alert == fresh)
    withdrawn = [EngineFindings("openai", Standing(closed=((kept, Closed.WITHDRAWN),)), None)]
    assert build_report(bench, second, WordJudge(), withdrawn).told == (grave,)
    bench.write(lambda c: alerts.close_alert(c, kept.id, Closed.WITHDRAWN, at=MADE_AT))
    assert build_report(bench, second, WordJudge()).told == (grave,)
