"""Which bytes a run rests on: what the manifest of a run lists, and what retention removes."""

from dataclasses import dataclass
from enum import StrEnum

from sqlalchemy import Connection, select

from monitor.store.pages import load_fetches
from monitor.store.tables import capture, payload, screenshot, snapshot


class EvidenceKind(StrEnum):
    """What some stored bytes are."""

    PAYLOAD = "payload"
    SCREENSHOT = "screenshot"
    PAGE = "page"
    TEXT = "text"
    SNAPSHOT = "snapshot"
    MANIFEST = "manifest"
    SIGNATURE = "signature"
    STAMP = "token"
    """The token of a time stamp service."""


@dataclass(frozen=True, slots=True)
class StoredBytes:
    """One piece of stored bytes behind a run."""

    sha256: str
    kind: EvidenceKind
    name: str
    """Pointer-like name within the run: `capture/ID/SEQ/ATTEMPT`, or a page key."""
    capture_id: int | None = None
    """None for pages, which several captures share."""


def load_run_evidence(connection: Connection, run_id: int) -> tuple[StoredBytes, ...]:
    """All bytes behind a run: payloads, screenshots, snapshots, page bodies and texts, in order.

    What proves its captures is left out: it may be added later, and this list stays the same.
    """
    return (
        *_payloads(connection, run_id),
        *_screenshots(connection, run_id),
        *_snapshots(connection, run_id),
        *_pages(connection, run_id),
    )


def _payloads(connection: Connection, run_id: int) -> list[StoredBytes]:
    columns = payload.c
    query = select(payload).join_from(payload, capture).where(capture.c.run_id == run_id)
    rows = connection.execute(query.order_by(columns.capture_id, columns.seq, columns.attempt))
    return [
        StoredBytes(
            row.sha256,
            EvidenceKind.PAYLOAD,
            f"capture/{row.capture_id}/{row.seq}/{row.attempt}",
            row.capture_id,
        )
        for row in rows
    ]


def _screenshots(connection: Connection, run_id: int) -> list[StoredBytes]:
    columns = screenshot.c
    query = select(screenshot).join_from(screenshot, capture).where(capture.c.run_id == run_id)
    rows = connection.execute(query.order_by(columns.capture_id, columns.id))
    return [
        StoredBytes(
            row.sha256,
            EvidenceKind.SCREENSHOT,
            f"capture/{row.capture_id}/{row.kind}",
            row.capture_id,
        )
        for row in rows
    ]


def _snapshots(connection: Connection, run_id: int) -> list[StoredBytes]:
    columns = snapshot.c
    query = select(snapshot).join_from(snapshot, capture).where(capture.c.run_id == run_id)
    rows = connection.execute(query.order_by(columns.capture_id, columns.id))
    return [
        StoredBytes(
            row.sha256,
            EvidenceKind.SNAPSHOT,
            f"capture/{row.capture_id}/{row.kind}",
            row.capture_id,
        )
        for row in rows
    ]


def _pages(connection: Connection, run_id: int) -> list[StoredBytes]:
    found: list[StoredBytes] = []
    for page_key, fetch in sorted(load_fetches(connection, run_id).items()):
        if fetch.body_sha256:
            found.append(StoredBytes(fetch.body_sha256, EvidenceKind.PAGE, page_key))
        if fetch.text_sha256:
            found.append(StoredBytes(fetch.text_sha256, EvidenceKind.TEXT, page_key))
    return found
