"""OpenAI Responses API with web search: what the model cites stands in the text as links.

Citations are `url_citation` annotations of each `output_text` part. Offsets count code points
(not bytes, verified on recordings of 2025-07 to 2026-08 with non-ASCII text before the span), end
exclusive, from the start of their own part. They cover the rendered link `([domain](url))`, not
the claim, which is the sentence before it. Everything annotated is visible to a reader.

What was searched is only told when asked for (`include`): `action.sources[]` of the search calls.
A source may be a feed without an address (`oai-weather`, 2025-09). Oddities: `utm_source=openai`
(or `chatgpt.com`) is appended to cited URLs, not to listed ones, and not always; a searched answer
may have no annotation at all (weather, terse answers); Azure leaves a call's status at `searching`
in a completed response and writes links without outer brackets, of which only the first is
annotated (2025-11). From GPT-5.4 on messages have a `phase`; only `final_answer` is the answer.
Wrong keys are 401, spent quota is a 429 `insufficient_quota`, and HTTP 200 may hold a failure.

Options: `search_context_size`, `allowed_domains`, `external_web_access`, `city`, `region`,
`timezone`, `tool_choice`, `reasoning_effort`, `max_output_tokens`, `tool`.
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
    Surface,
    no_follow_up,
)
from monitor.domain.panel import Prompt
from monitor.engines.shapes.address import country, endpoint, known_options
from monitor.engines.shapes.responses import read_responses

_NAME = "openai"
_MODEL = "gpt-5.2"
_PLACE = ("region", "city", "timezone")
_OPTIONS = {
    *_PLACE, "search_context_size", "allowed_domains", "external_web_access", "tool_choice",
    "reasoning_effort", "max_output_tokens", "tool",
}  # fmt: skip


def _tool(prompt: Prompt, settings: EngineSettings, options: dict[str, Any]) -> dict[str, Any]:
    tool: dict[str, Any] = {"type": options.get("tool", "web_search")}
    place = {key: options[key] for key in _PLACE if key in options}
    if where := country(prompt, settings):
        place["country"] = where
    if place:
        tool["user_location"] = {"type": "approximate", **place}
    if "allowed_domains" in options:
        tool["filters"] = {"allowed_domains": list(options["allowed_domains"])}
    passed = ("search_context_size", "external_web_access")
    return tool | {key: options[key] for key in passed if key in options}


def request(prompt: Prompt, settings: EngineSettings) -> Request:
    """One Responses call with web search; sources are asked for, nothing is stored there."""
    options = known_options(_NAME, settings, _OPTIONS)
    body: dict[str, Any] = {
        "model": settings.model or _MODEL,
        "input": prompt.text,
        "store": False,
        "tools": [_tool(prompt, settings, options)],
        "tool_choice": options.get("tool_choice", "auto"),
        "include": ["web_search_call.action.sources"],
    }
    if prompt.persona:
        body["instructions"] = prompt.persona
    if "reasoning_effort" in options:
        body["reasoning"] = {"effort": options["reasoning_effort"]}
    if "max_output_tokens" in options:
        body["max_output_tokens"] = options["max_output_tokens"]
    url = endpoint("https://api.openai.com/v1", "/responses", settings.base_url)
    return Request("POST", url, json=body)


def parse(exchanges: Exchanges) -> Reading:
    """Reading of a Responses body, whole or streamed."""
    return read_responses(_NAME, exchanges)


ENGINE = Engine(
    name=_NAME,
    label="OpenAI (API, web search)",
    access=Access.API,
    surface=Surface.HTTP,
    request=request,
    follow_up=no_follow_up,
    parse=parse,
    auth=Auth(("OPENAI_API_KEY",)),
    default_model=_MODEL,
    # Estimate of 2026-08: recorded calls used 8 to 50 thousand input tokens; public list prices
    # of tokens plus about 10,000 micro-USD a search. The payload reports no money.
    call_micros=45_000,
    exposes_retrieved=True,
)
"""OpenAI through its Responses API."""
