"""What people say beside files they hand in, and what they are told where nothing came of it."""

from datetime import UTC, datetime

from monitor.errors import MonitorError
from monitor.pipeline.importing_files import AHEAD
from monitor.pipeline.importing_found import Found


def seen_at(words: str | None) -> datetime | None:
    """The moment a person names; MonitorError where it has no zone or lies ahead."""
    if words is None:
        return None
    try:
        moment = datetime.fromisoformat(words.strip())
    except ValueError:
        moment = None
    if moment is None or moment.tzinfo is None:
        raise MonitorError(
            f"--at {words[:60]!r}: expected a date, a time and a zone, such as "
            "2026-11-03T09:30:00Z or 2026-11-03T10:30:00+01:00"
        )
    try:
        seen = moment.astimezone(UTC)
    except OverflowError:
        raise MonitorError(f"--at {words[:60]!r}: out of all calendars") from None
    if seen > datetime.now(UTC) + AHEAD:
        raise MonitorError(f"--at {words[:60]!r} lies ahead; name when the answer was seen")
    return seen


def nothing_found(found: Found, panel: str) -> str:
    """Why nothing was imported."""
    if found.unmatched_count == 1 and found.unmatched and found.unmatched[0].shown is None:
        return "the document does not show its question: name the prompt by --prompt"
    return (
        f"none of {found.unmatched_count} answers shows the text of a prompt of panel {panel}; "
        "nothing was imported. Name the prompt by --prompt, and the answer by --turn"
    )
