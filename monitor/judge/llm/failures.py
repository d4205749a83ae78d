"""What became of one call: heard, worth another try, refused in its form, or the end of all calls.

The status decides, and the words of the error object where several things share one status. Only
the code, the type and the beginning of the message are read: some servers send back what they were
sent, and a page about billing must not end a run.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from monitor.domain.engine import Exchange

NETWORK, TIMEOUT, CUT, TOO_LARGE, ENCODING = (
    "network", "timeout", "cut_stream", "too_large", "encoding",
)  # fmt: skip
"""Why a call has no body."""


class Fate(StrEnum):
    """What to do after a call."""

    HEARD = "heard"
    RETRY = "retry"
    LOST = "lost"
    """No other try can help; the question is not judged."""
    REFUSED = "refused"
    """The vendor does not let its model read this."""
    NO_FORM = "no_form"
    """The form of the reply cannot be asked for in this way."""
    NO_TEMPERATURE = "no_temperature"
    OTHER_CAP = "other_cap"
    NO_MONEY = "no_money"
    """The account has nothing left."""
    FATAL = "fatal"
    """No call of this judge will succeed: a wrong key, a wrong model, a wrong address."""


LASTING = frozenset({Fate.HEARD, Fate.REFUSED, Fate.NO_FORM, Fate.NO_TEMPERATURE, Fate.OTHER_CAP})
"""Fates that a later run takes from the stored call; the others are asked again."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call, sorted."""

    fate: Fate
    word: str = ""
    """For the verdict's reasons; empty where it was heard."""
    document: Mapping[str, Any] | None = None
    """The body of a call that was heard."""
    says: str = ""
    """The vendor's words, for the operator."""


def _rule(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


_KEY = _rule(r"api[_ ]?key[_ ](?:not valid|invalid)|(?:invalid|incorrect)[_ ](?:x-)?api[_ -]?key")
_MONEY = _rule(
    r"insufficient[_ ](?:quota|funds|credits|balance)|credit balance is too low|spending limit"
    r"|billing_hard_limit|payment[_ ]required|PerDay"
)
"""Not the word `billing`: vendors also point there when a call only came too early."""
_MODERATED = _rule(
    r"content[_ ](?:filter|policy|management)|moderation|invalid_prompt|flagged|usage polic|safety"
)
_MODEL = _rule(
    r"model_not_found|unknown model|(?:no|not a) (?:valid|such) model"
    r"|model\b.{0,80}\b(?:not found|does not exist|not exist|is not available|not supported)"
)
_LONG = _rule(
    r"context[_ ](?:length|window)|prompt is too long|too many tokens|maximum.{0,20}tokens"
)
_FORM = _rule(
    r"response_format|json_schema|output_config|responseJsonSchema|responseMimeType|schema"
)
_CAP = _rule(r"max_(?:completion_)?tokens")


def sort_call(exchange: Exchange) -> Call:
    """What became of a call, by its status and the words of its error."""
    if exchange.failure in {NETWORK, TIMEOUT, CUT}:
        return Call(Fate.RETRY, exchange.failure or "")
    if exchange.failure is not None:
        return Call(Fate.LOST, exchange.failure)
    status = exchange.status or 0
    document = _document(exchange.body)
    if 200 <= status < 300:
        return _of_success(document)
    return _of_error(status, _words(document))


def _of_success(document: Any) -> Call:
    """A call that succeeded by its status: some servers put their errors there."""
    if not isinstance(document, Mapping):
        return Call(Fate.RETRY, "unreadable")
    error = document.get("error")
    if not error:
        return Call(Fate.HEARD, document=document)
    code = error.get("code") if isinstance(error, Mapping) else None
    sound = isinstance(code, int) and not isinstance(code, bool) and 400 <= code < 600
    return _of_error(code if sound and isinstance(code, int) else 500, _words(document))


def _of_error(status: int, words: str) -> Call:
    if status in {400, 413, 422}:
        return _of_request(status, words)
    if 300 <= status < 400:
        return Call(Fate.LOST, "redirected", says=words)
    if status in {401, 403}:
        moderated = status == 403 and _MODERATED.search(words)
        return Call(Fate.REFUSED, "refused") if moderated else Call(Fate.FATAL, "auth", says=words)
    if status == 402 or (status == 429 and _MONEY.search(words)):
        return Call(Fate.NO_MONEY, "quota", says=words)
    if status in {404, 405, 410}:
        return Call(Fate.FATAL, "model", says=words)
    if status == 429:
        return Call(Fate.RETRY, "rate_limit", says=words)
    if status in {408, 409, 425} or status >= 500:
        return Call(Fate.RETRY, "server", says=words)
    return Call(Fate.LOST, "request_refused", says=words)


def _of_request(status: int, words: str) -> Call:
    """A request that was refused: which part of it, as far as the words tell."""
    if _KEY.search(words):
        return Call(Fate.FATAL, "auth", says=words)
    if status == 413 or _LONG.search(words):
        return Call(Fate.LOST, "too_long", says=words)
    if _CAP.search(words):
        return Call(Fate.OTHER_CAP, "request_refused", says=words)
    if "temperature" in words.lower():
        return Call(Fate.NO_TEMPERATURE, "request_refused", says=words)
    if _FORM.search(words):
        return Call(Fate.NO_FORM, "request_refused", says=words)
    if _MONEY.search(words):
        return Call(Fate.NO_MONEY, "quota", says=words)
    if _MODERATED.search(words):
        return Call(Fate.REFUSED, "refused", says=words)
    if _MODEL.search(words):
        return Call(Fate.FATAL, "model", says=words)
    return Call(Fate.NO_FORM, "request_refused", says=words)


def _document(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _words(document: Any) -> str:
    """Code, status, type and the beginning of the message of an error object."""
    found = document[0] if isinstance(document, list) and document else document
    error = found.get("error", found) if isinstance(found, Mapping) else found
    if isinstance(error, str):
        return error[:300]
    if not isinstance(error, Mapping):
        return ""
    said = [error.get(name) for name in ("code", "status", "type", "param", "message", "detail")]
    reasons = [one.get("reason") or one.get("quotaId") for one in _details(error)]
    parts = [str(one)[:300] for one in (*said, *reasons) if isinstance(one, str | int)]
    return ": ".join(parts)


def _details(error: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Details of an error of Google's, and the violations in them."""
    found = [one for one in _list(error.get("details")) if isinstance(one, Mapping)]
    inner = [more for one in found for more in _list(one.get("violations"))]
    return [*found, *(one for one in inner if isinstance(one, Mapping))]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
