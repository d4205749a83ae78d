"""Checking a bundle: every file against the list of hashes, every capture against its manifest."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from monitor.errors import EvidenceError
from monitor.proofs import bundle
from monitor.proofs.archive import Archive, open_archive
from monitor.proofs.findings import Checked, Fault, Finding, Seal
from monitor.proofs.manifest import MOST_BYTES, read_manifest
from monitor.proofs.seals import Sealed, Trusted, check_files, check_seal, check_signature
from monitor.proofs.signatures import Signature
from monitor.proofs.stamps import MOST_BYTES as MOST_STAMP

_LINE = re.compile(r"([0-9a-f]{64})  ([!-~]{1,300})")
_CAPTURE = re.compile(r"(captures/[0-9]{1,19})/(.+)")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MOST_SUMS = 64 * 1024**2
_OWN = {bundle.MANIFEST, bundle.SIGNATURE, bundle.STAMP, bundle.PUBLIC_KEY}
_UNLISTED = {bundle.SUMS, bundle.SUMS_SIGNATURE}


@dataclass(slots=True)
class _Look:
    """A bundle under the eyes of a check."""

    archive: Archive
    trusted: Trusted
    hashes: dict[str, str | None]
    """Hash of every file; None where its bytes are broken."""
    findings: list[Finding] = field(default_factory=list)
    seals: list[Seal] = field(default_factory=list)
    removed: Mapping[str, str] = field(default_factory=dict)

    def add(self, *found: Finding) -> None:
        """Note what is wrong; of a file that was named already, the first word stands."""
        named = {one.file for one in self.findings}
        self.findings += [one for one in found if one.file not in named]


def check_bundle(path: Path, trusted: Trusted) -> Checked:
    """What is wrong with a bundle, and what its proofs show; EvidenceError where it is none."""
    with open_archive(path) as archive:
        if bundle.SUMS not in archive.names:
            raise EvidenceError(
                f"{path}: no bundle: it has no {bundle.SUMS}; expected a zip that "
                "`monitor export --bundle` wrote"
            )
        look = _Look(archive, trusted, {one: archive.sha256(one) for one in archive.names})
        list_key = _check_list(look)
        look.removed = _removed(look)
        folders: dict[str, set[str]] = {}
        for one in archive.names:
            if match := _CAPTURE.fullmatch(one):
                folders.setdefault(match[1], set()).add(match[2])
        for folder, present in folders.items():
            _check_capture(look, folder, present)
        if not look.seals and not look.findings:
            look.add(Finding(Fault.MISSING, "captures/", "a bundle has at least one manifest"))
        return Checked(
            target=str(path),
            entries=len(archive.names),
            findings=tuple(look.findings),
            seals=tuple(look.seals),
            pinned=trusted.public_pem is not None,
            list_key=list_key,
            removed={k: v for k, v in look.removed.items() if k not in look.hashes},
        )


def _check_list(look: _Look) -> str | None:
    """Every file against the list of hashes; the key that signed the list, if one did."""
    content = look.archive.read(bundle.SUMS, _MOST_SUMS)
    listed = _sums(content)
    for name, sha256 in sorted(listed.items()):
        if name not in look.hashes:
            look.add(Finding(Fault.MISSING, name))
        elif look.hashes[name] != sha256:
            is_manifest = name.endswith(f"/{bundle.MANIFEST}")
            fault = Fault.MANIFEST if is_manifest else Fault.ALTERED
            look.add(Finding(fault, name, f"expected sha256 {sha256}"))
    extra = look.hashes.keys() - listed.keys() - _UNLISTED
    look.add(*(Finding(Fault.EXTRA, one, f"not in {bundle.SUMS}") for one in sorted(extra)))
    signature = _signature(look, bundle.SUMS_SIGNATURE, bundle.PUBLIC_KEY)
    key_id, found = check_signature(bundle.SUMS, content, signature, look.trusted.public_pem)
    look.add(*found)
    return key_id


def _sums(content: bytes) -> dict[str, str]:
    """Hash by name of a list as `sha256sum` reads it."""
    found: dict[str, str] = {}
    for number, line in enumerate(content.decode("ascii", "replace").splitlines(), start=1):
        match = _LINE.fullmatch(line)
        if match is None or match[2] in found:
            raise EvidenceError(
                f"{bundle.SUMS} line {number}: expected a sha256, two spaces and a name that "
                "stands there once; it was edited or cut"
            )
        found[match[2]] = match[1]
    return found


def _signature(look: _Look, name: str, key: str) -> Signature | None:
    """A signature beside its public key, or None where neither is there."""
    if name not in look.hashes and key not in look.hashes:
        return None
    for one in (name, key):
        if one not in look.hashes:
            look.add(Finding(Fault.MISSING, one))
            return None
    try:
        return Signature(look.archive.read(name, 4096), look.archive.read(key, 16_384))
    except EvidenceError as error:
        look.add(Finding(Fault.SIGNATURE, name, str(error)))
        return None


def _check_capture(look: _Look, folder: str, present: set[str]) -> None:
    """One capture: its manifest, what proves it, and the files it names; `present` are there."""
    name = f"{folder}/{bundle.MANIFEST}"
    if name not in look.hashes:
        look.add(Finding(Fault.MISSING, name))
        return
    try:
        content = look.archive.read(name, MOST_BYTES)
        manifest = read_manifest(content, name)
    except EvidenceError as error:
        look.add(Finding(Fault.MANIFEST, name, str(error)))
        return
    if f"captures/{manifest.capture}" != folder:
        look.add(Finding(Fault.MANIFEST, name, f"is that of capture {manifest.capture}"))
    found = check_files(
        manifest.files,
        lambda path: look.hashes.get(f"{folder}/{path}") or _broken(look, folder, path),
        present=present - _OWN,
        removed={k.removeprefix(f"{folder}/"): v for k, v in look.removed.items()},
    )
    look.add(*(Finding(one.fault, f"{folder}/{one.file}", one.detail) for one in found))
    signature = _signature(look, f"{folder}/{bundle.SIGNATURE}", f"{folder}/{bundle.PUBLIC_KEY}")
    seal, wrong = check_seal(Sealed(name, content, signature, _token(look, folder)), look.trusted)
    look.seals.append(seal)
    look.add(*wrong)


def _broken(look: _Look, folder: str, path: str) -> str | None:
    """What stands for the hash of a file whose bytes cannot be read; None where none is there."""
    return "broken" if f"{folder}/{path}" in look.hashes else None


def _token(look: _Look, folder: str) -> bytes | None:
    name = f"{folder}/{bundle.STAMP}"
    if name not in look.hashes:
        return None
    try:
        return look.archive.read(name, MOST_STAMP)
    except EvidenceError as error:
        look.add(Finding(Fault.TIMESTAMP, name, str(error)))
        return None


def _removed(look: _Look) -> dict[str, str]:
    """Which files the owner says retention removed, and when."""
    if bundle.REMOVED not in look.hashes:
        return {}
    try:
        read = json.loads(look.archive.read(bundle.REMOVED, _MOST_SUMS))["removed"]
        if not all(isinstance(v, str) and _DAY.fullmatch(v) for v in read.values()):
            raise ValueError
    except (EvidenceError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        look.add(Finding(Fault.ALTERED, bundle.REMOVED, "no list of removed files"))
        return {}
    return dict(read)
