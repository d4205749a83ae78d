"""When something was saved, in the words of the program that saved it."""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_OF_JAVASCRIPT = re.compile(
    r"[A-Z][a-z]{2} (?P<month>[A-Z][a-z]{2}) (?P<day>\d{1,2}) (?P<year>\d{4}) "
    r"(?P<time>\d{2}:\d{2}:\d{2}) GMT(?P<zone>[+-]\d{4})"
)


def iso_moment(words: str) -> datetime | None:
    """A moment as ISO 8601 with its zone, in UTC; None for any other words."""
    try:
        return _aware(datetime.fromisoformat(words.strip()))
    except ValueError:
        return None


def mail_moment(words: str) -> datetime | None:
    """A moment as the header Date of a message has it, in UTC; None for any other words."""
    try:
        return _aware(parsedate_to_datetime(words))
    except (ValueError, TypeError, IndexError):
        return None


def script_moment(words: str) -> datetime | None:
    """A moment as a browser's scripts print it (`Tue Sep 01 2026 10:00:00 GMT+0200`), in UTC."""
    found = _OF_JAVASCRIPT.search(words)
    if found is None:
        return None
    plain = "{day} {month} {year} {time} {zone}".format(**found.groupdict())
    try:
        return _aware(datetime.strptime(plain, "%d %b %Y %H:%M:%S %z"))
    except ValueError:
        return None


def _aware(moment: datetime) -> datetime | None:
    """A moment in UTC; None where it has no zone, or lies where no calendar goes."""
    if moment.tzinfo is None:
        return None
    try:
        return moment.astimezone(UTC)
    except (OverflowError, ValueError):
        return None
