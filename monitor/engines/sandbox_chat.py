"""The sandbox's chat page, read through a browser: the pattern for every browser surface.

The page (`monitor.sandbox`, host chat.sandbox.example) is ours, so its layout does not move.

Where citations live. Pills `a[data-citation=inline]` stand behind a sentence; a pill may stand in
the page without being shown. A "Sources" button mounts a list of links, which may hold more than
the pills: a page that only the list has is listed.
Queries. The page shows what was searched, parted by middle dots.
Forms. DOM: what the live driver keeps of the page (contract `browser-capture-2`, described in
`surfaces.live`), or the page saved by hand.
"""

from dataclasses import replace

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

NAME = "sandbox_chat"
CHAT = Chat(NAME, own=("chat.sandbox.example",), names=("data-turn-id",))
_BASE = "https://chat.sandbox.example/"
_SIGN = b'data-testid="turns"'
_BETWEEN_QUERIES = " · "


def recognise(body: bytes) -> Form | None:
    """DOM for a saved page of the sandbox's chat."""
    return Form.DOM if _SIGN in body else None


def turns(document: Document) -> tuple[Turn, ...]:
    """Answers of a page, in the order shown."""
    return chat_turns(CHAT, document)


def request(prompt: Prompt, settings: EngineSettings) -> Request:  # noqa: ARG001 - typed, not sent
    """Address of the chat page; the driver types the prompt's text into it."""
    base = (settings.base_url or _BASE).rstrip("/")
    return Request("GET", f"{base}/")


def parse(exchanges: Exchanges) -> Reading:
    """Reading of a capture: pills are displayed, pages of the list alone are listed."""
    reading = read_surface(NAME, exchanges, recognise=recognise, turns=turns)
    queries = (one for told in reading.queries for one in told.split(_BETWEEN_QUERIES))
    return replace(reading, queries=tuple(one for one in queries if one))


ENGINE = Engine(
    name=NAME,
    label="Sandbox chat (browser)",
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
"""The engine as panels name it."""
