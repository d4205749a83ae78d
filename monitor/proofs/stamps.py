"""RFC 3161 time stamps: what is asked of a service, and what its token proves.

The library that reads tokens is in the extra `evidence`.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from types import ModuleType
from typing import Any

from cryptography.x509 import Certificate, load_pem_x509_certificates

from monitor.errors import EvidenceError

MOST_BYTES = 64 * 1024
"""Of a token with its certificates."""

_SHA256 = "2.16.840.1.101.3.4.2.1"
_GRANTED = 0
_MOST_PEM = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Asked:
    """A question to a time stamp service."""

    body: bytes
    nonce: int | None


@dataclass(frozen=True, slots=True)
class Stamp:
    """What a token says of some bytes."""

    at: datetime
    """The service's time (UTC)."""
    trusted: bool
    """Whether its signature was held against certificates."""


def ask(content: bytes) -> Asked:
    """The question for a time stamp of some bytes, of which the service sees the hash alone."""
    tsp = _library()
    request = (
        tsp.TimestampRequestBuilder()
        .data(content)
        .hash_algorithm(tsp.HashAlgorithm.SHA256)
        .nonce(nonce=True)
        .cert_request(cert_request=True)
        .build()
    )
    return Asked(request.as_bytes(), request.nonce)


def read_stamp(
    token: bytes,
    content: bytes,
    *,
    certificates: Sequence[Certificate] = (),
    nonce: int | None = None,
    name: str = "time stamp",
) -> Stamp:
    """What a token says of some bytes; EvidenceError where it is of others, or cut, or untrusted.

    Without certificates it is not known whose token it is.
    """
    tsp = _library()
    if len(token) > MOST_BYTES:
        raise EvidenceError(f"{name}: {len(token)} bytes, expected at most {MOST_BYTES}")
    try:
        read = tsp.decode_timestamp_response(token)
        if read.status != _GRANTED:
            raise EvidenceError(f"{name}: the service refused it (status {int(read.status)})")
        imprint, at = read.tst_info.message_imprint, read.tst_info.gen_time
    except (ValueError, TypeError) as error:
        raise EvidenceError(
            f"{name}: no RFC 3161 answer that can be read ({error.__class__.__name__}): "
            "cut, or of another kind"
        ) from None
    if imprint.hash_algorithm.dotted_string != _SHA256:
        raise EvidenceError(f"{name}: of a hash other than SHA-256")
    if imprint.message != hashlib.sha256(content).digest():
        raise EvidenceError(f"{name}: stamps another digest than that of this manifest")
    if nonce is not None and read.tst_info.nonce != nonce:
        raise EvidenceError(f"{name}: answers another question (other nonce)")
    if certificates:
        _hold_against(tsp, read, content, certificates, name)
    return Stamp(at, trusted=bool(certificates))


def _hold_against(
    tsp: ModuleType, read: Any, content: bytes, certificates: Sequence[Certificate], name: str
) -> None:
    """EvidenceError where a token was not signed by a service of these certificates."""
    roots = [one for one in certificates if one.issuer == one.subject]
    others = [one for one in certificates if one.issuer != one.subject]
    verifier = tsp.VerifierBuilder(intermediates=others, roots=roots).build()
    try:
        verifier.verify_message(read, content)
    except (tsp.VerificationError, ValueError, AssertionError) as error:
        said = str(error).split("\n")[0][:200]
        raise EvidenceError(
            f"{name}: not signed by a service of the certificates that were given ({said})"
        ) from None


def load_certificates(path: Path) -> tuple[Certificate, ...]:
    """Certificates of a PEM file; EvidenceError where there are none, or no root among them."""
    try:
        with path.open("rb") as stream:
            found = load_pem_x509_certificates(stream.read(_MOST_PEM))
    except OSError as error:
        raise EvidenceError(f"{path}: the certificates cannot be read ({error.strerror})") from None
    except ValueError:
        raise EvidenceError(f"{path}: no certificates in PEM") from None
    if not any(one.issuer == one.subject for one in found):
        raise EvidenceError(
            f"{path}: no root among these certificates; expected the whole chain of the time stamp "
            "service, its root included"
        )
    return tuple(found)


def _library() -> ModuleType:
    try:
        import rfc3161_client
    except ImportError:
        raise EvidenceError(
            "time stamps need the extra `evidence`: pip install 'citation-monitor[evidence]'"
        ) from None
    return rfc3161_client


def is_at_hand() -> bool:
    """Whether tokens can be read here."""
    try:
        _library()
    except EvidenceError:
        return False
    return True
