"""What the vendors' stand-ins share: turns, failures and keys."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from monitor.domain.keys import content_key
from monitor.sandbox.script import Answer, Ask
from monitor.sandbox.world import FaultKind

KEY_PREFIX = "sandbox-"
EPOCH = {"2026-09": 1788242400, "2026-10": 1790834400}
"""Scene -> Unix seconds of its first day at 06:00 UTC: payload times never move."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One answer to serve: ask, model, and what goes wrong."""

    ask: Ask
    answer: Answer
    requested_model: str
    served_model: str
    fault: FaultKind | None = None
    """refusal, truncated or in_body; transport failures never become a turn."""
    stray_marker: bool = False

    @property
    def id(self) -> str:
        """24 hex digits that stay the same for the same ask."""
        return content_key([self.ask.key, [s.text for s in self.answer.sentences]], 24)

    @property
    def created(self) -> int:
        """Unix seconds of the answer, fixed per ask."""
        return EPOCH[self.ask.scene] + int(self.id[:3], 16)


@dataclass(frozen=True, slots=True)
class Failure:
    """A refusal at the door: status, vendor's error body, headers."""

    status: int
    body: Mapping[str, Any]
    headers: tuple[tuple[str, str], ...] = ()


def bearer_accepted(headers: Mapping[str, str]) -> bool:
    """Whether an Authorization header carries a sandbox key."""
    scheme, _, key = headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and len(key) > len(KEY_PREFIX) and key.startswith(KEY_PREFIX)


def last_user_text(messages: object) -> str | None:
    """Text of the last user message, string or parts; else None."""
    if not isinstance(messages, list):
        return None
    told = [m for m in messages if isinstance(m, dict) and m.get("role") == "user"]
    if not told:
        return None
    content = told[-1].get("content")
    if isinstance(content, str):
        return content or None
    parts = [p for p in content or () if isinstance(p, dict) and isinstance(p.get("text"), str)]
    return "\n".join(p["text"] for p in parts) or None


def tokens(text: str) -> int:
    """Rough count of tokens: four characters each, at least one."""
    return max(1, len(text) // 4)
