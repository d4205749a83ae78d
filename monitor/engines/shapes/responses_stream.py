"""A Responses stream put back together: its last event, or what arrived before it was cut."""

from collections.abc import Mapping, Sequence
from typing import Any

from monitor.engines.shapes.payload import (
    Body,
    Event,
    describe,
    mapping_at,
    optional_int,
    require,
    string_at,
)
from monitor.errors import PayloadError

_LAST = frozenset({"response.completed", "response.incomplete", "response.failed"})
_CUT = "the stream ended before its final event; what arrived is kept as cut"


def _kind(engine: str, event: Event, number: int) -> str:
    node = mapping_at(engine, event.data, f"event {number}")
    kind = node.get("type", event.name)
    return string_at(engine, kind, f"event {number}.type")


def _message(text: str, annotations: Sequence[Any]) -> Mapping[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": list(annotations)}
    return {"type": "message", "content": [part]}


def _assembled(engine: str, events: Sequence[tuple[str, Mapping[str, Any]]]) -> list[Any]:
    """Output entries as far as they came: finished ones, and messages grown from deltas."""
    done: dict[int, Any] = {}
    texts: dict[int, str] = {}
    notes: dict[int, list[Any]] = {}
    for kind, node in events:
        place = optional_int(node.get("output_index")) or 0
        if kind == "response.output_item.done":
            done[place] = require(engine, node, "item", kind)
        elif kind == "response.output_text.delta":
            delta = string_at(engine, require(engine, node, "delta", kind), f"{kind}.delta")
            texts[place] = texts.get(place, "") + delta
        elif kind == "response.output_text.annotation.added":
            notes.setdefault(place, []).append(require(engine, node, "annotation", kind))
    for place, text in texts.items():
        done.setdefault(place, _message(text, notes.get(place, ())))
    return [done[place] for place in sorted(done)]


def _last_response(
    engine: str, events: Sequence[tuple[str, Mapping[str, Any]]]
) -> Mapping[str, Any] | None:
    for kind, node in reversed(events):
        if kind in _LAST:
            return mapping_at(engine, require(engine, node, "response", kind), f"{kind}.response")
    return None


def _cut_payload(
    engine: str, events: Sequence[tuple[str, Mapping[str, Any]]]
) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    begun = next(
        (node.get("response") for kind, node in events if kind == "response.created"), None
    )
    error = next((node for kind, node in events if kind == "error"), None)
    if begun is None and error is None:
        kinds = sorted({kind for kind, _ in events})[:10]
        raise PayloadError(engine, "$", f"a stream without response events: {kinds}")
    payload = dict(mapping_at(engine, begun, "response.created")) if begun is not None else {}
    payload["output"] = _assembled(engine, events)
    payload["status"] = "incomplete"
    payload["error"] = (error.get("error") or error) if error else None
    return payload, (_CUT,)


def whole_payload(engine: str, body: Body) -> tuple[Mapping[str, Any], tuple[str, ...]]:
    """The complete object of a body, and a warning where a stream was cut short."""
    if not body.events:
        if body.value is None:
            raise PayloadError(engine, "$", f"a stream without events, or {describe(None)}")
        return mapping_at(engine, body.value, "$"), ()
    events = []
    for number, event in enumerate(body.events):
        kind = _kind(engine, event, number)
        events.append((kind, mapping_at(engine, event.data, f"event {number}")))
    last = _last_response(engine, events)
    if last is None:
        return _cut_payload(engine, events)
    streamed = _assembled(engine, events)
    if last.get("output") == [] and streamed:
        return {**last, "output": streamed}, ("the final event had no output; pieces were joined",)
    return last, ()
