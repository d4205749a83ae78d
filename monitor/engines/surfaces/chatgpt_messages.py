"""Messages of a ChatGPT conversation object: which way through its tree is shown, and to whom.

`mapping` is a tree with branches: edits and repeated answers. What is shown is the way from
`current_node` up to its root. A message is visible where its role is user or assistant, it is for
all, it is not marked as hidden and its content is text.
"""

import math
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from monitor.engines.shapes.payload import optional_string

Message = Mapping[str, Any]

TEXTS = frozenset({"text", "multimodal_text"})
KNOWN = TEXTS | {
    "code", "execution_output", "thoughts", "reasoning_recap", "tether_quote", "sonic_webpage",
    "tether_browsing_display", "system_error", "user_editable_context", "model_editable_context",
    "real_time_user_audio_video_asset_pointer", "computer_output",
}  # fmt: skip
"""Kinds of content that have been seen; a reader is shown the first two."""

_LATEST = 4_102_444_800.0
"""Seconds of 2100-01-01: later times are no times."""


def shown_messages(conversation: Mapping[str, Any]) -> tuple[Message, ...]:
    """Messages on the way that is shown, first to last; a cycle ends the way."""
    mapping = conversation.get("mapping")
    if not isinstance(mapping, Mapping):
        line = conversation.get("linear_conversation")
        return tuple(_messages(line if isinstance(line, list) else []))
    here = conversation.get("current_node")
    if not isinstance(here, str) or here not in mapping:
        here = _latest_leaf(mapping)
    way: dict[str, Any] = {}
    while isinstance(here, str) and here in mapping and here not in way:
        node = mapping[here]
        way[here] = node
        here = node.get("parent") if isinstance(node, Mapping) else None
    return tuple(_messages(reversed(way.values())))


def role_of(message: Message) -> str | None:
    """Who speaks: user, assistant, tool or system."""
    return optional_string(part(message, "author").get("role"))


def kind_of(message: Message) -> str | None:
    """Kind of its content."""
    return optional_string(part(message, "content").get("content_type"))


def is_visible(message: Message) -> bool:
    """Whether a reader of the conversation sees it."""
    metadata = part(message, "metadata")
    return (
        role_of(message) in {"user", "assistant"}
        and message.get("recipient", "all") == "all"
        and not metadata.get("is_visually_hidden_from_conversation")
        and not metadata.get("is_user_system_message")
        and kind_of(message) in TEXTS
    )


def raw_text(message: Message) -> str:
    """Words of its parts, tokens and all, as the offsets of its references count them."""
    parts = part(message, "content").get("parts")
    several = parts if isinstance(parts, list) else []
    return "\n".join(text for one in several if (text := optional_string(one)) is not None)


def part(message: Message, key: str) -> Mapping[str, Any]:
    """An object in a message; empty where there is none."""
    value = message.get(key)
    return value if isinstance(value, Mapping) else {}


def moment_of(message: Message) -> datetime | None:
    """When it was written (UTC); None where it does not say so."""
    seconds = _seconds(message)
    return datetime.fromtimestamp(seconds, UTC) if seconds is not None else None


def _seconds(message: Message) -> float | None:
    value = message.get("create_time")
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) and 0 < value < _LATEST else None


def _messages(nodes: Iterable[Any]) -> Iterator[Message]:
    for node in nodes:
        message = node.get("message") if isinstance(node, Mapping) else None
        if isinstance(message, Mapping):
            yield message


def _latest_leaf(mapping: Mapping[str, Any]) -> str | None:
    """The node without children whose message is the newest; None where there is none."""
    leaves = [
        (_seconds(part(node, "message")) or 0.0, number, name)
        for number, (name, node) in enumerate(mapping.items())
        if isinstance(node, Mapping) and not node.get("children")
    ]
    return max(leaves)[2] if leaves else None
