"""Content keys: the same value gives the same key on every machine."""

import hashlib
import json
from typing import Any


def sha256_hex(content: bytes) -> str:
    """SHA-256 of bytes as 64 lower-case hex digits."""
    return hashlib.sha256(content).hexdigest()


def canonical_json(value: Any) -> bytes:
    """One byte form of a JSON value: sorted keys, no spaces, ASCII only."""
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    ).encode("ascii")


def content_key(value: Any, length: int = 64) -> str:
    """Hex key of a JSON value, cut to `length` digits."""
    return sha256_hex(canonical_json(value))[:length]


def slot_of(run: str) -> str:
    """Slot of a run by its public id `run:PANEL:SLOT`; any other name as it is."""
    kind, _, rest = run.partition(":")
    slot = rest.partition(":")[2]
    return slot if kind == "run" and slot else run


def text_key(text: str) -> str:
    """SHA-256 of a text; lone surrogates are replaced so that every string has a key."""
    return sha256_hex(text.encode("utf-8", "replace"))
