"""Ed25519 keys: made once, read with care, and what they sign."""

import os
import stat
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey,
    Ed25519PublicKey,
)
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from monitor.domain.keys import sha256_hex
from monitor.errors import EvidenceError

_MOST_BYTES = 16_384
_MAKE = "`monitor evidence keygen FILE` makes one"


@dataclass(frozen=True, slots=True, repr=False)
class SigningKey:
    """A private key, which never leaves this value, and its public part."""

    _private: Ed25519PrivateKey

    @property
    def public_pem(self) -> bytes:
        """The public part, to be handed out."""
        return _pem_of(self._private.public_key())

    @property
    def key_id(self) -> str:
        """Fingerprint of the public part."""
        return key_id_of(self.public_pem)

    def sign(self, content: bytes) -> bytes:
        """Signature of some bytes: 64 bytes, the same each time."""
        return self._private.sign(content)


def load_signing_key(path: Path, password: str | None = None) -> SigningKey:
    """Private key of a PEM file; EvidenceError where others may read it, or it is another kind."""
    content = _read_private(path)
    try:
        key: Any = load_pem_private_key(content, password.encode() if password else None)
    except TypeError:
        raise EvidenceError(
            f"{path}: the key is encrypted, and EVIDENCE_KEY_PASSWORD does not say by what; set "
            f"it, or use a key without a password ({_MAKE})"
        ) from None
    except (ValueError, UnsupportedAlgorithm):
        raise EvidenceError(
            f"{path}: no private key can be read there, or the password is wrong; expected an "
            f"Ed25519 private key in PEM ({_MAKE})"
        ) from None
    if not isinstance(key, Ed25519PrivateKey):
        raise EvidenceError(
            f"{path}: holds a key of another kind ({type(key).__name__.strip('_')}); expected "
            f"Ed25519 ({_MAKE})"
        )
    return SigningKey(key)


def _read_private(path: Path) -> bytes:
    try:
        with path.open("rb") as stream:
            mode = os.fstat(stream.fileno()).st_mode
            content = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise EvidenceError(
            f"{path}: the signing key cannot be read ({error.strerror}); check "
            "evidence.signing_key_file"
        ) from None
    if not stat.S_ISREG(mode) or len(content) > _MOST_BYTES:
        raise EvidenceError(f"{path}: no file of a key; expected an Ed25519 private key in PEM")
    if mode & 0o077:
        raise EvidenceError(
            f"{path}: others may read this private key (mode {stat.S_IMODE(mode):04o}); "
            f"`chmod 600 {path}`, and make a new key if anybody could have copied it"
        )
    return content


def make_key(path: Path) -> SigningKey:
    """A new private key in a file of its own; EvidenceError where there is one already."""
    key = Ed25519PrivateKey.generate()
    content = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise EvidenceError(
            f"{path} is there already, and a key is never overwritten: name another file"
        ) from None
    except OSError as error:
        raise EvidenceError(f"{path}: cannot be made ({error.strerror})") from None
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        with suppress(OSError):
            path.unlink()
        raise EvidenceError(f"{path}: cannot be written ({error.strerror})") from None
    return SigningKey(key)


def load_public_key(path: Path) -> bytes:
    """Public key of a PEM file, in its one form; EvidenceError where it is none."""
    try:
        with path.open("rb") as stream:
            content = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise EvidenceError(f"{path}: the public key cannot be read ({error.strerror})") from None
    return _pem_of(public_key(content, str(path)))


def public_key(content: bytes, name: str) -> Ed25519PublicKey:
    """A public key from PEM; EvidenceError names what else it is."""
    if b"PRIVATE KEY" in content:
        raise EvidenceError(
            f"{name}: holds a private key; expected the public part alone, as "
            "`monitor evidence keygen` prints it: never hand out the private one"
        )
    try:
        key: Any = load_pem_public_key(content[: _MOST_BYTES + 1])
    except (ValueError, TypeError, UnsupportedAlgorithm):
        raise EvidenceError(f"{name}: no public key; expected Ed25519 in PEM") from None
    if not isinstance(key, Ed25519PublicKey):
        raise EvidenceError(
            f"{name}: a public key of another kind ({type(key).__name__.strip('_')}); "
            "expected Ed25519"
        )
    return key


def key_id_of(public_pem: bytes) -> str:
    """Fingerprint of a public key: sha256 of its DER form, as hex."""
    key = public_key(public_pem, "public key")
    return sha256_hex(key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo))


def fits(public_pem: bytes, content: bytes, signature: bytes) -> bool:
    """Whether a signature over some bytes was made by the key's private part."""
    try:
        public_key(public_pem, "public key").verify(signature, content)
    except InvalidSignature:
        return False
    return True


def _pem_of(key: Ed25519PublicKey) -> bytes:
    return key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
