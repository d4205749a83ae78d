"""A manifest with what proves it: whether signature and time stamp fit, and whose they are."""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from cryptography.x509 import Certificate

from monitor.domain.keys import sha256_hex
from monitor.errors import EvidenceError
from monitor.proofs.findings import Fault, Finding, Seal
from monitor.proofs.keys import fits, key_id_of
from monitor.proofs.manifest import File
from monitor.proofs.signatures import Signature
from monitor.proofs.stamps import is_at_hand, read_stamp


@dataclass(frozen=True, slots=True)
class Trusted:
    """What a reader brings to a check."""

    public_pem: bytes | None = None
    """Key that signatures must be of; None takes the key that came with them."""
    certificates: Sequence[Certificate] = ()
    """Chain of the time stamp service; none leaves open whose tokens they are."""


NOTHING = Trusted()
"""Of a reader who brings nothing."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A manifest and its proofs, as they were found."""

    name: str
    content: bytes
    signature: Signature | None = None
    token: bytes | None = None


def check_seal(sealed: Sealed, trusted: Trusted) -> tuple[Seal, tuple[Finding, ...]]:
    """What the proofs of a manifest show, and what is wrong with them."""
    key_id, findings = check_signature(
        sealed.name, sealed.content, sealed.signature, trusted.public_pem
    )
    stamp, notes = None, []
    if sealed.token is not None and not is_at_hand():
        notes.append(
            "the time stamp was not checked: it needs the extra `evidence`, "
            "pip install 'citation-monitor[evidence]'"
        )
    elif sealed.token is not None:
        try:
            stamp = read_stamp(sealed.token, sealed.content, certificates=trusted.certificates)
        except EvidenceError as error:
            said = str(error).removeprefix("time stamp: ")
            findings = (*findings, Finding(Fault.TIMESTAMP, f"{sealed.name}.tsr", said))
    seal = Seal(
        name=sealed.name,
        manifest_sha256=sha256_hex(sealed.content),
        key_id=key_id,
        stamped_at=stamp.at if stamp else None,
        stamp_trusted=stamp is not None and stamp.trusted,
        notes=tuple(notes),
    )
    return seal, findings


def check_signature(
    name: str, content: bytes, signature: Signature | None, pinned: bytes | None
) -> tuple[str | None, tuple[Finding, ...]]:
    """Fingerprint of the key whose signature fits some bytes, and what is wrong with it."""
    if signature is None:
        if pinned is None:
            return None, ()
        missing = f"not signed, expected a signature of {key_id_of(pinned)}"
        return None, (Finding(Fault.KEY, name, missing),)
    try:
        own = signature.key_id
        is_whole = fits(signature.public_pem, content, signature.value)
    except EvidenceError as error:
        return None, (Finding(Fault.SIGNATURE, f"{name}.sig", str(error)),)
    if pinned is not None and own != key_id_of(pinned):
        other = f"signed by {own}, expected {key_id_of(pinned)}"
        return None, (Finding(Fault.KEY, f"{name}.sig", other),)
    if not is_whole:
        edited = "does not fit: the manifest was edited after it was signed, or the signature was"
        return None, (Finding(Fault.SIGNATURE, f"{name}.sig", edited),)
    return own, ()


def check_files(
    files: Iterable[File],
    hash_of: Callable[[str], str | None],
    *,
    present: Collection[str],
    removed: Mapping[str, str],
) -> list[Finding]:
    """What is wrong with the files of a manifest: by their paths, with what else is there.

    A file that retention removed is no loss.
    """
    found = []
    named = {one.path for one in files}
    for one in files:
        sha256 = hash_of(one.path)
        if sha256 is None:
            if one.path not in removed:
                found.append(Finding(Fault.MISSING, one.path))
        elif sha256 != one.sha256:
            found.append(Finding(Fault.ALTERED, one.path, f"expected sha256 {one.sha256}"))
    found += [Finding(Fault.EXTRA, one) for one in sorted(set(present) - named)]
    return found
