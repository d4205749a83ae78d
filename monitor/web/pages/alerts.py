"""Alerts: the list, one with its evidence, and the form by which a person takes a new level."""

from collections.abc import Sequence
from functools import partial
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query
from fastapi.responses import RedirectResponse

from monitor.domain.access import Role
from monitor.domain.alert import Severity, StoredAlert
from monitor.domain.change import Event
from monitor.engines import ENGINES
from monitor.pipeline.alert_deliveries import alert_deliveries, alert_digest
from monitor.pipeline.alert_list import accept_alerts
from monitor.pipeline.alert_recipes import counted_words
from monitor.pipeline.outboxes import Told
from monitor.pipeline.sending import links_of
from monitor.report.digest import alert_text, digest_text, plain
from monitor.report.screens.alerts import (
    AlertsScreen,
    Choices,
    ToldLine,
    alert_line,
    alerts_address,
    alerts_table,
    alerts_title,
)
from monitor.report.screens.links import alert_address
from monitor.report.screens.one_alert import AlertScreen, alert_screen, answers_table
from monitor.store import Connection, alerts, audit, runs, scores
from monitor.store.alert_search import (
    AlertSearch,
    AlertState,
    alert_names,
    count_alerts,
    find_alerts,
)
from monitor.web.access.acts import act
from monitor.web.access.visiting import VisitorOf
from monitor.web.desk import Desk
from monitor.web.pages.finding import DeskOf, WindowOf, Words, require_panel, some_of
from monitor.web.pages.seeing import note_cited
from monitor.web.problems import not_found
from monitor.web.screens import Screen

ROUTER = APIRouter()

AlertId = Annotated[int, Path(description="Id of an alert.")]
_Engine = Annotated[str, Query(max_length=100, description="Only alerts about this engine.")]
_Panel = Annotated[str, Query(max_length=100, description="Only alerts of this panel.")]
_State = Annotated[AlertState, Query(description="Which alerts are meant.")]
_Severity = Annotated[
    str, Query(pattern="^(critical|warning|notice|)$", description="Only alerts this grave.")
]


def asked_of(
    *,
    panel: _Panel = "",
    engine: _Engine = "",
    state: _State = AlertState.OPEN,
    severity: _Severity = "",
    words: Words = "",
) -> AlertSearch:
    """Which alerts the query asks for."""
    grave = Severity(severity) if severity else None
    return AlertSearch(panel or None, engine or None, state, grave, words)


def load_alerts(
    desk: DeskOf, asked: Annotated[AlertSearch, Depends(asked_of)], window: WindowOf
) -> AlertsScreen:
    """Alerts, newest first."""
    names = desk.bench.read(alert_names)
    _require_named(desk, asked, names)
    total = desk.bench.read(partial(count_alerts, asked=asked))
    choices = _choices(asked, names)
    pager = window.pager(total, partial(alerts_address, choices))
    found = desk.bench.read(
        lambda c: find_alerts(c, asked, limit=window.size, offset=window.offset)
    )
    told = desk.bench.read(partial(alert_deliveries, found=found))
    labels = _labels()
    counted = desk.bench.read(partial(counted_words, found=found))
    lines = tuple(
        alert_line(one, _told(told[one.id]), labels, counted=counted.get(one.id, ""))
        for one in found
    )
    return AlertsScreen(alerts_title(total, asked.state.value), choices, lines, pager)


def load_alert(desk: DeskOf, alert_id: AlertId, who: VisitorOf) -> AlertScreen:
    """One alert with its numbers, the answers behind it, and what became of it."""
    one = _alert(desk, alert_id)
    told = _told(desk.bench.read(partial(alert_deliveries, found=[one]))[one.id])
    digest = desk.bench.read(partial(alert_digest, one=one))
    links = links_of(desk.bench.settings)
    counted = desk.bench.read(partial(counted_words, found=[one])).get(one.id, "")
    events = digest.events if digest else desk.bench.read(partial(_events, one=one))
    shown = alert_screen(
        one,
        alert_line(one, told, _labels(), counted=counted),
        events=events,
        told=told,
        digest=digest_text(digest, links) if digest else alert_text(one.alert, links),
    )
    note_cited(desk, one.panel, {line.capture_id: line.prompt for line in shown.answers}, who)
    return shown


@act(
    ROUTER,
    "/alerts/{alert_id}/accept",
    role=Role.ADMIN,
    form_on="/alerts/{alert_id}",
    include_in_schema=False,
)
def accept(desk: DeskOf, who: VisitorOf, alert_id: AlertId) -> RedirectResponse:
    """Close an alert, since the new level is the level from now on."""
    one = _alert(desk, alert_id)
    noted = partial(
        audit.note,
        who=who,
        action="accept alert",
        subject=str(one.id),
        at=desk.bench.clock.now(),
        body={"panel": one.panel, "engine": one.alert.engine, "entity": one.alert.entity},
    )
    accept_alerts(desk.bench, [one.id], also=noted)
    return RedirectResponse(alert_address(one.id), status_code=303)


def _alert(desk: Desk, alert_id: int) -> StoredAlert:
    found = desk.bench.read(partial(alerts.load_alert, alert_id=alert_id))
    if found is None:
        raise not_found(f"no alert {str(alert_id)[:40]}; the list of alerts is under /alerts")
    return found


def _events(connection: Connection, one: StoredAlert) -> Sequence[Event]:
    """What changed between the last run that an alert was held against and its own."""
    if not one.alert.before:
        return ()
    sides = (one.alert.before[-1], one.alert.after)
    before, after = (runs.load_run(connection, name) for name in sides)
    if before is None or after is None:
        return ()
    compared = scores.load_comparisons(connection, before.id, after.id).get(one.alert.engine)
    return compared[1].events if compared else ()


def _require_named(desk: Desk, asked: AlertSearch, names: Sequence[tuple[str, str]]) -> None:
    """404 for a panel or an engine that neither alerts nor anything else knows."""
    if asked.panel not in {panel for panel, _ in names}:
        require_panel(desk, asked.panel)
    engines = sorted({*ENGINES, *(engine for _, engine in names)})
    if asked.engine is not None and asked.engine not in engines:
        raise not_found(f"no engine {asked.engine!r}; there are {some_of(engines)}")


def _choices(asked: AlertSearch, names: Sequence[tuple[str, str]]) -> Choices:
    return Choices(
        panels=tuple(dict.fromkeys(panel for panel, _ in names)),
        engines=tuple(sorted({engine for _, engine in names})),
        panel=asked.panel or "",
        engine=asked.engine or "",
        state=asked.state.value,
        severity=asked.severity.value if asked.severity else "",
        words=asked.words,
    )


def _labels() -> dict[str, str]:
    return {name: engine.label for name, engine in ENGINES.items()}


def _told(found: Sequence[Told]) -> tuple[ToldLine, ...]:
    return tuple(
        ToldLine(
            channel=one.channel,
            state=one.state,
            attempts=one.attempts,
            created_at=one.created_at,
            next_try=one.next_try,
            sent_at=one.sent_at,
            error=plain(one.error or ""),
        )
        for one in found
    )


SCREENS = (
    Screen("/alerts", load_alerts, AlertsScreen, "alerts.html.j2", table=alerts_table),
    Screen("/alerts/{alert_id}", load_alert, AlertScreen, "alert.html.j2", table=answers_table),
)
