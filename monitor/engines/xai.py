"""xAI Grok through its Responses API: the OpenAI shape with other habits.

grok-4.3 (2026-08) writes `[[1]](url)` into the text; its annotation covers that marker and has
the number as `title`, which is no title. grok-4-fast (2025-11) gives annotations with nothing but
`type` and `url`: cited, without a place, in the payload's order; its search calls have `name` and
JSON `arguments` instead of an `action`. Offsets are read as code points (every recording is ASCII
before its spans) and believed only where the slice shows the URL. Annotated sources are visible.

Sources are listed in `action.sources[]` when asked for; `usage.num_sources_used` says 0 beside
fourteen of them and is ignored. Money comes as `cost_in_usd_ticks`, 10,000,000,000 to the USD.
X searches are `x_search_call` or `custom_tool_call` named `x_...`. A wrong key is HTTP **400**
with two strings, `code` and `error`. There is no country parameter; the locale is not passed on.

Options: `allowed_domains`, `excluded_domains` (one of them), `x_search` (true adds that tool),
`enable_image_understanding`, `max_output_tokens`, `tool_choice`.
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
from monitor.engines.shapes.address import chat_messages, endpoint, known_options
from monitor.engines.shapes.responses import read_responses

_NAME = "xai"
_MODEL = "grok-4.3"
_FILTERS = ("allowed_domains", "excluded_domains")
_PASSED = ("max_output_tokens", "tool_choice")
_OPTIONS = {*_FILTERS, *_PASSED, "x_search", "enable_image_understanding"}


def _tools(options: dict[str, Any]) -> list[dict[str, Any]]:
    tool: dict[str, Any] = {"type": "web_search"}
    if filters := {key: list(options[key]) for key in _FILTERS if key in options}:
        tool["filters"] = filters
    if "enable_image_understanding" in options:
        tool["enable_image_understanding"] = options["enable_image_understanding"]
    return [tool, {"type": "x_search"}] if options.get("x_search") else [tool]


def request(prompt: Prompt, settings: EngineSettings) -> Request:
    """One Responses call with web search; sources are asked for, nothing is stored there."""
    options = known_options(_NAME, settings, _OPTIONS)
    body: dict[str, Any] = {
        "model": settings.model or _MODEL,
        "input": chat_messages(prompt),
        "store": False,
        "tools": _tools(options),
        "include": ["web_search_call.action.sources"],
    } | {key: options[key] for key in _PASSED if key in options}
    url = endpoint("https://api.x.ai/v1", "/responses", settings.base_url)
    return Request("POST", url, json=body)


def parse(exchanges: Exchanges) -> Reading:
    """Reading of a Responses body in xAI's dialect, whole or streamed."""
    return read_responses(_NAME, exchanges)


ENGINE = Engine(
    name=_NAME,
    label="xAI Grok (API)",
    access=Access.API,
    surface=Surface.HTTP,
    request=request,
    follow_up=no_follow_up,
    parse=parse,
    auth=Auth(("XAI_API_KEY",)),
    default_model=_MODEL,
    # A recorded call of 2026-08 with two searches reports 161,508,500 ticks = 16,151 micro-USD.
    call_micros=20_000,
    exposes_retrieved=True,
)
"""xAI Grok through its Responses API."""
