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
_PART = re.compile(
    r"(?P<any>\*)(?:/(?P<every>[0-9]{1,2}))?"
    r"|(?P<first>[a-z]{3}|[0-9]{1,2})(?:-(?P<last>[a-z]{3}|[0-9]{1,2}))?(?:/(?P<step>[0-9]{1,2}))?"
)
_LONGEST = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
"""Most days of each month, January first."""


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
        match = _PART.fullmatch(part)
        if match is None:
            return f"{name}: cannot read {part!r}"
        bounds = [b for b in (match["first"], match["last"]) if b is not None]
        if name == "day of week" and any(b[0].isdigit() for b in bounds):
            return "day of week: write names such as mon or sun; numbers differ between systems"
        numbers = [_number(bound, name) for bound in bounds]
        for bound, number in zip(bounds, numbers, strict=True):
            if number is None:
                return f"{name}: {bound!r} is not known"
            if not low <= number <= high:
                return f"{name}: {bound} is outside {low} to {high}"
        problem = _mixed(part, name, bounds, match["step"])
        known = [number for number in numbers if number is not None]
        ends = ((*known, high)[0], (*known, high)[1]) if known else (low, high)
        problem = problem or _range_problem(part, name, ends, match["every"] or match["step"])
        if problem:
            return problem
    return None


def _mixed(part: str, name: str, bounds: list[str], step: str | None) -> str | None:
    """Why names together with numbers are refused: the scheduler would read the names alone."""
    digits = [bound.isdigit() for bound in bounds]
    if any(digits) and not all(digits):
        return f"{name}: {part!r} mixes a name and a number"
    if step is not None and not all(digits):
        return f"{name}: {part!r} has a step after a name; list the names instead"
    return None


def _range_problem(part: str, name: str, ends: tuple[int, int], step: str | None) -> str | None:
    """Why a range or its step is refused."""
    low, high = ends
    if low > high:
        return f"{name}: the range {part!r} runs backwards"
    if step is None:
        return None
    if int(step) == 0:
        return f"{name}: a step of 0 never fires"
    if int(step) > high - low:
        return f"{name}: a step of {int(step)} is longer than {low} to {high}"
    return None


def _number(bound: str, name: str) -> int | None:
    """A bound as a number; None for a word the field does not have."""
    if bound.isdigit():
        return int(bound)
    names = {"month": _MONTHS, "day of week": _DAYS}.get(name, ())
    return names.index(bound) + (name == "month") if bound in names else None


def _values(text: str, name: str) -> frozenset[int]:
    """Every number a sound field stands for."""
    low, high = next((low, high) for field, low, high in _FIELDS if field == name)
    found: set[int] = set()
    for part in text.split(","):
        match = _PART.fullmatch(part)
        if match is None or match["any"]:
            step = int(match["every"] or 1) if match else 1
            found.update(range(low, high + 1, step))
            continue
        first = _number(match["first"], name) or 0
        last = _number(match["last"], name) if match["last"] else high if match["step"] else first
        found.update(range(first, (last or 0) + 1, int(match["step"] or 1)))
    return frozenset(found)


def _day_problem(day: str, month: str) -> str | None:
    """Days that no month has, and days that some months lack."""
    if day in {"*", "last"}:
        return None
    days, months = _values(day, "day of month"), _values(month, "month")
    if not any(d <= _LONGEST[m - 1] for d in days for m in months):
        return f"day {day} never comes in month {month}"
    if min(days) > 28 and month == "*":
        return f"day {day} skips short months; write `last` for the last day of every month"
    return None
