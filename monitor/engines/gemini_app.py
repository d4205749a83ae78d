"""The Gemini app as people see it, and what they copy from it. Its chips are unverified.

A saved page of 2025-06-30 has questions and answers; no page with citations was to be had. From
notes, the latest of 2026-09-26: a chip `source-inline-chip` names a site with "+ N" and has no
address before its card is opened; a side list shows the same cards. Copied words have no chips at
all, only the list that the model wrote itself.
"""

import re

from monitor.domain.engine import (
    Access,
    Engine,
    EngineSettings,
    Exchanges,
    Reading,
    Request,
    Surface,
    no_follow_up,
)
from monitor.domain.panel import Prompt
from monitor.domain.turn import Document, Form, Turn
from monitor.engines.surfaces.chat_page import Chat
from monitor.engines.surfaces.chat_turns import chat_turns
from monitor.engines.surfaces.gemini_text import copied_turns, is_copied
from monitor.engines.surfaces.reading import read_surface
from monitor.errors import PayloadError
from monitor.markup.trees import clean_text, decode_body

_NAME = "gemini_app"
_BASE = "https://gemini.google.com/"
_CHAT = Chat(
    name=_NAME,
    own=("gemini.google.com", "accounts.google.com", "myactivity.google.com"),
    names=("id",),
    heading="Gemini said",
)
_PAGE = re.compile(rb"<model-response\b", re.IGNORECASE)


def request(prompt: Prompt, settings: EngineSettings) -> Request:  # noqa: ARG001 - typed, not sent
    """Address of a new chat; the driver types the prompt's text into it."""
    return Request("GET", f"{(settings.base_url or _BASE).rstrip('/')}/app")


def recognise(body: bytes) -> Form | None:
    """Which form of Gemini some bytes are."""
    if _PAGE.search(body):
        return Form.DOM
    if body.lstrip()[:1] in {b"<", b"{"}:
        return None
    return Form.TEXT if is_copied(_words(body)) else None


def turns(document: Document) -> tuple[Turn, ...]:
    """All answers of a document; PayloadError where it is of no form of this surface."""
    if document.form is Form.DOM:
        return chat_turns(_CHAT, document)
    if document.form is Form.TEXT:
        return copied_turns(_words(document.body))
    raise PayloadError(_NAME, "$", f"form {document.form!r}, expected dom or text")


def parse(exchanges: Exchanges) -> Reading:
    """Reading of a capture, live or handed in."""
    return read_surface(_NAME, exchanges, recognise=recognise, turns=turns)


def _words(body: bytes) -> str:
    return clean_text(decode_body(body, None)).replace("\r\n", "\n").replace("\r", "\n")


ENGINE = Engine(
    name=_NAME,
    label="Gemini app (browser, unverified)",
    access=Access.BROWSER,
    surface=Surface.BROWSER,
    request=request,
    follow_up=no_follow_up,
    parse=parse,
    auth=None,
    default_model=None,
    call_micros=0,
    lists_sources=True,
)
