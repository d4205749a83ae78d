"""Microsoft Copilot as people see it, and its answers on Bing's pages. Citations are unverified.

A saved page of 2025-08 has questions and answers; no page with citations was to be had. From notes
of 2026-01: a citation is a button "Citation n" whose address is nowhere before it is opened, or an
element with `data-url`. Such buttons count as hidden citations until they are opened. Bing's links
lead through `/ck/a?u=a1...`; `monitor.urls` unwraps them.
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
from monitor.engines.surfaces.reading import read_surface
from monitor.errors import PayloadError

_NAME = "copilot_web"
_BASE = "https://copilot.microsoft.com/"
_CHAT = Chat(
    name=_NAME,
    own=("copilot.microsoft.com", "bing.com", "account.microsoft.com"),
    names=("data-message-id",),
    heading="Copilot said",
)
_PAGE = re.compile(
    rb"data-content=[\"']?ai-message|data-testid=[\"']?ai-message"
    rb"|id=[\"']?(?:copans_container|b_genserp_container)\b"
)


def request(prompt: Prompt, settings: EngineSettings) -> Request:  # noqa: ARG001 - typed, not sent
    """Address of a new chat; the driver types the prompt's text into it."""
    return Request("GET", f"{(settings.base_url or _BASE).rstrip('/')}/")


def recognise(body: bytes) -> Form | None:
    """Whether bytes are a page with answers of Copilot."""
    return Form.DOM if _PAGE.search(body) else None


def turns(document: Document) -> tuple[Turn, ...]:
    """All answers of a page; PayloadError where the document is none."""
    if document.form is not Form.DOM:
        raise PayloadError(_NAME, "$", f"form {document.form!r}, expected dom")
    return chat_turns(_CHAT, document)


def parse(exchanges: Exchanges) -> Reading:
    """Reading of a capture, live or handed in."""
    return read_surface(_NAME, exchanges, recognise=recognise, turns=turns)


ENGINE = Engine(
    name=_NAME,
    label="Copilot (browser, unverified)",
    access=Access.BROWSER,
    surface=Surface.BROWSER,
    request=request,
    follow_up=no_follow_up,
    parse=parse,
    auth=None,
    default_model=None,
    call_micros=0,
)
