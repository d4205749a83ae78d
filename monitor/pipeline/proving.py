"""Stored captures -> their manifests, with a signature where there is a key."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from monitor import __version__
from monitor.capture.envelope import pointer_name
from monitor.config.settings import Settings, secret
from monitor.domain.keys import sha256_hex
from monitor.domain.screenshot import Snapshot, SnapshotKind
from monitor.engines.surfaces.live import is_live
from monitor.errors import LostBytesError
from monitor.pipeline.bench import Bench
from monitor.pipeline.records import own_artifacts
from monitor.pipeline.transferring import each
from monitor.proofs.keys import SigningKey, load_signing_key
from monitor.proofs.manifest import File, FileKind, manifest_bytes
from monitor.proofs.signatures import encode, sign
from monitor.store import StoredArtifacts, captures, proofs, runs

Place = tuple[int, int, int]
"""Capture, exchange and attempt."""
Records = Mapping[Place, bytes]
"""Records of exchanges by their place, as they are stored."""

_ENDINGS: Mapping[str, str] = {
    "application/json": "json",
    # Opened by a click, a page would run its scripts.
    "text/html": "txt",
    "multipart/related": "txt",
    "text/plain": "txt",
    "text/event-stream": "txt",
    "image/jpeg": "jpg",
    "image/png": "png",
    "image/webp": "webp",
}
_SNAPSHOTS: Mapping[SnapshotKind, str] = {
    SnapshotKind.DOM: "text/html",
    SnapshotKind.TEXT: "text/plain",
    SnapshotKind.MHTML: "multipart/related",
    SnapshotKind.SOURCE: "application/octet-stream",
}
_MAGIC: Mapping[bytes, str] = {
    b"\x89PNG": "image/png",
    b"RIFF": "image/webp",
}
_SEEN = ("selectors", "url", "title", "turn_id", "environment", "times", "hidden_text")
"""What a live payload tells of how it was captured."""
_BATCH = 200
"""Captures of one transaction."""
_FEW = 4
"""Fewer are made one after the other: threads would cost more than they save."""


def signing_key(settings: Settings) -> SigningKey | None:
    """The key that signs manifests; None where none is set. EvidenceError where it is no good."""
    file = settings.evidence.signing_key_file
    return load_signing_key(Path(file), secret("EVIDENCE_KEY_PASSWORD")) if file else None


def prove_captures(
    bench: Bench,
    ids: Iterable[int],
    key: SigningKey | None,
    records: Records = MappingProxyType({}),
) -> tuple[proofs.Proof, ...]:
    """Make the manifests of stored captures that have none; what was made is kept and returned.

    `records` are those of exchanges that need not be looked up, for they were just stored.
    """
    facts = bench.read(lambda c: proofs.load_facts(c, ids))
    known = {one.run_id for one in facts}
    own = {i: bench.read(partial(runs.load_run_by_id, run_id=i)) for i in known}
    at = bench.clock.now()

    def prove(one: proofs.Facts) -> proofs.Proof:
        maker = _Maker(bench, own_artifacts(bench, own[one.run_id]), records)
        return maker.prove(own[one.run_id], one, key=key, at=at)

    made = tuple(map(prove, facts)) if len(facts) < _FEW else tuple(each(prove, facts))
    if made:
        bench.write(lambda c: proofs.save_proofs(c, made))
    return made


def prove_run(bench: Bench, run: runs.Run, key: SigningKey | None) -> tuple[proofs.Proof, ...]:
    """Make what is missing of a run: manifests, and signatures where there is a key."""
    ids = bench.read(lambda c: proofs.load_unproved(c, run.id))
    made: list[proofs.Proof] = []
    for start in range(0, len(ids), _BATCH):
        made += prove_captures(bench, ids[start : start + _BATCH], key)
        bench.progress("manifests", min(start + _BATCH, len(ids)), len(ids))
    if key is not None:
        made += _sign_rest(bench, run, key)
    return tuple(made)


def _sign_rest(bench: Bench, run: runs.Run, key: SigningKey) -> list[proofs.Proof]:
    """Sign the manifests of a run that nobody signed."""
    rest = [
        one
        for one in bench.read(lambda c: proofs.load_run_proofs(c, run.id)).values()
        if one.signature_sha256 is None
    ]
    signed = []
    for one in rest:
        content = bench.artifacts.get(one.manifest_sha256)
        sha256 = bench.artifacts.put(encode(sign(key, content)))
        add = partial(proofs.add_signature, sha256=sha256, key_id=key.key_id)
        bench.write(partial(add, capture_id=one.capture_id))
        signed.append(replace(one, signature_sha256=sha256, key_id=key.key_id))
    return signed


@dataclass(frozen=True, slots=True)
class _Maker:
    """Makes the manifests of one run's captures."""

    bench: Bench
    own: StoredArtifacts
    records: Records

    def prove(
        self, run: runs.Run, facts: proofs.Facts, *, key: SigningKey | None, at: datetime
    ) -> proofs.Proof:
        """The manifest of one capture among the artifacts, signed where there is a key."""
        artifacts = self.bench.artifacts
        bodies = {one.sha256: _body(artifacts, one.sha256) for one in facts.payloads}
        places = ((facts.id, one.seq, one.attempt) for one in facts.payloads)
        own = (self.records[place] for place in places if place in self.records)
        known = bodies | {sha256_hex(one): one for one in own}
        files = tuple(
            replace(one, bytes=_size(artifacts, one.sha256, known))
            for one in files_of(facts, self.own, self.records)
        )
        content = manifest_bytes(_fields(run, facts, bodies, at), files)
        signature = None if key is None else artifacts.put(encode(sign(key, content)))
        return proofs.Proof(
            capture_id=facts.id,
            manifest_sha256=artifacts.put(content),
            made_at=at,
            signature_sha256=signature,
            key_id=None if key is None else key.key_id,
        )


def _body(artifacts: StoredArtifacts, sha256: str) -> bytes | None:
    try:
        return artifacts.get(sha256)
    except LostBytesError:
        return None


def _size(artifacts: StoredArtifacts, sha256: str, known: Mapping[str, bytes | None]) -> int | None:
    content = known[sha256] if sha256 in known else _body(artifacts, sha256)
    return None if content is None else len(content)


def files_of(
    facts: proofs.Facts, own: StoredArtifacts, records: Records = MappingProxyType({})
) -> tuple[File, ...]:
    """The files behind a capture, their sizes left open; `own` has the pointers of its run."""
    found = []
    for one in facts.payloads:
        place = f"{one.seq:03d}-{one.attempt:03d}"
        found.append(_file(f"payloads/{place}", FileKind.PAYLOAD, one.sha256, _type_of(one)))
        made = records.get((facts.id, one.seq, one.attempt))
        name = pointer_name(facts.id, one.seq, one.attempt)
        record = own.sound_target(name) if made is None else sha256_hex(made)
        if record is not None:
            path = f"exchanges/{place}"
            found.append(_file(path, FileKind.EXCHANGE, record, "application/json"))
    for number, shot in enumerate(facts.screenshots):
        path = f"screenshots/{number:02d}-{shot.kind.value}"
        found.append(_file(path, FileKind.SCREENSHOT, shot.sha256, _picture(own, shot.sha256)))
    for number, kept in enumerate(facts.snapshots):
        path = f"snapshots/{number:02d}-{kept.kind.value}"
        found.append(_file(path, FileKind.SNAPSHOT, kept.sha256, _SNAPSHOTS[kept.kind]))
    return tuple(found)


def _file(path: str, kind: FileKind, sha256: str, media_type: str) -> File:
    ending = _ENDINGS.get(media_type, "bin")
    return File(f"{path}.{ending}", kind, sha256, None, media_type)


def _type_of(payload: captures.StoredPayload) -> str:
    """Media type that came with a body, without its parameters; one of a few, or bytes."""
    said = next((v for k, v in payload.headers if k.lower() == "content-type"), "")
    plain = said.partition(";")[0].strip().lower()
    return plain if plain in _ENDINGS else "application/octet-stream"


def _picture(artifacts: StoredArtifacts, sha256: str) -> str:
    """Media type of a picture by its first bytes; JPEG, as we take them, where it is gone."""
    begun = (_body(artifacts, sha256) or b"")[:4]
    return _MAGIC.get(begun, "image/jpeg")


def _fields(
    run: runs.Run,
    facts: proofs.Facts,
    bodies: Mapping[str, bytes | None],
    at: datetime,
) -> dict[str, Any]:
    """What a manifest tells beside its files; nothing of settings or keys."""
    prompt = facts.prompt
    return {
        "run": run.public_id,
        "capture": facts.id,
        "panel": f"{run.panel}@{run.panel_version}",
        "fictional": run.fictional,
        "made_at": at.isoformat(),
        "made_by": f"citation-monitor {__version__}",
        "prompt": {
            "id": prompt.id,
            "text": prompt.text,
            "version_key": prompt.version_key,
            "locale": prompt.locale,
            "persona": prompt.persona,
        },
        "engine": facts.engine,
        "access": facts.access,
        "repeat": facts.repeat,
        "locale_state": facts.locale_state,
        "purpose": "canary" if facts.canary else "panel",
        "outcome": facts.outcome,
        "reason": facts.reason,
        "parse_version": facts.parse_version,
        "models": {"requested": facts.requested_model, "served": facts.served_model},
        "asked_at": _iso(facts.asked_at),
        "stored_at": _iso(facts.stored_at),
        "exchanges": [_exchange(one) for one in facts.payloads],
        "seen": _seen(facts, bodies),
        "screenshots": [
            {
                "sha256": one.sha256,
                "kind": one.kind.value,
                "name": one.name,
                "url": one.url,
                "taken_at": _iso(one.taken_at),
                "browser": one.browser,
                "viewport": list(one.viewport),
                "size": list(one.size),
                "locale": one.locale,
                "masked": one.masked,
                "altered": one.altered,
            }
            for one in facts.screenshots
        ],
        "snapshots": [_snapshot(one) for one in facts.snapshots],
        "imported": _imported(facts),
    }


def _exchange(one: captures.StoredPayload) -> dict[str, Any]:
    return {
        "seq": one.seq,
        "attempt": one.attempt,
        "method": one.request.method if one.request else None,
        "url": one.request.url if one.request else None,
        "request_hash": one.request_hash,
        "status": one.status,
        "started_at": _iso(one.started_at),
        "duration_ms": one.duration_ms,
        "failure": one.failure,
    }


def _snapshot(one: Snapshot) -> dict[str, Any]:
    return {
        "sha256": one.sha256,
        "kind": one.kind.value,
        "name": one.name,
        "taken_at": _iso(one.taken_at),
    }


def _seen(facts: proofs.Facts, bodies: Mapping[str, bytes | None]) -> dict[str, Any] | None:
    """How a page was captured, as the record of a live capture tells; None for other access."""
    body = bodies.get(facts.payloads[-1].sha256) if facts.payloads else None
    if body is None or not is_live(body):
        return None
    try:
        record = json.loads(body)
    except (ValueError, RecursionError):
        return None
    return {name: record.get(name) for name in (*_SEEN, "contract")}


def _imported(facts: proofs.Facts) -> dict[str, Any] | None:
    """Where an answer was handed in: what it came from, and when by whose word."""
    one = facts.imported
    if one is None:
        return None
    return {
        "file_sha256": one.file_sha256,
        "file_bytes": one.file_bytes,
        "kept_sha256": one.kept_sha256,
        "form": one.form,
        "turn": one.turn,
        "declared_at": _iso(one.declared_at),
        "inside_at": _iso(one.inside_at),
        "file_at": _iso(one.file_at),
        "importer": one.importer,
        "completeness": dict(one.completeness),
        "dropped": dict(one.dropped),
    }


def _iso(moment: datetime | None) -> str | None:
    return None if moment is None else moment.isoformat()
