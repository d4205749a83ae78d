"""Drafts of baselines: begun, filled with sources to grade, watched, and given up."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import APIRouter, Query, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from monitor.baseline.assembling import GradedSource
from monitor.domain.access import Role
from monitor.domain.drafted import DraftState, PooledSource
from monitor.domain.panel import Prompt
from monitor.errors import PanelError
from monitor.pipeline.drafting import load_graded
from monitor.pipeline.grading_desk import own_sources
from monitor.pipeline.pooling import (
    PER_PROMPT,
    Pooled,
    fetch_missing,
    pool_cited,
    pool_stored,
    pool_typed,
)
from monitor.report.screens.baselines import draft_address
from monitor.report.screens.drafts import (
    DraftScreen,
    OriginLine,
    Progress,
    PromptLine,
    draft_table,
)
from monitor.report.screens.grading import grading_address
from monitor.store import Connection, audit, baselines, drafts, runs
from monitor.store.drafts import Draft
from monitor.web.access.acts import act
from monitor.web.access.notes import noting
from monitor.web.access.visiting import VisitorOf
from monitor.web.pages.baseline_grading import DraftOf
from monitor.web.pages.finding import DeskOf
from monitor.web.pages.forms import FormOf, fields_of
from monitor.web.problems import not_found
from monitor.web.rendering import render
from monitor.web.screens import Screen

ROUTER = APIRouter()

_PAGE = "/baselines/drafts/{draft}"
_RUNS = 12
"""Newest runs of a panel whose cited pages can be pooled."""
_MOST_A_PROMPT = 100
_Done = Annotated[bool, Query(description="Whether the last own source was just graded.")]


def load_draft(desk: DeskOf, draft: DraftOf, who: VisitorOf, *, done: _Done = False) -> DraftScreen:
    """A draft with the progress of its annotators, prompt by prompt."""
    name, lead = who.name or "", who.role is Role.ADMIN

    def look(
        connection: Connection,
    ) -> tuple[tuple[GradedSource, ...], dict[str, int], tuple[str, ...], tuple[str, ...]]:
        claims: dict[str, int] = {}
        for one in drafts.load_claims(connection, draft.id):
            claims[one.prompt] = claims.get(one.prompt, 0) + (one.words is not None)
        asked = runs.list_runs(connection, draft.panel, states=runs.TELLING, limit=_RUNS)
        stored = baselines.list_versions(connection, draft.panel)
        return (
            load_graded(connection, draft),
            claims,
            tuple(one.public_id for one in asked),
            tuple(one.baseline.version for one in stored),
        )

    graded, claims, names, versions = desk.bench.read(look)
    mine = own_sources(desk.bench, draft, name).next_open() if name else None
    plan = draft.plan
    return DraftScreen(
        draft=draft.id,
        panel=draft.panel,
        version=draft.version,
        guideline=draft.guideline,
        state=draft.state.value,
        starts_from=plan.starts_from or "",
        annotators=plan.annotators,
        double_share=plan.double_share,
        seed=plan.seed,
        made_by=draft.made_by or "somebody at this machine",
        made_at=draft.made_at,
        annotator=name,
        go_on=grading_address(draft.id, mine.prompt, source=mine.position) if mine else None,
        prompts=_prompts(draft, graded, claims),
        progress=_progress(plan.annotators, graded),
        without_text=len({one.source.page_key for one in graded if _lacks_text(one.source)}),
        is_lead=lead,
        runs=names if lead else (),
        versions=versions if lead else (),
        per_prompt=PER_PROMPT,
        origins=_origins(graded) if draft.state is DraftState.FROZEN else (),
        is_done=done,
    )


def _lacks_text(one: PooledSource) -> bool:
    return one.is_page and not one.text_sha256 and not one.note.status


def _prompts(
    draft: Draft, graded: Sequence[GradedSource], claims: dict[str, int]
) -> tuple[PromptLine, ...]:
    by_prompt: dict[str, list[GradedSource]] = {}
    for one in graded:
        by_prompt.setdefault(one.source.prompt, []).append(one)
    return tuple(
        _prompt(draft, prompt, by_prompt.get(prompt.id, ()), claims.get(prompt.id, 0))
        for prompt in draft.plan.panel.prompts
    )


def _prompt(
    draft: Draft, prompt: Prompt, graded: Sequence[GradedSource], claims: int
) -> PromptLine:
    return PromptLine(
        prompt.id,
        prompt.text,
        grading_address(draft.id, prompt.id),
        len(graded),
        sum(1 for one in graded if len(one.source.annotators) > 1),
        claims,
        _progress(draft.plan.annotators, graded),
    )


def _progress(annotators: Sequence[str], graded: Sequence[GradedSource]) -> tuple[Progress, ...]:
    return tuple(
        Progress(
            name,
            sum(1 for one in graded if any(label.annotator == name for label in one.labels)),
            sum(1 for one in graded if name in one.source.annotators),
        )
        for name in annotators
    )


def _origins(graded: Sequence[GradedSource]) -> tuple[OriginLine, ...]:
    """Where each source came from, in words."""
    words = {"stored": "baseline", "typed": "typed by", "cited": "cited in"}
    return tuple(
        OriginLine(
            one.source.prompt,
            one.source.url,
            "; ".join(
                f"{words.get(o.kind, o.kind)} {o.of}"
                + (f" by {', '.join(o.engines)} ({o.answers} answers)" if o.engines else "")
                for o in one.source.note.origins
            ),
        )
        for one in graded
    )


SCREENS = (Screen(_PAGE, load_draft, DraftScreen, "draft.html.j2", table=draft_table),)


@dataclass(frozen=True, slots=True)
class _Filled:
    """What filling a pool came to, for the page that says so."""

    action: str
    pooled: Pooled


@act(ROUTER, f"{_PAGE}/pool", role=Role.ADMIN, form_on=_PAGE, include_in_schema=False)
def fill_pool(
    request: Request, desk: DeskOf, draft: DraftOf, *, who: VisitorOf, form: FormOf
) -> Response:
    """Put sources into the pool of a draft, and show what came of it."""
    filled = _fill(desk, draft, who, fields_of(form))
    pooled = filled.pooled
    said = (
        f"{pooled.added} texts fetched"
        if filled.action == "fetch texts"
        else f"{pooled.added} sources added, {pooled.known} in the pool already"
    )
    screen = replace(load_draft(desk, draft, who), told=(said, *pooled.told))
    return render(request, "draft.html.j2", screen=screen)


_ACTIONS = {
    "typed": "type sources",
    "stored": "pool version",
    "cited": "pool citations",
    "fetch": "fetch texts",
}
"""Kind of filling -> what it is noted as."""


def _fill(desk: DeskOf, draft: Draft, who: VisitorOf, fields: dict[str, str]) -> _Filled:
    kind, bench = fields.get("kind", ""), desk.bench
    action = _ACTIONS.get(kind, "")
    also = noting(bench, who, action, f"{draft.panel}@{draft.version}")
    if kind == "typed":
        chosen = fields.get("prompt", "")
        every = [one.id for one in draft.plan.panel.prompts]
        prompts = every if chosen == "" else [chosen]
        lines = fields.get("sources", "")
        pooled = pool_typed(bench, draft, prompts, lines, by=who.name, also=also)
        return _Filled(action, pooled)
    if kind == "stored":
        version = fields.get("version", "")
        return _Filled(action, pool_stored(bench, draft, version, also=also))
    if kind == "cited":
        name = fields.get("run", "")
        run = bench.read(lambda c: runs.load_run(c, name))
        if run is None:
            raise not_found(f"no run {name[:200]!r}; the list of runs is under /")
        most = _most(fields.get("per_prompt", str(PER_PROMPT)))
        return _Filled(action, pool_cited(bench, draft, run, per_prompt=most, also=also))
    if kind == "fetch":
        return _Filled(action, fetch_missing(bench, draft, also=also))
    raise PanelError(f"kind: got {kind[:40]!r}; expected typed, stored, cited or fetch")


def _most(written: str) -> int:
    if not (written.isascii() and written.isdigit()) or not 1 <= int(written[:9]) <= _MOST_A_PROMPT:
        raise PanelError(f"sources a prompt: got {written[:40]!r}; expected 1 to {_MOST_A_PROMPT}")
    return int(written)


@act(ROUTER, f"{_PAGE}/discard", role=Role.ADMIN, form_on=_PAGE, include_in_schema=False)
def discard_draft(desk: DeskOf, draft: DraftOf, who: VisitorOf) -> Response:
    """Give a draft up; what was graded and written stays in the store."""
    at = desk.bench.clock.now()

    def discard(connection: Connection) -> None:
        drafts.close_draft(connection, draft.id, DraftState.DISCARDED, at=at)
        subject = f"{draft.panel}@{draft.version}"
        audit.note(connection, who, "discard draft", subject, at=at)

    desk.bench.write(discard)
    return RedirectResponse(draft_address(draft.id), 303)
