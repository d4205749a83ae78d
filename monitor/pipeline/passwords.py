"""Passwords: argon2id with the library's own costs, and as slow for a name that nobody has."""

import secrets
import threading
import unicodedata
from dataclasses import dataclass
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

from monitor.errors import AccessError

SHORTEST = 12
LONGEST = 1024
_AT_ONCE = threading.BoundedSemaphore(2)
"""A check takes 64 MiB and a core: many at once would leave none for pages."""


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a password that somebody gave."""

    is_right: bool
    rehashed: str | None = None
    """Another hash to keep, where the library's costs have grown since."""


def require_good(password: str, name: str) -> None:
    """AccessError for a password that could be guessed, or that cannot be one."""
    length = len(_plain(password))
    if length < SHORTEST:
        raise AccessError(
            f"the password has {length} characters; expected {SHORTEST} at least: shorter ones are "
            "guessed once a copy of the store is in wrong hands; some words in a row will do"
        )
    if length > LONGEST:
        raise AccessError(f"the password has {length} characters; expected {LONGEST} at most")
    if len(set(password)) < 4 or _plain(password).casefold() == name.casefold():
        raise AccessError("the password repeats a few characters, or the name; choose another one")


def hashed(password: str) -> str:
    """What the store keeps of a password."""
    with _AT_ONCE:
        return _hasher().hash(_plain(password))


def checked(stored: str | None, password: str) -> Checked:
    """Whether a password is the one of a stored hash; as much work where there is none."""
    against = stored if stored is not None else _nobodys()
    # Longer ones are nobody's, and would take longer to hash.
    given = _plain(password[:LONGEST])
    try:
        with _AT_ONCE:
            _hasher().verify(against, given)
    except (VerifyMismatchError, VerificationError, InvalidHashError):
        return Checked(is_right=False)
    if stored is None or len(password) > LONGEST:
        return Checked(is_right=False)
    is_old = _hasher().check_needs_rehash(stored)
    return Checked(is_right=True, rehashed=hashed(password) if is_old else None)


def _plain(password: str) -> str:
    """One spelling of letters that keyboards compose differently, without lone surrogates."""
    text = password.encode("utf-8", "replace").decode()
    return unicodedata.normalize("NFC", text)


@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _nobodys() -> str:
    return _hasher().hash(secrets.token_urlsafe(32))
