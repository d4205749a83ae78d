"""Alerts as doors show them: what is open, what became of the others, what a person accepts."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from monitor.config.logs import log
from monitor.domain.alert import Closed, StoredAlert
from monitor.domain.moments import utc_second
from monitor.errors import StoreError
from monitor.pipeline.bench import Bench
from monitor.report.digest_json import alert_json
from monitor.report.files import Links
from monitor.store import Connection, alerts

LISTED = 200
"""Alerts of a list that holds closed ones too."""


def listed_alerts(
    bench: Bench, panel: str | None = None, *, closed: bool = False
) -> tuple[StoredAlert, ...]:
    """Open alerts, oldest first; with `closed` the newest 200 of all, newest first."""
    if closed:
        return bench.read(partial(alerts.list_alerts, panel=panel, limit=LISTED))
    return bench.read(partial(alerts.open_alerts, panel=panel))


def load_alert(connection: Connection, alert_id: int) -> StoredAlert:
    """The alert of an id; StoreError says which ids are open where there is none."""
    found = alerts.load_alert(connection, alert_id)
    if found is not None:
        return found
    known = ", ".join(str(one.id) for one in alerts.open_alerts(connection)[-20:])
    raise StoreError(f"no alert {alert_id}; open ones: {known or 'none'}")


def accept_alerts(
    bench: Bench, ids: Sequence[int], *, also: Callable[[Connection], object] | None = None
) -> tuple[StoredAlert, ...]:
    """Close open alerts, since a person takes the new level for the level; all of them or none.

    Runs before the one that raised it are no baseline for the same alert any more. `also` writes
    in the same transaction.
    """
    at = bench.clock.now()

    def accept(connection: Connection) -> tuple[StoredAlert, ...]:
        found = tuple(load_alert(connection, one) for one in dict.fromkeys(ids))
        for one in found:
            if one.closed is not None:
                raise StoreError(
                    f"alert {one.id} is closed already ({one.closed.value}): nothing was accepted"
                )
            alerts.close_alert(connection, one.id, Closed.ACCEPTED, at=at)
        if also is not None:
            also(connection)
        return found

    accepted = bench.write(accept)
    for one in accepted:
        log("alert_accepted", engine=one.alert.engine, kind=one.alert.kind.value)
    return accepted


def stored_alert_json(one: StoredAlert, links: Links) -> dict[str, Any]:
    """An alert with its standing, as JSON values."""
    return {
        "id": one.id,
        "panel": one.panel,
        "engine": one.alert.engine,
        **alert_json(one.alert, one.panel, links),
        "opened_at": utc_second(one.opened_at),
        "seen_run": one.seen_run,
        "quiet_runs": one.quiet_runs,
        "closed_at": utc_second(one.closed_at) if one.closed_at else None,
        "closed": one.closed.value if one.closed else None,
    }
