"""A signature as it is stored: with the public key it can be checked by, though keys change."""

import json
from dataclasses import dataclass

from monitor.domain.keys import canonical_json
from monitor.errors import EvidenceError
from monitor.proofs.keys import SigningKey, key_id_of

_SCHEMA = "monitor-signature-1"
_LENGTH = 64


@dataclass(frozen=True, slots=True)
class Signature:
    """What was signed by whom."""

    value: bytes
    """64 bytes."""
    public_pem: bytes

    @property
    def key_id(self) -> str:
        """Fingerprint of the public key."""
        return key_id_of(self.public_pem)


def sign(key: SigningKey, content: bytes) -> Signature:
    """The signature of some bytes."""
    return Signature(key.sign(content), key.public_pem)


def encode(signature: Signature) -> bytes:
    """The stored form of a signature: canonical JSON."""
    return canonical_json(
        {
            "schema": _SCHEMA,
            "algorithm": "Ed25519",
            "public_key": signature.public_pem.decode("ascii"),
            "signature": signature.value.hex(),
        }
    )


def decode(content: bytes, name: str) -> Signature:
    """A signature from its stored form; EvidenceError where that is cut or of another kind."""
    try:
        read = json.loads(content)
        if (read["schema"], read["algorithm"]) != (_SCHEMA, "Ed25519"):
            raise ValueError
        value, pem = bytes.fromhex(read["signature"]), read["public_key"].encode("ascii")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        raise EvidenceError(f"{name}: no signature that can be read: cut, or edited") from error
    if len(value) != _LENGTH:
        raise EvidenceError(f"{name}: a signature of {len(value)} bytes, expected {_LENGTH}")
    return Signature(value, pem)
