"""OpenAI chat completions with the search models: annotations on the one message, nested.

Citations are `message.annotations[].url_citation{start_index, end_index, title, url}`; offsets
count code points of the message, end exclusive, and cover the rendered link `([domain](url))`.
Everything annotated is visible. Neither queries, nor sources, nor a count of searches is told, so
whether a search ran is unknown unless something is cited: two of three recordings (2025-05 to
2026-08) are searched answers with `annotations: []`. Sampling parameters are refused; another
model answers 400 "Web search options not supported with this model.".

Options: `search_context_size`, `city`, `region`, `timezone`, `max_completion_tokens`.
"""

from typing import Any

from monitor.domain.engine import (
    Access,
    Auth,
    Engine,
    EngineSettings,
    Exchanges,
    Reading,
    Request,
    Retrieval,
    Surface,
    no_follow_up,
)
from monitor.domain.panel import Prompt
from monitor.engines.shapes.address import chat_messages, country, endpoint, known_options
from monitor.engines.shapes.annotations import Passage, marks_of
from monitor.engines.shapes.chat import Completion, chat_usage, read_completion
from monitor.engines.shapes.citing import with_prose
from monitor.engines.shapes.tokens import without_tokens

_NAME = "openai_chat_search"
_MODEL = "gpt-5-search-api"
_PLACE = ("region", "city", "timezone")
_OPTIONS = {*_PLACE, "search_context_size", "max_completion_tokens"}


def request(prompt: Prompt, settings: EngineSettings) -> Request:
    """One chat completion of a search model; the place goes one level deeper than elsewhere."""
    options = known_options(_NAME, settings, _OPTIONS)
    place = {key: options[key] for key in _PLACE if key in options}
    if where := country(prompt, settings):
        place["country"] = where
    search: dict[str, Any] = {}
    if "search_context_size" in options:
        search["search_context_size"] = options["search_context_size"]
    if place:
        search["user_location"] = {"type": "approximate", "approximate": place}
    body: dict[str, Any] = {
        "model": settings.model or _MODEL,
        "messages": chat_messages(prompt),
        "web_search_options": search,
    }
    if "max_completion_tokens" in options:
        body["max_completion_tokens"] = options["max_completion_tokens"]
    url = endpoint("https://api.openai.com/v1", "/chat/completions", settings.base_url)
    return Request("POST", url, json=body)


def _read(opened: Completion) -> Reading:
    rewrite = without_tokens(opened.content)
    path = "$.choices[0].message.annotations"
    marks, warnings = marks_of(
        _NAME, Passage(opened.content, rewrite, 0), opened.message.get("annotations"), path
    )
    if "annotations" not in opened.message:
        warnings += (f"{path}: no such key; links in prose are all there is",)
    outcome, reason = opened.conclude(rewrite.text, cited=bool(marks))
    return Reading(
        outcome=outcome,
        reason=reason,
        text=rewrite.text or opened.refusal,
        citations=with_prose(rewrite.text, marks),
        retrieval=Retrieval.USED if marks else Retrieval.UNKNOWN,
        served_model=opened.served_model,
        usage=chat_usage(opened.payload, None),
        warnings=opened.warnings + warnings,
    )


def parse(exchanges: Exchanges) -> Reading:
    """Reading of a chat completion, whole or streamed."""
    return read_completion(_NAME, exchanges, _read)


ENGINE = Engine(
    name=_NAME,
    label="OpenAI (API, search models)",
    access=Access.API,
    surface=Surface.HTTP,
    request=request,
    follow_up=no_follow_up,
    parse=parse,
    auth=Auth(("OPENAI_API_KEY",)),
    default_model=_MODEL,
    # Estimate of 2026-08 from public list prices: a search fee of 10,000 to 35,000 micro-USD by
    # model and context size, plus some hundred tokens. The payload reports no money.
    call_micros=30_000,
)
"""OpenAI's search models through chat completions."""
