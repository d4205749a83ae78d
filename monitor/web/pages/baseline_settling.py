"""Disagreements over the sources of a draft, settled by the lead, and its freezing."""

from typing import TypeVar

from fastapi import APIRouter
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from monitor.baseline.assembling import GradedSource
from monitor.baseline.typed import LONGEST
from monitor.domain.access import Role
from monitor.domain.baseline import Baseline, Match
from monitor.domain.drafted import DraftState, SourceLabel, SourceRuling, source_subject
from monitor.domain.keys import text_key
from monitor.domain.source import Grade
from monitor.errors import PanelError
from monitor.pipeline.drafting import Ruled, load_graded, settle
from monitor.pipeline.freezing import (
    Declared,
    Standing,
    check_text,
    freeze,
    frozen_text,
    standing,
)
from monitor.pipeline.source_agreement import grade_agreement
from monitor.report.screens.baselines import draft_address, version_address
from monitor.report.screens.drafts import (
    DisagreementView,
    FreezingScreen,
    SaidView,
    SettlingScreen,
    settling_table,
)
from monitor.report.screens.grading import choices, grade_word
from monitor.store import Connection, audit, source_labels
from monitor.store.drafts import Draft
from monitor.web.access.acts import act
from monitor.web.access.notes import noting
from monitor.web.access.visiting import AnnotatorOf, VisitorOf
from monitor.web.pages.agreement import agreement_view
from monitor.web.pages.baseline_grading import DraftOf
from monitor.web.pages.finding import DeskOf
from monitor.web.pages.forms import FormOf, fields_of, number_of
from monitor.web.screens import Screen

ROUTER = APIRouter()
_Word = TypeVar("_Word", Grade, Match)

_PAGE = "/baselines/drafts/{draft}"


def load_settling(desk: DeskOf, draft: DraftOf) -> SettlingScreen:
    """Sources of a draft on which annotators disagree, and how far they agree over all."""
    graded = desk.bench.read(lambda c: load_graded(c, draft))
    both = [one for one in graded if one.disagrees]
    mark = desk.bench.read(lambda c: source_labels.label_mark(c, draft.id))
    key = ("source agreement", draft.id, len(graded), mark)
    return SettlingScreen(
        draft=draft.id,
        panel=draft.panel,
        version=draft.version,
        is_open=draft.state is DraftState.OPEN,
        open=tuple(_disagreement(draft, one) for one in both if one.is_open),
        settled=tuple(_disagreement(draft, one) for one in both if not one.is_open),
        agreement=agreement_view(desk, key, lambda: grade_agreement(graded)),
        choices=choices(),
    )


def _disagreement(draft: Draft, one: GradedSource) -> DisagreementView:
    source, ruled = one.source, one.ruled
    prompt = draft.plan.panel.prompt(source.prompt)
    only = source.only_match
    said = ""
    if ruled is not None:
        said = f"{grade_word(ruled.grade)} ({ruled.match.value}), {ruled.adjudicator}: "
        said += ruled.reason
    return DisagreementView(
        prompt=source.prompt,
        question=prompt.text if prompt else "",
        page=source.page_hash,
        url=source.url,
        title=source.title or "",
        is_page=source.is_page,
        matches=(only.value,) if only else tuple(match.value for match in Match),
        said=tuple(map(_said, one.labels)),
        ruling=said,
    )


def _said(label: SourceLabel) -> SaidView:
    details = label.details
    return SaidView(
        label.id,
        label.annotator,
        grade_word(label.grade),
        details.match.value,
        details.supports,
        details.reason,
        details.known_limitation,
        details.note,
    )


@act(ROUTER, f"{_PAGE}/adjudicate", role=Role.ADMIN, include_in_schema=False)
def settle_source(
    desk: DeskOf, draft: DraftOf, *, who: VisitorOf, name: AnnotatorOf, form: FormOf
) -> Response:
    """Settle a disagreement; both labels stay as they are."""
    fields = fields_of(form)
    ids = [number_of({"label": str(one)}, "label") for one in form.getlist("labels")]
    reason = fields.get("reason", "").strip()
    if not reason or len(reason) > LONGEST:
        raise PanelError(
            f"reason: got {len(reason)} characters; expected why this grade, in 1 to {LONGEST}"
        )
    prompt, page = fields.get("prompt", ""), fields.get("page", "")
    ruling = SourceRuling(
        source_subject(draft.id, prompt, page),
        _word(Grade, fields, "grade"),
        _word(Match, fields, "match"),
        reason,
        name,
        tuple(one for one in ids if one is not None),
        desk.bench.clock.now(),
    )
    subject = f"{draft.panel}@{draft.version}/{prompt[:200]}"
    also = noting(desk.bench, who, "adjudicate source", subject)
    settle(desk.bench, draft.id, Ruled(prompt, page, ruling), also=also)
    return RedirectResponse(draft_address(draft.id, "adjudicate"), 303)


def _word(kind: type[_Word], fields: dict[str, str], name: str) -> _Word:
    try:
        return kind(fields.get(name, ""))
    except ValueError:
        known = ", ".join(one.value for one in kind)
        got = fields.get(name, "")[:40]
        raise PanelError(f"{name}: got {got!r}; expected one of {known}") from None


def load_freezing(desk: DeskOf, draft: DraftOf) -> FreezingScreen:
    """What a draft would become if it were frozen now."""
    one = standing(desk.bench, draft)
    text = frozen_text(one, Declared(unseen=True, by=None), None)
    panel = draft.plan.panel
    file = f"{draft.panel}.baseline.yaml"
    read = None
    if one.assembled.prompts:
        # The text of one state of a draft is read once: that is slow where there are many prompts.
        key = ("freezing", draft.id, one.mark, text_key(text))
        read = desk.counting.get(key, lambda: check_text(desk.bench, text, panel, file=file))
    problems = tuple(str(p) for p in read.problems if "a draft:" not in p.message) if read else ()
    return _freezing(one, text, problems, is_sound=read is not None and read.baseline is not None)


def _freezing(
    one: Standing, text: str, problems: tuple[str, ...], *, is_sound: bool
) -> FreezingScreen:
    draft, made = one.draft, one.assembled
    prompts = made.prompts.values()
    is_open = draft.state is DraftState.OPEN
    return FreezingScreen(
        draft=draft.id,
        panel=draft.panel,
        version=draft.version,
        is_open=is_open,
        mark=one.mark,
        prompts=len(made.prompts),
        sources=sum(len(prompt.sources) for prompt in prompts),
        claims=sum(len(prompt.claims) for prompt in prompts),
        open=len(made.open),
        clashes=made.clashes,
        unlabelled=len(made.unlabelled),
        ungraded=len(made.ungraded),
        remarks=made.remarks,
        not_blind=one.not_blind,
        edited=one.edited,
        first_run=one.first_run,
        text=text,
        problems=problems,
        may_freeze=is_open and is_sound and not made.blocks,
    )


SCREENS = (
    Screen(
        f"{_PAGE}/adjudicate",
        load_settling,
        SettlingScreen,
        "settling.html.j2",
        table=settling_table,
        role=Role.ADMIN,
    ),
    Screen(f"{_PAGE}/freeze", load_freezing, FreezingScreen, "freezing.html.j2", role=Role.ADMIN),
)


@act(ROUTER, f"{_PAGE}/freeze", role=Role.ADMIN, include_in_schema=False)
def freeze_draft(desk: DeskOf, draft: DraftOf, who: VisitorOf, form: FormOf) -> Response:
    """Freeze a draft as it was shown."""
    fields = fields_of(form)
    if fields.get("unseen") not in {"yes", "no"}:
        raise PanelError("say whether annotators had seen the answers elsewhere: yes or no")
    declared = Declared(fields["unseen"] == "yes", who.name, fields.get("mark", ""))
    at = desk.bench.clock.now()

    def also(connection: Connection, made: Baseline) -> None:
        body = {"drawn_blind": made.drawn_blind, "declared_unseen": declared.unseen}
        subject = f"{draft.panel}@{draft.version}"
        audit.note(connection, who, "freeze baseline", subject, at=at, body=body)

    freeze(desk.bench, draft.id, declared, also=also)
    return RedirectResponse(version_address(draft.panel, draft.version), 303)
