"""`monitor doctor`: what this installation reaches, and how well a saved answer is understood."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from monitor.capture.chromium import find_chromium
from monitor.cli import USER
from monitor.cli.console import OUT, table
from monitor.cli.options import AsJson, Config
from monitor.config.endpoints import endpoints
from monitor.config.settings import Settings, load_settings
from monitor.domain.turn import Turn
from monitor.engines import ENGINES, READERS
from monitor.errors import MonitorError
from monitor.pipeline.doctoring import Diagnosis, diagnose
from monitor.pipeline.plain_files import open_plain
from monitor.report.digest import plain
from monitor.store import check, open_database

_ROLES = ("displayed", "listed", "link")


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("doctor")(doctor)


def doctor(
    ui: Annotated[
        Path | None,
        typer.Option("--ui", help="A saved page or other document of an answer surface."),
    ] = None,
    engine: Annotated[
        str | None, typer.Option(help="Surface to look at it by; all that know it otherwise.")
    ] = None,
    config: Config = None,
    as_json: AsJson = False,
) -> int:
    """Say what is reached, or how a saved answer is read.

    With --ui it tells the surface, which selectors hit and missed, citations in the document
    against those shown, addresses that are hidden behind "+N", how much of the answer's text was
    read, the outcome and why; 0 where an answer was read, else 2.
    """
    if ui is not None:
        return _document(ui, engine, as_json=as_json)
    if engine is not None:
        raise MonitorError("--engine goes with --ui FILE; `monitor engines` lists all engines")
    return _installation(load_settings(config), as_json=as_json)


def _document(file: Path, engine: str | None, *, as_json: bool) -> int:
    try:
        with open_plain(file) as opened:
            found = diagnose(opened, engine)
    except OSError as error:
        raise MonitorError(f"{file}: cannot be read ({error.strerror})") from error
    except MonitorError as error:
        raise MonitorError(f"{file}: {error}") from error
    if as_json:
        documents = [_diagnosis_json(one) for one in found]
        told = {"schema": 1, "file": str(file), "documents": documents}
        print(json.dumps(told, ensure_ascii=True))
    else:
        for one in found:
            _show(one)
    return 0 if any(one.answered for one in found) else USER


def _diagnosis_json(one: Diagnosis) -> dict[str, Any]:
    return {
        "engine": one.engine,
        "form": one.form.value,
        "member": one.member,
        "problem": one.problem,
        "selectors": {
            "version": one.version,
            "rows": [
                {
                    "role": row.role,
                    "css": row.css,
                    "hits": row.hits,
                    "verified_on": row.verified_on.isoformat(),
                    "seen_in": row.seen_in,
                    "confidence": row.confidence,
                }
                for row in one.selectors
            ],
        },
        "answers": [_turn_json(turn) for turn in one.turns],
    }


def _turn_json(turn: Turn) -> dict[str, Any]:
    reading, known, layout = turn.reading, turn.completeness, turn.layout
    roles = Counter(citation.role.value for citation in reading.citations)
    return {
        "index": turn.index,
        "id": turn.id,
        "prompt": turn.prompt,
        "outcome": reading.outcome.value,
        "reason": reading.reason,
        "why": list(reading.warnings),
        "served_model": reading.served_model,
        "citations_in_document": layout.in_document,
        "citations_shown": layout.shown,
        "urls": {role: roles[role] for role in _ROLES} | {"retrieved": len(reading.retrieved)},
        "hidden_citations": reading.hidden_citations,
        "disagreements": list(layout.disagreements),
        "characters": len(reading.text),
        "coverage": layout.coverage,
        "completeness": {
            "hidden_citations": known.hidden_citations,
            "offsets_exact": known.offsets_exact,
            "model_known": known.model_known,
            "locale_known": known.locale_known,
            "retrieved_known": known.retrieved_known,
        },
    }


def _show(one: Diagnosis) -> None:
    """A document's diagnosis for people."""
    where = f", in {plain(one.member)}" if one.member else ""
    OUT.print(f"surface     {one.engine} ({ENGINES[one.engine].label}), form {one.form}{where}")
    if one.problem is not None:
        OUT.print(f"outcome     error (unreadable): {plain(one.problem, 500)}")
    elif not one.turns:
        OUT.print("outcome     layout_unknown: no answer was found in the document")
    for turn in one.turns:
        for name, words in _turn_lines(turn, len(one.turns)):
            OUT.print(f"{name:<11} {plain(words, 500)}")
    if one.selectors:
        columns = ("role", "selector", "verified on", "confidence", "seen in", "hits")
        OUT.print("")
        table(
            f"selectors, version {one.version}",
            columns,
            [
                (s.role, s.css, s.verified_on.isoformat(), s.confidence, s.seen_in,
                 str(s.hits) if s.hits else "missed")
                for s in one.selectors
            ],
            texts=5,
        )  # fmt: skip
    OUT.print("")


def _turn_lines(turn: Turn, count: int) -> Iterator[tuple[str, str]]:
    reading, layout = turn.reading, turn.layout
    reason = f" ({reading.reason})" if reading.reason else ""
    roles = Counter(citation.role.value for citation in reading.citations)
    urls = ", ".join(f"{roles[role]} {role}" for role in _ROLES)
    hidden = reading.hidden_citations
    behind = "how many are hidden cannot be told" if hidden is None else f"{hidden} hidden (+N)"
    covered = "" if layout.coverage is None else f", {layout.coverage:.0%} of what is visible"
    yield f"answer {turn.index + 1}/{count}", turn.prompt or "its question is not in the document"
    yield "  outcome", f"{reading.outcome}{reason}"
    for why in reading.warnings:
        yield "  why", why
    yield "  citations", f"{layout.in_document} in the document, {layout.shown} shown"
    yield "  URLs", f"{urls}; {len(reading.retrieved)} searched; {behind}"
    for said in layout.disagreements:
        yield "  selectors", f"disagree on {said}"
    yield "  text", f"{len(reading.text)} characters{covered}"
    yield "  model", reading.served_model or "not told"


def _installation(settings: Settings, *, as_json: bool) -> int:
    """Endpoints that skip the address check, the browser, and the store."""
    trusted = endpoints(settings)
    browser = find_chromium(settings.browser.executable)
    store = _store(settings)
    if as_json:
        rows = [{"setting": one.setting, "address": one.address} for one in trusted]
        told = {"schema": 1, "endpoints": rows, "browser": browser, "store": store}
        print(json.dumps(told | {"surfaces": sorted(READERS)}, ensure_ascii=True))
        return 0 if store is None else USER
    OUT.print("endpoints you wrote: they skip the address check, and redirects are not followed")
    for one in trusted:
        OUT.print(f"  {one.setting:<32} {plain(one.address or 'set, not shown: it is a secret')}")
    if not trusted:
        OUT.print("  none")
    OUT.print(f"browser     {browser or 'none; `monitor browser install` gets one'}")
    OUT.print(f"store       {store or 'up to date'}")
    OUT.print(f"surfaces    {', '.join(READERS)} (`monitor doctor --ui FILE` reads a saved one)")
    return 0 if store is None else USER


def _store(settings: Settings) -> str | None:
    """What is wrong with the store; None where it can be used. A store is not made by looking."""
    kind, _, path = settings.store.database.partition(":///")
    if kind == "sqlite" and path and not Path(path).exists():
        return f"no store yet at {path}: `monitor db upgrade` makes it"
    try:
        with closing(open_database(settings.store.database)) as database:
            return check(database)
    except MonitorError as error:
        return str(error)
