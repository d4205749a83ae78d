"""Perplexity Sonar: `[n]` in the text points at the n-th of everything that was retrieved.

`citations[]` (URLs, in the order of `search_results[].url`) is what was retrieved. Cited is only
what a 1-based marker in the text points at; there are no offsets, the markers are the spans. The
markers are visible, the rest of the list is not shown as support. Oddities in recordings of
2025-11 to 2026-08: `search_results` repeats a URL and is then longer than `citations`; JSON
answers have no markers at all; answers of 2024-25 have `citations` only, newer ones may leave
it empty. URLs written in the prose are the model's own words, not sources. Reasoning models put
`<think>` in front of the answer. Money is reported in USD (`usage.cost.total_cost`). Queries are
counted, never told. A wrong key is 401, sometimes as a web page from the edge.

Options: `search_context_size`, `city`, `region`, `search_domain_filter`, `search_language_filter`,
`search_recency_filter`, `search_mode`, `search_type`, `language_preference`, `max_tokens`.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from monitor.domain.engine import (
    Access,
    Auth,
    Cost,
    Engine,
    EngineSettings,
    Exchange,
    Exchanges,
    Reading,
    Request,
    Retrieval,
    Retrieved,
    Surface,
    no_follow_up,
)
from monitor.domain.panel import Prompt
from monitor.engines.shapes.address import chat_messages, country, endpoint, known_options
from monitor.engines.shapes.chat import Completion, chat_usage, read_completion, usage_node
from monitor.engines.shapes.citing import Mark, distinct, gather, prose_marks
from monitor.engines.shapes.links import find_links
from monitor.engines.shapes.markers import find_markers, numbered_marks
from monitor.engines.shapes.payload import (
    mapping_at,
    micros,
    optional_int,
    optional_list,
    optional_string,
    require,
    string_at,
)
from monitor.engines.shapes.reasoning import without_thoughts
from monitor.errors import PayloadError

_NAME = "perplexity"
_MODEL = "sonar"
_PASSED = {
    "search_domain_filter", "search_language_filter", "search_recency_filter", "search_mode",
    "search_type", "language_preference", "max_tokens",
}  # fmt: skip
_PLACE = ("region", "city")
_OPTIONS = {*_PASSED, *_PLACE, "search_context_size"}


def request(prompt: Prompt, settings: EngineSettings) -> Request:
    """One chat completion; search context is low unless an option says otherwise."""
    options = known_options(_NAME, settings, _OPTIONS)
    search: dict[str, Any] = {"search_context_size": options.get("search_context_size", "low")}
    place: dict[str, Any] = {key: options[key] for key in _PLACE if key in options}
    if where := country(prompt, settings):
        place["country"] = where
    if place:
        search["user_location"] = place
    body: dict[str, Any] = {
        "model": settings.model or _MODEL,
        "messages": chat_messages(prompt),
        "web_search_options": search,
    } | {key: options[key] for key in sorted(_PASSED) if key in options}
    url = endpoint("https://api.perplexity.ai", "/chat/completions", settings.base_url)
    return Request("POST", url, json=body)


def _found(payload: Mapping[str, Any]) -> tuple[tuple[Retrieved, ...], Mapping[str, str]]:
    """Entries of `search_results` with titles, and the vendor's snippets by URL."""
    sources: list[Retrieved] = []
    snippets: dict[str, str] = {}
    for number, entry in enumerate(optional_list(_NAME, payload, "search_results", "$")):
        path = f"$.search_results[{number}]"
        node = mapping_at(_NAME, entry, path)
        url = string_at(_NAME, require(_NAME, node, "url", path), f"{path}.url")
        sources.append(Retrieved(url, optional_string(node.get("title"))))
        if snippet := optional_string(node.get("snippet")):
            snippets.setdefault(url, snippet)
    return tuple(sources), snippets


def _numbered(payload: Mapping[str, Any], found: tuple[Retrieved, ...]) -> tuple[Retrieved, ...]:
    """What the markers count: `citations`, or `search_results` where that list is empty."""
    urls = optional_list(_NAME, payload, "citations", "$")
    titles = {source.url: source.title for source in reversed(found)}
    cited = (string_at(_NAME, url, f"$.citations[{n}]") for n, url in enumerate(urls))
    return tuple(Retrieved(url, titles.get(url)) for url in cited) or found


def _searched(opened: Completion, exchange: Exchange, *, found: bool) -> Retrieval:
    """Used where sources or searches are told, not used where search was off or counted 0."""
    count = optional_int(usage_node(opened.payload, "num_search_queries"))
    if found or count:
        return Retrieval.USED
    asked = exchange.request.json if exchange.request else None
    off = isinstance(asked, Mapping) and asked.get("disable_search") is True
    return Retrieval.NOT_USED if off or count == 0 else Retrieval.UNKNOWN


def _with_snippets(marks: tuple[Mark, ...], snippets: Mapping[str, str]) -> tuple[Mark, ...]:
    return tuple(replace(mark, snippet=snippets.get(mark.url)) for mark in marks)


def _read(opened: Completion, exchange: Exchange) -> Reading:
    text = without_thoughts(opened.content)
    links = find_links(text)
    markers = tuple(find_markers(text, links))
    if markers and not {"citations", "search_results"} & set(opened.payload):
        keys = sorted(map(str, opened.payload))
        lacking = f"markers in the text, but no `citations` nor `search_results` in {keys}"
        raise PayloadError(_NAME, "$", lacking)
    found, snippets = _found(opened.payload)
    sources = _numbered(opened.payload, found)
    marks, warnings = numbered_marks(markers, sources)
    marks = _with_snippets(marks, snippets)
    outcome, reason = opened.conclude(text, cited=bool(marks))
    money = micros(usage_node(opened.payload, "cost", "total_cost"))
    searches = optional_int(usage_node(opened.payload, "num_search_queries"))
    return Reading(
        outcome=outcome,
        reason=reason,
        text=text or opened.refusal,
        citations=gather([*marks, *prose_marks(links, marks)]),
        retrieved=distinct([*sources, *found]),
        retrieval=_searched(opened, exchange, found=bool(sources)),
        served_model=opened.served_model,
        usage=chat_usage(opened.payload, searches),
        cost=Cost(money) if money is not None else None,
        warnings=opened.warnings + warnings,
    )


def parse(exchanges: Exchanges) -> Reading:
    """Reading of a Sonar completion, whole or streamed."""
    return read_completion(_NAME, exchanges, lambda opened: _read(opened, exchanges[-1]))


ENGINE = Engine(
    name=_NAME,
    label="Perplexity Sonar (API)",
    access=Access.API,
    surface=Surface.HTTP,
    request=request,
    follow_up=no_follow_up,
    parse=parse,
    auth=Auth(("PERPLEXITY_API_KEY",)),
    default_model=_MODEL,
    # Recorded calls of 2026-06 report 5,190 (sonar) to 6,090 (sonar-reasoning-pro) micro-USD.
    call_micros=6_500,
    exposes_retrieved=True,
)
"""Perplexity Sonar through its chat completions."""
