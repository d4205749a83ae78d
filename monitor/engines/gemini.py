"""Google Gemini with Google Search grounding, through generateContent or Interactions.

Where citations live. `groundingMetadata.groundingSupports[]` ties a segment of the answer to
indexes into `groundingChunks[]`; a chunk is a page. The segment is the claim itself, not a marker,
and nothing stands in the text. Supports overlap, and one may begin inside a number.
Offsets are UTF-8 bytes inside a part, end exclusive; `startIndex` and `partIndex` are left out when
0. One real payload (2026-01) starts every span a byte late: `segment.text` is the truth, and a span
whose words are not found near its place is dropped with a warning, while its mark still counts.
What is visible. Text parts without `thought`; tool parts (functionCall, toolCall, toolResponse,
code) are not answer. In a stream the metadata comes in the last event and means the joined text.
`chunk.web.uri` is a redirect of Google's that expires after about 30 days; its `title` is only the
domain. We keep it raw. Pseudo pages such as google.com/search?q=weather occur (2025-2026).
Retrieval. Queries, chunks, a search entry point or a search call say a search was made. Without
them we do not know: Google leaves the metadata out for several reasons. Chunks are the pages kept
as support (no payload seen holds one that nothing points at), not the hit list, so this surface
does not expose what was searched; a chunk without support is `retrieved`, never a citation.
Locale. There is no country parameter: the place must be said in the prompt, and an answer is
never confirmed as localised. The language is the prompt's.
Errors. A wrong key is HTTP 400 with reason API_KEY_INVALID; RESOURCE_EXHAUSTED with a PerDay quota
is spent for the day.

Options: `api` (`generate_content`, default, or `interactions`), `generation_config` (passed on).
"""

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
    Outcome,
    Reading,
    Request,
    Retrieval,
    Retrieved,
    Role,
    Span,
    SpanKind,
    Surface,
    Usage,
    no_follow_up,
)
from monitor.domain.panel import Prompt
from monitor.engines.shapes.address import endpoint, known_options
from monitor.engines.shapes.byte_spans import Answer, answer_of, locate
from monitor.engines.shapes.citing import Mark, distinct, distinct_words, gather
from monitor.engines.shapes.google_errors import by_google_error
from monitor.engines.shapes.interactions import is_interaction, read_interaction
from monitor.engines.shapes.payload import (
    Body,
    describe,
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

NAME = "gemini"
DEFAULT_MODEL = "gemini-3.5-flash"

_BASE = "https://generativelanguage.googleapis.com/v1beta"
_MODEL_IN_URL = re.compile(r"/models/([^/:?]+)")
_DECLINED = frozenset(
    {"SAFETY", "RECITATION", "LANGUAGE", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "IMAGE_SAFETY"}
)
_CHUNK_KINDS = ("web", "retrievedContext", "maps")

Node = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class _Candidate:
    """The first candidate, put together from one document or from a stream's events."""

    parts: tuple[Node, ...]
    finish: str | None
    grounding: Node
    searched: bool
    warnings: tuple[str, ...]


def request(prompt: Prompt, settings: EngineSettings) -> Request:
    """One grounded question; the country cannot be asked for, so it is not sent."""
    options = known_options(NAME, settings, {"api", "generation_config"})
    model = settings.model or DEFAULT_MODEL
    if options.get("api", "generate_content") == "interactions":
        body = {"model": model, "input": prompt.text, "tools": [{"type": "google_search"}]}
        persona = {"system_instruction": prompt.persona} if prompt.persona else {}
        return Request("POST", endpoint(_BASE, "/interactions", settings.base_url), body | persona)
    asked: dict[str, Any] = {
        "contents": [{"role": "user", "parts": [{"text": prompt.text}]}],
        "tools": [{"googleSearch": {}}],
    }
    if prompt.persona:
        asked["systemInstruction"] = {"parts": [{"text": prompt.persona}]}
    if options.get("generation_config"):
        asked["generationConfig"] = options["generation_config"]
    path = f"/models/{model}:generateContent"
    return Request("POST", endpoint(_BASE, path, settings.base_url), asked)


def parse(exchanges: Exchanges) -> Reading:
    """Reading of a generateContent or Interactions answer, whole or streamed."""
    exchange = last_exchange(NAME, exchanges)
    body = open_body(NAME, exchange)
    if isinstance(body, Reading):
        return replace(body, requested_model=_requested_model(exchange))
    documents = _documents(body)
    failed = next((d["error"] for d in documents if d.get("error") is not None), None)
    if failed is not None:
        reading = by_google_error(failed, exchange.status)
    elif is_interaction(documents[0]):
        reading = read_interaction(NAME, documents)
    else:
        reading = _generated(documents)
    return replace(reading, requested_model=_requested_model(exchange))


def _documents(body: Body) -> tuple[Node, ...]:
    """Documents of a body: the events of a stream, the chunks of a list, or the one object."""
    if body.events:
        values: Sequence[Any] = [event.data for event in body.events]
    else:
        values = body.value if isinstance(body.value, list) and body.value else [body.value]
    return tuple(mapping_at(NAME, value, f"$[{n}]") for n, value in enumerate(values))


def _requested_model(exchange: Exchange) -> str | None:
    """Model of the request's body, else the one in its URL."""
    url = exchange.request.url if exchange.request else ""
    named = _MODEL_IN_URL.search(url)
    return requested_model(exchange) or (named[1] if named else None)


def _generated(documents: Sequence[Node]) -> Reading:
    blocked = [b for d in documents if (b := _block_reason(d))]
    last = documents[-1]
    known = Reading(
        Outcome.NO_ANSWER,
        "declined",
        served_model=next(
            (m for d in documents if (m := optional_string(d.get("modelVersion")))), None
        ),
        usage=_usage(last.get("usageMetadata")),
        warnings=tuple(f"prompt blocked: {reason}" for reason in blocked),
    )
    if blocked and not any(d.get("candidates") for d in documents):
        return known
    candidate = _candidate(documents)
    answer = answer_of(_visible(candidate.parts))
    outcome, reason = _outcome(candidate.finish, answer.text)
    chunks, lost = _chunks(candidate.grounding)
    marks, dropped = _marks(candidate.grounding, chunks, answer)
    queries = _queries(candidate)
    return replace(
        known,
        outcome=outcome,
        reason=reason,
        text=answer.text,
        citations=gather(marks),
        retrieved=distinct(chunk for chunk in chunks if chunk),
        queries=queries,
        retrieval=Retrieval.USED if candidate.searched or queries else Retrieval.UNKNOWN,
        warnings=(*candidate.warnings, *lost, *dropped, *_ending(candidate.finish)),
    )


def _block_reason(document: Node) -> str | None:
    feedback = document.get("promptFeedback")
    return optional_string(feedback.get("blockReason")) if isinstance(feedback, Mapping) else None


def _outcome(finish: str | None, text: str) -> tuple[Outcome, str | None]:
    if finish in _DECLINED:
        return Outcome.NO_ANSWER, "declined"
    if not text.strip():
        return Outcome.ERROR, "empty"
    return (Outcome.ANSWERED, None) if finish == "STOP" else (Outcome.TRUNCATED, None)


def _ending(finish: str | None) -> tuple[str, ...]:
    if finish is None:
        return ("ended without a finishReason",)
    return () if finish in {"STOP", "MAX_TOKENS"} else (f"finishReason {finish}",)


def _usage(usage: Any) -> Usage | None:
    """Token counts; candidates are counted without thoughts."""
    if not isinstance(usage, Mapping):
        return None
    return Usage(
        optional_int(usage.get("promptTokenCount")),
        optional_int(usage.get("candidatesTokenCount")),
        optional_int(usage.get("thoughtsTokenCount")),
    )


def _candidate(documents: Sequence[Node]) -> _Candidate:
    firsts = [first for n, d in enumerate(documents) if (first := _first(d, n, documents))]
    metadata = [
        mapping_at(NAME, c["groundingMetadata"], "$.candidates[0].groundingMetadata")
        for c in firsts
        if c.get("groundingMetadata") is not None
    ]
    parts = tuple(part for c in firsts for part in _parts(c))
    grounding = next((m for m in reversed(metadata) if m.get("groundingChunks")), None)
    grounding = grounding if grounding is not None else (metadata[-1] if metadata else {})
    return _Candidate(
        parts=parts,
        finish=next(
            (f for c in reversed(firsts) if (f := optional_string(c.get("finishReason")))), None
        ),
        grounding=grounding,
        searched=_searched(grounding, parts),
        warnings=("more than one candidate, the first is read",) if _crowded(documents) else (),
    )


def _first(document: Node, number: int, documents: Sequence[Node]) -> Node | None:
    """First candidate of a document; a stream's event may come without one, a document not."""
    if len(documents) > 1 and "candidates" not in document:
        return None
    path = f"$[{number}].candidates" if len(documents) > 1 else "$.candidates"
    candidates = list_at(NAME, require(NAME, document, "candidates", "$"), path)
    if not candidates:
        require(NAME, {}, "0", path)
    return mapping_at(NAME, candidates[0], f"{path}[0]")


def _crowded(documents: Sequence[Node]) -> bool:
    return any(isinstance(c := d.get("candidates"), list) and len(c) > 1 for d in documents)


def _parts(candidate: Node) -> Iterator[Node]:
    path = "$.candidates[0].content"
    content = mapping_at(NAME, candidate.get("content") or {}, path)
    for n, part in enumerate(list_at(NAME, content.get("parts") or [], f"{path}.parts")):
        yield mapping_at(NAME, part, f"{path}.parts[{n}]")


def _visible(parts: Sequence[Node]) -> dict[int, str]:
    """Texts a reader sees by part index, as sent: offsets count the bytes before cleaning."""
    shown = {}
    for n, part in enumerate(parts):
        if "text" in part and not part.get("thought"):
            string_at(NAME, part["text"], f"$.candidates[0].content.parts[{n}].text")
            shown[n] = part["text"]
    return shown


def _searched(grounding: Node, parts: Sequence[Node]) -> bool:
    """Whether the payload shows a search: a chunk, an entry point or a search call."""
    called = any(
        isinstance(call := part.get("toolCall"), Mapping)
        and str(call.get("toolType")).startswith("GOOGLE_SEARCH")
        for part in parts
    )
    return called or bool(grounding.get("groundingChunks") or grounding.get("searchEntryPoint"))


def _queries(candidate: _Candidate) -> tuple[str, ...]:
    path = "$.candidates[0].groundingMetadata.webSearchQueries"
    stated = list_at(NAME, candidate.grounding.get("webSearchQueries") or [], path)
    asked = [string_at(NAME, query, path) for query in stated]
    for part in candidate.parts:
        call = part.get("toolCall")
        arguments = call.get("args") if isinstance(call, Mapping) else None
        named = arguments.get("queries") if isinstance(arguments, Mapping) else None
        asked += [q for q in named if isinstance(q, str)] if isinstance(named, list) else []
    return distinct_words(asked)


def _chunks(grounding: Node) -> tuple[tuple[Retrieved | None, ...], tuple[str, ...]]:
    """Pages by chunk index; None, with a warning, where a chunk names no URL."""
    path = "$.candidates[0].groundingMetadata.groundingChunks"
    pages: list[Retrieved | None] = []
    warnings = []
    for n, chunk in enumerate(list_at(NAME, grounding.get("groundingChunks") or [], path)):
        node = mapping_at(NAME, chunk, f"{path}[{n}]")
        kind = next((k for k in _CHUNK_KINDS if node.get(k) is not None), None)
        page = mapping_at(NAME, node[kind], f"{path}[{n}].{kind}") if kind else {}
        url = optional_string(page.get("uri"))
        pages.append(Retrieved(url, optional_string(page.get("title"))) if url else None)
        if not url:
            warnings.append(f"{path}[{n}]: a chunk without a URL")
    return tuple(pages), tuple(warnings)


def _marks(
    grounding: Node, chunks: Sequence[Retrieved | None], answer: Answer
) -> tuple[tuple[Mark, ...], tuple[str, ...]]:
    """A mark for every chunk a support points at, in the order of the supports."""
    path = "$.candidates[0].groundingMetadata.groundingSupports"
    marks: list[Mark] = []
    warnings: list[str] = []
    for n, support in enumerate(list_at(NAME, grounding.get("groundingSupports") or [], path)):
        here = f"{path}[{n}]"
        node = mapping_at(NAME, support, here)
        span = _span(mapping_at(NAME, node.get("segment") or {}, f"{here}.segment"), answer, here)
        if span is None:
            warnings.append(f"{here}: segment not found in the text, its span is dropped")
        for index in list_at(NAME, node.get("groundingChunkIndices") or [], here):
            at = optional_int(index)
            page = chunks[at] if at is not None and 0 <= at < len(chunks) else None
            if page is None:
                warnings.append(f"{here}: points at chunk {describe(index)}, which names no page")
            else:
                marks.append(Mark(page.url, Role.DISPLAYED, page.title, span, at=len(marks)))
    return tuple(marks), tuple(warnings)


def _span(segment: Node, answer: Answer, path: str) -> Span | None:
    """Span of a segment in code points of the answer's text, or None where it cannot be placed."""
    words = string_at(NAME, segment.get("text", ""), f"{path}.segment.text")
    numbers = [optional_int(segment.get(key, 0)) for key in ("startIndex", "endIndex", "partIndex")]
    start, end, part = (number if number is not None else -1 for number in numbers)
    found = locate(answer, (start, end), words, part)
    return Span(*found, SpanKind.CLAIM) if found else None


ENGINE = Engine(
    name=NAME,
    label="Gemini (API, Google Search grounding)",
    access=Access.API,
    surface=Surface.HTTP,
    request=request,
    follow_up=no_follow_up,
    parse=parse,
    auth=Auth(("GEMINI_API_KEY",), header="x-goog-api-key", scheme=""),
    default_model=DEFAULT_MODEL,
    # Estimate of 2026-08: 35 USD per 1,000 grounded prompts and about 1,500 Flash tokens.
    call_micros=40_000,
)
