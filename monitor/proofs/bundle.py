"""A bundle: a zip with everything behind some captures, to be opened and checked offline.

`captures/ID/` holds the files of a capture as its manifest names them, with `manifest.json` and
what proves it; `pages/` what cited pages said; `SHA256SUMS` the hash of every file, and where there
is a key `SHA256SUMS.sig` its signature. The same files give the same bytes.
"""

import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from monitor.domain.keys import canonical_json, sha256_hex
from monitor.proofs.keys import SigningKey
from monitor.proofs.signatures import Signature

MANIFEST = "manifest.json"
SIGNATURE = "manifest.json.sig"
STAMP = "manifest.json.tsr"
PUBLIC_KEY = "public-key.pem"
SUMS = "SHA256SUMS"
SUMS_SIGNATURE = "SHA256SUMS.sig"
REMOVED = "removed.json"
README = "README.txt"

Files = Mapping[str, Callable[[], bytes]]
"""Name in the bundle -> what reads its bytes, when it is their turn."""

_EPOCH = (1980, 1, 1, 0, 0, 0)
_PACKED = (".jpg", ".png", ".webp", ".gz")


def write_bundle(path: Path, files: Files, key: SigningKey | None) -> int:
    """Write a bundle; how many files it holds. The path must be free, or may be replaced."""
    sums = []
    with zipfile.ZipFile(path, "w") as zipped:
        for name in sorted(files):
            content = files[name]()
            sums.append(f"{sha256_hex(content)}  {name}\n")
            _add(zipped, name, content)
        if key is not None:
            sums.append(f"{sha256_hex(key.public_pem)}  {PUBLIC_KEY}\n")
            _add(zipped, PUBLIC_KEY, key.public_pem)
        listed = "".join(sums).encode("ascii")
        _add(zipped, SUMS, listed)
        if key is not None:
            _add(zipped, SUMS_SIGNATURE, key.sign(listed))
        return len(zipped.infolist())


def _add(zipped: zipfile.ZipFile, name: str, content: bytes) -> None:
    """A file with a fixed time, so that the same bundle has the same bytes."""
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.create_system = 3
    entry.external_attr = 0o100644 << 16
    entry.compress_type = zipfile.ZIP_STORED if name.endswith(_PACKED) else zipfile.ZIP_DEFLATED
    zipped.writestr(entry, content, compresslevel=6)


def proof_files(
    folder: str, manifest: bytes, signature: Signature | None, token: bytes | None
) -> dict[str, bytes]:
    """A manifest and what proves it, as files of a capture's folder."""
    found = {f"{folder}/{MANIFEST}": manifest}
    if signature is not None:
        found[f"{folder}/{SIGNATURE}"] = signature.value
        found[f"{folder}/{PUBLIC_KEY}"] = signature.public_pem
    if token is not None:
        found[f"{folder}/{STAMP}"] = token
    return found


def removed_json(removed: Mapping[str, str]) -> bytes:
    """Which files retention took, and on which day, as canonical JSON."""
    return canonical_json({"schema": "monitor-removed-1", "removed": dict(removed)})
