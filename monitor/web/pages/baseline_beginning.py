"""The form by which the lead begins a draft of a baseline; what is refused comes back as typed."""

from dataclasses import replace

from fastapi import APIRouter, Request
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from monitor.domain.access import Role
from monitor.errors import AccessError, PanelError, StoreBusyError, StoreError, UnfitError
from monitor.pipeline.drafting import Asked, begin
from monitor.pipeline.pooling import pool_stored
from monitor.report.screens.baselines import NEW_DRAFT, draft_address
from monitor.store import drafts
from monitor.web.access.acts import act
from monitor.web.access.notes import noting
from monitor.web.access.visiting import VisitorOf
from monitor.web.desk import Desk
from monitor.web.pages.baselines import PanelName, load_panel
from monitor.web.pages.finding import DeskOf
from monitor.web.pages.forms import FormOf, fields_of
from monitor.web.rendering import render

ROUTER = APIRouter()


@act(
    ROUTER,
    "/baselines/{panel}/drafts",
    role=Role.ADMIN,
    form_on="/baselines/{panel}",
    include_in_schema=False,
)
def begin_draft(
    request: Request, desk: DeskOf, panel: PanelName, *, who: VisitorOf, form: FormOf
) -> Response:
    """Begin a draft for a panel as it reads now."""
    fields = {**NEW_DRAFT, **fields_of(form)}
    try:
        return RedirectResponse(draft_address(_begun(desk, panel, who, fields)), 303)
    except StoreBusyError:
        raise
    except (AccessError, PanelError, StoreError) as error:
        told = str(error)
        is_taken = isinstance(error, StoreError) and not isinstance(error, UnfitError)
    code = 409 if is_taken else 400
    screen = replace(load_panel(desk, panel, who), new_draft=fields, problems=(told,))
    return render(request, "baselines_panel.html.j2", code=code, screen=screen)


def _begun(desk: Desk, panel: str, who: VisitorOf, fields: dict[str, str]) -> int:
    """Id of the draft that a form asks for; PanelError and others in the words of the form."""
    names = [one.strip() for one in fields["annotators"].splitlines()]
    asked = Asked(
        version=fields["version"].strip(),
        guideline=fields["guideline"].strip(),
        annotators=tuple(dict.fromkeys(filter(None, names))),
        double_share=_share(fields["double_percent"]),
        seed=_seed(fields["seed"]),
        starts_from=fields["starts_from"] or None,
    )
    also = noting(desk.bench, who, "begin draft", f"{panel}@{asked.version}")
    draft_id = begin(desk.bench, panel, asked, by=who.name, also=also)
    if asked.starts_from is not None:
        draft = desk.bench.read(lambda c: drafts.require_open(c, draft_id))
        pool_stored(desk.bench, draft, asked.starts_from)
    return draft_id


def _share(written: str) -> float:
    try:
        percent = float(written)
    except ValueError:
        percent = -1.0
    if not 0 <= percent <= 100:
        raise PanelError(f"graded twice: got {written[:40]!r}; expected per cent from 0 to 100")
    return percent / 100


def _seed(written: str) -> int | None:
    if not written.strip():
        return None
    if not (written.strip().isascii() and written.strip().isdigit()) or len(written) > 15:
        raise PanelError(f"seed: got {written[:40]!r}; expected a number of at most 15 digits")
    return int(written)
