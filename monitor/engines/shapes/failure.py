"""What a vendor's error object means: the body decides, the HTTP status only where it is mute."""

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from monitor.domain.engine import Outcome, Reading
from monitor.engines.shapes.payload import by_status, clean_text, describe

_SECRET = re.compile(r"\b(?:sk|pk|xai|pplx|key)-[\w*.-]{6,}", re.IGNORECASE)

_RULES: tuple[tuple[re.Pattern[str], Reading], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), reading)
    for pattern, reading in (
        (
            (
                r"insufficient_(?:quota|funds|credits)|insufficient (?:credits|funds|balance)"
                r"|billing|exceeded your current quota|out of credits|spending limit"
                r"|more credits|payment[_ ]required"
            ),
            Reading(Outcome.ERROR, "quota"),
        ),
        (r"unsupported_country|country, region, or territory", Reading(Outcome.BLOCKED, "geo")),
        (
            (
                r"content_(?:filter|policy)|invalid_prompt|bio_policy|cyber_policy|safety_violation"
                r"|moderation|input was flagged|usage policy"
            ),
            Reading(Outcome.NO_ANSWER, "declined"),
        ),
        (r"rate_?limit|rate limit|too many requests", Reading(Outcome.BLOCKED, "rate_limit")),
        (
            (
                r"invalid_api_key|authentication|(?:incorrect|invalid) api key|unauthori[sz]ed"
                r"|no auth credentials|permission"
            ),
            Reading(Outcome.ERROR, "auth"),
        ),
        (r"timed? ?_?out\b", Reading(Outcome.TIMEOUT)),
        (
            (
                r"server_error|internal[_ ]error|internal server error|overloaded|unavailable"
                r"|bad gateway|engine_error"
            ),
            Reading(Outcome.ERROR, "server"),
        ),
    )
)


def _words(error: Any) -> str:
    """Code, type and message of an error object, or the error itself where it is a string."""
    if not isinstance(error, Mapping):
        return clean_text(error) if isinstance(error, str) else describe(error)
    said = (error.get(key) for key in ("code", "type", "message"))
    return ": ".join(clean_text(str(part)) for part in said if isinstance(part, str | int))


def _status_of(error: Any, status: int | None) -> int | None:
    """HTTP status, else the numeric code that some vendors put into the body."""
    if status is not None and not 200 <= status < 300:
        return status
    code = error.get("code") if isinstance(error, Mapping) else None
    number = int(code) if isinstance(code, str) and code.isdecimal() and len(code) == 3 else code
    return number if isinstance(number, int) and 400 <= number < 600 else None


def by_error(error: Any, status: int | None) -> Reading:
    """Outcome of an error object; its words stay as a warning, with keys blotted out."""
    words = _words(error)
    reading = next((reading for rule, reading in _RULES if rule.search(words)), None)
    if reading is None:
        reading = by_status(_status_of(error, status))
    if reading is None:
        reading = Reading(Outcome.ERROR, "request" if "invalid" in words.lower() else "server")
    return replace(reading, warnings=(_SECRET.sub("[key]", words)[:300],))
