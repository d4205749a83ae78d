"""`monitor verify`: do the stored bytes still have the hashes the store recorded?

It shows that nothing was altered or lost since it was stored. It does not show that an engine
really sent these bytes, nor when: that needs a signature or a time stamp of somebody else.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import Any

from monitor.capture.envelope import decode, pointer_name
from monitor.domain.keys import canonical_json, sha256_hex
from monitor.errors import EvidenceError, StoreError
from monitor.pipeline.bench import Bench
from monitor.pipeline.records import own_artifacts, payload_of
from monitor.store import StoredArtifacts, captures, manifest, runs

MANIFEST_SCHEMA = "monitor-manifest-1"


@dataclass(frozen=True, slots=True)
class Verified:
    """What a verification found."""

    entries: int
    missing: tuple[str, ...]
    altered: tuple[str, ...]
    manifest_sha256: str

    @property
    def sound(self) -> bool:
        """Whether every byte is as recorded."""
        return not self.missing and not self.altered


def run_manifest(bench: Bench, run: runs.Run) -> bytes:
    """Canonical JSON that lists every artifact of a run with its hash."""
    entries = bench.read(lambda c: manifest.run_manifest(c, run.id))
    rows = [
        {"sha256": e.sha256, "kind": str(e.kind), "capture": e.capture_id, "name": e.name}
        for e in entries
    ]
    return canonical_json({"schema": MANIFEST_SCHEMA, "run": run.public_id, "artifacts": rows})


def verify_run(bench: Bench, run: runs.Run, against: Path | None = None) -> Verified:
    """Read every artifact of a run again; with a saved manifest, hold it against that too.

    The records of its exchanges (request, status, headers, time) are held against the database.
    """
    made = run_manifest(bench, run)
    if against is not None:
        _same_manifest(made, against)
    stored = [
        payload
        for several in bench.read(lambda c: captures.load_run_payloads(c, run.id)).values()
        for payload in several
        if payload.request is not None
    ]
    checks = (
        *(partial(_artifact, bench, e) for e in json.loads(made)["artifacts"]),
        *(partial(_record, own_artifacts(bench, run), payload) for payload in stored),
    )
    found: dict[State, list[str]] = {state: [] for state in State}
    for index, check in enumerate(checks, start=1):
        state, name = check()
        found[state].append(name)
        bench.progress("verify", index, len(checks))
    return Verified(
        len(checks), tuple(found[State.MISSING]), tuple(found[State.ALTERED]), sha256_hex(made)
    )


class State(Enum):
    """What became of some stored bytes."""

    INTACT = auto()
    MISSING = auto()
    ALTERED = auto()


def _artifact(bench: Bench, entry: Mapping[str, str]) -> tuple[State, str]:
    """One entry of a manifest."""
    return state_of(bench.artifacts, entry["sha256"]), f"{entry['kind']} {entry['sha256']}"


def state_of(artifacts: StoredArtifacts, sha256: str) -> State:
    """Whether bytes lie under their hash as they were put there."""
    try:
        artifacts.get(sha256)
    except StoreError:
        return State.ALTERED if artifacts.has(sha256) else State.MISSING
    return State.INTACT


def _record(own: StoredArtifacts, payload: captures.StoredPayload) -> tuple[State, str]:
    """The record of one exchange: there, intact, and saying what the database says."""
    name = pointer_name(payload.capture_id, payload.seq, payload.attempt)
    try:
        sha256 = dict(own.pointers(f"capture/{payload.capture_id}")).get(name)
    except StoreError:
        return State.ALTERED, f"pointer to the exchange {name}"
    if sha256 is None:
        return State.MISSING, f"pointer to the exchange {name}"
    state = state_of(own, sha256)
    if state is State.INTACT and not _agree(own.get(sha256), payload):
        state = State.ALTERED
    return state, f"exchange {sha256}"


def _agree(record: bytes, payload: captures.StoredPayload) -> bool:
    """Whether a record tells of the exchange that the database holds."""
    try:
        return payload_of(payload.capture_id, decode(record)) == payload
    except (ValueError, LookupError, TypeError):
        return False


def _same_manifest(made: bytes, against: Path) -> None:
    """EvidenceError naming the first difference between a saved manifest and the store."""
    try:
        saved: Any = json.loads(against.read_bytes())
        before = {(e["sha256"], e["kind"], e["capture"], e["name"]) for e in saved["artifacts"]}
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise EvidenceError(
            f"{against}: no manifest that can be read ({error.__class__.__name__}); "
            "expected the file that `monitor verify --write-manifest` wrote"
        ) from error
    now = {(e["sha256"], e["kind"], e["capture"], e["name"]) for e in json.loads(made)["artifacts"]}
    gone, extra = sorted(before - now, key=str), sorted(now - before, key=str)
    if gone or extra:
        raise EvidenceError(
            f"{against}: {len(gone)} entries are no longer in the store, {len(extra)} are new; "
            f"first: {(gone or extra)[0]}"
        )
