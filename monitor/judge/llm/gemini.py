"""generateContent of Google's Gemini, as of 2026-11.

A schema goes into `responseJsonSchema`. Thoughts are counted apart and billed as output.
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
    config: dict[str, Any] = {"maxOutputTokens": ask.manner.reply_tokens}
    if ask.manner.temperature:
        config["temperature"] = 0
    if ask.manner.rung is not Rung.TEXT:
        config["responseMimeType"] = "application/json"
    if ask.manner.rung is Rung.SCHEMA:
        config["responseJsonSchema"] = ask.schema
    roles = {"user": "user", "assistant": "model"}
    body = {
        "systemInstruction": {"parts": [{"text": ask.system}]},
        "contents": [{"role": roles[role], "parts": [{"text": text}]} for role, text in ask.turns],
        "generationConfig": config,
    }
    base = "https://generativelanguage.googleapis.com/v1beta"
    url = endpoint(base, f"/models/{ask.model}:generateContent", ask.base_url)
    return Request("POST", url, body)


def read(document: Node) -> Heard | None:
    """What a reply says and used; None where there is none in it."""
    counted = node_of(document.get("usageMetadata"))
    usage = usage_of(
        count_of(counted, "promptTokenCount"),
        # A reply that is all thought, or none, leaves the count out.
        count_of(counted, "candidatesTokenCount") or (0 if counted else None),
        count_of(counted, "thoughtsTokenCount"),
    )
    model = word_of(document.get("modelVersion"))
    candidate = first_of(document.get("candidates"))
    if candidate is None:
        blocked = node_of(document.get("promptFeedback")).get("blockReason")
        return Heard("", Stop.REFUSED, usage, model) if blocked else None
    parts = node_of(candidate.get("content")).get("parts")
    said = [
        one
        for one in (parts if isinstance(parts, list) else ())
        if isinstance(one, Mapping) and not one.get("thought")
    ]
    ended = str(candidate.get("finishReason") or "STOP")
    stop = {"STOP": Stop.DONE, "MAX_TOKENS": Stop.CUT, "OTHER": Stop.DONE}.get(ended, Stop.REFUSED)
    return Heard(joined(said), stop, usage, model)


GEMINI = Provider(
    "gemini", Auth(("GEMINI_API_KEY",), header="x-goog-api-key", scheme=""), request, read
)
