"""Walls that may stand where an answer should be: the outcome that each selector role means."""

from collections.abc import Mapping
from types import MappingProxyType

from monitor.domain.engine import Outcome

WALLS: Mapping[str, tuple[Outcome, str | None]] = MappingProxyType(
    {
        "challenge": (Outcome.BLOCKED, "challenge"),
        "captcha": (Outcome.BLOCKED, "captcha"),
        "rate_limit": (Outcome.BLOCKED, "rate_limit"),
        "geo": (Outcome.BLOCKED, "geo"),
        "login_wall": (Outcome.LOGIN_REQUIRED, None),
        "consent": (Outcome.CONSENT_REQUIRED, None),
    }
)
"""Role -> outcome and its bracket, in the order they are looked for."""
