"""Retrieval logs of an engine's owner -> the store: what was retrieved for which prompt, and when.

A log is JSON lines of {"prompt", "engine", "time", "url", "rank"}. It says what its maker says;
nobody here saw the search.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from monitor.capture.imports.parts import ImportFileError
from monitor.config.words import nearest
from monitor.domain.keys import sha256_hex
from monitor.domain.panel import Panel, Prompt
from monitor.engines import ENGINES
from monitor.errors import EvidenceError, PanelError
from monitor.pipeline.bench import Bench
from monitor.pipeline.checking import panel_named
from monitor.pipeline.plain_files import read_plain
from monitor.store import Connection, panels
from monitor.store.retrieval_logs import LogLine, save_log

MOST_BYTES = 64_000_000
_LONGEST_URL = 8_000
_SHOWN = 20
"""Bad lines that an error names; it counts the rest."""
_KEYS = ("prompt", "engine", "time", "url", "rank")
_EXPECTED = (
    'expected an object such as {"prompt": "brew-time", "engine": "openai", '
    '"time": "2026-11-01T09:00:00Z", "url": "https://tea.example/a", "rank": 1}'
)


@dataclass(frozen=True, slots=True)
class ImportedLog:
    """What a log came to."""

    lines: int
    """Lines that say what was retrieved."""
    new: int
    """Of those, lines that the store did not have."""
    prompts: int
    engines: tuple[str, ...]
    sha256: str
    """Of the file."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A sound line before its prompt has a number in the store."""

    number: int
    prompt: Prompt
    engine: str
    asked_at: datetime
    url: str
    rank: int | None


class _BadLineError(Exception):
    """What is wrong with one line."""


def import_log(bench: Bench, panel: str, path: Path) -> ImportedLog:
    """Store a retrieval log for a panel, all of its lines or none.

    A prompt is named by its id or by its exact text. EvidenceError names every bad line, what it
    has and what was expected. The same file again adds nothing.
    """
    found = panel_named(panel, bench.settings).panel
    if found is None:
        raise PanelError(f"{panel[:200]}: no panel in this file")
    content = _content(path)
    lines = _lines(content, found, str(path)[:200])
    sha256 = sha256_hex(content)

    def save(connection: Connection) -> int:
        ids = panels.save_prompts(connection, dict.fromkeys(one.prompt for one in lines))
        rows = [
            LogLine(
                one.number,
                ids[panels.key_of(one.prompt)],
                one.engine,
                one.asked_at,
                bench.identify(one.url),
                one.rank,
            )
            for one in lines
        ]
        return save_log(connection, found.name, rows, file_sha256=sha256)

    new = bench.write(save)
    prompts = {one.prompt.id for one in lines}
    engines = tuple(sorted({one.engine for one in lines}))
    return ImportedLog(len(lines), new, len(prompts), engines, sha256)


def _content(path: Path) -> bytes:
    """Bytes of a file; EvidenceError where it cannot be read or is too large."""
    try:
        content = read_plain(path, MOST_BYTES)
    except OSError as error:
        raise EvidenceError(f"{str(path)[:200]}: cannot be read ({error.strerror})") from error
    except ImportFileError as error:
        raise EvidenceError(f"{str(path)[:200]}: {error}") from error
    if len(content) > MOST_BYTES:
        raise EvidenceError(
            f"{str(path)[:200]}: larger than 64 MB; split the log by month, line by line"
        )
    return content


def _lines(content: bytes, panel: Panel, name: str) -> Sequence[_Line]:
    """Every line of a log; EvidenceError with all bad ones."""
    by_word = {p.text: p for p in panel.prompts} | {p.id: p for p in panel.prompts}
    sound: list[_Line] = []
    problems: list[str] = []
    for number, raw in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
        if raw.strip():
            try:
                sound.append(_line(number, raw, by_word))
            except _BadLineError as error:
                problems.append(f"{name}:{number}: {error}")
    if problems:
        more = len(problems) - _SHOWN
        rest = [f"and {more} more bad lines"] if more > 0 else []
        told = "\n".join([*problems[:_SHOWN], *rest])
        raise EvidenceError(f"{told}\nNothing was stored; correct these lines and import again.")
    if not sound:
        raise EvidenceError(f"{name}: no line in it; {_EXPECTED}")
    return sound


def _line(number: int, raw: bytes, by_word: Mapping[str, Prompt]) -> _Line:
    """One line, or _BadLineError."""
    try:
        value = json.loads(raw.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _BadLineError(f"no JSON in UTF-8; {_EXPECTED}") from error
    if not isinstance(value, dict):
        raise _BadLineError(f"not an object; {_EXPECTED}")
    unknown = sorted(set(value) - set(_KEYS))
    if unknown:
        hint = nearest(unknown[0][:60], _KEYS)
        raise _BadLineError(f"unknown key {unknown[0][:60]!r}{hint}; {_EXPECTED}")
    return _Line(
        number,
        _prompt(_text(value, "prompt"), by_word),
        _engine(_text(value, "engine")),
        _time(_text(value, "time")),
        _url(_text(value, "url")),
        _rank(value.get("rank")),
    )


def _text(value: Mapping[str, Any], key: str) -> str:
    found = value.get(key)
    if not isinstance(found, str) or not found.strip():
        has = "none" if key not in value else f"{found!r:.60}"
        raise _BadLineError(f"{key}: expected text, got {has}; {_EXPECTED}")
    return found


def _prompt(said: str, by_word: Mapping[str, Prompt]) -> Prompt:
    found = by_word.get(said)
    if found is None:
        ids = [one.id for one in dict.fromkeys(by_word.values())]
        raise _BadLineError(
            f"prompt {said[:60]!r}: expected the id or the exact text of a prompt of this panel"
            f"{nearest(said[:60], ids)}"
        )
    return found


def _engine(said: str) -> str:
    if said not in ENGINES:
        raise _BadLineError(
            f"engine {said[:60]!r}: expected a name of `monitor engines`"
            f"{nearest(said[:60], ENGINES)}"
        )
    return said


def _time(said: str) -> datetime:
    try:
        found = datetime.fromisoformat(said)
        found.astimezone(UTC)
    except (ValueError, OverflowError):
        found = None
    if found is None or found.utcoffset() is None:
        raise _BadLineError(
            f"time {said[:60]!r}: expected ISO 8601 with a zone, such as 2026-11-01T09:00:00Z"
        )
    return found


def _url(said: str) -> str:
    try:
        parts = urlsplit(said)
    except ValueError:
        parts = urlsplit("")
    if parts.username is not None or parts.password is not None:
        raise _BadLineError("url: expected a web address without a login; it is not repeated here")
    if len(said) > _LONGEST_URL or not said.startswith(("http://", "https://")) or not parts.netloc:
        raise _BadLineError(
            f"url {said[:60]!r}: expected a web address of at most {_LONGEST_URL} characters, "
            "such as https://tea.example/a"
        )
    return said


def _rank(said: object) -> int | None:
    if said is None:
        return None
    if isinstance(said, bool) or not isinstance(said, int) or not 1 <= said <= 1_000_000:
        raise _BadLineError(f"rank {said!r:.60}: expected a whole number from 1, or none")
    return said
