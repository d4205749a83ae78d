"""Which failed exchange is worth another try, and after how long.

The class follows what the body says first (an engine's `parse` already read it), then the status:
a spent quota is a 429 that no waiting mends, a throttled call may be a 400.
"""

from monitor.domain.engine import Exchange, Outcome, Reading
from monitor.domain.waiting import asked_delay, backoff

__all__ = ["MAX_WAIT_SECONDS", "asked_delay", "backoff", "is_retryable"]

MAX_WAIT_SECONDS = 120.0
"""An engine that asks for a longer pause is not waited for within a run."""

_RETRYABLE = {
    (Outcome.BLOCKED, "rate_limit"),
    (Outcome.ERROR, "server"),
    (Outcome.ERROR, "network"),
    (Outcome.TIMEOUT, None),
}


def is_retryable(reading: Reading, exchange: Exchange) -> bool:
    """Whether another try of the same call could be answered; the vendor's own word counts most."""
    if (exchange.status or 0) >= 400:
        word = (exchange.header("x-should-retry") or "").strip().lower()
        if word in {"true", "false"}:
            return word == "true"
    return (reading.outcome, reading.reason) in _RETRYABLE
