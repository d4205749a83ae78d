"""Proofs of captures: which manifest was made, who signed it, who stamped its time."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, select, update

from monitor.domain.panel import Prompt
from monitor.domain.screenshot import Screenshot, ScreenshotKind, Snapshot
from monitor.store import captures, notes, screenshots
from monitor.store.imported import StoredImport, load_capture_imports
from monitor.store.rows import chunks, insert_new
from monitor.store.tables import capture, prompt_version, proof, reading


@dataclass(frozen=True, slots=True)
class Proof:
    """What proves a capture; all of it lies among the artifacts."""

    capture_id: int
    manifest_sha256: str
    made_at: datetime
    signature_sha256: str | None = None
    key_id: str | None = None
    """Fingerprint of the public key."""
    token_sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What the store knows of a capture that a manifest tells."""

    id: int
    run_id: int
    prompt: Prompt
    engine: str
    access: str
    repeat: int
    canary: bool
    locale_state: str | None
    asked_at: datetime | None
    stored_at: datetime | None
    outcome: str
    reason: str | None
    parse_version: str
    requested_model: str | None
    served_model: str | None
    payloads: tuple[captures.StoredPayload, ...]
    screenshots: tuple[Screenshot, ...]
    """Cards are left out: they are renderings, made when somebody asks for one."""
    snapshots: tuple[Snapshot, ...]
    imported: StoredImport | None


def save_proofs(connection: Connection, proofs: Sequence[Proof]) -> None:
    """Store proofs; a capture that has one keeps it."""
    hashes = [h for p in proofs for h in (p.manifest_sha256, p.signature_sha256, p.token_sha256)]
    notes.clear(connection, hashes)
    insert_new(
        connection,
        proof,
        [
            {
                "capture_id": one.capture_id,
                "manifest_sha256": one.manifest_sha256,
                "signature_sha256": one.signature_sha256,
                "key_id": one.key_id,
                "token_sha256": one.token_sha256,
                "made_at": one.made_at,
            }
            for one in proofs
        ],
    )


def add_signature(connection: Connection, capture_id: int, sha256: str, key_id: str) -> None:
    """Note the signature of a manifest that had none."""
    notes.clear(connection, [sha256])
    connection.execute(
        _open("signature_sha256"), {"one": capture_id, "value": sha256, "key": key_id}
    )


def add_token(connection: Connection, capture_id: int, sha256: str) -> None:
    """Note the time stamp of a manifest that had none."""
    notes.clear(connection, [sha256])
    connection.execute(_open("token_sha256"), {"one": capture_id, "value": sha256})


def _open(name: str) -> Any:
    """A change of one column of a proof, where nothing stands there yet."""
    change: dict[str, Any] = {name: bindparam("value")}
    if name == "signature_sha256":
        change["key_id"] = bindparam("key")
    column = proof.c[name]
    return (
        update(proof).where(proof.c.capture_id == bindparam("one"), column.is_(None)).values(change)
    )


def load_proof(connection: Connection, capture_id: int) -> Proof | None:
    """Proof of a capture, or None where none was made."""
    row = connection.execute(select(proof).where(proof.c.capture_id == capture_id)).first()
    return None if row is None else _of(row)


def load_run_proofs(connection: Connection, run_id: int) -> dict[int, Proof]:
    """Proofs of a run by capture id."""
    query = select(proof).join_from(proof, capture).where(capture.c.run_id == run_id)
    rows = connection.execute(query.order_by(proof.c.capture_id))
    return {row.capture_id: _of(row) for row in rows}


def load_unproved(connection: Connection, run_id: int) -> tuple[int, ...]:
    """Ids of the stored captures of a run without a manifest, in planned order."""
    query = (
        select(capture.c.id)
        .join_from(capture, proof, proof.c.capture_id == capture.c.id, isouter=True)
        .where(
            capture.c.run_id == run_id, capture.c.state == "stored", proof.c.capture_id.is_(None)
        )
        .order_by(capture.c.id)
    )
    return tuple(connection.execute(query).scalars())


def load_facts(connection: Connection, capture_ids: Iterable[int]) -> tuple[Facts, ...]:
    """What manifests of stored captures tell, in some queries for all of them, by id."""
    found: list[Facts] = []
    for part in chunks(sorted(set(capture_ids))):
        rows = connection.execute(_facts().where(capture.c.id.in_(part))).all()
        sent = captures.load_payloads_of(connection, part)
        shots = screenshots.load_screenshots_of(connection, part)
        kept = screenshots.load_snapshots_of(connection, part)
        handed = load_capture_imports(connection, [r.id for r in rows if r.access == "import"])
        found += [
            _facts_of(
                row,
                sent.get(row.id, ()),
                (shots.get(row.id, ()), kept.get(row.id, ())),
                handed.get(row.id),
            )
            for row in rows
        ]
    return tuple(found)


def _facts() -> Select[Any]:
    said, asked = reading.c, prompt_version.c
    return (
        select(
            capture, said.outcome, said.reason, said.parse_version, said.requested_model,
            said.served_model, asked.prompt_id, asked.text, asked.locale, asked.persona,
        )
        .join_from(capture, reading, capture.c.reading_id == said.id)
        .join(prompt_version, capture.c.prompt_version_id == asked.id)
        .where(capture.c.state == "stored")
        .order_by(capture.c.id)
    )  # fmt: skip


def _facts_of(
    row: Row[Any],
    payloads: tuple[captures.StoredPayload, ...],
    seen: tuple[tuple[Screenshot, ...], tuple[Snapshot, ...]],
    imported: StoredImport | None,
) -> Facts:
    return Facts(
        id=row.id,
        run_id=row.run_id,
        prompt=Prompt(row.prompt_id, row.text, row.locale, row.persona),
        engine=row.engine,
        access=row.access,
        repeat=row.repeat,
        canary=row.purpose == "canary",
        locale_state=row.locale_state,
        asked_at=row.asked_at,
        stored_at=row.stored_at,
        outcome=row.outcome,
        reason=row.reason,
        parse_version=row.parse_version,
        requested_model=row.requested_model,
        served_model=row.served_model,
        payloads=payloads,
        screenshots=tuple(one for one in seen[0] if one.kind is not ScreenshotKind.CARD),
        snapshots=seen[1],
        imported=imported,
    )


def _of(row: Row[Any]) -> Proof:
    return Proof(
        capture_id=row.capture_id,
        manifest_sha256=row.manifest_sha256,
        made_at=row.made_at,
        signature_sha256=row.signature_sha256,
        key_id=row.key_id,
        token_sha256=row.token_sha256,
    )
