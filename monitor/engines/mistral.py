"""Mistral Conversations API: references stand between the chunks of text they support.

`outputs[]` holds `tool.execution` entries and `message.output`, whose `content` is a string or a
list of `text` and `tool_reference{title, url, description?}` chunks. A reference supports the
text chunk before it; several in a row support the same one, and the sentence's full stop may come
after them, at the head of the next chunk. There are no offsets: the chunk is the span (a block,
without the punctuation that ends the sentence before it). References are visible. A reference
without a URL names a tool and cites nothing. What was retrieved is not told; queries stand in the
`arguments` of the executions where given. Known from documentation of 2025-09 and one recorded
error (401 `{"detail": "Invalid API Key"}`, 2026-08); no recorded answer was at hand.

There is no locale parameter. Options: `premium` (true asks for `web_search_premium`, with news
agencies), `max_tokens`.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from monitor.domain.engine import (
    Access,
    Auth,
    Engine,
    EngineSettings,
    Exchange,
    Exchanges,
    Reading,
    Request,
    Retrieval,
    Role,
    Span,
    SpanKind,
    Surface,
    Usage,
    no_follow_up,
)
from monitor.domain.panel import Prompt
from monitor.engines.shapes.address import endpoint, known_options
from monitor.engines.shapes.citing import Mark, distinct_words, with_prose
from monitor.engines.shapes.ending import Ending, conclude
from monitor.engines.shapes.failure import by_error
from monitor.engines.shapes.payload import (
    by_status,
    last_exchange,
    list_at,
    mapping_at,
    open_body,
    optional_int,
    optional_string,
    requested_model,
    require,
    string_at,
)
from monitor.errors import PayloadError

_NAME = "mistral"
_MODEL = "mistral-medium-latest"
_OPTIONS = {"premium", "max_tokens"}
_KNOWN = frozenset({"tool.execution", "message.output", "function.call", "agent.handoff"})
_SILENT = frozenset({"thinking", "image_url", "tool_file", "document_url"})
_HEAD = re.compile(r"[\s.,;:!?…)\]}»”\"']*")


def request(prompt: Prompt, settings: EngineSettings) -> Request:
    """One conversation start with web search, not stored and not streamed."""
    options = known_options(_NAME, settings, _OPTIONS)
    tool = "web_search_premium" if options.get("premium") else "web_search"
    body: dict[str, Any] = {
        "model": settings.model or _MODEL,
        "inputs": prompt.text,
        "tools": [{"type": tool}],
        "stream": False,
        "store": False,
    }
    if prompt.persona:
        body["instructions"] = prompt.persona
    if "max_tokens" in options:
        body["completion_args"] = {"max_tokens": options["max_tokens"]}
    url = endpoint("https://api.mistral.ai/v1", "/conversations", settings.base_url)
    return Request("POST", url, json=body)


@dataclass(frozen=True, slots=True)
class _Said:
    """Text of messages so far with the references in it."""

    text: str = ""
    marks: tuple[Mark, ...] = ()
    warnings: tuple[str, ...] = ()


def _block(text: str, start: int) -> Span | None:
    """Span of the chunk that begins at `start`, without the end of the sentence before it."""
    head = _HEAD.match(text, start)
    begin = head.end() if head else start
    end = len(text.rstrip())
    return Span(begin, end, SpanKind.BLOCK) if begin < end else None


def _reference(node: Mapping[str, Any], path: str, said: _Said, start: int) -> _Said:
    url = node.get("url")
    if url is None:
        return replace(said, warnings=(*said.warnings, f"{path}: a reference without a url"))
    span = _block(said.text, start)
    mark = Mark(
        url=string_at(_NAME, url, f"{path}.url"),
        role=Role.DISPLAYED,
        title=optional_string(node.get("title")),
        span=span,
        at=span.start if span else start,
        snippet=optional_string(node.get("description")),
    )
    return replace(said, marks=(*said.marks, mark))


def _chunks(said: _Said, chunks: Sequence[Any], path: str) -> _Said:
    """Text grown by a message's chunks; `start` is where the latest text chunk begins."""
    start = len(said.text)
    for number, entry in enumerate(chunks):
        here = f"{path}[{number}]"
        node = mapping_at(_NAME, entry, here)
        kind = string_at(_NAME, require(_NAME, node, "type", here), f"{here}.type")
        if kind == "text":
            text = string_at(_NAME, require(_NAME, node, "text", here), f"{here}.text")
            start = len(said.text) if text.strip() else start
            said = replace(said, text=said.text + text)
        elif kind == "tool_reference":
            said = _reference(node, here, said, start)
        elif kind not in _SILENT:
            raise PayloadError(_NAME, f"{here}.type", f"unknown chunk type {kind!r}")
    return said


def _message(said: _Said, node: Mapping[str, Any], path: str) -> _Said:
    content = require(_NAME, node, "content", path)
    if isinstance(content, list):
        return _chunks(said, content, f"{path}.content")
    return replace(said, text=said.text + string_at(_NAME, content, f"{path}.content"))


def _outputs(payload: Mapping[str, Any]) -> tuple[tuple[Mapping[str, Any], str, str], ...]:
    """Entries of `outputs` with type and path; PayloadError where none is of a known type."""
    found = []
    for number, entry in enumerate(
        list_at(_NAME, require(_NAME, payload, "outputs", "$"), "$.outputs")
    ):
        path = f"$.outputs[{number}]"
        node = mapping_at(_NAME, entry, path)
        kind = string_at(_NAME, require(_NAME, node, "type", path), f"{path}.type")
        found.append((node, kind, path))
    kinds = {kind for _, kind, _ in found}
    if "message.output" not in kinds and kinds - _KNOWN:
        found_kinds = f"no message, but unknown types {sorted(kinds - _KNOWN)}"
        raise PayloadError(_NAME, "$.outputs", found_kinds)
    return tuple(found)


def _is_search(node: Mapping[str, Any], kind: str) -> bool:
    name = node.get("name")
    return kind == "tool.execution" and isinstance(name, str) and name.startswith("web_search")


def _spoken(outputs: Sequence[tuple[Mapping[str, Any], str, str]]) -> _Said:
    """Messages joined, without uncited chatter before the last search."""
    last = max(
        (n for n, (node, kind, _) in enumerate(outputs) if _is_search(node, kind)), default=-1
    )
    said, everything = _Said(), _Said()
    for number, (node, kind, path) in enumerate(outputs):
        if kind != "message.output":
            continue
        everything = _message(everything, node, path)
        if number > last or _message(_Said(), node, path).marks:
            said = _message(said, node, path)
    return said if said.text.strip() else everything


def _queries(outputs: Sequence[tuple[Mapping[str, Any], str, str]]) -> Iterator[str]:
    for node, kind, _ in outputs:
        arguments = node.get("arguments")
        if _is_search(node, kind) and isinstance(arguments, str):
            try:
                arguments = json.loads(arguments)
            except (ValueError, RecursionError):
                continue
        query = arguments.get("query") if isinstance(arguments, Mapping) else None
        if _is_search(node, kind) and (words := optional_string(query)):
            yield words


def _usage(payload: Mapping[str, Any]) -> Usage | None:
    usage = payload.get("usage")
    if not isinstance(usage, Mapping):
        return None
    connectors = usage.get("connectors")
    counts = connectors if isinstance(connectors, Mapping) else {}
    searches = (optional_int(counts.get(key)) for key in ("web_search", "web_search_premium"))
    counted = [count for count in searches if count is not None]
    return Usage(
        input_tokens=optional_int(usage.get("prompt_tokens")),
        output_tokens=optional_int(usage.get("completion_tokens")),
        searches=sum(counted) if counted else None,
    )


def _failure(exchange: Exchange, payload: Mapping[str, Any]) -> Reading | None:
    """Outcome of a body without outputs that says what failed, or None."""
    if "outputs" in payload:
        return None
    error = payload.get("detail") or payload.get("error")
    if error is None and ("message" in payload or by_status(exchange.status)):
        error = payload
    return by_error(error, exchange.status) if error is not None else None


def _served(outputs: Sequence[tuple[Mapping[str, Any], str, str]]) -> str | None:
    models = (optional_string(node.get("model")) for node, _, _ in outputs)
    return next((model for model in models if model), None)


def _read(payload: Mapping[str, Any]) -> Reading:
    outputs = _outputs(payload)
    said, usage = _spoken(outputs), _usage(payload)
    searched = any(_is_search(node, kind) for node, kind, _ in outputs)
    counted = usage is not None and bool(usage.searches)
    outcome, reason = conclude(Ending.DONE, said.text, cited=bool(said.marks))
    return Reading(
        outcome=outcome,
        reason=reason,
        text=said.text,
        citations=with_prose(said.text, said.marks),
        queries=distinct_words(_queries(outputs)),
        retrieval=Retrieval.USED if searched or counted else Retrieval.NOT_USED,
        served_model=_served(outputs),
        usage=usage,
        warnings=said.warnings,
    )


def parse(exchanges: Exchanges) -> Reading:
    """Reading of a conversation's first answer."""
    exchange = last_exchange(_NAME, exchanges)
    asked = requested_model(exchange)
    body = open_body(_NAME, exchange)
    if isinstance(body, Reading):
        return replace(body, requested_model=asked)
    payload = mapping_at(_NAME, body.value, "$")
    return replace(_failure(exchange, payload) or _read(payload), requested_model=asked)


ENGINE = Engine(
    name=_NAME,
    label="Mistral (API, web search)",
    access=Access.API,
    surface=Surface.HTTP,
    request=request,
    follow_up=no_follow_up,
    parse=parse,
    auth=Auth(("MISTRAL_API_KEY",)),
    default_model=_MODEL,
    # Estimate of 2025-12 from the public price list: 30,000 micro-USD a search connector call,
    # plus tokens. The payload reports no money.
    call_micros=35_000,
)
"""Mistral through its Conversations API."""
