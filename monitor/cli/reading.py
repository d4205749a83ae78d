"""`monitor parse` and `monitor urls`: the two doors that need no store."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from monitor import engines
from monitor.config.settings import load_settings
from monitor.config.yaml import nearest
from monitor.domain.engine import Exchange, Outcome, Reading
from monitor.domain.source import UrlIdentity
from monitor.errors import MonitorError
from monitor.pipeline.encoding import reading_json, url_json
from monitor.urls import family_map, identify

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
    known = status if status is not None else _recorded_status(file)
    reading = engines.read(engine, (Exchange(body, known),))
    if as_json:
        print(json.dumps(reading_json(engine, reading), ensure_ascii=True))
    else:
        _show(reading)
    unreadable = (reading.outcome, reading.reason) == (Outcome.ERROR, "unreadable")
    for warning in reading.warnings if unreadable else ():
        print(f"error: {warning}", file=sys.stderr)
    return 2 if unreadable else 0


def urls(
    file: Annotated[str, typer.Argument(help="One URL a line; `-` reads standard input.")],
    field: Annotated[
        bool, typer.Option("--field", help="URLs of structured fields, not of prose.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
    config: Annotated[Path | None, typer.Option(help="Settings with family overrides.")] = None,
) -> int:
    """Identity and source family of URLs, one line each."""
    families = family_map(load_settings(config).families)
    content = sys.stdin.buffer.read() if file == "-" else _bytes(Path(file))
    for line in lines_of(content):
        identity = (
            identify(line, prose=not field, families=families)
            if len(line) <= MAX_LINE
            else identify("", families=families)
        )
        row = url_json(line, identity)
        print(json.dumps(row, ensure_ascii=True) if as_json else _url_line(line, identity))
    return 0


def lines_of(content: bytes) -> list[str]:
    """Lines ended by LF or CRLF only; other separators are part of a line."""
    lines = content.decode("utf-8", "surrogateescape").split("\n")
    if lines and not lines[-1]:
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def _bytes(file: Path) -> bytes:
    """Content of a file, or a message that says why not."""
    try:
        return file.read_bytes()
    except OSError as error:
        raise MonitorError(f"{file}: cannot be read ({error.strerror})") from error


def _recorded_status(file: Path) -> int | None:
    """HTTP status that FILE.meta.json beside the payload tells, or None."""
    meta = file.with_name(file.name.rsplit(".", 1)[0] + ".meta.json")
    if not meta.exists():
        return None
    try:
        read: Any = json.loads(meta.read_bytes())
    except ValueError:
        return None
    status = read.get("status") if isinstance(read, dict) else None
    return status if isinstance(status, int) else None


def _show(reading: Reading) -> None:
    """An answer for people."""
    reason = f" ({reading.reason})" if reading.reason else ""
    print(f"outcome    {reading.outcome}{reason}")
    print(f"model      {reading.served_model or 'not told'}, retrieval {reading.retrieval}")
    print(f"queries    {', '.join(reading.queries) or 'none told'}")
    for citation in reading.citations:
        print(f"{citation.role:<10} {citation.marks} marks  {citation.url}")
    print(f"retrieved  {len(reading.retrieved)} sources")
    for warning in reading.warnings:
        print(f"warning    {warning}")
    print()
    print(reading.text)


def _url_line(raw: str, identity: UrlIdentity) -> str:
    """A URL's identity for people."""
    flags = f"  [{', '.join(identity.flags)}]" if identity.flags else ""
    return f"{identity.family or '?'}\t{identity.page_key or 'rejected'}\t{raw}{flags}"
