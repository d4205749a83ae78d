"""What a check of evidence finds, in words that name the file, and what each proof shows."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from monitor.domain.moments import utc_second


class Fault(StrEnum):
    """What is wrong with a file."""

    MISSING = "missing"
    ALTERED = "altered"
    EXTRA = "extra"
    MANIFEST = "edited manifest"
    SIGNATURE = "signature"
    KEY = "wrong key"
    TIMESTAMP = "time stamp"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong."""

    fault: Fault
    file: str
    """Which file, by its path or its hash."""
    detail: str = ""

    def __str__(self) -> str:
        """One line: `altered: captures/1/payloads/000-000.json`."""
        return f"{self.fault.value}: {self.file}" + (f" ({self.detail})" if self.detail else "")


@dataclass(frozen=True, slots=True)
class Seal:
    """What proves one manifest, as far as it was found in order."""

    name: str
    manifest_sha256: str
    key_id: str | None = None
    """Fingerprint of the key whose signature fits; None where none does."""
    stamped_at: datetime | None = None
    """What the time stamp says; None without one that fits."""
    stamp_trusted: bool = False
    """Whether the stamp's signer was held against certificates that were given."""
    notes: tuple[str, ...] = ()
    """What could not be checked, and why."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What a check of a bundle, an archive or a capture came to."""

    target: str
    entries: int
    """Files that were read."""
    findings: tuple[Finding, ...]
    seals: tuple[Seal, ...] = ()
    pinned: bool = False
    """Whether signatures were held against a key that the reader brought."""
    list_key: str | None = None
    """Fingerprint of the key that signed the list of all files; None where nobody did."""
    removed: Mapping[str, str] = field(default_factory=dict)
    """File -> the day on which retention took it, as the owner says."""
    notes: tuple[str, ...] = ()

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings


INTEGRITY = (
    "hash: the files are as they were when the manifest was made; it does not show that the "
    "page or answer was genuine"
)
UNSIGNED = (
    "not signed: whoever can change the files can change the list of their hashes too; compare the "
    "manifest's hash with one that was noted elsewhere"
)


def shown_by(seals: Iterable[Seal], *, pinned: bool) -> tuple[str, ...]:
    """What the proofs show and what they do not, in plain words."""
    found = tuple(seals)
    return (INTEGRITY, *_signed(found, pinned=pinned), *_stamped(found))


def _signed(seals: tuple[Seal, ...], *, pinned: bool) -> list[str]:
    keys = sorted({one.key_id for one in seals if one.key_id})
    lines = [
        f"signature: who holds the private key {key} vouches for the manifest; "
        + (
            "it is the key you named"
            if pinned
            else "whose key it is these files cannot say: ask its owner, and name the key by --key"
        )
        for key in keys
    ]
    return [*lines, UNSIGNED] if any(one.key_id is None for one in seals) else lines


def _stamped(seals: tuple[Seal, ...]) -> list[str]:
    times = sorted(one.stamped_at for one in seals if one.stamped_at)
    lines = []
    if times:
        span = f"{utc_second(times[0])}"
        span += f" to {utc_second(times[-1])}" if times[-1] != times[0] else ""
        trusted = all(one.stamp_trusted for one in seals if one.stamped_at)
        lines.append(
            f"time stamp: the manifest is not later than {span}, says the service"
            + (
                ", whose certificate was checked"
                if trusted
                else "; whose service that is was not checked: name its certificates"
            )
        )
    if len(times) < len(seals):
        lines.append("unsigned time: times in a manifest without a time stamp are its maker's word")
    return lines


def checked_json(checked: Checked) -> dict[str, Any]:
    """A check for programs."""
    return {
        "schema": 1,
        "target": checked.target,
        "sound": checked.sound,
        "entries": checked.entries,
        "findings": [finding_json(one) for one in checked.findings],
        "manifests": [seal_json(one) for one in checked.seals],
        "removed": dict(checked.removed),
        "list_key_id": checked.list_key,
        "shows": list(shown_by(checked.seals, pinned=checked.pinned)),
        "notes": list(checked.notes),
    }


def finding_json(finding: Finding) -> dict[str, str]:
    """One thing that is wrong, for programs."""
    return {"fault": finding.fault.value, "file": finding.file, "detail": finding.detail}


def seal_json(seal: Seal) -> dict[str, Any]:
    """The proofs of a manifest for programs."""
    return {
        "name": seal.name,
        "manifest_sha256": seal.manifest_sha256,
        "key_id": seal.key_id,
        "stamped_at": None if seal.stamped_at is None else utc_second(seal.stamped_at),
        "stamp_trusted": seal.stamp_trusted,
        "notes": list(seal.notes),
    }
