"""Runs: planned in full once per slot, and moved only where a state may lead."""

from datetime import timedelta

import pytest

from monitor.domain.engine import Access
from monitor.domain.panel import Prompt
from monitor.errors import StoreError
from monitor.store import captures, panels, runs
from monitor.store.runs import Caps, RunState


@pytest.fixture
def c(database, run):
    with database.write() as connection:
        yield connection


def test_run_knows_its_panel_slot_caps_and_settings(run, at):
    assert run.public_id == "run:clinical:2026-11-01"
    assert (run.panel, run.panel_version, run.slot) == ("clinical", 3, "2026-11-01")
    assert run.state is RunState.PLANNED
    assert run.caps == Caps(calls=10, micros=50_000)
    assert dict(run.config) == {"k": 1}
    assert (run.created_at, run.started_at, run.finished_at) == (at, None, None)


def test_every_capture_is_planned_every_prompt_before_any_repeat(c, run):
    planned = captures.load_captures(c, run.id)
    # 2 engines x 2 prompts x 2 repeats
    assert [(one.repeat, one.engine, one.prompt.id) for one in planned] == [
        (repeat, engine, prompt)
        for repeat in (1, 2)
        for engine in ("openai", "perplexity")
        for prompt in ("muscle", "dose")
    ]
    assert {one.state.value for one in planned} == {"planned"}
    assert {one.request_key for one in planned} == {"abc123"}


def test_prompts_of_a_run_carry_their_segments(c, run, panel):
    found = {one.prompt.id: one.prompt for one in captures.load_captures(c, run.id)}
    assert found == {prompt.id: prompt for prompt in panel.prompts}


def test_planning_the_same_slot_again_changes_nothing(c, run, panel, make_plan, at):
    other = make_plan(panel, repeats=9)
    again = runs.plan_run(
        c, run.panel_id, run.slot, other, caps=Caps(), config={}, at=at + timedelta(1)
    )
    assert again == run
    assert len(captures.load_captures(c, run.id)) == 8


def test_plan_comes_back_with_settings_of_any_shape(c, run, panel, make_plan):
    assert list(runs.load_plan(c, run.id)) == make_plan(panel)


def test_imported_prompt_outside_the_panel_is_kept_as_asked(c, run, make_plan, panel, at):
    stray = Prompt("stray", "Not in the panel?", "en-US")
    plan = make_plan(panel, prompts=(stray,), access=Access.IMPORT, repeats=1)[:1]
    imported = runs.plan_run(c, run.panel_id, "import:abc", plan, caps=Caps(), config={}, at=at)
    assert imported.public_id == "run:clinical:import:abc"
    assert [one.prompt for one in captures.load_captures(c, imported.id)] == [stray]


def test_runs_are_listed_newest_first_and_by_panel(c, run, make_panel, at):
    other_id = panels.save_panel(c, make_panel(name="other"), saved_at=at)
    other = runs.plan_run(c, other_id, "1", [], caps=Caps(), config={}, at=at)
    assert [one.public_id for one in runs.list_runs(c)] == [other.public_id, run.public_id]
    assert runs.list_runs(c, "clinical") == (run,)
    assert runs.list_runs(c, "nowhere") == ()


def test_run_moves_from_planned_to_running_to_done(c, run, at):
    running = runs.set_run_state(c, run.id, RunState.RUNNING, at=at)
    assert (running.started_at, running.finished_at) == (at, None)
    done = runs.set_run_state(c, run.id, RunState.DONE, at=at + timedelta(hours=1))
    assert (done.started_at, done.finished_at) == (at, at + timedelta(hours=1))


def test_incomplete_run_may_be_resumed_and_keeps_its_start(c, run, at):
    runs.set_run_state(c, run.id, RunState.RUNNING, at=at)
    runs.set_run_state(c, run.id, RunState.INCOMPLETE, at=at)
    resumed = runs.set_run_state(c, run.id, RunState.RUNNING, at=at + timedelta(1))
    assert (resumed.started_at, resumed.finished_at) == (at, None)


@pytest.mark.parametrize("state", [s for s in RunState if s is not RunState.CANCELLED])
def test_cancelled_run_stays_cancelled(c, run, at, state):
    cancelled = runs.set_run_state(c, run.id, RunState.CANCELLED, at=at)
    with pytest.raises(StoreError, match=f"is cancelled and cannot become {state.value}"):
        runs.set_run_state(c, run.id, state, at=at)
    assert runs.set_run_state(c, run.id, RunState.CANCELLED, at=at + timedelta(1)) == cancelled


@pytest.mark.parametrize("state", [RunState.RUNNING, RunState.CANCELLED])
def test_done_run_is_neither_restarted_nor_cancelled(c, run, at, state):
    runs.set_run_state(c, run.id, RunState.DONE, at=at)
    with pytest.raises(StoreError, match="is done and cannot become"):
        runs.set_run_state(c, run.id, state, at=at)


def test_unknown_run_is_none_by_name_and_an_error_by_id(c):
    assert runs.load_run(c, "run:x:y") is None
    with pytest.raises(StoreError, match="no run run:x:y"):
        runs.one_run(c, "run:x:y")
    with pytest.raises(StoreError, match="no run with id 999"):
        runs.load_run_by_id(c, 999)
    with pytest.raises(StoreError, match="no run with id 999"):
        runs.set_run_state(c, 999, RunState.DONE, at=None)
