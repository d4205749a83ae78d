"""Runs of what people handed in: planned, captured and read in one transaction."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from monitor.domain.engine import Access, EngineSettings
from monitor.domain.panel import Prompt
from monitor.store.codec import encode
from monitor.store.panels import PromptKey, key_of, load_panel_by_id, save_prompts
from monitor.store.rows import insert_numbered, insert_one
from monitor.store.runs import IMPORTS, PARTIAL, Run, RunState, load_run_by_id, public_id
from monitor.store.tables import capture, imported, prompt_version, run


@dataclass(frozen=True, slots=True)
class ImportedAnswer:
    """One answer of a file, as it is noted beside its capture."""

    engine: str
    prompt: Prompt
    repeat: int
    """The k-th answer to the prompt by that engine in this import, from 1."""
    request_key: str
    captured_at: datetime
    """Which of the times below counts: declared, else inside, else of the file."""
    file_name: str
    """Without its folder."""
    file_sha256: str
    """Of the file as it was handed in; its bytes are not kept."""
    file_bytes: int
    member: str | None
    """The part of the file that was read."""
    kept_sha256: str
    """Of what was kept of it."""
    form: str
    turn: int
    """Number of the answer in the document, from 0."""
    declared_at: datetime | None
    inside_at: datetime | None
    file_at: datetime | None
    importer: str
    completeness: Mapping[str, Any]
    dropped: Mapping[str, int]

    @property
    def key(self) -> list[str | int]:
        """What makes it this answer, whenever it is handed in."""
        return [self.engine, *key_of(self.prompt), self.kept_sha256, self.turn]


@dataclass(frozen=True, slots=True)
class StoredImport:
    """What is noted of a capture that was handed in."""

    capture_id: int
    file_name: str
    file_sha256: str
    file_bytes: int
    member: str | None
    kept_sha256: str
    form: str
    turn: int
    declared_at: datetime | None
    inside_at: datetime | None
    file_at: datetime | None
    importer: str
    completeness: Mapping[str, Any]
    dropped: Mapping[str, int]


def save_import_run(
    connection: Connection,
    panel_id: int,
    slot: str,
    answers: Sequence[ImportedAnswer],
    *,
    config: Mapping[str, Any],
    at: datetime,
) -> tuple[Run, tuple[int, ...]]:
    """A run with one asked capture for each answer, and the ids of those, in their order.

    It is a trial: no baseline of anything. The slot must be free.
    """
    panel = load_panel_by_id(connection, panel_id)
    ids = save_prompts(connection, (one.prompt for one in answers))
    row = {
        "public_id": public_id(panel.name, f"{IMPORTS}{slot}"),
        "panel_version_id": panel_id,
        "slot": f"{IMPORTS}{slot}",
        "state": RunState.PLANNED.value,
        "plan": _plan(answers, ids),
        "config": {**config, PARTIAL: True},
        "cap_calls": None,
        "cap_micros": None,
        "spent_calls": 0,
        "spent_micros": 0,
        "created_at": at,
    }
    run_id = insert_one(connection, run, row)
    captured = insert_numbered(connection, capture, [_capture(run_id, a, ids) for a in answers])
    rows = [_noted(i, one, at) for i, one in zip(captured, answers, strict=True)]
    connection.execute(insert(imported), rows)
    return load_run_by_id(connection, run_id), captured


def _plan(answers: Sequence[ImportedAnswer], ids: Mapping[PromptKey, int]) -> list[dict[str, Any]]:
    """One engine each, with the prompts that were answered."""
    found: dict[str, list[ImportedAnswer]] = {}
    for one in answers:
        found.setdefault(one.engine, []).append(one)
    return [
        {
            "engine": engine,
            "access": Access.IMPORT.value,
            "settings": encode(EngineSettings, EngineSettings()),
            "request_key": several[0].request_key,
            "prompts": list(dict.fromkeys(ids[key_of(one.prompt)] for one in several)),
            "repeats": max(one.repeat for one in several),
            "canaries": [],
        }
        for engine, several in sorted(found.items())
    ]


def _capture(run_id: int, answer: ImportedAnswer, ids: Mapping[PromptKey, int]) -> dict[str, Any]:
    return {
        "run_id": run_id,
        "prompt_version_id": ids[key_of(answer.prompt)],
        "engine": answer.engine,
        "access": Access.IMPORT.value,
        "repeat": answer.repeat,
        "state": "asked",
        "request_key": answer.request_key,
        "asked_at": answer.captured_at,
        "purpose": "panel",
    }


def _noted(capture_id: int, answer: ImportedAnswer, at: datetime) -> dict[str, Any]:
    return {
        "capture_id": capture_id,
        "file_name": answer.file_name,
        "file_sha256": answer.file_sha256,
        "file_bytes": answer.file_bytes,
        "member": answer.member,
        "kept_sha256": answer.kept_sha256,
        "form": answer.form,
        "turn": answer.turn,
        "declared_at": answer.declared_at,
        "inside_at": answer.inside_at,
        "file_at": answer.file_at,
        "importer": answer.importer,
        "completeness": dict(answer.completeness),
        "dropped": dict(answer.dropped),
        "saved_at": at,
    }


def load_imports(connection: Connection, run_id: int) -> dict[int, StoredImport]:
    """What is noted of the captures of a run that were handed in, by capture id."""
    query = (
        select(imported)
        .join_from(imported, capture, imported.c.capture_id == capture.c.id)
        .where(capture.c.run_id == run_id)
        .order_by(imported.c.capture_id)
    )
    return {row.capture_id: _of(row) for row in connection.execute(query)}


def load_capture_imports(
    connection: Connection, capture_ids: Sequence[int]
) -> dict[int, StoredImport]:
    """What is noted of some captures that were handed in, by capture id."""
    if not capture_ids:
        return {}
    query = select(imported).where(imported.c.capture_id.in_(capture_ids))
    return {row.capture_id: _of(row) for row in connection.execute(query)}


def runs_of_file(connection: Connection, file_sha256: str) -> tuple[str, ...]:
    """Public ids of the runs that a file was handed in to, oldest first."""
    query = (
        select(run.c.public_id, run.c.id)
        .join_from(imported, capture, imported.c.capture_id == capture.c.id)
        .join(run, capture.c.run_id == run.c.id)
        .where(imported.c.file_sha256 == file_sha256)
        .distinct()
        .order_by(run.c.id)
    )
    return tuple(row.public_id for row in connection.execute(query))


def load_answer_keys(connection: Connection, run_id: int) -> list[list[str | int]]:
    """`ImportedAnswer.key` of everything that an import holds, sorted."""
    query = (
        select(
            capture.c.engine,
            prompt_version.c.prompt_id,
            prompt_version.c.version_key,
            imported.c.kept_sha256,
            imported.c.turn,
        )
        .join_from(imported, capture, imported.c.capture_id == capture.c.id)
        .join(prompt_version, capture.c.prompt_version_id == prompt_version.c.id)
        .where(capture.c.run_id == run_id)
    )
    return sorted([*row] for row in connection.execute(query))


def _of(row: Row[Any]) -> StoredImport:
    return StoredImport(
        capture_id=row.capture_id,
        file_name=row.file_name,
        file_sha256=row.file_sha256,
        file_bytes=row.file_bytes,
        member=row.member,
        kept_sha256=row.kept_sha256,
        form=row.form,
        turn=row.turn,
        declared_at=row.declared_at,
        inside_at=row.inside_at,
        file_at=row.file_at,
        importer=row.importer,
        completeness=row.completeness,
        dropped=row.dropped,
    )
