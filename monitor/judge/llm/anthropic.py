"""Messages of Anthropic, as of 2026-11.

A schema goes into `output_config.format`; a forced tool is refused by the newest models, and so is
`temperature`. Text is read by block type, for thinking may stand before it.
"""

from collections.abc import Mapping
from typing import Any

from monitor.domain.engine import Auth, Request
from monitor.engines.shapes.address import endpoint
from monitor.judge.llm.interface import (
    Ask,
    Heard,
    Node,
    Provider,
    Rung,
    Stop,
    count_of,
    joined,
    node_of,
    usage_of,
    word_of,
)


def request(ask: Ask) -> Request:
    """One call as this interface wants it."""
    body: dict[str, Any] = {
        "model": ask.model,
        "max_tokens": ask.manner.reply_tokens,
        "system": ask.system,
        "messages": [{"role": role, "content": text} for role, text in ask.turns],
    }
    if ask.manner.temperature:
        body["temperature"] = 0
    if ask.manner.rung is Rung.SCHEMA:
        body["output_config"] = {"format": {"type": "json_schema", "schema": ask.schema}}
    url = endpoint("https://api.anthropic.com/v1", "/messages", ask.base_url)
    return Request("POST", url, body, headers=(("anthropic-version", "2023-06-01"),))


def read(document: Node) -> Heard | None:
    """What a reply says and used; None where there is none in it."""
    blocks = document.get("content")
    if not isinstance(blocks, list):
        return None
    texts = [one for one in blocks if isinstance(one, Mapping) and one.get("type") == "text"]
    stop = {
        "max_tokens": Stop.CUT,
        "model_context_window_exceeded": Stop.CUT,
        "refusal": Stop.REFUSED,
    }.get(str(document.get("stop_reason")), Stop.DONE)
    counted = node_of(document.get("usage"))
    asked = [
        count_of(counted, name)
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    total = None if asked[0] is None else sum(one or 0 for one in asked)
    usage = usage_of(total, count_of(counted, "output_tokens"), None)
    return Heard(joined(texts), stop, usage, word_of(document.get("model")))


ANTHROPIC = Provider(
    "anthropic", Auth(("ANTHROPIC_API_KEY",), header="x-api-key", scheme=""), request, read
)
