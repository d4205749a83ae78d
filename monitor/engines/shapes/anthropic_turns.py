"""One message of Anthropic's Messages API, whole or streamed, as a list of content blocks."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from monitor.domain.engine import Exchange, Outcome, Reading
from monitor.engines.shapes.payload import (
    Body,
    by_status,
    list_at,
    mapping_at,
    open_body,
    optional_int,
    optional_string,
    require,
    string_at,
)

Node = Mapping[str, Any]

_BY_TYPE: Mapping[str, Reading] = {
    "authentication_error": Reading(Outcome.ERROR, "auth"),
    "permission_error": Reading(Outcome.ERROR, "auth"),
    "billing_error": Reading(Outcome.ERROR, "quota"),
    "rate_limit_error": Reading(Outcome.BLOCKED, "rate_limit"),
    "timeout_error": Reading(Outcome.TIMEOUT),
    "api_error": Reading(Outcome.ERROR, "server"),
    "overloaded_error": Reading(Outcome.ERROR, "server"),
    "invalid_request_error": Reading(Outcome.ERROR, "request"),
    "not_found_error": Reading(Outcome.ERROR, "request"),
    "request_too_large": Reading(Outcome.ERROR, "request"),
}


@dataclass(frozen=True, slots=True)
class Turn:
    """One assistant message: its blocks as sent, how it ended, and what it cost."""

    blocks: tuple[Node, ...]
    stop: str | None
    """None where a stream broke off."""
    model: str | None
    usage: Node


def read_turn(engine: str, exchange: Exchange) -> Turn | Reading:
    """The message of an exchange, or the outcome its error stands for."""
    body = open_body(engine, exchange)
    if isinstance(body, Reading):
        return body
    return _streamed(engine, body, exchange) if body.events else _whole(engine, body, exchange)


def _error(error: Any, status: int | None) -> Reading:
    """Outcome of an error object; a spent balance is told only by its words."""
    node = error if isinstance(error, Mapping) else {}
    words = optional_string(node.get("message")) or str(error)
    kind = optional_string(node.get("type")) or ""
    if "credit balance is too low" in words or "usage limits" in words:
        reading = Reading(Outcome.ERROR, "quota")
    else:
        server = Reading(Outcome.ERROR, "server")
        reading = _BY_TYPE.get(kind) or by_status(status) or server
    return Reading(reading.outcome, reading.reason, warnings=(f"{kind}: {words}"[:300],))


def _whole(engine: str, body: Body, exchange: Exchange) -> Turn | Reading:
    node = mapping_at(engine, body.value, "$")
    if node.get("type") == "error" or ("error" in node and "content" not in node):
        return _error(node.get("error"), exchange.status)
    content = list_at(engine, require(engine, node, "content", "$"), "$.content")
    blocks = tuple(mapping_at(engine, b, f"$.content[{n}]") for n, b in enumerate(content))
    return _turn(node, blocks)


def _turn(message: Node, blocks: tuple[Node, ...]) -> Turn:
    usage = message.get("usage")
    return Turn(
        blocks,
        optional_string(message.get("stop_reason")),
        optional_string(message.get("model")),
        usage if isinstance(usage, Mapping) else {},
    )


def _streamed(engine: str, body: Body, exchange: Exchange) -> Turn | Reading:
    events = [
        mapping_at(engine, event.data, f"event {number}")
        for number, event in enumerate(body.events)
    ]
    failed = next((event for event in events if event.get("type") == "error"), None)
    if failed is not None:
        return _error(failed.get("error"), exchange.status)
    begun = [event for event in events if event.get("type") == "message_start"]
    if not begun:
        require(engine, {}, "message_start", "events")
    message = dict(mapping_at(engine, begun[0].get("message"), "message_start.message"))
    usage = message.get("usage")
    for event in events:
        if event.get("type") == "message_delta":
            message |= mapping_at(engine, event.get("delta") or {}, "message_delta.delta")
            spent = mapping_at(engine, event.get("usage") or {}, "message_delta.usage")
            usage = {**(usage if isinstance(usage, Mapping) else {}), **spent}
    return _turn(message | {"usage": usage}, _blocks(engine, events))


def _blocks(engine: str, events: Sequence[Node]) -> tuple[Node, ...]:
    blocks: dict[int, dict[str, Any]] = {}
    typed: dict[int, str] = {}
    for number, event in enumerate(events):
        at = optional_int(event.get("index"))
        if at is None:
            continue
        path = f"event {number}"
        if event.get("type") == "content_block_start":
            blocks[at] = dict(mapping_at(engine, event.get("content_block"), path))
        elif event.get("type") == "content_block_delta":
            if at not in blocks:
                require(engine, {}, str(at), f"{path}: delta of a block that never began")
            delta = mapping_at(engine, event.get("delta"), f"{path}.delta")
            if delta.get("type") == "input_json_delta":
                said = string_at(engine, delta.get("partial_json", ""), f"{path}.delta")
                typed[at] = typed.get(at, "") + said
            else:
                _grow(engine, blocks[at], delta, path)
    for at, said in typed.items():
        if said:
            blocks[at]["input"] = _arguments(said)
    return tuple(blocks[at] for at in sorted(blocks))


def _grow(engine: str, block: dict[str, Any], delta: Node, path: str) -> None:
    kind = optional_string(delta.get("type"))
    if kind == "text_delta":
        string_at(engine, delta.get("text"), f"{path}.delta.text")
        block["text"] = string_at(engine, block.get("text", ""), path) + delta["text"]
    elif kind == "citations_delta":
        cited = list_at(engine, block.get("citations") or [], path)
        block["citations"] = [*cited, delta.get("citation")]
    elif kind in {"thinking_delta", "signature_delta"}:
        key = "thinking" if kind == "thinking_delta" else "signature"
        block[key] = f"{block.get(key) or ''}{delta.get(key) or ''}"


def _arguments(said: str) -> Any:
    """Arguments of a search; a stream cut inside them leaves none."""
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        return {}
