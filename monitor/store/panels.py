"""Panels, prompt versions and baselines: saved once per version, never changed under it."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from operator import attrgetter
from typing import Any

from sqlalchemy import Connection, Row, Select, func, select, tuple_, update

from monitor.domain.baseline import Baseline
from monitor.domain.panel import Panel, Prompt
from monitor.errors import StoreError
from monitor.panels.differences import panel_changes
from monitor.store.codec import decode, encode
from monitor.store.rows import chunks, insert_many, insert_new, insert_one, one_row
from monitor.store.tables import baseline_version, panel_prompt, panel_version, prompt_version

PromptKey = tuple[str, str]
"""A prompt's id and version key."""


def save_panel(connection: Connection, panel: Panel, *, saved_at: datetime) -> int:
    """Id of the stored panel version; the same version with other content is refused.

    The schedule is no content: a stored version takes over a new one. Nor is any order.
    """
    row = connection.execute(
        select(panel_version).where(
            panel_version.c.name == panel.name, panel_version.c.version == panel.version
        )
    ).first()
    if row is None:
        return _insert_panel(connection, panel, saved_at)
    stored = decode(Panel, row.body)
    if row.content_key != panel.content_key:
        changes = panel_changes(stored, panel)
        if changes:
            raise _edited(connection, panel, changes)
    if stored.schedule != panel.schedule:
        body = encode(Panel, replace(stored, schedule=panel.schedule))
        connection.execute(
            update(panel_version).where(panel_version.c.id == row.id).values(body=body)
        )
    return int(row.id)


_TOLD = 8
"""Changes that a message names."""


def _edited(connection: Connection, panel: Panel, changes: Sequence[str]) -> StoreError:
    """What was edited under a version that is in use, and how to go on."""
    columns = panel_version.c
    query = select(func.max(columns.version)).where(columns.name == panel.name)
    free = connection.execute(query).scalar_one() + 1
    more = f"; and {len(changes) - _TOLD} more" if len(changes) > _TOLD else ""
    return StoreError(
        f"panel {panel.name} version {panel.version} is stored with other content: "
        f"{'; '.join(changes[:_TOLD])}{more}. Answers belong to the version they were asked "
        f"under, so it never changes: raise `version` to {free} in the file (what was answered "
        "stays with its version, and comparisons keep to unchanged prompts), or undo the edit"
    )


def _insert_panel(connection: Connection, panel: Panel, saved_at: datetime) -> int:
    panel_id = insert_one(
        connection,
        panel_version,
        {
            "name": panel.name,
            "version": panel.version,
            "content_key": panel.content_key,
            "body": encode(Panel, panel),
            "saved_at": saved_at,
        },
    )
    ids = save_prompts(connection, panel.prompts)
    members = [
        {
            "panel_version_id": panel_id,
            "position": position,
            "prompt_version_id": ids[key_of(prompt)],
        }
        for position, prompt in enumerate(panel.prompts)
    ]
    insert_many(connection, panel_prompt, members)
    return panel_id


def key_of(prompt: Prompt) -> PromptKey:
    """Identity of a prompt version: its id and the hash of text, locale and persona."""
    return prompt.id, prompt.version_key


def save_prompts(connection: Connection, prompts: Iterable[Prompt]) -> dict[PromptKey, int]:
    """Ids of prompt versions by (prompt id, version key); new ones are inserted."""
    wanted = {key_of(prompt): prompt for prompt in prompts}
    rows = [
        {
            "prompt_id": prompt.id,
            "version_key": prompt.version_key,
            "text": prompt.text,
            "locale": prompt.locale,
            "persona": prompt.persona,
        }
        for prompt in wanted.values()
    ]
    insert_new(connection, prompt_version, rows)
    columns = prompt_version.c
    found: dict[PromptKey, int] = {}
    for part in chunks(dict.fromkeys(row["prompt_id"] for row in rows)):
        query = select(columns.id, columns.prompt_id, columns.version_key)
        for row in connection.execute(query.where(columns.prompt_id.in_(part))):
            found[row.prompt_id, row.version_key] = row.id
    return {key: found[key] for key in wanted}


def load_panel(connection: Connection, name: str, version: int | None = None) -> Panel:
    """Panel of that name and version; None asks for the highest version."""
    columns = panel_version.c
    query = select(columns.body).where(columns.name == name).order_by(columns.version.desc())
    if version is not None:
        query = query.where(columns.version == version)
    what = f"panel {name}" + ("" if version is None else f" version {version}")
    return decode(Panel, one_row(connection, query.limit(1), what).body)


def load_panel_by_id(connection: Connection, panel_id: int) -> Panel:
    """Panel version of that id."""
    query = select(panel_version.c.body).where(panel_version.c.id == panel_id)
    return decode(Panel, one_row(connection, query, f"panel version with id {panel_id}").body)


def list_panels(connection: Connection) -> tuple[Panel, ...]:
    """The highest version of each panel, by name."""
    columns = panel_version.c
    newest = select(columns.name, func.max(columns.version)).group_by(columns.name)
    query = select(columns.body).where(tuple_(columns.name, columns.version).in_(newest))
    found = (decode(Panel, row.body) for row in connection.execute(query))
    return tuple(sorted(found, key=attrgetter("name")))


def save_baseline(
    connection: Connection, baseline: Baseline, source_text: str, *, saved_at: datetime
) -> int:
    """Id of the stored baseline version; the same version with other content is refused.

    Freezing a draft is the one change a version may see: it is stored beside the draft.
    """
    stored = stored_same(connection, baseline)
    if stored is not None:
        return stored
    refused = refused_version(connection, baseline)
    if refused:
        raise StoreError(refused)
    row = {
        "panel": baseline.panel,
        "version": baseline.version,
        "content_key": baseline.content_key,
        "frozen_at": baseline.frozen_at,
        "source_text": source_text,
        "body": encode(Baseline, baseline),
        "saved_at": saved_at,
    }
    return insert_one(connection, baseline_version, row)


def stored_same(connection: Connection, baseline: Baseline) -> int | None:
    """Id of the version where it is stored just so; None where it is not."""
    stored = _baseline_row(connection, baseline.panel, baseline.version)
    is_same = stored is not None and stored.content_key == baseline.content_key
    return int(stored.id) if stored is not None and is_same else None


def refused_version(connection: Connection, baseline: Baseline) -> str:
    """Why a version cannot be stored and what to do; empty where it can, or is stored just so."""
    stored = _baseline_row(connection, baseline.panel, baseline.version)
    if stored is None or stored.content_key == baseline.content_key:
        return ""
    if _is_frozen_form(decode(Baseline, stored.body), baseline):
        return ""
    return (
        f"baseline {baseline.panel}@{baseline.version} is stored with other content: scores name "
        "its version, so a version never changes; write a new `version` in the file"
    )


def _is_frozen_form(draft: Baseline, frozen: Baseline) -> bool:
    """Whether the second is the first, frozen."""
    if draft.frozen_at is not None or frozen.frozen_at is None:
        return False
    thawed = replace(frozen, frozen_at=None, content_key=draft.content_key)
    return bool(encode(Baseline, thawed) == encode(Baseline, draft))


def _baseline_row(connection: Connection, panel: str, version: str | None) -> Row[Any] | None:
    columns = baseline_version.c
    query = select(baseline_version).where(columns.panel == panel).order_by(columns.id.desc())
    if version is not None:
        query = query.where(columns.version == version)
    return connection.execute(query.limit(1)).first()


def load_baseline(
    connection: Connection, panel: str, version: str | None = None
) -> Baseline | None:
    """Baseline of a panel; without a version the one saved last, None when there is none."""
    row = _baseline_row(connection, panel, version)
    return None if row is None else decode(Baseline, row.body)


def load_baseline_id(connection: Connection, panel: str, version: str | None = None) -> int | None:
    """Row of the baseline that `load_baseline` would load; one row is one baseline for ever."""
    columns = baseline_version.c
    query = select(func.max(columns.id)).where(columns.panel == panel)
    if version is not None:
        query = query.where(columns.version == version)
    return connection.execute(query).scalar()


def load_baseline_by_id(connection: Connection, baseline_id: int) -> Baseline:
    """Baseline of that row; StoreError when there is none."""
    query = select(baseline_version.c.body).where(baseline_version.c.id == baseline_id)
    return decode(Baseline, one_row(connection, query, f"baseline with id {baseline_id}").body)


def baseline_source_text(
    connection: Connection, panel: str, version: str | None = None
) -> str | None:
    """Text of the file a baseline was read from, or None when there is none."""
    row = _baseline_row(connection, panel, version)
    return None if row is None else str(row.source_text)


def latest_baselines(connection: Connection) -> dict[str, Baseline]:
    """The baseline saved last, by panel."""
    found = {row.panel: decode(Baseline, row.body) for row in connection.execute(_latest())}
    return {panel: found[panel] for panel in sorted(found)}


def _latest() -> Select[Any]:
    columns = baseline_version.c
    newest = select(func.max(columns.id)).group_by(columns.panel)
    return select(columns.panel, columns.body).where(columns.id.in_(newest))
