"""Baselines: versions of every panel's, one of them with its rows, and files both ways."""

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import RedirectResponse
from starlette.datastructures import FormData, UploadFile
from starlette.responses import Response

from monitor.config.yaml import Document, read_yaml
from monitor.domain.access import Role
from monitor.domain.baseline import Baseline
from monitor.errors import PanelError, StoreError
from monitor.pipeline.baseline_files import (
    CheckedFile,
    check_file,
    differences,
    import_file,
    stored_version,
    version_text,
)
from monitor.pipeline.drafting import panel_names, panel_now
from monitor.report.screens.baselines import (
    NEW_DRAFT,
    BaselinesScreen,
    DifferenceLine,
    DifferencesScreen,
    DraftLine,
    PanelBaselinesScreen,
    PanelLine,
    VersionLine,
    VersionScreen,
    baselines_address,
    differences_table,
    draft_address,
    panels_table,
    prompt_parts,
    version_address,
    version_line,
    version_table,
    versions_table,
)
from monitor.store import Connection, audit, baselines, drafts
from monitor.web.access.acts import act
from monitor.web.access.visiting import VisitorOf, needs
from monitor.web.desk import Desk
from monitor.web.pages.finding import DeskOf
from monitor.web.pages.forms import fields_of
from monitor.web.problems import PROBLEMS, not_found
from monitor.web.rendering import render
from monitor.web.screens import API, Screen

ROUTER = APIRouter()

PanelName = Annotated[str, Path(max_length=64, description="Name of a panel.")]
VersionName = Annotated[str, Path(max_length=64, description="Version of a baseline.")]
_Version = Annotated[str, Query(max_length=64, description="Version of a baseline.")]


def load_panels(desk: DeskOf) -> BaselinesScreen:
    """Panels with their versions of a baseline and open drafts."""

    def look(connection: Connection) -> tuple[dict[str, int], list[str]]:
        open_ones = [d.panel for d in drafts.list_drafts(connection) if d.state == "open"]
        return baselines.panels_with_versions(connection), open_ones

    versions, opened = desk.bench.read(look)
    names = sorted({*versions, *opened, *panel_names(desk.bench)})
    return BaselinesScreen(
        tuple(
            PanelLine(name, baselines_address(name), versions.get(name, 0), opened.count(name))
            for name in names
        )
    )


def load_panel(desk: DeskOf, panel: PanelName, who: VisitorOf) -> PanelBaselinesScreen:
    """Versions and drafts of one panel's baseline, the newest first."""
    lines = _lines(desk, panel)
    begun = desk.bench.read(lambda c: drafts.list_drafts(c, panel))
    prompts: int | None = None
    try:
        prompts = len(panel_now(desk.bench, panel).prompts)
    except PanelError as error:
        if not lines and not begun and panel not in panel_names(desk.bench):
            raise not_found(f"no panel {panel!r}; those with baselines: /baselines") from error
    known = [*(line.version for line in lines), *(one.version for one in begun)]
    return PanelBaselinesScreen(
        panel=panel,
        versions=lines,
        drafts=tuple(
            DraftLine(
                one.id,
                one.version,
                one.state.value,
                draft_address(one.id),
                one.plan.annotators,
                one.made_at,
            )
            for one in begun
        ),
        may_begin=who.role is Role.ADMIN,
        prompts=prompts,
        new_draft={**NEW_DRAFT, "version": _proposed(desk, known)},
    )


def _proposed(desk: Desk, known: list[str]) -> str:
    """The month, or with a letter where that is taken."""
    month = f"{desk.bench.clock.now():%Y-%m}"
    names = (month, *(f"{month}{letter}" for letter in "bcdefghijklmnopqrstuvwxyz"))
    return next((one for one in names if one not in known), month)


def _lines(desk: Desk, panel: str) -> tuple[VersionLine, ...]:
    def look(connection: Connection) -> tuple[VersionLine, ...]:
        stored = baselines.list_versions(connection, panel)
        first = baselines.first_begun(connection, panel)
        before = [one.baseline.version for one in stored[1:]]
        return tuple(
            version_line(
                one.baseline,
                one.saved_at,
                first_run=first,
                before=before[place] if place < len(before) else None,
            )
            for place, one in enumerate(stored)
        )

    return desk.bench.read(look)


def load_version(desk: DeskOf, panel: PanelName, version: VersionName) -> VersionScreen:
    """One version of a baseline: every graded source and every claim."""
    line = next((one for one in _lines(desk, panel) if one.version == version), None)
    if line is None:
        raise not_found(f"no version {version!r} of panel {panel!r}; see /baselines")
    baseline = stored_version(desk.bench, panel, version)
    questions = {}
    try:
        questions = {one.id: one.text for one in panel_now(desk.bench, panel).prompts}
    except PanelError:
        questions = {}
    text = version_text(desk.bench, panel, version)
    return VersionScreen(panel, line, _note_of(text), prompt_parts(baseline, questions))


@lru_cache(16)
def _note_of(text: str) -> str:
    """What a file says of itself, such as why it is not drawn blind."""
    if "\nnote:" not in text:
        return ""
    document = read_yaml(text, "")
    value = document.value if isinstance(document, Document) else None
    found = value.get("note") if isinstance(value, dict) else None
    return found if isinstance(found, str) else ""


def load_differences(
    desk: DeskOf, panel: PanelName, before: _Version, after: _Version
) -> DifferencesScreen:
    """What two versions of a baseline say differently, in words."""
    try:
        found = differences(desk.bench, panel, before, after)
    except StoreError as error:
        raise not_found(str(error)) from error
    lines = tuple(DifferenceLine(one.prompt, one.says) for one in found)
    return DifferencesScreen(panel, before, after, lines)


SCREENS = (
    Screen("/baselines", load_panels, BaselinesScreen, "baselines.html.j2", table=panels_table),
    Screen(
        "/baselines/{panel}",
        load_panel,
        PanelBaselinesScreen,
        "baselines_panel.html.j2",
        table=versions_table,
    ),
    Screen(
        "/baselines/{panel}/versions/{version}",
        load_version,
        VersionScreen,
        "baseline_version.html.j2",
        table=version_table,
    ),
    Screen(
        "/baselines/{panel}/differences",
        load_differences,
        DifferencesScreen,
        "baseline_differences.html.j2",
        table=differences_table,
    ),
)


@ROUTER.get(
    f"{API}/baselines/{{panel}}/versions/{{version}}/file",
    response_class=Response,
    responses={**PROBLEMS, 200: {"content": {"application/yaml": {}}}},
    dependencies=[Depends(needs(Role.VIEWER))],
)
@ROUTER.get(
    "/baselines/{panel}/versions/{version}/file",
    response_class=Response,
    include_in_schema=False,
    dependencies=[Depends(needs(Role.VIEWER))],
)
def download(desk: DeskOf, panel: PanelName, version: VersionName) -> Response:
    """The YAML file of a version, as it was read or as it was frozen."""
    try:
        text = version_text(desk.bench, panel, version)
    except StoreError as error:
        raise not_found(str(error)) from error
    name = re.sub(r"[^A-Za-z0-9._-]", "_", f"{panel}-{version}.baseline.yaml")
    return Response(
        text.encode("utf-8"),
        media_type="application/yaml; charset=utf-8",
        headers={"content-disposition": f'attachment; filename="{name}"'},
    )


@dataclass(frozen=True, slots=True)
class Sent:
    """A baseline's file as a form carries it."""

    text: str
    file: str
    stores: bool
    fields: dict[str, str]


async def sent_of(request: Request) -> Sent:
    """The text of a form, or of the file that was chosen in it."""
    form: FormData = await request.form()
    fields = fields_of(form)
    chosen = form.get("file")
    text, name = fields.get("text", ""), "text"
    if isinstance(chosen, UploadFile) and chosen.filename:
        content = await chosen.read()
        name = chosen.filename[:200]
        try:
            text = content.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise PanelError(
                f"{name}: byte {error.start} is not UTF-8; save the file as UTF-8"
            ) from error
    else:
        # Browsers end lines of forms by CRLF, whatever was typed or pasted.
        text = text.replace("\r\n", "\n")
    return Sent(text, name, fields.get("act") == "store", fields)


@act(ROUTER, "/baselines", role=Role.ADMIN, uploads=True, include_in_schema=False)
def upload(
    request: Request, desk: DeskOf, who: VisitorOf, sent: Annotated[Sent, Depends(sent_of)]
) -> Response:
    """Check the file of a baseline, and store it as a version where that is asked for."""
    if not sent.text.strip():
        said = Checked("No file was sent", ("choose a file, or paste its text",), 400)
        return said.page(request, sent.text)
    found = check_file(desk.bench, sent.text, file=sent.file)
    baseline = found.read.baseline
    if sent.stores and baseline is not None and not (found.conflict or found.unbound):
        at = desk.bench.clock.now()

        def also(connection: Connection, made: Baseline) -> None:
            subject = f"{made.panel}@{made.version}"
            audit.note(connection, who, "store baseline", subject, at=at)

        import_file(desk.bench, sent.text, file=sent.file, also=also)
        return RedirectResponse(version_address(baseline.panel, baseline.version), 303)
    return _checked(found).page(request, sent.text)


@dataclass(frozen=True, slots=True)
class Checked:
    """What is said of a baseline's file: a heading, remarks, and the status that goes with them."""

    heading: str
    remarks: tuple[str, ...]
    code: int

    def page(self, request: Request, text: str) -> Response:
        """The page that says so, with the form and the text in it."""
        return render(request, "baseline_checked.html.j2", code=self.code, checked=self, text=text)


def _checked(found: CheckedFile) -> Checked:
    """A file as it was found: with mistakes, in conflict with the store, or fit to be stored."""
    baseline, remarks = found.read.baseline, tuple(map(str, found.read.problems))
    if baseline is None:
        return Checked("The file has mistakes", remarks, 422)
    named = f"{baseline.panel}@{baseline.label}"
    refused = found.conflict or found.unbound
    if refused:
        code = 409 if found.conflict else 400
        return Checked(f"{named} cannot be stored", (refused, *remarks), code)
    is_known = "is stored already" if found.is_stored else "can be stored"
    return Checked(f"{named} {is_known}", remarks, 200)
