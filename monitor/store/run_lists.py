"""Runs for lists: a page of them at a time, and those that stand for their panels."""

from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, and_, func, or_, select, true

from monitor.store.runs import TELLING, Run, list_runs, load_runs_by_id, open_runs
from monitor.store.tables import panel_version, run


def panel_names(connection: Connection) -> tuple[str, ...]:
    """Every panel of which a version is stored, by name."""
    name = panel_version.c.name
    return tuple(connection.execute(select(name).distinct().order_by(name)).scalars())


def standing_runs(connection: Connection) -> tuple[Run, ...]:
    """Runs that say how things stand, newest first: those under way, and the newest of each panel.

    Of a panel that is the newest that asked engines, the newest of them that ended with something
    to tell, and what people handed in where nothing else is there.
    """
    found = {one.id: one for one in open_runs(connection)}
    for name in panel_names(connection):
        asked = list_runs(connection, name, limit=1, imports=False)
        told = list_runs(connection, name, limit=1, imports=False, states=TELLING)
        handed = () if asked else list_runs(connection, name, limit=1)
        found |= {one.id: one for one in (*asked, *told, *handed)}
    return tuple(found[one] for one in sorted(found, reverse=True))


def count_runs(connection: Connection) -> int:
    """How many runs there are in all."""
    return int(connection.execute(select(func.count()).select_from(run)).scalar_one())


def find_runs(
    connection: Connection, panel: str = "", words: str = "", *, offset: int = 0, limit: int
) -> tuple[int, tuple[Run, ...]]:
    """How many runs there are of a panel with some words, and some of them, newest first.

    Words are looked for in the public id, which names panel and slot, and in the state.
    """
    wanted = _wanted(connection, panel, words.split())
    total = connection.execute(select(func.count()).select_from(run).where(wanted)).scalar_one()
    ids = select(run.c.id).where(wanted).order_by(run.c.id.desc()).offset(offset).limit(limit)
    return int(total), load_runs_by_id(connection, connection.execute(ids).scalars().all())


def _wanted(connection: Connection, panel: str, words: Sequence[str]) -> ColumnElement[bool]:
    """Condition on runs; versions of a panel are few, and runs are found by them."""
    wanted: list[ColumnElement[bool]] = [true()]
    if panel:
        versions = select(panel_version.c.id).where(panel_version.c.name == panel)
        wanted.append(run.c.panel_version_id.in_(connection.execute(versions).scalars().all()))
    for word in words:
        columns = (run.c.public_id, run.c.state)
        wanted.append(or_(*(one.icontains(word, autoescape=True) for one in columns)))
    return and_(*wanted)
