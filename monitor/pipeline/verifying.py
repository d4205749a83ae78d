"""`monitor verify`: do the stored bytes still have the hashes the store recorded?

It shows that nothing was altered or lost since it was stored. It does not show that an engine
really sent these bytes, nor when: that needs a signature or a time stamp of somebody else.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from monitor.domain.keys import canonical_json, sha256_hex
from monitor.errors import EvidenceError, StoreError
from monitor.pipeline.bench import Bench
from monitor.store import manifest, runs

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
    """Read every artifact of a run again; with a saved manifest, hold it against that too."""
    made = run_manifest(bench, run)
    if against is not None:
        _same_manifest(made, against)
    entries = json.loads(made)["artifacts"]
    missing: list[str] = []
    altered: list[str] = []
    for index, entry in enumerate(entries, start=1):
        try:
            bench.artifacts.get(entry["sha256"])
        except StoreError:
            known = bench.artifacts.has(entry["sha256"])
            (altered if known else missing).append(f"{entry['kind']} {entry['sha256']}")
        bench.progress("verify", index, len(entries))
    return Verified(len(entries), tuple(missing), tuple(altered), sha256_hex(made))


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
