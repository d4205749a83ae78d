"""Runs: a panel put to its engines in one slot, planned in full before the first call."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection, Row, Select, select, update

from monitor.domain.engine import Access
from monitor.domain.job import Stage
from monitor.domain.panel import Panel, Prompt
from monitor.errors import StoreError
from monitor.store.panels import key_of, load_panel_by_id, save_prompts
from monitor.store.planned import PlannedEngine as PlannedEngine  # noqa: PLC0414 - `runs.PlannedEngine`
from monitor.store.planned import plan_document, planned_captures, planned_of
from monitor.store.rows import chunks, insert_new, one_row
from monitor.store.tables import capture, panel_version, prompt_version, run


class RunState(StrEnum):
    """Where a run stands."""

    PLANNED = "planned"
    RUNNING = "running"
    DONE = "done"
    INCOMPLETE = "incomplete"
    CANCELLED = "cancelled"
    FAILED = "failed"


FINAL = frozenset({RunState.DONE, RunState.INCOMPLETE, RunState.CANCELLED, RunState.FAILED})
"""States in which nothing is at work."""
TELLING = frozenset({RunState.DONE, RunState.INCOMPLETE})
"""States in which a run says something about its engines."""

_BARRED: Mapping[RunState, frozenset[RunState]] = {
    RunState.RUNNING: frozenset({RunState.DONE}),
    RunState.CANCELLED: frozenset({RunState.DONE}),
}
"""States that do not lead to the key; none leaves `cancelled`."""


def _sources(state: RunState) -> list[str]:
    # A worker that missed the cancellation must not bring the run back.
    barred = {state, RunState.CANCELLED} | _BARRED.get(state, frozenset())
    return [one.value for one in RunState if one not in barred]


@dataclass(frozen=True, slots=True)
class Caps:
    """Most calls and most money of a run, in millionths of a USD; None is no cap."""

    calls: int | None = None
    micros: int | None = None


IMPORTS = "import:"
"""How slots of imports begin, and no other slot."""
PARTIAL = "partial"
"""Key in a run's configuration, beside its settings: whether it asks a part of its panel only."""


@dataclass(frozen=True, slots=True)
class Run:
    """A run as it stands in the store."""

    id: int
    public_id: str
    panel_id: int
    panel: str
    panel_version: int
    slot: str
    state: RunState
    caps: Caps
    config: Mapping[str, Any]
    """Settings as they were when the run was planned."""
    spent_micros: int
    """Settled money and estimates of open calls, in millionths of a USD."""
    stage: Stage | None
    """How far workers are with it; None where one process does it all, or nobody began."""
    held: str | None
    """Why no further call is made, where that is so."""
    judge: str | None
    """Judge to score it with; None is that of the settings."""
    created_at: datetime
    started_at: datetime | None
    finished_at: datetime | None
    judge_version: str | None = None
    """Name and version that this judge began with; None where nobody noted it."""
    splitter_version: str | None = None
    """Name and version of the model that splits statements into claims; None where rules do."""
    judge_calls: int = 0
    """Calls of a judge that is paid."""
    judge_micros: int = 0
    """What of the money spent went to it."""

    @property
    def partial(self) -> bool:
        """Whether engines or prompts were left out on purpose: a trial, and no baseline."""
        return bool(self.config.get(PARTIAL))

    @property
    def imported(self) -> bool:
        """Whether people handed its answers in; no run of another kind is held against it."""
        return self.slot.startswith(IMPORTS)

    @property
    def fictional(self) -> bool:
        """Whether its engines were the sandbox's stand-ins."""
        sandbox = self.config.get("sandbox")
        return isinstance(sandbox, Mapping) and bool(sandbox.get("hosts"))


def public_id(panel: str, slot: str) -> str:
    """Name of a run in URLs and commands: `run:{panel}:{slot}`."""
    return f"run:{panel}:{slot}"


def plan_run(
    connection: Connection,
    panel_id: int,
    slot: str,
    plan: Sequence[PlannedEngine],
    *,
    caps: Caps,
    config: Mapping[str, Any],
    at: datetime,
) -> Run:
    """The run of a slot with its planned captures; one that exists is returned unchanged."""
    panel = load_panel_by_id(connection, panel_id)
    name = public_id(panel.name, slot)
    if found := load_run(connection, name):
        return found
    ids = save_prompts(connection, (p for part in plan for p in (*part.prompts, *part.canaries)))
    row = {
        "public_id": name,
        "panel_version_id": panel_id,
        "slot": slot,
        "state": RunState.PLANNED.value,
        "plan": [plan_document(part, ids) for part in plan],
        "config": dict(config),
        "cap_calls": caps.calls,
        "cap_micros": caps.micros,
        "spent_calls": 0,
        "spent_micros": 0,
        "created_at": at,
    }
    insert_new(connection, run, [row])
    planned = one_run(connection, name)
    insert_new(connection, capture, list(planned_captures(planned.id, plan, ids)))
    return planned


def load_run(connection: Connection, name: str) -> Run | None:
    """Run of a public id, or None."""
    row = connection.execute(_runs().where(run.c.public_id == name)).first()
    return None if row is None else _run_of(row)


def one_run(connection: Connection, name: str) -> Run:
    """Run of a public id; StoreError when there is none."""
    return _run_of(one_row(connection, _runs().where(run.c.public_id == name), f"run {name}"))


def load_run_by_id(connection: Connection, run_id: int) -> Run:
    """Run of a row id; StoreError when there is none."""
    return _run_of(one_row(connection, _runs().where(run.c.id == run_id), f"run with id {run_id}"))


def load_runs_by_id(connection: Connection, ids: Iterable[int]) -> tuple[Run, ...]:
    """Runs of row ids, in the order of these; those of no run are left out."""
    wanted = tuple(ids)
    found: dict[int, Run] = {}
    for part in chunks(wanted):
        for row in connection.execute(_runs().where(run.c.id.in_(part))):
            found[row.id] = _run_of(row)
    return tuple(found[one] for one in wanted if one in found)


def list_runs(
    connection: Connection,
    panel: str | None = None,
    *,
    slot: str | None = None,
    states: Iterable[RunState] | None = None,
    before: int | None = None,
    limit: int | None = None,
    imports: bool = True,
) -> tuple[Run, ...]:
    """Runs newest first: of all panels or of one, of a slot, in some states, before a row id.

    Without `imports`, only those that asked engines.
    """
    query = _runs().order_by(run.c.id.desc()).limit(limit)
    if panel is not None:
        query = query.where(panel_version.c.name == panel)
    if slot is not None:
        query = query.where(run.c.slot == slot)
    if states is not None:
        query = query.where(run.c.state.in_([one.value for one in states]))
    if before is not None:
        query = query.where(run.c.id < before)
    if not imports:
        query = query.where(~run.c.slot.startswith(IMPORTS, autoescape=True))
    return tuple(_run_of(row) for row in connection.execute(query))


def runs_before(
    connection: Connection,
    one: Run,
    *,
    states: Iterable[RunState] = TELLING,
    limit: int | None = None,
) -> tuple[Run, ...]:
    """Runs of a run's panel that were planned before it, newest first; of a whole one, whole ones.

    A trial asks a part of the panel on purpose, so that it is no baseline of anything but a trial.
    What people handed in has no place in that order: nothing is before it, nor is it before others.
    """
    if one.imported:
        return ()
    found = list_runs(
        connection, one.panel, states=states, before=one.id, limit=_LOOKED_AT, imports=False
    )
    return tuple(run for run in found if one.partial or not run.partial)[:limit]


_LOOKED_AT = 60
"""Runs among which whole ones are looked for."""


def load_plan(connection: Connection, run_id: int) -> tuple[PlannedEngine, ...]:
    """What the run was planned to ask, engine by engine."""
    query = select(run.c.plan).where(run.c.id == run_id)
    row = one_row(connection, query, f"run with id {run_id}")
    prompts = load_run_prompts(connection, run_id)
    return tuple(planned_of(part, prompts) for part in row.plan)


def load_engines(connection: Connection, run_id: int) -> dict[str, Access]:
    """Engines that a run was planned to ask, and how it reached each."""
    query = select(run.c.plan).where(run.c.id == run_id)
    plan = one_row(connection, query, f"run with id {run_id}").plan
    return {part["engine"]: Access(part["access"]) for part in plan}


def load_run_prompts(connection: Connection, run_id: int) -> dict[int, Prompt]:
    """Every prompt of a run by the id of its version."""
    query = select(run.c.plan, run.c.panel_version_id).where(run.c.id == run_id)
    row = one_row(connection, query, f"run with id {run_id}")
    ids = {i for part in row.plan for i in (*part["prompts"], *part.get("canaries", ()))}
    return load_prompts(connection, ids, load_panel_by_id(connection, row.panel_version_id))


def load_prompts(connection: Connection, ids: set[int], panel: Panel) -> dict[int, Prompt]:
    """Prompts by prompt version id, with the segments the panel gives them."""
    known = {key_of(prompt): prompt for prompt in panel.prompts}
    found: dict[int, Prompt] = {}
    for part in chunks(sorted(ids)):
        query = select(prompt_version).where(prompt_version.c.id.in_(part))
        for row in connection.execute(query):
            bare = Prompt(row.prompt_id, row.text, row.locale, persona=row.persona)
            found[row.id] = known.get((row.prompt_id, row.version_key), bare)
    return found


def set_run_state(connection: Connection, run_id: int, state: RunState, *, at: datetime) -> Run:
    """Move a run to a state; a cancelled run stays cancelled and a done one is not restarted."""
    change: dict[str, Any] = {"state": state.value}
    change["finished_at"] = at if state in FINAL else None
    moved = connection.execute(
        update(run).where(run.c.id == run_id, run.c.state.in_(_sources(state))).values(**change)
    )
    found = load_run_by_id(connection, run_id)
    if not moved.rowcount and found.state is not state:
        raise StoreError(
            f"{found.public_id} is {found.state.value} and cannot become {state.value}: "
            "plan a new run with `monitor run`"
        )
    if state is RunState.RUNNING and found.started_at is None:
        connection.execute(update(run).where(run.c.id == run_id).values(started_at=at))
    return load_run_by_id(connection, run_id)


def set_caps(connection: Connection, run_id: int, caps: Caps) -> Run:
    """Give a run other caps; what it spent so far counts against them."""
    connection.execute(
        update(run).where(run.c.id == run_id).values(cap_calls=caps.calls, cap_micros=caps.micros)
    )
    return load_run_by_id(connection, run_id)


def load_caps(connection: Connection, run_id: int) -> Caps:
    """Caps of a run as they are now."""
    query = select(run.c.cap_calls, run.c.cap_micros).where(run.c.id == run_id)
    row = one_row(connection, query, f"run with id {run_id}")
    return Caps(row.cap_calls, row.cap_micros)


def set_judge(
    connection: Connection, run_id: int, judge: str, version: str, *, splitter: str | None = None
) -> None:
    """Name the judge that a run is scored with and its version, and who splits claims."""
    change = {"judge": judge, "judge_version": version, "splitter_version": splitter}
    connection.execute(update(run).where(run.c.id == run_id).values(**change))


def move_stage(
    connection: Connection, run_id: int, stage: Stage | None, *, left: Stage | None
) -> bool:
    """Move a run from one stage to another; False where it is not in that one any more."""
    moved = connection.execute(
        update(run)
        .where(run.c.id == run_id, run.c.stage.is_not_distinct_from(left))
        .values(stage=stage)
    )
    return moved.rowcount == 1


def hold_run(connection: Connection, run_id: int, reason: str | None) -> None:
    """Note why no further call of a run is made; None lets calls go on."""
    connection.execute(update(run).where(run.c.id == run_id).values(held=reason))


def open_runs(connection: Connection) -> tuple[Run, ...]:
    """Runs that are planned or worked on, oldest first."""
    states = (RunState.PLANNED.value, RunState.RUNNING.value)
    query = _runs().where(run.c.state.in_(states)).order_by(run.c.id)
    return tuple(_run_of(row) for row in connection.execute(query))


def _runs() -> Select[Any]:
    columns = [column for column in run.c if column.name != "plan"]
    return select(*columns, panel_version.c.name, panel_version.c.version).join_from(
        run, panel_version, run.c.panel_version_id == panel_version.c.id
    )


def _run_of(row: Row[Any]) -> Run:
    return Run(
        id=row.id,
        public_id=row.public_id,
        panel_id=row.panel_version_id,
        panel=row.name,
        panel_version=row.version,
        slot=row.slot,
        state=RunState(row.state),
        caps=Caps(row.cap_calls, row.cap_micros),
        config=MappingProxyType(row.config),
        spent_micros=row.spent_micros,
        stage=None if row.stage is None else Stage(row.stage),
        held=row.held,
        judge=row.judge,
        created_at=row.created_at,
        started_at=row.started_at,
        finished_at=row.finished_at,
        judge_version=row.judge_version,
        splitter_version=row.splitter_version,
        judge_calls=row.judge_calls,
        judge_micros=row.judge_micros,
    )
