"""What an import came to, as JSON values for programs and exports."""

from typing import Any

from monitor.pipeline.importing_found import Found, FoundAnswer
from monitor.store.imported import StoredImport


def found_json(found: Found) -> dict[str, Any]:
    """What was found in files, before it is stored."""
    return {
        "files": [
            {
                "name": one.name,
                "sha256": one.sha256,
                "bytes": one.size,
                "container": one.container.value,
            }
            for one in found.files
        ],
        "answers": [_answer(one) for one in found.answers],
        "unmatched": {
            "count": found.unmatched_count,
            "shown": [
                {
                    "file": one.file,
                    "member": one.member,
                    "engine": one.engine,
                    "turn": one.turn,
                    "question": one.shown,
                    "nearest": one.nearest,
                }
                for one in found.unmatched
            ],
        },
        "unread": found.unread,
        "foreign": found.foreign,
        "dropped": dict(found.dropped),
        "notes": list(found.notes),
        "skipped": list(found.skipped),
    }


def _answer(one: FoundAnswer) -> dict[str, Any]:
    reading = one.turn.reading
    return {
        "file": one.file.name,
        "member": one.member,
        "engine": one.engine,
        "prompt": one.prompt.id,
        "form": one.form,
        "turn": one.turn.index + 1,
        "outcome": reading.outcome.value,
        "reason": reading.reason,
        "citations": len(reading.citations),
        "captured_at": one.captured_at.isoformat(),
        "dated_by": one.dated_by,
        "kept_sha256": one.kept_sha256,
        "pictures": len(one.pictures),
        "completeness": one.completeness,
        "warnings": list(one.warnings),
        "dropped": dict(one.dropped),
    }


def import_json(capture_id: int, one: StoredImport) -> dict[str, Any]:
    """What is noted of a capture that was handed in, as an export has it."""
    times = {"declared": one.declared_at, "inside": one.inside_at, "file": one.file_at}
    return {
        "capture": capture_id,
        "file_name": one.file_name,
        "file_sha256": one.file_sha256,
        "file_bytes": one.file_bytes,
        "member": one.member,
        "kept_sha256": one.kept_sha256,
        "form": one.form,
        "turn": one.turn + 1,
        **{f"{name}_at": at.isoformat() if at else None for name, at in times.items()},
        "dated_by": next((name for name, at in times.items() if at is not None), None),
        "importer": one.importer,
        "completeness": dict(one.completeness),
        "dropped": dict(one.dropped),
    }
