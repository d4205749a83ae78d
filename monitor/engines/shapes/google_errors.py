"""What the error object of a Google API means: its words decide, then its code, then the status."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

from monitor.domain.engine import Outcome, Reading
from monitor.engines.shapes.payload import by_status, describe, optional_int, optional_string

_BY_NAME: Mapping[str, Reading] = {
    "UNAUTHENTICATED": Reading(Outcome.ERROR, "auth"),
    "PERMISSION_DENIED": Reading(Outcome.ERROR, "auth"),
    "DEADLINE_EXCEEDED": Reading(Outcome.TIMEOUT),
    "UNAVAILABLE": Reading(Outcome.ERROR, "server"),
    "INTERNAL": Reading(Outcome.ERROR, "server"),
    "INVALID_ARGUMENT": Reading(Outcome.ERROR, "request"),
    "FAILED_PRECONDITION": Reading(Outcome.ERROR, "request"),
    "NOT_FOUND": Reading(Outcome.ERROR, "request"),
}


def _details(error: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    details = error.get("details")
    for detail in details if isinstance(details, list) else ():
        if isinstance(detail, Mapping):
            yield detail
            violations = detail.get("violations")
            for violation in violations if isinstance(violations, list) else ():
                if isinstance(violation, Mapping):
                    yield violation


def _outcome(error: Mapping[str, Any], status: int | None) -> Reading:
    said = optional_string(error.get("message")) or ""
    name = optional_string(error.get("status")) or ""
    details = tuple(_details(error))
    if any(d.get("reason") == "API_KEY_INVALID" for d in details) or "API key not valid" in said:
        return Reading(Outcome.ERROR, "auth")
    if "location is not supported" in said:
        return Reading(Outcome.BLOCKED, "geo")
    code = optional_int(error.get("code"))
    if name == "RESOURCE_EXHAUSTED" or code == 429:
        daily = any("PerDay" in str(d.get("quotaId")) for d in details)
        return Reading(Outcome.ERROR, "quota") if daily else Reading(Outcome.BLOCKED, "rate_limit")
    known = _BY_NAME.get(name) or by_status(code) or by_status(status)
    return known or Reading(Outcome.ERROR, "server")


def by_google_error(error: Any, status: int | None) -> Reading:
    """Outcome of an error object; a wrong key is a 400, a daily quota is not worth a retry."""
    if not isinstance(error, Mapping):
        reading = by_status(status) or Reading(Outcome.ERROR, "server")
        return replace(reading, warnings=(describe(error),))
    words = optional_string(error.get("message")) or describe(error)
    return replace(_outcome(error, status), warnings=(words[:300],))
