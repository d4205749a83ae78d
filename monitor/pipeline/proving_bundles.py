"""Captures with everything behind them as one file to hand on, sure to hold no secret of ours."""

from functools import partial
from pathlib import Path
from typing import Any

from monitor.domain.keys import canonical_json
from monitor.domain.moments import utc_second
from monitor.errors import EvidenceError, LostBytesError
from monitor.pipeline.bench import Bench
from monitor.pipeline.plain_files import drafted
from monitor.pipeline.proving import prove_captures, signing_key
from monitor.pipeline.proving_sheets import (
    Gathered,
    Proven,
    cited_fetches,
    identities_of,
    page_path,
    sheet_of,
)
from monitor.pipeline.secret_guard import SecretGuard
from monitor.proofs import bundle
from monitor.proofs.manifest import read_manifest
from monitor.proofs.page import capture_page, index_page, readme
from monitor.proofs.signatures import Signature, decode
from monitor.proofs.stamps import is_at_hand, read_stamp
from monitor.store import captures, citations, notes, pages, proofs, runs
from monitor.store.parts import EVERY


def gather(bench: Bench, run: runs.Run, capture_id: int | None = None) -> Gathered:
    """The stored captures of a run, or one of them, each with its manifest: made if missing."""
    facts = _facts(bench, run, capture_id)
    ids = {one.id for one in facts}
    unproved = ids & set(bench.read(lambda c: proofs.load_unproved(c, run.id)))
    if unproved:
        prove_captures(bench, unproved, signing_key(bench.settings))
    made = bench.read(lambda c: proofs.load_run_proofs(c, run.id))
    readings = bench.read(lambda c: citations.load_readings(c, run.id, EVERY))
    proven = tuple(_proven(bench, one, made[one.id], readings.get(one.id)) for one in facts)
    fetches = bench.read(lambda c: pages.load_fetches(c, run.id))
    cited = {
        fetch.page_key: fetch
        for one in proven
        for fetch in cited_fetches(one.reading, identities_of(bench, one), fetches)
    }
    hashes = {file.sha256 for one in proven for file in one.manifest.files}
    hashes |= {h for f in cited.values() for h in (f.body_sha256, f.text_sha256) if h}
    noted = bench.read(lambda c: notes.load_removed(c, hashes))
    gone = {h: f"{at:%Y-%m-%d}" for h, at in noted.items() if not bench.artifacts.has(h)}
    return Gathered(run, proven, cited, gone)


def _facts(bench: Bench, run: runs.Run, capture_id: int | None) -> tuple[proofs.Facts, ...]:
    every = bench.read(lambda c: captures.load_captures(c, run.id, EVERY))
    stored = [one.id for one in every if one.state is captures.CaptureState.STORED]
    wanted = [one for one in stored if capture_id in {None, one}]
    if not wanted:
        what = "stored captures" if capture_id is None else f"stored capture {capture_id}"
        raise EvidenceError(f"{run.public_id} has no {what}: there is nothing to hand on")
    return bench.read(lambda c: proofs.load_facts(c, wanted))


def _proven(
    bench: Bench,
    facts: proofs.Facts,
    proof: proofs.Proof,
    reading: citations.StoredReading | None,
) -> Proven:
    content = bench.artifacts.get(proof.manifest_sha256)
    manifest = read_manifest(content, f"manifest of capture {facts.id}")
    stamped = None
    if proof.token_sha256 is not None and is_at_hand():
        token = bench.artifacts.get(proof.token_sha256)
        stamped = utc_second(read_stamp(token, content).at)
    return Proven(facts, proof, manifest, content, reading, stamped)


def run_of_capture(bench: Bench, capture_id: int) -> runs.Run:
    """The run that a capture belongs to; StoreError where there is no such capture."""
    run_id = bench.read(lambda c: captures.load_capture(c, capture_id)).run_id
    return bench.read(lambda c: runs.load_run_by_id(c, run_id))


def signature_of(bench: Bench, one: Proven) -> Signature | None:
    """The signature of a capture's manifest."""
    sha256 = one.proof.signature_sha256
    name = f"signature of capture {one.facts.id}"
    return None if sha256 is None else decode(bench.artifacts.get(sha256), name)


def token_of(bench: Bench, one: Proven) -> bytes | None:
    """The time stamp of a capture's manifest."""
    sha256 = one.proof.token_sha256
    return None if sha256 is None else bench.artifacts.get(sha256)


def export_bundle(bench: Bench, run: runs.Run, path: Path, *, capture_id: int | None = None) -> int:
    """Write a bundle of a run or of one capture; how many captures it holds."""
    key = signing_key(bench.settings)
    found = gather(bench, run, capture_id)
    files = _files(bench, found, path.name, signed=key is not None)
    guard = SecretGuard(bench.settings)
    guarded = {name: partial(guard.read, name, read) for name, read in files.items()}
    with drafted(path) as draft:
        bundle.write_bundle(draft, guarded, key)
    return len(found.captures)


def _files(bench: Bench, found: Gathered, name: str, *, signed: bool) -> dict[str, Any]:
    """Every file of a bundle by its name, read when it is its turn."""
    run = found.run
    sheets = tuple(sheet_of(bench, found, c) for c in found.captures)
    files: dict[str, Any] = {
        "index.html": partial(index_page, run.public_id, sheets, name),
        bundle.README: partial(readme, run.public_id, len(sheets), signed=signed),
    }
    gone = {}
    for sheet, one in zip(sheets, found.captures, strict=True):
        files[f"capture-{sheet.id}.html"] = partial(capture_page, sheet, name)
        proof = bundle.proof_files(
            one.folder, one.content, signature_of(bench, one), token_of(bench, one)
        )
        files |= {path: partial(bytes, content) for path, content in proof.items()}
        for file in one.manifest.files:
            path = f"{one.folder}/{file.path}"
            if file.sha256 in found.removed:
                gone[path] = found.removed[file.sha256]
            else:
                files[path] = partial(_bytes, bench, path, file.sha256)
    for fetch in found.fetches.values():
        for sha256 in (fetch.body_sha256, fetch.text_sha256):
            if sha256 and sha256 not in found.removed:
                files[page_path(sha256)] = partial(_bytes, bench, fetch.page_key, sha256)
    if found.fetches:
        files["pages.json"] = partial(pages_json, found)
    if gone:
        files[bundle.REMOVED] = partial(bundle.removed_json, gone)
    return files


def _bytes(bench: Bench, name: str, sha256: str) -> bytes:
    try:
        return bench.artifacts.get(sha256)
    except LostBytesError as error:
        raise EvidenceError(f"{name}: {error}") from error


def pages_json(found: Gathered) -> bytes:
    """What was fetched of the cited pages, as canonical JSON."""
    rows = []
    for key, one in sorted(found.fetches.items()):
        fetched = one.fetched
        kept = (("body", one.body_sha256), ("text", one.text_sha256))
        rows.append(
            {
                "page_key": key,
                "url": fetched.url,
                "final_url": fetched.final_url,
                "status": fetched.status.value,
                "http_status": fetched.http_status,
                "media_type": fetched.media_type,
                "fetched_at": None if not fetched.fetched_at else utc_second(fetched.fetched_at),
                "pages_version": one.pages_version,
                "files": [
                    {
                        "path": page_path(sha256),
                        "kind": kind,
                        "sha256": sha256,
                        "removed_at": found.removed.get(sha256),
                    }
                    for kind, sha256 in kept
                    if sha256
                ],
            }
        )
    return canonical_json({"schema": "monitor-pages-1", "run": found.run.public_id, "pages": rows})
