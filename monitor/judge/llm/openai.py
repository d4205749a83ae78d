"""Chat completions of OpenAI and of every server compatible with it, as of 2026-11.

A schema goes into `response_format`. Reasoning models refuse `temperature` and want
`max_completion_tokens`, which some other servers do not know.
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
    first_of,
    joined,
    node_of,
    usage_of,
    word_of,
)


def request(ask: Ask) -> Request:
    """One call as this interface wants it."""
    own = ask.base_url is None
    cap = "max_completion_tokens" if own != ask.manner.plain_cap else "max_tokens"
    messages = [{"role": "system", "content": ask.system}]
    messages += [{"role": role, "content": text} for role, text in ask.turns]
    body: dict[str, Any] = {
        "model": ask.model,
        "messages": messages,
        cap: ask.manner.reply_tokens,
    }
    if ask.manner.temperature:
        body["temperature"] = 0
    if ask.manner.rung is Rung.SCHEMA:
        schema = {"name": "reply", "strict": True, "schema": ask.schema}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif ask.manner.rung is Rung.OBJECT:
        body["response_format"] = {"type": "json_object"}
    url = endpoint("https://api.openai.com/v1", "/chat/completions", ask.base_url)
    return Request("POST", url, body)


def read(document: Node) -> Heard | None:
    """What a reply says and used; None where there is none in it."""
    choice = first_of(document.get("choices"))
    message = choice.get("message") if choice else None
    if choice is None or not isinstance(message, Mapping):
        return None
    text = joined(message.get("content"))
    ended = choice.get("finish_reason")
    stop = {"length": Stop.CUT, "content_filter": Stop.REFUSED}.get(str(ended), Stop.DONE)
    if message.get("refusal"):
        stop = Stop.REFUSED
    counted = node_of(document.get("usage"))
    usage = usage_of(
        count_of(counted, "prompt_tokens"),
        count_of(counted, "completion_tokens"),
        count_of(node_of(counted.get("completion_tokens_details")), "reasoning_tokens"),
    )
    return Heard(text, stop, usage, word_of(document.get("model")))


OPENAI = Provider("openai", Auth(("OPENAI_API_KEY",)), request, read)
