"""Screenshots of captures: what a reader would have seen, immutable."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, select

from monitor.domain.screenshot import Screenshot, ScreenshotKind, Snapshot, SnapshotKind
from monitor.store import notes
from monitor.store.rows import insert_new
from monitor.store.tables import capture, screenshot, snapshot


def save_screenshot(connection: Connection, capture_id: int, shot: Screenshot) -> None:
    """Store a picture's row; the same picture again is a no-op."""
    row = {
        "capture_id": capture_id,
        "kind": shot.kind.value,
        "sha256": shot.sha256,
        "url": shot.url,
        "taken_at": shot.taken_at,
        "browser": shot.browser,
        "viewport_width": shot.viewport[0],
        "viewport_height": shot.viewport[1],
        "width": shot.size[0],
        "height": shot.size[1],
        "locale": shot.locale,
        "position": shot.position,
        "name": shot.name,
        "masked": shot.masked,
        "altered": shot.altered,
    }
    notes.clear(connection, [shot.sha256])
    insert_new(connection, screenshot, [row])


def save_snapshot(connection: Connection, capture_id: int, one: Snapshot) -> None:
    """Store the row of what is kept beside pictures; the same bytes again are a no-op."""
    row = {
        "capture_id": capture_id,
        "kind": one.kind.value,
        "name": one.name,
        "sha256": one.sha256,
        "taken_at": one.taken_at,
    }
    notes.clear(connection, [one.sha256])
    insert_new(connection, snapshot, [row])


def load_snapshots(connection: Connection, capture_id: int) -> tuple[Snapshot, ...]:
    """What is kept beside the pictures of a capture, oldest first."""
    query = select(snapshot).where(snapshot.c.capture_id == capture_id).order_by(snapshot.c.id)
    return tuple(map(_snapshot_of, connection.execute(query)))


def load_screenshots(connection: Connection, capture_id: int) -> tuple[Screenshot, ...]:
    """Pictures of a capture, oldest first."""
    query = select(screenshot).where(screenshot.c.capture_id == capture_id)
    return tuple(_of(row) for row in connection.execute(query.order_by(screenshot.c.id)))


def load_run_screenshots(connection: Connection, run_id: int) -> dict[int, tuple[Screenshot, ...]]:
    """Pictures of a whole run by capture id, oldest first, in one query."""
    query = select(screenshot).join_from(screenshot, capture).where(capture.c.run_id == run_id)
    found: dict[int, list[Screenshot]] = {}
    for row in connection.execute(query.order_by(screenshot.c.capture_id, screenshot.c.id)):
        found.setdefault(row.capture_id, []).append(_of(row))
    return {capture_id: tuple(shots) for capture_id, shots in found.items()}


def load_screenshots_of(
    connection: Connection, capture_ids: Sequence[int]
) -> dict[int, tuple[Screenshot, ...]]:
    """Pictures of some captures by capture id, oldest first."""
    query = select(screenshot).where(screenshot.c.capture_id.in_(capture_ids))
    found: dict[int, list[Screenshot]] = {}
    for row in connection.execute(query.order_by(screenshot.c.id)):
        found.setdefault(row.capture_id, []).append(_of(row))
    return {capture_id: tuple(shots) for capture_id, shots in found.items()}


def load_snapshots_of(
    connection: Connection, capture_ids: Sequence[int]
) -> dict[int, tuple[Snapshot, ...]]:
    """What is kept beside the pictures of some captures, by capture id, oldest first."""
    query = select(snapshot).where(snapshot.c.capture_id.in_(capture_ids))
    found: dict[int, list[Snapshot]] = {}
    for row in connection.execute(query.order_by(snapshot.c.id)):
        found.setdefault(row.capture_id, []).append(_snapshot_of(row))
    return {capture_id: tuple(kept) for capture_id, kept in found.items()}


def _snapshot_of(row: Row[Any]) -> Snapshot:
    return Snapshot(SnapshotKind(row.kind), row.sha256, row.taken_at, row.name)


def _of(row: Row[Any]) -> Screenshot:
    return Screenshot(
        kind=ScreenshotKind(row.kind),
        sha256=row.sha256,
        url=row.url,
        taken_at=row.taken_at,
        browser=row.browser,
        viewport=(row.viewport_width, row.viewport_height),
        size=(row.width, row.height),
        locale=row.locale,
        position=row.position,
        name=row.name,
        masked=row.masked,
        altered=row.altered,
    )
