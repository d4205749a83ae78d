"""Captures: one prompt put to one engine once, and the exchanges it took."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, func, select, update

from monitor.domain.engine import HEARD, Access, Exchange, Outcome, Request
from monitor.domain.locale import LocaleState
from monitor.domain.panel import Prompt
from monitor.domain.score import Coverage
from monitor.errors import StoreError
from monitor.store import notes
from monitor.store.codec import decode, encode
from monitor.store.panels import load_panel_by_id
from monitor.store.parts import COUNTED, WHOLE, Part
from monitor.store.rows import first_time, insert_new, one_row
from monitor.store.runs import load_prompts
from monitor.store.tables import capture, payload, prompt_version, reading, run

Header = tuple[str, str]


class CaptureState(StrEnum):
    """Where a capture stands; the outcome is another matter."""

    PLANNED = "planned"
    ASKED = "asked"
    STORED = "stored"


@dataclass(frozen=True, slots=True)
class Capture:
    """A planned, asked or stored capture."""

    id: int
    run_id: int
    prompt_version_id: int
    prompt: Prompt
    engine: str
    access: Access
    repeat: int
    """The k-th time within its run, from 1."""
    state: CaptureState
    request_key: str
    asked_at: datetime | None
    stored_at: datetime | None
    locale_state: LocaleState | None = None
    """What canaries said of its locale; None where none was asked."""
    canary: bool = False
    """Whether it asks about the locale, and is in no figure."""


@dataclass(frozen=True, slots=True)
class StoredPayload:
    """One exchange of a capture; its bytes lie among the artifacts under `sha256`."""

    capture_id: int
    seq: int
    """Place in the order of the capture's exchanges."""
    attempt: int
    """Which try at this place; the last one counts."""
    sha256: str
    request: Request | None = None
    request_hash: str | None = None
    status: int | None = None
    headers: tuple[Header, ...] = ()
    started_at: datetime | None = None
    duration_ms: int | None = None
    """By a monotonic clock."""
    failure: str | None = None
    """Why no bytes came back, where none did; see `Exchange.failure`."""

    def exchange(self, body: bytes) -> Exchange:
        """The exchange as engines parse it, given its bytes."""
        return Exchange(body, self.status, self.headers, self.request, self.failure)


def load_capture(
    connection: Connection, capture_id: int, *, known: Mapping[int, Prompt] | None = None
) -> Capture:
    """Capture of that id; StoreError when there is none.

    `known` are prompts by the id of their version: a large panel is then not read for each capture.
    """
    query = _captures().where(capture.c.id == capture_id)
    row = one_row(connection, query, f"capture with id {capture_id}")
    prompt = (known or {}).get(row.prompt_version_id)
    if prompt is not None:
        return _capture_of(row, prompt)
    return _with_prompts(connection, [row], row.run_id)[0]


def load_place(connection: Connection, capture_id: int) -> tuple[int, int] | None:
    """Run and prompt version of a capture by their ids; None where no capture has that id."""
    query = select(capture.c.run_id, capture.c.prompt_version_id).where(capture.c.id == capture_id)
    row = connection.execute(query).first()
    return None if row is None else (row.run_id, row.prompt_version_id)


def load_captures(connection: Connection, run_id: int, part: Part = WHOLE) -> tuple[Capture, ...]:
    """All captures of a run or of a part of it, in the order they were planned."""
    rows = connection.execute(_captures().where(part.of_run(run_id))).all()
    return _with_prompts(connection, rows, run_id)


def load_canaries(connection: Connection, run_id: int) -> tuple[Capture, ...]:
    """Captures of a run that ask about the locale, in the order they were planned."""
    rows = connection.execute(_captures().where(capture.c.run_id == run_id, ~COUNTED)).all()
    return _with_prompts(connection, rows, run_id)


def load_open(
    connection: Connection, run_id: int, engine: str | None = None
) -> tuple[Capture, ...]:
    """Captures of a run that are not stored yet, for one engine or for all."""
    query = _captures().where(capture.c.run_id == run_id, capture.c.state != "stored")
    if engine is not None:
        query = query.where(capture.c.engine == engine)
    return _with_prompts(connection, connection.execute(query).all(), run_id)


def count_open(connection: Connection, run_id: int) -> int:
    """How many captures of a run are not stored yet."""
    query = select(func.count()).where(capture.c.run_id == run_id, capture.c.state != "stored")
    return int(connection.execute(query).scalar_one())


def count_planned(connection: Connection, run_id: int) -> int:
    """How many captures a run has."""
    query = select(func.count()).where(capture.c.run_id == run_id)
    return int(connection.execute(query).scalar_one())


def _captures() -> Select[Any]:
    return select(capture).order_by(capture.c.id)


def _with_prompts(
    connection: Connection, rows: Iterable[Row[Any]], run_id: int
) -> tuple[Capture, ...]:
    found = list(rows)
    if not found:
        return ()
    panel_id = one_row(
        connection, select(run.c.panel_version_id).where(run.c.id == run_id), f"run {run_id}"
    ).panel_version_id
    ids = {row.prompt_version_id for row in found}
    prompts = load_prompts(connection, ids, load_panel_by_id(connection, panel_id))
    return tuple(_capture_of(row, prompts[row.prompt_version_id]) for row in found)


def _capture_of(row: Row[Any], prompt: Prompt) -> Capture:
    return Capture(
        id=row.id,
        run_id=row.run_id,
        prompt_version_id=row.prompt_version_id,
        prompt=prompt,
        engine=row.engine,
        access=Access(row.access),
        repeat=row.repeat,
        state=CaptureState(row.state),
        request_key=row.request_key,
        asked_at=row.asked_at,
        stored_at=row.stored_at,
        locale_state=LocaleState(row.locale_state) if row.locale_state else None,
        canary=row.purpose == "canary",
    )


def mark_asked(connection: Connection, *capture_ids: int, at: datetime) -> None:
    """Note that the first call of captures goes out; a stored capture stays stored."""
    connection.execute(_MARK_ASKED, [{"asked": one, "at": at} for one in capture_ids])


_MARK_ASKED = (
    update(capture)
    .where(capture.c.id == bindparam("asked"), capture.c.state != "stored")
    .values(state="asked", asked_at=first_time(capture.c.asked_at, "at"))
)


def set_locale_states(
    connection: Connection, run_id: int, states: Mapping[tuple[str, str], LocaleState]
) -> None:
    """Note what canaries said on the captures of a run: of (engine, locale)."""
    for (engine, locale), state in states.items():
        prompts = select(prompt_version.c.id).where(prompt_version.c.locale == locale)
        connection.execute(
            update(capture)
            .where(
                capture.c.run_id == run_id,
                capture.c.engine == engine,
                capture.c.prompt_version_id.in_(prompts),
            )
            .values(locale_state=state.value)
        )


def save_payload(connection: Connection, stored: StoredPayload) -> None:
    """Store one exchange; again is a no-op, the same place with other bytes is refused."""
    save_payloads(connection, [stored])


def save_payloads(connection: Connection, stored: Sequence[StoredPayload]) -> None:
    """Store exchanges; a place that holds other bytes already is refused."""
    notes.clear(connection, (one.sha256 for one in stored))
    if insert_new(connection, payload, [_payload_row(one) for one in stored]) != len(stored):
        for one in stored:
            _refuse_other_bytes(connection, one)


def _refuse_other_bytes(connection: Connection, stored: StoredPayload) -> None:
    columns = payload.c
    found = connection.execute(
        select(columns.sha256).where(
            columns.capture_id == stored.capture_id,
            columns.seq == stored.seq,
            columns.attempt == stored.attempt,
        )
    ).scalar()
    if found != stored.sha256:
        raise StoreError(
            f"capture {stored.capture_id} exchange {stored.seq} attempt {stored.attempt} is stored "
            f"with bytes {found}, refused {stored.sha256}: payloads never change; "
            "store a new attempt"
        )


def _payload_row(stored: StoredPayload) -> dict[str, Any]:
    return {
        "capture_id": stored.capture_id,
        "seq": stored.seq,
        "attempt": stored.attempt,
        "request_hash": stored.request_hash,
        "request": encode(Request, stored.request) if stored.request else None,
        "status": stored.status,
        "headers": [list(header) for header in stored.headers],
        "sha256": stored.sha256,
        "started_at": stored.started_at,
        "duration_ms": stored.duration_ms,
        "failure": stored.failure,
    }


def load_payloads(connection: Connection, capture_id: int) -> tuple[StoredPayload, ...]:
    """Exchanges of a capture, in order of place and attempt."""
    query = _payloads().where(payload.c.capture_id == capture_id)
    return tuple(_payload_of(row) for row in connection.execute(query))


def load_run_payloads(connection: Connection, run_id: int) -> dict[int, tuple[StoredPayload, ...]]:
    """Exchanges by capture id for a whole run, in one query."""
    query = _payloads().join_from(payload, capture).where(capture.c.run_id == run_id)
    found: dict[int, list[StoredPayload]] = {}
    for row in connection.execute(query):
        found.setdefault(row.capture_id, []).append(_payload_of(row))
    return {capture_id: tuple(stored) for capture_id, stored in found.items()}


def load_payloads_of(
    connection: Connection, capture_ids: Sequence[int]
) -> dict[int, tuple[StoredPayload, ...]]:
    """Exchanges of some captures by capture id, in order of place and attempt."""
    found: dict[int, list[StoredPayload]] = {}
    for row in connection.execute(_payloads().where(payload.c.capture_id.in_(capture_ids))):
        found.setdefault(row.capture_id, []).append(_payload_of(row))
    return {capture_id: tuple(stored) for capture_id, stored in found.items()}


def _payloads() -> Select[Any]:
    columns = payload.c
    return select(payload).order_by(columns.capture_id, columns.seq, columns.attempt)


def _payload_of(row: Row[Any]) -> StoredPayload:
    return StoredPayload(
        capture_id=row.capture_id,
        seq=row.seq,
        attempt=row.attempt,
        sha256=row.sha256,
        request=decode(Request, row.request) if row.request else None,
        request_hash=row.request_hash,
        status=row.status,
        headers=tuple((name, value) for name, value in row.headers),
        started_at=row.started_at,
        duration_ms=row.duration_ms,
        failure=row.failure,
    )


def coverage(connection: Connection, run_id: int) -> dict[str, Coverage]:
    """Captures of a run by engine: planned, attempted, heard, answered, and every outcome."""
    query = (
        select(
            capture.c.engine,
            capture.c.state,
            capture.c.locale_state,
            reading.c.outcome,
            reading.c.reason,
            func.count().label("captures"),
        )
        .join_from(capture, reading, capture.c.reading_id == reading.c.id, isouter=True)
        .where(WHOLE.of_run(run_id))
        .group_by(
            capture.c.engine,
            capture.c.state,
            capture.c.locale_state,
            reading.c.outcome,
            reading.c.reason,
        )
    )
    rows: dict[str, list[Row[Any]]] = {}
    for row in connection.execute(query):
        rows.setdefault(row.engine, []).append(row)
    return {engine: _coverage_of(found) for engine, found in sorted(rows.items())}


ELSEWHERE = "locale/contradicted"
"""Name, among the outcomes, of what was heard in another locale than the one asked for."""


def _is_elsewhere(row: Row[Any]) -> bool:
    """Whether captures were heard, but in another locale."""
    heard = {outcome.value for outcome in HEARD}
    return row.outcome in heard and row.locale_state == LocaleState.CONTRADICTED.value


def _coverage_of(rows: list[Row[Any]]) -> Coverage:
    outcomes: dict[str, int] = {}
    for row in rows:
        if row.outcome is not None:
            name = f"{row.outcome}/{row.reason}" if row.reason else row.outcome
            name = ELSEWHERE if _is_elsewhere(row) else name
            outcomes[name] = outcomes.get(name, 0) + row.captures
    heard = {outcome.value for outcome in HEARD}
    own = [row for row in rows if not _is_elsewhere(row)]
    return Coverage(
        planned=sum(row.captures for row in rows),
        attempted=sum(row.captures for row in rows if row.state != "planned"),
        heard=sum(row.captures for row in own if row.outcome in heard),
        answered=sum(row.captures for row in own if row.outcome == Outcome.ANSWERED.value),
        outcomes=dict(sorted(outcomes.items())),
    )
