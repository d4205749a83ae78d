"""The chat-completions shape: `choices[0].message` with content and, for some, annotations.

Streams are put together from their deltas; one without a finish reason counts as cut.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from monitor.domain.engine import Exchange, Exchanges, Outcome, Reading, Usage
from monitor.engines.shapes.chat_stream import whole_completion
from monitor.engines.shapes.ending import Ending, conclude
from monitor.engines.shapes.failure import by_error
from monitor.engines.shapes.payload import (
    by_status,
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
from monitor.errors import PayloadError

_ENDINGS = {
    "stop": Ending.DONE,
    "end_turn": Ending.DONE,
    "tool_calls": Ending.DONE,
    "function_call": Ending.DONE,
    "length": Ending.CUT,
    "max_tokens": Ending.CUT,
    "error": Ending.CUT,
    "content_filter": Ending.FILTERED,
}


@dataclass(frozen=True, slots=True)
class Completion:
    """A chat completion opened: its whole payload and the one message in it."""

    payload: Mapping[str, Any]
    message: Mapping[str, Any]
    content: str
    refusal: str
    ending: Ending
    warnings: tuple[str, ...]

    @property
    def served_model(self) -> str | None:
        """Model that answered, as the payload names it."""
        return optional_string(self.payload.get("model"))

    def conclude(self, text: str, *, cited: bool) -> tuple[Outcome, str | None]:
        """Outcome and reason for the text that is shown of this completion."""
        return conclude(self.ending, text, refused=bool(self.refusal.strip()), cited=cited)


def _content(engine: str, message: Mapping[str, Any], path: str) -> str:
    """Text of a message: a string, null, or a list of text parts joined with ""."""
    content = require(engine, message, "content", path)
    if content is None:
        return ""
    if isinstance(content, str):
        return string_at(engine, content, f"{path}.content")
    texts = []
    for number, entry in enumerate(list_at(engine, content, f"{path}.content")):
        here = f"{path}.content[{number}]"
        node = mapping_at(engine, entry, here)
        kind = string_at(engine, require(engine, node, "type", here), f"{here}.type")
        if kind not in {"text", "output_text"}:
            raise PayloadError(engine, f"{here}.type", f"unknown part type {kind!r}")
        texts.append(string_at(engine, require(engine, node, "text", here), f"{here}.text"))
    return "".join(texts)


def _ending(engine: str, choice: Mapping[str, Any]) -> tuple[Ending, tuple[str, ...]]:
    path = "$.choices[0].finish_reason"
    reason = choice.get("finish_reason")
    if reason is None:
        return Ending.DONE, (f"{path}: absent; the answer is taken as complete",)
    ending = _ENDINGS.get(string_at(engine, reason, path))
    if ending is None:
        return Ending.DONE, (f"{path}: unknown {reason!r}; the answer is taken as complete",)
    return ending, ()


def _failure(exchange: Exchange, payload: Mapping[str, Any]) -> Reading | None:
    """Outcome of a body that is an error and holds no choices, or None."""
    if payload.get("choices"):
        return None
    error = payload.get("error")
    if error is not None:
        return by_error(error, exchange.status)
    if "choices" in payload or by_status(exchange.status) is None:
        return None
    return by_error(payload.get("detail") or payload, exchange.status)


def _choice_failure(payload: Mapping[str, Any], choice: Mapping[str, Any]) -> Any:
    """Error object beside or inside a choice, as OpenRouter writes it into HTTP 200; or None."""
    inside = choice.get("error")
    return inside if inside is not None else payload.get("error")


def _completion(
    engine: str, payload: Mapping[str, Any], notes: tuple[str, ...]
) -> Completion | Reading:
    choices = list_at(engine, require(engine, payload, "choices", "$"), "$.choices")
    if not choices:
        raise PayloadError(engine, "$.choices", f"an empty list in {describe(payload)}")
    choice = mapping_at(engine, choices[0], "$.choices[0]")
    path = "$.choices[0].message"
    error = _choice_failure(payload, choice)
    if error is not None and not isinstance(choice.get("message"), Mapping):
        return by_error(error, None)
    message = mapping_at(engine, require(engine, choice, "message", "$.choices[0]"), path)
    if error is not None:
        failed = by_error(error, None)
        if not message.get("content"):
            return failed
        notes += failed.warnings
    ending, odd = _ending(engine, choice)
    return Completion(
        payload=payload,
        message=message,
        content=_content(engine, message, path),
        refusal=optional_string(message.get("refusal")) or "",
        ending=Ending.CUT if error is not None else ending,
        warnings=notes + odd,
    )


def open_completion(engine: str, exchange: Exchange) -> Completion | Reading:
    """A completion, or the Reading of an error, a block page or an HTTP failure."""
    body = open_body(engine, exchange)
    if isinstance(body, Reading):
        return body
    payload, notes = whole_completion(engine, body)
    return _failure(exchange, payload) or _completion(engine, payload, notes)


def read_completion(
    engine: str, exchanges: Exchanges, read: Callable[[Completion], Reading]
) -> Reading:
    """Reading of the exchange that answers, whole or streamed, with the model asked for."""
    exchange = last_exchange(engine, exchanges)
    opened = open_completion(engine, exchange)
    reading = opened if isinstance(opened, Reading) else read(opened)
    return replace(reading, requested_model=requested_model(exchange))


def chat_usage(payload: Mapping[str, Any], searches: int | None) -> Usage:
    """Tokens as chat completions count them; `searches` is each vendor's own."""
    usage = payload.get("usage")
    node = usage if isinstance(usage, Mapping) else {}
    details = node.get("completion_tokens_details")
    thought = details.get("reasoning_tokens") if isinstance(details, Mapping) else None
    if thought is None:
        thought = node.get("reasoning_tokens")
    return Usage(
        input_tokens=optional_int(node.get("prompt_tokens")),
        output_tokens=optional_int(node.get("completion_tokens")),
        reasoning_tokens=optional_int(thought),
        searches=searches,
    )


def usage_node(payload: Mapping[str, Any], *keys: str) -> Any:
    """Value under nested keys of `usage`, or None anywhere on the way."""
    node: Any = payload.get("usage")
    for key in keys:
        node = node.get(key) if isinstance(node, Mapping) else None
    return node
