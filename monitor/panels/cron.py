"""Cron rules that mean what they seem to mean.

Two traps of cron dialects are refused: numbers for days of the week (0 is Sunday to some and
Monday to others) and a day of the month together with a day of the week (some take either, some
both).
"""

import re

_FIELDS = (
    ("minute", 0, 59),
    ("hour", 0, 23),
    ("day of month", 1, 31),
    ("month", 1, 12),
    ("day of week", 0, 6),
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_PART = re.compile(r"^(\*|[a-z]{3}|\d{1,2})(?:-([a-z]{3}|\d{1,2}))?(?:/(\d{1,2}))?$")


def cron_problem(cron: str) -> str | None:
    """Why a five-field cron rule is refused, or None when it is fine."""
    fields = cron.lower().split()
    if len(fields) != len(_FIELDS):
        return f"cron needs five fields (minute hour day month weekday), got {len(fields)}"
    for text, (name, low, high) in zip(fields, _FIELDS, strict=True):
        problem = _field_problem(text, name, low, high)
        if problem:
            return problem
    if fields[2] != "*" and fields[4] != "*":
        return "give a day of the month or a day of the week, not both"
    return _day_problem(fields[2], fields[3])


def _field_problem(text: str, name: str, low: int, high: int) -> str | None:
    """Why one field is refused."""
    if name == "day of month" and text == "last":
        return None
    for part in text.split(","):
        match = _PART.match(part)
        if match is None:
            return f"{name}: cannot read {part!r}"
        if name == "day of week" and re.search(r"\d", part.split("/")[0]):
            return "day of week: write names such as mon or sun; numbers differ between systems"
        for value in match.group(1), match.group(2):
            problem = _value_problem(value, name, low, high)
            if problem:
                return problem
        if match.group(3) == "0":
            return f"{name}: a step of 0 never fires"
    return None


def _value_problem(value: str | None, name: str, low: int, high: int) -> str | None:
    """Why one bound of a field is refused."""
    if value is None or value == "*":
        return None
    if value.isdigit():
        in_range = low <= int(value) <= high
        return None if in_range else f"{name}: {value} is outside {low} to {high}"
    names = _MONTHS if name == "month" else _DAYS if name == "day of week" else ()
    return None if value in names else f"{name}: {value!r} is not known"


def _day_problem(day: str, month: str) -> str | None:
    """Days that no month has, and days that some months lack."""
    if not day.isdigit():
        return None
    if int(day) == 30 and month in {"2", "feb"}:
        return "30 February never comes"
    if int(day) == 31 and month in {"2", "4", "6", "9", "11", "feb", "apr", "jun", "sep", "nov"}:
        return f"day 31 never comes in month {month}"
    if int(day) > 28 and month == "*":
        return f"day {day} skips short months; write `last` for the last day of every month"
    return None
