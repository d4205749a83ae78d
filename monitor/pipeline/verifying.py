"""`monitor verify`: do the stored bytes still have the hashes the store recorded?

It shows that nothing was altered or lost since it was stored, and what the manifests of captures
prove with their signatures and time stamps. It does not show that an engine really sent these
bytes.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import Any

from monitor.capture.envelope import decode, pointer_name
from monitor.domain.keys import canonical_json, sha256_hex
from monitor.errors import EvidenceError, StoreError
from monitor.pipeline.bench import Bench
from monitor.pipeline.proving_checks import ProofsChecked, check_proofs
from monitor.pipeline.records import own_artifacts, payload_of
from monitor.pipeline.transferring import each
from monitor.proofs.seals import NOTHING, Trusted
from monitor.store import StoredArtifacts, captures, evidence, notes, removals, runs

MANIFEST_SCHEMA = "monitor-manifest-1"


@dataclass(frozen=True, slots=True)
class Verified:
    """What a verification found."""

    entries: int
    missing: tuple[str, ...]
    altered: tuple[str, ...]
    manifest_sha256: str
    removed: tuple[str, ...] = ()
    """What retention removed, with the day; that is no loss."""
    proofs: ProofsChecked = field(default_factory=ProofsChecked)
    """Manifests of captures with their signatures and time stamps."""

    @property
    def sound(self) -> bool:
        """Whether every byte is as recorded, and every proof fits."""
        return not self.missing and not self.altered and not self.proofs.findings


def run_manifest(bench: Bench, run: runs.Run) -> bytes:
    """The manifest of a run: canonical JSON that lists every artifact of it with its hash.

    Each capture has a manifest of its own (`monitor.proofs.manifest`), which is signed and stamped.
    """
    entries = bench.read(lambda c: evidence.load_run_evidence(c, run.id))
    rows = [
        {"sha256": e.sha256, "kind": str(e.kind), "capture": e.capture_id, "name": e.name}
        for e in entries
    ]
    return canonical_json({"schema": MANIFEST_SCHEMA, "run": run.public_id, "artifacts": rows})


def verify_run(
    bench: Bench,
    run: runs.Run,
    against: Path | None = None,
    trusted: Trusted = NOTHING,
) -> Verified:
    """Read every artifact of a run again; with a saved manifest, hold it against that too.

    The records of its exchanges (request, status, headers, time) are held against the database,
    and the manifests of its captures against both.
    """
    made = run_manifest(bench, run)
    if against is not None:
        _same_manifest(made, against)
    entries = json.loads(made)["artifacts"]
    hashes = {entry["sha256"] for entry in entries}
    removed = bench.read(lambda c: notes.load_removed(c, hashes))
    found = _found(
        bench,
        [
            *(partial(_artifact, bench.artifacts, removed, entry) for entry in entries),
            *_record_checks(bench, run),
        ],
    )
    return Verified(
        entries=sum(map(len, found.values())),
        missing=tuple(found[State.MISSING]),
        altered=tuple(found[State.ALTERED]),
        manifest_sha256=sha256_hex(made),
        removed=tuple(found[State.REMOVED]),
        proofs=check_proofs(bench, run, trusted),
    )


@dataclass(frozen=True, slots=True)
class StoreVerified:
    """What a verification of a whole store found."""

    entries: int
    missing: tuple[str, ...]
    altered: tuple[str, ...]
    removed: int
    """Bytes that retention removed."""
    orphans: int
    """Bytes that nothing here refers to: of a call cut short, or of another store in this place."""

    @property
    def sound(self) -> bool:
        """Whether everything that rows and pointers refer to is there, as it was stored."""
        return not self.missing and not self.altered


def verify_store(bench: Bench) -> StoreVerified:
    """Read everything that the rows and pointers of a store refer to, each once."""
    named, gone = bench.read(lambda c: (removals.referenced(c), notes.all_removed(c)))
    names = bench.artifacts.names()
    pointed = set(_found_targets(bench.artifacts, names))
    there = set(bench.artifacts.hashes())
    bodies = bodies_of(bench.artifacts, pointed & there)
    needed = sorted((named | bodies) - (gone - there) | pointed)
    found = _found(
        bench,
        [
            *(partial(_named, bench.artifacts, one) for one in needed),
            *(partial(_pointer, bench.artifacts, name) for name in names),
        ],
    )
    return StoreVerified(
        entries=len(needed),
        missing=tuple(found[State.MISSING]),
        altered=tuple(found[State.ALTERED]),
        removed=len(gone - there),
        orphans=len(there - named - pointed - bodies),
    )


class State(Enum):
    """What became of some stored bytes."""

    INTACT = auto()
    MISSING = auto()
    ALTERED = auto()
    REMOVED = auto()


Check = Callable[[], tuple["State", str]]
"""Reads some bytes; gives what became of them, and their name."""


def _found(bench: Bench, checks: Sequence[Check]) -> dict[State, list[str]]:
    """Names of what was checked, by what became of it; many are read at once."""
    found: dict[State, list[str]] = {state: [] for state in State}
    for done, (state, name) in enumerate(each(lambda check: check(), checks), start=1):
        found[state].append(name)
        bench.progress("verify", done, len(checks))
    return found


def _artifact(
    artifacts: StoredArtifacts, removed: Mapping[str, datetime], entry: Mapping[str, str]
) -> tuple[State, str]:
    """One entry of a manifest."""
    sha256 = entry["sha256"]
    state, name = state_of(artifacts, sha256), f"{entry['kind']} {sha256}"
    if state is State.MISSING and sha256 in removed:
        return State.REMOVED, f"{name} on {removed[sha256]:%Y-%m-%d}"
    return state, name


def _named(artifacts: StoredArtifacts, sha256: str) -> tuple[State, str]:
    """Bytes that something refers to."""
    return state_of(artifacts, sha256), f"artifact {sha256}"


def _pointer(artifacts: StoredArtifacts, name: str) -> tuple[State, str]:
    """A pointer: whether it can be read."""
    try:
        artifacts.target(name)
    except StoreError:
        return State.ALTERED, f"pointer {name}"
    return State.INTACT, f"pointer {name}"


def _found_targets(artifacts: StoredArtifacts, names: Sequence[str]) -> Iterator[str]:
    """What pointers lead to, those left out that cannot be read."""

    def target(name: str) -> str | None:
        try:
            return artifacts.target(name)
        except StoreError:
            return None

    return (one for one in each(target, names) if one is not None)


def bodies_of(artifacts: StoredArtifacts, records: Iterable[str]) -> set[str]:
    """Bodies that the records of exchanges name; a broken record is found by its own check."""

    def body(sha256: str) -> str | None:
        try:
            return decode(artifacts.get(sha256)).body_sha256
        except (StoreError, ValueError, LookupError, TypeError):
            return None

    return {one for one in each(body, records) if one is not None}


def state_of(artifacts: StoredArtifacts, sha256: str) -> State:
    """Whether bytes lie under their hash as they were put there."""
    try:
        artifacts.get(sha256)
    except StoreError:
        return State.ALTERED if artifacts.has(sha256) else State.MISSING
    return State.INTACT


def _record_checks(bench: Bench, run: runs.Run) -> list[Check]:
    """Checks of the records of a run's exchanges, those included that no row tells of yet."""
    own = own_artifacts(bench, run)
    names = set(own.names("capture"))
    stored = {
        pointer_name(payload.capture_id, payload.seq, payload.attempt): payload
        for several in bench.read(lambda c: captures.load_run_payloads(c, run.id)).values()
        for payload in several
        if payload.request is not None
    }
    return [
        *(partial(_record, own, name, payload, name in names) for name, payload in stored.items()),
        *(partial(_unread, own, name) for name in sorted(names - set(stored))),
    ]


def _record(
    own: StoredArtifacts,
    name: str,
    payload: captures.StoredPayload,
    is_there: bool,  # noqa: FBT001 - handed on by position
) -> tuple[State, str]:
    """The record of one exchange: there, intact, and saying what the database says."""
    if not is_there:
        return State.MISSING, f"pointer to the exchange {name}"
    try:
        sha256 = own.target(name)
    except StoreError:
        return State.ALTERED, f"pointer to the exchange {name}"
    state = state_of(own, sha256)
    if state is State.INTACT and not _agree(own.get(sha256), payload):
        state = State.ALTERED
    return state, f"exchange {sha256}"


def _unread(own: StoredArtifacts, name: str) -> tuple[State, str]:
    """An exchange that no row tells of: `resume` reads it, so record and body must be whole."""
    try:
        sha256 = own.target(name)
        if (state := state_of(own, sha256)) is not State.INTACT:
            return state, f"exchange {sha256}"
        body = decode(own.get(sha256)).body_sha256
    except (StoreError, ValueError, LookupError, TypeError):
        return State.ALTERED, f"pointer to the exchange {name}"
    return state_of(own, body), f"payload {body} of the exchange {name}"


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
