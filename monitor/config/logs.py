"""Log lines: what happened, with ids, counts and words of closed lists.

Edges call `log` and `about`; a door calls `configure_logs` once. A line has no field for a prompt,
an answer, a body or a key, and an address in it is cut to its host.
"""

import json
import logging
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from monitor.config.parts import HealthPart

_LOGGER = logging.getLogger("monitor")
# Silent until a door speaks: a library writes nothing by itself.
_LOGGER.addHandler(logging.NullHandler())

_ABOUT: ContextVar[Mapping[str, Any]] = ContextVar("about", default={})  # noqa: B039 - never changed
_LEVELS = {"debug": 10, "info": 20, "warning": 30, "error": 40}
_ADDRESS = re.compile(
    r"\b([a-z][a-z0-9+.-]*://)(?:[^\s/@]*@)?([^\s/?#'\"]*)[^\s'\"]*", re.IGNORECASE
)
_LONGEST = 200
"""Characters of one field: enough for a reason, too few for an answer."""


@contextmanager
def about(
    *, run: str | None = None, capture: int | None = None, engine: str | None = None
) -> Iterator[None]:
    """Name the run, capture or engine that every line inside is about."""
    more = {"run": run, "capture": capture, "engine": engine}
    token = _ABOUT.set(_ABOUT.get() | {k: v for k, v in more.items() if v is not None})  # type: ignore[operator]
    try:
        yield
    finally:
        _ABOUT.reset(token)


def log(
    event: str,
    *,
    level: str = "info",
    run: str | None = None,
    capture: int | None = None,
    engine: str | None = None,
    panel: str | None = None,
    slot: str | None = None,
    job: str | None = None,
    kind: str | None = None,
    worker: str | None = None,
    state: str | None = None,
    outcome: str | None = None,
    reason: str | None = None,
    status: int | None = None,
    attempt: int | None = None,
    count: int | None = None,
    total: int | None = None,
    seconds: float | None = None,
    duration_ms: int | None = None,
    micros: int | None = None,
    counts: Mapping[str, int] | None = None,
    error: BaseException | None = None,
) -> None:
    """Write a line about an event; of an error only its class is told, never its text."""
    weight = _LEVELS[level]
    if not _LOGGER.isEnabledFor(weight):
        return
    given = dict(locals())
    fields = {name: given[name] for name in _FIELDS if given[name] is not None}
    if error is not None:
        fields["error"] = type(error).__name__
    _LOGGER.log(weight, event, extra={"about": {**_ABOUT.get(), **fields}})


_FIELDS = (
    "run", "capture", "engine", "panel", "slot", "job", "kind", "worker", "state", "outcome",
    "reason", "status", "attempt", "count", "total", "seconds", "duration_ms", "micros", "counts",
)  # fmt: skip


def configure_logs(part: HealthPart, *, service: bool) -> None:
    """Send log lines to standard error as settings say; a second call replaces the first.

    A service tells what it does; a command of one run draws bars and tells what went wrong.
    """
    own = _StandardError()
    own.setFormatter(_Json() if part.log_format == "json" else _Text())
    root = logging.getLogger()
    for handler in [one for one in root.handlers if isinstance(one, _StandardError)]:
        root.removeHandler(handler)
    root.addHandler(own)
    # Libraries tell what goes wrong; at lower levels some of them write whole addresses.
    root.setLevel(logging.WARNING)
    _LOGGER.setLevel(_LEVELS[part.log_level or ("info" if service else "warning")])


def scrubbed(text: str) -> str:
    """A text short enough for a line, on one line, with every address cut to its host."""
    bare = _ADDRESS.sub(r"\1\2", " ".join(text.split()))
    return bare if len(bare) <= _LONGEST else f"{bare[: _LONGEST - 3]}..."


class _StandardError(logging.StreamHandler[Any]):
    """Standard error as it is at the moment of the line."""

    def __init__(self) -> None:
        logging.Handler.__init__(self)

    @property
    def stream(self) -> Any:
        """Where lines go."""
        return sys.stderr


def _fields(record: logging.LogRecord) -> dict[str, Any]:
    """Everything that a line tells, in order."""
    fields: dict[str, Any] = {
        "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
        "level": record.levelname.lower(),
    }
    told = getattr(record, "about", None)
    if told is None:
        # A library's own line: its first sentence, without the values of an error's text.
        fields |= {"event": "library", "logger": record.name, "says": scrubbed(record.getMessage())}
    else:
        fields |= {"event": record.getMessage(), **{k: _plain(v) for k, v in told.items()}}
    if record.exc_info and record.exc_info[0] is not None:
        fields["error"] = record.exc_info[0].__name__
    return fields


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return scrubbed(value)
    if isinstance(value, Mapping):
        return {scrubbed(str(key)): n for key, n in list(value.items())[:50]}
    return round(value, 3) if isinstance(value, float) else value


class _Json(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        return json.dumps(_fields(record), ensure_ascii=True)


class _Text(logging.Formatter):
    """Time, level and event, then name=value."""

    def format(self, record: logging.LogRecord) -> str:
        fields = _fields(record)
        head = f"{fields.pop('time')} {fields.pop('level'):<7} {fields.pop('event')}"
        return " ".join([head, *(f"{name}={_shown(value)}" for name, value in fields.items())])


def _shown(value: Any) -> str:
    """A value without spaces as it is, any other as JSON."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=True)
    return text if re.fullmatch(r"[\w.:+/@-]+", text, re.ASCII) else json.dumps(text)
