"""Three interfaces of language models as values: how a request is built and a reply is read.

Checked in 2026-11. OpenAI and every server compatible with its chat completions take
`response_format`; reasoning models refuse `temperature` and want `max_completion_tokens`, which
some other servers do not know. Anthropic's Messages take a schema as `output_config.format`; a
forced tool is refused by its newest models, and so is `temperature`; text is read by block type,
for thinking may stand before it. Gemini's generateContent takes `responseJsonSchema`; its thoughts
are counted apart. Keys are put in by whoever sends the request.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from monitor.domain.engine import Auth, Request, Usage
from monitor.engines.shapes.address import endpoint

Node = Mapping[str, Any]


class Rung(StrEnum):
    """How a reply's form is asked for, strictest first."""

    SCHEMA = "schema"
    OBJECT = "object"
    TEXT = "text"

    @property
    def below(self) -> "Rung | None":
        """The next rung down; None below plain text."""
        return {Rung.SCHEMA: Rung.OBJECT, Rung.OBJECT: Rung.TEXT}.get(self)


@dataclass(frozen=True, slots=True)
class Manner:
    """How an endpoint is asked; learned from what it refuses, and stored with each call."""

    rung: Rung = Rung.SCHEMA
    temperature: bool = True
    """Whether temperature 0 is sent; some models refuse any."""
    plain_cap: bool = False
    """Whether the cap on a reply is sent by its other name (`max_tokens` at OpenAI's own)."""
    wide: bool = False
    """Whether the reply may be long: models that think spend the cap on it."""

    @property
    def reply_tokens(self) -> int:
        """Most tokens of a reply, thoughts included."""
        return 8192 if self.wide else 2048


@dataclass(frozen=True, slots=True)
class Ask:
    """What a model is asked, before a provider gives it its form."""

    model: str
    system: str
    turns: tuple[tuple[str, str], ...]
    """(`user` or `assistant`, text), in order."""
    schema: Node
    manner: Manner
    base_url: str | None = None


class Stop(StrEnum):
    """How a model's reply ended."""

    DONE = "done"
    CUT = "cut_off"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Heard:
    """What a model said, and what it used."""

    text: str
    stop: Stop
    usage: Usage | None
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Provider:
    """One interface: where it lives, how it is asked, and how its replies are read."""

    name: str
    auth: Auth
    request: Callable[[Ask], Request]
    read: Callable[[Node], Heard | None]
    """None where a document has no reply in it."""


def _openai_request(ask: Ask) -> Request:
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


def _openai_read(document: Node) -> Heard | None:
    choice = _first(document.get("choices"))
    message = choice.get("message") if choice else None
    if choice is None or not isinstance(message, Mapping):
        return None
    text = _joined(message.get("content"))
    ended = choice.get("finish_reason")
    stop = {"length": Stop.CUT, "content_filter": Stop.REFUSED}.get(str(ended), Stop.DONE)
    if message.get("refusal"):
        stop = Stop.REFUSED
    counted = _node(document.get("usage"))
    usage = _usage(
        _count(counted, "prompt_tokens"),
        _count(counted, "completion_tokens"),
        _count(_node(counted.get("completion_tokens_details")), "reasoning_tokens"),
    )
    return Heard(text, stop, usage, _word(document.get("model")))


def _anthropic_request(ask: Ask) -> Request:
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


def _anthropic_read(document: Node) -> Heard | None:
    blocks = document.get("content")
    if not isinstance(blocks, list):
        return None
    texts = [one for one in blocks if isinstance(one, Mapping) and one.get("type") == "text"]
    stop = {
        "max_tokens": Stop.CUT,
        "model_context_window_exceeded": Stop.CUT,
        "refusal": Stop.REFUSED,
    }.get(str(document.get("stop_reason")), Stop.DONE)
    counted = _node(document.get("usage"))
    asked = [
        _count(counted, name)
        for name in ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    ]
    total = None if asked[0] is None else sum(one or 0 for one in asked)
    usage = _usage(total, _count(counted, "output_tokens"), None)
    return Heard(_joined(texts), stop, usage, _word(document.get("model")))


def _gemini_request(ask: Ask) -> Request:
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


def _gemini_read(document: Node) -> Heard | None:
    counted = _node(document.get("usageMetadata"))
    usage = _usage(
        _count(counted, "promptTokenCount"),
        # A reply that is all thought, or none, leaves the count out.
        _count(counted, "candidatesTokenCount") or (0 if counted else None),
        _count(counted, "thoughtsTokenCount"),
    )
    model = _word(document.get("modelVersion"))
    candidate = _first(document.get("candidates"))
    if candidate is None:
        blocked = _node(document.get("promptFeedback")).get("blockReason")
        return Heard("", Stop.REFUSED, usage, model) if blocked else None
    parts = _node(candidate.get("content")).get("parts")
    said = [
        one
        for one in (parts if isinstance(parts, list) else ())
        if isinstance(one, Mapping) and not one.get("thought")
    ]
    ended = str(candidate.get("finishReason") or "STOP")
    stop = {"STOP": Stop.DONE, "MAX_TOKENS": Stop.CUT, "OTHER": Stop.DONE}.get(ended, Stop.REFUSED)
    return Heard(_joined(said), stop, usage, model)


def _first(value: Any) -> Node | None:
    """First mapping of a list, or None."""
    return value[0] if isinstance(value, list) and value and isinstance(value[0], Mapping) else None


def _node(value: Any) -> Node:
    """A mapping, or an empty one in place of anything else."""
    return value if isinstance(value, Mapping) else {}


def _joined(value: Any) -> str:
    """Text of a string or of a list of parts with `text`."""
    if isinstance(value, str):
        return value
    parts = value if isinstance(value, list) else ()
    return "".join(
        part["text"]
        for part in parts
        if isinstance(part, Mapping) and isinstance(part.get("text"), str)
    )


def _count(counted: Node, name: str) -> int | None:
    """A count of tokens; None where it is absent or no count."""
    value = counted.get(name)
    sound = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= 10**9
    return value if sound else None


def _usage(asked: int | None, answered: int | None, thought: int | None) -> Usage | None:
    if asked is None or answered is None:
        return None
    return Usage(asked, answered, thought)


def _word(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


PROVIDERS: Mapping[str, Provider] = {
    "openai": Provider("openai", Auth(("OPENAI_API_KEY",)), _openai_request, _openai_read),
    "anthropic": Provider(
        "anthropic",
        Auth(("ANTHROPIC_API_KEY",), header="x-api-key", scheme=""),
        _anthropic_request,
        _anthropic_read,
    ),
    "gemini": Provider(
        "gemini",
        Auth(("GEMINI_API_KEY",), header="x-goog-api-key", scheme=""),
        _gemini_request,
        _gemini_read,
    ),
}
"""The interfaces, by the name a person writes in the settings."""
