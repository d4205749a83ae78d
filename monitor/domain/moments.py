"""Moments as programs read them."""

from datetime import UTC, datetime


def utc_second(moment: datetime) -> str:
    """A moment as ISO 8601 in UTC, to the second: `2026-11-01T06:00:00Z`."""
    return f"{moment.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}"
