"""Alerts of real runs in a store: payloads read, scored, compared, told once, closed, accepted."""

import asyncio
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path

import pytest

from monitor.changes import Standing
from monitor.config.alerting import AlertsPart
from monitor.domain.alert import AlertKind, Closed, Direction, Severity
from monitor.domain.panel import Prompt
from monitor.errors import ConfigError
from monitor.pipeline.alarming import stock_of
from monitor.pipeline.alerting import EngineFindings, find_alerts, keep_alerts
from monitor.pipeline.checking import PanelFiles
from monitor.pipeline.comparing import previous_run
from monitor.pipeline.line import start_run
from monitor.pipeline.planning import make_plan
from monitor.pipeline.publishing import publish_linked
from monitor.pipeline.run_status import run_status
from monitor.pipeline.tallying import score_engines
from monitor.pipeline.trending import trends
from monitor.store import alerts, runs
from monitor.web.health import HealthWatch
from monitor.web.metrics import exposition
from tests.stored import PANEL, WordJudge, answer, bench_in, bench_on, keep_answers, planned

PROMPTS = tuple(Prompt(f"p{n:02}", f"How do oaks grow, {n}?", "en-GB") for n in range(24))
TREES = replace(PANEL, prompts=PROMPTS, watch=("oaks.example",))
JUDGE = WordJudge()
FAILED = b"[]"


def cites(oaks, others, model="gpt-1"):
    """A payload that cites so many pages of the one family and of the others."""
    urls = [f"https://oaks.example/{n}" for n in range(oaks)]
    urls += [f"https://site{n}.example/a" for n in range(others)]
    body = answer("Oaks grow slowly.", *[("Oaks", url) for url in urls])
    return body.replace(b'"model": "', b'"model": "' + model.encode() + b"-", 1)


@pytest.fixture
def bench(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as opened:
        yield opened


def scored(bench, slot, bodies, panel=TREES):
    """A run of a month, read and scored, not yet ended."""
    run = planned(bench, slot, panel)
    keep_answers(bench, run, *bodies)
    score_engines(bench, run, JUDGE)
    stock_of(bench, run)
    return run


def told(bench, slot, bodies, panel=TREES):
    """What a month opens; its run is ended with its alerts in one transaction."""
    run = scored(bench, slot, bodies, panel)
    found = find_alerts(bench, run, JUDGE)

    def end(connection):
        keep_alerts(connection, bench, run, found)
        runs.set_run_state(connection, run.id, runs.RunState.DONE, at=bench.clock.now())

    bench.write(end)
    return [alert for one in found for alert in one.standing.fresh]


def open_now(bench):
    return bench.read(alerts.open_alerts)


def entities(found):
    return {alert.entity for alert in found}


def test_a_first_run_and_a_quiet_one_tell_nothing(bench):
    assert told(bench, "2026-01", [cites(1, 3)] * 24) == []
    assert told(bench, "2026-02", [cites(1, 3)] * 24) == []
    assert open_now(bench) == ()


def test_a_moved_share_is_told_once_and_closes_after_two_runs_back(bench):
    told(bench, "2026-01", [cites(1, 3)] * 24)
    found = told(bench, "2026-02", [cites(3, 1)] * 24)
    oaks = next(a for a in found if a.entity == "oaks.example")
    assert (oaks.kind, oaks.direction) == (AlertKind.FAMILY_SHARE, Direction.UP)
    assert oaks.severity is Severity.CRITICAL, "watched, and 50 points"
    assert (oaks.before, oaks.after) == (("run:trees:2026-01",), "run:trees:2026-02")
    assert (oaks.change.before.pooled.hits, oaks.change.after.pooled.hits) == (24, 72)
    # It stays up: not told again, though pooled runs before it still differ.
    assert "oaks.example" not in entities(told(bench, "2026-03", [cites(3, 1)] * 24))
    assert "oaks.example" in {one.alert.entity for one in open_now(bench)}
    # Two months back at the old level close it.
    told(bench, "2026-04", [cites(1, 3)] * 24)
    told(bench, "2026-05", [cites(1, 3)] * 24)
    up = oaks.key("trees")
    (closed,) = bench.read(lambda c: alerts.list_alerts(c, limit=9, keys=[up]))
    assert closed.closed is Closed.QUIET


RISING = [cites(4, 16)] * 24, [cites(8, 12)] * 24, [cites(9, 11)] * 24
"""A fifth, two fifths, 45 %: the last step is too small for a word, against both before it is not."""


def close_all(bench, how):
    for one in open_now(bench):
        bench.write(lambda c, one=one: alerts.close_alert(c, one.id, how, at=bench.clock.now()))


def test_an_accepted_level_is_not_told_against_older_runs(bench):
    told(bench, "2026-01", RISING[0])
    told(bench, "2026-02", RISING[1])
    close_all(bench, Closed.ACCEPTED)
    assert "oaks.example" not in entities(told(bench, "2026-03", RISING[2]))


def test_without_acceptance_a_closed_one_may_be_told_again(bench):
    # The same months as above: it is the acceptance that silences the pooled baseline.
    told(bench, "2026-01", RISING[0])
    told(bench, "2026-02", RISING[1])
    close_all(bench, Closed.QUIET)
    again = told(bench, "2026-03", RISING[2])
    assert next(a for a in again if a.entity == "oaks.example").before == (
        "run:trees:2026-01",
        "run:trees:2026-02",
    )


def test_a_storm_is_a_run_quality_notice_and_never_a_share(bench):
    told(bench, "2026-01", [cites(1, 3)] * 24)
    (alert,) = told(bench, "2026-02", [cites(3, 1)] * 14 + [FAILED] * 10)
    assert (alert.kind, alert.entity) == (AlertKind.RUN_QUALITY, "run:trees:2026-02")
    # The month after is compared with the last one that was heard, and finds the share.
    found = told(bench, "2026-03", [cites(3, 1)] * 24)
    oaks = next(a for a in found if a.entity == "oaks.example")
    assert oaks.before == ("run:trees:2026-01",)


def test_a_new_model_comes_first_in_the_digest(bench):
    told(bench, "2026-01", [cites(1, 3)] * 24)
    run = scored(bench, "2026-02", [cites(3, 1, model="gpt-2")] * 24)
    (found,) = find_alerts(bench, run, JUDGE)
    assert next(event.kind.value for event in found.digest.events) == "served_model"
    assert AlertKind.ENGINE_CHANGED in {alert.kind for alert in found.digest.alerts}
    assert found.digest.signature.startswith("panel:trees@1|engine:openai|")
    assert found.digest.fictional is False


def test_finding_and_keeping_twice_tells_once(bench):
    told(bench, "2026-01", [cites(1, 3)] * 24)
    run = scored(bench, "2026-02", [cites(3, 1)] * 24)
    found = find_alerts(bench, run, JUDGE)
    bench.write(lambda c: keep_alerts(c, bench, run, found))
    first = open_now(bench)
    bench.write(lambda c: keep_alerts(c, bench, run, found))
    bench.write(lambda c: keep_alerts(c, bench, run, find_alerts(bench, run, JUDGE)))
    assert open_now(bench) == first != ()
    assert find_alerts(bench, run, JUDGE)[0].digest is None


def test_what_a_completed_run_no_longer_says_is_withdrawn(bench):
    told(bench, "2026-01", [cites(1, 3)] * 24)
    run = scored(bench, "2026-02", [cites(3, 1)] * 14 + [FAILED] * 10)
    found = find_alerts(bench, run, JUDGE)
    bench.write(lambda c: keep_alerts(c, bench, run, found))
    (storm,) = open_now(bench)
    keep_answers(bench, run, *[cites(1, 3)] * 24, attempt=1)
    score_engines(bench, run, JUDGE)
    stock_of(bench, run)
    again = find_alerts(bench, run, JUDGE)
    bench.write(lambda c: keep_alerts(c, bench, run, again))
    assert open_now(bench) == ()
    stored = bench.read(lambda c: alerts.load_alert(c, storm.id))
    assert stored.closed is Closed.WITHDRAWN


def test_an_engine_that_lost_its_key_is_told(bench, monkeypatch):
    both = replace(TREES, engines=("openai", "gemini"))
    monkeypatch.setenv("GEMINI_API_KEY", "made-up")
    told(bench, "2026-01", [cites(1, 3)] * 24 + [FAILED] * 24, both)
    monkeypatch.delenv("GEMINI_API_KEY")
    run = scored(bench, "2026-02", [cites(1, 3)] * 24, both)
    asked, absent = find_alerts(bench, run, JUDGE)
    assert (asked.engine, asked.digest) == ("openai", None)
    (alert,) = absent.digest.alerts
    assert (alert.kind, alert.engine) == (AlertKind.RUN_QUALITY, "gemini")
    assert "was not asked in this run" in alert.says
    # Taken out of the panel on purpose it is nothing to tell.
    alone = planned(bench, "2026-03", replace(TREES, version=2))
    assert [one.engine for one in find_alerts(bench, alone, JUDGE)] == ["openai"]


def test_edited_prompts_are_left_out_and_said_so(bench):
    told(bench, "2026-01", [cites(1, 3)] * 24)
    edited = tuple(
        replace(p, text=f"{p.text} Really?") if n < 8 else p for n, p in enumerate(PROMPTS)
    )
    panel = replace(TREES, version=2, prompts=edited)
    (alert,) = told(bench, "2026-02", [cites(3, 1)] * 24, panel)
    assert alert.kind is AlertKind.RUN_QUALITY
    assert "16 of 24 prompts matched, 80% needed" in alert.says


def test_reports_that_are_linked_to_are_written_as_a_run_ends(bench, tmp_path):
    served = bench.settings.model_copy(
        update={
            "reports": str(tmp_path / "reports"),
            "alerts": AlertsPart(links="https://reports.example.org/"),
        }
    )
    run = scored(bench, "2026-01", [cites(1, 3)] * 24)
    publish_linked(bench, run, JUDGE, ())
    assert not (tmp_path / "reports").exists(), "nobody serves them"
    publish_linked(replace(bench, settings=served), run, JUDGE, ())
    written = (tmp_path / "reports" / "trees-2026-01.html").read_text("utf-8")
    assert 'id="capture-1"' in written
    # What the run is about to tell is in it, though nothing of it is kept yet.
    done = runs.RunState.DONE
    bench.write(lambda c: runs.set_run_state(c, run.id, done, at=bench.clock.now()))
    later = scored(bench, "2026-02", [cites(3, 1)] * 24)
    found = find_alerts(bench, later, JUDGE)
    publish_linked(replace(bench, settings=served), later, JUDGE, found)
    assert open_now(bench) == ()
    written = (tmp_path / "reports" / "trees-2026-02.html").read_text("utf-8")
    behind = written[written.index('<h3 id="alerts"') :].split("</ol>")[0]
    told_of = [alert.says for one in found for alert in one.standing.fresh]
    assert told_of
    assert all(f"<b>{says}</b>" in behind for says in told_of)


def test_a_report_that_cannot_be_written_keeps_nobody_from_being_told(bench, tmp_path, caplog):
    (tmp_path / "reports").write_text("a file where the folder should be")
    served = bench.settings.model_copy(
        update={
            "reports": str(tmp_path / "reports"),
            "alerts": AlertsPart(links="https://reports.example.org/"),
        }
    )
    run = scored(bench, "2026-01", [cites(1, 3)] * 24)
    publish_linked(replace(bench, settings=served), run, JUDGE, ())
    assert "report_failed" in caplog.text


def test_status_and_metrics_show_what_is_open(bench):
    told(bench, "2026-01", [cites(1, 3)] * 24)
    told(bench, "2026-02", [cites(3, 1)] * 24)
    run = bench.read(runs.list_runs)[0]
    shown = run_status(bench, run).as_json()["alerts"]
    oaks = next(one for one in shown if one["entity"] == "oaks.example")
    assert (oaks["severity"], oaks["closed"]) == ("critical", None)
    assert oaks["says"] == "openai cites oaks.example more than in 2026-01."
    page = exposition(asyncio.run(HealthWatch(bench, patience=60).look())).decode()
    critical = sum(one["severity"] == "critical" for one in shown)
    assert f'monitor_alerts_open{{panel="trees",severity="critical"}} {critical:.1f}' in page


def test_no_run_begins_while_settings_name_a_measure_that_nobody_counts(bench):
    wrong = bench.settings.model_copy(update={"alerts": AlertsPart(measures=("source_recal",))})
    with pytest.raises(ConfigError, match="no measure is called 'source_recal'"):
        planned(replace(bench, settings=wrong), "2026-01", TREES)


def test_a_trial_tells_nothing_and_is_no_baseline(bench):
    told(bench, "2026-01", [cites(1, 3)] * 24)
    files = PanelFiles(Path("trees.yaml"), TREES, None, None, None, ())
    few = make_plan(TREES, bench.settings, limit=3)
    trial = start_run(bench, files, few, slot="trial", caps=runs.Caps())
    keep_answers(bench, trial, *[cites(3, 1)] * 3)
    score_engines(bench, trial, JUDGE)
    stock_of(bench, trial)
    assert (trial.partial, find_alerts(bench, trial, JUDGE)) == (True, ())
    bench.write(lambda c: runs.set_run_state(c, trial.id, runs.RunState.DONE, at=bench.clock.now()))
    whole = scored(bench, "2026-02", [cites(3, 1)] * 24)
    assert previous_run(bench, whole).slot == "2026-01"
    (found,) = find_alerts(bench, whole, JUDGE)
    oaks = next(a for a in found.standing.fresh if a.entity == "oaks.example")
    assert oaks.before == ("run:trees:2026-01",)
    (drawn,) = trends(bench, whole)
    assert [point.slot for point in drawn.points] == ["2026-01", "2026-02"]


def test_a_trial_is_compared_with_the_trial_before_it(bench):
    files = PanelFiles(Path("trees.yaml"), TREES, None, None, None, ())
    few = make_plan(TREES, bench.settings, limit=3)
    first, second = (
        start_run(bench, files, few, slot=slot, caps=runs.Caps()) for slot in ("t1", "t2")
    )
    bench.write(lambda c: runs.set_run_state(c, first.id, runs.RunState.DONE, at=bench.clock.now()))
    assert previous_run(bench, second).slot == "t1"


def test_alerts_on_a_server_are_those_of_a_file(postgres_url, tmp_path, monkeypatch, bench):
    months = [cites(1, 3)] * 24, [cites(3, 1)] * 24, [cites(1, 3)] * 24, [cites(1, 3)] * 24
    with bench_on(postgres_url, tmp_path / "server", monkeypatch) as server:
        for month, bodies in enumerate(months, start=1):
            here = told(bench, f"2026-0{month}", bodies)
            there = told(server, f"2026-0{month}", bodies)
            assert entities(here) == entities(there)
        kept = [
            [(one.key, one.quiet_runs, one.closed) for one in opened.read(_all_alerts)]
            for opened in (bench, server)
        ]
    assert kept[0] == kept[1] != []
    assert Closed.QUIET in {closed for _, _, closed in kept[0]}


def _all_alerts(connection):
    return alerts.list_alerts(connection, limit=99)


def test_a_graver_alert_that_another_process_opened_is_not_opened_again(bench):
    told(bench, "2026-01", [cites(1, 3)] * 24)
    told(bench, "2026-02", [cites(3, 1)] * 24)
    mild = next(one for one in open_now(bench) if one.alert.severity is Severity.WARNING)
    graver = replace(mild.alert, severity=Severity.CRITICAL, after="run:trees:2026-03")
    run = planned(bench, "2026-03", TREES)
    standing = Standing(fresh=(graver,), closed=((mild, Closed.OVERTAKEN),))
    found = [EngineFindings("openai", standing, None)]
    for _ in range(2):
        bench.write(lambda c: keep_alerts(c, bench, run, found))
    (left,) = [one for one in open_now(bench) if one.key == mild.key]
    assert left.alert == graver


def test_two_processes_that_end_a_run_at_once_open_each_alert_once(
    postgres_url, tmp_path, monkeypatch
):
    with (
        bench_on(postgres_url, tmp_path / "files", monkeypatch) as one,
        bench_on(postgres_url, tmp_path / "files", monkeypatch) as other,
    ):
        told(one, "2026-01", [cites(1, 3)] * 24)
        run = scored(one, "2026-02", [cites(3, 1)] * 24)
        found = find_alerts(one, run, JUDGE)
        with ThreadPoolExecutor(1) as second:

            def keep(connection):
                keep_alerts(connection, one, run, found)
                late = second.submit(other.write, lambda c: keep_alerts(c, other, run, found))
                # It saw none of the alerts, and waits for this transaction to end.
                wait([late], timeout=0.5)
                return late

            one.write(keep).result(timeout=60)
        keys = [stored.key for stored in open_now(one)]
        assert len(keys) == len(set(keys)) == len(found[0].standing.fresh) > 0
