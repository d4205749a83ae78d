"""WACZ files, made by the wacz package of the extra `evidence`, and checked by our own means."""

import contextlib
import io
import json
import re
import warnings
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

from monitor.domain.keys import sha256_hex
from monitor.errors import EvidenceError
from monitor.proofs import bundle, warc
from monitor.proofs.archive import Archive, open_archive
from monitor.proofs.findings import Checked, Fault, Finding, Seal
from monitor.proofs.manifest import MOST_BYTES, read_manifest
from monitor.proofs.seals import Sealed, Trusted, check_files, check_seal
from monitor.proofs.signatures import Signature

_PACKAGE = "datapackage.json"
_DIGEST = "datapackage-digest.json"
_MOST_PACKAGE = 16 * 1024**2
_MOST_UNPACKED = 8 * 1024**3
_CAPTURE = re.compile(r"(captures/[0-9]{1,19})/(.+)")
_OWN = {bundle.MANIFEST, bundle.SIGNATURE, bundle.STAMP, bundle.PUBLIC_KEY}
_KEPT = {*_OWN, bundle.REMOVED}


def require() -> None:
    """EvidenceError where no WACZ can be made here."""
    warc.require()
    _library()


def _library() -> ModuleType:
    try:
        # Its parts warn of their own spelling when they are compiled.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            import wacz.main
    except ImportError:
        raise EvidenceError(
            "WACZ files need the extra `evidence`: pip install 'citation-monitor[evidence]'"
        ) from None
    main: ModuleType = wacz.main
    return main


def write_wacz(path: Path, archive: Path, pages: Path, title: str) -> None:
    """Pack a WARC and its list of pages; EvidenceError says what the package complained of."""
    arguments = [
        "create", "--output", str(path), "--pages", str(pages), "--copy-pages",
        "--title", title, "--hash-type", "sha256", str(archive),
    ]  # fmt: skip
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        code = _library().main(arguments)
    if code:
        raise EvidenceError(f"{path}: the wacz package gave up: {said.getvalue()[-300:]}")


def pages_jsonl(rows: Iterable[Mapping[str, str]]) -> bytes:
    """The list of pages of a WACZ; each row has url, ts and title."""
    lines = [{"format": "json-pages-1.0", "id": "pages", "title": "Captures"}, *rows]
    return b"".join(json.dumps(one, sort_keys=True).encode("ascii") + b"\n" for one in lines)


@dataclass(slots=True)
class _Records:
    """What the WARC files of a WACZ hold."""

    hashes: set[str] = field(default_factory=set)
    files: dict[str, str] = field(default_factory=dict)
    """Hash of each file of ours, by its path."""
    proofs: dict[str, bytes] = field(default_factory=dict)
    """Bytes of manifests and of what proves them, by their path."""
    twice: set[str] = field(default_factory=set)
    """Paths of ours that more than one record has."""


def check_wacz(path: Path, trusted: Trusted) -> Checked:
    """What is wrong with a WACZ, and what manifests in it show; EvidenceError where it is none."""
    with open_archive(path) as archive:
        findings = _check_package(archive, path)
        records, notes = _Records(), []
        for name in (one for one in archive.names if one.startswith("archive/")):
            try:
                _read(archive, name, records)
            except EvidenceError as error:
                notes.append(f"{name}: not read: {error}")
            except Exception as error:  # noqa: BLE001 - the library raises what its parts raise
                if not _named(findings, name):
                    said = f"cannot be read ({error.__class__.__name__})"
                    findings.append(Finding(Fault.ALTERED, name, said))
        several = "more than one record has this name: which one counts is open"
        findings += [Finding(Fault.EXTRA, one, several) for one in sorted(records.twice)]
        seals: list[Seal] = []
        folders: dict[str, set[str]] = {}
        for one in sorted(records.files):
            if match := _CAPTURE.fullmatch(one):
                folders.setdefault(match[1], set()).add(match[2])
        for folder, present in folders.items():
            seal, found = _check_capture(folder, present, records, trusted)
            seals += [seal] if seal else []
            findings += found
        if not seals and not findings:
            notes.append("no manifest of ours is in it: its own list of hashes was checked alone")
            if trusted.public_pem is not None:
                findings.append(Finding(Fault.KEY, str(path), "nothing in it is signed by any key"))
        return Checked(
            target=str(path),
            entries=len(archive.names),
            findings=tuple(findings),
            seals=tuple(seals),
            pinned=trusted.public_pem is not None,
            removed=_removed(records),
            notes=tuple(notes),
        )


def _named(findings: Iterable[Finding], name: str) -> bool:
    return any(one.file == name for one in findings)


def _check_package(archive: Archive, path: Path) -> list[Finding]:
    """The files of a WACZ against its own list of hashes."""
    if _PACKAGE not in archive.names:
        raise EvidenceError(f"{path}: no WACZ: it has no {_PACKAGE}")
    content = archive.read(_PACKAGE, _MOST_PACKAGE)
    try:
        listed = {one["path"]: one["hash"] for one in json.loads(content)["resources"]}
        hashes = {name: one.removeprefix("sha256:") for name, one in listed.items()}
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise EvidenceError(f"{path}: {_PACKAGE} is no list of files with their hashes") from None
    found = []
    for name, sha256 in sorted(hashes.items()):
        if name not in archive.names:
            found.append(Finding(Fault.MISSING, name))
        elif archive.sha256(name) != sha256:
            found.append(Finding(Fault.ALTERED, name, f"expected sha256 {sha256[:64]}"))
    extra = set(archive.names) - set(hashes) - {_PACKAGE, _DIGEST}
    found += [Finding(Fault.EXTRA, one, f"not in {_PACKAGE}") for one in sorted(extra)]
    return [*found, *_check_digest(archive, content)]


def _check_digest(archive: Archive, package: bytes) -> list[Finding]:
    if _DIGEST not in archive.names:
        return [Finding(Fault.MISSING, _DIGEST)]
    try:
        said = json.loads(archive.read(_DIGEST, _MOST_PACKAGE))["hash"]
    except (EvidenceError, ValueError, LookupError, TypeError, RecursionError):
        return [Finding(Fault.ALTERED, _DIGEST)]
    if said != f"sha256:{sha256_hex(package)}":
        return [Finding(Fault.MANIFEST, _PACKAGE, f"{_DIGEST} has another hash of it")]
    return []


def _read(archive: Archive, name: str, records: _Records) -> None:
    """Hash every record of a WARC, and keep the small files of ours."""
    with archive.open(name) as stream:
        try:
            for one in warc.read_warc(stream, keep=MOST_BYTES, most=_MOST_UNPACKED):
                records.hashes.add(one.sha256)
                if one.kind != "metadata" and one.uri.startswith(warc.BASE):
                    path = one.uri.removeprefix(warc.BASE)
                    if path in records.files:
                        records.twice.add(path)
                    records.files[path] = one.sha256
                    if one.content is not None and path.rpartition("/")[2] in _KEPT:
                        records.proofs[path] = one.content
        except zlib.error as error:
            raise ValueError("cut") from error


def _check_capture(
    folder: str, present: set[str], records: _Records, trusted: Trusted
) -> tuple[Seal | None, list[Finding]]:
    """One capture of ours in a WACZ: manifest, proofs, and a record for every file."""
    name = f"{folder}/{bundle.MANIFEST}"
    content = records.proofs.get(name)
    if content is None:
        return None, [Finding(Fault.MISSING, name)]
    try:
        manifest = read_manifest(content, name)
    except EvidenceError as error:
        return None, [Finding(Fault.MANIFEST, name, str(error))]
    by_path = {one.path: one.sha256 for one in manifest.files}

    def hash_of(path: str) -> str | None:
        # The body of a call lies under the address that was asked.
        own = records.files.get(f"{folder}/{path}")
        return own or (by_path[path] if by_path[path] in records.hashes else None)

    found = check_files(
        manifest.files,
        hash_of,
        present=present - _OWN,
        removed={k.removeprefix(f"{folder}/"): v for k, v in _removed(records).items()},
    )
    signature = None
    value = records.proofs.get(f"{folder}/{bundle.SIGNATURE}")
    key = records.proofs.get(f"{folder}/{bundle.PUBLIC_KEY}")
    if value is not None and key is not None:
        signature = Signature(value, key)
    token = records.proofs.get(f"{folder}/{bundle.STAMP}")
    seal, wrong = check_seal(Sealed(name, content, signature, token), trusted)
    return seal, [
        *(Finding(one.fault, f"{folder}/{one.file}", one.detail) for one in found),
        *wrong,
    ]


def _removed(records: _Records) -> dict[str, str]:
    try:
        read = json.loads(records.proofs.get(bundle.REMOVED) or b"{}").get("removed", {})
        return {str(k): str(v) for k, v in read.items()}
    except (ValueError, AttributeError, RecursionError):
        return {}
