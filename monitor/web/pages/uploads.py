"""Captured answers handed in: a form, what was recognised, and only then the import of it."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from io import BytesIO
from typing import Annotated, BinaryIO

from fastapi import APIRouter, Depends, File, Form, Path, Query, Request, UploadFile
from fastapi.responses import RedirectResponse
from starlette.responses import Response

from monitor.domain.access import Role, Visitor
from monitor.engines import READERS
from monitor.errors import MonitorError
from monitor.pipeline.handing_in import (
    Said,
    imported_screen,
    read_upload,
    said_json,
    scoring_problem,
    store_upload,
    upload_screen,
)
from monitor.pipeline.importing import Imported
from monitor.pipeline.spool import Spool, Upload, UploadGoneError, spool_of
from monitor.report.screens.links import page_address, run_address
from monitor.report.screens.uploads import (
    ImportedScreen,
    PromptChoice,
    UploadForm,
    UploadScreen,
    upload_table,
)
from monitor.store import Connection, audit
from monitor.store.codec import decode, encode
from monitor.web.access.acts import act
from monitor.web.access.visiting import VisitorOf
from monitor.web.desk import Desk
from monitor.web.pages.finding import DeskOf
from monitor.web.pages.panel_files import panel_called, sound_panels
from monitor.web.problems import not_found
from monitor.web.rendering import render
from monitor.web.scoring_later import score_later
from monitor.web.screens import Screen

ROUTER = APIRouter()

UploadName = Annotated[str, Path(max_length=100, description="Name of an upload that waits.")]
_Flag = Annotated[bool, Form()]
_FIELDS = {
    "prompt": "Prompt",
    "engine": "Surface",
    "at": "Seen at",
    "turn": "Which answer",
    "url": "Sources shown",
    "text": "Text shown",
}
"""Option of the command -> field of the form."""
_OPTION = re.compile(rf"--({'|'.join(_FIELDS)})\b")
_TEXT_NAME = "pasted text.txt"
_MOST_PROMPTS = 500


def said_of(
    *,
    panel: Annotated[str, Form(max_length=100)] = "",
    prompt: Annotated[str, Form(max_length=200)] = "",
    engine: Annotated[str, Form(max_length=100)] = "",
    at: Annotated[str, Form(max_length=60)] = "",
    turn: Annotated[str, Form(max_length=10)] = "",
    urls: Annotated[str, Form(max_length=500_000)] = "",
    text: Annotated[str, Form(max_length=1_000_000)] = "",
    skip_bad: _Flag = False,
) -> tuple[Said, str]:
    """What was said beside the files, and the text that pictures show."""
    said = Said(
        panel=panel,
        prompt=prompt,
        engine=engine,
        at=at,
        turn=turn,
        urls=urls,
        has_text=bool(text.strip()),
        skip_bad=skip_bad,
    )
    return said, text


SaidOf = Annotated[tuple[Said, str], Depends(said_of)]
Files = Annotated[list[UploadFile] | None, File(description="Files as they were saved.")]


def load_form(desk: DeskOf, panel: Annotated[str, Query(max_length=100)] = "") -> UploadForm:
    """What an upload can say: panels, their prompts, surfaces."""
    return _form(desk, Said(panel=panel))


def load_upload(desk: DeskOf, who: VisitorOf, upload: UploadName) -> UploadScreen:
    """What the files of an upload were recognised as; nothing of it is stored yet."""
    one = _waiting(desk, who, upload)
    screen = decode(UploadScreen, one.about["found"])
    return replace(screen, name=one.name, score_problem=scoring_problem(desk.bench.settings))


@act(ROUTER, "/upload", role=Role.ANNOTATOR, uploads=True, include_in_schema=False)
def look(
    request: Request,
    desk: DeskOf,
    who: VisitorOf,
    *,
    given: SaidOf,
    files: Files = None,
) -> Response:
    """Keep files for an hour and say what they are; nothing is stored."""
    said, text = given
    try:
        name = _looked_at(desk, who, said, text=text, files=files or [])
    except MonitorError as error:
        problems = tuple(_in_fields(str(error)).splitlines())
        form = replace(_form(desk, said), text=text[:10_000], problems=problems)
        return render(request, "upload.html.j2", code=400, screen=form)
    return RedirectResponse(page_address("upload", name), status_code=303)


@act(
    ROUTER,
    "/upload/{upload}/store",
    role=Role.ANNOTATOR,
    form_on="/upload/{upload}",
    include_in_schema=False,
)
def store(
    desk: DeskOf, who: VisitorOf, upload: UploadName, *, scores: _Flag = False
) -> RedirectResponse:
    """Store what was recognised, as a run of its own."""
    _waiting(desk, who, upload)
    with _here(), spool_of(desk.bench.settings).taken(upload) as one:
        done = _stored(desk, who, one, scores=scores)
    return RedirectResponse(run_address(done.run.public_id), status_code=303)


@act(
    ROUTER,
    "/upload/{upload}/drop",
    role=Role.ANNOTATOR,
    form_on="/upload/{upload}",
    include_in_schema=False,
)
def drop(desk: DeskOf, who: VisitorOf, upload: UploadName) -> RedirectResponse:
    """Remove an upload without storing it."""
    _waiting(desk, who, upload)
    spool_of(desk.bench.settings).drop(upload)
    return RedirectResponse(page_address("upload"), status_code=303)


@act(
    ROUTER,
    "/api/v1/imports",
    role=Role.ANNOTATOR,
    uploads=True,
    operation_id="import_files",
    response_model=ImportedScreen,
)
def import_files(
    desk: DeskOf,
    who: VisitorOf,
    *,
    given: SaidOf,
    files: Files = None,
    dry_run: _Flag = True,
    scores: _Flag = False,
) -> ImportedScreen:
    """Import answers that were captured by hand; as a dry run it only says what they are."""
    said, text = given
    spool = spool_of(desk.bench.settings)
    name = _looked_at(desk, who, said, text=text, files=files or [])
    if dry_run:
        one = spool.load(name)
        spool.drop(name)
        return imported_screen(None, decode(UploadScreen, one.about["found"]))
    with _dropped(spool, name), spool.taken(name) as one:
        done = _stored(desk, who, one, scores=scores)
        return imported_screen(done, decode(UploadScreen, one.about["found"]))


def _looked_at(desk: Desk, who: Visitor, said: Said, text: str, files: Sequence[UploadFile]) -> str:
    """Name of an upload that was read and waits; MonitorError, and nothing kept, where it fails."""
    spool = spool_of(desk.bench.settings)
    held = panel_called(desk, said.panel)
    one = spool.keep(_sent(files, text), {"said": said_json(said), "who": who.name})
    try:
        found = read_upload(held, said, one)
        screen = upload_screen(found, said.panel)
        spool.note(one.name, "found", encode(UploadScreen, screen))
    except BaseException:
        spool.drop(one.name)
        raise
    return one.name


def _stored(desk: Desk, who: Visitor, one: Upload, *, scores: bool) -> Imported:
    """Import an upload that was taken, note who did it, and have it scored where that is wanted."""
    said = Said(**one.about["said"])
    held = panel_called(desk, said.panel)
    names, at = [called.name for called in one.files.values()], desk.bench.clock.now()

    def also(connection: Connection, made: Imported) -> None:
        body = {"files": names, "new": made.is_new}
        audit.note(connection, who, "import", made.run.public_id, at=at, body=body)

    found = read_upload(held, said, one)
    done = store_upload(desk.bench, held, found, scores=scores, also=also)
    if scores and done.is_new:
        score_later(desk.bench, done.run)
    return done


def _sent(files: Sequence[UploadFile], text: str) -> Iterator[tuple[str, BinaryIO]]:
    """Files that were chosen, and last the text that was pasted."""
    for file in files:
        if file.filename or file.size:
            yield file.filename or "", file.file
    if text.strip():
        yield _TEXT_NAME, BytesIO(text.encode("utf-8", "replace"))


def _waiting(desk: Desk, who: Visitor, name: str) -> Upload:
    """An upload of this visitor that waits; 404 for any other."""
    with _here():
        one = spool_of(desk.bench.settings).load(name)
        if one.about.get("who") != who.name or "found" not in one.about:
            raise UploadGoneError("this upload is not here, or somebody else's; hand yours in anew")
    return one


@contextmanager
def _here() -> Iterator[None]:
    """404 for an upload that is not there."""
    try:
        yield
    except UploadGoneError as error:
        raise not_found(str(error)) from error


@contextmanager
def _dropped(spool: Spool, name: str) -> Iterator[None]:
    """Whatever comes, nothing of an upload stays."""
    try:
        yield
    finally:
        spool.drop(name)


def _form(desk: Desk, said: Said) -> UploadForm:
    known = sound_panels(desk)
    return UploadForm(
        panels=tuple(known),
        prompts=tuple(
            PromptChoice(name, prompt.id, prompt.text)
            for name, one in known.items()
            if one.panel is not None and said.panel in {"", name}
            for prompt in one.panel.prompts
        )[:_MOST_PROMPTS],
        engines=tuple(sorted(READERS)),
        megabytes=desk.bench.settings.web.upload_megabytes,
        panel=said.panel,
        prompt=said.prompt,
        engine=said.engine,
        at=said.at,
        turn=said.turn,
        urls=said.urls,
    )


def _in_fields(message: str) -> str:
    """What is wrong, with the names of fields in the place of options of the command."""
    return _OPTION.sub(lambda found: f"“{_FIELDS[found[1]]}”", message)


SCREENS = (
    Screen("/upload", load_form, UploadForm, "upload.html.j2", role=Role.ANNOTATOR),
    Screen(
        "/upload/{upload}",
        load_upload,
        UploadScreen,
        "uploaded.html.j2",
        table=upload_table,
        role=Role.ANNOTATOR,
    ),
)
