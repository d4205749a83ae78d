"""Alarms of real runs in a store: counted at the end, kept, shown, and taken back by a reparse."""

import json
from dataclasses import replace

from monitor.config.parts import AlarmsPart
from monitor.domain.panel import Prompt
from monitor.pipeline.alarming import run_checkup, stock_of, take_stock
from monitor.pipeline.capturing import reparse_run
from monitor.pipeline.run_status import run_status
from monitor.store import runs, vitals
from tests.stored import PANEL, answer, bench_in, keep_answers, planned

PROMPTS = tuple(Prompt(f"p{n}", f"How do oaks grow, {n}?", "en-GB") for n in range(6))
TREES = replace(PANEL, prompts=PROMPTS)
CITED = [("Oaks", f"https://oaks.example/{n}") for n in range(3)]
TEXT = "Oaks grow slowly."


def ended(bench, slot, bodies, state=runs.RunState.DONE):
    run = planned(bench, slot, TREES)
    keep_answers(bench, run, *bodies)
    stock_of(bench, run)
    return bench.write(lambda c: runs.set_run_state(c, run.id, state, at=bench.clock.now()))


def test_an_engine_that_stops_citing_is_told_with_both_counts(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        first = ended(bench, "2026-01", [answer(TEXT, *CITED)] * 6)
        assert run_checkup(bench, first).alarms == ()
        second = ended(bench, "2026-02", [answer(TEXT)] * 6)
        (alarm,) = run_checkup(bench, second).alarms
        assert alarm.counts["citations"] == 0
        assert (alarm.counts["past_citations"], alarm.counts["past_answered"]) == (18, 6)
        shown = run_status(bench, second).as_json()
        assert [one["kind"] for one in shown["alarms"]] == ["stopped_citing"]
        assert json.dumps(shown)


def test_unreadable_payloads_raise_an_alarm_until_they_are_read_again(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        run = ended(bench, "2026-01", [b"[]"] * 6)
        assert [one.kind.value for one in run_checkup(bench, run).alarms] == [
            "shape_changed",
            "low_coverage",
        ]
        with monkeypatch.context() as repaired:
            body = answer(TEXT, *CITED)
            repaired.setattr(type(bench.artifacts), "get", lambda *_: body)
            reparse_run(bench, run)
        stock_of(bench, run)
        assert run_checkup(bench, run).alarms == ()


def test_thresholds_come_from_the_settings(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        run = ended(bench, "2026-01", [answer(TEXT)] * 5 + [b"[]"])
        assert run_checkup(bench, run).alarms == ()
        part = AlarmsPart(coverage=0.9)
        strict = replace(bench, settings=bench.settings.model_copy(update={"alarms": part}))
        assert [one.kind.value for one in run_checkup(strict, run).alarms] == ["low_coverage"]


async def test_runs_that_were_never_counted_are_counted_as_past(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        first = ended(bench, "2026-01", [answer(TEXT, *CITED)] * 6)
        bench.write(lambda c: vitals.save_totals(c, first.id, {}, at=bench.clock.now()))
        second = planned(bench, "2026-02", TREES)
        keep_answers(bench, second, *[answer(TEXT)] * 6)
        found = await take_stock(bench, second)
        assert [one.kind.value for one in found.alarms] == ["stopped_citing"]


def test_a_run_under_way_raises_nothing(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        run = planned(bench, "2026-01", TREES)
        stock_of(bench, run)
        assert run_status(bench, run).as_json()["alarms"] == []
