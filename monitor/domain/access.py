"""Who visits, and what they may do."""

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from monitor.errors import AccessError

LONGEST_NAME = 64
_IN_NAMES = frozenset(" ._@+-'")


class Role(StrEnum):
    """What a visitor may do; each role may do what those before it may."""

    VIEWER = "viewer"
    """Look."""
    ANNOTATOR = "annotator"
    """Label, write baselines, and hand in captured answers."""
    ADMIN = "admin"
    """Plan labelling, adjudicate, freeze baselines, accept alerts, make accounts and tokens."""

    def covers(self, other: "Role") -> bool:
        """Whether this role may do what the other one may."""
        order = list(Role)
        return order.index(self) >= order.index(other)


class Way(StrEnum):
    """How a visitor is known."""

    MACHINE = "machine"
    """Somebody at this machine, of whom no password is asked."""
    PASSWORD = "password"  # noqa: S105 - a word for a way, no secret
    PROXY = "proxy"
    TOKEN = "token"  # noqa: S105 - a word for a way, no secret
    COMMAND = "command"


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who asks for a page."""

    name: str | None
    """Under which labels are kept; None where nobody gave one yet."""
    role: Role
    way: Way


@dataclass(frozen=True, slots=True)
class Account:
    """Somebody who may log in, or whom a proxy names."""

    id: int
    name: str
    role: Role
    has_password: bool
    created_at: datetime
    changed_at: datetime
    """Sessions that began before are void."""
    disabled_at: datetime | None = None

    @property
    def is_enabled(self) -> bool:
        """Whether it opens anything now."""
        return self.disabled_at is None


@dataclass(frozen=True, slots=True)
class ApiToken:
    """A secret by which a program asks; only its hash is kept."""

    id: int
    name: str
    role: Role
    made_by: str | None
    created_at: datetime
    used_at: datetime | None = None
    revoked_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that somebody did."""

    id: int
    done_at: datetime
    actor: str | None
    """None: who did it gave no name."""
    role: Role
    way: Way
    action: str
    subject: str
    body: Mapping[str, Any] | None


def person_name(text: str) -> str:
    """A name under which people act and label, in one spelling; AccessError for any other text.

    Letters that are others of the same look, such as full-width ones, are taken for those.
    """
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    is_plain = name and all(one.isalnum() or one in _IN_NAMES for one in name)
    if not is_plain or len(name) > LONGEST_NAME or not name[0].isalnum():
        raise AccessError(
            f"name {text[:80]!r}: expected 1 to {LONGEST_NAME} letters, digits, spaces or any of "
            "._@+-' that begin with a letter or a digit"
        )
    return name
