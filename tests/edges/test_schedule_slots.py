"""Looks of one scheduler or more at a store, with the time as an argument."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from functools import partial

import jsonschema
import pytest

from monitor.errors import MonitorError
from monitor.pipeline.slots import OverlapError, intended, start_slot
from monitor.schedule import panel_schedules
from monitor.schedule.firing import start_due, unfinished
from monitor.schedule.rules import keep_rules, read_rules
from monitor.store import runs, schedules
from tests.house import ROOT
from tests.scheduled import MONTHLY, PANEL, Installation, at, end, kept, run_ids

BROKEN = "panel: [\n"


@pytest.fixture(params=["sqlite", "postgresql"])
def here(request, tmp_path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    url = f"sqlite:///{tmp_path}/monitor.db"
    if request.param == "postgresql":
        url = request.getfixturevalue("postgres_url")
    made = Installation(tmp_path, url)
    made.write()
    return made


@pytest.fixture
def bench(here):
    """A scheduler's bench that has looked once, in the middle of January."""
    with here.bench() as opened:
        assert here.look(opened, "2026-01-15T12:00") == []
        yield opened


def test_a_panel_seen_for_the_first_time_does_not_run_for_the_past(here, bench):
    assert here.look(bench, "2026-02-01T05:59") == []
    assert here.look(bench, "2026-02-01T06:00") == ["run:tea:2026-02-01T06:00"]
    assert here.look(bench, "2026-02-01T06:01") == []


def test_slots_missed_while_nobody_looked_are_one_run_of_the_newest(here, bench):
    # Down from February to the middle of April: 1 February, 1 March and 1 April were missed.
    assert here.look(bench, "2026-04-15T12:00") == ["run:tea:2026-04-01T06:00"]
    assert here.look(bench, "2026-04-15T12:01") == []
    assert run_ids(bench) == ["run:tea:2026-04-01T06:00"]


def test_an_hour_that_comes_twice_runs_once(here, bench):
    here.write(schedule='schedule: {cron: "30 1 * oct *", timezone: Europe/London}')
    here.look(bench, "2026-10-24T12:00")
    # 01:30 comes at 00:30 UTC and again at 01:30 UTC.
    assert here.look(bench, "2026-10-25T00:30") == ["run:tea:2026-10-25T01:30"]
    end(bench, "run:tea:2026-10-25T01:30")
    assert here.look(bench, "2026-10-25T01:30") == []


def test_a_clock_that_jumps_ahead_and_back_runs_each_slot_once(here, bench):
    assert here.look(bench, "2026-02-01T06:30") == ["run:tea:2026-02-01T06:00"]
    end(bench, "run:tea:2026-02-01T06:00")
    assert here.look(bench, "2026-02-01T05:30") == []
    assert here.look(bench, "2026-02-01T06:00") == []
    assert here.look(bench, "2026-03-01T06:00") == ["run:tea:2026-03-01T06:00"]


def test_a_pause_holds_for_every_scheduler_and_is_not_made_up_for(here, bench):
    bench.write(lambda c: schedules.pause(c, "tea", at=at("2026-01-20T00:00")))
    with here.bench() as other:
        assert here.look(other, "2026-02-01T06:00") == []
        other.write(lambda c: schedules.unpause(c, "tea", at=at("2026-02-10T00:00")))
    assert here.look(bench, "2026-02-10T00:01") == []
    assert here.look(bench, "2026-03-01T06:00") == ["run:tea:2026-03-01T06:00"]


def test_a_slot_that_falls_into_a_run_is_skipped_and_the_next_goes_on(here, bench):
    here.look(bench, "2026-02-01T06:00")
    assert here.look(bench, "2026-03-01T06:00") == []
    why = kept(bench).refused
    assert "slot 2026-03-01T06:00 was skipped" in why
    assert "run:tea:2026-02-01T06:00 (planned)" in why
    assert "`monitor resume run:tea:2026-02-01T06:00`" in why
    assert "`monitor cancel run:tea:2026-02-01T06:00`" in why
    end(bench, "run:tea:2026-02-01T06:00")
    assert here.look(bench, "2026-03-20T12:00") == []
    assert here.look(bench, "2026-04-01T06:00") == ["run:tea:2026-04-01T06:00"]
    assert kept(bench).refused is None


def test_a_skipped_slot_leaves_nothing_of_a_new_panel_version_behind(here, bench):
    here.look(bench, "2026-02-01T06:00")
    here.write(text=PANEL.replace("version: 1", "version: 2"))
    assert here.look(bench, "2026-03-01T06:00") == []
    found = bench.read(lambda c: [one.panel_version for one in runs.list_runs(c)])
    assert found == [1]
    end(bench, "run:tea:2026-02-01T06:00")
    assert here.look(bench, "2026-04-01T06:00") == ["run:tea:2026-04-01T06:00"]


@pytest.mark.parametrize("state", [runs.RunState.INCOMPLETE, runs.RunState.CANCELLED])
def test_a_run_that_ended_is_no_overlap(here, bench, state):
    here.look(bench, "2026-02-01T06:00")
    end(bench, "run:tea:2026-02-01T06:00", state)
    assert here.look(bench, "2026-03-01T06:00") == ["run:tea:2026-03-01T06:00"]


def test_a_run_by_hand_is_refused_while_one_is_under_way_and_the_same_slot_is_not(here, bench):
    here.look(bench, "2026-02-01T06:00")
    wanted = intended("tea", bench.settings)
    with pytest.raises(OverlapError, match="has a run under way, run:tea:2026-02-01T06:00"):
        start_slot(bench, wanted, "by-hand")
    assert start_slot(bench, wanted, "2026-02-01T06:00").state is runs.RunState.PLANNED
    assert run_ids(bench) == ["run:tea:2026-02-01T06:00"]


def test_a_run_by_hand_of_the_same_slot_is_taken_over(here, bench):
    by_hand = start_slot(bench, intended("tea", bench.settings), "2026-02-01T06:00")
    assert here.look(bench, "2026-02-01T06:00") == [by_hand.public_id]
    assert run_ids(bench) == [by_hand.public_id]


def test_a_broken_file_keeps_the_rule_and_its_slot_waits_for_the_repair(here, bench):
    here.write(text=BROKEN)
    assert here.look(bench, "2026-01-20T12:00") == []
    assert "tea.yaml" in kept(bench).broken
    assert here.look(bench, "2026-02-01T06:00") == []
    assert kept(bench).refused.startswith("slot 2026-02-01T06:00 waits: ")
    here.write()
    assert here.look(bench, "2026-02-03T09:00") == ["run:tea:2026-02-01T06:00"]
    assert (kept(bench).broken, kept(bench).refused) == (None, None)


def test_a_missing_key_lets_the_slot_wait(here, bench, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY")
    assert here.look(bench, "2026-02-01T06:00") == []
    assert "set OPENAI_API_KEY" in kept(bench).refused
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    assert here.look(bench, "2026-02-01T07:00") == ["run:tea:2026-02-01T06:00"]


def test_a_panel_edited_without_a_new_version_waits_and_is_claimed_by_nobody(here, bench):
    here.look(bench, "2026-02-01T06:00")
    end(bench, "run:tea:2026-02-01T06:00")
    here.write(text=PANEL.replace("How hot?", "How cold?"))
    assert here.look(bench, "2026-03-01T06:00") == []
    assert "raise `version` to 2" in kept(bench).refused
    assert kept(bench).last_slot == "2026-02-01T06:00"
    here.write(text=PANEL.replace("How hot?", "How cold?").replace("version: 1", "version: 2"))
    assert here.look(bench, "2026-03-01T06:02") == ["run:tea:2026-03-01T06:00"]


def test_a_removed_panel_does_not_run_and_one_that_returns_makes_nothing_up(here, bench):
    (here.panels / "tea.yaml").unlink()
    assert here.look(bench, "2026-02-01T06:00") == []
    assert kept(bench).rule is None
    here.write()
    assert here.look(bench, "2026-02-15T12:00") == []
    assert here.look(bench, "2026-03-01T06:00") == ["run:tea:2026-03-01T06:00"]


def test_no_rule_is_forgotten_while_a_file_cannot_be_read_or_the_folder_is_gone(here, bench):
    (here.panels / "tea.yaml").rename(here.folder / "tea.yaml")
    here.write("other", text=BROKEN)
    here.look(bench, "2026-01-20T12:00")
    assert kept(bench).rule is not None
    assert "other.yaml" in kept(bench).broken
    (here.panels / "other.yaml").unlink()
    here.panels.rmdir()
    here.look(bench, "2026-01-21T12:00")
    assert kept(bench).rule is not None
    assert "no such folder" in kept(bench).broken


def test_a_changed_rule_counts_from_the_look_that_sees_it(here, bench):
    here.write(schedule='schedule: {cron: "0 6 10 * *", timezone: Europe/London}')
    assert here.look(bench, "2026-02-20T12:00") == []
    assert here.look(bench, "2026-03-10T06:00") == ["run:tea:2026-03-10T06:00"]


def test_a_panel_added_later_runs_beside_the_first(here, bench):
    here.write("coffee")
    here.look(bench, "2026-01-20T12:00")
    started = here.look(bench, "2026-02-01T06:00")
    assert sorted(started) == ["run:coffee:2026-02-01T06:00", "run:tea:2026-02-01T06:00"]


def test_a_look_at_what_has_not_changed_writes_nothing(here, bench, monkeypatch):
    def refused(_change):
        raise AssertionError("written")

    monkeypatch.setattr(bench.writer, "submit", refused)
    assert here.look(bench, "2026-01-16T12:00") == []


def test_a_run_that_nobody_ended_is_found_again(here, bench):
    here.look(bench, "2026-02-01T06:00")
    with here.bench() as other:
        assert [one.public_id for one in unfinished(other)] == ["run:tea:2026-02-01T06:00"]
        end(other, "run:tea:2026-02-01T06:00")
        assert unfinished(other) == ()


def test_of_many_schedulers_one_gets_each_slot(here):
    names = [f"tea-{n}" for n in range(4)]
    for name in names:
        here.write(name)
    months = [f"2026-{month:02}-01T12:00" for month in range(2, 8)]
    with ExitStack() as stack:
        benches = [stack.enter_context(here.bench()) for _ in range(4)]
        here.clock.at = at("2026-01-15T12:00")
        keep_rules(benches[0], read_rules(here.settings), here.clock.now())
        for month in months:
            here.clock.at = at(month)
            started = race(benches, names, here.clock.now())
            assert sorted(started) == [f"run:{name}:{month[:8]}01T06:00" for name in names]
            for run_id in started:
                end(benches[0], run_id)
        assert len(run_ids(benches[0])) == len(names) * len(months)


def race(benches, names, now):
    """Runs that schedulers start when all of them look at once."""

    def look(bench):
        return [start_due(bench, name, now) for name in names]

    found = at_once(*(partial(look, bench) for bench in benches))
    return [one.public_id for part in found for one in part if one]


def test_a_slot_and_a_run_by_hand_at_once_are_one_run(here, bench):
    with here.bench() as other:
        for month in range(2, 10):
            here.clock.at = at(f"2026-{month:02}-01T06:00")
            started = at_once(
                lambda: start_due(bench, "tea", here.clock.now()),
                lambda month=month: by_hand(other, f"by-hand-{month}"),
            )
            (one,) = [run for run in started if run is not None]
            end(bench, one.public_id)


def by_hand(bench, slot):
    """The run of a slot, or None where it is refused."""
    try:
        return start_slot(bench, intended("tea", bench.settings), slot)
    except MonitorError:
        return None


def at_once(*calls):
    """What calls return that begin together."""
    barrier = threading.Barrier(len(calls))

    def begin(call):
        barrier.wait()
        return call()

    with ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(begin, calls))


def test_the_standing_tells_the_last_run_the_next_slot_and_what_waits(here, bench):
    here.write("by-hand", schedule="")
    here.look(bench, "2026-02-01T06:00")
    end(bench, "run:tea:2026-02-01T06:00")
    here.clock.at = at("2026-04-15T12:00")
    by_hand, tea = panel_schedules(bench)
    assert (by_hand.panel, by_hand.rule, by_hand.next) == ("by-hand", None, None)
    assert (tea.last.name, tea.run, tea.run_state) == (
        "2026-02-01T06:00", "run:tea:2026-02-01T06:00", "done",
    )  # fmt: skip
    # Summer time since 29 March: 06:00 is 05:00 UTC.
    assert (tea.next.name, tea.next.due) == ("2026-05-01T06:00", at("2026-05-01T05:00"))
    assert tea.waiting.name == "2026-04-01T06:00"
    told = {"schema": 1, "panels": [by_hand.as_json(), tea.as_json()]}
    schema = json.loads((ROOT / "docs" / "schemas" / "schedule.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(told)
    bench.write(lambda c: schedules.pause(c, "tea", at=here.clock.now()))
    paused = panel_schedules(bench)[1]
    assert (paused.paused_at, paused.next, paused.waiting) == (here.clock.now(), None, None)


def test_the_standing_of_a_broken_file_has_the_rule_it_had(here, bench):
    here.write(text=BROKEN)
    (tea,) = panel_schedules(bench)
    assert tea.rule.cron in MONTHLY
    assert "tea.yaml" in tea.broken


def test_a_file_that_was_broken_from_the_first_is_listed_too(here, bench):
    (here.folder / "panels" / "new.yaml").write_text(BROKEN, "utf-8")
    new, tea = panel_schedules(bench)
    assert (new.panel, new.rule, new.next) == ("new", None, None)
    assert "new.yaml" in new.broken
    assert tea.rule.cron in MONTHLY


def test_a_clock_that_was_years_ahead_is_told_until_a_pause_is_taken_back(here, bench):
    here.look(bench, "2099-01-01T12:00")
    end(bench, run_ids(bench)[0])
    here.clock.at = at("2026-02-01T06:00")
    (tea,) = panel_schedules(bench)
    assert "later than the clock of this machine" in tea.refused
    assert "`monitor schedule unpause tea`" in tea.refused
    bench.write(lambda c: schedules.unpause(c, "tea", at=here.clock.now()))
    (tea,) = panel_schedules(bench)
    assert (tea.refused, tea.next.name) == (None, "2026-03-01T06:00")
