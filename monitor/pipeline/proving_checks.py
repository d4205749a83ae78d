"""The proofs of a run's captures, held against the store: manifests, signatures, time stamps."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from monitor.config.settings import Settings
from monitor.errors import EvidenceError, StoreError
from monitor.pipeline.bench import Bench
from monitor.pipeline.proving import files_of
from monitor.pipeline.records import own_artifacts
from monitor.pipeline.stamping import certificates_of
from monitor.pipeline.transferring import each
from monitor.proofs.archive import open_archive
from monitor.proofs.bundle import SUMS
from monitor.proofs.bundle_check import check_bundle
from monitor.proofs.findings import Checked, Fault, Finding, Seal
from monitor.proofs.keys import load_public_key
from monitor.proofs.manifest import Manifest, read_manifest
from monitor.proofs.seals import Sealed, Trusted, check_seal
from monitor.proofs.signatures import Signature, decode
from monitor.proofs.stamps import load_certificates
from monitor.proofs.wacz import check_wacz
from monitor.store import StoredArtifacts, notes, proofs, runs


def trusted_by(settings: Settings, key: Path | None, certificates: Path | None) -> Trusted:
    """What a check holds proofs against: what a person named, else the settings' certificates."""
    chain = load_certificates(certificates) if certificates else certificates_of(settings)
    return Trusted(None if key is None else load_public_key(key), chain)


def verify_file(path: Path, trusted: Trusted) -> Checked:
    """A bundle or a WACZ, whichever a file is; nothing of a store is needed."""
    if path.suffix.lower() == ".wacz":
        return check_wacz(path, trusted)
    with open_archive(path) as archive:
        is_bundle = SUMS in archive.names or "datapackage.json" not in archive.names
    return check_bundle(path, trusted) if is_bundle else check_wacz(path, trusted)


@dataclass(frozen=True, slots=True)
class ProofsChecked:
    """What was found of the proofs of some captures."""

    seals: tuple[Seal, ...] = ()
    findings: tuple[Finding, ...] = ()
    unproved: int = 0
    """Stored captures without a manifest: nobody made one yet, which is no fault."""


def check_proofs(bench: Bench, run: runs.Run, trusted: Trusted) -> ProofsChecked:
    """Every manifest of a run: whole, of these rows, and proved by what was made of it."""
    made = bench.read(lambda c: proofs.load_run_proofs(c, run.id))
    unproved = len(bench.read(lambda c: proofs.load_unproved(c, run.id)))
    seals, findings = _checked(bench, run, made.values(), trusted)
    return ProofsChecked(tuple(seals), tuple(findings), unproved)


def _checked(
    bench: Bench, run: runs.Run, made: Iterable[proofs.Proof], trusted: Trusted
) -> tuple[list[Seal], list[Finding]]:
    by_id = {one.capture_id: one for one in made}
    facts = bench.read(lambda c: proofs.load_facts(c, by_id))
    own = own_artifacts(bench, run)

    def check(one: proofs.Facts) -> tuple[Seal | None, list[Finding]]:
        return _check(own, run, one, by_id[one.id], trusted)

    seals: list[Seal] = []
    findings: list[Finding] = []
    for seal, found in each(check, facts):
        if seal is not None:
            seals.append(seal)
        findings += found
    return seals, findings


def _check(
    own: StoredArtifacts, run: runs.Run, facts: proofs.Facts, made: proofs.Proof, trusted: Trusted
) -> tuple[Seal | None, list[Finding]]:
    """One capture: its manifest, what the manifest says, and what proves it."""
    name = f"capture {facts.id}/manifest.json"
    content = _bytes(own, made.manifest_sha256)
    if isinstance(content, Fault):
        return None, [Finding(content, f"{name} {made.manifest_sha256}")]
    findings: list[Finding] = []
    try:
        findings += _disagreements(read_manifest(content, name), run, facts, own)
    except EvidenceError as error:
        findings.append(Finding(Fault.MANIFEST, name, str(error)))
    signature = _signature(own, made, name, findings)
    token = None
    if made.token_sha256 is not None:
        found = _bytes(own, made.token_sha256)
        if isinstance(found, Fault):
            findings.append(Finding(found, f"{name}.tsr {made.token_sha256}"))
        else:
            token = found
    seal, wrong = check_seal(Sealed(name, content, signature, token), trusted)
    return seal, [*findings, *wrong]


def _signature(
    own: StoredArtifacts, made: proofs.Proof, name: str, findings: list[Finding]
) -> Signature | None:
    """The signature of a manifest, or None where there is none that can be read."""
    if made.signature_sha256 is None:
        return None
    found = _bytes(own, made.signature_sha256)
    if isinstance(found, Fault):
        findings.append(Finding(found, f"{name}.sig {made.signature_sha256}"))
        return None
    try:
        return decode(found, f"{name}.sig")
    except EvidenceError as error:
        findings.append(Finding(Fault.SIGNATURE, f"{name}.sig", str(error)))
        return None


def _bytes(own: StoredArtifacts, sha256: str) -> bytes | Fault:
    try:
        return own.get(sha256)
    except StoreError:
        return Fault.ALTERED if own.has(sha256) else Fault.MISSING


def _disagreements(
    manifest: Manifest, run: runs.Run, facts: proofs.Facts, own: StoredArtifacts
) -> list[Finding]:
    """Where a manifest tells of another capture or of other files than the store holds."""
    name = f"capture {facts.id}/manifest.json"
    found = []
    asked = manifest.fields.get("prompt")
    told = (
        (manifest.run, manifest.capture, manifest.fields.get("engine")),
        (asked.get("text"), asked.get("version_key")) if isinstance(asked, dict) else None,
    )
    held = (
        (run.public_id, facts.id, facts.engine),
        (facts.prompt.text, facts.prompt.version_key),
    )
    if told != held:
        found.append(Finding(Fault.MANIFEST, name, "tells of another capture than the store"))
    here = {one.path: one.sha256 for one in files_of(facts, own)}
    listed = {one.path: one.sha256 for one in manifest.files}
    for path in sorted(here.keys() | listed.keys()):
        file = f"capture {facts.id}/{path}"
        if path not in listed:
            found.append(Finding(Fault.EXTRA, file, "not in its manifest"))
        elif path not in here:
            found.append(Finding(Fault.MISSING, file, "named by its manifest, in no row"))
        elif here[path] != listed[path]:
            found.append(Finding(Fault.ALTERED, file, f"its manifest has sha256 {listed[path]}"))
    return found


def verify_capture(bench: Bench, capture_id: int, trusted: Trusted) -> Checked:
    """One capture: its manifest, its proofs, and every file that the manifest names."""
    (facts,) = bench.read(lambda c: proofs.load_facts(c, [capture_id])) or (None,)
    made = bench.read(lambda c: proofs.load_proof(c, capture_id))
    if facts is None:
        raise EvidenceError(f"capture {capture_id}: none of that number is stored here")
    run = bench.read(partial(runs.load_run_by_id, run_id=facts.run_id))
    if made is None:
        raise EvidenceError(
            f"capture {capture_id} has no manifest yet: `monitor evidence seal {run.public_id}` "
            "makes what is missing of its run"
        )
    own = own_artifacts(bench, run)
    seal, findings = _check(own, run, facts, made, trusted)
    removed = bench.read(lambda c: notes.load_removed(c, [f.sha256 for f in files_of(facts, own)]))
    gone = {}
    entries = files_of(facts, own)
    for one in entries:
        state = _bytes(own, one.sha256)
        if state is Fault.MISSING and one.sha256 in removed:
            gone[one.path] = f"{removed[one.sha256]:%Y-%m-%d}"
        elif isinstance(state, Fault):
            findings.append(Finding(state, f"capture {capture_id}/{one.path}", one.sha256))
    return Checked(
        target=f"capture {capture_id} of {run.public_id}",
        entries=len(entries) + 1,
        findings=tuple(findings),
        seals=(seal,) if seal else (),
        pinned=trusted.public_pem is not None,
        removed=gone,
    )
