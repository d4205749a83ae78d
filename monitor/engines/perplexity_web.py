"""Perplexity as people see it, www.perplexity.ai: its page, its streams and threads, its export.

Forms, all read by `turns`:

    page        (DOM) pills behind sentences, see `surfaces.perplexity_page`
    stream      what the page is sent while an answer is written, see `surfaces.perplexity_answer`
    thread      JSON that the page asks for to show a thread again: entries as in a stream
    Markdown    the export of a thread, see `surfaces.perplexity_markdown`

In streams, threads and exports marks stay in the text, `[n]` or `[^turn_n]`, each with its span;
what is numbered but not marked was searched and not cited. In a page the place of a pill has the
sentence before it as span. Numbers begin anew with each answer. The model that answers may be
another than the one that was asked for: both are read, and the difference is told.

A stream that breaks off does not say so. It is finished only where its last message says it is
(`final_sse_message`, COMPLETED); else its answer is truncated, and without any text a timeout. A
finished answer without text, or in no place we know, is an error and never an empty answer.

For the driver. Answers have no mark of their end: `stop` gone and text still for long. `turn_id` is
null where the answer's place has no `id`. `sources_button` has a clone that cannot be seen.
"""

import re
from collections.abc import Mapping
from typing import Any

from monitor.domain.engine import (
    Access,
    Engine,
    EngineSettings,
    Exchanges,
    Outcome,
    Reading,
    Request,
    Surface,
    no_follow_up,
)
from monitor.domain.panel import Prompt
from monitor.domain.turn import Completeness, Document, Form, Turn
from monitor.engines.shapes.address import endpoint, known_options
from monitor.engines.shapes.payload import (
    decode,
    describe,
    is_event_stream,
    is_html,
    list_at,
    mapping_at,
    read_json,
)
from monitor.engines.surfaces.live import is_live, read_live
from monitor.engines.surfaces.perplexity_answer import read_entry
from monitor.engines.surfaces.perplexity_entries import fold, read_messages
from monitor.engines.surfaces.perplexity_markdown import is_export, read_export
from monitor.engines.surfaces.perplexity_page import read_page
from monitor.engines.surfaces.reading import read_surface
from monitor.errors import PayloadError

_NAME = "perplexity_web"
_LIVE = re.compile(rb'"surface":\s?"perplexity_web"')
_STREAM = re.compile(rb'"(?:backend_uuid|thread_url_slug|intended_usage)"')
_ENTRY = re.compile(rb'"(?:intended_usage|query_str|thread_url_slug)"')
_PAGE = re.compile(
    rb"data-pplx-|id=[\"']?ask-input\b|data-renderer=[\"']?lm\b"
    rb"|(?:canonical|og:url)[\"']?\s[^<>]{0,200}https://www\.perplexity\.ai"
    rb"|(?:url:|saved from url=\(\d{1,6}\))\s?https://www\.perplexity\.ai"
    rb"|<title>[^<]{0,300}\bPerplexity\s*</title>",
    re.IGNORECASE,
)
_LOOKED_AT = 4_000_000
"""Bytes of a document that are searched for signs of the surface."""


def request(prompt: Prompt, settings: EngineSettings) -> Request:  # noqa: ARG001 - typed, not sent
    """Address of the page whose field the prompt's text is typed into."""
    known_options(_NAME, settings, ())
    return Request("GET", endpoint("https://www.perplexity.ai", "/", settings.base_url))


def recognise(body: bytes) -> Form | None:
    """Which form of Perplexity's some bytes are; None where they are none of them.

    What the page asks for beside answers, such as limits and models, is none.
    """
    if is_live(body):
        return Form.LIVE if _LIVE.search(body[:_LOOKED_AT]) else None
    if is_event_stream(body):
        return Form.STREAM if _STREAM.search(body[:_LOOKED_AT]) else None
    start = body.lstrip(b"\xef\xbb\xbf \r\n\t")[:1]
    if start in {b"{", b"["}:
        return Form.THREAD if _is_thread(body) else None
    text = body[:_LOOKED_AT].decode("utf-8", "replace")
    if is_export(text):
        return Form.MARKDOWN
    return Form.DOM if is_html(body) and _PAGE.search(body[:_LOOKED_AT]) else None


def _is_thread(body: bytes) -> bool:
    """Whether JSON is a thread or one entry of one."""
    if not _ENTRY.search(body):
        return False
    try:
        value = read_json(_NAME, body)
    except PayloadError:
        return False
    return isinstance(value, dict) and (
        isinstance(value.get("entries"), list) or bool(_messages(value))
    )


def _messages(document: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Messages of one answer: the document itself, or all its fields; empty where it has none."""
    several = [document] if "blocks" in document else list(document.values())
    whole = all(isinstance(one, Mapping) and isinstance(one.get("blocks"), list) for one in several)
    return several if whole else []


def turns(document: Document) -> tuple[Turn, ...]:
    """All answers of a document, in the order shown; PayloadError where it cannot be read."""
    match document.form:
        case Form.LIVE:
            return turns(read_live(_NAME, document.body).document)
        case Form.DOM:
            return read_page(_NAME, document)
        case Form.STREAM:
            return _stream(document.body)
        case Form.THREAD:
            return _thread(document.body)
        case Form.MARKDOWN | Form.TEXT:
            return read_export(decode(_NAME, document.body))
        case _:
            raise PayloadError(_NAME, "$", f"no form of Perplexity's: {document.form}")


def _stream(body: bytes) -> tuple[Turn, ...]:
    """Answers of an event stream, as a rule one."""
    messages, cut = read_messages(_NAME, body)
    entries = fold(messages)
    if not entries and not cut:
        raise PayloadError(_NAME, "$", "a stream without a message")
    return tuple(
        read_entry(_NAME, entry, index, ended=entry.fields.get("final_sse_message") is True)
        for index, entry in enumerate(entries)
    )


def _thread(body: bytes) -> tuple[Turn, ...]:
    """Answers of a thread; one that cannot be read does not hide the others."""
    document = mapping_at(_NAME, read_json(_NAME, body), "$")
    if "entries" not in document:
        messages = _messages(document)
        if not messages:
            found = f"neither entries nor blocks in {describe(document)}"
            raise PayloadError(_NAME, "$", found)
        several = enumerate(fold(messages))
        return tuple(read_entry(_NAME, one, index, ended=True) for index, one in several)
    rows = list_at(_NAME, document["entries"], "$.entries")
    alone = len(rows) == 1
    return tuple(_entry(row, index, alone=alone) for index, row in enumerate(rows))


def _entry(row: object, index: int, *, alone: bool) -> Turn:
    try:
        message = mapping_at(_NAME, row, f"$.entries[{index}]")
        entry = next(iter(fold([message])), None)
        if entry is None:
            raise PayloadError(_NAME, f"$.entries[{index}]", "an empty entry")
        return read_entry(_NAME, entry, index, ended=True)
    except PayloadError as error:
        if alone:
            raise
        nothing = Completeness(
            None, offsets_exact=False, model_known=False, locale_known=False, retrieved_known=False
        )
        unread = Reading(Outcome.ERROR, "unreadable", warnings=(str(error),))
        return Turn(index, None, None, unread, nothing)


def parse(exchanges: Exchanges) -> Reading:
    """Reading of a live capture or of a document that was handed in."""
    return read_surface(_NAME, exchanges, recognise=recognise, turns=turns)


ENGINE = Engine(
    name=_NAME,
    label="Perplexity (browser)",
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
"""Perplexity's own page, captured live or handed in."""
