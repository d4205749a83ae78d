"""Which failed exchange is worth another try, and after how long.

The class follows what the body says first (an engine's `parse` already read it), then the status:
a spent quota is a 429 that no waiting mends, a throttled call may be a 400.
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from monitor.domain.engine import Exchange, Outcome, Reading

MAX_WAIT_SECONDS = 120.0
"""An engine that asks for a longer pause is not waited for within a run."""

_RETRYABLE = {
    (Outcome.BLOCKED, "rate_limit"),
    (Outcome.ERROR, "server"),
    (Outcome.ERROR, "network"),
    (Outcome.TIMEOUT, None),
}
_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")
_BODY_DELAY = re.compile(rb'"retryDelay"\s*:\s*"([0-9]{1,9}(?:\.[0-9]{1,9})?)s"')


def is_retryable(reading: Reading, exchange: Exchange) -> bool:
    """Whether another try of the same call could be answered; the vendor's own word counts most."""
    if (exchange.status or 0) >= 400:
        word = (exchange.header("x-should-retry") or "").strip().lower()
        if word in {"true", "false"}:
            return word == "true"
    return (reading.outcome, reading.reason) in _RETRYABLE


def asked_delay(exchange: Exchange, now: datetime) -> float | None:
    """Seconds the engine asks us to wait (header first, then body), or None."""
    milliseconds = (exchange.header("retry-after-ms") or "").strip()
    if _NUMBER.fullmatch(milliseconds):
        return float(milliseconds) / 1000
    asked = _retry_after((exchange.header("retry-after") or "").strip(), now)
    if asked is not None:
        return asked
    match = _BODY_DELAY.search(exchange.body[:100_000])
    return float(match.group(1)) if match else None


def _retry_after(value: str, now: datetime) -> float | None:
    """Seconds of a Retry-After header in either of its forms; None when it is neither."""
    if _NUMBER.fullmatch(value):
        return float(value)
    try:
        when = parsedate_to_datetime(value)
        if when.tzinfo is None:
            when = when.replace(tzinfo=UTC)
        return max(0.0, (when - now).total_seconds())
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def backoff(attempt: int, jitter: float) -> float:
    """Seconds before try `attempt` + 1: 1, 2, 4 ... 60, each times 0.5 to 1.5 by `jitter`."""
    return float(min(60.0, 2.0**attempt) * (0.5 + jitter))
