"""Drafts of baselines, and the claims that people write into them together."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select, update

from monitor.domain.baseline import BaselineClaim
from monitor.domain.drafted import DraftedClaim, DraftPlan, DraftState
from monitor.errors import StoreError
from monitor.store.codec import decode, encode
from monitor.store.rows import alone, insert_many, insert_one, insert_one_new
from monitor.store.tables import baseline_draft, draft_claim


@dataclass(frozen=True, slots=True)
class Draft:
    """A baseline that people draw up, by its id."""

    id: int
    panel: str
    version: str
    guideline: str
    state: DraftState
    plan: DraftPlan
    made_by: str | None
    made_at: datetime
    closed_at: datetime | None


@dataclass(frozen=True, slots=True)
class DraftStart:
    """What a draft begins with."""

    version: str
    guideline: str
    plan: DraftPlan
    made_by: str | None


def begin_draft(connection: Connection, start: DraftStart, *, at: datetime) -> int:
    """Id of a new draft; StoreError where its panel has one of that version."""
    row = {
        "panel": start.plan.panel.name,
        "version": start.version,
        "guideline": start.guideline,
        "state": DraftState.OPEN.value,
        "body": encode(DraftPlan, start.plan),
        "made_by": start.made_by,
        "made_at": at,
    }
    made = insert_one_new(connection, baseline_draft, row)
    if made is None:
        raise StoreError(
            f"panel {start.plan.panel.name} has a draft of version {start.version[:64]!r} already: "
            "go on with it, or give this one another version"
        )
    return made


def load_draft(connection: Connection, draft_id: int) -> Draft | None:
    """The draft of an id, or None."""
    if draft_id >= 1 << 63:
        return None
    query = select(baseline_draft).where(baseline_draft.c.id == draft_id)
    row = connection.execute(query).first()
    return None if row is None else _draft_of(row)


def list_drafts(connection: Connection, panel: str | None = None) -> tuple[Draft, ...]:
    """Drafts of a panel or of all, newest first."""
    query = select(baseline_draft).order_by(baseline_draft.c.id.desc())
    if panel is not None:
        query = query.where(baseline_draft.c.panel == panel)
    return tuple(_draft_of(row) for row in connection.execute(query))


def require_open(connection: Connection, draft_id: int) -> Draft:
    """The draft of an id; StoreError where nobody works on it any more."""
    found = load_draft(connection, draft_id)
    if found is None or found.state is not DraftState.OPEN:
        state = found.state.value if found else "not there"
        raise StoreError(
            f"this draft is {state}: nothing is added to it any more; begin another version"
        )
    return found


def hold_open(connection: Connection, draft_id: int) -> Draft:
    """The same, kept from every other writer until the transaction ends."""
    alone(connection, "draft", draft_id)
    return require_open(connection, draft_id)


def close_draft(connection: Connection, draft_id: int, state: DraftState, *, at: datetime) -> None:
    """End the work on a draft; StoreError where it has ended."""
    hold_open(connection, draft_id)
    wanted = update(baseline_draft).where(baseline_draft.c.id == draft_id)
    connection.execute(wanted.values(state=state.value, closed_at=at))


@dataclass(frozen=True, slots=True)
class ClaimEdit:
    """A claim as somebody typed it, over the row they saw."""

    draft_id: int
    prompt: str
    claim: str
    words: BaselineClaim | None
    annotator: str
    seen: int | None
    """Id of the row the form showed; None for a claim that was new to it."""


def save_claim(connection: Connection, edit: ClaimEdit, *, at: datetime) -> int | DraftedClaim:
    """Id of the new row; where somebody saved another one meanwhile, that row, and nothing is."""
    hold_open(connection, edit.draft_id)
    newest = _newest_claim(connection, edit)
    if newest is not None and newest.id != edit.seen:
        return newest
    return insert_one(connection, draft_claim, _claim_row(edit, at))


def add_claims(connection: Connection, edits: Sequence[ClaimEdit], *, at: datetime) -> None:
    """Insert first rows of claims, as a draft that begins with those of a version."""
    insert_many(connection, draft_claim, [_claim_row(one, at) for one in edits])


def load_claims(
    connection: Connection, draft_id: int, prompt: str | None = None
) -> tuple[DraftedClaim, ...]:
    """The newest row of every claim of a draft, removed ones too, by prompt and first writing."""
    columns = draft_claim.c
    chosen = [columns.draft_id == draft_id]
    if prompt is not None:
        chosen.append(columns.prompt == prompt)
    query = select(draft_claim).where(*chosen).order_by(columns.prompt, columns.id)
    found: dict[tuple[str, str], DraftedClaim] = {}
    for row in connection.execute(query):
        found[row.prompt, row.claim] = _claim_of(row)
    return tuple(found.values())


def claim_mark(connection: Connection, draft_id: int) -> int:
    """Newest row of the claims of a draft; 0 where there is none."""
    query = select(func.max(draft_claim.c.id)).where(draft_claim.c.draft_id == draft_id)
    return int(connection.execute(query).scalar() or 0)


def _newest_claim(connection: Connection, edit: ClaimEdit) -> DraftedClaim | None:
    columns = draft_claim.c
    query = select(draft_claim).where(
        columns.draft_id == edit.draft_id,
        columns.prompt == edit.prompt,
        columns.claim == edit.claim,
    )
    row = connection.execute(query.order_by(columns.id.desc()).limit(1)).first()
    return None if row is None else _claim_of(row)


def _claim_row(edit: ClaimEdit, at: datetime) -> dict[str, Any]:
    return {
        "draft_id": edit.draft_id,
        "prompt": edit.prompt,
        "claim": edit.claim,
        "body": None if edit.words is None else encode(BaselineClaim, edit.words),
        "annotator": edit.annotator,
        "saved_at": at,
    }


def _claim_of(row: Row[Any]) -> DraftedClaim:
    words = None if row.body is None else decode(BaselineClaim, {**row.body, "id": row.claim})
    return DraftedClaim(row.id, row.prompt, row.claim, words, row.annotator, row.saved_at)


def _draft_of(row: Row[Any]) -> Draft:
    return Draft(
        row.id,
        row.panel,
        row.version,
        row.guideline,
        DraftState(row.state),
        decode(DraftPlan, row.body),
        row.made_by,
        row.made_at,
        row.closed_at,
    )
