"""A slot of a panel -> its run: one at a time for each panel, the same slot the same run."""

from collections.abc import Callable
from dataclasses import dataclass

from monitor.config.settings import Settings
from monitor.errors import StoreError
from monitor.pipeline.bench import Bench
from monitor.pipeline.checking import PanelFiles, panel_named
from monitor.pipeline.judge_choice import chosen_judge
from monitor.pipeline.line import run_start
from monitor.pipeline.planning import Plan, make_plan, run_caps
from monitor.pipeline.reaching import require_sandbox
from monitor.store import Connection, runs, schedules

RunStart = Callable[[Connection], runs.Run]
"""A change of the store that plans a run, or finds the one that its slot has."""


class OverlapError(StoreError):
    """Another run of the same panel has not ended."""


@dataclass(frozen=True, slots=True)
class Intended:
    """What a run of a panel would ask, before anything is stored."""

    files: PanelFiles
    plan: Plan
    caps: runs.Caps


def intended(panel: str, settings: Settings) -> Intended:
    """A whole run of a panel under the caps of the settings; a MonitorError says what is wrong."""
    files = panel_named(panel, settings)
    assert files.panel is not None
    plan = make_plan(files.panel, settings)
    chosen_judge(settings)  # one that cannot be had fails before anything is stored
    require_sandbox(settings)
    return Intended(files, plan, run_caps(settings))


def start_slot(bench: Bench, wanted: Intended, slot: str) -> runs.Run:
    """The run of a slot, planned; OverlapError while another run of the panel is under way."""
    start = slot_start(bench, wanted, slot)
    # Its own transaction, as it waits for other plans: nothing else is to wait with it.
    with bench.database.write() as connection:
        return start(connection)


def slot_start(bench: Bench, wanted: Intended, slot: str) -> RunStart:
    """The change of the store that `start_slot` makes, for a transaction that does more."""
    start = run_start(bench, wanted.files, wanted.plan, slot=slot, caps=wanted.caps)

    def save(connection: Connection) -> runs.Run:
        schedules.plan_alone(connection)
        started = start(connection)
        refuse_overlap(connection, started)
        return started

    return save


def refuse_overlap(connection: Connection, started: runs.Run) -> None:
    """OverlapError when a run of the same panel is planned or running besides this one.

    A run that has begun is none too many: whoever asks for its slot again goes on with it.
    """
    if started.state is not runs.RunState.PLANNED:
        return
    others = [o for o in schedules.under_way(connection, started.panel) if o.id != started.id]
    if others:
        other = others[0]
        raise OverlapError(
            f"panel {started.panel} has a run under way, {other.public_id} ({other.state.value}), "
            f"so {started.slot} is not started: wait for its end, go on with it by `monitor resume "
            f"{other.public_id}`, or give it up by `monitor cancel {other.public_id}`"
        )
