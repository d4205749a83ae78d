"""`monitor parse` and `monitor urls`: the two doors that need no store."""

import json
import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from monitor import engines
from monitor.cli import complain
from monitor.config.words import nearest
from monitor.domain.engine import Exchange, Outcome, Reading, Request
from monitor.domain.source import UrlIdentity
from monitor.errors import MonitorError
from monitor.pipeline.encoding import reading_json, url_json

MAX_LINE = 100_000
"""A line longer than this is no URL; it is rejected, not parsed."""


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("parse")(parse)
    app.command("urls")(urls)


def parse(
    file: Annotated[Path, typer.Argument(help="Payload as received; `-` reads standard input.")],
    engine: Annotated[str, typer.Option(help="Engine that sent it; see `monitor engines`.")],
    status: Annotated[int | None, typer.Option(help="HTTP status it came with.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> int:
    """Read one stored payload as an answer with citations."""
    if engine not in engines.ENGINES:
        raise MonitorError(f"unknown engine {engine!r}{nearest(engine, engines.ENGINES)}")
    body = sys.stdin.buffer.read() if str(file) == "-" else _bytes(file)
    recorded, request = _recorded(file)
    known = recorded if status is None else status
    reading = engines.read(engine, (Exchange(body, known, request=request),))
    if as_json:
        print(json.dumps(reading_json(engine, reading), ensure_ascii=True))
    else:
        _show(reading)
    unreadable = (reading.outcome, reading.reason) == (Outcome.ERROR, "unreadable")
    for warning in reading.warnings if unreadable else ():
        complain(f"error: {warning}")
    return 2 if unreadable else 0


def urls(
    file: Annotated[str, typer.Argument(help="One URL a line; `-` reads standard input.")],
    field: Annotated[
        bool, typer.Option("--field", help="URLs of structured fields, not of prose.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    config: Annotated[Path | None, typer.Option(help="Settings with family overrides.")] = None,
) -> int:
    """Tell page and source family of URLs, one line each.

    Every line of input gives one line of output, in order; an empty one is a rejected URL.
    """
    from monitor.urls import family_map, identify  # `parse` starts without the family tables

    families = family_map(_overrides(config))
    content = sys.stdin.buffer.read() if file == "-" else _bytes(Path(file))
    for line in lines_of(content):
        identity = (
            identify(line, prose=not field, families=families)
            if len(line) <= MAX_LINE
            else identify("", families=families)
        )
        row = url_json(line, identity)
        if as_json:
            print(json.dumps(row, ensure_ascii=True))
        else:
            _say(_url_line(line, identity))
    return 0


def _overrides(config: Path | None) -> Mapping[str, str | Mapping[str, str]]:
    """Family overrides of the settings; none, and nothing loaded, where there are no settings."""
    set_by_variable = any(name.upper().startswith("MONITOR_") for name in os.environ)
    if config is None and not set_by_variable and not Path("config.yaml").exists():
        return {}
    from monitor.config.settings import load_settings  # takes longer than all the rest

    return load_settings(config).families


def lines_of(content: bytes) -> list[str]:
    """Lines ended by LF or CRLF only; other separators are part of a line.

    Bytes that are not UTF-8 stay as half characters, so that no line is lost; a byte order mark
    belongs to the file.
    """
    plain = content.removeprefix(b"\xef\xbb\xbf")
    lines = plain.decode("utf-8", "surrogateescape").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _bytes(file: Path) -> bytes:
    """Content of a file, or a message that says why not."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise MonitorError(f"{file}: cannot be read ({error.strerror})") from error


def _recorded(file: Path) -> tuple[int | None, Request | None]:
    """HTTP status and request that FILE.meta.json beside the payload tells, as far as it does."""
    meta = file.with_name(file.name.rsplit(".", 1)[0] + ".meta.json")
    if str(file) == "-" or meta == file or not meta.exists():
        return None, None
    try:
        read: Any = json.loads(meta.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        complain(f"warning: {meta}: ignored, not readable: {_short(error)}")
        return None, None
    if not isinstance(read, dict):
        complain(f"warning: {meta}: ignored, expected one JSON object")
        return None, None
    return _status(read.get("status"), meta), _request(read)


def _status(value: Any, meta: Path) -> int | None:
    """An HTTP status; anything else is ignored with a warning."""
    if isinstance(value, int) and not isinstance(value, bool) and 100 <= value <= 599:
        return value
    if value is not None:
        complain(f"warning: {meta}: status {str(value)[:40]!r} is no HTTP status")
    return None


def _request(read: Mapping[str, Any]) -> Request | None:
    """The recorded call, without its headers; None where nothing is told of it."""
    body, uri, method = read.get("request_body"), read.get("uri"), read.get("method")
    if body is None and uri is None:
        return None
    return Request(
        method.upper() if isinstance(method, str) else "POST",
        uri if isinstance(uri, str) else "",
        body,
    )


def _short(error: Exception) -> str:
    """First line of an error, or its kind."""
    return (str(error) or error.__class__.__name__).splitlines()[0][:120]


_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def _say(text: str) -> None:
    """Print text of strangers: no control characters, nothing the terminal cannot encode."""
    encoding = sys.stdout.encoding or "utf-8"
    plain = _CONTROLS.sub("\ufffd", text)
    print(plain.encode(encoding, "backslashreplace").decode(encoding))


def _show(reading: Reading) -> None:
    """An answer for people."""
    reason = f" ({reading.reason})" if reading.reason else ""
    lines = [
        f"outcome    {reading.outcome}{reason}",
        f"model      {reading.served_model or 'not told'}, retrieval {reading.retrieval}",
        f"queries    {', '.join(reading.queries) or 'none told'}",
        *(f"{c.role:<10} {c.marks} marks  {c.url}" for c in reading.citations),
        f"retrieved  {len(reading.retrieved)} sources",
        *(f"warning    {warning}" for warning in reading.warnings),
        "",
        reading.text,
    ]
    for line in lines:
        _say(line)


def _url_line(raw: str, identity: UrlIdentity) -> str:
    """A URL's identity for people."""
    flags = f"  [{', '.join(identity.flags)}]" if identity.flags else ""
    return f"{identity.family or '?'}\t{identity.page_key or 'rejected'}\t{raw}{flags}"
