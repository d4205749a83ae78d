"""From bytes to JSON values: sniffing, strict access with paths, and outcomes by status.

Bytes are sniffed, never their suffix: a body is JSON, a server-sent-event stream, or an HTML page
from an edge. Whatever cannot be read raises PayloadError with the path and the keys found there.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from monitor.domain.engine import Exchange, Outcome, Reading
from monitor.errors import PayloadError

_SURROGATE_OR_NUL = re.compile("[\x00\ud800-\udfff]")
_CAPTCHA = re.compile(r"captcha|unusual traffic|are you (?:a )?(?:human|robot)", re.IGNORECASE)
_CHALLENGE = re.compile(
    r"just a moment|cf-chl|challenge-platform|attention required", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Event:
    """One server-sent event: its name (or None) and its parsed data."""

    name: str | None
    data: Any


@dataclass(frozen=True, slots=True)
class Body:
    """A body as JSON: one value, or the events of a stream (then `value` is None)."""

    value: Any
    events: tuple[Event, ...] = ()


def clean_text(text: str) -> str:
    """Text with NUL and lone surrogates replaced one for one, so offsets stay right."""
    return _SURROGATE_OR_NUL.sub("�", text)


def decode(engine: str, body: bytes) -> str:
    """Body as text; PayloadError when it is not UTF-8 or empty."""
    if not body.strip():
        raise PayloadError(engine, "$", "an empty body")
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PayloadError(engine, f"byte {error.start}", "bytes that are not UTF-8") from error


def read_json(engine: str, body: bytes) -> Any:
    """Parsed JSON; PayloadError names the line and column that broke."""
    text = decode(engine, body)
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        where = f"line {error.lineno} column {error.colno}"
        start = text.lstrip()[:40]
        raise PayloadError(engine, where, f"{error.msg}; the body starts {start!r}") from error
    except (ValueError, RecursionError) as error:
        found = "JSON nested too deep or numbers too long to read"
        raise PayloadError(engine, "$", found) from error


def is_event_stream(body: bytes) -> bool:
    """Whether the bytes look like server-sent events."""
    head = body.lstrip(b"\xef\xbb\xbf \r\n\t")[:16]
    return head.startswith((b"event:", b"data:", b"id:", b"retry:", b": ", b":\n"))


def is_html(body: bytes) -> bool:
    """Whether the bytes look like a web page."""
    return body.lstrip(b"\xef\xbb\xbf \r\n\t")[:1] == b"<"


def read_events(engine: str, body: bytes) -> tuple[Event, ...]:
    """Events of a stream in order; `[DONE]` is dropped, broken data raises PayloadError."""
    text = decode(engine, body).replace("\r\n", "\n").replace("\r", "\n")
    events = []
    for number, block in enumerate(re.split(r"\n{2,}", text.strip("\n"))):
        name, data = None, []
        for line in block.split("\n"):
            key, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if key == "event":
                name = value
            elif key == "data":
                data.append(value)
        joined = "\n".join(data)
        if not joined or joined.strip() == "[DONE]":
            continue
        try:
            events.append(Event(name, json.loads(joined)))
        except (ValueError, RecursionError) as error:
            raise PayloadError(engine, f"event {number}", f"broken data {joined[:60]!r}") from error
    return tuple(events)


def is_json_lines(body: bytes) -> bool:
    """Whether the bytes are one JSON object a line: a stream stored without its `data:` words."""
    first, _, rest = body.lstrip(b"\xef\xbb\xbf \r\n\t").partition(b"\n")
    if not first.startswith(b"{") or not rest.lstrip().startswith(b"{"):
        return False
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return True


def read_json_lines(engine: str, body: bytes) -> tuple[Event, ...]:
    """Events of a stream stored as JSON lines; a broken line raises PayloadError."""
    events = []
    for number, line in enumerate(decode(engine, body).splitlines(), start=1):
        if not line.strip():
            continue
        try:
            events.append(Event(None, json.loads(line)))
        except (ValueError, RecursionError) as error:
            raise PayloadError(engine, f"line {number}", f"broken data {line[:60]!r}") from error
    return tuple(events)


def read_stream(engine: str, body: bytes) -> tuple[Event, ...] | None:
    """Events where the body is a stream (server-sent events or JSON lines), else None."""
    if is_event_stream(body):
        return read_events(engine, body)
    if is_json_lines(body):
        return read_json_lines(engine, body)
    return None


def read_body(engine: str, body: bytes) -> Body:
    """One JSON value or the events of a stream, told apart by their bytes."""
    events = read_stream(engine, body)
    return Body(read_json(engine, body)) if events is None else Body(None, events)


def open_body(engine: str, exchange: Exchange) -> Body | Reading:
    """Body of an exchange, or the outcome its status stands for when it holds no JSON."""
    if exchange.body.strip() and is_html(exchange.body):
        return html_page(engine, exchange)
    reading = by_status(exchange.status)
    try:
        body = read_body(engine, exchange.body)
    except PayloadError as error:
        if reading is None:
            raise
        return replace(reading, warnings=(str(error),))
    if reading is not None and not body.events and not isinstance(body.value, Mapping):
        return replace(reading, warnings=(f"the body is {describe(body.value)}",))
    return body


def last_exchange(engine: str, exchanges: Sequence[Exchange]) -> Exchange:
    """The exchange that answers: the last one; PayloadError when there is none."""
    if not exchanges:
        raise PayloadError(engine, "$", "no exchange at all")
    return exchanges[-1]


def requested_model(exchange: Exchange) -> str | None:
    """Model the request asked for; None for imports and requests without one."""
    body = exchange.request.json if exchange.request else None
    return optional_string(body.get("model")) if isinstance(body, Mapping) else None


def micros(amount: Any) -> int | None:
    """Reported money in millionths of its unit; None for anything but a finite sum >= 0."""
    if isinstance(amount, bool) or not isinstance(amount, int | float):
        return None
    if not 0 <= amount < 1e9:
        return None
    return round(amount * 1_000_000)


def describe(value: Any) -> str:
    """What stands at a path, for an error: a type, and the keys of an object."""
    if isinstance(value, Mapping):
        return f"an object with keys {sorted(map(str, value))[:20]}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return f"{type(value).__name__} {str(value)[:60]!r}"


def mapping_at(engine: str, value: Any, path: str) -> Mapping[str, Any]:
    """`value` as an object, or PayloadError at `path`."""
    if not isinstance(value, Mapping):
        raise PayloadError(engine, path, f"expected an object, found {describe(value)}")
    return value


def list_at(engine: str, value: Any, path: str) -> Sequence[Any]:
    """`value` as a list, or PayloadError at `path`."""
    if not isinstance(value, list):
        raise PayloadError(engine, path, f"expected a list, found {describe(value)}")
    return value


def optional_list(engine: str, node: Mapping[str, Any], key: str, path: str) -> Sequence[Any]:
    """List under a key, empty where it is absent or null; PayloadError for anything else."""
    value = node.get(key)
    return [] if value is None else list_at(engine, value, f"{path}.{key}")


def string_at(engine: str, value: Any, path: str) -> str:
    """`value` as cleaned text, or PayloadError at `path`."""
    if not isinstance(value, str):
        raise PayloadError(engine, path, f"expected text, found {describe(value)}")
    return clean_text(value)


def optional_string(value: Any) -> str | None:
    """Cleaned text where there is some, else None."""
    return clean_text(value) if isinstance(value, str) and value else None


_MOST_COUNT = 2**53 - 1
"""Largest whole number that every reader of JSON takes as it is (RFC 8259, 6)."""


def optional_int(value: Any) -> int | None:
    """A count where there is one, else None; none is negative or beyond what JSON can carry."""
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= _MOST_COUNT else None


def require(engine: str, node: Mapping[str, Any], key: str, path: str) -> Any:
    """Value of a load-bearing key; PayloadError with the keys that were there."""
    if key not in node:
        raise PayloadError(engine, f"{path}.{key}", f"no such key in {describe(node)}")
    return node[key]


def by_status(status: int | None) -> Reading | None:
    """Outcome a bare HTTP status stands for, or None for 2xx and unknown."""
    if status is None or 200 <= status < 300:
        return None
    if status == 429:
        return Reading(Outcome.BLOCKED, "rate_limit")
    if status in {401, 403}:
        return Reading(Outcome.ERROR, "auth")
    if status == 402:
        return Reading(Outcome.ERROR, "quota")
    if status in {408, 504}:
        return Reading(Outcome.TIMEOUT)
    if 400 <= status < 500:
        return Reading(Outcome.ERROR, "request")
    return Reading(Outcome.ERROR, "server")


def html_page(engine: str, exchange: Exchange) -> Reading:
    """Outcome of a web page where JSON was due: captcha, challenge, or what its status says."""
    text = exchange.body[:200_000].decode("utf-8", "replace")
    if _CAPTCHA.search(text):
        return Reading(Outcome.BLOCKED, "captcha")
    if _CHALLENGE.search(text):
        return Reading(Outcome.BLOCKED, "challenge")
    reading = by_status(exchange.status)
    if reading is None:
        raise PayloadError(engine, "$", f"a web page instead of JSON, starting {text[:60]!r}")
    return reading
