"""What was done by whom, as admins see it."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.access import Deed, Role, Way
from monitor.report.screens.links import page_address
from monitor.report.tables import Table


@dataclass(frozen=True, slots=True)
class DeedLine:
    """One thing that somebody did, as a row shows it."""

    id: int
    done_at: datetime
    actor: str | None
    """None: who did it gave no name."""
    role: Role
    way: Way
    action: str
    subject: str
    more: str
    """What else is told of it, as JSON; empty for nothing."""


@dataclass(frozen=True, slots=True)
class AuditScreen:
    """Deeds, newest first, a page of them."""

    deeds: tuple[DeedLine, ...]
    newer: str | None
    older: str | None


def audit_screen(
    deeds: Sequence[Deed], *, rows: int, has_newer: bool, has_older: bool
) -> AuditScreen:
    """A page of deeds, and where the others are."""
    asked = None if rows == DEEDS else rows
    newer = older = None
    if deeds and has_newer:
        newer = page_address("access", "audit", after=deeds[0].id, rows=asked)
    if deeds and has_older:
        older = page_address("access", "audit", before=deeds[-1].id, rows=asked)
    return AuditScreen(tuple(map(_line, deeds)), newer, older)


DEEDS = 50
"""Rows of a page, unless another number is asked for."""


def audit_table(screen: AuditScreen) -> Table:
    """The same page of deeds as rows."""
    header = ("id", "done_at", "actor", "role", "way", "action", "subject", "more")
    return header, [
        (
            one.id, one.done_at.isoformat(), one.actor, one.role.value, one.way.value, one.action,
            one.subject, one.more,
        )
        for one in screen.deeds
    ]  # fmt: skip


def _line(one: Deed) -> DeedLine:
    more = "" if one.body is None else json.dumps(dict(one.body), ensure_ascii=False)
    return DeedLine(
        one.id, one.done_at, one.actor, one.role, one.way, one.action, one.subject, more
    )
