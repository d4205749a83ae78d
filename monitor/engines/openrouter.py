"""OpenRouter: many models behind chat completions, citations as nested annotations.

`message.annotations[].url_citation{url, title, content?, start_index, end_index}`; offsets count
code points of the message where they are real (GPT models), and are 0/0 for others (DeepSeek,
Perplexity; recordings of 2026-08): then there is no place, the payload's order stands, and a link
in prose to an annotated URL serves as its span. Everything annotated is shown by OpenRouter and
is `displayed`. For `perplexity/...` the annotations are all that Sonar retrieved; the `[n]` in
the text are 1-based indexes into them and become spans, and a warning counts the unmarked ones.

Searches are counted (`usage.server_tool_use_details.web_search_requests`), queries are not told.
Money is in USD (`usage.cost`). Failures may come inside HTTP 200, also in the middle of a stream;
streams are padded with comments. 402 is spent credit, 403 is a prompt stopped by moderation.

Options: `max_results`, `search_context_size`, `engine`, `allowed_domains`, `excluded_domains` (all
of the search tool), `max_tokens`, `provider`; `web_search: false` asks without the tool, which is
the default for Sonar models, because they search by themselves.
"""

from dataclasses import replace
from typing import Any

from monitor.domain.engine import (
    Access,
    Auth,
    Cost,
    Engine,
    EngineSettings,
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
from monitor.engines.shapes.annotations import Passage, marks_of
from monitor.engines.shapes.chat import Completion, chat_usage, read_completion, usage_node
from monitor.engines.shapes.citing import Mark, gather, prose_marks
from monitor.engines.shapes.links import Link, find_links
from monitor.engines.shapes.markers import find_markers, numbered_marks
from monitor.engines.shapes.payload import micros, optional_int
from monitor.engines.shapes.reasoning import without_thoughts
from monitor.engines.shapes.tokens import Rewrite, without_tokens

_NAME = "openrouter"
_MODEL = "openai/gpt-5.2"
_TOOL = ("max_results", "search_context_size", "engine", "allowed_domains", "excluded_domains")
_OPTIONS = {*_TOOL, "max_tokens", "provider", "web_search"}


def request(prompt: Prompt, settings: EngineSettings) -> Request:
    """One chat completion with OpenRouter's web search tool; Sonar models need no tool."""
    options = known_options(_NAME, settings, _OPTIONS)
    model = settings.model or _MODEL
    body: dict[str, Any] = {"model": model, "messages": chat_messages(prompt)}
    if options.get("web_search", not model.startswith("perplexity/")):
        parameters = {key: options[key] for key in _TOOL if key in options}
        if where := country(prompt, settings):
            parameters["user_location"] = {"type": "approximate", "country": where}
        body["tools"] = [{"type": "openrouter:web_search", "parameters": parameters}]
    body |= {key: options[key] for key in ("max_tokens", "provider") if key in options}
    url = endpoint("https://openrouter.ai/api/v1", "/chat/completions", settings.base_url)
    return Request("POST", url, json=body)


def _shown(opened: Completion) -> Rewrite:
    """Message as shown: Sonar's thoughts off (no offsets there), stray tokens off elsewhere."""
    text = without_thoughts(opened.content)
    return without_tokens(opened.content) if text == opened.content else Rewrite(text)


def _sonar_marks(
    opened: Completion, text: str, links: tuple[Link, ...], marks: tuple[Mark, ...]
) -> tuple[tuple[Mark, ...], tuple[str, ...]]:
    """A Sonar model's markers in place of the annotations they count; the order stays."""
    if not (opened.served_model or "").startswith("perplexity/"):
        return marks, ()
    sources = tuple(Retrieved(mark.url, mark.title) for mark in marks)
    found, warnings = numbered_marks(tuple(find_markers(text, links)), sources)
    marked = {mark.url for mark in found}
    placed: list[Mark] = []
    for mark in {mark.url: mark for mark in marks}.values():
        same = [replace(other, at=None) for other in found if other.url == mark.url]
        placed += same or [mark]
    unmarked = len({mark.url for mark in marks} - marked)
    if unmarked:
        warnings += (f"{unmarked} annotated sources are never marked in the text",)
    return tuple(placed), warnings


def _searched(searches: int | None, *, cited: bool) -> Retrieval:
    if cited or searches:
        return Retrieval.USED
    return Retrieval.NOT_USED if searches == 0 else Retrieval.UNKNOWN


def _searches(opened: Completion) -> int | None:
    """Counted searches, under the newer or the older key; None where not told."""
    for key in ("server_tool_use_details", "server_tool_use"):
        count = optional_int(usage_node(opened.payload, key, "web_search_requests"))
        if count is not None:
            return count
    return None


def _read(opened: Completion) -> Reading:
    rewrite = _shown(opened)
    links = find_links(rewrite.text)
    annotations = opened.message.get("annotations")
    path = "$.choices[0].message.annotations"
    passage = Passage(opened.content, rewrite, 0)
    marks, warnings = marks_of(_NAME, passage, annotations, path)
    marks, notes = _sonar_marks(opened, rewrite.text, links, marks)
    outcome, reason = opened.conclude(rewrite.text, cited=bool(marks))
    money, searches = micros(usage_node(opened.payload, "cost")), _searches(opened)
    return Reading(
        outcome=outcome,
        reason=reason,
        text=rewrite.text or opened.refusal,
        citations=gather([*marks, *prose_marks(links, marks)]),
        retrieval=_searched(searches, cited=bool(marks)),
        served_model=opened.served_model,
        usage=chat_usage(opened.payload, searches),
        cost=Cost(money) if money is not None else None,
        warnings=opened.warnings + warnings + notes,
    )


def parse(exchanges: Exchanges) -> Reading:
    """Reading of a completion behind OpenRouter, whole or streamed."""
    return read_completion(_NAME, exchanges, _read)


ENGINE = Engine(
    name=_NAME,
    label="OpenRouter (API)",
    access=Access.API,
    surface=Surface.HTTP,
    request=request,
    follow_up=no_follow_up,
    parse=parse,
    auth=Auth(("OPENROUTER_API_KEY",)),
    default_model=_MODEL,
    # Recorded calls of 2026-08 report 5,240 to 7,651 micro-USD for small models; the default
    # model costs several times more for the same tokens, so the estimate is set above them.
    call_micros=45_000,
)
"""Any model behind OpenRouter, asked with its web search tool."""
