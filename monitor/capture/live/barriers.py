"""What may stand between a question and its answer, told by status, address, and visible walls.

Words in a page are never searched: healthy pages name those who guard them, too.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from playwright.async_api import Response

from monitor.domain.engine import Outcome
from monitor.engines.surfaces.selectors import Address
from monitor.engines.surfaces.walls import WALLS


@dataclass(frozen=True, slots=True)
class Ending:
    """How a capture ends that has no answer: an outcome, its bracket, and what was seen."""

    outcome: Outcome
    reason: str | None = None
    detail: str | None = None


class EndedError(Exception):
    """A capture has come to an end before an answer."""

    def __init__(self, ending: Ending) -> None:
        """Keep how it ended."""
        super().__init__(ending.detail or ending.outcome.value)
        self.ending = ending


BY_ROLE: Mapping[str, tuple[Outcome, str | None]] = {
    **WALLS,
    "error_page": (Outcome.ERROR, "server"),
}
"""Role of what may stand before a page -> outcome and its bracket, in the order looked for."""

_BY_STATUS: Mapping[int, tuple[Outcome, str | None]] = {
    401: (Outcome.LOGIN_REQUIRED, None),
    403: (Outcome.BLOCKED, "challenge"),
    429: (Outcome.BLOCKED, "rate_limit"),
    451: (Outcome.BLOCKED, "geo"),
}
_STOPS = frozenset({Outcome.BLOCKED, Outcome.LOGIN_REQUIRED, Outcome.CONSENT_REQUIRED})


def needs_a_person(outcome: Outcome) -> bool:
    """Whether a surface is left alone after an outcome, until a person says otherwise."""
    return outcome in _STOPS


def wall_seen(walls: Iterable[str]) -> Ending | None:
    """The first wall of those that are seen, by its role; None where none is."""
    for role in walls:
        outcome, reason = BY_ROLE[role]
        return Ending(outcome, reason, f"{role.replace('_', ' ')} is shown")
    return None


def wall_at(url: str, addresses: Iterable[Address]) -> Ending | None:
    """The wall that the page's address names; None where it names none."""
    for one in addresses:
        if one.fits(url):
            outcome, reason = BY_ROLE[one.role]
            return Ending(outcome, reason, f"the page went to {one.host}{one.path}")
    return None


def is_challenged(reply: Response | None) -> bool:
    """Whether a reply's header says that a challenge was sent instead of the page."""
    return reply is not None and reply.headers.get("cf-mitigated", "").lower() == "challenge"


def refusal(status: int | None) -> Ending | None:
    """What an HTTP status alone says; None for one that lets pages through."""
    if status is None or status < 400:
        return None
    outcome, reason = _BY_STATUS.get(status, (Outcome.ERROR, "server"))
    if status not in _BY_STATUS and status < 500:
        outcome, reason = Outcome.LAYOUT_UNKNOWN, None
    return Ending(outcome, reason, f"HTTP status {status}")
