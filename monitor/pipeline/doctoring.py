"""How well a document that somebody saved is understood: by which surface and selectors.

Nothing is stored and nothing is fetched; the same readers are used as for captures and imports.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import BinaryIO

from monitor.capture.imports.opening import open_source
from monitor.capture.imports.parts import Caps, FoundDocument
from monitor.config.words import nearest
from monitor.domain.engine import Outcome, Reading
from monitor.domain.turn import NOTHING_TOLD, Form, Turn
from monitor.engines import READERS
from monitor.engines.shapes.payload import is_html
from monitor.engines.surfaces.live import is_live, read_live
from monitor.engines.surfaces.reading import handed_in
from monitor.engines.surfaces.selectors import Selectors, load_selectors
from monitor.errors import MonitorError, PayloadError
from monitor.markup.trees import decode_body, parse_html

MOST_DOCUMENTS = 50
"""Documents of one file that are looked at; the export of an account holds thousands."""


@dataclass(frozen=True, slots=True)
class SelectorHit:
    """One selector, and how often it fits the document."""

    role: str
    css: str
    hits: int
    verified_on: date
    seen_in: str
    confidence: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What one surface's reader makes of one document."""

    engine: str
    form: Form
    member: str | None
    """Name of the document inside the file; None where the file is the document."""
    selectors: tuple[SelectorHit, ...]
    """Empty for documents that are no page."""
    version: str | None
    """Version of the selectors."""
    turns: tuple[Turn, ...]
    problem: str | None = None
    """Why the document cannot be read; None where it can."""

    @property
    def answered(self) -> bool:
        """Whether an answer was read."""
        return any(turn.reading.outcome is Outcome.ANSWERED for turn in self.turns)


def diagnose(file: BinaryIO, engine: str | None = None) -> tuple[Diagnosis, ...]:
    """Each document of a file by each surface that knows it, or by the one that is named.

    MonitorError where nobody knows any document, saying what was expected. A page is looked at by
    the selectors of a surface that is named even where it does not seem to be its page.
    """
    if engine is not None and engine not in READERS:
        raise MonitorError(f"unknown surface {engine!r}{nearest(engine, READERS)}")
    with open_source(file, Caps()) as source:
        several = tuple(islice(source.documents, MOST_DOCUMENTS))
        container = source.container.value
    found = tuple(one for document in several for one in _diagnosed(document, engine))
    if not found:
        looked_at = f"{container}, {len(several)} document(s) looked at"
        raise MonitorError(
            f"nothing in this file ({looked_at}) is an answer of {engine or ', '.join(READERS)}. "
            "Expected a saved page (HTML, MHTML, SingleFile), a HAR, a stream, a thread or an "
            "exported conversation, the surface's own export as text, or a live capture; "
            "--engine NAME looks at a page by the selectors of that surface all the same"
        )
    return found


def _diagnosed(found: FoundDocument, engine: str | None) -> Iterator[Diagnosis]:
    names = tuple(READERS) if engine is None else (engine,)
    for name in names:
        form = READERS[name].recognise(found.body)
        if is_live(found.body):
            form = Form.LIVE if f'"surface":"{name}"'.encode() in found.body else None
        elif form is None and engine is not None and is_html(found.body):
            form = Form.DOM
        if form is not None:
            yield _read(name, form, found)


def _read(name: str, form: Form, found: FoundDocument) -> Diagnosis:
    document = handed_in(found.body, form, found.url)
    turns: tuple[Turn, ...] = ()
    problem = None
    try:
        if form is Form.LIVE:
            live = read_live(name, found.body)
            document = live.document
            turns = () if live.ended is None else (_ended(live.prompt, live.ended),)
        turns = turns or READERS[name].turns(document)
    except PayloadError as error:
        problem = str(error)
    selectors = load_selectors(name) if document.form is Form.DOM else None
    return Diagnosis(
        engine=name,
        form=form,
        member=found.member,
        selectors=() if selectors is None else tuple(_hits(selectors, document.body)),
        version=None if selectors is None else selectors.version,
        turns=turns,
        problem=problem,
    )


def _ended(prompt: str, reading: Reading) -> Turn:
    """A live capture that brought no answer, as a turn."""
    return Turn(0, None, prompt, reading, NOTHING_TOLD)


def _hits(selectors: Selectors, body: bytes) -> Iterator[SelectorHit]:
    """Every selector of a surface, in file order."""
    tree = parse_html(decode_body(body, None), full=True)
    roles = dict.fromkeys(one.role for one in selectors.selectors)
    counted = {role: selectors.find(tree, role).hits if tree is not None else {} for role in roles}
    for one in selectors.selectors:
        yield SelectorHit(
            role=one.role,
            css=one.css,
            hits=counted[one.role].get(one.css, 0),
            verified_on=one.verified_on,
            seen_in=one.seen_in,
            confidence=one.confidence,
        )
