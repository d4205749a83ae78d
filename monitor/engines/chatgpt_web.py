"""ChatGPT as people see it: its page, its shared pages, conversations of an account's export.

The page (2026-03) shows pills `webpage-citation-pill` behind sentences: the first address is in the
page, those behind "+N" only in what hovering shows. Shared pages and exports hold the data of the
pills, all addresses, and what was searched: they tell more than the page does. A conversation may
come as one object of `conversations.json`, as `backend-api/conversation/ID` gives it, or inside a
shared page's data. See `surfaces.chat_turns`, `surfaces.chatgpt_conversation`.

Options: `temporary` opens a chat without memory or history, `search` asks for a search (it need not
search). Both are undocumented parameters of the page's address.
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
from monitor.engines.shapes.address import known_options
from monitor.engines.shapes.payload import read_json
from monitor.engines.surfaces.chat_page import Chat
from monitor.engines.surfaces.chat_turns import chat_turns
from monitor.engines.surfaces.chatgpt_conversation import conversation_turns
from monitor.engines.surfaces.chatgpt_share import conversation_in, is_share, shared_conversation
from monitor.engines.surfaces.reading import read_surface
from monitor.errors import PayloadError
from monitor.markup.trees import decode_body

_NAME = "chatgpt_web"
_BASE = "https://chatgpt.com/"
_CHAT = Chat(
    name=_NAME,
    own=("chatgpt.com", "chat.openai.com", "oaiusercontent.com"),
    names=("data-turn-id", "data-message-id"),
    model="data-message-model-slug",
    heading="ChatGPT said",
)
_PAGE = re.compile(rb"data-message-author-role|data-testid=[\"']?conversation-turn-")
_TREE = re.compile(rb'"(?:mapping"\s*:\s*\{|linear_conversation"\s*:\s*\[)')
_WHOLE = re.compile(rb'\{\s*"conversations"')
_NODE = re.compile(rb'"(?:current_node|conversation_id|author|content_type)"')


def request(prompt: Prompt, settings: EngineSettings) -> Request:  # noqa: ARG001 - typed, not sent
    """Address of a new chat; the driver types the prompt's text into it."""
    options = known_options(_NAME, settings, ("temporary", "search"))
    query = []
    if settings.model:
        query.append(("model", settings.model))
    if options.get("temporary"):
        query.append(("temporary-chat", "true"))
    if options.get("search"):
        query.append(("hints", "search"))
    base = (settings.base_url or _BASE).rstrip("/")
    return Request("GET", f"{base}/", query=tuple(query))


def recognise(body: bytes) -> Form | None:
    """Which form of ChatGPT some bytes are; None for a whole export, which holds many."""
    start = body[:200].lstrip(b"\xef\xbb\xbf \r\n\t")
    if start.startswith((b"{", b"[")):
        single = start.startswith(b"{") and not _WHOLE.match(start)
        return Form.CONVERSATION if single and _TREE.search(body) and _NODE.search(body) else None
    drawn = _PAGE.search(body) is not None
    if is_share(body) and (not drawn or _carries(body)):
        return Form.SHARE
    return Form.DOM if drawn else None


def _carries(body: bytes) -> bool:
    """Whether a page's data holds a conversation too."""
    try:
        shared_conversation(_NAME, decode_body(body, None))
    except PayloadError:
        return False
    return True


def turns(document: Document) -> tuple[Turn, ...]:
    """All answers of a document; PayloadError where it is of no form of this surface."""
    if document.form is Form.DOM:
        return chat_turns(_CHAT, document)
    if document.form is Form.SHARE:
        return conversation_turns(shared_conversation(_NAME, decode_body(document.body, None)))
    if document.form is Form.CONVERSATION:
        conversation = conversation_in(read_json(_NAME, document.body))
        if conversation is None:
            raise PayloadError(_NAME, "$", "JSON without a conversation (`mapping`)")
        return conversation_turns(conversation)
    raise PayloadError(_NAME, "$", f"form {document.form!r}, expected dom, share or conversation")


def parse(exchanges: Exchanges) -> Reading:
    """Reading of a capture, live or handed in."""
    return read_surface(_NAME, exchanges, recognise=recognise, turns=turns)


ENGINE = Engine(
    name=_NAME,
    label="ChatGPT (browser)",
    access=Access.BROWSER,
    surface=Surface.BROWSER,
    request=request,
    follow_up=no_follow_up,
    parse=parse,
    auth=None,
    default_model=None,
    call_micros=0,
    exposes_retrieved=True,
    lists_sources=True,
)
