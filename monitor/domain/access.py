"""Who visits, and what they may do."""

from dataclasses import dataclass
from enum import StrEnum


class Role(StrEnum):
    """What a visitor may do; each role may do what those before it may."""

    VIEWER = "viewer"
    """Look."""
    ANNOTATOR = "annotator"
    """Label, and write baselines."""
    ADMIN = "admin"
    """Plan labelling, adjudicate, freeze baselines, upload, make accounts and tokens."""

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
