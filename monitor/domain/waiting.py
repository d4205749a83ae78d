"""How long to wait before a call is tried again: what the vendor asks for, else a growing pause."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from monitor.domain.engine import Exchange

_NUMBER = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")
_BODY_DELAY = re.compile(rb'"retryDelay"\s*:\s*"([0-9]{1,9}(?:\.[0-9]{1,9})?)s"')


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
